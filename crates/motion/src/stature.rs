//! Stature of a human body, from the lengths of its bones.
//!
//! Bone lengths are the same in every pose, so the result hardly depends on the rest pose or the motion. The body is added up
//! along the bones: ankle, knee, hip, from the line of the hips through the spine and the neck to the head, and on to the crown.
//! Only the rise of the spine over the line of the hips is a distance between joints; it is the median over poses that stand.
//! A part of this way that the skeleton does not show is a share of the stature H, so that with the bones b and the missing shares s
//!
//!   H = Σ b + H Σ s   ⇒   H = Σ b / (1 − Σ s)
//!
//! The shares are those of R. Drillis and R. Contini, *Body Segment Parameters* (1966), as drawn in D. A. Winter, *Biomechanics and
//! Motor Control of Human Movement*, fig. 4.1.

use crate::math::real;
use crate::{Frame, Real, Role, Side, Skeleton, Vec3};

/// Lengths of the parts of a grown human body, as shares of its stature.
pub mod proportions {
    use crate::Real;
    /// Shoulder to elbow.
    pub const UPPER_ARM: Real = 0.186;
    /// Elbow to wrist.
    pub const FOREARM: Real = 0.146;
    /// Wrist to the tip of the fingers.
    pub const HAND: Real = 0.108;
    /// Hip to knee.
    pub const THIGH: Real = 0.245;
    /// Knee to ankle.
    pub const SHANK: Real = 0.246;
    /// Heel to the tip of the toes.
    pub const FOOT: Real = 0.152;
    /// Ankle to sole.
    pub const ANKLE: Real = 0.039;
    /// Line of the hips to the line of the shoulders.
    pub const TRUNK: Real = 0.288;
    /// Chin to crown.
    pub const HEAD: Real = 0.130;
    /// Base of the skull to crown.
    pub const SKULL: Real = 0.110;
    /// Base of the neck to the base of the skull.
    pub const NECK: Real = 0.052;
    /// Line of the shoulders to crown.
    pub const ABOVE_SHOULDERS: Real = 0.182;
}

use proportions::{ABOVE_SHOULDERS, ANKLE, FOREARM, NECK, SHANK, SKULL, THIGH, TRUNK, UPPER_ARM};

/// Stature of a body, and the part of it that bones show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stature {
    /// Height from the sole to the crown of the standing body, in the unit of the skeleton.
    pub height: Real,
    /// Share of the height that bones show, 0 to 1; proportions fill the rest.
    pub shown: Real,
}

/// Lengths of bones, and the missing parts as shares of the stature.
#[derive(Clone, Copy, Default)]
struct Way {
    bones: Real,
    missing: Real,
}

impl Way {
    fn add(&mut self, bone: Option<Real>, share: Real) {
        match bone {
            Some(length) => self.bones += length,
            None => self.missing += share,
        }
    }
}

/// Lengths of a tip on the head that can be the crown, as shares of the stature. Shorter ones end inside of the head.
const CROWN: std::ops::Range<Real> = 0.075..0.16;

/// Returns the stature of a human body from the lengths of its bones; `None` if neither legs nor trunk are known. Any unit will do.
///
/// ```
/// use sinew_motion::{Joint, Role, Side, Skeleton, Vec3, stature};
/// // Bones along X, as some recorders write them: the rest pose is no posture.
/// let joint = |parent: usize, length: f64| Joint::new("", Some(parent), Vec3::x() * length);
/// let skeleton = Skeleton::new(vec![Joint::new("", None, Vec3::zeros()), joint(0, 50.0), joint(0, 0.0), joint(2, 43.0), joint(3, 42.0)])?;
/// let leg = [Role::UpperLeg(Side::Left), Role::LowerLeg(Side::Left), Role::Foot(Side::Left)];
/// let roles: Vec<_> = [Role::Hips, Role::Head].into_iter().chain(leg).map(Some).collect();
/// assert!((stature(&skeleton, &roles).unwrap().height - 135.0 / (1.0 - 0.039 - 0.11)).abs() < 1e-9);
/// # Ok::<(), sinew_motion::SkeletonError>(())
/// ```
pub fn stature(skeleton: &Skeleton, roles: &[Option<Role>]) -> Option<Stature> {
    stature_in(skeleton, roles, &[&skeleton.rest_pose().world(skeleton)])
}

/// Returns the stature as [`stature`] does, by poses in which the body stands.
pub(crate) fn stature_in(skeleton: &Skeleton, roles: &[Option<Role>], poses: &[&[Frame]]) -> Option<Stature> {
    let bones = Bones { skeleton, roles, poses };
    let legs: Vec<Way> = [Side::Left, Side::Right].into_iter().filter_map(|side| bones.leg(side)).collect();
    let trunk = bones.trunk();
    if legs.is_empty() && trunk.is_none() {
        return None;
    }
    let unknown = |missing: Real| Way { bones: 0.0, missing };
    let mean = |of: fn(&Way) -> Real| legs.iter().map(of).sum::<Real>() / legs.len() as Real;
    let leg = match legs.is_empty() {
        true => unknown(THIGH + SHANK),
        false => Way { bones: mean(|leg| leg.bones), missing: mean(|leg| leg.missing) },
    };
    let mut way = trunk.unwrap_or(unknown(TRUNK + ABOVE_SHOULDERS - SKULL));
    way.bones += bones.missing_chest(&leg) + leg.bones;
    way.missing += leg.missing + ANKLE;
    let estimate = way.bones / (1.0 - way.missing - SKULL);
    way.add(bones.crown().filter(|&tip| CROWN.contains(&(tip / estimate))), SKULL);
    let height = way.bones / (1.0 - way.missing);
    (way.bones > 1e-9).then(|| Stature { height, shown: way.bones / height })
}

/// Share of people among bodies on two legs in captures; the others are cartoons and toys.
pub(crate) const PEOPLE: Real = 0.95;

/// Returns the probability that a body has the size of a person, by its proportions; bodies of which none is known have that of all bodies. `poses` are some in which it stands.
///
/// Trunk, legs and arms each tell a stature. The logarithms of their ratios have a small spread in people and a large one in cartoons.
pub(crate) fn humanity(skeleton: &Skeleton, roles: &[Option<Role>], poses: &[&[Frame]]) -> Real {
    /// Spread of the logarithm of trunk over legs and of arms over legs, each over that of the usual person: rigs place hips and
    /// shoulders in many ways. The last one is that of cartoons.
    const TRUNKS: Real = 0.15;
    const ARMS: Real = 0.12;
    const CARTOONS: Real = 0.5;
    let bones = Bones { skeleton, roles, poses };
    let legs: Vec<Way> = [Side::Left, Side::Right].into_iter().filter_map(|side| bones.leg(side)).collect();
    let Some(leg) = legs.first() else { return PEOPLE };
    let by_legs = leg.bones / (THIGH + SHANK - leg.missing);
    let trunk = bones
        .trunk()
        .map(|way| (way.bones + bones.missing_chest(leg)) / (TRUNK + ABOVE_SHOULDERS - SKULL - way.missing));
    let arm = |side: Side| bones.length(bones.find(Role::UpperArm(side))?, bones.find(Role::Hand(side))?);
    let arms = arm(Side::Left).or_else(|| arm(Side::Right)).map(|arm| arm / (UPPER_ARM + FOREARM));
    let mut odds = PEOPLE / (1.0 - PEOPLE);
    for (stature, spread) in [(trunk, TRUNKS), (arms, ARMS)] {
        let Some(ratio) = stature.map(|stature| real::ln(stature / by_legs)).filter(|ratio| ratio.is_finite()) else {
            continue;
        };
        let density = |spread: Real| real::exp(-0.5 * (ratio / spread).powi(2)) / spread;
        odds *= density(spread) / density(CARTOONS);
    }
    odds / (1.0 + odds)
}

struct Bones<'s> {
    skeleton: &'s Skeleton,
    roles: &'s [Option<Role>],
    /// World frames of the joints in poses that stand.
    poses: &'s [&'s [Frame]],
}

impl Bones<'_> {
    fn find(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|&r| r == Some(role))
    }

    /// Length along the bones from a joint down to one below it; `None` if it is not below.
    fn length(&self, above: usize, below: usize) -> Option<Real> {
        let mut length = 0.0;
        let mut joint = below;
        while joint != above {
            length += self.skeleton.bone_length(joint);
            joint = self.skeleton.joint(joint).parent?;
        }
        Some(length)
    }

    /// Hip to ankle; `None` if no bone of the leg is known.
    fn leg(&self, side: Side) -> Option<Way> {
        let [hip, knee, ankle] = [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)].map(|r| self.find(r));
        let between = |a: Option<usize>, b: Option<usize>| self.length(a?, b?);
        let (thigh, shank) = (between(hip, knee), between(knee, ankle));
        let mut way = Way::default();
        match (thigh, shank) {
            // A skeleton of few joints may have no hips of their own on both sides.
            (None, None) => way.add(Some(between(hip.or_else(|| self.find(Role::Hips)), ankle)?), 0.0),
            _ => {
                way.add(thigh, THIGH);
                way.add(shank, SHANK);
            }
        }
        Some(way)
    }

    /// Line of the hips to the base of the skull; `None` if it shows no bone.
    fn trunk(&self) -> Option<Way> {
        let hips = self.find(Role::Hips)?;
        let below_hips = |joint: &usize| self.length(hips, *joint).is_some_and(|length| length > 0.0);
        let shoulders = self.pair(Role::Shoulder).or_else(|| self.pair(Role::UpperArm));
        let chest = shoulders.and_then(|[left, right]| self.meeting(left, right));
        let tops = [(self.find(Role::Head), 0.0), (self.find(Role::Neck(0)), NECK), (chest, ABOVE_SHOULDERS - SKULL)];
        let (top, missing) = tops.into_iter().find_map(|(top, missing)| Some((top.filter(below_hips)?, missing)))?;
        let way = |&j: &usize| self.skeleton.joint(j).parent;
        let first = std::iter::successors(Some(top), way).take_while(|&j| j != hips).last()?;
        let legs = self.pair(Role::UpperLeg).filter(|legs| legs.iter().all(|&leg| self.length(hips, leg).is_some()));
        let mut bones =
            self.length(first, top)? + legs.map_or(self.skeleton.bone_length(first), |legs| self.rise(first, legs));
        if Some(top) == chest {
            bones += shoulders.map_or(0.0, |shoulders| self.rise(top, shoulders));
        }
        Some(Way { bones, missing })
    }

    fn pair(&self, role: fn(Side) -> Role) -> Option<[usize; 2]> {
        Some([self.find(role(Side::Left))?, self.find(role(Side::Right))?])
    }

    /// Distance of a joint from the line through a pair of joints, the median over the poses. Bones that are fixed to one joint keep their
    /// angles in every pose; others keep them nearly, where a rig has joints between.
    fn rise(&self, joint: usize, pair: [usize; 2]) -> Real {
        let in_pose = |frames: &&[Frame]| {
            let [left, right] = pair.map(|side| frames[side].position);
            let rise = frames[joint].position - 0.5 * (left + right);
            let across = (left - right).try_normalize(1e-12).unwrap_or_else(Vec3::zeros);
            (rise - across * rise.dot(&across)).norm()
        };
        let mut rises: Vec<Real> = self.poses.iter().map(in_pose).collect();
        rises.sort_by(Real::total_cmp);
        rises.get(rises.len() / 2).copied().unwrap_or(0.0)
    }

    /// Length of the chest where a file has lost it. Some conversions of Acclaim skeletons drop the last bone of the spine: neck and collar
    /// bones lie on its last joint, and the trunk is shorter over the legs than that of any body. The bone was about as long as the others.
    fn missing_chest(&self, leg: &Way) -> Real {
        /// Length from the hips to the base of the neck over that of the leg, below which a chest is missing. People have 0.55 to 0.7.
        const SHORTEST: Real = 0.45;
        let spine: Vec<usize> = (0..u8::MAX).map_while(|k| self.find(Role::Spine(k))).collect();
        let collars = self.pair(Role::Shoulder);
        let (Some(&last), Some(neck), Some(collars)) = (spine.last(), self.find(Role::Neck(0)), collars) else {
            return 0.0;
        };
        let on_last = |&joint: &usize| self.length(last, joint).is_some_and(|length| length < 1e-3 * leg.bones);
        let bones: Vec<Real> = spine.iter().map(|&j| self.skeleton.bone_length(j)).filter(|&b| b > 0.0).collect();
        let trunk: Real = bones.iter().sum();
        let is_lost = [neck, collars[0], collars[1]].iter().all(on_last) && trunk < SHORTEST * leg.bones;
        if is_lost && !bones.is_empty() { trunk / bones.len() as Real } else { 0.0 }
    }

    /// Distance from the joint of the head to its end; `None` if several bones leave it, or none.
    fn crown(&self) -> Option<Real> {
        let head = self.find(Role::Head)?;
        let end = |&joint: &usize| {
            matches!(self.roles[joint], None | Some(Role::Helper)) && self.skeleton.children(joint).next().is_none()
        };
        let mut ends = self.skeleton.children(head).filter(end).map(|joint| self.skeleton.bone_length(joint));
        let tip = self.skeleton.joint(head).tip.map(|tip| tip.norm());
        match (tip, ends.next(), ends.next()) {
            (Some(tip), None, None) => Some(tip),
            (None, Some(length), None) => Some(length),
            _ => None,
        }
    }

    /// Lowest joint that both hang on.
    fn meeting(&self, a: usize, b: usize) -> Option<usize> {
        let above = |joint: usize| std::iter::successors(Some(joint), |&j| self.skeleton.joint(j).parent);
        above(a).find(|&j| above(b).any(|k| k == j))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Quat};

    /// Bones of a body of 1.75 m: parent, role, offset in a standing pose.
    fn standing() -> Vec<(Option<usize>, Role, Vec3)> {
        let v = Vec3::new;
        let mut bones = vec![
            (None, Role::Hips, v(0.0, 0.95, 0.0)),
            (Some(0), Role::Spine(0), v(0.0, 0.09, 0.0)),
            (Some(1), Role::Spine(1), v(0.0, 0.13, 0.0)),
            (Some(2), Role::Spine(2), v(0.0, 0.13, 0.0)),
            (Some(3), Role::Neck(0), v(0.0, 0.2, 0.0)),
            (Some(4), Role::Head, v(0.0, 0.09, 0.0)),
        ];
        for (side, x) in [(Side::Left, 0.1), (Side::Right, -0.1)] {
            let hip = bones.len();
            bones.push((Some(0), Role::UpperLeg(side), v(x, -0.02, 0.0)));
            bones.push((Some(hip), Role::LowerLeg(side), v(0.0, -0.42, 0.0)));
            bones.push((Some(hip + 1), Role::Foot(side), v(0.0, -0.41, 0.0)));
            bones.push((Some(3), Role::UpperArm(side), v(1.8 * x, 0.15, 0.0)));
        }
        bones
    }

    fn body(turn: impl Fn(usize, Vec3) -> Vec3, scale: Real) -> (Skeleton, Vec<Option<Role>>) {
        let bones = standing();
        let joints = bones.iter().enumerate().map(|(j, (parent, _, offset))| {
            // Bones that leave one joint turn together; the others may turn as they like.
            Joint::new("", *parent, turn(parent.unwrap_or(j), *offset) * scale)
        });
        (Skeleton::new(joints.collect()).unwrap(), bones.iter().map(|(_, role, _)| Some(*role)).collect())
    }

    fn measured((skeleton, roles): &(Skeleton, Vec<Option<Role>>)) -> Real {
        stature(skeleton, roles).unwrap().height
    }

    /// A rest pose is no posture in many files: bones along one axis, or each turned in its own way.
    #[test]
    fn stature_is_the_same_in_every_rest_pose() {
        let upright = measured(&body(|_, offset| offset, 1.0));
        let by_hand = (0.83 + 0.11 + 0.26 + 0.2 + 0.09) / (1.0 - 0.039 - 0.11);
        assert!((upright - by_hand).abs() < 1e-12, "{upright}");
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as Real / (1u64 << 53) as Real - 0.5
        };
        let turns: Vec<Quat> =
            (0..20).map(|_| Quat::from_euler_angles(6.0 * random(), 6.0 * random(), 6.0 * random())).collect();
        let turned = measured(&body(|parent, offset| turns[parent] * offset, 1.0));
        assert!((turned - upright).abs() < 1e-12, "{turned}");
        for axis in [Vec3::x(), -Vec3::y(), Vec3::z()] {
            let to_axis = |parent: usize, offset: Vec3| if parent == 0 { offset } else { axis * offset.norm() };
            assert!((measured(&body(to_axis, 1.0)) - upright).abs() < 1e-12);
        }
        assert!((measured(&body(|_, offset| offset, 100.0 / 2.54)) - upright * 100.0 / 2.54).abs() < 1e-9);
    }

    /// A chibi has short legs under its trunk; a child is a smaller person. Neither the rest pose nor the unit changes that.
    #[test]
    fn proportions_tell_cartoons_from_people() {
        let human = |legs: Real, size: Real, turn: Quat| {
            let (skeleton, roles) = body(|parent, offset| if parent == 0 { offset } else { turn * offset }, size);
            let mut joints = skeleton.joints().to_vec();
            for (joint, role) in joints.iter_mut().zip(&roles) {
                if matches!(role, Some(Role::LowerLeg(_) | Role::Foot(_))) {
                    joint.offset *= legs;
                }
            }
            let skeleton = Skeleton::new(joints).unwrap();
            humanity(&skeleton, &roles, &[&skeleton.rest_pose().world(&skeleton)])
        };
        for (size, turn) in
            [(1.0, Quat::identity()), (0.6, Quat::identity()), (100.0, Quat::from_euler_angles(1.0, 2.0, 0.5))]
        {
            assert!(human(1.0, size, turn) > 0.95, "{size}");
            assert!(human(0.5, size, turn) < 0.1, "{size}");
        }
    }

    /// Skeletons without a head, a neck, feet or legs get the missing part by published proportions.
    #[test]
    fn missing_parts_are_filled_by_proportions() {
        let (skeleton, roles) = body(|_, offset| offset, 1.0);
        let whole = measured(&(skeleton.clone(), roles.clone()));
        let without = |gone: &dyn Fn(Role) -> bool| {
            let roles: Vec<Option<Role>> = roles.iter().map(|role| role.filter(|&role| !gone(role))).collect();
            stature(&skeleton, &roles)
        };
        let cases: [(&str, &dyn Fn(Role) -> bool); 5] = [
            ("head", &|role| role == Role::Head),
            ("neck and head", &|role| matches!(role, Role::Head | Role::Neck(_))),
            ("feet", &|role| matches!(role, Role::Foot(_))),
            ("legs", &|role| matches!(role, Role::UpperLeg(_) | Role::LowerLeg(_) | Role::Foot(_))),
            ("trunk", &|role| matches!(role, Role::Hips)),
        ];
        for (missing, gone) in cases {
            let found = without(gone).unwrap();
            assert!((found.height / whole - 1.0).abs() < 0.07, "without {missing}: {found:?}, {whole}");
        }
        assert!(without(&|_| true).is_none());
    }

    /// Some conversions lose the last bone of the spine: neck and collar bones lie on its last joint. A body with all its bones, and one with a
    /// short trunk and a chest, are taken as they are.
    #[test]
    fn a_lost_chest_is_as_long_as_the_other_bones_of_the_spine() {
        let acclaim = |chest: Real, rise: Real| {
            let v = Vec3::new;
            let mut bones = vec![
                (None, Role::Hips, v(0.0, 0.95, 0.0)),
                (Some(0), Role::Spine(0), v(0.0, 0.0, 0.0)),
                (Some(1), Role::Spine(1), v(0.0, rise, 0.0)),
                (Some(2), Role::Spine(2), v(0.0, rise, 0.0)),
                (Some(3), Role::Neck(0), v(0.0, chest, 0.0)),
                (Some(4), Role::Head, v(0.0, 0.2, 0.0)),
            ];
            for (side, x) in [(Side::Left, 0.1), (Side::Right, -0.1)] {
                let hip = bones.len();
                bones.push((Some(0), Role::UpperLeg(side), v(x, -0.09, 0.0)));
                bones.push((Some(hip), Role::LowerLeg(side), v(0.0, -0.41, 0.0)));
                bones.push((Some(hip + 1), Role::Foot(side), v(0.0, -0.42, 0.0)));
                bones.push((Some(3), Role::Shoulder(side), v(0.0, chest, 0.0)));
            }
            let joints = bones.iter().map(|(parent, _, offset)| Joint::new("", *parent, *offset)).collect();
            (Skeleton::new(joints).unwrap(), bones.iter().map(|(_, role, _)| Some(*role)).collect::<Vec<_>>())
        };
        let whole = measured(&acclaim(0.116, 0.116));
        assert!((measured(&acclaim(0.0, 0.116)) - whole).abs() < 1e-9);
        assert!(measured(&acclaim(0.02, 0.116)) < whole - 0.1, "a short chest is a chest");
        assert!((measured(&acclaim(0.0, 0.25)) - whole).abs() > 0.1, "a trunk of usual length has a chest");
    }

    /// The end of a head bone counts as the crown only where it can be one.
    #[test]
    fn a_tip_inside_of_the_head_is_no_crown() {
        let (skeleton, roles) = body(|_, offset| offset, 1.0);
        let with_tip = |length: Real| {
            let mut joints = skeleton.joints().to_vec();
            joints[5].tip = Some(Vec3::x() * length);
            measured(&(Skeleton::new(joints).unwrap(), roles.clone()))
        };
        let bare = measured(&(skeleton.clone(), roles.clone()));
        assert_eq!(with_tip(0.05), bare);
        assert_eq!(with_tip(0.6), bare);
        assert!((with_tip(0.18) - (1.49 + 0.18) / (1.0 - 0.039)).abs() < 1e-12);
    }
}

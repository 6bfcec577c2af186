//! Reference posture in which two bodies are compared.
//!
//! Bodies rest in T, A and N poses and in others. Each is brought from its rest pose to one common posture: the trunk upright
//! and facing +Z, the arms straight out to the sides with the palms down, the legs straight down, the feet as they stand. Bones
//! go there by the shortest rotation, from the trunk outwards, so that a bone keeps its roll against its parent. With W the
//! rest orientation of a joint and C the rotation into the posture, its reference is
//!
//!   Q = C W
//!
//! and a joint with orientation R in the source has R Q_s⁻¹ Q_t on the target: the same posture, bone by bone.
//!
//! The curve of the spine, collar bones, head and feet keep their rest, because they differ between bodies of the same posture.

use crate::math::{Mat3, Quat, Real, Vec3, real};
use crate::motion::{DetectedRole, Frame, Role, Side, Skeleton};
use nalgebra::{Rotation3, Unit};

const SIDES: [Side; 2] = [Side::Left, Side::Right];
/// Angle between forearm and the end of a hand up to which it is the direction of the hand, radians. Beyond what wrists bend by at
/// rest, the end was not meant as a bone: some programs write one along an axis of the world.
const WRIST: Real = 1.0;
/// Angle above the horizontal up to which the end of a foot is its direction, radians; ankles do not lift toes further.
const ANKLE: Real = 0.6;

/// Slope of feet from ankle to toes where the rest pose does not show it, radians.
pub(super) const FOOT_SLOPE: Real = 0.44;

/// Axes of a body in its rest pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    pub up: Vec3,
    pub left: Vec3,
    /// Direction from the hips to the shoulders.
    pub trunk: Vec3,
    /// True if the trunk rises from the hips; that of animals on four legs is level.
    pub upright: bool,
    /// True if the body stands along the world's Y.
    pub stands: bool,
}

pub(crate) struct Posture<'a> {
    pub skeleton: &'a Skeleton,
    pub roles: &'a [DetectedRole],
    pub rest: Vec<Frame>,
    /// True if the rest pose is set on the ground.
    pub grounded: bool,
}

impl Posture<'_> {
    pub fn joint(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|guess| guess.role == Some(role))
    }

    fn place(&self, role: Role) -> Option<Vec3> {
        self.joint(role).map(|j| self.rest[j].position)
    }

    fn middle(&self, role: fn(Side) -> Role) -> Option<Vec3> {
        Some(0.5 * (self.place(role(Side::Left))? + self.place(role(Side::Right))?))
    }

    /// Returns the axes of the body in its rest pose; `None` where neither hips nor shoulders tell.
    pub fn axes(&self) -> Option<Axes> {
        let hips = self.middle(Role::UpperLeg).or_else(|| self.place(Role::Hips));
        let shoulders = self.middle(Role::UpperArm).or_else(|| self.middle(Role::Shoulder));
        let shoulders = shoulders.or_else(|| self.place(Role::Neck(0))).or_else(|| self.place(Role::Head));
        let feet = self.middle(Role::Foot).or_else(|| self.middle(Role::LowerLeg));
        let trunk = match (hips, shoulders) {
            (Some(low), Some(high)) => (high - low).try_normalize(1e-9),
            _ => None,
        };
        let trunk = trunk.unwrap_or_else(Vec3::y);
        let stands = match (hips, feet) {
            (Some(hips), Some(feet)) => hips.y - feet.y > 0.5 * (hips - feet).norm(),
            _ => trunk.y > 0.5,
        };
        let up = if stands { Vec3::y() } else { trunk };
        let upright = trunk.dot(&up) > 0.5;
        let pairs: [fn(Side) -> Role; 3] = [Role::UpperLeg, Role::UpperArm, Role::Shoulder];
        let across = pairs.into_iter().find_map(|role| {
            let way = self.place(role(Side::Left))? - self.place(role(Side::Right))?;
            (way - up * way.dot(&up)).try_normalize(1e-6)
        });
        let left = across.or_else(|| self.one_sided(&up))?;
        Some(Axes { up, left, trunk, upright, stands })
    }

    /// Returns the left direction of a body with limbs on one side only.
    fn one_sided(&self, up: &Vec3) -> Option<Vec3> {
        let hips = self.place(Role::Hips)?;
        SIDES.into_iter().find_map(|side| {
            let sign = if side == Side::Left { 1.0 } else { -1.0 };
            let limb = self.place(Role::UpperLeg(side)).or_else(|| self.place(Role::UpperArm(side)))?;
            let way = limb - hips;
            (way - up * way.dot(up)).try_normalize(1e-6).map(|way| way * sign)
        })
    }

    /// Returns the rotation C of every joint from the rest pose into the reference posture.
    pub fn rotations(&self, axes: &Axes) -> Vec<Quat> {
        let level = frame(&axes.left, &axes.up).inverse();
        let tilt = axes.trunk.angle(&axes.up);
        // A trunk that rests bent is not straightened.
        let trunk = if axes.upright && tilt < 0.6 { frame(&axes.left, &axes.trunk).inverse() } else { level };
        let mut rotations: Vec<Quat> = Vec::with_capacity(self.rest.len());
        for (j, joint) in self.skeleton.joints().iter().enumerate() {
            let carried = joint.parent.map_or(level, |p| rotations[p]);
            rotations.push(match self.roles[j].role {
                Some(Role::Hips | Role::Spine(_) | Role::Shoulder(_) | Role::Tail(_)) => trunk,
                Some(Role::Neck(_) | Role::Head) => level,
                Some(_) if !axes.upright => level,
                _ => carried,
            });
        }
        if axes.upright {
            for side in SIDES {
                self.arm(side, &trunk, &mut rotations);
                self.leg(side, &level, &mut rotations);
            }
        }
        rotations
    }

    fn arm(&self, side: Side, trunk: &Quat, rotations: &mut [Quat]) {
        let out = if side == Side::Left { Vec3::x() } else { -Vec3::x() };
        let Some(upper) = self.joint(Role::UpperArm(side)) else { return };
        let lower = self.joint(Role::LowerArm(side));
        let hand = self.joint(Role::Hand(side));
        let mut rotation = *trunk;
        if let Some(bone) = self.bone(upper, lower) {
            rotation = swing(&(rotation * bone), &out) * rotation;
        }
        self.assign_below(upper, rotation, rotations);
        let Some(lower) = lower else { return };
        if let Some(bone) = self.bone(lower, hand) {
            rotation = swing(&(rotation * bone), &out) * rotation;
        }
        self.assign_below(lower, rotation, rotations);
        let Some(hand) = hand else { return };
        let finger = |number: u8| self.place(Role::Finger(side, number, 0));
        let knuckles = [2, 1, 3, 4].into_iter().find_map(finger).map(|p| p - self.rest[hand].position);
        let end = || self.bone(hand, None).filter(|bone| (rotation * bone).angle(&out) < WRIST);
        if let Some(bone) = knuckles.or_else(end).filter(|bone| bone.norm() > 1e-6) {
            rotation = swing(&(rotation * bone), &out) * rotation;
        }
        if let (Some(index), Some(little)) = (finger(1), finger(4)) {
            rotation = roll(&out, &(rotation * (index - little)), &Vec3::z()) * rotation;
        }
        self.assign_below(hand, rotation, rotations);
        for number in 1..5 {
            for k in 0..8 {
                let Some(joint) = self.joint(Role::Finger(side, number, k)) else { break };
                if let Some(bone) = self.bone(joint, self.joint(Role::Finger(side, number, k + 1))) {
                    let straight = swing(&(rotation * bone), &out) * rotation;
                    self.assign_below(joint, straight, rotations);
                }
            }
        }
    }

    fn leg(&self, side: Side, level: &Quat, rotations: &mut [Quat]) {
        let Some(upper) = self.joint(Role::UpperLeg(side)) else { return };
        let down = -Vec3::y();
        let (lower, foot) = (self.joint(Role::LowerLeg(side)), self.joint(Role::Foot(side)));
        let mut rotation = *level;
        if let Some(bone) = self.bone(upper, lower) {
            rotation = swing(&(rotation * bone), &down) * rotation;
        }
        self.assign_below(upper, rotation, rotations);
        if let Some(lower) = lower {
            if let Some(bone) = self.bone(lower, foot) {
                rotation = swing(&(rotation * bone), &down) * rotation;
            }
            self.assign_below(lower, rotation, rotations);
        }
        let Some(foot) = foot else { return };
        // Feet keep their rest, facing the front.
        let (with_shank, mut rotation) = (rotation, *level);
        let slope_of = |bone: &Vec3| -real::asin((rotation * bone).normalize().y);
        let toes = self.joint(Role::Toes(side));
        let is_foot = |bone: &Vec3| toes.is_some() || slope_of(bone) > -ANKLE;
        if let Some(bone) = self.bone(foot, toes).filter(is_foot) {
            let points = (rotation * bone).normalize();
            let slope = slope_of(&bone);
            rotation = if (-0.2..1.2).contains(&slope) {
                roll(&Vec3::y(), &points, &Vec3::z()) * rotation
            } else {
                swing(&points, &Vec3::new(0.0, -real::sin(FOOT_SLOPE), real::cos(FOOT_SLOPE))) * rotation
            };
            if !self.grounded {
                // A pose that is not set on the ground shows the slope of feet, not their tilt, which is small at ankles.
                rotation = swing(&(with_shank * bone), &(rotation * bone)) * with_shank;
            }
        }
        self.assign_below(foot, rotation, rotations);
    }

    /// Assigns a rotation to a joint and all below it.
    fn assign_below(&self, joint: usize, rotation: Quat, rotations: &mut [Quat]) {
        rotations[joint] = rotation;
        for (j, other) in rotations.iter_mut().enumerate().skip(joint + 1) {
            let mut above = std::iter::successors(self.skeleton.joint(j).parent, |&p| self.skeleton.joint(p).parent);
            if above.any(|p| p == joint) {
                *other = rotation;
            }
        }
    }

    /// Returns the bone from a joint to the next one of its limb, else to its child or tip; rest pose, world space.
    pub fn bone(&self, joint: usize, next: Option<usize>) -> Option<Vec3> {
        let from = self.rest[joint].position;
        let tip = self.skeleton.joint(joint).tip.map(|tip| self.rest[joint].rotation * tip);
        let child = || self.skeleton.children(joint).map(|c| self.rest[c].position - from);
        let longest = || child().max_by(|a, b| a.norm().total_cmp(&b.norm()));
        let bone = next.map(|next| self.rest[next].position - from).or_else(longest).or(tip)?;
        (bone.norm() > 1e-9).then_some(bone)
    }
}

/// Returns the rotation from the body's own axes (X left, Y up, Z forward) to these.
pub(super) fn frame(left: &Vec3, up: &Vec3) -> Quat {
    let x = (left - up * left.dot(up)).normalize();
    let matrix = Mat3::from_columns(&[x, *up, x.cross(up)]);
    Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
}

/// Returns the shortest rotation from one direction to another.
pub(crate) fn swing(from: &Vec3, to: &Vec3) -> Quat {
    Quat::rotation_between(from, to).unwrap_or_else(|| {
        let across = from.cross(&Vec3::y()).try_normalize(1e-6).unwrap_or_else(Vec3::x);
        Quat::from_axis_angle(&Unit::new_normalize(across), std::f64::consts::PI)
    })
}

/// Returns the rotation about `axis` that aligns the perpendicular parts of `from` and `to`.
pub(crate) fn roll(axis: &Vec3, from: &Vec3, to: &Vec3) -> Quat {
    let across = |v: &Vec3| v - axis * v.dot(axis);
    let (from, to) = (across(from), across(to));
    if from.norm() < 1e-9 || to.norm() < 1e-9 {
        return Quat::identity();
    }
    Quat::from_axis_angle(&Unit::new_unchecked(*axis), real::atan2(axis.dot(&from.cross(&to)), from.dot(&to)))
}

//! Reference posture from a motion, for skeletons whose rest pose is no posture.
//!
//! The axes of a joint say nothing in such skeletons. What its segment faces is seen in the motion: knees and elbows bend one way, soles
//! lie on the ground, hips and shoulders lie across the body, limbs move without needless twist. Each of these is a direction
//! v(t) in the world that has a known direction b in the reference posture. Seen from the joint, with orientation R(t), and averaged over
//! the frames with weights w(t), it is
//!
//!   a = Σ w Rᵀ v / Σ w,   with precision p = (Σ w² / Σ w) / σ²
//!
//! where σ is the angle by which such evidence errs from one body and one motion to the next. Frames share that error, so that more of them
//! do not make it smaller. The reference Q of the joint is the rotation that fits all of its evidence best (Wahba's problem):
//!
//!   Q = argmax Σ p b · Q a
//!
//! Two kinds of evidence must not be mixed. Bones, hinges and the lines of hips and knuckles are *seen*: a knee that bends shows where its
//! kneecap is, whoever moves. The rest is *habit*: soles on the ground, a level head, limbs without needless twist. Habits stand in only
//! where nothing is seen, and only what is seen may contradict a rest pose.
//!
//! Joints are solved from the pelvis outwards, because a limb is also seen from the segment that it hangs on. Nothing depends on the
//! axes of the joints: with other axes A, R becomes R A and Q becomes Q A.

use super::axis_convention::{self, Shown};
use super::reference::{FOOT_SLOPE, Posture, frame, swing};
use crate::math::{Mat3, Quat, Real, Vec3, real};
use crate::motion::{Clip, DetectedRole, Frame, Pose, Role, Side, Skeleton};
use nalgebra::Rotation3;

/// Most frames of a clip that are examined.
const FRAMES: usize = 400;
/// Time over which speeds are taken, seconds: single steps of fast captures are noisy.
const LAPSE: Real = 1.0 / 30.0;

/// Standard deviations of the evidence, degrees.
mod sigma {
    use crate::math::Real;
    /// Bones and lines between joints, which are rigid.
    pub const BONE: Real = 0.1;
    /// Plane of a knee that is bent by a right angle: knock-knees and bow-legs.
    pub const KNEE: Real = 4.0;
    /// Plane of an elbow that is bent by a right angle: the carrying angle, 5° to 15°.
    pub const ELBOW: Real = 8.0;
    /// Forward direction of feet, straight out below the knee: tibial torsion and toe-out.
    pub const TOE_OUT: Real = 10.0;
    /// Sole of a foot at rest on the ground.
    pub const SOLE: Real = 1.0;
    /// Slope of a foot from ankle to toes.
    pub const SLOPE: Real = 15.0;
    /// Trunk of a straight body, seen from pelvis, spine and collar bones.
    pub const TRUNK: Real = 5.0;
    /// Direction from the hip joints to the first joint of the spine.
    pub const SACRUM: Real = 20.0;
    /// Level of the head of an upright body.
    pub const GAZE: Real = 8.0;
    /// Rotation of a segment against the one that it hangs on, without the swing of its bone.
    pub const KNEE_TWIST: Real = 5.0;
    pub const SHOULDER: Real = 30.0;
    pub const WRIST: Real = 10.0;
    pub const KNUCKLES: Real = 5.0;
    /// Toes bend upwards in walking, by 15° on average.
    pub const TOES: Real = 30.0;
    pub const OTHER: Real = 15.0;
}

/// Axis about which a limb bends.
#[derive(Clone, Copy, Debug)]
struct Hinge {
    /// Unit axis in the frame of the joint, and its direction in the reference posture.
    axis: Vec3,
    reference: Vec3,
    /// Standard deviation, radians.
    deviation: Real,
}

/// Standard deviation of a hinge from which it is no longer seen, radians: elbows that bend by less than 28°, knees by less than 14°.
const UNSEEN: Real = 0.3;

/// Reference posture found in a motion.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    hinges: Vec<Option<Hinge>>,
    /// Orientation of every joint in the reference posture.
    pub references: Vec<Quat>,
    /// Standard deviation of every orientation about its least certain axis, radians.
    pub uncertainty: Vec<Real>,
}

/// Angle from what the motion shows beyond which a rest pose is wrong about a segment, radians, and the same in standard deviations. Rest
/// poses of captures are within 45°.
const WRONG: Real = std::f64::consts::FRAC_PI_3;
const SURELY: Real = 4.0;

impl Found {
    /// Returns the joints about which other references are wrong, with all of their trunk or limb: the trunk lies otherwise, or a limb bends
    /// otherwise.
    pub fn contradicts(&self, others: &[Quat], roles: &[DetectedRole]) -> Vec<bool> {
        let groups = roles.iter().map(|guess| guess.role.map_or(Group::None, group)).collect::<Vec<_>>();
        let wrong = |j: usize| {
            let (angle, deviation) = match (roles[j].role, &self.hinges[j]) {
                (Some(Role::Hips | Role::Spine(_)), _) => {
                    (self.references[j].angle_to(&others[j]), self.uncertainty[j])
                }
                (_, Some(hinge)) => ((others[j] * hinge.axis).angle(&hinge.reference), hinge.deviation),
                _ => return false,
            };
            angle > WRONG.max(SURELY * deviation)
        };
        let mut found: Vec<Group> = (0..roles.len()).filter(|&j| wrong(j)).map(|j| groups[j]).collect();
        // Where the trunk is wrong, so is all that hangs on it.
        if found.contains(&Group::Trunk) {
            found = groups.clone();
        }
        groups.iter().map(|group| found.contains(group)).collect()
    }
}

/// Part of the body that a rest pose shows as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Trunk,
    Arm(Side),
    Leg(Side),
    None,
}

fn group(role: Role) -> Group {
    match role {
        Role::UpperArm(side) | Role::LowerArm(side) | Role::Hand(side) | Role::Finger(side, ..) => Group::Arm(side),
        Role::UpperLeg(side) | Role::LowerLeg(side) | Role::Foot(side) | Role::Toes(side) => Group::Leg(side),
        Role::Helper => Group::None,
        _ => Group::Trunk,
    }
}

/// Finds the reference posture of an upright body in a motion; `None` if hips and shoulders do not show how its trunk lies.
pub(crate) fn find(skeleton: &Skeleton, roles: &[DetectedRole], clip: &Clip) -> Option<Found> {
    if clip.joints() != skeleton.len() || clip.frames() == 0 {
        return None;
    }
    let motion = Motion::read(skeleton, roles, clip)?;
    let mut shown: Vec<Shown> = Vec::with_capacity(skeleton.len());
    let mut hinges = Vec::with_capacity(skeleton.len());
    for joint in 0..skeleton.len() {
        let mut evidence = Evidence::of(&motion, joint);
        motion.observe(&mut evidence, &shown);
        shown.push(evidence.solve());
        hinges.push(evidence.hinge);
    }
    let references = match axis_convention::settle(skeleton, &shown) {
        Some(settled) => laid(skeleton, roles, clip, settled, |_| true),
        None => {
            let own = shown.iter().map(|shown| shown.reference).collect();
            laid(skeleton, roles, clip, own, |group| group == Group::Trunk)
        }
    };
    let uncertainty = shown.iter().map(|shown| shown.information.symmetric_eigenvalues().min().max(0.0).sqrt().recip());
    Some(Found { hinges, references, uncertainty: uncertainty.collect() })
}

/// Lays a posture into the common one as any rest pose, so that the same posture gives the same references whatever it was taken from. Its
/// axes of joints make a posture of the whole body; what motion shows of limbs is independent of the trunk and stays.
fn laid(
    skeleton: &Skeleton,
    roles: &[DetectedRole],
    clip: &Clip,
    references: Vec<Quat>,
    moves: impl Fn(Group) -> bool,
) -> Vec<Quat> {
    let mut pose = Pose { scales: None, ..clip.pose(skeleton, 0) };
    for (j, joint) in skeleton.joints().iter().enumerate() {
        pose.rotations[j] = joint.parent.map_or(references[j], |parent| references[parent].inverse() * references[j]);
    }
    let posture = Posture { skeleton, roles, rest: pose.world(skeleton), grounded: true };
    let Some(axes) = posture.axes().filter(|axes| axes.upright) else { return references };
    let rotations = posture.rotations(&axes);
    let group = |j: usize| roles[j].role.map_or(Group::None, group);
    let lay = |(j, reference)| if moves(group(j)) { rotations[j] * reference } else { reference };
    references.into_iter().enumerate().map(lay).collect()
}

/// Evidence of the reference of one joint.
struct Evidence<'a> {
    motion: &'a Motion<'a>,
    joint: usize,
    /// Σ p b aᵀ.
    profile: Mat3,
    /// Σ p (|a|² − a aᵀ), the information of rotations in the frame of the joint.
    information: Mat3,
    /// Bone of the joint in its own frame, and its direction in the reference posture.
    bone: Option<(Vec3, Vec3)>,
    /// Hinge at one of its ends.
    hinge: Option<Hinge>,
}

impl<'a> Evidence<'a> {
    fn of(motion: &'a Motion, joint: usize) -> Evidence<'a> {
        Evidence { motion, joint, profile: Mat3::zeros(), information: Mat3::zeros(), bone: None, hinge: None }
    }

    /// Adds a direction of the world, with its weight in each frame, that lies along `b` in the reference posture.
    fn add(&mut self, degrees: Real, b: &Vec3, seen: impl Fn(usize) -> Option<(Vec3, Real)>) {
        if let Some((a, precision)) = self.mean(degrees, seen) {
            self.profile += precision * b * a.transpose();
            self.information += precision * (Mat3::identity() * a.norm_squared() - a * a.transpose());
        }
    }

    /// Adds the axis about which a limb bends, with its weight in each frame.
    fn add_hinge(&mut self, degrees: Real, b: &Vec3, seen: impl Fn(usize) -> Option<(Vec3, Real)>) {
        let mean = self.mean(degrees, &seen);
        self.hinge = mean.and_then(|(a, precision)| {
            let deviation = (precision.sqrt() * a.norm()).recip();
            Some(Hinge { axis: a.try_normalize(1e-6)?, reference: *b, deviation })
        });
        self.add(degrees, b, seen);
    }

    /// Returns the mean of a direction of the world in the frame of the joint, with its precision.
    fn mean(&self, degrees: Real, seen: impl Fn(usize) -> Option<(Vec3, Real)>) -> Option<(Vec3, Real)> {
        let (mut sum, mut weights, mut squares) = (Vec3::zeros(), 0.0, 0.0);
        for (k, frames) in self.motion.frames.iter().enumerate() {
            if let Some((direction, weight)) = seen(k) {
                sum += frames[self.joint].rotation.inverse_transform_vector(&direction) * weight;
                weights += weight;
                squares += weight * weight;
            }
        }
        (weights > 1e-9).then(|| (sum / weights, squares / weights / degrees.to_radians().powi(2)))
    }

    /// Returns true if a hinge shows how the joint is turned about its bone.
    fn sees_hinge(&self) -> bool {
        self.hinge.is_some_and(|hinge| hinge.deviation < UNSEEN)
    }

    /// Adds a direction as habits have it, unless a hinge shows how the joint is turned.
    fn add_habit(&mut self, degrees: Real, b: &Vec3, seen: impl Fn(usize) -> Option<(Vec3, Real)>) {
        if !self.sees_hinge() {
            self.add(degrees, b, seen);
        }
    }

    /// Adds a rotation of the world away from the reference posture, with its weight in each frame.
    fn add_rotation(&mut self, degrees: Real, seen: impl Fn(usize) -> Option<(Quat, Real)>) {
        for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
            // Three axes say each rotation twice.
            self.add(degrees * std::f64::consts::SQRT_2, &axis, |k| {
                seen(k).map(|(turn, weight)| (turn * axis, weight))
            });
        }
    }

    /// Adds the bone of the joint.
    fn add_bone(&mut self, degrees: Real, b: Vec3) {
        let (motion, joint) = (self.motion, self.joint);
        self.add(degrees, &b, |k| motion.bone(joint, k).map(|bone| (bone, 1.0)));
        if let Some(bone) = motion.mean_bone(joint).filter(|_| degrees <= sigma::BONE) {
            self.bone = Some((bone, b));
        }
    }

    /// Returns the reference that fits the evidence best.
    fn solve(&self) -> Shown {
        let is_part = self.motion.roles[self.joint].role.is_some_and(|role| role != Role::Helper);
        let reference = nearest_rotation(&self.profile).unwrap_or_else(Quat::identity);
        let bone = self.bone.map_or_else(Quat::identity, |(a, b)| swing(&(reference * a), &b));
        Shown { reference: bone * reference, information: self.information, bone: self.bone, is_part }
    }
}

/// Motion of a body, as evidence reads it.
struct Motion<'a> {
    skeleton: &'a Skeleton,
    roles: &'a [DetectedRole],
    frames: Vec<Vec<Frame>>,
    /// The same joints `lapse` seconds later, at the end of the clip earlier.
    soon: Vec<Vec<Frame>>,
    lapse: Real,
    /// Unit direction of the bone of every joint, frame by frame; zero for joints without one.
    bones: Vec<Vec<Vec3>>,
    trunks: Vec<Trunk>,
}

/// Trunk in one frame, world space.
struct Trunk {
    /// Unit direction from the hip joints to the shoulders.
    up: Vec3,
    /// Unit directions from right to left, of the hip joints and of the shoulders.
    hips: Vec3,
    shoulders: Vec3,
    /// Straightness of the body from 0, folded, to 1: legs and trunk in one line.
    straight: Real,
}

impl<'a> Motion<'a> {
    fn read(skeleton: &'a Skeleton, roles: &'a [DetectedRole], clip: &Clip) -> Option<Motion<'a>> {
        let every = clip.frames().div_ceil(FRAMES).max(1);
        let pose = |k: usize| Pose { scales: None, ..clip.pose(skeleton, k) }.world(skeleton);
        let frames: Vec<Vec<Frame>> = (0..clip.frames()).step_by(every).map(pose).collect();
        let lag = ((LAPSE * clip.rate_hz()).round() as usize).clamp(1, clip.frames().max(2) - 1);
        let later = |k: usize| if k + lag < clip.frames() { k + lag } else { k.saturating_sub(lag) };
        let soon = (0..clip.frames()).step_by(every).map(|k| pose(later(k))).collect();
        let lapse = lag as Real / clip.rate_hz();
        let mut motion = Motion { skeleton, roles, frames, soon, lapse, bones: Vec::new(), trunks: Vec::new() };
        let next: Vec<Option<usize>> = (0..skeleton.len()).map(|j| motion.next(j)).collect();
        let bone = |frames: &Vec<Frame>, j: usize| motion.way(j, next[j], frames).try_normalize(1e-9);
        let bones = |frames: &Vec<Frame>| (0..skeleton.len()).map(|j| bone(frames, j).unwrap_or_default()).collect();
        motion.bones = motion.frames.iter().map(bones).collect();
        motion.trunks = (0..motion.frames.len()).map(|k| motion.trunk(k)).collect::<Option<_>>()?;
        Some(motion)
    }

    fn joint(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|guess| guess.role == Some(role))
    }

    fn place(&self, role: Role, k: usize) -> Option<Vec3> {
        self.joint(role).map(|j| self.frames[k][j].position)
    }

    fn middle(&self, role: fn(Side) -> Role, k: usize) -> Option<Vec3> {
        Some(0.5 * (self.place(role(Side::Left), k)? + self.place(role(Side::Right), k)?))
    }

    /// Returns the unit direction between a pair of joints, from right to left.
    fn across(&self, role: fn(Side) -> Role, k: usize) -> Option<Vec3> {
        (self.place(role(Side::Left), k)? - self.place(role(Side::Right), k)?).try_normalize(1e-6)
    }

    fn trunk(&self, k: usize) -> Option<Trunk> {
        let low = self.middle(Role::UpperLeg, k).or_else(|| self.place(Role::Hips, k))?;
        let high = self.middle(Role::UpperArm, k).or_else(|| self.middle(Role::Shoulder, k));
        let high = high.or_else(|| self.place(Role::Neck(0), k)).or_else(|| self.place(Role::Head, k))?;
        let up = (high - low).try_normalize(1e-9)?;
        let hips = self.across(Role::UpperLeg, k);
        let shoulders = self.across(Role::Shoulder, k).or_else(|| self.across(Role::UpperArm, k));
        let (hips, shoulders) = (hips.or(shoulders)?, shoulders.or(hips)?);
        let end = self.middle(Role::Foot, k).or_else(|| self.middle(Role::LowerLeg, k));
        let leg = end.and_then(|end| (end - low).try_normalize(1e-9));
        let straight = leg.map_or(1.0, |leg| (0.5 - 0.5 * leg.dot(&up)).powi(4));
        Some(Trunk { up, hips, shoulders, straight })
    }

    /// Returns the next joint of a limb, whose direction is that of the bone.
    fn next(&self, joint: usize) -> Option<usize> {
        match self.roles[joint].role? {
            Role::UpperArm(side) => self.joint(Role::LowerArm(side)),
            Role::LowerArm(side) => self.joint(Role::Hand(side)),
            // Knuckles that hang on a joint between curl with it.
            Role::Hand(side) => [2, 1, 3, 4]
                .into_iter()
                .filter_map(|n| self.joint(Role::Finger(side, n, 0)))
                .find(|&knuckle| self.skeleton.joint(knuckle).parent == Some(joint)),
            Role::Finger(side, finger, k) => self.joint(Role::Finger(side, finger, k + 1)),
            Role::UpperLeg(side) => self.joint(Role::LowerLeg(side)),
            Role::LowerLeg(side) => self.joint(Role::Foot(side)),
            Role::Foot(side) => self.joint(Role::Toes(side)),
            _ => None,
        }
    }

    /// Returns the bone from a joint to the next one of its limb, if it has one, else along its longest child or to its tip; zero without any of these.
    fn way(&self, joint: usize, next: Option<usize>, frames: &[Frame]) -> Vec3 {
        let length = |j: usize| self.skeleton.bone_length(j);
        let is_thumb = |j: &usize| matches!(self.roles[*j].role, Some(Role::Finger(_, 0, _)));
        let children = self.skeleton.children(joint).filter(|child| !is_thumb(child));
        let longest = || children.max_by(|&a, &b| length(a).total_cmp(&length(b)));
        let way = |to: usize| Some(frames[to].position - frames[joint].position).filter(|way| way.norm() > 1e-6);
        let tip = || self.skeleton.joint(joint).tip.map(|tip| frames[joint].rotation * tip);
        next.and_then(way).or_else(|| longest().and_then(way)).or_else(tip).unwrap_or_else(Vec3::zeros)
    }

    /// Returns the unit direction of the bone of a joint.
    fn bone(&self, joint: usize, k: usize) -> Option<Vec3> {
        Some(self.bones[k][joint]).filter(|bone| *bone != Vec3::zeros())
    }

    /// Returns the mean direction of the bone in the frame of its joint.
    fn mean_bone(&self, joint: usize) -> Option<Vec3> {
        let seen = |k: usize| Some(self.frames[k][joint].rotation.inverse() * self.bone(joint, k)?);
        (0..self.frames.len()).filter_map(seen).sum::<Vec3>().try_normalize(1e-6)
    }

    /// Adds all that the motion shows of a joint; `solved` are the joints before it.
    fn observe(&self, evidence: &mut Evidence, solved: &[Shown]) {
        let joint = evidence.joint;
        let role = self.roles[joint].role.unwrap_or(Role::Helper);
        let above = self.above(joint);
        let down = -Vec3::y();
        match role {
            Role::Hips => {
                evidence.add(sigma::BONE, &Vec3::x(), |k| Some((self.trunks[k].hips, 1.0)));
                evidence.add(sigma::TRUNK, &Vec3::y(), |k| Some((self.trunks[k].up, self.trunks[k].straight)));
                evidence.add(sigma::SACRUM, &Vec3::y(), |k| self.sacrum(k).map(|way| (way, 1.0)));
            }
            Role::Spine(_) => {
                let share = self.share(joint);
                evidence
                    .add_rotation(sigma::TRUNK, |k| self.trunk_frame(k, share).map(|f| (f, self.trunks[k].straight)));
            }
            Role::Neck(_) | Role::Head => {
                evidence.add_rotation(sigma::GAZE, |k| {
                    let upright = self.trunks[k].up.y.max(0.0);
                    level(&self.trunks[k].shoulders).map(|frame| (frame, upright.powi(4)))
                });
            }
            Role::Shoulder(side) => {
                evidence.add_rotation(sigma::TRUNK, |k| {
                    let arm = self.joint(Role::UpperArm(side)).and_then(|arm| self.bone(arm, k));
                    let hangs = arm.map_or(1.0, |arm| -arm.dot(&self.trunks[k].up)).max(0.0);
                    self.trunk_frame(k, 1.0).map(|frame| (frame, hangs * hangs))
                });
            }
            Role::UpperArm(side) => {
                let out = outward(side);
                evidence.add_bone(sigma::BONE, out);
                // The elbow bends to the front.
                evidence.add_hinge(sigma::ELBOW, &out.cross(&Vec3::z()), |k| self.hinge(joint, k));
            }
            Role::LowerArm(side) => evidence.add_bone(sigma::BONE, outward(side)),
            Role::Hand(side) => {
                evidence.add_bone(sigma::BONE, outward(side));
                let finger = |number: u8, k: usize| self.place(Role::Finger(side, number, 0), k);
                evidence.add(sigma::KNUCKLES, &Vec3::z(), |k| {
                    Some(((finger(1, k)? - finger(4, k)?).try_normalize(1e-9)?, 1.0))
                });
            }
            Role::Finger(side, 1.., _) if self.is_outward(joint) => evidence.add_bone(sigma::BONE, outward(side)),
            Role::UpperLeg(side) => {
                evidence.add_bone(sigma::BONE, down);
                // The knee bends to the back.
                evidence.add_hinge(sigma::KNEE, &Vec3::x(), |k| self.hinge(joint, k));
                evidence.add_habit(sigma::TOE_OUT, &Vec3::z(), |k| {
                    let (thigh, shank) = (self.bone(joint, k)?, self.bone(self.next(joint)?, k)?);
                    let (ahead, weight) = self.toes_ahead(side, k)?;
                    // The knee is straightened first, which is worth the less the more it is bent.
                    Some((swing(&shank, &thigh) * ahead, weight * shank.dot(&thigh).max(0.0).powi(2)))
                });
            }
            Role::LowerLeg(side) => {
                evidence.add_bone(sigma::BONE, down);
                evidence.add_hinge(sigma::KNEE, &Vec3::x(), |k| self.hinge(self.joint(Role::UpperLeg(side))?, k));
                evidence.add_habit(sigma::TOE_OUT, &Vec3::z(), |k| self.toes_ahead(side, k));
            }
            Role::Foot(side) => self.observe_foot(evidence, side, FOOT_SLOPE),
            Role::Toes(side) => self.observe_foot(evidence, side, 0.0),
            _ => {}
        }
        let Some(above) = above else {
            if role != Role::Hips {
                evidence.add_rotation(sigma::OTHER, |k| Some((self.heading(k), 1.0)));
            }
            return;
        };
        let degrees = match role {
            Role::LowerLeg(_) => sigma::KNEE_TWIST,
            Role::UpperArm(_) => sigma::SHOULDER,
            Role::Hand(_) => sigma::WRIST,
            Role::Finger(..) => sigma::KNUCKLES,
            Role::Toes(_) => sigma::TOES,
            _ => sigma::OTHER,
        };
        if evidence.sees_hinge() {
            return;
        }
        let turned = |k: usize| self.frames[k][above].rotation * solved[above].reference.inverse();
        let bone = evidence.bone.map(|(_, b)| b);
        evidence.add_rotation(degrees, |k| {
            let carried = turned(k);
            let Some(b) = bone else { return Some((carried, 1.0)) };
            let (from, to) = (carried * b, self.bone(joint, k)?);
            // Beyond a right angle the shortest way is no longer the one that the limb took.
            Some((swing(&from, &to) * carried, 0.5 + 0.5 * from.dot(&to)))
        });
    }

    /// Adds the evidence of a foot or of toes: the sole lies on the ground in contact, and the bone points ahead, with a slope in
    /// radians.
    fn observe_foot(&self, evidence: &mut Evidence, side: Side, slope: Real) {
        let joint = evidence.joint;
        let rests = |k: usize| self.rests(joint, side, k);
        evidence.add(sigma::SOLE, &Vec3::y(), |k| Some((Vec3::y(), rests(k))));
        evidence.add_bone(sigma::SLOPE, Vec3::new(0.0, -real::sin(slope), real::cos(slope)));
        evidence.add(sigma::BONE, &Vec3::x(), |k| {
            let across = Vec3::y().cross(&self.bone(joint, k)?);
            Some((across.try_normalize(0.3)?, rests(k)))
        });
    }

    /// Returns 1 for a foot that is level and at rest below an upright shank, and towards 0 for all others.
    fn rests(&self, foot: usize, side: Side, k: usize) -> Real {
        let upright = |joint: usize| self.bone(joint, k).map_or(1.0, |bone| -bone.y).max(0.0);
        let shank = self.joint(Role::LowerLeg(side)).map_or(1.0, upright);
        let next = self.next(foot);
        let ends =
            |frames: &[Frame]| [frames[foot].position.y, frames[foot].position.y + self.way(foot, next, frames).y];
        let [now, soon] = [ends(&self.frames[k]), ends(&self.soon[k])];
        let rise = real::hypot(soon[0] - now[0], soon[1] - now[1]) / self.lapse;
        // A foot that is lifted or rolls off rises by a leg length in a second or faster.
        let slow = 0.1 * self.leg();
        shank.powi(4) * real::exp(-(rise / slow.max(1e-9)).powi(2))
    }

    /// Returns the length of a thigh and a shank.
    fn leg(&self) -> Real {
        let length = |role: Role| self.joint(role).map_or(0.0, |j| self.skeleton.bone_length(j));
        length(Role::LowerLeg(Side::Left)) + length(Role::Foot(Side::Left))
    }

    /// Returns the forward direction of a foot, seen along its shank, with its weight.
    fn toes_ahead(&self, side: Side, k: usize) -> Option<(Vec3, Real)> {
        let shank = self.bone(self.joint(Role::LowerLeg(side))?, k)?;
        let foot = self.bone(self.joint(Role::Foot(side))?, k)?;
        let ahead = foot - shank * foot.dot(&shank);
        Some((ahead.try_normalize(0.2)?, ahead.norm_squared()))
    }

    /// Returns the axis about which a limb is bent behind a joint, with the squared sine of the bend as its weight.
    fn hinge(&self, joint: usize, k: usize) -> Option<(Vec3, Real)> {
        let axis = self.bone(joint, k)?.cross(&self.bone(self.next(joint)?, k)?);
        Some((axis.try_normalize(1e-6)?, axis.norm_squared()))
    }

    /// Returns the direction from the hip joints to the first joint of the spine.
    fn sacrum(&self, k: usize) -> Option<Vec3> {
        (self.place(Role::Spine(0), k)? - self.middle(Role::UpperLeg, k)?).try_normalize(1e-6)
    }

    /// Returns the share of a joint of the spine in the way from the pelvis to the arms.
    fn share(&self, joint: usize) -> Real {
        let number = |j: usize| match self.roles[j].role {
            Some(Role::Spine(k)) => Some(Real::from(k) + 1.0),
            _ => None,
        };
        let arm = [Role::UpperArm(Side::Left), Role::UpperArm(Side::Right)].into_iter().find_map(|r| self.joint(r));
        let mut way = std::iter::successors(arm, |&j| self.skeleton.joint(j).parent);
        let chest = way.find_map(number).or_else(|| (0..self.roles.len()).filter_map(number).reduce(Real::max));
        (number(joint).unwrap_or(1.0) / chest.unwrap_or(1.0)).min(1.0)
    }

    /// Returns the rotation of the trunk from the reference posture, at a share of the way from hips to shoulders.
    fn trunk_frame(&self, k: usize, share: Real) -> Option<Quat> {
        let trunk = &self.trunks[k];
        let left = trunk.hips * (1.0 - share) + trunk.shoulders * share;
        let left = left - trunk.up * left.dot(&trunk.up);
        (left.norm() > 1e-3).then(|| frame(&left, &trunk.up))
    }

    /// Returns the rotation of the whole body about the vertical.
    fn heading(&self, k: usize) -> Quat {
        level(&self.trunks[k].hips).unwrap_or_else(Quat::identity)
    }

    /// Returns true if a bone points away from the joint above. Tips that recorders made up may point back.
    fn is_outward(&self, joint: usize) -> bool {
        let along = |k: usize| {
            let parent = self.skeleton.joint(joint).parent?;
            let way = self.frames[k][joint].position - self.frames[k][parent].position;
            Some(way.dot(&self.bone(joint, k)?))
        };
        (0..self.frames.len()).filter_map(along).sum::<Real>() > 0.0
    }

    /// Returns the next joint above that is a part of the body; `None` from the pelvis up.
    fn above(&self, joint: usize) -> Option<usize> {
        let hips = self.joint(Role::Hips)?;
        let parent = |&j: &usize| self.skeleton.joint(j).parent;
        let part = |&j: &usize| self.roles[j].role.is_some_and(|role| role != Role::Helper);
        let on_hips = std::iter::successors(parent(&joint), parent).any(|j| j == hips);
        std::iter::successors(parent(&joint), parent).find(part).filter(|_| on_hips)
    }
}

/// Returns the rotation Q with the largest trace of Qᵀ M.
fn nearest_rotation(matrix: &Mat3) -> Option<Quat> {
    let svd = matrix.svd(true, true);
    let (u, v) = (svd.u?, svd.v_t?);
    // A reflection becomes a rotation along the axis of which least is known.
    let mut signs = Vec3::repeat(1.0);
    signs[svd.singular_values.imin()] = (u.determinant() * v.determinant()).signum();
    let rotation = u * Mat3::from_diagonal(&signs) * v;
    Some(Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation)))
}

fn outward(side: Side) -> Vec3 {
    if side == Side::Left { Vec3::x() } else { -Vec3::x() }
}

/// Returns the rotation about the vertical that brings X to a direction; `None` for a steep one.
fn level(left: &Vec3) -> Option<Quat> {
    let left = Vec3::new(left.x, 0.0, left.z);
    (left.norm() > 0.3).then(|| frame(&left, &Vec3::y()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three directions and their images give the rotation back; two of them, which leave a reflection open, do as well.
    #[test]
    fn directions_and_their_images_give_the_rotation() {
        let turn = Quat::from_euler_angles(0.4, -1.2, 2.3);
        let seen = [Vec3::new(1.0, 0.2, 0.0), Vec3::new(0.0, 1.0, -0.3), Vec3::new(0.5, -0.5, 1.0)];
        for count in [3, 2] {
            let profile: Mat3 = seen[..count].iter().map(|a| (turn * a) * a.transpose()).sum();
            let found = nearest_rotation(&profile).unwrap();
            assert!(found.angle_to(&turn) < 1e-9, "{count} directions: {}", found.angle_to(&turn));
        }
    }
}

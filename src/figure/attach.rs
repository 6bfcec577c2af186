//! Joints between segments: their kinds, frames and limits.

use super::build::{Draft, Part};
use super::detached_limbs::is_below;
use super::hinge::{self, Hinge};
use super::ranges::{ELBOW, KNEE, Range};
use super::segment_shapes::axes;
use super::{Attachment, AttachmentKind, Limits};
use crate::dynamics::Placement;
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::{Frame, Pose, Role};
use nalgebra::Unit;

/// A captured knee or elbow that leaves its axis by more than this stays a ball, radians.
const OFF_AXIS: Real = 0.0873;
/// Less bending than this says nothing of the axis, radians.
const SAYS_NOTHING: Real = 0.14;

impl Draft<'_> {
    pub(super) fn attachment(&mut self, k: usize, parts: &[Part]) -> Attachment {
        let Some(parent) = self.plan.parents[k] else { return Attachment::free() };
        let shown = self.captured(k, parent);
        let at = self.local(parent, &self.origin(k));
        let (pivot, strays) = pivot(&at, &shown);
        let name = self.skeleton.joint(self.plan.joints[k]).name.clone();
        if !self.plan.humanoid && strays > 0.1 * self.height {
            self.note(Some(k), format!("{name} is moved by up to {strays:.2} m against its parent: it is not held"));
            return Attachment::free();
        }
        let turns: Vec<Quat> = shown.iter().map(|frame| frame.rotation).collect();
        let bone = parts[k].end.try_normalize(1e-9).or(self.incoming(k)).unwrap_or_else(Vec3::x);
        let role = self.role(k);
        let bends = match role {
            Some(Role::LowerLeg(_)) if self.plan.humanoid => Some((true, KNEE)),
            Some(Role::LowerArm(_)) if self.plan.humanoid => Some((false, ELBOW)),
            _ => None,
        };
        let Some((knee, range)) = bends else { return self.ball(k, parent, pivot, &bone) };
        let rotation = |k: usize| self.posture.frames[self.plan.joints[k]].rotation;
        let (upper, lower) = (self.origin(k) - self.origin(parent), rotation(k) * bone);
        let upper = upper.try_normalize(1e-9).unwrap_or(lower);
        let axis = self.bending_axis(knee, role.and_then(Role::side), &upper, &lower);
        let anatomical = rotation(k).inverse() * axis;
        let turn = rotation(parent).inverse() * rotation(k);
        let guess = Hinge { axis: anatomical, in_parent: turn * anatomical, swing: 0.0, off: 0.0 };
        let captured = hinge::principal(&turns);
        let hinge = match captured {
            None => Some(guess),
            Some(seen) if seen.swing < SAYS_NOTHING => {
                Some(hinge::along(&turns, anatomical, seen.swing)).filter(|h| h.off < OFF_AXIS)
            }
            Some(seen) if seen.off < OFF_AXIS && seen.axis.dot(&bone).abs() < 0.5 => {
                let sign = if seen.axis.dot(&anatomical) < 0.0 { -1.0 } else { 1.0 };
                Some(Hinge { axis: seen.axis * sign, in_parent: seen.in_parent * sign, ..seen })
            }
            Some(_) => None,
        };
        let along_parent = self.turned_in(parent, &upper);
        match hinge {
            Some(hinge) => {
                let frame_a = hinge_frame(&hinge.in_parent, &along_parent);
                let frame_b = hinge_frame(&hinge.axis, &bone);
                let limits = Limits::Hinge { range: range.map(Real::to_radians) };
                let frame_a = Placement::new(pivot, frame_a);
                Attachment { kind: AttachmentKind::Hinge, frame_a, frame_b, limits, anatomy: limits }
            }
            None => {
                let off = hinge::principal(&turns).map_or(0.0, |h| h.off).to_degrees();
                let part = if knee { "knee" } else { "elbow" };
                self.note(Some(k), format!("the captured {part} {name} leaves its axis by {off:.0}°: it stays a ball"));
                let middle = 0.5 * (range[0] + range[1]);
                let centre = Quat::from_axis_angle(&Unit::new_normalize(axis), middle.to_radians()) * upper;
                let range = Range {
                    centre,
                    axis,
                    flexion: 0.5 * (range[1] - range[0]).to_radians(),
                    aside: 15.0_f64.to_radians(),
                    twist: if knee { 20.0_f64 } else { 80.0 }.to_radians(),
                };
                self.cone(k, parent, pivot, &bone, &range)
            }
        }
    }

    fn ball(&self, k: usize, parent: usize, pivot: Vec3, bone: &Vec3) -> Attachment {
        let world = self.posture.frames[self.plan.joints[k]].rotation * bone;
        self.cone(k, parent, pivot, bone, &self.range(k, &world))
    }

    /// A ball whose bone swings about a centre: frames whose x axis is the bone and whose z axis is the axis of
    /// flexion. In the reference pose the bone is reached from the centre without twist.
    fn cone(&self, k: usize, parent: usize, pivot: Vec3, bone: &Vec3, range: &Range) -> Attachment {
        let most = 170.0_f64.to_radians();
        let (swing, twist) = ([range.aside.min(most), range.flexion.min(most)], range.twist.min(most));
        let rotation = |k: usize| self.posture.frames[self.plan.joints[k]].rotation;
        let points = rotation(k) * bone;
        let child = axes(&points, &range.axis.cross(&points));
        let to_centre = Quat::rotation_between(&points, &range.centre).unwrap_or_else(Quat::identity);
        let frame_a = rotation(parent).inverse() * (to_centre * child);
        let limits = Limits::SwingTwist { swing, twist: [-twist, twist] };
        Attachment {
            kind: AttachmentKind::Ball,
            frame_a: Placement::new(pivot, frame_a),
            frame_b: rotation(k).inverse() * child,
            limits,
            anatomy: limits,
        }
    }

    /// The segment's joint seen from its parent's, over the clip (at most 400 frames of it).
    fn captured(&self, k: usize, parent: usize) -> Vec<Frame> {
        let Some(clip) = self.options.clip else { return Vec::new() };
        let (own, above) = (self.plan.joints[k], self.plan.joints[parent]);
        let step = clip.frames().div_ceil(400).max(1);
        let mut pose = self.skeleton.rest_pose();
        let mut out = Vec::new();
        for frame in (0..clip.frames()).step_by(step) {
            clip.pose_into(frame, &mut pose);
            out.push(seen_from(self.skeleton, &pose, own, above));
        }
        out
    }
}

/// A joint's frame in the frame of another, mostly one above it, without scales.
fn seen_from(skeleton: &crate::motion::Skeleton, pose: &Pose, joint: usize, above: usize) -> Frame {
    if !is_below(skeleton, joint, above) {
        let [own, other] = [joint, above].map(|j| lifted(skeleton, pose, j, None));
        let turn = other.rotation.inverse();
        return Frame { position: turn * (own.position - other.position), rotation: turn * own.rotation };
    }
    lifted(skeleton, pose, joint, Some(above))
}

/// A joint's frame in the frame of one above it, or in the world.
fn lifted(skeleton: &crate::motion::Skeleton, pose: &Pose, joint: usize, above: Option<usize>) -> Frame {
    let mut frame = Frame { position: pose.translations[joint], rotation: pose.rotations[joint] };
    let mut next = skeleton.joint(joint).parent;
    while let Some(j) = next.filter(|&j| Some(j) != above) {
        frame.position = pose.translations[j] + pose.rotations[j] * frame.position;
        frame.rotation = pose.rotations[j] * frame.rotation;
        next = skeleton.joint(j).parent;
    }
    frame
}

/// Position of a joint on its parent, and its largest distance from there in a clip.
fn pivot(rest: &Vec3, shown: &[Frame]) -> (Vec3, Real) {
    if shown.is_empty() {
        return (*rest, 0.0);
    }
    let mean: Vec3 = shown.iter().map(|f| f.position).sum::<Vec3>() / shown.len() as Real;
    // Rounding of files must not move what they place exactly.
    let pivot = if (mean - rest).norm() < 1e-4 { *rest } else { mean };
    (pivot, shown.iter().map(|f| (f.position - pivot).norm()).fold(0.0, Real::max))
}

/// A frame whose z axis is the hinge and whose x axis follows the bone.
fn hinge_frame(axis: &Vec3, bone: &Vec3) -> Quat {
    let z = axis.try_normalize(1e-9).unwrap_or_else(Vec3::z);
    let other = if z.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let level = |v: &Vec3| (v - z * z.dot(v)).try_normalize(1e-3);
    let x = level(bone).or_else(|| level(&other)).unwrap_or_else(Vec3::x);
    let matrix = Mat3::from_columns(&[x, z.cross(&x), z]);
    Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(matrix))
}

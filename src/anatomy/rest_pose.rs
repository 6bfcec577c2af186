//! Standing rest poses for rigs whose own rest pose is no posture.
//!
//! Some recorders write skeletons in which every bone points along one axis and the posture is in the motion alone. Such a rest
//! pose says nothing about left, forward or the roll of a bone. Joint axes are laid along bones and hinges, though, so that in
//! frames in which the body stands, every joint is near one of the 24 orientations of a cube relative to its parent. The most
//! frequent of these orientations is its rest. It does not depend on how a clip was cut.

use super::shape::rests_symmetrically;
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::{Clip, Frame, Pose, Skeleton};
use nalgebra::Rotation3;

/// Height of a body from which it counts as standing, over the greatest height in the clip.
const SPREAD: Real = 0.95;

/// Returns the skeleton in a standing rest pose; `None` where the rest pose stands already or no frame of `example` does.
pub(crate) fn standing(skeleton: &Skeleton, example: Option<&Clip>) -> Option<Skeleton> {
    if rests_symmetrically(skeleton) {
        return None;
    }
    let clip = example.filter(|clip| clip.frames() > 0 && clip.joints() == skeleton.len())?;
    let spread = most_spread(skeleton, clip);
    let cube = cube();
    let mut joints = skeleton.joints().to_vec();
    for (j, joint) in joints.iter_mut().enumerate() {
        let mut votes = [0usize; 24];
        for frames in &spread {
            // Relative to its parent a joint is far from other orientations of the cube, because feet and toes roll as a whole.
            let seen = match joint.parent {
                Some(parent) => frames[parent].rotation.inverse() * frames[j].rotation,
                None => heading(skeleton, frames) * frames[j].rotation,
            };
            let near = cube.iter().enumerate().min_by(|a, b| a.1.angle_to(&seen).total_cmp(&b.1.angle_to(&seen)));
            votes[near.map_or(0, |(k, _)| k)] += 1;
        }
        // The first of equal votes wins, so that the result is deterministic.
        let most = votes.iter().copied().max().unwrap_or(0);
        joint.rest = votes.iter().position(|&count| count == most).map_or(joint.rest, |k| cube[k]);
    }
    Skeleton::new(joints).ok()
}

/// Returns the frames in which the body is about as high above its lowest point as it ever is; walkers stand in them.
fn most_spread(skeleton: &Skeleton, clip: &Clip) -> Vec<Vec<Frame>> {
    let step = clip.frames().div_ceil(200).max(1);
    let mut seen: Vec<(Real, Vec<Frame>)> = Vec::new();
    for frame in (0..clip.frames()).step_by(step) {
        let pose = Pose { scales: None, ..clip.pose(skeleton, frame) };
        let frames = pose.world(skeleton);
        let heights = || frames.iter().map(|f: &Frame| f.position.y);
        let reach = heights().fold(Real::NEG_INFINITY, Real::max) - heights().fold(Real::INFINITY, Real::min);
        seen.push((reach, frames));
    }
    let most = seen.iter().map(|(reach, _)| *reach).fold(0.0, Real::max);
    seen.into_iter().filter(|(reach, _)| *reach > SPREAD * most).map(|(_, frames)| frames).collect()
}

/// Returns the rotation about the vertical that brings the widest pair of branches along X.
fn heading(skeleton: &Skeleton, frames: &[Frame]) -> Quat {
    // The two most opposed children of a joint are the hips, wherever they point.
    let mut widest: Option<(Real, Vec3)> = None;
    for j in 0..skeleton.len() {
        let children: Vec<usize> = skeleton.children(j).collect();
        for (k, &a) in children.iter().enumerate() {
            for &b in &children[k + 1..] {
                let (left, right) = (skeleton.joint(a).offset, skeleton.joint(b).offset);
                let opposed = -left.dot(&right) / (left.norm() * right.norm()).max(1e-12);
                let alike = (left.norm() - right.norm()).abs() < 0.02 * left.norm();
                if opposed > 0.9 && alike && widest.is_none_or(|(least, _)| left.norm() > least) {
                    widest = Some((left.norm(), frames[a].position - frames[b].position));
                }
            }
        }
    }
    let Some((_, across)) = widest else { return Quat::identity() };
    // Either of the two headings will do: the cube has both.
    Quat::from_axis_angle(&Vec3::y_axis(), across.z.atan2(across.x))
}

/// Returns the 24 rotations of a cube.
fn cube() -> Vec<Quat> {
    let axes = [Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y(), Vec3::z(), -Vec3::z()];
    let mut all = Vec::with_capacity(24);
    for x in &axes {
        for y in axes.iter().filter(|y| y.dot(x) == 0.0) {
            let matrix = Mat3::from_columns(&[*x, *y, x.cross(y)]);
            all.push(Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix)));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Joint, Tracks};
    use std::f64::consts::FRAC_PI_2;

    /// A head, and two legs whose bones all lie along X at rest, to the left of the left hip and of the right one.
    fn legs() -> Skeleton {
        let joint = |name: &str, parent, x: Real| Joint::new(name, parent, Vec3::x() * x);
        let joints = vec![
            joint("root", None, 0.0),
            joint("a", Some(0), 0.1),
            joint("b", Some(1), 0.4),
            joint("c", Some(2), 0.4),
            joint("d", Some(0), -0.1),
            joint("e", Some(4), 0.4),
            joint("f", Some(5), 0.4),
            Joint::new("head", Some(0), Vec3::y() * 0.6),
        ];
        Skeleton::new(joints).unwrap()
    }

    fn about_z(angle: Real) -> Quat {
        Quat::from_axis_angle(&Vec3::z_axis(), angle)
    }

    /// A clip in which the right leg stands and the left one is turned as told, frame by frame.
    fn standing_on_the_right(left: &[Real]) -> Clip {
        let pose = |angle: &Real| {
            let mut pose = vec![Quat::identity(); 8];
            (pose[1], pose[4]) = (about_z(*angle), about_z(-FRAC_PI_2));
            pose
        };
        let tracks = Tracks { joints: vec![0], values: vec![Vec3::y(); left.len()] };
        Clip::new("legs", 30.0, 8, left.iter().flat_map(pose).collect(), tracks, Tracks::default()).unwrap()
    }

    /// The most frequent orientation is the rest of a joint, wherever other frames are.
    #[test]
    fn most_frames_decide_how_a_joint_rests() {
        let skeleton = legs();
        assert!(!rests_symmetrically(&skeleton));
        // A third of the frames holds the leg out to the side; the rest has it down, more or less.
        let left: Vec<Real> = (0..30)
            .map(|k: u32| if k.is_multiple_of(3) || k > 28 { 0.1 } else { 0.02 * Real::from(k % 7) - FRAC_PI_2 })
            .collect();
        let rest = standing(&skeleton, Some(&standing_on_the_right(&left))).unwrap();
        assert!(rest.joint(1).rest.angle_to(&about_z(-FRAC_PI_2)) < 1e-9, "{}", rest.joint(1).rest);
        assert!(rest.joint(4).rest.angle_to(&about_z(-FRAC_PI_2)) < 1e-9, "{}", rest.joint(4).rest);
        // Frames in which the body does not stand have no vote, however many they are.
        let mut clip = standing_on_the_right(&left);
        let lying = standing_on_the_right(&[0.1; 60]);
        let mut rotations: Vec<Quat> = (0..30).flat_map(|frame| clip.rotations(frame).to_vec()).collect();
        for frame in 0..60 {
            let mut pose = lying.rotations(frame).to_vec();
            pose[4] = Quat::identity();
            rotations.extend(pose);
        }
        let tracks = Tracks { joints: vec![0], values: vec![Vec3::y(); 90] };
        clip = Clip::new("lies", 30.0, 8, rotations, tracks, Tracks::default()).unwrap();
        let rest = standing(&skeleton, Some(&clip)).unwrap();
        assert!(rest.joint(1).rest.angle_to(&about_z(-FRAC_PI_2)) < 1e-9, "{}", rest.joint(1).rest);
    }
}

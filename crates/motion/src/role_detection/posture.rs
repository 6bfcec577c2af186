//! Postures: the rest pose where it is one, else the frames of a clip in which the body stands.
//!
//! Some recorders write skeletons whose rest pose is no posture: every bone along one axis, the spine alone along one, or every joint
//! in axes of its own. The posture is then in the motion alone. A standing rest pose is made from the frames in which the body is
//! about as high as it ever is. It does not depend on how a clip was cut.
//!
//! Most such rigs lay their joint axes along bones and hinges, so that in standing frames every joint is near one of the 24
//! orientations of a cube relative to its parent. The most frequent of these is its rest, because it shows the straight limb. In rigs
//! with other axes the mean orientation is.

use super::shape::Limbs;
use crate::math::real;
use crate::{Clip, Frame, Pose, Quat, Real, Skeleton, Vec3};
use nalgebra::{Matrix3, Rotation3};

/// Height of a body from which it counts as standing, over the greatest height in the clip.
const SPREAD: Real = 0.95;
/// Most frames of a clip that are examined.
const FRAMES: usize = 200;
/// Angle to the nearest orientation of the cube below which a joint has its axes along its bones, radians; and the share of joints
/// that must have them. Joints in axes of their own are 0.7 off on average.
const ALONG: Real = 0.5;
const MOST: Real = 0.8;

/// Share of the length of all bones along one axis from which a rest pose is no posture; standing bodies have 0.5 to 0.8. Trunk and legs of one
/// without arms lie along one axis as well, but in opposite directions: the sum of all bones over their length.
const PARALLEL: Real = 0.88;
const SAME_WAY: Real = 0.6;

/// One frame of a clip.
pub(super) struct View {
    pub frames: Vec<Frame>,
    /// Displacement of the first root until the next view, metres.
    pub travel: Vec3,
    /// True if the body is about as high as it ever is.
    pub stands: bool,
}

impl View {
    /// The rest pose.
    pub fn at_rest(skeleton: &Skeleton) -> View {
        View { frames: skeleton.rest_pose().world(skeleton), travel: Vec3::zeros(), stands: true }
    }
}

/// Returns frames all along a clip.
pub(super) fn views(skeleton: &Skeleton, clip: &Clip) -> Vec<View> {
    let step = clip.frames().div_ceil(FRAMES).max(1);
    let mut views: Vec<View> = Vec::with_capacity(clip.frames() / step + 1);
    let mut reaches = Vec::new();
    for frame in (0..clip.frames()).step_by(step) {
        let frames = Pose { scales: None, ..clip.pose(skeleton, frame) }.world(skeleton);
        let heights = || frames.iter().map(|f: &Frame| f.position.y);
        reaches.push(heights().fold(Real::NEG_INFINITY, Real::max) - heights().fold(Real::INFINITY, Real::min));
        if let Some(last) = views.last_mut() {
            last.travel = frames[0].position - last.frames[0].position;
        }
        views.push(View { frames, travel: Vec3::zeros(), stands: false });
    }
    let most = reaches.iter().copied().fold(0.0, Real::max);
    for (view, reach) in views.iter_mut().zip(reaches) {
        view.stands = reach > SPREAD * most;
    }
    views
}

/// Returns true if the rest pose is one that bodies stand in, in whatever axes: twin limbs are mirror images, hips and shoulders lie across the trunk,
/// and legs point away from the trunk, or all four limbs across it. A body with fewer limbs is judged by their symmetry alone, and a
/// rest pose with all bones along one axis is none.
pub(super) fn is_posture(skeleton: &Skeleton) -> bool {
    let limbs = Limbs::find(skeleton);
    if !limbs.are_mirrored() || !limbs.are_across() || (limbs.any() && are_parallel(skeleton)) {
        return false;
    }
    let stands = |corners: [Vec3; 4]| {
        let [trunk, legs, _] = directions(corners);
        trunk.dot(&legs) < -0.4 || stands_on_four(corners)
    };
    limbs.corners().is_none_or(stands)
}

/// Returns true if nearly all bones lie along one axis, in the same direction.
fn are_parallel(skeleton: &Skeleton) -> bool {
    let rest = skeleton.rest_pose().world(skeleton);
    let bone = |j: usize| skeleton.joint(j).parent.map(|p| rest[j].position - rest[p].position);
    let bones = || (0..skeleton.len()).filter_map(|j| bone(j).filter(|bone| bone.norm() > 1e-9));
    let spread: Matrix3<Real> = bones().map(|bone| bone * bone.transpose() / bone.norm()).sum();
    let length = spread.trace();
    spread.symmetric_eigenvalues().max() > PARALLEL * length && bones().sum::<Vec3>().norm() > SAME_WAY * length
}

/// Returns true if legs and arms point the same way, across the trunk. The corners are the middles of hips, feet, shoulders and hands.
pub(super) fn stands_on_four(corners: [Vec3; 4]) -> bool {
    let [trunk, legs, arms] = directions(corners);
    trunk.dot(&legs).abs() < 0.7 && arms.dot(&legs) > 0.5 && trunk != Vec3::zeros()
}

/// Directions of trunk, legs and arms; zero where there is no length.
fn directions([hips, feet, shoulders, hands]: [Vec3; 4]) -> [Vec3; 3] {
    let short = 0.1 * (feet - hips).norm();
    [shoulders - hips, feet - hips, hands - shoulders].map(|way| way.try_normalize(short).unwrap_or_else(Vec3::zeros))
}

/// Returns the skeleton, rotated about its root if it rests lying: with its legs down.
pub(super) fn on_its_feet(skeleton: &Skeleton) -> Skeleton {
    let Some(corners) = Limbs::find(skeleton).corners() else { return skeleton.clone() };
    let [trunk, legs, _] = directions(corners);
    if legs.y < -0.7 {
        return skeleton.clone();
    }
    let up = if stands_on_four(corners) { -legs } else { trunk };
    let turn = Quat::rotation_between(&up, &Vec3::y())
        .unwrap_or_else(|| Quat::from_euler_angles(0.0, 0.0, std::f64::consts::PI));
    skeleton.turned(&turn)
}

/// Returns the skeleton in a standing rest pose; `None` if no view stands.
pub(super) fn standing(skeleton: &Skeleton, views: &[View]) -> Option<Skeleton> {
    let standing: Vec<&[Frame]> = views.iter().filter(|view| view.stands).map(|view| view.frames.as_slice()).collect();
    if standing.is_empty() {
        return None;
    }
    let seen = |j: usize| -> Vec<Quat> {
        let of = |frames: &&[Frame]| match skeleton.joint(j).parent {
            Some(parent) => frames[parent].rotation.inverse() * frames[j].rotation,
            None => heading(skeleton, frames) * frames[j].rotation,
        };
        standing.iter().map(of).collect()
    };
    let all: Vec<Vec<Quat>> = (0..skeleton.len()).map(seen).collect();
    let cube = cube();
    let along = |seen: &&Vec<Quat>| {
        let mut angles: Vec<Real> = seen.iter().map(|q| cube[nearest(&cube, q)].angle_to(q)).collect();
        angles.sort_by(Real::total_cmp);
        angles[angles.len() / 2] < ALONG
    };
    let cubic = all.iter().filter(along).count() as Real >= MOST * all.len() as Real;
    let mut joints = skeleton.joints().to_vec();
    for (joint, seen) in joints.iter_mut().zip(&all) {
        joint.rest = if cubic { most_frequent(&cube, seen) } else { mean(seen) };
    }
    Skeleton::new(joints).ok()
}

/// Returns the orientation of the cube that most frames are near; the first of equals.
fn most_frequent(cube: &[Quat], seen: &[Quat]) -> Quat {
    let mut votes = [0usize; 24];
    seen.iter().for_each(|q| votes[nearest(cube, q)] += 1);
    let most = votes.iter().copied().max().unwrap_or(0);
    cube[votes.iter().position(|&count| count == most).unwrap_or(0)]
}

fn nearest(cube: &[Quat], q: &Quat) -> usize {
    let near = cube.iter().enumerate().min_by(|a, b| a.1.angle_to(q).total_cmp(&b.1.angle_to(q)));
    near.map_or(0, |(k, _)| k)
}

/// Returns the mean orientation: the sum of the quaternions on the side of the first.
fn mean(seen: &[Quat]) -> Quat {
    let first = seen[0].coords;
    let sum = seen.iter().fold(nalgebra::Vector4::zeros(), |sum, q| sum + q.coords * q.coords.dot(&first).signum());
    Quat::try_new(nalgebra::Quaternion::from(sum), 1e-9).unwrap_or(seen[0])
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
    Quat::from_axis_angle(&Vec3::y_axis(), real::atan2(across.z, across.x))
}

/// Returns the 24 rotations of a cube.
fn cube() -> Vec<Quat> {
    let axes = [Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y(), Vec3::z(), -Vec3::z()];
    let mut all = Vec::with_capacity(24);
    for x in &axes {
        for y in axes.iter().filter(|y| y.dot(x) == 0.0) {
            let matrix = Matrix3::from_columns(&[*x, *y, x.cross(y)]);
            all.push(Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix)));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Tracks};
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
        assert!(!is_posture(&skeleton));
        // A third of the frames holds the leg out to the side; the rest has it down, more or less.
        let left: Vec<Real> = (0..30)
            .map(|k: u32| if k.is_multiple_of(3) || k > 28 { 0.1 } else { 0.02 * Real::from(k % 7) - FRAC_PI_2 })
            .collect();
        let rest = standing(&skeleton, &views(&skeleton, &standing_on_the_right(&left))).unwrap();
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
        let rest = standing(&skeleton, &views(&skeleton, &clip)).unwrap();
        assert!(rest.joint(1).rest.angle_to(&about_z(-FRAC_PI_2)) < 1e-9, "{}", rest.joint(1).rest);
    }
}

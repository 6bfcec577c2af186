//! Root motion: the joints that move a body through the world, and clips moved along with them.

use super::{Clip, ClipError, GroundMove, Pose, Role, Skeleton, Tracks};
use crate::{Quat, Real, Vec3};

/// Returns the joint whose translation takes the body through the world: the first joint with a translation track that
/// changes, else the first root. Game rigs often have it below a root that stays at rest.
pub fn travel_joint(skeleton: &Skeleton, clip: &Clip) -> usize {
    let tracks = clip.translations();
    let width = tracks.joints.len();
    let changes = |k: usize| {
        let first = tracks.values.get(k);
        tracks.values.iter().skip(k).step_by(width.max(1)).any(|v| Some(v) != first)
    };
    let moving = (0..width).find(|&k| changes(k)).map(|k| tracks.joints[k]);
    moving.or_else(|| skeleton.roots().next()).unwrap_or(0)
}

/// Returns world position (metres) and world rotation of one joint. Scales of a pose act on positions alone.
pub fn world_frame(skeleton: &Skeleton, pose: &Pose, joint: usize) -> (Vec3, Quat) {
    let (mut position, mut rotation) = (pose.translations[joint], pose.rotations[joint]);
    let mut above = skeleton.joint(joint).parent;
    while let Some(j) = above {
        let scaled = pose.scales.as_ref().map_or(position, |s| position.component_mul(&s[j]));
        position = pose.translations[j] + pose.rotations[j] * scaled;
        rotation = pose.rotations[j] * rotation;
        above = skeleton.joint(j).parent;
    }
    (position, rotation)
}

/// Returns the joints whose local frames change when the whole body is moved, ascending.
///
/// The travel joint stands for its own root, so that a root at rest above the hips stays at rest. Parts of the body that
/// hang on that root beside the travel joint (feet as targets of the legs) move as well, and so does every other root.
pub fn moved_joints(skeleton: &Skeleton, travel_joint: usize) -> Vec<usize> {
    let above = |j: usize| std::iter::successors(skeleton.joint(j).parent, |&j| skeleton.joint(j).parent);
    let is_body = |j: usize| !matches!(skeleton.joint(j).role, None | Some(Role::Helper));
    let top = above(travel_joint).last().unwrap_or(travel_joint);
    let mut moved: Vec<usize> = skeleton.roots().map(|r| if r == top { travel_joint } else { r }).collect();
    if top != travel_joint && !above(travel_joint).any(is_body) {
        let apart =
            |j: usize| is_body(j) && above(j).all(|a| a != travel_joint && !is_body(a)) && above(j).last() == Some(top);
        moved.extend((0..skeleton.len()).filter(|&j| j != travel_joint && apart(j)));
    }
    moved.sort_unstable();
    moved
}

/// Moves a whole pose by changing the local frames of `moved`, the result of [`moved_joints`].
pub fn move_pose(skeleton: &Skeleton, pose: &mut Pose, moved: &[usize], by: &GroundMove) {
    for &joint in moved {
        let (rotation, translation) = in_parent(skeleton, pose, joint, by);
        pose.translations[joint] = rotation * pose.translations[joint] + translation;
        pose.rotations[joint] = rotation * pose.rotations[joint];
    }
}

/// Expresses a world move as rotation and translation in the frame of a joint's parent P: P⁻¹ · move · P.
pub(crate) fn in_parent(skeleton: &Skeleton, pose: &Pose, joint: usize, by: &GroundMove) -> (Quat, Vec3) {
    let Some(parent) = skeleton.joint(joint).parent else { return (by.rotation(), by.translation) };
    let (origin, axes) = world_frame(skeleton, pose, parent);
    let scale = pose.scales.as_ref().map_or(Vec3::repeat(1.0), |s| s[parent]);
    let translation = axes.inverse() * (by.point(&origin) - origin);
    (axes.inverse() * by.rotation() * axes, translation.component_div(&scale))
}

/// Returns the ground move from the first frame of a clip to its last: what one cycle of a loop adds.
pub fn cycle_move(skeleton: &Skeleton, clip: &Clip) -> GroundMove {
    let joint = travel_joint(skeleton, clip);
    let frame = |t: usize| world_frame(skeleton, &clip.pose(skeleton, t), joint);
    let (start, end) = (frame(0), frame(clip.frames().saturating_sub(1)));
    GroundMove::between((&start.0, &start.1), (&end.0, &end.1))
}

/// Moves the whole body of every frame by its own offset, metres, world axes. Frames beyond the last offset stay.
pub fn offset_clip(skeleton: &Skeleton, clip: &Clip, offsets: &[Vec3]) -> Result<Clip, ClipError> {
    let moved = moved_joints(skeleton, travel_joint(skeleton, clip));
    let mut joints: Vec<usize> = clip.translations().joints.iter().chain(&moved).copied().collect();
    joints.sort_unstable();
    joints.dedup();
    let mut values = Vec::with_capacity(joints.len() * clip.frames());
    let mut rotations = Vec::with_capacity(clip.frames() * clip.joints());
    let mut pose = skeleton.rest_pose();
    for frame in 0..clip.frames() {
        clip.pose_into(frame, &mut pose);
        let by = GroundMove { yaw: 0.0, translation: offsets.get(frame).copied().unwrap_or_else(Vec3::zeros) };
        for &joint in &moved {
            let (_, translation) = in_parent(skeleton, &pose, joint, &by);
            pose.translations[joint] += translation;
        }
        values.extend(joints.iter().map(|&j| pose.translations[j]));
        rotations.extend_from_slice(&pose.rotations);
    }
    let tracks = Tracks { joints, values };
    Clip::new(clip.name.clone(), clip.rate_hz(), clip.joints(), rotations, tracks, clip.scales().clone())
}

/// Returns upward offsets for [`offset_clip`] from heights in metres, one per frame.
pub fn vertical_offsets(heights: impl IntoIterator<Item = Real>) -> Vec<Vec3> {
    heights.into_iter().map(|y| Vec3::y() * y).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Side};

    /// Feet that hang on the root move along with the hips; helpers and the root itself stay. In usual bodies the hips move
    /// alone.
    #[test]
    fn all_of_a_body_is_moved_however_it_hangs() {
        let skeleton = |foot_on: usize| {
            let role = |name: &str, parent, role| Joint { role, ..Joint::new(name, parent, Vec3::y()) };
            let leg = Some(Role::LowerLeg(Side::Left));
            Skeleton::new(vec![
                role("root", None, None),
                role("hips", Some(0), Some(Role::Hips)),
                role("leg", Some(1), leg),
                role("foot", Some(foot_on), Some(Role::Foot(Side::Left))),
                role("pole", Some(0), Some(Role::Helper)),
            ])
            .expect("a skeleton")
        };
        assert_eq!(moved_joints(&skeleton(2), 1), [1]);
        assert_eq!(moved_joints(&skeleton(0), 1), [1, 3]);
        assert_eq!(moved_joints(&skeleton(0), 3), [1, 3]);
        assert_eq!(moved_joints(&skeleton(0), 0), [0]);
    }
}

//! A clip moved in the world, frame by frame.

use super::ground::{carrier, in_parent, movers};
use super::{Clip, ClipError, GroundMove, Skeleton, Tracks};
use crate::math::{Real, Vec3};

/// Moves the whole body in each frame by its own step, metres, world.
pub fn shifted(skeleton: &Skeleton, clip: &Clip, steps: &[Vec3]) -> Result<Clip, ClipError> {
    let movers = movers(skeleton, carrier(skeleton, clip));
    let mut joints: Vec<usize> = clip.translations().joints.iter().chain(&movers).copied().collect();
    joints.sort_unstable();
    joints.dedup();
    let mut values = Vec::with_capacity(joints.len() * clip.frames());
    let mut rotations = Vec::with_capacity(clip.frames() * clip.joints());
    let mut pose = skeleton.rest_pose();
    for frame in 0..clip.frames() {
        clip.pose_into(frame, &mut pose);
        let by = GroundMove { turn: 0.0, step: steps.get(frame).copied().unwrap_or_else(Vec3::zeros) };
        for &joint in &movers {
            let (_, step) = in_parent(skeleton, &pose, joint, &by);
            pose.translations[joint] += step;
        }
        values.extend(joints.iter().map(|&j| pose.translations[j]));
        rotations.extend_from_slice(&pose.rotations);
    }
    let tracks = Tracks { joints, values };
    Clip::new(clip.name.clone(), clip.rate_hz(), clip.joints(), rotations, tracks, clip.scales().clone())
}

/// Steps of the same way in every frame.
pub fn everywhere(frames: usize, way: Vec3) -> Vec<Vec3> {
    vec![way; frames]
}

/// Steps up, metres.
pub fn upward(heights: impl IntoIterator<Item = Real>) -> Vec<Vec3> {
    heights.into_iter().map(|y| Vec3::y() * y).collect()
}

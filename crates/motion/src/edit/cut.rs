//! Slices, concatenation, reversal, time scaling and moves of clips.

use super::Join;
use super::clip_builder::{ClipBuilder, check, check_both};
use crate::Real;
use crate::{Clip, ClipError, GroundMove, Pose, Skeleton, Tracks, root_motion};
use std::ops::Range;

/// Returns the frames of a range.
///
/// ```
/// # use sinew_motion::{Clip, Tracks, edit};
/// # use sinew_motion::Quat;
/// # let clip = Clip::new("", 10.0, 1, vec![Quat::identity(); 30], Tracks::default(), Tracks::default())?;
/// let second_half = edit::slice(&clip, 15..30)?;
/// assert_eq!(second_half.frames(), 15);
/// assert!(edit::slice(&clip, 15..31).is_err());
/// # Ok::<(), sinew_motion::ClipError>(())
/// ```
pub fn slice(clip: &Clip, frames: Range<usize>) -> Result<Clip, ClipError> {
    let (start, end) = (frames.start, frames.end);
    if start >= end || end > clip.frames() {
        return Err(ClipError::Range { start, end, frames: clip.frames() });
    }
    let part = |tracks: &Tracks| {
        let width = tracks.joints.len();
        Tracks { joints: tracks.joints.clone(), values: tracks.values[start * width..end * width].to_vec() }
    };
    let rotations = frames.flat_map(|f| clip.rotations(f)).copied().collect();
    Clip::new(&*clip.name, clip.rate_hz(), clip.joints(), rotations, part(clip.translations()), part(clip.scales()))
}

/// Returns the frames between two times, seconds, both included.
pub fn slice_time(clip: &Clip, start: Real, end: Real) -> Result<Clip, ClipError> {
    // A millionth of a frame forgives times that were computed.
    let first = (start * clip.rate_hz() - 1e-6).ceil().max(0.0);
    let last = (end * clip.rate_hz() + 1e-6).floor().min(clip.frames() as Real - 1.0);
    if start.is_nan() || end.is_nan() || first > last {
        let bound = |x: Real| if x.is_finite() && x > 0.0 { x as usize } else { 0 };
        return Err(ClipError::Range { start: bound(first), end: bound(last + 1.0), frames: clip.frames() });
    }
    slice(clip, first as usize..last as usize + 1)
}

/// Returns the clip with its last frame first. Reversing twice gives the clip back.
pub fn reversed(clip: &Clip) -> Result<Clip, ClipError> {
    let back = |tracks: &Tracks| {
        let rows = tracks.values.chunks(tracks.joints.len().max(1)).rev();
        Tracks { joints: tracks.joints.clone(), values: rows.flatten().copied().collect() }
    };
    let rotations = (0..clip.frames()).rev().flat_map(|f| clip.rotations(f)).copied().collect();
    Clip::new(&*clip.name, clip.rate_hz(), clip.joints(), rotations, back(clip.translations()), back(clip.scales()))
}

/// Returns the same samples at another speed: 2 plays twice as fast. The rate changes, the samples do not;
/// [`resample`](super::resample) brings the old rate back.
pub fn time_scaled(clip: &Clip, speed: Real) -> Result<Clip, ClipError> {
    let rotations = (0..clip.frames()).flat_map(|f| clip.rotations(f)).copied().collect();
    let rate = clip.rate_hz() * speed;
    Clip::new(&*clip.name, rate, clip.joints(), rotations, clip.translations().clone(), clip.scales().clone())
}

/// Moves the whole clip on the ground. In a rig whose hips travel below a root at rest, the hips move.
pub fn moved(skeleton: &Skeleton, clip: &Clip, by: &GroundMove) -> Result<Clip, ClipError> {
    check(skeleton, clip)?;
    let joints = root_motion::moved_joints(skeleton, root_motion::travel_joint(skeleton, clip));
    let mut builder = ClipBuilder::like(&[clip]).with_translations(&joints);
    let mut pose = skeleton.rest_pose();
    for frame in 0..clip.frames() {
        clip.pose_into(frame, &mut pose);
        let mut placed = pose.clone();
        root_motion::move_pose(skeleton, &mut placed, &joints, by);
        builder.push(&placed);
    }
    builder.finish(&clip.name, clip.rate_hz(), clip.joints())
}

/// Returns the move from a frame of `clip` to the ground position and heading of the pose `to`.
pub(super) fn placement(skeleton: &Skeleton, clip: &Clip, frame: usize, to: &Pose, to_joint: usize) -> GroundMove {
    let own = clip.pose(skeleton, frame);
    let (p, q) = root_motion::world_frame(skeleton, &own, root_motion::travel_joint(skeleton, clip));
    let (to_p, to_q) = root_motion::world_frame(skeleton, to, to_joint);
    GroundMove::between((&p, &q), (&to_p, &to_q))
}

/// Joins two clips, at the rate of the first; all frames of both are kept.
///
/// [`Join::Continue`] starts the second clip where the first would have been one frame later, by the ground covered
/// and the heading gained in its last frame, so that a walk keeps its pace across the joint.
pub fn concatenate(skeleton: &Skeleton, first: &Clip, second: &Clip, join: Join) -> Result<Clip, ClipError> {
    check_both(skeleton, first, second)?;
    let mut second_placed = None;
    if join == Join::Continue {
        let joint = root_motion::travel_joint(skeleton, first);
        let last = first.frames() - 1;
        let end = first.pose(skeleton, last);
        let mut by = placement(skeleton, second, 0, &end, joint);
        if last > 0 {
            by = by.then(&placement(skeleton, first, last - 1, &end, joint));
        }
        second_placed = Some(moved(skeleton, second, &by)?);
    }
    let second = second_placed.as_ref().unwrap_or(second);
    let mut builder = ClipBuilder::like(&[first, second]);
    for clip in [first, second] {
        for frame in 0..clip.frames() {
            builder.push(&clip.pose(skeleton, frame));
        }
    }
    builder.finish(&first.name, first.rate_hz(), first.joints())
}

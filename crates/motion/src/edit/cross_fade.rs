//! Cross-fade of two clips.

use super::Join;
use super::clip_builder::{ClipBuilder, check_both, smooth};
use super::cut::{moved, placement};
use crate::Real;
use crate::{Clip, ClipError, Skeleton, root_motion};

/// Overlaps the last `fade` frames of `first` with the first `fade` frames of `second` and blends them; the result has `first.frames() + second.frames() − fade` frames.
///
/// The first frame of the overlap is the first clip's, its last the second clip's, and the weight between them is the
/// C² ramp 6u⁵ − 15u⁴ + 10u³. Without overlap this is [`concatenate`](super::concatenate); an overlap of one frame is
/// the second clip's. [`Join::Continue`] moves the second clip on the ground to where the first is when the fade begins.
///
/// ```
/// # use sinew_motion::{Clip, Joint, Skeleton, Tracks, edit::{self, Join}};
/// # use sinew_motion::{Quat, Vec3};
/// # let skeleton = Skeleton::new(vec![Joint::new("hips", None, Vec3::zeros())])?;
/// # let clip = |f: usize| Clip::new("", 30.0, 1, vec![Quat::identity(); f], Tracks::default(), Tracks::default());
/// # let (walk, run) = (clip(60)?, clip(45)?);
/// let faster = edit::cross_fade(&skeleton, &walk, &run, 15, Join::Continue)?;
/// assert_eq!(faster.frames(), 60 + 45 - 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cross_fade(
    skeleton: &Skeleton,
    first: &Clip,
    second: &Clip,
    fade: usize,
    join: Join,
) -> Result<Clip, ClipError> {
    check_both(skeleton, first, second)?;
    if fade > first.frames().min(second.frames()) {
        return Err(ClipError::Fade { fade, first: first.frames(), second: second.frames() });
    }
    if fade == 0 {
        return super::concatenate(skeleton, first, second, join);
    }
    let start = first.frames() - fade;
    let mut placed = None;
    if join == Join::Continue {
        let joint = root_motion::travel_joint(skeleton, first);
        let by = placement(skeleton, second, 0, &first.pose(skeleton, start), joint);
        placed = Some(moved(skeleton, second, &by)?);
    }
    let second = placed.as_ref().unwrap_or(second);
    let mut builder = ClipBuilder::like(&[first, second]);
    for frame in 0..start {
        builder.push(&first.pose(skeleton, frame));
    }
    for k in 0..fade {
        let weight = if fade == 1 { 1.0 } else { smooth(k as Real / (fade - 1) as Real) };
        let (from, to) = (first.pose(skeleton, start + k), second.pose(skeleton, k));
        builder.push(&from.blend(&to, weight));
    }
    for frame in fade..second.frames() {
        builder.push(&second.pose(skeleton, frame));
    }
    builder.finish(&first.name, first.rate_hz(), first.joints())
}

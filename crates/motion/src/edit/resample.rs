//! Resampling at another rate.

use super::clip_builder::{ClipBuilder, check};
use crate::Real;
use crate::files::limits::MOST_SAMPLES;
use crate::{Clip, ClipError, Sampler, Skeleton};

/// Samples a clip at another rate, through the C² motion of [`Sampler`].
///
/// Samples that fall on samples of the clip are copied: the same rate gives the same clip, and a multiple of the rate
/// keeps every sample. The last sample is the last one within the clip.
///
/// Nothing is filtered: motion faster than half the new rate is not removed but folds back to a lower frequency, as
/// with any sampling. At 30 Hz and above that is below what shows in human motion; below, smooth first.
///
/// ```
/// # use sinew_motion::{Clip, Joint, Skeleton, Tracks, edit};
/// # use sinew_motion::{Quat, Vec3};
/// # let skeleton = Skeleton::new(vec![Joint::new("hips", None, Vec3::zeros())])?;
/// # let turn = |k| Quat::from_axis_angle(&Vec3::y_axis(), 0.01 * k as f64);
/// # let clip = Clip::new("", 120.0, 1, (0..121).map(turn).collect(), Tracks::default(), Tracks::default())?;
/// let film = edit::resample(&skeleton, &clip, 24.0)?;
/// assert_eq!((film.frames(), film.duration()), (25, clip.duration()));
/// assert_eq!(film.rotations(1), clip.rotations(5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn resample(skeleton: &Skeleton, clip: &Clip, rate_hz: Real) -> Result<Clip, ClipError> {
    check(skeleton, clip)?;
    if !(rate_hz.is_finite() && rate_hz > 0.0) {
        return Err(ClipError::Rate(rate_hz));
    }
    // Counted before anything is made: a slow clip at a high rate would fill the memory.
    let frames = (clip.frames() - 1) as Real * rate_hz / clip.rate_hz() + 1.0;
    if frames * clip.joints() as Real > MOST_SAMPLES as Real {
        return Err(ClipError::TooLong { frames, joints: clip.joints() });
    }
    let sampler = Sampler::new(skeleton, clip)?;
    let mut motion = sampler.buffer();
    let mut builder = ClipBuilder::like(&[clip]);
    // Frames of the clip per new frame; times are compared in frames, where equal rates are exactly 1.
    let stride = clip.rate_hz() / rate_hz;
    let last = (clip.frames() - 1) as Real;
    for k in 0.. {
        let at = k as Real * stride;
        if at > last + NEAR {
            break;
        }
        let nearest = at.round();
        if (at - nearest).abs() < NEAR {
            clip.pose_into(nearest as usize, &mut motion.pose);
        } else {
            sampler.sample_into(at / clip.rate_hz(), &mut motion);
        }
        builder.push(&motion.pose);
    }
    builder.finish(&clip.name, rate_hz, clip.joints())
}

/// Distance below which two samples are one, frames.
const NEAR: Real = 1e-6;

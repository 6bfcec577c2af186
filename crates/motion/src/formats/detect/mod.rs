//! Detection of unit and up axis of a file from the body in it.
//!
//! People have similar sizes and stand on the ground. Everything here works in the file's own unit and axes and gives its reason in words; the
//! user can overrule every result.

mod landmarks;
mod observation;
mod unit;
mod up;

pub(crate) use observation::{Bones, Observation, Sampling, sample};
pub(crate) use unit::{SizedBody, SizedMotion, UnitGuess, detect as detect_unit, is_cmu_rig};
pub use up::pooled as pooled_up;
pub(crate) use up::{UpGuess, detect as detect_up};

use crate::{Real, Vec3};

/// Returns the largest side of the box around some points, a height for things that are no bodies.
pub(crate) fn largest_side(points: &[Vec3]) -> Real {
    let Some(first) = points.first() else { return 0.0 };
    let (low, high) = points.iter().fold((*first, *first), |(low, high), p| (low.inf(p), high.sup(p)));
    (high - low).max()
}

//! Clips from clips: cut, join, fade, loop, resample, mirror.
//!
//! Every operation takes clips by reference and gives a new one; what does not fit is a
//! [`ClipError`](super::ClipError). Figures are joined *on the ground*: a clip may be moved by a turn about the
//! vertical and a horizontal step, which gravity does not notice, and by nothing else.
//!
//! Blending is joint by joint in the parents' frames: rotations on the shorter arc, lengths in a straight line.

mod clip_builder;
mod close_loop;
mod cross_fade;
mod cut;
mod mirror;
mod resample;

pub use close_loop::{CycleTravel, close_loop};
pub use cross_fade::cross_fade;
pub use cut::{concatenate, moved, reversed, slice, slice_time, time_scaled};
pub use mirror::Mirror;
pub use resample::resample;

/// How the second of two clips is placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// Where and as it is.
    AsIs,
    /// Moved on the ground, so that it goes on with the heading and from the place that the first has reached.
    #[default]
    Continue,
}

#[cfg(test)]
mod tests;

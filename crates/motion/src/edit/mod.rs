//! Editing: clips from clips by cutting, joining, fading, looping, resampling and mirroring; travel along the ground taken out of them.
//!
//! Every operation takes clips by reference and returns a new one, or a [`ClipError`](super::ClipError) if they do not
//! fit. Clips are joined *on the ground*: a clip may be moved by a rotation about the vertical and a horizontal
//! translation, which gravity does not notice, and by nothing else.
//!
//! Blending is joint by joint in the parents' frames: rotations on the shorter arc, translations and scales in a straight line.

mod clip_builder;
mod close_loop;
mod cross_fade;
mod cut;
mod joint_axes;
mod mirror;
mod resample;
mod travel;

pub use close_loop::{CycleTravel, close_loop};
pub use cross_fade::cross_fade;
pub use cut::{concatenate, moved, reversed, slice, slice_time, time_scaled};
pub use joint_axes::{axes_along, clip_with_joint_axes, with_joint_axes};
pub use mirror::Mirror;
pub use resample::resample;
pub use travel::{with_travel_on_root, without_travel};

/// Placement of the second of two clips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// Unchanged.
    AsIs,
    /// Moved on the ground, so that it continues from the position and heading of the first.
    #[default]
    Continue,
}

#[cfg(test)]
mod tests;

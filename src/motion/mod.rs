//! Captured motion, with no physics in it.
//!
//! A [`Skeleton`] is a tree of joints with a rest pose, a [`Pose`] one posture of it, a [`Clip`] a uniformly
//! sampled sequence of poses. [`Sampler`] turns a clip into a C² motion: position, velocity and acceleration
//! at any time. Everything is metres, radians, seconds, right-handed, Y up.

mod clip;
mod pose;
mod role;
mod skeleton;

pub use clip::{Clip, ClipError, Tracks};
pub use pose::{Frame, Pose};
pub use role::{Role, Side};
pub use skeleton::{Joint, Skeleton, SkeletonError};

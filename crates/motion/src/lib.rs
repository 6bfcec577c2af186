//! Captured motion, with no physics in it.
//!
//! A [`Skeleton`] is a tree of joints with a rest pose, a [`Pose`] one posture of it, a [`Clip`] a uniformly
//! sampled sequence of poses. [`Sampler`] turns a clip into a C² motion: position, velocity and acceleration
//! at any time. [`edit`] makes clips from clips, [`detect_roles`] says from their names what joints are on a body.
//! Everything is metres, radians, seconds, right-handed, Y up.

mod clip;
pub mod edit;
pub mod files;
pub mod formats;
mod ground_move;
mod kinematics;
mod pose;
mod role;
mod role_detection;
pub mod root_motion;
mod sample;
mod skeleton;
mod skeleton_size;

pub use sinew_math as math;
pub use sinew_math::{Placement, Quat, Real, Vec3};

pub use clip::{Clip, ClipError, Tracks};
pub use ground_move::GroundMove;
pub use kinematics::{FrameMotion, PoseMotion, ScaleMotion};
pub use pose::{Frame, Pose};
pub use role::{Role, Side};
pub use role_detection::{DetectedRole, detect_roles};
pub use sample::{Looping, Sampler};
pub use skeleton::{Joint, Skeleton, SkeletonError};
pub use skeleton_size::REFERENCE_HEIGHT;

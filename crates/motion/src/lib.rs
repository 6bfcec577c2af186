//! Captured motion, with no physics in it: skeletons, poses, clips, and the files that hold them.
//!
//! ```text
//! file ── formats::read ──▶ Capture ──▶ Skeleton + Clip ── edit, Sampler ──▶ Capture ── formats::write ──▶ file
//! ```
//!
//! - [`formats`] reads BVH, glTF, GLB, VRM and ASF/AMC into a [`Capture`](formats::Capture), and writes BVH, glTF and GLB.
//!   An [`ImportReport`](formats::ImportReport) lists what was detected and what was wrong.
//! - A [`Skeleton`] is a tree of joints with a rest pose, a [`Pose`] the local transforms of its joints, a [`Clip`] a
//!   uniformly sampled sequence of poses. [`detect_body`] finds the anatomical
//!   [`Role`] of joints, and [`stature`](fn@stature) the height of the body.
//! - [`Sampler`] makes a C² motion of a clip: position, velocity and acceleration at any time.
//! - [`edit`] makes clips from clips; [`root_motion`] moves a whole body through the world.
//! - [`files`] reads and writes bytes, and holds the error type of all files, [`FormatError`](files::FormatError).
//!
//! Units are metres, radians and seconds; axes are right-handed, Y up.

#![warn(missing_docs)]
#![forbid(unsafe_code)]
// Expectations of tests are computed with the functions of the system, another judge than the code under test.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

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
mod stature;

pub use sinew_math as math;
pub use sinew_math::{Placement, Quat, Real, Vec3};

pub use clip::{Clip, ClipError, Tracks};
pub use ground_move::GroundMove;
pub use kinematics::{FrameMotion, PoseMotion, ScaleMotion};
pub use pose::{Frame, Pose};
pub use role::{Role, Side};
pub use role_detection::{BodyPlan, DetectedBody, DetectedRole, HUMAN, SURE, detect_body, detect_roles};
pub use sample::{Looping, Sampler};
pub use skeleton::{Joint, Skeleton, SkeletonError};
pub use skeleton_size::REFERENCE_HEIGHT;
pub use stature::{Stature, proportions, stature};

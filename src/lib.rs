//! sinew: captured motion with physics in it.
//!
//! Data flows one way. A file becomes a [`Capture`]: a [`Skeleton`] and [`Clip`]s. A skeleton becomes a [`Figure`] of rigid
//! segments. A [`World`] moves it, a [`Recording`] keeps what happened, and that goes back to a clip and a file. [`Filter`],
//! [`Retarget`] and [`Measure`] take figures and clips, and give clips and numbers.
//!
//! Inside, everything is SI, radians, right-handed and Y up. Files are converted at the border ([`formats`]); every guess of
//! the conversion is reported.
//!
//! | room | job |
//! |---|---|
//! | [`math`] | scalar, vectors, rotations, placements |
//! | [`dynamics`] | rigid bodies held, driven and limited by constraint forces that can be read |
//! | [`motion`] | skeletons, poses, clips; sampling with velocity and acceleration |
//! | [`formats`] | BVH, glTF, ASF/AMC in; BVH, glTF out |
//! | [`files`] | bytes in and out, and faults that point at a line |
//! | [`figure`] | a skeleton with mass, shape, joints, limits and soles |
//! | [`control`] | controllers that make joints, roots and points follow targets |
//! | [`simulation`] | actors in a world, events, and the one step that moves them |
//! | [`record`] | a run frame by frame, and the way back to a clip |
//! | [`measure`] | skate, penetration, residual forces, balance, effort, distance from the source |
//! | [`filter`] | captured motion made physical: planted feet, no sinking, forces that the ground can give |
//! | [`retarget`] | motion moved from one skeleton to another |
//! | [`scene`] | scenes as text files: set up, run and checked |
//! | [`show`] | opened files with playback, live physics and overlays; draws nothing |
//! | `viewer` | the window, pictures and films (feature `viewer`) |
//!
//! `docs/ARCHITECTURE.md` says which room may use which. The types that most programs need are re-exported here.

#![warn(missing_docs)]
#![deny(unsafe_code)]
// Expectations of tests are computed with the functions of the system, another judge than the code under test.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod anatomy;
mod contacts;
pub mod control;
pub mod figure;
pub mod filter;
pub mod measure;
mod optimise;
pub mod record;
pub mod retarget;
pub mod scene;
pub mod show;
pub mod simulation;
#[cfg(feature = "viewer")]
pub mod viewer;

pub use sinew_dynamics as dynamics;
pub use sinew_math as math;
pub use sinew_motion as motion;
pub use sinew_motion::{files, formats};

pub use dynamics::{Body, Constraint, World};
pub use figure::{Figure, FigureOptions};
pub use filter::{Filter, FilterOptions};
pub use formats::{Capture, ExportOptions, ImportOptions};
pub use math::{Placement, Quat, Real, Vec3};
pub use measure::{Measure, MeasureOptions};
pub use motion::{Clip, Pose, Skeleton};
pub use record::Recording;
pub use retarget::{Retarget, RetargetOptions};
pub use scene::SceneRun;
pub use simulation::{Actor, Run};

/// The program of the front page, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

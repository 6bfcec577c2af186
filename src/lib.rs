//! sinew: captured motion with physics in it.
//!
//! Data flows one way: a file becomes a [`motion::Skeleton`] and [`motion::Clip`]s, a skeleton becomes a
//! figure of rigid segments, a world of [`dynamics`] moves it, and what happened goes back to a clip and a file.
//!
//! Inside the crate everything is SI, radians, right-handed and Y up. Files are converted at the border
//! ([`formats`]), and what the conversion found is reported, never hidden.
//!
//! | room | its job |
//! |---|---|
//! | [`motion`] | skeletons, poses, clips; sampling with velocity and acceleration |
//! | [`formats`] | BVH, glTF, ASF/AMC in; BVH, glTF out |
//! | [`files`] | bytes in and out, and faults that point at a line |
//! | [`figure`] | a skeleton becomes rigid segments with mass, shape, joints and limits |
//! | [`measure`] | how good a motion is: skate, penetration, residual forces, effort, distance from its source |
//! | [`filter`] | captured motion made physical: planted feet, no sinking, forces that the ground can give |
//! | [`control`] | controllers that make joints, roots and points follow targets |
//! | [`simulation`] | actors in a world, events, and the one step that moves them |
//! | [`retarget`] | motion moved from one skeleton to another |
//! | [`record`] | what a run produced, and the way back to a clip |
//! | [`show`] | opened files to look at and to touch: playback, live physics, what is to be drawn |
//! | [`scene`] | scenes as text files: everything above set up, run and checked |
//! | [`show`] | opened files as things to look at and to touch |
//! | `viewer` | the window and pictures without one (feature `viewer`) |
//! | [`dynamics`] | rigid bodies held, driven and limited by constraint forces that can be read out |

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
pub use sinew_math::{Quat, Real, Vec3};
pub use sinew_motion as motion;
pub use sinew_motion::{files, formats};

/// The program of the front page, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! Physical filter: makes a captured clip consistent with contact forces of the ground.
//!
//! [`Prepare`] smooths the capture, levels its floor, repairs its root where the feet show that it is wrong, detects contacts
//! and makes a [`ContactPlan`]. [`Solve`] moves the body to the plan: feet in contact stay in place, nothing penetrates the
//! ground, and the ground can supply every force that the motion requires. [`Filter`] does both.
//!
//! ```
//! use sinew::figure::{Figure, FigureOptions};
//! use sinew::filter::{Prepare, PrepareOptions};
//! use sinew::formats::{self, ImportOptions};
//! use std::path::Path;
//!
//! let walk = formats::read(Path::new("data/clips/walk.bvh"), &ImportOptions::default())?;
//! let clip = &walk.clips[0];
//! let figure = Figure::build(&walk.skeleton, &FigureOptions { clip: Some(clip), ..FigureOptions::default() })?;
//! let prepared = Prepare { figure: &figure, clip, options: PrepareOptions::default() }.run()?;
//! assert!(prepared.preparation.looped && prepared.preparation.moving_contacts.is_empty());
//! assert!(prepared.plan.targets.iter().all(|targets| !targets.is_empty()), "a walk always has a foot in contact");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bandwidth;
mod body;
mod budget;
mod contact_ends;
mod contact_list;
mod contact_targets;
mod cycle;
mod detect;
mod feature;
mod follow;
mod foot_placement;
mod foot_sliding;
mod force_sharing;
mod forces;
mod forward;
mod outlier_frames;
mod plan;
mod preparation;
mod prepare;
mod problem;
mod proximity;
mod refine;
mod repair;
mod required_wrench;
mod result;
mod run;
mod scenery;
mod secondary_support;
mod smooth;
mod sole_layout;
mod solve;
mod support;
mod surface;
mod swing;
mod terrain_mapping;
mod trajectories;
mod velocity_spikes;
mod weights;
mod window;

#[cfg(test)]
mod tests;

pub use contact_list::ContactList;
pub use contact_targets::MovingContact;
pub use forward::{Forward, ForwardError, ForwardOptions, Simulated};
pub use plan::{ContactPlan, ContactTarget, Corner, Surface, Under, UnloadedContact};
pub use preparation::PreparationReport;
pub use prepare::{Prepare, PrepareError, PrepareOptions, Prepared};
pub use repair::Repairs;
pub use run::{Filter, FilterError, FilterOptions, Filtered};
pub use scenery::Scenery;
pub use solve::{Solve, SolveError, SolveOptions, Solved, WindowReport};

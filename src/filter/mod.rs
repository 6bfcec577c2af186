//! The physical filter: a captured clip comes back with no invisible hand in it.
//!
//! [`Prepare`] smooths the capture, levels its floor, mends its root where the feet show that it is wrong, finds out who stands
//! when and where, and gives a [`ContactPlan`]. [`Solve`] moves the body to the plan: feet stay where they stand, nothing sinks
//! in, and the ground can give every force the motion needs. [`Filter`] does both.
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
//! assert!(prepared.findings.looped && prepared.findings.restless.is_empty());
//! assert!(prepared.plan.pins.iter().all(|pins| !pins.is_empty()), "whoever walks always stands on a foot");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod contact_list;
mod contact_targets;
mod cycle;
mod detect;
mod feature;
mod follow;
mod foot_sliding;
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

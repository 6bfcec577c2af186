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

mod again;
mod band;
mod body;
mod carry;
mod contact_list;
mod cycle;
mod detect;
mod feature;
mod findings;
mod flat_foot;
mod follow;
mod forces;
mod forward;
mod jumps;
mod kernel;
mod lean;
mod near;
mod plan;
mod prepare;
mod problem;
mod repair;
mod result;
mod run;
mod scenery;
mod slides;
mod smooth;
mod solve;
mod stance;
mod sudden;
mod support;
mod surface;
mod survey;
mod swing;
mod weights;
mod window;

#[cfg(test)]
mod tests;

pub use contact_list::ContactList;
pub use findings::Findings;
pub use forward::{Forward, ForwardError, ForwardOptions, Simulated};
pub use plan::{ContactPlan, Corner, Hover, Pin, Surface, Under};
pub use prepare::{Prepare, PrepareError, PrepareOptions, Prepared};
pub use repair::Repairs;
pub use run::{Filter, FilterError, FilterOptions, Filtered};
pub use scenery::Scenery;
pub use solve::{Solve, SolveError, SolveOptions, Solved, WindowReport};
pub use stance::Restless;

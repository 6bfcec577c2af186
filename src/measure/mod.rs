//! Quality of a motion: the numbers of a report.
//!
//! [`Measure`] takes a figure and a clip and gives a [`Report`]: a number for every [`Key`], or the reason why there is
//! none. Everything follows from the poses; nothing is taken from the splines, controllers or optimisers that made them.
//! [`Measure::recording`] measures a run: geometry from its clip, forces from what was recorded. [`Tracking`] compares a
//! result with its source. [`Family::definition`] and `docs/measures.md` define each number; lengths scale with the figure.
//!
//! Time is linear in the length of the clip, and so is memory with a few numbers a frame.
//!
//! ```
//! use sinew::figure::{Figure, FigureOptions};
//! use sinew::formats::{self, ImportOptions};
//! use sinew::measure::{Key, Measure, MeasureOptions};
//! use std::path::Path;
//!
//! let walk = formats::read(Path::new("data/clips/walk.bvh"), &ImportOptions::default())?;
//! let clip = &walk.clips[0];
//! let figure = Figure::build(&walk.skeleton, &FigureOptions { clip: Some(clip), ..FigureOptions::default() })?;
//! let report = Measure { figure: &figure, clip, options: MeasureOptions::default() }.run()?;
//! assert!((report.get(Key::ReactionMean).unwrap() - 1.0).abs() < 0.05, "a walk carries its weight, no more");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod acceptance;
mod balance;
mod cone;
mod contacts;
mod curves;
mod effort;
mod felt;
mod float;
mod floor;
mod foot_forces;
pub(crate) mod ground;
mod instant;
mod judgement;
mod key;
pub(crate) mod kinetics;
mod limits;
mod penetration;
pub mod plates;
pub(crate) mod points;
pub(crate) mod poses;
mod report;
mod residual;
mod run;
mod self_contact;
mod skate;
mod spikes;
mod standing;
mod subject;
mod tracking;
mod treadmill;

#[cfg(test)]
mod tests;

pub use acceptance::{Acceptance, BeyondAnatomy, Concern, Reason, RunFigures, Verdict};
pub(crate) use balance::{convex_hull, pressure_point};
pub(crate) use cone::ConeFit;
pub use contacts::Contact;
pub use curves::{Curves, FrameForces};
pub(crate) use floor::floor;
pub use judgement::{Grade, Judgement};
pub use key::{Better, Family, Key};
pub use limits::BeyondLimits;
pub use plates::{FootForces, PlateComparison, PlateOptions, Plates};
pub use report::{Basis, Report};
pub use run::{Cutoff, Measure, MeasureError, MeasureOptions};
pub(crate) use self_contact::SelfContact;
pub use spikes::Jumps;
pub(crate) use standing::standing;
pub use subject::{Subject, SubjectOptions};
pub use tracking::{Moved, Tracking};

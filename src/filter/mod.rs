//! The physical filter: a captured clip comes back with no invisible hand in it.

mod plan;
mod solve;

pub use plan::{ContactPlan, Corner, Pin, Surface, Under};
pub use solve::{Solve, SolveError, SolveOptions, Solved, WindowReport};

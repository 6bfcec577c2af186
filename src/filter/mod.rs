//! The physical filter: a captured clip comes back with no invisible hand in it.

mod band;
mod body;
mod forces;
mod kernel;
mod plan;
mod problem;
mod result;
mod solve;
mod weights;
mod window;

#[cfg(test)]
mod tests;

pub use plan::{ContactPlan, Corner, Pin, Surface, Under};
pub use solve::{Solve, SolveError, SolveOptions, Solved, WindowReport};

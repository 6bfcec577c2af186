//! The physical filter: a captured clip comes back with no invisible hand in it.

mod plan;

pub use plan::{ContactPlan, Corner, Pin, Surface, Under};

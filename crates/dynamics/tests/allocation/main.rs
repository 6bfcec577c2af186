//! Steady work allocates nothing: contact search, solvers and whole steps.
//!
//! Allocations are counted per thread, since the tests of one binary run side by side. Steps of several threads are
//! switched off in the scenes.

#![allow(clippy::disallowed_methods)] // Expectations are computed with the functions of the system.

mod collide;
#[path = "../../../../tests/counting/mod.rs"]
mod counting;
mod solve;
mod step;

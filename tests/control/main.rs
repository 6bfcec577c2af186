//! Controllers, recordings and runs, held to their laws on the built-in clips and characters.

#![allow(clippy::disallowed_methods)] // Expectations are computed with the functions of the system.

mod backends;
mod demos;
mod held;
mod influences;
mod markers;
mod odd;
mod ragdolls;
mod replay;
mod round_trip;
mod scenes;

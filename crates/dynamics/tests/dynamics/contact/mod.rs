//! Contact and friction against closed forms and conservation laws.

mod determinism;
mod friction;
mod impacts;
mod kinematic_fallback;
mod piles;
mod random_scenes;
mod recovery;
mod rest;
mod scenes;
mod spin;
mod strict;
mod vehicle;

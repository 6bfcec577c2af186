//! Contact and friction against closed forms and conservation laws.

mod determinism;
mod friction;
mod impacts;
mod kinematic_fallback;
mod piles;
mod recovery;
mod rest;
mod scenes;
mod strict;
mod vehicle;

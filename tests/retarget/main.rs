//! Motion moved between the built-in bodies and bodies made from them.

#![allow(clippy::disallowed_methods)] // Expectations are computed with the functions of the system.

mod bodies;
mod facing;
mod mapping;
mod moving;
mod odd;
mod recorders;
mod sinking;

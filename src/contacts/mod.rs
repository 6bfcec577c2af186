//! Evidence of contact with the ground, used by measuring, filtering and retargeting alike.
//!
//! [`treadmill`] finds the motion of the ground below a body that walks in place; [`signal`] and [`low_pass`] are what such
//! evidence is read from.

pub(crate) mod low_pass;
pub(crate) mod signal;
pub(crate) mod treadmill;

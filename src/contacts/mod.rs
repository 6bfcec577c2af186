//! Evidence of contact with the ground, used by measuring, filtering and retargeting alike.
//!
//! [`ground_level`] finds the height of the ground and [`treadmill`] its motion below a body that walks in place; [`signal`] and
//! [`low_pass`] are the filters that such evidence is read through.

pub(crate) mod evidence;
pub(crate) mod ground_level;
pub(crate) mod low_pass;
pub(crate) mod signal;
pub(crate) mod treadmill;

//! Evidence of contact with the ground, used by measuring, filtering and retargeting alike.
//!
//! [`ground_level`] finds the height of the ground and [`treadmill`] its motion below a body that walks in place; [`evidence`] tells how
//! ready a point is to carry force, and [`segmentation`] which frames of such evidence are contact; [`signal`] and
//! [`low_pass`] are the filters that evidence is read through.

pub(crate) mod evidence;
pub(crate) mod ground_level;
pub(crate) mod low_pass;
pub(crate) mod segmentation;
pub(crate) mod signal;
pub(crate) mod treadmill;

//! Recognition of bodies: which joint is which part, and one posture in which all skeletons can be compared.
//!
//! - [`roles`] weighs the names of joints against the shape of the skeleton (`shape`).
//! - [`rest_pose`] finds a standing posture where the rest pose does not stand.
//! - [`reference`] brings a skeleton to the common reference posture, whatever its rest pose.

pub(crate) mod reference;
pub(crate) mod rest_pose;
pub(crate) mod roles;
mod shape;

pub use roles::is_main;

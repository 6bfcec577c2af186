//! Scalar, vectors, rotations, placements and buffers shared by all crates of the project.

#![warn(missing_docs)]
#![deny(unsafe_code)]
// Expectations of tests are computed with the functions of the system, another judge than the code under test.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod buffer;
pub mod jet;
mod placement;
pub mod real;
mod rotation;
mod wide;

use nalgebra as na;

pub use buffer::Buffer;
pub use placement::Placement;
pub use rotation::{rotation_vector, tangents};
pub use wide::{has_wide_vectors, use_wide_vectors};

/// Scalar of motion and dynamics. `f32` appears only at the glTF and GPU borders.
pub type Real = f64;
/// Vector in space: a position (metres), a velocity, a force.
pub type Vec3 = na::Vector3<Real>;
/// Spatial 6-vector: linear part first, angular part second.
pub type Vec6 = na::Vector6<Real>;
/// Matrix of 3×3 entries.
pub type Mat3 = na::Matrix3<Real>;
/// Matrix of 6×6 entries: an inertia or a block of a system.
pub type Mat6 = na::Matrix6<Real>;
/// Orientation, or a rotation between frames.
pub type Quat = na::UnitQuaternion<Real>;

/// Standard gravity as this project rounds it, m/s².
pub const GRAVITY: Real = 9.81;

/// Returns the matrix of `v ×`, so that `skew(v) * w == v.cross(&w)`.
#[inline]
pub fn skew(v: &Vec3) -> Mat3 {
    Mat3::new(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0)
}

//! The scalar and the small algebra types that every room shares, named once.

pub mod jet;
mod placement;
mod wide;

use nalgebra as na;

pub use placement::Placement;

/// The scalar of motion and dynamics. `f32` appears only at the glTF and GPU borders.
pub type Real = f64;
/// A vector in space: a position (metres), a velocity, a force.
pub type Vec3 = na::Vector3<Real>;
/// A spatial 6-vector: linear part first, angular part second.
pub type Vec6 = na::Vector6<Real>;
/// A 3×3 matrix.
pub type Mat3 = na::Matrix3<Real>;
/// A 6×6 block.
pub type Mat6 = na::Matrix6<Real>;
/// An orientation.
pub type Quat = na::UnitQuaternion<Real>;

/// Standard gravity as this project rounds it, m/s².
pub const GRAVITY: Real = 9.81;

/// The matrix of `v ×`, so that `skew(v) * w == v.cross(&w)`.
#[inline]
pub fn skew(v: &Vec3) -> Mat3 {
    Mat3::new(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0)
}

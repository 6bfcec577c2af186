//! Options of the construction of a figure, and its errors.

use super::Table;
use crate::math::{Real, Vec3};
use crate::motion::Clip;

/// Options of the construction of a figure; every field has a sensible default.
#[derive(Clone, Copy, Debug, Default)]
pub struct FigureOptions<'a> {
    /// Total mass, kg. Without it a humanoid gets a body-mass index of 22 (less for children), a four-legged animal the mass of
    /// one with a trunk of its length, anything else the mass of its volume.
    pub mass: Option<Real>,
    /// Standing height, metres. It decides the default mass, thicknesses and the lengths of parts that the skeleton
    /// does not show. It does not scale the skeleton: use [`Skeleton::scaled`](crate::motion::Skeleton::scaled) for that.
    pub height: Option<Real>,
    /// Proportions of mass of a humanoid.
    pub table: Table,
    /// A captured motion: it shows hinge axes, the places of the soles, and an upright posture for rigs whose rest pose
    /// has none.
    pub clip: Option<&'a Clip>,
    /// Skin vertices of every joint, those that it moves most, metres, joint frame at rest: shapes are fitted to
    /// them (see [`skin_vertices`](crate::formats::gltf::skin_vertices)).
    pub skin: Option<&'a [Vec<Vec3>]>,
    /// Takes the masses of a humanoid from the volume of its shapes, too.
    pub mass_by_volume: bool,
}

/// Errors of the construction of a figure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FigureError {
    /// A mass or height is not a positive number.
    #[error("the {what} of a figure must be a positive number, not {value}")]
    Quantity {
        /// Name of the quantity.
        what: &'static str,
        /// Value that was given.
        value: Real,
    },
    /// A clip or skin belongs to another skeleton.
    #[error("the {what} was made for {found} joints, the skeleton has {expected}")]
    Joints {
        /// Name of the input that does not fit.
        what: &'static str,
        /// Number of joints of the input.
        found: usize,
        /// Number of joints of the skeleton.
        expected: usize,
    },
}

//! What the user may say about a figure, and what cannot be one.

use super::Table;
use crate::math::{Real, Vec3};
use crate::motion::Clip;

/// How to build a figure; everything has a sensible default.
#[derive(Clone, Copy, Debug, Default)]
pub struct FigureOptions<'a> {
    /// Total mass, kg. Without it a humanoid gets a body-mass index of 22 (less for children), anything else the mass
    /// of its volume.
    pub mass: Option<Real>,
    /// Standing height, metres. It decides the default mass, girths and the lengths of parts that the skeleton does
    /// not show. It does not scale the skeleton: use [`Skeleton::scaled`](crate::motion::Skeleton::scaled) for that.
    pub height: Option<Real>,
    /// Whose proportions of mass.
    pub table: Table,
    /// A captured motion: it shows hinge axes, where the soles are, and how a rig stands whose rest pose does not.
    pub clip: Option<&'a Clip>,
    /// For every joint the vertices of the skin that it moves most, metres, joint frame at rest: shapes are fitted to
    /// them (see [`skin_vertices`](crate::formats::gltf::skin_vertices)).
    pub skin: Option<&'a [Vec<Vec3>]>,
    /// Takes the masses of a humanoid from the volume of its shapes, too.
    pub mass_by_volume: bool,
}

/// Why there is no figure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FigureError {
    #[error("the {what} of a figure must be a positive number, not {value}")]
    Quantity { what: &'static str, value: Real },
    #[error("the {what} was made for {found} joints, the skeleton has {expected}")]
    Joints { what: &'static str, found: usize, expected: usize },
}

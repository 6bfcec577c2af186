//! Rigid placements: a position and an orientation.

use crate::{Quat, Vec3};

/// Position and orientation of a frame, given in another frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Origin of the frame, metres.
    pub position: Vec3,
    /// Orientation of the frame.
    pub rotation: Quat,
}

impl Placement {
    /// Frame that coincides with the one it is given in.
    pub const IDENTITY: Placement = Placement {
        position: Vec3::new(0.0, 0.0, 0.0),
        rotation: Quat::new_unchecked(nalgebra::Quaternion::new(1.0, 0.0, 0.0, 0.0)),
    };

    /// Combines a position (metres) and an orientation.
    pub fn new(position: Vec3, rotation: Quat) -> Self {
        Self { position, rotation }
    }

    /// Returns a placement at a position (metres), not rotated.
    pub fn at(position: Vec3) -> Self {
        Self { position, rotation: Quat::identity() }
    }

    /// Maps a point of this frame to the frame this one is given in, metres.
    #[inline]
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.position + self.rotation * local
    }

    /// Maps a point into this frame: the inverse of [`Placement::point`].
    #[inline]
    pub fn local_point(&self, world: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(&(world - self.position))
    }

    /// Maps a frame given in this frame to the frame this one is given in.
    #[inline]
    pub fn then(&self, inner: &Placement) -> Placement {
        Placement { position: self.point(&inner.position), rotation: self.rotation * inner.rotation }
    }

    /// Returns the inverse placement.
    pub fn inverse(&self) -> Placement {
        let rotation = self.rotation.inverse();
        Placement { position: rotation * -self.position, rotation }
    }
}

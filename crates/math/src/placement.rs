//! Rigid placements: a position and an orientation.

use crate::{Quat, Vec3};

/// Position and orientation of a frame, given in another frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Metres.
    pub position: Vec3,
    pub rotation: Quat,
}

impl Placement {
    pub const IDENTITY: Placement = Placement {
        position: Vec3::new(0.0, 0.0, 0.0),
        rotation: Quat::new_unchecked(nalgebra::Quaternion::new(1.0, 0.0, 0.0, 0.0)),
    };

    pub fn new(position: Vec3, rotation: Quat) -> Self {
        Self { position, rotation }
    }

    pub fn at(position: Vec3) -> Self {
        Self { position, rotation: Quat::identity() }
    }

    /// A point given in this frame, in the frame this one is given in.
    #[inline]
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.position + self.rotation * local
    }

    /// The inverse of [`Placement::point`].
    #[inline]
    pub fn local_point(&self, world: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(&(world - self.position))
    }

    /// `self` then `inner`: a frame given in this frame, seen from outside.
    #[inline]
    pub fn then(&self, inner: &Placement) -> Placement {
        Placement { position: self.point(&inner.position), rotation: self.rotation * inner.rotation }
    }

    /// The placement that undoes this one.
    pub fn inverse(&self) -> Placement {
        let rotation = self.rotation.inverse();
        Placement { position: rotation * -self.position, rotation }
    }
}

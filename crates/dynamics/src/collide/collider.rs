//! Colliders: shapes on bodies with their placement, material and collision groups.

use super::Shape;
use crate::Placement;
use crate::math::Real;

id! {
    /// Identifier of a collider in its world.
    ColliderId
}

/// Friction and restitution of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's µ; a pair has the geometric mean of both.
    pub friction: Real,
    /// Coefficient of restitution, 0 to 1; a pair has the larger one.
    pub restitution: Real,
    /// Lever of the normal force that resists rolling, metres; a pair has the larger one.
    pub rolling: Real,
    /// Lever of the normal force that resists spinning about the normal, metres; a pair has the larger one.
    pub spinning: Real,
}

impl Default for Material {
    fn default() -> Self {
        Self { friction: 0.6, restitution: 0.0, rolling: 0.0, spinning: 0.0 }
    }
}

impl Material {
    /// Combines the materials of a pair of surfaces.
    #[inline]
    pub fn with(&self, other: &Material) -> Material {
        Material {
            friction: (self.friction * other.friction).sqrt(),
            restitution: self.restitution.max(other.restitution),
            rolling: self.rolling.max(other.rolling),
            spinning: self.spinning.max(other.spinning),
        }
    }
}

/// Collision groups. Two colliders collide if each one's groups are in the other's mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Bits of the groups that the collider is in.
    pub member: u32,
    /// Bits of the groups that it collides with.
    pub mask: u32,
}

impl Default for Groups {
    fn default() -> Self {
        Self { member: 1, mask: u32::MAX }
    }
}

impl Groups {
    /// Returns true if the groups allow the pair to collide.
    #[inline]
    pub fn collide_with(&self, other: &Groups) -> bool {
        self.member & other.mask != 0 && other.member & self.mask != 0
    }
}

/// Shape on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Shape in the collider's frame, metres.
    pub shape: Shape,
    /// Placement in the body's frame (origin at the centre of mass), metres.
    pub placement: Placement,
    /// Material of the surface.
    pub material: Material,
    /// Collision groups.
    pub groups: Groups,
    /// Family number. Colliders of one family other than 0, such as the segments of one figure, do not collide; pairs
    /// can be allowed one by one (see [`super::PairFilter`]).
    pub family: u32,
}

impl Collider {
    /// Makes a collider in the body's frame, of the default material, that collides with all others.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            placement: Placement::IDENTITY,
            material: Material::default(),
            groups: Groups::default(),
            family: 0,
        }
    }

    /// Sets the placement in the body's frame, metres.
    pub fn at(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    /// Sets the material.
    pub fn with_material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// Sets the collision groups.
    pub fn in_groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }

    /// Sets the family; 0 is none.
    pub fn of_family(mut self, family: u32) -> Self {
        self.family = family;
        self
    }
}

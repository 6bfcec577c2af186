//! A shape on a body: where it sits, what it is made of, and whom it meets.

use super::Shape;
use crate::Placement;
use crate::math::Real;

/// A collider of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColliderId(pub(crate) u32);

impl ColliderId {
    /// Its place in the order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a surface rubs and bounces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's µ; a pair rubs with the geometric mean of both.
    pub friction: Real,
    /// 0 stays, 1 bounces back at full speed; a pair takes the larger one.
    pub restitution: Real,
    /// Lever of the normal force that resists rolling, metres; a pair takes the larger one.
    pub rolling: Real,
    /// Lever of the normal force that resists spinning about the normal, metres; a pair takes the larger one.
    pub spinning: Real,
}

impl Default for Material {
    fn default() -> Self {
        Self { friction: 0.6, restitution: 0.0, rolling: 0.0, spinning: 0.0 }
    }
}

impl Material {
    /// What a pair of surfaces does.
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

/// Two colliders meet when each one's groups are among those the other one meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Bits of the groups it is in.
    pub member: u32,
    /// Bits of the groups it meets.
    pub meets: u32,
}

impl Default for Groups {
    fn default() -> Self {
        Self { member: 1, meets: u32::MAX }
    }
}

impl Groups {
    #[inline]
    pub fn meets(&self, other: &Groups) -> bool {
        self.member & other.meets != 0 && other.member & self.meets != 0
    }
}

/// A shape on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    pub shape: Shape,
    /// In the body's frame (origin at the centre of mass).
    pub placement: Placement,
    pub material: Material,
    pub groups: Groups,
    /// Colliders of one family, other than 0, do not meet: the segments of one figure. Pairs can be let in one by one.
    pub family: u32,
}

impl Collider {
    /// In the body's frame, of the default material, meeting everything.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            placement: Placement::IDENTITY,
            material: Material::default(),
            groups: Groups::default(),
            family: 0,
        }
    }

    pub fn at(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    pub fn with_material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    pub fn in_groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }

    pub fn of_family(mut self, family: u32) -> Self {
        self.family = family;
        self
    }
}

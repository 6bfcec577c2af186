//! Where two colliders touch, or are about to.

use super::{ColliderId, Material};
use crate::body::BodyId;
use crate::math::{Real, Vec3};

/// One point of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// On the surface of A, in the frame of body A.
    pub on_a: Vec3,
    /// On the surface of B, in the frame of body B.
    pub on_b: Vec3,
    /// Along the normal, metres; negative where they overlap.
    pub distance: Real,
    /// The same number for the same pair of features (corner, edge, face) from step to step.
    pub feature: u32,
}

/// Points of one pair of colliders that share a normal.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifold {
    pub a: ColliderId,
    pub b: ColliderId,
    pub body_a: BodyId,
    pub body_b: BodyId,
    /// World axes, from A towards B.
    pub normal: Vec3,
    /// What the pair is made of.
    pub material: Material,
    /// Radius by which A and B are rounded where they touch, metres: their points stay in place while they roll.
    pub rounding: [Real; 2],
    points: [ContactPoint; Manifold::MOST_POINTS],
    count: usize,
}

impl Manifold {
    /// Enough for a face on a face. Pairs of more points have several manifolds.
    pub const MOST_POINTS: usize = 4;

    pub fn new(a: (ColliderId, BodyId), b: (ColliderId, BodyId), normal: Vec3, material: Material) -> Self {
        let nothing = ContactPoint { on_a: Vec3::zeros(), on_b: Vec3::zeros(), distance: 0.0, feature: 0 };
        let points = [nothing; Manifold::MOST_POINTS];
        Self { a: a.0, b: b.0, body_a: a.1, body_b: b.1, normal, material, rounding: [0.0; 2], points, count: 0 }
    }

    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count]
    }

    /// Adds a point; false when there is no room for one more.
    pub fn add(&mut self, point: ContactPoint) -> bool {
        let room = self.count < Manifold::MOST_POINTS;
        if room {
            self.points[self.count] = point;
            self.count += 1;
        }
        room
    }
}

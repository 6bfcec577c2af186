//! Contact manifolds of pairs of colliders that touch or are about to.

use super::{ColliderId, Material};
use crate::body::BodyId;
use crate::math::{Real, Vec3};

/// Point of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Point on the surface of A, metres, in the frame of body A.
    pub on_a: Vec3,
    /// Point on the surface of B, metres, in the frame of body B.
    pub on_b: Vec3,
    /// Distance along the normal, metres; negative for an overlap.
    pub distance: Real,
    /// Number of the pair of features (corner, edge, face), the same from step to step.
    pub feature: u32,
}

/// Points of one pair of colliders that share a normal.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifold {
    /// First collider.
    pub a: ColliderId,
    /// Second collider.
    pub b: ColliderId,
    /// Body of the first collider.
    pub body_a: BodyId,
    /// Body of the second collider.
    pub body_b: BodyId,
    /// Unit normal from A towards B, world axes.
    pub normal: Vec3,
    /// Combined material of the pair.
    pub material: Material,
    /// Radius by which A and B are rounded at the points, metres: the points stay in place while they roll.
    pub rounding: [Real; 2],
    points: [ContactPoint; Manifold::MOST_POINTS],
    count: usize,
}

impl Manifold {
    /// Number of points of a face on a face. Pairs of more points have several manifolds.
    pub const MOST_POINTS: usize = 4;

    /// Makes a manifold without points.
    pub fn new(a: (ColliderId, BodyId), b: (ColliderId, BodyId), normal: Vec3, material: Material) -> Self {
        let nothing = ContactPoint { on_a: Vec3::zeros(), on_b: Vec3::zeros(), distance: 0.0, feature: 0 };
        let points = [nothing; Manifold::MOST_POINTS];
        Self { a: a.0, b: b.0, body_a: a.1, body_b: b.1, normal, material, rounding: [0.0; 2], points, count: 0 }
    }

    /// Returns the points.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count]
    }

    /// Adds a point; returns false if there is no room for one more.
    pub fn add(&mut self, point: ContactPoint) -> bool {
        let room = self.count < Manifold::MOST_POINTS;
        if room {
            self.points[self.count] = point;
            self.count += 1;
        }
        room
    }
}

//! Scalar coordinates of frame B in frame A: the displacement along an axis, or the angle about it.
//!
//! ```text
//!  Slide(a)     x = a·(P_b − P_a)                       a an axis of frame A
//!  Rotation(a)  x = 2 atan2(q_a, q_w), q = Q_aᵀ Q_b     the twist about a, counted over whole turns
//! ```
//!
//! ẋ and ẍ follow from [`super::point`] and [`super::relative_rotation`]. Limits, springs, powered axes and gears are
//! statements about coordinates.

use super::joint::{Axis, Joint};
use super::point::{Anchor, Seen};
use super::relative_rotation::{RelativeRotation, near_angle};
use crate::Placement;
use crate::body::BodyId;
use crate::math::Real;
use crate::rows::{RowBuilder, Scope};
use crate::world::World;

/// Degree of freedom that a [`Coordinate`] measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Displacement along an axis of frame A, metres.
    Slide(Axis),
    /// Angle about an axis of frame A, radians, counted over whole turns.
    Rotation(Axis),
}

/// Displacement or angle of frame B in frame A along or about one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinate {
    /// Body that carries frame A; `None` is the world.
    pub a: Option<BodyId>,
    /// Frame A in body A's axes (world, without a body).
    pub frame_a: Placement,
    /// Body that carries frame B; `None` is the world.
    pub b: Option<BodyId>,
    /// Frame B in body B's axes.
    pub frame_b: Placement,
    /// Degree of freedom that is measured.
    pub freedom: Freedom,
    /// Angle after the last step, radians, over whole turns.
    last_angle: Real,
}

impl Joint {
    /// Coordinate of B's displacement along an axis of A.
    pub fn slide(&self, axis: Axis) -> Coordinate {
        self.coordinate(Freedom::Slide(axis))
    }

    /// Coordinate of B's angle about an axis of A.
    pub fn rotation(&self, axis: Axis) -> Coordinate {
        self.coordinate(Freedom::Rotation(axis))
    }

    fn coordinate(&self, freedom: Freedom) -> Coordinate {
        let Joint { a, b, frame_a, frame_b, .. } = *self;
        Coordinate { a, frame_a, b, frame_b, freedom, last_angle: 0.0 }
    }
}

impl Coordinate {
    /// Returns the present value, metres or radians. Whole turns are those counted by the constraint that owns the
    /// coordinate.
    pub fn read(&self, world: &World) -> Real {
        self.value(&world.scope())
    }

    /// Returns the value, metres or radians.
    #[inline]
    pub(crate) fn value(&self, scope: &Scope<'_>) -> Real {
        match self.freedom {
            Freedom::Slide(axis) => {
                let seen = self.seen(scope);
                let local = self.frame_a.local_point(&seen.local());
                local[axis.index()]
            }
            Freedom::Rotation(axis) => {
                let angle = self.relative_rotation(scope).value(|q| q.twist(axis.index()));
                near_angle(angle, self.last_angle)
            }
        }
    }

    /// Adds `factor`·ẋ to a row, with its curvature.
    pub(crate) fn push(&self, scope: &Scope<'_>, row: &mut RowBuilder<'_>, factor: Real) {
        match self.freedom {
            Freedom::Slide(axis) => {
                let seen = self.seen(scope);
                let n = seen.rotation * (self.frame_a.rotation * axis.vector()) * factor;
                seen.push(row, &n);
                row.spec.curvature += n.dot(&seen.bias(scope, &seen.velocity(scope)));
            }
            Freedom::Rotation(axis) => self.relative_rotation(scope).push(row, factor, |q| q.twist(axis.index())),
        }
    }

    /// Takes over the whole turns of an earlier statement.
    pub(crate) fn remember(&mut self, old: &Coordinate) {
        self.last_angle = old.last_angle;
    }

    /// Counts the whole turns.
    pub(crate) fn settle(&mut self, scope: &Scope<'_>) {
        if let Freedom::Rotation(_) = self.freedom {
            self.last_angle = self.value(scope);
        }
    }

    fn seen(&self, scope: &Scope<'_>) -> Seen {
        Seen::new(&Anchor { body: self.b, point: self.frame_b.position }, self.a, scope)
    }

    fn relative_rotation(&self, scope: &Scope<'_>) -> RelativeRotation {
        RelativeRotation::new(scope, self.a, &self.frame_a.rotation, self.b, &self.frame_b.rotation)
    }
}

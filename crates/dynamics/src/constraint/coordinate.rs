//! One number that says where frame B is in frame A: how far along an axis, or how far about it.
//!
//! ```text
//!  Slide(a)   x = a·(P_b − P_a)                       a an axis of frame A
//!  Turn(a)    x = 2 atan2(q_a, q_w), q = Q_aᵀ Q_b     the twist about a, counted over whole turns
//! ```
//!
//! ẋ and ẍ follow from [`super::point`] and [`super::turning`]. Limits, springs, powered axes and gears are statements
//! about such numbers.

use super::joint::{Axis, Joint};
use super::point::{Anchor, Seen};
use super::turning::Turning;
use crate::Placement;
use crate::body::BodyId;
use crate::math::Real;
use crate::rows::{RowBuilder, Scope};
use crate::world::World;

/// What a [`Coordinate`] measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Metres along an axis of frame A.
    Slide(Axis),
    /// Radians about an axis of frame A, counted over whole turns.
    Turn(Axis),
}

/// Where frame B is in frame A, along or about one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinate {
    pub a: Option<BodyId>,
    /// Frame A in body A's axes (world, without a body).
    pub frame_a: Placement,
    pub b: Option<BodyId>,
    /// Frame B in body B's axes.
    pub frame_b: Placement,
    pub freedom: Freedom,
    /// The last angle, over whole turns.
    turned: Real,
}

impl Joint {
    /// How far B is along an axis of A.
    pub fn slide(&self, axis: Axis) -> Coordinate {
        self.coordinate(Freedom::Slide(axis))
    }

    /// How far B is turned about an axis of A.
    pub fn turn(&self, axis: Axis) -> Coordinate {
        self.coordinate(Freedom::Turn(axis))
    }

    fn coordinate(&self, freedom: Freedom) -> Coordinate {
        let Joint { a, b, frame_a, frame_b, .. } = *self;
        Coordinate { a, frame_a, b, frame_b, freedom, turned: 0.0 }
    }
}

impl Coordinate {
    /// Its value now, metres or radians. Whole turns are those counted by the constraint that owns the coordinate.
    pub fn read(&self, world: &World) -> Real {
        self.value(&world.scope())
    }

    #[inline]
    pub(crate) fn value(&self, scope: &Scope<'_>) -> Real {
        match self.freedom {
            Freedom::Slide(axis) => {
                let seen = self.seen(scope);
                let local = self.frame_a.local_point(&seen.local());
                local[axis.index()]
            }
            Freedom::Turn(axis) => {
                let angle = self.turning(scope).value(|q| q.twist(axis.index()));
                let turn = 2.0 * std::f64::consts::PI;
                angle + turn * ((self.turned - angle) / turn).round()
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
            Freedom::Turn(axis) => self.turning(scope).push(row, factor, |q| q.twist(axis.index())),
        }
    }

    /// Counts turns on from where another one is.
    pub(crate) fn remember(&mut self, old: &Coordinate) {
        self.turned = old.turned;
    }

    /// Remembers the whole turns.
    pub(crate) fn settle(&mut self, scope: &Scope<'_>) {
        if let Freedom::Turn(_) = self.freedom {
            self.turned = self.value(scope);
        }
    }

    fn seen(&self, scope: &Scope<'_>) -> Seen {
        Seen::new(&Anchor { body: self.b, point: self.frame_b.position }, self.a, scope)
    }

    fn turning(&self, scope: &Scope<'_>) -> Turning {
        Turning::new(scope, self.a, &self.frame_a.rotation, self.b, &self.frame_b.rotation)
    }
}

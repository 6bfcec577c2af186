//! Constraints: everything that holds, drives or limits bodies by forces that can be read out.
//!
//! A [`Constraint`] carries the terms that all kinds share: interval of time, breaking force, switch. Its [`Kind`] is
//! the geometry. Most joints are one kind, [`Joint`], assembled from single-row [`Element`]s that can be added and
//! removed. Each kind's file opens with its rows: C, J and J̇v.

mod coordinate;
mod curve;
mod distance;
mod gear;
mod joint;
mod limit;
mod orientation;
mod path;
mod point;
mod relative_rotation;
mod rolling;
mod shapes;
mod spline;
mod surface;
#[cfg(test)]
mod tests;

pub use coordinate::{Coordinate, Freedom};
pub use curve::{Curve, OnCurve};
pub use distance::{Distance, Pulley, Span};
pub use gear::Gear;
pub use joint::{Axis, Drive, Element, Joint, JointTarget, TargetScript};
pub use limit::{Limit, LimitedSpring, Power, PoweredAxis};
pub use orientation::{Align, EulerLimit, Orientations, SwingTwist};
pub use path::{OnPath, Path};
pub use point::Anchor;
pub use rolling::{Roller, Rolling};
pub use shapes::frame_along;
pub use spline::{CubicSpline, Sample};
pub use surface::{Field, OnSurface, Surface};

use super::body::BodyId;
use super::rows::{Response, RowSink, Scope};
use crate::Placement;
use crate::math::{Real, Vec3, Vec6};

id! {
    /// Identifier of a constraint in its world.
    ConstraintId
}

/// Distance from an end at which its row is stated first, metres or radians, so that a step can stop in time.
const MARGIN: Real = 0.2;

/// Geometry of a constraint.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Joint between two frames.
    Joint(Joint),
    /// Point that follows a function of time.
    OnPath(OnPath),
    /// Point on a curve.
    OnCurve(OnCurve),
    /// Point on a surface, or on its positive side.
    OnSurface(OnSurface),
    /// Parallel axes of the same sense.
    Align(Align),
    /// Bar, rope or strut.
    Distance(Distance),
    /// Rope over wheels.
    Pulley(Pulley),
    /// Fixed ratio of two coordinates.
    Gear(Gear),
    /// Ball or wheel that does not slip.
    Rolling(Rolling),
    /// Range of a coordinate.
    Limit(Limit),
    /// Cone of swing and range of twist.
    SwingTwist(SwingTwist),
    /// Ranges of Euler angles.
    EulerLimit(EulerLimit),
    /// Spring between stops.
    LimitedSpring(LimitedSpring),
    /// Motor between stops.
    PoweredAxis(PoweredAxis),
}

/// Constraint with its terms: interval of time and breaking force.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Name shown in errors and reports.
    pub name: String,
    /// Geometry and rows.
    pub kind: Kind,
    /// Switch; a disabled constraint has no rows and no force.
    pub enabled: bool,
    /// Start of the interval in which it acts, seconds, inclusive.
    pub start: Real,
    /// End of the interval in which it acts, seconds, exclusive.
    pub end: Real,
    /// Norm of the multipliers above which it breaks (is disabled for good), N or N·m; `None` never breaks.
    pub break_force: Option<Real>,
}

impl Constraint {
    /// Makes a constraint that always acts and never breaks.
    pub fn new(kind: impl Into<Kind>) -> Self {
        Self {
            name: String::new(),
            kind: kind.into(),
            enabled: true,
            start: Real::NEG_INFINITY,
            end: Real::INFINITY,
            break_force: None,
        }
    }

    /// Sets the name shown in errors and reports.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Limits it to the interval from `start` to `end`, seconds.
    pub fn during(mut self, start: Real, end: Real) -> Self {
        (self.start, self.end) = (start, end);
        self
    }

    /// Sets the breaking force, N or N·m.
    pub fn breaking_at(mut self, force: Real) -> Self {
        self.break_force = Some(force);
        self
    }

    /// Returns true if it is enabled and acts at a time, seconds.
    pub fn acts_at(&self, time: Real) -> bool {
        self.enabled && time >= self.start && time < self.end
    }

    /// Disables it if `force`, N or N·m, exceeds the breaking force; returns true if it broke.
    pub(crate) fn put_to(&mut self, force: Real) -> bool {
        let breaks = self.break_force.is_some_and(|limit| force > limit);
        self.enabled &= !breaks;
        breaks
    }

    /// Returns the joint, if the kind is one.
    pub fn joint(&self) -> Option<&Joint> {
        match &self.kind {
            Kind::Joint(joint) => Some(joint),
            _ => None,
        }
    }

    /// Returns the joint mutably, if the kind is one, to change its target or elements.
    pub fn joint_mut(&mut self) -> Option<&mut Joint> {
        match &mut self.kind {
            Kind::Joint(joint) => Some(joint),
            _ => None,
        }
    }

    /// Lists the bodies it may act on; one may come twice.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + use<> {
        let two = |a: Option<BodyId>, b: Option<BodyId>| [a, b, None, None];
        let of = |c: &Coordinate| two(c.a, c.b);
        let bodies = match &self.kind {
            Kind::Joint(k) => two(k.a, k.b),
            Kind::OnPath(k) => two(k.point.body, None),
            Kind::OnCurve(k) => two(k.point.body, k.carrier),
            Kind::OnSurface(k) => two(k.point.body, k.carrier),
            Kind::Align(k) => two(k.frames.a, k.frames.b),
            Kind::Distance(k) => two(k.a.body, k.b.body),
            Kind::Pulley(k) => [k.first[0].body, k.first[1].body, k.second[0].body, k.second[1].body],
            Kind::Gear(Gear { coordinates: [k, l], .. }) => [k.a, k.b, l.a, l.b],
            Kind::Rolling(k) => two(Some(k.body), k.plane.body),
            Kind::Limit(k) => of(&k.coordinate),
            Kind::SwingTwist(k) => two(k.frames.a, k.frames.b),
            Kind::EulerLimit(k) => two(k.frames.a, k.frames.b),
            Kind::LimitedSpring(k) => of(&k.stops.coordinate),
            Kind::PoweredAxis(k) => of(&k.stops.coordinate),
        };
        bodies.into_iter().flatten()
    }

    /// Returns true if it has only one-sided rows, stated near the limit alone.
    pub(crate) fn comes_and_goes(&self) -> bool {
        matches!(self.kind, Kind::Limit(_) | Kind::SwingTwist(_) | Kind::EulerLimit(_))
    }

    /// Returns true if its target is a function of time.
    pub(crate) fn is_scripted(&self) -> bool {
        match &self.kind {
            Kind::Joint(joint) => joint.script.is_some(),
            Kind::OnPath(_) => true,
            _ => false,
        }
    }

    /// Drops the memory of its last place of action.
    pub(crate) fn forget(&mut self) {
        if let Kind::OnCurve(k) = &mut self.kind {
            k.forget();
        }
    }

    /// Returns true if its rows are those of a pivot (see [`crate::solve::Block::pivot`]).
    #[inline]
    pub(crate) fn is_pivot(&self) -> bool {
        self.joint().is_some_and(Joint::is_pivot)
    }

    /// Lists the points of action of its forces on each body, from the centre of mass, body axes; empty for kinds
    /// without such a point.
    pub(crate) fn levers(&self) -> impl Iterator<Item = (BodyId, Vec3)> {
        let anchor = |body: Option<BodyId>, frame: &Placement| Some(Anchor { body, point: frame.position });
        let anchors = match &self.kind {
            Kind::Joint(k) => [anchor(k.a, &k.frame_a), anchor(k.b, &k.frame_b), None, None],
            Kind::OnPath(OnPath { point, .. })
            | Kind::OnCurve(OnCurve { point, .. })
            | Kind::OnSurface(OnSurface { point, .. }) => [Some(*point), None, None, None],
            Kind::Distance(k) => [Some(k.a), Some(k.b), None, None],
            Kind::Pulley(k) => [k.first[0], k.first[1], k.second[0], k.second[1]].map(Some),
            _ => [None; 4],
        };
        anchors.into_iter().flatten().filter_map(|anchor| Some((anchor.body?, anchor.point)))
    }

    /// Evaluates targets that are functions of time; called before rows are stated.
    pub(crate) fn aim(&mut self, time: Real) {
        if let Kind::Joint(joint) = &mut self.kind {
            joint.aim(time);
        }
    }

    /// Returns true if `settle` changes anything.
    #[inline]
    pub(crate) fn remembers(&self) -> bool {
        match &self.kind {
            Kind::Joint(joint) => joint.counts_revolutions(),
            Kind::OnCurve(_) | Kind::Gear(_) | Kind::Limit(_) | Kind::LimitedSpring(_) | Kind::PoweredAxis(_) => true,
            _ => false,
        }
    }

    /// Updates its memory (revolutions counted, place on a curve, …); called when the constraint is added and once per
    /// finished step.
    pub(crate) fn settle(&mut self, scope: &Scope<'_>) {
        let acts = self.acts_at(scope.time);
        match &mut self.kind {
            Kind::Joint(k) => k.settle(scope),
            Kind::OnCurve(k) if acts => k.settle(scope),
            Kind::OnCurve(k) => k.forget(),
            Kind::Gear(k) => k.settle(scope),
            Kind::Limit(k) => k.coordinate.settle(scope),
            Kind::LimitedSpring(k) => k.stops.coordinate.settle(scope),
            Kind::PoweredAxis(k) => k.stops.coordinate.settle(scope),
            _ => {}
        }
    }
}

impl Kind {
    /// Takes over the memory of an earlier statement of the same constraint: revolutions, places on curves, meshed
    /// teeth.
    pub(crate) fn remembering(mut self, old: &Kind) -> Kind {
        match (&mut self, old) {
            (Kind::Joint(new), Kind::Joint(old)) => new.remember(old),
            (Kind::OnCurve(new), Kind::OnCurve(old)) => new.remember(old),
            (Kind::Gear(new), Kind::Gear(old)) => new.remember(old),
            (Kind::Limit(new), Kind::Limit(old)) => new.coordinate.remember(&old.coordinate),
            (Kind::LimitedSpring(new), Kind::LimitedSpring(old)) => {
                new.stops.coordinate.remember(&old.stops.coordinate);
            }
            (Kind::PoweredAxis(new), Kind::PoweredAxis(old)) => new.stops.coordinate.remember(&old.stops.coordinate),
            _ => {}
        }
        self
    }
}

/// Implements `From` of every kind for [`Kind`], and the statement of its rows.
macro_rules! kinds {
    ($($kind:ident),*) => {
        impl Constraint {
            /// States the rows; `pivot` is the result of [`Constraint::is_pivot`], which callers have at hand.
            #[inline]
            pub(crate) fn emit(&self, pivot: bool, scope: &Scope<'_>, sink: &mut impl RowSink) {
                match &self.kind {
                    Kind::Joint(k) => k.emit(pivot, scope, sink),
                    $(Kind::$kind(k) => k.emit(scope, sink)),*
                }
            }
        }

        kinds!(from: Joint, $($kind),*);
    };
    (from: $($kind:ident),*) => {
        $(impl From<$kind> for Kind {
            fn from(kind: $kind) -> Self {
                Kind::$kind(kind)
            }
        })*
    };
}

kinds! {
    OnPath, OnCurve, OnSurface, Align, Distance, Pulley, Gear, Rolling, Limit, SwingTwist, EulerLimit, LimitedSpring,
    PoweredAxis
}

/// Gives kinds whose rows share one response a way to set it.
macro_rules! responding {
    ($($kind:ident),*) => {
        $(impl $kind {
            /// Sets the response of the rows (of a [`PoweredAxis`]: that which approaches a position).
            pub fn responding(mut self, response: Response) -> Self {
                self.response = response;
                self
            }
        })*
    };
}

responding!(OnPath, OnCurve, OnSurface, Align, Distance, Pulley, Limit, SwingTwist, EulerLimit, PoweredAxis);

/// Multipliers and wrenches of a constraint, read after a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Multipliers, one per row, N or N·m, in the order of the rows.
    pub multipliers: Vec<Real>,
    /// Force and torque on each body about its centre of mass, world axes: force first.
    pub wrenches: Vec<(BodyId, Vec6)>,
}

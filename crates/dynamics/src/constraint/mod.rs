//! Constraints: everything that holds, drives or limits bodies by forces that can be read out.
//!
//! One value, [`Constraint`], carries what all kinds share: when it acts, when it breaks, whether it is switched
//! on. [`Kind`] is the geometry. Most joints are one kind, [`Joint`], put together from single-row [`Element`]s
//! that can be added and taken away. Each kind's file opens with its rows: C, J and J̇v.

mod coordinate;
mod curve;
mod distance;
mod gear;
mod joint;
mod limit;
mod orientation;
mod path;
mod point;
mod rolling;
mod shapes;
mod spline;
mod surface;
#[cfg(test)]
mod tests;
mod turning;

pub use coordinate::{Coordinate, Freedom};
pub use curve::{Curve, OnCurve};
pub use distance::{Distance, Pulley, Span};
pub use gear::Gear;
pub use joint::rotation_vector;
pub use joint::{Axis, Drive, Element, Joint, JointTarget, TargetScript};
pub use limit::{Limit, LimitedSpring, Power, PoweredAxis};
pub use orientation::{Align, EulerLimit, Orientations, SwingTwist};
pub use path::{OnPath, Path};
pub use point::Anchor;
pub use rolling::tangents;
pub use rolling::{Roller, Rolling};
pub use shapes::frame_along;
pub use spline::{CubicSpline, Sample};
pub use surface::{Field, OnSurface, Surface};

use super::body::BodyId;
use super::rows::{RowSink, Scope};
use crate::math::{Real, Vec3, Vec6};

/// A constraint of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstraintId(pub(crate) u32);

impl ConstraintId {
    /// Its place in the order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The geometry of a constraint.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Any joint between two frames.
    Joint(Joint),
    /// A point that follows a path of time.
    OnPath(OnPath),
    /// A point on a curve.
    OnCurve(OnCurve),
    /// A point on a surface, or outside of it.
    OnSurface(OnSurface),
    /// Axes that point the same way.
    Align(Align),
    /// A bar, rope or strut.
    Distance(Distance),
    /// A rope over wheels.
    Pulley(Pulley),
    /// Two coordinates in a fixed ratio.
    Gear(Gear),
    /// A ball or wheel that does not slip.
    Rolling(Rolling),
    /// A coordinate between two ends.
    Limit(Limit),
    /// A cone of swing and a range of twist.
    SwingTwist(SwingTwist),
    /// Ranges of Euler angles.
    EulerLimit(EulerLimit),
    /// A spring between stops.
    LimitedSpring(LimitedSpring),
    /// A motor between stops.
    PoweredAxis(PoweredAxis),
}

/// A constraint with its terms: when it acts, and when it gives way.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Shown in errors and reports.
    pub name: String,
    pub kind: Kind,
    /// Switched off, it has no rows and no force.
    pub enabled: bool,
    /// Acts from this time on, seconds.
    pub start: Real,
    /// Acts up to this time, seconds.
    pub end: Real,
    /// Breaks (is switched off for good) when the norm of its multipliers exceeds this, N or N·m.
    pub break_force: Option<Real>,
}

impl Constraint {
    /// Acts always, never breaks.
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

    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Acts from `start` to `end` only, seconds.
    pub fn during(mut self, start: Real, end: Real) -> Self {
        (self.start, self.end) = (start, end);
        self
    }

    /// Gives way above this force, N or N·m.
    pub fn breaking_at(mut self, force: Real) -> Self {
        self.break_force = Some(force);
        self
    }

    /// Whether it acts at this time.
    pub fn acts_at(&self, time: Real) -> bool {
        self.enabled && time >= self.start && time < self.end
    }

    /// Switches it off if the force, N or N·m, is more than it can bear; true if it broke.
    pub(crate) fn put_to(&mut self, force: Real) -> bool {
        let breaks = self.break_force.is_some_and(|limit| force > limit);
        self.enabled &= !breaks;
        breaks
    }

    /// The joint, if it is one.
    pub fn joint(&self) -> Option<&Joint> {
        match &self.kind {
            Kind::Joint(joint) => Some(joint),
            _ => None,
        }
    }

    /// The joint, if it is one, to give it another target or other elements.
    pub fn joint_mut(&mut self) -> Option<&mut Joint> {
        match &mut self.kind {
            Kind::Joint(joint) => Some(joint),
            _ => None,
        }
    }

    /// The bodies it may act on; one may come twice.
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
            Kind::Gear(k) => {
                let [one, other] = &k.coordinates;
                [one.a, one.b, other.a, other.b]
            }
            Kind::Rolling(k) => two(Some(k.body), k.plane.body),
            Kind::Limit(k) => of(&k.coordinate),
            Kind::SwingTwist(k) => two(k.frames.a, k.frames.b),
            Kind::EulerLimit(k) => two(k.frames.a, k.frames.b),
            Kind::LimitedSpring(k) => of(&k.stops.coordinate),
            Kind::PoweredAxis(k) => of(&k.stops.coordinate),
        };
        bodies.into_iter().flatten()
    }

    /// Whether it has nothing but one-sided rows, stated only near the limit.
    pub(crate) fn comes_and_goes(&self) -> bool {
        matches!(self.kind, Kind::Limit(_) | Kind::SwingTwist(_) | Kind::EulerLimit(_))
    }

    /// Whether it is led by a function of time.
    pub(crate) fn is_scripted(&self) -> bool {
        match &self.kind {
            Kind::Joint(joint) => joint.script.is_some(),
            Kind::OnPath(_) => true,
            _ => false,
        }
    }

    /// Drops what it remembers of where it acted.
    pub(crate) fn forget(&mut self) {
        if let Kind::OnCurve(k) = &mut self.kind {
            k.forget();
        }
    }

    /// Whether its rows are those of a pivot (see [`crate::solve::Block::pivot`]).
    #[inline]
    pub(crate) fn is_pivot(&self) -> bool {
        match &self.kind {
            Kind::Joint(joint) => joint.is_pivot(),
            _ => false,
        }
    }

    /// Where its forces act on each body, from the centre of mass, body axes; empty where it has no such point.
    pub(crate) fn levers(&self) -> impl Iterator<Item = (BodyId, Vec3)> {
        let anchors = match &self.kind {
            Kind::Joint(joint) => [
                Some(Anchor { body: joint.a, point: joint.frame_a.position }),
                Some(Anchor { body: joint.b, point: joint.frame_b.position }),
                None,
                None,
            ],
            Kind::OnPath(k) => [Some(k.point), None, None, None],
            Kind::OnCurve(k) => [Some(k.point), None, None, None],
            Kind::OnSurface(k) => [Some(k.point), None, None, None],
            Kind::Distance(k) => [Some(k.a), Some(k.b), None, None],
            Kind::Pulley(k) => [k.first[0], k.first[1], k.second[0], k.second[1]].map(Some),
            _ => [None; 4],
        };
        anchors.into_iter().flatten().filter_map(|anchor| Some((anchor.body?, anchor.point)))
    }

    /// States the rows; `pivot` is what [`Constraint::is_pivot`] says, which callers know already.
    #[inline]
    pub(crate) fn emit(&self, pivot: bool, scope: &Scope<'_>, sink: &mut impl RowSink) {
        match &self.kind {
            Kind::Joint(k) => k.emit(pivot, scope, sink),
            Kind::OnPath(k) => k.emit(scope, sink),
            Kind::OnCurve(k) => k.emit(scope, sink),
            Kind::OnSurface(k) => k.emit(scope, sink),
            Kind::Align(k) => k.emit(scope, sink),
            Kind::Distance(k) => k.emit(scope, sink),
            Kind::Pulley(k) => k.emit(scope, sink),
            Kind::Gear(k) => k.emit(scope, sink),
            Kind::Rolling(k) => k.emit(scope, sink),
            Kind::Limit(k) => k.emit(scope, sink),
            Kind::SwingTwist(k) => k.emit(scope, sink),
            Kind::EulerLimit(k) => k.emit(scope, sink),
            Kind::LimitedSpring(k) => k.emit(scope, sink),
            Kind::PoweredAxis(k) => k.emit(scope, sink),
        }
    }

    /// Called before rows are stated, so that targets given as functions of time are taken at that time.
    pub(crate) fn aim(&mut self, time: Real) {
        if let Kind::Joint(joint) = &mut self.kind {
            joint.aim(time);
        }
    }

    /// Whether `settle` has anything to do.
    #[inline]
    pub(crate) fn remembers(&self) -> bool {
        match &self.kind {
            Kind::Joint(joint) => joint.counts_turns(),
            Kind::OnCurve(_) | Kind::Gear(_) | Kind::Limit(_) | Kind::LimitedSpring(_) | Kind::PoweredAxis(_) => true,
            Kind::OnPath(_)
            | Kind::OnSurface(_)
            | Kind::Align(_)
            | Kind::Distance(_)
            | Kind::Pulley(_)
            | Kind::Rolling(_)
            | Kind::SwingTwist(_)
            | Kind::EulerLimit(_) => false,
        }
    }

    /// Called when the constraint is added and once per finished step, so that it can remember turns counted, contact
    /// points moved, ….
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
            Kind::OnPath(_)
            | Kind::OnSurface(_)
            | Kind::Align(_)
            | Kind::Distance(_)
            | Kind::Pulley(_)
            | Kind::Rolling(_)
            | Kind::SwingTwist(_)
            | Kind::EulerLimit(_) => {}
        }
    }
}

impl Kind {
    /// Takes over what another statement of the same constraint remembers: turns counted, places on wires, teeth.
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

/// Every kind can be given where a [`Kind`] is asked for.
macro_rules! kinds {
    ($($kind:ident),*) => {
        $(impl From<$kind> for Kind {
            fn from(kind: $kind) -> Self {
                Kind::$kind(kind)
            }
        })*
    };
}

kinds!(
    Joint,
    OnPath,
    OnCurve,
    OnSurface,
    Align,
    Distance,
    Pulley,
    Gear,
    Rolling,
    Limit,
    SwingTwist,
    EulerLimit,
    LimitedSpring,
    PoweredAxis
);

/// What a constraint does to the bodies it joins, read after a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reaction {
    /// One multiplier per row, N or N·m, in the order the rows are stated.
    pub multipliers: Vec<Real>,
    /// Force and torque on each body about its centre of mass, world axes: force first.
    pub wrenches: Vec<(BodyId, Vec6)>,
}

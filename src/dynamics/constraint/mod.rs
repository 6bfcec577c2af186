//! Constraints: everything that holds, drives or limits bodies by forces that can be read out.
//!
//! One value, [`Constraint`], carries what all kinds share: when it acts, when it breaks, whether it is switched
//! on. [`Kind`] is the geometry. Most joints are one kind, [`Joint`], put together from single-row [`Element`]s
//! that can be added and taken away.

mod joint;

pub(crate) use joint::rotation_vector;
pub use joint::{Axis, Drive, Element, Joint, JointTarget, TargetScript};

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

    /// The bodies it may act on, for checks.
    pub(crate) fn bodies(&self) -> Vec<BodyId> {
        match &self.kind {
            Kind::Joint(joint) => [joint.a, joint.b].into_iter().flatten().collect(),
        }
    }

    /// Whether its rows are those of a pivot (see [`crate::dynamics::solve::Block::pivot`]).
    #[inline]
    pub(crate) fn is_pivot(&self) -> bool {
        match &self.kind {
            Kind::Joint(joint) => joint.is_pivot(),
        }
    }

    /// Where its forces act on each body, from the centre of mass, body axes; empty where it has no such point.
    pub(crate) fn levers(&self) -> impl Iterator<Item = (BodyId, Vec3)> {
        let [a, b] = match &self.kind {
            Kind::Joint(joint) => [(joint.a, joint.frame_a.position), (joint.b, joint.frame_b.position)],
        };
        [a, b].into_iter().filter_map(|(body, lever)| Some((body?, lever)))
    }

    #[inline]
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        match &self.kind {
            Kind::Joint(joint) => joint.emit(scope, sink),
        }
    }

    /// Called before rows are stated, so that targets given as functions of time are taken at that time.
    pub(crate) fn aim(&mut self, time: Real) {
        match &mut self.kind {
            Kind::Joint(joint) => joint.aim(time),
        }
    }

    /// Called once per finished step, so that a constraint can remember turns counted, contact points moved, ….
    pub(crate) fn settle(&mut self, scope: &Scope<'_>) {
        match &mut self.kind {
            Kind::Joint(joint) => joint.settle(scope),
        }
    }
}

impl From<Joint> for Kind {
    fn from(joint: Joint) -> Self {
        Kind::Joint(joint)
    }
}

/// What a constraint does to the bodies it joins, read after a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reaction {
    /// One multiplier per row, N or N·m, in the order the rows are stated.
    pub multipliers: Vec<Real>,
    /// Force and torque on each body about its centre of mass, world axes: force first.
    pub wrenches: Vec<(BodyId, Vec6)>,
}

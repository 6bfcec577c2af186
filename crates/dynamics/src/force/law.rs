//! The laws: springs, dampers, rubber, drag, fields, joint efforts, and whatever a closure says.
//!
//! ```text
//!  Spring    f = K (l − l₀) + D l̇                       along the line between two points, pulling both together
//!  Rubber    f = K max(l − l₀, 0) · s(l̇)                s = 1 while it opens, e while it closes, a cubic between
//!  Torsion   t = K φ + D ω                             φ the rotation vector from rest, or its part about one axis
//!  Drag      f = −(c₁ + c₂|v|) v,  t = −c_ω ω
//!  Damping   f = −d m v,  t = −d I ω                    every part of the body slows down alike
//!  Field     f = m g
//!  Wind      see `wind`
//!  Effort    t along a joint's own direction             replays a torque that inverse dynamics read out
//! ```

use super::wind::Sail;
use super::{ForceScope, Loads};
use crate::Placement;
use crate::body::BodyId;
use crate::constraint::{Anchor, Element, Joint, rotation_vector};
use crate::math::{Quat, Real, Vec3};
use std::fmt;
use std::sync::Arc;

type Push = dyn Fn(&ForceScope, &mut Loads) + Send + Sync;

/// A law that the user wrote.
#[derive(Clone)]
pub struct ForceLaw(pub Arc<Push>);

impl fmt::Debug for ForceLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ForceLaw")
    }
}

/// A strength that changes with time, N or N·m.
#[derive(Clone)]
pub struct Strength(pub(crate) Arc<dyn Fn(Real) -> Real + Send + Sync>);

impl fmt::Debug for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Strength")
    }
}

/// How a force comes about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Law {
    /// A spring and a damper between two points; either constant may be 0.
    Spring {
        a: Anchor,
        b: Anchor,
        /// Metres.
        rest_length: Real,
        /// N/m.
        stiffness: Real,
        /// N·s/m.
        damping: Real,
    },
    /// A string that only pulls, and pulls less while it closes, so that what hangs in it comes to rest.
    Rubber {
        a: Anchor,
        b: Anchor,
        /// Metres.
        rest_length: Real,
        /// N/m.
        stiffness: Real,
        /// Share of the force that is left while it closes.
        closing: Real,
        /// The share changes over closing speeds of ± this, m/s.
        smoothing: Real,
    },
    /// A spring and a damper against turning.
    Torsion {
        a: Option<BodyId>,
        b: Option<BodyId>,
        /// B's orientation seen from A at rest.
        rest: Quat,
        /// About this axis of A only.
        axis: Option<Vec3>,
        /// N·m/rad.
        stiffness: Real,
        /// N·m·s/rad.
        damping: Real,
    },
    /// The medium slows a body down.
    Drag {
        body: BodyId,
        /// N·s/m.
        linear: Real,
        /// N·s²/m².
        quadratic: Real,
        /// N·m·s/rad.
        angular: Real,
    },
    /// Velocity and spin die out with rate 1/s, whatever the body's shape.
    Damping { body: BodyId, rate: Real },
    /// An acceleration field on one body, or on all of them.
    Field { body: Option<BodyId>, acceleration: Vec3 },
    /// A torque or force between two frames, along the direction of a joint's row; see [`Law::effort`].
    Effort { joint: Box<EffortFrame>, strength: Strength },
    /// Air on a body's surface.
    Wind(Sail),
    /// A closure that pushes one body and looks at no other.
    Local { body: BodyId, law: ForceLaw },
    /// A closure.
    Custom(ForceLaw),
}

/// The two frames an effort acts between.
#[derive(Clone, Debug)]
pub struct EffortFrame {
    a: Option<BodyId>,
    b: Option<BodyId>,
    frame_a: Placement,
    frame_b: Placement,
    element: Element,
}

impl Law {
    /// A law given as a closure.
    pub fn custom(law: impl Fn(&ForceScope, &mut Loads) + Send + Sync + 'static) -> Self {
        Law::Custom(ForceLaw(Arc::new(law)))
    }

    /// A law given as a closure that pushes one body and looks at no other, so that the others may rest meanwhile.
    pub fn local(body: BodyId, law: impl Fn(&ForceScope, &mut Loads) + Send + Sync + 'static) -> Self {
        Law::Local { body, law: ForceLaw(Arc::new(law)) }
    }

    /// A torque (N·m) or force (N) that acts along a row of a joint as a function of time, in the row's sense: what
    /// [`crate::World::effort`] reads out of a prescribed joint moves the same joint, simulated, the same way.
    pub fn effort(joint: &Joint, element: Element, strength: impl Fn(Real) -> Real + Send + Sync + 'static) -> Self {
        let Joint { a, b, frame_a, frame_b, .. } = *joint;
        let frames = EffortFrame { a, b, frame_a, frame_b, element };
        Law::Effort { joint: Box::new(frames), strength: Strength(Arc::new(strength)) }
    }

    /// The bodies it names; a law that names none looks at all of them.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = BodyId> + use<> {
        let bodies = match self {
            Law::Spring { a, b, .. } | Law::Rubber { a, b, .. } => [a.body, b.body],
            Law::Torsion { a, b, .. } => [*a, *b],
            Law::Drag { body, .. } | Law::Damping { body, .. } => [Some(*body), None],
            Law::Field { body, .. } => [*body, None],
            Law::Effort { joint, .. } => [joint.a, joint.b],
            Law::Wind(sail) => [Some(sail.body()), None],
            Law::Local { body, .. } => [Some(*body), None],
            Law::Custom(_) => [None, None],
        };
        bodies.into_iter().flatten()
    }

    pub(crate) fn is_finite(&self) -> bool {
        let all = |numbers: &[Real]| numbers.iter().all(|x| x.is_finite());
        let points = |a: &Anchor, b: &Anchor| all(a.point.as_slice()) && all(b.point.as_slice());
        match self {
            Law::Spring { a, b, rest_length, stiffness, damping } => {
                points(a, b) && all(&[*rest_length, *stiffness, *damping])
            }
            Law::Rubber { a, b, rest_length, stiffness, closing, smoothing } => {
                points(a, b) && all(&[*rest_length, *stiffness, *closing, *smoothing])
            }
            Law::Torsion { rest, axis, stiffness, damping, .. } => {
                all(rest.coords.as_slice()) && axis.is_none_or(|a| all(a.as_slice())) && all(&[*stiffness, *damping])
            }
            Law::Drag { linear, quadratic, angular, .. } => all(&[*linear, *quadratic, *angular]),
            Law::Damping { rate, .. } => rate.is_finite(),
            Law::Field { acceleration, .. } => all(acceleration.as_slice()),
            Law::Wind(sail) => sail.is_finite(),
            Law::Effort { .. } | Law::Local { .. } | Law::Custom(_) => true,
        }
    }

    pub(crate) fn push(&self, scope: &ForceScope<'_>, loads: &mut Loads<'_>) {
        match self {
            &Law::Spring { ref a, ref b, rest_length, stiffness, damping } => {
                let line = Line::between(scope, a, b);
                let pull = line.answer(scope, line.length - rest_length, stiffness, damping);
                line.pull(loads, pull);
            }
            &Law::Rubber { ref a, ref b, rest_length, stiffness, closing, smoothing } => {
                let line = Line::between(scope, a, b);
                let stretch = line.length - rest_length;
                if stretch > 0.0 {
                    let share = opening_share(line.rate, closing, smoothing);
                    let pull = line.answer(scope, stretch, stiffness, 0.0).max(0.0);
                    line.pull(loads, share * pull);
                }
            }
            Law::Torsion { a, b, rest, axis, stiffness, damping } => {
                let (q_a, q_b) = (scope.state(*a).placement.rotation, scope.state(*b).placement.rotation);
                let turn = q_a * rotation_vector(&(q_a.inverse() * q_b * rest.inverse()));
                let spin = scope.state(*b).angular() - scope.state(*a).angular();
                let mut along = |axis: Vec3| {
                    let ease = scope.turning_ease(*a, &axis) + scope.turning_ease(*b, &axis);
                    let torque = bearable(scope, axis.dot(&turn), axis.dot(&spin), *stiffness, *damping, ease);
                    loads.torque(*a, axis * torque);
                    loads.torque(*b, axis * -torque);
                };
                match axis {
                    Some(axis) => along(q_a * axis.normalize()),
                    None => [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().for_each(along),
                }
            }
            &Law::Drag { body, linear, quadratic, angular } => {
                let id = Some(body);
                let (v, w) = (scope.state(id).linear(), scope.state(id).angular());
                let h = scope.lookahead;
                let constant = linear + quadratic * v.norm();
                loads.force(id, v * (-constant / (1.0 + h * constant / scope.mass(body))));
                let axis = w.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
                loads.torque(id, w * (-angular / (1.0 + h * angular * scope.turning_ease(id, &axis))));
            }
            &Law::Damping { body, rate } => {
                let slow = -rate / (1.0 + scope.lookahead * rate);
                loads.force(Some(body), scope.state(Some(body)).linear() * (slow * scope.mass(body)));
                loads.torque(Some(body), scope.spin_momentum(body) * slow);
            }
            Law::Field { body: Some(body), acceleration } => loads.force(Some(*body), acceleration * scope.mass(*body)),
            Law::Field { body: None, acceleration } => {
                scope.movable().for_each(|body| loads.force(Some(body), acceleration * scope.mass(body)));
            }
            Law::Effort { joint, strength } => joint.push(scope, loads, (strength.0)(scope.time)),
            Law::Wind(sail) => sail.push(scope, loads),
            Law::Local { law, .. } | Law::Custom(law) => (law.0)(scope, loads),
        }
    }

    /// What is stored, J; 0 for laws that store nothing. Rubber is counted as if it opened.
    pub(crate) fn energy(&self, scope: &ForceScope<'_>) -> Real {
        match self {
            Law::Spring { a, b, rest_length, stiffness, .. } => {
                0.5 * stiffness * (Line::between(scope, a, b).length - rest_length).powi(2)
            }
            Law::Rubber { a, b, rest_length, stiffness, .. } => {
                0.5 * stiffness * (Line::between(scope, a, b).length - rest_length).max(0.0).powi(2)
            }
            Law::Torsion { a, b, rest, axis, stiffness, .. } => {
                let (q_a, q_b) = (scope.state(*a).placement.rotation, scope.state(*b).placement.rotation);
                let turn = rotation_vector(&(q_a.inverse() * q_b * rest.inverse()));
                0.5 * stiffness * axis.map_or(turn.norm_squared(), |axis| axis.normalize().dot(&turn).powi(2))
            }
            Law::Field { body: Some(body), acceleration } => {
                -scope.mass(*body) * acceleration.dot(&scope.state(Some(*body)).placement.position)
            }
            Law::Field { body: None, acceleration } => scope
                .movable()
                .map(|body| -scope.mass(body) * acceleration.dot(&scope.state(Some(body)).placement.position))
                .sum(),
            Law::Drag { .. }
            | Law::Damping { .. }
            | Law::Effort { .. }
            | Law::Wind(_)
            | Law::Local { .. }
            | Law::Custom(_) => 0.0,
        }
    }
}

impl EffortFrame {
    /// Jᵀ·strength of the row that the element states.
    fn push(&self, scope: &ForceScope<'_>, loads: &mut Loads<'_>, strength: Real) {
        let (at_a, at_b) =
            (scope.state(self.a).placement.then(&self.frame_a), scope.state(self.b).placement.then(&self.frame_b));
        match self.element {
            Element::Point(axis) => self.force(loads, axis.vector() * strength, at_a.position, at_b.position),
            Element::Linear(axis) => {
                self.force(loads, at_a.rotation * axis.vector() * strength, at_b.position, at_b.position);
            }
            Element::Angular(axis) | Element::Twist(axis) => {
                self.torque(loads, at_a.rotation * axis.vector() * strength)
            }
            Element::Perpendicular(a, b) => {
                let (a, b) = (at_a.rotation * a.vector(), at_b.rotation * b.vector());
                self.torque(loads, b.cross(&a) * strength);
            }
        }
    }

    fn force(&self, loads: &mut Loads<'_>, force: Vec3, at_a: Vec3, at_b: Vec3) {
        loads.force_at(self.a, -force, at_a);
        loads.force_at(self.b, force, at_b);
    }

    fn torque(&self, loads: &mut Loads<'_>, torque: Vec3) {
        loads.torque(self.a, -torque);
        loads.torque(self.b, torque);
    }
}

/// The line between two anchors.
struct Line {
    a: Option<BodyId>,
    b: Option<BodyId>,
    at_a: Vec3,
    at_b: Vec3,
    /// From a to b; zero where they meet.
    direction: Vec3,
    length: Real,
    rate: Real,
}

impl Line {
    fn between(scope: &ForceScope<'_>, a: &Anchor, b: &Anchor) -> Self {
        let (state_a, state_b) = (scope.state(a.body), scope.state(b.body));
        let (at_a, at_b) = (state_a.placement.point(&a.point), state_b.placement.point(&b.point));
        let length = (at_b - at_a).norm();
        let direction = if length > 0.0 { (at_b - at_a) / length } else { Vec3::zeros() };
        let rate = direction.dot(&(state_b.velocity_at(&at_b) - state_a.velocity_at(&at_a)));
        Self { a: a.body, b: b.body, at_a, at_b, direction, length, rate }
    }

    fn answer(&self, scope: &ForceScope<'_>, stretch: Real, stiffness: Real, damping: Real) -> Real {
        let ease = if scope.lookahead > 0.0 {
            scope.ease_at(self.a, &self.at_a, &self.direction) + scope.ease_at(self.b, &self.at_b, &self.direction)
        } else {
            0.0
        };
        bearable(scope, stretch, self.rate, stiffness, damping, ease)
    }

    fn pull(&self, loads: &mut Loads<'_>, pull: Real) {
        loads.force_at(self.a, self.direction * pull, self.at_a);
        loads.force_at(self.b, self.direction * -pull, self.at_b);
    }
}

/// The force that brings a stretch back, with constants that the lookahead can bear.
fn bearable(scope: &ForceScope<'_>, stretch: Real, rate: Real, stiffness: Real, damping: Real, ease: Real) -> Real {
    let give = scope.lookahead * ease;
    let stiffness = if give > 0.0 { stiffness.min(1.0 / (scope.lookahead * give)) } else { stiffness };
    stiffness * stretch + damping * rate / (1.0 + give * damping)
}

/// 1 while the ends part, `closing` while they approach, a cubic between.
fn opening_share(rate: Real, closing: Real, smoothing: Real) -> Real {
    let x = if smoothing > 0.0 {
        ((rate + smoothing) / (2.0 * smoothing)).clamp(0.0, 1.0)
    } else {
        (rate >= 0.0) as u8 as Real
    };
    closing + (1.0 - closing) * x * x * (3.0 - 2.0 * x)
}

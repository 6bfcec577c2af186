//! Force laws: springs, dampers, rubber, drag, fields, joint efforts and closures.
//!
//! ```text
//!  Spring    f = K (l − l₀) + D l̇                       along the line between two points, pulling both together
//!  Rubber    f = K max(l − l₀, 0) · s(l̇)                s = 1 while it opens, e while it closes, a cubic between
//!  Torsion   t = K φ + D ω                             φ the rotation vector from rest, or its part about one axis
//!  Drag      f = −(c₁ + c₂|v|) v,  t = −c_ω ω
//!  Damping   f = −d m v,  t = −d I ω                    all parts of the body slow down at one rate
//!  Field     f = m g
//!  Wind      see `wind`
//!  Effort    t along a joint's own direction             replays a torque found by inverse dynamics
//! ```

use super::wind::Sail;
use super::{ForceScope, Loads};
use crate::Placement;
use crate::body::BodyId;
use crate::constraint::{Anchor, Element, Joint};
use crate::function::{Shared, TimeFunction};
use crate::math::{Quat, Real, Vec3, rotation_vector};
use std::sync::Arc;

/// Force law given as a closure.
pub type ForceLaw = Shared<dyn Fn(&ForceScope, &mut Loads) + Send + Sync>;

/// Force as a function of the bodies' states and of time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Law {
    /// Spring and damper between two points; either constant may be 0.
    Spring {
        /// First end.
        a: Anchor,
        /// Second end.
        b: Anchor,
        /// Rest length, metres.
        rest_length: Real,
        /// Stiffness, N/m.
        stiffness: Real,
        /// Damping, N·s/m.
        damping: Real,
    },
    /// String that only pulls, and pulls less while it closes, so that its load comes to rest.
    Rubber {
        /// First end.
        a: Anchor,
        /// Second end.
        b: Anchor,
        /// Rest length, metres.
        rest_length: Real,
        /// Stiffness, N/m.
        stiffness: Real,
        /// Share of the force that remains while it closes.
        closing: Real,
        /// Half width of the speeds over which the share changes, m/s.
        smoothing: Real,
    },
    /// Rotational spring and damper between two bodies.
    Torsion {
        /// First body; `None` is the world.
        a: Option<BodyId>,
        /// Second body; `None` is the world.
        b: Option<BodyId>,
        /// Orientation of B in A at rest.
        rest: Quat,
        /// Axis of A that it acts about; `None` for all rotations.
        axis: Option<Vec3>,
        /// Stiffness, N·m/rad.
        stiffness: Real,
        /// Damping, N·m·s/rad.
        damping: Real,
    },
    /// Resistance of a medium against a body.
    Drag {
        /// Body that is slowed down.
        body: BodyId,
        /// Linear coefficient c₁, N·s/m.
        linear: Real,
        /// Quadratic coefficient c₂, N·s²/m².
        quadratic: Real,
        /// Angular coefficient c_ω, N·m·s/rad.
        angular: Real,
    },
    /// Decay of velocity and angular velocity, for any shape of the body.
    Damping {
        /// Body that is slowed down.
        body: BodyId,
        /// Rate of decay, 1/s.
        rate: Real,
    },
    /// Acceleration field on one body, or on all of them.
    Field {
        /// Body in the field; `None` for all bodies.
        body: Option<BodyId>,
        /// Acceleration, m/s², world axes.
        acceleration: Vec3,
    },
    /// Torque or force between two frames, along the direction of a joint's row; see [`Law::effort`].
    Effort {
        /// Frames and direction.
        joint: Box<EffortFrame>,
        /// Multiplier of the row as a function of time.
        strength: TimeFunction<Real>,
    },
    /// Wind on a body's surface.
    Wind(Sail),
    /// Closure that acts on one body and reads no other.
    Local {
        /// Body that it acts on.
        body: BodyId,
        /// Closure.
        law: ForceLaw,
    },
    /// Closure that may act on any body.
    Custom(ForceLaw),
}

/// Frames that an effort acts between.
#[derive(Clone, Debug)]
pub struct EffortFrame {
    a: Option<BodyId>,
    b: Option<BodyId>,
    frame_a: Placement,
    frame_b: Placement,
    element: Element,
}

impl Law {
    /// Makes a law of a closure.
    pub fn custom(law: impl Fn(&ForceScope, &mut Loads) + Send + Sync + 'static) -> Self {
        Law::Custom(Shared(Arc::new(law)))
    }

    /// Makes a law of a closure that acts on one body and reads no other, so that the others may sleep.
    pub fn local(body: BodyId, law: impl Fn(&ForceScope, &mut Loads) + Send + Sync + 'static) -> Self {
        Law::Local { body, law: Shared(Arc::new(law)) }
    }

    /// Makes a torque (N·m) or force (N) along a row of a joint as a function of time (seconds), in the row's sense.
    /// The values that [`crate::World::effort`] returns for a prescribed joint move the same joint, simulated, the same
    /// way.
    pub fn effort(joint: &Joint, element: Element, strength: impl Fn(Real) -> Real + Send + Sync + 'static) -> Self {
        let Joint { a, b, frame_a, frame_b, .. } = *joint;
        let frames = EffortFrame { a, b, frame_a, frame_b, element };
        Law::Effort { joint: Box::new(frames), strength: TimeFunction::new(strength) }
    }

    /// Lists the bodies it names; a law that names none may read all of them.
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
                let rotation = q_a * rotation_vector(&(q_a.inverse() * q_b * rest.inverse()));
                let spin = scope.state(*b).angular() - scope.state(*a).angular();
                let mut along = |axis: Vec3| {
                    let ease = scope.inverse_inertia_about(*a, &axis) + scope.inverse_inertia_about(*b, &axis);
                    let torque = bearable(scope, axis.dot(&rotation), axis.dot(&spin), *stiffness, *damping, ease);
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
                loads.torque(id, w * (-angular / (1.0 + h * angular * scope.inverse_inertia_about(id, &axis))));
            }
            &Law::Damping { body, rate } => {
                let slow = -rate / (1.0 + scope.lookahead * rate);
                loads.force(Some(body), scope.state(Some(body)).linear() * (slow * scope.mass(body)));
                loads.torque(Some(body), scope.angular_momentum(body) * slow);
            }
            Law::Field { body: Some(body), acceleration } => loads.force(Some(*body), acceleration * scope.mass(*body)),
            Law::Field { body: None, acceleration } => {
                scope.movable().for_each(|body| loads.force(Some(body), acceleration * scope.mass(body)));
            }
            Law::Effort { joint, strength } => joint.push(scope, loads, strength.at(scope.time)),
            Law::Wind(sail) => sail.push(scope, loads),
            Law::Local { law, .. } | Law::Custom(law) => (law.0)(scope, loads),
        }
    }

    /// Returns the stored energy, J; 0 for laws that store none. Rubber is counted as if it opened.
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
                let rotation = rotation_vector(&(q_a.inverse() * q_b * rest.inverse()));
                0.5 * stiffness * axis.map_or(rotation.norm_squared(), |axis| axis.normalize().dot(&rotation).powi(2))
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
    /// Adds Jᵀ·strength of the row that the element states.
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

/// Line between two anchors.
struct Line {
    a: Option<BodyId>,
    b: Option<BodyId>,
    at_a: Vec3,
    at_b: Vec3,
    /// Unit direction from a to b; zero if they coincide.
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
            scope.inverse_mass_at(self.a, &self.at_a, &self.direction)
                + scope.inverse_mass_at(self.b, &self.at_b, &self.direction)
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

/// Returns the force against a stretch, with constants limited to those that are stable over the lookahead.
fn bearable(scope: &ForceScope<'_>, stretch: Real, rate: Real, stiffness: Real, damping: Real, ease: Real) -> Real {
    let give = scope.lookahead * ease;
    let stiffness = if give > 0.0 { stiffness.min(1.0 / (scope.lookahead * give)) } else { stiffness };
    stiffness * stretch + damping * rate / (1.0 + give * damping)
}

/// Returns 1 while the ends separate, `closing` while they approach, a cubic between.
fn opening_share(rate: Real, closing: Real, smoothing: Real) -> Real {
    let x = if smoothing > 0.0 {
        ((rate + smoothing) / (2.0 * smoothing)).clamp(0.0, 1.0)
    } else {
        (rate >= 0.0) as u8 as Real
    };
    closing + (1.0 - closing) * x * x * (3.0 - 2.0 * x)
}

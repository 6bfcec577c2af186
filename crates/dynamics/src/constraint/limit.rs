//! Limits: a coordinate between two ends, and the spring and the motor that work between them.
//!
//! ```text
//!  lower end   C = x − lower ≥ 0        J = ∂ẋ/∂v
//!  upper end   C = upper − x ≥ 0        J = −∂ẋ/∂v
//! ```
//!
//! An end states its row while x is near it, so that a step can stop in time. Soft ends push only once they are passed.

use super::MARGIN;
use super::coordinate::Coordinate;
use crate::math::Real;
use crate::rows::{Response, RowSink, Scope};

/// Range of a coordinate: one one-sided row at each end.
///
/// ```
/// use sinew_dynamics::{Axis, Constraint, Joint, Limit, Placement, World};
///
/// let mut world = World::new();
/// let hinge = Joint::hinge(None, Placement::IDENTITY, None, Placement::IDENTITY);
/// let stop = Limit::new(hinge.rotation(Axis::Z), -0.5, 1.2);
/// world.add_constraint(Constraint::new(hinge))?;
/// world.add_constraint(Constraint::new(stop))?;
/// # Ok::<(), sinew_dynamics::DynamicsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Coordinate that is limited.
    pub coordinate: Coordinate,
    /// Lower end, metres or radians; −∞ for none.
    pub lower: Real,
    /// Upper end, metres or radians; ∞ for none.
    pub upper: Real,
    /// Response of the ends; [`Response::Hard`] or a soft one.
    pub response: Response,
    /// Bound on the force of each end, N or N·m.
    pub max_force: Real,
    /// Distance from an end at which its row is stated, metres or radians: more than the coordinate moves in one step.
    pub margin: Real,
}

impl Limit {
    /// Makes hard ends with a margin of 0.2 m or rad.
    pub fn new(coordinate: Coordinate, lower: Real, upper: Real) -> Self {
        Self { coordinate, lower, upper, response: Response::Hard, max_force: Real::INFINITY, margin: MARGIN }
    }

    /// States the rows.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        self.emit_at(self.coordinate.value(scope), scope, sink);
    }

    /// States the rows at a known value of the coordinate.
    fn emit_at(&self, x: Real, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let terms = Terms { response: self.response, max_force: self.max_force, margin: self.margin };
        for (room, sign) in [(x - self.lower, 1.0), (self.upper - x, -1.0)] {
            terms.emit(room, sink, |row| self.coordinate.push(scope, row, sign));
        }
    }
}

/// Response, force bound and margin of the ends of any range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Terms {
    pub response: Response,
    pub max_force: Real,
    pub margin: Real,
}

impl Terms {
    /// States C = `room` ≥ 0, if the end is within the margin.
    pub fn emit(&self, room: Real, sink: &mut impl RowSink, build: impl FnOnce(&mut crate::rows::RowBuilder<'_>)) {
        let margin = if self.response == Response::Hard { self.margin } else { 0.0 };
        if room < margin {
            sink.row(room, |row| {
                build(row);
                row.spec.hi = self.max_force;
                row.spec.response = self.response;
                row.one_sided();
            });
        }
    }
}

/// Spring and damper along or about one axis, with stops at both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedSpring {
    /// Coordinate and its stops.
    pub stops: Limit,
    /// Value of the coordinate at which the spring is relaxed, metres or radians.
    pub rest: Real,
    /// Stiffness, N/m or N·m/rad.
    pub stiffness: Real,
    /// Damping, N·s/m or N·m·s/rad.
    pub damping: Real,
}

impl LimitedSpring {
    /// Makes a spring that is relaxed at 0, without damping, between hard stops.
    pub fn new(coordinate: Coordinate, stiffness: Real, lower: Real, upper: Real) -> Self {
        Self { stops: Limit::new(coordinate, lower, upper), rest: 0.0, stiffness, damping: 0.0 }
    }

    /// Sets the damping, N·s/m or N·m·s/rad.
    pub fn damped(mut self, damping: Real) -> Self {
        self.damping = damping;
        self
    }

    /// States the spring's row and those of the stops.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let x = self.stops.coordinate.value(scope);
        if self.stiffness > 0.0 || self.damping > 0.0 {
            sink.row(x - self.rest, |row| {
                self.stops.coordinate.push(scope, row, 1.0);
                row.spec.response = Response::Spring { stiffness: self.stiffness, damping: self.damping };
            });
        }
        self.stops.emit_at(x, scope, sink);
    }
}

/// Task of a powered axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Power {
    /// No drive: the axis moves freely between its ends.
    Off,
    /// Constant speed, m/s or rad/s.
    Speed(Real),
    /// Position at a time, continued with a speed and an acceleration.
    Position {
        /// Time of the position, seconds.
        time: Real,
        /// Position, metres or radians over whole turns.
        position: Real,
        /// Speed, m/s or rad/s.
        speed: Real,
        /// Acceleration, m/s² or rad/s².
        acceleration: Real,
    },
}

/// Axis with a motor of limited force and optional stops at both ends.
///
/// A motor that drives against a stop pushes with its full force, and the stop carries it. A motor of unlimited force
/// states no row there.
///
/// ```
/// use sinew_dynamics::Vec3;
/// use sinew_dynamics::{Axis, Body, Constraint, Joint, MassProperties, Placement, PoweredAxis, World};
///
/// // A flywheel with 0.1 kg·m² about its axis gets up to speed as fast as 2 N·m let it.
/// let mut world = World::new();
/// let wheel = MassProperties::new(1.0, Vec3::new(0.05, 0.05, 0.1));
/// let wheel = world.add_body(Body::dynamic("wheel", wheel, Placement::IDENTITY))?;
/// let hinge = Joint::hinge(None, Placement::IDENTITY, Some(wheel), Placement::IDENTITY);
/// let motor = PoweredAxis::new(hinge.rotation(Axis::Z), 2.0).at_speed(5.0);
/// world.add_constraint(Constraint::new(hinge))?;
/// world.add_constraint(Constraint::new(motor))?;
/// world.step(0.1)?;
/// assert!((world.state(wheel).angular().z - 2.0).abs() < 1e-9);
/// # Ok::<(), sinew_dynamics::DynamicsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoweredAxis {
    /// Axis and its stops.
    pub stops: Limit,
    /// Task of the motor.
    pub power: Power,
    /// Response that approaches a [`Power::Position`]; a [`Power::Speed`] is held exactly.
    pub response: Response,
    /// Bound on the motor's force, N or N·m.
    pub max_force: Real,
}

impl PoweredAxis {
    /// Makes an axis that is off and has no stops; `max_force` in N or N·m.
    pub fn new(coordinate: Coordinate, max_force: Real) -> Self {
        let stops = Limit::new(coordinate, Real::NEG_INFINITY, Real::INFINITY);
        Self { stops, power: Power::Off, response: Response::Hard, max_force }
    }

    /// Sets the stops, metres or radians.
    pub fn between(mut self, lower: Real, upper: Real) -> Self {
        (self.stops.lower, self.stops.upper) = (lower, upper);
        self
    }

    /// Drives at a constant speed, m/s or rad/s.
    pub fn at_speed(mut self, speed: Real) -> Self {
        self.power = Power::Speed(speed);
        self
    }

    /// Drives to a position, metres or radians, and holds it.
    pub fn at_position(mut self, position: Real) -> Self {
        self.set_position(0.0, position, 0.0);
        self
    }

    /// Drives at a constant speed, m/s or rad/s.
    pub fn set_speed(&mut self, speed: Real) {
        self.power = Power::Speed(speed);
    }

    /// Drives to `position` (metres or radians) at `time` (seconds), and on from there with `speed`.
    pub fn set_position(&mut self, time: Real, position: Real, speed: Real) {
        self.power = Power::Position { time, position, speed, acceleration: 0.0 };
    }

    /// States the motor's row and those of the stops.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let x = self.stops.coordinate.value(scope);
        let (error, speed, acceleration, response) = match self.power {
            Power::Off => return self.stops.emit_at(x, scope, sink),
            Power::Speed(speed) => (0.0, speed, 0.0, Response::Rate),
            Power::Position { time, position, speed, acceleration } => {
                let dt = scope.time - time;
                let wanted = position + speed * dt + 0.5 * acceleration * dt * dt;
                (x - wanted, speed + acceleration * dt, acceleration, self.response)
            }
        };
        let outward = |room: Real, sign: Real| room <= 0.0 && (speed * sign > 0.0 || error * sign < 0.0);
        let rests = self.max_force == Real::INFINITY
            && (outward(x - self.stops.lower, -1.0) || outward(self.stops.upper - x, 1.0));
        if !rests {
            sink.row(error, |row| {
                self.stops.coordinate.push(scope, row, 1.0);
                row.spec.rate = speed;
                row.spec.acceleration = acceleration;
                row.respond(response, self.max_force);
            });
        }
        self.stops.emit_at(x, scope, sink);
    }
}

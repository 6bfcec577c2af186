//! Limits: a coordinate stays between two ends, and the spring and the motor that work between them.
//!
//! ```text
//!  lower end   C = x − lower ≥ 0        J = ∂ẋ/∂v
//!  upper end   C = upper − x ≥ 0        J = −∂ẋ/∂v
//! ```
//!
//! An end states its row when x is near it, so that a step can stop in time, and no row elsewhere. Soft ends push only once
//! they are passed.

use super::coordinate::Coordinate;
use crate::math::Real;
use crate::rows::{Response, RowSink, Scope};

/// A coordinate that stays between two ends.
///
/// ```
/// use sinew_dynamics::{Axis, Constraint, Joint, Limit, Placement, World};
///
/// let mut world = World::new();
/// let hinge = Joint::hinge(None, Placement::IDENTITY, None, Placement::IDENTITY);
/// let stop = Limit::new(hinge.turn(Axis::Z), -0.5, 1.2);
/// world.add_constraint(Constraint::new(hinge))?;
/// world.add_constraint(Constraint::new(stop))?;
/// # Ok::<(), sinew_dynamics::DynamicsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    pub coordinate: Coordinate,
    /// Metres or radians; −∞ for none.
    pub lower: Real,
    /// Metres or radians; ∞ for none.
    pub upper: Real,
    /// [`Response::Hard`], or how the ends give way.
    pub response: Response,
    /// Each end pushes with at most this, N or N·m.
    pub max_force: Real,
    /// An end is watched from this far, metres or radians: more than the coordinate moves in one step.
    pub margin: Real,
}

impl Limit {
    /// Hard ends, watched from 0.2 m or rad.
    pub fn new(coordinate: Coordinate, lower: Real, upper: Real) -> Self {
        Self { coordinate, lower, upper, response: Response::Hard, max_force: Real::INFINITY, margin: 0.2 }
    }

    /// Gives the ends another response.
    pub fn responding(mut self, response: Response) -> Self {
        self.response = response;
        self
    }

    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        self.emit_at(self.coordinate.value(scope), scope, sink);
    }

    fn emit_at(&self, x: Real, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let terms = Terms { response: self.response, max_force: self.max_force, margin: self.margin };
        for (room, sign) in [(x - self.lower, 1.0), (self.upper - x, -1.0)] {
            terms.emit(room, sink, |row| self.coordinate.push(scope, row, sign));
        }
    }
}

/// How the ends of a range behave, whatever the range is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Terms {
    pub response: Response,
    pub max_force: Real,
    pub margin: Real,
}

impl Terms {
    /// States C = `room` ≥ 0, if the end is near.
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

/// A spring and a damper along or about one axis, with stops at both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedSpring {
    /// The stops.
    pub stops: Limit,
    /// Where the spring is at ease, metres or radians.
    pub rest: Real,
    /// N/m or N·m/rad.
    pub stiffness: Real,
    /// N·s/m or N·m·s/rad.
    pub damping: Real,
}

impl LimitedSpring {
    /// At ease at 0, without damping, between hard stops.
    pub fn new(coordinate: Coordinate, stiffness: Real, lower: Real, upper: Real) -> Self {
        Self { stops: Limit::new(coordinate, lower, upper), rest: 0.0, stiffness, damping: 0.0 }
    }

    pub fn damped(mut self, damping: Real) -> Self {
        self.damping = damping;
        self
    }

    pub fn resting_at(mut self, rest: Real) -> Self {
        self.rest = rest;
        self
    }

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

/// What a powered axis is asked to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Power {
    /// Nothing: the axis moves freely between its ends.
    Off,
    /// Keep this speed, m/s or rad/s.
    Speed(Real),
    /// Be at `position` (metres or radians, over whole turns) at `time`, moving on with `speed` and `acceleration`.
    Position { time: Real, position: Real, speed: Real, acceleration: Real },
}

/// One axis with a motor of limited force and, if wanted, stops at both ends.
///
/// At a stop the motor that wants to go further pushes with its full force, and the stop carries it; a motor of
/// unlimited force rests there instead.
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
/// let motor = PoweredAxis::new(hinge.turn(Axis::Z), 2.0).at_speed(5.0);
/// world.add_constraint(Constraint::new(hinge))?;
/// world.add_constraint(Constraint::new(motor))?;
/// world.step(0.1)?;
/// assert!((world.state(wheel).angular().z - 2.0).abs() < 1e-9);
/// # Ok::<(), sinew_dynamics::DynamicsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoweredAxis {
    /// The axis and its stops.
    pub stops: Limit,
    pub power: Power,
    /// How a [`Power::Position`] is approached; a [`Power::Speed`] is held as it is.
    pub response: Response,
    /// The motor's limit, N or N·m.
    pub max_force: Real,
}

impl PoweredAxis {
    /// Off, without stops.
    pub fn new(coordinate: Coordinate, max_force: Real) -> Self {
        let stops = Limit::new(coordinate, Real::NEG_INFINITY, Real::INFINITY);
        Self { stops, power: Power::Off, response: Response::Hard, max_force }
    }

    pub fn between(mut self, lower: Real, upper: Real) -> Self {
        (self.stops.lower, self.stops.upper) = (lower, upper);
        self
    }

    pub fn responding(mut self, response: Response) -> Self {
        self.response = response;
        self
    }

    pub fn at_speed(mut self, speed: Real) -> Self {
        self.power = Power::Speed(speed);
        self
    }

    /// Goes to a place and stays there.
    pub fn at_position(mut self, position: Real) -> Self {
        self.set_position(0.0, position, 0.0);
        self
    }

    pub fn set_speed(&mut self, speed: Real) {
        self.power = Power::Speed(speed);
    }

    /// To be at `position` at `time`, and to move on from there with `speed`.
    pub fn set_position(&mut self, time: Real, position: Real, speed: Real) {
        self.power = Power::Position { time, position, speed, acceleration: 0.0 };
    }

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
                row.spec.response = response;
                row.limit(self.max_force);
            });
        }
        self.stops.emit_at(x, scope, sink);
    }
}

//! Rigid bodies: definition, state, and scripted motion.

use super::MassProperties;
use super::function::TimeFunction;
use super::lanes::{inertia_along, turned};
use super::solve::Inertia;
use crate::math::{Mat3, Placement, Quat, Real, Vec3, Vec6};

id! {
    /// Number of a body within its world.
    BodyId
}

impl BodyId {
    /// Returns the id of the body created as number `index`, counted from 0.
    pub fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}

/// Position and velocity of a body's centre of mass and axes, world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Centre of mass (metres) and body axes.
    pub placement: Placement,
    /// Linear velocity of the centre of mass (m/s), then angular velocity (rad/s), world axes.
    pub velocity: Vec6,
}

impl State {
    /// Returns the velocity of the centre of mass, m/s, world axes.
    pub fn linear(&self) -> Vec3 {
        self.velocity.fixed_rows::<3>(0).into()
    }

    /// Returns the angular velocity, rad/s, world axes.
    pub fn angular(&self) -> Vec3 {
        self.velocity.fixed_rows::<3>(3).into()
    }

    /// Returns the velocity of the body's material at a world point, m/s.
    pub fn velocity_at(&self, point: &Vec3) -> Vec3 {
        self.linear() + self.angular().cross(&(point - self.placement.position))
    }

    /// Moves by `velocity` for `dt`: exact for a constant velocity (exponential map for the rotation).
    #[inline]
    pub(crate) fn moved(placement: &Placement, velocity: &Vec6, dt: Real) -> Placement {
        let rotation_vector = Vec3::new(velocity[3], velocity[4], velocity[5]) * dt;
        Placement {
            position: placement.position + Vec3::new(velocity[0], velocity[1], velocity[2]) * dt,
            rotation: turned(&placement.rotation, &rotation_vector),
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        // Without early ends: nearly always all of them have to be looked at.
        let all = |values: &[Real]| values.iter().fold(true, |finite, x| finite & x.is_finite());
        let Placement { position, rotation } = &self.placement;
        all(position.as_slice()) & all(rotation.coords.as_slice()) & all(self.velocity.as_slice())
    }
}

/// Bookkeeping of a velocity that belongs to the middle of the last substep, while the position belongs to its end.
///
/// The gravity of a substep brings the velocity from the middle of the last substep to the middle of this one. A body that was
/// just placed has its velocity at the time of its position, so that gravity acts for half a substep first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stagger {
    /// Time from the velocity to the position, seconds: half of the last substep.
    pub lag: Real,
    /// Part of [`State::velocity`] that was added at the end of the step to bring it to the time of the position, for those
    /// who read it; m/s and rad/s. It is zero where forces other than gravity act.
    pub lead: Vec6,
    /// Energy that contact took in the last substeps and a rounded path may bring back, twice J.
    pub credit: Real,
}

impl Stagger {
    /// Bookkeeping of a body whose velocity belongs to the time of its position.
    pub const NONE: Stagger = Stagger { lag: 0.0, lead: Vec6::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), credit: 0.0 };
}

/// Placement, velocity and acceleration of a scripted body at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Centre of mass (metres) and body axes, world space.
    pub placement: Placement,
    /// Velocity, linear (m/s) then angular (rad/s), world axes.
    pub velocity: Vec6,
    /// Acceleration, linear (m/s²) then angular (rad/s²), world axes; used by acceleration-level steppers only.
    pub acceleration: Vec6,
}

/// Scripted motion of a kinematic body: a function of time in seconds.
pub type Script = TimeFunction<Motion>;

/// Cause of the motion of a body.
#[derive(Clone, Debug, Default)]
pub enum BodyKind {
    /// Moved by forces.
    #[default]
    Dynamic,
    /// Moved by its script, or, without one, at the velocity it was given.
    Kinematic(Option<Script>),
    /// Not moved at all.
    Fixed,
}

/// Definition of a body; pass it to [`super::World::add_body`].
#[derive(Clone, Debug)]
pub struct Body {
    /// Name shown in errors and reports.
    pub name: String,
    /// Cause of its motion.
    pub kind: BodyKind,
    /// Mass and inertia; unused for bodies that forces do not move.
    pub mass: MassProperties,
    /// State at the start.
    pub state: State,
    /// Share of the velocity lost per second, 1/s.
    pub linear_damping: Real,
    /// Share of the angular velocity lost per second, 1/s.
    pub angular_damping: Real,
    /// Sweeps the body along its path for contacts: for small, fast bodies among thin ones.
    pub continuous: bool,
}

impl Body {
    /// Creates a body that forces move, its centre of mass at `placement`.
    pub fn dynamic(name: impl Into<String>, mass: MassProperties, placement: Placement) -> Self {
        Self {
            name: name.into(),
            kind: BodyKind::Dynamic,
            mass,
            state: State { placement, velocity: Vec6::zeros() },
            linear_damping: 0.0,
            angular_damping: 0.0,
            continuous: false,
        }
    }

    /// Creates a body that stays where it is.
    pub fn fixed(name: impl Into<String>, placement: Placement) -> Self {
        let mass = MassProperties::new(1.0, Vec3::repeat(1.0));
        Self { kind: BodyKind::Fixed, ..Self::dynamic(name, mass, placement) }
    }

    /// Returns true if a script moves it.
    pub(crate) fn follows_script(&self) -> bool {
        matches!(self.kind, BodyKind::Kinematic(Some(_)))
    }

    /// Creates a body that follows a script.
    pub fn scripted(name: impl Into<String>, script: Script) -> Self {
        let start = script.at(0.0);
        let mut body = Self { kind: BodyKind::Kinematic(Some(script)), ..Self::fixed(name, start.placement) };
        body.state.velocity = start.velocity;
        body
    }

    /// Creates a body that keeps the velocity it is given.
    pub fn kinematic(name: impl Into<String>, placement: Placement) -> Self {
        Self { kind: BodyKind::Kinematic(None), ..Self::fixed(name, placement) }
    }

    /// Sweeps the body along its path for contacts.
    pub fn watched_closely(mut self) -> Self {
        self.continuous = true;
        self
    }

    /// Sets the velocities at the start, m/s and rad/s, world axes.
    pub fn with_velocity(mut self, linear: Vec3, angular: Vec3) -> Self {
        self.state.velocity = Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        self
    }

    /// Sets the damping, 1/s.
    pub fn with_damping(mut self, linear: Real, angular: Real) -> Self {
        (self.linear_damping, self.angular_damping) = (linear, angular);
        self
    }

    /// Returns true if forces move it.
    pub fn is_dynamic(&self) -> bool {
        matches!(self.kind, BodyKind::Dynamic)
    }
}

/// Returns the mass matrix of a body in world axes.
#[inline]
pub(crate) fn world_inertia(mass: &MassProperties, inverse_body: &Mat3, rotation: &Quat) -> Inertia {
    let (inertia, inverse_inertia) = inertia_along((&mass.inertia, inverse_body), rotation);
    Inertia { mass: mass.mass, inverse_mass: 1.0 / mass.mass, inertia, inverse_inertia }
}

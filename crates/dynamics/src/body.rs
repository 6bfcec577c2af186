//! Rigid bodies: what they are, where they are, how they move.

use super::MassProperties;
use super::lanes::{inertia_along, turned};
use super::solve::Inertia;
use crate::math::{Mat3, Placement, Quat, Real, Vec3, Vec6};
use std::fmt;
use std::sync::Arc;

/// A body of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub(crate) u32);

impl BodyId {
    /// The body created as number `index`, counted from 0.
    pub fn from_index(index: usize) -> Self {
        Self(index as u32)
    }

    /// Its place in the order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Position and velocity of a body's centre of mass and axes, world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    pub placement: Placement,
    /// Linear velocity of the centre of mass (m/s), then angular velocity (rad/s), world axes.
    pub velocity: Vec6,
}

impl State {
    pub fn linear(&self) -> Vec3 {
        self.velocity.fixed_rows::<3>(0).into()
    }

    pub fn angular(&self) -> Vec3 {
        self.velocity.fixed_rows::<3>(3).into()
    }

    /// Velocity of the body's material at a world point.
    pub fn velocity_at(&self, point: &Vec3) -> Vec3 {
        self.linear() + self.angular().cross(&(point - self.placement.position))
    }

    /// Moves by `velocity` for `dt`: exact for a constant velocity (exponential map for the rotation).
    #[inline]
    pub(crate) fn moved(placement: &Placement, velocity: &Vec6, dt: Real) -> Placement {
        let turn = Vec3::new(velocity[3], velocity[4], velocity[5]) * dt;
        Placement {
            position: placement.position + Vec3::new(velocity[0], velocity[1], velocity[2]) * dt,
            rotation: turned(&placement.rotation, &turn),
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        // Without early ends: nearly always all of them have to be looked at.
        let all = |values: &[Real]| values.iter().fold(true, |finite, x| finite & x.is_finite());
        let Placement { position, rotation } = &self.placement;
        all(position.as_slice()) & all(rotation.coords.as_slice()) & all(self.velocity.as_slice())
    }
}

/// Where a scripted body is at a time, with its velocity and acceleration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    pub placement: Placement,
    /// Linear then angular, world axes.
    pub velocity: Vec6,
    /// Linear then angular, world axes; only acceleration-level steppers look at it.
    pub acceleration: Vec6,
}

/// The scripted motion of a kinematic body: a function of time.
#[derive(Clone)]
pub struct Script(pub Arc<dyn Fn(Real) -> Motion + Send + Sync>);

impl Script {
    pub fn new(motion: impl Fn(Real) -> Motion + Send + Sync + 'static) -> Self {
        Self(Arc::new(motion))
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Script")
    }
}

/// Who decides how a body moves.
#[derive(Clone, Debug, Default)]
pub enum BodyKind {
    /// Forces do.
    #[default]
    Dynamic,
    /// Its script does, or, without one, the velocity it was given.
    Kinematic(Option<Script>),
    /// It stays where it is.
    Fixed,
}

/// What a body is made of and how it starts; give it to [`super::World::add_body`].
#[derive(Clone, Debug)]
pub struct Body {
    /// Shown in errors and reports.
    pub name: String,
    pub kind: BodyKind,
    pub mass: MassProperties,
    pub state: State,
    /// Share of the velocity lost per second, 1/s.
    pub linear_damping: Real,
    /// Share of the angular velocity lost per second, 1/s.
    pub angular_damping: Real,
    /// Whether it is swept along its way for contacts: for small, fast bodies among thin ones.
    pub continuous: bool,
}

impl Body {
    /// A body that forces move, its centre of mass at `placement`.
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

    /// A body that stays where it is.
    pub fn fixed(name: impl Into<String>, placement: Placement) -> Self {
        let mass = MassProperties::new(1.0, Vec3::repeat(1.0));
        Self { kind: BodyKind::Fixed, ..Self::dynamic(name, mass, placement) }
    }

    /// Whether nothing but a script decides where it is.
    pub(crate) fn follows_script(&self) -> bool {
        matches!(self.kind, BodyKind::Kinematic(Some(_)))
    }

    /// A body that follows a script.
    pub fn scripted(name: impl Into<String>, script: Script) -> Self {
        let start = (script.0)(0.0);
        let mut body = Self { kind: BodyKind::Kinematic(Some(script)), ..Self::fixed(name, start.placement) };
        body.state.velocity = start.velocity;
        body
    }

    /// A body that keeps the velocity it is given.
    pub fn kinematic(name: impl Into<String>, placement: Placement) -> Self {
        Self { kind: BodyKind::Kinematic(None), ..Self::fixed(name, placement) }
    }

    /// Sweeps the body along its way for contacts.
    pub fn watched_closely(mut self) -> Self {
        self.continuous = true;
        self
    }

    pub fn with_velocity(mut self, linear: Vec3, angular: Vec3) -> Self {
        self.state.velocity = Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        self
    }

    pub fn with_damping(mut self, linear: Real, angular: Real) -> Self {
        (self.linear_damping, self.angular_damping) = (linear, angular);
        self
    }

    pub fn is_dynamic(&self) -> bool {
        matches!(self.kind, BodyKind::Dynamic)
    }
}

/// The body's mass matrix in world axes.
#[inline]
pub(crate) fn world_inertia(mass: &MassProperties, inverse_body: &Mat3, rotation: &Quat) -> Inertia {
    let (inertia, inverse_inertia) = inertia_along((&mass.inertia, inverse_body), rotation);
    Inertia { mass: mass.mass, inverse_mass: 1.0 / mass.mass, inertia, inverse_inertia }
}

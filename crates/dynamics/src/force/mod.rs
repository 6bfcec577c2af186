//! Applied forces: loads on bodies that are not constraint forces.
//!
//! A [`Force`] is a law with its terms (name, start, end, switch). Laws read the bodies through a [`ForceScope`] and
//! write to [`Loads`]. Gravity is a setting of the world, not a force of this module.
//!
//! Acceleration-level steppers evaluate forces at every stage. Velocity-level steppers evaluate them once per substep
//! of length h, where an explicit stiff spring or damper would diverge. They set [`ForceScope::lookahead`] to h, and
//! the laws limit their constants to stable ones:
//!
//! ```text
//!   K' = min(K, 1/(h² e)),   D' = D/(1 + h D e)            e = the ends' response to a unit force
//! ```
//!
//! The velocity-level step is stable while h²K'e + 2hD'e < 4, so these hold for any K, D and h, and where K is within
//! bounds a spring at rest carries exactly K x. Several such laws at one body are limited independently; stiff nets of
//! them belong into rows with [`super::Response::Spring`], which are solved together.

mod law;
mod wind;

pub use law::{ForceLaw, Law};
pub use wind::{Air, Blower, Sail};

use super::DynamicsError;
use super::body::{Body, BodyId, State, world_inertia};
use super::rows::WORLD;
use super::world::{BodySet, World};
use crate::math::{Mat3, Real, Vec3, Vec6};

id! {
    /// Identifier of a force in its world.
    ForceId
}

/// Law with its terms: name, switch and interval of time.
#[derive(Clone, Debug)]
pub struct Force {
    /// Name shown in errors and reports.
    pub name: String,
    /// Law that gives the force.
    pub law: Law,
    /// Switch; a disabled force does nothing.
    pub enabled: bool,
    /// Start of the interval in which it acts, seconds, inclusive.
    pub start: Real,
    /// End of the interval in which it acts, seconds, exclusive.
    pub end: Real,
}

impl Force {
    /// Makes a force that always acts.
    pub fn new(law: Law) -> Self {
        Self { name: String::new(), law, enabled: true, start: Real::NEG_INFINITY, end: Real::INFINITY }
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

    /// Returns true if it is enabled and acts at a time, seconds.
    pub fn acts_at(&self, time: Real) -> bool {
        self.enabled && time >= self.start && time < self.end
    }
}

impl From<Law> for Force {
    fn from(law: Law) -> Self {
        Force::new(law)
    }
}

/// Bodies and time as a law reads them.
#[derive(Clone, Copy)]
pub struct ForceScope<'a> {
    /// Time, seconds.
    pub time: Real,
    /// Length of the substep that the force is held for, seconds; 0 where it is evaluated at every stage.
    pub lookahead: Real,
    pub(crate) bodies: &'a [Body],
    pub(crate) inverse_inertia: &'a [Mat3],
    /// Bodies of the present island, by slot.
    pub(crate) members: &'a [u32],
    /// Slot of every body of the world.
    pub(crate) slots: &'a [u32],
    pub(crate) states: &'a [State],
}

impl ForceScope<'_> {
    /// Returns a body's state; `None` is the world, at rest.
    #[inline]
    pub fn state(&self, body: Option<BodyId>) -> &State {
        body.map_or(&WORLD, |id| &self.states[self.slots[id.index()] as usize])
    }

    /// Lists all dynamic bodies. A law that is not a closure may be evaluated island by island.
    pub fn movable(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.members.iter().filter(|id| self.bodies[**id as usize].is_dynamic()).map(|id| BodyId(*id))
    }

    /// Returns a body's mass, kg.
    #[inline]
    pub fn mass(&self, body: BodyId) -> Real {
        self.bodies[body.index()].mass.mass
    }

    /// Returns the acceleration of a body's point along `direction` by a unit force there along it, 1/kg; 0 for bodies
    /// that are not dynamic.
    pub fn inverse_mass_at(&self, body: Option<BodyId>, point: &Vec3, direction: &Vec3) -> Real {
        let Some(id) = body.filter(|id| self.bodies[id.index()].is_dynamic()) else { return 0.0 };
        let lever = point - self.state(body).placement.position;
        1.0 / self.mass(id) + self.inverse_inertia_about(body, &lever.cross(direction))
    }

    /// Returns t·I⁻¹t for a torque direction t, 1/(kg·m²); 0 for bodies that are not dynamic.
    pub fn inverse_inertia_about(&self, body: Option<BodyId>, torque: &Vec3) -> Real {
        let Some(id) = body.filter(|id| self.bodies[id.index()].is_dynamic()) else { return 0.0 };
        let local = self.state(body).placement.rotation.inverse_transform_vector(torque);
        local.dot(&(self.inverse_inertia[id.index()] * local))
    }

    /// Returns R I Rᵀ ω, the angular momentum about the body's centre of mass, kg·m²/s, world axes.
    pub fn angular_momentum(&self, body: BodyId) -> Vec3 {
        let index = body.index();
        let state = self.state(Some(body));
        world_inertia(&self.bodies[index].mass, &self.inverse_inertia[index], &state.placement.rotation).inertia
            * state.angular()
    }
}

/// Sums of the forces and torques of all laws. Loads on the world or on scripted bodies are dropped.
pub struct Loads<'a> {
    wrenches: &'a mut [Vec6],
    slots: &'a [u32],
    states: &'a [State],
}

impl Loads<'_> {
    /// Adds a force (N) through the centre of mass, world axes.
    pub fn force(&mut self, body: Option<BodyId>, force: Vec3) {
        if let Some(id) = body {
            self.wrenches[self.slots[id.index()] as usize] += Vec6::new(force.x, force.y, force.z, 0.0, 0.0, 0.0);
        }
    }

    /// Adds a torque (N·m), world axes.
    pub fn torque(&mut self, body: Option<BodyId>, torque: Vec3) {
        if let Some(id) = body {
            self.wrenches[self.slots[id.index()] as usize] += Vec6::new(0.0, 0.0, 0.0, torque.x, torque.y, torque.z);
        }
    }

    /// Adds a force (N, world axes) at a world point (metres).
    pub fn force_at(&mut self, body: Option<BodyId>, force: Vec3, point: Vec3) {
        if let Some(id) = body {
            let lever = point - self.states[self.slots[id.index()] as usize].placement.position;
            self.force(body, force);
            self.torque(body, lever.cross(&force));
        }
    }
}

/// Adds the forces that act at time `when` (N, N·m about the centres of mass) to `applied`, by slot.
pub(crate) fn gather<'a>(
    scope: &ForceScope<'_>,
    forces: impl Iterator<Item = &'a Force>,
    when: Real,
    applied: &mut [Vec6],
) {
    let mut loads = Loads { wrenches: applied, slots: scope.slots, states: scope.states };
    for force in forces.filter(|f| f.acts_at(when)) {
        force.law.push(scope, &mut loads);
    }
}

impl World {
    /// Adds a force; refuses bodies that do not exist and numbers that are not finite.
    ///
    /// ```
    /// use sinew_dynamics::Vec3;
    /// use sinew_dynamics::{Anchor, Body, Force, Law, MassProperties, Placement, World};
    ///
    /// let mut world = World::new();
    /// let weight = world.add_body(Body::dynamic("weight", MassProperties::sphere(2.0, 0.1), Placement::IDENTITY))?;
    /// let spring = Law::Spring {
    ///     a: Anchor::world(Vec3::new(0.0, 1.0, 0.0)),
    ///     b: Anchor::on(weight, Vec3::zeros()),
    ///     rest_length: 0.9,
    ///     stiffness: 200.0,
    ///     damping: 40.0,
    /// };
    /// world.add_force(Force::new(spring))?;
    /// for _ in 0..1200 {
    ///     world.step(1.0 / 240.0)?;
    /// }
    /// // It hangs where the spring carries the weight: 0.9 m + mg/k below the anchor.
    /// let depth = 1.0 - world.state(weight).placement.position.y;
    /// assert!((depth - 0.9 - 2.0 * 9.81 / 200.0).abs() < 1e-6);
    /// # Ok::<(), sinew_dynamics::DynamicsError>(())
    /// ```
    pub fn add_force(&mut self, force: impl Into<Force>) -> Result<ForceId, DynamicsError> {
        let force = force.into();
        if let Some(body) = force.law.bodies().find(|b| b.index() >= self.bodies.list.len()) {
            let what = format!("it names body number {}, but the world has {}", body.index(), self.bodies.list.len());
            return Err(DynamicsError::Force { name: force.name, what });
        }
        if !force.law.is_finite() {
            return Err(DynamicsError::Force { name: force.name, what: "one of its numbers is not finite".into() });
        }
        let id = ForceId(self.forces.len() as u32);
        self.forces.push(force);
        self.force_changed();
        Ok(id)
    }

    /// Returns a force.
    pub fn force(&self, id: ForceId) -> &Force {
        &self.forces[id.index()]
    }

    /// Lists all forces in the order they were added.
    pub fn forces(&self) -> impl Iterator<Item = &Force> {
        self.forces.iter()
    }

    /// Returns a force mutably, to change it between steps; wakes all bodies.
    pub fn force_mut(&mut self, id: ForceId) -> &mut Force {
        self.force_changed();
        &mut self.forces[id.index()]
    }

    /// Marks the islands as outdated and wakes all bodies: a force may reach any body.
    fn force_changed(&mut self) {
        self.solver_state.islands.up_to_date = false;
        self.wake_all();
    }

    /// Returns the energy stored in springs and fields, J.
    pub(crate) fn force_energy(&self) -> Real {
        let BodySet { list: bodies, states, inverse_inertia, identity_slots, .. } = &self.bodies;
        let World { forces, time, .. } = self;
        let (members, slots) = (identity_slots, identity_slots);
        let scope = ForceScope { time: *time, lookahead: 0.0, bodies, states, inverse_inertia, members, slots };
        forces.iter().filter(|f| f.acts_at(*time)).map(|f| f.law.energy(&scope)).sum()
    }
}

//! Bodies of a world: one array for each thing the step reads, all in the order of creation.

use super::World;
use crate::body::{Body, BodyId, BodyKind, Stagger, State, world_inertia};
use crate::collide::Groups;
use crate::constraint::Anchor;
use crate::error::DynamicsError;
use crate::mass::MassProperties;
use crate::math::{Mat3, Real, Vec3, Vec6};
use crate::solve::Inertia;

/// Bodies with their states and everything derived from their masses and shapes.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodySet {
    /// Definitions. `Body::state` is the state at the start; `states` holds the current ones.
    pub list: Vec<Body>,
    /// Current positions and velocities.
    pub states: Vec<State>,
    /// Times that the velocities belong to.
    pub staggers: Vec<Stagger>,
    /// True for bodies that forces move.
    pub movable: Vec<bool>,
    /// Inverse of the mean moment across the long axis of each body, 1/(kg·m²).
    pub inverse_transverse_moment: Vec<Real>,
    /// Square of the fastest sideways vibration that tension caused in the last step, 1/s².
    pub tension: Vec<Real>,
    /// Inverse inertia in body axes, 1/(kg·m²).
    pub inverse_inertia: Vec<Mat3>,
    /// Forces and torques applied from outside for the next step, N and N·m about the centre of mass, world axes.
    pub loads: Vec<Vec6>,
    /// Zeros: the accelerations of scripted bodies between steps.
    pub zero_accelerations: Vec<Vec6>,
    /// 0, 1, 2, …: the slots of a stepper that takes all bodies at once.
    pub identity_slots: Vec<u32>,
    /// Distance from the centre of mass to the farthest point of the body's shapes, metres.
    pub bounding_radius: Vec<Real>,
}

impl BodySet {
    fn push(&mut self, body: Body) -> BodyId {
        let id = BodyId(self.list.len() as u32);
        self.states.push(body.state);
        self.staggers.push(Stagger::NONE);
        self.movable.push(body.is_dynamic());
        self.inverse_transverse_moment.push(inverse_transverse_moment(&body.mass));
        self.inverse_inertia.push(body.mass.inertia.try_inverse().unwrap_or_else(Mat3::zeros));
        self.loads.push(Vec6::zeros());
        self.zero_accelerations.push(Vec6::zeros());
        self.identity_slots.push(id.0);
        self.bounding_radius.push(0.0);
        self.tension.push(0.0);
        self.list.push(body);
        id
    }

    fn set_mass(&mut self, index: usize, mass: MassProperties) {
        self.list[index].mass = mass;
        self.inverse_transverse_moment[index] = inverse_transverse_moment(&mass);
        self.inverse_inertia[index] = mass.inertia.try_inverse().unwrap_or_else(Mat3::zeros);
    }

    /// Mass matrix of a body in world axes.
    fn world_inertia(&self, index: usize) -> Inertia {
        let rotation = &self.states[index].placement.rotation;
        world_inertia(&self.list[index].mass, &self.inverse_inertia[index], rotation)
    }

    /// Grows the bounding radius of a body to `radius`, metres, if it is smaller.
    pub fn extend_bounding_radius(&mut self, id: BodyId, radius: Real) {
        self.bounding_radius[id.index()] = self.bounding_radius[id.index()].max(radius);
    }

    fn not_finite(&self, id: BodyId, what: &'static str) -> DynamicsError {
        DynamicsError::NotFinite { name: self.list[id.index()].name.clone(), what }
    }
}

/// Inverse of the mean of the two larger principal moments, 1/(kg·m²).
fn inverse_transverse_moment(mass: &MassProperties) -> Real {
    let moments = mass.inertia.symmetric_eigenvalues();
    2.0 / (moments.sum() - moments.min())
}

impl World {
    /// Adds a body; refuses invalid masses and states that are not finite.
    pub fn add_body(&mut self, body: Body) -> Result<BodyId, DynamicsError> {
        if body.is_dynamic() && !body.mass.is_valid() {
            return Err(DynamicsError::Mass { name: body.name, mass: body.mass.mass });
        }
        if !body.state.is_finite() {
            return Err(DynamicsError::NotFinite { name: body.name, what: "its position or velocity" });
        }
        if !(body.linear_damping >= 0.0 && body.angular_damping >= 0.0) {
            return Err(DynamicsError::NotFinite { name: body.name, what: "its damping" });
        }
        self.sleep.add();
        self.solver_state.islands.up_to_date = false;
        Ok(self.bodies.push(body))
    }

    /// Removes a body: its colliders meet nothing any more, and constraints and forces on it are switched off. Its number
    /// stays unused, so that the others keep theirs.
    ///
    /// ```
    /// use sinew_dynamics::Vec3;
    /// use sinew_dynamics::{Body, Collider, MassProperties, Placement, Shape, World};
    ///
    /// let mut world = World::new();
    /// let table = world.add_body(Body::fixed("table", Placement::IDENTITY))?;
    /// world.add_collider(table, Collider::new(Shape::HalfSpace { normal: Vec3::y() }))?;
    /// let cup = MassProperties::sphere(0.2, 0.05);
    /// let cup = world.add_body(Body::dynamic("cup", cup, Placement::at(Vec3::new(0.0, 0.05, 0.0))))?;
    /// world.add_collider(cup, Collider::new(Shape::Sphere { radius: 0.05 }))?;
    /// (0..100).try_for_each(|_| world.step(0.01).map(|_| ()))?;
    /// assert!(world.state(cup).placement.position.y > 0.049);
    /// world.remove_body(table);
    /// (0..100).try_for_each(|_| world.step(0.01).map(|_| ()))?;
    /// assert!(world.state(cup).placement.position.y < -4.0);
    /// # Ok::<(), sinew_dynamics::DynamicsError>(())
    /// ```
    pub fn remove_body(&mut self, id: BodyId) {
        self.wake_all();
        let index = id.index();
        self.bodies.list[index].kind = BodyKind::Fixed;
        self.bodies.states[index].velocity.fill(0.0);
        self.bodies.movable[index] = false;
        for collider in self.colliders.on(id) {
            collider.groups = Groups { member: 0, mask: 0 };
        }
        for constraint in &mut self.constraints {
            if constraint.bodies().any(|body| body == id) {
                constraint.enabled = false;
            }
        }
        for force in &mut self.forces {
            if force.law.bodies().any(|body| body == id) {
                force.enabled = false;
            }
        }
        self.solver_state.islands.up_to_date = false;
        self.solver_state.workspace.ode.restart = true;
    }

    /// Returns a body.
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies.list[id.index()]
    }

    /// Lists all bodies in the order they were added.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.bodies.list.iter().enumerate().map(|(i, b)| (BodyId(i as u32), b))
    }

    /// Returns position and velocity of a body.
    pub fn state(&self, id: BodyId) -> &State {
        &self.bodies.states[id.index()]
    }

    /// Replaces position and velocity of a body; refuses numbers that are not finite.
    pub fn set_state(&mut self, id: BodyId, state: State) -> Result<(), DynamicsError> {
        if !state.is_finite() {
            return Err(self.bodies.not_finite(id, "the state it was given"));
        }
        self.bodies.states[id.index()] = state;
        self.bodies.staggers[id.index()] = Stagger::NONE;
        self.wake(id);
        self.solver_state.workspace.ode.restart = true;
        Ok(())
    }

    /// Replaces mass and inertia of a body; its velocity stays.
    pub fn set_mass(&mut self, id: BodyId, mass: MassProperties) -> Result<(), DynamicsError> {
        let index = id.index();
        if !mass.is_valid() {
            return Err(DynamicsError::Mass { name: self.bodies.list[index].name.clone(), mass: mass.mass });
        }
        self.bodies.set_mass(index, mass);
        self.wake(id);
        Ok(())
    }

    /// Replaces the damping of a body, 1/s; negative values count as 0.
    pub fn set_damping(&mut self, id: BodyId, linear: Real, angular: Real) {
        let body = &mut self.bodies.list[id.index()];
        (body.linear_damping, body.angular_damping) = (linear.max(0.0), angular.max(0.0));
        self.wake(id);
    }

    /// Returns the position of an anchor now, metres, world space.
    pub fn place(&self, anchor: &Anchor) -> Vec3 {
        anchor.body.map_or(anchor.point, |id| self.state(id).placement.point(&anchor.point))
    }

    /// Applies a force (N) through the centre of mass and a torque (N·m), world axes, during the next step.
    pub fn apply(&mut self, id: BodyId, force: Vec3, torque: Vec3) -> Result<(), DynamicsError> {
        if !force.iter().chain(torque.iter()).all(|x| x.is_finite()) {
            return Err(self.bodies.not_finite(id, "the force or torque applied to it"));
        }
        self.wake(id);
        let load = &mut self.bodies.loads[id.index()];
        *load += Vec6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
        Ok(())
    }

    /// Applies a force (N) at a world point (metres) during the next step.
    pub fn apply_at(&mut self, id: BodyId, force: Vec3, point: Vec3) -> Result<(), DynamicsError> {
        let lever = point - self.bodies.states[id.index()].placement.position;
        self.apply(id, force, lever.cross(&force))
    }

    /// Applies an impulse (N·s) at a world point (metres): the velocity changes at once.
    pub fn apply_impulse(&mut self, id: BodyId, impulse: Vec3, point: Vec3) -> Result<(), DynamicsError> {
        if !impulse.iter().chain(point.iter()).all(|x| x.is_finite()) {
            return Err(self.bodies.not_finite(id, "the impulse applied to it"));
        }
        let index = id.index();
        if self.bodies.movable[index] {
            let lever = point - self.bodies.states[index].placement.position;
            let torque = lever.cross(&impulse);
            let inertia = self.bodies.world_inertia(index);
            let blow = Vec6::new(impulse.x, impulse.y, impulse.z, torque.x, torque.y, torque.z);
            self.bodies.states[index].velocity += inertia.apply_inverse(&blow);
            self.wake(id);
            self.solver_state.workspace.ode.restart = true;
        }
        Ok(())
    }
}

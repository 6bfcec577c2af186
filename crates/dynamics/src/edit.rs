//! Changes to a world between steps: bodies that go, other masses and surfaces, constraints stated anew.

use super::body::{BodyId, BodyKind};
use super::collide::{Groups, Material};
use super::constraint::{ConstraintId, Kind};
use super::error::DynamicsError;
use super::mass::MassProperties;
use super::world::World;
use crate::math::{Mat3, Real};

impl World {
    /// Takes a body away: it touches nothing any more, and what held it or pulled at it is switched off. Its number stays
    /// unused, so that the others keep theirs.
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
        self.bodies[index].kind = BodyKind::Fixed;
        self.states[index].velocity.fill(0.0);
        self.movable[index] = false;
        for (body, collider) in &mut self.colliders {
            if *body == id {
                collider.groups = Groups { member: 0, meets: 0 };
            }
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
        self.islands.up_to_date = false;
        self.workspace.ode.restart = true;
    }

    /// Gives a body another mass and inertia; its velocity stays.
    pub fn set_mass(&mut self, id: BodyId, mass: MassProperties) -> Result<(), DynamicsError> {
        let index = id.index();
        if !mass.is_valid() {
            return Err(DynamicsError::Mass { name: self.bodies[index].name.clone(), mass: mass.mass });
        }
        self.bodies[index].mass = mass;
        let moments = mass.inertia.symmetric_eigenvalues();
        self.inverse_transverse_moment[index] = 2.0 / (moments.sum() - moments.min());
        self.inverse_inertia[index] = mass.inertia.try_inverse().unwrap_or_else(Mat3::zeros);
        self.wake(id);
        Ok(())
    }

    /// Gives a body another damping, 1/s; negative ones count as none.
    pub fn set_damping(&mut self, id: BodyId, linear: Real, angular: Real) {
        let body = &mut self.bodies[id.index()];
        (body.linear_damping, body.angular_damping) = (linear.max(0.0), angular.max(0.0));
        self.wake(id);
    }

    /// Gives all surfaces of a body another material.
    pub fn set_material(&mut self, id: BodyId, material: Material) {
        for (body, collider) in &mut self.colliders {
            if *body == id {
                collider.material = material;
            }
        }
        self.wake(id);
    }

    /// Gives all surfaces another friction coefficient; negative ones count as none.
    pub fn set_friction(&mut self, friction: Real) {
        for (_, collider) in &mut self.colliders {
            collider.material.friction = friction.max(0.0);
        }
        self.wake_all();
    }

    /// States a constraint anew, between the same bodies, with other numbers. What it remembers (turns counted, its place on
    /// a wire, teeth) stays.
    pub fn restate(&mut self, id: ConstraintId, kind: impl Into<Kind>) {
        let constraint = self.constraint_mut(id);
        constraint.kind = kind.into().remembering(&constraint.kind);
    }
}

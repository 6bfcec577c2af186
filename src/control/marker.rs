//! Trajectories: a point of a body is drawn to a place that may move, softly and with bounded force.
//!
//! One pair of numbers serves all markers. A marker that cannot be seen is switched off and binds nothing.

use super::Gains;
use crate::dynamics::{
    Axis, BodyId, Constraint, ConstraintId, DynamicsError, Element, Joint, JointTarget, Placement, Response, World,
};
use crate::math::{Real, Vec3};

/// Draws a point of a body to a place.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerController {
    constraint: ConstraintId,
    body: BodyId,
    point: Vec3,
    mass: Real,
}

impl MarkerController {
    /// Draws `point` (metres, the body's axes from its centre of mass) to where it is now. `mass` is what it moves, kg;
    /// `limit` the most force along each axis, N.
    pub fn new(
        world: &mut World,
        body: BodyId,
        point: Vec3,
        mass: Real,
        gains: Gains,
        limit: Real,
    ) -> Result<Self, DynamicsError> {
        let (stiffness, damping) = gains.spring(mass);
        let mut joint = Joint::new(None, Placement::IDENTITY, Some(body), Placement::at(point));
        joint.target.position = world.state(body).placement.point(&point);
        for axis in Axis::ALL {
            joint = joint.driven(Element::Linear(axis), Response::Spring { stiffness, damping }, limit);
        }
        let constraint = world.add_constraint(Constraint::new(joint).named("marker"))?;
        Ok(Self { constraint, body, point, mass })
    }

    /// Sets the target of the point: position (metres) and velocity (m/s) at `time`, world space.
    pub fn aim(&self, world: &mut World, time: Real, position: Vec3, velocity: Vec3) {
        world.aim(self.constraint, JointTarget { time, position, velocity, ..JointTarget::default() });
    }

    /// Changes how firmly it draws, and the most force along each axis, N.
    pub fn tune(&self, world: &mut World, gains: Gains, limit: Real) {
        let (stiffness, damping) = gains.spring(self.mass);
        world.tune(self.constraint, &[(Response::Spring { stiffness, damping }, limit); 3]);
    }

    /// Switches it on or off.
    pub fn set_on(&self, world: &mut World, on: bool) {
        if world.constraint(self.constraint).enabled != on {
            world.constraint_mut(self.constraint).enabled = on;
        }
    }

    /// Returns the position of the point, metres, world space.
    pub fn position(&self, world: &World) -> Vec3 {
        world.state(self.body).placement.point(&self.point)
    }

    /// The force on the body in the last step, N, world axes.
    pub fn force(&self, world: &World) -> Vec3 {
        world.wrench_on(self.constraint, self.body).fixed_rows::<3>(0).into()
    }
}

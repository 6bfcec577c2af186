//! A hand that holds a body: a bounded spring from a point of it to a place, and one against turning.

use crate::control::{Gains, MarkerController};
use crate::dynamics::{
    Axis, BodyId, Constraint, ConstraintId, DynamicsError, Element, Joint, JointTarget, Placement, Response, World,
};
use crate::math::{Quat, Real, Vec3};

/// Frequency of the spring of the hand, Hz.
const PULL: Real = 4.0;
/// Lever of the most torque that the hand turns with, metres.
const LEVER: Real = 0.25;

#[derive(Clone, Debug)]
pub(crate) struct Hand {
    pub body: BodyId,
    /// Target of the held point, metres, world space.
    pub to: Vec3,
    /// Most force along each axis, N.
    pub limit: Real,
    marker: MarkerController,
    turn: Option<(ConstraintId, Quat)>,
}

impl Hand {
    /// Takes hold of a point. `moved` is what it moves, kg; `limit` the most force along each axis, N.
    pub fn new(
        world: &mut World,
        body: BodyId,
        at: Vec3,
        to: Vec3,
        moved: Real,
        limit: Real,
    ) -> Result<Self, DynamicsError> {
        let marker = MarkerController::new(world, body, at, moved, Gains::critical(PULL), limit)?;
        let mut hand = Self { body, to, limit, marker, turn: None };
        hand.drag(world, to);
        Ok(hand)
    }

    /// Draws the point to another place.
    pub fn drag(&mut self, world: &mut World, to: Vec3) {
        if to.iter().all(|x| x.is_finite()) {
            self.to = to;
            let time = world.time();
            self.marker.aim(world, time, to, Vec3::zeros());
        }
    }

    /// Turns the wanted orientation on by a rotation vector of the world.
    pub fn twist(&mut self, world: &mut World, turn: &Vec3) -> Result<(), DynamicsError> {
        if !turn.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        let state = *world.state(self.body);
        let (constraint, held) = match self.turn {
            Some(known) => known,
            None => {
                let moment = world.body(self.body).mass.inertia.trace().max(1e-6);
                let (stiffness, damping) = Gains::critical(PULL).spring(10.0 * moment);
                let mut joint = Joint::new(None, Placement::IDENTITY, Some(self.body), Placement::IDENTITY);
                joint.target.rotation = state.placement.rotation;
                for axis in Axis::ALL {
                    let response = Response::Spring { stiffness, damping };
                    joint = joint.driven(Element::Angular(axis), response, self.limit * LEVER);
                }
                (world.add_constraint(Constraint::new(joint).named("hand"))?, state.placement.rotation)
            }
        };
        let rotation = Quat::from_scaled_axis(*turn) * held;
        self.turn = Some((constraint, rotation));
        world.aim(constraint, JointTarget { time: world.time(), rotation, ..JointTarget::default() });
        Ok(())
    }

    /// Lets go.
    pub fn release(self, world: &mut World) {
        self.marker.set_on(world, false);
        if let Some((constraint, _)) = self.turn {
            world.remove_constraint(constraint);
        }
    }

    /// Position of the held point, metres, world space.
    pub fn point(&self, world: &World) -> Vec3 {
        self.marker.position(world)
    }

    /// Force of the hand on the body, N.
    pub fn force(&self, world: &World) -> Vec3 {
        self.marker.force(world)
    }
}

//! Props that a figure carries, and targets beside the captured motion: a basket, a hand that points, a gaze.

use super::Actor;
use crate::control::{Gains, MarkerController};
use crate::dynamics::{
    Align, Axis, Body, BodyId, Collider, Constraint, ConstraintId, DynamicsError, Joint, MassProperties, Orientations,
    Placement, Response, Shape, World,
};
use crate::math::{Quat, Real, Vec3};

/// Attachment of a prop to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    /// Rigid attachment.
    Firm,
    /// Ball joint at the point where the prop is held.
    Swinging,
}

/// Object that a figure carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Prop {
    /// Name of body and joint.
    pub name: String,
    /// Mass, kg.
    pub mass: Real,
    /// Shape in the prop's own frame, of uniform density.
    pub shape: Shape,
    /// Placement of the prop's own frame in the frame of the segment's joint.
    pub at: Placement,
    /// Point where the prop is held, metres, in the frame of the segment's joint.
    pub held_at: Vec3,
    /// Kind of attachment.
    pub grip: Grip,
}

/// A prop in a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PropInstance {
    /// Body of the prop.
    pub body: BodyId,
    /// Joint between the segment and the prop.
    pub joint: ConstraintId,
}

impl Prop {
    /// Makes a ball about the end of a segment's bone, such as the middle of a hand.
    pub fn ball(mass: Real, radius: Real, end: Vec3, grip: Grip) -> Self {
        let below = end + Vec3::zeros();
        Self {
            name: "load".into(),
            mass,
            shape: Shape::Sphere { radius },
            at: Placement::at(below),
            held_at: end,
            grip,
        }
    }

    /// Attaches the prop to a segment of an actor; the two never collide.
    pub fn attach(&self, world: &mut World, actor: &Actor, segment: usize) -> Result<PropInstance, DynamicsError> {
        let holder = actor.instance().bodies[segment];
        let part = actor.figure().segment(segment);
        let state = *world.state(holder);
        let joint_frame = part.joint_frame(&state.placement);
        let refused = || DynamicsError::Mass { name: self.name.clone(), mass: self.mass };
        let (unit, centre) = self.shape.mass_properties(1.0).ok_or_else(refused)?;
        let scale = self.mass / unit.mass;
        let mass = MassProperties { mass: self.mass, inertia: unit.inertia * scale };
        let origin = joint_frame.then(&self.at);
        let placement = Placement { position: origin.point(&centre), rotation: origin.rotation };
        let velocity = state.velocity_at(&placement.position);
        let body = Body::dynamic(self.name.clone(), mass, placement).with_velocity(velocity, state.angular());
        let body = world.add_body(body)?;
        let collider = Collider::new(self.shape.clone()).at(Placement::at(-centre));
        world.add_collider(body, collider)?;
        for &other in &actor.instance().bodies {
            world.pair_filter_mut().exclude(body, other);
        }
        let grip = joint_frame.point(&self.held_at);
        let frame_a = Placement::at(state.placement.local_point(&grip));
        let turn = placement.rotation.inverse() * state.placement.rotation;
        let frame_b = Placement { position: placement.local_point(&grip), rotation: turn };
        let ball = Joint::ball(Some(holder), frame_a, Some(body), frame_b);
        let joint = match self.grip {
            Grip::Swinging => ball,
            Grip::Firm => ball.holding(&Axis::ALL.map(crate::dynamics::Element::Angular)),
        };
        let joint = world.add_constraint(Constraint::new(joint).named(self.name.clone()))?;
        Ok(PropInstance { body, joint })
    }
}

impl Actor {
    /// Pulls a point of a segment (metres, frame of its joint) to a target position with at most `limit` N along each axis: a
    /// hand that points or holds on, a foot that stays.
    pub fn pin(
        &self,
        world: &mut World,
        segment: usize,
        point: &Vec3,
        gains: Gains,
        limit: Real,
    ) -> Result<MarkerController, DynamicsError> {
        let part = self.figure().segment(segment);
        let mass = self.figure().mass();
        MarkerController::new(world, self.instance().bodies[segment], point - part.centre, mass, gains, limit)
    }

    /// Turns an axis of a segment (frame of its joint) towards a direction: a gaze, an umbrella held upright.
    pub fn face(
        &self,
        world: &mut World,
        segment: usize,
        axis: &Vec3,
        direction: &Vec3,
        response: Response,
        limit: Real,
    ) -> Result<ConstraintId, DynamicsError> {
        let frames =
            Orientations::new(None, turn_x_to(direction), Some(self.instance().bodies[segment]), turn_x_to(axis));
        let mut align = Align::new(frames, Axis::X).responding(response);
        align.max_torque = limit;
        world.add_constraint(Constraint::new(align).named("gaze"))
    }
}

fn turn_x_to(direction: &Vec3) -> Quat {
    let half_turn = || Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::PI);
    Quat::rotation_between(&Vec3::x(), direction).unwrap_or_else(half_turn)
}

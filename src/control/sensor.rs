//! Reading of joints and application of joint torques, for controllers and on their own.

use crate::dynamics::{ConstraintId, JointTarget, State, World};
use crate::math::{Quat, Real, Vec3, real, rotation_vector};

/// State of a joint at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointReading {
    /// Orientation of frame B in frame A.
    pub rotation: Quat,
    /// Angular velocity of B against A, rad/s, axes of frame A.
    pub rate: Vec3,
    /// Orientation of frame A in the world.
    pub axes: Quat,
}

impl JointReading {
    /// Returns the error against an orientation: the rotation vector log(R R_targetᵀ), radians, axes of frame A.
    #[inline]
    pub fn error(&self, target: &Quat) -> Vec3 {
        rotation_vector(&(self.rotation * target.inverse()))
    }

    /// The angle about an axis of frame A that a hinge turns about, radians within ±π.
    pub fn angle(&self, axis: crate::dynamics::Axis) -> Real {
        let angle = 2.0 * real::atan2(self.rotation.imag()[axis.index()], self.rotation.w);
        angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
    }
}

/// Reads a joint; `None` for constraints that are no joints.
pub fn read_joint(world: &World, joint: ConstraintId) -> Option<JointReading> {
    let joint = world.constraint(joint).joint()?;
    let rest = State { placement: crate::dynamics::Placement::IDENTITY, velocity: crate::math::Vec6::zeros() };
    let a = joint.a.map_or(&rest, |body| world.state(body));
    let b = joint.b.map_or(&rest, |body| world.state(body));
    let axes = a.placement.rotation * joint.frame_a.rotation;
    let rotation = axes.inverse() * (b.placement.rotation * joint.frame_b.rotation);
    Some(JointReading { rotation, rate: axes.inverse_transform_vector(&(b.angular() - a.angular())), axes })
}

/// Pushes at a joint for the next step with a torque (N·m, axes of frame A) on body B and its opposite on body A.
pub fn push_joint(world: &mut World, joint: ConstraintId, torque: &Vec3) -> Result<(), crate::dynamics::DynamicsError> {
    let Some((a, b, frame)) = world.constraint(joint).joint().map(|j| (j.a, j.b, j.frame_a.rotation)) else {
        return Ok(());
    };
    let axes = a.map_or(frame, |body| world.state(body).placement.rotation * frame);
    let torque = axes * torque;
    if let Some(a) = a {
        world.apply(a, Vec3::zeros(), -torque)?;
    }
    if let Some(b) = b {
        world.apply(b, Vec3::zeros(), torque)?;
    }
    Ok(())
}

/// Returns the orientation of a joint's target at a time and its angular velocity then.
pub(crate) fn wanted_at(target: &JointTarget, time: Real) -> (Quat, Vec3) {
    let rate = target.angular_velocity + target.angular_acceleration * (time - target.time);
    (target.rotation_at(time), rate)
}

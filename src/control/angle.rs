//! Angle tracking: holds a joint with one to three rotational degrees of freedom at an orientation that may move.
//!
//! With C = log(R R_targetᵀ), ω the joint's rate and ω̄ the target's, all in the axes of the joint's frame A:
//!
//! ```text
//!  row         τ = −K C⁺ − D (ω⁺ − ω̄⁺) + f      C⁺, ω⁺ at the end of the step: solved together with all other rows
//!  stable PD   τ = −K (C + hω) − D (ω + h ω̇ − ω̄) + f,    ω̇ = (τ + τₑ)/I, τₑ the other torques in the last step
//!  PID         row with f = z + f₀,   ż = −K C / Tᵢ, stopped while τ is at its limit and C would take it further
//! ```
//!
//! The torque stays within ± its limit about each axis. f, a torque known beforehand, is part of it: the row takes it as
//! the angle f/K by which the target is moved, so that the limit counts for the sum.

use super::Gains;
use super::sensor::{push_joint, read_joint, wanted_at};
use crate::dynamics::{Axis, ConstraintId, DynamicsError, Element, JointTarget, Response, World, turned};
use crate::math::{Real, Vec3, rotation_vector};

/// Method by which a controller makes its torque.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Backend {
    /// A soft, bounded row that the solver satisfies with everything else: an implicit spring and damper.
    #[default]
    Row,
    /// A torque worked out before the step (Tan, Liu & Turk 2011, *Stable Proportional-Derivative Controllers*): by a
    /// controller alone from the moment of its own joint, by a [`Actor`](crate::simulation::Actor) for all joints together.
    StablePd,
    /// The row with an integral, which takes away what the spring leaves under a steady load.
    Pid {
        /// Integral time Tᵢ, seconds: the time in which the integral adds as much as the spring gives.
        integral_time: Real,
    },
}

/// Axes of frame A about which a controller acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationAxes {
    /// The z axis alone: a hinge.
    Z,
    /// All three axes.
    All,
}

impl RotationAxes {
    fn as_slice(self) -> &'static [Axis] {
        match self {
            RotationAxes::Z => &[Axis::Z],
            RotationAxes::All => &Axis::ALL,
        }
    }

    fn mask(self, v: Vec3) -> Vec3 {
        match self {
            RotationAxes::Z => Vec3::new(0.0, 0.0, v.z),
            RotationAxes::All => v,
        }
    }
}

/// Holds one joint at an orientation.
#[derive(Clone, Debug, PartialEq)]
pub struct AngleController {
    joint: ConstraintId,
    axes: RotationAxes,
    backend: Backend,
    /// Inertia that the controller moves, kg·m².
    pub inertia: Real,
    /// Frequency and damping ratio of the spring.
    pub gains: Gains,
    /// Most torque about each axis, N·m.
    pub torque_limit: Real,
    /// Damping of the joint itself, there however weak the controller is, N·m·s/rad.
    pub passive: Real,
    strength: Real,
    integral: Vec3,
    /// Torque and rate at the start of the last step, for the torque of everything else.
    last: Option<(Vec3, Vec3)>,
    pushed: Vec3,
}

/// Frequency of the least damping of a row, Hz. A row needs some stiffness or damping; this much has no visible effect.
const LEAST_FREQUENCY: Real = 1e-6;
/// Largest rotation of a row's target for a feed-forward torque, radians. The rest is applied as an external torque.
const LEAN: Real = 0.3;

impl AngleController {
    /// Puts a controller on a joint. Row back-ends add their rows behind those the joint has.
    pub fn new(
        world: &mut World,
        joint: ConstraintId,
        axes: RotationAxes,
        backend: Backend,
        inertia: Real,
        gains: Gains,
    ) -> Self {
        let controller = Self {
            joint,
            axes,
            backend,
            inertia: inertia.max(1e-9),
            gains,
            torque_limit: Real::INFINITY,
            passive: 0.0,
            strength: 1.0,
            integral: Vec3::zeros(),
            last: None,
            pushed: Vec3::zeros(),
        };
        if backend != Backend::StablePd {
            controller.add_rows(world, joint);
        }
        controller
    }

    /// Adds rows for this controller behind those that a joint has.
    pub(crate) fn add_rows(&self, world: &mut World, joint: ConstraintId) {
        let response = self.response();
        if let Some(joint) = world.constraint_mut(joint).joint_mut() {
            for &axis in self.axes.as_slice() {
                let element = Element::Angular(axis);
                joint.drives.push(crate::dynamics::Drive { element, response, max_force: Real::INFINITY });
            }
        }
    }

    pub(crate) fn axes(&self) -> &'static [Axis] {
        self.axes.as_slice()
    }

    /// Joint that the controller acts on.
    pub fn joint(&self) -> ConstraintId {
        self.joint
    }

    /// Share of the full stiffness and torque limit in use, 0 to 1.
    pub fn strength(&self) -> Real {
        self.strength
    }

    /// Changes the share of stiffness and torque limit in use; the damping ratio stays.
    pub fn set_strength(&mut self, strength: Real) {
        self.strength = if strength.is_finite() { strength.clamp(0.0, 1.0) } else { 0.0 };
        if self.strength == 0.0 {
            self.reset();
        }
    }

    /// Forgets integral and history.
    pub fn reset(&mut self) {
        (self.integral, self.last, self.pushed) = (Vec3::zeros(), None, Vec3::zeros());
    }

    /// Stiffness and damping in use, the joint's own damping not among them.
    pub fn spring(&self) -> (Real, Real) {
        let (stiffness, damping) = self.gains.spring(self.inertia);
        (stiffness * self.strength, damping * self.strength.sqrt())
    }

    fn response(&self) -> Response {
        Response::Spring { stiffness: self.spring().0, damping: self.damping() }
    }

    /// Damping in use and the joint's own, N·m·s/rad.
    pub(crate) fn damping(&self) -> Real {
        let least = Gains::critical(LEAST_FREQUENCY).spring(self.inertia).1;
        (self.spring().1 + self.passive).max(least)
    }

    /// Most torque about each axis with the share of it in use, N·m.
    pub fn limit(&self) -> Real {
        // 0 · ∞ is no limit.
        if self.torque_limit.is_finite() && self.strength > 0.0 {
            self.torque_limit * self.strength
        } else {
            self.torque_limit
        }
    }

    /// Aims at where the target is at the end of the coming step of length `step`, with a torque known beforehand (N·m,
    /// axes of frame A). Call it before every step.
    pub fn aim(
        &mut self,
        world: &mut World,
        target: &JointTarget,
        feed_forward: &Vec3,
        step: Real,
    ) -> Result<(), DynamicsError> {
        let limit = self.limit();
        let forward = (self.axes.mask(*feed_forward) * self.strength).map(|f| f.clamp(-limit, limit));
        match self.backend {
            Backend::Row => self.aim_row(world, target, forward),
            Backend::Pid { integral_time } => {
                self.integrate(world, target, &forward, integral_time, step);
                self.aim_row(world, target, forward + self.integral)
            }
            Backend::StablePd => self.push(world, target, forward, step),
        }
    }

    #[inline(always)]
    fn aim_row(&mut self, world: &mut World, target: &JointTarget, forward: Vec3) -> Result<(), DynamicsError> {
        let response = self.response();
        let settings = [(response, self.limit()); 3];
        world.tune(self.joint, &settings[..self.axes.as_slice().len()]);
        let Response::Spring { stiffness, damping } = response else { return Ok(()) };
        let mut target = *target;
        // The joint's own damping resists all motion, the controller's only what is not wanted.
        let wanted = 1.0 - self.passive / damping;
        target.angular_velocity *= wanted;
        target.angular_acceleration *= wanted;
        self.pushed = Vec3::zeros();
        if forward != Vec3::zeros() {
            let ease = if stiffness > 0.0 { 1.0 / stiffness } else { 0.0 };
            let lean = forward.map(|f| (f * ease).clamp(-LEAN, LEAN));
            target.rotation = turned(&target.rotation, &lean);
            self.pushed = forward - lean * stiffness;
            if self.pushed.amax() > 1e-12 * forward.amax() {
                push_joint(world, self.joint, &self.pushed)?;
            }
        }
        world.aim(self.joint, target);
        Ok(())
    }

    fn integrate(&mut self, world: &World, target: &JointTarget, forward: &Vec3, time: Real, step: Real) {
        let Some(reading) = read_joint(world, self.joint) else { return };
        let (wanted, rate) = wanted_at(target, world.time());
        let error = self.axes.mask(reading.error(&wanted));
        let slip = self.axes.mask(reading.rate - rate);
        let ((stiffness, damping), limit) = (self.spring(), self.limit());
        for k in 0..3 {
            let torque = -stiffness * error[k] - damping * slip[k] + self.integral[k] + forward[k];
            let winds_up = torque.abs() >= limit && torque * -error[k] > 0.0;
            if !winds_up {
                let integral = self.integral[k] - stiffness * error[k] * step / time;
                self.integral[k] = integral.clamp(-limit, limit);
            }
        }
    }

    fn push(
        &mut self,
        world: &mut World,
        target: &JointTarget,
        forward: Vec3,
        step: Real,
    ) -> Result<(), DynamicsError> {
        let Some(reading) = read_joint(world, self.joint) else { return Ok(()) };
        let (stiffness, damping) = self.spring();
        let error = rotation_vector(&(reading.rotation * target.rotation.inverse()));
        // Torque of everything else in the last step: I ω̇ less the controller's own torque.
        let others = match self.last {
            Some((torque, rate)) => (reading.rate - rate) * (self.inertia / step) - torque,
            None => Vec3::zeros(),
        };
        let implicit = step * damping / self.inertia;
        let wanted = -(error + reading.rate * step) * stiffness - (reading.rate - target.angular_velocity) * damping;
        let limit = self.limit();
        let torque = (wanted + forward - others * implicit) / (1.0 + implicit) - reading.rate * self.passive;
        let torque = self.axes.mask(torque).map(|t| t.clamp(-limit, limit));
        (self.last, self.pushed) = (Some((torque, reading.rate)), torque);
        push_joint(world, self.joint, &torque)
    }

    /// Applies a torque that was computed elsewhere, N·m, axes of frame A.
    pub(crate) fn push_with(&mut self, world: &mut World, torque: &Vec3) -> Result<(), DynamicsError> {
        self.pushed = *torque;
        push_joint(world, self.joint, torque)
    }

    /// The torque on body B in the last step, N·m, axes of frame A, the joint's own damping with it.
    pub fn torque(&self, world: &World) -> Vec3 {
        let mut torque = self.pushed;
        if self.backend != Backend::StablePd {
            let mut values = [0.0; 3];
            let axes = self.axes.as_slice();
            if world.last_multipliers(self.joint, &mut values[..axes.len()]) {
                axes.iter().zip(values).for_each(|(axis, value)| torque[axis.index()] += value);
            }
        }
        torque
    }

    /// Returns the rotation vector from the target to the joint now, radians, axes of frame A, for the controlled axes only.
    pub fn error(&self, world: &World, target: &JointTarget) -> Vec3 {
        let (wanted, _) = wanted_at(target, world.time());
        read_joint(world, self.joint).map_or_else(Vec3::zeros, |r| self.axes.mask(r.error(&wanted)))
    }
}

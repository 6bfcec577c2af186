//! Figures of merit of a run, over all of its steps.

use super::{Actor, Run};
use crate::dynamics::{Contact, World};
use crate::math::{Real, Vec3};

/// Sums and maxima over the steps of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    steps: usize,
    joints: usize,
    joints_in_all: usize,
    error_squares: Real,
    worst_error: Real,
    worst_gap: Real,
    depth: Real,
    residual_sum: Real,
    residual_max: Real,
    residual_torque_sum: Real,
    residual_torque_max: Real,
    torque_max: Real,
    contact_sum: Real,
    contact_max: Real,
}

/// Figures of merit of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Share of joint-steps in which a muscle drew the joint to its target, 0 to 1; only these count for the angles.
    pub followed: Real,
    /// Root mean square of the angle between each joint that follows and its target, radians.
    pub tracking_rms: Real,
    /// Largest angle between a joint that follows and its target, radians.
    pub tracking_max: Real,
    /// Largest distance between the two ends of a joint, metres.
    pub worst_gap: Real,
    /// Deepest reach into the ground, metres.
    pub depth: Real,
    /// Mean force of the root assistance, body weights.
    pub residual_mean: Real,
    /// Largest force of the root assistance, body weights.
    pub residual_max: Real,
    /// Mean torque of the root assistance about the root joint, body weights × height.
    pub residual_torque_mean: Real,
    /// Largest torque of the root assistance about the root joint, body weights × height.
    pub residual_torque_max: Real,
    /// Largest torque of any joint, N·m.
    pub torque_max: Real,
    /// Mean vertical force of all contacts, body weights.
    pub contact_mean: Real,
    /// Largest vertical force of all contacts, body weights.
    pub contact_max: Real,
}

impl Tally {
    /// Adds the last step of a run, as the follower of this index took it.
    pub fn add(&mut self, run: &Run, follower: usize) {
        let (world, actor) = (&run.world, &run.followers[follower].actor);
        self.steps += 1;
        for k in 0..actor.figure().segments().len() {
            let Some(muscle) = actor.muscle(k) else { continue };
            self.joints_in_all += 1;
            if muscle.strength() <= 0.5 {
                continue;
            }
            let error = actor.error(world, k);
            self.joints += 1;
            self.error_squares += error * error;
            self.worst_error = self.worst_error.max(error);
            self.torque_max = self.torque_max.max(muscle.torque(world).norm());
        }
        self.worst_gap = self.worst_gap.max(actor.worst_gap(world));
        self.depth = self.depth.max(run.depth());
        let wrench = actor.residual(world);
        let (force, about_centre): (Vec3, Vec3) = (wrench.fixed_rows::<3>(0).into(), wrench.fixed_rows::<3>(3).into());
        let residual = force.norm();
        let root = world.state(actor.instance().bodies[0]).placement;
        let joint = actor.figure().segment(0).joint_frame(&root).position;
        let torque = (about_centre + (root.position - joint).cross(&force)).norm();
        self.residual_torque_sum += torque;
        self.residual_torque_max = self.residual_torque_max.max(torque);
        self.residual_sum += residual;
        self.residual_max = self.residual_max.max(residual);
        let lift = lift(world, actor);
        self.contact_sum += lift;
        self.contact_max = self.contact_max.max(lift);
    }

    /// Returns the figures of the steps so far.
    pub fn verdict(&self, run: &Run, follower: usize) -> Verdict {
        let figure = run.followers[follower].actor.figure();
        let weight = figure.mass() * run.world.gravity.norm().max(1e-9);
        let (steps, height) = (self.steps.max(1) as Real, figure.height.max(1e-9));
        Verdict {
            followed: self.joints as Real / self.joints_in_all.max(1) as Real,
            tracking_rms: (self.error_squares / self.joints.max(1) as Real).sqrt(),
            tracking_max: self.worst_error,
            worst_gap: self.worst_gap,
            depth: self.depth,
            residual_mean: self.residual_sum / steps / weight,
            residual_max: self.residual_max / weight,
            residual_torque_mean: self.residual_torque_sum / steps / (weight * height),
            residual_torque_max: self.residual_torque_max / (weight * height),
            torque_max: self.torque_max,
            contact_mean: self.contact_sum / steps / weight,
            contact_max: self.contact_max / weight,
        }
    }
}

/// Returns the vertical force of all contacts on an actor, N.
pub(crate) fn lift(world: &World, actor: &Actor) -> Real {
    let bodies = &actor.instance().bodies;
    let lift = |contact: &Contact| {
        let force: Vec3 = contact.normal * contact.normal_force + contact.friction_force;
        match contact.bodies.map(|body| bodies.contains(&body)) {
            [true, false] => -force.y,
            [false, true] => force.y,
            _ => 0.0,
        }
    };
    world.contacts().iter().map(lift).sum()
}

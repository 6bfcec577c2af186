//! Prescribed joints: inverse dynamics of some joints beside forward dynamics of the others.
//!
//! Inverse dynamics uses the same equations: rows hold the free directions of a joint to a motion given as a function of
//! time, and their multipliers are the torques (or forces) that the motion needs. Forward dynamics removes the rows and
//! applies [`Law::effort`](super::Law::effort) instead.

use super::constraint::{ConstraintId, Drive, Element, Joint, TargetScript};
use super::error::DynamicsError;
use super::world::World;
use crate::math::Real;

impl World {
    /// Prescribes a motion for these directions of a joint, whatever force it needs.
    ///
    /// ```
    /// use sinew_dynamics::Vec3;
    /// use sinew_dynamics::{
    ///     Axis, Body, Constraint, Element, Joint, JointTarget, MassProperties, Placement, TargetScript, World,
    /// };
    ///
    /// // A motor holds a horizontal 1 m arm of 2 kg against gravity: it takes m g L/2.
    /// let mut world = World::new();
    /// let arm = Body::dynamic("arm", MassProperties::rod(2.0, 1.0), Placement::at(Vec3::new(0.5, 0.0, 0.0)));
    /// let arm = world.add_body(arm)?;
    /// let hinge = Joint::hinge(None, Placement::IDENTITY, Some(arm), Placement::at(Vec3::new(-0.5, 0.0, 0.0)));
    /// let shoulder = world.add_constraint(Constraint::new(hinge))?;
    /// let turn = Element::Twist(Axis::Z);
    /// world.prescribe(shoulder, &[turn], TargetScript::new(|_| JointTarget::default()))?;
    /// world.step(0.01)?;
    /// assert!((world.effort(shoulder, turn).unwrap() - 2.0 * 9.81 * 0.5).abs() < 1e-9);
    /// // Let go: it falls.
    /// world.release(shoulder, &[turn])?;
    /// world.step(0.01)?;
    /// assert!(world.state(arm).angular().z < 0.0);
    /// # Ok::<(), sinew_dynamics::DynamicsError>(())
    /// ```
    pub fn prescribe(
        &mut self,
        id: ConstraintId,
        elements: &[Element],
        motion: TargetScript,
    ) -> Result<(), DynamicsError> {
        let joint = self.joint_mut(id)?;
        for &element in elements {
            joint.drives.retain(|d| d.element != element);
            joint.drives.push(Drive::hold(element));
        }
        joint.script = Some(motion);
        self.solver_state.workspace.ode.restart = true;
        Ok(())
    }

    /// Releases these directions of a joint: forces move them again.
    pub fn release(&mut self, id: ConstraintId, elements: &[Element]) -> Result<(), DynamicsError> {
        let joint = self.joint_mut(id)?;
        joint.drives.retain(|d| !elements.contains(&d.element));
        self.solver_state.workspace.ode.restart = true;
        Ok(())
    }

    /// Returns the torque (N·m) or force (N) along one direction of a joint in the last step; `None` if it is not driven.
    pub fn effort(&self, id: ConstraintId, element: Element) -> Option<Real> {
        let row = self.constraints[id.index()].joint()?.drives.iter().position(|d| d.element == element)?;
        self.reaction(id).multipliers.get(row).copied()
    }

    fn joint_mut(&mut self, id: ConstraintId) -> Result<&mut Joint, DynamicsError> {
        let constraint = &mut self.constraints[id.index()];
        let name = constraint.name.clone();
        let refused = DynamicsError::Constraint { name, what: "only joints can be prescribed or released".into() };
        constraint.joint_mut().ok_or(refused)
    }
}

/// Force or torque over time, interpolated between the samples by cubics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffortTrack {
    times: Vec<Real>,
    values: Vec<Real>,
}

impl EffortTrack {
    /// Adds a sample (seconds; N or N·m). Samples at this time and later are dropped first.
    pub fn push(&mut self, time: Real, value: Real) {
        while self.times.last().is_some_and(|last| *last >= time) {
            self.times.pop();
            self.values.pop();
        }
        self.times.push(time);
        self.values.push(value);
    }

    /// Returns the value at a time by the cubic through the four nearest samples; constant beyond the ends.
    pub fn at(&self, time: Real) -> Real {
        let n = self.times.len();
        if n == 0 {
            return 0.0;
        }
        let time = time.clamp(self.times[0], self.times[n - 1]);
        let first = self.times.partition_point(|t| *t < time).saturating_sub(2).min(n.saturating_sub(4));
        let window = first..(first + 4).min(n);
        let mut sum = 0.0;
        for i in window.clone() {
            let others = window.clone().filter(|&j| j != i);
            let weight: Real = others.map(|j| (time - self.times[j]) / (self.times[i] - self.times[j])).product();
            sum += weight * self.values[i];
        }
        sum
    }
}

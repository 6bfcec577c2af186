//! Constraints of a world: added, changed between steps, and read after them.

use super::{BodySet, World};
use crate::Placement;
use crate::body::BodyId;
use crate::constraint::{Constraint, ConstraintId, Joint, JointTarget, Kind, Reaction};
use crate::error::DynamicsError;
use crate::math::{Real, Vec6};
use crate::rows::{Assembly, Response, RowSpec, Scope};

impl World {
    /// Adds a constraint; refuses bodies that do not exist and geometry that is not finite.
    pub fn add_constraint(&mut self, constraint: Constraint) -> Result<ConstraintId, DynamicsError> {
        if let Some(body) = constraint.bodies().find(|b| b.index() >= self.bodies.list.len()) {
            let (name, count) = (constraint.name, self.bodies.list.len());
            return Err(DynamicsError::NoSuchBody { name, body: body.index(), count });
        }
        let id = ConstraintId(self.constraints.len() as u32);
        let mut constraint = constraint;
        constraint.settle(&self.scope());
        if !self.has_finite_rows(&constraint) {
            let what = "its rows are not finite numbers where the bodies are now".into();
            return Err(DynamicsError::Constraint { name: constraint.name, what });
        }
        self.constraints.push(constraint);
        self.constraint_changed(id);
        Ok(id)
    }

    /// Removes a constraint and returns it. Its number stays unused, so that the others keep theirs.
    pub fn remove_constraint(&mut self, id: ConstraintId) -> Constraint {
        let mut nothing = Constraint::new(Joint::new(None, Placement::IDENTITY, None, Placement::IDENTITY));
        nothing.enabled = false;
        self.constraint_changed(id);
        std::mem::replace(&mut self.constraints[id.index()], nothing)
    }

    /// Lists all constraints in the order they were added.
    pub fn constraint_ids(&self) -> impl Iterator<Item = ConstraintId> + use<> {
        (0..self.constraints.len() as u32).map(ConstraintId)
    }

    /// Returns a constraint.
    pub fn constraint(&self, id: ConstraintId) -> &Constraint {
        &self.constraints[id.index()]
    }

    /// Returns a constraint mutably, to change targets, limits and switches between steps; wakes its bodies.
    pub fn constraint_mut(&mut self, id: ConstraintId) -> &mut Constraint {
        self.constraint_changed(id);
        &mut self.constraints[id.index()]
    }

    /// Replaces the numbers of a constraint between the same bodies. Its memory (turns counted, position on a wire, teeth)
    /// stays.
    pub fn restate(&mut self, id: ConstraintId, kind: impl Into<Kind>) {
        let constraint = self.constraint_mut(id);
        constraint.kind = kind.into().remembering(&constraint.kind);
    }

    /// Sets the target of a joint for the coming step. Cheaper than [`World::constraint_mut`] for targets that change in every
    /// step: islands are not searched again, and only a target that differs wakes the bodies of the joint.
    ///
    /// Constraints that are not joints are left unchanged.
    pub fn aim(&mut self, id: ConstraintId, target: JointTarget) {
        let constraint = &mut self.constraints[id.index()];
        if let Some(joint) = constraint.joint_mut() {
            let changed = !joint.target.is_like(&target);
            joint.target = target;
            if changed {
                self.sleep.disturbed.extend(self.constraints[id.index()].bodies());
            }
        }
    }

    /// Sets springs and limits of the last rows of a joint, one per entry; the rows themselves stay. Wakes the bodies of the
    /// joint if anything differs.
    #[inline]
    pub fn tune(&mut self, id: ConstraintId, settings: &[(Response, Real)]) {
        let Some(joint) = self.constraints[id.index()].joint_mut() else { return };
        let first = joint.drives.len().saturating_sub(settings.len());
        let mut changed = false;
        for (drive, &(response, max_force)) in joint.drives[first..].iter_mut().zip(settings) {
            changed |= (drive.response, drive.max_force) != (response, max_force);
            (drive.response, drive.max_force) = (response, max_force);
        }
        if changed {
            self.sleep.disturbed.extend(self.constraints[id.index()].bodies());
        }
    }

    /// Writes the last multipliers of a constraint in the last step, N or N·m averaged over it, into `out`. Returns false, and
    /// writes zeros, if it had no rows. Allocates nothing, unlike [`World::reaction`].
    pub fn last_multipliers(&self, id: ConstraintId, out: &mut [Real]) -> bool {
        out.fill(0.0);
        self.workspace_of(id).is_some_and(|(workspace, _)| workspace.last_multipliers(id, out))
    }

    /// Returns force and torque of a constraint on a body about its centre of mass, N and N·m, world axes, averaged over the
    /// last step.
    pub fn wrench_on(&self, id: ConstraintId, body: BodyId) -> Vec6 {
        self.workspace_of(id).map_or_else(Vec6::zeros, |(workspace, members)| workspace.wrench(id, body, members))
    }

    /// Returns the forces of a constraint, averaged over the last step.
    pub fn reaction(&self, id: ConstraintId) -> Reaction {
        self.workspace_of(id).map_or_else(Reaction::default, |(workspace, members)| workspace.reaction(id, members))
    }

    /// Marks the islands as outdated and wakes the bodies of a constraint that was changed.
    fn constraint_changed(&mut self, id: ConstraintId) {
        self.solver_state.islands.up_to_date = false;
        self.sleep.disturbed.extend(self.constraints[id.index()].bodies());
    }

    /// Returns the view that constraints have of the bodies between steps.
    pub(crate) fn scope(&self) -> Scope<'_> {
        let BodySet { states, movable, identity_slots, .. } = &self.bodies;
        let scripted = &self.solver_state.workspace.scripted;
        Scope { slots: identity_slots, states, scripted, movable, time: self.time }
    }

    /// Returns true if all rows of a constraint are finite where the bodies are now.
    fn has_finite_rows(&self, constraint: &Constraint) -> bool {
        let scope = Scope { scripted: &self.bodies.zero_accelerations, ..self.scope() };
        let mut assembly = Assembly { with_curvature: true, ..Assembly::default() };
        assembly.block(0, false, scope, |sink| constraint.emit(constraint.is_pivot(), &scope, sink));
        let finite =
            |spec: &RowSpec| [spec.error, spec.rate, spec.acceleration, spec.curvature].iter().all(|x| x.is_finite());
        assembly.specs.iter().all(finite)
            && assembly.problem.entries.iter().all(|e| e.jacobian.iter().all(|x| x.is_finite()))
    }
}

//! Stage 1: free motion of the bodies, and the mass matrices in world axes.

use crate::force;
use crate::free_rotation::{carried, lane_mean_changes};
use crate::lanes::{lane_indices, lane_inertias, per_lane};
use crate::math::{Buffer, Real, Vec3, Vec6};
use crate::solve::Inertia;
use crate::step::island::{Island, StepContext};
use crate::step::workspace::FreeMotion;
use crate::step::{Workspace, scripted_end};

/// Scripted bodies move over the substep so that they end where their script says.
#[inline(always)]
pub(super) fn move_scripted_velocities(island: &mut Island, context: &StepContext<'_>, h: Real, end: Real) {
    let Island { members, fixed, states, workspace, .. } = island;
    workspace.scripted.reset(members.len(), Vec6::zeros());
    for index in 0..*fixed {
        let kind = &context.bodies[members[index] as usize].kind;
        let velocity = scripted_end(kind, &states[index], h, end).velocity;
        workspace.scripted[index] = (velocity - states[index].velocity) / h;
        states[index].velocity = velocity;
    }
}

/// Gathers external forces by slot.
#[inline(always)]
fn gather_forces(island: &mut Island, context: &StepContext<'_>, h: Real, end: Real) {
    // Taken out of the workspace while laws look at the island.
    let mut applied = std::mem::take(&mut island.workspace.free.applied);
    applied.assign(island.members.iter().map(|&member| context.loads[member as usize]));
    if !island.forces.is_empty() {
        let scope = island.force_scope(context, end - h, h);
        let forces = island.forces.iter().map(|&force| &context.forces[force as usize]);
        force::gather(&scope, forces, end - 0.5 * h, &mut applied);
    }
    island.workspace.free.applied = applied;
}

/// Computes free velocities and the mass matrices in world axes.
#[inline(always)]
pub(super) fn free_velocities(island: &mut Island, context: &StepContext<'_>, h: Real, end: Real) {
    gather_forces(island, context, h, end);
    let Island { members, fixed, states, staggers, workspace, .. } = island;
    let Workspace { assembly, velocity, shift, trial, free: FreeMotion { applied, ahead, .. }, .. } = workspace;
    let inertias = &mut assembly.problem.inertias;
    // Every entry is written below.
    inertias.resize(members.len(), Inertia::IMMOVABLE);
    velocity.resize(members.len(), Vec6::zeros());
    ahead.resize(members.len(), Vec3::zeros());
    shift.reset(members.len(), Vec6::zeros());
    trial.assign(states.iter().copied());
    inertias[..*fixed].fill(Inertia::IMMOVABLE);
    ahead[..*fixed].fill(Vec3::zeros());
    velocity.iter_mut().zip(&states[..*fixed]).for_each(|(velocity, state)| *velocity = state.velocity);
    for first in (*fixed..members.len()).step_by(4) {
        let lanes = lane_indices(first, members.len());
        let masses = per_lane(|k| {
            let member = members[lanes[k]] as usize;
            (&context.bodies[member].mass.inertia, &context.inverse_inertia[member])
        });
        let turned = lane_inertias(masses, per_lane(|k| &states[lanes[k]].placement.rotation));
        let spins = per_lane(|k| states[lanes[k]].angular());
        let changes = lane_mean_changes(per_lane(|k| (&turned[k].0, &turned[k].1)), per_lane(|k| &spins[k]), h);
        for (slot, index) in (first..members.len().min(first + 4)).enumerate() {
            let (body, state, load) = (&context.bodies[members[index] as usize], &states[index], &applied[index]);
            let mass = body.mass.mass;
            let (own, inverse_inertia) = turned[slot];
            let inertia = Inertia { mass, inverse_mass: 1.0 / mass, inertia: own, inverse_inertia };
            // Loads and laws act for the whole substep, gravity since the time that the velocity belongs to.
            let time = 0.5 * h + staggers[index].lag;
            let push = Vec3::new(load[0], load[1], load[2]) * (inertia.inverse_mass * h);
            let mut linear = state.linear() + context.gravity * time + push;
            let torque = Vec3::new(load[3], load[4], load[5]);
            let mut angular = spins[slot] + inertia.inverse_inertia * torque * h;
            inertias[index] = inertia;
            // Damping at the end of the step makes bodies seem heavier by these factors, for constraint forces too.
            let (slow, slow_turn) = (1.0 + h * body.linear_damping, 1.0 + h * body.angular_damping);
            if slow != 1.0 || slow_turn != 1.0 {
                (linear, angular) = (linear / slow, angular / slow_turn);
                inertias[index] = inertia.scaled(slow, slow_turn);
            }
            velocity[index] = Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
            ahead[index] = changes[slot];
        }
    }
}

/// Sets the spins that the substep ends with. After its impulses every body rotates freely: if spins changed before the
/// impulses of joints were known, what these add to the spin would not rotate along, and a top would gain speed in every
/// step. Bodies that were not `moved_freely`, or bounced after they were moved, take the energy of their spin along.
#[inline(always)]
pub(super) fn turn_spins(island: &mut Island, h: Real, moved_freely: bool) {
    let Island { fixed, states, workspace, .. } = island;
    let Workspace { velocity, trial, assembly, .. } = workspace;
    for index in *fixed..states.len() {
        let v = &mut velocity[index];
        let spin = if moved_freely {
            trial[index].angular()
        } else {
            let (from, to) = (&states[index].placement.rotation, &trial[index].placement.rotation);
            carried(from, to, &Vec3::new(v[3], v[4], v[5]), &assembly.problem.inertias[index], h)
        };
        (v[3], v[4], v[5]) = (spin.x, spin.y, spin.z);
    }
}

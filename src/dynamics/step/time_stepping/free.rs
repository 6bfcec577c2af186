//! Stage 1: how bodies would move if nothing held them, and the mass matrices in world axes.

use crate::dynamics::body::inertia_along;
use crate::dynamics::force;
use crate::dynamics::solve::Inertia;
use crate::dynamics::step::island::{Island, Surroundings};
use crate::dynamics::step::{Workspace, scripted_end};
use crate::math::{Mat3, Real, Vec3, Vec6};

/// Scripted bodies move over the substep so that they end where their script says.
#[inline(always)]
pub(super) fn move_scripted_velocities(island: &mut Island, around: &Surroundings<'_>, h: Real, end: Real) {
    let Island { members, fixed, states, workspace, .. } = island;
    workspace.scripted.clear();
    workspace.scripted.resize(members.len(), Vec6::zeros());
    for index in 0..*fixed {
        let kind = &around.bodies[members[index] as usize].kind;
        let velocity = scripted_end(kind, &states[index], h, end).velocity;
        workspace.scripted[index] = (velocity - states[index].velocity) / h;
        states[index].velocity = velocity;
    }
}

/// What pulls from outside, by slot.
#[inline(always)]
fn gather_forces(island: &mut Island, around: &Surroundings<'_>, h: Real, end: Real) {
    // Taken out of the workspace while laws look at the island.
    let mut applied = std::mem::take(&mut island.workspace.applied);
    applied.clear();
    applied.extend(island.members.iter().map(|&member| around.loads[member as usize]));
    if !island.forces.is_empty() {
        let scope = island.force_scope(around, end - h, h);
        let forces = island.forces.iter().map(|&force| &around.forces[force as usize]);
        force::gather(&scope, forces, end - 0.5 * h, &mut applied);
    }
    island.workspace.applied = applied;
}

/// Stage 1, and the mass matrices in world axes.
#[inline(always)]
pub(super) fn free_velocities(island: &mut Island, around: &Surroundings<'_>, h: Real, end: Real) {
    gather_forces(island, around, h, end);
    let Island { members, fixed, states, workspace, .. } = island;
    let Workspace { assembly, velocity, offset, trial, applied, axes, .. } = workspace;
    let inertias = &mut assembly.problem.inertias;
    // Every entry is written below.
    inertias.resize(members.len(), Inertia::IMMOVABLE);
    velocity.resize(members.len(), Vec6::zeros());
    offset.resize(members.len(), Vec6::zeros());
    axes.resize(members.len(), Mat3::identity());
    trial.clear();
    trial.extend_from_slice(states);
    inertias[..*fixed].fill(Inertia::IMMOVABLE);
    offset[..*fixed].fill(Vec6::zeros());
    velocity.iter_mut().zip(&states[..*fixed]).for_each(|(velocity, state)| *velocity = state.velocity);
    let outcome = inertias.iter_mut().zip(velocity).zip(offset).zip(axes);
    let given = members.iter().zip(&*states).zip(applied);
    for ((((inertia_out, velocity), offset), axes), ((&member, state), load)) in outcome.zip(given).skip(*fixed) {
        let (body, inverse_inertia) = (&around.bodies[member as usize], &around.inverse_inertia[member as usize]);
        *axes = state.placement.rotation.to_rotation_matrix().into_inner();
        let inertia = inertia_along(&body.mass, inverse_inertia, axes);
        let spin = state.angular();
        let gyroscopic = free_spin_change(&body.mass.inertia, inverse_inertia, axes, &spin, h);
        // Damping at the end of the step makes bodies seem heavier by these factors, for constraint forces too.
        let (slow, slow_turn) = (1.0 + h * body.linear_damping, 1.0 + h * body.angular_damping);
        let push = around.gravity + Vec3::new(load[0], load[1], load[2]) * inertia.inverse_mass;
        let linear = (state.linear() + push * h) / slow;
        let torque = Vec3::new(load[3], load[4], load[5]);
        let angular = (spin + inertia.inverse_inertia * torque * h) / slow_turn;
        *velocity = Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        // The turn goes on with the mean of the spins before and after.
        let ahead = gyroscopic * 0.5;
        *offset = Vec6::new(0.0, 0.0, 0.0, ahead.x, ahead.y, ahead.z);
        *inertia_out = if slow == 1.0 && slow_turn == 1.0 { inertia } else { inertia.scaled(slow, slow_turn) };
    }
}

/// The spins that the substep ends with: after its impulses every body turns freely. Impulses first, then free motion: if
/// spins changed before the impulses of joints were known, what these add to the spin would not be turned along, and a top
/// would gain speed in every step.
#[inline(always)]
pub(super) fn turn_spins(island: &mut Island, around: &Surroundings<'_>, h: Real) {
    let Island { members, fixed, workspace, .. } = island;
    let Workspace { velocity, axes, .. } = workspace;
    for ((velocity, axes), &member) in velocity.iter_mut().zip(axes).zip(&*members).skip(*fixed) {
        let (body, inverse) = (&around.bodies[member as usize], &around.inverse_inertia[member as usize]);
        let spin = Vec3::new(velocity[3], velocity[4], velocity[5]);
        let change = free_spin_change(&body.mass.inertia, inverse, axes, &spin, h);
        (0..3).for_each(|k| velocity[3 + k] += change[k]);
    }
}

/// By how much the spin of a body that nothing touches changes within h: its momentum stays, its axes turn (midpoint rule
/// in body axes). No spin is too fast for it, since |ω| never exceeds |L| / I. The difference is taken in body axes, so
/// that a steady spin does not gather the rounding of turning it there and back.
#[inline(always)]
fn free_spin_change(inertia: &Mat3, inverse: &Mat3, axes: &Mat3, spin: &Vec3, h: Real) -> Vec3 {
    let spin = axes.tr_mul(spin);
    let momentum = inertia * spin;
    let quarter = spin * (-0.5 * h);
    let half = inverse * swung(&momentum, &quarter, swing(quarter.norm_squared()));
    // There and back by the same angle.
    let turn = half * h;
    let factors = swing(turn.norm_squared());
    let end = inverse * swung(&momentum, &-turn, factors);
    axes * (swung(&end, &turn, factors) - spin)
}

/// sin a / a and (1 − cos a) / a² of the square of an angle.
#[inline(always)]
fn swing(angle_sq: Real) -> (Real, Real) {
    if angle_sq < 0.01 {
        let x = angle_sq;
        (
            1.0 - x * (1.0 / 6.0) * (1.0 - x * (1.0 / 20.0) * (1.0 - x * (1.0 / 42.0) * (1.0 - x * (1.0 / 72.0)))),
            0.5 * (1.0
                - x * (1.0 / 12.0) * (1.0 - x * (1.0 / 30.0) * (1.0 - x * (1.0 / 56.0) * (1.0 - x * (1.0 / 90.0))))),
        )
    } else {
        let angle = angle_sq.sqrt();
        (angle.sin() / angle, (1.0 - angle.cos()) / angle_sq)
    }
}

/// A vector turned by a rotation vector, given its [`swing`].
#[inline(always)]
fn swung(v: &Vec3, turn: &Vec3, (s, c): (Real, Real)) -> Vec3 {
    let once = turn.cross(v);
    v + once * s + turn.cross(&once) * c
}

//! The default stepper: velocity level, semi-implicit, exact joints.
//!
//! One substep of length h from poses x and velocities v:
//!
//! ```text
//!   1  u = v + t g + h M⁻¹ F                         free velocities (gravity, loads, laws)
//!   2  v = u + M⁻¹ Jᵀ λ,   J v + S λ = k             all rows at once, J at x; k = −½h J̇v where exact
//!   3  x' = x ⊕ h v;  while C(x') ≠ 0:  J Δv = −C(x')/h,  v += Δv      exactly held rows only
//! ```
//!
//! Velocities belong to the middle of a substep, positions to its ends. Where only gravity and contact act, t is half of the last
//! substep and half of this one, and only the latter for a body that was just placed (Störmer and Verlet), and who reads the
//! velocity of a body in flight after the step gets that of its end; see [`crate::body::Stagger`]. Elsewhere t is h.
//!
//! Stage 3 puts the impulses that bend the path into the velocity as well. A pendulum's rod then pulls along the chord,
//! and stage 2 of the next step turns the velocity onto the new tangent without loss: together they are the RATTLE
//! scheme (Andersen 1983), symplectic and of second order in the positions, where projecting positions alone would
//! lose ½(hω)² of the energy in every step. The factorisation of stage 2 serves stage 3.
//!
//! A row with stiffness K and damping D is an implicit spring: k = (D·rate − K C)/(hK + D), s = 1/(h(hK + D)), where C is
//! measured against the target at the end of the step. A row with a time constant follows the exact solution of
//! C̈ + (2/τ)Ċ + C/τ² = 0. x ⊕ h v is the motion of free bodies: see [`crate::free_rotation`] for its rotations.
//!
//! Under a large tension a light link vibrates sideways faster than the step can follow. The stepper sees the
//! tension in the last multipliers and takes more substeps by itself. A substep that leaves joints open (a whip that
//! cracks) is thrown away before anything is committed, and tried again at half the length; where that does not help, or
//! is not allowed, [`kinematic_fallback`] closes the joints.

mod contact_refresh;
mod contact_rows;
mod energy_budget;
mod free;
mod kinematic_fallback;
mod lead;
mod overlap_check;
mod rows;

use self::free::{free_velocities, move_scripted_velocities, turn_spins};
use self::rows::{CorrectionSink, VelocitySink};
use super::island::{Island, StepContext};
use super::workspace::{Corrections, Readout, RowState, TensionEstimate};
use super::{StepReport, Workspace, scripted_motion};
use crate::body::State;
use crate::free_rotation::{lane_moves, moved};
use crate::lanes::{lane_indices, per_lane};
use crate::math::{Buffer, Real, Vec3, Vec6};
use crate::rows::{RowSink, Scope};
use crate::solve::{Block, Row};

/// Settings of the default stepper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeStepping {
    /// Least number of inner steps per step.
    pub substeps: usize,
    /// Most inner steps per step, taken where light parts carry great tension or joints would open.
    pub max_substeps: usize,
    /// Most corrections of the exactly held rows per substep.
    pub corrections: usize,
    /// Accepted deviation of exactly held rows, metres or radians.
    pub tolerance: Real,
    /// Largest speed at which deviations are corrected, m/s or rad/s.
    pub recovery_speed: Real,
}

/// A substep is kept when the exactly held rows are within this many tolerances; else a shorter one is tried.
const ACCEPTED: Real = 5.0;

/// Most repetitions of a substep because points of contact were overrun that did not act.
const REPETITIONS: usize = 2;

/// Most rounds that lift out points which rotation brought in.
const LIFTS: usize = 2;

/// Violation of one-sided rows that is not corrected, metres or radians. It is small for bodies that hang or fly, which
/// would tremble between violated ends. Bodies on the ground get as much as contacts have, because a correction lifts them.
const END_SLOP: Real = 1e-5;
const END_SLOP_ON_GROUND: Real = 1e-4;

/// A joint open by more than this before a step, metres or radians, was torn: no rounding, no bend of a path does that.
const TORN: Real = 1e-3;

impl Default for TimeStepping {
    fn default() -> Self {
        Self { substeps: 1, max_substeps: 64, corrections: 8, tolerance: 1e-7, recovery_speed: 10.0 }
    }
}

impl TimeStepping {
    /// Steps an island by `dt`, seconds, with wide vectors where the machine has them.
    pub(crate) fn step(&self, island: &mut Island, context: &StepContext<'_>, dt: Real) -> StepReport {
        crate::math::wide!(fn(stepper: &TimeStepping = self, island: &mut Island, context: &StepContext<'_>, dt: Real)
            -> StepReport {
            stepper.all_substeps(island, context, dt)
        })
    }

    #[inline(always)]
    fn all_substeps(&self, island: &mut Island, context: &StepContext<'_>, dt: Real) -> StepReport {
        let start = context.start;
        contact_rows::begin(island, context, dt);
        let most = self.max_substeps.max(self.substeps).max(1);
        let (mut foreseen, mut turning) = (1, 1);
        if most > 1 {
            turning = contact_refresh::wanted_substeps(island, context, dt).min(most);
            foreseen = if most > self.substeps { wanted_substeps(island, context, dt).min(most) } else { 1 };
        }
        let mut pieces = self.substeps.max(1).max(foreseen).max(turning);
        let mut left = pieces;
        contact_rows::rescale(&mut island.touches, 1.0 / pieces as Real);
        if turning > 1 {
            contact_refresh::refresh(island, context, dt / pieces as Real);
        }
        let mut report = StepReport::default();
        island.covered = 0.0;
        island.stagger();
        // What a longer try left unmet; none while shorter steps are not worth trying.
        let (mut before, mut halving) = (Real::INFINITY, true);
        while left > 0 {
            let h = dt / pieces as Real;
            // Ends are computed from the start of the step, so that the clock does not gather rounding.
            let end = if left == 1 { start + dt } else { start + h * (pieces - left + 1) as Real };
            island.equalise_lags(h);
            let (error, bounces) = self.try_substep(island, context, h, end, &mut report);
            let mut error = if is_finite(&island.workspace.velocity) { error } else { Real::INFINITY };
            let met = error <= ACCEPTED * self.tolerance;
            // Rows that fight each other stay unmet however short the step is: then there is no use in halving it.
            halving &= !error.is_finite() || error < 0.5 * before;
            if !met && halving && 2 * pieces <= most {
                before = error;
                (pieces, left) = (2 * pieces, 2 * left);
                contact_rows::rescale(&mut island.touches, 0.5);
                continue;
            }
            before = Real::INFINITY;
            let mut moved_freely = true;
            if !met && kinematic_fallback::close_spinning_trees(island, context, h, end, ACCEPTED * self.tolerance) {
                contact_rows::update_next_gaps(island);
                moved_freely = false;
            }
            for _ in 0..LIFTS {
                if !Self::lift_out(island, h) {
                    break;
                }
                error = self.keep_exact_rows(island, context, h, end, true);
                moved_freely = error <= ACCEPTED * self.tolerance
                    || !kinematic_fallback::close_spinning_trees(island, context, h, end, ACCEPTED * self.tolerance);
                contact_rows::update_next_gaps(island);
            }
            if bounces {
                island.workspace.corrections.velocity.clone_from(&island.workspace.velocity);
                Self::bounce(island);
                moved_freely = false;
            }
            lead::note_pressing(island);
            moved_freely &= !energy_budget::enforce(island, context, h, bounces);
            island.covered += island.impulse_time(h);
            island.workspace.store_forces(h, report.substeps == 0);
            lead::note(island, context, h);
            commit(island, context, h, end, moved_freely);
            report.worst_error = error;
            report.substeps += 1;
            left -= 1;
            if left > 0 && turning > 1 {
                contact_refresh::refresh(island, context, dt / pieces as Real);
            } else if left > 0 {
                contact_rows::move_points(island, context);
            }
        }
        for mut touch in island.spent.drain(..) {
            touch.acting = false;
            island.touches.push(touch);
        }
        for (state, stagger) in island.states.iter_mut().zip(&island.staggers).skip(island.fixed) {
            state.velocity += stagger.lead;
        }
        let readout = &mut island.workspace.readout;
        for multiplier in &mut readout.multipliers {
            *multiplier /= readout.covered;
        }
        if most > self.substeps.max(1) {
            note_tension(island, context);
        }
        if island.workspace.rows.breakable {
            let put_to = |owner, force| Island::constraint(context, owner).put_to(force);
            report.broken = break_constraints(&island.workspace, put_to);
        }
        report
    }

    /// Tries one substep without committing it. Returns the deviation of the exactly held rows, and true if a hit bounces.
    #[inline(always)]
    fn try_substep(
        &self,
        island: &mut Island,
        context: &StepContext<'_>,
        h: Real,
        end: Real,
        report: &mut StepReport,
    ) -> (Real, bool) {
        move_scripted_velocities(island, context, h, end);
        free_velocities(island, context, h, end);
        let limited = self.state_rows(island, context, h, end);
        let Workspace { assembly, lambda, velocity, free, transient, .. } = &mut island.workspace;
        let before = assembly.problem.topology;
        assembly.stamp_topology(&island.movable);
        if before != assembly.problem.topology {
            lambda.clear();
        }
        lambda.truncate(assembly.problem.persistent_rows as usize);
        lambda.resize(assembly.problem.rows.len(), 0.0);
        if island.touches.is_empty() {
            self.solve_rows(island, limited, true, report);
            let pushed = Self::push_apart(island, context, h);
            return (self.keep_exact_rows(island, context, h, end, pushed), false);
        }
        let sweeps = contact_rows::sweeps_for(island.touches.len(), context.contact.sweeps);
        island.solver.settle_contacts_to(context.contact, sweeps);
        free.velocity.clone_from(velocity);
        transient.warm_start(assembly, lambda, h);
        contact_rows::select_acting(island, context, h);
        let mut repetitions = REPETITIONS;
        loop {
            contact_rows::state_rows(island, h);
            self.solve_rows(island, limited, repetitions == REPETITIONS, report);
            let Workspace { corrections, velocity, lambda, .. } = &mut island.workspace;
            corrections.plain.clone_from(velocity);
            corrections.plain_lambda.clone_from(lambda);
            let bounces = contact_rows::read_impulses(island, context, h);
            let pushed = Self::push_apart(island, context, h);
            let error = self.keep_exact_rows(island, context, h, end, pushed);
            contact_rows::update_next_gaps(island);
            if repetitions == 0
                || !(contact_rows::activate_overrun(island) | overlap_check::find_missed_overlaps(island, context, h))
            {
                return (error, bounces);
            }
            repetitions -= 1;
            contact_rows::restore_free_velocities(island);
        }
    }

    /// Stage 2.
    #[inline(always)]
    fn solve_rows(&self, island: &mut Island, limited: bool, fresh: bool, report: &mut StepReport) {
        let Island { workspace, solver, .. } = island;
        let Workspace { assembly, lambda, velocity, rows, corrections, .. } = workspace;
        if fresh {
            solver.as_dyn().prepare(&assembly.problem);
        } else {
            solver.as_dyn().extend(&assembly.problem);
        }
        report.add(&solver.as_dyn().solve(&assembly.problem, lambda, velocity));
        corrections.tangent.clone_from(velocity);
        // A row at its limit has given way: stage 3 leaves it alone.
        if limited {
            for ((exact, row), lambda) in rows.exact.iter_mut().zip(&assembly.problem.rows).zip(lambda.iter()) {
                *exact &= row.lo < *lambda && *lambda < row.hi;
            }
        }
    }

    /// The rows of all constraints that act in this substep, with their numbers; whether any exactly held row has limits.
    #[inline(always)]
    fn state_rows(&self, island: &mut Island, context: &StepContext<'_>, h: Real, end: Real) -> bool {
        let Island { constraints, persistent_constraints, states, movable, workspace, touches, .. } = island;
        let Workspace { assembly, scripted, free, rows, .. } = workspace;
        let RowState { exact, open, remembers, breakable, past_ends } = rows;
        // Noted while a constraint is at hand, so that no pass over all of them is made for nothing.
        (*remembers, *breakable) = (false, false);
        assembly.clear();
        exact.clear();
        past_ends.clear();
        let scope = Scope { slots: context.slots, states, scripted, movable, time: end };
        let on_ground = touches.iter().any(|touch| touch.slots.iter().any(|&slot| !movable[slot as usize]));
        let mut sink = VelocitySink {
            problem: &mut assembly.problem,
            exact,
            limited: false,
            open: 0.0,
            scope: &scope,
            ahead: &free.ahead,
            past_ends,
            end_slop: if on_ground { END_SLOP_ON_GROUND } else { END_SLOP },
            h,
            recovery: self.recovery_speed,
        };
        for (place, &index) in constraints.iter().enumerate() {
            if place == *persistent_constraints {
                sink.problem.persistent_rows = sink.problem.rows.len() as u32;
            }
            let constraint = Island::constraint(context, index);
            *remembers |= constraint.remembers();
            *breakable |= constraint.break_force.is_some();
            if !constraint.acts_at(end - 0.5 * h) {
                continue;
            }
            constraint.aim(end);
            let first = sink.problem.rows.len() as u32;
            let pivot = constraint.is_pivot();
            match constraint.joint() {
                Some(joint) if pivot => joint.emit_pivot(&scope, &mut sink),
                _ => constraint.emit(false, &scope, &mut sink),
            }
            let count = sink.problem.rows.len() as u32 - first;
            if count > 0 {
                sink.problem.blocks.push(Block { first, count, pivot });
                assembly.owners.push(index);
            }
        }
        if *persistent_constraints >= constraints.len() {
            sink.problem.persistent_rows = sink.problem.rows.len() as u32;
        }
        *open = sink.open;
        sink.limited
    }

    /// Stage 3: moves the bodies on trial, and corrects the deviations of the exactly held rows. Bodies that were `pushed`
    /// apart are corrected by displacement alone: the push must not turn into speed.
    #[inline(always)]
    fn keep_exact_rows(
        &self,
        island: &mut Island,
        context: &StepContext<'_>,
        h: Real,
        end: Real,
        pushed: bool,
    ) -> Real {
        let Island { workspace: w, states, members, fixed, movable, solver, .. } = island;
        let mut worst = 0.0;
        let mut last = Real::INFINITY;
        // Joints that were torn open before the step are closed by shifting bodies alone: an old gap is no reason to fly.
        let torn = w.rows.open > TORN;
        let displacement_only = torn || pushed;
        // At a bounded speed, one correction is all there is to do.
        let corrections = if torn { 1 } else { self.corrections };
        for round in 0..=corrections {
            if round == 0 {
                for (index, trial) in w.trial[..*fixed].iter_mut().enumerate() {
                    let kind = &context.bodies[members[index] as usize].kind;
                    trial.placement = scripted_motion(kind, &states[index], h, end).placement;
                }
            }
            if !w.assembly.problem.blocks.is_empty() && whirls(&w.velocity[*fixed..], h) {
                w.velocity[*fixed..].fill(Vec6::repeat(Real::NAN));
                return Real::INFINITY;
            }
            w.move_on_trial(states, *fixed, h);
            let scope = Scope { slots: context.slots, states: &w.trial, scripted: &w.scripted, movable, time: end };
            w.corrections.targets.clear();
            let mut sink = CorrectionSink {
                exact: &w.rows.exact,
                targets: &mut w.corrections.targets,
                worst: 0.0,
                per_h: 1.0 / h,
                recovery: self.recovery_speed,
            };
            for (block, &owner) in w.assembly.problem.blocks.iter().zip(&w.assembly.owners) {
                let before = sink.worst;
                let (first, end) = (block.first as usize, (block.first + block.count) as usize);
                let constraint = &*Island::constraint(context, owner);
                match constraint.joint() {
                    Some(joint) if block.pivot => {
                        sink.anchor(&joint.anchor(&scope));
                        if !w.rows.exact[first + 3..end].contains(&true) {
                            sink.targets.resize(end, 0.0);
                        } else if !joint.emit_perpendicular_errors(&scope, &mut sink) {
                            sink.targets.truncate(first);
                            joint.emit_pivot(&scope, &mut sink);
                        }
                    }
                    _ => constraint.emit(block.pivot, &scope, &mut sink),
                }
                if sink.targets.len() != end {
                    // The number of its rows depends on the pose: it is left to its bias.
                    sink.targets.truncate(first);
                    sink.targets.resize(end, 0.0);
                    sink.worst = before;
                }
            }
            worst = sink.worst;
            if worst > last && !torn {
                // The rows have no common answer nearby (a chain pulled straight): a correction that made it worse is undone.
                w.add_correction(-1.0, displacement_only);
                w.move_on_trial(states, *fixed, h);
                worst = last;
                break;
            }
            last = worst;
            if worst <= self.tolerance || round == corrections {
                break;
            }
            w.corrections.targets.resize(w.lambda.len(), 0.0);
            w.corrections.lambda.resize(w.lambda.len(), 0.0);
            w.corrections.velocity.resize(w.velocity.len(), Vec6::zeros());
            let Corrections { targets, lambda, velocity, .. } = &mut w.corrections;
            solver.as_dyn().correct(&w.assembly.problem, targets, lambda, velocity);
            w.add_correction(1.0, displacement_only);
        }
        worst
    }
}

impl Workspace {
    /// Moves the bodies on trial, each by its free motion and its shift.
    #[inline(always)]
    fn move_on_trial(&mut self, states: &[State], fixed: usize, h: Real) {
        for first in (fixed..states.len()).step_by(4) {
            let lanes = lane_indices(first, states.len());
            let inertias = &self.assembly.problem.inertias;
            let moved = lane_moves(
                per_lane(|k| &states[lanes[k]].placement),
                per_lane(|k| &self.velocity[lanes[k]]),
                per_lane(|k| &self.shift[lanes[k]]),
                per_lane(|k| &inertias[lanes[k]]),
                h,
            );
            for (trial, (placement, spin)) in self.trial[first..].iter_mut().zip(&moved) {
                trial.placement = *placement;
                (trial.velocity[3], trial.velocity[4], trial.velocity[5]) = (spin.x, spin.y, spin.z);
            }
        }
    }

    /// State of one body after its free motion and its shift; its linear velocity is that of the trial.
    fn moved_freely(&self, states: &[State], slot: usize, h: Real) -> State {
        let inertia = &self.assembly.problem.inertias[slot];
        let (placement, spin) = moved(&states[slot].placement, &self.velocity[slot], &self.shift[slot], inertia, h);
        let mut velocity = self.trial[slot].velocity;
        (velocity[3], velocity[4], velocity[5]) = (spin.x, spin.y, spin.z);
        State { placement, velocity }
    }
}

/// Substeps that keep ωh below 1.5 (it breaks at 2) for the fastest sideways vibration that tension causes.
fn wanted_substeps(island: &Island, context: &StepContext<'_>, dt: Real) -> usize {
    let fastest = island.own().iter().map(|&body| context.tension[body as usize]).fold(0.0, Real::max);
    (fastest.sqrt() * dt / 1.5).ceil().min(1e6) as usize
}

/// Estimates the sideways vibration that tension causes, for the next step. A body pulled with forces f at levers r
/// turns back like a pendulum, ω² = Σ|f||r| / (I + B), I across the body's long axis. Motors about all axes of a joint,
/// being implicit, are as good as inertia: B = h²K + hD, which is 1/s of their rows.
#[inline(always)]
fn note_tension(island: &mut Island, context: &StepContext<'_>) {
    let StepContext { inverse_transverse_moment, slots, .. } = context;
    let Workspace { assembly, readout: Readout { multipliers, .. }, tension, lambda, .. } = &mut island.workspace;
    let TensionEstimate { by_body: tension, braces } = tension;
    for list in [&mut *tension, &mut *braces] {
        list.reset(island.members.len(), 0.0);
    }
    for (block, &owner) in assembly.problem.blocks.iter().zip(&assembly.owners) {
        let rows = block.rows();
        let constraint = Island::constraint(context, owner);
        if let (true, Some(joint)) = (block.pivot, constraint.joint()) {
            // The anchor rows are unit vectors: their multipliers are the force.
            let force = Vec3::from_column_slice(&multipliers[rows.start..rows.start + 3]).norm_squared();
            let brace = brace(&assembly.problem.rows[rows.clone()], &lambda[rows.clone()]);
            for (body, frame) in [(joint.a, &joint.frame_a), (joint.b, &joint.frame_b)] {
                if let Some(body) = body {
                    let (moment, slot) = ((force * frame.position.norm_squared()).sqrt(), slots[body.index()] as usize);
                    tension[slot] += moment * inverse_transverse_moment[body.index()];
                    braces[slot] += brace * inverse_transverse_moment[body.index()];
                }
            }
            continue;
        }
        for (body, lever) in constraint.levers() {
            let force = rows.clone().map(|row| {
                let own = assembly.problem.entries(row).iter().find(|e| e.body == slots[body.index()]);
                own.map_or(Vec3::zeros(), |e| Vec3::new(e.jacobian[0], e.jacobian[1], e.jacobian[2]) * multipliers[row])
            });
            let force = force.sum::<Vec3>().norm();
            let length = lever.norm();
            tension[slots[body.index()] as usize] += force * length * inverse_transverse_moment[body.index()];
        }
    }
    tension.iter_mut().zip(&*braces).for_each(|(tension, brace)| *tension /= 1.0 + brace);
}

/// Inertia that the motors of a joint add to its bodies, kg·m²: the least of all axes, none where an axis is free or a motor
/// is at its limit.
#[inline(always)]
fn brace(rows: &[Row], lambda: &[Real]) -> Real {
    if rows.len() < 6 {
        return 0.0;
    }
    let motors = rows[3..].iter().zip(&lambda[3..]).filter(|(row, _)| row.softness > 0.0);
    let each = motors.map(|(row, &l)| if row.lo < l && l < row.hi { 1.0 / row.softness } else { 0.0 });
    let least = each.fold(Real::INFINITY, Real::min);
    if least.is_finite() { least } else { 0.0 }
}

/// Returns true if all velocities are finite. A sum is finite only if its terms are (or they are beyond any use).
#[inline]
fn is_finite(velocities: &[Vec6]) -> bool {
    velocities.iter().all(|v| v.sum().is_finite())
}

/// Rotation of a body with constraints within a substep, radians, that no correction would follow: ten turns.
const HOPELESS: Real = 64.0;

/// Returns true if a body would rotate too far within `h` for its constraints to be kept.
#[inline(always)]
fn whirls(velocities: &[Vec6], h: Real) -> bool {
    let limit = (HOPELESS / h) * (HOPELESS / h);
    velocities.iter().any(|v| v[3] * v[3] + v[4] * v[4] + v[5] * v[5] > limit)
}

/// The trial becomes the state.
#[inline(always)]
fn commit(island: &mut Island, context: &StepContext<'_>, h: Real, end: Real, moved_freely: bool) {
    contact_rows::accumulate_impulses(island);
    turn_spins(island, h, moved_freely);
    island.time = end;
    let flies = island.flies();
    let Island { states, staggers, fixed, movable, workspace, constraints, .. } = island;
    for (index, state) in states.iter_mut().enumerate() {
        state.placement = workspace.trial[index].placement;
        if index >= *fixed {
            state.velocity = workspace.velocity[index];
            staggers[index].lag = if flies { 0.5 * h } else { 0.0 };
        }
    }
    // A step that went wrong is undone by the caller; it must not leave its traces in what constraints remember.
    if !is_finite(&workspace.velocity) {
        return;
    }
    if !workspace.rows.remembers {
        return;
    }
    let scope = Scope { slots: context.slots, states, scripted: &workspace.scripted, movable, time: end };
    for &constraint in constraints.iter() {
        Island::constraint(context, constraint).settle(&scope);
    }
}

/// Switches off constraints that were loaded beyond their strength.
pub(super) fn break_constraints(workspace: &Workspace, mut put_to: impl FnMut(u32, Real) -> bool) -> usize {
    let mut broken = 0;
    for (block, &owner) in workspace.assembly.problem.blocks.iter().zip(&workspace.assembly.owners) {
        let rows = &workspace.readout.multipliers[block.rows()];
        broken += put_to(owner, rows.iter().map(|m| m * m).sum::<Real>().sqrt()) as usize;
    }
    broken
}

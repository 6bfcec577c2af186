//! Jumps: velocities made right by impulses, and steps cut where a limit is reached.
//!
//! ```text
//!   v⁺ = v⁻ + M⁻¹ Jᵀ λ,    J v⁺ = Ċ_wanted − α_v C      (exactly held rows)
//!                           J v⁺ ≥ 0, λ ≥ 0             (one-sided rows that are touched; restitution 0)
//! ```
//!
//! Rows with a time constant, a spring or limited force take part in no impulse: they act over time.

use super::derivative::{Moment, PARTING, TOUCHING, known_motion, mass_matrices, reduce, speed, touches};
use super::{Memory, Ode};
use crate::dynamics::rows::{Response, RowSpec, Sense};
use crate::dynamics::solve::Solver;
use crate::dynamics::step::{StepReport, Workspace, assemble};
use crate::dynamics::world::World;
use crate::math::Real;

/// Cuts of a step that runs through a limit before it is taken as it is.
const CUTS: usize = 60;

impl Ode {
    /// At the start of an inner step: impulses where they are due, then which one-sided rows are touched.
    pub(super) fn settle_velocities(
        &self,
        world: &mut World,
        memory: &mut Memory,
        moment: Moment,
        rest: Real,
        report: &mut StepReport,
    ) {
        memory.base.clone_from(&world.states);
        memory.base_time = moment.time;
        memory.offset.clear();
        known_motion(world, memory, moment.time);
        mass_matrices(world);
        assemble(world, moment.when, moment.time);
        let closing = (0..world.workspace.assembly.specs.len()).any(|row| {
            let spec = &world.workspace.assembly.specs[row];
            spec.sense == Sense::AtLeast
                && spec.response == Response::Hard
                && spec.error <= TOUCHING
                && row_rate(world, row, spec) < -PARTING
        });
        if memory.gentle {
            memory.restart = false;
        } else if memory.restart || closing || self.velocity_level.is_some() {
            let step = match self.control {
                super::StepControl::Fixed { max_step } => rest.min(max_step),
                super::StepControl::Adaptive { .. } => memory.next_step.unwrap_or(rest).min(rest),
            };
            self.impact(world, memory, self.velocity_level.unwrap_or(0.0) / step, report);
            memory.restart = false;
        }
        memory.start.clone_from(&world.states);
        memory.touching.clear();
        memory.guarded.clear();
        for (row, spec) in world.workspace.assembly.specs.iter().enumerate() {
            let one_sided = spec.sense == Sense::AtLeast;
            let touching = one_sided && touches(spec, row_rate(world, row, spec));
            memory.touching.push(touching);
            memory.guarded.push(one_sided && !touching && spec.response == Response::Hard && spec.error > -TOUCHING);
        }
    }

    fn impact(&self, world: &mut World, memory: &mut Memory, bias: Real, report: &mut StepReport) {
        let World { workspace, states, movable, solver, .. } = world;
        let Workspace { assembly, velocity, .. } = workspace;
        for (row, spec) in assembly.problem.rows.iter_mut().zip(&assembly.specs) {
            row.target = spec.rate - spec.known_rate - if takes_part(spec) { bias * spec.error } else { 0.0 };
        }
        let (specs, rows) = (&assembly.specs, &assembly.problem.rows);
        reduce(assembly, &mut memory.reduced, &mut memory.kept, movable, |row| {
            rows[row].count > 0 && takes_part(&specs[row])
        });
        if memory.kept.is_empty() {
            return;
        }
        velocity.clear();
        velocity.extend(states.iter().map(|s| s.velocity));
        memory.lambda.clear();
        memory.lambda.resize(memory.kept.len(), 0.0);
        solver.prepare(&memory.reduced.problem);
        let outcome = solver.solve(&memory.reduced.problem, &mut memory.lambda, velocity);
        report.iterations += outcome.iterations;
        report.residual = report.residual.max(outcome.residual);
        for (index, state) in states.iter_mut().enumerate() {
            if movable[index] {
                state.velocity = velocity[index];
            }
        }
    }

    /// After an inner step of length `h` from `memory.start`: if it ran through a limit, takes it again, shorter, so
    /// that it ends there. Returns the length taken.
    pub(super) fn stop_at_limits(
        &self,
        world: &mut World,
        memory: &mut Memory,
        when: Real,
        h: Real,
        report: &mut StepReport,
    ) -> Real {
        if !memory.guarded.contains(&true) {
            return h;
        }
        let time = world.time;
        let (mut before, mut after) = (0.0, h);
        let mut depth = memory.depth(world, Moment { when, time: time + h });
        let mut taken = h;
        for _ in 0..CUTS {
            if depth <= TOUCHING {
                if taken == h || depth >= -TOUCHING {
                    return taken;
                }
                before = taken;
            } else {
                after = taken;
            }
            taken = 0.5 * (before + after);
            world.states.copy_from_slice(&memory.start);
            self.run(world, memory, when, taken, report);
            depth = memory.depth(world, Moment { when, time: time + taken });
        }
        taken
    }
}

impl Memory {
    /// How deep the deepest guarded row lies; negative before its limit. Constraints whose rows come and go are not
    /// guarded: there is nothing to compare them with.
    fn depth(&self, world: &mut World, moment: Moment) -> Real {
        assemble(world, moment.when, moment.time);
        let specs = &world.workspace.assembly.specs;
        if self.guarded.len() != specs.len() {
            return Real::NEG_INFINITY;
        }
        let guarded = specs.iter().zip(&self.guarded).filter(|(_, guarded)| **guarded);
        guarded.map(|(spec, _)| -spec.error).fold(Real::NEG_INFINITY, Real::max)
    }
}

/// Exactly held rows without limits, and touched one-sided rows.
fn takes_part(spec: &RowSpec) -> bool {
    match spec.sense {
        Sense::Equal => {
            matches!(spec.response, Response::Hard | Response::Rate)
                && spec.lo == -Real::INFINITY
                && spec.hi == Real::INFINITY
        }
        Sense::AtLeast => spec.response == Response::Hard && spec.error <= TOUCHING,
    }
}

fn row_rate(world: &World, row: usize, spec: &RowSpec) -> Real {
    speed(&world.workspace.assembly.problem, row, &world.states) + spec.known_rate - spec.rate
}

//! Jumps: velocities made right by impulses, and steps cut where a limit is reached.
//!
//! ```text
//!   v⁺ = v⁻ + M⁻¹ Jᵀ λ,    J v⁺ = Ċ_wanted − α_v C      (exactly held rows)
//!                           J v⁺ ≥ 0, λ ≥ 0             (one-sided rows that are touched; restitution 0)
//! ```
//!
//! Rows with a time constant, a spring or limited force take part in no impulse: they act over time.

use super::derivative::{Moment, PARTING, TOUCHING, known_motion, mass_matrices, reduce, speed};
use super::{Memory, Ode, strict};
use crate::math::Real;
use crate::rows::{Assembly, Response, RowSpec, Sense};
use crate::solve::{Block, Solver};
use crate::step::{StepReport, Workspace, assemble};
use crate::world::{BodySet, SolverState, World};

/// Cuts of a step that runs through a limit before it is taken as it is.
const CUTS: usize = 60;

impl Ode {
    /// Applies due impulses at the start of an inner step, then finds the one-sided rows that are touched.
    pub(super) fn settle_velocities(
        &self,
        world: &mut World,
        memory: &mut Memory,
        moment: Moment,
        rest: Real,
        report: &mut StepReport,
    ) {
        memory.base.clone_from(&world.bodies.states);
        memory.base_time = moment.time;
        memory.offset.clear();
        known_motion(world, memory, moment.time);
        mass_matrices(world);
        assemble(world, moment.when, moment.time);
        let closing = (0..world.solver_state.workspace.assembly.specs.len()).any(|row| {
            let spec = &world.solver_state.workspace.assembly.specs[row];
            spec.sense == Sense::AtLeast
                && spec.response == Response::Hard
                && spec.error <= TOUCHING
                && row_rate(world, row, spec) < -PARTING
        });
        memory.touching.spots.clear();
        let mut hit = false;
        if let Some(strict) = self.strict {
            strict.find_spots(world, &mut memory.touching.spots);
            hit = memory.touching.spots.iter().any(|spot| strict.closes(spot, self.stabilisation));
        }
        if memory.gentle {
            memory.restart = false;
        } else if memory.restart || closing || hit || self.velocity_level.is_some() {
            let step = match self.control {
                super::StepControl::Fixed { max_step } => rest.min(max_step),
                super::StepControl::Adaptive { .. } => memory.next_step.unwrap_or(rest).min(rest),
            };
            self.impact(world, memory, self.velocity_level.unwrap_or(0.0) / step, report);
            memory.restart = false;
        }
        memory.start.clone_from(&world.bodies.states);
        memory.judged.clear();
        if let Some(strict) = self.strict {
            strict::refresh(&mut memory.touching.spots, &world.bodies.states);
            strict.judge(&mut memory.touching, self.stabilisation);
        }
        let assembly = &world.solver_state.workspace.assembly;
        memory.judged.blocks.extend(assembly.owners.iter().copied().zip(assembly.problem.blocks.iter().copied()));
        for (row, spec) in assembly.specs.iter().enumerate() {
            let one_sided = spec.sense == Sense::AtLeast;
            let touching = one_sided && self.touches(spec, row_rate(world, row, spec));
            let guarded = one_sided && !touching && spec.response == Response::Hard;
            memory.judged.touching.push(touching);
            memory.judged.floor.push(guarded.then(|| spec.error.min(0.0)));
        }
    }

    fn impact(&self, world: &mut World, memory: &mut Memory, bias: Real, report: &mut StepReport) {
        let BodySet { movable, .. } = &mut world.bodies;
        let SolverState { workspace, .. } = &mut world.solver_state;
        let assembly = &mut workspace.assembly;
        for (row, spec) in assembly.problem.rows.iter_mut().zip(&assembly.specs) {
            row.target = spec.rate - spec.known_rate - if takes_part(spec) { bias * spec.error } else { 0.0 };
        }
        let (specs, rows) = (&assembly.specs, &assembly.problem.rows);
        reduce(assembly, &mut memory.reduced, &mut memory.kept, movable, |row| {
            rows[row].count > 0 && takes_part(&specs[row])
        });
        self.blow_rows(world, memory);
        if memory.reduced.problem.rows.is_empty() {
            return;
        }
        let BodySet { states, movable, .. } = &mut world.bodies;
        let SolverState { workspace: Workspace { velocity, .. }, solver, .. } = &mut world.solver_state;
        velocity.clear();
        velocity.extend(states.iter().map(|s| s.velocity));
        memory.lambda.clear();
        memory.lambda.resize(memory.reduced.problem.rows.len(), 0.0);
        solver.prepare(&memory.reduced.problem);
        let outcome = solver.solve(&memory.reduced.problem, &mut memory.lambda, velocity);
        report.iterations += outcome.iterations;
        report.residual = report.residual.max(outcome.residual);
        for (index, state) in states.iter_mut().enumerate() {
            if movable[index] {
                state.velocity = velocity[index];
            }
        }
        self.record_blows(world, memory);
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
        if memory.judged.floor.iter().all(Option::is_none) {
            return h;
        }
        let time = world.time;
        let (mut before, mut after) = (0.0, h);
        let mut depth = memory.judged.depth(world, Moment { when, time: time + h });
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
            world.bodies.states.copy_from_slice(&memory.start);
            self.run(world, memory, when, taken, report);
            depth = memory.judged.depth(world, Moment { when, time: time + taken });
        }
        taken
    }
}

/// The one-sided rows as they were at the start of an inner step. Such rows come and go with the poses, so later rows are
/// matched by their constraint, where it states as many as it did.
#[derive(Clone, Debug, Default)]
pub(super) struct Judged {
    /// Owner and rows of each block at the start.
    blocks: Vec<(u32, Block)>,
    /// True for rows that are touched during this inner step, by row at the start.
    touching: Vec<bool>,
    /// Depth that a guarded row must not pass, by row at the start.
    floor: Vec<Option<Real>>,
    /// Number at the start, by row now.
    origin: Vec<Option<usize>>,
}

impl Judged {
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.touching.clear();
        self.floor.clear();
        self.origin.clear();
    }

    /// Finds the rows stated now among those of the start; both are in the order of their constraints.
    pub fn match_rows(&mut self, assembly: &Assembly) {
        self.origin.clear();
        self.origin.resize(assembly.specs.len(), None);
        let mut known = self.blocks.iter().peekable();
        for (block, &owner) in assembly.problem.blocks.iter().zip(&assembly.owners) {
            while known.next_if(|(earlier, _)| *earlier < owner).is_some() {}
            if let Some((_, start)) = known.next_if(|(same, b)| *same == owner && b.count == block.count) {
                for r in 0..block.count as usize {
                    self.origin[block.first as usize + r] = Some(start.first as usize + r);
                }
            }
        }
    }

    /// Returns true if a row stated now was touched at the start; `None` if it was not there.
    pub fn touching(&self, row: usize) -> Option<bool> {
        self.origin[row].map(|start| self.touching[start])
    }

    /// Returns the depth of the deepest guarded row below its floor; negative above it.
    fn depth(&mut self, world: &mut World, moment: Moment) -> Real {
        assemble(world, moment.when, moment.time);
        let assembly = &world.solver_state.workspace.assembly;
        self.match_rows(assembly);
        let below = |(row, spec): (usize, &RowSpec)| Some(self.floor[self.origin[row]?]? - spec.error);
        assembly.specs.iter().enumerate().filter_map(below).fold(Real::NEG_INFINITY, Real::max)
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
    speed(&world.solver_state.workspace.assembly.problem, row, &world.bodies.states) + spec.known_rate - spec.rate
}

//! Jumps: velocities made right by impulses, and steps cut where a limit is reached.
//!
//! ```text
//!   v⁺ = v⁻ + M⁻¹ Jᵀ λ,    J v⁺ = Ċ_wanted − α_v C      (exactly held rows)
//!                           J v⁺ ≥ 0, λ ≥ 0             (one-sided rows that are touched; restitution 0)
//! ```
//!
//! Rows with a time constant, a spring or limited force take part in no impulse: they act over time.

use super::derivative::{Moment, PARTING, TOUCHING, known_motion, mass_matrices, reduce, speed};
use super::{Integration, strict};
use crate::math::{Buffer, Real};
use crate::rows::{Assembly, Response, RowSpec, Sense};
use crate::solve::Block;
use crate::step::{Workspace, assemble};
use crate::world::{BodySet, SolverState, World};

/// Cuts of a step that runs through a limit before it is taken as it is.
const CUTS: usize = 60;

impl Integration<'_> {
    /// Applies due impulses at the start of an inner step, then finds the one-sided rows that are touched.
    pub(super) fn settle_velocities(&mut self, moment: Moment, rest: Real) {
        self.memory.base.clone_from(&self.world.bodies.states);
        self.memory.base_time = moment.time;
        self.memory.offset.clear();
        known_motion(self.world, &self.memory, moment.time);
        mass_matrices(self.world);
        assemble(self.world, moment.when, moment.time);
        let closing = (0..self.world.solver_state.workspace.assembly.specs.len()).any(|row| {
            let spec = &self.world.solver_state.workspace.assembly.specs[row];
            spec.sense == Sense::AtLeast
                && spec.response == Response::Hard
                && spec.error <= TOUCHING
                && row_rate(self.world, row, spec) < -PARTING
        });
        self.memory.touching.spots.clear();
        let mut hit = false;
        if let Some(strict) = self.ode.strict {
            strict.find_spots(self.world, &mut self.memory.touching.spots);
            hit = self.memory.touching.spots.iter().any(|spot| strict.closes(spot, self.ode.stabilisation));
        }
        if self.memory.gentle {
            self.memory.restart = false;
        } else if self.memory.restart || closing || hit || self.ode.velocity_level.is_some() {
            let step = match self.ode.control {
                super::StepControl::Fixed { max_step } => rest.min(max_step),
                super::StepControl::Adaptive { .. } => self.memory.next_step.unwrap_or(rest).min(rest),
            };
            self.impact(self.ode.velocity_level.unwrap_or(0.0) / step);
            self.memory.restart = false;
        }
        self.memory.start.clone_from(&self.world.bodies.states);
        self.memory.judged.clear();
        if let Some(strict) = self.ode.strict {
            strict::refresh(&mut self.memory.touching.spots, &self.world.bodies.states);
            strict.judge(&mut self.memory.touching, self.ode.stabilisation);
        }
        let assembly = &self.world.solver_state.workspace.assembly;
        self.memory.judged.blocks.extend(assembly.owners.iter().copied().zip(assembly.problem.blocks.iter().copied()));
        for (row, spec) in assembly.specs.iter().enumerate() {
            let one_sided = spec.sense == Sense::AtLeast;
            let touching = one_sided && self.ode.touches(spec, row_rate(self.world, row, spec));
            let guarded = one_sided && !touching && spec.response == Response::Hard;
            self.memory.judged.touching.push(touching);
            self.memory.judged.floor.push(guarded.then(|| spec.error.min(0.0)));
        }
    }

    fn impact(&mut self, bias: Real) {
        let BodySet { movable, .. } = &mut self.world.bodies;
        let SolverState { workspace, .. } = &mut self.world.solver_state;
        let assembly = &mut workspace.assembly;
        for (row, spec) in assembly.problem.rows.iter_mut().zip(&assembly.specs) {
            row.target = spec.rate - spec.known_rate - if takes_part(spec) { bias * spec.error } else { 0.0 };
        }
        let (specs, rows) = (&assembly.specs, &assembly.problem.rows);
        reduce(assembly, &mut self.memory.reduced, &mut self.memory.kept, movable, |row| {
            rows[row].count > 0 && takes_part(&specs[row])
        });
        self.blow_rows();
        if self.memory.reduced.problem.rows.is_empty() {
            return;
        }
        let BodySet { states, movable, .. } = &mut self.world.bodies;
        let SolverState { workspace: Workspace { velocity, .. }, solver, .. } = &mut self.world.solver_state;
        velocity.assign(states.iter().map(|s| s.velocity));
        self.memory.lambda.reset(self.memory.reduced.problem.rows.len(), 0.0);
        solver.as_dyn().prepare(&self.memory.reduced.problem);
        self.report.add(&solver.as_dyn().solve(&self.memory.reduced.problem, &mut self.memory.lambda, velocity));
        for (index, state) in states.iter_mut().enumerate() {
            if movable[index] {
                state.velocity = velocity[index];
            }
        }
        self.record_blows();
    }

    /// After an inner step of length `h` from `memory.start`: if it ran through a limit, takes it again, shorter, so
    /// that it ends there. Returns the length taken.
    pub(super) fn stop_at_limits(&mut self, when: Real, h: Real) -> Real {
        if self.memory.judged.floor.iter().all(Option::is_none) {
            return h;
        }
        let time = self.world.time;
        let (mut before, mut after) = (0.0, h);
        let mut depth = self.memory.judged.depth(self.world, Moment { when, time: time + h });
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
            self.world.bodies.states.copy_from_slice(&self.memory.start);
            self.run_from(when, time, taken);
            depth = self.memory.judged.depth(self.world, Moment { when, time: time + taken });
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
        self.origin.reset(assembly.specs.len(), None);
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

//! Buffers that live from step to step, so that a steady step allocates nothing, each with the stage that owns it.

use super::ode;
use crate::body::{BodyId, State};
use crate::constraint::{ConstraintId, Reaction};
use crate::math::{Buffer, Real, Vec3, Vec6};
use crate::rows::Assembly;
use crate::solve::Entry;

/// Rows and motion of the substep under way, and the buffers of its stages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub assembly: Assembly,
    /// Multipliers by row of `assembly`: impulses at velocity level.
    pub lambda: Vec<Real>,
    /// Velocities by slot.
    pub velocity: Vec<Vec6>,
    /// Displacement per second beside the velocity, by slot, m/s and rad/s.
    pub shift: Vec<Vec6>,
    /// Accelerations of scripted bodies, by slot.
    pub scripted: Vec<Vec6>,
    /// States at the end of the substep, on trial: placements, and the spins of free rotation.
    pub trial: Vec<State>,
    pub free: FreeMotion,
    pub rows: RowState,
    pub transient: TransientRows,
    pub corrections: Corrections,
    pub tension: TensionEstimate,
    pub readout: Readout,
    pub ode: ode::Memory,
}

/// Stage 1: motion without constraints.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeMotion {
    /// Mean spin of the free rotation less the spin at its start, by slot, rad/s: for rows, which are about the way.
    pub ahead: Vec<Vec3>,
    /// External forces, N and N·m about the centres of mass, by slot.
    pub applied: Vec<Vec6>,
    /// True for bodies that press on another one in this substep, by slot.
    pub presses: Vec<bool>,
    /// Free velocities, kept while there are points of contact.
    pub velocity: Vec<Vec6>,
}

/// Stage 2: properties of the rows stated for the substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowState {
    /// True for rows held exactly.
    pub exact: Vec<bool>,
    /// Largest deviation of the exactly held rows before the substep, metres or radians.
    pub open: Real,
    /// A constraint keeps something from step to step.
    pub remembers: bool,
    /// A constraint may break.
    pub breakable: bool,
    /// One-sided rows past their ends, and the speeds at which they are brought back, m/s or rad/s.
    pub past_ends: Vec<(u32, Real)>,
}

/// Forces of rows that come and go, from substep to substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransientRows {
    /// Constraint and number of rows, in the order of the island's constraints.
    blocks: Vec<(u32, u32)>,
    /// Forces of these rows, one after the other, N or N·m.
    forces: Vec<Real>,
}

impl TransientRows {
    /// Stores the forces of a substep of length `h`.
    pub fn store(&mut self, assembly: &Assembly, lambda: &[Real], h: Real) {
        self.blocks.clear();
        self.forces.clear();
        let persistent = assembly.problem.persistent_rows;
        for (block, &owner) in assembly.problem.blocks.iter().zip(&assembly.owners) {
            if block.first >= persistent {
                self.blocks.push((owner, block.count));
                let rows = block.rows();
                self.forces.extend(lambda[rows].iter().map(|impulse| impulse / h));
            }
        }
    }

    /// Starts the rows of a new substep with the stored forces.
    pub fn warm_start(&self, assembly: &Assembly, lambda: &mut [Real], h: Real) {
        let persistent = assembly.problem.persistent_rows;
        let (mut at, mut from) = (0, 0);
        let stated = assembly.problem.blocks.iter().zip(&assembly.owners);
        for (block, &owner) in stated.filter(|(b, _)| b.first >= persistent) {
            let Some(ahead) = self.blocks[at..].iter().position(|(constraint, _)| *constraint == owner) else {
                continue;
            };
            from += self.blocks[at..at + ahead].iter().map(|(_, count)| *count as usize).sum::<usize>();
            at += ahead;
            // A constraint with another number of rows is near other ends: its rows cannot be matched.
            if self.blocks[at].1 == block.count {
                let count = block.count as usize;
                let rows = &mut lambda[block.first as usize..block.first as usize + count];
                rows.iter_mut().zip(&self.forces[from..from + count]).for_each(|(impulse, force)| *impulse = force * h);
            }
        }
    }
}

/// Stage 3: corrections of the exactly held rows, and of overlaps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corrections {
    /// Wanted change of J v, by row.
    pub targets: Vec<Real>,
    /// Change of the multipliers.
    pub lambda: Vec<Real>,
    /// Change of the velocities.
    pub velocity: Vec<Vec6>,
    /// Velocities of stage 2, before any correction.
    pub tangent: Vec<Vec6>,
    /// Velocities and multipliers of stage 2, kept for bounces; then what corrections added to them.
    pub plain: Vec<Vec6>,
    pub plain_lambda: Vec<Real>,
    /// Entries of one row, for the kinematic fallback.
    pub entries: Vec<Entry>,
}

/// Sideways vibration caused by tension, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct TensionEstimate {
    /// Square of the fastest vibration, 1/s².
    pub by_body: Vec<Real>,
    /// Inertia added by motors, as a share of the body's own.
    pub braces: Vec<Real>,
}

/// Multipliers of the step, to be read after it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readout {
    /// Multipliers, N or N·m, by row of the assembly.
    pub multipliers: Vec<Real>,
    /// Time they were summed over, seconds: the whole step, unless rows came or went within it.
    pub covered: Real,
    /// Pattern of the rows they belong to.
    pattern: u64,
}

impl Readout {
    /// Adds the impulses of a substep; starts anew where rows came or went.
    pub fn add(&mut self, pattern: u64, lambda: &[Real], h: Real, first: bool) {
        if first || self.pattern != pattern {
            (self.covered, self.pattern) = (0.0, pattern);
            self.multipliers.reset(lambda.len(), 0.0);
        }
        self.covered += h;
        self.multipliers.iter_mut().zip(lambda).for_each(|(m, l)| *m += l);
    }
}

impl Workspace {
    /// Stores multipliers and transient forces of a substep that is kept.
    pub fn store_forces(&mut self, h: Real, first: bool) {
        self.readout.add(self.assembly.pattern, &self.lambda, h, first);
        self.transient.store(&self.assembly, &self.lambda, h);
    }

    /// Adds a correction times `sign` to the velocities and multipliers, or to the displacement alone.
    #[inline]
    pub fn add_correction(&mut self, sign: Real, displacement_only: bool) {
        let moved = if displacement_only { &mut self.shift } else { &mut self.velocity };
        moved.iter_mut().zip(&self.corrections.velocity).for_each(|(v, c)| *v += c * sign);
        if !displacement_only {
            self.lambda.iter_mut().zip(&self.corrections.lambda).for_each(|(l, c)| *l += c * sign);
        }
    }

    /// Rows of a constraint in the last step.
    fn rows_of(&self, id: ConstraintId) -> impl Iterator<Item = usize> + '_ {
        let owned = self.assembly.problem.blocks.iter().zip(&self.assembly.owners).filter(move |(_, o)| **o == id.0);
        owned.flat_map(|(block, _)| block.rows())
    }

    /// Writes the multipliers of a constraint's last rows, as many as `out` holds; returns false if it has fewer.
    pub fn last_multipliers(&self, id: ConstraintId, out: &mut [Real]) -> bool {
        let count = self.rows_of(id).count();
        let enough = count >= out.len() && count > 0;
        if enough {
            let rows = self.rows_of(id).skip(count - out.len());
            out.iter_mut().zip(rows).for_each(|(value, row)| *value = self.readout.multipliers[row]);
        }
        enough
    }

    /// Force and torque of a constraint on one body.
    pub fn wrench(&self, id: ConstraintId, body: BodyId, members: &[u32]) -> Vec6 {
        let problem = &self.assembly.problem;
        let on_body = |entry: &&Entry| members[entry.body as usize] == body.0;
        let of_row = |row: usize| {
            let multiplier = self.readout.multipliers[row];
            problem.entries(row).iter().filter(on_body).map(|e| e.jacobian * multiplier).sum::<Vec6>()
        };
        self.rows_of(id).map(of_row).sum()
    }

    /// Forces of a constraint; `members` are the numbers of the bodies by slot.
    pub fn reaction(&self, id: ConstraintId, members: &[u32]) -> Reaction {
        let mut reaction = Reaction::default();
        let problem = &self.assembly.problem;
        for row in self.rows_of(id) {
            let lambda = self.readout.multipliers[row];
            reaction.multipliers.push(lambda);
            for entry in problem.entries(row) {
                let body = BodyId(members[entry.body as usize]);
                match reaction.wrenches.iter_mut().find(|(b, _)| *b == body) {
                    Some((_, wrench)) => *wrench += entry.jacobian * lambda,
                    None => reaction.wrenches.push((body, entry.jacobian * lambda)),
                }
            }
        }
        reaction
    }
}

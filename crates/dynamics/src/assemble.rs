//! Assembly: a model given in pieces pulls itself together (Barzel & Barr 1988).
//!
//! Every exactly held row is treated as one that dies out, C̈ + (2/τ)Ċ + C/τ² = 0, and the world is stepped at acceleration level
//! until all deviations are small. Where constraints contradict each other the pieces come to rest in between, in the
//! least-squares sense, and the report names the constraints.

use super::constraint::ConstraintId;
use super::error::DynamicsError;
use super::rows::{Response, Sense};
use super::solve::DenseSolver;
use super::step::{Ode, StepControl, Stepper};
use super::world::{ActiveSolver, SolverKind, World};
use crate::math::Real;

/// Number of time constants within the time given: (1 + t/τ) e^(−t/τ) is 4e-10 then.
const TIME_CONSTANTS: Real = 25.0;
/// Steps per time constant; inner steps are shorter where pieces spin.
const STEPS_PER_TIME_CONSTANT: Real = 5.0;
/// Error of one step, as a share of the tolerance.
const STEP_SHARE: Real = 0.01;
/// Largest number of rows that is solved densely, so that contradictions are met half-way.
const DENSE_ROWS: usize = 300;

/// Result of an assembly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssemblyReport {
    /// Time it took, seconds; at most the time given.
    pub time: Real,
    /// Times at which deviations were recorded, seconds from the start.
    pub times: Vec<Real>,
    /// Deviations, one entry per acting constraint in the order they were added.
    pub deviations: Vec<Deviation>,
    /// Degrees of freedom that are left; 0 for a rigid whole that is tied to the world.
    pub freedoms: usize,
    /// Constraints that are redundant or contradict each other.
    pub overlaps: Vec<Overlap>,
}

/// Deviation of one constraint over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// Constraint it belongs to.
    pub constraint: ConstraintId,
    /// Name of the constraint.
    pub name: String,
    /// Largest |C| of its rows at each of the times, metres or radians.
    pub history: Vec<Real>,
    /// True if the last deviation is within the tolerance.
    pub met: bool,
}

/// Constraints that depend on each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// Constraints that share rows.
    pub constraints: Vec<ConstraintId>,
    /// Number of rows that could be left out.
    pub spare_rows: usize,
    /// Deviation that remains between them, metres or radians; above the tolerance they contradict each other.
    pub conflict: Real,
}

impl AssemblyReport {
    /// Returns true if every constraint is met.
    pub fn met(&self) -> bool {
        self.deviations.iter().all(|d| d.met)
    }

    /// Lists the constraints that are not met.
    pub fn unmet(&self) -> impl Iterator<Item = &Deviation> {
        self.deviations.iter().filter(|d| !d.met)
    }
}

impl World {
    /// Moves the bodies into place: steps until no exactly held or decaying row is off by more than `tolerance` (metres
    /// or radians), or `max_time` seconds have passed. The clock runs, forces act, and
    /// bodies keep the velocities they end with.
    ///
    /// ```
    /// use sinew_dynamics::Vec3;
    /// use sinew_dynamics::{Body, Constraint, Joint, MassProperties, Placement, World};
    ///
    /// let mut world = World::new();
    /// world.gravity = Vec3::zeros();
    /// let rod = Body::dynamic("rod", MassProperties::rod(1.0, 1.0), Placement::at(Vec3::new(2.0, 3.0, 4.0)));
    /// let rod = world.add_body(rod)?;
    /// let end = Placement::at(Vec3::new(-0.5, 0.0, 0.0));
    /// world.add_constraint(Constraint::new(Joint::ball(None, Placement::IDENTITY, Some(rod), end)).named("nail"))?;
    /// let report = world.assemble(1e-4, 2.0)?;
    /// assert!(report.met() && report.freedoms == 3);
    /// assert!(world.state(rod).placement.point(&end.position).norm() < 2e-4);
    /// # Ok::<(), sinew_dynamics::DynamicsError>(())
    /// ```
    pub fn assemble(&mut self, tolerance: Real, max_time: Real) -> Result<AssemblyReport, DynamicsError> {
        if !(max_time.is_finite() && max_time > 0.0) {
            return Err(DynamicsError::Duration(max_time));
        }
        let tau = max_time / TIME_CONSTANTS;
        let step = tau / STEPS_PER_TIME_CONSTANT;
        let pull =
            Ode { control: StepControl::adaptive(STEP_SHARE * tolerance), stabilisation: Some(tau), ..Ode::default() };
        let stepper = std::mem::replace(&mut self.stepper, Stepper::Ode(pull));
        self.accelerations();
        let dense = self.solver_state.workspace.assembly.specs.len() <= DENSE_ROWS;
        let solver =
            dense.then(|| std::mem::replace(&mut self.solver_state.solver, ActiveSolver::new(SolverKind::Dense)));
        self.solver_state.workspace.ode.gentle = true;
        let result = self.pull_together(tolerance, max_time, step);
        self.solver_state.workspace.ode.gentle = false;
        self.solver_state.workspace.ode.restart = true;
        if let Some(solver) = solver {
            self.solver_state.solver = solver;
        }
        self.stepper = stepper;
        result
    }

    fn pull_together(&mut self, tolerance: Real, max_time: Real, step: Real) -> Result<AssemblyReport, DynamicsError> {
        let start = self.time();
        let mut report = AssemblyReport::default();
        self.accelerations();
        loop {
            report.time = self.time() - start;
            report.times.push(report.time);
            let met = self.record_deviations(&mut report, tolerance);
            if met || report.time >= max_time * (1.0 - 1e-9) {
                break;
            }
            self.step(step.min(max_time - report.time))?;
        }
        self.judge(&mut report);
        Ok(report)
    }

    fn record_deviations(&self, report: &mut AssemblyReport, tolerance: Real) -> bool {
        let assembly = &self.solver_state.workspace.assembly;
        for (block, &owner) in assembly.problem.blocks.iter().zip(&assembly.owners) {
            let rows = &assembly.specs[block.rows()];
            let off = rows.iter().map(|spec| match (spec.response, spec.sense) {
                (Response::Hard | Response::Decay { .. }, Sense::Equal) => spec.error.abs(),
                (Response::Hard | Response::Decay { .. }, Sense::AtLeast) => (-spec.error).max(0.0),
                _ => 0.0,
            });
            let worst = off.fold(0.0, Real::max);
            let id = ConstraintId(owner);
            let at = report.deviations.iter().position(|d| d.constraint == id).unwrap_or_else(|| {
                // Rows that appear later were met before.
                let history = vec![0.0; report.times.len() - 1];
                let name = self.constraint(id).name.clone();
                report.deviations.push(Deviation { constraint: id, name, history, met: false });
                report.deviations.len() - 1
            });
            let deviation = &mut report.deviations[at];
            deviation.history.push(worst);
            deviation.met = worst <= tolerance;
        }
        report.met()
    }

    /// Determines rank and contradictions at the end, with the deviations themselves as targets.
    fn judge(&self, report: &mut AssemblyReport) {
        let assembly = &self.solver_state.workspace.assembly;
        let mut problem = assembly.problem.clone();
        for (row, spec) in problem.rows.iter_mut().zip(&assembly.specs) {
            row.target = -spec.error;
        }
        let diagnosis = DenseSolver::diagnose(&problem);
        let movable = self.bodies.movable.iter().filter(|m| **m).count();
        let soft = problem.rows.iter().filter(|row| row.softness > 0.0).count();
        report.freedoms = (6 * movable).saturating_sub(diagnosis.rank.saturating_sub(soft));
        report.overlaps = diagnosis
            .redundancies
            .iter()
            .map(|redundancy| Overlap {
                constraints: redundancy.blocks.iter().map(|b| ConstraintId(assembly.owners[b.block])).collect(),
                spare_rows: redundancy.nullity,
                conflict: redundancy.residual,
            })
            .collect();
    }
}

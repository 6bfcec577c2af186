//! Refinement of a solution. Some faults show only in a result, because the plan is made from the capture. A result is checked,
//! the plan is amended where it is wrong, and the solver continues from the earlier solution.

use super::{ContactPlan, ContactTarget, SolveError, Solved, UnloadedContact};
use crate::figure::Figure;
use crate::math::Real;
use crate::measure::standing;
use crate::motion::Clip;
use std::cell::Cell;

/// Mean sliding speed of feet that needs no refinement, m/s for the reference height.
pub(super) const SLIDE: Real = 8e-3;

/// Result of the optimiser.
pub(super) struct Solution {
    pub solved: Solved,
    /// Unknowns of the whole clip, frame by frame.
    pub x: Vec<Real>,
    /// Time that the search counts as, seconds.
    pub spent: Real,
}

/// Check for one kind of fault.
pub(super) trait Check {
    /// Largest number of refinements, and relative change of the fault below which they end.
    const ROUNDS: usize;
    const SAME: Real;

    /// Returns the size of the fault in a result; 0 where it is acceptable.
    fn fault(&self, clip: &Clip) -> Real;

    /// Amends the plan where a result is wrong; returns the frames changed, in any order.
    fn amend(&self, clip: &Clip, plan: &mut ContactPlan) -> Vec<usize>;
}

/// Solution with its plan and its faults.
struct Trial {
    solution: Solution,
    targets: Vec<Vec<ContactTarget>>,
    unloaded: Vec<Vec<UnloadedContact>>,
    acceleration_limited: Vec<Vec<usize>>,
    fault: Real,
    /// Mean sliding speed of feet, m/s.
    slide: Real,
    support_deficit: Real,
}

/// Refines solutions by a check.
#[derive(Clone, Copy)]
pub(super) struct Refine<'a> {
    pub figure: &'a Figure,
    /// Height of the level ground, metres.
    pub ground: Real,
    /// Effort that is left, see [`SolveOptions::effort`](super::SolveOptions::effort).
    pub effort: &'a Cell<Real>,
}

impl Refine<'_> {
    /// Returns the best of all solutions and leaves its plan in `plan`. `solve` continues from a solution whose plan has
    /// changed in some frames.
    pub fn run<L: Check>(
        &self,
        check: &L,
        first: Solution,
        plan: &mut ContactPlan,
        mut solve: impl FnMut(&mut ContactPlan, &Solution, &[usize]) -> Result<Solution, SolveError>,
    ) -> Result<Solution, SolveError> {
        let mut trial = self.trial(check, first, plan);
        let mut best: Option<Trial> = None;
        for _ in 0..L::ROUNDS {
            if trial.fault == 0.0 || self.effort.get() <= 0.0 {
                break;
            }
            let changed = check.amend(&trial.solution.solved.clip, plan);
            if changed.is_empty() {
                break;
            }
            let solution = solve(plan, &trial.solution, &changed)?;
            let next = self.trial(check, solution, plan);
            let same = (next.fault - trial.fault).abs() < L::SAME * trial.fault;
            best = Some(self.better(best, std::mem::replace(&mut trial, next)));
            if same {
                break;
            }
        }
        let Trial { solution, targets, unloaded, acceleration_limited, .. } = self.better(best, trial);
        (plan.targets, plan.unloaded, plan.acceleration_limited) = (targets, unloaded, acceleration_limited);
        Ok(solution)
    }

    fn trial(&self, check: &impl Check, solution: Solution, plan: &ContactPlan) -> Trial {
        let fault = check.fault(&solution.solved.clip);
        let slide = standing(self.figure, &solution.solved.clip, self.ground).1.unwrap_or(0.0);
        let support_deficit = solution.solved.windows.iter().map(|window| window.support_deficit).fold(0.0, Real::max);
        let (targets, unloaded, acceleration_limited) =
            (plan.targets.clone(), plan.unloaded.clone(), plan.acceleration_limited.clone());
        Trial { solution, targets, unloaded, acceleration_limited, fault, slide, support_deficit }
    }

    /// Returns the trial with the smaller fault, unless it slides more, or has a larger support deficit, than the other and
    /// than is visible.
    fn better(&self, one: Option<Trial>, other: Trial) -> Trial {
        let seen = self.figure.scaled_length(SLIDE);
        match one {
            Some(one)
                if other.fault >= one.fault
                    || other.slide > one.slide.max(seen)
                    || other.support_deficit > one.support_deficit.max(1.0) =>
            {
                one
            }
            _ => other,
        }
    }
}

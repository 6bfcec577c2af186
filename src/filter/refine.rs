//! Some faults show only in a result: the plan is made from the capture. A result is looked at, what is wrong is held in the plan, and it
//! is sought again from where it was.

use super::{ContactPlan, ContactTarget, SolveError, Solved, UnloadedContact};
use crate::figure::Figure;
use crate::math::Real;
use crate::measure::standing;
use crate::motion::Clip;

/// What slides more slowly than this on the whole is left alone, m/s per a.
pub(super) const SLIDE: Real = 8e-3;

/// What the optimiser found.
pub(super) struct Solution {
    pub solved: Solved,
    /// The unknowns it was found with.
    pub x: Vec<Real>,
}

/// Someone who looks for one kind of fault.
pub(super) trait Check {
    /// A result is looked at so often, unless a look changes less than a share of what is wrong.
    const ROUNDS: usize;
    const SAME: Real;

    /// How much is wrong with a result; 0 where that is little enough.
    fn fault(&self, clip: &Clip) -> Real;

    /// Changes the plan where a result is wrong; gives the frames in which it did, in any order.
    fn amend(&self, clip: &Clip, plan: &mut ContactPlan) -> Vec<usize>;
}

/// A result, the plan it was found with, and its faults.
struct Trial {
    solution: Solution,
    targets: Vec<Vec<ContactTarget>>,
    unloaded: Vec<Vec<UnloadedContact>>,
    acceleration_limited: Vec<Vec<usize>>,
    fault: Real,
    /// How fast feet slide on the whole, m/s.
    slide: Real,
    support_deficit: Real,
}

/// Seeks again what is looked for.
#[derive(Clone, Copy)]
pub(super) struct Refine<'a> {
    pub figure: &'a Figure,
    /// Of level ground, metres.
    pub ground: Real,
}

impl Refine<'_> {
    /// Gives the best of all that was found, with its plan. `solve` seeks again from a result whose plan has changed in some frames.
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
            if trial.fault == 0.0 {
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

    /// The other is better if less is wrong, and no more slides or is missing than before, or than anybody sees.
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

//! Some faults show only in a result: the plan is made from the capture. A result is looked at, what is wrong is held in the plan, and it
//! is sought again from where it was.

use super::{ContactPlan, Hover, Pin, SolveError, Solved};
use crate::figure::Figure;
use crate::math::Real;
use crate::measure::standing;
use crate::motion::Clip;

/// What slides more slowly than this on the whole is left alone, m/s per a.
pub(super) const SLIDE: Real = 8e-3;

/// What the optimiser found.
pub(super) struct Sought {
    pub solved: Solved,
    /// The unknowns it was found with.
    pub x: Vec<Real>,
}

/// Someone who looks for one kind of fault.
pub(super) trait Look {
    /// A result is looked at so often, unless a look changes less than a share of what is wrong.
    const ROUNDS: usize;
    const SAME: Real;

    /// How much is wrong with a result; 0 where that is little enough.
    fn fault(&self, clip: &Clip) -> Real;

    /// Changes the plan where a result is wrong; gives the frames in which it did, in any order.
    fn hold(&self, clip: &Clip, plan: &mut ContactPlan) -> Vec<usize>;
}

/// A result, the plan it was found with, and its faults.
struct Trial {
    sought: Sought,
    pins: Vec<Vec<Pin>>,
    hovers: Vec<Vec<Hover>>,
    calm: Vec<Vec<usize>>,
    fault: Real,
    /// How fast feet slide on the whole, m/s.
    slide: Real,
    lacking: Real,
}

/// Seeks again what is looked for.
#[derive(Clone, Copy)]
pub(super) struct Again<'a> {
    pub figure: &'a Figure,
    /// Of level ground, metres.
    pub ground: Real,
}

impl Again<'_> {
    /// Gives the best of all that was found, with its plan. `solve` seeks again from a result whose plan has changed in some frames.
    pub fn run<L: Look>(
        &self,
        look: &L,
        first: Sought,
        plan: &mut ContactPlan,
        mut solve: impl FnMut(&mut ContactPlan, &Sought, &[usize]) -> Result<Sought, SolveError>,
    ) -> Result<Sought, SolveError> {
        let mut trial = self.trial(look, first, plan);
        let mut best: Option<Trial> = None;
        for _ in 0..L::ROUNDS {
            if trial.fault == 0.0 {
                break;
            }
            let changed = look.hold(&trial.sought.solved.clip, plan);
            if changed.is_empty() {
                break;
            }
            let sought = solve(plan, &trial.sought, &changed)?;
            let next = self.trial(look, sought, plan);
            let same = (next.fault - trial.fault).abs() < L::SAME * trial.fault;
            best = Some(self.better(best, std::mem::replace(&mut trial, next)));
            if same {
                break;
            }
        }
        let Trial { sought, pins, hovers, calm, .. } = self.better(best, trial);
        (plan.pins, plan.hovers, plan.calm) = (pins, hovers, calm);
        Ok(sought)
    }

    fn trial(&self, look: &impl Look, sought: Sought, plan: &ContactPlan) -> Trial {
        let fault = look.fault(&sought.solved.clip);
        let slide = standing(self.figure, &sought.solved.clip, self.ground).1.unwrap_or(0.0);
        let lacking = sought.solved.windows.iter().map(|window| window.lacking).fold(0.0, Real::max);
        let (pins, hovers, calm) = (plan.pins.clone(), plan.hovers.clone(), plan.calm.clone());
        Trial { sought, pins, hovers, calm, fault, slide, lacking }
    }

    /// The other is better if less is wrong, and no more slides or is missing than before, or than anybody sees.
    fn better(&self, one: Option<Trial>, other: Trial) -> Trial {
        let seen = self.figure.scaled_length(SLIDE);
        match one {
            Some(one)
                if other.fault >= one.fault
                    || other.slide > one.slide.max(seen)
                    || other.lacking > one.lacking.max(1.0) =>
            {
                one
            }
            _ => other,
        }
    }
}

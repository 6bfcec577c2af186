//! Budget of a search: the time it may take on one core, counted in operations.
//!
//! A clock would give other results on other machines. With u unknowns in a frame, a step of the optimiser takes A u² + B u³ for it:
//! its terms and the factor of its band. The forces of a frame take their Newton steps times the edges of its contacts.

use crate::math::Real;

/// Times A and B of the terms and the factor of a frame on the reference core (2 GHz), seconds.
const TERMS: Real = 3e-8;
const FACTOR: Real = 1e-9;
/// Time of one Newton step for the force along one edge of a contact, seconds.
const EDGE: Real = 6e-8;
/// Fewest steps of a first search, whatever they cost: enough for all stages.
const LEAST_STEPS: Real = 12.0;

/// Time for the search in one piece of a clip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Time of a step, seconds.
    step: Real,
    most: Real,
    spent: Real,
}

impl Budget {
    /// Makes a budget of so many seconds for a piece of some frames with so many unknowns each. A loop counts as other pieces do,
    /// although the coupling of its ends takes it three times as long.
    pub fn new(seconds: Real, frames: usize, unknowns: usize, is_first: bool) -> Self {
        let unknowns = unknowns as Real;
        let step = (TERMS + FACTOR * unknowns) * unknowns * unknowns * frames as Real;
        let least = if is_first { LEAST_STEPS * step } else { 0.0 };
        Self { step, most: seconds.max(least), spent: 0.0 }
    }

    /// Takes the time of a step of the optimiser.
    pub fn take_step(&mut self) {
        self.spent += self.step;
    }

    /// Takes the time of forces whose Newton steps moved so many edges.
    pub fn take_edges(&mut self, edges: usize) {
        self.spent += EDGE * edges as Real;
    }

    /// Returns true if nothing is left.
    pub fn is_spent(&self) -> bool {
        self.spent >= self.most
    }

    /// Returns the time taken so far, seconds.
    pub fn spent(&self) -> Real {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A budget is spent by the work done, not by time; a first search has its least steps whatever they cost.
    #[test]
    fn budgets_are_spent_by_steps_and_edges() {
        let steps = |seconds: Real, is_first: bool| {
            let mut budget = Budget::new(seconds, 120, 52, is_first);
            let mut count = 0;
            while !budget.is_spent() {
                budget.take_step();
                count += 1;
            }
            count
        };
        assert_eq!((steps(0.0, true), steps(0.0, false)), (12, 0));
        assert!(steps(2.0, true) > steps(1.0, true) && steps(1.0, true) > 12);
        let mut budget = Budget::new(1.0, 120, 52, false);
        budget.take_edges((1.01 / EDGE) as usize);
        assert!(budget.is_spent() && (budget.spent() - 1.01).abs() < 1e-6);
    }
}

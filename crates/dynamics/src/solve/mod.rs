//! The algebra under every step: bodies, rows, multipliers.
//!
//! Both steppers pose the same question. Given free velocities `u` (or accelerations) of the bodies, find
//! multipliers λ and velocities v with
//!
//! ```text
//!   v = u + M⁻¹ Jᵀ λ
//!   w = J v + S λ − k
//!   lo < λ < hi  ⇒ w = 0,   λ = lo ⇒ w ≥ 0,   λ = hi ⇒ w ≤ 0        (row by row)
//! ```
//!
//! An equality has lo = −∞, hi = ∞; a one-sided limit lo = 0; a motor a finite box. Points of contact have a law of their
//! own, Coulomb's ([`Contact`]). Three solvers answer: the tree solver (linear time, joints exact), the dense solver (the
//! oracle, and the one that says which constraints fight; friction as a pyramid) and the iterative solver (projected
//! Gauss–Seidel, for large piles).

mod cone;
#[cfg(test)]
mod contact_tests;
mod dense;
mod diagnose;
mod iterative;
mod lcp;
mod ldlt;
mod problem;
mod pseudo_inverse;
#[cfg(test)]
pub(crate) mod random;
pub(crate) mod tree;

pub use dense::DenseSolver;
pub use diagnose::{Diagnosis, Redundancy, Share};
pub use iterative::IterativeSolver;
pub use problem::{Block, Contact, Entry, Inertia, Problem, Row};
pub use tree::TreeSolver;

use crate::math::{Real, Vec6};

/// What a solver hands back besides λ and v.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Pivots, sweeps or active-set passes it took.
    pub iterations: usize,
    /// Largest violation of the row conditions that is left, in velocity units; 0 for direct solvers that finished.
    pub residual: Real,
}

/// What bounds the friction of a point, µ times which load.
///
/// Where friction presses what it rubs on, a foot that is led against the ground locks itself once µ is large enough, by
/// Coulomb's law and in reality. The load without friction knows nothing of that: it is the two-pass approximation of most
/// engines (Vondrák 2005, 6.5.3), gentle where the law is harsh, and too weak wherever friction adds to the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionBound {
    /// The load itself: Coulomb's law.
    #[default]
    Load,
    /// The load as it would be if there were no friction.
    SmoothLoad,
}

/// One way of answering the question above.
///
/// `prepare` sees the problem's matrices once per step, `solve` may then be called several times with other
/// `u`, `k` and limits on the same matrices (J, S, M).
pub trait Solver {
    /// Symbolic work where the topology changed, then the numeric factorisation.
    fn prepare(&mut self, problem: &Problem);

    /// Contacts were added behind those that `prepare` saw; all else is as it was.
    fn extend(&mut self, problem: &Problem) {
        self.prepare(problem);
    }

    /// Finds λ and v. On entry `lambda` is the warm start (used by the iterative solver, and for contacts by the tree
    /// solver) and `velocity` holds u.
    fn solve(&mut self, problem: &Problem, lambda: &mut [Real], velocity: &mut [Vec6]) -> Outcome;

    /// Ignores all limits (every row an equality, or held out when it is at a limit in the last `solve`) and answers
    /// for u = 0 with the given right-hand side: the correction that shifts J v + S λ by `target`.
    /// Rows of contacts stay out.
    fn correct(&mut self, problem: &Problem, target: &[Real], lambda: &mut [Real], velocity: &mut [Vec6]);

    /// Pushes bodies apart without friction: the smallest Δv (in the sense of M) from u = 0 that gives each contact's normal
    /// and each one-sided row with a `target` above zero at least the speed J Δv ≥ `target` (one per row), by multipliers
    /// ≥ 0, while every other row that was between its bounds in the last `solve` is held at J Δv + S λ = 0 (one-sided ones
    /// at ≥ 0). Other rows at a limit stay out.
    fn separate(&mut self, problem: &Problem, target: &[Real], velocity: &mut [Vec6]);
}

//! Linear algebra of a step: masses, rows and multipliers.
//!
//! Both steppers pose the same problem: given free velocities `u` (or accelerations) of the bodies, find multipliers λ
//! and velocities v with
//!
//! ```text
//!   v = u + M⁻¹ Jᵀ λ
//!   w = J v + S λ − k
//!   lo < λ < hi  ⇒ w = 0,   λ = lo ⇒ w ≥ 0,   λ = hi ⇒ w ≤ 0        (row by row)
//! ```
//!
//! An equality has lo = −∞, hi = ∞; a one-sided limit lo = 0; a motor a finite box. Contact points obey Coulomb's law
//! instead ([`Contact`]). There are three solvers: the tree solver (linear time, joints exact), the dense solver (the
//! reference, which also diagnoses conflicts; friction as a pyramid) and the iterative solver (projected Gauss–Seidel,
//! for large piles).

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
pub use iterative::{IterativeSolver, SweepSettings};
pub use problem::{Block, Contact, Entry, Inertia, Problem, Row};
pub use tree::TreeSolver;

use crate::math::{Real, Vec6};

/// Result of a solver besides λ and v.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Number of pivots, sweeps or active-set passes.
    pub iterations: usize,
    /// Largest remaining violation of the row conditions, in velocity units; 0 for direct solvers that finished.
    pub residual: Real,
}

/// Load that bounds the friction of a point, which is at most µ times it.
///
/// Where friction adds to the normal load, a foot that is pushed against the ground locks itself once µ is large
/// enough, by Coulomb's law and in reality. The load without friction excludes that: it is the two-pass approximation
/// of most engines (Vondrák 2005, 6.5.3), and too weak wherever friction adds to the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionBound {
    /// Normal load itself: Coulomb's law.
    #[default]
    Load,
    /// Normal load of the same problem without friction.
    SmoothLoad,
}

/// Solver of the problem above.
///
/// `prepare` reads the problem's matrices once per step; `solve` may then be called several times with other `u`, `k`
/// and limits on the same matrices (J, S, M).
pub trait Solver {
    /// Factorises the matrices, after symbolic work if the topology changed.
    fn prepare(&mut self, problem: &Problem);

    /// Takes in contacts that were added behind those that `prepare` read; nothing else may have changed.
    fn extend(&mut self, problem: &Problem) {
        self.prepare(problem);
    }

    /// Finds λ and v. On entry `lambda` is the warm start (used by the iterative solver, and for contacts by the tree
    /// solver) and `velocity` holds u.
    fn solve(&mut self, problem: &Problem, lambda: &mut [Real], velocity: &mut [Vec6]) -> Outcome;

    /// Ignores all limits (every row an equality, or held out when it is at a limit in the last `solve`) and solves for
    /// u = 0 with the given right-hand side: the correction that shifts J v + S λ by `target`. Rows of contacts are
    /// left out.
    fn correct(&mut self, problem: &Problem, target: &[Real], lambda: &mut [Real], velocity: &mut [Vec6]);

    /// Pushes bodies apart without friction: the smallest Δv (in the sense of M) from u = 0 that gives each contact's
    /// normal and each one-sided row with a `target` above zero at least the speed J Δv ≥ `target` (one per row), by
    /// multipliers ≥ 0, while every other row that was between its bounds in the last `solve` is held at J Δv + S λ = 0
    /// (one-sided ones at ≥ 0). Other rows at a limit are left out.
    fn separate(&mut self, problem: &Problem, target: &[Real], velocity: &mut [Vec6]);
}

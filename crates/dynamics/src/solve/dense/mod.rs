//! Dense solver: the reference for the others, and suited to small scenes.
//!
//! ```text
//!   A = J M⁻¹ Jᵀ + S,   b = J u − k,   A λ + b = w
//! ```
//!
//! Rows are split into equalities E and bounded rows B. The equalities go first, by the pseudo-inverse of A_EE
//! (`pseudo_inverse`), and the rest is a complementarity problem (`lcp`) in its Schur complement:
//!
//! ```text
//!   Â = A_BB − A_BE A_EE⁺ A_EB,   b̂ = b_B − A_BE A_EE⁺ b_E,   Â λ_B + b̂ = w_B
//!   λ_E = −A_EE⁺ (b_E + A_EB λ_B)
//! ```
//!
//! This is exact, redundant equalities or not: A is positive semi-definite, so the columns of A_EB lie in the range of
//! A_EE. Of all multipliers that give the same velocities the equalities get those of least norm (two equal joints
//! carry half each), and contradicting equalities are met in the least-squares sense. Bounded rows that depend on
//! others are left to the complementarity solver, which takes the first solution it finds.
//!
//! Friction is a pyramid here: each tangent has a box of its own, ±µ λ_n. The boxes are computed from the normals of
//! the last pass, starting without friction, until they no longer change.

use crate::math::{Buffer, Real, Vec6};

use super::lcp::{Lcp, LcpSolver, violation};
use super::pseudo_inverse::PseudoInverse;
use super::{Outcome, Problem, Solver};

/// Violation that counts as rounding, relative to the largest entry of b (at least 1).
const FINISHED: Real = 1e-9;

/// Bound on the passes with refreshed boxes of friction.
const FRICTION_PASSES: usize = 12;
/// Change of the boxes, relative to the largest, below which they have converged.
const BOXES_SETTLED: Real = 1e-12;

/// Solves by dense factorisation: cubic time in the rows, quadratic memory, exact.
///
/// ```
/// use sinew_dynamics::solve::{Block, DenseSolver, Entry, Inertia, Problem, Row, Solver};
/// use sinew_dynamics::math::{Mat3, Vec6};
///
/// // One body of 2 kg that must move up with 1 m/s.
/// let inertia = Inertia {
///     mass: 2.0,
///     inverse_mass: 0.5,
///     inertia: Mat3::identity(),
///     inverse_inertia: Mat3::identity(),
/// };
/// let row = Row { first: 0, count: 1, target: 1.0, softness: 0.0, lo: f64::NEG_INFINITY, hi: f64::INFINITY };
/// let problem = Problem {
///     inertias: vec![inertia],
///     rows: vec![row],
///     entries: vec![Entry { body: 0, jacobian: Vec6::new(0., 1., 0., 0., 0., 0.) }],
///     blocks: vec![Block { first: 0, count: 1, pivot: false }],
///     persistent_rows: 1,
///     ..Problem::default()
/// };
/// let (mut lambda, mut velocity) = ([0.0], [Vec6::zeros()]);
/// let mut solver = DenseSolver::default();
/// solver.prepare(&problem);
/// solver.solve(&problem, &mut lambda, &mut velocity);
/// assert_eq!((lambda[0], velocity[0].y), (2.0, 1.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct DenseSolver {
    /// A, row major.
    matrix: Vec<Real>,
    assembly: Assembly,
    split: Box<Split>,
    lcp: LcpSolver,
    b: Vec<Real>,
    part: Vec<Real>,
    bounded: Bounded,
    /// Bounds of all rows, with the present boxes of friction.
    bounds: Vec<(Real, Real)>,
    separation: Vec<Real>,
    /// Rows at a limit in the last `solve`.
    held: Vec<bool>,
    correction: PseudoInverse,
    correction_rows: Vec<usize>,
    correction_ready: bool,
}

/// Equalities and bounded rows, and the Schur complement between them.
#[derive(Clone, Debug, Default)]
struct Split {
    ready: bool,
    equal: Vec<usize>,
    bounded: Vec<usize>,
    inverse: PseudoInverse,
    /// L⁻¹ A_Eb of each bounded row, one after the other.
    half: Vec<Real>,
    /// Â, row major.
    schur: Vec<Real>,
    column: Vec<Real>,
    solved: Vec<Real>,
}

/// Data of the complementarity problem of the bounded rows.
#[derive(Clone, Debug, Default)]
struct Bounded {
    b: Vec<Real>,
    lo: Vec<Real>,
    hi: Vec<Real>,
    scale: Vec<Real>,
    lambda: Vec<Real>,
}

/// Rows and entries by body.
#[derive(Clone, Debug, Default)]
struct Assembly {
    /// Uses of body i are `uses[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    /// Pairs (row, entry), by body.
    uses: Vec<(u32, u32)>,
}

impl Assembly {
    /// Computes A = J M⁻¹ Jᵀ + S.
    fn assemble(&mut self, problem: &Problem, matrix: &mut Vec<Real>) {
        let n = problem.rows.len();
        let starts = &mut self.starts;
        starts.reset(problem.inertias.len() + 2, 0);
        for row in 0..n {
            for entry in problem.entries(row) {
                starts[entry.body as usize + 2] += 1;
            }
        }
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        self.uses.reset(starts[starts.len() - 1], (0, 0));
        for (index, row) in problem.rows.iter().enumerate() {
            for entry in row.first..row.first + row.count {
                let place = &mut starts[problem.entries[entry as usize].body as usize + 1];
                self.uses[*place] = (index as u32, entry);
                *place += 1;
            }
        }

        matrix.reset(n * n, 0.0);
        for (i, row) in problem.rows.iter().enumerate() {
            for entry in problem.entries(i) {
                let body = entry.body as usize;
                let response = problem.inertias[body].apply_inverse(&entry.jacobian);
                for &(j, other) in &self.uses[self.starts[body]..self.starts[body + 1]] {
                    let j = j as usize;
                    if j <= i {
                        matrix[i * n + j] += problem.entries[other as usize].jacobian.dot(&response);
                    }
                }
            }
            matrix[i * n + i] += row.softness;
            for j in 0..i {
                matrix[j * n + i] = matrix[i * n + j];
            }
        }
    }
}

impl Split {
    fn matches(&self, problem: &Problem) -> bool {
        self.ready
            && self.equal.len() + self.bounded.len() == problem.rows.len()
            && self.equal.iter().all(|&i| is_equality(problem, i))
            && self.bounded.iter().all(|&i| !is_equality(problem, i))
    }

    fn form(&mut self, problem: &Problem, matrix: &[Real]) {
        let n = problem.rows.len();
        self.equal.assign((0..n).filter(|&i| is_equality(problem, i)));
        self.bounded.assign((0..n).filter(|&i| !is_equality(problem, i)));
        self.inverse.factor(matrix, n, &self.equal);

        let (m, rank) = (self.bounded.len(), self.inverse.rank());
        self.half.clear();
        for &i in &self.bounded {
            self.column.assign(self.equal.iter().map(|&j| matrix[i * n + j]));
            self.inverse.half_solve(&self.column, &mut self.solved);
            self.half.extend_from_slice(&self.solved);
        }
        self.schur.reset(m * m, 0.0);
        for (i, &row) in self.bounded.iter().enumerate() {
            let left = &self.half[i * rank..(i + 1) * rank];
            for (j, &column) in self.bounded[..=i].iter().enumerate() {
                let right = &self.half[j * rank..(j + 1) * rank];
                let product: Real = left.iter().zip(right).map(|(x, y)| x * y).sum();
                self.schur[i * m + j] = matrix[row * n + column] - product;
                self.schur[j * m + i] = self.schur[i * m + j];
            }
        }
        self.ready = true;
    }
}

impl DenseSolver {
    /// Adds −A_EE⁺ (b_E + A_E· λ) to λ_E. A second call refines the first result.
    fn solve_equalities(&mut self, lambda: &mut [Real]) {
        let n = lambda.len();
        let Split { equal, inverse, .. } = &mut *self.split;
        self.part.assign(equal.iter().map(|&i| {
            let product: Real = self.matrix[i * n..][..n].iter().zip(lambda.iter()).map(|(a, l)| a * l).sum();
            -(product + self.b[i])
        }));
        inverse.solve(&mut self.part);
        for (&i, change) in equal.iter().zip(&self.part) {
            lambda[i] += change;
        }
    }

    /// Solves the bounded rows with the equalities eliminated; `lambda` holds the solution without them.
    fn solve_bounded(&mut self, lambda: &mut [Real]) -> (usize, bool) {
        let n = lambda.len();
        let Bounded { b, lo, hi, scale, lambda: bounded_lambda } = &mut self.bounded;
        for list in [&mut *b, &mut *lo, &mut *hi, &mut *scale, &mut *bounded_lambda] {
            list.clear();
        }
        let mut magnitude: Real = 0.0;
        for &i in &self.split.bounded {
            let terms = self.matrix[i * n..][..n].iter().zip(lambda.iter()).map(|(a, l)| a * l);
            magnitude = terms.clone().fold(magnitude.max(self.b[i].abs()), |m, t| m.max(t.abs()));
            b.push(terms.sum::<Real>() + self.b[i]);
            lo.push(self.bounds[i].0);
            hi.push(self.bounds[i].1);
            scale.push(self.matrix[i * n + i]);
            bounded_lambda.push(0.0);
        }
        let lcp = Lcp { matrix: &self.split.schur, b, lo, hi, scale, magnitude };
        let outcome = self.lcp.solve(&lcp, bounded_lambda);
        for (&i, &value) in self.split.bounded.iter().zip(bounded_lambda.iter()) {
            lambda[i] = value;
        }
        (outcome.pivots, outcome.conflicts == 0)
    }

    /// Computes λ for the present b and bounds.
    fn solve_once(&mut self, lambda: &mut [Real]) -> (usize, bool) {
        lambda.fill(0.0);
        self.solve_equalities(lambda);
        let mut outcome = (0, true);
        if !self.split.bounded.is_empty() {
            outcome = self.solve_bounded(lambda);
            self.solve_equalities(lambda);
        }
        self.solve_equalities(lambda);
        outcome
    }

    /// Updates the boxes of friction for the normals in `lambda`; returns the largest change relative to the largest
    /// box.
    fn refresh_boxes(&mut self, problem: &Problem, lambda: &[Real]) -> Real {
        let (mut change, mut largest): (Real, Real) = (0.0, 0.0);
        for contact in &problem.contacts {
            let rows = contact.rows();
            let load = lambda[rows.start].max(0.0);
            let factors = [contact.friction, contact.friction, contact.rolling, contact.rolling, contact.spinning];
            for (row, factor) in rows.skip(1).zip(factors) {
                let most = factor * load;
                change = change.max((self.bounds[row].1 - most).abs());
                largest = largest.max(most);
                self.bounds[row] = (-most, most);
            }
        }
        if largest > 0.0 { change / largest } else { change }
    }

    pub(super) fn assemble(&mut self, problem: &Problem) -> &[Real] {
        self.assembly.assemble(problem, &mut self.matrix);
        &self.matrix
    }
}

impl Solver for DenseSolver {
    fn prepare(&mut self, problem: &Problem) {
        self.assemble(problem);
        self.split.form(problem, &self.matrix);
        self.correction_ready = false;
        if self.held.len() != problem.rows.len() {
            self.held.reset(problem.rows.len(), false);
        }
        self.held[problem.contact_start()..].fill(true);
    }

    fn solve(&mut self, problem: &Problem, lambda: &mut [Real], velocity: &mut [Vec6]) -> Outcome {
        if !self.split.matches(problem) {
            self.split.form(problem, &self.matrix);
        }
        self.b.assign((0..problem.rows.len()).map(|i| problem.rate(i, velocity) - problem.rows[i].target));
        self.bounds.assign(problem.rows[..problem.contact_start()].iter().map(|row| (row.lo, row.hi)));
        self.bounds.resize(problem.rows.len(), (0.0, 0.0));
        for contact in &problem.contacts {
            self.bounds[contact.first as usize].1 = Real::INFINITY;
        }
        let mut outcome = Outcome::default();
        let mut finished = true;
        for _ in 0..FRICTION_PASSES {
            let pivots;
            (pivots, finished) = self.solve_once(lambda);
            outcome.iterations += pivots;
            if self.refresh_boxes(problem, lambda) <= BOXES_SETTLED {
                break;
            }
        }

        problem.apply_all(lambda, velocity);
        let held = |i: usize| {
            i >= problem.contact_start() || lambda[i] <= problem.rows[i].lo || lambda[i] >= problem.rows[i].hi
        };
        for i in 0..lambda.len() {
            self.correction_ready &= self.held[i] == held(i);
            self.held[i] = held(i);
        }
        let largest = self.b.iter().fold(1.0, |m: Real, b| m.max(b.abs()));
        let residual = largest_violation(problem, &self.bounds, lambda, velocity);
        if !finished || residual > FINISHED * largest {
            outcome.residual = residual;
        }
        outcome
    }

    fn correct(&mut self, problem: &Problem, target: &[Real], lambda: &mut [Real], velocity: &mut [Vec6]) {
        let n = problem.rows.len();
        if !self.correction_ready {
            self.correction_rows.assign((0..n).filter(|&i| !self.held[i]));
            self.correction.factor(&self.matrix, n, &self.correction_rows);
            self.correction_ready = true;
        }
        lambda.fill(0.0);
        for _ in 0..2 {
            self.part.assign(self.correction_rows.iter().map(|&i| {
                let product: Real = self.matrix[i * n..][..n].iter().zip(lambda.iter()).map(|(a, l)| a * l).sum();
                target[i] - product
            }));
            self.correction.solve(&mut self.part);
            for (&i, change) in self.correction_rows.iter().zip(&self.part) {
                lambda[i] += change;
            }
        }
        velocity.fill(Vec6::zeros());
        problem.apply_all(lambda, velocity);
    }

    fn separate(&mut self, problem: &Problem, target: &[Real], velocity: &mut [Vec6]) {
        self.b.assign(target.iter().map(|target| -target));
        let rows = problem.rows.iter().zip(&self.held).zip(target);
        self.bounds.assign(rows.map(|((row, &held), &target)| row.separation_bounds(held, target)));
        for contact in &problem.contacts {
            self.bounds[contact.first as usize].1 = Real::INFINITY;
        }
        let mut lambda = std::mem::take(&mut self.separation);
        lambda.resize(problem.rows.len(), 0.0);
        self.solve_once(&mut lambda);
        velocity.fill(Vec6::zeros());
        problem.apply_all(&lambda, velocity);
        self.separation = lambda;
    }
}

/// Returns true for an unbounded row; rows of contacts are always bounded, whatever their own bounds.
fn is_equality(problem: &Problem, row: usize) -> bool {
    row < problem.contact_start() && problem.rows[row].is_equality()
}

/// Returns the largest violation of the row conditions, in velocity units.
fn largest_violation(problem: &Problem, bounds: &[(Real, Real)], lambda: &[Real], velocity: &[Vec6]) -> Real {
    let rows = problem.rows.iter().zip(bounds).zip(lambda).enumerate();
    rows.map(|(i, ((row, &(lo, hi)), &l))| {
        let w = problem.rate(i, velocity) + row.softness * l - row.target;
        violation(w, l, lo, hi)
    })
    .fold(0.0, Real::max)
}

#[cfg(test)]
mod tests;

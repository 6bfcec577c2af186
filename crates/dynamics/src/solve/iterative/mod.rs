//! Iterative solver: projected Gauss–Seidel, for large piles and for many loops.
//!
//! The row conditions are those of the minimum of a convex function over a box,
//!
//! ```text
//!   E(λ) = ½ λᵀ A λ + bᵀ λ,   lo ≤ λ ≤ hi,   A = J M⁻¹ Jᵀ + S,   b = J u − k
//! ```
//!
//! and every step below lowers E, so looped and redundant systems converge too. A is never formed: v = u + M⁻¹ Jᵀ λ is
//! updated along with λ, and the gradient of row i is w_i = J_i v + s_i λ_i − k_i.
//!
//! * A **sweep** minimises E over one group after the other. A group is a run of equality rows of one constraint
//!   (solved together by its own inverse, so that the three rows of a ball joint do not undo each other) or a single
//!   bounded row.
//! * Between sweeps **conjugate gradients** run over the rows strictly inside their bounds, preconditioned by the same
//!   group inverses; a row that reaches a bound stays there until the next sweep. (Subspace minimisation: Silcowitz,
//!   Niebe and Erleben 2010.) Sweeps alone slow down with the square of a chain's length and with its mass ratio: 32
//!   links on ball joints took 15762 sweeps to 1e-9, with conjugate gradients it is 53 rounds.
//!
//! A **contact** is a group of its own: its normal, then its tangents within the true disc (see `cone`). Coulomb's law
//! is no minimum of anything, since the disc grows with the normal; conjugate gradients take sticking tangents as free
//! and sliding ones as constant, and a point that reaches the rim of its disc slides until the next sweep.
//!
//! Contradicting hard rows have no minimum: velocities settle, multipliers drift apart until the cap.

mod points;

use crate::math::{Buffer, Real, Vec6};

use self::points::{Friction, Point};
use super::cone::{RelaxationFactor, Violation};
use super::lcp::violation;
use super::pseudo_inverse::PseudoInverse;
use super::{Outcome, Problem, Solver};

/// Gauss–Seidel sweeps before and after each run of conjugate gradients.
const SWEEPS_PER_ROUND: usize = 2;

/// Effort and accuracy of the iterative solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepSettings {
    /// Bound on the sweeps (and conjugate steps, which cost about the same) per solve.
    pub max_sweeps: usize,
    /// Largest violation of a row condition in a finished solve, in velocity units.
    pub tolerance: Real,
    /// Runs conjugate gradients between the sweeps, if true; else this is plain projected Gauss–Seidel.
    pub accelerate: bool,
}

impl Default for SweepSettings {
    fn default() -> Self {
        Self { max_sweeps: 200, tolerance: 1e-9, accelerate: true }
    }
}

/// Solves by sweeps over the rows, starting from the last multipliers.
#[derive(Clone, Debug, Default)]
pub struct IterativeSolver {
    /// Effort and accuracy.
    pub settings: SweepSettings,
    groups: Vec<Group>,
    points: Vec<Point>,
    friction: Friction,
    /// Inverses of the groups, row major, one after the other.
    inverses: Vec<Real>,
    /// M⁻¹ Jᵀ of each entry.
    response: Vec<Vec6>,
    /// A_ii.
    diagonal: Vec<Real>,
    /// Targets and bounds of the rows: those of the problem, or those of a correction.
    asked: Vec<Asked>,
    free_velocity: Vec<Vec6>,
    held: Vec<bool>,
    group_w: Vec<Real>,
    /// Share of a full step that contacts take in a sweep.
    relaxation: Real,
    /// Multipliers before conjugate gradients.
    origin: Vec<Real>,
    separation: Vec<Real>,
    conjugate: Conjugate,
    factor: PseudoInverse,
    local: Vec<Real>,
    indices: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    target: Real,
    lo: Real,
    hi: Real,
}

impl Asked {
    fn is_equality(&self) -> bool {
        self.lo == Real::NEG_INFINITY && self.hi == Real::INFINITY
    }

    fn clamp(&self, lambda: Real) -> Real {
        lambda.max(self.lo).min(self.hi)
    }
}

/// Rows that are solved together.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: usize,
    count: usize,
    /// Index of its inverse in `inverses`.
    inverse: usize,
}

/// Vectors of conjugate gradients: one entry per row, and the velocity of the direction.
#[derive(Clone, Debug, Default)]
struct Conjugate {
    free: Vec<bool>,
    residual: Vec<Real>,
    preconditioned: Vec<Real>,
    direction: Vec<Real>,
    image: Vec<Real>,
    velocity: Vec<Vec6>,
}

impl IterativeSolver {
    /// Adds M⁻¹ Jᵀ λ of one row to v.
    #[inline]
    fn push(&self, problem: &Problem, row: usize, lambda: Real, velocity: &mut [Vec6]) {
        let first = problem.rows[row].first as usize;
        for (entry, response) in problem.entries(row).iter().zip(&self.response[first..]) {
            velocity[entry.body as usize] += response * lambda;
        }
    }

    #[inline]
    fn w(&self, problem: &Problem, row: usize, lambda: &[Real], velocity: &[Vec6]) -> Real {
        problem.rate(row, velocity) + problem.rows[row].softness * lambda[row] - self.asked[row].target
    }

    /// Returns A_ij of two rows.
    fn coupling(&self, problem: &Problem, i: usize, j: usize) -> Real {
        let first = problem.rows[i].first as usize;
        let mut sum = if i == j { problem.rows[i].softness } else { 0.0 };
        for (a, response) in problem.entries(i).iter().zip(&self.response[first..]) {
            for b in problem.entries(j).iter().filter(|b| b.body == a.body) {
                sum += b.jacobian.dot(response);
            }
        }
        sum
    }

    /// Adds the group of `count` rows from `first` with its inverse.
    fn add_group(&mut self, problem: &Problem, first: usize, count: usize) {
        self.groups.push(Group { first, count, inverse: self.inverses.len() });
        self.local.clear();
        for i in first..first + count {
            for j in first..first + count {
                let a = self.coupling(problem, i, j);
                self.local.push(a);
            }
        }
        self.indices.assign(0..count);
        self.factor.factor(&self.local, count, &self.indices);
        for i in 0..count {
            let start = self.inverses.len();
            self.inverses.resize(start + count, 0.0);
            let column = &mut self.inverses[start..];
            column[i] = 1.0;
            self.factor.solve(column);
        }
    }

    fn sweep_group(&mut self, problem: &Problem, group: Group, lambda: &mut [Real], velocity: &mut [Vec6]) {
        let rows = group.first..group.first + group.count;
        if group.count > 1 && self.asked[rows.clone()].iter().all(Asked::is_equality) {
            let mut w = std::mem::take(&mut self.group_w);
            w.assign(rows.clone().map(|i| self.w(problem, i, lambda, velocity)));
            for (i, inverse) in rows.zip(self.inverses[group.inverse..].chunks_exact(group.count)) {
                let change: Real = inverse.iter().zip(&w).map(|(a, w)| -a * w).sum();
                lambda[i] += change;
                self.push(problem, i, change, velocity);
            }
            self.group_w = w;
        } else {
            for i in rows.filter(|&i| self.diagonal[i] > 0.0) {
                let w = self.w(problem, i, lambda, velocity);
                let next = self.asked[i].clamp(lambda[i] - w / self.diagonal[i]);
                self.push(problem, i, next - lambda[i], velocity);
                lambda[i] = next;
            }
        }
    }

    /// Sweeps over all groups, forwards and backwards in alternation, so that neither end of a chain is favoured.
    fn sweep(&mut self, problem: &Problem, backwards: bool, lambda: &mut [Real], velocity: &mut [Vec6]) {
        let groups = self.groups.len();
        let points = if self.friction == Friction::Out { 0 } else { self.points.len() };
        for k in 0..groups + points {
            let at = if backwards { groups + points - 1 - k } else { k };
            if at < groups {
                self.sweep_group(problem, self.groups[at], lambda, velocity);
            } else {
                let point = self.points[at - groups];
                self.sweep_point(problem, &point, lambda, velocity);
            }
        }
    }

    /// Recomputes v = u + M⁻¹ Jᵀ λ.
    fn recompute(&self, problem: &Problem, lambda: &[Real], velocity: &mut [Vec6]) {
        velocity.copy_from_slice(&self.free_velocity);
        for (i, &l) in lambda.iter().enumerate() {
            self.push(problem, i, l, velocity);
        }
    }

    /// Returns the violation of the row conditions: the change that a projected step would make, in velocity units.
    fn violation(&self, problem: &Problem, lambda: &[Real], velocity: &[Vec6]) -> Violation {
        let mut total = Violation::default();
        if self.friction != Friction::Out {
            for point in self.points.iter().filter(|point| !point.triple.is_unresponsive()) {
                let w = point.rows.map(|row| self.w(problem, row, lambda, velocity));
                let at = point.rows.map(|row| lambda[row]);
                let (along, tangential) = point.triple.violation(&w, &at, &self.bounds(point, lambda));
                total.add(along);
                total.add(tangential);
            }
        }
        for (i, asked) in self.asked.iter().enumerate().take(problem.contact_start()) {
            let w = self.w(problem, i, lambda, velocity);
            let diagonal = self.diagonal[i];
            total.add(if diagonal > 0.0 {
                (asked.clamp(lambda[i] - w / diagonal) - lambda[i]).abs() * diagonal
            } else {
                violation(w, lambda[i], asked.lo, asked.hi)
            });
        }
        total
    }

    /// Sweeps until the conditions hold or the cap is reached. `velocity` holds u on entry.
    fn run(&mut self, problem: &Problem, lambda: &mut [Real], velocity: &mut [Vec6]) -> Outcome {
        self.free_velocity.assign(velocity.iter().copied());
        for (l, asked) in lambda.iter_mut().zip(&self.asked) {
            *l = asked.clamp(if l.is_finite() { *l } else { 0.0 });
        }
        self.project_points(lambda);
        self.recompute(problem, lambda, velocity);
        let mut outcome = Outcome { iterations: 0, residual: self.violation(problem, lambda, velocity).largest };
        let mut relaxation_factor = RelaxationFactor::default();
        while outcome.residual > self.settings.tolerance && outcome.iterations < self.settings.max_sweeps {
            self.relaxation = relaxation_factor.next(outcome.residual);
            for k in 0..SWEEPS_PER_ROUND.min(self.settings.max_sweeps - outcome.iterations) {
                self.sweep(problem, k % 2 == 1, lambda, velocity);
                outcome.iterations += 1;
            }
            if self.settings.accelerate {
                let most = self.settings.max_sweeps - outcome.iterations;
                if self.points.is_empty() || self.friction == Friction::Out {
                    outcome.iterations += self.descend(problem, most, lambda, velocity);
                } else {
                    outcome.iterations += self.descend_if_better(problem, most, lambda, velocity);
                }
            }
            self.recompute(problem, lambda, velocity);
            outcome.residual = self.violation(problem, lambda, velocity).largest;
        }
        outcome
    }

    /// Runs conjugate gradients over the rows inside their bounds; returns the number of steps.
    fn descend(&mut self, problem: &Problem, most: usize, lambda: &mut [Real], velocity: &mut [Vec6]) -> usize {
        let n = lambda.len();
        let mut cg = std::mem::take(&mut self.conjugate);
        for list in [&mut cg.residual, &mut cg.preconditioned, &mut cg.direction, &mut cg.image] {
            list.reset(n, 0.0);
        }
        cg.free.assign((0..n).map(|i| {
            let Asked { lo, hi, .. } = self.asked[i];
            self.diagonal[i] > 0.0 && lo < lambda[i] && lambda[i] < hi
        }));
        cg.free[problem.contact_start()..].fill(false);
        if self.friction != Friction::Out {
            for point in self.points.iter().filter(|point| !point.triple.is_unresponsive()) {
                let (at, bounds) = (point.rows.map(|row| lambda[row]), self.bounds(point, lambda));
                let inside = bounds.is_inside(&at);
                for (row, free) in point.rows.into_iter().zip([bounds.lo < at[0] && at[0] < bounds.hi, inside, inside])
                {
                    cg.free[row] = free && self.diagonal[row] > 0.0;
                }
            }
        }
        for i in 0..n {
            cg.residual[i] = if cg.free[i] { -self.w(problem, i, lambda, velocity) } else { 0.0 };
        }

        let mut steps = 0;
        let mut old = 0.0;
        let limit = most.min(2 * n + 10);
        while steps < limit && cg.residual.iter().any(|r| r.abs() > 0.1 * self.settings.tolerance) {
            self.precondition(problem, &mut cg);
            let new: Real = cg.residual.iter().zip(&cg.preconditioned).map(|(r, z)| r * z).sum();
            let beta = if old > 0.0 { new / old } else { 0.0 };
            old = new;
            for (p, z) in cg.direction.iter_mut().zip(&cg.preconditioned) {
                *p = z + beta * *p;
            }
            let curvature = self.image(problem, &mut cg, velocity.len());
            let scale: Real = cg.direction.iter().zip(&self.diagonal).map(|(p, d)| p * p * d).sum();
            // A null direction: no velocity changes along it, so nothing can be gained.
            if curvature.is_nan() || curvature <= 1e-15 * scale {
                break;
            }
            let mut step = new / curvature;
            let mut met = None;
            for (i, (&p, &l)) in cg.direction.iter().zip(lambda.iter()).enumerate() {
                let Asked { lo, hi, .. } = self.asked[i];
                let largest = if p > 0.0 { (hi - l) / p } else { (lo - l) / p };
                if p != 0.0 && largest < step {
                    (step, met) = (largest.max(0.0), Some((i, if p > 0.0 { hi } else { lo })));
                }
            }
            let mut rim = None;
            if self.friction == Friction::Full {
                for point in self.points.iter().filter(|point| cg.free[point.rows[1]]) {
                    let bounds = self.bounds(point, lambda);
                    let (at, along) = (point.rows.map(|row| lambda[row]), point.rows.map(|row| cg.direction[row]));
                    let largest = bounds.largest_step(&at, &along);
                    if largest < step {
                        (step, met, rim) = (largest, None, Some(point.rows));
                    }
                }
            }
            for (i, l) in lambda.iter_mut().enumerate() {
                *l = self.asked[i].clamp(*l + step * cg.direction[i]);
                cg.residual[i] -= step * cg.image[i];
            }
            for (v, q) in velocity.iter_mut().zip(&cg.velocity) {
                *v += q * step;
            }
            steps += 1;
            for i in rim.into_iter().flat_map(|rows| [rows[1], rows[2]]) {
                cg.free[i] = false;
                (cg.residual[i], cg.direction[i], cg.image[i]) = (0.0, 0.0, 0.0);
                old = 0.0;
            }
            if let Some((i, bound)) = met {
                // It stays there until the sweeps release it; the others restart without it.
                lambda[i] = bound;
                cg.free[i] = false;
                (cg.residual[i], cg.direction[i], cg.image[i]) = (0.0, 0.0, 0.0);
                old = 0.0;
            }
        }
        self.conjugate = cg;
        steps
    }

    /// Computes z = (block diagonal of A)⁻¹ r.
    fn precondition(&self, problem: &Problem, cg: &mut Conjugate) {
        for i in 0..problem.rows.len() {
            cg.preconditioned[i] = if cg.free[i] { cg.residual[i] / self.diagonal[i] } else { 0.0 };
        }
        for group in &self.groups {
            let rows = group.first..group.first + group.count;
            if group.count > 1 && cg.free[rows.clone()].iter().all(|&free| free) {
                let inverse = self.inverses[group.inverse..].chunks_exact(group.count);
                for (i, inverse) in rows.clone().zip(inverse) {
                    let residual = &cg.residual[rows.clone()];
                    cg.preconditioned[i] = inverse.iter().zip(residual).map(|(a, r)| a * r).sum();
                }
            }
        }
    }

    /// Computes A p on the free rows; returns pᵀ A p.
    fn image(&self, problem: &Problem, cg: &mut Conjugate, bodies: usize) -> Real {
        cg.velocity.reset(bodies, Vec6::zeros());
        for (i, &p) in cg.direction.iter().enumerate() {
            if p != 0.0 {
                self.push(problem, i, p, &mut cg.velocity);
            }
        }
        let mut curvature = 0.0;
        for i in 0..cg.direction.len() {
            if cg.free[i] {
                let p = cg.direction[i];
                cg.image[i] = problem.rate(i, &cg.velocity) + problem.rows[i].softness * p;
                curvature += p * cg.image[i];
            }
        }
        curvature
    }
}

impl Solver for IterativeSolver {
    fn prepare(&mut self, problem: &Problem) {
        self.response
            .assign(problem.entries.iter().map(|e| problem.inertias[e.body as usize].apply_inverse(&e.jacobian)));
        let mut diagonal = std::mem::take(&mut self.diagonal);
        diagonal.assign((0..problem.rows.len()).map(|i| self.coupling(problem, i, i)));
        self.diagonal = diagonal;
        self.groups.clear();
        self.inverses.clear();
        for block in &problem.blocks {
            let end = (block.first + block.count) as usize;
            let mut first = block.first as usize;
            while first < end {
                let run = problem.rows[first..end].iter().take_while(|row| row.is_equality()).count().max(1);
                self.add_group(problem, first, run);
                first += run;
            }
        }
        self.points.clear();
        for contact in &problem.contacts {
            let n = contact.first as usize;
            self.add_point(problem, [n, n + 1, n + 2], n, [contact.friction, 0.0]);
            if contact.angular {
                self.add_point(problem, [n + 5, n + 3, n + 4], n, [contact.rolling, contact.spinning]);
            }
        }
        if self.held.len() != problem.rows.len() {
            self.held.reset(problem.rows.len(), false);
        }
        self.held[problem.contact_start()..].fill(true);
    }

    fn solve(&mut self, problem: &Problem, lambda: &mut [Real], velocity: &mut [Vec6]) -> Outcome {
        self.asked.assign(problem.rows.iter().map(|row| Asked { target: row.target, lo: row.lo, hi: row.hi }));
        self.friction = Friction::Full;
        self.ask_points(problem);
        let outcome = self.run(problem, lambda, velocity);
        let plain = problem.rows[..problem.contact_start()].iter();
        for ((held, row), &l) in self.held.iter_mut().zip(plain).zip(lambda.iter()) {
            *held = l <= row.lo || l >= row.hi;
        }
        outcome
    }

    fn correct(&mut self, problem: &Problem, target: &[Real], lambda: &mut [Real], velocity: &mut [Vec6]) {
        self.asked.assign(target.iter().zip(&self.held).map(|(&target, &held)| Asked {
            target,
            lo: if held { 0.0 } else { Real::NEG_INFINITY },
            hi: if held { 0.0 } else { Real::INFINITY },
        }));
        self.friction = Friction::Out;
        lambda.fill(0.0);
        velocity.fill(Vec6::zeros());
        self.run(problem, lambda, velocity);
    }

    fn separate(&mut self, problem: &Problem, target: &[Real], velocity: &mut [Vec6]) {
        self.asked.assign(problem.rows.iter().zip(&self.held).zip(target).map(|((row, &held), &target)| {
            let (lo, hi) = row.separation_bounds(held, target);
            Asked { target, lo, hi }
        }));
        self.friction = Friction::None;
        self.ask_points(problem);
        let mut lambda = std::mem::take(&mut self.separation);
        lambda.reset(problem.rows.len(), 0.0);
        velocity.fill(Vec6::zeros());
        self.run(problem, &mut lambda, velocity);
        self.separation = lambda;
    }
}

#[cfg(test)]
mod tests;

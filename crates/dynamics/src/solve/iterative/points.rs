//! Contacts in the iterative solver: groups with Coulomb's law in place of bounds.

use super::IterativeSolver;
use crate::math::{Buffer, Real, Vec6};
use crate::solve::Problem;
use crate::solve::cone::{Bounds, Triple};

/// Shares of the conjugate-gradient step that are tried with contacts, each a share of the one before.
const SHARES: [Real; 3] = [1.0, 0.4, 0.25];

/// Three rows of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Normal row and its tangents; or the spinning row and the two rolling ones.
    pub rows: [usize; 3],
    pub triple: Triple,
    /// Normal row that bounds rolling and spinning.
    pub normal: usize,
    /// Set for rows of rolling and spinning.
    pub angular: bool,
    /// Coefficients of the disc and, for angular rows, of the first row.
    pub factors: [Real; 2],
}

/// Treatment of contacts in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Friction {
    #[default]
    Full,
    /// Normals without friction.
    None,
    /// No contacts at all.
    Out,
}

impl IterativeSolver {
    pub(super) fn bounds(&self, point: &Point, lambda: &[Real]) -> Bounds {
        let [disc, first] = if self.friction == Friction::Full { point.factors } else { [0.0, 0.0] };
        if point.angular { Bounds::angular(first, disc, lambda[point.normal]) } else { Bounds::point(disc) }
    }

    pub(super) fn sweep_point(&mut self, problem: &Problem, point: &Point, lambda: &mut [Real], velocity: &mut [Vec6]) {
        if point.triple.is_unresponsive() {
            return;
        }
        let bounds = self.bounds(point, lambda);
        let w = point.rows.map(|row| self.w(problem, row, lambda, velocity));
        let new = point.triple.solve(&w, &point.rows.map(|row| lambda[row]), &bounds);
        for (row, new) in point.rows.into_iter().zip(new) {
            let change = self.relaxation * (new - lambda[row]);
            if change != 0.0 {
                self.push(problem, row, change, velocity);
                lambda[row] += change;
            }
        }
    }

    /// Projects the contacts' multipliers into their bounds.
    pub(super) fn project_points(&self, lambda: &mut [Real]) {
        for point in &self.points {
            let bounds = self.bounds(point, lambda);
            let out = self.friction == Friction::Out;
            let new = if out { [0.0; 3] } else { point.triple.project(point.rows.map(|row| lambda[row]), &bounds) };
            for (row, new) in point.rows.into_iter().zip(new) {
                lambda[row] = new;
            }
        }
    }

    pub(super) fn add_point(&mut self, problem: &Problem, rows: [usize; 3], normal: usize, factors: [Real; 2]) {
        let own = rows.map(|i| rows.map(|j| self.coupling(problem, i, j)));
        self.points.push(Point { rows, triple: Triple::new(own), normal, angular: rows[0] != normal, factors });
    }

    /// Runs conjugate gradients with contacts; keeps the share of the step that reduces the violation of all laws.
    pub(super) fn descend_if_better(
        &mut self,
        problem: &Problem,
        most: usize,
        lambda: &mut [Real],
        velocity: &mut [Vec6],
    ) -> usize {
        let mut origin = std::mem::take(&mut self.origin);
        origin.assign(lambda.iter().copied());
        let before = self.violation(problem, lambda, velocity).squares;
        let steps = self.descend(problem, most, lambda, velocity);
        for share in SHARES {
            for (l, from) in lambda.iter_mut().zip(&origin) {
                *l = from + share * (*l - from);
            }
            self.project_points(lambda);
            self.recompute(problem, lambda, velocity);
            if self.violation(problem, lambda, velocity).squares < before {
                self.origin = origin;
                return steps;
            }
        }
        lambda.copy_from_slice(&origin);
        self.origin = origin;
        steps
    }

    /// Sets the bounds of the rows of contacts: none but that of the normal, since the cones bound the rest.
    pub(super) fn ask_points(&mut self, problem: &Problem) {
        for asked in &mut self.asked[problem.contact_start()..] {
            (asked.lo, asked.hi) = (Real::NEG_INFINITY, Real::INFINITY);
        }
        for contact in &problem.contacts {
            self.asked[contact.first as usize].lo = 0.0;
        }
    }
}

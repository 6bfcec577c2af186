//! Joint solution of the rows that are free at present: the step between sweeps.

use super::super::kernel::Lanes;
use super::super::walk::Paths;
use super::{Conjugate, FEW, Law, Relaxation};
use crate::math::{Buffer, Real};

/// Alternations of sliding friction and free rows within one subspace step.
const SLIDING_ROUNDS: usize = 12;
/// Alternations where the free rows are left to conjugate gradients. A heap of ten figures converges to 1e-4 m/s in 57
/// sweeps with one of them and in 258 without; more of them use up the sweeps that towers need.
const CONJUGATE_ROUNDS: usize = 1;
/// Bound on the times that rows without solution are removed from a direct solve.
const DROPS: usize = 12;
/// Shares of a subspace step that are tried.
const SHARES: [Real; 3] = [1.0, 0.4, 0.1];

impl Relaxation {
    /// Lists the rows that are free at present.
    #[inline(always)]
    fn list_free(&mut self) {
        self.free.clear();
        for (at, (unit, law)) in self.units.iter().zip(&self.laws).enumerate() {
            if *law == Law::Out || unit.triple.is_unresponsive() {
                continue;
            }
            let (l, bounds) = (&self.lambda[at], law.bounds(&self.lambda));
            if bounds.lo < l[0] && l[0] < bounds.hi && unit.triple.own[0][0] > 0.0 {
                self.free.push((at as u32, 0));
            }
            if bounds.is_inside(l) {
                let own = &unit.triple.own;
                self.free.extend([1, 2].into_iter().filter(|&k| own[k][k] > 0.0).map(|k| (at as u32, k as u8)));
            }
        }
    }

    /// Solves the free rows together; returns the number of steps and, if the violation decreased, the remaining one.
    #[inline(always)]
    pub(super) fn subspace(&mut self, paths: &Paths, tolerance: Real, most: usize) -> (usize, Option<Real>) {
        self.list_free();
        if self.free.is_empty() {
            return (0, None);
        }
        let before = self.violation(paths);
        self.origin.assign(self.lambda.iter().copied());
        let steps = if self.free.len() <= FEW {
            let mut solves = 1;
            while self.solve_directly(paths, tolerance) && solves < DROPS {
                solves += 1;
            }
            solves
        } else {
            let mut steps = self.descend(paths, tolerance, most);
            for _ in 0..CONJUGATE_ROUNDS {
                self.gather(paths);
                if steps >= most || !self.slide(paths) {
                    break;
                }
                steps += self.descend(paths, tolerance, most - steps);
            }
            steps
        };
        std::mem::swap(&mut self.goal, &mut self.lambda);
        self.lambda.resize(self.goal.len(), [0.0; 3]);
        for share in SHARES {
            for ((l, from), to) in self.lambda.iter_mut().zip(&self.origin).zip(&self.goal) {
                *l = if share == 1.0 { *to } else { std::array::from_fn(|k| from[k] + share * (to[k] - from[k])) };
            }
            self.project();
            self.gather(paths);
            let after = self.violation(paths);
            if after.largest <= tolerance || after.squares < before.squares {
                return (steps, Some(after.largest));
            }
        }
        self.lambda.copy_from_slice(&self.origin);
        self.gather(paths);
        (steps, None)
    }

    /// Sets the free rows to their least-norm solution, sliding friction following its normals. Returns true if loaded
    /// rows that are already fixed had to be released, which calls for another solve.
    #[inline(always)]
    fn solve_directly(&mut self, paths: &Paths, tolerance: Real) -> bool {
        let m = self.free.len();
        if self.factored != self.free {
            self.factor_free(paths);
        }
        for &(unit, row) in &self.free {
            self.lambda[unit as usize][row as usize] = 0.0;
        }
        self.gather(paths);
        let (mut asked, mut within) = (0.0, true);
        for round in 0..SLIDING_ROUNDS {
            self.change.clear();
            let Self { free, y, units, lambda, b, change, .. } = self;
            each_rate(paths, free, y, |at, row, rate| {
                change.push(-(rate + units[at].softness[row] * lambda[at][row] + b[at][row]));
            });
            let off = self.change.iter().fold(0.0, |m: Real, x| m.max(x.abs()));
            if round == 0 {
                asked = off;
            }
            if round == 0 || off > 0.01 * tolerance {
                let stuck = round > 0 && off > 10.0 * tolerance && off > 1e-8 * asked && self.inverse.rank() < m;
                if stuck && self.let_go(tolerance) {
                    return true;
                }
                self.inverse.solve(&mut self.change);
                debug_assert_eq!(self.change.len(), m);
                within = true;
                for (&(unit, row), &change) in self.free.iter().zip(&self.change) {
                    let (at, row) = (unit as usize, row as usize);
                    self.lambda[at][row] += change;
                    within &= row > 0 || self.lambda[at][0] >= 0.0 || matches!(self.laws[at], Law::Range { .. });
                }
                push_free(paths, &self.free, &self.change, &mut self.y);
                if round == 0 {
                    // Refine where the elimination lost digits.
                    continue;
                }
            }
            if !within || !self.slide(paths) {
                break;
            }
        }
        false
    }

    /// Releases the loaded rows with the largest w, the negative of `change`, that the other rows keep from vanishing.
    /// Returns true if there were any.
    #[inline(always)]
    fn let_go(&mut self, tolerance: Real) -> bool {
        let Self { free, lambda, laws, change, dropped, .. } = self;
        // Pull of w on a row towards a bound at zero.
        let pull = |(unit, row): (u32, u8), change: Real| {
            let bounds = laws[unit as usize].bounds(lambda);
            let towards = if change < 0.0 { bounds.lo } else { bounds.hi };
            if row == 0 && towards == 0.0 { change.abs() } else { 0.0 }
        };
        let strongest = free.iter().zip(change.iter()).map(|(&free, &change)| pull(free, change)).fold(0.0, Real::max);
        if strongest <= tolerance {
            return false;
        }
        dropped.clear();
        for (&row, &change) in free.iter().zip(change.iter()) {
            if pull(row, change) >= 0.5 * strongest {
                dropped.push(row.0);
            }
        }
        for &unit in dropped.iter() {
            lambda[unit as usize] = [0.0; 3];
        }
        // A point's tangents go with its normal.
        free.retain(|(unit, _)| !dropped.contains(unit));
        true
    }

    /// Updates the friction of the sliding points for the present normals; returns true if any changed.
    #[inline(always)]
    fn slide(&mut self, paths: &Paths) -> bool {
        let mut moved = false;
        let mut next = 0;
        for at in 0..self.units.len() {
            // Free rows are listed unit by unit.
            let mut sticks = false;
            while next < self.free.len() && self.free[next].0 as usize == at {
                sticks |= self.free[next].1 > 0;
                next += 1;
            }
            let unit = &self.units[at];
            if sticks || unit.is_single() || self.laws[at] == Law::Out || unit.triple.is_unresponsive() {
                continue;
            }
            let old = self.lambda[at];
            let radius = self.laws[at].bounds(&self.lambda).disc(old[0]);
            if radius <= 0.0 && old[1] == 0.0 && old[2] == 0.0 {
                continue;
            }
            let w = self.w(paths, at);
            let [x, y] = unit.triple.solve_disc([w[1], w[2]], &old, radius);
            let delta = [0.0, x - old[1], y - old[2]];
            if delta != [0.0; 3] {
                self.lambda[at] = [old[0], x, y];
                paths.push(at, &delta, &mut self.y);
                moved = true;
            }
        }
        moved
    }

    /// Computes A of the free rows and its pseudo-inverse.
    #[inline(always)]
    fn factor_free(&mut self, paths: &Paths) {
        let m = self.free.len();
        self.matrix.reset(m * m, 0.0);
        self.image.reset(paths.weights.len(), [0.0; 4]);
        let Self { free, matrix, image, units, .. } = self;
        for (j, &(unit, row)) in free.iter().enumerate() {
            let (unit, row) = (unit as usize, row as usize);
            paths.push_row(unit, row, 1.0, image);
            let mut i = 0;
            each_rate(paths, &free[..=j], image, |_, _, value| {
                matrix[i * m + j] = value;
                matrix[j * m + i] = value;
                i += 1;
            });
            matrix[j * m + j] += units[unit].softness[row];
            paths.wipe(unit, image);
        }
        self.places.assign(0..m);
        let Self { units, free, inverse, .. } = self;
        inverse.factor_against(&self.matrix, m, &self.places, |i| units[free[i].0 as usize].size[free[i].1 as usize]);
        self.factored.assign(self.free.iter().copied());
    }

    /// Runs conjugate gradients over the free rows; returns the number of steps.
    #[inline(always)]
    fn descend(&mut self, paths: &Paths, tolerance: Real, most: usize) -> usize {
        let Self { free, units, lambda, b, y, image, conjugate, .. } = self;
        let Conjugate { residual, direction, result, inverse_diagonal, softness } = conjugate;
        let m = free.len();
        for list in [&mut *residual, &mut *direction, &mut *result, &mut *inverse_diagonal, &mut *softness] {
            list.clear();
        }
        each_rate(paths, free, y, |at, row, rate| {
            inverse_diagonal.push(1.0 / units[at].triple.own[row][row]);
            softness.push(units[at].softness[row]);
            residual.push(-(rate + units[at].softness[row] * lambda[at][row] + b[at][row]));
        });
        direction.resize(m, 0.0);
        let mut old = 0.0;
        let mut steps = 0;
        while steps < most && steps < 2 * m && residual.iter().any(|r| r.abs() > 0.1 * tolerance) {
            let new: Real = residual.iter().zip(&*inverse_diagonal).map(|(r, inverse)| r * r * inverse).sum();
            let beta = if old > 0.0 { new / old } else { 0.0 };
            old = new;
            for ((p, r), inverse) in direction.iter_mut().zip(&*residual).zip(&*inverse_diagonal) {
                *p = r * inverse + beta * *p;
            }
            image.reset(paths.weights.len(), [0.0; 4]);
            push_free(paths, free, direction, image);
            result.clear();
            each_rate(paths, free, image, |_, _, rate| result.push(rate));
            let (mut curvature, mut scale) = (0.0, 0.0);
            for (k, p) in direction.iter().enumerate() {
                result[k] += softness[k] * p;
                curvature += p * result[k];
                scale += p * p / inverse_diagonal[k];
            }
            // A null direction: no velocity changes along it, so nothing can be gained.
            if curvature.is_nan() || curvature <= 1e-15 * scale {
                break;
            }
            let step = new / curvature;
            for (k, &(unit, row)) in free.iter().enumerate() {
                lambda[unit as usize][row as usize] += step * direction[k];
                residual[k] -= step * result[k];
            }
            steps += 1;
        }
        steps.max(1)
    }
}

/// Groups the free rows by unit, with the number of the first in the whole list.
#[inline(always)]
fn by_unit(free: &[(u32, u8)]) -> impl Iterator<Item = (usize, usize, &[(u32, u8)])> {
    let mut next = 0;
    free.chunk_by(|a, b| a.0 == b.0).map(move |rows| {
        let first = next;
        next += rows.len();
        (rows[0].0 as usize, first, rows)
    })
}

/// Adds W Uᵀ x to y, x being values of the free rows.
#[inline(always)]
fn push_free(paths: &Paths, free: &[(u32, u8)], values: &[Real], y: &mut [Lanes]) {
    for (unit, first, rows) in by_unit(free) {
        if let [(_, row)] = rows {
            paths.push_row(unit, *row as usize, values[first], y);
            continue;
        }
        let mut three = [0.0; 3];
        for (&(_, row), &value) in rows.iter().zip(&values[first..]) {
            three[row as usize] = value;
        }
        paths.push(unit, &three, y);
    }
}

/// Calls `report` with unit, number in the unit and J v due to y of each free row.
#[inline(always)]
fn each_rate(paths: &Paths, free: &[(u32, u8)], y: &[Lanes], mut report: impl FnMut(usize, usize, Real)) {
    for (unit, _, rows) in by_unit(free) {
        if let [(_, row)] = rows {
            let row = *row as usize;
            report(unit, row, paths.rate(unit, row, y));
            continue;
        }
        let rates = paths.rates(unit, y);
        for &(_, row) in rows {
            report(unit, row as usize, rates[row as usize]);
        }
    }
}

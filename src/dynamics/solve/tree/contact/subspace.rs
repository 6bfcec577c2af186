//! The rows that are free just now, solved together: the step between sweeps.

use super::super::walk::Paths;
use super::{Conjugate, FEW, Law, Relaxation};
use crate::math::Real;

/// Turns of sliding friction and free rows within one subspace step.
const SLIDING_TURNS: usize = 12;
/// The same where the free rows are left to conjugate gradients. A heap of ten figures settles to 1e-4 m/s in 57 sweeps
/// with one such turn and in 258 without; more of them spend the sweeps that towers need.
const CONJUGATE_TURNS: usize = 1;
/// How often rows that cannot be met are taken out of a direct solve.
const DROPS: usize = 12;
/// How much of a subspace step is tried.
const SHARES: [Real; 3] = [1.0, 0.4, 0.1];

impl Relaxation {
    /// Lists the rows that are free just now.
    #[inline(always)]
    fn list_free(&mut self) {
        self.free.clear();
        for (at, (unit, law)) in self.units.iter().zip(&self.laws).enumerate() {
            if *law == Law::Out || unit.triple.is_void() {
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

    /// Solves the free rows together; gives the steps it took and, if the laws came nearer, what is left.
    #[inline(always)]
    pub(super) fn subspace(&mut self, paths: &Paths, tolerance: Real, most: usize) -> (usize, Option<Real>) {
        self.list_free();
        if self.free.is_empty() {
            return (0, None);
        }
        self.gather(paths);
        let before = self.gap(paths);
        self.origin.clear();
        self.origin.extend_from_slice(&self.lambda);
        let steps = if self.free.len() <= FEW {
            let mut solves = 1;
            while self.solve_directly(paths, tolerance) && solves < DROPS {
                solves += 1;
            }
            solves
        } else {
            let mut steps = self.descend(paths, tolerance, most);
            for _ in 0..CONJUGATE_TURNS {
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
            let after = self.gap(paths);
            if after.largest <= tolerance || after.squares < before.squares {
                return (steps, Some(after.largest));
            }
        }
        self.lambda.copy_from_slice(&self.origin);
        self.gather(paths);
        (steps, None)
    }

    /// Sets the free rows to their least-norm solution, sliding friction following its normals. True if rows that press
    /// against what is held fast already had to let go, which calls for another solve.
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
        let mut asked = 0.0;
        for turn in 0..SLIDING_TURNS {
            self.change.clear();
            for &(unit, row) in &self.free {
                let (at, row) = (unit as usize, row as usize);
                let soft = self.units[at].softness[row] * self.lambda[at][row];
                self.change.push(-(paths.rate(at, row, &self.y) + soft + self.b[at][row]));
            }
            let off = self.change.iter().fold(0.0, |m: Real, x| m.max(x.abs()));
            if turn >= 2 && off <= 0.01 * tolerance {
                break;
            }
            if turn == 0 {
                asked = off;
            }
            let stuck = turn > 0 && off > 10.0 * tolerance && off > 1e-8 * asked && self.inverse.rank() < m;
            if stuck && self.let_go(tolerance) {
                return true;
            }
            self.inverse.solve(&mut self.change);
            debug_assert_eq!(self.change.len(), m);
            let mut within = true;
            for (&(unit, row), &change) in self.free.iter().zip(&self.change) {
                let (at, row) = (unit as usize, row as usize);
                self.lambda[at][row] += change;
                within &= row > 0 || self.lambda[at][0] >= 0.0 || matches!(self.laws[at], Law::Range { .. });
                paths.push_row(at, row, change, &mut self.y);
            }
            if turn == 0 {
                // Once more for the digits that the elimination lost.
                continue;
            }
            if !within || (!self.slide(paths) && turn > 1) {
                break;
            }
        }
        false
    }

    /// Frees of their load the pressing rows whose w, the negative of `change`, the others keep from vanishing: those with
    /// the largest. Whether there were any.
    #[inline(always)]
    fn let_go(&mut self, tolerance: Real) -> bool {
        let Self { free, lambda, laws, change, dropped, .. } = self;
        // How hard w pulls a row to a bound at zero.
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

    /// Friction of the sliding points for the normals as they are; whether any changed.
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
            if sticks || unit.is_single() || self.laws[at] == Law::Out || unit.triple.is_void() {
                continue;
            }
            let old = self.lambda[at];
            let radius = self.laws[at].bounds(&self.lambda).disc(old[0]);
            if radius <= 0.0 && old[1] == 0.0 && old[2] == 0.0 {
                continue;
            }
            let w = self.w(paths, at);
            let [x, y] = unit.triple.slide([w[1], w[2]], &old, radius);
            let delta = [0.0, x - old[1], y - old[2]];
            if delta != [0.0; 3] {
                self.lambda[at] = [old[0], x, y];
                paths.push(at, &delta, &mut self.y);
                moved = true;
            }
        }
        moved
    }

    /// A of the free rows, and its pseudo-inverse.
    #[inline(always)]
    fn factor_free(&mut self, paths: &Paths) {
        let m = self.free.len();
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        self.image.clear();
        self.image.resize(paths.weights.len(), [0.0; 4]);
        for j in 0..m {
            let (unit, row) = (self.free[j].0 as usize, self.free[j].1 as usize);
            paths.push_row(unit, row, 1.0, &mut self.image);
            for i in 0..=j {
                let value = paths.rate(self.free[i].0 as usize, self.free[i].1 as usize, &self.image);
                self.matrix[i * m + j] = value;
                self.matrix[j * m + i] = value;
            }
            self.matrix[j * m + j] += self.units[unit].softness[row];
            paths.wipe(unit, &mut self.image);
        }
        self.places.clear();
        self.places.extend(0..m);
        let Self { units, free, inverse, .. } = self;
        inverse.factor_against(&self.matrix, m, &self.places, |i| units[free[i].0 as usize].size[free[i].1 as usize]);
        self.factored.clear();
        self.factored.extend_from_slice(&self.free);
    }

    /// Conjugate gradients over the free rows; gives the steps taken.
    #[inline(always)]
    fn descend(&mut self, paths: &Paths, tolerance: Real, most: usize) -> usize {
        let Conjugate { residual, direction, image } = &mut self.conjugate;
        let m = self.free.len();
        let split = |&(unit, row): &(u32, u8)| (unit as usize, row as usize);
        residual.clear();
        for free in &self.free {
            let (at, row) = split(free);
            let soft = self.units[at].softness[row] * self.lambda[at][row];
            residual.push(-(paths.rate(at, row, &self.y) + soft + self.b[at][row]));
        }
        direction.clear();
        direction.resize(m, 0.0);
        image.clear();
        image.resize(m, 0.0);
        let diagonal = |free: &(u32, u8)| {
            let (at, row) = split(free);
            self.units[at].triple.own[row][row]
        };
        let mut old = 0.0;
        let mut steps = 0;
        while steps < most && steps < 2 * m && residual.iter().any(|r| r.abs() > 0.1 * tolerance) {
            let new: Real = residual.iter().zip(&self.free).map(|(r, free)| r * r / diagonal(free)).sum();
            let beta = if old > 0.0 { new / old } else { 0.0 };
            old = new;
            for ((p, r), free) in direction.iter_mut().zip(residual.iter()).zip(&self.free) {
                *p = r / diagonal(free) + beta * *p;
            }
            self.image.clear();
            self.image.resize(paths.weights.len(), [0.0; 4]);
            for (free, &p) in self.free.iter().zip(direction.iter()) {
                let (at, row) = split(free);
                paths.push_row(at, row, p, &mut self.image);
            }
            let (mut curvature, mut scale) = (0.0, 0.0);
            for ((free, &p), image) in self.free.iter().zip(direction.iter()).zip(image.iter_mut()) {
                let (at, row) = split(free);
                *image = paths.rate(at, row, &self.image) + self.units[at].softness[row] * p;
                curvature += p * *image;
                scale += p * p * diagonal(free);
            }
            // A null direction: nothing moves along it, so there is nothing to gain.
            if curvature.is_nan() || curvature <= 1e-15 * scale {
                break;
            }
            let step = new / curvature;
            for (((free, &p), image), r) in
                self.free.iter().zip(direction.iter()).zip(image.iter()).zip(residual.iter_mut())
            {
                let (at, row) = split(free);
                self.lambda[at][row] += step * p;
                *r -= step * image;
            }
            steps += 1;
        }
        steps.max(1)
    }
}

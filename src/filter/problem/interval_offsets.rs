//! Offsets of contact intervals: all places of an interval may move along the ground by one common horizontal offset.
//!
//! The place of a foot is known no better than that of the body, and a body that must move to be supported moves less if the
//! place of its contact yields as well. The offsets s couple all frames of an interval, so that they are not part of the band A
//! but a border around it,
//!
//!   ( A  B )(x)   (g)
//!   ( Bᵀ C )(s) = (h),   (C − Yᵀ Y) s = h − Yᵀ L⁻¹ g   with A = L Lᵀ, Y = L⁻¹ B.
//!
//! A contact target asks for c − place − s. A force f at a place that moves by s adds the torque s × f.

use super::equations::Equations;
use super::{Motion, Problem};
use crate::math::{Mat6, Real, Vec3, Vec6};
use crate::optimise::band::{Band, NotPositive};
use nalgebra::{DMatrix, DVector};

/// Part of the equations that belongs to the offsets, two columns each: along x and z.
pub(super) struct Border {
    /// B, and after elimination Y.
    columns: Vec<Vec<Real>>,
    /// First frame in which a column is not zero.
    first: Vec<usize>,
    own: DMatrix<Real>,
    right: DVector<Real>,
    /// Steps of the offsets, metres.
    pub offsets: Vec<Vec3>,
}

/// Offset that costs 1, metres. Only keeps offsets in place that nothing else constrains.
const STEP: Real = 0.3;

/// Directions of the offsets.
const ALONG: [Vec3; 2] = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

impl Border {
    pub fn new(interval_count: usize, numbers: usize) -> Self {
        Self {
            columns: vec![vec![0.0; numbers]; 2 * interval_count],
            first: vec![0; 2 * interval_count],
            own: DMatrix::zeros(2 * interval_count, 2 * interval_count),
            right: DVector::zeros(2 * interval_count),
            offsets: vec![Vec3::zeros(); interval_count],
        }
    }

    pub fn clear(&mut self) {
        for (column, first) in self.columns.iter_mut().zip(&mut self.first) {
            column.fill(0.0);
            *first = usize::MAX;
        }
        self.own.fill(0.0);
        self.own.fill_diagonal(1.0 / (STEP * STEP));
        self.right.fill(0.0);
    }

    /// Completes [`Band::eliminate`]: solves for the offsets, and subtracts their effect from the right side of the frames.
    pub fn eliminate(&mut self, band: &Band, right: &mut [Real]) -> Result<(), NotPositive> {
        if self.columns.is_empty() {
            return Ok(());
        }
        for (column, first) in self.columns.iter_mut().zip(&self.first) {
            (*first..band.inner()).for_each(|frame| band.forward(frame, column));
            band.forward_border(column);
        }
        let width = band.width();
        let numbers = right.len();
        let from = |j: usize| self.first[j].saturating_mul(width).min(numbers);
        for j in 0..self.columns.len() {
            self.right[j] -= dot(&self.columns[j][from(j)..], &right[from(j)..]);
            for i in 0..=j {
                let start = from(i).max(from(j));
                let both = dot(&self.columns[i][start..], &self.columns[j][start..]);
                self.own[(j, i)] -= both;
            }
        }
        let Some(factor) = nalgebra::Cholesky::new(self.own.clone()) else {
            return Err(NotPositive { frame: band.inner() });
        };
        factor.solve_mut(&mut self.right);
        for (j, column) in self.columns.iter().enumerate() {
            let start = from(j);
            let amount = self.right[j];
            right[start..].iter_mut().zip(&column[start..]).for_each(|(right, y)| *right -= amount * y);
        }
        for (step, found) in self.offsets.iter_mut().zip(self.right.as_slice().chunks(2)) {
            *step = Vec3::new(found[0], 0.0, found[1]);
        }
        Ok(())
    }
}

fn dot(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Problem<'_> {
    /// Returns the offset of an interval, metres.
    pub fn offset_of(&self, interval: Option<usize>, motion: &Motion) -> Vec3 {
        interval.and_then(|k| motion.offsets.get(k)).copied().unwrap_or_else(Vec3::zeros)
    }

    /// Returns the index of an interval among the unknown ones.
    fn slot(&self, interval: Option<usize>) -> Option<usize> {
        interval.and_then(|k| self.slots.get(k).copied().flatten())
    }

    /// Adds the coupling of forces with the offsets of their places.
    pub(super) fn add_offsets_of_forces(
        &self,
        t: usize,
        motion: &Motion,
        pull: &Vec6,
        precision: &Mat6,
        equations: &mut Equations,
        frames: [usize; 3],
    ) {
        let width = equations.band.width();
        let Equations { border, slopes, .. } = equations;
        let mut jacobians: Vec<(usize, [Vec6; 2])> = Vec::new();
        for (index, target) in self.frames[t].targets.iter().enumerate() {
            let Some(slot) = self.slot(target.interval) else { continue };
            let force = motion.edges[t].force(&motion.amounts[t], index) / self.body.height;
            let jacobian = ALONG.map(|along| {
                let torque = along.cross(&force);
                Vec6::new(0.0, 0.0, 0.0, torque.x, torque.y, torque.z)
            });
            match jacobians.iter_mut().find(|(other, _)| *other == slot) {
                Some((_, sum)) => (0..2).for_each(|k| sum[k] += jacobian[k]),
                None => jacobians.push((slot, jacobian)),
            }
        }
        for (slot, jacobian) in &jacobians {
            for (k, jacobian) in jacobian.iter().enumerate() {
                let j = 2 * slot + k;
                border.right[j] += jacobian.dot(pull);
                let held = precision * jacobian;
                for (other, turned) in &jacobians {
                    for (l, turned) in turned.iter().enumerate() {
                        let i = 2 * other + l;
                        if i <= j {
                            border.own[(j, i)] += turned.dot(&held);
                        }
                    }
                }
                for (side, frame) in frames.iter().enumerate() {
                    let Some(at) = frame.checked_sub(self.fixed) else { continue };
                    border.first[j] = border.first[j].min(at);
                    let to = &mut border.columns[j][at * width..(at + 1) * width];
                    for row in 0..6 {
                        let values = &slopes[side][row * width..(row + 1) * width];
                        to.iter_mut().zip(values).for_each(|(to, slope)| *to -= slope * held[row]);
                    }
                }
            }
        }
    }

    /// Adds the coupling of contact targets with the offsets of their intervals.
    pub(super) fn add_offsets_of_targets(&self, t: usize, motion: &Motion, firmness: Real, equations: &mut Equations) {
        let width = equations.band.width();
        let places = &motion.places[t];
        let at = t - self.fixed;
        let border = &mut equations.border;
        let mut add = |slot: usize, segment: usize, point: Vec3, error: Vec3, weight: Real| {
            for (k, along) in ALONG.iter().enumerate() {
                let j = 2 * slot + k;
                border.right[j] += weight * error.dot(along);
                border.own[(j, j)] += weight;
                border.first[j] = border.first[j].min(at);
                let to = &mut border.columns[j][at * width..(at + 1) * width];
                let mut above = Some(segment);
                while let Some(segment) = above {
                    let part = &self.body.parts[segment];
                    let count = part.freedom.count() + 3 * usize::from(part.translates);
                    for (column, to) in to.iter_mut().enumerate().skip(part.first).take(count) {
                        let (v, _) = self.coordinate(places, &point, column);
                        *to -= weight * v.dot(along);
                    }
                    above = part.parent;
                }
            }
        };
        self.for_each_target(t, motion, firmness, |segment, point, error, weight, interval| {
            if let Some(slot) = self.slot(interval) {
                add(slot, segment, point, error, weight);
            }
        });
        self.for_each_unloaded(t, motion, firmness, |segment, point, along, _, weight, interval| {
            if let Some(slot) = self.slot(interval) {
                add(slot, segment, point, along, weight);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::body::Body;
    use crate::filter::forces::Demand;
    use crate::filter::result::PartialSolution;
    use crate::filter::tests::walk;
    use crate::filter::weights::Weights;
    use crate::filter::window::{Piece, Track};
    use crate::filter::{Prepare, PrepareOptions, Solve, SolveOptions};

    /// The pull on each step is the difference quotient of the cost, by pins and by the forces that go along.
    #[test]
    fn the_pull_on_a_stance_is_that_of_the_cost() {
        let (figure, clip) = walk();
        let options = PrepareOptions { looped: Some(false), ..PrepareOptions::default() };
        let prepared = Prepare { figure: &figure, clip: &clip, options }.run().unwrap();
        let (clip, plan) = (&prepared.clip, &prepared.plan);
        let solve = Solve { figure: &figure, clip, plan, options: SolveOptions::default() };
        let body = Body::new(&figure, &vec![true; figure.segments().len()], true);
        let weights = Weights::new(&figure, &body, 1.0, clip.rate_hz());
        let track = Track::new(&solve, &body, &weights);
        let piece = Piece { from: 3, to: 40, fixed: 2, keep: 40, tail: 0 };
        let problem = track.problem(&piece, &PartialSolution::new(clip.frames(), plan.interval_count(), &body));
        let demand = Demand { residual: 0.1, barrier: 1e-3, firmness: 0.3 };
        let offsets: Vec<Vec3> =
            (0..plan.interval_count()).map(|k| Vec3::new((k as Real).sin(), 0.0, (k as Real).cos()) * 0.02).collect();
        let at = |offsets: Vec<Vec3>| {
            let x = vec![0.0; problem.frames.len() * body.unknowns];
            let mut motion = Motion { x, offsets, ..Motion::default() };
            problem.evaluate(&mut motion, &demand);
            motion
        };
        let motion = at(offsets.clone());
        let mut equations = problem.equations();
        problem.assemble(&motion, &demand, 0.0, &mut equations, |_, _, _| Ok(())).unwrap();
        let unknown: Vec<(usize, usize)> =
            problem.slots.iter().enumerate().filter_map(|(interval, slot)| Some((interval, (*slot)?))).collect();
        assert!(unknown.len() >= 2, "two feet stand");
        for (interval, slot) in unknown {
            for (k, along) in ALONG.iter().enumerate() {
                let quotient = [1e-6, -1e-6].map(|by| {
                    let mut offsets = offsets.clone();
                    offsets[interval] += along * by;
                    at(offsets).cost
                });
                let quotient = (quotient[0] - quotient[1]) / 2e-6;
                let slope = -2.0 * equations.border.right[2 * slot + k];
                assert!((slope - quotient).abs() < 1e-3 * quotient.abs().max(1.0), "{slope} instead of {quotient}");
            }
        }
    }
}

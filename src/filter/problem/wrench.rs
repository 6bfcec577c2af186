//! Wrench on the body: near that of the capture, ‖w − w_captured‖²/σ², and within the friction cones of the ground, φ(w) of
//! [`crate::filter::forces`].

use super::equations::Equations;
use super::{Motion, Problem};
use crate::filter::body;
use crate::math::{Mat6, Vec6};
use crate::optimise::kernel::{Columns, Size, subtract_product};

impl Problem<'_> {
    /// Computes the required wrench of each frame; frames at the ends have none.
    pub fn ask(&self, motion: &Motion, out: &mut Vec<Option<Vec6>>) {
        out.clear();
        out.extend((0..self.count()).map(|t| self.moment(t, motion).map(|moment| body::wrench(self.body, &moment))));
    }

    /// Adds ‖w − w_captured‖²/σ² + φ(w).
    pub(super) fn add_wrench(&self, t: usize, motion: &Motion, equations: &mut Equations) {
        let (Some(moment), Some([before, after])) = (self.moment(t, motion), self.neighbours(t)) else { return };
        let (Some(response), Some(asked)) = (&motion.responses[t], &self.frames[t].asked) else { return };
        let width = equations.band.width();
        let Equations { band, right, sums, slopes, roots, minus, .. } = equations;
        let [b, n, a] = slopes;
        body::derivatives(self.body, &moment, sums, [b, n, a], width);
        let pull = response.pull + (motion.wrenches[t] - asked) * self.weights.wrench;
        let precision = response.precision + Mat6::identity() * self.weights.wrench;
        let root = nalgebra::Cholesky::new_unchecked(precision).unpack_dirty();
        let frames = [before, t, after];
        for (side, frame) in frames.iter().enumerate() {
            let Some(at) = frame.checked_sub(self.fixed) else { continue };
            let slope = &slopes[side];
            let right = &mut right[at * width..(at + 1) * width];
            for row in 0..6 {
                let values = &slope[row * width..(row + 1) * width];
                right.iter_mut().zip(values).for_each(|(right, slope)| *right -= slope * pull[row]);
            }
            for column in 0..6 {
                let to = &mut roots[side][column * width..(column + 1) * width];
                to.fill(0.0);
                for row in column..6 {
                    let values = &slope[row * width..(row + 1) * width];
                    let factor = root[(row, column)];
                    to.iter_mut().zip(values).for_each(|(to, slope)| *to += slope * factor);
                }
                let negative = &mut minus[side][column * width..(column + 1) * width];
                negative.iter_mut().zip(&*to).for_each(|(negative, to)| *negative = -to);
            }
        }
        for i in 0..3 {
            for j in 0..=i {
                let (Some(p), Some(q)) = (frames[i].checked_sub(self.fixed), frames[j].checked_sub(self.fixed)) else {
                    continue;
                };
                // Rows belong to the frame eliminated later.
                let (rows, columns, low, high) = if p >= q { (i, j, q, p) } else { (j, i, p, q) };
                let (values, offset, stride) = band.block(high, low);
                let size = Size { rows: width, columns: width, depth: 6, lower: i == j };
                let left = Columns { values: &minus[rows], stride: width };
                let right = Columns { values: &roots[columns], stride: width };
                subtract_product(&mut values[offset..], stride, left, right, size);
            }
        }
        self.add_offsets_of_forces(t, motion, &response.pull, &response.precision, equations, frames);
    }
}

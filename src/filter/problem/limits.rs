//! Joint limits: Σ excess²/σ².

use super::equations::Block;
use super::{Motion, Problem};
use crate::filter::body;
use crate::filter::weights::LIMIT_MARGIN;
use crate::math::{Real, Vec3};

impl Problem<'_> {
    /// Calls `show` with part, angle beyond its limits, and the gradient of that angle by its coordinates.
    pub(super) fn for_each_excess(&self, t: usize, motion: &Motion, mut show: impl FnMut(usize, Real, Vec3)) {
        if !self.limits {
            return;
        }
        let (unknowns, parts) = (self.body.unknowns, self.body.parts.len());
        let x = &motion.x[t * unknowns..(t + 1) * unknowns];
        for (k, part) in self.body.parts.iter().enumerate() {
            let held = &self.held[t * parts + k];
            let first = part.first + 3 * usize::from(part.translates);
            let turned: Real = x[first..first + part.freedom.count()].iter().map(|x| x * x).sum();
            if turned < self.frames[t].slack[k].powi(2) {
                continue;
            }
            if let Some((depth, slope)) = body::beyond_limits(self.figure, k, part, held, x, LIMIT_MARGIN) {
                show(k, depth, slope);
            }
        }
    }

    pub(super) fn add_limits(&self, t: usize, motion: &Motion, firmness: Real, block: &mut Block) {
        let weight = self.weights.limit * firmness;
        self.for_each_excess(t, motion, |k, depth, slope| {
            let part = &self.body.parts[k];
            let first = part.first + 3 * usize::from(part.translates);
            for j in 0..part.freedom.count() {
                block.right[first + j] -= weight * depth * slope[j];
                for i in 0..=j {
                    block.add(first + i, first + j, weight * slope[i] * slope[j]);
                }
            }
        });
    }
}

//! Normal equations of the next step: half of the Hessian, and half of the negative gradient.

use super::interval_offsets::Border;
use super::tracking::Info;
use super::{Motion, Problem};
use crate::filter::body::Sums;
use crate::filter::forces::Demand;
use crate::math::{Real, Vec3};
use crate::optimise::band::{Band, NotPositive};

/// 1/σ² of a step of a known coordinate, large enough to suppress it.
const KNOWN: Real = 1e15;

/// Workspace of the equations.
pub(in crate::filter) struct Equations {
    /// Half of the Hessian, and after elimination its factor.
    pub band: Band,
    /// Half of the negative gradient, and after solution the step.
    pub right: Vec<Real>,
    pub(super) sums: Sums,
    /// Derivatives of a wrench by three frames, six columns each; the same times the root of the precision; and those negated.
    pub(super) slopes: [Vec<Real>; 3],
    pub(super) roots: [Vec<Real>; 3],
    pub(super) minus: [Vec<Real>; 3],
    pub(super) info: Vec<Info>,
    pub(super) border: Border,
}

impl Equations {
    /// Returns the steps of the unknown interval offsets, metres.
    pub fn offsets(&self) -> &[Vec3] {
        &self.border.offsets
    }
}

/// Part of the equations that belongs to one frame alone.
pub(super) struct Block<'e> {
    pub right: &'e mut [Real],
    values: &'e mut [Real],
    offset: usize,
    stride: usize,
}

impl Block<'_> {
    /// Adds to the half of the Hessian with i ≤ j.
    pub fn add(&mut self, i: usize, j: usize, value: Real) {
        self.values[self.offset + i * self.stride + j] += value;
    }
}

impl Equations {
    /// Returns the block of a frame, counted from the first that is not fixed.
    pub(super) fn block(&mut self, at: usize) -> Block<'_> {
        let width = self.band.width();
        let (values, offset, stride) = self.band.block(at, at);
        Block { right: &mut self.right[at * width..(at + 1) * width], values, offset, stride }
    }
}

impl Problem<'_> {
    /// Allocates the workspace.
    pub fn equations(&self) -> Equations {
        let free = self.count() - self.fixed;
        let band = Band::new(self.body.unknowns, free, self.cycle.is_some());
        let width = band.width();
        let unknown = self.slots.iter().flatten().count();
        let six = || [(); 3].map(|()| vec![0.0; 6 * width]);
        Equations {
            right: vec![0.0; free * width],
            border: Border::new(unknown, free * width),
            band,
            sums: Sums::default(),
            slopes: six(),
            roots: six(),
            minus: six(),
            info: Vec::new(),
        }
    }

    /// Solves for the next step of all unknowns, into `equations.right`. `damping` is Levenberg's λ.
    pub fn step(
        &self,
        motion: &Motion,
        demand: &Demand,
        damping: Real,
        equations: &mut Equations,
    ) -> Result<(), NotPositive> {
        self.assemble(motion, demand, damping, equations, |band, right, frame| {
            band.eliminate(frame)?;
            band.forward(frame, right);
            Ok(())
        })?;
        let Equations { band, right, border, .. } = equations;
        band.eliminate_border()?;
        band.forward_border(right);
        border.eliminate(band, right)?;
        band.backward(right);
        Ok(())
    }

    /// Assembles half of the Hessian and half of the negative gradient. Calls `complete` for each frame outside of the border
    /// as soon as its panel is final.
    pub fn assemble(
        &self,
        motion: &Motion,
        demand: &Demand,
        damping: Real,
        equations: &mut Equations,
        mut complete: impl FnMut(&mut Band, &mut [Real], usize) -> Result<(), NotPositive>,
    ) -> Result<(), NotPositive> {
        let (count, inner) = (self.count(), equations.band.inner());
        let frames = count - self.fixed;
        equations.right.fill(0.0);
        equations.band.clear_border();
        equations.border.clear();
        (0..inner.min(2)).for_each(|frame| equations.band.clear(frame));
        let add = |t: usize, equations: &mut Equations| {
            self.add_wrench(t, motion, equations);
            self.add_coordinates(t, motion, damping, equations);
            if t >= self.fixed {
                self.add_places(t, motion, demand.firmness, equations);
            }
        };
        // The last frame of a loop couples with the first.
        let last = self.cycle.map(|_| count - 1);
        if let Some(last) = last {
            add(last, equations);
        }
        for t in 0..count {
            if Some(t) != last {
                // A frame contributes to its own panel and to those of its neighbours.
                if let Some(ahead) = (t + 1).checked_sub(self.fixed).filter(|&ahead| ahead >= 2 && ahead < inner) {
                    equations.band.clear(ahead);
                }
                add(t, equations);
            }
            if let Some(done) = t.checked_sub(self.fixed + 1).filter(|&done| done < inner) {
                complete(&mut equations.band, &mut equations.right, done)?;
            }
        }
        if frames == inner && frames > 0 {
            complete(&mut equations.band, &mut equations.right, frames - 1)?;
        }
        Ok(())
    }

    /// Adds Σ x²/σ² + Σ ẍ²/σ² of the second difference around a frame.
    fn add_coordinates(&self, t: usize, motion: &Motion, damping: Real, equations: &mut Equations) {
        let (unknowns, width) = (self.body.unknowns, equations.band.width());
        if let Some(at) = t.checked_sub(self.fixed) {
            let (values, offset, stride) = equations.band.block(at, at);
            let known = if t + self.tail >= self.count() { KNOWN } else { 0.0 };
            for i in 0..width {
                let stay = self.weights.stay.get(i).copied();
                // Padding coordinates get a unit diagonal.
                values[offset + i * stride + i] += stay.map_or(1.0, |stay| stay * (1.0 + damping)) + known;
                if let Some(stay) = stay {
                    equations.right[at * width + i] -= stay * motion.x[t * unknowns + i];
                }
            }
        }
        let Some([before, after]) = self.neighbours(t) else { return };
        let share = [(before, 1.0), (t, -2.0), (after, 1.0)];
        let smooth = self.smooth(t);
        for i in 0..3 {
            let (frame, own) = share[i];
            let Some(at) = frame.checked_sub(self.fixed) else { continue };
            for (k, smooth) in smooth.iter().enumerate() {
                let bend: Real = share.iter().map(|(frame, part)| part * motion.x[frame * unknowns + k]).sum();
                equations.right[at * width + k] -= smooth * own * bend;
            }
            for &(other, part) in &share[..=i] {
                let Some(other) = other.checked_sub(self.fixed) else { continue };
                let (values, offset, stride) = equations.band.block(at.max(other), at.min(other));
                for (k, smooth) in smooth.iter().enumerate() {
                    values[offset + k * stride + k] += smooth * own * part;
                }
            }
        }
    }
}

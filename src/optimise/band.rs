//! Cholesky factorisation of a symmetric matrix of blocks that couples each frame with the next two, and, where the
//! motion is a loop, the first frames with the last two.
//!
//! ```text
//!   D₀                              panel of frame t:  D_t   n rows, its own block (lower half)
//!   E₀ D₁                                              E_t   n rows, coupling with t + 1
//!   F₀ E₁ D₂                                           F_t   n rows, coupling with t + 2
//!      F₁ E₂ D₃                                        B_t   rows of the border, coupling with the last frames
//!   B₀ B₁ B₂ B₃ C
//! ```
//!
//! Elimination of frame t: D = L Lᵀ, (E F B) ← (E F B) L⁻ᵀ, then
//!   D_{t+1} −= E Eᵀ   E_{t+1} −= F Eᵀ   B_{t+1} −= B Eᵀ   D_{t+2} −= F Fᵀ   B_{t+2} −= B Fᵀ   C −= B Bᵀ.
//! No fill leaves the panels, so that the factorisation works in place. A frame can be eliminated while later ones are still
//! being assembled, so that panels are used while they are in cache.

use super::kernel::{Columns, GRAIN, Size, subtract_product};
use crate::math::Real;

/// Band matrix, and after elimination its factor.
pub(crate) struct Band {
    /// Rows of a frame, a multiple of [`GRAIN`].
    width: usize,
    frames: usize,
    /// Rows of the border; 0 without a loop.
    border: usize,
    panels: Vec<Real>,
    corner: Vec<Real>,
}

/// Error of a factorisation: a pivot was not positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NotPositive {
    /// Index of the frame; the number of frames stands for the border.
    pub frame: usize,
}

impl Band {
    /// Allocates a matrix for `unknowns` in each frame. With `looped`, the last two frames are the border.
    pub fn new(unknowns: usize, frames: usize, looped: bool) -> Self {
        let width = unknowns.next_multiple_of(GRAIN);
        let border = if looped { 2 * width } else { 0 };
        let frames = if looped { frames - 2 } else { frames };
        let panels = vec![0.0; frames * width * (3 * width + border)];
        Self { width, frames, border, panels, corner: vec![0.0; border * border] }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    fn stride(&self) -> usize {
        3 * self.width + self.border
    }

    /// Number of frames that are not in the border.
    pub fn inner(&self) -> usize {
        self.frames
    }

    /// Sets the panel of a frame to zero.
    pub fn clear(&mut self, frame: usize) {
        let panel = self.width * self.stride();
        self.panels[frame * panel..(frame + 1) * panel].fill(0.0);
    }

    /// Sets the border's own block to zero.
    pub fn clear_border(&mut self) {
        self.corner.fill(0.0);
    }

    /// Returns the block of rows `row` and columns `column` (frames, row ≥ column in the order of elimination): slice, offset
    /// of its first entry, stride. In a loop, frames count round.
    pub fn block(&mut self, row: usize, column: usize) -> (&mut [Real], usize, usize) {
        let (width, stride) = (self.width, self.stride());
        let (row, column) = (row.max(column), row.min(column));
        if column >= self.frames {
            let offset = (column - self.frames) * width * self.border + (row - self.frames) * width;
            return (&mut self.corner, offset, self.border);
        }
        let down = if row >= self.frames { 3 + row - self.frames } else { row - column };
        (&mut self.panels, column * width * stride + down * width, stride)
    }

    /// Eliminates a frame in place, after all frames before it. Its panel must be complete.
    pub fn eliminate(&mut self, frame: usize) -> Result<(), NotPositive> {
        let (width, stride, border) = (self.width, self.stride(), self.border);
        let panel = width * stride;
        let (done, rest) = self.panels.split_at_mut((frame + 1) * panel);
        let own = &mut done[frame * panel..];
        eliminate(own, stride, width, stride).ok_or(NotPositive { frame })?;
        let from = |rows: usize| Columns { values: &own[rows * width..], stride };
        let size = |rows: usize, lower: bool| Size { rows, columns: width, depth: width, lower };
        if frame + 1 < self.frames {
            let next = &mut rest[..panel];
            subtract_product(next, stride, from(1), from(1), size(2 * width, true));
            subtract_product(&mut next[3 * width..], stride, from(3), from(1), size(border, false));
        }
        if frame + 2 < self.frames {
            let second = &mut rest[panel..2 * panel];
            subtract_product(second, stride, from(2), from(2), size(width, true));
            subtract_product(&mut second[3 * width..], stride, from(3), from(2), size(border, false));
        }
        if border > 0 {
            let size = Size { rows: border, columns: border, depth: width, lower: true };
            subtract_product(&mut self.corner, border, from(3), from(3), size);
        }
        Ok(())
    }

    /// Eliminates the border, after all frames.
    pub fn eliminate_border(&mut self) -> Result<(), NotPositive> {
        eliminate(&mut self.corner, self.border, self.border, self.border).ok_or(NotPositive { frame: self.frames })
    }

    /// Forward substitution of an eliminated frame, in place, on the right side of all frames (border last).
    pub fn forward(&self, frame: usize, x: &mut [Real]) {
        sinew_math::wide!(fn(band: &Band = self, frame: usize, x: &mut [Real]) { band.forward_here(frame, x) });
    }

    /// Compiled for the vector width of its caller, with the same bits. A closure would not be.
    #[inline(always)]
    fn forward_here(&self, frame: usize, x: &mut [Real]) {
        let (width, stride) = (self.width, self.stride());
        let own = &self.panels[frame * width * stride..(frame + 1) * width * stride];
        let (inner, outer) = x.split_at_mut(self.frames * width);
        let rest = &mut inner[frame * width..];
        let ahead = rest.len().min(3 * width);
        for column in 0..width {
            let entries = &own[column * stride..(column + 1) * stride];
            let value = rest[column] / entries[column];
            rest[column] = value;
            subtract(&mut rest[column + 1..ahead], &entries[column + 1..ahead], value);
            subtract(outer, &entries[3 * width..], value);
        }
    }

    /// Forward substitution of the border, after all frames.
    pub fn forward_border(&self, x: &mut [Real]) {
        let (width, border) = (self.width, self.border);
        let outer = &mut x[self.frames * width..];
        for column in 0..border {
            let entries = &self.corner[column * border..(column + 1) * border];
            let value = outer[column] / entries[column];
            outer[column] = value;
            subtract(&mut outer[column + 1..], &entries[column + 1..], value);
        }
    }

    /// Backward substitution, after [`Band::forward`] for all frames and the border: `x` becomes the solution.
    pub fn backward(&self, x: &mut [Real]) {
        sinew_math::wide!(fn(band: &Band = self, x: &mut [Real]) { band.backward_here(x) });
    }

    #[inline(always)]
    fn backward_here(&self, x: &mut [Real]) {
        let (width, stride, border) = (self.width, self.stride(), self.border);
        let panel = width * stride;
        let (inner, outer) = x.split_at_mut(self.frames * width);
        for column in (0..border).rev() {
            let entries = &self.corner[column * border..(column + 1) * border];
            outer[column] = (outer[column] - dot(&entries[column + 1..], &outer[column + 1..])) / entries[column];
        }
        for frame in (0..self.frames).rev() {
            let own = &self.panels[frame * panel..(frame + 1) * panel];
            let rest = &mut inner[frame * width..];
            let ahead = rest.len().min(3 * width);
            for column in (0..width).rev() {
                let entries = &own[column * stride..(column + 1) * stride];
                let known = dot(&entries[column + 1..ahead], &rest[column + 1..ahead]);
                let known = known + dot(&entries[3 * width..], outer);
                rest[column] = (rest[column] - known) / entries[column];
            }
        }
    }
}

/// Factors the first `width` rows of a tall panel and divides the rows below by it.
fn eliminate(panel: &mut [Real], stride: usize, width: usize, rows: usize) -> Option<()> {
    for column in (0..width).step_by(GRAIN) {
        let (left, right) = panel.split_at_mut(column * stride);
        let above = Columns { values: &left[column.min(left.len())..], stride };
        let size = Size { rows: rows - column, columns: GRAIN, depth: column, lower: false };
        subtract_product(&mut right[column..], stride, above, above, size);
        for j in 0..GRAIN {
            let (before, own) = right.split_at_mut(j * stride);
            let own = &mut own[column + j..rows];
            for earlier in before.chunks(stride) {
                let earlier = &earlier[column + j..rows];
                let factor = earlier[0];
                subtract(own, earlier, factor);
            }
            // Refuses NaN as well.
            if !(own[0] > 0.0 && own[0].is_finite()) {
                return None;
            }
            let scale = 1.0 / own[0].sqrt();
            own.iter_mut().for_each(|entry| *entry *= scale);
        }
    }
    Some(())
}

#[inline(always)]
fn subtract(to: &mut [Real], from: &[Real], factor: Real) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to -= from * factor);
}

/// Dot product in eight independent sums, so that additions need not wait for each other.
#[inline(always)]
fn dot(a: &[Real], b: &[Real]) -> Real {
    let count = a.len().min(b.len());
    let (a, b) = (&a[..count], &b[..count]);
    let mut sums = [0.0; 8];
    let (eights, others) = (a.chunks_exact(8).zip(b.chunks_exact(8)), count / 8 * 8);
    for (a, b) in eights {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: Real = a[others..].iter().zip(&b[others..]).map(|(a, b)| a * b).sum();
    (sums[0] + sums[4]) + (sums[1] + sums[5]) + (sums[2] + sums[6]) + (sums[3] + sums[7]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// A positive definite matrix with the couplings of the band, and the same numbers dense.
    fn random(unknowns: usize, frames: usize, looped: bool) -> (Band, DMatrix<Real>) {
        let mut band = Band::new(unknowns, frames, looped);
        let width = band.width();
        let mut dense = DMatrix::zeros(frames * width, frames * width);
        let mut state = 17_u64;
        let mut number = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as Real / (1_u64 << 31) as Real - 0.5
        };
        for column in 0..frames {
            for step in 0..3 {
                let row = column + step;
                if row >= frames && !looped {
                    continue;
                }
                let row = row % frames;
                for j in 0..width {
                    for i in 0..width {
                        let value = number() + if step == 0 && i == j { 8.0 * width as Real } else { 0.0 };
                        let (at, to) = (row * width + i, column * width + j);
                        dense[(at, to)] += value;
                        if step > 0 {
                            dense[(to, at)] += value;
                        }
                    }
                }
            }
        }
        dense = 0.5 * (&dense + dense.transpose());
        for column in 0..frames {
            for row in column..frames {
                let near = row - column <= 2 || (looped && row + 2 >= frames);
                if !near {
                    continue;
                }
                let (values, offset, stride) = band.block(row, column);
                for j in 0..width {
                    for i in 0..width {
                        values[offset + j * stride + i] = dense[(row * width + i, column * width + j)];
                    }
                }
            }
        }
        (band, dense)
    }

    #[test]
    fn a_band_is_solved_like_the_dense_matrix() {
        for (unknowns, frames, looped) in [(7, 1, false), (5, 2, false), (9, 9, false), (6, 8, true), (21, 5, true)] {
            let (mut band, dense) = random(unknowns, frames, looped);
            let right = DVector::from_fn(dense.nrows(), |i, _| (i as Real * 0.7).sin());
            let expected = dense.lu().solve(&right).unwrap();
            let mut x = right.as_slice().to_vec();
            for frame in 0..band.inner() {
                band.eliminate(frame).unwrap();
                band.forward(frame, &mut x);
            }
            band.eliminate_border().unwrap();
            band.forward_border(&mut x);
            band.backward(&mut x);
            let worst = x.iter().zip(expected.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max);
            assert!(worst < 1e-12, "{unknowns} × {frames}, loop {looped}: off by {worst}");
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_is_told_with_its_frame() {
        let (mut band, _) = random(4, 6, false);
        let (values, offset, stride) = band.block(3, 3);
        values[offset + 2 * stride + 2] = -5.0;
        assert!((0..3).all(|frame| band.eliminate(frame).is_ok()));
        assert_eq!(band.eliminate(3), Err(NotPositive { frame: 3 }));
    }
}

//! Pseudo-inverse A⁺ of a positive semi-definite matrix, from a Cholesky factorisation that finds the rank.
//!
//! ```text
//!   D A D = Pᵀ ⎡L₁₁   ⎤ ⎡L₁₁ᵀ  L₂₁ᵀ⎤ P          D = diag(A)^(−1/2),  L₁₁ of order r = rank
//!              ⎣L₂₁  0⎦ ⎣  0     0  ⎦
//!   null space:  D Pᵀ [−L₁₁⁻ᵀ L₂₁ᵀ; 1],  orthonormalised to N
//!   A⁺ x = (1 − N Nᵀ) D Pᵀ [L₁₁⁻ᵀ L₁₁⁻¹ (P D (1 − N Nᵀ) x)₁; 0]
//! ```
//!
//! The Cholesky factorisation takes the largest remaining diagonal entry first and stops when it is rounding, which
//! finds the rank. D makes that decision independent of units and masses. The first projection drops the part of x
//! that no λ can reach (least squares), the second the part of λ without effect (minimum norm), so the product is the
//! Moore–Penrose inverse. Nothing allocates once the buffers have grown.
//!
//! A singular value decomposition would be an order of magnitude slower, and nalgebra's can lose ten digits on
//! rank-deficient matrices (on one of the problems of the tests here, U Σ Vᵀ missed A by 7e-3).

use crate::math::{Buffer, Real};

/// Relative size of a pivot that counts as zero.
const RANK_TOLERANCE: Real = 1e-12;

/// Factorisation with its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct PseudoInverse {
    order: usize,
    rank: usize,
    /// Row of A at each place of the factorisation.
    place: Vec<usize>,
    /// Diagonal of D.
    scaling: Vec<Real>,
    /// L, row major, `order` apart; above the diagonal it is meaningless.
    lower: Vec<Real>,
    /// Null space N: orthonormal vectors of length `order`, one after the other.
    null: Vec<Real>,
    column: Vec<Real>,
    permuted: Vec<Real>,
}

/// Computes a·b in four parallel sums, since in one sum each term would wait for the one before.
#[inline(always)]
fn dot(a: &[Real], b: &[Real]) -> Real {
    let ((fours_a, rest_a), (fours_b, rest_b)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sum = [0.0; 4];
    for (x, y) in fours_a.iter().zip(fours_b) {
        for k in 0..4 {
            sum[k] += x[k] * y[k];
        }
    }
    let rest: Real = rest_a.iter().zip(rest_b).map(|(x, y)| x * y).sum();
    (sum[0] + sum[2]) + (sum[1] + sum[3]) + rest
}

impl PseudoInverse {
    /// Factors the rows and columns `chosen` of a matrix of order `n`, row major.
    pub(crate) fn factor(&mut self, matrix: &[Real], n: usize, chosen: &[usize]) {
        self.factor_against(matrix, n, chosen, |i| matrix[i * n + i]);
    }

    /// Factors a matrix that is the result of an elimination; `size` gives the diagonal entries before it. They
    /// identify a zero diagonal that is all cancellation.
    pub(crate) fn factor_against(&mut self, matrix: &[Real], n: usize, chosen: &[usize], size: impl Fn(usize) -> Real) {
        let order = chosen.len();
        self.order = order;
        self.place.assign(0..order);
        self.scaling.assign(chosen.iter().map(|&i| {
            let diagonal = size(i);
            if diagonal > 0.0 { diagonal.sqrt().recip() } else { 1.0 }
        }));
        self.lower.reset(order * order, 0.0);
        for (i, &row) in chosen.iter().enumerate() {
            for (j, &column) in chosen[..=i].iter().enumerate() {
                self.lower[i * order + j] = self.scaling[i] * self.scaling[j] * matrix[row * n + column];
            }
        }
        self.rank = order;
        for k in 0..order {
            let mut pivot = k;
            for i in k + 1..order {
                if self.lower[i * order + i] > self.lower[pivot * order + pivot] {
                    pivot = i;
                }
            }
            let largest = self.lower[pivot * order + pivot];
            if largest.is_nan() || largest <= RANK_TOLERANCE {
                self.rank = k;
                break;
            }
            self.exchange(k, pivot);
            self.eliminate(k);
        }
        self.find_null_space();
    }

    /// Swaps rows and columns k ≤ p of the lower triangle.
    fn exchange(&mut self, k: usize, p: usize) {
        if k == p {
            return;
        }
        let n = self.order;
        self.place.swap(k, p);
        for j in 0..k {
            self.lower.swap(k * n + j, p * n + j);
        }
        self.lower.swap(k * n + k, p * n + p);
        for j in k + 1..p {
            self.lower.swap(j * n + k, p * n + j);
        }
        for i in p + 1..n {
            self.lower.swap(i * n + k, i * n + p);
        }
    }

    fn eliminate(&mut self, k: usize) {
        let n = self.order;
        let root = self.lower[k * n + k].sqrt();
        self.lower[k * n + k] = root;
        self.column.clear();
        for i in k + 1..n {
            let entry = self.lower[i * n + k] / root;
            self.lower[i * n + k] = entry;
            self.column.push(entry);
            if entry != 0.0 {
                let row = &mut self.lower[i * n + k + 1..i * n + i + 1];
                for (a, l) in row.iter_mut().zip(&self.column) {
                    *a -= entry * l;
                }
            }
        }
    }

    fn find_null_space(&mut self) {
        let (n, r) = (self.order, self.rank);
        self.null.clear();
        for t in r..n {
            self.permuted.assign(self.lower[t * n..t * n + r].iter().copied());
            let mut x = std::mem::take(&mut self.permuted);
            self.solve_upper(&mut x);
            let first = self.null.len();
            self.null.resize(first + n, 0.0);
            let (known, fresh) = self.null.split_at_mut(first);
            for (k, x) in x.iter().enumerate() {
                let i = self.place[k];
                fresh[i] = -self.scaling[i] * x;
            }
            let i = self.place[t];
            fresh[i] = self.scaling[i];
            self.permuted = x;
            // Twice is enough (Kahan and Parlett).
            for _ in 0..2 {
                for earlier in known.chunks_exact(n) {
                    let along = dot(earlier, fresh);
                    fresh.iter_mut().zip(earlier).for_each(|(f, e)| *f -= along * e);
                }
                let length = dot(fresh, fresh).sqrt();
                fresh.iter_mut().for_each(|f| *f /= length);
            }
        }
    }

    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// Lists the orthonormal vectors that A maps to zero.
    pub(crate) fn null_vectors(&self) -> impl Iterator<Item = &[Real]> {
        self.null.chunks_exact(self.order.max(1))
    }

    /// Computes x ← (1 − N Nᵀ) x.
    fn project(&self, x: &mut [Real]) {
        for null in self.null_vectors() {
            let along = dot(null, x);
            x.iter_mut().zip(null).for_each(|(x, n)| *x -= along * n);
        }
    }

    /// Computes x ← A⁺ x.
    pub(crate) fn solve(&mut self, x: &mut [Real]) {
        self.project(x);
        let mut half = std::mem::take(&mut self.permuted);
        self.half_solve(x, &mut half);
        self.solve_upper(&mut half);
        x.fill(0.0);
        for (value, &i) in half.iter().zip(&self.place) {
            x[i] = self.scaling[i] * value;
        }
        self.permuted = half;
        self.project(x);
    }

    /// Computes y = L₁₁⁻¹ (P D x)₁, of length rank: xᵀ A⁺ z = y(x)·y(z) for x and z in the range of A.
    pub(crate) fn half_solve(&self, x: &[Real], y: &mut Vec<Real>) {
        y.clear();
        for (k, &i) in self.place[..self.rank].iter().enumerate() {
            let row = &self.lower[k * self.order..k * self.order + k];
            let value = (self.scaling[i] * x[i] - dot(row, y)) / self.lower[k * self.order + k];
            y.push(value);
        }
    }

    /// Computes x ← L₁₁⁻ᵀ x.
    fn solve_upper(&self, x: &mut [Real]) {
        for k in (0..self.rank).rev() {
            let (rest, solved) = x.split_at_mut(k);
            solved[0] /= self.lower[k * self.order + k];
            let row = &self.lower[k * self.order..k * self.order + k];
            rest.iter_mut().zip(row).for_each(|(x, l)| *x -= solved[0] * l);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::random::Random;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn agrees_with_the_eigenvalue_decomposition() {
        let mut inverse = PseudoInverse::default();
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let n = 1 + random.below(25);
            let r = 1 + random.below(n);
            // Rows in units that differ by a factor of a hundred.
            let units: Vec<Real> = (0..n).map(|_| (10.0 as Real).powf(random.signed())).collect();
            let g = DMatrix::from_fn(n, r, |i, _| units[i] * random.signed());
            let a = &g * g.transpose();
            let b = DVector::from_fn(n, |_, _| random.signed());
            let eigen = a.clone().symmetric_eigen();
            let largest = eigen.eigenvalues.amax();
            if eigen.eigenvalues.iter().any(|e| (1e-14..1e-8).contains(&(e.abs() / largest))) {
                continue; // the rank is a matter of taste
            }
            let rank = eigen.eigenvalues.iter().filter(|&&e| e > 1e-11 * largest).count();
            let inverted = eigen.eigenvalues.map(|e| if e > 1e-11 * largest { 1.0 / e } else { 0.0 });
            let turned = eigen.eigenvectors.transpose() * &b;
            let expected = &eigen.eigenvectors * turned.component_mul(&inverted);
            let all: Vec<usize> = (0..n).collect();
            inverse.factor(a.as_slice(), n, &all);
            assert_eq!(inverse.rank(), rank, "seed {seed}");
            let mut x = b.as_slice().to_vec();
            inverse.solve(&mut x);
            let x = DVector::from_vec(x);
            let off = (&x - &expected).amax() / expected.amax().max(1.0);
            assert!(off <= 1e-6, "seed {seed}: {off:e}");
            // Exactly the conditions of the minimum-norm least-squares solution.
            let left = &b - &a * &x;
            assert!((&a * &left).amax() <= 1e-7 * a.amax(), "seed {seed}: {left}");
        }
    }

    #[test]
    fn rows_without_anything_are_null_directions() {
        let mut inverse = PseudoInverse::default();
        inverse.factor(&[4.0, 0.0, 0.0, 0.0], 2, &[0, 1]);
        let mut x = [2.0, 5.0];
        inverse.solve(&mut x);
        assert_eq!((inverse.rank(), x), (1, [0.5, 0.0]));
    }
}

//! Factorisation A = L D Lᵀ that grows and shrinks by one row and column at a time.
//!
//! L is unit lower triangular, D diagonal. Row i of L is stored without its diagonal at `i(i−1)/2`, one row after
//! the other, so that appending writes only at the end and every inner loop runs over contiguous memory.
//!
//! ```text
//!   append:  y = L⁻¹ a,  ℓ = D⁻¹ y,  d = α − ℓ·y                    (a, α: the new column and its diagonal)
//!   delete:  row and column r go, and the trailing block becomes
//!            L₃₃ D₃ L₃₃ᵀ + d_r ℓ_r ℓ_rᵀ                             (a positive rank-one update)
//! ```
//!
//! The update is method C1 of Gill, Golub, Murray and Saunders, "Methods for modifying matrix factorizations" (1974),
//! run row by row. Because it adds a positive term it never loses definiteness. Nothing allocates once the buffers
//! have grown to the largest order seen.

use crate::math::Real;

/// Factors of a symmetric positive definite matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ldlt {
    /// Strict lower triangle of L, row after row.
    lower: Vec<Real>,
    diagonal: Vec<Real>,
    /// Buffer of the rank-one update: two numbers per column.
    scratch: Vec<(Real, Real)>,
    carried: Vec<Real>,
}

/// Returns the start of row i of a packed strict lower triangle.
#[inline]
fn start(i: usize) -> usize {
    i * i.saturating_sub(1) / 2
}

#[inline]
fn dot(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl Ldlt {
    pub(crate) fn clear(&mut self) {
        self.lower.clear();
        self.diagonal.clear();
    }

    pub(crate) fn order(&self) -> usize {
        self.diagonal.len()
    }

    fn row(&self, i: usize) -> &[Real] {
        &self.lower[start(i)..start(i) + i]
    }

    /// Returns the pivot that [`append`](Self::append) would add, without adding it. `column` holds the new column of A
    /// on entry and the solution `x` of `A x = column` on exit; the pivot is the Schur complement `α − column·x`.
    pub(crate) fn probe(&self, column: &mut [Real], diagonal: Real) -> Real {
        self.solve_lower(column);
        let mut pivot = diagonal;
        for (x, d) in column.iter_mut().zip(&self.diagonal) {
            let y = *x;
            *x = y / d;
            pivot -= y * *x;
        }
        self.solve_upper(column);
        pivot
    }

    /// Adds a last row and column: `column` against the rows present, `diagonal` on the diagonal.
    ///
    /// Returns the new pivot; a pivot that is not greater than `least` is refused, the factors stay as they were and
    /// `None` is returned.
    pub(crate) fn append(&mut self, column: &[Real], diagonal: Real, least: Real) -> Option<Real> {
        let n = self.order();
        debug_assert_eq!(column.len(), n);
        let first = self.lower.len();
        self.lower.extend_from_slice(column);
        let (old, new) = self.lower.split_at_mut(first);
        let mut pivot = diagonal;
        for i in 0..n {
            let (solved, rest) = new.split_at_mut(i);
            rest[0] -= dot(&old[start(i)..start(i) + i], solved);
        }
        for (x, d) in new.iter_mut().zip(&self.diagonal) {
            let y = *x;
            *x = y / d;
            pivot -= y * *x;
        }
        if pivot > least {
            self.diagonal.push(pivot);
            Some(pivot)
        } else {
            self.lower.truncate(first);
            None
        }
    }

    /// Removes row and column `r`.
    pub(crate) fn delete(&mut self, r: usize) {
        let n = self.order();
        let Ldlt { lower, diagonal, scratch, carried } = self;
        let weight = diagonal.remove(r);
        carried.clear();
        scratch.clear();

        // Close the gap: each row below r loses its entry r, which is kept as the vector of the update.
        let mut write = start(r);
        for i in r + 1..n {
            let read = start(i);
            carried.push(lower[read + r]);
            lower.copy_within(read..read + r, write);
            lower.copy_within(read + r + 1..read + i, write + r);
            write += i - 1;
        }
        lower.truncate(write);

        let mut weight = weight;
        for (k, i) in (r..n - 1).enumerate() {
            let mut z = carried[k];
            let row = &mut lower[start(i) + r..start(i) + i];
            for (entry, &(p, beta)) in row.iter_mut().zip(scratch.iter()) {
                z -= p * *entry;
                *entry += beta * z;
            }
            let grown = diagonal[i] + weight * z * z;
            scratch.push((z, weight * z / grown));
            weight *= diagonal[i] / grown;
            diagonal[i] = grown;
        }
    }

    /// Computes x ← A⁻¹ x.
    pub(crate) fn solve(&self, x: &mut [Real]) {
        self.solve_lower(x);
        for (x, d) in x.iter_mut().zip(&self.diagonal) {
            *x /= d;
        }
        self.solve_upper(x);
    }

    /// Computes x ← L⁻¹ x.
    fn solve_lower(&self, x: &mut [Real]) {
        debug_assert_eq!(x.len(), self.order());
        for i in 1..x.len() {
            let (solved, rest) = x.split_at_mut(i);
            rest[0] -= dot(self.row(i), solved);
        }
    }

    /// Computes x ← L⁻ᵀ x.
    fn solve_upper(&self, x: &mut [Real]) {
        for i in (1..x.len()).rev() {
            let (rest, solved) = x.split_at_mut(i);
            let value = solved[0];
            for (x, l) in rest.iter_mut().zip(self.row(i)) {
                *x -= l * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::random::Random;

    /// Makes A = G Gᵀ + I, row major.
    fn definite(random: &mut Random, n: usize) -> Vec<Real> {
        let g: Vec<Real> = (0..n * n).map(|_| random.signed()).collect();
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] = dot(&g[i * n..(i + 1) * n], &g[j * n..(j + 1) * n]) + Real::from(u8::from(i == j));
            }
        }
        a
    }

    fn factor(a: &[Real], n: usize, kept: &[usize]) -> Ldlt {
        let mut ldlt = Ldlt::default();
        for (k, &i) in kept.iter().enumerate() {
            let column: Vec<Real> = kept[..k].iter().map(|&j| a[i * n + j]).collect();
            ldlt.append(&column, a[i * n + i], 0.0).expect("the matrix is positive definite");
        }
        ldlt
    }

    #[test]
    fn appended_and_deleted_factors_equal_fresh_ones() {
        let mut random = Random::new(1);
        let mut worst: Real = 0.0;
        for round in 0..60 {
            let n = 1 + round % 40;
            let a = definite(&mut random, n);
            let mut kept: Vec<usize> = (0..n).collect();
            let mut ldlt = factor(&a, n, &kept);
            for _ in 0..3 * n {
                if kept.is_empty() || (kept.len() < n && random.chance(0.5)) {
                    let absent: Vec<usize> = (0..n).filter(|i| !kept.contains(i)).collect();
                    let i = absent[random.below(absent.len())];
                    let column: Vec<Real> = kept.iter().map(|&j| a[i * n + j]).collect();
                    ldlt.append(&column, a[i * n + i], 0.0).expect("the matrix is positive definite");
                    kept.push(i);
                } else {
                    let r = random.below(kept.len());
                    ldlt.delete(r);
                    kept.remove(r);
                }
                let fresh = factor(&a, n, &kept);
                assert_eq!(ldlt.lower.len(), fresh.lower.len());
                for (x, y) in ldlt.lower.iter().zip(&fresh.lower).chain(ldlt.diagonal.iter().zip(&fresh.diagonal)) {
                    worst = worst.max((x - y).abs());
                }
            }
        }
        assert!(worst <= 1e-9, "worst difference {worst:e}");
    }

    #[test]
    fn solving_inverts_the_matrix_and_the_probe_predicts_the_pivot() {
        let mut random = Random::new(2);
        for n in 1..30 {
            let a = definite(&mut random, n);
            let all: Vec<usize> = (0..n - 1).collect();
            let mut ldlt = factor(&a, n, &all);
            let column: Vec<Real> = (0..n - 1).map(|j| a[(n - 1) * n + j]).collect();
            let mut x = column.clone();
            let foretold = ldlt.probe(&mut x, a[n * n - 1]);
            for i in 0..n - 1 {
                let back: Real = (0..n - 1).map(|j| a[i * n + j] * x[j]).sum();
                assert!((back - column[i]).abs() <= 1e-10);
            }
            let mut y = column.clone();
            ldlt.solve(&mut y);
            assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() <= 1e-12));
            let pivot = ldlt.append(&column, a[n * n - 1], 0.0).expect("the matrix is positive definite");
            assert!((pivot - foretold).abs() <= 1e-12 * pivot.abs());
        }
    }

    #[test]
    fn a_dependent_row_is_refused_and_leaves_the_factors_alone() {
        let mut ldlt = Ldlt::default();
        assert!(ldlt.append(&[], 2.0, 1e-12).is_some());
        assert!(ldlt.append(&[2.0], 2.0, 1e-12).is_none());
        assert_eq!(ldlt.order(), 1);
        let mut x = [4.0];
        ldlt.solve(&mut x);
        assert_eq!(x, [2.0]);
    }
}

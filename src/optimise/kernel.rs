//! Dense product C −= A Bᵀ, in which the factorisation spends its time.
//!
//! All matrices are stored by columns. C is cut into tiles that stay in registers while the common dimension runs:
//! every entry is a chain of fused multiply–adds in the same order, whatever the tile, so that each machine gives the
//! same bits. (`mul_add` rounds once everywhere; where a machine has no instruction for it, it is slow, not different.)

#![allow(unsafe_code)]

use crate::math::Real;

/// Matrix stored by columns within a longer slice.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub values: &'a [Real],
    /// Distance from one column to the next.
    pub stride: usize,
}

/// Sizes of a product: C has `rows` × `columns` entries, each a sum of `depth` products.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub rows: usize,
    pub columns: usize,
    pub depth: usize,
    /// Skips entries of C above its diagonal.
    pub lower: bool,
}

/// Granularity of the rows and columns of every matrix.
pub(crate) const GRAIN: usize = 4;

/// Computes C −= A Bᵀ.
pub(crate) fn subtract_product(c: &mut [Real], stride: usize, a: Columns, b: Columns, size: Size) {
    // A tile is written as a whole: a size between two tiles would be written beyond its end.
    assert!(size.rows.is_multiple_of(GRAIN) && size.columns.is_multiple_of(GRAIN));
    if size.rows == 0 || size.columns == 0 || size.depth == 0 {
        return;
    }
    // All entries are in range, so that the loops below need no checks.
    assert!(c.len() >= (size.columns - 1) * stride + size.rows);
    assert!(a.values.len() >= (size.depth - 1) * a.stride + size.rows);
    assert!(b.values.len() >= (size.depth - 1) * b.stride + size.columns);
    #[cfg(target_arch = "x86_64")]
    if sinew_math::has_wide_vectors() {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the machine has what the function was compiled for, and the sizes were checked.
            return unsafe { with_avx512(c, stride, a, b, size) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: as above.
            return unsafe { with_avx2(c, stride, a, b, size) };
        }
    }
    // SAFETY: the sizes were checked.
    unsafe { tiles::<8>(c, stride, a, b, size) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,fma")]
unsafe fn with_avx512(c: &mut [Real], stride: usize, a: Columns, b: Columns, size: Size) {
    // SAFETY: passed on.
    unsafe { tiles::<16>(c, stride, a, b, size) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn with_avx2(c: &mut [Real], stride: usize, a: Columns, b: Columns, size: Size) {
    // SAFETY: passed on.
    unsafe { tiles::<8>(c, stride, a, b, size) }
}

/// # Safety
/// The slices hold all entries that `size` and the strides speak of.
#[inline(always)]
unsafe fn tiles<const TALL: usize>(c: &mut [Real], stride: usize, a: Columns, b: Columns, size: Size) {
    for column in (0..size.columns).step_by(GRAIN) {
        let mut row = if size.lower { column } else { 0 };
        while row + TALL <= size.rows {
            // SAFETY: the tile lies within the sizes.
            unsafe { tile::<TALL>(c, stride, a, b, (row, column, size.depth)) };
            row += TALL;
        }
        while row + 8 <= size.rows {
            // SAFETY: as above.
            unsafe { tile::<8>(c, stride, a, b, (row, column, size.depth)) };
            row += 8;
        }
        if row < size.rows {
            // SAFETY: as above.
            unsafe { tile::<GRAIN>(c, stride, a, b, (row, column, size.depth)) };
        }
    }
}

/// # Safety
/// The tile lies within all three matrices.
#[inline(always)]
unsafe fn tile<const TALL: usize>(
    c: &mut [Real],
    stride: usize,
    a: Columns,
    b: Columns,
    (row, column, depth): (usize, usize, usize),
) {
    let mut sum = [[0.0; TALL]; GRAIN];
    for k in 0..depth {
        // SAFETY: rows and columns of the tile are within the matrices.
        let (left, right) = unsafe {
            let left = a.values.as_ptr().add(k * a.stride + row).cast::<[Real; TALL]>();
            let right = b.values.as_ptr().add(k * b.stride + column).cast::<[Real; GRAIN]>();
            (&*left, &*right)
        };
        for (sum, &factor) in sum.iter_mut().zip(right) {
            for (sum, &value) in sum.iter_mut().zip(left) {
                *sum = value.mul_add(factor, *sum);
            }
        }
    }
    for (j, sum) in sum.iter().enumerate() {
        // SAFETY: as above.
        let entries = unsafe { &mut *c.as_mut_ptr().add((column + j) * stride + row).cast::<[Real; TALL]>() };
        for (entry, sum) in entries.iter_mut().zip(sum) {
            *entry -= sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern.
    fn numbers(count: usize) -> Vec<Real> {
        (0..count).map(|k| ((k * 7919 + 13) % 1009) as Real / 1009.0 - 0.5).collect()
    }

    #[test]
    fn tiles_of_any_height_give_the_same_product() {
        for (rows, columns, depth) in [(4, 4, 1), (12, 8, 6), (44, 20, 17), (28, 28, 28)] {
            let (a, b, c) = (numbers(rows * depth + 3), numbers(columns * depth), numbers(rows * columns));
            let size = Size { rows, columns, depth, lower: false };
            let (a, b) = (Columns { values: &a, stride: rows }, Columns { values: &b, stride: columns });
            let mut expected = c.clone();
            for j in 0..columns {
                for i in 0..rows {
                    let product = |k: usize| a.values[k * rows + i] * b.values[k * columns + j];
                    expected[j * rows + i] -= (0..depth).map(product).sum::<Real>();
                }
            }
            let mut fast = c.clone();
            subtract_product(&mut fast, rows, a, b, size);
            let mut plain = c.clone();
            // SAFETY: the sizes are those of the matrices.
            unsafe { tiles::<8>(&mut plain, rows, a, b, size) };
            assert_eq!(fast, plain, "other tiles, other bits");
            assert!(fast.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-13));
        }
    }
}

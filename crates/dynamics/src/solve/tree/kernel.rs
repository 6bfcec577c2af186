//! Numeric kernel of the tree solver: one body and its joint to the parent.
//!
//! ```text
//!            parent p
//!               │ J_p            rows of the joint:  J_c v_c + J_p v_p + S λ = k
//!             [joint]
//!               │ J_c
//!            child c             articulated inertia Â: its own mass matrix and that of its subtree
//! ```
//!
//! Eliminating first the child, then the joint's rows, leaves the parent heavier:
//!
//! ```text
//!   Â = L D Lᵀ                    W = J_c Â⁻¹ J_cᵀ + S = Yᵀ D⁻¹ Y + S = G E Gᵀ,   Y = L⁻¹ J_cᵀ
//!   Z = G⁻¹ J_p                   Â_p += Zᵀ E⁻¹ Z
//! up:    u = L⁻¹ p_c              e = G⁻¹ (k − Yᵀ D⁻¹ u)                          p_p += Zᵀ E⁻¹ e
//! down:  λ = G⁻ᵀ E⁻¹ (e − Z v_p)  v_c = L⁻ᵀ D⁻¹ (u + Y λ)
//! ```
//!
//! (square-root free, because the latency of square roots and divisions dominates a small factorisation). Since p·M̂⁻¹q
//! = Σ (u_p·D⁻¹u_q − e_p·E⁻¹e_q) over the nodes on the way to the root, the response of two auxiliary rows to each
//! other needs the upward pass alone.
//!
//! All loops run over fixed-size rows, which the compiler turns into vector code. `M` is the number of rows.

#![expect(clippy::needless_range_loop, reason = "indices say which block entry meets which; iterators would hide it")]

use super::spatial::{Spatial, Symmetric};
use crate::math::{Mat3, Real};

/// Spatial vector, or a row of a block.
pub(crate) type Six = [Real; 6];
/// Lanes numbers, the width of a vector register: of one row at a node, or one of four rows each.
pub(crate) type Lanes = [Real; 4];
/// Block of 6×6 numbers by rows (symmetric blocks) or columns (triangular ones).
pub(crate) type Block6 = [Six; 6];

pub(crate) const ZERO: Block6 = [[0.0; 6]; 6];

/// Share of its diagonal below which a pivot means that the row repeats others.
const DEPENDENT: Real = 1e-11;

/// Factors of one node.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    /// Factor L by columns, unit diagonal: `l[i][k]` for k > i.
    l: Block6,
    /// Inverse of D.
    pub d_inverse: Six,
    /// Matrix Y, `y[k][r]`: component k, row r.
    y: Block6,
    /// Factor G by columns, unit diagonal.
    g: Block6,
    /// Inverse of E.
    pub e_inverse: Six,
    /// Matrix Z by rows: `z[r]`.
    z: Block6,
}

impl Factor {
    pub const EMPTY: Factor = Factor { l: ZERO, d_inverse: [0.0; 6], y: ZERO, g: ZERO, e_inverse: [0.0; 6], z: ZERO };
}

/// Returns a spatial inertia as one block.
#[inline(always)]
pub(crate) fn block_of(inertia: &Spatial) -> Block6 {
    let (a, b, c) = (inertia.a.full(), &inertia.b, inertia.c.full());
    std::array::from_fn(|k| {
        std::array::from_fn(|i| match (k < 3, i < 3) {
            (true, true) => a[(k, i)],
            (true, false) => b[(k, i - 3)],
            (false, true) => b[(i, k - 3)],
            (false, false) => c[(k - 3, i - 3)],
        })
    })
}

/// Returns a symmetric block as a spatial inertia.
#[inline(always)]
pub(crate) fn inertia_of(block: &Block6) -> Spatial {
    let part = |row: usize, column: usize| Mat3::from_fn(|i, j| block[row + i][column + j]);
    Spatial { a: Symmetric::of(&part(0, 0)), b: part(0, 3), c: Symmetric::of(&part(3, 3)) }
}

/// Factors a = L D Lᵀ, destroying `a`.
#[inline(always)]
pub(crate) fn factor_body(f: &mut Factor, a: &mut Block6) {
    for i in 0..6 {
        let inverse = 1.0 / a[i][i];
        let row = a[i];
        let column: Six = std::array::from_fn(|k| row[k] * inverse);
        f.l[i] = column;
        f.d_inverse[i] = inverse;
        for k in i + 1..6 {
            let c = column[k];
            for (x, y) in a[k].iter_mut().zip(&row) {
                *x -= c * y;
            }
        }
    }
}

/// Eliminates the joint's rows: `jc[k][r]` is component k of row r on the child, `jp[r]` row r on the parent.
/// `Err(r)`: row r depends on the rows before it.
#[inline(always)]
pub(crate) fn factor_joint<const M: usize>(
    f: &mut Factor,
    jc: &Block6,
    jp: Option<&Block6>,
    softness: &Six,
) -> Result<(), usize> {
    let mut y = [[0.0; M]; 6];
    let mut w = [[0.0; M]; M];
    for k in 0..6 {
        let mut row: [Real; M] = std::array::from_fn(|r| jc[k][r]);
        for i in 0..k {
            let c = f.l[i][k];
            for r in 0..M {
                row[r] -= c * y[i][r];
            }
        }
        y[k] = row;
        f.y[k][..M].copy_from_slice(&row);
        for r in 0..M {
            let c = row[r] * f.d_inverse[k];
            for s in 0..M {
                w[r][s] += c * row[s];
            }
        }
    }
    for r in 0..M {
        w[r][r] += softness[r];
    }
    let diagonal: [Real; M] = std::array::from_fn(|r| w[r][r]);
    for i in 0..M {
        if w[i][i] <= DEPENDENT * diagonal[i] {
            return Err(i);
        }
        let inverse = 1.0 / w[i][i];
        let row = w[i];
        let column: [Real; M] = std::array::from_fn(|r| row[r] * inverse);
        f.g[i][..M].copy_from_slice(&column);
        f.e_inverse[i] = inverse;
        for k in i + 1..M {
            let c = column[k];
            for r in 0..M {
                w[k][r] -= c * row[r];
            }
        }
    }
    if let Some(jp) = jp {
        for r in 0..M {
            let mut row = jp[r];
            for s in 0..r {
                let c = f.g[s][r];
                for k in 0..6 {
                    row[k] -= c * f.z[s][k];
                }
            }
            f.z[r] = row;
        }
    }
    Ok(())
}

/// Adds Zᵀ E⁻¹ Z to Â_p.
#[inline(always)]
pub(crate) fn load_parent<const M: usize>(f: &Factor, parent: &mut Block6) {
    for r in 0..M {
        let z = &f.z[r];
        for k in 0..6 {
            let c = z[k] * f.e_inverse[r];
            for i in 0..6 {
                parent[k][i] += c * z[i];
            }
        }
    }
}

/// Computes u = L⁻¹ p, in place.
#[inline(always)]
pub(crate) fn up_body(f: &Factor, p: &mut Six) {
    for i in 0..6 {
        let u = p[i];
        for k in i + 1..6 {
            p[k] -= f.l[i][k] * u;
        }
    }
}

/// Computes u = L⁻¹ p for four rows side by side.
#[inline(always)]
pub(crate) fn up_body_lanes(f: &Factor, p: &mut [Lanes; 6]) {
    for i in 0..6 {
        let u = p[i];
        for k in i + 1..6 {
            let l = f.l[i][k];
            for (x, u) in p[k].iter_mut().zip(&u) {
                *x -= l * u;
            }
        }
    }
}

/// Computes e = G⁻¹ (k − Yᵀ D⁻¹ u), in place of k.
#[inline(always)]
pub(crate) fn up_joint<const M: usize>(f: &Factor, u: &Six, k: &mut Six) {
    let mut e: [Real; M] = std::array::from_fn(|r| k[r]);
    for i in 0..6 {
        let c = u[i] * f.d_inverse[i];
        for r in 0..M {
            e[r] -= f.y[i][r] * c;
        }
    }
    for i in 0..M {
        let value = e[i];
        for r in i + 1..M {
            e[r] -= f.g[i][r] * value;
        }
    }
    k[..M].copy_from_slice(&e);
}

/// Computes e = −G⁻¹ Yᵀ D⁻¹ u for four rows side by side with k = 0.
#[inline(always)]
pub(crate) fn up_joint_lanes<const M: usize>(f: &Factor, u: &[Lanes; 6], e: &mut [Lanes; 6]) {
    for i in 0..6 {
        let c = u[i].map(|u| u * f.d_inverse[i]);
        for r in 0..M {
            for k in 0..4 {
                e[r][k] -= f.y[i][r] * c[k];
            }
        }
    }
    for i in 0..M {
        let value = e[i];
        for r in i + 1..M {
            for k in 0..4 {
                e[r][k] -= f.g[i][r] * value[k];
            }
        }
    }
}

/// Adds Zᵀ E⁻¹ e to p_p for four rows side by side.
#[inline(always)]
pub(crate) fn load_parent_momentum_lanes<const M: usize>(f: &Factor, e: &[Lanes; 6], parent: &mut [Lanes; 6]) {
    for r in 0..M {
        let c = e[r].map(|e| e * f.e_inverse[r]);
        for i in 0..6 {
            for k in 0..4 {
                parent[i][k] += f.z[r][i] * c[k];
            }
        }
    }
}

/// Adds Zᵀ E⁻¹ e to p_p.
#[inline(always)]
pub(crate) fn load_parent_momentum<const M: usize>(f: &Factor, e: &Six, parent: &mut Six) {
    for r in 0..M {
        let c = e[r] * f.e_inverse[r];
        for k in 0..6 {
            parent[k] += f.z[r][k] * c;
        }
    }
}

/// Computes λ = G⁻ᵀ E⁻¹ (e − Z v_p), in place of e.
#[inline(always)]
pub(crate) fn down_joint<const M: usize>(f: &Factor, parent: Option<&Six>, e: &mut Six) {
    if let Some(v) = parent {
        for r in 0..M {
            let mut dot = 0.0;
            for k in 0..6 {
                dot += f.z[r][k] * v[k];
            }
            e[r] -= dot;
        }
    }
    for s in (0..M).rev() {
        let mut value = e[s] * f.e_inverse[s];
        for r in s + 1..M {
            value -= f.g[s][r] * e[r];
        }
        e[s] = value;
    }
}

/// Computes v_c = L⁻ᵀ D⁻¹ (u + Y λ), in place of u.
#[inline(always)]
pub(crate) fn down_body<const M: usize>(f: &Factor, lambda: &Six, u: &mut Six) {
    for k in 0..6 {
        for r in 0..M {
            u[k] += f.y[k][r] * lambda[r];
        }
        u[k] *= f.d_inverse[k];
    }
    for k in (0..6).rev() {
        let mut value = u[k];
        for i in k + 1..6 {
            value -= f.l[k][i] * u[i];
        }
        u[k] = value;
    }
}

/// Calls a kernel with the number of rows known at compile time.
macro_rules! by_rows {
    ($rows:expr, $kernel:ident ( $($argument:expr),* )) => {
        match $rows {
            1 => $crate::solve::tree::kernel::$kernel::<1>($($argument),*),
            2 => $crate::solve::tree::kernel::$kernel::<2>($($argument),*),
            3 => $crate::solve::tree::kernel::$kernel::<3>($($argument),*),
            4 => $crate::solve::tree::kernel::$kernel::<4>($($argument),*),
            5 => $crate::solve::tree::kernel::$kernel::<5>($($argument),*),
            6 => $crate::solve::tree::kernel::$kernel::<6>($($argument),*),
            rows => unreachable!("a joint of {rows} rows"),
        }
    };
}
pub(crate) use by_rows;

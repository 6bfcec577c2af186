//! The numeric heart of the tree solver: one body and the joint that carries it.
//!
//! ```text
//!            parent p
//!               │ J_p            rows of the joint:  J_c v_c + J_p v_p + S λ = k
//!             [joint]
//!               │ J_c
//!            child c             articulated inertia Â: its own mass matrix and all it carries
//! ```
//!
//! Eliminating first the child, then the joint's rows, leaves the parent heavier:
//!
//! ```text
//!   Â = L Lᵀ                      W = J_c Â⁻¹ J_cᵀ + S = Yᵀ Y + S = G Gᵀ,   Y = L⁻¹ J_cᵀ
//!   Z = G⁻¹ J_p                   Â_p += Zᵀ Z
//! up:    u = L⁻¹ p_c              e = G⁻¹ (k − Yᵀ u)                          p_p += Zᵀ e
//! down:  λ = G⁻ᵀ (e − Z v_p)      v_c = L⁻ᵀ (u + Y λ)
//! ```
//!
//! Since p·M̂⁻¹q = Σ (u_p·u_q − e_p·e_q) over the nodes on the way to the root, the response of two auxiliary rows
//! to each other needs the upward pass alone.
//!
//! All loops run over fixed-size rows, which the compiler turns into vector code. `M` is the number of rows.

use crate::math::Real;

/// Six numbers: a spatial vector or a row of a block.
pub(crate) type Six = [Real; 6];
/// A 6×6 block by rows (symmetric blocks) or columns (triangular ones).
pub(crate) type Block6 = [Six; 6];

pub(crate) const ZERO: Block6 = [[0.0; 6]; 6];

/// A pivot below this share of its diagonal means that the row repeats others.
const DEPENDENT: Real = 1e-11;

/// The factors of one node.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    /// L by columns: `l[i][k]` for k ≥ i.
    l: Block6,
    /// 1 / L_ii.
    l_inverse: Six,
    /// Y, `y[k][r]`: component k, row r.
    y: Block6,
    /// G by columns.
    g: Block6,
    g_inverse: Six,
    /// Z by rows: `z[r]`.
    z: Block6,
}

impl Factor {
    pub const EMPTY: Factor = Factor { l: ZERO, l_inverse: [0.0; 6], y: ZERO, g: ZERO, g_inverse: [0.0; 6], z: ZERO };
}

/// L Lᵀ = a, destroying `a`.
#[inline(always)]
pub(crate) fn factor_body(f: &mut Factor, a: &mut Block6) {
    for i in 0..6 {
        let inverse = 1.0 / a[i][i].sqrt();
        let mut column = a[i];
        for value in &mut column {
            *value *= inverse;
        }
        f.l[i] = column;
        f.l_inverse[i] = inverse;
        for k in i + 1..6 {
            let c = column[k];
            for (x, y) in a[k].iter_mut().zip(&column) {
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
    for k in 0..6 {
        let mut row: [Real; M] = std::array::from_fn(|r| jc[k][r]);
        for i in 0..k {
            let c = f.l[i][k];
            for r in 0..M {
                row[r] -= c * y[i][r];
            }
        }
        for r in 0..M {
            y[k][r] = row[r] * f.l_inverse[k];
        }
    }
    let mut w = [[0.0; M]; M];
    for y_k in &y {
        for r in 0..M {
            for s in 0..M {
                w[r][s] += y_k[r] * y_k[s];
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
        let inverse = 1.0 / w[i][i].sqrt();
        let column: [Real; M] = std::array::from_fn(|r| w[i][r] * inverse);
        f.g[i][..M].copy_from_slice(&column);
        f.g_inverse[i] = inverse;
        for k in i + 1..M {
            let c = column[k];
            for r in 0..M {
                w[k][r] -= c * column[r];
            }
        }
    }
    for k in 0..6 {
        f.y[k][..M].copy_from_slice(&y[k]);
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
            for value in &mut row {
                *value *= f.g_inverse[r];
            }
            f.z[r] = row;
        }
    }
    Ok(())
}

/// Â_p += Zᵀ Z.
#[inline(always)]
pub(crate) fn load_parent<const M: usize>(f: &Factor, parent: &mut Block6) {
    for z in &f.z[..M] {
        for (row, &c) in parent.iter_mut().zip(z) {
            for (x, y) in row.iter_mut().zip(z) {
                *x += c * y;
            }
        }
    }
}

/// u = L⁻¹ p, in place.
#[inline(always)]
pub(crate) fn up_body(f: &Factor, p: &mut Six) {
    for i in 0..6 {
        let u = p[i] * f.l_inverse[i];
        p[i] = u;
        for k in i + 1..6 {
            p[k] -= f.l[i][k] * u;
        }
    }
}

/// e = G⁻¹ (k − Yᵀ u), in place of k.
#[inline(always)]
pub(crate) fn up_joint<const M: usize>(f: &Factor, u: &Six, k: &mut Six) {
    let mut e: [Real; M] = std::array::from_fn(|r| k[r]);
    for (y, u) in f.y.iter().zip(u) {
        for r in 0..M {
            e[r] -= y[r] * u;
        }
    }
    for i in 0..M {
        let value = e[i] * f.g_inverse[i];
        e[i] = value;
        for r in i + 1..M {
            e[r] -= f.g[i][r] * value;
        }
    }
    k[..M].copy_from_slice(&e);
}

/// p_p += Zᵀ e.
#[inline(always)]
pub(crate) fn load_parent_momentum<const M: usize>(f: &Factor, e: &Six, parent: &mut Six) {
    for r in 0..M {
        for k in 0..6 {
            parent[k] += f.z[r][k] * e[r];
        }
    }
}

/// λ = G⁻ᵀ (e − Z v_p), in place of e.
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
        let mut value = e[s];
        for r in s + 1..M {
            value -= f.g[s][r] * e[r];
        }
        e[s] = value * f.g_inverse[s];
    }
}

/// v_c = L⁻ᵀ (u + Y λ), in place of u.
#[inline(always)]
pub(crate) fn down_body<const M: usize>(f: &Factor, lambda: &Six, u: &mut Six) {
    for k in 0..6 {
        for r in 0..M {
            u[k] += f.y[k][r] * lambda[r];
        }
    }
    for k in (0..6).rev() {
        let mut value = u[k];
        for i in k + 1..6 {
            value -= f.l[k][i] * u[i];
        }
        u[k] = value * f.l_inverse[k];
    }
}

/// Calls a kernel with the number of rows known at compile time.
macro_rules! by_rows {
    ($rows:expr, $kernel:ident ( $($argument:expr),* )) => {
        match $rows {
            1 => $crate::dynamics::solve::tree::kernel::$kernel::<1>($($argument),*),
            2 => $crate::dynamics::solve::tree::kernel::$kernel::<2>($($argument),*),
            3 => $crate::dynamics::solve::tree::kernel::$kernel::<3>($($argument),*),
            4 => $crate::dynamics::solve::tree::kernel::$kernel::<4>($($argument),*),
            5 => $crate::dynamics::solve::tree::kernel::$kernel::<5>($($argument),*),
            6 => $crate::dynamics::solve::tree::kernel::$kernel::<6>($($argument),*),
            rows => unreachable!("a joint of {rows} rows"),
        }
    };
}
pub(crate) use by_rows;

//! Spatial inertias by 3×3 blocks; of the symmetric ones only six entries are computed and stored.

use crate::math::{Mat3, Real, Vec3};

/// Symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symmetric {
    xx: Real,
    xy: Real,
    xz: Real,
    yy: Real,
    yz: Real,
    zz: Real,
}

impl Symmetric {
    pub const ZERO: Symmetric = Symmetric { xx: 0.0, xy: 0.0, xz: 0.0, yy: 0.0, yz: 0.0, zz: 0.0 };

    /// Returns `scale` times the identity.
    #[inline(always)]
    pub fn uniform(scale: Real) -> Self {
        Self { xx: scale, yy: scale, zz: scale, ..Self::ZERO }
    }

    /// Returns the matrix whose upper triangle is that of `m`.
    #[inline(always)]
    pub fn of(m: &Mat3) -> Self {
        Self { xx: m.m11, xy: m.m12, xz: m.m13, yy: m.m22, yz: m.m23, zz: m.m33 }
    }

    /// Makes a matrix of its entries on and above the diagonal, by row and column.
    #[inline(always)]
    fn by(entry: impl Fn(usize, usize) -> Real) -> Self {
        let [xx, xy, xz] = [entry(0, 0), entry(0, 1), entry(0, 2)];
        Self { xx, xy, xz, yy: entry(1, 1), yz: entry(1, 2), zz: entry(2, 2) }
    }

    #[inline(always)]
    pub fn full(&self) -> Mat3 {
        Mat3::new(self.xx, self.xy, self.xz, self.xy, self.yy, self.yz, self.xz, self.yz, self.zz)
    }

    #[inline(always)]
    pub fn times(&self, v: &Vec3) -> Vec3 {
        Vec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }

    #[inline(always)]
    pub fn plus(&self, other: &Symmetric) -> Symmetric {
        Symmetric {
            xx: self.xx + other.xx,
            xy: self.xy + other.xy,
            xz: self.xz + other.xz,
            yy: self.yy + other.yy,
            yz: self.yz + other.yz,
            zz: self.zz + other.zz,
        }
    }

    /// Returns it plus `scale` v vᵀ.
    #[inline(always)]
    pub fn plus_square(&self, v: &Vec3, scale: Real) -> Symmetric {
        let w = v * scale;
        self.plus(&Symmetric::by(|i, j| w[i] * v[j]))
    }
}

/// Symmetric 6×6 inertia by 3×3 blocks: linear, linear–angular, angular.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spatial {
    pub a: Symmetric,
    pub b: Mat3,
    pub c: Symmetric,
}

impl Spatial {
    pub const ZERO: Spatial = Spatial { a: Symmetric::ZERO, b: ZERO3, c: Symmetric::ZERO };

    #[inline(always)]
    pub fn add(&mut self, other: &Spatial) {
        self.a = self.a.plus(&other.a);
        self.b += other.b;
        self.c = self.c.plus(&other.c);
    }

    /// Returns Tᵀ S T with T = [1, r×; 0, 1]: the inertia about a point r away.
    #[inline(always)]
    pub fn shifted(&self, r: &Vec3) -> Spatial {
        let b = times_skew(&self.a, r) + self.b;
        // (r×)ᵀ b + Bᵀ (r×), b the new block and B the old: entry (i, j) is (b_j × r)_i + (B_i × r)_j by columns.
        let (new, old) = (crossed_columns(&b, r), crossed_columns(&self.b, r));
        let change = Symmetric::by(|i, j| new[j][i] + old[i][j]);
        Spatial { a: self.a, b, c: self.c.plus(&change) }
    }

    /// Returns the shifted inertia of a point mass: that of a ball joint without motors.
    #[inline(always)]
    pub fn of_point(a: Symmetric, r: &Vec3) -> Spatial {
        let b = times_skew(&a, r);
        let crossed = crossed_columns(&b, r);
        Spatial { a, b, c: Symmetric::by(|i, j| crossed[j][i]) }
    }

    /// Returns its product with a velocity.
    #[inline(always)]
    pub fn times(&self, linear: &Vec3, angular: &Vec3) -> (Vec3, Vec3) {
        (self.a.times(linear) + self.b * angular, self.b.tr_mul(linear) + self.c.times(angular))
    }
}

/// Returns M (r×): each row of M crossed with r.
#[inline(always)]
fn times_skew(m: &Symmetric, r: &Vec3) -> Mat3 {
    Mat3::from_columns(&crossed_columns(&m.full(), r)).transpose()
}

#[inline(always)]
pub(crate) fn columns(m: &Mat3) -> [Vec3; 3] {
    [m.column(0).into(), m.column(1).into(), m.column(2).into()]
}

/// Returns each column crossed with r.
#[inline(always)]
fn crossed_columns(m: &Mat3, r: &Vec3) -> [Vec3; 3] {
    let [x, y, z] = columns(m);
    [x.cross(r), y.cross(r), z.cross(r)]
}

pub(crate) const ZERO3: Mat3 = Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);

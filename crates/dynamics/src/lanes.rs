//! Arithmetic of single bodies, computed for four bodies side by side in the lanes of a vector register.
//!
//! The arithmetic is written once for any [`Number`]: one body and four bodies come out to the same bits.

use crate::math::{Mat3, Quat, Real, Vec3, real};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Evaluates `of` for the lanes 0 to 3. `std::array::from_fn` is not inlined into functions for wide vectors.
#[inline(always)]
pub(crate) fn per_lane<T>(of: impl Fn(usize) -> T) -> [T; 4] {
    [of(0), of(1), of(2), of(3)]
}

/// Evaluates `of` for 0 to 2.
#[inline(always)]
fn each_of_three<T>(of: impl Fn(usize) -> T) -> [T; 3] {
    [of(0), of(1), of(2)]
}

/// Squares of angles below this, radians², are small: their series are exact to rounding.
pub(crate) const SMALL: Real = 0.01;

/// Number of one body, or of each of four.
pub(crate) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    fn of(value: Real) -> Self;

    fn root(self) -> Self;
}

impl Number for Real {
    #[inline(always)]
    fn of(value: Real) -> Self {
        value
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

/// Numbers of four bodies.
#[derive(Clone, Copy)]
pub(crate) struct Lanes(pub [Real; 4]);

impl Number for Lanes {
    #[inline(always)]
    fn of(value: Real) -> Self {
        Lanes([value; 4])
    }

    #[inline(always)]
    fn root(self) -> Self {
        Lanes(per_lane(|k| self.0[k].sqrt()))
    }
}

macro_rules! lane_operators {
    ($($trait:ident $method:ident $operator:tt),*) => {
        $(impl $trait for Lanes {
            type Output = Lanes;
            #[inline(always)]
            fn $method(self, other: Lanes) -> Lanes {
                Lanes(per_lane(|k| self.0[k] $operator other.0[k]))
            }
        })*
    };
}

lane_operators!(Add add +, Sub sub -, Mul mul *, Div div /);

impl Neg for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn neg(self) -> Lanes {
        Lanes(per_lane(|k| -self.0[k]))
    }
}

impl Lanes {
    #[inline(always)]
    pub fn is_small(&self) -> bool {
        let [a, b, c, d] = self.0;
        (a < SMALL) & (b < SMALL) & (c < SMALL) & (d < SMALL)
    }
}

pub(crate) type V<N> = [N; 3];
/// Matrix by columns.
pub(crate) type M<N> = [[N; 3]; 3];

#[inline(always)]
pub(crate) fn plus<N: Number>(a: &V<N>, b: &V<N>) -> V<N> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn scaled<N: Number>(v: &V<N>, by: N) -> V<N> {
    [v[0] * by, v[1] * by, v[2] * by]
}

#[inline(always)]
pub(crate) fn dot<N: Number>(a: &V<N>, b: &V<N>) -> N {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<N: Number>(a: &V<N>, b: &V<N>) -> V<N> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(crate) fn times<N: Number>(m: &M<N>, v: &V<N>) -> V<N> {
    each_of_three(|k| m[0][k] * v[0] + m[1][k] * v[1] + m[2][k] * v[2])
}

/// Axes of a body with the orientation x, y, z, w.
#[inline(always)]
fn axes_of<N: Number>([x, y, z, w]: [N; 4]) -> M<N> {
    let two = N::of(2.0);
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let (xy, xz, yz) = (x * y * two, x * z * two, y * z * two);
    let (wx, wy, wz) = (w * x * two, w * y * two, w * z * two);
    [
        [ww + xx - yy - zz, wz + xy, xz - wy],
        [xy - wz, ww - xx + yy - zz, wx + yz],
        [wy + xz, yz - wx, ww - xx - yy + zz],
    ]
}

/// R S Rᵀ for a symmetric S: the entries xx, xy, xz, yy, yz, zz.
#[inline(always)]
fn conjugated<N: Number>(r: &M<N>, s: &M<N>) -> [N; 6] {
    let turned = [times(r, &s[0]), times(r, &s[1]), times(r, &s[2])];
    let entry = |i: usize, j: usize| turned[0][i] * r[0][j] + turned[1][i] * r[1][j] + turned[2][i] * r[2][j];
    [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)]
}

/// Inertia and its inverse of a body, in its own axes.
type Masses<'a> = (&'a Mat3, &'a Mat3);

#[inline(always)]
pub(crate) fn matrix_lanes(m: [&Mat3; 4]) -> M<Lanes> {
    each_of_three(|column| each_of_three(|row| Lanes(per_lane(|k| m[k].data.0[column][row]))))
}

#[inline(always)]
pub(crate) fn vector_lanes(v: [&Vec3; 4]) -> V<Lanes> {
    each_of_three(|part| Lanes(per_lane(|k| v[k][part])))
}

/// Vector in lane k.
#[inline(always)]
pub(crate) fn lane(v: &V<Lanes>, k: usize) -> Vec3 {
    Vec3::new(v[0].0[k], v[1].0[k], v[2].0[k])
}

/// Four indices from `first` on; the last one repeats where there are no more.
#[inline(always)]
pub(crate) fn lane_indices(first: usize, count: usize) -> [usize; 4] {
    per_lane(|k| (first + k).min(count - 1))
}

#[inline(always)]
fn full([xx, xy, xz, yy, yz, zz]: [Real; 6]) -> Mat3 {
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// Inertia of a body and its inverse, in world axes.
#[inline]
pub(crate) fn inertia_along((inertia, inverse): Masses<'_>, rotation: &Quat) -> (Mat3, Mat3) {
    let axes = axes_of(rotation.coords.into());
    (full(conjugated(&axes, &inertia.data.0)), full(conjugated(&axes, &inverse.data.0)))
}

/// Inertia of four bodies and its inverse, in world axes.
#[inline(always)]
pub(crate) fn lane_inertias(masses: [Masses<'_>; 4], turns: [&Quat; 4]) -> [(Mat3, Mat3); 4] {
    let axes = axes_of(per_lane(|part| Lanes(per_lane(|k| turns[k].coords[part]))));
    let inertia = conjugated(&axes, &matrix_lanes(per_lane(|k| masses[k].0)));
    let inverse = conjugated(&axes, &matrix_lanes(per_lane(|k| masses[k].1)));
    per_lane(|k| {
        let of = |m: &[Lanes; 6]| full([m[0].0[k], m[1].0[k], m[2].0[k], m[3].0[k], m[4].0[k], m[5].0[k]]);
        (of(&inertia), of(&inverse))
    })
}

/// exp(θ) · rotation for quaternions x, y, z, w, renormalised, given sin(a/2)/a and cos(a/2).
#[inline(always)]
fn turned_by<N: Number>(q: &[N; 4], theta: &V<N>, (s, c): (N, N)) -> [N; 4] {
    let [i, j, k] = scaled(theta, s);
    let [x, y, z, w] = *q;
    let q = [
        c * x + i * w + j * z - k * y,
        c * y - i * z + j * w + k * x,
        c * z + i * y - j * x + k * w,
        c * w - i * x - j * y - k * z,
    ];
    // One Newton step of 1/√n: it is within rounding of unit length already.
    let length_sq = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    let shorter = N::of(1.5) - N::of(0.5) * length_sq;
    per_lane(|part| q[part] * shorter)
}

/// sin(a/2)/a and cos(a/2) of the square of a small angle a.
#[inline(always)]
fn small_half_turn<N: Number>(angle_sq: N) -> (N, N) {
    let one = N::of(1.0);
    let x = angle_sq * N::of(0.25);
    let term = |by: Real, next: N| one - x * N::of(by) * next;
    (
        N::of(0.5) * term(1.0 / 6.0, term(1.0 / 20.0, term(1.0 / 42.0, one - x * N::of(1.0 / 72.0)))),
        term(0.5, term(1.0 / 12.0, term(1.0 / 30.0, one - x * N::of(1.0 / 56.0)))),
    )
}

/// Returns `exp(θ) · rotation`, renormalised, for a rotation vector θ in radians, world axes.
#[inline]
pub fn turned(rotation: &Quat, theta: &Vec3) -> Quat {
    let theta: V<Real> = (*theta).into();
    let angle_sq = dot(&theta, &theta);
    let half = if angle_sq < SMALL {
        small_half_turn(angle_sq)
    } else {
        let angle = angle_sq.sqrt();
        (real::sin(angle / 2.0) / angle, real::cos(angle / 2.0))
    };
    let [x, y, z, w] = turned_by(&rotation.coords.into(), &theta, half);
    Quat::new_unchecked(nalgebra::Quaternion::new(w, x, y, z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MassProperties;
    use std::array::from_fn;

    fn bodies() -> [(MassProperties, Mat3, Quat); 4] {
        from_fn(|k| {
            let tilt = Quat::from_scaled_axis(Vec3::new(0.3, -0.2, 0.5) * (k as Real + 1.0));
            let mass = MassProperties::cuboid(2.0, Vec3::new(0.1, 0.2, 0.3 + 0.1 * k as Real)).rotated(&tilt);
            let inverse = mass.inertia.try_inverse().expect("a solid");
            (mass, inverse, tilt)
        })
    }

    /// R S Rᵀ as matrices have it.
    #[test]
    fn four_inertias_are_turned_along() {
        let all = bodies();
        let found = lane_inertias(all.each_ref().map(|b| (&b.0.inertia, &b.1)), all.each_ref().map(|b| &b.2));
        for ((mass, inverse, rotation), (inertia, inverse_along)) in all.iter().zip(&found) {
            let r = rotation.to_rotation_matrix().into_inner();
            for (found, wanted) in
                [(inertia, r * mass.inertia * r.transpose()), (inverse_along, r * inverse * r.transpose())]
            {
                assert!((found - wanted).norm() < 1e-13 * wanted.norm(), "{found} {wanted}");
            }
        }
    }
}

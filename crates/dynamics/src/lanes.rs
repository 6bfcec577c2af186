//! Free motion of single bodies, computed for four bodies side by side in the lanes of a vector register.
//!
//! The arithmetic is written once for any [`Number`]. Four bodies use the series for small angles. If one of them rotates
//! farther, all four are computed one by one, and the others come out to the same bits.

use super::body::State;
use crate::Placement;
use crate::math::{Mat3, Quat, Real, Vec3, Vec6, real};
use std::ops::{Add, Mul, Neg, Sub};

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

/// Squares of angles below this are small: their series are exact to rounding.
const SMALL: Real = 0.01;

/// Number of one body, or of each of four.
trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self> {
    fn of(value: Real) -> Self;
}

impl Number for Real {
    #[inline(always)]
    fn of(value: Real) -> Self {
        value
    }
}

/// Numbers of four bodies.
#[derive(Clone, Copy)]
struct Lanes([Real; 4]);

impl Number for Lanes {
    #[inline(always)]
    fn of(value: Real) -> Self {
        Lanes([value; 4])
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

lane_operators!(Add add +, Sub sub -, Mul mul *);

impl Neg for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn neg(self) -> Lanes {
        Lanes(per_lane(|k| -self.0[k]))
    }
}

impl Lanes {
    #[inline(always)]
    fn is_small(&self) -> bool {
        let [a, b, c, d] = self.0;
        (a < SMALL) & (b < SMALL) & (c < SMALL) & (d < SMALL)
    }
}

type V<N> = [N; 3];
/// Matrix by columns.
type M<N> = [[N; 3]; 3];

#[inline(always)]
fn plus<N: Number>(a: &V<N>, b: &V<N>) -> V<N> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn scaled<N: Number>(v: &V<N>, by: N) -> V<N> {
    [v[0] * by, v[1] * by, v[2] * by]
}

#[inline(always)]
fn dot<N: Number>(a: &V<N>, b: &V<N>) -> N {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<N: Number>(a: &V<N>, b: &V<N>) -> V<N> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn times<N: Number>(m: &M<N>, v: &V<N>) -> V<N> {
    each_of_three(|k| m[0][k] * v[0] + m[1][k] * v[1] + m[2][k] * v[2])
}

#[inline(always)]
fn transposed_times<N: Number>(m: &M<N>, v: &V<N>) -> V<N> {
    [dot(&m[0], v), dot(&m[1], v), dot(&m[2], v)]
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

/// Change of the spin of a free body within h: its momentum stays, its axes rotate (midpoint rule in body axes). No spin is too fast for it, since |ω| never exceeds |L| / I. The difference is taken in body axes, so
/// that a steady spin does not accumulate the rounding of the two rotations. Also returns the squares of the angles given to
/// `swing`.
#[inline(always)]
fn free_spin_change<N: Number>(
    inertia: &M<N>,
    inverse: &M<N>,
    axes: &M<N>,
    spin: &V<N>,
    h: Real,
    swing: impl Fn(N) -> (N, N),
) -> (V<N>, [N; 2]) {
    let spin = transposed_times(axes, spin);
    let momentum = times(inertia, &spin);
    let quarter = scaled(&spin, N::of(-0.5 * h));
    let first = dot(&quarter, &quarter);
    let half = times(inverse, &swung(&momentum, &quarter, swing(first)));
    // There and back by the same angle.
    let theta = scaled(&half, N::of(h));
    let second = dot(&theta, &theta);
    let factors = swing(second);
    let end = times(inverse, &swung(&momentum, &[-theta[0], -theta[1], -theta[2]], factors));
    let there = swung(&end, &theta, factors);
    (times(axes, &[there[0] - spin[0], there[1] - spin[1], there[2] - spin[2]]), [first, second])
}

/// sin a / a and (1 − cos a) / a² of the square of a small angle.
#[inline(always)]
fn small_swing<N: Number>(x: N) -> (N, N) {
    let one = N::of(1.0);
    // Factors, not quotients: a division takes as long as several of these terms.
    let term = |by: Real, next: N| one - x * N::of(by) * next;
    (
        term(1.0 / 6.0, term(1.0 / 20.0, term(1.0 / 42.0, one - x * N::of(1.0 / 72.0)))),
        N::of(0.5) * term(1.0 / 12.0, term(1.0 / 30.0, term(1.0 / 56.0, one - x * N::of(1.0 / 90.0)))),
    )
}

/// sin a / a and (1 − cos a) / a² of the square of any angle.
#[inline(always)]
fn swing(angle_sq: Real) -> (Real, Real) {
    if angle_sq < SMALL {
        small_swing(angle_sq)
    } else {
        let angle = angle_sq.sqrt();
        (real::sin(angle) / angle, (1.0 - real::cos(angle)) / angle_sq)
    }
}

/// Vector rotated by a rotation vector, given its [`swing`].
#[inline(always)]
fn swung<N: Number>(v: &V<N>, theta: &V<N>, (s, c): (N, N)) -> V<N> {
    let once = cross(theta, v);
    plus(&plus(v, &scaled(&once, s)), &scaled(&cross(theta, &once), c))
}

/// Inertia and its inverse of a body, in its own axes.
type Masses<'a> = (&'a Mat3, &'a Mat3);

#[inline(always)]
fn matrix_lanes(m: [&Mat3; 4]) -> M<Lanes> {
    each_of_three(|column| each_of_three(|row| Lanes(per_lane(|k| m[k].data.0[column][row]))))
}

#[inline(always)]
fn vector_lanes(v: [&Vec3; 4]) -> V<Lanes> {
    each_of_three(|part| Lanes(per_lane(|k| v[k][part])))
}

/// Vector in lane k.
#[inline(always)]
fn lane(v: &V<Lanes>, k: usize) -> Vec3 {
    Vec3::new(v[0].0[k], v[1].0[k], v[2].0[k])
}

/// Changes of the spins of four free bodies within h; see [`free_spin_change`].
#[inline(always)]
pub(crate) fn lane_spin_changes(masses: [Masses<'_>; 4], axes: [&Mat3; 4], spins: [&Vec3; 4], h: Real) -> [Vec3; 4] {
    let (inertia, inverse) = (matrix_lanes(per_lane(|k| masses[k].0)), matrix_lanes(per_lane(|k| masses[k].1)));
    let four_axes = matrix_lanes(axes);
    let (change, angles) = free_spin_change(&inertia, &inverse, &four_axes, &vector_lanes(spins), h, small_swing);
    if angles[0].is_small() & angles[1].is_small() {
        return per_lane(|k| lane(&change, k));
    }
    per_lane(|k| {
        let (inertia, inverse, axes) = (masses[k].0.data.0, masses[k].1.data.0, axes[k].data.0);
        free_spin_change(&inertia, &inverse, &axes, &(*spins[k]).into(), h, swing).0.into()
    })
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

/// Axes of four bodies, and their inertia and its inverse in world axes.
#[inline(always)]
pub(crate) fn lane_inertias(masses: [Masses<'_>; 4], turns: [&Quat; 4]) -> [(Mat3, Mat3, Mat3); 4] {
    let axes = axes_of(per_lane(|part| Lanes(per_lane(|k| turns[k].coords[part]))));
    let inertia = conjugated(&axes, &matrix_lanes(per_lane(|k| masses[k].0)));
    let inverse = conjugated(&axes, &matrix_lanes(per_lane(|k| masses[k].1)));
    per_lane(|k| {
        let own = Mat3::from_columns(&[lane(&axes[0], k), lane(&axes[1], k), lane(&axes[2], k)]);
        let of = |m: &[Lanes; 6]| full([m[0].0[k], m[1].0[k], m[2].0[k], m[3].0[k], m[4].0[k], m[5].0[k]]);
        (own, of(&inertia), of(&inverse))
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

/// Placements of four bodies after h, each moved by the sum of two velocities; see [`State::moved`].
#[inline(always)]
pub(crate) fn lane_placements(from: [&Placement; 4], velocities: [[&Vec6; 2]; 4], h: Real) -> [Placement; 4] {
    let along = |part: usize| Lanes(per_lane(|k| velocities[k][0][part] + velocities[k][1][part])) * Lanes::of(h);
    let (way, theta) = ([along(0), along(1), along(2)], [along(3), along(4), along(5)]);
    let angle_sq = dot(&theta, &theta);
    if !angle_sq.is_small() {
        return per_lane(|k| State::moved(from[k], &(velocities[k][0] + velocities[k][1]), h));
    }
    let q = turned_by(
        &per_lane(|part| Lanes(per_lane(|k| from[k].rotation.coords[part]))),
        &theta,
        small_half_turn(angle_sq),
    );
    per_lane(|k| Placement {
        position: from[k].position + lane(&way, k),
        rotation: Quat::new_unchecked(nalgebra::Quaternion::new(q[3].0[k], q[0].0[k], q[1].0[k], q[2].0[k])),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MassProperties;
    use std::array::from_fn;

    fn bodies(spin: [Real; 4]) -> [(MassProperties, Mat3, Quat, Vec3); 4] {
        from_fn(|k| {
            let tilt = Quat::from_scaled_axis(Vec3::new(0.3, -0.2, 0.5) * (k as Real + 1.0));
            let mass = MassProperties::cuboid(2.0, Vec3::new(0.1, 0.2, 0.3 + 0.1 * k as Real)).rotated(&tilt);
            let inverse = mass.inertia.try_inverse().expect("a solid");
            (mass, inverse, tilt, Vec3::new(1.0, -2.0, 0.5) * spin[k])
        })
    }

    /// Euler: a free body keeps its momentum, to the third order of the step.
    #[test]
    fn four_free_bodies_keep_their_momentum() {
        for spin in [[1.0, 0.5, -2.0, 0.1], [1.0, 60.0, -2.0, 0.1]] {
            let all = bodies(spin);
            let masses = from_fn(|k| (&all[k].0.inertia, &all[k].1));
            let axes: [Mat3; 4] = from_fn(|k| all[k].2.to_rotation_matrix().into_inner());
            let h = 1e-3;
            let changes = lane_spin_changes(masses, axes.each_ref(), from_fn(|k| &all[k].3), h);
            for (k, (mass, _, rotation, spin)) in all.iter().enumerate() {
                let momentum =
                    |rotation: &Quat, spin: &Vec3| rotation * (mass.inertia * rotation.inverse_transform_vector(spin));
                let after = turned(rotation, &((spin + changes[k] * 0.5) * h));
                let (before, after) = (momentum(rotation, spin), momentum(&after, &(spin + changes[k])));
                let most = (h * spin.norm()).powi(3) * before.norm() + 1e-15;
                assert!((after - before).norm() < most, "{k}: {} of {}", (after - before).norm(), before.norm());
            }
        }
    }

    /// Lanes do not influence each other, to the bit, also if one body spins fast.
    #[test]
    fn neighbours_change_nothing() {
        let all = bodies([1.0, 0.5, -2.0, 0.1]);
        let places = all.each_ref().map(|body| Placement::new(body.3, body.2));
        let velocity = |k: usize, faster: Real| Vec6::new(1.0, 2.0, 3.0, 0.3, k as Real, -1.0) * faster;
        let none = Vec6::zeros();
        let h = 1.0 / 240.0;
        for faster in [1.0, 100.0] {
            let speeds: [Vec6; 4] = from_fn(|k| velocity(k, if k == 2 { faster } else { 1.0 }));
            let moved = lane_placements(places.each_ref(), from_fn(|k| [&speeds[k], &none]), h);
            for k in 0..4 {
                assert_eq!(moved[k], State::moved(&places[k], &speeds[k], h), "{k}");
            }
            let spins: [Vec3; 4] = from_fn(|k| all[k].3 * if k == 2 { faster } else { 1.0 });
            let masses = |own: [usize; 4]| own.map(|k| (&all[k].0.inertia, &all[k].1));
            let axes: [Mat3; 4] = from_fn(|k| all[k].2.to_rotation_matrix().into_inner());
            let beside = lane_spin_changes(masses([0, 1, 2, 3]), axes.each_ref(), spins.each_ref(), h);
            for k in 0..4 {
                let alone = lane_spin_changes(masses([k; 4]), [&axes[k]; 4], [&spins[k]; 4], h)[0];
                assert_eq!(beside[k], alone, "{k}");
            }
        }
    }

    /// R S Rᵀ as matrices have it.
    #[test]
    fn four_inertias_are_turned_along() {
        let all = bodies([1.0; 4]);
        let found = lane_inertias(all.each_ref().map(|b| (&b.0.inertia, &b.1)), all.each_ref().map(|b| &b.2));
        for ((mass, inverse, rotation, _), (axes, inertia, inverse_along)) in all.iter().zip(&found) {
            let r = rotation.to_rotation_matrix().into_inner();
            for (found, wanted) in
                [(axes, r), (inertia, r * mass.inertia * r.transpose()), (inverse_along, r * inverse * r.transpose())]
            {
                assert!((found - wanted).norm() < 1e-13 * wanted.norm(), "{found} {wanted}");
            }
        }
    }
}

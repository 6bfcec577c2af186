//! Rotation of a free body over a time h, with its energy and its angular momentum kept to rounding at any spin.
//!
//! Seen from axes that rotate with the body, with the inertia I, the spin ω and the momentum M = I ω, one step solves
//!
//! ```text
//!   M̄ = M + τ M̄ × ω̄,   ω̄ = I⁻¹ M̄          the midpoint of Euler's equations
//!   ω' = 2ω̄ − ω
//!   R' = R · q,   q = (1, τ ω̄) / |(1, τ ω̄)|   a rotation about ω̄ by 2 atan(τ|ω̄|)
//! ```
//!
//! M' = 2M̄ − M is M rotated back by q, so the momentum in world axes, R M, stays. M' − M is across ω̄ = (ω + ω')/2, so the
//! energy ½ ω·M stays as well (Simo and Wong 1991). Both hold for any τ. It is ½h tan(x)/x with x = ½hκ and κ = ω·M/|M|,
//! which is constant too and equals |ω| for a spin about a principal axis: such a body turns by exactly h ω. What is
//! left is an error of the phase, of second order. A body that turns far within h takes inner steps of at most
//! [`FINE`], or [`COARSE`] if these would be many.
//!
//! The axes that rotate with the body are those that are the world's at the start, so that the inertia in world axes serves
//! and nothing needs to be rotated there and back.

use crate::lanes::{
    Lanes, M, Number, SMALL, V, cross, dot, lane, matrix_lanes, per_lane, plus, scaled, times, vector_lanes,
};
use crate::math::{Mat3, Placement, Quat, Real, Vec3, Vec6};
use crate::solve::Inertia;

/// Longest inner step, radians: a phase is right to half a per cent.
const FINE: Real = 0.5;

/// Longest inner step of bodies that turn round many times, radians: Newton's method still converges from the start.
const COARSE: Real = 1.0;

/// Number of inner steps from which they are coarse: five turns.
const MANY: Real = 64.0;

/// Largest rotation of a body within a step, radians: its inner steps take some milliseconds. Bodies that turn farther are
/// refused before the step.
pub(crate) const MOST_ROTATION: Real = 40_000.0;

/// Iterations of Newton's method that no inner step needs.
const MOST_ITERATIONS: usize = 20;

/// Quaternion of any length: vector and scalar part.
type Q<N> = (V<N>, N);

/// Rotation of a free body.
#[derive(Clone, Copy)]
struct FreeRotation<N> {
    /// Rotation, of any length.
    rotation: Q<N>,
    /// Spin at the end, in the axes that rotate with the body.
    end: V<N>,
}

/// tan(x)/x of x²: the continued fraction of Lambert, exact to rounding for x up to a quarter. The invariants hold for any
/// other function as well.
#[inline(always)]
fn tangent_ratio<N: Number>(x: N) -> N {
    let n = N::of;
    (n(10395.0) - x * (n(1260.0) - x * n(21.0))) / (n(10395.0) - x * (n(4725.0) - x * (n(210.0) - x)))
}

#[inline(always)]
fn minus<N: Number>(a: &V<N>, b: &V<N>) -> V<N> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// τ of a step.
#[inline(always)]
fn half_time<N: Number>(momentum: &V<N>, spin: &V<N>, h: Real) -> N {
    let along = dot(spin, momentum);
    // A body at rest has κ = 0.
    let x = along * along / (dot(momentum, momentum) + N::of(Real::MIN_POSITIVE)) * N::of(0.25 * h * h);
    tangent_ratio(x) * N::of(0.5 * h)
}

/// Newton's method for δ = ω̄ − ω: r(δ) = Iδ − τ M̄ × ω̄ = 0.
struct Newton<'a, N> {
    inertia: &'a M<N>,
    momentum: &'a V<N>,
    spin: &'a V<N>,
    tau: N,
}

impl<N: Number> Newton<'_, N> {
    /// Columns of the inverse of ∂r/∂δ = I + τ([ω̄]× I − [M̄]×), as rows that multiply r, over their determinant.
    #[inline(always)]
    fn inverse(&self, delta: &V<N>) -> M<N> {
        let w = plus(self.spin, delta);
        let m = plus(self.momentum, &times(self.inertia, delta));
        let zero = N::of(0.0);
        let across = [[zero, m[2], -m[1]], [-m[2], zero, m[0]], [m[1], -m[0], zero]];
        let column =
            |k: usize| plus(&self.inertia[k], &scaled(&minus(&cross(&w, &self.inertia[k]), &across[k]), self.tau));
        let [a, b, c] = [column(0), column(1), column(2)];
        let rows = [cross(&b, &c), cross(&c, &a), cross(&a, &b)];
        let over = N::of(1.0) / dot(&a, &rows[0]);
        [scaled(&rows[0], over), scaled(&rows[1], over), scaled(&rows[2], over)]
    }

    /// Next δ.
    #[inline(always)]
    fn next(&self, inverse: &M<N>, delta: &V<N>) -> V<N> {
        let change = times(self.inertia, delta);
        let turning = cross(&plus(self.momentum, &change), &plus(self.spin, delta));
        let r = minus(&change, &scaled(&turning, self.tau));
        [delta[0] - dot(&inverse[0], &r), delta[1] - dot(&inverse[1], &r), delta[2] - dot(&inverse[2], &r)]
    }
}

/// Rotation by a small angle: δ is right to x², x¹¹ after one step of Newton's method and two with its matrix, where
/// x = ½h|ω|.
#[inline(always)]
fn small_rotation<N: Number>(inertia: &M<N>, inverse: &M<N>, spin: &V<N>, h: Real) -> FreeRotation<N> {
    let momentum = times(inertia, spin);
    let tau = half_time(&momentum, spin, h);
    let newton = Newton { inertia, momentum: &momentum, spin, tau };
    let mut delta = scaled(&times(inverse, &cross(&momentum, spin)), tau);
    let solved = newton.inverse(&delta);
    for _ in 0..3 {
        delta = newton.next(&solved, &delta);
    }
    let mean = plus(spin, &delta);
    FreeRotation { rotation: (scaled(&mean, tau), N::of(1.0)), end: plus(&mean, &delta) }
}

/// Rotation by any angle.
fn any_rotation(inertia: &M<Real>, inverse: &M<Real>, spin: &V<Real>, h: Real) -> FreeRotation<Real> {
    let square = dot(spin, spin) * h * h;
    if square < SMALL {
        return small_rotation(inertia, inverse, spin, h);
    }
    let angle = square.sqrt();
    let longest = if angle > FINE * MANY { COARSE } else { FINE };
    let steps = (angle / longest).ceil().min(2.0 * MOST_ROTATION / COARSE);
    let h = h / steps;
    let (mut spin, mut rotation) = (*spin, ([0.0; 3], 1.0));
    for _ in 0..steps as usize {
        let momentum = times(inertia, &spin);
        let tau = half_time(&momentum, &spin, h);
        let newton = Newton { inertia, momentum: &momentum, spin: &spin, tau };
        let mut delta = scaled(&times(inverse, &cross(&momentum, &spin)), tau);
        for _ in 0..MOST_ITERATIONS {
            let next = newton.next(&newton.inverse(&delta), &delta);
            let change = minus(&next, &delta);
            delta = next;
            if dot(&change, &change) <= 1e-30 * dot(&spin, &spin) {
                break;
            }
        }
        let mean = plus(&spin, &delta);
        // Axes that rotate with the body: the next rotation comes on the right.
        let (vector, scalar) = composed(&rotation, &(scaled(&mean, tau), 1.0));
        let length = 1.0 / (dot(&vector, &vector) + scalar * scalar).sqrt();
        rotation = (scaled(&vector, length), scalar * length);
        spin = plus(&mean, &delta);
    }
    FreeRotation { rotation, end: spin }
}

/// Product of quaternions.
#[inline(always)]
fn composed<N: Number>((a, s): &Q<N>, (b, t): &Q<N>) -> Q<N> {
    (plus(&plus(&scaled(b, *s), &scaled(a, *t)), &cross(a, b)), *s * *t - dot(a, b))
}

/// Vector rotated by a quaternion of any length. One along the axis stays to the bit.
#[inline(always)]
fn rotated<N: Number>((u, s): &Q<N>, v: &V<N>) -> V<N> {
    let once = cross(u, v);
    let twice = plus(&scaled(&once, *s), &cross(u, &once));
    plus(v, &scaled(&twice, N::of(2.0) / (dot(u, u) + *s * *s)))
}

/// Orientation x, y, z, w and spin at the end of a free rotation, after which a shift rotates the body by 2 atan(½h|s|).
#[inline(always)]
fn end_of<N: Number>(free: &FreeRotation<N>, shift: &V<N>, orientation: [N; 4], h: Real) -> ([N; 4], V<N>) {
    let all = composed(&(scaled(shift, N::of(0.5 * h)), N::of(1.0)), &free.rotation);
    let [x, y, z, w] = orientation;
    let ([x, y, z], w) = composed(&all, &([x, y, z], w));
    let length = N::of(1.0) / (x * x + y * y + z * z + w * w).root();
    ([x * length, y * length, z * length, w * length], rotated(&all, &free.end))
}

/// Angular part of a velocity.
#[inline(always)]
pub(crate) fn angular(velocity: &Vec6) -> Vec3 {
    Vec3::new(velocity[3], velocity[4], velocity[5])
}

/// Placement of a free body after h and its spin then, rad/s, world axes. `shift` is displacement per second beside the
/// velocity, m/s and rad/s; it takes the spin along, so that it adds no energy.
pub(crate) fn moved(from: &Placement, velocity: &Vec6, shift: &Vec6, inertia: &Inertia, h: Real) -> (Placement, Vec3) {
    let (own, inverse) = (&inertia.inertia.data.0, &inertia.inverse_inertia.data.0);
    let free = any_rotation(own, inverse, &angular(velocity).into(), h);
    let ([x, y, z, w], spin) = end_of(&free, &angular(shift).into(), from.rotation.coords.into(), h);
    let along = |part: usize| (velocity[part] + shift[part]) * h;
    let position = from.position + Vec3::new(along(0), along(1), along(2));
    (Placement { position, rotation: Quat::new_unchecked(nalgebra::Quaternion::new(w, x, y, z)) }, spin.into())
}

/// Moves four bodies; see [`moved`].
#[inline(always)]
pub(crate) fn lane_moves(
    from: [&Placement; 4],
    velocities: [&Vec6; 4],
    shifts: [&Vec6; 4],
    inertias: [&Inertia; 4],
    h: Real,
) -> [(Placement, Vec3); 4] {
    let spins: V<Lanes> = [3, 4, 5].map(|part| Lanes(per_lane(|k| velocities[k][part])));
    if !(dot(&spins, &spins) * Lanes::of(h) * Lanes::of(h)).is_small() {
        return per_lane(|k| moved(from[k], velocities[k], shifts[k], inertias[k], h));
    }
    let inertia = matrix_lanes(per_lane(|k| &inertias[k].inertia));
    let inverse = matrix_lanes(per_lane(|k| &inertias[k].inverse_inertia));
    let free = small_rotation(&inertia, &inverse, &spins, h);
    let turns = [3, 4, 5].map(|part| Lanes(per_lane(|k| shifts[k][part])));
    let orientations = per_lane(|part| Lanes(per_lane(|k| from[k].rotation.coords[part])));
    let (q, ends) = end_of(&free, &turns, orientations, h);
    let along = |part: usize| Lanes(per_lane(|k| velocities[k][part] + shifts[k][part])) * Lanes::of(h);
    let way = [along(0), along(1), along(2)];
    per_lane(|k| {
        let rotation = Quat::new_unchecked(nalgebra::Quaternion::new(q[3].0[k], q[0].0[k], q[1].0[k], q[2].0[k]));
        (Placement { position: from[k].position + lane(&way, k), rotation }, lane(&ends, k))
    })
}

/// Spin of a body at `to`, rad/s, world axes, which started at `from` with a spin and was rotated otherwise than a free body:
/// by a joint, or before an impact changed its spin. Its energy stays.
pub(crate) fn carried(from: &Quat, to: &Quat, spin: &Vec3, inertia: &Inertia, h: Real) -> Vec3 {
    let (own, inverse) = (&inertia.inertia.data.0, &inertia.inverse_inertia.data.0);
    let end = any_rotation(own, inverse, &(*spin).into(), h).end;
    let turn = to * from.inverse();
    rotated(&([turn.i, turn.j, turn.k], turn.w), &end).into()
}

/// Square of the rotation within h, radians², up to which the curvature of a path within it can be foreseen.
const FORESEEN: Real = 0.25;

/// Share of the curvature of a path that rows may count on, 0 to 1, from the square of the rotation within h, radians². Beyond
/// half a radian a prediction says nothing, and following it would only add energy.
#[inline(always)]
pub(crate) fn curvature_share(rotation: Real) -> Real {
    if rotation <= FORESEEN { 1.0 } else { (FORESEEN / rotation).powi(2) }
}

/// Mean spin less the spin at the start, of four free bodies over h, rad/s, as far as it can be foreseen: to first order.
#[inline(always)]
pub(crate) fn lane_mean_changes(inertias: [(&Mat3, &Mat3); 4], spins: [&Vec3; 4], h: Real) -> [Vec3; 4] {
    let spin = vector_lanes(spins);
    let momentum = times(&matrix_lanes(per_lane(|k| inertias[k].0)), &spin);
    let inverse = matrix_lanes(per_lane(|k| inertias[k].1));
    let change = scaled(&times(&inverse, &cross(&momentum, &spin)), Lanes::of(0.5 * h));
    if (dot(&spin, &spin) * Lanes::of(h) * Lanes::of(h)).is_small() {
        return per_lane(|k| lane(&change, k));
    }
    per_lane(|k| lane(&change, k) * curvature_share(spins[k].norm_squared() * h * h))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::world_inertia;
    use crate::mass::MassProperties;
    use std::array::from_fn;

    /// A brick, a rod, a plate of 1:1000 and a body that is no box, each tilted.
    fn bodies() -> [(MassProperties, Quat); 4] {
        let sizes = [[0.2, 0.03, 0.14], [1.0, 1e-3, 2e-3], [0.5, 0.4, 5e-4], [1e-3, 2e-3, 1.5e-3]];
        from_fn(|k| {
            let tilt = Quat::from_scaled_axis(Vec3::new(0.3, -0.2, 0.5) * (k as Real + 1.0));
            (MassProperties::cuboid(0.5, Vec3::from(sizes[k])).rotated(&tilt), tilt)
        })
    }

    fn inertia(mass: &MassProperties, rotation: &Quat) -> Inertia {
        world_inertia(mass, &mass.inertia.try_inverse().expect("a solid"), rotation)
    }

    /// A free body keeps ½ω·Iω and Iω, whatever its shape and however far it rotates within a step.
    #[test]
    fn free_bodies_keep_energy_and_momentum_at_any_spin() {
        for (mass, tilt) in bodies() {
            for spin in [0.1, 20.0, 250.0, 3000.0, 100_000.0] {
                let h = 1.0 / 240.0;
                let mut place = Placement::new(Vec3::zeros(), tilt);
                let mut velocity = Vec6::new(0.0, 0.0, 0.0, 0.01 * spin, spin, -0.3 * spin);
                let momentum = |place: &Placement, v: &Vec6| inertia(&mass, &place.rotation).inertia * angular(v);
                let start = momentum(&place, &velocity);
                let energy = start.dot(&angular(&velocity));
                for _ in 0..if spin > 1e4 { 20 } else { 1000 } {
                    let (next, end) = moved(&place, &velocity, &Vec6::zeros(), &inertia(&mass, &place.rotation), h);
                    place = next;
                    velocity.fixed_rows_mut::<3>(3).copy_from(&end);
                }
                let now = momentum(&place, &velocity);
                let drift = (now - start).norm() / start.norm();
                assert!(drift < 1e-9, "{spin} rad/s: momentum off by {drift}");
                let drift = now.dot(&angular(&velocity)) / energy - 1.0;
                assert!(drift.abs() < 1e-9, "{spin} rad/s: energy off by {drift}");
            }
        }
    }

    /// A spin about a principal axis rotates the body by hω, at any number of radians within a step.
    #[test]
    fn steady_spin_rotates_by_its_angle() {
        let mass = MassProperties::cuboid(0.5, Vec3::new(0.2, 0.03, 0.14));
        for angle in [1e-3, 0.09, 0.7, 3.0, 40.0] {
            let from = Placement::IDENTITY;
            let spin = Vec6::new(0.0, 0.0, 0.0, 0.0, angle, 0.0);
            let (to, end) = moved(&from, &spin, &Vec6::zeros(), &inertia(&mass, &from.rotation), 1.0);
            let expected = Quat::from_scaled_axis(Vec3::new(0.0, angle, 0.0));
            assert!(to.rotation.angle_to(&expected) < 1e-12 * (1.0 + angle), "{angle}");
            assert_eq!(end, angular(&spin));
        }
    }

    /// Lanes do not influence each other, to the bit, also if one body spins fast.
    #[test]
    fn neighbours_change_nothing() {
        let all = bodies();
        let inertias = all.each_ref().map(|(mass, tilt)| inertia(mass, tilt));
        let places: [Placement; 4] = from_fn(|k| Placement::new(Vec3::new(1.0, 2.0, k as Real), all[k].1));
        let shift = Vec6::new(0.01, 0.0, -0.02, 0.1, -0.3, 0.0);
        for faster in [1.0, 100.0] {
            let speeds: [Vec6; 4] =
                from_fn(|k| Vec6::new(1.0, 2.0, 3.0, 0.3, k as Real, -1.0) * if k == 2 { faster } else { 1.0 });
            let beside =
                lane_moves(places.each_ref(), speeds.each_ref(), [&shift; 4], inertias.each_ref(), 1.0 / 240.0);
            for k in 0..4 {
                assert_eq!(beside[k], moved(&places[k], &speeds[k], &shift, &inertias[k], 1.0 / 240.0), "{k}");
            }
        }
    }

    /// A shift rotates a body and its momentum; it does no work.
    #[test]
    fn shifts_add_no_energy() {
        let (mass, tilt) = bodies()[0];
        let (place, velocity) = (Placement::new(Vec3::zeros(), tilt), Vec6::new(0.0, 0.0, 0.0, 3.0, 20.0, -5.0));
        let shift = Vec6::new(0.0, 0.0, 0.0, 30.0, -20.0, 10.0);
        let (to, end) = moved(&place, &velocity, &shift, &inertia(&mass, &tilt), 1.0 / 240.0);
        let energy = |rotation: &Quat, spin: &Vec3| spin.dot(&(inertia(&mass, rotation).inertia * spin));
        let before = energy(&tilt, &angular(&velocity));
        assert!((energy(&to.rotation, &end) / before - 1.0).abs() < 1e-13);
        let end = carried(&tilt, &to.rotation, &angular(&velocity), &inertia(&mass, &tilt), 1.0 / 240.0);
        assert!((energy(&to.rotation, &end) / before - 1.0).abs() < 1e-13);
    }
}

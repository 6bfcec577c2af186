//! Euler angles in degrees, in any order of channels, to quaternions and back.
//!
//! Angles are reduced in degrees, which is exact, so that 90° is a right angle to the last bit and 36 000 090°
//! is the same one. The reduced half angle |x| ≤ π/4 goes into Taylor polynomials whose first dropped term is
//! below 5e-17; branch-free, so that the compiler can work on several channels at once.

use crate::math::real;
use crate::{Quat, Real};
use nalgebra::Quaternion;

/// Returns sine and cosine of half of an angle in degrees.
#[inline(always)]
pub(crate) fn half_sin_cos(degrees: Real) -> (Real, Real) {
    let half = 0.5 * degrees;
    // Adding and taking away 1.5·2⁵² rounds to the nearest integer without a call.
    const ROUND: Real = 6755399441055744.0;
    let shifted = half * (1.0 / 90.0) + ROUND;
    let quarter_turns = shifted - ROUND;
    // The last bits of the shifted number are the integer itself.
    let quadrant = shifted.to_bits();
    let x = (half - 90.0 * quarter_turns) * (std::f64::consts::PI / 180.0);
    let z = x * x;
    let sin = x
        * (1.0
            + z * (-1.0 / 6.0
                + z * (1.0 / 120.0
                    + z * (-1.0 / 5040.0
                        + z * (1.0 / 362880.0
                            + z * (-1.0 / 39916800.0 + z * (1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0))))))));
    let cos = 1.0
        + z * (-0.5
            + z * (1.0 / 24.0
                + z * (-1.0 / 720.0
                    + z * (1.0 / 40320.0
                        + z * (-1.0 / 3628800.0
                            + z * (1.0 / 479001600.0 + z * (-1.0 / 87178291200.0 + z * (1.0 / 20922789888000.0))))))));
    let swap = quadrant & 1 == 1;
    let (sin, cos) = if swap { (cos, sin) } else { (sin, cos) };
    // Quadrants: (s, c), (c, −s), (−s, −c), (−c, s).
    let sin_sign = (quadrant & 2) << 62;
    let cos_sign = (quadrant.wrapping_add(1) & 2) << 62;
    (Real::from_bits(sin.to_bits() ^ sin_sign), Real::from_bits(cos.to_bits() ^ cos_sign))
}

/// Order in which a joint's rotation channels act.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Order {
    /// Three different axes: i, j, k and +1 where they are cyclic (XYZ, YZX, ZXY), −1 otherwise.
    Three([usize; 3], Real),
    /// Any other list of axes, none included.
    Any(Vec<usize>),
}

impl Order {
    pub fn of(axes: &[usize]) -> Order {
        match *axes {
            [i, j, k] if i != j && j != k && i != k => Order::Three([i, j, k], parity(i, j)),
            _ => Order::Any(axes.to_vec()),
        }
    }

    /// Returns the product of the single rotations, first channel outermost. `half` holds sine and cosine of half of each
    /// channel's angle.
    #[inline(always)]
    pub fn compose(&self, half: &[(Real, Real)]) -> Quat {
        match self {
            Order::Three([i, j, k], e) => {
                let [(si, ci), (sj, cj), (sk, ck)] = [half[0], half[1], half[2]];
                let mut v = [0.0; 3];
                v[*i] = si * cj * ck + e * ci * sj * sk;
                v[*j] = ci * sj * ck - e * si * cj * sk;
                v[*k] = ci * cj * sk + e * si * sj * ck;
                Quat::new_unchecked(Quaternion::new(ci * cj * ck - e * si * sj * sk, v[0], v[1], v[2]))
            }
            Order::Any(axes) => {
                let mut product = Quat::identity();
                for (&axis, &(sin, cos)) in axes.iter().zip(half) {
                    let mut v = [0.0; 3];
                    v[axis] = sin;
                    product *= Quat::new_unchecked(Quaternion::new(cos, v[0], v[1], v[2]));
                }
                product
            }
        }
    }
}

fn parity(i: usize, j: usize) -> Real {
    if (i + 1) % 3 == j { 1.0 } else { -1.0 }
}

/// Returns angles in degrees about three different axes whose product is the rotation; of the two solutions and their
/// whole revolutions, the one nearest to `previous`.
pub(crate) fn decompose(rotation: &Quat, [i, j, k]: [usize; 3], previous: [Real; 3]) -> [Real; 3] {
    let e = parity(i, j);
    let m = rotation.to_rotation_matrix().into_inner();
    // R = R_i(a) R_j(b) R_k(c). Column k is R_i(a) R_j(b) e_k: its i part is e·sin b, the rest cos b times
    // (−e·sin a, cos a). In gimbal lock cos b is nothing but rounding and only a ± c is known: a stays where it was.
    let locked = real::hypot(m[(j, k)], m[(k, k)]) < 1e-13;
    let a = if locked { previous[0].to_radians() } else { real::atan2(-e * m[(j, k)], m[(k, k)]) };
    // b and c from what is left once a is undone, R_j(b) R_k(c), so that a poorly known a does no harm. Its row j
    // is (e·sin c, cos c, 0) in the columns i, j, k.
    let (sin, cos) = real::sin_cos(a);
    let row_j = |column: usize| cos * m[(j, column)] + e * sin * m[(k, column)];
    let cos_b = cos * m[(k, k)] - e * sin * m[(j, k)];
    let b = real::atan2(e * m[(i, k)], cos_b);
    let c = real::atan2(e * row_j(i), row_j(j));
    let first = [a, b, c].map(Real::to_degrees);
    let second = [first[0] + 180.0, 180.0 - first[1], first[2] + 180.0];
    let near = |angles: [Real; 3]| {
        let mut near = angles;
        let mut distance = 0.0;
        for (angle, previous) in near.iter_mut().zip(previous) {
            *angle -= 360.0 * ((*angle - previous) / 360.0).round();
            distance += (*angle - previous).abs();
        }
        (distance, near)
    };
    let (first, second) = (near(first), near(second));
    if second.0 < first.0 { second.1 } else { first.1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vec3;
    use proptest::prelude::*;

    fn compose(axes: &[usize], degrees: &[Real]) -> Quat {
        let half: Vec<_> = degrees.iter().map(|&d| half_sin_cos(d)).collect();
        Order::of(axes).compose(&half)
    }

    fn reference(axes: &[usize], degrees: &[Real]) -> Quat {
        axes.iter().zip(degrees).fold(Quat::identity(), |q, (&axis, &d)| {
            let mut v = Vec3::zeros();
            v[axis] = d.to_radians();
            q * Quat::from_scaled_axis(v)
        })
    }

    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

    #[test]
    fn right_angles_are_exact_however_often_they_are_wound() {
        for turns in [-100_000.0, -1.0, 0.0, 1.0, 7.0, 100_000.0] {
            let (sin, cos) = half_sin_cos(180.0 + 720.0 * turns);
            assert_eq!((sin, cos.abs()), (1.0, 0.0));
            assert_eq!(half_sin_cos(720.0 * turns), (0.0, 1.0));
        }
    }

    proptest! {
        #[test]
        fn half_angles_match_the_standard_library(degrees in -2000.0f64..2000.0) {
            let (sin, cos) = half_sin_cos(degrees);
            let (s, c) = (0.5 * degrees).to_radians().sin_cos();
            // The reference itself loses digits when it turns 1000° into radians.
            prop_assert!((sin - s).abs() < 3e-15 && (cos - c).abs() < 3e-15);
            prop_assert!((sin * sin + cos * cos - 1.0).abs() < 1e-15);
        }

        #[test]
        fn channels_compose_first_outermost_in_every_order(
            a in -400.0f64..400.0, b in -400.0f64..400.0, c in -400.0f64..400.0, order in 0usize..6, count in 0usize..=3,
        ) {
            let axes = &ORDERS[order][..count];
            let degrees = &[a, b, c][..count];
            prop_assert!((compose(axes, degrees).coords - reference(axes, degrees).coords).norm() < 1e-14);
            // An axis may come twice.
            let axes = [axes, &[0, 0][..]].concat();
            let degrees = [degrees, &[a, b][..]].concat();
            prop_assert!((compose(&axes, &degrees).coords - reference(&axes, &degrees).coords).norm() < 1e-14);
        }

        #[test]
        fn decomposed_angles_give_the_rotation_back_even_in_gimbal_lock(
            a in -180.0f64..180.0, b in -180.0f64..180.0, c in -180.0f64..180.0, lock in 0usize..4, tiny in -1e-7f64..1e-7,
            order in 0usize..6, previous in -720.0f64..720.0,
        ) {
            let b = [b, 90.0, -90.0, 90.0 + tiny][lock];
            let axes = ORDERS[order];
            let rotation = compose(&axes, &[a, b, c]);
            let angles = decompose(&rotation, axes, [previous, 0.0, -previous]);
            prop_assert!(compose(&axes, &angles).angle_to(&rotation) < 1e-12);
            prop_assert!((angles[0] - previous).abs() <= 270.0 + 1e-6);
        }

        #[test]
        fn an_angle_that_winds_on_is_followed(turns in -5i32..5, b in -80.0f64..80.0, order in 0usize..6) {
            let previous = [360.0 * f64::from(turns) + 170.0, b, 20.0];
            let next = [360.0 * f64::from(turns) + 190.0, b, 25.0];
            let angles = decompose(&compose(&ORDERS[order], &next), ORDERS[order], previous);
            for (angle, next) in angles.iter().zip(next) {
                prop_assert!((angle - next).abs() < 1e-9);
            }
        }
    }
}

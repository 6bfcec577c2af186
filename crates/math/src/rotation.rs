//! Rotation vectors and directions across a normal.

use crate::real;
use crate::{Quat, Vec3};

/// Returns the rotation vector of the shorter way, radians; well conditioned for small and large rotations.
#[inline]
pub fn rotation_vector(q: &Quat) -> Vec3 {
    let (w, v) = (q.w, q.imag());
    let s = v.norm_squared();
    if s < 2.5e-3 {
        // 2 asin(√s)/√s to rounding, for rotations below 5.7°.
        let series = 1.0
            + s * (1.0 / 6.0 + s * (3.0 / 40.0 + s * (15.0 / 336.0 + s * (105.0 / 3456.0 + s * (945.0 / 42240.0)))));
        return v * (2.0 * series * w.signum());
    }
    let sine = s.sqrt();
    v * (2.0 * real::atan2(sine * w.signum(), w.abs()) / sine)
}

/// Returns two unit vectors that are perpendicular to a unit vector and to each other.
#[inline]
pub fn tangents(n: &Vec3) -> (Vec3, Vec3) {
    let t = n.cross(&Vec3::ith(n.iamin(), 1.0)).normalize();
    (t, n.cross(&t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// The logarithm undoes the exponential map, across the border between series and closed form.
    #[test]
    fn rotation_vector_inverts_the_exponential_map() {
        let axis = Vec3::new(0.6, -0.64, 0.48);
        for angle in [0.0, 1e-12, 1e-6, 0.05, 0.0999, 0.1001, 0.5, 1.5, 3.0, PI - 1e-9] {
            let found = rotation_vector(&Quat::from_scaled_axis(axis * angle));
            assert!((found - axis * angle).norm() <= 1e-14 * angle.max(1.0), "{angle}: {found}");
        }
    }

    /// q and −q are the same rotation; beyond half a turn the way back is shorter.
    #[test]
    fn rotation_vector_takes_the_shorter_way() {
        let axis = Vec3::new(0.6, -0.64, 0.48);
        let q = Quat::from_scaled_axis(axis * 0.7);
        assert_eq!(rotation_vector(&q), rotation_vector(&Quat::new_unchecked(-q.into_inner())));
        let far = rotation_vector(&Quat::from_scaled_axis(axis * 4.0));
        assert!((far - axis * (4.0 - 2.0 * PI)).norm() < 1e-14, "{far}");
    }

    #[test]
    fn tangents_and_normal_are_a_right_handed_frame() {
        for n in [Vec3::x(), -Vec3::y(), Vec3::z(), Vec3::new(0.6, -0.64, 0.48)] {
            let (a, b) = tangents(&n);
            assert!((a.norm() - 1.0).abs() < 1e-15 && (b.norm() - 1.0).abs() < 1e-15);
            assert!((a.cross(&b) - n).norm() < 1e-15, "{n}");
        }
    }
}

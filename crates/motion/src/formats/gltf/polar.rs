//! Rotation in a 3×3 matrix: polar decomposition, and the test for a similarity.

use super::tree::quaternion;
use crate::math::{Mat3, real};
use crate::{Quat, Real};

/// Scales that differ by less than this are exporters' rounding, not a shape.
const UNIFORM: Real = 1e-5;

/// Returns size and rotation of `matrix = size · rotation` (a negative size mirrors); `None` for other matrices.
pub(super) fn similarity(matrix: &Mat3) -> Option<(Real, Quat)> {
    let determinant = matrix.determinant();
    let size = real::cbrt(determinant);
    if !size.is_normal() || size.abs() < 1e-30 {
        return None;
    }
    let turned = matrix / size;
    let slant = (turned.transpose() * turned - Mat3::identity()).amax();
    (slant < 2.0 * UNIFORM).then(|| (size, quaternion(&turned)))
}

/// Returns the rotation nearest to `matrix`, by Newton's iteration `X ← (X + X⁻ᵀ)/2` (Higham 1986). A mirrored matrix gives
/// the rotation of its negative; one that has collapsed gives a rotation that agrees with what is left of it.
pub(super) fn rotation_of(matrix: &Mat3) -> Quat {
    let largest = matrix.amax();
    if !largest.is_normal() {
        return Quat::identity();
    }
    let mut x = matrix / largest;
    if x.determinant() < 0.0 {
        x = -x;
    }
    for _ in 0..60 {
        let Some(inverse) = x.try_inverse().filter(|i| i.amax() < 1e9) else { return frame_of(&x) };
        let next = (x + inverse.transpose()) * 0.5;
        let change = (next - x).amax();
        x = next;
        if change < 1e-15 {
            break;
        }
    }
    quaternion(&x)
}

/// Gram–Schmidt on the longest column first; missing directions are filled in.
fn frame_of(matrix: &Mat3) -> Quat {
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| matrix.column(b).norm().total_cmp(&matrix.column(a).norm()));
    let first = matrix.column(order[0]).normalize();
    let second = matrix.column(order[1]) - first * first.dot(&matrix.column(order[1]));
    let second = second.try_normalize(1e-6).unwrap_or_else(|| {
        let axis = first.iamin();
        let mut other = crate::Vec3::zeros();
        other[axis] = 1.0;
        (other - first * first.dot(&other)).normalize()
    });
    let mut frame = Mat3::zeros();
    frame.set_column(order[0], &first);
    frame.set_column(order[1], &second);
    // The third column completes a right-handed frame, whichever place it has.
    let third = if (order[1] + 3 - order[0]) % 3 == 1 { first.cross(&second) } else { second.cross(&first) };
    frame.set_column(order[2], &third);
    quaternion(&frame)
}

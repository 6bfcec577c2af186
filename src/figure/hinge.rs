//! Is it a hinge? What the captured turns of a joint say.
//!
//! With the mean turn m and w = log(m⁻¹ q) for every captured turn q, a hinge has all w on one line: the eigenvector of
//! Σ w wᵀ with the largest eigenvalue. How far it is off is the angle by which that axis, carried along by the joint, leaves
//! its own mean direction.

use super::segment_shapes::share;
use crate::math::{Mat3, Quat, Real, Vec3};

/// A captured hinge.
pub(super) struct Hinge {
    /// Axis of the hinge in the child's axes.
    pub axis: Vec3,
    /// The same axis in the parent's axes, on average.
    pub in_parent: Vec3,
    /// Turn about the axis, root mean square about its mean, radians.
    pub swing: Real,
    /// Angle between the axis and its mean direction that 95 % of the frames stay below, radians.
    pub off: Real,
}

/// The axis a joint turns about most; `None` where it does not turn.
pub(super) fn principal(turns: &[Quat]) -> Option<Hinge> {
    let mean = mean(turns)?;
    let mut spread = Mat3::zeros();
    for turn in turns {
        let w = (mean.inverse() * turn).scaled_axis();
        spread += w * w.transpose();
    }
    let eigen = (spread / turns.len() as Real).symmetric_eigen();
    let largest = eigen.eigenvalues.imax();
    let swing = eigen.eigenvalues[largest].max(0.0).sqrt();
    (swing > 1e-4).then(|| along(turns, eigen.eigenvectors.column(largest).into_owned(), swing))
}

/// Fits a hinge with this axis (child's axes) to rotations of the child against its parent.
pub(super) fn along(turns: &[Quat], axis: Vec3, swing: Real) -> Hinge {
    let sum: Vec3 = turns.iter().map(|turn| turn * axis).sum();
    let in_parent = sum.try_normalize(1e-9).unwrap_or(axis);
    let off = share(turns.iter().map(|turn| (turn * axis).angle(&in_parent)), 0.95);
    Hinge { axis, in_parent, swing, off }
}

/// The mean turn.
fn mean(turns: &[Quat]) -> Option<Quat> {
    let first = turns.first()?.coords;
    let sum = turns.iter().fold(nalgebra::Vector4::zeros(), |sum, turn| {
        if turn.coords.dot(&first) < 0.0 { sum - turn.coords } else { sum + turn.coords }
    });
    let sum = nalgebra::Quaternion::from(sum);
    (sum.norm() > 1e-6).then(|| Quat::from_quaternion(sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Unit;

    /// Turns about one axis, seen from any fixed frame, give that axis and no error.
    #[test]
    fn turns_about_one_axis_are_found_to_be_a_hinge() {
        let axis = Unit::new_normalize(Vec3::new(1.0, 0.3, -0.2));
        let socket = Quat::from_euler_angles(0.4, -0.8, 1.1);
        let turns: Vec<Quat> = (0..50).map(|k| socket * Quat::from_axis_angle(&axis, 0.03 * k as Real)).collect();
        let hinge = principal(&turns).unwrap();
        assert!(hinge.axis.dot(&axis).abs() > 1.0 - 1e-9 && hinge.off < 1e-6);
        assert!((hinge.in_parent.dot(&(socket * axis.into_inner()))).abs() > 1.0 - 1e-9);
    }

    #[test]
    fn turns_about_two_axes_are_not() {
        let turn = |k: i32| Quat::from_euler_angles(0.03 * Real::from(k), 0.4 * Real::from(k % 5) / 5.0, 0.0);
        let turns: Vec<Quat> = (0..50).map(turn).collect();
        assert!(principal(&turns).unwrap().off > 0.1);
    }
}

//! Convention of joint axes: most rigs lay them along bones and hinges.
//!
//! In such a rig every joint has one of the 24 orientations of a cube, seen from its parent, when the body is in its neutral posture. Where a
//! motion shows that most joints are near one, these orientations are the reference to the last digit, and the motion has
//! only to tell which of the 24 it is. The few joints that lie between them (curved spines, feet) keep what the motion shows.

use super::reference::swing;
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::Skeleton;
use nalgebra::Rotation3;

/// Angle to the nearest orientation of the cube below which a joint may have its axes along its bones, radians; and the share of joints that
/// must have them. A joint in axes of its own is as near as that by chance in one of 80 cases.
const NEAR: Real = 0.21;
const MOST: Real = 0.5;
/// Standard deviations by which what the motion shows may differ from the convention.
const DEVIATIONS: Real = 3.0;
/// Standard deviation of axes from the bones and lines of a body in such rigs, radians.
const EXACT: Real = 0.035;

/// Reference of one joint, as a motion shows it.
pub(super) struct Shown {
    pub reference: Quat,
    /// Inverse covariance of rotations in the frame of the joint, 1/rad².
    pub information: Mat3,
    /// Bone in the frame of the joint, and its direction in the reference posture.
    pub bone: Option<(Vec3, Vec3)>,
    /// True for parts of the body; false for joints that serve the rig.
    pub is_part: bool,
}

impl Shown {
    /// Returns how far a rotation in the frame of the joint leads from what is shown, in standard deviations. Each axis has one of its own: a sole
    /// shows how a foot is tilted and not where it points.
    fn deviations(&self, by: Vec3) -> Real {
        let eigen = self.information.symmetric_eigen();
        let square = |k: usize| {
            let variance = eigen.eigenvalues[k].max(1e-9).recip() + EXACT * EXACT;
            eigen.eigenvectors.column(k).dot(&by).powi(2) / variance
        };
        (0..3).map(square).sum::<Real>().sqrt()
    }
}

/// Returns the references, with those that follow the convention set to it; `None` if the rig has none.
pub(super) fn settle(skeleton: &Skeleton, shown: &[Shown]) -> Option<Vec<Quat>> {
    let cube = cube();
    let nearest = |turn: Quat| {
        let closer = |a: &&Quat, b: &&Quat| a.angle_to(&turn).total_cmp(&b.angle_to(&turn));
        cube.iter().min_by(closer).map_or((turn, 0.0), |near| (*near, near.angle_to(&turn)))
    };
    let seen = |references: &dyn Fn(usize) -> Quat, joint: usize| {
        let parent = skeleton.joint(joint).parent.map_or_else(Quat::identity, references);
        (parent, parent.inverse() * shown[joint].reference)
    };
    let own = |j: usize| shown[j].reference;
    let parts = || (0..shown.len()).filter(|&j| shown[j].is_part);
    let near = parts().filter(|&j| nearest(seen(&own, j).1).1 < NEAR).count();
    if (near as Real) < MOST * parts().count() as Real {
        return None;
    }
    let mut references: Vec<Quat> = Vec::with_capacity(shown.len());
    for (j, shown) in shown.iter().enumerate() {
        let (parent, turn) = seen(&|p| references[p], j);
        let near = parent * nearest(turn).0;
        // Bones point where they do in the reference posture, whatever axes their joints have.
        let near = shown.bone.map_or(near, |(a, b)| swing(&(near * a), &b) * near);
        let is_near = shown.deviations((shown.reference.inverse() * near).scaled_axis()) < DEVIATIONS;
        references.push(if is_near { near } else { shown.reference });
    }
    Some(references)
}

/// Returns the 24 rotations of a cube.
fn cube() -> Vec<Quat> {
    let axes = [Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y(), Vec3::z(), -Vec3::z()];
    let mut all = Vec::with_capacity(24);
    for x in &axes {
        for y in axes.iter().filter(|y| y.dot(x) == 0.0) {
            let matrix = Mat3::from_columns(&[*x, *y, x.cross(y)]);
            all.push(Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix)));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Joint;

    /// A chain whose joints are shown with an error of 8°: in axes along the bones the error goes away, but for the joint that lies
    /// between two of them. In other axes there is no convention.
    #[test]
    fn errors_go_away_where_axes_follow_a_convention() {
        let bone = |k: usize| Joint::new(format!("{k}"), k.checked_sub(1), Vec3::x());
        let skeleton = Skeleton::new((0..5).map(bone).collect()).unwrap();
        let error = Quat::from_axis_angle(&Vec3::y_axis(), 0.14);
        let shown = |turn: &dyn Fn(usize) -> Quat| -> Vec<Shown> {
            let turns = (0..5).scan(Quat::identity(), |above, k| {
                *above *= turn(k);
                Some(*above)
            });
            let shown = |(k, q): (usize, Quat)| if k % 2 == 1 { error * q } else { q };
            let information = Mat3::identity() * 100.0;
            let one = |reference| Shown { reference, information, bone: None, is_part: true };
            turns.enumerate().map(shown).map(one).collect()
        };
        let quarter = |k: usize| Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2 * k as Real);
        let between = |k: usize| if k == 4 { Quat::from_axis_angle(&Vec3::x_axis(), 0.7) } else { quarter(k) };
        let settled = settle(&skeleton, &shown(&between)).unwrap();
        let mut above = Quat::identity();
        for (k, reference) in settled.iter().enumerate() {
            above *= between(k);
            assert!(reference.angle_to(&above) < 1e-6, "joint {k}: {}", reference.angle_to(&above));
        }
        let other = shown(&|k| Quat::from_euler_angles(0.7, 0.5 + k as Real, 0.3));
        assert_eq!(settle(&skeleton, &other), None);
    }
}

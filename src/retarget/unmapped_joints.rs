//! Offsets of joints that the source does not have.
//!
//! Collar bones, toes, a third joint of the spine, a second of the neck cannot be mapped from a source without them. Such
//! joints would keep their rest or lie evenly between their neighbours, and rest poses of captured skeletons are often
//! unnatural. A motion of the target's own shows their usual posture, where there is one: its postures are mapped to the source
//! and back, and their mean loss is restored,
//!
//!   R = R_led D,   D = mean of R_led⁻¹ R_own,
//!
//! as far as it is consistent: by θ² / (θ² + σ²) of it, θ being the angle of D and σ its deviation.

use super::transfer::Transfer;
use crate::figure::body::Body;
use crate::math::{Quat, Real, Vec3};
use crate::motion::{Frame, Pose, Role};
use nalgebra::{Quaternion, Unit};

/// Fewest postures of a motion that define an offset.
const FEWEST: usize = 8;

/// Returns for every joint of the target what its own postures lose on the way to the source and back; identity for mapped
/// joints.
pub(super) fn unmapped_offsets(there: &Transfer, back: &Transfer, source: &Body, target: &Body) -> Vec<Quat> {
    let mut offsets = vec![Quat::identity(); target.skeleton.len()];
    let unmapped: Vec<usize> = (0..offsets.len()).filter(|&j| is_unmapped(source, target, j)).collect();
    if unmapped.is_empty() || target.own_postures.len() < FEWEST {
        return offsets;
    }
    let mut lost: Vec<Vec<Quat>> = vec![Vec::with_capacity(target.own_postures.len()); unmapped.len()];
    let (mut frames, mut led, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for posture in &target.own_postures {
        let pose = Pose { rotations: posture.clone(), ..target.skeleton.rest_pose() };
        pose.world_into(&target.skeleton, &mut frames);
        led.clear();
        there.orientations(&frames, &mut led);
        there.places(&Vec3::zeros(), &led, &mut places);
        let on_source: Vec<Frame> =
            led.iter().zip(&places).map(|(q, p)| Frame { rotation: *q, position: *p }).collect();
        led.clear();
        back.driven(&on_source, &mut led);
        for (&j, lost) in unmapped.iter().zip(&mut lost) {
            let rests = || target.skeleton.joint(j).rest.inverse() * posture[j];
            lost.push(if back.follows(j) { led[j].inverse() * frames[j].rotation } else { rests() });
        }
    }
    for (j, lost) in unmapped.into_iter().zip(lost) {
        offsets[j] = consistent_mean(&lost);
    }
    offsets
}

/// Returns the mean of some rotations, scaled by their consistency.
fn consistent_mean(rotations: &[Quat]) -> Quat {
    let sum = rotations.iter().fold(Quaternion::from(nalgebra::Vector4::zeros()), |sum, rotation| {
        let sign = if sum.dot(rotation.as_ref()) < 0.0 { -1.0 } else { 1.0 };
        sum + rotation.as_ref() * sign
    });
    let Some(mean) = Unit::try_new(sum, 1e-9) else { return Quat::identity() };
    let spread =
        rotations.iter().map(|rotation| mean.angle_to(rotation).powi(2)).sum::<Real>() / rotations.len() as Real;
    let square = mean.angle().powi(2);
    mean.powf(square / (square + spread).max(1e-12))
}

/// Returns true if a joint of the target has a degree of freedom that no joint of the source moves.
fn is_unmapped(source: &Body, target: &Body, joint: usize) -> bool {
    let count = |body: &Body, chain: fn(u8) -> Role| body.chain(chain).len();
    let differ = |chain: fn(u8) -> Role| count(source, chain) != count(target, chain);
    match target.guesses[joint].role {
        // The last joint of a spine is driven by the last one.
        Some(Role::Spine(k)) => differ(Role::Spine) && usize::from(k) + 1 < count(target, Role::Spine),
        Some(Role::Neck(_)) => differ(Role::Neck),
        Some(role @ (Role::Shoulder(_) | Role::Toes(_))) => source.joint(role).is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(angle: Real) -> Quat {
        Quat::from_axis_angle(&Vec3::x_axis(), angle)
    }

    /// A constant rotation is restored as a whole, an alternating one not at all, and one between by θ² / (θ² + σ²).
    #[test]
    fn a_habit_is_what_does_not_vary() {
        assert!(consistent_mean(&[about(0.4); 9]).angle_to(&about(0.4)) < 1e-9);
        let to_and_fro: Vec<Quat> = (0..10).map(|k| about(if k % 2 == 0 { 0.5 } else { -0.5 })).collect();
        assert!(consistent_mean(&to_and_fro).angle() < 1e-9);
        let varies: Vec<Quat> = (0..10).map(|k| about(if k % 2 == 0 { 0.4 } else { 0.2 })).collect();
        assert!(
            (consistent_mean(&varies).angle() - 0.3 * 0.09 / (0.09 + 0.01)).abs() < 1e-9,
            "{}",
            consistent_mean(&varies).angle()
        );
    }
}

//! Ranges of motion of human joints.
//!
//! American Academy of Orthopaedic Surgeons, *Joint Motion: Method of Measuring and Recording* (1965), degrees: shoulder
//! flexion 180, extension 60, abduction 180; elbow flexion 150; forearm pronation and supination 80; wrist flexion 80,
//! extension 70, deviation 20 and 30; hip flexion 120, extension 30, abduction 45, adduction 30, rotation 45; knee
//! flexion 135; ankle plantar flexion 50, dorsiflexion 20, inversion 35, eversion 15; toes extension 70, flexion 45; neck
//! flexion and extension 45, to the side 45, rotation 60; back flexion 80, extension 25, to the side 35, rotation 45. Ranges
//! of back and neck are shared by the joints a skeleton has there, each of which may do half as much again.

use super::build::Draft;
use crate::math::{Quat, Real, Vec3, real};
use crate::motion::{Role, Side};
use nalgebra::Unit;

/// The range of a ball joint in the reference pose, world space.
pub(super) struct Range {
    /// Direction of the bone in the middle of the range.
    pub centre: Vec3,
    /// About this axis the bone swings by `flexion` to both sides; by `aside` across it.
    pub axis: Vec3,
    pub flexion: Real,
    pub aside: Real,
    pub twist: Real,
}

/// Hinge angles from straight, positive bends.
pub(super) const KNEE: [Real; 2] = [-10.0, 135.0];
pub(super) const ELBOW: [Real; 2] = [-10.0, 150.0];

fn about(axis: &Vec3, degrees: Real, direction: &Vec3) -> Vec3 {
    Quat::from_axis_angle(&Unit::new_normalize(*axis), degrees.to_radians()) * direction
}

impl Draft<'_> {
    /// The range of a segment's joint; `bone` is where the segment points in the reference pose, degrees inside.
    pub(super) fn range(&self, segment: usize, bone: &Vec3) -> Range {
        let (up, forward, left) = (self.posture.up, self.posture.forward, self.posture.left);
        let role = self.role(segment);
        let out = self.posture.outward(role.and_then(Role::side));
        let range = |centre: Vec3, axis: Vec3, flexion: Real, aside: Real, twist: Real| Range {
            centre,
            axis,
            flexion: flexion.to_radians(),
            aside: aside.to_radians(),
            twist: twist.to_radians(),
        };
        if !self.plan.humanoid {
            return match role {
                Some(Role::Tail(_)) => range(*bone, left, 60.0, 60.0, 40.0),
                _ => range(*bone, left, 90.0, 90.0, 60.0),
            };
        }
        let count = |of: fn(Role) -> bool| {
            (0..self.plan.joints.len()).filter(|&k| self.role(k).is_some_and(of)).count().max(1) as Real
        };
        match role {
            Some(Role::Hips | Role::Spine(_)) | None => {
                let each = 1.5 / count(|r| matches!(r, Role::Spine(_)));
                range(about(&left, 27.5 * each.min(1.0), bone), left, 52.5 * each, 35.0 * each, 45.0 * each)
            }
            Some(Role::Neck(_) | Role::Head) => {
                let each = 1.5 / count(|r| matches!(r, Role::Neck(_) | Role::Head));
                range(*bone, left, 45.0 * each, 45.0 * each, 60.0 * each)
            }
            Some(Role::Shoulder(_)) => range(*bone, forward, 25.0, 25.0, 20.0),
            Some(Role::UpperArm(_)) => range(out * 0.8 + forward * 0.55 - up * 0.1, left, 105.0, 105.0, 90.0),
            Some(Role::Hand(_)) => range(*bone, forward, 75.0, 30.0, 80.0),
            Some(Role::UpperLeg(_)) => {
                let middle = about(&left, -45.0, &-up);
                range(middle + out * (real::tan(7.5_f64.to_radians())), left, 75.0, 37.5, 45.0)
            }
            Some(Role::Foot(_)) => range(about(&left, 15.0, bone), left, 35.0, 20.0, 35.0),
            Some(Role::Toes(_)) => range(about(&left, -12.5, bone), left, 57.5, 10.0, 10.0),
            _ => range(*bone, left, 60.0, 60.0, 40.0),
        }
    }

    /// The axis about which a knee or an elbow bends, so that a positive turn bends it; world space of the reference
    /// pose. `upper` and `lower` are where the bones above and below point.
    pub(super) fn bending_axis(&self, knee: bool, side: Option<Side>, upper: &Vec3, lower: &Vec3) -> Vec3 {
        // A shank swings back, a forearm swings to the front.
        let towards = if knee { -self.posture.forward } else { self.posture.forward };
        let across = lower.cross(&towards).try_normalize(1e-3).unwrap_or_else(|| self.posture.outward(side));
        match upper.cross(lower).try_normalize(0.17) {
            // Bent already, and the right way.
            Some(bend) if bend.dot(&across) > 0.5 => bend,
            _ => across,
        }
    }
}

//! Landmarks of a body: joints that show its posture and its size before its up axis and unit are known.

use crate::role_detection::roles_in_any_axes;
use crate::{Real, Role, Side, Skeleton, stature};

/// Joints that show posture and size of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Landmarks {
    /// Joint where the legs meet the trunk.
    pub hips: usize,
    pub head: Option<usize>,
    /// First joint and ankle of each leg.
    pub legs: Vec<[usize; 2]>,
    /// First joint and wrist of each arm, or foreleg.
    pub arms: Vec<[usize; 2]>,
    /// Length of the body from the feet to the head along its bones, in the unit of the skeleton.
    pub length: Option<Real>,
}

impl Landmarks {
    /// Finds the landmarks of a skeleton in any unit and axes; `None` where it has no legs.
    pub fn find(skeleton: &Skeleton) -> Option<Landmarks> {
        let roles = roles_in_any_axes(skeleton);
        let find = |role: Role| roles.iter().position(|&found| found == Some(role));
        let first = |choices: &[Role]| choices.iter().find_map(|&role| find(role));
        let hips = find(Role::Hips);
        // A skeleton of few joints may have no hip or knee of its own.
        let legs = |side: Side| {
            let end = first(&[Role::Foot(side), Role::Toes(side), Role::LowerLeg(side)])?;
            Some([first(&[Role::UpperLeg(side), Role::LowerLeg(side)]).filter(|&top| top != end).or(hips)?, end])
        };
        let arms = |side: Side| {
            let end = first(&[Role::Hand(side), Role::LowerArm(side)])?;
            Some([first(&[Role::UpperArm(side), Role::LowerArm(side)]).filter(|&top| top != end)?, end])
        };
        let sides = [Side::Left, Side::Right];
        let legs: Vec<[usize; 2]> = sides.into_iter().filter_map(legs).collect();
        let arms: Vec<[usize; 2]> = sides.into_iter().filter_map(arms).collect();
        let highest_neck = || (0..8).rev().find_map(|k| find(Role::Neck(k)));
        let head = find(Role::Head).or_else(highest_neck);
        let hips = hips.or_else(|| skeleton.joint(legs.first()?[0]).parent)?;
        let length = stature(skeleton, &roles).map(|found| found.height);
        let length = length.filter(|height| height.is_finite() && *height > 0.0);
        (!legs.is_empty()).then_some(Landmarks { hips, head, legs, arms, length })
    }
}

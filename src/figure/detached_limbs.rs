//! Feet and hands that do not hang on their limbs.
//!
//! In rigs with inverse-kinematics targets the feet are children of the root, and follow the shanks only in the animation.
//! A body built like that skeleton would stand on feet that carry no load. So such a foot is a segment on its shank, and a
//! hand on its forearm; poses give its position, as they do for roots.

use super::Figure;
use crate::motion::{Role, Skeleton};

/// Joints that carry another joint instead of its parent, by joint; none for nearly all.
pub(super) fn reattachments(skeleton: &Skeleton, roles: &[Option<Role>]) -> Vec<Option<usize>> {
    let holder = |j: usize| {
        let limb = match roles[j]? {
            Role::Foot(side) => Role::LowerLeg(side),
            Role::Hand(side) => Role::LowerArm(side),
            _ => return None,
        };
        let limb = roles.iter().position(|role| *role == Some(limb))?;
        (!is_below(skeleton, j, limb) && !is_below(skeleton, limb, j)).then_some(limb)
    };
    (0..skeleton.len()).map(holder).collect()
}

/// All joints, those that carry others first.
pub(super) fn order(skeleton: &Skeleton, reattachments: &[Option<usize>]) -> Vec<usize> {
    let (mut last, first): (Vec<usize>, Vec<usize>) =
        (0..skeleton.len()).partition(|&j| is_reattached(skeleton, reattachments, j));
    let mut order = first;
    order.append(&mut last);
    order
}

/// Returns true if a joint, or one above it, has another parent in the figure than in its skeleton.
pub(super) fn is_reattached(skeleton: &Skeleton, reattachments: &[Option<usize>], joint: usize) -> bool {
    std::iter::successors(Some(joint), |&j| skeleton.joint(j).parent).any(|j| reattachments[j].is_some())
}

pub(super) fn is_below(skeleton: &Skeleton, joint: usize, top: usize) -> bool {
    std::iter::successors(Some(joint), |&j| skeleton.joint(j).parent).any(|j| j == top)
}

impl Figure {
    /// Returns true if a pose has to give the position of a segment: the segment is free, or its parent in the figure is
    /// not above it in the skeleton.
    pub fn is_placed(&self, segment: usize) -> bool {
        let own = self.segment(segment).joint;
        self.held_by(segment).is_none_or(|parent| !is_below(&self.skeleton, own, self.segment(parent).joint))
    }
}

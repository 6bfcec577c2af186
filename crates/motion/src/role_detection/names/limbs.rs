//! Roles of arms and legs, read from the body outwards.

use super::dictionary::Part;
use super::{DECIDED, Detector, PARTLY, PLACED};
use crate::Real;
use crate::{Role, Side};

/// The joints of a limb in order, and which of them the name makes clear.
struct Limb {
    joints: Vec<usize>,
    roles: Vec<Role>,
    taken: Vec<Option<(usize, Real)>>,
}

/// Factor on the confidence of a foot or hand that does not hang on its limb.
const DETACHED: Real = 0.7;

impl Limb {
    fn take(&mut self, slot: usize, joint: usize, confidence: Real) -> bool {
        let free = self.taken[slot].is_none();
        if free {
            self.taken[slot] = Some((joint, confidence));
            self.joints.retain(|&j| j != joint);
        }
        free
    }
}

impl Detector<'_> {
    pub(super) fn leg(&mut self, side: Side) {
        use Part::*;
        let s = Some(side);
        let joints = self.claims(s, &[HipJoint, Hip, UpperLeg, Leg, LowerLeg, Foot, Toes]);
        let roles = [Role::UpperLeg, Role::LowerLeg, Role::Foot, Role::Toes].map(|r| r(side)).to_vec();
        let mut limb = Limb { joints, roles, taken: vec![None; 4] };
        self.take_named(&mut limb, UpperLeg, 0);
        // Biovision names joints by articulation: with a side, the hip is where the upper leg turns.
        self.take_decided(&mut limb, Hip, 0);
        self.take_decided(&mut limb, HipJoint, 0);
        self.take_named(&mut limb, LowerLeg, 1);
        self.take_named(&mut limb, Toes, 3);
        self.take_named(&mut limb, Foot, 2);
        if limb.taken[0].is_some() {
            self.take_decided(&mut limb, Leg, 1);
        }
        // Fox: Foot01, Foot02. SMPL: Ankle, Foot.
        self.take_decided(&mut limb, Foot, 3);
        self.fill_from(&mut limb, Leg, 0);
        self.settle(limb);
    }

    pub(super) fn arm(&mut self, side: Side) {
        use Part::*;
        let s = Some(side);
        let joints = self.claims(s, &[Collar, Shoulder, UpperArm, Arm, LowerArm, Hand, Palm]);
        let roles = [Role::Shoulder, Role::UpperArm, Role::LowerArm, Role::Hand].map(|r| r(side)).to_vec();
        let mut limb = Limb { joints, roles, taken: vec![None; 4] };
        self.take_named(&mut limb, Collar, 0);
        self.take_named(&mut limb, UpperArm, 1);
        self.take_named(&mut limb, LowerArm, 2);
        self.take_named(&mut limb, Hand, 3);
        // A shoulder is the collar bone when an arm comes after it, and the arm itself when the elbow does.
        let arms = limb.joints.iter().filter(|&&j| self.named[j].part == Some(Arm)).count();
        if limb.taken[1].is_none() && arms == 0 {
            self.take_decided(&mut limb, Shoulder, 1);
        }
        self.take_decided(&mut limb, Shoulder, 0);
        self.take_decided(&mut limb, Palm, 3);
        let first = limb.taken.clone();
        self.fill_from(&mut limb, Arm, 1);
        // One arm beside a named forearm is as clear as a name can be.
        let arm_before_forearm = first[1].is_none() && first[2].is_some();
        if let Some((_, confidence)) = limb.taken[1].as_mut().filter(|_| arm_before_forearm) {
            *confidence = DECIDED;
        }
        self.settle(limb);
    }

    fn first(&self, limb: &Limb, part: Part) -> Option<usize> {
        limb.joints.iter().copied().find(|&j| self.named[j].part == Some(part))
    }

    fn take_named(&self, limb: &mut Limb, part: Part, slot: usize) {
        if let Some(joint) = self.first(limb, part) {
            limb.take(slot, joint, self.by_name(joint));
        }
    }

    fn take_decided(&self, limb: &mut Limb, part: Part, slot: usize) {
        if let Some(joint) = self.first(limb, part) {
            limb.take(slot, joint, if self.named[joint].exact { DECIDED } else { PARTLY });
        }
    }

    /// Gives the free places, outwards, to joints that are only called "leg" or "arm".
    fn fill_from(&self, limb: &mut Limb, part: Part, start: usize) {
        for slot in start..limb.roles.len() {
            if limb.taken[slot].is_none()
                && let Some(joint) = self.first(limb, part)
            {
                limb.take(slot, joint, PLACED);
            }
        }
    }

    /// Sets the roles. Feet and hands that are not below their limb, as in rigs with targets for them, have less
    /// confidence, other joints half of it.
    fn settle(&mut self, limb: Limb) {
        let mut before: Option<usize> = None;
        for (slot, &role) in limb.roles.iter().enumerate() {
            let Some((joint, confidence)) = limb.taken[slot] else { continue };
            let hangs = before.is_none_or(|b| self.is_below(joint, b));
            let factor = match role {
                _ if hangs => 1.0,
                Role::Foot(_) | Role::Hand(_) => DETACHED,
                _ => 0.5,
            };
            self.set(joint, role, confidence * factor);
            before = Some(joint);
        }
    }
}

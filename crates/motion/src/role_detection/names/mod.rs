//! Detection of anatomical roles from joint names and the joint tree.
//!
//! Names tell most of it (`dictionary`, `words`), but the same word means different joints in different rigs: a
//! `LeftLeg` is the shin below a `LeftUpLeg` and the whole leg elsewhere, a `LeftShoulder` is the collar bone before
//! a `LeftArm` and the upper arm before a `LeftElbow`, a `LeftHip` is the upper leg. The tree decides
//! (`limbs`, `trunk`): limbs are read from the body outwards, the joint nearer to the body wins where two claim
//! one role, the pelvis is the joint where legs and head meet, and chains are counted along the tree.
//!
//! Every role comes with a confidence, so that other evidence (shape, motion, the user) can be weighed against it.
//! A role that a joint already has is kept and is certain.

mod dictionary;
mod limbs;
mod trunk;
mod words;

use super::DetectedRole;
use crate::{Real, Role, Side, Skeleton};
use dictionary::Part;
use words::Words;

/// Confidence of a name that is known as a whole and means one thing.
const CLEAR: Real = 0.95;
/// Confidence of a name that means several things, where the tree decides.
const DECIDED: Real = 0.9;
/// Confidence of a name of which only a part is known.
const PARTLY: Real = 0.7;
/// Confidence of a role from the place in a chain.
const PLACED: Real = 0.6;

/// Name of a joint, taken apart.
struct Named {
    words: Words,
    part: Option<Part>,
    exact: bool,
    finger: Option<u8>,
    helper: bool,
}

/// Joint tree and the roles found so far.
struct Detector<'s> {
    skeleton: &'s Skeleton,
    depth: Vec<usize>,
    named: Vec<Named>,
    detected: Vec<DetectedRole>,
}

/// Detects roles from names and the joint tree alone, one answer per joint.
pub(super) fn roles_by_name(skeleton: &Skeleton) -> Vec<DetectedRole> {
    let mut detector = Detector::new(skeleton);
    for side in [Side::Left, Side::Right] {
        detector.leg(side);
        detector.arm(side);
    }
    detector.trunk();
    detector.fingers();
    detector.rest();
    detector.detected
}

/// Returns for every joint the joint of the other side whose name differs only in the side.
pub(crate) fn pairs_by_name(skeleton: &Skeleton) -> Vec<Option<usize>> {
    let words: Vec<Words> = skeleton.joints().iter().map(|j| words::words(&j.name)).collect();
    let partner = |w: &Words| {
        let other = w.side?.other();
        words.iter().position(|o| o.side == Some(other) && o.key == w.key)
    };
    words.iter().map(partner).collect()
}

impl<'s> Detector<'s> {
    fn new(skeleton: &'s Skeleton) -> Self {
        let mut depth: Vec<usize> = Vec::with_capacity(skeleton.len());
        let mut leaf = vec![true; skeleton.len()];
        for joint in skeleton.joints() {
            depth.push(joint.parent.map_or(0, |p| depth[p] + 1));
            if let Some(parent) = joint.parent {
                leaf[parent] = false;
            }
        }
        let words: Vec<Words> = skeleton.joints().iter().map(|joint| words::words(&joint.name)).collect();
        let has_hind = words.iter().any(words::is_hind);
        let named = words.into_iter().zip(leaf).map(|(words, leaf)| Named::new(words, leaf, has_hind)).collect();
        let known = |role: Option<Role>| DetectedRole { role, confidence: if role.is_some() { 1.0 } else { 0.0 } };
        let detected = skeleton.joints().iter().map(|joint| known(joint.role)).collect();
        Self { skeleton, depth, named, detected }
    }

    /// Returns true if `above` is the joint itself or one of its ancestors.
    fn is_below(&self, joint: usize, above: usize) -> bool {
        std::iter::successors(Some(joint), |&j| self.skeleton.joint(j).parent).any(|j| j == above)
    }

    fn holder(&self, role: Role) -> Option<usize> {
        self.detected.iter().position(|g| g.role == Some(role))
    }

    /// Sets the role of a joint, unless the joint has one or another joint has this one.
    fn set(&mut self, joint: usize, role: Role, confidence: Real) {
        let taken = role != Role::Helper && self.holder(role).is_some();
        if self.detected[joint].role.is_none() && !taken {
            self.detected[joint] = DetectedRole { role: Some(role), confidence };
        }
    }

    /// Returns the joints without a role whose name gives one of `parts` on `side`, nearest to the body first.
    fn claims(&self, side: Option<Side>, parts: &[Part]) -> Vec<usize> {
        let mut claims: Vec<usize> = (0..self.named.len())
            .filter(|&j| {
                let n = &self.named[j];
                let fits = n.part.is_some_and(|p| parts.contains(&p)) && n.words.side == side;
                fits && !n.helper && n.finger.is_none() && self.detected[j].role.is_none()
            })
            .collect();
        claims.sort_by_key(|&j| (self.named[j].words.inserted, self.depth[j], j));
        claims
    }

    /// Confidence that a name alone gives.
    fn by_name(&self, joint: usize) -> Real {
        if self.named[joint].exact { CLEAR } else { PARTLY }
    }

    /// Sets the roles of fingers.
    fn fingers(&mut self) {
        let zero_based = self
            .named
            .iter()
            .any(|n| n.words.words.concat() == "finger" && n.words.numbers.first().is_some_and(|d| d.starts_with('0')));
        for j in 0..self.named.len() {
            let n = &self.named[j];
            let (Some(side), false) = (n.words.side, n.helper) else { continue };
            let Some(finger) = n.finger.or_else(|| n.numbered_finger(zero_based)) else { continue };
            self.named[j].finger = Some(finger);
            // The chain is counted along the tree, whatever the numbers in the names.
            let above = std::iter::successors(self.skeleton.joint(j).parent, |&p| self.skeleton.joint(p).parent);
            let count = above.filter(|&p| {
                let o = &self.named[p];
                o.finger == Some(finger) && o.words.side == Some(side) && !o.helper
            });
            let count = count.count().min(u8::MAX as usize) as u8;
            let clear = if self.named[j].words.words.iter().any(|w| w == "fingers") { PLACED } else { CLEAR };
            self.set(j, Role::Finger(side, finger, count), clear);
        }
    }

    /// Sets the roles of eyes, jaw and tail, and of helpers.
    fn rest(&mut self) {
        for side in [Side::Left, Side::Right] {
            for j in self.claims(Some(side), &[Part::Eye]) {
                self.set(j, Role::Eye(side), self.by_name(j));
            }
        }
        for j in self.claims(None, &[Part::Jaw]) {
            self.set(j, Role::Jaw, self.by_name(j));
        }
        for (k, j) in self.claims(None, &[Part::Tail]).into_iter().enumerate() {
            self.set(j, Role::Tail(k.min(u8::MAX as usize) as u8), self.by_name(j));
        }
        let has_pelvis = self.holder(Role::Hips).is_some();
        for j in 0..self.named.len() {
            let n = &self.named[j];
            // A name of a part that another joint has: a twist segment, an inserted joint, a bone of the palm.
            // A root above the pelvis only places the figure; without a pelvis it may be anything.
            let spare = match n.part {
                None | Some(Part::Eye) => false,
                Some(Part::Root) => has_pelvis,
                Some(_) => true,
            };
            if n.helper || n.words.inserted {
                self.set(j, Role::Helper, CLEAR);
            } else if spare {
                self.set(j, Role::Helper, PLACED);
            }
        }
    }
}

impl Named {
    fn new(words: Words, leaf: bool, has_hind: bool) -> Named {
        let found = words::named_part(&words, has_hind);
        let finger_of = |w: &String| dictionary::finger(w);
        // `index_mid` is a joint of the index finger: "mid" counts only where no other finger is named.
        let list = || words.words.iter().filter(|w| *w != "mid").chain(words.words.iter());
        let mut finger = list().find_map(finger_of);
        if words.words.last().is_some_and(|w| w == "fingers") {
            // A mitten moves as the middle finger.
            finger = Some(2);
        }
        let end = leaf && words.words.iter().any(|w| dictionary::is_end(w));
        let palm = words.words.iter().any(|w| w == "in" || w.contains("carpal"));
        let helper = end
            || (palm && finger.is_some())
            // CC's NeckTwist is the neck: a name that is known as a whole says what it means.
            || (!found.is_some_and(|(_, exact)| exact) && words.words.iter().any(|w| dictionary::is_helper(w)))
            || found.is_some_and(|(part, _)| part == Part::Helper);
        Named { part: found.map(|f| f.0), exact: found.is_some_and(|f| f.1), words, finger, helper }
    }

    /// `finger1-1` (MakeHuman, from 1) and `Finger01` (Biped, from 0, the joint as a second digit).
    fn numbered_finger(&self, zero_based: bool) -> Option<u8> {
        if self.words.words.last().is_none_or(|w| w != "finger") {
            return None;
        }
        let digit = self.words.numbers.first()?.bytes().next()? - b'0';
        digit.checked_sub(u8::from(!zero_based)).filter(|&f| f < 5)
    }
}

#[cfg(test)]
mod tests;

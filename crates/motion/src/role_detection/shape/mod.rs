//! Roles of joints, from the shape of the skeleton alone.
//!
//! A body has pairs of limbs that are alike. The two longest pairs that are not attached to each other are legs and arms; they
//! leave the trunk at the pelvis and further up at the chest. A chain from the chest without a twin is neck and head, one from
//! the pelvis a tail. Along a limb the two long bones of nearly the same length are upper and lower (`limb`), and the left twin
//! follows from the direction of the feet (`sides`).
//!
//! Names are not used.

mod limb;
mod sides;
mod tree;

use super::DetectedRole;
use super::posture::{self, View};
use crate::{Real, Role, Side, Skeleton, Vec3};
use limb::Limb;
use sides::{Order, Twins};
use tree::Tree;

/// Confidence in a joint of a limb, of the trunk, of a finger.
const LIMB: Real = 0.9;
const TRUNK: Real = 0.85;
const FINGER: Real = 0.6;
/// Usual length of an upper arm over that of the forearm; thigh and shank are alike.
const ARM_RATIO: Real = 1.12;
/// Confidence in a limb that leaves out much of its length: too little to be used.
const DOUBTFUL: Real = 0.4;
/// Confidence in a limb of which two readings are equally good, and the lead over the next best one from which a reading is clear.
const CLOSE: Real = 0.6;
const CLEAR: Real = 0.06;

/// Determines the role of every joint from a standing rest pose. `groups` holds views of the body that show which way it faces, the best
/// first.
pub(super) fn roles_by_shape(skeleton: &Skeleton, groups: &[&[View]]) -> Vec<DetectedRole> {
    let limbs = Limbs::find(skeleton);
    let mut body = Body { tree: &limbs.tree, guesses: vec![DetectedRole::UNKNOWN; skeleton.len()] };
    body.read(&limbs, groups);
    body.guesses
}

/// Determines roles from the lengths of bones alone, whatever the pose and the axes. Left and right are arbitrary.
pub(super) fn roles_by_lengths(skeleton: &Skeleton) -> Vec<DetectedRole> {
    let limbs = Limbs::of(Tree::of_lengths(skeleton));
    let mut body = Body { tree: &limbs.tree, guesses: vec![DetectedRole::UNKNOWN; skeleton.len()] };
    body.read(&limbs, &[]);
    body.guesses
}

/// Limbs of a body: the two longest pairs of twins that are not attached to each other.
pub(super) struct Limbs<'s> {
    tree: Tree<'s>,
    legs: Option<Pair>,
    arms: Option<Pair>,
}

impl<'s> Limbs<'s> {
    pub fn find(skeleton: &'s Skeleton) -> Self {
        Self::of(Tree::new(skeleton))
    }

    fn of(tree: Tree<'s>) -> Self {
        let (legs, arms) = match longest_pairs(&tree)[..] {
            [only] if is_a_pair_of_legs(&tree, &only) => (Some(only), None),
            [only] => (None, Some(only)),
            [one, other] => {
                let (legs, arms) = legs_and_arms(&tree, one, other);
                (Some(legs), Some(arms))
            }
            _ => (None, None),
        };
        Self { tree, legs, arms }
    }

    /// Returns true if there is a pair of limbs.
    pub fn any(&self) -> bool {
        self.legs.is_some() || self.arms.is_some()
    }

    /// Returns true if twins are mirror images, as in every posture that bodies rest in.
    pub fn are_mirrored(&self) -> bool {
        let size = self.tree.size();
        [self.legs, self.arms].into_iter().flatten().all(|pair| {
            let [a, b] = self.read(&pair, 1.0).map(|limb| limb.joints.map(|j| self.tree.place(j)));
            let Some(across) = (a[0] - b[0]).try_normalize(0.01 * size) else { return true };
            let (Some(one), Some(other)) = ((a[2] - a[0]).try_normalize(1e-9), (b[2] - b[0]).try_normalize(1e-9))
            else {
                return true;
            };
            (one - across * (2.0 * one.dot(&across)) - other).norm() < 0.8
        })
    }

    /// Returns true if the line of the hips and that of the shoulders are parallel and lie across the trunk, as in every posture that bodies rest in.
    pub fn are_across(&self) -> bool {
        /// Cosines of the largest angle between them, and of the smallest one to the trunk.
        const PARALLEL: Real = 0.7;
        const ACROSS: Real = 0.6;
        let tops = |pair: Option<Pair>, ratio: Real| {
            Some(self.read(&pair?, ratio).map(|limb| self.tree.place(limb.joints[0])))
        };
        let Some(([a, b], [c, d])) = tops(self.legs, 1.0).zip(tops(self.arms, ARM_RATIO)) else { return true };
        let short = 0.01 * self.tree.size();
        let Some((hips, shoulders)) = (a - b).try_normalize(short).zip((c - d).try_normalize(short)) else {
            return true;
        };
        let trunk = (c + d - a - b).try_normalize(short).unwrap_or_else(Vec3::zeros);
        hips.dot(&shoulders).abs() > PARALLEL && hips.dot(&trunk).abs() < ACROSS
    }

    /// Returns the middles of hips, feet, shoulders and hands in the rest pose; `None` if a pair of limbs is missing.
    pub fn corners(&self) -> Option<[Vec3; 4]> {
        let (legs, arms) = (self.read(&self.legs?, 1.0), self.read(&self.arms?, ARM_RATIO));
        let middle = |limbs: &[Limb; 2], at: usize| {
            0.5 * (self.tree.place(limbs[0].joints[at]) + self.tree.place(limbs[1].joints[at]))
        };
        Some([middle(&legs, 0), middle(&legs, 2), middle(&arms, 0), middle(&arms, 2)])
    }

    fn read(&self, pair: &Pair, ratio: Real) -> [Limb; 2] {
        Limb::read_pair(&self.tree, pair.limbs, ratio)
    }
}

/// Returns the two longest pairs of limbs that are not attached to each other, the longest first.
fn longest_pairs(tree: &Tree) -> Vec<Pair> {
    let mut pairs = tree.pairs();
    // Limbs bend: a single joint on a long bone is a control of the rig.
    pairs.retain(|pair| pair.limbs.iter().all(|&limb| !tree.children(limb).is_empty()));
    pairs.sort_by(|a, b| b.reach.total_cmp(&a.reach).then(a.at.cmp(&b.at)));
    // So are chains that begin at the soles, if there are arms and legs without them.
    let sole = (0..tree.len()).map(|j| tree.height(j)).fold(Real::INFINITY, Real::min);
    let is_low = |pair: &Pair| pair.limbs.iter().all(|&l| tree.height(l) < sole + 0.1 * tree.size());
    let high: Vec<Pair> = pairs.iter().copied().filter(|pair| !is_low(pair)).collect();
    let chosen = first_apart(tree, &high);
    if chosen.len() == 2 { chosen } else { first_apart(tree, &pairs) }
}

/// Returns the first two pairs that are not attached to each other and not much shorter than the first.
fn first_apart(tree: &Tree, pairs: &[Pair]) -> Vec<Pair> {
    let Some(longest) = pairs.first().map(|pair| pair.reach) else { return Vec::new() };
    let mut chosen: Vec<Pair> = Vec::new();
    for pair in pairs.iter().filter(|pair| pair.reach > 0.3 * longest) {
        let apart = |other: &Pair| {
            !other.limbs.iter().any(|&l| tree.is_below(pair.at, l))
                && !pair.limbs.iter().any(|&l| tree.is_below(other.at, l))
                && pair.limbs.iter().all(|l| !other.limbs.contains(l))
        };
        if chosen.len() < 2 && chosen.iter().all(apart) {
            chosen.push(*pair);
        }
    }
    chosen
}

/// Orders two pairs: legs are attached nearer to the root; where both are as near, lower.
fn legs_and_arms(tree: &Tree, one: Pair, other: Pair) -> (Pair, Pair) {
    let below = |a: &Pair, b: &Pair| a.at != b.at && tree.is_below(a.at, b.at);
    let low = |pair: &Pair| pair.limbs.iter().map(|&l| tree.lowest(l)).sum::<Real>();
    match (below(&one, &other), below(&other, &one)) {
        (true, false) => (other, one),
        (false, true) => (one, other),
        _ if low(&one) <= low(&other) => (one, other),
        _ => (other, one),
    }
}

/// Returns true if a single pair are legs: nothing else ends lower.
fn is_a_pair_of_legs(tree: &Tree, pair: &Pair) -> bool {
    let at = tree.height(pair.at);
    let are_low = !tree.has_heights || pair.limbs.iter().all(|&l| at - tree.lowest(l) > 0.7 * pair.reach);
    are_low && tree.above(pair.at).count() <= 1
}

/// Returns the confidence in the joints of a limb: full confidence where no other reading is nearly as good.
fn sure_of(limb: &Limb) -> Real {
    let share = (limb.margin / CLEAR).clamp(0.0, 1.0);
    if limb.doubtful { DOUBTFUL } else { CLOSE + (LIMB - CLOSE) * share }
}

struct Body<'s> {
    tree: &'s Tree<'s>,
    guesses: Vec<DetectedRole>,
}

/// Two limbs that are alike, and the joint both are attached to.
#[derive(Clone, Copy, Debug)]
struct Pair {
    at: usize,
    limbs: [usize; 2],
    reach: Real,
}

impl Body<'_> {
    fn read(&mut self, limbs: &Limbs, groups: &[&[View]]) {
        let (legs, arms) = (limbs.legs, limbs.arms);
        let hips = match (&legs, &arms) {
            (Some(legs), Some(arms)) => self.tree.meeting(legs.at, arms.at),
            (Some(legs), None) => legs.at,
            (None, Some(arms)) => self.tree.root_of_branching(arms.at),
            (None, None) => return,
        };
        let leg = legs.map(|pair| limbs.read(&pair, 1.0).map(|limb| limb.onto_the_foot(self.tree)));
        let arm = arms.map(|pair| limbs.read(&pair, ARM_RATIO));
        let on_four = limbs.corners().is_some_and(posture::stands_on_four);
        let twins = Twins { tree: self.tree, hips, legs: leg.as_ref(), arms: arm.as_ref(), on_four };
        let any = groups.is_empty().then_some((Order { legs: false, arms: false, same: 1.0 }, 1.0));
        let Some((order, sure)) = any.or_else(|| twins.left_first(groups)) else { return };
        let sided = |limbs: [Limb; 2], swap: bool| if swap { [limbs[1].clone(), limbs[0].clone()] } else { limbs };
        self.set(hips, Role::Hips, TRUNK);
        if let Some(limbs) = leg.map(|limbs| sided(limbs, order.legs)) {
            for (limb, side) in limbs.iter().zip([Side::Left, Side::Right]) {
                self.leg(limb, side, sure_of(limb).min(sure));
            }
        }
        if let Some(limbs) = arm.map(|limbs| sided(limbs, order.arms)) {
            for (limb, side) in limbs.iter().zip([Side::Left, Side::Right]) {
                self.arm(limb, side, sure_of(limb).min(sure).min(order.same), on_four);
            }
        }
        let chest = arms.map_or_else(|| self.top_of_trunk(hips), |arms| arms.at);
        self.trunk(hips, chest);
        self.tail(hips);
        // Joints above the pelvis.
        for j in self.tree.above(hips) {
            self.set(j, Role::Helper, TRUNK);
        }
    }

    fn set(&mut self, joint: usize, role: Role, confidence: Real) {
        if self.guesses[joint].role.is_none() {
            self.guesses[joint] = DetectedRole { role: Some(role), confidence };
        }
    }

    fn leg(&mut self, limb: &Limb, side: Side, sure: Real) {
        let roles = [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)];
        for (joint, role) in limb.joints.into_iter().zip(roles) {
            self.set(joint, role, sure);
        }
        for &joint in &limb.before {
            self.set(joint, Role::Helper, sure * 0.8);
        }
        if let Some(toes) = limb.toes(self.tree) {
            self.set(toes, Role::Toes(side), sure * 0.9);
        }
        self.helpers_within(limb, sure);
    }

    fn arm(&mut self, limb: &Limb, side: Side, sure: Real, on_four_legs: bool) {
        let roles = [Role::UpperArm(side), Role::LowerArm(side), Role::Hand(side)];
        for (joint, role) in limb.joints.into_iter().zip(roles) {
            self.set(joint, role, sure);
        }
        if let Some((&collar, helpers)) = limb.before.split_last() {
            self.set(collar, Role::Shoulder(side), sure * 0.9);
            for &joint in helpers {
                self.set(joint, Role::Helper, sure * 0.8);
            }
        }
        self.helpers_within(limb, sure);
        // The toes of a front leg move as a mitten.
        if let Some(&toes) = limb.after.first().filter(|_| on_four_legs) {
            self.set(toes, Role::Finger(side, 2, 0), FINGER + 0.1);
        }
        for (finger, chain) in limb::fingers(self.tree, limb.joints[2]) {
            for (k, joint) in chain.into_iter().enumerate() {
                self.set(joint, Role::Finger(side, finger, k.min(u8::MAX as usize) as u8), FINGER);
            }
        }
    }

    /// Marks joints between those of a limb as helpers.
    fn helpers_within(&mut self, limb: &Limb, sure: Real) {
        for &joint in &limb.within {
            self.set(joint, Role::Helper, sure * 0.8);
        }
    }

    /// Returns the end of a trunk without arms: that of the longest chain from the pelvis that is no leg.
    fn top_of_trunk(&self, hips: usize) -> usize {
        let free = |j: &usize| self.guesses[*j].role.is_none();
        let mut at = hips;
        while let Some(next) =
            self.tree.children(at).iter().copied().filter(free).max_by(|&a, &b| self.tree.by_length(a, b))
        {
            if self.tree.children(next).is_empty() {
                break;
            }
            at = next;
        }
        at
    }

    /// Assigns spine from the pelvis to the chest, neck and head beyond it.
    fn trunk(&mut self, hips: usize, chest: usize) {
        let spine: Vec<usize> = self.tree.between(hips, chest);
        for (k, &joint) in spine.iter().enumerate() {
            self.set(joint, Role::Spine(k.min(u8::MAX as usize) as u8), TRUNK);
        }
        let free = |j: &usize| self.guesses[*j].role.is_none();
        let higher = |&a: &usize, &b: &usize| {
            self.tree.highest(a).total_cmp(&self.tree.highest(b)).then(self.tree.by_length(a, b))
        };
        let Some(mut at) = self.tree.children(chest).iter().copied().filter(free).max_by(higher) else { return };
        let mut chain = vec![at];
        // A joint with several children (eyes, jaw, hair) is the head itself.
        while let Some(next) = self.tree.only_way_on(at) {
            chain.push(next);
            at = next;
        }
        // A leaf without a bone of its own, far from its parent, is the end of the head.
        if chain.len() > 2
            && self.tree.ends_at(at)
            && self.tree.bone(at) > 0.06 * self.tree.size().max(22.0 * self.tree.bone(chain[chain.len() - 2]))
        {
            let end = chain.pop();
            end.into_iter().for_each(|end| self.set(end, Role::Helper, TRUNK));
        }
        if let Some(head) = chain.pop() {
            self.set(head, Role::Head, TRUNK);
        }
        for (k, joint) in chain.into_iter().enumerate() {
            self.set(joint, Role::Neck(k.min(u8::MAX as usize) as u8), TRUNK);
        }
    }

    /// Assigns the longest chain that leaves the pelvis and has no other role.
    fn tail(&mut self, hips: usize) {
        let free = |j: &usize| self.guesses[*j].role.is_none();
        let start = self.tree.children(hips).iter().copied().filter(free).max_by(|&a, &b| self.tree.by_length(a, b));
        let Some(start) = start else { return };
        let (mut at, mut chain) = (start, vec![start]);
        while let [next] = *self.tree.children(at) {
            chain.push(next);
            at = next;
        }
        // A chain that reaches down to the ground is a limb without its twin.
        let lowest = (0..self.guesses.len()).map(|j| self.tree.lowest(j)).fold(Real::INFINITY, Real::min);
        let stands = self.tree.has_heights && self.tree.lowest(start) < lowest + 0.1 * self.tree.size();
        if chain.len() >= 2 && self.tree.children(at).is_empty() && !stands {
            for (k, joint) in chain.into_iter().enumerate() {
                self.set(joint, Role::Tail(k.min(u8::MAX as usize) as u8), FINGER);
            }
        }
    }
}

//! Plan of a body: where legs, arms and head are in a tree of joints, from names, else from limbs that come in twins.

use crate::{Real, Role, Side, Skeleton, detect_roles, stature};

/// Joints that show posture and size of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BodyPlan {
    /// Joint where the legs meet the trunk.
    pub hips: usize,
    pub head: Option<usize>,
    /// First joint and ankle of each leg.
    pub legs: Vec<[usize; 2]>,
    /// First joint and wrist of each arm, or foreleg.
    pub arms: Vec<[usize; 2]>,
    /// Height of the body if it stands like a person, in the unit of the skeleton.
    pub stature: Option<Real>,
}

impl BodyPlan {
    /// Finds the plan of a skeleton in any unit and axes; `None` where it has no legs.
    pub fn find(skeleton: &Skeleton) -> Option<BodyPlan> {
        /// Confidence below which a role is no evidence.
        const SURE: Real = 0.5;
        let by_name =
            detect_roles(skeleton).iter().map(|found| found.role.filter(|_| found.confidence >= SURE)).collect();
        Self::of_roles(skeleton, by_name).or_else(|| Self::of_roles(skeleton, Tree::new(skeleton).roles()?))
    }

    fn of_roles(skeleton: &Skeleton, roles: Vec<Option<Role>>) -> Option<BodyPlan> {
        /// Share of the stature that bones must show.
        const SHOWN: Real = 0.5;
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
        let by_parts = head.and_then(|_| stature(skeleton, &roles)).filter(|found| found.shown > SHOWN);
        let crown = head.and_then(|head| skeleton.joint(head).tip).map_or(0.0, |tip| tip.norm());
        let by_path = || Some(path(skeleton, hips, head?)? + crown + path(skeleton, hips, legs.first()?[1])?);
        let stature = by_parts.map(|found| found.height).or_else(by_path);
        let stature = stature.filter(|height| height.is_finite() && *height > 0.0);
        (!legs.is_empty()).then_some(BodyPlan { hips, head, legs, arms, stature })
    }
}

/// Returns the length along the bones from a joint to one below it; `None` if it is not below.
fn path(skeleton: &Skeleton, above: usize, below: usize) -> Option<Real> {
    let (mut length, mut joint) = (0.0, below);
    while joint != above {
        length += skeleton.bone_length(joint);
        joint = skeleton.joint(joint).parent?;
    }
    Some(length)
}

/// Tree of joints with what hangs from each.
struct Tree<'a> {
    skeleton: &'a Skeleton,
    lengths: Vec<Real>,
    children: Vec<Vec<usize>>,
    /// Length of the longest chain below each joint.
    reach: Vec<Real>,
    /// Number of joints below each joint, itself included.
    size: Vec<usize>,
}

/// Two limbs that are alike, and the joint from which both leave.
struct Twins {
    at: usize,
    tops: [usize; 2],
    reach: Real,
}

impl<'a> Tree<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        let lengths = skeleton.bone_lengths();
        let count = skeleton.len();
        let (mut children, mut size) = (vec![Vec::new(); count], vec![1; count]);
        let mut reach: Vec<Real> = skeleton.joints().iter().map(|j| j.tip.map_or(0.0, |tip| tip.norm())).collect();
        for j in (0..count).rev() {
            if let Some(parent) = skeleton.joint(j).parent {
                children[parent].insert(0, j);
                reach[parent] = reach[parent].max(reach[j] + lengths[j]);
                size[parent] += size[j];
            }
        }
        Tree { skeleton, lengths, children, reach, size }
    }

    /// Reads legs and arms from the two longest pairs of twins: legs are those nearer to the root. Sides are arbitrary.
    fn roles(&self) -> Option<Vec<Option<Role>>> {
        let twins = self.twins();
        let longest = twins.get(..twins.len().min(2))?;
        let legs = longest.iter().min_by_key(|pair| self.depth(pair.at))?;
        let arms = longest.iter().find(|pair| !std::ptr::eq(*pair, legs));
        let mut roles = vec![None; self.skeleton.len()];
        for (side, k) in [(Side::Left, 0), (Side::Right, 1)] {
            let [hip, knee, ankle] = self.limb(legs.tops[k]);
            (roles[ankle], roles[knee], roles[hip]) =
                (Some(Role::Foot(side)), Some(Role::LowerLeg(side)), Some(Role::UpperLeg(side)));
            if let Some(arms) = arms {
                let [shoulder, elbow, wrist] = self.limb(arms.tops[k]);
                (roles[wrist], roles[elbow], roles[shoulder]) =
                    (Some(Role::Hand(side)), Some(Role::LowerArm(side)), Some(Role::UpperArm(side)));
            }
        }
        if let Some(head) = arms.and_then(|arms| self.head(arms, legs)) {
            roles[head] = Some(Role::Head);
        }
        roles[legs.at] = Some(Role::Hips);
        Some(roles)
    }

    /// Returns pairs of twins that are in no other limb, longest first.
    fn twins(&self) -> Vec<Twins> {
        /// Difference of the lengths of twins, over the length of one.
        const ALIKE: Real = 0.05;
        let total = self.skeleton.roots().map(|root| self.reach[root]).fold(0.0, Real::max);
        let mut found: Vec<Twins> = Vec::new();
        for (at, children) in self.children.iter().enumerate() {
            for (k, &a) in children.iter().enumerate() {
                for &b in &children[k + 1..] {
                    let length = |j: usize| self.reach[j] + self.lengths[j];
                    let (one, other) = (length(a), length(b));
                    let alike = (one - other).abs() < ALIKE * one && self.size[a] == self.size[b];
                    // Fingers and toes are too short to carry anyone.
                    if alike && one > 0.2 * total && self.size[a] >= 3 {
                        found.push(Twins { at, tops: [a, b], reach: one });
                    }
                }
            }
        }
        let inside = |at: usize, limbs: &Twins| limbs.tops.iter().any(|&top| self.is_below(at, top));
        let outer: Vec<usize> =
            (0..found.len()).filter(|&k| !found.iter().any(|other| inside(found[k].at, other))).collect();
        let mut outer: Vec<Twins> =
            found.into_iter().enumerate().filter(|(k, _)| outer.contains(k)).map(|f| f.1).collect();
        outer.sort_by(|a, b| b.reach.total_cmp(&a.reach));
        outer
    }

    fn depth(&self, joint: usize) -> usize {
        std::iter::successors(self.skeleton.joint(joint).parent, |&j| self.skeleton.joint(j).parent).count()
    }

    fn is_below(&self, joint: usize, above: usize) -> bool {
        std::iter::successors(Some(joint), |&j| self.skeleton.joint(j).parent).any(|j| j == above)
    }

    /// Returns the joints of a limb at the ends of its two long bones: hip, knee and ankle, or shoulder, elbow and wrist.
    fn limb(&self, top: usize) -> [usize; 3] {
        let length = |child: &&usize| self.reach[**child] + self.lengths[**child];
        let next = |&j: &usize| self.children[j].iter().max_by(|a, b| length(a).total_cmp(&length(b))).copied();
        let chain: Vec<usize> = std::iter::successors(Some(top), next).collect();
        let bones = |joints: &&[usize]| self.lengths[joints[1]] + self.lengths[joints[2]];
        let long = chain.windows(3).max_by(|a, b| bones(a).total_cmp(&bones(b)));
        long.map_or([top; 3], |joints| [joints[0], joints[1], joints[2]])
    }

    /// Returns the last joint of the longest chain from the chest that is no arm and does not lead back to the legs.
    fn head(&self, arms: &Twins, legs: &Twins) -> Option<usize> {
        let length = |child: &usize| self.reach[*child] + self.lengths[*child];
        let is_free = |child: &usize| !arms.tops.contains(child) && !self.is_below(legs.at, *child);
        let mut head =
            self.children[arms.at].iter().copied().filter(is_free).max_by(|a, b| length(a).total_cmp(&length(b)))?;
        // A face or hair has many joints; the skull is where they leave.
        while let [only] = self.children[head][..] {
            head = only;
        }
        Some(head)
    }
}

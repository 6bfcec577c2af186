//! Lengths and branches of a joint tree.

use super::Pair;
use crate::{Real, Skeleton, Vec3};
use std::cmp::Ordering;

/// Joint tree with the extent of every subtree in the rest pose.
pub(super) struct Tree<'s> {
    skeleton: &'s Skeleton,
    /// True if heights in the rest pose mean something; else all are 0.
    pub has_heights: bool,
    places: Vec<Vec3>,
    children: Vec<Vec<usize>>,
    /// Longest path along bones from the joint outwards, tips included, metres.
    reach: Vec<Real>,
    /// Length of all bones outwards from the joint, metres.
    total: Vec<Real>,
    count: Vec<usize>,
    lowest: Vec<Real>,
    highest: Vec<Real>,
}

impl<'s> Tree<'s> {
    /// Tree of a skeleton that rests with Y up.
    pub fn new(skeleton: &'s Skeleton) -> Self {
        Self::with_heights(skeleton, true)
    }

    /// Tree of a skeleton in unknown axes, or in a rest pose that is no posture.
    pub fn of_lengths(skeleton: &'s Skeleton) -> Self {
        Self::with_heights(skeleton, false)
    }

    fn with_heights(skeleton: &'s Skeleton, has_heights: bool) -> Self {
        let rest = skeleton.rest_pose().world(skeleton);
        let n = skeleton.len();
        let places: Vec<Vec3> = rest.iter().map(|frame| frame.position).collect();
        let mut tree = Tree {
            skeleton,
            has_heights,
            places,
            children: vec![Vec::new(); n],
            reach: vec![0.0; n],
            total: vec![0.0; n],
            count: vec![1; n],
            lowest: vec![0.0; n],
            highest: vec![0.0; n],
        };
        for j in (0..n).rev() {
            let tip = skeleton.joint(j).tip;
            let end = tip.map_or(tree.places[j], |tip| rest[j].position + rest[j].rotation * tip);
            let bone = tip.map_or(0.0, |tip| tip.norm());
            let children: Vec<usize> = skeleton.children(j).collect();
            let below = |of: &Vec<Real>, start: Real, pick: fn(Real, Real) -> Real| {
                children.iter().fold(start, |found, &c| pick(found, of[c]))
            };
            if has_heights {
                tree.lowest[j] = below(&tree.lowest, tree.places[j].y.min(end.y), Real::min);
                tree.highest[j] = below(&tree.highest, tree.places[j].y.max(end.y), Real::max);
            }
            tree.reach[j] = children.iter().map(|&c| skeleton.bone_length(c) + tree.reach[c]).fold(bone, Real::max);
            tree.total[j] = bone + children.iter().map(|&c| skeleton.bone_length(c) + tree.total[c]).sum::<Real>();
            tree.count[j] = 1 + children.iter().map(|&c| tree.count[c]).sum::<usize>();
            tree.children[j] = children;
        }
        tree
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn children(&self, joint: usize) -> &[usize] {
        &self.children[joint]
    }

    /// Returns the child of a joint with only one, twist bones on the way to it not counted.
    pub fn only_way_on(&self, joint: usize) -> Option<usize> {
        let children = &self.children[joint];
        let &next = children.iter().max_by(|&&a, &&b| self.by_length(a, b))?;
        let way = self.places[next] - self.places[joint];
        let on_the_way = |c: usize| {
            let beside = self.places[c] - self.places[joint];
            let along = beside.dot(&way) / way.norm_squared().max(1e-12);
            self.children[c].is_empty()
                && (0.0..1.0).contains(&along)
                && (beside - way * along).norm() < 0.05 * way.norm()
        };
        children.iter().all(|&c| c == next || on_the_way(c)).then_some(next)
    }

    pub fn place(&self, joint: usize) -> Vec3 {
        self.places[joint]
    }

    /// Returns the height of a joint, metres.
    pub fn height(&self, joint: usize) -> Real {
        if self.has_heights { self.places[joint].y } else { 0.0 }
    }

    pub fn parent(&self, joint: usize) -> Option<usize> {
        self.skeleton.joint(joint).parent
    }

    pub fn bone(&self, joint: usize) -> Real {
        self.skeleton.bone_length(joint)
    }

    pub fn reach(&self, joint: usize) -> Real {
        self.reach[joint]
    }

    pub fn lowest(&self, joint: usize) -> Real {
        self.lowest[joint]
    }

    pub fn highest(&self, joint: usize) -> Real {
        self.highest[joint]
    }

    /// Returns the size of the skeleton: the longest path from a root, metres.
    pub fn size(&self) -> Real {
        self.skeleton.roots().map(|root| self.reach[root]).fold(0.0, Real::max)
    }

    /// Returns true for a leaf whose bone has no length of its own.
    pub fn ends_at(&self, joint: usize) -> bool {
        let short = |tip: crate::Vec3| tip.norm() < 0.015 * self.size();
        self.children[joint].is_empty() && self.skeleton.joint(joint).tip.is_none_or(short)
    }

    /// Returns the farthest point below a joint: the joint that carries it, and its place in that joint's frame.
    pub fn far_end(&self, joint: usize) -> (usize, Vec3) {
        let from = self.places[joint];
        let rest = self.skeleton.rest_pose().world(self.skeleton);
        let (mut farthest, mut most) = ((joint, Vec3::zeros()), 0.0);
        for j in (joint..self.places.len()).filter(|&j| self.is_below(j, joint)) {
            for local in std::iter::once(Vec3::zeros()).chain(self.skeleton.joint(j).tip) {
                let distance = (rest[j].position + rest[j].rotation * local - from).norm();
                if distance > most {
                    (farthest, most) = ((j, local), distance);
                }
            }
        }
        farthest
    }

    /// Orders joints by the length of their subtrees; the first of equals is the greater.
    pub fn by_length(&self, a: usize, b: usize) -> Ordering {
        (self.total[a] + self.bone(a)).total_cmp(&(self.total[b] + self.bone(b))).then(b.cmp(&a))
    }

    /// Returns a joint and those below it along the longest chain.
    pub fn longest_chain(&self, top: usize) -> Vec<usize> {
        let next = |&at: &usize| self.children[at].iter().copied().max_by(|&a, &b| self.by_length(a, b));
        std::iter::successors(Some(top), next).collect()
    }

    /// Returns the ancestors of a joint, nearest first.
    pub fn above(&self, joint: usize) -> impl Iterator<Item = usize> + use<> {
        let mut chain = Vec::new();
        let mut at = self.parent(joint);
        while let Some(j) = at {
            chain.push(j);
            at = self.parent(j);
        }
        chain.into_iter()
    }

    pub fn is_below(&self, joint: usize, above: usize) -> bool {
        joint == above || self.above(joint).any(|j| j == above)
    }

    /// Returns the lowest common ancestor.
    pub fn meeting(&self, a: usize, b: usize) -> usize {
        std::iter::once(a).chain(self.above(a)).find(|&j| self.is_below(b, j)).unwrap_or(a)
    }

    /// Returns the first joint from the root towards `joint` that branches, or has a bone of some length.
    pub fn root_of_branching(&self, joint: usize) -> usize {
        let way: Vec<usize> = self.above(joint).collect();
        way.into_iter()
            .rev()
            .find(|&j| self.children[j].len() > 1 || self.bone_to_next(j, joint) > 0.0)
            .unwrap_or(joint)
    }

    fn bone_to_next(&self, joint: usize, towards: usize) -> Real {
        self.children[joint].iter().copied().find(|&c| self.is_below(towards, c)).map_or(0.0, |c| self.bone(c))
    }

    /// Returns the joints below `from` on the path to `to`, `to` included.
    pub fn between(&self, from: usize, to: usize) -> Vec<usize> {
        if from == to {
            return Vec::new();
        }
        let mut way = vec![to];
        way.extend(self.above(to).take_while(|&j| j != from));
        way.reverse();
        way
    }

    /// Returns siblings that are each other's best match, where it is good enough.
    pub fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (at, children) in self.children.iter().enumerate() {
            let best = |a: usize| {
                let others = children.iter().copied().filter(|&b| b != a);
                others.min_by(|&x, &y| self.difference(a, x).total_cmp(&self.difference(a, y)))
            };
            for &a in children {
                let Some(b) = best(a).filter(|&b| a < b && best(b) == Some(a)) else { continue };
                if self.difference(a, b) < 0.5 {
                    pairs.push(Pair { at, limbs: [a, b], reach: 0.5 * (self.reach[a] + self.reach[b]) });
                }
            }
        }
        pairs
    }

    /// Returns the difference of two subtrees, 0 for twins.
    fn difference(&self, a: usize, b: usize) -> Real {
        let apart = |x: Real, y: Real| (x - y).abs() / (0.5 * (x + y)).max(1e-9);
        if self.reach[a].max(self.reach[b]) < 1e-6 {
            return 1.0;
        }
        let count = apart(self.count[a] as Real, self.count[b] as Real);
        apart(self.reach[a], self.reach[b]) + 0.5 * apart(self.total[a], self.total[b]) + 0.3 * count
    }
}

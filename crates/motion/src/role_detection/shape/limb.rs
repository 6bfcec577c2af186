//! Upper, lower and end of a limb, from the lengths of its bones.

use super::tree::Tree;
use crate::Real;

/// Longest collar bone, over the length of the limb.
const BEFORE: Real = 0.6;
/// Bone length on both sides from which a middle joint may be the knee, over the length of the limb; inserted joints lie nearer
/// to others.
const SPLIT: Real = 0.15;

/// Distance below which joints coincide, over the length of the limb.
const ON: Real = 0.005;
/// Distance below which a joint of one reading is that of another, over the length of the limb.
const SAME: Real = 0.02;
/// Position of the toe joint along a foot.
const TOES: Real = 0.7;

/// Limb from the trunk outwards.
#[derive(Clone, Debug)]
pub(super) struct Limb {
    /// Joints before the upper one: clavicles, helpers.
    pub before: Vec<usize>,
    /// Upper, lower, end (hip, knee, ankle; shoulder, elbow, wrist).
    pub joints: [usize; 3],
    /// Joints between those.
    pub within: Vec<usize>,
    /// Joints beyond the end, along the longest chain.
    pub after: Vec<usize>,
    /// True if more of its length is left out than an ordinary limb has beside its two long bones.
    pub doubtful: bool,
    /// Lead of this reading over the next best one, over the length of the limb.
    pub margin: Real,
}

impl Limb {
    /// Reads a pair of limbs. `ratio` is the usual ratio of the upper to the lower bone. Twins with chains of the same length are read alike.
    pub fn read_pair(tree: &Tree, tops: [usize; 2], ratio: Real) -> [Limb; 2] {
        let chains = tops.map(|top| tree.longest_chain(top));
        let of = |chain: &Vec<usize>| readings(tree, chain, ratio);
        if chains[0].len() != chains[1].len() {
            return chains.map(|chain| Limb::new(tree, &chain, best(tree, &chain, &of(&chain))));
        }
        let [one, other] = [of(&chains[0]), of(&chains[1])];
        let both: Vec<Reading> = one.iter().zip(&other).map(|(a, b)| (0.5 * (a.0 + b.0), a.1)).collect();
        let found = best(tree, &chains[0], &both);
        chains.map(|chain| Limb::new(tree, &chain, found))
    }

    fn new(tree: &Tree, chain: &[usize], ([i, j, k], margin): ([usize; 3], Real)) -> Limb {
        let way = |from: usize, to: usize| chain[from + 1..=to].iter().map(|&joint| tree.bone(joint)).sum::<Real>();
        let (before, limb) = (way(0, i), way(i, k));
        let split = (i + 1..k).any(|at| at != j && tree.bone(chain[at]).min(tree.bone(chain[at + 1])) > SPLIT * limb);
        Limb {
            doubtful: before > BEFORE * limb || split,
            margin,
            before: chain[..i].to_vec(),
            joints: [chain[i], chain[j], chain[k]],
            within: (i + 1..k).filter(|&at| at != j).map(|at| chain[at]).collect(),
            after: chain[k + 1..].to_vec(),
        }
    }
}

/// Three joints of a chain as upper, lower and end, with their score over the length of the limb.
type Reading = (Real, [usize; 3]);

/// Returns all readings of a chain, in a fixed order.
fn readings(tree: &Tree, chain: &[usize], ratio: Real) -> Vec<Reading> {
    let reach = tree.reach(chain[0]).max(1e-9);
    let mut all = Vec::new();
    for i in 0..chain.len() {
        for j in i + 1..chain.len() {
            for k in j + 1..chain.len() {
                all.push((score(tree, chain, [i, j, k], ratio, reach) / reach, [i, j, k]));
            }
        }
    }
    all
}

/// Returns the best reading, and its lead over the best one with a joint elsewhere.
fn best(tree: &Tree, chain: &[usize], readings: &[Reading]) -> ([usize; 3], Real) {
    let mut best: Option<Reading> = None;
    for reading in readings {
        if best.is_none_or(|(most, _)| reading.0 > most + 1e-6) {
            best = Some(*reading);
        }
    }
    // A limb of fewer joints repeats its last one.
    let last = chain.len() - 1;
    let Some((most, places)) = best else { return ([0, last.min(1), last.min(2)], 1.0) };
    let elsewhere = |a: usize, b: usize| {
        let way: Real = chain[a.min(b) + 1..=a.max(b)].iter().map(|&joint| tree.bone(joint)).sum();
        way > SAME * tree.reach(chain[0])
    };
    let is_other = |reading: &&Reading| places.iter().zip(&reading.1).any(|(&a, &b)| elsewhere(a, b));
    let second = readings.iter().filter(is_other).map(|reading| reading.0).fold(most - 1.0, Real::max);
    (places, most - second)
}

impl Limb {
    /// Returns the leg with its end at the last of the coinciding joints at the ankle. They rotate as one, and the last of them
    /// carries the foot.
    pub fn onto_the_foot(mut self, tree: &Tree) -> Limb {
        let near = ON * tree.reach(self.joints[0]);
        let carries_all = |end: usize, next: usize| {
            tree.bone(next) < near
                && tree.children(end).iter().all(|&c| c == next || tree.bone(c) + tree.reach(c) < near)
        };
        while self.after.len() > 1 && carries_all(self.joints[2], self.after[0]) {
            self.within.push(self.joints[2]);
            self.joints[2] = self.after.remove(0);
        }
        self
    }

    /// Returns the joint beyond the end that the toes rotate about.
    pub fn toes(&self, tree: &Tree) -> Option<usize> {
        let whole = tree.reach(self.joints[2]).max(1e-9);
        let mut way = 0.0;
        let along = self.after.iter().map(|&joint| {
            way += tree.bone(joint);
            (joint, (way / whole - TOES).abs())
        });
        along.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| joint)
    }
}

/// Returns the quality of three joints of a chain as a limb, metres.
fn score(tree: &Tree, chain: &[usize], [i, j, k]: [usize; 3], ratio: Real, reach: Real) -> Real {
    let length = |a: usize, b: usize| (tree.place(chain[b]) - tree.place(chain[a])).norm();
    let (upper, lower) = (length(i, j), length(j, k));
    // Joints left out between cost little where they lie on others, as inserted ones do.
    let skipped = (i + 1..k).filter(|&at| at != j);
    let skipped: Real = skipped.map(|at| if tree.bone(chain[at]) > 0.05 * reach { 0.35 } else { 0.06 }).sum();
    let before: Real = chain[1..=i.max(1)].iter().take(i).map(|&joint| tree.bone(joint)).sum();
    let beyond = (tree.reach(chain[k]) - 0.38 * (upper + lower)).max(0.0);
    let branches = tree.children(chain[k]).len() >= 3;
    // The top of a limb stands off the joint it hangs on; one that lies on it (an inserted joint) is no hip.
    let on_parent = tree.parent(chain[i]).is_some_and(|p| (tree.place(chain[i]) - tree.place(p)).norm() < 0.01 * reach);
    upper + lower - (upper - ratio * lower).abs() - beyond - 0.4 * before - skipped * reach
        + if branches { 0.2 * reach } else { 0.0 }
        - if on_parent { 0.1 * reach } else { 0.0 }
}

/// Returns the fingers on a hand as chains of joints, with their numbers: 0 the thumb, 4 the little finger.
pub(super) fn fingers(tree: &Tree, hand: usize) -> Vec<(u8, Vec<usize>)> {
    let chain = |start: usize| {
        let mut chain = tree.longest_chain(start);
        if chain.len() > 3 && tree.ends_at(chain[chain.len() - 1]) {
            chain.pop();
        }
        chain
    };
    let chains: Vec<Vec<usize>> = tree.children(hand).iter().map(|&c| chain(c)).filter(|c| c.len() >= 2).collect();
    if chains.len() != 5 {
        // Fewer fingers cannot be told apart.
        return Vec::new();
    }
    let (place, far) = (tree.place(hand), |c: &Vec<usize>| tree.place(c[c.len() - 1]));
    // The thumb ends nearest to the wrist; the others follow by their distance from its root.
    let thumb = (0..5).min_by(|&a, &b| (far(&chains[a]) - place).norm().total_cmp(&(far(&chains[b]) - place).norm()));
    let Some(thumb) = thumb else { return Vec::new() };
    let tip = far(&chains[thumb]);
    let mut others: Vec<usize> = (0..5).filter(|&k| k != thumb).collect();
    let away = |k: usize| (tree.place(chains[k][1]) - tip).norm();
    others.sort_by(|&a, &b| away(a).total_cmp(&away(b)).then(a.cmp(&b)));
    std::iter::once(thumb).chain(others).zip(0u8..).map(|(k, number)| (number, chains[k].clone())).collect()
}

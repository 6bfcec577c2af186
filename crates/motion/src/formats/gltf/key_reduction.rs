//! Key reduction: drops keys while no joint moves by more than a given distance.
//!
//! The error is bounded: go down the chain to a joint and replace one local transform after the other by its
//! reduced one, ancestors first. Rotating joint `a` by an angle `θ_a` moves what hangs on it by at most
//! `2 sin(θ_a/2) · d`, where `d` is the true distance between the two joints at that time, because everything below
//! `a` is still true. So with `n` joints on the chain it is enough that
//!
//!   θ_a ≤ ε / (2 n · reach_a)    and    translation error ≤ ε / (2 n)
//!
//! The bound is far from tight, so larger shares are tried, and each result is measured: forward kinematics at every
//! frame and half-way between frames. The result is the largest share that was measured to keep the bound.

use crate::math::real;
use crate::{Clip, Frame, Pose, Skeleton};
use crate::{Quat, Real, Vec3};

/// Frames that are kept, per joint; always the first and the last.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    pub rotations: Vec<Vec<u32>>,
    /// Empty lists for joints without a track.
    pub translations: Vec<Vec<u32>>,
    pub scales: Vec<Vec<u32>>,
}

/// Keys of a reduced clip with their error.
#[derive(Clone, Debug)]
pub(super) struct Reduced {
    pub keys: Keys,
    /// Largest distance of a joint from where the full clip has it, metres, measured at frames and half frames.
    pub largest_error: Real,
}

/// Drops the keys that can be dropped with `allowed` metres of error.
pub(super) fn reduce(skeleton: &Skeleton, clip: &Clip, allowed: Real) -> Reduced {
    let job = Job::new(skeleton, clip);
    let everything = Reduced { keys: job.keys(0.0), largest_error: 0.0 };
    if !(allowed.is_finite() && allowed > 0.0) || clip.frames() < 3 {
        return everything;
    }
    let mut best = None;
    let mut share = 1.0;
    // Up while it holds; with animated scales the first share may already be too large, then down.
    while share < 1e4 {
        let keys = job.keys(share * allowed);
        let largest_error = job.error(&keys);
        if largest_error > allowed {
            break;
        }
        best = Some(Reduced { keys, largest_error });
        share *= 2.0;
    }
    while best.is_none() && share > 1e-4 {
        share *= 0.5;
        let keys = job.keys(share * allowed);
        let largest_error = job.error(&keys);
        if largest_error <= allowed {
            best = Some(Reduced { keys, largest_error });
        }
    }
    best.unwrap_or(everything)
}

struct Job<'a> {
    skeleton: &'a Skeleton,
    clip: &'a Clip,
    /// Largest distance over the clip from each joint to anything below it, metres.
    reach: Vec<Real>,
    /// Joints on the longest chain through each joint.
    chain: Vec<Real>,
    /// True positions at frames and half frames.
    truth: Vec<Vec3>,
}

impl<'a> Job<'a> {
    fn new(skeleton: &'a Skeleton, clip: &'a Clip) -> Self {
        let count = skeleton.len();
        let (mut depth, mut below) = (vec![1usize; count], vec![0usize; count]);
        for j in 0..count {
            depth[j] = skeleton.joint(j).parent.map_or(1, |p| depth[p] + 1);
        }
        let mut reach = vec![0.0; count];
        for j in (0..count).rev() {
            if let Some(p) = skeleton.joint(j).parent {
                below[p] = below[p].max(below[j] + 1);
            }
        }
        let chain = (0..count).map(|j| (depth[j] + below[j]) as Real).collect();
        let mut job = Self { skeleton, clip, reach: Vec::new(), chain, truth: Vec::new() };
        let all = job.keys(0.0);
        let mut truth = Vec::with_capacity(count * 2 * clip.frames());
        job.walk(&all, |frames| {
            truth.extend(frames.iter().map(|f| f.position));
            // Reach by triangle inequality from the leaves up: one pass instead of all pairs.
            let mut here = vec![0.0; count];
            for j in (0..count).rev() {
                reach[j] = Real::max(reach[j], here[j]);
                if let Some(p) = skeleton.joint(j).parent {
                    let bone = (frames[j].position - frames[p].position).norm();
                    here[p] = Real::max(here[p], here[j] + bone);
                }
            }
        });
        job.truth = truth;
        job.reach = reach;
        job
    }

    /// Keys for a position error budget per chain; 0 keeps everything.
    fn keys(&self, budget: Real) -> Keys {
        let (clip, count) = (self.clip, self.skeleton.len());
        let frames = clip.frames();
        let share = |j: usize| budget / (2.0 * self.chain[j]);
        let all: Vec<u32> = (0..frames as u32).collect();
        let rotations = (0..count).map(|j| {
            if budget == 0.0 {
                return all.clone();
            }
            let angle = if self.reach[j] > 0.0 { share(j) / self.reach[j] } else { Real::INFINITY };
            // A leaf's rotation moves no joint but its mesh: a degree is still seen.
            let angle = angle.min(0.02);
            thin(frames, |from, to, k| {
                let at = |f: usize| clip.rotations(f)[j];
                mix(&at(from), &at(to), part(from, to, k)).angle_to(&at(k)) <= angle
            })
        });
        let rotations = rotations.collect();
        let thinned = |tracks: &crate::Tracks, limit: &dyn Fn(usize) -> Real| {
            let mut lists = vec![Vec::new(); count];
            let width = tracks.joints.len();
            for (slot, &j) in tracks.joints.iter().enumerate() {
                let at = |f: usize| tracks.values[f * width + slot];
                lists[j] = if budget == 0.0 {
                    all.clone()
                } else {
                    thin(frames, |from, to, k| (at(from).lerp(&at(to), part(from, to, k)) - at(k)).norm() <= limit(j))
                };
            }
            lists
        };
        let translations = thinned(clip.translations(), &share);
        let scales = thinned(clip.scales(), &|j| (share(j) / self.reach[j].max(1e-9)).min(0.01));
        Keys { rotations, translations, scales }
    }

    /// Visits the joint frames at every frame and half frame of the thinned clip.
    fn walk(&self, keys: &Keys, mut visit: impl FnMut(&[Frame])) {
        let clip = self.clip;
        let mut pose = self.skeleton.rest_pose();
        if !clip.scales().joints.is_empty() {
            pose.scales = Some(vec![Vec3::repeat(1.0); self.skeleton.len()]);
        }
        let mut world = Vec::new();
        let mut cursor = Cursor::new(keys);
        for half in 0..(2 * clip.frames()).saturating_sub(1) {
            cursor.pose(clip, half, &mut pose);
            pose.world_into(self.skeleton, &mut world);
            visit(&world);
        }
    }

    fn error(&self, keys: &Keys) -> Real {
        let (mut at, mut largest) = (0, 0.0);
        self.walk(keys, |frames| {
            for frame in frames {
                largest = Real::max(largest, (frame.position - self.truth[at]).norm());
                at += 1;
            }
        });
        largest
    }
}

/// Walks along key lists as time goes on.
struct Cursor<'a> {
    keys: &'a Keys,
    places: [Vec<usize>; 3],
}

impl<'a> Cursor<'a> {
    fn new(keys: &'a Keys) -> Self {
        let zeros = || vec![0; keys.rotations.len()];
        Self { keys, places: [zeros(), zeros(), zeros()] }
    }

    fn pose(&mut self, clip: &Clip, half: usize, pose: &mut Pose) {
        let time = half as Real / 2.0;
        let [rotations, translations, scales] = &mut self.places;
        for (j, place) in rotations.iter_mut().enumerate() {
            let (from, to, u) = span(&self.keys.rotations[j], place, time);
            pose.rotations[j] = mix(&clip.rotations(from)[j], &clip.rotations(to)[j], u);
        }
        let width = clip.translations().joints.len();
        for (slot, &j) in clip.translations().joints.iter().enumerate() {
            let (from, to, u) = span(&self.keys.translations[j], &mut translations[j], time);
            let values = &clip.translations().values;
            pose.translations[j] = values[from * width + slot].lerp(&values[to * width + slot], u);
        }
        let width = clip.scales().joints.len();
        if let Some(out) = &mut pose.scales {
            for (slot, &j) in clip.scales().joints.iter().enumerate() {
                let (from, to, u) = span(&self.keys.scales[j], &mut scales[j], time);
                let values = &clip.scales().values;
                out[j] = values[from * width + slot].lerp(&values[to * width + slot], u);
            }
        }
    }
}

/// The two keys around a time, in frames, and how far between them it lies.
fn span(keys: &[u32], place: &mut usize, time: Real) -> (usize, usize, Real) {
    while *place + 2 < keys.len() && Real::from(keys[*place + 1]) <= time {
        *place += 1;
    }
    let from = keys[*place] as usize;
    let to = keys.get(*place + 1).map_or(from, |&k| k as usize);
    let u = if to > from { (time - from as Real) / (to - from) as Real } else { 0.0 };
    (from, to, u)
}

fn part(from: usize, to: usize, k: usize) -> Real {
    (k - from) as Real / (to - from) as Real
}

/// Great-circle interpolation along the shorter way, as glTF viewers do it.
pub(super) fn mix(a: &Quat, b: &Quat, u: Real) -> Quat {
    let dot = a.coords.dot(&b.coords);
    let (b, dot) = if dot < 0.0 { (-b.coords, -dot) } else { (b.coords, dot) };
    let (wa, wb) = if dot > 1.0 - 1e-10 {
        (1.0 - u, u)
    } else {
        let angle = real::acos(dot.min(1.0));
        let sine = real::sin(angle);
        (real::sin((1.0 - u) * angle) / sine, real::sin(u * angle) / sine)
    };
    Quat::new_normalize(nalgebra::Quaternion::from(a.coords * wa + b * wb))
}

/// Keeps the first and last frame and as few between as `fits(from, to, k)` allows, which says whether frame `k` is
/// met well enough between two keys. Every accepted gap has been checked frame by frame; its length is searched for
/// by doubling and halving, so that long rests cost little.
fn thin(frames: usize, fits: impl Fn(usize, usize, usize) -> bool) -> Vec<u32> {
    let holds = |from: usize, to: usize| (from + 1..to).all(|k| fits(from, to, k));
    let last = frames.saturating_sub(1);
    let mut keys = vec![0];
    let mut from = 0;
    while from < last {
        let (mut good, mut step) = (from + 1, 2);
        let mut bad = last + 1;
        while good < last {
            let to = (from + step).min(last);
            if !holds(from, to) {
                bad = to;
                break;
            }
            good = to;
            step *= 2;
        }
        while bad - good > 1 && bad <= last {
            let middle = good + (bad - good) / 2;
            if holds(from, middle) { good = middle } else { bad = middle }
        }
        keys.push(good as u32);
        from = good;
    }
    keys
}

//! Ground that moves below a body which walks in place.
//!
//! On a treadmill, and in clips whose travel was removed, feet in contact slide back. They rest on moving ground, and all
//! measures of feet are taken against it. Forces are the same in the frame of a treadmill of constant velocity. Ground of
//! varying velocity belongs to a body that travelled when it was captured, and the forces are those it had then. Only
//! constant velocity can be told from feet that are dragged.

use super::signal::{bridged, percentile, smoothed_signal};
use crate::math::{GRAVITY, Real, Vec3, real};
use std::collections::BTreeMap;

/// Path of the ground below a body that does not travel.
pub(crate) struct Below {
    /// Displacement of the ground since the first frame, by frame, metres.
    pub way: Vec<Vec3>,
    /// Constant velocity, as of a treadmill.
    pub steady: bool,
}

/// Motion of a body, as far as moving ground can be found from it.
pub(crate) struct Walker<'a> {
    /// Frames per second.
    pub rate: Real,
    /// Position of the root by frame, metres.
    pub root: &'a [Vec3],
    /// Upward acceleration of the centre of mass by frame, m/s².
    pub rise: &'a [Real],
    /// Limb of each sole point, counted from 0.
    pub limbs: &'a [usize],
    /// Position of a sole point in a frame, metres.
    pub place: &'a dyn Fn(usize, usize) -> Vec3,
    /// Height of the ground, metres.
    pub floor: Real,
    /// Height over the reference height, see [`Figure::size_scale`](crate::figure::Figure::size_scale).
    pub size_scale: Real,
}

/// Largest extent of the root of a clip whose travel was removed, metres per a.
const HELD: Real = 0.005;
/// Bandwidth of the velocity of a body, Hz.
const BODY_HZ: Real = 2.5;
/// Least mean velocity of the feet of a body that walks in place, m/s per a.
const SLOWEST: Real = 0.15;
/// Greatest depth of soles in contact, metres per a; deeper ones are dragged through the ground.
const THROUGH: Real = 0.02;
/// A limb is on the treadmill, and off it while another is on it, for more than so much of the time, %.
const TURNS: usize = 10;
/// Soles above this are up, metres per a.
const UP: Real = 0.04;

impl Walker<'_> {
    fn frames(&self) -> usize {
        self.root.len()
    }

    fn seconds(&self) -> Real {
        self.frames() as Real / self.rate
    }

    /// Path of the ground below a body that walks in place; none where the body travels or stands still.
    ///
    /// A treadmill has one velocity, and the body sways on it. Where the feet have no common velocity and the root was fixed,
    /// all travel is in the feet, and the ground moves with the feet in contact.
    pub fn below(&self) -> Option<Below> {
        if let Some(usual) = self.steady() {
            let way = (0..self.frames()).map(|t| usual * (t as Real / self.rate)).collect();
            return Some(Below { way, steady: true });
        }
        let first = self.root.first()?;
        let (low, high) = self.root.iter().fold((*first, *first), |(low, high), p| (low.inf(p), high.sup(p)));
        if flat(high - low).norm() > HELD * self.size_scale {
            return None;
        }
        let way = self.way_of_feet()?;
        (way.last()?.norm() > SLOWEST * self.size_scale * self.seconds()).then_some(Below { way, steady: false })
    }

    /// The velocity that low soles have more often than any other, m/s; none unless one of them has it for most of the time
    /// in which some are low. Flight phases do not count. Swinging feet may be as low as supporting ones, but their
    /// velocities differ from step to step.
    pub fn steady(&self) -> Option<Vec3> {
        let size_scale = self.size_scale;
        if gets_on(self.root.first()?, self.root.last()?, size_scale, self.seconds()) {
            return None;
        }
        let carried = self.rise.iter().filter(|rise| **rise > -0.45 * GRAVITY).count();
        let (mut seen, mut low): (Vec<(usize, usize, Vec3)>, Vec<usize>) = (Vec::new(), Vec::new());
        for t in 1..self.frames().saturating_sub(1) {
            for sole in 0..self.limbs.len() {
                let velocity = ((self.place)(sole, t + 1) - (self.place)(sole, t - 1)) * (0.5 * self.rate);
                let over = (self.place)(sole, t).y - self.floor;
                let is_level = velocity.y.abs() < 0.5 * velocity.norm() + 0.1;
                if (-THROUGH * size_scale..UP * size_scale).contains(&over) && is_level {
                    low.push(t);
                    seen.extend(
                        (flat(velocity).norm() > 0.3 * size_scale).then(|| (t, self.limbs[sole], flat(velocity))),
                    );
                }
            }
        }
        low.dedup();
        let agree = |with: Vec3, share: Real| {
            let most = share * with.norm();
            seen.iter().filter(move |(_, _, v)| (*v - with).norm() < most)
        };
        let near = |velocity: Vec3, share: Real| middle(agree(velocity, share).map(|(_, _, v)| v)).unwrap_or(velocity);
        let usual = near(commonest(&seen, 0.1 * size_scale)?, 0.4);
        let mut on_treadmill: Vec<(usize, usize)> = agree(usual, 0.4).map(|(t, limb, _)| (*t, *limb)).collect();
        on_treadmill.sort_unstable();
        on_treadmill.dedup();
        let mut frames: Vec<usize> = on_treadmill.iter().map(|(t, _)| *t).collect();
        frames.dedup();
        // Limbs of a walk alternate: at least two are on the treadmill at times, and off it while another is on it.
        let (often, all) = (|count: usize| 100 * count > TURNS * frames.len(), frames.len());
        let count = |limb: usize| on_treadmill.iter().filter(|(_, other)| *other == limb).count();
        let limbs = self.limbs.iter().max().map_or(0, |last| last + 1);
        let take_turns = (0..limbs).filter(|&limb| often(count(limb)) && often(all - count(limb))).count() > 1;
        // Feet that land and lift off are slower: those that agree best have the treadmill's velocity.
        let best = [0.2, 0.1, 0.05].into_iter().fold(usual, near);
        (take_turns && 2 * all > low.len() && 2 * low.len() > carried).then_some(best)
    }

    /// Mean step of the soles from a frame to the next, metres, weighted by how low each is. None where all are up.
    fn step_of_feet(&self, t: usize) -> Option<Vec3> {
        let height = |f: usize| (self.place)(f, t).y.max((self.place)(f, t + 1).y) - self.floor;
        let lowest = (0..self.limbs.len()).map(height).min_by(Real::total_cmp)?;
        let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
        for f in 0..self.limbs.len() {
            let weight = real::exp(-(height(f) - lowest) / (0.005 * self.size_scale));
            sum += ((self.place)(f, t + 1) - (self.place)(f, t)) * weight;
            weights += weight;
        }
        (lowest < UP * self.size_scale).then(|| flat(sum / weights))
    }

    /// Path of the feet in contact, by frame; while all are up, velocities are interpolated. None where they are hardly ever
    /// down.
    fn way_of_feet(&self) -> Option<Vec<Vec3>> {
        let steps: Vec<Option<Vec3>> = (0..self.frames().saturating_sub(1)).map(|t| self.step_of_feet(t)).collect();
        let told: Vec<bool> = steps.iter().map(Option::is_some).collect();
        if 3 * told.iter().filter(|told| **told).count() < told.len() {
            return None;
        }
        // Steps of a frame or two belong to the feet, not to the body.
        let axis = |k: usize| {
            let steps = bridged(&steps.iter().map(|step| step.map_or(0.0, |step| step[k])).collect::<Vec<_>>(), &told);
            let way = std::iter::once(0.0).chain(steps.iter().scan(0.0, |at, step| {
                *at += step;
                Some(*at)
            }));
            smoothed_signal(&way.collect::<Vec<_>>(), BODY_HZ, self.rate)
        };
        let (x, z) = (axis(0), axis(2));
        Some(x.iter().zip(&z).map(|(&x, &z)| Vec3::new(x, 0.0, z)).collect())
    }
}

/// Returns true if a root travels in so many seconds, rather than sways.
pub(crate) fn gets_on(first: &Vec3, last: &Vec3, size_scale: Real, seconds: Real) -> bool {
    flat(last - first).norm() > 0.15 * size_scale * seconds.max(1.0)
}

/// The middle of the square of this width, m/s, in and around which most velocities lie.
fn commonest(velocities: &[(usize, usize, Vec3)], width: Real) -> Option<Vec3> {
    let mut squares: BTreeMap<[i64; 2], usize> = BTreeMap::new();
    for (_, _, v) in velocities {
        let [x, z] = [v.x, v.z].map(|speed| (speed / width).floor() as i64);
        for square in (-1..=1).flat_map(|i| (-1..=1).map(move |k| [x.saturating_add(i), z.saturating_add(k)])) {
            *squares.entry(square).or_default() += 1;
        }
    }
    let ([x, z], _) = squares.into_iter().max_by_key(|(_, count)| *count)?;
    Some(Vec3::new(x as Real + 0.5, 0.0, z as Real + 0.5) * width)
}

/// The median along each axis.
fn middle<'a>(velocities: impl Iterator<Item = &'a Vec3> + Clone) -> Option<Vec3> {
    let axis = |k: usize| percentile(&mut velocities.clone().map(|v| v[k]).collect::<Vec<_>>(), 0.5);
    Some(Vec3::new(axis(0)?, 0.0, axis(2)?))
}

fn flat(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}

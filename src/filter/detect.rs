//! Contact detection: the frames in which each feature is in contact with the ground.
//!
//! With a the size scale (height over the reference height) and v_c the speed of the centre of mass, a contact starts when a
//! feature is lower than 3.5 cm·a and slower than v = max(0.4 m/s·a, 0.2 v_c), and ends when it is higher than 4.5 cm·a or
//! faster than 1.3 v. Gaps below 60 ms are closed and contacts below 50 ms dropped. Ends at which the feature is already 4 to
//! 10 mm up are cut off, and so are contacts of parts raised above a lower part of the same foot. A feature that is fast
//! already and still not up would drag over the ground, and stays in contact for up to 60 ms more.
//!
//! The dynamics then decide where nothing is in contact and the body does not fall, because something must support it. If that
//! is so throughout, feet that always rest at the same height above (or below) the ground are taken to be in contact. Remaining
//! gaps are filled by the lowest and slowest feature, if it is near the ground; else by features at rest above it, such as
//! hands that a capture leaves in the air.

use super::Surface;
use super::feature::Features;
use super::follow::{level, median_of};
use super::trajectories::Trajectories;
use crate::contacts::signal::percentile;
use crate::figure::SolePart;
use crate::math::{GRAVITY, Real, Vec3};
use crate::motion::REFERENCE_HEIGHT;
use std::ops::Range;

/// Downward acceleration below which a body is supported, over gravity.
const CARRIED: Real = 0.45;

/// Contacts of all features.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contacts {
    /// Contact intervals of each feature, sorted and disjoint.
    pub intervals: Vec<Vec<Range<usize>>>,
    /// Number of frames of contact that only the dynamics require.
    pub added: usize,
    /// Features at rest above the ground that are lowered to it, with their height, metres.
    pub hanging: Vec<(usize, Real)>,
}

pub(crate) struct Detector<'a> {
    features: &'a Features,
    trajectories: &'a Trajectories,
    /// Height over the reference height, see [`Figure::size_scale`](crate::figure::Figure::size_scale).
    size_scale: Real,
    /// Heights over the ground, metres, and speeds, m/s, by feature and frame.
    heights: Vec<Vec<Real>>,
    speeds: Vec<Vec<Real>>,
    /// Speed below which a feature is slow, for each frame, m/s.
    slow: Vec<Real>,
    /// Upward acceleration of the centre of mass, m/s².
    rise: Vec<Real>,
    /// Resting height of each feature, metres above the ground.
    rests: Vec<Real>,
    /// True if the clip is physical already, so that heights and speeds need no margin.
    exact: bool,
}

impl<'a> Detector<'a> {
    /// Prepares detection. `trajectories` are those of a clip smooth enough for speeds; `exact` tells that it is physical
    /// already.
    pub fn new(
        features: &'a Features,
        trajectories: &'a Trajectories,
        ground: &dyn Surface,
        height: Real,
        exact: bool,
    ) -> Self {
        let size_scale = height / REFERENCE_HEIGHT;
        let all = 0..features.list.len();
        let over = |f: usize| (0..trajectories.frames).map(|t| ground.under(trajectories.place(f, t)).height).collect();
        let heights = all.clone().map(over).collect();
        let speeds = all.map(|f| (0..trajectories.frames).map(|t| trajectories.speed(f, t)).collect()).collect();
        let slow =
            (0..trajectories.frames).map(|t| (0.4 * size_scale).max(0.2 * trajectories.centre_speed(t))).collect();
        let rests = vec![0.0; features.list.len()];
        Self { features, trajectories, size_scale, heights, speeds, slow, rise: trajectories.rise(), rests, exact }
    }

    fn frames_in(&self, seconds: Real) -> usize {
        (seconds * self.trajectories.rate).round() as usize
    }

    /// Detects all contacts.
    pub fn run(mut self) -> Contacts {
        let mut in_contact = self.stand();
        let mut hanging = Vec::new();
        let unsupported = self.unsupported(&in_contact);
        if 20 * unsupported > self.trajectories.frames {
            self.rests = self.resting_heights();
            let better = self.stand();
            if 2 * self.unsupported(&better) < unsupported {
                in_contact = better;
                // One feature represents its foot.
                let off = self.features.limbs.iter().map(|limb| (limb[0], self.rests[limb[0]]));
                hanging.extend(off.filter(|(_, rest)| rest.abs() > 0.01 * self.size_scale));
            } else {
                self.rests.fill(0.0);
            }
        }
        let before: usize = in_contact.iter().flatten().filter(|s| **s).count();
        self.extend(&mut in_contact);
        self.lower_to_ground(&mut in_contact, &mut hanging);
        for mask in &mut in_contact {
            close_gaps(mask, self.frames_in(0.06));
        }
        self.fill_balls(&mut in_contact);
        self.drop_flight_blips(&mut in_contact);
        let after: usize = in_contact.iter().flatten().filter(|s| **s).count();
        let intervals = in_contact.iter().map(|mask| runs(mask)).collect();
        Contacts { intervals, added: after.saturating_sub(before), hanging }
    }

    /// Detects contacts by height and speed alone.
    fn stand(&self) -> Vec<Vec<bool>> {
        let all = 0..self.features.list.len();
        let mut in_contact: Vec<Vec<bool>> =
            all.map(|f| self.hysteresis(f, self.rests[f], 0..self.trajectories.frames)).collect();
        for (f, mask) in in_contact.iter_mut().enumerate() {
            close_gaps(mask, self.frames_in(0.06));
            drop_short(mask, self.frames_in(0.05));
            self.trim(f, mask, |_| 0.015 * self.size_scale);
            if self.features.list[f].part.is_none() {
                self.drop_untouching(f, mask);
            }
        }
        self.drop_raised(&mut in_contact);
        self.fill_balls(&mut in_contact);
        // A steady contact shows its end clearly. A noisy one gets a wider margin.
        for (f, mask) in in_contact.iter_mut().enumerate().filter(|(f, _)| self.features.list[*f].is_foot()) {
            self.trim(f, mask, |low| {
                if self.exact {
                    0.0015 * self.size_scale
                } else {
                    (0.003 * self.size_scale + 2.0 * low).clamp(0.004 * self.size_scale, 0.01 * self.size_scale)
                }
            });
        }
        self.extend_dragged(&mut in_contact);
        in_contact
    }

    /// Extends contacts of feet over frames in which they are fast but still not up, at both ends: a foot does not drag.
    fn extend_dragged(&self, in_contact: &mut [Vec<bool>]) {
        let most = self.frames_in(0.06);
        for (f, mask) in
            in_contact.iter_mut().enumerate().filter(|(f, _)| self.features.list[*f].is_foot() && !self.exact)
        {
            let (h, frames) = (&self.heights[f], self.trajectories.frames);
            for Range { start, end } in runs(mask) {
                let rest = percentile(&mut h[start..end].to_vec(), 0.2).unwrap_or(0.0);
                let drags = |t: usize| h[t] < rest + 0.002 * self.size_scale && self.speeds[f][t] < 2.5 * self.slow[t];
                (end..frames.min(end + most)).take_while(|&t| drags(t)).for_each(|t| mask[t] = true);
                (start.saturating_sub(most)..start).rev().take_while(|&t| drags(t)).for_each(|t| mask[t] = true);
            }
        }
    }

    fn unsupported(&self, in_contact: &[Vec<bool>]) -> usize {
        (0..self.trajectories.frames).filter(|&t| self.is_unsupported(in_contact, t)).count()
    }

    /// Returns the resting heights of feet that hardly move, metres above the ground; 0 for all other features.
    fn resting_heights(&self) -> Vec<Real> {
        let mut rests = vec![0.0; self.features.list.len()];
        for limb in &self.features.limbs {
            if !limb.iter().any(|&f| self.features.list[f].is_foot()) {
                continue;
            }
            let mut low: Vec<Real> = (0..self.trajectories.frames)
                .filter_map(|t| {
                    limb.iter()
                        .copied()
                        .min_by(|&f, &g| self.heights[f][t].total_cmp(&self.heights[g][t]))
                        .map(|f| (f, t))
                })
                .filter(|&(f, t)| self.speeds[f][t] < 0.7 * self.slow[t] && self.heights[f][t] < 0.1 * self.size_scale)
                .map(|(f, t)| self.heights[f][t])
                .collect();
            if low.len() >= self.frames_in(0.15).max(2) {
                let rest = percentile(&mut low, 0.3).unwrap_or(0.0);
                limb.iter().for_each(|&f| rests[f] = rest);
            }
        }
        rests
    }

    /// Detects contact with hysteresis in height and speed; heights count from `rest`.
    fn hysteresis(&self, feature: usize, rest: Real, frames: Range<usize>) -> Vec<bool> {
        let sole = self.features.list[feature].part.is_some();
        // Knees and backs come near the ground without contact.
        let (enter, leave) = match (sole, self.exact) {
            (_, true) => (0.006, 0.006),
            (true, false) => (0.035, 0.045),
            (false, false) => (0.012, 0.02),
        };
        let (enter, leave) = (enter * self.size_scale + rest, leave * self.size_scale + rest);
        let mut mask = vec![false; self.trajectories.frames];
        let mut on = false;
        for t in frames {
            let (h, v) = (self.heights[feature][t], self.speeds[feature][t]);
            let slow = if self.exact { 0.25 * self.slow[t] } else { self.slow[t] };
            on = if on { h <= leave && v <= 1.3 * slow } else { h < enter && v < slow };
            mask[t] = on;
        }
        mask
    }

    /// Cuts off ends at which the feature is above its resting height by more than `up` allows, given the spread of its lower
    /// heights. Ends of the clip are not cut.
    fn trim(&self, feature: usize, mask: &mut [bool], up: impl Fn(Real) -> Real) {
        let h = &self.heights[feature];
        for Range { start, end } in runs(mask) {
            let mut inside: Vec<Real> = h[start..end].to_vec();
            let [low, rest, middle] = [0.1, 0.2, 0.4].map(|share| percentile(&mut inside, share).unwrap_or(0.0));
            let high = rest + up(middle - low);
            let first = (start..end).find(|&t| t == 0 || h[t] <= high).unwrap_or(end);
            let last = (first..end).rev().find(|&t| t + 1 == h.len() || h[t] <= high).map_or(first, |t| t + 1);
            mask[start..first].fill(false);
            mask[last..end].fill(false);
        }
    }

    /// Drops contacts of flesh that comes near the ground without touching it.
    fn drop_untouching(&self, feature: usize, mask: &mut [bool]) {
        for run in runs(mask) {
            let mut inside: Vec<Real> = self.heights[feature][run.clone()].to_vec();
            if percentile(&mut inside, 0.2).is_some_and(|rest| rest > 0.008 * self.size_scale) {
                mask[run].fill(false);
            }
        }
    }

    /// Drops the contact of a heel that stays up while the ball is lower.
    fn drop_raised(&self, in_contact: &mut [Vec<bool>]) {
        for limb in &self.features.limbs {
            let found: Vec<(usize, Range<usize>)> =
                limb.iter().flat_map(|&f| runs(&in_contact[f]).into_iter().map(move |run| (f, run))).collect();
            for (f, run) in &found {
                let rest = median(&self.heights[*f][run.clone()]);
                if rest - self.rests[*f] <= 0.02 * self.size_scale {
                    continue;
                }
                let lower = found.iter().any(|(other, other_run)| {
                    let both = run.start.max(other_run.start)..run.end.min(other_run.end);
                    other != f
                        && 2 * both.len() > run.len()
                        && median(&self.heights[*other][both]) < rest - 0.015 * self.size_scale
                });
                if lower {
                    in_contact[*f][run.clone()].fill(false);
                }
            }
        }
    }

    /// Adds the ball of a foot where heel and tip are in contact.
    fn fill_balls(&self, in_contact: &mut [Vec<bool>]) {
        for limb in &self.features.limbs {
            let part = |wanted: SolePart| limb.iter().copied().find(|&f| self.features.list[f].part == Some(wanted));
            if let (Some(heel), Some(ball), Some(tip)) =
                (part(SolePart::Heel), part(SolePart::Ball), part(SolePart::Tip))
            {
                let flat: Vec<bool> =
                    in_contact[heel].iter().zip(&in_contact[tip]).map(|(heel, tip)| *heel && *tip).collect();
                in_contact[ball].iter_mut().zip(flat).for_each(|(ball, flat)| *ball |= flat);
            }
        }
    }

    /// Returns true if something must support the body although nothing is in contact.
    fn is_unsupported(&self, in_contact: &[Vec<bool>], frame: usize) -> bool {
        self.rise[frame] > -CARRIED * GRAVITY && !in_contact.iter().any(|mask| mask[frame])
    }

    /// Adds low and slow features where the body is unsupported, preferring those in contact in a neighbouring frame.
    fn extend(&self, in_contact: &mut [Vec<bool>]) {
        let last = self.trajectories.frames.saturating_sub(1);
        let wants = |in_contact: &[Vec<bool>], t: usize| {
            let cost = |f: usize| {
                let neighbour = in_contact[f][t.saturating_sub(1)] || in_contact[f][(t + 1).min(last)];
                let over = (self.heights[f][t] - self.rests[f]).max(0.0) / (0.035 * self.size_scale);
                over + self.speeds[f][t] / self.slow[t] - if neighbour { 1.0 } else { 0.0 }
            };
            let near = (0..in_contact.len()).filter(|&f| self.heights[f][t] - self.rests[f] < 0.06 * self.size_scale);
            near.map(|f| (f, cost(f))).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(f, _)| f)
        };
        // Both ends of a gap are extended towards its middle.
        let unsupported: Vec<bool> =
            (0..self.trajectories.frames).map(|t| self.is_unsupported(in_contact, t)).collect();
        for gap in runs(&unsupported) {
            let half = gap.start + gap.len().div_ceil(2);
            for t in (gap.start..half).chain((half..gap.end).rev()) {
                if let Some(f) = wants(in_contact, t) {
                    in_contact[f][t] = true;
                    // A foot is in contact with all its parts that are as low.
                    for &g in self.features.limbs[self.features.list[f].limb].iter().filter(|&&g| g != f) {
                        let as_low = self.heights[g][t] - self.rests[g]
                            < (self.heights[f][t] - self.rests[f]).max(0.0) + 0.008 * self.size_scale;
                        in_contact[g][t] |=
                            as_low && self.speeds[g][t] < self.slow[t] && self.features.list[g].is_foot();
                    }
                }
            }
        }
    }

    /// Drops contacts of a frame or two in the middle of a flight.
    fn drop_flight_blips(&self, in_contact: &mut [Vec<bool>]) {
        let (shortest, around) = (self.frames_in(0.025), self.frames_in(0.05));
        let carried: Vec<bool> = (0..self.trajectories.frames).map(|t| in_contact.iter().any(|mask| mask[t])).collect();
        for run in runs(&carried).into_iter().filter(|run| run.len() < shortest) {
            let (before, after) = (run.start.saturating_sub(around), (run.end + around).min(self.trajectories.frames));
            let alone = (before..run.start).chain(run.end..after).all(|t| !carried[t]);
            if alone {
                in_contact.iter_mut().for_each(|mask| mask[run.clone()].fill(false));
            }
        }
    }

    /// Adds hands and feet at rest above the ground while nothing else supports the body.
    fn lower_to_ground(&self, in_contact: &mut [Vec<bool>], hanging: &mut Vec<(usize, Real)>) {
        let mut unsupported: Vec<bool> =
            (0..self.trajectories.frames).map(|t| self.is_unsupported(in_contact, t)).collect();
        close_gaps(&mut unsupported, self.frames_in(0.06));
        // Feet a step up are on something else. A hand is above the ground because its thickness is not measured.
        let most = |f: usize| if self.features.list[f].part == Some(SolePart::Palm) { 0.3 } else { 0.09 };
        let rests = |f: usize, t: usize| {
            let slow = (1.0 * self.size_scale).max(0.5 * self.trajectories.centre_speed(t));
            self.speeds[f][t] < slow && self.heights[f][t] < most(f) * self.size_scale
        };
        for run in runs(&unsupported).into_iter().filter(|run| run.len() >= self.frames_in(0.08).max(2)) {
            // Lowest features at rest, for at least a third of the time.
            let heights = |f: usize| -> Option<[Real; 2]> {
                let mut low: Vec<Real> = run.clone().filter(|&t| rests(f, t)).map(|t| self.heights[f][t]).collect();
                let enough = 3 * low.len() >= run.len();
                enough.then(|| [0.2, 0.9].map(|share| percentile(&mut low, share).unwrap_or(0.0)))
            };
            let soles = (0..in_contact.len()).filter(|&f| self.features.list[f].part.is_some());
            let found: Vec<(usize, [Real; 2])> = soles.filter_map(|f| heights(f).map(|h| (f, h))).collect();
            let Some(lowest) = found.iter().map(|(_, h)| h[0]).min_by(Real::total_cmp) else { continue };
            let mut all: Vec<(usize, Vec<Range<usize>>)> = Vec::new();
            for (f, [rest, high]) in found.into_iter().filter(|(_, h)| h[0] < lowest + 0.08 * self.size_scale) {
                let around = self.frames_in(0.25);
                let near = run.start.saturating_sub(around)..(run.end + around).min(self.trajectories.frames);
                // Place of the rest. On its way there a feature carries nothing.
                let places: Vec<Vec3> =
                    run.clone().filter(|&t| rests(f, t)).map(|t| *self.trajectories.place(f, t)).collect();
                let middle = median_of(&places);
                let there =
                    |t: usize| level(&(self.trajectories.place(f, t) - middle)) < 0.1 * self.size_scale && rests(f, t);
                let below = |most: Real| {
                    let mut mask = vec![false; self.trajectories.frames];
                    near.clone().for_each(|t| mask[t] = there(t) && self.heights[f][t] < most + 0.03 * self.size_scale);
                    close_gaps(&mut mask, self.frames_in(0.06));
                    let mut found = runs(&mask);
                    found.retain(|more| more.start < run.end && more.end > run.start);
                    found
                };
                below(rest).into_iter().for_each(|more| in_contact[f][more].fill(true));
                all.push((f, below(high)));
                match hanging.iter_mut().find(|(other, _)| *other == f) {
                    Some((_, most)) => *most = rest.max(*most),
                    None => hanging.push((f, rest)),
                }
            }
            // Rising features are in contact only where no other feature is.
            for t in run.filter(|&t| !in_contact.iter().any(|mask| mask[t])).collect::<Vec<_>>() {
                all.iter()
                    .filter(|(_, found)| found.iter().any(|more| more.contains(&t)))
                    .for_each(|(f, _)| in_contact[*f][t] = true);
            }
        }
    }
}

/// Returns the runs of true.
pub(crate) fn runs(mask: &[bool]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (t, &on) in mask.iter().enumerate() {
        match (start, on) {
            (None, true) => start = Some(t),
            (Some(first), false) => {
                found.push(first..t);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|first| first..mask.len()));
    found
}

/// Fills interior gaps shorter than this, frames.
pub(crate) fn close_gaps(mask: &mut [bool], shorter_than: usize) {
    let open: Vec<bool> = mask.iter().map(|on| !on).collect();
    for gap in runs(&open) {
        if gap.start > 0 && gap.end < mask.len() && gap.len() < shorter_than {
            mask[gap].fill(true);
        }
    }
}

/// Drops interior runs shorter than this, frames. A run at an end of the clip may be longer than it seems.
pub(crate) fn drop_short(mask: &mut [bool], shorter_than: usize) {
    for run in runs(mask) {
        if run.start > 0 && run.end < mask.len() && run.len() < shorter_than {
            mask[run].fill(false);
        }
    }
}

/// Median of some values; 0 for none.
pub(crate) fn median(values: &[Real]) -> Real {
    percentile(&mut values.to_vec(), 0.5).unwrap_or(0.0)
}

//! Secondary support: knees, elbows and hips that rest a little above the ground.
//!
//! The thickness of flesh about a knee is not measured, and a capture puts it down some centimetres too high. Height and speed
//! alone cannot distinguish such a knee from one that only comes near. The dynamics can: where the forces of all contacts leave
//! much of the required wrench, and something low that hardly moves would supply a good part of it, that is a secondary
//! support.

use super::Surface;
use super::detect::{Contacts, close_gaps, drop_short, runs};
use super::feature::Features;
use super::required_wrench::RequiredWrench;
use super::trajectories::Trajectories;
use crate::contacts::signal::percentile;
use crate::figure::Figure;
use crate::math::Real;
use crate::measure::ConeFit;
use crate::motion::Clip;
use std::ops::Range;

/// Greatest height of a support, metres for the reference height.
const HIGHEST: Real = 0.09;
/// Greatest speed of a support, m/s for the reference height.
const FASTEST: Real = 0.2;
/// Shortest rest of a support, seconds.
const SHORTEST: Real = 0.1;
/// Wrench deficit below which a body counts as supported, over weight, and over weight times height.
const CARRIED: Real = 0.08;
/// Share of the deficit that may remain with a new support, as it need not be the only one.
const LEFT: Real = 0.75;
/// Height difference within which other features join a support, metres for the reference height.
const AS_LOW: Real = 0.01;
/// Time by which a support extends beyond the frames that need it, if it rests then, seconds.
const AROUND: Real = 0.05;

/// Search for secondary supports.
pub(crate) struct SecondarySupport<'a> {
    pub figure: &'a Figure,
    pub features: &'a Features,
    /// Clip smooth enough for speeds, with its trajectories below.
    pub clip: &'a Clip,
    pub trajectories: &'a Trajectories,
    pub surface: &'a dyn Surface,
}

/// Feature at rest near the ground.
struct RestCandidate {
    feature: usize,
    frames: Range<usize>,
}

impl SecondarySupport<'_> {
    /// Adds secondary supports to the contacts.
    pub fn run(&self, contacts: &mut Contacts) {
        let mut resting = self.resting(contacts);
        if resting.is_empty() {
            return;
        }
        let required = &RequiredWrench::of(self.figure, self.clip, self.trajectories, self.surface);
        let mut in_contact: Vec<Vec<bool>> = contacts.intervals.iter().map(|runs| self.mask(runs)).collect();
        let mut fit = ConeFit::default();
        let mut deficit: Vec<Real> =
            (0..self.trajectories.frames).map(|t| missing(required, &in_contact, t, None, &mut fit)).collect();
        while let Some((best, needed)) = self.best(&resting, required, &in_contact, &deficit, &mut fit) {
            let leader = resting.swap_remove(best).feature;
            let height = self.height(leader, &needed);
            // Features that are as low meanwhile join the support.
            let within = |frames: &Range<usize>| {
                let both = needed.start.max(frames.start)..needed.end.min(frames.end);
                (2 * both.len() > needed.len()).then_some(both)
            };
            let with: Vec<(usize, Range<usize>)> = resting
                .iter()
                .filter_map(|other| Some((other.feature, within(&other.frames)?)))
                .filter(|(f, both)| self.height(*f, both) < height + AS_LOW * self.size_scale())
                .collect();
            for (feature, frames) in std::iter::once((leader, needed.clone())).chain(with) {
                let height = self.height(feature, &frames);
                in_contact[feature][frames.clone()].fill(true);
                for t in frames {
                    deficit[t] = missing(required, &in_contact, t, None, &mut fit);
                }
                match contacts.hanging.iter_mut().find(|(other, _)| *other == feature) {
                    Some((_, most)) => *most = height.max(*most),
                    None if height > 0.01 * self.size_scale() => contacts.hanging.push((feature, height)),
                    None => {}
                }
            }
        }
        for (intervals, mask) in contacts.intervals.iter_mut().zip(&in_contact) {
            let found = runs(mask);
            let count = |runs: &[Range<usize>]| runs.iter().map(Range::len).sum::<usize>();
            contacts.added += count(&found) - count(intervals);
            *intervals = found;
        }
    }

    fn size_scale(&self) -> Real {
        self.figure.size_scale()
    }

    /// Returns the median height of a feature, metres above the ground.
    fn height(&self, feature: usize, frames: &Range<usize>) -> Real {
        let mut heights: Vec<Real> =
            frames.clone().map(|t| self.surface.under(self.trajectories.place(feature, t)).height).collect();
        percentile(&mut heights, 0.5).unwrap_or(0.0)
    }

    fn mask(&self, runs: &[Range<usize>]) -> Vec<bool> {
        let mut mask = vec![false; self.trajectories.frames];
        runs.iter().for_each(|run| mask[run.clone()].fill(true));
        mask
    }

    /// Collects features that hardly move near the ground and are not in contact throughout. Feet are detected on their own.
    fn resting(&self, contacts: &Contacts) -> Vec<RestCandidate> {
        let frames_in = |seconds: Real| (seconds * self.trajectories.rate).round() as usize;
        let mut found = Vec::new();
        for (f, _) in self.features.list.iter().enumerate().filter(|(_, feature)| !feature.is_foot()) {
            let height = |t: usize| self.surface.under(self.trajectories.place(f, t)).height;
            let mut mask: Vec<bool> = (0..self.trajectories.frames)
                .map(|t| {
                    height(t) < HIGHEST * self.size_scale()
                        && self.trajectories.speed(f, t) < FASTEST * self.size_scale()
                })
                .collect();
            close_gaps(&mut mask, frames_in(0.06));
            drop_short(&mut mask, frames_in(SHORTEST));
            for frames in runs(&mask) {
                if contacts.intervals[f].iter().any(|run| run.start <= frames.start && run.end >= frames.end) {
                    continue;
                }
                found.push(RestCandidate { feature: f, frames });
            }
        }
        found
    }

    /// Returns the candidate that removes most of the deficit, favouring low ones, and its frames.
    fn best(
        &self,
        resting: &[RestCandidate],
        required: &RequiredWrench,
        in_contact: &[Vec<bool>],
        deficit: &[Real],
        fit: &mut ConeFit,
    ) -> Option<(usize, Range<usize>)> {
        let around = (AROUND * self.trajectories.rate).round() as usize;
        let shortest = (0.5 * SHORTEST * self.trajectories.rate).round().max(2.0) as usize;
        let gains = resting.iter().enumerate().filter_map(|(index, candidate)| {
            let f = candidate.feature;
            let unsupported: Vec<usize> =
                candidate.frames.clone().filter(|&t| deficit[t] > CARRIED && !in_contact[f][t]).collect();
            if unsupported.len() < shortest {
                return None;
            }
            let before: Real = unsupported.iter().map(|&t| deficit[t]).sum();
            let after: Real = unsupported.iter().map(|&t| missing(required, in_contact, t, Some(f), fit)).sum();
            let first = unsupported[0].saturating_sub(around).max(candidate.frames.start);
            let last = (unsupported[unsupported.len() - 1] + around + 1).min(candidate.frames.end);
            let near = 1.0 - self.height(f, &(first..last)).max(0.0) / (1.5 * HIGHEST * self.size_scale());
            (after < LEFT * before).then_some((index, first..last, (before - after) * near))
        });
        gains.max_by(|a, b| a.2.total_cmp(&b.2)).map(|(index, frames, _)| (index, frames))
    }
}

/// Returns the norm of the wrench deficit in a frame, with one more feature in support.
fn missing(
    required: &RequiredWrench,
    in_contact: &[Vec<bool>],
    t: usize,
    more: Option<usize>,
    fit: &mut ConeFit,
) -> Real {
    required.deficit(t, (0..in_contact.len()).filter(|&f| in_contact[f][t] || more == Some(f)), fit)
}

//! Touch-down and take-off of feet: frames at both ends of a contact interval in which a foot carries load before it is at rest,
//! and after it was.
//!
//! Height and speed of a rigid sole cut a contact short by some 40 ms at either end against force plates, because real soles are
//! soft and toes bend. Three things tell of a foot in frames around its rest: its readiness ρ to carry force, its distance d from
//! the place where it rests, and the wrench that is missing without it. Their log-odds
//!
//!   e = ln ρ/ρ₀ − ½ (d/σ_d)² + ½ (Δ/σ_Δ)²
//!
//! are segmented over time ([`crate::contacts::segmentation`]). Δ is the part of the required wrench that the foot would supply and
//! nothing else does.

use super::Surface;
use super::detect::{Contacts, runs};
use super::feature::Features;
use super::follow::{level, median_of};
use super::required_wrench::RequiredWrench;
use super::trajectories::Trajectories;
use crate::contacts::evidence::{HEIGHT, READY, readiness};
use crate::contacts::segmentation::segments;
use crate::math::{Real, Vec3, real};
use crate::measure::ConeFit;
use std::ops::Range;

/// Longest time between load and rest, seconds: a tenth of a walking stride.
const LONGEST: Real = 0.1;
/// Spread σ_Δ of the required wrench, over the weight: the error of inverse dynamics against force plates.
const WRENCH: Real = 0.05;
/// Evidence of frames in which a foot is known to rest, and most that the wrench adds, nats.
const KNOWN: Real = 1e3;
const MOST: Real = 4.0;

/// Search for touch-downs and take-offs.
pub(crate) struct ContactEnds<'a> {
    pub features: &'a Features,
    pub trajectories: &'a Trajectories,
    pub surface: &'a dyn Surface,
    pub required: &'a RequiredWrench<'a>,
    /// Height over the reference height, see [`Figure::size_scale`](crate::figure::Figure::size_scale).
    pub size_scale: Real,
}

impl ContactEnds<'_> {
    /// Extends the contacts of feet to their touch-downs and take-offs.
    pub fn run(&self, contacts: &mut Contacts) {
        let frames = self.trajectories.frames;
        let mask = |runs: &Vec<Range<usize>>| {
            let mut mask = vec![false; frames];
            runs.iter().for_each(|run| mask[run.clone()].fill(true));
            mask
        };
        let resting: Vec<Vec<bool>> = contacts.intervals.iter().map(mask).collect();
        let mut in_contact = resting.clone();
        for limb in self.features.limbs.iter().filter(|limb| limb.iter().any(|&f| self.features.list[f].is_foot())) {
            self.extend(limb, &resting, &mut in_contact);
        }
        for (intervals, mask) in contacts.intervals.iter_mut().zip(&in_contact) {
            *intervals = runs(mask);
        }
    }

    fn extend(&self, limb: &[usize], resting: &[Vec<bool>], in_contact: &mut [Vec<bool>]) {
        let frames = self.trajectories.frames;
        let any: Vec<bool> = (0..frames).map(|t| limb.iter().any(|&f| resting[f][t])).collect();
        let most = (LONGEST * self.trajectories.rate).round() as usize;
        // Features next to each end of a rest, their log-odds in the frames around it, and the best of them in each frame.
        let mut evidence: Vec<Real> = any.iter().map(|any| if *any { KNOWN } else { -KNOWN }).collect();
        let mut own: Vec<(usize, usize, Real)> = Vec::new();
        let mut fit = ConeFit::default();
        for rest in runs(&any) {
            let before = (rest.start.saturating_sub(most)..rest.start).map(|t| (rest.start, t));
            let behind = (rest.end..frames.min(rest.end + most)).map(|t| (rest.end - 1, t));
            for (edge, t) in before.chain(behind).filter(|(_, t)| !any[*t]) {
                let others = |f: &usize| resting[*f][t] && !limb.contains(f);
                let without = self.required.deficit(t, (0..resting.len()).filter(others), &mut fit);
                for &f in limb.iter().filter(|&&f| resting[f][edge]) {
                    let place = self.place(f, &rest, resting);
                    let with = (0..resting.len()).filter(|g| others(g) || *g == f);
                    let supplied = (without - self.required.deficit(t, with, &mut fit)).max(0.0);
                    let odds = self.odds(f, &place, t) + (0.5 * (supplied / WRENCH).powi(2)).min(MOST);
                    evidence[t] = evidence[t].max(odds);
                    own.push((f, t, odds));
                }
            }
        }
        let mut carries = vec![false; frames];
        segments(&evidence, self.trajectories.rate).into_iter().for_each(|run| carries[run].fill(true));
        for (f, t, odds) in own.into_iter().filter(|(_, t, _)| carries[*t]) {
            in_contact[f][t] |= odds >= evidence[t] || odds > 0.0;
        }
    }

    /// Returns the place where a feature rests in some frames, metres.
    fn place(&self, f: usize, frames: &Range<usize>, resting: &[Vec<bool>]) -> Vec3 {
        let at = frames.clone().filter(|&t| resting[f][t]).map(|t| *self.trajectories.place(f, t));
        median_of(&at.collect::<Vec<Vec3>>())
    }

    /// Returns the log-odds of a feature in a frame, by its readiness and its distance from the place where it rests.
    fn odds(&self, f: usize, rest: &Vec3, t: usize) -> Real {
        let place = self.trajectories.place(f, t);
        let up = self.surface.under(place).height - self.surface.under(rest).height.max(0.0);
        let ready = readiness(up, self.trajectories.speed(f, t), self.size_scale);
        let off = level(&(place - rest)) / (HEIGHT * self.size_scale);
        real::ln(ready.max(1e-30) / READY) - 0.5 * off * off
    }
}

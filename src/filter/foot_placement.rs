//! Rigid placement of a foot over one contact interval.

use super::ContactTarget;
use super::contact_targets::{MovingContact, TargetPlacer};
use super::follow::{bridge, follow, follow_points, level, median_of, spread};
use super::sole_layout::{Axes, Flat};
use crate::math::{Real, Vec3};
use crate::measure::poses::Poses;
use std::ops::Range;

/// Rotation of the heading that is not followed, radians. Twelve degrees to both sides: the spread of captured feet in contact.
const TURN_SLACK: Real = 0.21;
/// Drift of a contact from its middle beyond which it slides, metres for the reference height, and slack that the slide keeps
/// within.
pub(super) const DRIFT: Real = 0.2;
pub(super) const SLIDE_SLACK: Real = 0.1;
/// Rotation, radians, and path, metres, below which a contact stays in place.
const STILL: Real = 1e-3;

/// Foot in contact over an interval of frames.
pub(super) struct FootInterval<'a> {
    placer: &'a TargetPlacer<'a>,
    /// Features of the foot.
    members: &'a [usize],
    flat: &'a Flat,
    frames: Range<usize>,
    /// Heading of the placed foot in each frame, radians.
    headings: Vec<Real>,
    /// Number of features in contact in each frame.
    counts: Vec<usize>,
    /// Feature that moves least, among those in contact for most of the time.
    anchor: usize,
}

impl<'a> FootInterval<'a> {
    pub fn new(
        placer: &'a TargetPlacer<'a>,
        members: &'a [usize],
        flat: &'a Flat,
        frames: Range<usize>,
        poses: &mut Poses,
    ) -> Self {
        let captured = placer.headings(poses, flat, &frames);
        let mut foot = Self { placer, members, flat, frames, headings: Vec::new(), counts: Vec::new(), anchor: 0 };
        foot.counts = foot.frames.clone().map(|t| (0..members.len()).filter(|&k| foot.down(k, t)).count()).collect();
        let most = foot.most();
        let best: Vec<usize> = (0..foot.frames.len()).filter(|&i| foot.counts[i] == most).collect();
        foot.headings = follow(&captured, TURN_SLACK, &best, placer.trajectories.rate);
        foot.anchor = foot.least_moving();
        foot
    }

    fn down(&self, k: usize, t: usize) -> bool {
        self.placer.intervals[self.members[k]].iter().any(|run| run.contains(&t))
    }

    /// Largest number of features in contact at a time.
    fn most(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    /// Number of frames in which a feature is in contact.
    fn standing(&self, k: usize) -> usize {
        self.frames.clone().filter(|&t| self.down(k, t)).count()
    }

    fn least_moving(&self) -> usize {
        let longest = (0..self.members.len()).map(|k| self.standing(k)).max().unwrap_or(0);
        let path = |k: usize| self.placer.path(self.members[k], self.frames.clone().filter(|&t| self.down(k, t)));
        let lasting = (0..self.members.len()).filter(|&k| 10 * self.standing(k) >= 6 * longest);
        lasting.min_by(|&j, &k| path(j).total_cmp(&path(k))).unwrap_or(0)
    }

    fn axes(&self, i: usize) -> Axes {
        let place = self.placer.trajectories.place(self.members[self.anchor], self.frames.start + i);
        Axes::new(self.headings[i], &self.placer.surface.under(place).normal)
    }

    fn pivots(&self) -> bool {
        spread(&self.headings) > STILL
    }

    /// Path of the heel of the flat foot as it pivots. A foot pivots about a feature in contact, so that no contact is dragged
    /// along: from frame to frame about the anchor, or about another feature in contact while the anchor is up.
    fn orbit(&self) -> Vec<Vec3> {
        let (pivots, count) = (self.pivots(), self.frames.len());
        let mut at = Vec3::zeros();
        let mut orbit = Vec::with_capacity(count);
        for i in 0..count {
            orbit.push(at);
            if pivots && i + 1 < count {
                let t = self.frames.start + i;
                let stays = |k: usize| self.down(k, t) && self.down(k, t + 1);
                let others = (0..self.members.len()).filter(|&k| stays(k)).max_by_key(|&k| self.standing(k));
                let centre = if stays(self.anchor) { self.anchor } else { others.unwrap_or(self.anchor) };
                let middle = self.flat.middles[centre];
                at += self.axes(i).point(middle) - self.axes(i + 1).point(middle);
            }
        }
        orbit
    }

    /// Heel of the flat foot as each frame shows it, less the orbit: by the anchor alone where the foot pivots and the anchor is
    /// down.
    fn heels(&self, orbit: &[Vec3]) -> Vec<(usize, Vec3)> {
        let pivots = self.pivots();
        let heel = |i: usize| {
            let t = self.frames.start + i;
            let by_anchor = pivots && self.down(self.anchor, t);
            let shown = (0..self.members.len()).filter(|&k| if by_anchor { k == self.anchor } else { self.down(k, t) });
            let place = |k: usize| self.placer.trajectories.place(self.members[k], t);
            let places: Vec<Vec3> = shown.map(|k| place(k) - self.axes(i).point(self.flat.middles[k])).collect();
            let mean = places.iter().sum::<Vec3>() / places.len().max(1) as Real;
            (!places.is_empty()).then(|| (i, mean - orbit[i]))
        };
        (0..self.frames.len()).filter_map(heel).collect()
    }

    /// Place of the foot in each frame, less the orbit: constant, or along a slide.
    fn slide_path(&self, orbit: &[Vec3]) -> Vec<Vec3> {
        let (heels, most, pivots) = (self.heels(orbit), self.most(), self.pivots());
        let settled = heels.iter().filter(|(i, _)| pivots || self.counts[*i] == most);
        let middle = median_of(&settled.map(|(_, heel)| *heel).collect::<Vec<_>>());
        let drift = heels.iter().map(|(_, heel)| level(&(heel - middle))).fold(0.0, Real::max);
        let size_scale = self.placer.size_scale();
        if drift > DRIFT * size_scale {
            let points = bridge(&heels, self.frames.len());
            follow_points(&points, SLIDE_SLACK * size_scale, self.placer.trajectories.rate)
        } else {
            vec![middle; self.frames.len()]
        }
    }

    /// Adds the contact targets of the foot, all in contact interval `number`; returns its motion, if there is any.
    pub fn place(&self, number: Option<usize>, targets: &mut [Vec<ContactTarget>]) -> Option<MovingContact> {
        let orbit = self.orbit();
        let path = self.slide_path(&orbit);
        for (i, t) in self.frames.clone().enumerate() {
            self.place_frame(i, &(path[i] + orbit[i]), number, &mut targets[t]);
        }
        let reported = |i: usize| self.placer.window.contains(&(self.frames.start + i));
        let headings = (0..self.headings.len()).filter(|&i| reported(i)).map(|i| self.headings[i]);
        let rotation = spread(&headings.collect::<Vec<_>>());
        let steps = path.windows(2).enumerate().filter(|(i, _)| reported(*i));
        let slide = steps.map(|(_, w)| level(&(w[1] - w[0]))).sum::<Real>();
        let feature = self.placer.features.list[self.members[self.anchor]].name.clone();
        (rotation > STILL || slide > STILL).then(|| MovingContact {
            feature,
            frames: self.frames.clone(),
            rotation,
            slide,
        })
    }

    /// Adds the contact targets of one frame, with the heel of the flat foot at `origin`.
    fn place_frame(&self, i: usize, origin: &Vec3, number: Option<usize>, targets: &mut Vec<ContactTarget>) {
        let (placer, t) = (self.placer, self.frames.start + i);
        let axes = self.axes(i);
        let corners = |k: usize| self.flat.corners[k].iter().map(|c| origin + axes.point(*c)).collect::<Vec<_>>();
        let sole: Vec<Vec3> = (0..self.members.len()).flat_map(corners).collect();
        let aside = placer.ground.step_aside(&sole);
        let highest = placer.highest(&sole, &aside);
        for (k, &f) in self.members.iter().enumerate() {
            let Some(run) = placer.intervals[f].iter().find(|run| run.contains(&t)) else { continue };
            for (at, corner) in corners(k).into_iter().zip(placer.features.list[f].corners.clone()) {
                let place = placer.grounded(&(at + aside));
                let normal = placer.surface.under(&place).normal;
                // No ground supports a corner beyond the edge of a step.
                if placer.ground.has_edges() && (place - highest).dot(&normal) < -0.05 {
                    continue;
                }
                targets.push(ContactTarget { corner, place, normal, load: placer.load(run, t), interval: number });
            }
        }
    }
}

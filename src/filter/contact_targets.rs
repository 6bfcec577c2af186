//! Contact targets: one rigid placement for each contact interval of a foot, so that heel, ball and tip agree.
//!
//! The sole of a foot is flat. With f forward along it, l across it and n out of it, in the plane of the ground, a point of the
//! sole at (u, w) stands at o + f u + l w. Place o and heading ψ are found once for each contact interval, from the frames in
//! which most of the foot is down. A foot whose heading rotates by more than twice the slack pivots about the feature that
//! moves least, and no more than needed to stay within the slack, because all rotation on the ground is skating. If that
//! feature travels as well, the foot slides, within a slack of its own.

use super::detect::runs;
use super::feature::Features;
use super::follow::{bridge, follow, follow_points, level, median_of, spread};
use super::sole_layout::{Axes, Flat};
use super::surface::Ground;
use super::trajectories::Trajectories;
use super::{ContactTarget, Surface, UnloadedContact};
use crate::contacts::signal::smoothed_signal;
use crate::figure::{Figure, SolePart};
use crate::math::{Real, Vec3};
use crate::measure::poses::Poses;
use crate::motion::Clip;
use std::ops::Range;

/// Rotation of the heading that is not followed, radians. Twelve degrees to both sides: the spread of captured feet in contact.
const TURN_SLACK: Real = 0.21;
/// Drift of a contact from its middle beyond which it slides, metres for the reference height, and slack that the slide keeps
/// within.
const DRIFT: Real = 0.2;
const SLIDE_SLACK: Real = 0.1;
/// The same for palms. An arm that supports the body is straight and can yield little, so that its palm may slide earlier but
/// is placed within a wider slack.
const PALM_DRIFT: Real = 0.12;
const PALM_SLACK: Real = 0.14;
/// Time for which a lowered hand is at its place before it carries force, and after it did, seconds.
const EARLY: Real = 0.025;
/// Time in which a contact takes up its load, seconds.
const RAMP: Real = 0.04;

/// Contact interval whose places are not constant.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingContact {
    /// Name of the feature it pivots about.
    pub feature: String,
    /// Frames of the contact.
    pub frames: Range<usize>,
    /// Rotation over the interval, radians.
    pub rotation: Real,
    /// Path length of the slide, metres.
    pub slide: Real,
}

/// Contact targets of a clip, with all that belongs to them in a plan.
pub(crate) struct PlacedTargets {
    pub targets: Vec<Vec<ContactTarget>>,
    pub unloaded: Vec<Vec<UnloadedContact>>,
    pub clearance: Vec<Vec<Real>>,
    pub moving_contacts: Vec<MovingContact>,
}

/// Places the contact targets of each foot and of other features.
pub(crate) struct TargetPlacer<'a> {
    pub figure: &'a Figure,
    pub features: &'a Features,
    pub clip: &'a Clip,
    pub trajectories: &'a Trajectories,
    pub ground: &'a Ground,
    pub surface: &'a dyn Surface,
    /// Contact intervals of each feature.
    pub intervals: &'a [Vec<Range<usize>>],
    /// Features captured above the ground that are lowered to it, with their height, metres.
    pub hanging: &'a [(usize, Real)],
    /// Frames that the report covers.
    pub window: Range<usize>,
}

impl TargetPlacer<'_> {
    pub fn run(&self) -> PlacedTargets {
        let frames = self.trajectories.frames;
        let mut targets: Vec<Vec<ContactTarget>> = vec![Vec::new(); frames];
        let mut unloaded: Vec<Vec<UnloadedContact>> = vec![Vec::new(); frames];
        let mut moving_contacts = Vec::new();
        let mut interval_count = 0;
        for limb in 0..self.features.limbs.len() {
            match self.flat(limb) {
                Some(flat) => {
                    self.foot(limb, &flat, &mut targets, &mut interval_count, &mut moving_contacts);
                    self.peel(limb, &targets, &mut unloaded);
                }
                None => {
                    let members = self.features.limbs[limb].iter();
                    members.for_each(|&f| self.single(f, &mut targets, &mut interval_count, &mut moving_contacts));
                }
            }
        }
        targets.iter_mut().for_each(|targets| targets.sort_by_key(|target| target.corner));
        moving_contacts.sort_by_key(|interval| interval.frames.start);
        PlacedTargets { targets, unloaded, clearance: self.clearance(), moving_contacts }
    }

    pub(super) fn size_scale(&self) -> Real {
        self.figure.size_scale()
    }

    fn load(&self, interval: &Range<usize>, frame: usize) -> Real {
        let ramp = RAMP * self.trajectories.rate;
        let since = if interval.start == 0 { Real::INFINITY } else { (frame - interval.start) as Real };
        let until =
            if interval.end == self.trajectories.frames { Real::INFINITY } else { (interval.end - 1 - frame) as Real };
        (0.1 + 0.9 * since.min(until) / ramp.max(1e-9)).min(1.0)
    }

    /// Returns the number of the next contact interval. `None` on ground whose shape fixes the places of feet.
    fn number(&self, interval_count: &mut usize) -> Option<usize> {
        let number = *interval_count;
        *interval_count += 1;
        self.ground.is_level().then_some(number)
    }

    /// Returns the place on the ground below or above a point.
    fn grounded(&self, point: &Vec3) -> Vec3 {
        let under = self.surface.under(point);
        point - Vec3::y() * (under.height / under.normal.y)
    }

    /// Places a foot, interval by interval.
    fn foot(
        &self,
        limb: usize,
        flat: &Flat,
        targets: &mut [Vec<ContactTarget>],
        interval_count: &mut usize,
        moving_contacts: &mut Vec<MovingContact>,
    ) {
        let members = &self.features.limbs[limb];
        let frames = self.trajectories.frames;
        let down = |k: usize, t: usize| self.intervals[members[k]].iter().any(|run| run.contains(&t));
        let any: Vec<bool> = (0..frames).map(|t| (0..members.len()).any(|k| down(k, t))).collect();
        let mut poses = Poses::new(self.figure, self.clip);
        for interval in runs(&any) {
            let number = self.number(interval_count);
            let headings = self.headings(&mut poses, flat, &interval);
            let counts: Vec<usize> =
                interval.clone().map(|t| (0..members.len()).filter(|&k| down(k, t)).count()).collect();
            let most = counts.iter().copied().max().unwrap_or(0);
            let best: Vec<usize> = (0..interval.len()).filter(|&i| counts[i] == most).collect();
            let turned = follow(&headings, TURN_SLACK, &best, self.trajectories.rate);
            let told_of = |i: usize| self.window.contains(&(interval.start + i));
            let turning = spread(&turned);
            let turn = spread(&(0..turned.len()).filter(|&i| told_of(i)).map(|i| turned[i]).collect::<Vec<_>>());
            // Anchor: the feature that moves least, among those in contact for most of the time.
            let standing = |k: usize| interval.clone().filter(|&t| down(k, t)).count();
            let longest = (0..members.len()).map(standing).max().unwrap_or(0);
            let anchor = (0..members.len())
                .filter(|&k| 10 * standing(k) >= 6 * longest)
                .min_by(|&j, &k| {
                    let path = |k: usize| self.path(members[k], interval.clone().filter(|&t| down(k, t)));
                    path(j).total_cmp(&path(k))
                })
                .unwrap_or(0);
            let normal_at = |t: usize| self.surface.under(self.trajectories.place(members[anchor], t)).normal;
            let axes = |i: usize| Axes::new(turned[i], &normal_at(interval.start + i));
            let pivots = turning > 1e-3;
            // A foot pivots about a feature in contact, so that no contact is dragged along: from frame to frame about the
            // anchor, or about another feature in contact while the anchor is up. Path of the heel of the flat foot:
            let orbit: Vec<Vec3> = (0..interval.len())
                .scan(Vec3::zeros(), |at, i| {
                    let now = *at;
                    if pivots && i + 1 < interval.len() {
                        let stays = |k: usize| down(k, interval.start + i) && down(k, interval.start + i + 1);
                        let others = (0..members.len()).filter(|&k| stays(k)).max_by_key(|&k| standing(k));
                        let centre = if stays(anchor) { anchor } else { others.unwrap_or(anchor) };
                        *at += axes(i).point(flat.middles[centre]) - axes(i + 1).point(flat.middles[centre]);
                    }
                    Some(now)
                })
                .collect();
            // Heel of the flat foot as each frame shows it: by the anchor alone where the foot pivots and the anchor is down.
            let told: Vec<(usize, Vec3)> = (0..interval.len())
                .filter_map(|i| {
                    let t = interval.start + i;
                    let by_anchor = pivots && down(anchor, t);
                    let who = (0..members.len()).filter(|&k| if by_anchor { k == anchor } else { down(k, t) });
                    let places: Vec<Vec3> =
                        who.map(|k| self.trajectories.place(members[k], t) - axes(i).point(flat.middles[k])).collect();
                    let mean = places.iter().sum::<Vec3>() / places.len().max(1) as Real;
                    (!places.is_empty()).then(|| (i, mean - orbit[i]))
                })
                .collect();
            let settled = told.iter().filter(|(i, _)| pivots || counts[*i] == most);
            let middle = median_of(&settled.map(|(_, o)| *o).collect::<Vec<_>>());
            let drift = told.iter().map(|(_, o)| level(&(o - middle))).fold(0.0, Real::max);
            let path: Vec<Vec3> = if drift > DRIFT * self.size_scale() {
                let points = bridge(&told, interval.len());
                follow_points(&points, SLIDE_SLACK * self.size_scale(), self.trajectories.rate)
            } else {
                vec![middle; interval.len()]
            };
            let steps = path.windows(2).enumerate().filter(|(i, _)| told_of(*i));
            let slide = steps.map(|(_, w)| level(&(w[1] - w[0]))).sum::<Real>();
            if turn > 1e-3 || slide > 1e-3 {
                moving_contacts.push(MovingContact {
                    feature: self.features.list[members[anchor]].name.clone(),
                    frames: interval.clone(),
                    rotation: turn,
                    slide,
                });
            }
            for (i, t) in interval.clone().enumerate() {
                let axes = axes(i);
                let origin = path[i] + orbit[i];
                let corners = |k: usize| flat.corners[k].iter().map(|c| origin + axes.point(*c)).collect::<Vec<_>>();
                let sole: Vec<Vec3> = (0..members.len()).flat_map(corners).collect();
                let aside = self.ground.step_aside(&sole);
                let highest = self.highest(&sole, &aside);
                for k in (0..members.len()).filter(|&k| down(k, t)) {
                    let f = members[k];
                    let Some(run) = self.intervals[f].iter().find(|run| run.contains(&t)) else { continue };
                    for (at, corner) in corners(k).into_iter().zip(self.features.list[f].corners.clone()) {
                        let place = self.grounded(&(at + aside));
                        let normal = self.surface.under(&place).normal;
                        // No ground supports a corner beyond the edge of a step.
                        if self.ground.has_edges() && (place - highest).dot(&normal) < -0.05 {
                            continue;
                        }
                        targets[t].push(ContactTarget {
                            corner,
                            place,
                            normal,
                            load: self.load(run, t),
                            interval: number,
                        });
                    }
                }
            }
        }
    }

    /// Returns the highest ground under a displaced sole: on stairs under its middle, in a scene under any corner.
    fn highest(&self, sole: &[Vec3], aside: &Vec3) -> Vec3 {
        let middle = self.grounded(&(aside + sole.iter().sum::<Vec3>() / sole.len() as Real));
        match self.ground {
            Ground::Scenery(..) => {
                let corners = sole.iter().map(|corner| self.grounded(&(corner + aside)));
                corners.fold(middle, |high, place| if place.y > high.y { place } else { high })
            }
            _ => middle,
        }
    }

    /// Returns the headings over an interval, unwrapped, radians from +Z towards +X.
    fn headings(&self, poses: &mut Poses, flat: &Flat, interval: &Range<usize>) -> Vec<Real> {
        let mut last: Option<Real> = None;
        let raw: Vec<Real> = interval
            .clone()
            .map(|t| {
                let forward = poses.at(t)[flat.segment].rotation * flat.forward;
                let mut heading = forward.x.atan2(forward.z);
                if let Some(last) = last {
                    let full = std::f64::consts::TAU;
                    heading -= full * ((heading - last) / full).round();
                }
                last = Some(heading);
                heading
            })
            .collect();
        if raw.len() < 8 { raw } else { smoothed_signal(&raw, 6.0, self.trajectories.rate) }
    }

    fn path(&self, feature: usize, frames: impl Iterator<Item = usize>) -> Real {
        let (mut last, mut sum, mut count) = (None, 0.0, 0usize);
        for t in frames {
            if let Some(last) = last.replace(t).filter(|last| last + 1 == t) {
                sum += level(&(self.trajectories.place(feature, t) - self.trajectories.place(feature, last)));
            }
            count += 1;
        }
        sum / count.max(1) as Real
    }

    /// Places a palm, paw or knee. Each contact stays in place, or moves along where it rolls or slides.
    fn single(
        &self,
        f: usize,
        targets: &mut [Vec<ContactTarget>],
        interval_count: &mut usize,
        moving_contacts: &mut Vec<MovingContact>,
    ) {
        let feature = &self.features.list[f];
        for run in &self.intervals[f] {
            let interval = self.number(interval_count);
            let places: Vec<Vec3> = run.clone().map(|t| *self.trajectories.place(f, t)).collect();
            let middle = median_of(&places);
            let drift = places.iter().map(|p| level(&(p - middle))).fold(0.0, Real::max);
            // Contacts of soles are meant to stay. Other parts may roll.
            let (most, slack) = match feature.part {
                Some(SolePart::Palm) => (PALM_DRIFT, PALM_SLACK),
                Some(_) => (DRIFT, SLIDE_SLACK),
                None => (0.02, 0.0),
            };
            let path = if drift > most * self.size_scale() {
                follow_points(&places, slack * self.size_scale(), self.trajectories.rate)
            } else {
                vec![middle; places.len()]
            };
            let slide = path.windows(2).map(|w| level(&(w[1] - w[0]))).sum::<Real>();
            if slide > 1e-3 {
                moving_contacts.push(MovingContact {
                    feature: feature.name.clone(),
                    frames: run.clone(),
                    rotation: 0.0,
                    slide,
                });
            }
            // The capture does not show how a lowered hand came down. It reaches its place a little before it carries force and
            // leaves a little after.
            let hangs = feature.part.is_some() && self.hanging.iter().any(|(other, _)| *other == f);
            let early = if hangs { (EARLY * self.trajectories.rate).round() as usize } else { 0 };
            let held = run.start.saturating_sub(early)..(run.end + early).min(self.trajectories.frames);
            for t in held {
                let taken = self.intervals[f].iter().any(|other| other.contains(&t))
                    || targets[t].iter().any(|target| feature.corners.contains(&target.corner));
                if !run.contains(&t) && taken {
                    continue;
                }
                let at = path[t.clamp(run.start, run.end - 1) - run.start];
                let aside = self.ground.step_aside(&[at]);
                let place = self.grounded(&(at + aside));
                let normal = self.surface.under(&place).normal;
                let load = if run.contains(&t) { self.load(run, t) } else { 0.0 };
                targets[t].extend(feature.corners.clone().map(|corner| ContactTarget {
                    corner,
                    place,
                    normal,
                    load,
                    interval,
                }));
            }
        }
    }
}

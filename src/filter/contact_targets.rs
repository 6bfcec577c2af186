//! Contact targets: one rigid placement for each contact interval of a foot, so that heel, ball and tip agree.
//!
//! The sole of a foot is flat. With f forward along it, l across it and n out of it, in the plane of the ground, a point of the
//! sole at (u, w) stands at o + f u + l w. Place o and heading ψ are found once for each contact interval, from the frames in
//! which most of the foot is down. A foot whose heading rotates by more than twice the slack pivots about the feature that
//! moves least, and no more than needed to stay within the slack, because all rotation on the ground is skating. If that
//! feature travels as well, the foot slides, within a slack of its own.

use super::detect::runs;
use super::feature::Features;
use super::follow::{follow_points, level, median_of};
use super::foot_placement::{DRIFT, FootInterval, SLIDE_SLACK};
use super::sole_layout::Flat;
use super::surface::Ground;
use super::trajectories::Trajectories;
use super::{ContactTarget, Surface, UnloadedContact};
use crate::contacts::signal::smoothed_signal;
use crate::figure::{Figure, SolePart};
use crate::math::{Real, Vec3, real};
use crate::measure::poses::Poses;
use crate::motion::Clip;
use std::ops::Range;

/// Drift and slack of palms, metres for the reference height (see [`DRIFT`]). An arm that supports the body is straight and can yield little, so that its palm may slide earlier but
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

    pub(super) fn load(&self, interval: &Range<usize>, frame: usize) -> Real {
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
    pub(super) fn grounded(&self, point: &Vec3) -> Vec3 {
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
            let foot = FootInterval::new(self, members, flat, interval, &mut poses);
            moving_contacts.extend(foot.place(number, targets));
        }
    }

    /// Returns the highest ground under a displaced sole: on stairs under its middle, in a scene under any corner.
    pub(super) fn highest(&self, sole: &[Vec3], aside: &Vec3) -> Vec3 {
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
    pub(super) fn headings(&self, poses: &mut Poses, flat: &Flat, interval: &Range<usize>) -> Vec<Real> {
        let mut last: Option<Real> = None;
        let raw: Vec<Real> = interval
            .clone()
            .map(|t| {
                let forward = poses.at(t)[flat.segment].rotation * flat.forward;
                let mut heading = real::atan2(forward.x, forward.z);
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

    pub(super) fn path(&self, feature: usize, frames: impl Iterator<Item = usize>) -> Real {
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

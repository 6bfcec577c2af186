//! A limb that stands: where its end is held, and how that fades.
//!
//! Time runs backwards here (see `ground`). A stance is first met at its last frame, where the end is where the posture puts
//! it; that place is held until the stance begins. Before that, while the limb swings, what the hold had moved the end by fades
//! out. So a limb leaves the ground without a jump, and nothing after a frame depends on anything before it.
//!
//! A foot rolls: heel, ball and tip are held one after the other, each where the one before had put it. While two of them
//! stand the foot may not turn about the vertical. Toes that would go through the ground bend.

use super::body::{Corner, Limb};
use super::reference::roll;
use crate::math::{Quat, Real, Vec3};
use nalgebra::Unit;

/// How long before a stance the end begins to go to where it will stand, seconds.
const FADE: Real = 0.3;
/// How fast the sole goes down to the ground within a stance and how fast it leaves it before, seconds.
const SETTLE: Real = 0.04;
/// How fast a foot that stands on one point turns back to where the posture has it, seconds.
const TURN_BACK: Real = 0.1;
/// Toes bend up by no more, radians.
const TOES: Real = 1.2;

/// The end of a limb in one frame, world space.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub place: Vec3,
    pub rotation: Quat,
    /// From the end joint to the toe joint, frame of the end.
    pub toe_offset: Vec3,
    pub toes: Quat,
}

impl End {
    pub fn point(&self, corner: &Corner) -> Vec3 {
        match corner.on_toes {
            true => self.place + self.rotation * self.toe_offset + self.toes * corner.local,
            false => self.place + self.rotation * corner.local,
        }
    }

    fn turned(&self, yaw: Real) -> End {
        let turn = Quat::from_axis_angle(&Vec3::y_axis(), yaw);
        End { rotation: turn * self.rotation, toes: turn * self.toes, ..*self }
    }
}

/// What a stance has come to.
#[derive(Clone, Debug)]
pub(super) struct Stance<'a> {
    limb: &'a Limb,
    /// Index of the held sole point, and where it is held.
    held: Option<(usize, Vec3)>,
    /// What the hold moves the end by, and turns it by about the vertical, at the first frame of the stance.
    moved: Vec3,
    turned: Real,
    /// Since the stance, backwards, seconds.
    since: Real,
    /// What lifts the end to the ground.
    lift: Real,
    /// Where the sole points were in the frame after this one.
    before: Vec<Vec3>,
    heading: Option<Vec3>,
}

/// What the ground asks of an end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub end: End,
    /// 1 in a stance, fading before it.
    pub weight: Real,
}

impl<'a> Stance<'a> {
    pub fn new(limb: &'a Limb) -> Self {
        Stance {
            limb,
            held: None,
            moved: Vec3::zeros(),
            turned: 0.0,
            since: Real::INFINITY,
            lift: 0.0,
            before: Vec::new(),
            heading: None,
        }
    }

    /// The frame before the last one asked for. `touching` says of each sole point whether it stands, `floor` is the height of
    /// what it stands on, `lowest` that of what nothing may sink below, metres.
    pub fn step(&mut self, posed: &End, touching: &[bool], floor: Real, lowest: Real, step: Real) -> Asked {
        let standing = touching.iter().filter(|&&on| on).count();
        let mut end = if standing > 0 { self.hold(posed, touching, standing, step) } else { self.fade(posed, step) };
        let weight = if standing > 0 { 1.0 } else { self.weight() };
        self.settle(&mut end, touching, floor, standing > 0, step);
        self.stay_above(&mut end, lowest);
        self.before = self.limb.soles.iter().map(|sole| end.point(&sole.at)).collect();
        Asked { end, weight }
    }

    fn weight(&self) -> Real {
        let share = (1.0 - self.since / FADE).clamp(0.0, 1.0);
        share * share * (3.0 - 2.0 * share)
    }

    fn fade(&mut self, posed: &End, step: Real) -> End {
        self.since += step;
        self.held = None;
        self.heading = None;
        let weight = self.weight();
        let turned = posed.turned(self.turned * weight);
        End { place: posed.place + self.moved * weight, ..turned }
    }

    fn hold(&mut self, posed: &End, touching: &[bool], standing: usize, step: Real) -> End {
        let weight = self.weight();
        let fresh = self.held.is_none();
        // Where the foot points, held while two points of it stand.
        let forward = |end: &End| {
            let own = self.limb.soles.iter().filter(|sole| !sole.at.on_toes).map(|sole| sole.at.local);
            let reach = own.max_by(|a, b| a.norm().total_cmp(&b.norm()));
            end.rotation * reach.unwrap_or_else(Vec3::z)
        };
        self.turned = match (self.heading, standing >= 2) {
            (Some(heading), true) => about_vertical(&forward(posed), &heading),
            (_, true) => self.turned * if fresh { weight } else { 1.0 },
            (_, false) => self.turned * if fresh { weight } else { (-step / TURN_BACK).exp() },
        };
        let turned = posed.turned(self.turned);
        self.heading = (standing >= 2).then(|| forward(&turned));
        let current = self.held.filter(|(k, _)| touching[*k]);
        let (point, place) = current.unwrap_or_else(|| {
            let k = self.choose(touching);
            let sole = &self.limb.soles[k].at;
            let at = match self.before.get(k).filter(|_| !fresh) {
                Some(place) => *place,
                None => End { place: posed.place + self.moved * weight, ..turned }.point(sole),
            };
            (k, at)
        });
        self.held = Some((point, place));
        self.since = 0.0;
        let now = turned.point(&self.limb.soles[point].at);
        self.moved = Vec3::new(place.x - now.x, 0.0, place.z - now.z);
        End { place: posed.place + self.moved, ..turned }
    }

    /// The ball carries the longest; where it does not stand, the tip at the end of a step and the heel at its beginning.
    fn choose(&self, touching: &[bool]) -> usize {
        use crate::figure::SolePart::*;
        let rank = |k: usize| match self.limb.soles[k].part {
            Ball => 0,
            Tip => 1,
            Heel => 2,
            Palm => 3,
        };
        (0..touching.len()).filter(|&k| touching[k]).min_by_key(|&k| rank(k)).unwrap_or(0)
    }

    /// Brings the sole to the floor in a stance, and lets go of that before it.
    fn settle(&mut self, end: &mut End, touching: &[bool], floor: Real, stands: bool, step: Real) {
        let touching = self.limb.soles.iter().zip(touching).filter(|(_, on)| **on);
        let height = touching.map(|(sole, _)| end.point(&sole.at).y - floor).fold(Real::INFINITY, Real::min);
        let wanted = if stands && height.is_finite() { -height } else { 0.0 };
        let time = if stands { SETTLE } else { 2.0 * SETTLE };
        self.lift += (wanted - self.lift) * (1.0 - (-step / time).exp());
        end.place.y += self.lift;
    }

    /// Lifts an end out of the ground, after bending its toes out of it.
    fn stay_above(&self, end: &mut End, ground: Real) {
        let below = |end: &End, on_toes: bool| {
            let corners = self.limb.corners.iter().filter(|corner| corner.on_toes == on_toes);
            corners.map(|corner| end.point(corner).y - ground).fold(Real::INFINITY, Real::min)
        };
        let own = below(end, false);
        if own < 0.0 {
            end.place.y -= own;
        }
        if self.limb.toes.is_none() || below(end, true) >= 0.0 {
            return;
        }
        // Toes bend about the axis across the foot until their lowest corner is on the ground.
        let joint = end.place + end.rotation * end.toe_offset;
        let tip = self.limb.soles.iter().find(|sole| sole.at.on_toes).map(|sole| sole.at.local);
        let ahead = end.toes * tip.unwrap_or_else(Vec3::z);
        if let Some(across) = Vec3::y().cross(&Vec3::new(ahead.x, 0.0, ahead.z)).try_normalize(1e-6) {
            let axis = Unit::new_unchecked(-across);
            let bend = |angle: Real| End { toes: Quat::from_axis_angle(&axis, angle) * end.toes, ..*end };
            let needed = self.limb.corners.iter().filter(|corner| corner.on_toes).filter_map(|corner| {
                let arm = end.toes * corner.local;
                let (reach, height) = (arm.dot(&across.cross(&Vec3::y())), arm.y);
                let sine = (ground - joint.y) / reach.hypot(height).max(1e-9);
                let forward = reach.abs();
                // Only corners ahead of the joint rise when the toes bend.
                let ahead = arm.dot(&ahead) > 0.0 && joint.y + height < ground;
                ahead.then(|| sine.clamp(-1.0, 1.0).asin() - height.atan2(forward))
            });
            let angle = needed.fold(0.0, Real::max).min(TOES);
            *end = bend(angle);
        }
        let rest = below(end, true);
        if rest < 0.0 {
            end.place.y -= rest;
        }
    }
}

/// The turn about the vertical from one direction to another, radians.
fn about_vertical(from: &Vec3, to: &Vec3) -> Real {
    let turn = roll(&Vec3::y(), from, to);
    2.0 * turn.j.atan2(turn.w)
}

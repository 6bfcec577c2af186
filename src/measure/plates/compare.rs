//! Comparison of a clip's ground forces with measured ones, foot by foot.
//!
//! A foot is compared in the frames of its measured footfalls and 50 ms around them. Measured forces are means over one frame
//! time. Forces are in weights of their own: those of the clip over the weight of the figure, measured ones over that of
//! the person.

use super::align::{Aligned, Alignment, MARGIN, align};
use super::footfall::{Footfall, LOADED, footfalls};
use super::{FootForces, Plates};
use crate::math::{GRAVITY, Quat, Real, Vec3, real};
use crate::motion::Side;

/// Options of a comparison with plates; everything that is not stated is found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlateOptions {
    /// Time of the first frame on the clock of the plates, seconds.
    pub start: Option<Real>,
    /// Mass of the person, kg.
    pub mass: Option<Real>,
}

/// Reasons why a clip cannot be compared with plates.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlateError {
    /// The motion has no forces.
    #[error("the motion has no feet in contact whose forces could be compared")]
    NoForces,
    /// The plates are never loaded.
    #[error("no plate carries more than {LOADED} N for as long as a footfall")]
    NoLoad,
    /// No footfall fits the motion.
    #[error("no footfall on the plates is at the time of one in the motion")]
    NothingInCommon,
    /// The search for the start would take too long.
    #[error("clip and plates are too long to find the start of one in the other; state it")]
    TooLong,
}

/// Comparison of a clip with plates.
#[derive(Clone, Debug, PartialEq)]
pub struct PlateComparison {
    /// Alignment of the clip with the plates.
    pub alignment: Alignment,
    /// Left and right foot; `None` where no footfall of it was measured.
    pub feet: [Option<FootComparison>; 2],
    /// Share of the compared time in which both feet carry load, percent: of the clip, and measured.
    pub double_support: Option<[Real; 2]>,
    /// Horizontal direction that counts as forwards, unit vector.
    pub forward: Vec3,
}

/// Comparison of one foot.
#[derive(Clone, Debug, PartialEq)]
pub struct FootComparison {
    /// Number of measured footfalls within the clip.
    pub footfalls: usize,
    /// Root mean square differences along vertical, forward and sideways axes, weights.
    pub rms: [Real; 3],
    /// Correlation along the same axes; `None` for constant curves.
    pub correlation: [Option<Real>; 3],
    /// Greatest vertical force of the clip, and measured, weights.
    pub peak: [Real; 2],
    /// Touch-downs and take-offs.
    pub events: Vec<EventPair>,
    /// Root mean square distance of the centres of pressure, metres, over frames in which both carry a tenth of the weight.
    pub pressure: Option<Real>,
    /// Frames that were compared.
    pub curve: Vec<FootCurve>,
}

/// Touch-down or take-off of a measured footfall, and that of the clip next to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventPair {
    /// True for a touch-down.
    pub touch_down: bool,
    /// Time in the clip, seconds; `None` where the foot of the clip neither lands nor lifts within 0.2 s.
    pub told: Option<Real>,
    /// Measured time, seconds from the first frame of the clip.
    pub measured: Real,
}

/// Forces of a foot in one frame, weights along vertical, forward and sideways axes, and its centres of pressure, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootCurve {
    /// Frame of the clip, from 0.
    pub frame: usize,
    /// Force of the clip.
    pub told: [Real; 3],
    /// Measured force.
    pub measured: [Real; 3],
    /// Centre of pressure of the clip.
    pub told_pressure: Option<Vec3>,
    /// Measured centre of pressure, in the axes of the clip.
    pub measured_pressure: Option<Vec3>,
}

/// Load from which centres of pressure are compared, weights.
const PRESSED: Real = 0.1;
/// Greatest distance of two events that belong together, seconds.
const SAME_EVENT: Real = 0.2;
/// Travel from which its direction counts as forwards, metres.
const TRAVEL: Real = 0.5;

impl PlateComparison {
    /// Compares a clip with plates.
    pub fn between(told: &FootForces, plates: &Plates, options: &PlateOptions) -> Result<Self, PlateError> {
        if !told.force.iter().flatten().flatten().any(|force| force.y > LOADED) {
            return Err(PlateError::NoForces);
        }
        let footfalls = footfalls(plates);
        if footfalls.is_empty() {
            return Err(PlateError::NoLoad);
        }
        let Aligned { alignment, feet } = align(told, plates, &footfalls, options)?;
        let view = View { told, plates, alignment, forward: forward(told) };
        let of = |side: Side| -> Vec<Footfall> {
            footfalls
                .iter()
                .zip(&feet)
                .filter(|(_, foot)| **foot == Some(side))
                .map(|(footfall, _)| *footfall)
                .collect()
        };
        let sides = [of(Side::Left), of(Side::Right)];
        let compared = [view.foot(0, &sides[0]), view.foot(1, &sides[1])];
        let double_support = view.double_support(&sides);
        Ok(Self { alignment, feet: compared, double_support, forward: view.forward })
    }
}

/// Returns the direction of travel, or, where there is none, the axis along which horizontal forces are largest.
fn forward(told: &FootForces) -> Vec3 {
    let middle = |soles: &[Vec3; 2]| (soles[0] + soles[1]) * 0.5;
    if let (Some(first), Some(last)) = (told.soles.first(), told.soles.last()) {
        let mut way = middle(last) - middle(first);
        way.y = 0.0;
        if way.norm() > TRAVEL {
            return way.normalize();
        }
    }
    let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
    for force in told.force.iter().flatten().flatten() {
        (xx, xz, zz) = (xx + force.x * force.x, xz + force.x * force.z, zz + force.z * force.z);
    }
    let angle = 0.5 * real::atan2(2.0 * xz, xx - zz);
    Vec3::new(real::cos(angle), 0.0, real::sin(angle))
}

struct View<'a> {
    told: &'a FootForces,
    plates: &'a Plates,
    alignment: Alignment,
    forward: Vec3,
}

impl View<'_> {
    fn time(&self, frame: usize) -> Real {
        self.alignment.start + frame as Real / self.told.rate_hz
    }

    /// Force along vertical, forward and sideways axes, over a weight.
    fn parts(&self, force: &Vec3, weight: Real) -> [Real; 3] {
        let side = self.forward.cross(&Vec3::y());
        [force.y / weight, force.dot(&self.forward) / weight, force.dot(&side) / weight]
    }

    /// Measured force of some footfalls at a frame, N in the axes of the clip, and its centre of pressure.
    fn measured(&self, frame: usize, footfalls: &[Footfall]) -> (Vec3, Option<Vec3>) {
        let time = self.time(frame);
        let rotation = Quat::from_axis_angle(&Vec3::y_axis(), self.alignment.yaw);
        let (mut force, mut moment, mut load) = (Vec3::zeros(), Vec3::zeros(), 0.0);
        for footfall in footfalls.iter().filter(|f| time > f.start - MARGIN && time < f.end + MARGIN) {
            let sample = self.plates.plates[footfall.plate].sample(&self.plates.times, time, 1.0 / self.told.rate_hz);
            let Some((own, point)) = sample else { continue };
            force += rotation * own;
            if let Some(point) = point.filter(|_| own.y > LOADED) {
                moment += (rotation * point + self.alignment.shift) * own.y;
                load += own.y;
            }
        }
        (force, (load > 0.0).then(|| moment / load))
    }

    fn foot(&self, foot: usize, footfalls: &[Footfall]) -> Option<FootComparison> {
        let weight = self.alignment.mass * GRAVITY;
        let mut curve = Vec::new();
        for (frame, told) in self.told.force.iter().enumerate() {
            let time = self.time(frame);
            let within = footfalls.iter().any(|f| time > f.start - MARGIN && time < f.end + MARGIN);
            let recorded = self.plates.times.first().is_some_and(|t| time >= *t)
                && self.plates.times.last().is_some_and(|t| time <= *t);
            let Some(told) = told.as_ref().filter(|_| within && recorded) else { continue };
            let (measured, measured_pressure) = self.measured(frame, footfalls);
            curve.push(FootCurve {
                frame,
                told: self.parts(&told[foot], self.told.weight),
                measured: self.parts(&measured, weight),
                told_pressure: self.told.pressure[frame][foot],
                measured_pressure,
            });
        }
        if curve.is_empty() {
            return None;
        }
        let count = curve.len() as Real;
        let rms = [0, 1, 2]
            .map(|k| (curve.iter().map(|at| (at.told[k] - at.measured[k]).powi(2)).sum::<Real>() / count).sqrt());
        let correlation = [0, 1, 2].map(|k| correlation(curve.iter().map(|at| (at.told[k], at.measured[k]))));
        let most = |of: fn(&FootCurve) -> Real| curve.iter().map(of).fold(0.0, Real::max);
        let peak = [most(|at| at.told[0]), most(|at| at.measured[0])];
        let apart: Vec<Real> = curve
            .iter()
            .filter(|at| at.told[0] > PRESSED && at.measured[0] > PRESSED)
            .filter_map(|at| {
                let off = at.told_pressure? - at.measured_pressure?;
                Some(off.x * off.x + off.z * off.z)
            })
            .collect();
        let pressure = (!apart.is_empty()).then(|| (apart.iter().sum::<Real>() / apart.len() as Real).sqrt());
        let inside: Vec<Footfall> = footfalls
            .iter()
            .filter(|f| self.frame_of(f.start).is_some() || self.frame_of(f.end).is_some())
            .copied()
            .collect();
        let events = self.events(foot, &inside);
        Some(FootComparison { footfalls: inside.len(), rms, correlation, peak, events, pressure, curve })
    }

    /// Returns the frame of a time on the plates' clock, between frames; `None` outside of the clip.
    fn frame_of(&self, time: Real) -> Option<Real> {
        let frame = (time - self.alignment.start) * self.told.rate_hz;
        Some(frame).filter(|frame| *frame >= 1.0 && *frame <= self.told.force.len() as Real - 2.0)
    }

    /// Load of a foot of the clip, N for the person's weight; 0 where there is none.
    fn load(&self, frame: usize, foot: usize) -> Real {
        let force = self.told.force.get(frame).copied().flatten();
        force.map_or(0.0, |force| force[foot].y * self.alignment.mass * GRAVITY / self.told.weight)
    }

    fn events(&self, foot: usize, footfalls: &[Footfall]) -> Vec<EventPair> {
        let rate = self.told.rate_hz;
        let mut events = Vec::new();
        for footfall in footfalls {
            for (time, touch_down, seen) in
                [(footfall.start, true, footfall.begins), (footfall.end, false, footfall.ends)]
            {
                let Some(frame) = self.frame_of(time).filter(|_| seen) else { continue };
                let measured = frame / rate;
                let crossings = (2..self.told.force.len().saturating_sub(1)).filter_map(|next| {
                    let (before, after) = (self.load(next - 1, foot), self.load(next, foot));
                    let crosses = if touch_down {
                        before <= LOADED && after > LOADED
                    } else {
                        before > LOADED && after <= LOADED
                    };
                    crosses.then(|| ((next - 1) as Real + (LOADED - before) / (after - before)) / rate)
                });
                let told = crossings.min_by(|a, b| (a - measured).abs().total_cmp(&(b - measured).abs()));
                let told = told.filter(|told| (told - measured).abs() < SAME_EVENT);
                events.push(EventPair { touch_down, told, measured });
            }
        }
        events
    }

    /// Share of the frames with both feet loaded, percent, over frames in which the plates carry most of what the clip needs.
    fn double_support(&self, sides: &[Vec<Footfall>; 2]) -> Option<[Real; 2]> {
        let weight = self.alignment.mass * GRAVITY;
        let (mut count, mut told_both, mut measured_both) = (0, 0, 0);
        for (frame, told) in self.told.force.iter().enumerate() {
            let Some(told) = told else { continue };
            let measured = [0, 1].map(|foot| self.measured(frame, &sides[foot]).0.y);
            let (needed, given) = ((told[0].y + told[1].y) / self.told.weight, (measured[0] + measured[1]) / weight);
            if given < 0.6 * needed {
                continue;
            }
            count += 1;
            told_both += usize::from((0..2).all(|foot| self.load(frame, foot) > LOADED));
            measured_both += usize::from(measured.iter().all(|load| *load > LOADED));
        }
        let share = |both: usize| 100.0 * both as Real / count as Real;
        (count > 0 && sides.iter().all(|side| !side.is_empty())).then(|| [share(told_both), share(measured_both)])
    }
}

/// Pearson's correlation of pairs; `None` where one of them is constant.
fn correlation(pairs: impl Iterator<Item = (Real, Real)> + Clone) -> Option<Real> {
    let count = pairs.clone().count() as Real;
    let (sum_a, sum_b) = pairs.clone().fold((0.0, 0.0), |(a, b), pair| (a + pair.0, b + pair.1));
    let (mean_a, mean_b) = (sum_a / count, sum_b / count);
    let (mut aa, mut ab, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        let (a, b) = (a - mean_a, b - mean_b);
        (aa, ab, bb) = (aa + a * a, ab + a * b, bb + b * b);
    }
    (aa > 0.0 && bb > 0.0).then(|| ab / (aa * bb).sqrt())
}

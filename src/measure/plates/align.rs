//! Alignment of a clip with plates: the clock, the foot of each footfall, mass and axes.
//!
//! For a start o of the clip on the clock of the plates, a footfall with the measured load m explains of a foot's load f
//!
//!   G(o) = Σ m² − (c m − f)²
//!
//! over its frames, with c the ratio of the weights. The foot with the larger G is taken, and the start with the largest sum.
//! A start of 0 is kept where it explains nine tenths of that: then both have one clock.

use super::compare::{PlateError, PlateOptions};
use super::footfall::Footfall;
use super::{FootForces, Plates};
use crate::math::{GRAVITY, Quat, Real, Vec3, real};
use crate::motion::Side;

/// Alignment of a clip with plates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// Time of the first frame on the clock of the plates, seconds.
    pub start: Real,
    /// True if the start was found from the curves, false if it was stated or the clocks agree.
    pub start_found: bool,
    /// Mass by the plates, kg.
    pub mass: Real,
    /// True if the mass was found from the curves, false if it was stated.
    pub mass_found: bool,
    /// Rotation of the plates' axes about the vertical, radians, and their displacement, metres, to those of the clip.
    pub yaw: Real,
    /// Displacement after the rotation, metres.
    pub shift: Vec3,
    /// True if rotation and displacement were found from the centres of pressure; false if both have the same axes.
    pub axes_found: bool,
}

/// Share of the best agreement from which the clocks are taken to be the same.
const SAME_CLOCK: Real = 0.9;
/// Distance of centres of pressure up to which axes are the same: half a foot, metres.
const SAME_AXES: Real = 0.15;
/// Load from which a centre of pressure is meaningful, over the weight.
const PRESSED: Real = 0.2;
/// Time around a footfall that is compared as well, seconds.
pub(super) const MARGIN: Real = 0.05;
/// Most products of frames and starts that are searched.
const MOST_WORK: usize = 400_000_000;

/// Alignment, and the foot of each footfall.
pub(super) struct Aligned {
    pub alignment: Alignment,
    pub feet: Vec<Option<Side>>,
}

struct Search<'a> {
    told: &'a FootForces,
    plates: &'a Plates,
    footfalls: &'a [Footfall],
    /// Ratio c of the weights.
    ratio: Real,
}

impl Search<'_> {
    /// Returns Σ m², Σ m f and Σ f² of a footfall and both feet for a start of the clip.
    fn sums(&self, footfall: &Footfall, start: Real) -> [[Real; 3]; 2] {
        let (rate, frames) = (self.told.rate_hz, self.told.force.len());
        let at = |time: Real| ((time - start) * rate).clamp(0.0, frames as Real) as usize;
        let mut sums = [[0.0; 3]; 2];
        for frame in at(footfall.start - MARGIN)..at(footfall.end + MARGIN) {
            let (Some(told), time) = (&self.told.force[frame], start + frame as Real / rate) else { continue };
            let sample = self.plates.plates[footfall.plate].sample(&self.plates.times, time, 0.0);
            let Some((measured, _)) = sample else { continue };
            for (sums, told) in sums.iter_mut().zip(told) {
                let parts = [measured.y * measured.y, measured.y * told.y, told.y * told.y];
                sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
            }
        }
        sums
    }

    /// Returns the agreement with the better foot, N², and that foot.
    fn agreement(&self, footfall: &Footfall, start: Real) -> (Real, Side) {
        let c = self.ratio;
        let gains = self.sums(footfall, start).map(|[mm, mf, ff]| c * c * mm - (c * c * mm - 2.0 * c * mf + ff));
        let named = side_by_name(&self.plates.plates[footfall.plate].name);
        let better = named.unwrap_or(if gains[0] >= gains[1] { Side::Left } else { Side::Right });
        (gains[usize::from(better == Side::Right)], better)
    }

    fn total(&self, start: Real) -> Real {
        self.footfalls.iter().map(|footfall| self.agreement(footfall, start).0).sum()
    }

    /// Finds the start with the best agreement, and whether it differs from 0.
    fn start(&self) -> Result<(Real, bool), PlateError> {
        let step = 1.0 / self.told.rate_hz;
        let duration = self.told.force.len() as Real * step;
        let (first, last) = (self.plates.times[0], self.plates.times[self.plates.times.len() - 1]);
        let count = ((last - first + duration) / step).ceil() as usize;
        let frames: Real = self.footfalls.iter().map(|f| (f.end - f.start + 2.0 * MARGIN) / step).sum();
        if count.saturating_mul(frames as usize) > MOST_WORK {
            return Err(PlateError::TooLong);
        }
        let tried = (0..=count).map(|k| first - duration + k as Real * step).map(|start| (self.total(start), start));
        let (most, mut best) = tried.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0.0));
        if most <= 0.0 {
            return Err(PlateError::NothingInCommon);
        }
        if self.total(0.0) >= SAME_CLOCK * most {
            return Ok((0.0, false));
        }
        // Golden section between the neighbours, to 0.1 ms.
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        let (mut low, mut high) = (best - step, best + step);
        while high - low > 1e-4 {
            let (a, b) = (high - golden * (high - low), low + golden * (high - low));
            (low, high) = if self.total(a) > self.total(b) { (low, b) } else { (a, high) };
        }
        best = 0.5 * (low + high);
        Ok((best, true))
    }
}

/// Returns the side that the name of a plate tells.
fn side_by_name(name: &str) -> Option<Side> {
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |wanted: [&str; 2]| words.iter().any(|word| wanted.contains(word));
    match (has(["l", "left"]), has(["r", "right"])) {
        (true, false) => Some(Side::Left),
        (false, true) => Some(Side::Right),
        _ => None,
    }
}

/// Aligns a clip with plates.
pub(super) fn align(
    told: &FootForces,
    plates: &Plates,
    footfalls: &[Footfall],
    options: &PlateOptions,
) -> Result<Aligned, PlateError> {
    let mut search =
        Search { told, plates, footfalls, ratio: options.mass.map_or(1.0, |mass| told.weight / (mass * GRAVITY)) };
    let (start, start_found) = match options.start {
        Some(start) => (start, false),
        None => search.start()?,
    };
    let feet: Vec<Option<Side>> = footfalls
        .iter()
        .map(|footfall| Some(search.agreement(footfall, start)).filter(|(gain, _)| *gain > 0.0).map(|(_, side)| side))
        .collect();
    let mass_found = options.mass.is_none();
    if mass_found {
        let (mut mm, mut mf) = (0.0, 0.0);
        for (footfall, side) in footfalls.iter().zip(&feet) {
            let Some(side) = side else { continue };
            let sums = search.sums(footfall, start)[usize::from(*side == Side::Right)];
            (mm, mf) = (mm + sums[0], mf + sums[1]);
        }
        search.ratio = if mf > 0.0 { mf / mm } else { 1.0 };
    }
    if feet.iter().all(Option::is_none) {
        return Err(PlateError::NothingInCommon);
    }
    let mass = told.weight / search.ratio / GRAVITY;
    let mut alignment =
        Alignment { start, start_found, mass, mass_found, yaw: 0.0, shift: Vec3::zeros(), axes_found: false };
    fit_axes(told, plates, footfalls, &feet, &mut alignment);
    Ok(Aligned { alignment, feet })
}

/// Finds the rotation about the vertical and the displacement that bring measured centres of pressure to those of the clip,
/// where they are not there already.
fn fit_axes(
    told: &FootForces,
    plates: &Plates,
    footfalls: &[Footfall],
    feet: &[Option<Side>],
    alignment: &mut Alignment,
) {
    let mut pairs: Vec<(Vec3, Vec3)> = Vec::new();
    for (footfall, side) in footfalls.iter().zip(feet) {
        let Some(side) = side else { continue };
        for (frame, pressure) in told.pressure.iter().enumerate() {
            let time = alignment.start + frame as Real / told.rate_hz;
            if time < footfall.start || time > footfall.end {
                continue;
            }
            let sample = plates.plates[footfall.plate].sample(&plates.times, time, 1.0 / told.rate_hz);
            let Some((force, Some(point))) = sample else { continue };
            let own = pressure[usize::from(*side == Side::Right)];
            if let Some(own) = own.filter(|_| force.y > PRESSED * alignment.mass * GRAVITY) {
                pairs.push((Vec3::new(point.x, 0.0, point.z), Vec3::new(own.x, 0.0, own.z)));
            }
        }
    }
    let count = pairs.len() as Real;
    let off: Real = pairs.iter().map(|(measured, own)| (measured - own).norm_squared()).sum();
    if pairs.is_empty() || (off / count).sqrt() < SAME_AXES {
        return;
    }
    let [from, to] =
        [pairs.iter().map(|pair| pair.0).sum::<Vec3>() / count, pairs.iter().map(|pair| pair.1).sum::<Vec3>() / count];
    let (mut along, mut across) = (0.0, 0.0);
    for (measured, own) in &pairs {
        let (a, b) = (measured - from, own - to);
        along += a.dot(&b);
        across += a.z * b.x - a.x * b.z;
    }
    alignment.yaw = real::atan2(across, along);
    alignment.shift = to - Quat::from_axis_angle(&Vec3::y_axis(), alignment.yaw) * from;
    alignment.axes_found = true;
}

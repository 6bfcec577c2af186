//! Footfalls: intervals in which a plate is loaded.

use super::{Plate, Plates};
use crate::math::{Real, Vec3};

/// Load from which a plate counts as touched, N: the threshold of gait laboratories.
pub(super) const LOADED: Real = 20.0;
/// Gaps that noise makes, and loads shorter than a footfall, seconds.
const GAP: Real = 0.02;
const SHORTEST: Real = 0.06;

/// Interval in which a plate is loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Footfall {
    pub plate: usize,
    /// Times of first and last load, seconds on the clock of the plates, between samples.
    pub start: Real,
    pub end: Real,
    /// False where the recording begins or ends within it.
    pub begins: bool,
    pub ends: bool,
}

/// Returns the footfalls on all plates, in order of time.
pub(super) fn footfalls(plates: &Plates) -> Vec<Footfall> {
    let times = &plates.times;
    let mut all = Vec::new();
    for (index, plate) in plates.plates.iter().enumerate() {
        let mut open: Option<Footfall> = None;
        let mut own: Vec<Footfall> = Vec::new();
        for k in 0..times.len() {
            let load = plate.force[k].y;
            let crossing = |k: usize| {
                let (before, after) = (plate.force[k - 1].y, plate.force[k].y);
                times[k - 1] + (times[k] - times[k - 1]) * (LOADED - before) / (after - before)
            };
            match (&mut open, load > LOADED) {
                (None, true) => {
                    let start = if k == 0 { times[0] } else { crossing(k) };
                    open = Some(Footfall { plate: index, start, end: times[k], begins: k > 0, ends: false });
                }
                (Some(footfall), false) => {
                    own.push(Footfall { end: crossing(k), ends: true, ..*footfall });
                    open = None;
                }
                _ => {}
            }
        }
        if let (Some(footfall), Some(&end)) = (open, times.last()) {
            own.push(Footfall { end, ..footfall });
        }
        own.dedup_by(|next, last| {
            let close = next.start - last.end < GAP;
            if close {
                (last.end, last.ends) = (next.end, next.ends);
            }
            close
        });
        all.extend(own.into_iter().filter(|footfall| footfall.end - footfall.start >= SHORTEST));
    }
    all.sort_by(|a, b| a.start.total_cmp(&b.start));
    all
}

impl Plate {
    /// Returns the mean force around a time, N, and the centre of pressure of it, metres. `None` outside of the recording.
    pub(super) fn sample(&self, times: &[Real], time: Real, width: Real) -> Option<(Vec3, Option<Vec3>)> {
        let (first, last) = (*times.first()?, *times.last()?);
        if time < first || time > last {
            return None;
        }
        let from = times.partition_point(|t| *t < time - 0.5 * width);
        let to = times.partition_point(|t| *t <= time + 0.5 * width);
        if from >= to {
            // Sparser than the frames: linear between samples.
            let next = times.partition_point(|t| *t < time).clamp(1, times.len() - 1);
            let share = (time - times[next - 1]) / (times[next] - times[next - 1]);
            let between = |values: &[Vec3]| values[next - 1] + (values[next] - values[next - 1]) * share;
            return Some((between(&self.force), self.point.as_ref().map(|point| between(point))));
        }
        let force = self.force[from..to].iter().sum::<Vec3>() / (to - from) as Real;
        let point = self.point.as_ref().and_then(|point| {
            let (mut sum, mut load) = (Vec3::zeros(), 0.0);
            for (p, f) in point[from..to]
                .iter()
                .zip(&self.force[from..to])
                .filter(|(p, f)| f.y > LOADED && p.iter().all(|v| v.is_finite()))
            {
                sum += p * f.y;
                load += f.y;
            }
            (load > 0.0).then(|| sum / load)
        });
        Some((force, point))
    }
}

//! Two forms of foot skate beside the path of single points (`contacts`).
//!
//! Of a foot as a whole: from each frame to the next it slides by the smallest horizontal step of its points that are in contact at
//! both. What rolls or turns does so about a point that stays; only what slides moves them all.
//!
//! And the height-weighted form that motion papers use: mean over foot points lower than h₀ = 2.5 cm·a of
//!
//!   ‖Δp‖ · (2 − 2^(h/h₀)),   Δp horizontal, from this frame to the next
//!
//! The weight falls from 1 on the ground to 0 at h₀; what has sunk in weighs no more than what is on the ground.

use super::contacts::Thresholds;
use super::points::Point;
use crate::figure::Figure;
use crate::math::{Real, Vec3, real};

pub(super) struct WeightedSkate {
    low: Real,
    sum: Real,
    count: usize,
}

impl WeightedSkate {
    pub fn new(height: Real) -> Self {
        Self { low: Thresholds::of(height).enter_height, sum: 0.0, count: 0 }
    }

    /// A point in this frame and the next, relative to the ground.
    pub fn add(&mut self, point: &Point, now: &Vec3, next: &Vec3) {
        if point.is_foot() && now.y < self.low {
            let way = next - now;
            self.sum += real::hypot(way.x, way.z) * (2.0 - real::exp2(now.y.max(0.0) / self.low));
            self.count += 1;
        }
    }

    /// Metres per frame; none when no foot came near the ground.
    pub fn finish(&self) -> Option<Real> {
        (self.count > 0).then(|| self.sum / self.count as Real)
    }
}

/// Slide of feet, each measured at the point that it pivots about.
pub(super) struct FootSkate {
    /// Leading segment of the foot or hand of every segment: toes belong to the foot that carries them.
    leads: Vec<usize>,
    /// Smallest step to the next frame, by leading segment and frame, metres.
    least: Vec<Vec<Option<Real>>>,
}

impl FootSkate {
    pub fn new(figure: &Figure) -> Self {
        let segments = figure.segments();
        let mut bears = vec![false; segments.len()];
        figure.sole_points().iter().for_each(|sole| bears[sole.segment] = true);
        // Parents come first.
        let mut leads: Vec<usize> = Vec::with_capacity(segments.len());
        for (k, segment) in segments.iter().enumerate() {
            leads.push(segment.parent.filter(|&parent| bears[parent]).map_or(k, |parent| leads[parent]));
        }
        Self { least: vec![Vec::new(); leads.len()], leads }
    }

    /// The steps of one point in contact, from frame `first` on.
    pub fn add(&mut self, segment: usize, first: usize, steps: &[Real]) {
        let least = &mut self.least[self.leads[segment]];
        least.resize(least.len().max(first + steps.len()), None);
        for (least, &step) in least[first..].iter_mut().zip(steps) {
            *least = Some(least.map_or(step, |other| other.min(step)));
        }
    }

    /// Metres per frame in contact; none when nothing stands for two frames.
    pub fn mean_step(&self) -> Option<Real> {
        let steps = || self.least.iter().flatten().flatten();
        let count = steps().count();
        (count > 0).then(|| steps().sum::<Real>() / count as Real)
    }
}

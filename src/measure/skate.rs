//! The height-weighted form of foot skate that motion papers use: mean over foot points lower than h₀ = 2.5 cm·a of
//!
//!   ‖Δp‖ · (2 − 2^(h/h₀)),   Δp horizontal, from this frame to the next
//!
//! The weight falls from 1 on the ground to 0 at h₀; what has sunk in weighs no more than what is on the ground.

use super::contacts::Thresholds;
use super::points::Point;
use crate::math::{Real, Vec3};

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
            self.sum += way.x.hypot(way.z) * (2.0 - (now.y.max(0.0) / self.low).exp2());
            self.count += 1;
        }
    }

    /// Metres per frame; none when no foot came near the ground.
    pub fn finish(&self) -> Option<Real> {
        (self.count > 0).then(|| self.sum / self.count as Real)
    }
}

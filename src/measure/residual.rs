//! What the ground cannot give, and what it is asked for, over a clip.

use super::instant::Instant;
use crate::math::Real;

/// Mean and largest of something over frames.
#[derive(Clone, Copy, Default)]
pub(super) struct Spread {
    sum: Real,
    pub most: Real,
    pub count: usize,
}

impl Spread {
    pub fn add(&mut self, value: Real) {
        self.most = if self.count == 0 { value } else { self.most.max(value) };
        self.sum += value;
        self.count += 1;
    }

    pub fn mean(&self) -> Real {
        self.sum / self.count.max(1) as Real
    }
}

/// Residual wrench and vertical force.
#[derive(Default)]
pub(super) struct Residual {
    /// Over body weight.
    pub force: Spread,
    /// Over body weight and height.
    pub torque: Spread,
    /// Vertical force over body weight.
    pub reaction: Spread,
    /// Frame of the largest vertical force.
    pub peak: usize,
}

impl Residual {
    pub fn add(&mut self, frame: usize, instant: &Instant) {
        self.force.add(instant.residual.fixed_rows::<3>(0).norm());
        self.torque.add(instant.residual.fixed_rows::<3>(3).norm());
        let vertical = instant.force.y / instant.weight;
        if self.reaction.count == 0 || vertical > self.reaction.most {
            self.peak = frame;
        }
        self.reaction.add(vertical);
    }
}

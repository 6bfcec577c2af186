//! Frames that hang in the air: nothing touches the ground, and yet the body does not fall.

use crate::math::Real;

/// Faster than this share of g downwards is free fall.
const FALL: Real = 0.5;

#[derive(Default)]
pub(super) struct Float {
    sum: Real,
    floating: usize,
    frames: usize,
}

impl Float {
    /// One frame: whether anything is in contact, acceleration of the centre of mass upwards over g, height of the
    /// lowest point of the body.
    pub fn add(&mut self, in_contact: bool, acceleration: Real, lowest: Real) {
        self.frames += 1;
        if !in_contact && acceleration > -FALL {
            self.floating += 1;
            self.sum += lowest.max(0.0);
        }
    }

    /// Mean height in frames that float, metres (0 where none does), and their share, 0 to 1; none without frames.
    pub fn finish(&self) -> Option<(Real, Real)> {
        let mean = self.sum / self.floating.max(1) as Real;
        (self.frames > 0).then(|| (mean, self.floating as Real / self.frames as Real))
    }
}

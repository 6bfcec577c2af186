//! Joint angles beyond the limits of the anatomy.

use crate::dynamics::Placement;
use crate::figure::{Figure, Limits};
use crate::math::Real;

/// Smallest excess that counts as outside, radians.
const NOTED: Real = std::f64::consts::PI / 180.0;

/// Counts joint-frames outside of the limits of the anatomy; limits that were widened for a clip do not count.
#[derive(Default)]
pub(super) struct LimitCheck {
    outside: usize,
    all: usize,
    worst: Real,
}

impl LimitCheck {
    /// Adds one frame.
    pub fn add(&mut self, figure: &Figure, placements: &[Placement]) {
        for (k, segment) in figure.segments().iter().enumerate() {
            let limits = &segment.attachment.anatomy;
            let Some(parent) = segment.parent.filter(|_| *limits != Limits::None) else { continue };
            let turn = placements[parent].rotation.inverse() * placements[k].rotation;
            let excess = limits.excess(&segment.attachment.relative(&turn));
            self.all += 1;
            self.outside += usize::from(excess > NOTED);
            self.worst = self.worst.max(excess);
        }
    }

    /// Share of joint-frames more than 1° outside (0 to 1), and the worst excess, radians; none without any limits.
    pub fn finish(&self) -> Option<(Real, Real)> {
        (self.all > 0).then(|| (self.outside as Real / self.all as Real, self.worst))
    }
}

//! Depth of the body in the ground, frame by frame.

use crate::math::Real;

/// Deeper than this counts as a frame in the ground, or in oneself, metres.
const DEEP: Real = 0.010;

/// Depths over frames: of the body in the ground, or of one segment in another.
#[derive(Default)]
pub(super) struct Depths {
    sum: Real,
    most: Real,
    deep: usize,
    frames: usize,
}

impl Depths {
    /// Metres; what is negative does not touch.
    pub fn add(&mut self, depth: Real) {
        let depth = depth.max(0.0);
        self.sum += depth;
        self.most = self.most.max(depth);
        self.deep += usize::from(depth > DEEP);
        self.frames += 1;
    }

    /// Metres, mean over all frames.
    pub fn mean(&self) -> Real {
        self.sum / self.frames.max(1) as Real
    }

    /// Metres.
    pub fn most(&self) -> Real {
        self.most
    }

    /// Share of frames deeper than 10 mm, 0 to 1.
    pub fn share(&self) -> Real {
        self.deep as Real / self.frames.max(1) as Real
    }
}

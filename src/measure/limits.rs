//! Joint angles beyond the limits of the anatomy.

use crate::dynamics::Placement;
use crate::figure::{Figure, Limits};
use crate::math::Real;
use crate::motion::Role;

/// Smallest excess that counts as outside, radians.
const NOTED: Real = std::f64::consts::PI / 180.0;

/// Frames in which a joint is beyond the limits of the anatomy.
#[derive(Clone, Debug, PartialEq)]
pub struct BeyondLimits {
    /// Name of the joint.
    pub joint: String,
    /// Role of the joint, where it is known.
    pub role: Option<Role>,
    /// Share of the frames, 0 to 1.
    pub share: Real,
}

/// Counts joint-frames outside of the limits of the anatomy; limits that were widened for a clip do not count.
#[derive(Default)]
pub(super) struct LimitCheck {
    /// Segments with limits, and their frames outside.
    outside: Vec<(usize, usize)>,
    frames: usize,
    worst: Real,
}

impl LimitCheck {
    /// Adds one frame.
    pub fn add(&mut self, figure: &Figure, placements: &[Placement]) {
        if self.frames == 0 {
            let limited = |k: &usize| {
                let segment = figure.segment(*k);
                segment.parent.is_some() && segment.attachment.anatomy != Limits::None
            };
            self.outside = (0..figure.segments().len()).filter(limited).map(|k| (k, 0)).collect();
        }
        self.frames += 1;
        for (k, outside) in &mut self.outside {
            let segment = figure.segment(*k);
            let limits = &segment.attachment.anatomy;
            let Some(parent) = segment.parent else { continue };
            let turn = placements[parent].rotation.inverse() * placements[*k].rotation;
            let excess = limits.excess(&segment.attachment.relative(&turn));
            *outside += usize::from(excess > NOTED);
            self.worst = self.worst.max(excess);
        }
    }

    /// Share of joint-frames more than 1° outside (0 to 1), and the worst excess, radians; none without any limits.
    pub fn finish(&self) -> Option<(Real, Real)> {
        let all = self.frames * self.outside.len();
        let outside: usize = self.outside.iter().map(|(_, outside)| outside).sum();
        (all > 0).then(|| (outside as Real / all as Real, self.worst))
    }

    /// Joints with limits, with their shares of frames outside.
    pub fn joints(&self, figure: &Figure) -> Vec<BeyondLimits> {
        let joint = |&(k, outside): &(usize, usize)| {
            let segment = figure.segment(k);
            let joint = figure.skeleton().joint(segment.joint).name.clone();
            BeyondLimits { joint, role: segment.role, share: outside as Real / self.frames as Real }
        };
        self.outside.iter().map(joint).collect()
    }
}

//! What each kind of deviation costs: a deviation of one σ costs 1.

use super::body::{Body, Freedom};
use crate::figure::Figure;
use crate::math::Real;
use crate::motion::Role;

/// The σ of everything but the residual, for one figure.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// 1/σ² of each coordinate.
    pub stay: Vec<Real>,
    /// 1/σ² of the second difference of each coordinate, per frame⁴.
    pub smooth: Vec<Real>,
    /// 1/σ² of the place of a segment, 1/m².
    pub place: Real,
    /// The same for the points of a segment about its centre, over all mass, 1/(kg m²).
    pub second_moment: Real,
    /// 1/σ² of corners that stand, 1/m².
    pub target: Real,
    /// 1/σ² of corners beside the place above which they hover, 1/m².
    pub contact: Real,
    /// 1/σ² of depth in the ground, 1/m².
    pub depth: Real,
    /// 1/σ² of depth of segments in each other, 1/m².
    pub overlap: Real,
    /// 1/σ² of angles beyond limits.
    pub limit: Real,
    /// 1/σ² of the change of the wrench, over weight.
    pub wrench: Real,
}

/// Angles of joints, radians.
const TURN: Real = 0.15;
/// Toes and palms are in nobody's way.
const END: Real = 0.3;
/// Of the root, metres for a figure of 1.75 m.
const SHIFT: Real = 0.05;
/// Angular acceleration of what is changed, rad/s².
const TURN_RATE: Real = 70.0;
/// Of the root, m/s².
const SHIFT_RATE: Real = 20.0;
/// Below this rate, frames per second, both fall with it, to a quarter: what is seen is how much velocities jump from frame to
/// frame.
const FULL_RATE: Real = 60.0;
const LEAST_SHARE: Real = 0.25;
/// Root mean square of the places of segments, metres. All count the same: by mass feet and hands would be nobody's, and feet, once
/// stances may step aside, would go anywhere.
const PLACE: Real = 0.0085;
/// Corners that stand, metres.
const TARGET: Real = 0.3e-3;
/// A corner that has just come down, or is about to leave, is held by at least this share of it: what touches down does
/// not stop within a frame.
pub(super) const SOFTEST_TARGET: Real = 0.55;
/// Corners that hover, beside the place they rise from, metres.
const UNLOADED: Real = 1e-3;
/// Metres below the ground.
const DEPTH: Real = 0.5e-3;
/// Metres within each other.
const OVERLAP: Real = 3e-3;
/// Radians beyond limits.
const LIMIT: Real = 5e-3;
/// Change of the wrench against the capture, over the weight.
const WRENCH: Real = 0.12;

/// The change of a joint that must not jump is held to this share of its usual acceleration.
const LIMITED_SHARE: Real = 0.1;

/// Joints keep this far within their limits, radians.
pub(super) const LIMIT_MARGIN: Real = 4e-3;

impl Weights {
    /// `strength` multiplies how far the result may go from the capture; `rate` in frames per second.
    pub fn new(figure: &Figure, body: &Body, strength: Real, rate: Real) -> Self {
        let size_scale = figure.size_scale();
        let per = |sigma: Real| 1.0 / (sigma * sigma);
        let share = (rate / FULL_RATE).clamp(LEAST_SHARE, 1.0);
        let (mut stay, mut smooth) = (vec![0.0; body.unknowns], vec![0.0; body.unknowns]);
        for (part, segment) in body.parts.iter().zip(figure.segments()) {
            let mut column = part.first;
            if part.translates {
                for _ in 0..3 {
                    stay[column] = per(SHIFT * size_scale * strength);
                    smooth[column] = per(SHIFT_RATE * share * size_scale * strength) * rate.powi(4);
                    column += 1;
                }
            }
            let loose = matches!(segment.role, Some(Role::Toes(_) | Role::Hand(_)));
            for _ in 0..part.freedom.count() {
                stay[column] = per(if loose { END } else { TURN } * strength);
                smooth[column] = per(TURN_RATE * share * strength) * rate.powi(4);
                column += 1;
            }
            debug_assert!(part.freedom != Freedom::None || column == part.first + 3 * usize::from(part.translates));
        }
        Self {
            stay,
            smooth,
            place: per(PLACE * size_scale * strength) / body.parts.len().max(1) as Real,
            second_moment: per(PLACE * size_scale * strength) / body.mass,
            target: per(TARGET * size_scale),
            contact: per(UNLOADED * size_scale),
            depth: per(DEPTH * size_scale),
            overlap: per(OVERLAP * size_scale),
            limit: per(LIMIT),
            wrench: per(WRENCH),
        }
    }

    /// 1/σ² of second differences where some segments must not jump; none where that is as usual.
    pub fn smoothed_per_track(&self, body: &Body, segments: &[usize]) -> Option<Vec<Real>> {
        let mut smooth = (!segments.is_empty()).then(|| self.smooth.clone())?;
        for part in segments.iter().map(|&k| &body.parts[k]) {
            let first = part.first + 3 * usize::from(part.translates);
            smooth[first..first + part.freedom.count()]
                .iter_mut()
                .for_each(|weight| *weight /= LIMITED_SHARE * LIMITED_SHARE);
        }
        Some(smooth)
    }
}

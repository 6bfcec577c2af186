//! Weights of the cost terms: a deviation of one σ costs 1.

use super::body::{Body, Freedom};
use crate::figure::Figure;
use crate::math::Real;
use crate::motion::Role;

/// Weights of all terms but the residual, for one figure.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// 1/σ² of each coordinate.
    pub stay: Vec<Real>,
    /// 1/σ² of the second difference of each coordinate, per frame⁴.
    pub smooth: Vec<Real>,
    /// 1/σ² of the place of a segment, 1/m².
    pub place: Real,
    /// 1/σ² of the points of a segment about its centre, over all mass, 1/(kg m²).
    pub second_moment: Real,
    /// 1/σ² of corners at contact targets, 1/m².
    pub target: Real,
    /// 1/σ² of unloaded contacts along the ground, 1/m².
    pub unloaded: Real,
    /// 1/σ² of depth in the ground, 1/m².
    pub depth: Real,
    /// 1/σ² of overlap of segments, 1/m².
    pub overlap: Real,
    /// 1/σ² of angles beyond limits.
    pub limit: Real,
    /// 1/σ² of the change of the wrench, over weight.
    pub wrench: Real,
}

/// Rotation of joints, radians.
const TURN: Real = 0.15;
/// Rotation of toes and palms, radians, which affect nothing else.
const END: Real = 0.3;
/// Translation of the root, metres for the reference height.
const SHIFT: Real = 0.05;
/// Angular acceleration of the change, rad/s².
const TURN_RATE: Real = 70.0;
/// Acceleration of the change of the root, m/s².
const SHIFT_RATE: Real = 20.0;
/// Frame rate below which both accelerations fall in proportion, Hz, and their least share: visible are changes of velocity
/// from frame to frame.
const FULL_RATE: Real = 60.0;
const LEAST_SHARE: Real = 0.25;
/// Root mean square of the places of segments, metres. All segments count the same. Weighted by mass, feet and hands would
/// hardly count, and feet would drift once contact intervals may have offsets.
const PLACE: Real = 0.0085;
/// Error of contact targets, metres.
const TARGET: Real = 0.3e-3;
/// Least share of the weight for a corner at the start or end of a contact, because a touchdown does not stop it within a
/// frame.
pub(super) const SOFTEST_TARGET: Real = 0.55;
/// Error of unloaded contacts along the ground, metres.
const UNLOADED: Real = 1e-3;
/// Depth below the ground, metres.
const DEPTH: Real = 0.5e-3;
/// Overlap of segments, metres.
const OVERLAP: Real = 3e-3;
/// Angle beyond limits, radians.
const LIMIT: Real = 5e-3;
/// Change of the wrench against that of the capture within its bandwidth, over the weight: the error of inverse dynamics against
/// force plates is about so large.
const WRENCH: Real = 0.05;

/// Share of the usual σ for accelerations that are limited.
const LIMITED_SHARE: Real = 0.1;

/// Margin that joints keep within their limits, radians.
pub(super) const LIMIT_MARGIN: Real = 4e-3;

impl Weights {
    /// Computes the weights; `strength` scales the allowed deviation from the capture, `rate` in frames per second.
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
            unloaded: per(UNLOADED * size_scale),
            depth: per(DEPTH * size_scale),
            overlap: per(OVERLAP * size_scale),
            limit: per(LIMIT),
            wrench: per(WRENCH),
        }
    }

    /// Returns 1/σ² of second differences where the accelerations of some segments are limited; `None` where there are none.
    pub fn with_limited_acceleration(&self, body: &Body, segments: &[usize]) -> Option<Vec<Real>> {
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

//! Whole bodies on the ground: nothing of the target sinks into it, and a body that lies in the source lies on the target.
//!
//! Limbs are held on the ground or kept out of it one by one. What lies between them is not: the head of a chibi that turns a cartwheel on
//! arms shorter than it, the elbows of a stout crawler, the back of a sleeper. Once all frames are solved their depths z(t) are known,
//! negative for a body that lies in the source and floats on the target, and the pelvis must have been higher by them. It rises by the
//! largest depth within T of a frame, smoothed over ±T,
//!
//!   r(t) = Σ k(s) max { z(t + s + u) : |u| ≤ T },   |s| ≤ T,   Σ k = 1
//!
//! which is z(t) at least, because every term is, and has no corner. The frames are then solved again with the pelvis bounded by its path plus r.
//! Limbs in contact stay where they are as far as they reach. A rise changes no frame farther away than 2 T.

use crate::dynamics::Placement;
use crate::figure::Figure;
use crate::figure::body::Body;
use crate::math::{Real, Vec3, real};
use crate::motion::{Clip, Frame, Role};

/// Half width T of rises, seconds: a centimetre is risen by at the speed of a breath, half a metre at that of a jump.
const WIDTH: Real = 0.25;
/// Depth or height that does not show and is left, metres.
const SHOWS: Real = 0.0015;
/// Rise that changes nothing, metres.
const NOTHING: Real = 1e-4;
/// Height of inner parts of a body below which it lies, metres at the reference height: shapes differ by so much from the flesh.
const LIES: Real = 0.06;
/// Rounds after which what is left is left. Knees over feet in contact rise by half of what the pelvis does, so that eight rounds leave less
/// than a hundredth of a depth.
pub(super) const ROUNDS: usize = 8;

/// Bounds of the height of the pelvis joint, frame by frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Clearance {
    /// Least and largest world heights, metres, where a body sinks or floats. Empty if it does nowhere.
    bounds: Vec<[Real; 2]>,
}

/// Solution whose clearance is examined.
pub(super) struct Solved<'a> {
    pub clip: &'a Clip,
    /// World heights of the pelvis joint, metres.
    pub heights: &'a [Real],
    /// Heights of the ground, metres.
    pub grounds: &'a [Real],
    /// Flags of the frames in which the body lies in the source.
    pub lies: &'a [bool],
}

impl Clearance {
    /// Returns the height of the pelvis joint in a frame, metres, brought within its bounds.
    pub fn bounded(&self, frame: usize, height: Real) -> Real {
        self.bounds.get(frame).map_or(height, |[least, most]| height.min(*most).max(*least))
    }

    /// Moves the bounds by what sinks or floats in a solution; returns false if nothing does.
    pub fn adapt(&mut self, figure: &Figure, solved: &Solved) -> bool {
        let half = ((WIDTH * solved.clip.rate_hz()).round() as usize).max(1);
        let rises = envelope(&depths(figure, solved), half);
        if rises.iter().all(|rise| rise.abs() < NOTHING) {
            return false;
        }
        self.bounds.resize(rises.len(), [Real::NEG_INFINITY, Real::INFINITY]);
        for ((bounds, height), rise) in self.bounds.iter_mut().zip(solved.heights).zip(rises) {
            let wanted = height + rise;
            // A height that was bounded from the other side already is prescribed.
            match *bounds {
                [_, most] if rise > 0.0 => *bounds = [wanted, if most.is_finite() { wanted } else { most }],
                [least, _] if rise < 0.0 => *bounds = [if least.is_finite() { wanted } else { least }, wanted],
                _ => {}
            }
        }
        true
    }
}

/// Returns the depth of the deepest point of a figure in each frame, metres; 0 where it does not show, negative for a lying body that
/// floats.
fn depths(figure: &Figure, solved: &Solved) -> Vec<Real> {
    let heights = lowest_points(figure, solved.clip, |_| true);
    let depth = |((height, ground), lies): ((Real, &Real), &bool)| {
        let depth = ground - height;
        if depth > SHOWS || (*lies && depth < -SHOWS) { depth } else { 0.0 }
    };
    heights.into_iter().zip(solved.grounds).zip(solved.lies).map(depth).collect()
}

/// Returns flags of the frames in which trunk, head, thighs or upper arms of a body lie on the ground, whose heights are given.
pub(super) fn lies(body: &Body, clip: &Clip, grounds: &[Real]) -> Vec<bool> {
    let Some(figure) = body.figure.as_ref().filter(|_| body.is_upright()) else { return vec![false; grounds.len()] };
    let is_inner = |role: Option<Role>| {
        matches!(
            role,
            Some(Role::Hips | Role::Spine(_) | Role::Neck(_) | Role::Head | Role::UpperArm(_) | Role::UpperLeg(_))
        )
    };
    let heights = lowest_points(figure, clip, is_inner);
    let near = LIES * figure.size_scale();
    heights.into_iter().zip(grounds).map(|(height, ground)| height - ground < near).collect()
}

/// Returns the height of the lowest point of some segments in each frame, metres.
fn lowest_points(figure: &Figure, clip: &Clip, chosen: impl Fn(Option<Role>) -> bool) -> Vec<Real> {
    let chosen: Vec<bool> = figure.segments().iter().map(|segment| chosen(segment.role)).collect();
    let mut pose = figure.skeleton().rest_pose();
    let (mut frames, mut placements): (Vec<Frame>, Vec<Placement>) = (Vec::new(), Vec::new());
    let mut of_frame = |frame: usize| {
        clip.pose_into(frame, &mut pose);
        figure.placements_into(&pose, &mut frames, &mut placements);
        lowest(figure, &placements, &chosen)
    };
    (0..clip.frames()).map(&mut of_frame).collect()
}

/// Returns the height of the lowest point of the shapes of some segments, metres.
fn lowest(figure: &Figure, placements: &[Placement], chosen: &[bool]) -> Real {
    let mut lowest = Real::INFINITY;
    for ((segment, placement), chosen) in figure.segments().iter().zip(placements).zip(chosen) {
        for shape in segment.shapes.iter().filter(|_| *chosen) {
            let at = placement.then(&shape.placement);
            let down = at.rotation.inverse_transform_vector(&-Vec3::y());
            lowest = shape.shape.support(&down).map_or(lowest, |corner| lowest.min(at.point(&corner).y));
        }
    }
    lowest
}

/// Returns a smooth curve that is nowhere below some values, and zero farther than twice `half` frames from those that are not zero.
fn envelope(values: &[Real], half: usize) -> Vec<Real> {
    let around = |k: usize| k.saturating_sub(half)..(k + half + 1).min(values.len());
    let most: Vec<Real> = (0..values.len()).map(|k| largest(&values[around(k)])).collect();
    // cos⁴: velocity, acceleration and jerk are continuous at its ends.
    let weight = |k: usize, j: usize| {
        let share = (k as Real - j as Real) / (half + 1) as Real;
        real::cos(0.5 * std::f64::consts::PI * share).powi(4)
    };
    let smooth = |k: usize| {
        if most[around(k)].iter().all(|most| *most == 0.0) {
            return 0.0;
        }
        let (sum, weights) = around(k).fold((0.0, 0.0), |(sum, weights), j| {
            let weight = weight(k, j);
            (sum + weight * most[j], weights + weight)
        });
        sum / weights
    };
    (0..values.len()).map(smooth).collect()
}

fn largest(values: &[Real]) -> Real {
    values.iter().copied().fold(Real::NEG_INFINITY, Real::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve is nowhere below the values, zero farther away than twice its half width, and has no corner.
    #[test]
    fn rises_cover_all_depths_and_have_no_corner() {
        let mut values = vec![0.0; 200];
        values[60] = 0.1;
        values[61] = 0.3;
        (100..120).for_each(|k| values[k] = 0.02 * (k % 3) as Real);
        let half = 12;
        let curve = envelope(&values, half);
        assert!(curve.iter().zip(&values).all(|(curve, value)| curve + 1e-12 >= *value));
        assert!(curve[..60 - 2 * half].iter().chain(&curve[120 + 2 * half..]).all(|value| *value == 0.0));
        let bend = |w: &[Real]| (w[2] - 2.0 * w[1] + w[0]).abs();
        let sharpest = curve.windows(3).map(bend).fold(0.0, Real::max);
        // A parabola that rises by 0.3 and stops within 24 frames bends by 0.3 / 12².
        assert!(sharpest < 2.5 * 0.3 / 144.0, "{sharpest}");
    }
}

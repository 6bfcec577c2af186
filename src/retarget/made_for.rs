//! The figure that a motion was made for.
//!
//! Where a rest pose is not set on the ground, soles are guessed: a figure takes them from the frames of its clip in which the feet
//! are lowest, which is right for captures. A motion that was moved to a skeleton stands on the soles of its [`Body`], though, which know
//! nothing of any clip. It tells so: on those soles, and on no others, it comes down to the very ground again and again and never
//! sinks below it.

use super::body::{Body, BodyOptions};
use super::source_contacts::ground_height;
use crate::figure::{Figure, FigureError, FigureOptions};
use crate::math::Real;
use crate::motion::{Clip, Pose, REFERENCE_HEIGHT, Skeleton};

/// On the very ground, over the standing height.
const EXACT: Real = 0.0006;
/// How many frames of a motion are there at least, and how many at most may be below.
const STANDS: Real = 0.05;
/// Who is in the air most of the time is there as often as this, and in this part of the frames in which a foot is nearly down: over the
/// standing height, no farther up. Feet that are somewhere there by chance are on the very ground in one of twelve.
const LEAST: Real = 0.01;
const OF_NEAR: Real = 0.15;
const NEAR: Real = 0.014;
const SINKS: Real = 0.005;
/// Frames that are looked at, at most.
const FRAMES: usize = 2000;

/// A figure for a skeleton, with the soles that the clip of the options was made for: those of its [`Body`] if the clip stands on them
/// exactly, else those of [`Figure::build`].
pub fn embody(skeleton: &Skeleton, options: &FigureOptions) -> Result<Figure, FigureError> {
    let built = Figure::build(skeleton, options)?;
    let Some(clip) = options.clip.filter(|clip| options.height.is_none() && clip.frames() > 0) else {
        return Ok(built);
    };
    let body = Body::new(skeleton, &BodyOptions { example: Some(clip), skin: options.skin, told: &[] });
    let Some(mut figure) = body.figure.filter(|figure| stands_exactly(figure, clip)) else { return Ok(built) };
    figure.rest_as(skeleton);
    if let Some(mass) = options.mass {
        figure.set_mass(mass);
    }
    Ok(figure)
}

/// Whether a clip comes down to the ground on the soles of a figure, and not below.
fn stands_exactly(figure: &Figure, clip: &Clip) -> bool {
    let skeleton = figure.skeleton();
    let step = clip.frames().div_ceil(FRAMES).max(1);
    let (mut frames, mut placements) = (Vec::new(), Vec::new());
    let mut heights = Vec::with_capacity(clip.frames() / step + 1);
    for frame in (0..clip.frames()).step_by(step) {
        let pose = Pose { scales: None, ..clip.pose(skeleton, frame) };
        figure.placements_into(&pose, &mut frames, &mut placements);
        let corners = figure.sole_points().iter().flat_map(|sole| sole.corners().map(|corner| (sole.segment, corner)));
        heights.push(corners.map(|(k, corner)| placements[k].point(&corner).y).fold(Real::INFINITY, Real::min));
    }
    are_exact(&heights, figure.height)
}

/// Whether these heights of the lowest sole, frame by frame, are those of a motion that was made for a body of this height, metres.
fn are_exact(heights: &[Real], height: Real) -> bool {
    let ground = ground_height(&mut heights.to_vec(), height / REFERENCE_HEIGHT);
    let (exact, near) = (EXACT * height, NEAR * height);
    let share = |of: &dyn Fn(Real) -> bool| {
        heights.iter().filter(|&&height| of(height - ground)).count() as Real / heights.len() as Real
    };
    let stands = share(&|height| height.abs() < exact);
    let often = stands > STANDS || (stands > LEAST && stands > OF_NEAR * share(&|height| height < near));
    often && share(&|height| height < -exact) < SINKS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who is up in the air in nine of ten frames is on the very ground in a few, and often among those in which a foot is nearly down. Captures are
    /// as often on it as anywhere there.
    #[test]
    fn who_flies_most_of_the_time_tells_the_ground_too() {
        let flies = |down: &dyn Fn(usize) -> Real| -> Vec<Real> {
            (0..1000).map(|k| if k % 10 == 0 { down(k / 10) } else { 0.3 }).collect()
        };
        let made = flies(&|k| if k % 3 == 0 { 0.0 } else { 0.005 + 0.0001 * k as Real });
        assert!(are_exact(&made, 1.75));
        let captured = flies(&|k| 0.024 * (k as Real * 0.618).fract());
        assert!(!are_exact(&captured, 1.75));
        // What sinks was not made for these soles, however often it stands on them.
        let sinks = flies(&|k| if k % 3 == 0 { 0.0 } else { -0.004 });
        assert!(!are_exact(&sinks, 1.75));
    }
}

//! In-place motion as it is seen from the treadmill below it.

use super::points::Point;
use super::poses::Poses;
use crate::contacts::signal::rise_of;
use crate::contacts::treadmill::{Walker, gets_on};
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::motion::Clip;
use crate::motion::root_motion::offset_clip;

/// Returns an in-place clip as seen from its treadmill, and the velocity of the treadmill, m/s; none for all other clips.
pub(super) fn from_treadmill(figure: &Figure, points: &[Point], clip: &Clip, floor: Real) -> Option<(Clip, Vec3)> {
    let soles: Vec<&Point> = points.iter().filter(|point| point.is_foot()).collect();
    if soles.is_empty() || clip.frames() < 3 {
        return None;
    }
    let mut poses = Poses::new(figure, clip);
    let size_scale = figure.size_scale();
    let mut root_at = |frame: usize| poses.at(frame).first().map(|placement| placement.position);
    // Most clips get on, which two poses tell.
    if gets_on(&root_at(0)?, &root_at(clip.frames() - 1)?, size_scale, clip.duration()) {
        return None;
    }
    // Toes belong to the foot they hang on.
    let bears = |segment: usize| soles.iter().any(|point| point.segment == segment);
    let foot = |point: &Point| {
        let above = |segment: &usize| figure.segment(*segment).parent.filter(|&parent| bears(parent));
        std::iter::successors(Some(point.segment), above).last().unwrap_or(point.segment)
    };
    let limbs: Vec<usize> = soles.iter().map(|point| foot(point)).collect();
    let (mut root, mut centre, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for frame in 0..clip.frames() {
        let placements = poses.at(frame);
        root.push(placements.first()?.position);
        centre.push(figure.centre_of_mass(placements).y);
        places.extend(soles.iter().map(|point| point.world(placements)));
    }
    let rise = rise_of(centre.into_iter(), clip.rate_hz());
    let walker = Walker {
        rate: clip.rate_hz(),
        root: &root,
        rise: &rise,
        limbs: &limbs,
        place: &|sole, frame| places[frame * soles.len() + sole],
        floor,
        size_scale,
    };
    let velocity = walker.steady()?;
    let step = -velocity / clip.rate_hz();
    let back: Vec<Vec3> = (0..clip.frames()).map(|frame| step * frame as Real).collect();
    Some((offset_clip(figure.skeleton(), clip, &back).ok()?, velocity))
}

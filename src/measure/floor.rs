//! Floor of a clip: found from the feet, or from the whole body where it does not rest on its feet.

use super::ground::{Ground, GroundFinder};
use super::points::Point;
use super::poses::Poses;
use crate::contacts::signal::percentile;
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::motion::Clip;

/// Flesh that is this far below the feet, for more than half of the time, rests on something; metres per a.
const BELOW: Real = 0.08;

/// The floor, and the centre of mass in every frame. The floor of a handstand, or of a body that lies with its feet up, is
/// found from all points of the body.
pub(crate) fn floor(figure: &Figure, points: &[Point], clip: &Clip) -> (Option<Ground>, Vec<Vec3>) {
    let feet = points.iter().any(Point::is_sole);
    let mut finder = GroundFinder::new(points, figure.height, clip.rate_hz());
    let mut poses = Poses::new(figure, clip);
    let (mut centres, mut deepest) = (Vec::with_capacity(clip.frames()), Vec::new());
    for frame in 0..clip.frames() {
        let placements = poses.at(frame);
        finder.add(points, placements);
        centres.push(figure.centre_of_mass(placements));
        if feet {
            let others = points.iter().filter(|point| !point.is_foot()).map(|point| point.world(placements));
            deepest.extend(others.min_by(|p, q| p.y.total_cmp(&q.y)));
        }
    }
    let Some(floor) = finder.finish() else { return (None, centres) };
    let middle = |places: &[Vec3]| {
        let mut over: Vec<Real> = places.iter().map(|p| p.y - floor.below(p)).collect();
        percentile(&mut over, 0.5)
    };
    let upright = middle(&centres).is_none_or(|over| over > 0.0);
    let rests = middle(&deepest).is_some_and(|over| over < figure.scaled_length(-BELOW));
    if !feet || (upright && !rests) {
        return (Some(floor), centres);
    }
    let all: Vec<Point> = points.iter().map(|p| Point { part: None, ..*p }).collect();
    (self::floor(figure, &all, clip).0, centres)
}

//! Contact intervals of a generated motion, without the other numbers of a report.

use super::contacts::{Contact, ContactFinder, Contacts};
use super::ground::Ground;
use super::points::points;
use super::poses::Poses;
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::motion::Clip;

/// Contacts as a report of a generated motion finds them on level ground at a height, and the mean slide of the feet in
/// them, m/s.
pub(crate) fn standing(figure: &Figure, clip: &Clip, height: Real) -> (Vec<Contact>, Option<Real>) {
    let (points, ground) = (points(figure), Ground::level(height));
    let mut poses = Poses::new(figure, clip);
    let (mut places, mut centres) = (Vec::with_capacity(clip.frames()), Vec::with_capacity(clip.frames()));
    for frame in 0..clip.frames() {
        let placements = poses.at(frame);
        centres.push(figure.centre_of_mass(placements));
        places.push(points.iter().map(|p| ground.seen_from(p.world(placements))).collect::<Vec<Vec3>>());
    }
    let mut finder = ContactFinder::new(figure, &points, figure.height, clip.rate_hz(), 0.0);
    for frame in 0..clip.frames() {
        let speed = super::run::speed_of(&centres, frame, clip.rate_hz());
        for (index, point) in points.iter().enumerate() {
            let at = |frame: Option<usize>| Some(places.get(frame?)?[index]);
            finder.add(frame, (index, point), [at(frame.checked_sub(1)), at(Some(frame)), at(Some(frame + 1))], speed);
        }
    }
    let Contacts { intervals, foot_slide, .. } = finder.finish(&points, clip.frames());
    (intervals, foot_slide)
}

//! Points of a body that may touch the ground.
//!
//! First the sole points of the figure: heel, ball and toe tip of each foot, palms, ends of other legs. Then, so that
//! lying, kneeling and rolling bodies are carried too, the ends of round shapes and the corners of square ones on all
//! other segments. A shank ends inside the foot and a forearm inside the hand; such ends are left out.

use super::ground::Ground;
use crate::dynamics::Placement;
use crate::figure::{Figure, SolePart};
use crate::math::{Real, Vec3};
use crate::motion::Side;

/// A point that may touch the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub segment: usize,
    /// None for points other than soles and palms.
    pub part: Option<SolePart>,
    pub side: Option<Side>,
    /// Metres, frame of the segment's joint.
    pub local: Vec3,
    /// The surface lies this far below it, whichever way the segment is turned.
    pub radius: Real,
    /// Vector from the point to one of the corners at both sides of it.
    pub across: Vec3,
}

impl Point {
    /// Lowest point of its surface, metres, world space.
    pub fn world(&self, placements: &[Placement]) -> Vec3 {
        placements[self.segment].point(&self.local) - Vec3::y() * self.radius
    }

    /// Heel or ball.
    pub fn is_sole(&self) -> bool {
        matches!(self.part, Some(SolePart::Heel | SolePart::Ball))
    }

    pub fn is_foot(&self) -> bool {
        matches!(self.part, Some(SolePart::Heel | SolePart::Ball | SolePart::Tip))
    }
}

/// All points of a figure that may touch the ground; sole points come first.
pub(crate) fn points(figure: &Figure) -> Vec<Point> {
    let segments = figure.segments();
    let mut bears = vec![false; segments.len()];
    let mut points = Vec::new();
    for sole in figure.sole_points() {
        bears[sole.segment] = true;
        let (part, side) = (Some(sole.part), sole.side);
        points.push(Point { segment: sole.segment, part, side, local: sole.point, radius: 0.0, across: sole.across });
    }
    // Joints of soles, in the frame of the segment they hang on; and everything between two soles (the foot above toes).
    let mut carried: Vec<Vec<Vec3>> = vec![Vec::new(); segments.len()];
    for (k, segment) in segments.iter().enumerate() {
        if let Some(parent) = segment.parent.filter(|_| bears[k]) {
            carried[parent].push(segment.attachment.frame_a.position);
        }
    }
    for (k, segment) in segments.iter().enumerate().filter(|(k, _)| !bears[*k]) {
        let side = segment.role.and_then(|role| role.side());
        for shape in &segment.shapes {
            let add = |local: Vec3, radius: Real| {
                let local = shape.placement.point(&local);
                let inside = |joint: &Vec3| (local - joint).norm() < 0.5 * segment.length().max(2.0 * radius);
                if !carried[k].iter().any(inside) {
                    points.push(Point { segment: k, part: None, side, local, radius, across: Vec3::zeros() });
                }
            };
            shape.shape.for_each_corner(add);
        }
    }
    points
}

/// Height of the lowest point of a figure's shapes above the ground, metres; of its joints where there are no shapes.
pub(crate) fn lowest_of_shapes(figure: &Figure, placements: &[Placement], ground: &Ground) -> Real {
    let down = Vec3::new(ground.rise[0], -1.0, ground.rise[1]);
    let above = |p: &Vec3| p.y - ground.below(p);
    let mut lowest = Real::INFINITY;
    for (segment, placement) in figure.segments().iter().zip(placements) {
        for shape in &segment.shapes {
            let at = placement.then(&shape.placement);
            if let Some(corner) = shape.shape.support(&at.rotation.inverse_transform_vector(&down)) {
                lowest = lowest.min(above(&at.point(&corner)));
            }
        }
        if segment.shapes.is_empty() {
            lowest = lowest.min(above(&placement.position));
        }
    }
    lowest
}

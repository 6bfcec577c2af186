//! Pairs of segments of one figure that may touch each other.
//!
//! Neighbours never do, nor do those with one segment between them on the way to the root (an upper arm leans on the chest
//! beside its collar bone), nor segments that overlap already as the figure stands. Whether two solids overlap is asked of
//! the point of their difference set nearest to the origin, found by Gilbert's iteration (E. G. Gilbert 1966) on supports.

use super::{Figure, SegmentShape};
use crate::dynamics::{Placement, Shape};
use crate::math::{Real, Vec3};
use crate::motion::{Clip, Frame, Pose};

/// Solids nearer than this count as overlapping, metres.
const TOUCHING: Real = 0.002;

impl Figure {
    /// Lets neighbours, and segments that overlap in a reference posture or in the first frame of a clip, never touch.
    pub(super) fn keep_apart(&mut self, reference: &[Frame], clip: Option<&Clip>) {
        let mut poses = vec![self.placed(reference)];
        poses.extend(clip.and_then(|clip| self.placed_first(clip)));
        self.apart = self.near_pairs(&poses, TOUCHING);
    }

    /// Scales all shapes across their bones; masses stay. Segments that overlap in the first frame of the clip for it never touch.
    pub fn thicken(&mut self, factor: Real, clip: Option<&Clip>) {
        for part in self.segments.iter_mut().flat_map(|segment| &mut segment.shapes) {
            match &mut part.shape {
                Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius *= factor,
                Shape::Box { half_extents } => {
                    // The longest side lies along the bone.
                    let long = half_extents.imax();
                    (0..3).filter(|k| *k != long).for_each(|k| half_extents[k] *= factor);
                }
                _ => {}
            }
        }
        let pose: Vec<_> = clip.and_then(|clip| self.placed_first(clip)).into_iter().collect();
        for [a, b] in self.near_pairs(&pose, 0.0) {
            self.set_may_meet(a, b, false);
        }
    }

    /// Placements of the segments' joints.
    fn placed(&self, frames: &[Frame]) -> Vec<Placement> {
        let at = |joint: usize| Placement::new(frames[joint].position, frames[joint].rotation);
        self.segments.iter().map(|s| at(s.joint)).collect()
    }

    /// Placements of the segments' joints in the first frame of a clip; none without frames.
    fn placed_first(&self, clip: &Clip) -> Option<Vec<Placement>> {
        (clip.frames() > 0).then(|| {
            let pose = Pose { scales: None, ..clip.pose(&self.skeleton, 0) };
            self.placed(&pose.world(&self.skeleton))
        })
    }

    /// Returns the pairs of segments that are neighbours, or nearer than a margin, metres, in one of the poses.
    fn near_pairs(&self, poses: &[Vec<Placement>], margin: Real) -> Vec<[usize; 2]> {
        let mut pairs = Vec::new();
        let balls: Vec<Vec<(Vec3, Real)>> =
            self.segments.iter().map(|s| s.shapes.iter().map(bounding_ball).collect()).collect();
        for a in 0..self.segments.len() {
            for b in a + 1..self.segments.len() {
                let above = self.segments[b].parent;
                let neighbours = above == Some(a) || above.is_some_and(|p| self.segments[p].parent == Some(a));
                let overlap = |pose: &Vec<Placement>| {
                    let near = |i: usize, j: usize| {
                        let (p, q) = (pose[a].point(&balls[a][i].0), pose[b].point(&balls[b][j].0));
                        (p - q).norm() <= balls[a][i].1 + balls[b][j].1 + margin
                    };
                    let (first, second) = (&self.segments[a].shapes, &self.segments[b].shapes);
                    (0..first.len()).any(|i| {
                        (0..second.len())
                            .any(|j| near(i, j) && overlaps((&first[i], &pose[a]), (&second[j], &pose[b]), margin))
                    })
                };
                if neighbours || poses.iter().any(overlap) {
                    pairs.push([a, b]);
                }
            }
        }
        pairs
    }
}

/// Centre (joint frame) and radius of a ball around a shape.
fn bounding_ball(shape: &SegmentShape) -> (Vec3, Real) {
    let (centre, radius) = match &shape.shape {
        Shape::Sphere { radius } => (Vec3::zeros(), *radius),
        Shape::Capsule { a, b, radius } => (0.5 * (a + b), 0.5 * (b - a).norm() + radius),
        Shape::Box { half_extents } => (Vec3::zeros(), half_extents.norm()),
        Shape::Hull { points } => {
            let centre = points.iter().sum::<Vec3>() / points.len().max(1) as Real;
            (centre, points.iter().map(|p| (p - centre).norm()).fold(0.0, Real::max))
        }
        Shape::HalfSpace { .. } | Shape::HeightField { .. } | Shape::Mesh { .. } => (Vec3::zeros(), 0.0),
    };
    (shape.placement.point(&centre), radius)
}

/// The rounding of a shape around its core.
fn rounding(shape: &Shape) -> Real {
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
        _ => 0.0,
    }
}

/// The point of a shape's core farthest along a direction, shape frame.
fn support(shape: &Shape, direction: &Vec3) -> Vec3 {
    match shape {
        Shape::Capsule { a, b, .. } => {
            if a.dot(direction) > b.dot(direction) {
                *a
            } else {
                *b
            }
        }
        Shape::Box { half_extents } => half_extents.zip_map(direction, |h, d| if d < 0.0 { -h } else { h }),
        Shape::Hull { points } => points
            .iter()
            .copied()
            .max_by(|p, q| p.dot(direction).total_cmp(&q.dot(direction)))
            .unwrap_or_else(Vec3::zeros),
        _ => Vec3::zeros(),
    }
}

/// Returns true if two shapes on segments at these placements overlap, or are nearer than a margin, metres.
fn overlaps(a: (&SegmentShape, &Placement), b: (&SegmentShape, &Placement), margin: Real) -> bool {
    let (place_a, place_b) = (a.1.then(&a.0.placement), b.1.then(&b.0.placement));
    let farthest = |shape: &Shape, at: &Placement, direction: &Vec3| {
        at.point(&support(shape, &at.rotation.inverse_transform_vector(direction)))
    };
    let reach = rounding(&a.0.shape) + rounding(&b.0.shape) + margin;
    let mut nearest = farthest(&a.0.shape, &place_a, &Vec3::x()) - farthest(&b.0.shape, &place_b, &-Vec3::x());
    for _ in 0..200 {
        let distance = nearest.norm();
        if distance <= reach {
            return true;
        }
        let corner = farthest(&a.0.shape, &place_a, &-nearest) - farthest(&b.0.shape, &place_b, &nearest);
        // The set lies beyond this distance along the way to the nearest point so far.
        if nearest.dot(&corner) / distance > reach {
            return false;
        }
        let way = corner - nearest;
        let square = way.norm_squared();
        if square < 1e-18 {
            return false;
        }
        nearest += way * (-nearest.dot(&way) / square).clamp(0.0, 1.0);
    }
    // Not decided: as good as touching.
    true
}

//! What may touch: parts of the body near the ground, and segments near each other.

use super::body::Places;
use super::problem::{Motion, Problem, SegmentContact, SurfacePoint};
use super::window::{LOW, Track};
use crate::dynamics::{Manifold, Placement};
use crate::figure::Figure;
use crate::math::{Quat, Real, Vec3};
use crate::measure::SelfContact;

/// Segments nearer to each other than this are watched, metres.
const CONTACT_DISTANCE: Real = 5e-3;
/// How well flesh is known, metres for a figure of 1.75 m: segments that the capture has within each other are parted by this much, and
/// may stay so by at most half as much again: there our figure is too thick, and a body is not to be moved for that. What is deeper still is
/// no flesh, but an arm in a trunk.
const FLESH: Real = 0.02;
const THICKER: Real = 0.03;

impl Track<'_> {
    /// Finds what has come near the ground since: a body that is laid down takes parts there that were captured high up.
    pub(super) fn find_near_ground(&self, problem: &mut Problem, motion: &mut Motion) {
        problem.place(motion);
        let (ground, low) = (&self.solve.plan.ground, self.solve.figure.scaled_length(LOW));
        for (frame, places) in problem.frames.iter_mut().zip(&motion.places) {
            let near = |k: &usize| {
                let surface_points = &self.surface_points[*k];
                ground.under(&places.point(surface_points.segment, &surface_points.local)).height
                    - surface_points.radius
                    < low
            };
            let new: Vec<usize> =
                (0..self.surface_points.len()).filter(|k| !frame.near_ground.contains(k)).filter(near).collect();
            frame.near_ground.extend(new);
        }
    }

    /// Finds the segments that come near to each other.
    pub(super) fn find_segment_contacts(&self, check: &mut SelfContact, problem: &mut Problem, motion: &mut Motion) {
        problem.place(motion);
        let segments = self.solve.figure.segments();
        let flesh = self.solve.figure.scaled_length(FLESH);
        let mut placements = Vec::new();
        for ((frame, places), captured) in problem.frames.iter_mut().zip(&motion.places).zip(&problem.captured) {
            placements_of(places, &mut placements);
            frame.segment_contacts.clear();
            let overlaps = frame.allowed_overlaps.get_or_insert_with(|| captured_overlaps(check, captured, flesh));
            for manifold in check.near(&placements, CONTACT_DISTANCE) {
                let [a, b] = [manifold.body_a.index(), manifold.body_b.index()];
                let allowed =
                    overlaps.iter().filter(|(pair, _)| *pair == [a, b]).map(|(_, depth)| *depth).fold(0.0, Real::max);
                let meet = |point: &crate::dynamics::ContactPoint| SegmentContact {
                    segments: [a, b],
                    locals: [point.on_a - segments[a].centre, point.on_b - segments[b].centre],
                    normal: manifold.normal,
                    allowed,
                };
                frame.segment_contacts.extend(manifold.points().iter().map(meet));
            }
        }
    }
}

/// The frames of all segments.
fn placements_of(places: &Places, out: &mut Vec<Placement>) {
    out.clear();
    out.extend(places.joints.iter().zip(&places.rotations).map(|(&position, rotation)| {
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(*rotation);
        Placement { position, rotation: Quat::from_rotation_matrix(&rotation) }
    }));
}

/// By how much segments may stay within each other: what the capture shows beyond what our flesh is known to.
pub(super) fn captured_overlaps(check: &mut SelfContact, captured: &Places, flesh: Real) -> Vec<([usize; 2], Real)> {
    let mut placements = Vec::new();
    placements_of(captured, &mut placements);
    let deepest = |manifold: &Manifold| {
        let deepest = manifold.points().iter().map(|point| -point.distance).fold(0.0, Real::max);
        ([manifold.body_a.index(), manifold.body_b.index()], (deepest - flesh).min(THICKER / FLESH * flesh))
    };
    check.near(&placements, 0.0).iter().map(deepest).filter(|(_, depth)| *depth > 0.0).collect()
}

/// The points of a figure's shapes that can be lowest.
pub(super) fn surface_points(figure: &Figure) -> Vec<SurfacePoint> {
    let mut surface_points = Vec::new();
    for (k, segment) in figure.segments().iter().enumerate() {
        for shape in &segment.shapes {
            let add = |local: Vec3, radius: Real| {
                surface_points.push(SurfacePoint {
                    segment: k,
                    local: shape.placement.point(&local) - segment.centre,
                    radius,
                });
            };
            shape.shape.for_each_corner(add);
        }
    }
    surface_points
}

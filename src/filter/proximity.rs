//! Proximity: points of the body near the ground, and segments near each other.

use super::body::Places;
use super::problem::{Motion, Problem, SegmentContact, SurfacePoint};
use super::window::{LOW, Track};
use crate::dynamics::{Manifold, Placement};
use crate::figure::Figure;
use crate::math::{Quat, Real, Vec3};
use crate::measure::SelfContact;

/// Distance below which segments count as near each other, metres.
const CONTACT_DISTANCE: Real = 5e-3;
/// Uncertainty of the thickness of flesh, metres for the reference height. Segments that overlap in the capture are separated
/// by this much and may keep the rest, up to [`THICKER`]: there the figure is too thick, and the body should not be moved for
/// it. A deeper overlap is a real fault, such as an arm in the trunk.
const FLESH: Real = 0.02;
const THICKER: Real = 0.03;

impl Track<'_> {
    /// Adds the points that have come near the ground: lowering a body brings parts there that were captured high up.
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

    /// Finds the segments that are near each other.
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

/// Converts joint positions and rotation matrices to placements.
fn placements_of(places: &Places, out: &mut Vec<Placement>) {
    out.clear();
    out.extend(places.joints.iter().zip(&places.rotations).map(|(&position, rotation)| {
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(*rotation);
        Placement { position, rotation: Quat::from_rotation_matrix(&rotation) }
    }));
}

/// Returns the overlap that each pair of segments may keep: that of the capture beyond the uncertainty of flesh.
pub(super) fn captured_overlaps(check: &mut SelfContact, captured: &Places, flesh: Real) -> Vec<([usize; 2], Real)> {
    let mut placements = Vec::new();
    placements_of(captured, &mut placements);
    let deepest = |manifold: &Manifold| {
        let deepest = manifold.points().iter().map(|point| -point.distance).fold(0.0, Real::max);
        ([manifold.body_a.index(), manifold.body_b.index()], (deepest - flesh).min(THICKER / FLESH * flesh))
    };
    check.near(&placements, 0.0).iter().map(deepest).filter(|(_, depth)| *depth > 0.0).collect()
}

/// Collects the points of a figure's shapes that can be lowest.
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

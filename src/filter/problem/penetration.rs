//! Penetration of the ground: Σ max(0, depth)²/σ², over the corners without contact, which keep their clearance, and over the
//! surface points.

use super::Problem;
use crate::filter::body::Places;
use crate::math::{Real, Vec3};

/// Point of the body that must not penetrate the ground.
#[derive(Clone, Copy, Debug)]
pub(in crate::filter) struct SurfacePoint {
    pub segment: usize,
    /// Position from the centre of mass, segment axes, metres.
    pub local: Vec3,
    /// Distance from the point to the surface, metres.
    pub radius: Real,
}

impl Problem<'_> {
    /// Calls `show` with segment, point, normal, depth (positive) and weight of every point that is too deep in a frame.
    pub(super) fn for_each_depth(
        &self,
        t: usize,
        places: &Places,
        firmness: Real,
        mut show: impl FnMut(usize, Vec3, Vec3, Real, Real),
    ) {
        let frame = &self.frames[t];
        for (index, corner) in self.plan.corners.iter().enumerate().filter(|(index, _)| !frame.in_contact[*index]) {
            let point = places.point(corner.segment, &corner.local);
            let under = self.plan.ground.under(&point);
            let depth = frame.clearance[index] + corner.radius - under.height;
            if depth > 0.0 {
                show(corner.segment, point, under.normal, depth, self.weights.depth * firmness);
            }
        }
        for &index in &frame.near_ground {
            let surface_points = &self.surface_points[index];
            let point = places.point(surface_points.segment, &surface_points.local);
            let under = self.plan.ground.under(&point);
            let depth = surface_points.radius - under.height;
            if depth > 0.0 {
                let lowest = point - under.normal * surface_points.radius;
                show(surface_points.segment, lowest, under.normal, depth, self.weights.depth);
            }
        }
    }
}

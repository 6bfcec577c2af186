//! Bodies of animals, machines and anything else: a capsule per bone, as thick as it is long by a rule of thumb.

use super::SegmentShape;
use super::build::{Draft, Part};
use super::segment_shapes::capsule;
use crate::dynamics::{MassProperties, Placement, Shape};
use crate::math::{Real, Vec3};
use crate::motion::Role;

/// Radius by length: limbs are slender, trunks are not.
fn thickness(role: Option<Role>) -> Real {
    match role {
        Some(Role::Hips | Role::Spine(_)) => 0.45,
        Some(Role::Head) => 0.35,
        Some(Role::Neck(_) | Role::Shoulder(_)) => 0.3,
        Some(Role::Tail(_)) => 0.1,
        Some(_) => 0.13,
        None => 0.1,
    }
}

impl Draft<'_> {
    pub(super) fn generic_parts(&mut self) -> Vec<Part> {
        let (low, high) = self.skeleton.rest_box();
        let size = (high - low).norm().max(0.1);
        let mut parts: Vec<Part> = Vec::with_capacity(self.plan.joints.len());
        for k in 0..self.plan.joints.len() {
            let mut ends: Vec<Vec3> = self.children(k).map(|c| self.local(k, &self.origin(c))).collect();
            ends.extend(self.loose_ends(k));
            ends.retain(|end| end.norm() > 1e-3 * size);
            // An end that no file shows goes on for half of the bone before it.
            let before = self.plan.parents[k].map_or(0.0, |p| (self.origin(k) - self.origin(p)).norm());
            if ends.is_empty() && before > 1e-3 * size {
                ends.extend(self.incoming(k).map(|way| way * (0.5 * before)));
            }
            let ends = distinct(ends, size);
            let radius = |end: &Vec3| (thickness(self.role(k)) * end.norm()).clamp(2e-3 * size, 0.08 * size);
            let mut shapes: Vec<SegmentShape> =
                ends.iter().map(|end| capsule(Vec3::zeros(), *end, radius(end))).collect();
            if shapes.is_empty() {
                let shape = Shape::Sphere { radius: 0.05 * size };
                shapes.push(SegmentShape { shape, placement: Placement::IDENTITY });
            }
            let end = ends.into_iter().max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or_else(Vec3::zeros);
            // Weighed by its shapes later.
            let mass = MassProperties::sphere(1.0, 0.05 * size);
            parts.push(Part { mass, centre: 0.5 * end, end, shapes });
        }
        parts
    }
}

/// Keeps the farthest of ends that lie in the same direction or close together, eight at most.
fn distinct(mut ends: Vec<Vec3>, size: Real) -> Vec<Vec3> {
    ends.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
    let mut kept: Vec<Vec3> = Vec::new();
    for end in ends {
        let beside = |k: &Vec3| (end - k * (end.dot(k) / k.norm_squared()).clamp(0.0, 1.0)).norm() < 0.02 * size;
        if kept.len() < 8 && !kept.iter().any(beside) {
            kept.push(end);
        }
    }
    kept
}

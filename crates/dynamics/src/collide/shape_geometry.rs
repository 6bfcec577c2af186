//! Mass properties, support points and bounding boxes of shapes.

use super::Shape;
use super::prepared::{Hull, hull_of};
use crate::MassProperties;
use crate::Placement;
use crate::math::{Mat3, Quat, Real, Vec3};
use std::f64::consts::PI;

impl Shape {
    /// Returns the mass properties of the solid at a density (kg/m³), about its centre of mass, in the shape's own
    /// axes, and that centre, metres. `None` for shapes without a volume of their own.
    ///
    /// ```
    /// use sinew_dynamics::Vec3;
    /// use sinew_dynamics::Shape;
    ///
    /// let brick = Shape::Box { half_extents: Vec3::new(0.1, 0.05, 0.05) };
    /// let (mass, centre) = brick.mass_properties(2000.0).expect("a solid");
    /// assert!((mass.mass - 4.0).abs() < 1e-12 && centre == Vec3::zeros());
    /// ```
    pub fn mass_properties(&self, density: Real) -> Option<(MassProperties, Vec3)> {
        match self {
            Shape::Sphere { radius } => {
                let mass = density * 4.0 / 3.0 * PI * radius.powi(3);
                Some((MassProperties::sphere(mass, *radius), Vec3::zeros()))
            }
            Shape::Capsule { a, b, radius } => {
                let axis = b - a;
                let length = axis.norm();
                let mass = density * PI * radius * radius * (length + 4.0 / 3.0 * radius);
                let rotation = if length > 0.0 { rotation_from_x(&(axis / length)) } else { Quat::identity() };
                let capsule = MassProperties::capsule(mass, *radius, length / 2.0);
                Some((capsule.rotated(&rotation), (a + b) / 2.0))
            }
            Shape::Box { half_extents } => {
                let mass = density * 8.0 * half_extents.product();
                Some((MassProperties::cuboid(mass, *half_extents), Vec3::zeros()))
            }
            Shape::Hull { points } => Some(hull_mass(&hull_of(points)?, density)),
            Shape::HalfSpace { .. } | Shape::HeightField { .. } | Shape::Mesh { .. } => None,
        }
    }

    /// Returns the point farthest along a direction, metres, in the shape's own frame; `None` for shapes that are not
    /// bounded and convex.
    pub fn support(&self, direction: &Vec3) -> Option<Vec3> {
        let along = |radius: Real| direction.try_normalize(0.0).map_or_else(Vec3::zeros, |d| d * radius);
        match self {
            Shape::Sphere { radius } => Some(along(*radius)),
            Shape::Capsule { a, b, radius } => {
                let end = if direction.dot(a) >= direction.dot(b) { a } else { b };
                Some(end + along(*radius))
            }
            Shape::Box { half_extents } => Some(half_extents.zip_map(direction, |h, d| if d < 0.0 { -h } else { h })),
            Shape::Hull { points } => {
                points.iter().copied().reduce(|best, p| if p.dot(direction) > best.dot(direction) { p } else { best })
            }
            Shape::HalfSpace { .. } | Shape::HeightField { .. } | Shape::Mesh { .. } => None,
        }
    }

    /// Returns the lowest and highest corner of the bounding box, metres, along the axes it is placed in; infinite for
    /// a half-space.
    pub fn aabb(&self, placement: &Placement) -> (Vec3, Vec3) {
        let around = |points: &mut dyn Iterator<Item = Vec3>| {
            let empty = (Vec3::repeat(Real::INFINITY), Vec3::repeat(Real::NEG_INFINITY));
            points.map(|p| placement.point(&p)).fold(empty, |(low, high), p| (low.inf(&p), high.sup(&p)))
        };
        match self {
            Shape::Sphere { radius } => {
                let r = Vec3::repeat(*radius);
                (placement.position - r, placement.position + r)
            }
            Shape::Capsule { a, b, radius } => {
                let (low, high) = around(&mut [*a, *b].into_iter());
                let r = Vec3::repeat(*radius);
                (low - r, high + r)
            }
            Shape::Box { half_extents } => {
                let half = placement.rotation.to_rotation_matrix().matrix().abs() * half_extents;
                (placement.position - half, placement.position + half)
            }
            Shape::Hull { points } => around(&mut points.iter().copied()),
            Shape::HalfSpace { .. } => (Vec3::repeat(Real::NEG_INFINITY), Vec3::repeat(Real::INFINITY)),
            Shape::HeightField { columns, heights, size, rows } => {
                let along = |i: usize, count: usize, extent: Real| extent * (i as Real / (count - 1) as Real - 0.5);
                around(&mut heights.iter().enumerate().map(|(i, h)| {
                    Vec3::new(along(i % columns, *columns, size[0]), *h, along(i / columns, *rows, size[1]))
                }))
            }
            Shape::Mesh { vertices, .. } => around(&mut vertices.iter().copied()),
        }
    }
}

/// Returns a rotation that takes the x axis to a direction.
fn rotation_from_x(direction: &Vec3) -> Quat {
    Quat::rotation_between(&Vec3::x(), direction).unwrap_or_else(|| Quat::from_axis_angle(&Vec3::y_axis(), PI))
}

/// Sums over the tetrahedra between the faces and the middle. With p, q, r the corners relative to the middle, the
/// second moments of one are |p q r| / 120 · (s sᵀ + p pᵀ + q qᵀ + r rᵀ), s = p + q + r.
fn hull_mass(hull: &Hull, density: Real) -> (MassProperties, Vec3) {
    let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    for index in 0..hull.faces.len() {
        let face = hull.face(index);
        let corner = |k: usize| hull.corners[face[k] as usize] - hull.centre;
        for k in 1..face.len().saturating_sub(1) {
            let (p, q, r) = (corner(0), corner(k), corner(k + 1));
            let six_volumes = p.dot(&q.cross(&r)).abs();
            let s = p + q + r;
            volume += six_volumes / 6.0;
            first += s * (six_volumes / 24.0);
            second +=
                (s * s.transpose() + p * p.transpose() + q * q.transpose() + r * r.transpose()) * (six_volumes / 120.0);
        }
    }
    let offset = first / volume;
    let about_centre = second - offset * offset.transpose() * volume;
    let inertia = (Mat3::identity() * about_centre.trace() - about_centre) * density;
    (MassProperties { mass: density * volume, inertia }, hull.centre + offset)
}

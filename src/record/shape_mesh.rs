//! Triangles of collision shapes, for export and drawing.

use crate::dynamics::{Shape, hull_faces};
use crate::formats::gltf::solids::Mesh;
use crate::math::{Placement, Quat, Real, Vec3};
use std::f64::consts::PI;

/// Distance to which a plane is drawn, metres.
const HORIZON: Real = 20.0;

/// Adds the surface of a collision shape to a mesh.
pub fn add_shape(mesh: &mut Mesh, placement: &Placement, shape: &Shape) {
    match shape {
        Shape::Sphere { radius } => mesh.capsule(placement, &Vec3::zeros(), &Vec3::zeros(), *radius),
        Shape::Capsule { a, b, radius } => mesh.capsule(placement, a, b, *radius),
        Shape::Box { half_extents } => mesh.cuboid(placement, half_extents),
        Shape::Hull { points } => mesh.triangles(placement, hull_faces(points).into_iter()),
        Shape::HalfSpace { normal } => {
            let turn = Quat::rotation_between(&Vec3::y(), normal)
                .unwrap_or_else(|| Quat::from_axis_angle(&Vec3::x_axis(), PI));
            let corner = |x: Real, z: Real| turn * Vec3::new(x * HORIZON, 0.0, z * HORIZON);
            let [a, b, c, d] = [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
            mesh.triangles(placement, [[a, b, c], [a, c, d]].into_iter());
        }
        Shape::HeightField { rows, columns, heights, size } => {
            let place = |row: usize, column: usize| {
                let along = |i: usize, count: usize, extent: Real| extent * (i as Real / (count - 1) as Real - 0.5);
                Vec3::new(along(column, *columns, size[0]), heights[row * columns + column], along(row, *rows, size[1]))
            };
            let cells = (0..rows - 1).flat_map(|row| (0..columns - 1).map(move |column| (row, column)));
            let faces = cells.flat_map(|(row, column)| {
                let (a, b) = (place(row, column), place(row, column + 1));
                let (c, d) = (place(row + 1, column), place(row + 1, column + 1));
                [[a, c, d], [a, d, b]]
            });
            mesh.triangles(placement, faces);
        }
        Shape::Mesh { vertices, triangles } => {
            let faces = triangles.iter().map(|corners| corners.map(|k| vertices[k as usize]));
            mesh.triangles(placement, faces);
        }
    }
}

//! Height fields and meshes: contacts as on the surface they stand for, with no trace of the triangles.

use super::scene::{Scene, at, ball, capsule, cube, cube_hull, rotated};
use sinew_dynamics::{Manifold, Shape};
use sinew_dynamics::{Real, Vec3};
use std::sync::Arc;

/// A square of 4 m, flat at first, its heights given by a function of x and z.
fn field(height: impl Fn(Real, Real) -> Real) -> Shape {
    let (rows, columns) = (9, 9);
    let along = |k: usize| 4.0 * (k as Real / 8.0 - 0.5);
    let heights = (0..rows * columns).map(|k| height(along(k % columns), along(k / columns))).collect();
    Shape::HeightField { rows, columns, heights, size: [4.0, 4.0] }
}

/// The same square as a mesh, its triangles' corners in either order.
fn mesh(height: impl Fn(Real, Real) -> Real, upside_down: bool) -> Shape {
    let along = |k: u32| 4.0 * (Real::from(k) / 8.0 - 0.5);
    let vertices = (0..81).map(|k| Vec3::new(along(k % 9), height(along(k % 9), along(k / 9)), along(k / 9))).collect();
    let mut triangles = Vec::new();
    for row in 0..8 {
        for column in 0..8 {
            let c = |r: u32, k: u32| (row + r) * 9 + column + k;
            triangles.extend([[c(0, 0), c(1, 0), c(0, 1)], [c(1, 0), c(1, 1), c(0, 1)]]);
        }
    }
    if upside_down {
        triangles.iter_mut().for_each(|t| t.swap(0, 1));
    }
    Shape::Mesh { vertices, triangles: triangles.into() }
}

fn grounds(height: impl Fn(Real, Real) -> Real + Copy) -> [Shape; 3] {
    [field(height), mesh(height, false), mesh(height, true)]
}

fn on(ground: &Shape, shape: &Shape, place: sinew_dynamics::Placement) -> (Scene, Vec<Manifold>) {
    let mut scene = Scene::new(0.02);
    scene.add(ground.clone(), at(0.0, 0.0, 0.0));
    scene.add(shape.clone(), place);
    let found = scene.collide();
    (scene, found)
}

/// Flat triangles under a ball give the contacts of a plane, over faces, edges and corners.
#[test]
fn ball_rolling_over_inner_edges_feels_a_plane() {
    for ground in grounds(|_, _| 0.0) {
        for step in 0..400 {
            let x = -1.5 + 3.0 * step as Real / 400.0;
            for z in [0.0, 0.1, 0.25, x] {
                let (_, found) = on(&ground, &ball(0.3), at(x, 0.295, z));
                assert_eq!(found.len(), 1, "{x} {z} {found:?}");
                assert!((found[0].normal - Vec3::y()).norm() < 1e-9, "{x} {z} {:?}", found[0].normal);
                assert_eq!(found[0].points().len(), 1);
                assert!((found[0].points()[0].distance + 0.005).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn box_and_capsule_on_flat_triangles_stand_as_on_a_plane() {
    for ground in grounds(|_, _| 0.0) {
        for shape in [cube(0.45), cube_hull(0.45)] {
            for depth in [0.001, -0.001] {
                let (scene, found) = on(&ground, &shape, rotated(0.13, 0.45 - depth, 0.21, Vec3::y(), 0.3));
                assert_eq!(found.len(), 1, "{found:?}");
                assert!((found[0].normal - Vec3::y()).norm() < 1e-6);
                assert_eq!(found[0].points().len(), 4);
                assert!(found[0].points().iter().all(|p| (p.distance + depth).abs() < 1e-6), "{:?}", found[0]);
                // The four corners themselves.
                for p in found[0].points() {
                    let corner = p.on_b;
                    assert!((corner.abs() - Vec3::repeat(0.45)).amax() < 1e-6, "{corner} {:?}", scene.view().margin);
                }
            }
        }
        let (_, found) = on(&ground, &capsule(0.4, 0.1), rotated(0.13, 0.1, 0.21, Vec3::y(), 0.3));
        assert_eq!((found.len(), found[0].points().len()), (1, 2), "{found:?}");
        assert!(found[0].points().iter().all(|p| (p.on_b.x.abs() - 0.4).abs() < 1e-6 && p.distance.abs() < 1e-6));
    }
}

/// The normal on a slope is the slope's, over edges too.
#[test]
fn slope_has_one_normal() {
    let normal = Vec3::new(-0.5, 1.0, 0.0).normalize();
    for ground in grounds(|x, _| 0.5 * x) {
        for step in 0..100 {
            let foot = Vec3::new(-1.0 + 0.02 * step as Real, 0.5 * (-1.0 + 0.02 * step as Real), 0.2);
            let centre = foot + normal * 0.3;
            let (_, found) = on(&ground, &ball(0.3), sinew_dynamics::Placement::at(centre));
            assert_eq!(found.len(), 1);
            assert!((found[0].normal - normal).norm() < 1e-6, "{:?}", found[0].normal);
            assert!(found[0].points()[0].distance.abs() < 1e-9);
        }
    }
}

/// A ball in a valley rests on both flanks: two manifolds, one normal each.
#[test]
fn ball_in_a_valley_rests_on_both_flanks() {
    for ground in grounds(|x, _| x.abs()) {
        let (_, found) = on(&ground, &ball(0.3), at(0.0, 0.3 * 2.0_f64.sqrt(), 0.1));
        assert_eq!(found.len(), 2, "{found:?}");
        for m in &found {
            assert!((m.normal.y - 0.5_f64.sqrt()).abs() < 1e-6 && m.points()[0].distance.abs() < 1e-6);
        }
        assert!(found[0].normal.x * found[1].normal.x < 0.0);
    }
}

/// A ball on a ridge may touch the edge itself, and is carried straight up.
#[test]
fn ball_on_a_ridge_stands_on_the_edge() {
    for ground in grounds(|x, _| -x.abs()) {
        let (_, found) = on(&ground, &ball(0.3), at(0.0, 0.299, 0.1));
        assert!(!found.is_empty());
        let up = found.iter().map(|m| m.normal.y).fold(0.0, Real::max);
        assert!(up > 0.99, "{found:?}");
        let depth = found.iter().map(|m| m.points()[0].distance).fold(Real::INFINITY, Real::min);
        assert!((depth + 0.001).abs() < 1e-6);
    }
}

/// A ball that has sunk into a height field is lifted out from any depth; a mesh has no inside.
#[test]
fn height_fields_are_solid_below() {
    let ground = field(|x, _| 0.1 * x);
    for shape in [ball(0.1), capsule(0.1, 0.05), cube(0.1), cube_hull(0.1)] {
        for depth in [0.05, 0.3, 2.0] {
            let (_, found) = on(&ground, &shape, at(0.3, 0.03 - depth, 0.2));
            let deepest = found.iter().flat_map(|m| m.points()).map(|p| p.distance).fold(0.0, Real::min);
            assert!(deepest < -depth * 0.9, "{shape:?} {depth} {deepest}");
            assert!(found.iter().all(|m| m.normal.y > 0.9), "{shape:?} {depth} {found:?}");
        }
    }
}

/// A mesh carries on both sides.
#[test]
fn mesh_holds_from_below_too() {
    for upside_down in [false, true] {
        let (_, found) = on(&mesh(|_, _| 0.0, upside_down), &ball(0.3), at(0.1, -0.29, 0.2));
        assert_eq!(found.len(), 1);
        assert!((found[0].normal + Vec3::y()).norm() < 1e-9);
        assert!((found[0].points()[0].distance + 0.01).abs() < 1e-9);
    }
}

/// A cube as a mesh: a small box at its side touches that side only, with no kick from the top's triangles.
#[test]
fn box_beside_a_mesh_cube_touches_the_side_only() {
    let Shape::Hull { points } = cube_hull(1.0) else { unreachable!() };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Arc<[[u32; 3]]> = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    let block = Shape::Mesh { vertices: points, triangles };
    let (_, found) = on(&block, &cube(0.2), at(1.195, 0.9, 0.3));
    assert!(!found.is_empty());
    for m in &found {
        assert!((m.normal - Vec3::x()).norm() < 1e-6, "{m:?}");
        assert!(m.points().iter().all(|p| (p.distance + 0.005).abs() < 1e-6), "{m:?}");
    }
}

//! Number and place of contact points in known situations.

use super::scene::{Scene, at, ball, capsule, cube, cube_hull, floor, rotated};
use sinew_dynamics::Shape;
use sinew_dynamics::{Real, Vec3};

fn sorted(mut points: Vec<Vec3>) -> Vec<[i64; 3]> {
    points.sort_by(|a, b| a.as_slice().partial_cmp(b.as_slice()).expect("numbers"));
    let mut grid: Vec<[i64; 3]> = points.iter().map(|p| [p.x, p.y, p.z].map(|x| (x * 1e9).round() as i64)).collect();
    grid.sort_unstable();
    grid
}

fn square(y: Real, half: Real) -> Vec<[i64; 3]> {
    sorted([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]].map(|[x, z]| Vec3::new(x * half, y, z * half)).to_vec())
}

#[test]
fn cube_on_the_floor_touches_with_its_four_corners() {
    for shape in [cube(0.5), cube_hull(0.5)] {
        let mut scene = Scene::new(0.01);
        scene.add(floor(), at(0.0, 0.0, 0.0));
        scene.add(shape, at(0.0, 0.499, 0.0));
        let found = scene.collide();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].normal, Vec3::y(), "from the floor to the cube");
        let corners = found[0].points().iter().map(|p| p.on_b).collect();
        assert_eq!(sorted(corners), square(-0.5, 0.5));
        assert!(found[0].points().iter().all(|p| (p.distance + 0.001).abs() < 1e-12));
    }
}

#[test]
fn lying_capsule_touches_with_its_two_ends() {
    for ground in [floor(), cube(5.0), cube_hull(5.0)] {
        let top = if ground == floor() { 0.0 } else { 5.0 };
        let mut scene = Scene::new(0.01);
        scene.add(capsule(0.3, 0.1), rotated(0.2, top + 0.1, 0.1, Vec3::y(), 0.4));
        scene.add(ground, at(0.0, 0.0, 0.0));
        let found = scene.collide();
        assert_eq!(found.len(), 1);
        let mut ends: Vec<Real> = found[0].points().iter().map(|p| p.on_a.x).collect();
        ends.sort_by(Real::total_cmp);
        assert!(ends.len() == 2 && (ends[0] + 0.3).abs() < 1e-7 && (ends[1] - 0.3).abs() < 1e-7, "{ends:?}");
        assert!(found[0].points().iter().all(|p| p.distance.abs() < 1e-7 && (p.on_a.y + 0.1).abs() < 1e-7));
    }
}

#[test]
fn crossing_capsules_touch_in_one_point_and_parallel_ones_in_two() {
    let mut scene = Scene::new(0.01);
    scene.add(capsule(0.5, 0.1), at(0.0, 0.0, 0.0));
    scene.add(capsule(0.5, 0.1), rotated(0.1, 0.2, 0.1, Vec3::y(), 1.0));
    let found = scene.collide();
    assert_eq!((found.len(), found[0].points().len()), (1, 1));
    assert!((found[0].normal - Vec3::y()).norm() < 1e-12);

    let mut scene = Scene::new(0.01);
    scene.add(capsule(0.5, 0.1), at(0.0, 0.0, 0.0));
    scene.add(capsule(0.5, 0.1), at(0.6, 0.19, 0.0));
    let found = scene.collide();
    let mut ends: Vec<Real> = found[0].points().iter().map(|p| p.on_a.x).collect();
    ends.sort_by(Real::total_cmp);
    assert!(ends.len() == 2 && (ends[0] - 0.1).abs() < 1e-12 && (ends[1] - 0.5).abs() < 1e-12, "{ends:?}");
    assert!(found[0].points().iter().all(|p| (p.distance + 0.01).abs() < 1e-12));
}

#[test]
fn box_on_box_touches_with_the_corners_of_the_smaller_face() {
    for (small, large) in [(cube(0.5), cube(2.0)), (cube_hull(0.5), cube(2.0)), (cube_hull(0.5), cube_hull(2.0))] {
        for overlap in [0.001, -0.001] {
            let mut scene = Scene::new(0.01);
            scene.add(large.clone(), at(0.0, 0.0, 0.0));
            scene.add(small.clone(), at(0.3, 2.5 - overlap, -0.2));
            let found = scene.collide();
            assert_eq!(found.len(), 1);
            assert!((found[0].normal - Vec3::y()).norm() < 1e-9, "{:?}", found[0]);
            let corners = found[0].points().iter().map(|p| p.on_b).collect();
            assert_eq!(sorted(corners), square(-0.5, 0.5), "{small:?} {large:?} {overlap}");
            assert!(found[0].points().iter().all(|p| (p.distance + overlap).abs() < 1e-9));
        }
    }
}

/// The shared outline of cubes rotated by 45° is an octagon; four of its corners stay, and they surround the middle.
#[test]
fn turned_box_on_box_keeps_four_points_around_the_middle() {
    let mut scene = Scene::new(0.01);
    scene.add(cube(0.5), at(0.0, 0.0, 0.0));
    scene.add(cube(0.5), rotated(0.0, 1.0, 0.0, Vec3::y(), std::f64::consts::FRAC_PI_4));
    let found = scene.collide();
    assert_eq!(found[0].points().len(), 4);
    let middle = found[0].points().iter().map(|p| p.on_a).sum::<Vec3>() / 4.0;
    assert!((middle - Vec3::new(0.0, 0.5, 0.0)).norm() < 1e-9, "{middle}");
}

/// Two cubes, each standing on an edge, the edges across each other: one point, between the edges.
#[test]
fn box_edge_on_box_edge_touches_in_one_point() {
    let quarter = std::f64::consts::FRAC_PI_4;
    let high = 0.5 * 2.0_f64.sqrt();
    let mut scene = Scene::new(0.01);
    scene.add(cube(0.5), rotated(0.0, 0.0, 0.0, Vec3::x(), quarter));
    scene.add(cube(0.5), rotated(0.1, 2.0 * high - 0.002, 0.05, Vec3::z(), quarter));
    let found = scene.collide();
    assert_eq!((found.len(), found[0].points().len()), (1, 1), "{found:?}");
    assert!((found[0].normal - Vec3::y()).norm() < 1e-9);
    let point = found[0].points()[0];
    assert!((point.distance + 0.002).abs() < 1e-9);
    let (on_a, on_b) = scene.world(&found[0], &point);
    assert!((on_a - Vec3::new(0.1, high, 0.0)).norm() < 1e-9, "{on_a}");
    assert!((on_b.x - 0.1).abs() < 1e-9);
}

/// A tetrahedron that stands on a corner touches with that corner, one that lies with three.
#[test]
fn hull_on_the_floor_touches_with_its_lowest_corners() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-0.5, 1.0, 0.8], [-0.5, 1.0, -0.8]];
    let points = corners.iter().map(|p| Vec3::new(p[0], p[1], p[2])).collect();
    let hull = Shape::Hull { points };
    let mut scene = Scene::new(0.01);
    scene.add(floor(), at(0.0, 0.0, 0.0));
    scene.add(hull.clone(), at(0.0, -0.1, 0.0));
    scene.add(hull, rotated(5.0, 1.0, 0.0, Vec3::z(), std::f64::consts::PI));
    let found = scene.collide();
    assert_eq!(found.iter().map(|m| m.points().len()).collect::<Vec<_>>(), [1, 3]);
    assert!((found[0].points()[0].distance + 0.1).abs() < 1e-12);
    assert!(found[1].points().iter().all(|p| p.distance.abs() < 1e-12));
}

/// Solids inside one another, even with coincident centres, are separated along a definite direction.
#[test]
fn coincident_solids_have_a_definite_normal() {
    let mut shapes = vec![ball(0.3), capsule(0.3, 0.1), cube(0.2), cube_hull(0.25)];
    shapes.push(Shape::Box { half_extents: Vec3::new(0.1, 0.4, 0.2) });
    for first in &shapes {
        for second in &shapes {
            for offset in [0.0, 1e-9, 0.01] {
                for rotation in [0.0, 0.7] {
                    let mut scene = Scene::new(0.01);
                    scene.add(first.clone(), at(0.0, 0.0, 0.0));
                    scene.add(second.clone(), rotated(offset, 0.0, 0.0, Vec3::new(1.0, 2.0, 0.5), rotation));
                    let found = scene.collide();
                    assert_eq!(found.len(), 1, "{first:?} {second:?} {offset}");
                    let depth = found[0].points().iter().map(|p| p.distance).fold(0.0, Real::min);
                    assert!(depth < -0.1, "{depth} {first:?} {second:?}");
                }
            }
        }
    }
}

/// A body that may move far within the step gets manifolds with all that it may reach.
#[test]
fn reach_widens_what_is_told() {
    let mut scene = Scene::new(0.01);
    scene.add(floor(), at(0.0, 0.0, 0.0));
    scene.add(cube(0.5), at(0.0, 1.0, 0.0));
    assert!(scene.collide().is_empty());
    scene.reach[1] = 0.5;
    let found = scene.collide();
    assert_eq!(found[0].points().len(), 4);
    assert!((found[0].points()[0].distance - 0.5).abs() < 1e-12);
}

/// The same corners carry the same numbers while a box slides, tilts and sinks in.
#[test]
fn features_stay_while_a_box_slides() {
    let numbers = |x: Real, tilt: Real| {
        let mut scene = Scene::new(0.05);
        scene.add(cube(5.0), at(0.0, -5.0, 0.0));
        scene.add(cube(0.5), rotated(x, 0.5 - x * 0.01, 0.0, Vec3::new(0.3, 1.0, 0.2), tilt));
        scene.collide()[0].points().iter().map(|p| p.feature).collect::<Vec<_>>()
    };
    let first = numbers(0.0, 0.0);
    assert_eq!(first.len(), 4);
    for step in 1..20 {
        assert_eq!(numbers(step as Real * 0.01, step as Real * 1e-4), first);
    }
}

//! Distances against formulas written down independently of the engine.

use super::scene::{Random, Scene, at, ball, capsule, cube, floor, least};
use proptest::prelude::*;
use sinew_dynamics::{Placement, Shape};
use sinew_dynamics::{Quat, Real, Vec3};

const EXACT: Real = 1e-12;

fn distance(first: (Shape, Placement), second: (Shape, Placement), margin: Real) -> Option<Real> {
    let mut scene = Scene::new(margin);
    scene.add(first.0, first.1);
    scene.add(second.0, second.1);
    least(&scene.collide())
}

/// Least of a convex function of one variable.
fn least_of(f: impl Fn(Real) -> Real) -> Real {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..90 {
        let (s, t) = (high - golden * (high - low), low + golden * (high - low));
        if f(s) < f(t) { high = t } else { low = s }
    }
    f(0.5 * (low + high)).min(f(0.0)).min(f(1.0))
}

fn to_line(p: &Vec3, a: &Vec3, b: &Vec3) -> Real {
    let along = b - a;
    let t = ((p - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    (a + along * t - p).norm()
}

fn to_box(p: &Vec3, half: &Vec3) -> Real {
    p.zip_map(half, |x, h| (x.abs() - h).max(0.0)).norm()
}

fn ends(placement: &Placement, half: Real) -> (Vec3, Vec3) {
    (placement.point(&Vec3::new(-half, 0.0, 0.0)), placement.point(&Vec3::new(half, 0.0, 0.0)))
}

#[test]
fn spheres_are_as_far_apart_as_their_centres_less_both_radii() {
    let mut random = Random(1);
    for _ in 0..300 {
        let (p, q) = (random.placement(1.0), random.placement(1.0));
        let found = distance((ball(0.2), p), (ball(0.3), q), 10.0).expect("within the margin");
        assert!((found - ((p.position - q.position).norm() - 0.5)).abs() < EXACT);
    }
}

#[test]
fn sphere_and_capsule_measure_from_the_axis() {
    let mut random = Random(2);
    for _ in 0..300 {
        let (p, q) = (random.placement(1.0), random.placement(1.0));
        let (a, b) = ends(&q, 0.5);
        let found = distance((ball(0.2), p), (capsule(0.5, 0.1), q), 10.0).expect("within the margin");
        assert!((found - (to_line(&p.position, &a, &b) - 0.3)).abs() < EXACT);
    }
}

#[test]
fn capsules_measure_between_their_axes() {
    let mut random = Random(3);
    for _ in 0..300 {
        let (p, q) = (random.placement(1.0), random.placement(1.0));
        let ((a, b), (c, d)) = (ends(&p, 0.5), ends(&q, 0.4));
        let expected = least_of(|t| to_line(&(a + (b - a) * t), &c, &d)) - 0.3;
        let found = distance((capsule(0.5, 0.1), p), (capsule(0.4, 0.2), q), 10.0).expect("within the margin");
        // The reference search itself stops at the square root of rounding.
        assert!((found - expected).abs() < 1e-9 && found <= expected + EXACT, "{found} {expected}");
    }
}

#[test]
fn spheres_and_capsules_measure_from_the_nearest_point_of_a_box() {
    let mut random = Random(4);
    let half = Vec3::new(0.3, 0.2, 0.5);
    for _ in 0..500 {
        let (p, q) = (random.placement(1.0), random.placement(1.0));
        let block = (Shape::Box { half_extents: half }, q);
        let expected = to_box(&q.local_point(&p.position), &half);
        if expected > 0.0 {
            let found = distance((ball(0.2), p), block.clone(), 10.0).expect("within the margin");
            assert!((found - (expected - 0.2)).abs() < EXACT);
        }
        let (a, b) = ends(&p, 0.5);
        let (a, b) = (q.local_point(&a), q.local_point(&b));
        let expected = least_of(|t| to_box(&(a + (b - a) * t), &half));
        if expected > 1e-6 {
            let found = distance((capsule(0.5, 0.1), p), block, 10.0).expect("within the margin");
            assert!((found - (expected - 0.1)).abs() < 1e-9 && found <= expected - 0.1 + EXACT, "{found} {expected}");
        }
    }
}

/// A ball whose centre is inside a box leaves by the nearest face.
#[test]
fn ball_inside_a_box_leaves_by_the_nearest_face() {
    let mut random = Random(5);
    let half = Vec3::new(0.3, 0.2, 0.5);
    for _ in 0..200 {
        let centre = random.vector(1.0).component_mul(&half);
        let inside = half.zip_map(&centre, |h, x| h - x.abs()).min();
        let found =
            distance((ball(0.1), Placement::at(centre)), (Shape::Box { half_extents: half }, at(0.0, 0.0, 0.0)), 0.0);
        assert!((found.expect("they overlap") + inside + 0.1).abs() < 1e-9);
    }
}

#[test]
fn everything_measures_its_lowest_point_above_a_half_space() {
    let mut random = Random(6);
    for round in 0..400 {
        let shape = random.solid(round);
        let (place, ground) = (random.placement(1.0), random.placement(0.3));
        let up = ground.rotation * Vec3::y();
        let down = -place.rotation.inverse_transform_vector(&up);
        let lowest = place.point(&shape.support(&down).expect("solid"));
        let expected = up.dot(&(lowest - ground.position));
        let found = distance((shape, place), (floor(), ground), 10.0).expect("within the margin");
        assert!((found - expected).abs() < EXACT, "{found} {expected}");
    }
}

/// Boxes and hulls that are apart: the normal itself shows a gap as wide as the distance told, so it is not too large,
/// and no direction out of many shows a wider one, so it is not too small.
#[test]
fn boxes_and_hulls_are_as_far_apart_as_the_widest_gap_between_them() {
    let mut random = Random(7);
    let mut checked = 0;
    for round in 0..400 {
        let (first, second) = (random.solid(2 + round % 2), random.solid(2 + (round / 2) % 2));
        let (p, q) = (random.placement(0.8), random.placement(0.8));
        let gap = |n: &Vec3| {
            let far = |s: &Shape, at: &Placement, d: Vec3| {
                at.point(&s.support(&at.rotation.inverse_transform_vector(&d)).expect("solid"))
            };
            (far(&second, &q, -n) - far(&first, &p, *n)).dot(n)
        };
        let mut scene = Scene::new(10.0);
        scene.add(first.clone(), p);
        scene.add(second.clone(), q);
        let manifold = &scene.collide()[0];
        let found = manifold.points().iter().map(|p| p.distance).fold(Real::INFINITY, Real::min);
        if found < 1e-3 {
            continue;
        }
        checked += 1;
        // A distance known to rounding leaves its direction open by the square root of that.
        assert!(found <= gap(&manifold.normal) + 1e-3, "{found} {}", gap(&manifold.normal));
        for k in 0..200 {
            let n = (manifold.normal + random.vector(1.0 / (1.0 + Real::from(k)))).normalize();
            assert!(gap(&n) <= found + 1e-6, "{found} {}", gap(&n));
        }
    }
    assert!(checked > 50, "{checked}");
}

#[test]
fn boxes_face_to_face_and_hulls_corner_to_corner_are_exact() {
    let found = distance((cube(0.5), at(0.0, 0.0, 0.0)), (cube(0.5), at(0.2, 1.1, 0.3)), 0.2).expect("near");
    assert!((found - 0.1).abs() < EXACT);
    let found = distance((cube(0.5), at(0.0, 0.0, 0.0)), (cube(0.5), at(1.1, 1.1, 1.1)), 0.3).expect("near");
    assert!((found - 0.1 * 3.0_f64.sqrt()).abs() < 1e-6, "{found}");
}

proptest! {
    /// Any shapes at any places give finite numbers, and every check of the scene holds.
    #[test]
    fn no_scene_yields_what_is_no_number(
        kinds in proptest::collection::vec(0usize..4, 2..6),
        seed in any::<u64>(),
        size in prop_oneof![Just(0.0), Just(1e-9), 0.0..0.3, 0.3..2.0],
        snap in any::<bool>(),
    ) {
        let mut random = Random(seed);
        let mut scene = Scene::new(0.02);
        scene.add(floor(), at(0.0, -0.2, 0.0));
        for kind in kinds {
            let shape = random.solid(kind);
            let mut place = random.placement(size);
            if snap {
                place.rotation = Quat::identity();
            }
            scene.add(shape, place);
        }
        scene.collide();
    }
}

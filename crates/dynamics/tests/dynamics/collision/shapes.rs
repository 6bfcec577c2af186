//! Validation of shapes, and their mass, bounding box and support points.

use super::scene::{Random, capsule, cube, cube_hull, floor};
use sinew_dynamics::{Body, Collider, MassProperties, Placement, Shape, World};
use sinew_dynamics::{Quat, Real, Vec3};
use std::sync::Arc;

fn refusal(shape: Shape) -> String {
    shape.validate().expect_err("no sound shape").to_string()
}

#[test]
fn shapes_that_are_none_are_refused_with_the_reason() {
    let hull = |points: &[[Real; 3]]| Shape::Hull { points: points.iter().map(|p| Vec3::from(*p)).collect() };
    assert!(refusal(Shape::Sphere { radius: 0.0 }).contains("radius must be a positive number, not 0"));
    assert!(refusal(Shape::Sphere { radius: Real::NAN }).contains("NaN"));
    assert!(refusal(capsule(Real::INFINITY, 0.1)).contains("an end of the capsule"));
    assert!(refusal(Shape::Box { half_extents: Vec3::new(1.0, -1.0, 1.0) }).contains("half extent"));
    assert!(refusal(hull(&[])).contains("no volume"));
    assert!(refusal(hull(&[[0.0; 3]; 8])).contains("no volume"));
    let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.3, 0.2, 0.0]];
    assert!(refusal(hull(&flat)).contains("5 points"));
    assert!(refusal(hull(&[[Real::NAN; 3]; 4])).contains("not a finite number"));
    assert!(refusal(Shape::HalfSpace { normal: Vec3::zeros() }).contains("no direction"));
    let field =
        |rows, columns, heights: &[Real], size| Shape::HeightField { rows, columns, heights: heights.into(), size };
    assert!(refusal(field(1, 2, &[0.0; 2], [1.0; 2])).contains("at least 2 rows"));
    assert!(refusal(field(2, 2, &[0.0; 3], [1.0; 2])).contains("has 3 heights; 2 rows of 2 need 4"));
    assert!(refusal(field(2, 2, &[0.0, 0.0, 0.0, Real::NAN], [1.0; 2])).contains("a height"));
    assert!(refusal(field(2, 2, &[0.0; 4], [1.0, 0.0])).contains("extent along z"));
    let mesh =
        |triangles: &[[u32; 3]]| Shape::Mesh { vertices: Arc::new([Vec3::zeros(); 3]), triangles: triangles.into() };
    assert!(refusal(mesh(&[])).contains("no triangles"));
    assert!(refusal(mesh(&[[0, 1, 2], [0, 1, 3]])).contains("triangle 1 names vertex 3"));
}

#[test]
fn a_moving_body_wears_only_solids_and_the_refusal_names_it() {
    let mut world = World::new();
    let mass = MassProperties::sphere(1.0, 0.1);
    let crate_ = world.add_body(Body::dynamic("crate", mass, Placement::IDENTITY)).expect("sound");
    let ground = world.add_body(Body::fixed("ground", Placement::IDENTITY)).expect("sound");
    let error = world.add_collider(crate_, Collider::new(floor())).expect_err("a floor cannot fall");
    let text = error.to_string();
    assert!(text.contains("crate") && text.contains("half-space") && text.contains("fixed"), "{text}");
    assert!(world.add_collider(ground, Collider::new(floor())).is_ok());
    assert!(world.add_collider(crate_, Collider::new(Shape::Sphere { radius: -1.0 })).is_err());
    let mut slick = Collider::new(cube(0.1));
    slick.material.friction = -0.1;
    assert!(world.add_collider(crate_, slick).expect_err("no such friction").to_string().contains("-0.1"));
    assert_eq!(world.colliders().count(), 1);
}

fn same(found: (MassProperties, Vec3), expected: (MassProperties, Vec3)) {
    assert!((found.0.mass / expected.0.mass - 1.0).abs() < 1e-12);
    assert!((found.0.inertia - expected.0.inertia).amax() < 1e-10 * expected.0.inertia.amax());
    assert!((found.1 - expected.1).amax() < 1e-10);
}

#[test]
fn mass_properties_match_closed_forms() {
    let mass = |shape: &Shape| shape.mass_properties(1000.0).expect("a solid");
    let pi = std::f64::consts::PI;
    let expected = MassProperties::sphere(1000.0 * 4.0 / 3.0 * pi * 0.008, 0.2);
    same(mass(&Shape::Sphere { radius: 0.2 }), (expected, Vec3::zeros()));
    let block = MassProperties::cuboid(1000.0 * 8.0 * 0.1 * 0.2 * 0.3, Vec3::new(0.1, 0.2, 0.3));
    same(mass(&Shape::Box { half_extents: Vec3::new(0.1, 0.2, 0.3) }), (block, Vec3::zeros()));
    // A capsule, moved and rotated.
    let place = Placement::new(Vec3::new(1.0, 2.0, 3.0), Quat::new(Vec3::new(0.3, -0.8, 1.1)));
    let end = |x: Real| place.point(&Vec3::new(x, 0.0, 0.0));
    let whole = 1000.0 * pi * 0.01 * (0.8 + 4.0 / 3.0 * 0.1);
    let expected = MassProperties::capsule(whole, 0.1, 0.4).rotated(&place.rotation);
    same(mass(&Shape::Capsule { a: end(-0.4), b: end(0.4), radius: 0.1 }), (expected, place.position));
    // The corners of a box, moved and rotated, with points inside that must not count.
    let mut points: Vec<Vec3> = (0..8)
        .map(|k| {
            let sign = |bit: u32, size: Real| if k & bit != 0 { size } else { -size };
            place.point(&Vec3::new(sign(1, 0.1), sign(2, 0.2), sign(4, 0.3)))
        })
        .collect();
    points.push(place.position);
    same(mass(&Shape::Hull { points: points.into() }), (block.rotated(&place.rotation), place.position));
    // A corner tetrahedron: volume a³/6, centre a/4, moments from the integral of y² + z².
    let corner = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let (found, centre) = mass(&Shape::Hull { points: Arc::new(corner) });
    assert!((found.mass - 1000.0 / 6.0).abs() < 1e-9 && (centre - Vec3::repeat(0.25)).amax() < 1e-12);
    assert!((found.inertia.m11 - 1000.0 / 6.0 * (1.0 / 5.0 - 1.0 / 8.0)).abs() < 1e-9, "{}", found.inertia);
    assert!(floor().mass_properties(1.0).is_none());
}

/// The box around a placed shape reaches exactly as far as its supports along the axes.
#[test]
fn boxes_around_shapes_agree_with_their_supports() {
    let mut random = Random(11);
    for round in 0..200 {
        let (shape, place) = (random.solid(round), random.placement(2.0));
        let (low, high) = shape.aabb(&place);
        for k in 0..3 {
            for (bound, sign) in [(low[k], -1.0), (high[k], 1.0)] {
                let mut direction = Vec3::zeros();
                direction[k] = sign;
                let local = place.rotation.inverse_transform_vector(&direction);
                let reach = place.point(&shape.support(&local).expect("solid"))[k];
                assert!((reach - bound).abs() < 1e-12, "{shape:?}");
            }
        }
    }
    assert_eq!(cube(0.5).aabb(&Placement::IDENTITY), cube_hull(0.5).aabb(&Placement::IDENTITY));
    assert_eq!(floor().aabb(&Placement::IDENTITY).0.x, Real::NEG_INFINITY);
}

//! Time of the first touch of moving shapes.

use super::scene::{Random, Scene, at, ball, capsule, cube, cube_hull, floor, rotated};
use sinew_dynamics::{Body, Collider, CollisionEngine, MassProperties, Placement, World};
use sinew_dynamics::{Real, Vec3};

#[test]
fn falling_solids_meet_the_floor_when_their_lowest_point_does() {
    for (shape, half) in [(ball(0.3), 0.3), (cube(0.3), 0.3), (cube_hull(0.3), 0.3), (capsule(0.5, 0.2), 0.2)] {
        let mut scene = Scene::new(0.0);
        scene.add(floor(), at(0.0, 0.0, 0.0));
        scene.add(shape, at(0.0, 5.0, 0.0));
        let id = scene_id(&scene, 1);
        let hit = scene.engine.sweep(&scene.view(), id, &at(0.0, 5.0, 0.0), &at(1.0, -5.0, 0.0)).expect("the floor");
        assert!((hit.fraction - (5.0 - half) / 10.0).abs() < 1e-6, "{hit:?}");
        assert!((hit.normal + Vec3::y()).norm() < 1e-6 && hit.distance.abs() < 1e-5 && hit.point.y.abs() < 1e-5);
        assert_eq!(scene.engine.sweep(&scene.view(), id, &at(0.0, 5.0, 0.0), &at(9.0, 0.4 + half, 0.0)), None);
    }
}

fn scene_id(scene: &Scene, index: usize) -> sinew_dynamics::ColliderId {
    // Ids are given by worlds only.
    let mut world = World::new();
    let body = world.add_body(Body::fixed("any", Placement::IDENTITY)).expect("sound");
    let add = |(_, c): &(_, Collider)| world.add_collider(body, c.clone()).expect("sound");
    scene.colliders.iter().map(add).nth(index).expect("it is there")
}

/// A ball flying past or into another: the quadratic for the centres at the sum of the radii.
#[test]
fn flying_ball_meets_another_when_the_quadratic_says() {
    let mut random = Random(41);
    let mut hits = 0;
    for _ in 0..300 {
        let mut scene = Scene::new(0.0);
        scene.add(ball(0.4), at(0.0, 0.0, 0.0));
        let (from, to) = (random.vector(2.0), random.vector(2.0));
        scene.add(ball(0.2), Placement::at(from));
        let way = to - from;
        let (a, b, c) = (way.norm_squared(), from.dot(&way), from.norm_squared() - 0.36);
        let root = b * b - a * c;
        let expected = (c > 0.0 && root > 0.0).then(|| (-b - root.sqrt()) / a).filter(|t| (0.0..=1.0).contains(t));
        let found = scene.engine.sweep(&scene.view(), scene_id(&scene, 1), &Placement::at(from), &Placement::at(to));
        match (found, expected) {
            (Some(hit), Some(t)) => {
                hits += 1;
                assert!((hit.fraction - t).abs() * way.norm() < 1e-3, "{hit:?} {t}");
                assert!(hit.fraction <= t + 1e-9, "never later than the truth");
            }
            (Some(_), None) => assert!(c <= 1e-5 || root.abs() < 1e-4, "{c} {root}"),
            (None, Some(_)) => assert!(root.abs() < 1e-4, "{root}"),
            (None, None) => {}
        }
    }
    assert!(hits > 20, "{hits}");
}

/// A thin rod that rotates by a quarter turn hits a post with its side, which no test of both ends would find.
#[test]
fn turning_rod_meets_a_post_on_its_way() {
    let mut scene = Scene::new(0.0);
    scene.add(capsule(1.0, 0.02), at(0.0, 0.0, 0.0));
    let angle: Real = 0.8;
    scene.add(ball(0.05), at(0.9 * angle.cos(), 0.9 * angle.sin(), 0.0));
    let quarter = std::f64::consts::FRAC_PI_2;
    let hit = scene
        .engine
        .sweep(&scene.view(), scene_id(&scene, 0), &at(0.0, 0.0, 0.0), &rotated(0.0, 0.0, 0.0, Vec3::z(), quarter))
        .expect("the post is in the way");
    // The rod's axis passes the post's centre at 0.07 when the angle left is asin(0.07 / 0.9).
    let expected = (angle - (0.07_f64 / 0.9).asin()) / quarter;
    assert!((hit.fraction - expected).abs() < 1e-4, "{hit:?} {expected}");
}

/// A bullet through a thin wall is found; filters and its own body are respected.
#[test]
fn fast_ball_does_not_pass_a_thin_wall() {
    let mut world = World::new();
    let wall = world.add_body(Body::fixed("wall", Placement::IDENTITY)).expect("sound");
    let flat = sinew_dynamics::Shape::Box { half_extents: Vec3::new(1.0, 1.0, 0.001) };
    let wall_collider = world.add_collider(wall, Collider::new(flat)).expect("sound");
    let from = at(0.2, 0.1, -50.0);
    let ball_body = Body::dynamic("ball", MassProperties::sphere(1.0, 0.01), from);
    let body = world.add_body(ball_body).expect("sound");
    let bullet = world.add_collider(body, Collider::new(ball(0.01))).expect("sound");
    let hit = world.cast_shape(bullet, &from, &at(0.2, 0.1, 50.0)).expect("the wall");
    assert_eq!((hit.collider, hit.body), (wall_collider, wall));
    assert!((hit.fraction - (50.0 - 0.011) / 100.0).abs() < 1e-7);
    assert!((hit.normal - Vec3::z()).norm() < 1e-9);
    world.pair_filter_mut().exclude(wall, body);
    assert_eq!(world.cast_shape(bullet, &from, &at(0.2, 0.1, 50.0)), None);
}

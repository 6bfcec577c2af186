//! Rays and colliders near a point, against closed forms.

use super::scene::{Random, Scene, at, ball, capsule, cube, cube_hull, floor};
use sinew_dynamics::{Body, Collider, CollisionEngine, Groups, Placement, Ray, Shape, World};
use sinew_dynamics::{Real, Vec3};

const ALL: Groups = Groups { member: u32::MAX, mask: u32::MAX };

#[test]
fn ray_meets_a_sphere_where_the_quadratic_says() {
    let mut random = Random(31);
    let mut hits = 0;
    for _ in 0..300 {
        let mut scene = Scene::new(0.0);
        let centre = random.vector(1.0);
        scene.add(ball(0.4), Placement::at(centre));
        let origin = random.vector(3.0);
        let direction = random.vector(1.0) - origin;
        let unit = direction.normalize();
        let (along, off) = ((centre - origin).dot(&unit), (centre - origin).norm_squared());
        let root = 0.16 - (off - along * along);
        let expected = (root >= 0.0 && along > 0.0 && off > 0.16).then(|| along - root.sqrt());
        let found = scene.engine.cast_ray(&scene.view(), &Ray::new(origin, direction));
        match (found, expected) {
            (Some(hit), Some(distance)) => {
                hits += 1;
                assert!((hit.distance - distance).abs() < 1e-9);
                assert!((hit.point - (origin + unit * distance)).norm() < 1e-9);
                assert!((hit.normal - (hit.point - centre) / 0.4).norm() < 1e-6);
            }
            (Some(hit), None) => assert!(hit.distance == 0.0 && off <= 0.16),
            (None, None) => {}
            (None, Some(_)) => panic!("missed"),
        }
    }
    assert!(hits > 20, "{hits}");
}

#[test]
fn ray_meets_the_nearest_of_its_groups_within_reach() {
    let mut world = World::new();
    let body =
        |world: &mut World, name: &str, y: Real| world.add_body(Body::fixed(name, at(0.0, y, 0.0))).expect("sound");
    let (low, high) = (body(&mut world, "low", 0.0), body(&mut world, "high", 3.0));
    let ground = world.add_collider(low, Collider::new(floor())).expect("sound");
    let glass = Collider::new(cube(0.5)).in_groups(Groups { member: 2, mask: u32::MAX });
    let glass = world.add_collider(high, glass).expect("sound");
    let mut ray = Ray::new(Vec3::new(0.1, 10.0, 0.2), Vec3::new(0.0, -2.0, 0.0));
    let hit = world.cast_ray(&ray).expect("the cube");
    assert_eq!((hit.collider, hit.body, hit.normal), (glass, high, Vec3::y()));
    assert!((hit.distance - 6.5).abs() < 1e-12);
    ray.groups.mask = 1;
    let hit = world.cast_ray(&ray).expect("the floor");
    assert_eq!(hit.collider, ground);
    assert!((hit.distance - 10.0).abs() < 1e-12);
    ray.reach = 9.0;
    assert_eq!(world.cast_ray(&ray), None);
    ray.direction = Vec3::zeros();
    assert_eq!(world.cast_ray(&ray), None);
}

#[test]
fn ray_meets_every_kind_of_shape_from_above() {
    let plain = Shape::HeightField { rows: 2, columns: 2, heights: vec![0.5; 4].into(), size: [4.0, 4.0] };
    let tile = Shape::Mesh {
        vertices: [[-2.0, 0.5, -2.0], [2.0, 0.5, -2.0], [0.0, 0.5, 3.0]].iter().map(|p| Vec3::from(*p)).collect(),
        triangles: [[0, 1, 2]].into(),
    };
    for shape in [ball(0.5), capsule(0.5, 0.5), cube(0.5), cube_hull(0.5), plain, tile] {
        let mut scene = Scene::new(0.0);
        scene.add(shape.clone(), at(0.0, 0.0, 0.0));
        let hit = scene.engine.cast_ray(&scene.view(), &Ray::new(Vec3::new(0.0, 2.0, 0.0), -Vec3::y()));
        let hit = hit.unwrap_or_else(|| panic!("{shape:?}"));
        assert!((hit.distance - 1.5).abs() < 1e-6 && (hit.normal - Vec3::y()).norm() < 1e-6, "{shape:?} {hit:?}");
    }
}

#[test]
fn near_tells_who_contains_a_point_and_who_is_close() {
    let plain = Shape::HeightField { rows: 2, columns: 2, heights: vec![0.5; 4].into(), size: [4.0, 4.0] };
    for shape in [ball(0.5), capsule(0.5, 0.5), cube(0.5), cube_hull(0.5), plain] {
        let mut scene = Scene::new(0.0);
        scene.add(shape.clone(), at(0.0, 1.0, 0.0));
        let near = |y: Real, radius: Real| {
            let found = scene.engine.near(&scene.view(), &Vec3::new(0.0, y, 0.0), radius, ALL);
            found.first().map(|n| n.distance)
        };
        assert!((near(1.8, 0.4).expect("close") - 0.3).abs() < 1e-6, "{shape:?}");
        assert_eq!(near(1.8, 0.2), None);
        assert!((near(1.4, 0.0).expect("inside") + 0.1).abs() < 1e-6, "{shape:?}");
    }
    let mut world = World::new();
    let ground = world.add_body(Body::fixed("ground", Placement::IDENTITY)).expect("sound");
    world.add_collider(ground, Collider::new(floor())).expect("sound");
    let found = world.overlapping(&Vec3::new(3.0, -0.5, 0.0), 0.0, ALL);
    assert_eq!((found.len(), found[0].body, found[0].distance), (1, ground, -0.5));
    assert!(world.overlapping(&Vec3::new(3.0, 0.5, 0.0), 0.1, ALL).is_empty());
}

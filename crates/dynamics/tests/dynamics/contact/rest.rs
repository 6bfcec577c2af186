//! Bodies at rest: they stay, carry their weight, and sleep until they are woken.

use super::scenes::*;
use sinew_dynamics::{Placement, World};
use sinew_dynamics::{Quat, Real, Vec3};

/// The floor carries a resting box with its weight, a quarter at each corner.
#[test]
fn resting_box_loads_its_corners_evenly() {
    let mut world = world_with_floor(0.0, material(0.5, 0.0));
    world.sleeping.enabled = false;
    let id =
        add_box(&mut world, 4.0, Vec3::new(0.3, 0.1, 0.2), Placement::at(Vec3::new(0.0, 0.1, 0.0)), material(0.5, 0.0));
    run(&mut world, 1.0, 1.0 / 120.0);
    let contacts = world.contacts();
    assert_eq!(contacts.len(), 4);
    for contact in contacts {
        assert!((contact.normal_force - G).abs() < 1e-4, "{contact:?}");
    }
    let (force, torque) = world.contact_load(id);
    assert!((force - Vec3::new(0.0, 4.0 * G, 0.0)).norm() < 1e-6 && torque.norm() < 1e-6, "{force} {torque}");
}

/// A tower of twenty boxes still stands after a minute, each within a millimetre of its place.
#[test]
fn tower_of_twenty_boxes_stands_for_a_minute() {
    let mut world = world_with_floor(0.0, material(0.6, 0.0));
    world.sleeping.enabled = false;
    let half = Vec3::new(0.25, 0.1, 0.25);
    let ids: Vec<_> = (0..20)
        .map(|k| {
            let place = Placement::at(Vec3::new(0.0, 0.1 + 0.2 * k as Real, 0.0));
            add_box(&mut world, 1.0, half, place, material(0.6, 0.0))
        })
        .collect();
    run(&mut world, 60.0, 1.0 / 60.0);
    for (k, id) in ids.iter().enumerate() {
        let off = at(&world, *id) - Vec3::new(0.0, 0.1 + 0.2 * k as Real, 0.0);
        assert!(off.norm() < 2e-3, "box {k}: {off}");
    }
}

/// Heavy on light, 15 : 1: the light box carries it and is not pushed into the floor.
#[test]
fn heavy_box_rests_on_a_light_one() {
    let mut world = world_with_floor(0.0, material(0.6, 0.0));
    world.sleeping.enabled = false;
    let half = Vec3::repeat(0.2);
    let light = add_box(&mut world, 1.0, half, Placement::at(Vec3::new(0.0, 0.2, 0.0)), material(0.6, 0.0));
    let heavy = add_box(&mut world, 15.0, half, Placement::at(Vec3::new(0.0, 0.6, 0.0)), material(0.6, 0.0));
    run(&mut world, 10.0, 1.0 / 60.0);
    assert!((at(&world, light).y - 0.2).abs() < 5e-4 && (at(&world, heavy).y - 0.6).abs() < 1e-3);
    let carried: Real = world.contacts().iter().filter(|c| c.bodies.contains(&heavy)).map(|c| c.normal_force).sum();
    assert!((carried - 15.0 * G).abs() < 1e-3, "{carried}");
}

fn falling_box() -> (World, sinew_dynamics::BodyId) {
    let mut world = world_with_floor(0.0, material(0.5, 0.0));
    let rotation = Quat::from_scaled_axis(Vec3::new(0.4, 0.2, 0.7));
    let id = add_box(
        &mut world,
        1.0,
        Vec3::new(0.2, 0.1, 0.15),
        Placement::new(Vec3::new(0.0, 0.8, 0.0), rotation),
        material(0.5, 0.0),
    );
    (world, id)
}

/// A body at rest falls asleep, and an impulse, a moved neighbour or another gravity wakes it.
#[test]
fn bodies_at_rest_sleep_until_something_happens() {
    let (mut world, id) = falling_box();
    run(&mut world, 4.0, 1.0 / 120.0);
    assert!(world.is_asleep(id));
    assert_eq!(world.state(id).velocity.norm(), 0.0);
    let place = at(&world, id);
    run(&mut world, 1.0, 1.0 / 120.0);
    assert_eq!(at(&world, id), place);

    world.apply_impulse(id, Vec3::new(0.0, 0.0, 0.5), place).expect("finite");
    world.step(1.0 / 120.0).expect("a finite step");
    assert!(!world.is_asleep(id) && at(&world, id) != place);
    run(&mut world, 4.0, 1.0 / 120.0);
    assert!(world.is_asleep(id));

    let above = at(&world, id) + Vec3::new(0.0, 0.6, 0.0);
    add_ball(&mut world, 1.0, 0.1, above, material(0.5, 0.0));
    let mut woken = false;
    for _ in 0..120 {
        world.step(1.0 / 120.0).expect("a finite step");
        woken |= !world.is_asleep(id);
    }
    assert!(woken, "the ball that falls on it wakes it");

    run(&mut world, 20.0, 1.0 / 120.0);
    world.gravity = Vec3::new(2.0, -9.81, 0.0);
    world.step(1.0 / 120.0).expect("a finite step");
    assert!(!world.is_asleep(id));
}

/// A sleeping body that is hit has its contacts in the same step. A ball of 8 m/s on a sleeping box used to drive it
/// into the floor by what the blow gave it in one step, 2 cm here, because sleepers have no contacts.
#[test]
fn a_sleeper_that_is_hit_does_not_sink_into_what_it_lies_on() {
    let mut world = world_with_floor(0.0, material(0.5, 0.0));
    let half = Vec3::new(0.2, 0.1, 0.2);
    let tower: Vec<_> = (0..3)
        .map(|k| Placement::at(Vec3::new(0.0, 0.1 + 0.2 * k as Real, 0.0)))
        .map(|place| add_box(&mut world, 1.0, half, place, material(0.5, 0.0)))
        .collect();
    run(&mut world, 2.0, 1.0 / 120.0);
    assert!(tower.iter().all(|id| world.is_asleep(*id)));
    let ball = add_ball(&mut world, 3.0, 0.1, Vec3::new(0.0, 1.0, 0.0), material(0.5, 0.0));
    push(&mut world, ball, Vec3::new(0.0, -8.0, 0.0), Vec3::zeros());
    for _ in 0..60 {
        world.step(1.0 / 120.0).expect("a finite step");
        let deepest = world.contacts().iter().map(|c| -c.distance).fold(0.0, Real::max);
        assert!(deepest < 5e-4, "{deepest} m deep at {} s", world.time());
    }
    assert!(at(&world, tower[2]).y > 0.499);
}

/// Sleep changes the resting place by no more than the thresholds allow, against a world that never sleeps.
#[test]
fn sleep_does_not_move_what_rests() {
    let ((mut sleeping, id), (mut waking, _)) = (falling_box(), falling_box());
    waking.sleeping.enabled = false;
    run(&mut sleeping, 6.0, 1.0 / 120.0);
    run(&mut waking, 6.0, 1.0 / 120.0);
    assert!((at(&sleeping, id) - at(&waking, id)).norm() < 1e-3);
}

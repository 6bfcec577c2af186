//! Recovery from overlaps by shifting alone, and a body that is crushed.

use super::scenes::*;
use sinew_dynamics::math::Vec6;
use sinew_dynamics::{Body, Collider, Placement, Script, Shape, World};
use sinew_dynamics::{Quat, Real, Vec3};

/// Ten boxes, each one millimetre into the next: no overlap grows, all are gone soon, and nothing gains speed by it.
#[test]
fn overlapping_boxes_separate_without_gaining_speed() {
    let mut world = World::new();
    world.gravity = Vec3::zeros();
    let half = 0.1;
    let ids: Vec<_> = (0..10)
        .map(|k| {
            let place = Placement::at(Vec3::new(0.0, k as Real * (2.0 * half - 1e-3), 0.0));
            add_box(&mut world, 1.0, Vec3::repeat(half), place, material(0.5, 0.0))
        })
        .collect();
    let depth = |world: &World, k: usize| 2.0 * half - (at(world, ids[k + 1]).y - at(world, ids[k]).y);
    let mut last: Vec<Real> = (0..9).map(|k| depth(&world, k)).collect();
    let mut fastest: Real = 0.0;
    for _ in 0..240 {
        world.step(1.0 / 240.0).expect("a finite step");
        for (k, last) in last.iter_mut().enumerate() {
            let now = depth(&world, k);
            assert!(now <= *last + 1e-9, "overlap {k} grew from {last} to {now}");
            *last = now;
        }
        fastest = ids.iter().map(|id| world.state(*id).linear().norm()).fold(fastest, Real::max);
    }
    assert!(last.iter().all(|d| *d < 1.5e-4), "{last:?}");
    assert!(fastest < 1e-9, "{fastest:e}");
}

/// Two balls put at the same place separate slowly, and come to rest apart.
#[test]
fn bodies_spawned_inside_each_other_part_calmly() {
    let mut world = World::new();
    world.gravity = Vec3::zeros();
    let a = add_ball(&mut world, 1.0, 0.2, Vec3::zeros(), material(0.3, 0.8));
    let b = add_ball(&mut world, 1.0, 0.2, Vec3::new(1e-9, 0.0, 0.0), material(0.3, 0.8));
    let mut fastest: Real = 0.0;
    for _ in 0..480 {
        world.step(1.0 / 240.0).expect("a finite step");
        fastest = fastest.max(world.state(a).velocity.norm()).max(world.state(b).velocity.norm());
    }
    assert!(fastest < 1e-6, "{fastest}");
    assert!((at(&world, a) - at(&world, b)).norm() > 0.399, "{}", (at(&world, a) - at(&world, b)).norm());
}

/// A cube between a floor and a plate that comes down by script stays finite and slow however far the plate goes.
#[test]
fn crushed_cube_stays_finite_and_the_clock_goes_on() {
    let mut world = world_with_floor(0.0, material(0.5, 0.0));
    let cube = add_box(&mut world, 1.0, Vec3::repeat(0.1), Placement::at(Vec3::new(0.0, 0.1, 0.0)), material(0.5, 0.0));
    let plate = Script::new(|t: Real| sinew_dynamics::Motion {
        placement: Placement::at(Vec3::new(0.0, 0.35 - 0.1 * t.min(2.0), 0.0)),
        velocity: Vec6::new(0.0, if t < 2.0 { -0.1 } else { 0.0 }, 0.0, 0.0, 0.0, 0.0),
        acceleration: Vec6::zeros(),
    });
    let plate = world.add_body(Body::scripted("plate", plate)).expect("a sound body");
    let shape = Shape::Box { half_extents: Vec3::new(0.5, 0.05, 0.5) };
    world.add_collider(plate, Collider::new(shape)).expect("a sound shape");
    for step in 1..=960 {
        world.step(1.0 / 240.0).expect("a finite step");
        assert!((world.time() - step as Real / 240.0).abs() < 1e-9);
        let speed = world.state(cube).linear().norm();
        assert!(speed < 0.2, "step {step}: {speed}");
    }
}

/// A bar has one end 20 mm in the floor while the other comes down fast: rotation brings that one in, and it is lifted
/// out again. That must not be at the cost of the first end, of whose depth a fifth is taken back in each step.
#[test]
fn an_overlap_is_taken_back_while_the_other_end_comes_down() {
    let mut world = world_with_floor(0.0, material(0.5, 0.0));
    let (half, depth) = (Vec3::new(0.3, 0.02, 0.05), 0.02);
    let tilt = Quat::from_axis_angle(&Vec3::z_axis(), 0.1);
    let lever = tilt * Vec3::new(half.x, half.y, 0.0);
    let bar =
        add_box(&mut world, 5.0, half, Placement::new(lever - Vec3::new(0.0, depth, 0.0), tilt), material(0.5, 0.0));
    let mut state = *world.state(bar);
    let spin = Vec3::new(0.0, 0.0, -10.0);
    state.velocity.fixed_rows_mut::<3>(0).copy_from(&spin.cross(&lever));
    state.velocity.fixed_rows_mut::<3>(3).copy_from(&spin);
    world.set_state(bar, state).expect("a finite state");
    let (share, slop) = (world.contact.push_out, world.contact.slop);
    let mut left = depth;
    for step in 0..12 {
        world.step(1.0 / 60.0).expect("a finite step");
        let end = |x: Real| -world.state(bar).placement.point(&Vec3::new(x, -half.y, half.z)).y;
        left -= share * (left - 0.5 * slop);
        assert!((end(-half.x) - left).abs() < 2.0 * slop, "step {step}: {} instead of {left}", end(-half.x));
        assert!(end(half.x) < 2.0 * slop, "step {step}: {}", end(half.x));
    }
}

//! One-sided rows at acceleration level: reached at the exact time, held under load, left when unloaded.

use super::scenes::*;
use sinew_dynamics::{Anchor, Axis, Constraint, Distance, Joint, Limit, MassProperties, Placement};
use sinew_dynamics::{Real, Vec3};

/// A block on a vertical rail falls 1 m onto its stop: it arrives at √(2h/g) = 0.451524 s, stops dead (restitution 0),
/// and the stop carries its weight from then on.
#[test]
fn falling_block_meets_its_stop_at_the_instant_and_rests_there() {
    let mut world = world(rk4());
    let block = add(&mut world, "block", MassProperties::cuboid(2.0, v(0.1, 0.1, 0.1)), at(0.0, 1.0, 0.0));
    let up = Placement::new(
        Vec3::zeros(),
        sinew_dynamics::Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2),
    );
    let rail = Joint::slider(None, up, Some(block), Placement::new(Vec3::zeros(), up.rotation));
    let stop = Limit::new(rail.slide(Axis::X), 0.0, Real::INFINITY);
    join(&mut world, rail);
    let stop = world.add_constraint(Constraint::new(stop)).unwrap();
    run(&mut world, 0.45, 0.01, |_| ());
    close(position(&world, block).y, 1.0 - 0.5 * G * 0.45 * 0.45, 1e-9);
    // One step that holds the arrival: before it free fall, after it rest.
    world.step(0.01).unwrap();
    small(position(&world, block).y, 2e-7);
    small(world.state(block).linear().y, 1e-6);
    run(&mut world, 1.0, 0.01, |world| {
        small(position(world, block).y, 1e-6);
        close(world.reaction(stop).multipliers[0], 2.0 * G, 1e-5);
    });
    // Thrown up, it leaves without being held back.
    world.apply_impulse(block, v(0.0, 4.0, 0.0), position(&world, block)).unwrap();
    run(&mut world, 0.1, 0.01, |_| ());
    close(position(&world, block).y, 2.0 * 0.1 - 0.5 * G * 0.01, 1e-5);
}

/// A rod swinging against a stop at the bottom of its hinge loses its speed there and does not come through.
#[test]
fn hinge_stop_is_not_passed() {
    for stepper in both() {
        let mut world = world(stepper);
        let (rod, hinge) = rod_pendulum(&mut world, 1.0, 1.0);
        let rotation = world.constraint(hinge).joint().expect("a joint").rotation(Axis::Z);
        let lowest = 0.2 - std::f64::consts::FRAC_PI_2;
        world.add_constraint(Constraint::new(Limit::new(rotation, lowest, Real::INFINITY))).unwrap();
        run(&mut world, 2.0, H, |world| {
            let hang = position(world, rod);
            assert!(hang.x.atan2(-hang.y) > 0.2 - 1e-4);
        });
        small(world.state(rod).angular().norm(), 1e-6);
    }
}

/// A ball on a slack rope falls freely until the rope is taut, then swings on a circle: the rope never gives and never
/// pushes.
#[test]
fn rope_is_slack_then_taut() {
    let mut world = world(rk4());
    let ball = add(&mut world, "ball", MassProperties::sphere(1.0, 0.01), at(0.6, 0.0, 0.0));
    let rope = Distance::rope(Anchor::world(Vec3::zeros()), Anchor::centre(ball), 1.0);
    let rope = world.add_constraint(Constraint::new(rope)).unwrap();
    // Free fall down to x² + y² = 1: 0.8 m.
    let taut = (2.0 * 0.8 / G).sqrt();
    run(&mut world, 3.0, H, |world| {
        let distance = position(world, ball).norm();
        assert!(distance < 1.0 + 1e-5, "{distance}");
        let pull = world.reaction(rope).multipliers.first().copied().unwrap_or(0.0);
        assert!(pull >= 0.0);
        if world.time() < taut - H {
            small(pull, 0.0);
            close(position(world, ball).y, -0.5 * G * world.time() * world.time(), 1e-9);
        }
    });
    // The jerk took the radial part of the speed, (0.8 v)²/2, and nothing since.
    let speed_squared = 2.0 * G * 0.8;
    let expected = 0.5 * speed_squared * (1.0 - 0.64) - 0.8 * G;
    close(world.energy(), expected, 1e-4);
}

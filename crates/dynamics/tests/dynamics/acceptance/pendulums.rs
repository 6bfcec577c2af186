//! One or two bodies on nails and hinges: periods, reactions, impulses, breaking.

use super::scenes::*;
use sinew_dynamics::math::Vec6;
use sinew_dynamics::{
    Axis, Body, Constraint, Element, Joint, MassProperties, Motion, Placement, Response, Script, Stepper, TimeStepping,
};
use sinew_dynamics::{Quat, Real, Vec3};
use std::f64::consts::{FRAC_PI_2, PI};

/// A body pinned at its centre loses a velocity it must not have in at most two steps, and stays.
#[test]
fn pin_at_the_centre_stops_the_body_within_two_steps() {
    for stepper in both() {
        let mut world = space(stepper);
        let id = add(&mut world, "mass", MassProperties::sphere(1.0, 0.1), Placement::IDENTITY);
        join(&mut world, Joint::ball(None, Placement::IDENTITY, Some(id), Placement::IDENTITY));
        set_velocity(&mut world, id, v(1.0, 2.0, 3.0), Vec3::zeros());
        run(&mut world, 2.0 * H, H, |_| ());
        small(world.state(id).linear().norm(), 1e-10);
        small(position(&world, id).norm(), 1e-9);
    }
}

/// A cube of side 0.3 m hung by a corner, released with level faces (54.7356° from hanging): the period of the complete
/// elliptic integral is 1.198504 s; at the bottom the pin carries (1 + 18(1 − 1/√3)/11) mg = 1.6916 mg.
#[test]
fn corner_hung_cube_swings_with_the_elliptic_period() {
    let tight = Stepper::TimeStepping(TimeStepping { tolerance: 1e-10, ..TimeStepping::default() });
    for (stepper, pin_error) in [(tight, 1e-9), (rk4(), 1e-7)] {
        let mut world = world(stepper);
        let half = 0.15;
        let cube = add(&mut world, "cube", MassProperties::cuboid(2.0, v(half, half, half)), at(half, -half, half));
        let pin = join(&mut world, Joint::ball(None, Placement::IDENTITY, Some(cube), at(-half, half, -half)));
        let axis = v(1.0, 0.0, 1.0).cross(&v(0.0, -1.0, 0.0)).normalize();
        let turns = sign_changes(&mut world, 1.3, H, |world| world.state(cube).angular().dot(&axis));
        close(turns[1], 1.198_504, 1e-3);
        let mut strongest: Real = 0.0;
        run(&mut world, 1.2, H, |world| {
            strongest = strongest.max(force_on(world, pin, cube).norm());
            small(gap(world, pin), pin_error);
        });
        close(strongest, 1.6916 * 2.0 * G, 1e-2);
    }
}

/// A uniform rod released level: the nail carries mg/4 at first, 2.5 mg at the bottom, where ω² = 3g/L.
#[test]
fn rod_released_level_loads_its_nail_as_energy_says() {
    for stepper in both() {
        let mut world = world(stepper);
        let (rod, nail) = rod_pendulum(&mut world, 2.0, FRAC_PI_2);
        world.accelerations();
        close(force_on(&world, nail, rod).y, 2.0 * G / 4.0, 1e-9);
        let (mut strongest, mut fastest): (Real, Real) = (0.0, 0.0);
        run(&mut world, 1.0, H, |world| {
            strongest = strongest.max(force_on(world, nail, rod).norm());
            fastest = fastest.max(world.state(rod).angular().norm());
        });
        close(strongest, 2.5 * 2.0 * G, 1e-3);
        close(fastest, 5.4249, 1e-3);
    }
}

/// Periods of a 1 m rod: 1.6379 s for small swings, 1.6387 s from 5°, 1.9333 s from 90° (complete elliptic integral).
#[test]
fn rod_period_follows_the_elliptic_integral() {
    for stepper in both() {
        for (angle, period, relative) in
            [(0.01, 1.6379, 2e-3), (5.0 * PI / 180.0, 1.6387, 2e-3), (FRAC_PI_2, 1.9333, 2e-3)]
        {
            let mut world = world(stepper.clone());
            let (rod, _) = rod_pendulum(&mut world, 1.0, angle);
            let turns = sign_changes(&mut world, 2.1, H, |world| world.state(rod).angular().z);
            close(turns[1], period, relative);
        }
    }
}

/// Two equal rods in line, released level. Lagrange's equations at the first instant: 9g/7L and −3g/7L, the nail lifts
/// with 2mg/7, and the joint presses the outer rod down with mg/14.
#[test]
fn two_rods_released_level_start_as_lagrange_says() {
    let mut world = world(rk4());
    let inner = add(&mut world, "inner", slender(1.0, 1.0), at(0.5, 0.0, 0.0));
    let outer = add(&mut world, "outer", slender(1.0, 1.0), at(1.5, 0.0, 0.0));
    let nail = join(&mut world, Joint::ball(None, Placement::IDENTITY, Some(inner), at(-0.5, 0.0, 0.0)));
    let elbow = join(&mut world, Joint::ball(Some(inner), at(0.5, 0.0, 0.0), Some(outer), at(-0.5, 0.0, 0.0)));
    let accelerations = world.accelerations();
    close(accelerations[0][5], -9.0 * G / 7.0, 1e-9);
    close(accelerations[1][5], 3.0 * G / 7.0, 1e-9);
    close(force_on(&world, nail, inner).y, 2.0 * G / 7.0, 1e-9);
    close(force_on(&world, elbow, outer).y, -G / 14.0, 1e-9);
}

/// Hanging at rest the upper joint carries both rods, the lower one its own; swinging freely they keep their energy.
#[test]
fn double_pendulum_hangs_with_its_weight_and_swings_with_its_energy() {
    // The default stepper's velocities belong to the middle of a step: its energy sways by a part that falls with h.
    for stepper in [time_stepping(16), rk4()] {
        let mut world = world(stepper);
        let (upper, nail) = rod_pendulum(&mut world, 1.0, 0.0);
        let down = Quat::from_axis_angle(&Vec3::z_axis(), -FRAC_PI_2);
        let lower = add(&mut world, "lower", slender(3.0, 1.0), Placement::new(v(0.0, -1.5, 0.0), down));
        let elbow = join(&mut world, Joint::ball(Some(upper), at(0.5, 0.0, 0.0), Some(lower), at(-0.5, 0.0, 0.0)));
        run(&mut world, 0.1, H, |_| ());
        close(force_on(&world, nail, upper).y, 4.0 * G, 1e-6);
        close(force_on(&world, elbow, lower).y, 3.0 * G, 1e-6);
        world.apply_impulse(lower, v(3.0, 0.0, 0.0), v(0.0, -2.0, 0.0)).unwrap();
        world.step(H).unwrap();
        let energy = world.energy();
        let swing = energy + 0.5 * G + 1.5 * 3.0 * G;
        run(&mut world, 10.0, H, |world| small(world.energy() - energy, 1e-3 * swing));
    }
}

/// A ball on a string circling at angle θ turns with ω² = g/(L cos θ).
#[test]
fn conical_pendulum_turns_at_its_own_rate() {
    for stepper in both() {
        let mut world = world(stepper);
        let angle: Real = 0.4;
        let rate = (G / angle.cos()).sqrt();
        let centre = v(angle.sin(), -angle.cos(), 0.0);
        let ball = add(&mut world, "ball", MassProperties::sphere(1.0, 0.001), Placement::at(centre));
        let nail = join(&mut world, Joint::ball(None, Placement::IDENTITY, Some(ball), Placement::at(-centre)));
        let spin = v(0.0, rate, 0.0);
        set_velocity(&mut world, ball, spin.cross(&centre), spin);
        let crossings = sign_changes(&mut world, 10.0, H, |world| position(world, ball).z);
        let turns = (crossings.len() - 1) as Real / 2.0;
        close(turns * 2.0 * PI / (crossings[crossings.len() - 1] - crossings[0]), rate, 1e-3);
        small(gap(&world, nail), 1e-7);
        close(-position(&world, ball).y, angle.cos(), 1e-3);
    }
}

/// A root driven sideways with ¾ g carries its segment at atan ¾ = 36.870° with 1.25 mg.
#[test]
fn accelerated_root_tilts_its_segment_and_carries_a_quarter_more() {
    for (stepper, degrees) in [(time_stepping(1), 0.3), (rk4(), 0.01)] {
        let mut world = world(stepper);
        let pull = 0.75 * G;
        let script = Script::new(move |t| Motion {
            placement: at(0.5 * pull * t * t, 0.0, 0.0),
            velocity: Vec6::new(pull * t, 0.0, 0.0, 0.0, 0.0, 0.0),
            acceleration: Vec6::new(pull, 0.0, 0.0, 0.0, 0.0, 0.0),
        });
        let root = world.add_body(Body::scripted("root", script)).unwrap();
        let tilt = (0.75 as Real).atan();
        let centre = v(-tilt.sin(), -tilt.cos(), 0.0) * 0.5;
        let rotation = Quat::from_axis_angle(&Vec3::z_axis(), -tilt);
        let segment =
            add(&mut world, "segment", MassProperties::cuboid(3.0, v(0.1, 0.5, 0.1)), Placement::new(centre, rotation));
        let joint = join(&mut world, Joint::ball(Some(root), Placement::IDENTITY, Some(segment), at(0.0, 0.5, 0.0)));
        // A scripted start from rest reaches the default stepper as half an acceleration in the first step, which
        // leaves a swing of ½h a cos θ/(L' ω) = 0.25°.
        run(&mut world, 2.0 * H, H, |_| ());
        run(&mut world, 2.0, H, |world| {
            let hang = position(world, segment) - position(world, root);
            small((-hang.x).atan2(-hang.y).to_degrees() - 36.870, degrees);
            close(force_on(world, joint, segment).norm(), 1.25 * 3.0 * G, 1e-3);
        });
    }
}

/// A root at constant velocity carries, on the mean over a swing, the segment's weight.
#[test]
fn steadily_moving_root_carries_the_weight_on_the_mean() {
    for stepper in both() {
        let mut world = world(stepper);
        let script = Script::new(|t| Motion {
            placement: at(2.0 * t, 0.0, 0.0),
            velocity: Vec6::new(2.0, 0.0, 0.0, 0.0, 0.0, 0.0),
            acceleration: Vec6::zeros(),
        });
        let root = world.add_body(Body::scripted("root", script)).unwrap();
        let segment = add(&mut world, "segment", slender(3.0, 1.0), at(0.5, 0.0, 0.0));
        set_velocity(&mut world, segment, v(2.0, 0.0, 0.0), Vec3::zeros());
        let joint = join(&mut world, Joint::ball(Some(root), Placement::IDENTITY, Some(segment), at(-0.5, 0.0, 0.0)));
        let (mut sum, mut count, mut last, mut turns) = (0.0, 0.0, -1.0, 0);
        while turns < 2 {
            world.step(H).unwrap();
            sum += force_on(&world, joint, segment).y;
            count += 1.0;
            let spin = world.state(segment).angular().z;
            turns += (spin * last < 0.0) as usize;
            last = spin;
        }
        close(sum / count, 3.0 * G, 1.5e-2);
        // The step that passes the turning point is not whole; what it adds to the momentum is known.
        let excess = 3.0 * world.state(segment).linear().y / (count * H);
        close(sum / count - excess, 3.0 * G, 1e-3);
    }
}

/// A mass on a rod, released level, tears a nail that bears 1.5 mg at 60° from hanging: the tension is 3mg cos θ.
#[test]
fn nail_breaks_where_the_tension_reaches_its_limit() {
    for stepper in both() {
        let mut world = world(stepper);
        let ball = add(&mut world, "ball", MassProperties::sphere(1.0, 0.001), at(1.0, 0.0, 0.0));
        let nail = Joint::ball(None, Placement::IDENTITY, Some(ball), at(-1.0, 0.0, 0.0));
        let nail = world.add_constraint(Constraint::new(nail).breaking_at(1.5 * G)).unwrap();
        while world.constraint(nail).enabled {
            world.step(H).unwrap();
        }
        let hang = position(&world, ball);
        small(hang.x.atan2(-hang.y) - PI / 3.0, 2.0 * H * G.sqrt());
        // Then it flies freely.
        let (start, state) = (world.time(), *world.state(ball));
        run(&mut world, 0.5, H, |_| ());
        let t = world.time() - start;
        let expected = state.placement.position + state.linear() * t + v(0.0, -G, 0.0) * (0.5 * t * t);
        small((position(&world, ball) - expected).norm(), 0.025 * t);
    }
}

/// A nail that expires in the middle of a step lets go exactly then: the next second is ballistic, the energy does not
/// jump.
#[test]
fn expiring_nail_hands_over_to_free_flight() {
    let mut world = world(rk4());
    let rod = add(&mut world, "rod", slender(1.0, 1.0), at(0.5, 0.0, 0.0));
    let nail = Joint::ball(None, Placement::IDENTITY, Some(rod), at(-0.5, 0.0, 0.0));
    let expiry = 0.3 + 0.4 * H;
    world.add_constraint(Constraint::new(nail).during(0.0, expiry)).unwrap();
    let mut reference = world.clone();
    run(&mut world, 0.3, H, |_| ());
    run(&mut reference, 0.3, H, |_| ());
    reference.step(expiry - reference.time()).unwrap();
    let (state, energy) = (*reference.state(rod), reference.energy());
    run(&mut world, 1.0, H, |world| small(world.energy() - energy, 1e-9));
    let t = world.time() - expiry;
    let expected = state.placement.position + state.linear() * t + v(0.0, -G, 0.0) * (0.5 * t * t);
    small((position(&world, rod) - expected).norm(), 1e-9);
}

/// A blow v/2 (N·s, unit mass) on the free end of a hinged rod turns it at 1.5 v/L with the hinge at rest; struck at
/// 2L/3, the centre of percussion, the hinge feels nothing.
#[test]
fn blow_on_a_hinged_rod_respects_the_hinge() {
    for stepper in both() {
        let mut world = space(stepper);
        let (rod, _) = rod_pendulum(&mut world, 1.0, 0.0);
        world.apply_impulse(rod, v(0.5, 0.0, 0.0), v(0.0, -1.0, 0.0)).unwrap();
        world.step(1e-6).unwrap();
        close(world.state(rod).angular().z, 1.5, 1e-6);
        small(world.state(rod).velocity_at(&Vec3::zeros()).norm(), 1e-5);
        let mut world = space(rk4());
        let (rod, _) = rod_pendulum(&mut world, 1.0, 0.0);
        world.apply_impulse(rod, v(0.5, 0.0, 0.0), v(0.0, -2.0 / 3.0, 0.0)).unwrap();
        let before = *world.state(rod);
        small(before.velocity_at(&Vec3::zeros()).norm(), 1e-9);
        world.step(1e-9).unwrap();
        small((world.state(rod).velocity - before.velocity).norm(), 1e-8);
    }
}

/// A 30° incline as a line joint: 4.905 m/s² along it, and never off it.
#[test]
fn slider_on_an_incline_falls_with_half_of_gravity() {
    for (stepper, relative) in [(time_stepping(1), 6e-3), (rk4(), 1e-9)] {
        let mut world = world(stepper);
        let slope = Quat::from_axis_angle(&Vec3::z_axis(), -PI / 6.0);
        let block = add(
            &mut world,
            "block",
            MassProperties::cuboid(2.0, v(0.1, 0.1, 0.1)),
            Placement::new(Vec3::zeros(), slope),
        );
        let rail = join(
            &mut world,
            Joint::slider(None, Placement::new(Vec3::zeros(), slope), Some(block), Placement::IDENTITY),
        );
        run(&mut world, 1.0, H, |_| ());
        close(position(&world, block).dot(&(slope * Vec3::x())), 2.4525, relative);
        small(gap(&world, rail) - position(&world, block).norm(), 1e-9);
        small(position(&world, block).dot(&(slope * Vec3::y())), 1e-6);
        close(world.state(block).linear().norm(), 4.905, 1e-6);
    }
}

/// Two free bodies that slide along each other keep their angular momentum.
#[test]
fn free_slider_pair_keeps_its_angular_momentum() {
    // The default stepper solves with the inertia at the start of the step: bodies that are no spheres leave h² of it.
    for (stepper, bound) in [(time_stepping(1), 1e-3), (rk4(), 1e-9)] {
        let mut world = space(stepper);
        let a = add(&mut world, "a", MassProperties::cuboid(1.0, v(0.3, 0.1, 0.2)), Placement::IDENTITY);
        let b = add(&mut world, "b", MassProperties::cuboid(2.0, v(0.1, 0.2, 0.3)), at(1.0, 0.2, 0.0));
        join(&mut world, Joint::slider(Some(a), at(0.0, 0.2, 0.0), Some(b), Placement::IDENTITY));
        let spin = v(0.3, 1.0, 2.0);
        set_velocity(&mut world, a, Vec3::zeros(), spin);
        set_velocity(&mut world, b, spin.cross(&v(1.0, 0.2, 0.0)), spin);
        world.step(H).unwrap();
        let (linear, angular) = world.momentum();
        run(&mut world, 5.0, H, |_| ());
        small((world.momentum().0 - linear).norm(), 1e-9);
        small((world.momentum().1 - angular).norm(), bound);
    }
}

/// A universal joint bent by 30° passes speed on with a ratio that varies between cos 30° and 1/cos 30°.
#[test]
fn universal_joint_varies_the_speed_with_its_bend() {
    let bend = PI / 6.0;
    let mut world = space(rk4());
    let disc = MassProperties::new(1.0, v(1.0, 1.0, 1.0));
    let driver = add(&mut world, "driver", disc, Placement::IDENTITY);
    let bent = Quat::from_axis_angle(&Vec3::x_axis(), bend);
    let follower = add(&mut world, "follower", disc, Placement::new(Vec3::zeros(), bent));
    let mut motor = Joint::hinge(None, Placement::IDENTITY, Some(driver), Placement::IDENTITY).driven(
        Element::Angular(Axis::Z),
        Response::Rate,
        Real::INFINITY,
    );
    motor.target.angular_velocity = v(0.0, 0.0, 2.0);
    join(&mut world, motor);
    join(&mut world, Joint::hinge(None, Placement::new(Vec3::zeros(), bent), Some(follower), Placement::IDENTITY));
    // Only the crossing of the two axes is missing: the hinges hold the rest.
    join(
        &mut world,
        Joint::new(Some(driver), Placement::IDENTITY, Some(follower), Placement::IDENTITY)
            .holding(&[Element::Perpendicular(Axis::X, Axis::Y)]),
    );
    let (mut least, mut most): (Real, Real) = (Real::INFINITY, 0.0);
    run(&mut world, 4.0, 0.005, |world| {
        let ratio = world.state(follower).angular().norm() / world.state(driver).angular().norm();
        (least, most) = (least.min(ratio), most.max(ratio));
    });
    close(least, bend.cos(), 1e-2);
    close(most, 1.0 / bend.cos(), 1e-2);
}

/// A pendulum cube at rest stays; under 0.1763 mg sideways, damped, it settles at 10.0°.
#[test]
fn pendulum_cube_settles_where_wind_and_weight_balance() {
    let mut world = world(rk4());
    world.gravity = v(0.0, -9.8, 0.0);
    let cube = Body::dynamic("cube", MassProperties::cuboid(1.0, v(0.5, 0.5, 0.5)), Placement::IDENTITY)
        .with_damping(2.0, 2.0);
    let cube = world.add_body(cube).unwrap();
    let nail = join(&mut world, Joint::ball(None, at(0.0, 1.0, 0.0), Some(cube), at(0.0, 1.0, 0.0)));
    run(&mut world, 5.0, 0.01, |world| small(gap(world, nail), 1e-6));
    small(position(&world, cube).norm(), 1e-6);
    for _ in 0..2000 {
        world.apply(cube, v(0.1763 * 9.8, 0.0, 0.0), Vec3::zeros()).unwrap();
        world.step(0.01).unwrap();
    }
    let hang = position(&world, cube) - v(0.0, 1.0, 0.0);
    small(hang.x.atan2(-hang.y).to_degrees() - 10.0, 0.05);
}

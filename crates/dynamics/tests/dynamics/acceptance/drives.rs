//! Driven rows: nails with a time constant, paths, servos, motors.

use super::scenes::*;
use sinew_dynamics::math::Vec6;
use sinew_dynamics::{
    Anchor, Axis, Body, Constraint, Element, Gear, Joint, JointTarget, MassProperties, Motion, OnPath, Path, Placement,
    Response, Script, TargetScript,
};
use sinew_dynamics::{Quat, Real, Vec3};
use std::f64::consts::PI;

/// A ball 1 m from its nail at rest, τ = 0.1 s: |D| = (1 + t/τ)e^(−t/τ), fastest at D₀/(eτ), and then the nail carries
/// mg.
#[test]
fn ball_flies_to_its_nail_on_the_critically_damped_curve() {
    for (stepper, h) in [(time_stepping(1), 0.0005), (rk4(), 0.0025)] {
        let mut world = world(stepper);
        let tau = 0.1;
        let ball = add(&mut world, "ball", MassProperties::sphere(2.0, 0.1), at(0.6, 0.8, 0.0));
        let nail = Joint::ball(None, Placement::IDENTITY, Some(ball), Placement::IDENTITY);
        let nail = join(&mut world, nail.responding(Response::Decay { tau }));
        let mut fastest: Real = 0.0;
        for (until, expected) in [(tau, 0.7358), (5.0 * tau, 0.040_43), (10.0 * tau, 4.994e-4)] {
            let rest = until - world.time();
            run(&mut world, rest, h, |world| fastest = fastest.max(world.state(ball).linear().norm()));
            close(position(&world, ball).norm(), expected, 1e-2);
        }
        close(fastest, 3.679, 1e-2);
        run(&mut world, 10.0 * tau, h, |_| ());
        small((force_on(&world, nail, ball) - v(0.0, 19.62, 0.0)).norm(), 1e-3);
    }
}

/// A ball follows a 0.5 m circle at 1 Hz, from 10 cm off at rest: within 0.1 mm after 12 τ, and the force is m(a + g).
#[test]
fn ball_follows_a_path_with_the_force_of_its_acceleration() {
    for stepper in both() {
        let mut world = world(stepper);
        let (tau, w, r) = (0.05, 2.0 * PI, 0.5);
        let circle = Script::new(move |t| {
            let (s, c) = (w * t).sin_cos();
            Motion {
                placement: at(r * c, r * s, 0.0),
                velocity: Vec6::new(-r * w * s, r * w * c, 0.0, 0.0, 0.0, 0.0),
                acceleration: Vec6::new(-r * w * w * c, -r * w * w * s, 0.0, 0.0, 0.0, 0.0),
            }
        });
        let hand = world.add_body(Body::scripted("path", circle)).unwrap();
        let ball = add(&mut world, "ball", MassProperties::sphere(2.0, 0.05), at(r, 0.0, 0.1));
        let follow = Joint::ball(Some(hand), Placement::IDENTITY, Some(ball), Placement::IDENTITY);
        let follow = join(&mut world, follow.responding(Response::Decay { tau }));
        let h = 1.0 / 960.0;
        run(&mut world, 12.0 * tau, h, |_| ());
        run(&mut world, 1.0, h, |world| {
            small(gap(world, follow), 1e-4);
            // A stepper that averages over a step reports the force of its middle, half a step back.
            let middle = |lag: Real| {
                let (s, c) = (w * (world.time() - lag)).sin_cos();
                v(-r * w * w * c, -r * w * w * s, 0.0) * 2.0 + v(0.0, 2.0 * G, 0.0)
            };
            let force = force_on(world, follow, ball);
            let off =
                [0.0, 0.5 * h, h].into_iter().map(|lag| (force - middle(lag)).norm()).fold(Real::INFINITY, Real::min);
            small(off, 1e-3 * 2.0 * 19.74);
        });
    }
}

/// A hinge servo with k_p = 100 I, k_d = 10 I (ω = 10/s, ζ = ½), let go at 1 rad: it first undershoots by
/// exp(−πζ/√(1 − ζ²)) = 0.1630 at π/(ω√(1 − ζ²)) = 0.3628 s.
#[test]
fn hinge_servo_undershoots_as_its_damping_says() {
    for (stepper, h) in [(rk4(), H), (time_stepping(8), H)] {
        let mut world = space(stepper);
        let turned = Placement::new(Vec3::zeros(), Quat::from_axis_angle(&Vec3::z_axis(), 1.0));
        let arm = add(&mut world, "arm", MassProperties::new(1.0, v(1.0, 1.0, 0.5)), turned);
        let response = Response::Spring { stiffness: 50.0, damping: 5.0 };
        let servo = Joint::hinge(None, Placement::IDENTITY, Some(arm), Placement::IDENTITY);
        join(&mut world, servo.driven(Element::Twist(Axis::Z), response, Real::INFINITY));
        let (mut lowest, mut when): (Real, Real) = (1.0, 0.0);
        run(&mut world, 0.6, h, |world| {
            let angle = world.state(arm).placement.rotation.scaled_axis().z;
            if angle < lowest {
                (lowest, when) = (angle, world.time());
            }
        });
        small(lowest + 0.1630, 0.01);
        small(when - 0.3628, 3.0 * H);
        // Under a constant load it gives way by τ/k_p.
        for _ in 0..1200 {
            world.apply(arm, Vec3::zeros(), v(0.0, 0.0, 2.0)).unwrap();
            world.step(h).unwrap();
        }
        close(world.state(arm).placement.rotation.scaled_axis().z, 2.0 / 50.0, 1e-3);
    }
}

/// An arm whose motor can lift half of what it takes to hold it level stalls at asin ½ = 30°.
#[test]
fn motor_of_limited_torque_stalls_where_gravity_equals_it() {
    for stepper in both() {
        let mut world = world(stepper);
        let (arm, hinge) = rod_pendulum(&mut world, 2.0, 0.0);
        let joint = world.constraint_mut(hinge).joint_mut().unwrap();
        let rate = 0.05;
        joint.frame_a.rotation = Quat::from_axis_angle(&Vec3::z_axis(), -std::f64::consts::FRAC_PI_2);
        let response = Response::Spring { stiffness: 400.0, damping: 40.0 };
        *joint = joint.clone().driven(Element::Twist(Axis::Z), response, 0.5 * 2.0 * G * 0.5);
        joint.target.angular_velocity = v(0.0, 0.0, rate);
        run(&mut world, 16.0, H, |_| ());
        let (mut sum, mut count) = (0.0, 0.0);
        run(&mut world, 8.0, H, |world| {
            let hang = position(world, arm);
            sum += hang.x.atan2(-hang.y).to_degrees();
            count += 1.0;
        });
        small(sum / count - 30.0, 0.5);
        let hang = position(&world, arm);
        small(hang.x.atan2(-hang.y).to_degrees() - 30.0, 1.0);
    }
}

/// A hinge held to a sine follows it to 1e-4 rad, and a soft one under a load sags by F/K.
#[test]
fn motor_tracks_a_sine_and_a_soft_one_sags_by_hooke() {
    for stepper in both() {
        let mut world = world(stepper);
        let (arm, hinge) = rod_pendulum(&mut world, 1.0, 0.0);
        let sine = TargetScript::new(|t: Real| JointTarget {
            twist: 0.5 * (3.0 * t).sin() - std::f64::consts::FRAC_PI_2,
            angular_velocity: v(0.0, 0.0, 1.5 * (3.0 * t).cos()),
            angular_acceleration: v(0.0, 0.0, -4.5 * (3.0 * t).sin()),
            ..JointTarget::default()
        });
        world.prescribe(hinge, &[Element::Twist(Axis::Z)], sine).unwrap();
        set_velocity(&mut world, arm, v(0.75, 0.0, 0.0), v(0.0, 0.0, 1.5));
        run(&mut world, 3.0, H, |world| {
            let hang = position(world, arm);
            small(hang.x.atan2(-hang.y) - 0.5 * (3.0 * world.time()).sin(), 1e-4);
        });
        let mut world = sag_world(world.stepper.clone());
        run(&mut world, 5.0, H, |_| ());
        let block = world.bodies().next().expect("one body").0;
        close(position(&world, block).y, -2.0 * G / 1000.0, 1e-3);
    }
}

fn sag_world(stepper: sinew_dynamics::Stepper) -> sinew_dynamics::World {
    let mut world = world(stepper);
    let block = add(&mut world, "block", MassProperties::cuboid(2.0, v(0.1, 0.1, 0.1)), Placement::IDENTITY);
    let response = Response::Spring { stiffness: 1000.0, damping: 100.0 };
    let rail = Joint::slider(None, Placement::IDENTITY, Some(block), Placement::IDENTITY);
    let rail = rail.holding(&[Element::Linear(Axis::X)]).without(Element::Linear(Axis::Y));
    join(&mut world, rail.driven(Element::Linear(Axis::Y), response, Real::INFINITY));
    world
}

/// The same path stated without a second body: a point held to a function of time by the reference stepper.
#[test]
fn point_on_a_path_needs_the_force_of_its_acceleration() {
    let mut world = world(rk4());
    let (w, r) = (2.0 * PI, 0.5);
    let circle = Path::new(move |t| {
        let (s, c) = (w * t).sin_cos();
        (v(r * c, r * s, 0.0), v(-s, c, 0.0) * (r * w), v(-c, -s, 0.0) * (r * w * w))
    });
    let ball = add(&mut world, "ball", MassProperties::sphere(2.0, 0.05), at(r, 0.0, 0.1));
    let follow = OnPath::new(Anchor::centre(ball), circle).responding(Response::Decay { tau: 0.05 });
    let follow = world.add_constraint(Constraint::new(follow)).unwrap();
    run(&mut world, 0.6, 0.0025, |_| ());
    run(&mut world, 1.0, 0.0025, |world| {
        let (s, c) = (w * world.time()).sin_cos();
        small((position(world, ball) - v(r * c, r * s, 0.0)).norm(), 1e-4);
        let force = v(-c, -s, 0.0) * (2.0 * r * w * w) + v(0.0, 2.0 * G, 0.0);
        small((force_on(world, follow, ball) - force).norm(), 1e-3 * 2.0 * 19.74);
    });
}

/// Wheels of 0.10 m and 0.05 m in mesh turn at −2 : 1; a weight on a solid drum of its own mass falls with 2g/3.
#[test]
fn gears_and_drums_share_their_motion() {
    for (stepper, relative) in [(time_stepping(1), 1e-6), (rk4(), 1e-9)] {
        let mut world = world(stepper);
        let disc = |radius: Real| {
            MassProperties::cylinder(1.0, radius, 0.01).rotated(&Quat::from_axis_angle(&Vec3::y_axis(), 0.5 * PI))
        };
        let wheels = [(0.0, 0.10), (0.15, 0.05)].map(|(x, radius)| {
            let wheel = add(&mut world, "wheel", disc(radius), at(x, 0.0, 0.0));
            let axle = Joint::hinge(None, at(x, 0.0, 0.0), Some(wheel), Placement::IDENTITY);
            let rotation = axle.rotation(Axis::Z);
            join(&mut world, axle);
            (wheel, rotation)
        });
        let mesh = Gear::wheels(wheels[0].1, 0.10, wheels[1].1, 0.05);
        world.add_constraint(Constraint::new(mesh)).unwrap();
        let drum = add(&mut world, "drum", disc(0.2), at(1.0, 0.0, 0.0));
        let axle = Joint::hinge(None, at(1.0, 0.0, 0.0), Some(drum), Placement::IDENTITY);
        let weight = add(&mut world, "weight", MassProperties::sphere(1.0, 0.05), at(1.2, -1.0, 0.0));
        let up = Quat::from_axis_angle(&Vec3::z_axis(), 0.5 * PI);
        let rail =
            Joint::slider(None, Placement::new(v(1.2, -1.0, 0.0), up), Some(weight), Placement::new(Vec3::zeros(), up));
        let (rotation, slide) = (axle.rotation(Axis::Z), rail.slide(Axis::X));
        join(&mut world, axle);
        join(&mut world, rail);
        world.add_constraint(Constraint::new(Gear::rack(rotation, 0.2, slide))).unwrap();
        for _ in 0..240 {
            world.apply(wheels[0].0, Vec3::zeros(), v(0.0, 0.0, 0.01)).unwrap();
            world.step(H).unwrap();
        }
        let spins = wheels.map(|(wheel, _)| world.state(wheel).angular().z);
        close(spins[1], -2.0 * spins[0], relative);
        close(-world.state(weight).linear().y, 2.0 * G / 3.0, 1e-3);
    }
}

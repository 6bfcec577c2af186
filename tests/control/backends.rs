//! One pendulum, three ways to hold it.

use sinew::control::{AngleController, Backend, Gains, MarkerController, RotationAxes, push_joint, read_joint};
use sinew::dynamics::{
    Axis, Body, BodyId, Constraint, ConstraintId, Joint, JointTarget, MassProperties, Placement, World,
};
use sinew::{Quat, Real, Vec3};

const LENGTH: Real = 0.8;
const MASS: Real = 2.0;

/// A rod on a hinge about z, lying along +x, 2 kg, 0.8 m: moment mL²/3 about the hinge.
fn pendulum() -> (World, BodyId, ConstraintId) {
    let mut world = World::new();
    let rod = MassProperties::rod(MASS, LENGTH);
    let rod = world.add_body(Body::dynamic("rod", rod, Placement::at(Vec3::new(LENGTH / 2.0, 0.0, 0.0)))).unwrap();
    let end = Placement::at(Vec3::new(-LENGTH / 2.0, 0.0, 0.0));
    let hinge = Joint::hinge(None, Placement::IDENTITY, Some(rod), end);
    let hinge = world.add_constraint(Constraint::new(hinge)).unwrap();
    (world, rod, hinge)
}

fn inertia() -> Real {
    MASS * LENGTH * LENGTH / 3.0
}

fn turned(angle: Real, rate: Real, time: Real) -> JointTarget {
    JointTarget {
        time,
        rotation: Quat::from_axis_angle(&Vec3::z_axis(), angle),
        angular_velocity: Vec3::new(0.0, 0.0, rate),
        ..JointTarget::default()
    }
}

/// The angle every 20 ms while the target swings.
fn swing(backend: Backend, step: Real, gains: Gains) -> Vec<Real> {
    let (mut world, _, hinge) = pendulum();
    let mut muscle = AngleController::new(&mut world, hinge, RotationAxes::Z, backend, inertia(), gains);
    let every = (0.02 / step).round() as usize;
    let mut angles = Vec::new();
    for k in 1..=(1.5 / step).round() as usize {
        let t = k as Real * step;
        let target = turned(0.5 * (3.0 * t).sin(), 1.5 * (3.0 * t).cos(), t);
        muscle.aim(&mut world, &target, &Vec3::zeros(), step).unwrap();
        world.step(step).unwrap();
        if k % every == 0 {
            angles.push(read_joint(&world, hinge).unwrap().angle(Axis::Z));
        }
    }
    angles
}

fn farthest(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max)
}

#[test]
fn row_and_stable_pd_become_the_same_motion_as_the_step_shrinks() {
    let gains = Gains::critical(3.0);
    let apart = |step: Real| farthest(&swing(Backend::Row, step, gains), &swing(Backend::StablePd, step, gains));
    let (coarse, middle, fine) = (apart(4e-3), apart(2e-3), apart(5e-4));
    assert!(middle < 0.6 * coarse && fine < 0.35 * middle, "{coarse} {middle} {fine}");
    assert!(fine < 2e-3, "{fine}");
}

/// Holds the pendulum level for some seconds; gives the angle at the end.
fn hold(backend: Backend, step: Real, seconds: Real, limit: Real) -> (World, AngleController, ConstraintId, Real) {
    let (mut world, _, hinge) = pendulum();
    let mut muscle = AngleController::new(&mut world, hinge, RotationAxes::Z, backend, inertia(), Gains::critical(3.0));
    muscle.torque_limit = limit;
    for k in 1..=(seconds / step).round() as usize {
        muscle.aim(&mut world, &turned(0.0, 0.0, k as Real * step), &Vec3::zeros(), step).unwrap();
        world.step(step).unwrap();
    }
    let angle = read_joint(&world, hinge).unwrap().angle(Axis::Z);
    (world, muscle, hinge, angle)
}

#[test]
fn a_spring_droops_by_torque_over_stiffness_and_an_integral_takes_that_away() {
    for backend in [Backend::Row, Backend::StablePd] {
        let (world, muscle, _, angle) = hold(backend, 1.0 / 240.0, 4.0, Real::INFINITY);
        let load = MASS * 9.81 * LENGTH / 2.0 * angle.cos();
        let droop = -load / muscle.spring().0;
        assert!((angle / droop - 1.0).abs() < 0.02, "{backend:?}: {angle} against {droop}");
        assert!((muscle.torque(&world).z / load - 1.0).abs() < 0.01);
    }
    let (.., angle) = hold(Backend::Pid { integral_time: 0.3 }, 1.0 / 240.0, 6.0, Real::INFINITY);
    assert!(angle.abs() < 1e-4, "{angle}");
}

/// A weight of 7.8 N·m hangs on a motor of 5 N·m for three seconds, then the load is taken over by an outside torque. Without a
/// wound-up integral the motor brings the rod back without shooting far beyond.
#[test]
fn a_saturated_integral_does_not_wind_up() {
    let step = 1.0 / 240.0;
    let (mut world, mut muscle, hinge, angle) = hold(Backend::Pid { integral_time: 0.3 }, step, 3.0, 5.0);
    assert!(angle < -0.5, "it cannot hold: {angle}");
    let mut highest = Real::NEG_INFINITY;
    for k in 1..=(4.0 / step) as usize {
        let t = 3.0 + k as Real * step;
        let now = read_joint(&world, hinge).unwrap().angle(Axis::Z);
        push_joint(&mut world, hinge, &Vec3::new(0.0, 0.0, MASS * 9.81 * LENGTH / 2.0 * now.cos())).unwrap();
        muscle.aim(&mut world, &turned(0.0, 0.0, t), &Vec3::zeros(), step).unwrap();
        world.step(step).unwrap();
        highest = highest.max(read_joint(&world, hinge).unwrap().angle(Axis::Z));
        assert!(muscle.torque(&world).z.abs() < 5.0 * 1.001);
    }
    let last = read_joint(&world, hinge).unwrap().angle(Axis::Z);
    assert!(highest < 0.6 && last.abs() < 0.01, "{highest} {last}");
}

#[test]
fn halving_the_step_leaves_the_response_of_an_integral_controller_as_it_is() {
    let pid = Backend::Pid { integral_time: 0.3 };
    let (whole, half) = (swing(pid, 1.0 / 400.0, Gains::critical(3.0)), swing(pid, 1.0 / 800.0, Gains::critical(3.0)));
    assert!(farthest(&whole, &half) < 0.02 * 0.5, "{}", farthest(&whole, &half));
}

/// A torque known beforehand does the work, the spring nothing: held level with the weight's torque, the rod does not droop.
#[test]
fn a_torque_known_beforehand_takes_the_droop_away_at_once() {
    for backend in [Backend::Row, Backend::StablePd] {
        let (mut world, _, hinge) = pendulum();
        let mut muscle =
            AngleController::new(&mut world, hinge, RotationAxes::Z, backend, inertia(), Gains::critical(3.0));
        let weight = Vec3::new(0.0, 0.0, MASS * 9.81 * LENGTH / 2.0);
        let step = 1.0 / 240.0;
        for k in 1..=480 {
            muscle.aim(&mut world, &turned(0.0, 0.0, k as Real * step), &weight, step).unwrap();
            world.step(step).unwrap();
        }
        let angle = read_joint(&world, hinge).unwrap().angle(Axis::Z);
        assert!(angle.abs() < 2e-3, "{backend:?}: {angle}");
    }
}

/// A ball on a marker hangs lower by F/K, and follows a place that moves evenly without lag.
#[test]
fn a_marker_sags_by_force_over_stiffness_and_follows_even_motion() {
    let mut world = World::new();
    let ball = Body::dynamic("ball", MassProperties::sphere(1.5, 0.1), Placement::IDENTITY);
    let ball = world.add_body(ball).unwrap();
    let gains = Gains::critical(4.0);
    let marker = MarkerController::new(&mut world, ball, Vec3::zeros(), 1.5, gains, Real::INFINITY).unwrap();
    let step = 1.0 / 240.0;
    for k in 1..=960 {
        let t = k as Real * step;
        marker.aim(&mut world, t, Vec3::new(0.7 * t, 0.0, 0.0), Vec3::new(0.7, 0.0, 0.0));
        world.step(step).unwrap();
    }
    let at = marker.position(&world);
    let sag = 1.5 * 9.81 / gains.spring(1.5).0;
    assert!((at.y / -sag - 1.0).abs() < 0.01, "{} {sag}", at.y);
    assert!((at.x - 2.8).abs() < 1e-3, "{}", at.x);
    assert!((marker.force(&world).y - 1.5 * 9.81).abs() < 0.05);
    marker.set_on(&mut world, false);
    let before = world.state(ball).linear().y;
    world.step(0.1).unwrap();
    assert!((world.state(ball).linear().y - before + 0.981).abs() < 1e-9);
}

/// A torque known beforehand is a muscle's own: however large, it stays within the muscle's limit.
#[test]
fn a_torque_known_beforehand_stays_within_the_limit() {
    for backend in [Backend::Row, Backend::StablePd] {
        let (mut world, rod, hinge) = pendulum();
        world.gravity = Vec3::zeros();
        let mut muscle =
            AngleController::new(&mut world, hinge, RotationAxes::Z, backend, inertia(), Gains::critical(3.0));
        muscle.torque_limit = 5.0;
        let step = 1.0 / 240.0;
        muscle.aim(&mut world, &turned(0.0, 0.0, step), &Vec3::new(0.0, 0.0, 4000.0), step).unwrap();
        world.step(step).unwrap();
        let (torque, spin) = (muscle.torque(&world).z, world.state(rod).angular().z);
        assert!(torque <= 5.0 * 1.001, "{backend:?}: {torque}");
        assert!(spin <= 5.0 / inertia() * step * 1.001, "{backend:?}: {spin}");
    }
}

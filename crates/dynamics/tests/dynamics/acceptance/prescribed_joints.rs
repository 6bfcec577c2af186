//! Prescribed joints: prescribe a motion, read the torque, replay it, switch while running.

use super::scenes::*;
use sinew_dynamics::{
    Axis, BodyId, ConstraintId, EffortTrack, Element, Joint, JointTarget, Law, MassProperties, Placement, Stepper,
    TargetScript, World,
};
use sinew_dynamics::{Real, Vec3};

const TURN: Element = Element::Twist(Axis::Z);

/// A three-link arm hanging along −y from the world, hinges about z.
fn arm(stepper: Stepper) -> (World, Vec<BodyId>, Vec<ConstraintId>) {
    let mut world = world(stepper);
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for i in 0..3 {
        let mass = MassProperties::cuboid(2.0 - 0.5 * i as Real, v(0.05, 0.2, 0.05));
        let body = add(&mut world, &format!("link {i}"), mass, at(0.0, -0.2 - 0.4 * i as Real, 0.0));
        let above = bodies.last().copied();
        let anchor = if above.is_some() { at(0.0, -0.2, 0.0) } else { Placement::IDENTITY };
        joints.push(join(&mut world, Joint::hinge(above, anchor, Some(body), at(0.0, 0.2, 0.0))));
        bodies.push(body);
    }
    (world, bodies, joints)
}

/// Angle, rate and acceleration of joint `i`: starts at rest, then swings.
fn wanted(i: usize, t: Real) -> (Real, Real, Real) {
    let (size, w) = (0.5 - 0.1 * i as Real, 3.0 + i as Real);
    (size * (1.0 - (w * t).cos()), size * w * (w * t).sin(), size * w * w * (w * t).cos())
}

fn script(i: usize) -> TargetScript {
    TargetScript::new(move |t| {
        let (angle, rate, acceleration) = wanted(i, t);
        JointTarget {
            twist: angle,
            angular_velocity: v(0.0, 0.0, rate),
            angular_acceleration: v(0.0, 0.0, acceleration),
            ..JointTarget::default()
        }
    })
}

/// The angle of a link about z.
fn angle(world: &World, body: BodyId) -> Real {
    world.state(body).placement.rotation.scaled_axis().z
}

fn joint_errors(world: &World, bodies: &[BodyId]) -> Real {
    let mut above = 0.0;
    let mut worst: Real = 0.0;
    for (i, &body) in bodies.iter().enumerate() {
        let here = angle(world, body);
        worst = worst.max((here - above - wanted(i, world.time()).0).abs());
        above = here;
    }
    worst
}

/// Prescribes the motion for a second, reading the torques at the start and after every step.
fn inverse(world: &mut World, bodies: &[BodyId], joints: &[ConstraintId], bound: Real) -> Vec<EffortTrack> {
    let mut tracks = vec![EffortTrack::default(); 3];
    for (i, &joint) in joints.iter().enumerate() {
        world.prescribe(joint, &[TURN], script(i)).unwrap();
    }
    world.accelerations();
    let mut read = |world: &World| {
        for (track, &joint) in tracks.iter_mut().zip(joints) {
            track.push(world.time(), world.effort(joint, TURN).expect("a driven row"));
        }
    };
    read(world);
    run(world, 1.0, H, |world| {
        read(world);
        small(joint_errors(world, bodies), bound);
    });
    tracks
}

/// Inverse dynamics then forward dynamics give the motion back: within 1e-4 rad over a second at acceleration level.
#[test]
fn replayed_torques_reproduce_the_prescribed_motion() {
    let (mut world, bodies, joints) = arm(rk4());
    let tracks = inverse(&mut world, &bodies, &joints, 1e-6);
    let (mut replay, bodies, joints) = arm(rk4());
    for (track, &joint) in tracks.into_iter().zip(&joints) {
        let frame = replay.constraint(joint).joint().expect("a joint").clone();
        replay.add_force(Law::effort(&frame, TURN, move |t| track.at(t))).unwrap();
    }
    run(&mut replay, 1.0, H, |world| small(joint_errors(world, &bodies), 1e-4));
}

/// The default stepper reads mean torques; the same torques, held over the same steps, bring the motion back to 1e-2
/// rad.
#[test]
fn replayed_mean_torques_reproduce_the_motion_of_the_default_stepper() {
    let (mut world, bodies, joints) = arm(time_stepping(1));
    let mut means: Vec<Vec<Real>> = vec![Vec::new(); 3];
    for (i, &joint) in joints.iter().enumerate() {
        world.prescribe(joint, &[TURN], script(i)).unwrap();
    }
    run(&mut world, 1.0, H, |world| {
        small(joint_errors(world, &bodies), 1e-6);
        for (mean, &joint) in means.iter_mut().zip(&joints) {
            mean.push(world.effort(joint, TURN).expect("a driven row"));
        }
    });
    let (mut replay, bodies, joints) = arm(time_stepping(1));
    for (mean, &joint) in means.into_iter().zip(&joints) {
        let frame = replay.constraint(joint).joint().expect("a joint").clone();
        let held = move |t: Real| mean[((t / H + 0.5) as usize).min(mean.len() - 1)];
        replay.add_force(Law::effort(&frame, TURN, held)).unwrap();
    }
    run(&mut replay, 1.0, H, |world| small(joint_errors(world, &bodies), 1e-2));
}

/// The torque that holds the arm still, bent level, is the weight times the levers.
#[test]
fn holding_torque_is_the_weight_at_its_lever() {
    for stepper in both() {
        let (mut world, _, joints) = arm(stepper);
        let level = TargetScript::new(|_| JointTarget { twist: std::f64::consts::FRAC_PI_2, ..JointTarget::default() });
        let straight = TargetScript::new(|_| JointTarget::default());
        world.prescribe(joints[0], &[TURN], level).unwrap();
        world.prescribe(joints[1], &[TURN], straight.clone()).unwrap();
        world.prescribe(joints[2], &[TURN], straight).unwrap();
        // The arm hangs and is pulled up to level first.
        world.assemble(1e-7, 2.0).unwrap();
        run(&mut world, 1.0, H, |_| ());
        let expected = [G * (2.0 * 0.2 + 1.5 * 0.6 + 1.0 * 1.0), G * (1.5 * 0.2 + 1.0 * 0.6), G * 0.2];
        for (joint, expected) in joints.into_iter().zip(expected) {
            close(world.effort(joint, TURN).expect("driven"), expected, 1e-4);
        }
    }
}

/// Prescribed, let go, caught again while running: no jump in position at either switch, and the prescription holds
/// again.
#[test]
fn joints_switch_between_prescribed_and_simulated_while_running() {
    for (stepper, relative) in [(time_stepping(1), 2e-2), (rk4(), 1e-5)] {
        let (mut world, bodies, joints) = arm(stepper);
        for (i, &joint) in joints.iter().enumerate() {
            world.prescribe(joint, &[TURN], script(i)).unwrap();
        }
        run(&mut world, 0.5, H, |_| ());
        let energy = world.energy();
        for &joint in &joints {
            world.release(joint, &[TURN]).unwrap();
            assert_eq!(world.effort(joint, TURN), None);
        }
        let before: Vec<Vec3> = bodies.iter().map(|&b| position(&world, b)).collect();
        world.step(1e-5).unwrap();
        for (&body, before) in bodies.iter().zip(&before) {
            small((position(&world, body) - before).norm(), 1e-4);
        }
        // Passive, it keeps its energy.
        run(&mut world, 0.5, H, |_| ());
        close(world.energy(), energy, relative);
        // Caught where it is, it is held there.
        let held: Vec<Real> = {
            let angles: Vec<Real> = bodies.iter().map(|&b| angle(&world, b)).collect();
            angles.iter().enumerate().map(|(i, a)| if i == 0 { *a } else { a - angles[i - 1] }).collect()
        };
        for (&joint, twist) in joints.iter().zip(&held) {
            let twist = *twist;
            world
                .prescribe(joint, &[TURN], TargetScript::new(move |_| JointTarget { twist, ..JointTarget::default() }))
                .unwrap();
        }
        let caught: Vec<Real> = bodies.iter().map(|&b| angle(&world, b)).collect();
        run(&mut world, 0.5, H, |_| ());
        for (&body, caught) in bodies.iter().zip(&caught) {
            small(angle(&world, body) - caught, 1e-3);
        }
    }
}

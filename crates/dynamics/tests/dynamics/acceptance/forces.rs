//! Forces without constraints: springs, rubber, drag, supports written as closures.

use super::scenes::*;
use sinew_dynamics::{
    Anchor, BodyId, Force, ForceScope, Joint, Law, Loads, MassProperties, Ode, Placement, StepControl, Stepper, World,
};
use sinew_dynamics::{Quat, Real, Vec3};
use std::f64::consts::PI;

/// Two 1 m rods joined by a spring k at arm b swing together with mgL/2 and against each other with mgL/2 + 2kb², over
/// I.
#[test]
fn coupled_pendula_have_two_modes() {
    let (k, b, inertia, moment) = (20.0, 0.6, 1.0 / 3.0, 0.5 * G);
    for stepper in both() {
        for (other, stiffness) in [(1.0, moment), (-1.0, moment + 2.0 * k * b * b)] {
            let mut world = world(stepper.clone());
            let mut rods = Vec::new();
            for (x, angle) in [(0.0, 0.01), (1.0, 0.01 * other)] {
                let rotation = Quat::from_axis_angle(&Vec3::z_axis(), angle - PI / 2.0);
                let rod = add(
                    &mut world,
                    "rod",
                    slender(1.0, 1.0),
                    Placement::new(v(x, 0.0, 0.0) + rotation * v(0.5, 0.0, 0.0), rotation),
                );
                join(&mut world, Joint::hinge(None, at(x, 0.0, 0.0), Some(rod), at(-0.5, 0.0, 0.0)));
                rods.push(rod);
            }
            let anchor = |rod: BodyId| Anchor::on(rod, v(b - 0.5, 0.0, 0.0));
            let spring =
                Law::Spring { a: anchor(rods[0]), b: anchor(rods[1]), rest_length: 1.0, stiffness: k, damping: 0.0 };
            world.add_force(spring).unwrap();
            let turns = sign_changes(&mut world, 3.6, H / 4.0, |world| world.state(rods[0]).angular().z);
            let period = 2.0 * (turns[2] - turns[0]) / 2.0;
            close(2.0 * PI / period, (stiffness / inertia as Real).sqrt(), 5e-3);
        }
    }
}

/// A mass on a spring keeps its energy, the spring's included, and swings with √(k/m).
#[test]
fn spring_stores_what_the_mass_loses() {
    let mut world = space(rk4());
    let mass = add(&mut world, "mass", MassProperties::sphere(2.0, 0.1), at(1.3, 0.0, 0.0));
    let spring = Law::Spring {
        a: Anchor::world(Vec3::zeros()),
        b: Anchor::on(mass, Vec3::zeros()),
        rest_length: 1.0,
        stiffness: 50.0,
        damping: 0.0,
    };
    world.add_force(Force::new(spring)).unwrap();
    close(world.energy(), 0.5 * 50.0 * 0.09, 1e-12);
    let energy = world.energy();
    let turns = sign_changes(&mut world, 3.0, 0.005, |world| world.state(mass).linear().x);
    close(turns[1], 2.0 * PI / 5.0, 1e-4);
    close(world.energy(), energy, 1e-6);
}

/// Springs, dampers, torsion and drag a thousand times too stiff for the step bring the default stepper to rest, not to
/// infinity.
#[test]
fn overstiff_forces_never_blow_the_default_stepper_up() {
    let laws: [fn(BodyId, BodyId) -> Law; 4] = [
        |a, b| Law::Spring {
            a: Anchor::centre(a),
            b: Anchor::centre(b),
            rest_length: 1.5,
            stiffness: 1e9,
            damping: 1e6,
        },
        |a, b| {
            let rest = Quat::identity();
            Law::Torsion { a: Some(a), b: Some(b), rest, axis: None, stiffness: 1e6, damping: 1e5 }
        },
        |_, b| Law::Drag { body: b, linear: 1e6, quadratic: 1e6, angular: 1e6 },
        |_, b| Law::Damping { body: b, rate: 1e6 },
    ];
    for law in laws {
        let mut world = space(time_stepping(1));
        let a = add(&mut world, "a", MassProperties::sphere(1.0, 0.1), Placement::IDENTITY);
        let b = add(&mut world, "b", MassProperties::sphere(1.0, 0.1), at(1.5, 0.0, 0.0));
        set_velocity(&mut world, b, v(3.0, 0.0, 0.0), v(2.0, 3.0, 4.0));
        world.add_force(law(a, b)).unwrap();
        let energy = world.energy();
        run(&mut world, 2.0, H, |world| assert!(world.energy() <= energy * (1.0 + 1e-9), "{}", world.energy()));
    }
}

/// A body falls at √(mg/c) in a medium of quadratic drag, and at mg/c in one of linear drag.
#[test]
fn drag_lets_a_body_fall_at_its_terminal_speed() {
    // The default stepper's lookahead weakens the drag by hc/m, 0.8 % here.
    for (stepper, relative) in [(time_stepping(1), 1e-2), (rk4(), 1e-6)] {
        for (linear, quadratic, speed) in [(4.0, 0.0, 2.0 * G / 4.0), (0.0, 4.0, (2.0 * G / 4.0).sqrt())] {
            let mut world = world(stepper.clone());
            let body = add(&mut world, "stone", MassProperties::sphere(2.0, 0.1), Placement::IDENTITY);
            world.add_force(Law::Drag { body, linear, quadratic, angular: 0.0 }).unwrap();
            run(&mut world, 10.0, H, |_| ());
            close(-world.state(body).linear().y, speed, relative);
        }
    }
}

/// A force with a start and an end gives exactly F·(end − start) of momentum, wherever the steps lie.
#[test]
fn timed_field_gives_its_impulse_to_the_instant() {
    let mut world = space(rk4());
    let body = add(&mut world, "body", MassProperties::sphere(2.0, 0.1), Placement::IDENTITY);
    let push = Law::Field { body: Some(body), acceleration: v(3.0, 0.0, 0.0) };
    world.add_force(Force::new(push).during(0.1234, 0.5678)).unwrap();
    run(&mut world, 1.0, 0.1, |_| ());
    close(world.state(body).linear().x, 3.0 * (0.5678 - 0.1234), 1e-12);
}

/// A mass on a rubber string that closes with a tenth of its force comes back with √0.1 of the speed it left with, and
/// a slack string does nothing.
#[test]
fn rubber_gives_back_a_tenth_of_the_energy() {
    let mut world = space(Stepper::Ode(Ode { control: StepControl::Fixed { max_step: 1e-4 }, ..Ode::default() }));
    let mass = add(&mut world, "mass", MassProperties::sphere(2.0, 0.1), at(1.0, 0.0, 0.0));
    set_velocity(&mut world, mass, v(1.0, 0.0, 0.0), Vec3::zeros());
    world
        .add_force(Law::Rubber {
            a: Anchor::world(Vec3::zeros()),
            b: Anchor::centre(mass),
            rest_length: 1.0,
            stiffness: 200.0,
            closing: 0.1,
            smoothing: 1e-4,
        })
        .unwrap();
    run(&mut world, 1.0, 0.01, |_| ());
    assert!(position(&world, mass).x < 1.0);
    close(world.state(mass).linear().x, -(0.1_f64).sqrt(), 1e-3);
}

/// Five sticks and fifteen rubber strings (Schröder 1990, §7.2), with damping 10 on each stick.
fn tensegrity(stepper: Stepper) -> (World, Vec<BodyId>, Vec<(Anchor, Anchor)>) {
    let mut world = space(stepper);
    // The script says (.5 0 .5 0): a quarter turn about y, once normalised.
    let rotation = Quat::from_axis_angle(&Vec3::y_axis(), PI / 2.0);
    let centres = [(6.0, -15.0), (0.0, -12.0), (-1.0, -17.0), (0.0, -18.0), (4.0, -18.0)];
    let sticks: Vec<BodyId> = centres
        .iter()
        .enumerate()
        .map(|(i, &(x, y))| {
            let inertia = MassProperties::new(1.0, v(0.104_167, 8.354_17, 8.416_67));
            add(&mut world, &format!("stick {i}"), inertia, Placement::new(v(x, y, 10.0), rotation))
        })
        .collect();
    let mut strings = Vec::new();
    for i in 0..5 {
        let (here, next, before) = (sticks[i], sticks[(i + 1) % 5], sticks[(i + 4) % 5]);
        let near = |id: BodyId, y: Real| Anchor::on(id, v(-4.0, y, 0.0));
        let far = |id: BodyId, y: Real| Anchor::on(id, v(4.0, y, 0.0));
        strings.push((near(here, -0.5), near(next, -0.5)));
        strings.push((near(here, 0.5), far(before, -0.5)));
        strings.push((far(before, 0.5), far(here, 0.5)));
    }
    for &(a, b) in &strings {
        let rubber = Law::Rubber { a, b, rest_length: 4.0, stiffness: 20.0, closing: 0.1, smoothing: 0.05 };
        world.add_force(rubber).unwrap();
    }
    for &body in &sticks {
        world
            .add_force(Law::custom(move |scope: &ForceScope, loads: &mut Loads| {
                loads.force(Some(body), scope.state(Some(body)).linear() * -10.0);
                loads.torque(Some(body), scope.state(Some(body)).angular() * -10.0);
            }))
            .unwrap();
    }
    (world, sticks, strings)
}

/// The structure snaps together: all strings are taut from 2 s on, the centroid stays at (1.8, −16, 10), and it comes
/// to rest.
#[test]
fn tensegrity_snaps_together_and_comes_to_rest() {
    let (mut world, sticks, strings) =
        tensegrity(Stepper::Ode(Ode { control: StepControl::Fixed { max_step: 0.001 }, ..Ode::default() }));
    let place = |world: &World, a: &Anchor| world.state(a.body.expect("on a stick")).placement.point(&a.point);
    let shortest = |world: &World| {
        strings.iter().map(|(a, b)| (place(world, a) - place(world, b)).norm()).fold(Real::INFINITY, Real::min)
    };
    let fastest = |world: &World| sticks.iter().map(|&s| world.state(s).linear().amax()).fold(0.0, Real::max);
    run(&mut world, 2.0, 0.1, |_| ());
    run(&mut world, 6.0, 0.1, |world| assert!(shortest(world) > 4.0, "{}", shortest(world)));
    assert!(fastest(&world) < 0.1, "{}", fastest(&world));
    run(&mut world, 22.0, 0.1, |world| assert!(shortest(world) > 4.0));
    assert!(fastest(&world) < 0.01, "{}", fastest(&world));
    let centroid = sticks.iter().map(|&s| position(&world, s)).sum::<Vec3>() / 5.0;
    small((centroid - v(1.8, -16.0, 10.0)).norm(), 1e-6);
}

/// A 2000 kg car on four sprung, damped supports (Schröder 1990, §7.3): x forward, y up.
fn car(damped: bool) -> (World, BodyId) {
    let mut world = world(rk4());
    let car = add(&mut world, "car", MassProperties::cuboid(2000.0, v(2.2, 0.6, 0.9)), Placement::IDENTITY);
    for (x, damper) in [(1.95, 2500.0), (-1.521, 3500.0)] {
        for z in [-0.897, 0.897] {
            let wheel = v(x, 0.0, z);
            let damper = if damped { damper } else { 0.0 };
            world
                .add_force(Law::custom(move |scope: &ForceScope, loads: &mut Loads| {
                    let state = scope.state(Some(car));
                    let point = state.placement.point(&wheel);
                    if point.y < 0.0 {
                        let push = -50_000.0 * point.y - damper * state.velocity_at(&point).y;
                        loads.force_at(Some(car), v(0.0, push, 0.0), point);
                    }
                }))
                .unwrap();
        }
    }
    (world, car)
}

/// The springs of a car at rest carry the weight by the levers: 0.08598 m in front, 0.11022 m behind, the nose up by
/// 0.400°.
#[test]
fn car_rests_on_its_springs_as_statics_says() {
    let (mut world, car) = car(true);
    run(&mut world, 8.0, 0.005, |_| ());
    let height = |x: Real| -world.state(car).placement.point(&v(x, 0.0, 0.0)).y;
    close(height(1.95), 0.085_98, 5e-3);
    close(height(-1.521), 0.110_22, 5e-3);
    let nose = world.state(car).placement.rotation * Vec3::x();
    close(nose.y.asin().to_degrees(), 0.400, 5e-3);
}

/// The car with its pitch locked heaves at √(4k/m)/2π = 1.5915 Hz.
#[test]
fn car_heaves_with_its_springs_frequency() {
    use sinew_dynamics::{Axis, Element};
    let (mut world, car) = car(false);
    let locked =
        Joint::new(None, Placement::IDENTITY, Some(car), Placement::IDENTITY).holding(&Axis::ALL.map(Element::Angular));
    join(&mut world, locked);
    let mut state = *world.state(car);
    state.placement.position.y = -2000.0 * G / 200_000.0 - 0.02;
    world.set_state(car, state).unwrap();
    let turns = sign_changes(&mut world, 3.0, 0.002, |world| world.state(car).linear().y);
    close(3.0 / (turns[6] - turns[0]), 1.5915, 1e-3);
}

/// The heave of the car with its dampers, 2·2500 + 2·3500 N·s/m, has ζ = 0.300: each half swing is exp(−πζ/√(1 − ζ²)) =
/// 0.3723 of the last.
#[test]
fn car_heave_dies_out_with_its_dampers_ratio() {
    use sinew_dynamics::{Axis, Element};
    let (mut world, car) = car(true);
    let locked = Joint::new(None, Placement::IDENTITY, Some(car), Placement::IDENTITY);
    join(&mut world, locked.holding(&Axis::ALL.map(Element::Angular)));
    let rest = -2000.0 * G / 200_000.0;
    let mut state = *world.state(car);
    state.placement.position.y = rest - 0.02;
    world.set_state(car, state).unwrap();
    let mut highest: Real = -1.0;
    run(&mut world, 0.5, 0.002, |world| highest = highest.max(position(world, car).y - rest));
    close(highest, 0.02 * 0.3723, 1e-3);
}

/// Brakes of 2·1000 + 2·500 N·s/m slow the car by a factor e in 2000/3000 s.
#[test]
fn car_brakes_with_its_own_time_constant() {
    for (stepper, relative) in [(time_stepping(1), 1e-2), (rk4(), 1e-9)] {
        let mut world = space(stepper);
        let car = add(&mut world, "car", MassProperties::cuboid(2000.0, v(2.2, 0.6, 0.9)), Placement::IDENTITY);
        set_velocity(&mut world, car, v(20.0, 0.0, 0.0), Vec3::zeros());
        world.add_force(Law::Drag { body: car, linear: 3000.0, quadratic: 0.0, angular: 0.0 }).unwrap();
        run(&mut world, 2.0 / 3.0, 1.0 / 240.0, |_| ());
        close(world.state(car).linear().x, 20.0 * (-1.0_f64).exp(), relative);
    }
}

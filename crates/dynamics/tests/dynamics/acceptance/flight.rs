//! Free bodies: flight, spin, rotation over many turns.

use super::scenes::*;
use sinew_dynamics::{Body, MassProperties, Method, Placement, Stepper};
use sinew_dynamics::{Quat, Real, Vec3};

/// x = x₀ + v₀t + ½gt² and v = v₀ + gt, to rounding, for any step; Euler is excluded, being of first order.
#[test]
fn centre_of_mass_flies_the_parabola_at_any_step() {
    for stepper in [ode(Method::Midpoint), ode(Method::RungeKutta4), time_stepping(1), time_stepping(3)] {
        for h in [0.5, 0.01] {
            let mut world = world(stepper.clone());
            let body = Body::dynamic("thrown", MassProperties::new(3.0, v(1.0, 1.0, 2.0)), at(1.0, 2.0, 3.0))
                .with_velocity(v(4.0, 9.0, -2.0), v(0.5, 0.0, 5.0));
            let id = world.add_body(body).unwrap();
            run(&mut world, 2.0, h, |_| ());
            let expected = v(1.0, 2.0, 3.0) + v(4.0, 9.0, -2.0) * 2.0 + v(0.0, -G, 0.0) * 2.0;
            small((position(&world, id) - expected).norm(), 1e-12 * expected.norm());
            small((world.state(id).linear() - v(4.0, 9.0 - 2.0 * G, -2.0)).norm(), 1e-12 * expected.norm());
        }
    }
}

/// A symmetric top (I, I, J) rotates as exp(tL/I)·exp(t(1 − J/I)ω₃e₃): Euler's equations in closed form.
fn top_orientation(t: Real) -> Quat {
    let (i, j, spin) = (1.0, 2.0, v(0.5, 0.0, 5.0));
    let momentum = v(i * spin.x, i * spin.y, j * spin.z);
    Quat::from_scaled_axis(momentum * (t / i)) * Quat::from_scaled_axis(v(0.0, 0.0, (1.0 - j / i) * spin.z * t))
}

fn top_error(stepper: Stepper, h: Real) -> Real {
    let mut world = space(stepper);
    let body = Body::dynamic("top", MassProperties::new(1.0, v(1.0, 1.0, 2.0)), Placement::IDENTITY)
        .with_velocity(Vec3::zeros(), v(0.5, 0.0, 5.0));
    let id = world.add_body(body).unwrap();
    run(&mut world, 1.0, h, |_| ());
    angle_between(&world.state(id).placement.rotation, &top_orientation(1.0))
}

/// Halving the step divides the error by 2, 4 and 16: the integrators' orders hold on the rotation group.
#[test]
fn orientation_of_a_free_top_converges_with_the_order_of_the_method() {
    for (method, low, high, h) in
        [(Method::Euler, 1.8, 2.2, 0.002), (Method::Midpoint, 3.7, 4.4, 0.02), (Method::RungeKutta4, 14.0, 18.0, 0.02)]
    {
        let ratio = top_error(ode(method), h) / top_error(ode(method), 0.5 * h);
        assert!((low..high).contains(&ratio), "{method:?}: {ratio}");
    }
    // The default stepper is of second order.
    let ratio = top_error(time_stepping(1), 0.02) / top_error(time_stepping(1), 0.01);
    assert!((3.5..4.6).contains(&ratio), "{ratio}");
}

/// The spin, seen from the body, goes round once in 2πI/((J − I)ω₃) = 1.256637 s.
#[test]
fn free_top_precesses_in_the_body_with_the_euler_period() {
    let period = 1.256_637;
    for (stepper, bound) in [(rk4(), 1e-6), (time_stepping(1), 2e-3)] {
        let mut world = space(stepper);
        let body = Body::dynamic("top", MassProperties::new(1.0, v(1.0, 1.0, 2.0)), Placement::IDENTITY)
            .with_velocity(Vec3::zeros(), v(0.5, 0.0, 5.0));
        let id = world.add_body(body).unwrap();
        let seen = |world: &sinew_dynamics::World| {
            let state = world.state(id);
            state.placement.rotation.inverse_transform_vector(&state.angular())
        };
        run(&mut world, 0.5 * period, 0.5 * period / 250.0, |_| ());
        small((seen(&world) - v(-0.5, 0.0, 5.0)).norm(), bound);
        run(&mut world, 0.5 * period, 0.5 * period / 250.0, |_| ());
        small((seen(&world) - v(0.5, 0.0, 5.0)).norm(), bound);
    }
}

/// A thousand turns about a fixed axis come back to the start: the exponential map has no error but rounding.
#[test]
fn thousand_revolutions_return_to_the_start() {
    let axis = v(1.0, 2.0, 2.0) / 3.0;
    for stepper in both() {
        let mut world = space(stepper);
        let body = Body::dynamic("ball", MassProperties::sphere(1.0, 0.5), Placement::IDENTITY)
            .with_velocity(Vec3::zeros(), axis * (2.0 * std::f64::consts::PI));
        let id = world.add_body(body).unwrap();
        run(&mut world, 1000.0, 0.125, |_| ());
        let rotation = world.state(id).placement.rotation;
        small(angle_between(&rotation, &Quat::identity()), 1e-9);
        small(rotation.quaternion().norm() - 1.0, 1e-12);
    }
}

/// A book thrown about its middle axis, a box at 30 and at 3000 rad/s: energy and angular momentum stay at any spin, also where a
/// body turns twice within a step.
#[test]
fn free_spin_keeps_energy_and_momentum_however_fast() {
    let cases = [
        (v(0.2, 0.03, 0.14), v(0.2, 0.2, 20.0), 2400),
        (v(1.0, 0.3, 0.6), v(30.0, 0.1, 30.0), 2400),
        (v(1.0, 0.3, 0.6), v(3000.0, 10.0, 3000.0), 240),
        (v(0.024, 0.002, 0.024), v(250.0, 25.0, 0.0), 2400),
    ];
    for (size, spin, steps) in cases {
        let mut world = space(time_stepping(1));
        let body = Body::dynamic("box", MassProperties::cuboid(1.0, size), Placement::IDENTITY)
            .with_velocity(Vec3::zeros(), spin);
        world.add_body(body).unwrap();
        let (energy, momentum) = (world.energy(), world.momentum().1);
        run(&mut world, steps as Real / 240.0, 1.0 / 240.0, |_| ());
        close(world.energy(), energy, 1e-9);
        small((world.momentum().1 - momentum).norm(), 1e-9 * momentum.norm());
    }
}

/// A body that rotates farther within a step than can be followed is an error with its name, and the world stays.
#[test]
fn absurd_spin_is_refused_by_name() {
    let mut world = space(time_stepping(1));
    let body = Body::dynamic("whirl", MassProperties::cuboid(1.0, v(1.0, 0.3, 0.6)), Placement::IDENTITY)
        .with_velocity(Vec3::zeros(), v(1e9, 1e9, 0.0));
    world.add_body(body).unwrap();
    let before = world.state_hash();
    let error = world.step(1.0).unwrap_err().to_string();
    assert!(error.contains("whirl") && error.contains("shorter steps"), "{error}");
    assert_eq!(world.state_hash(), before);
}

/// The angular momentum of a tumbling body without outer forces stays: it is a variable of the reference stepper.
#[test]
fn tumbling_keeps_energy_and_momentum() {
    let mut world = space(rk4());
    let body = Body::dynamic("brick", MassProperties::new(1.0, v(1.0, 2.0, 3.0)), Placement::IDENTITY)
        .with_velocity(Vec3::zeros(), v(1.0, 1.0, 1.0));
    world.add_body(body).unwrap();
    let (energy, momentum) = (world.energy(), world.momentum().1);
    run(&mut world, 10.0, 0.01, |_| ());
    close(world.energy(), energy, 1e-8);
    small((world.momentum().1 - momentum).norm(), 1e-12);
}

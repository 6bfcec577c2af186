//! Integration precision: a carousel with four chains, at acceleration level without stabiliser.

use super::scenes::*;
use sinew_dynamics::{
    BodyId, ConstraintId, Joint, Law, MassProperties, Method, Ode, Placement, StepControl, Stepper, World,
};
use sinew_dynamics::{Quat, Real, Vec3};

/// A hub turning about y with four chains of two 1 m links that hang from its rim and turn with it.
fn carousel(stepper: Stepper) -> (World, Vec<ConstraintId>) {
    let mut world = world(stepper);
    let spin = v(0.0, 2.0, 0.0);
    let hub = add(&mut world, "hub", MassProperties::cuboid(50.0, v(1.0, 0.1, 1.0)), Placement::IDENTITY);
    set_velocity(&mut world, hub, Vec3::zeros(), spin);
    let upright = Placement::new(Vec3::zeros(), Quat::from_axis_angle(&Vec3::x_axis(), -std::f64::consts::FRAC_PI_2));
    let mut joints = vec![join(&mut world, Joint::hinge(None, upright, Some(hub), upright))];
    for arm in 0..4 {
        let rotation = Quat::from_axis_angle(&Vec3::y_axis(), arm as Real * std::f64::consts::FRAC_PI_2);
        let rim = rotation * v(1.0, 0.0, 0.0);
        let (mut above, mut anchor) = (hub, Placement::at(rim));
        for link in 0..2 {
            let place = rim + v(0.0, -0.5 - link as Real, 0.0);
            let body: BodyId =
                add(&mut world, "link", MassProperties::cuboid(1.0, v(0.1, 0.5, 0.1)), Placement::at(place));
            set_velocity(&mut world, body, spin.cross(&place), spin);
            joints.push(join(&mut world, Joint::ball(Some(above), anchor, Some(body), at(0.0, 0.5, 0.0))));
            (above, anchor) = (body, at(0.0, -0.5, 0.0));
        }
    }
    (world, joints)
}

/// The mean gap at the links after `seconds`.
fn drift(stepper: Stepper, h: Real, seconds: Real) -> Real {
    let (mut world, joints) = carousel(stepper);
    run(&mut world, seconds, h, |_| ());
    joints.iter().map(|&j| gap(&world, j)).sum::<Real>() / joints.len() as Real
}

/// The links drift apart with h, h² and h⁴, and at 10 ms midpoint is 20 and RK4 200 times better than Euler at least.
#[test]
fn carousel_links_drift_with_the_order_of_the_method() {
    let mut at_ten = Vec::new();
    for (method, order) in [(Method::Euler, 1.0), (Method::Midpoint, 2.0), (Method::RungeKutta4, 4.0)] {
        let [coarse, fine, finer] = [0.01, 0.005, 0.0025].map(|h| drift(drifting(method), h, 1.0));
        let slope = (fine / finer).log2();
        assert!((slope - order).abs() <= 0.15, "{method:?}: {slope} ({coarse:.2e}, {fine:.2e}, {finer:.2e})");
        at_ten.push(coarse);
    }
    assert!(at_ten[1] <= at_ten[0] / 20.0 && at_ten[2] <= at_ten[0] / 200.0, "{at_ten:?}");
}

/// Euler with velocities corrected before every step: the drift stays bounded, a twentieth of Euler's at most.
#[test]
fn velocity_level_solve_bounds_the_drift_of_euler() {
    let rescued = Stepper::Ode(Ode { velocity_level: Some(0.2), ..Ode::new(Method::Euler) });
    let plain = drift(drifting(Method::Euler), 0.005, 1.0);
    let (early, late) = (drift(rescued.clone(), 0.005, 1.0), drift(rescued, 0.005, 4.0));
    assert!(early <= plain / 20.0, "{early:.2e} against {plain:.2e}");
    assert!(late <= 3.0 * early.max(2e-3), "{late:.2e} after {early:.2e}");
}

/// The adaptive stepper holds its tolerance with fewer evaluations the higher the order, and ends where the fixed one
/// ends.
#[test]
fn adaptive_steps_agree_with_small_fixed_ones() {
    let place = |stepper: Stepper, h: Real| {
        let (mut world, _) = carousel(stepper);
        let mut substeps = 0;
        for _ in 0..(1.0 / h).round() as usize {
            substeps += world.step(h).unwrap().substeps;
        }
        assert!((world.time() - 1.0).abs() < 1e-12);
        (world.bodies().map(|(id, _)| position(&world, id)).collect::<Vec<_>>(), substeps)
    };
    let (fixed, _) = place(rk4(), 0.001);
    let adaptive =
        |method, tolerance| Stepper::Ode(Ode { control: StepControl::adaptive(tolerance), ..Ode::new(method) });
    let (fourth, few) = place(adaptive(Method::RungeKutta4, 1e-8), 0.25);
    let (second, many) = place(adaptive(Method::Midpoint, 1e-6), 0.25);
    let worst = |other: &[Vec3]| fixed.iter().zip(other).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
    small(worst(&fourth), 1e-6);
    small(worst(&second), 1e-3);
    assert!(few < many, "{few} {many}");
}

/// A mass flies freely, so that steps grow, into a stiff elastic wall: the long step is refused, and the mass comes
/// back as fast as it went.
#[test]
fn adaptive_steps_shrink_where_a_stiff_wall_is_hit() {
    let mut world = space(Stepper::Ode(Ode { control: StepControl::adaptive(1e-7), ..Ode::default() }));
    let mass = add(&mut world, "mass", MassProperties::sphere(1.0, 0.1), Placement::IDENTITY);
    set_velocity(&mut world, mass, v(1.0, 0.0, 0.0), Vec3::zeros());
    let wall = Law::custom(move |scope, loads| {
        let depth = scope.state(Some(mass)).placement.position.x - 3.1;
        if depth > 0.0 {
            loads.force(Some(mass), v(-1e4 * depth, 0.0, 0.0));
        }
    });
    world.add_force(wall).unwrap();
    let flight = world.step(3.0).unwrap();
    assert!(flight.substeps < 10, "{}", flight.substeps);
    let bounce = world.step(1.0).unwrap();
    assert!(bounce.substeps > 10, "{}", bounce.substeps);
    close(world.state(mass).linear().x, -1.0, 1e-4);
}

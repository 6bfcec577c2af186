//! Bad input is refused, with the name of the body concerned.

use super::scenes::*;
use sinew_dynamics::{
    Anchor, Body, Collider, Force, Joint, Law, MassProperties, Ode, Placement, Shape, StepControl, Stepper,
};
use sinew_dynamics::{Real, Vec3};

fn refusal<T: std::fmt::Debug>(result: Result<T, sinew_dynamics::DynamicsError>, name: &str) {
    let message = result.expect_err("refused").to_string();
    assert!(message.contains(name), "{message}");
}

/// Zero mass, no inertia, a position that is no number.
#[test]
fn impossible_bodies_are_refused_by_name() {
    let mut world = world(rk4());
    refusal(
        world.add_body(Body::dynamic("feather", MassProperties::new(0.0, v(1.0, 1.0, 1.0)), Placement::IDENTITY)),
        "feather",
    );
    refusal(
        world.add_body(Body::dynamic("needle", MassProperties::new(1.0, v(0.0, 1.0, 1.0)), Placement::IDENTITY)),
        "needle",
    );
    refusal(world.add_body(Body::dynamic("ghost", MassProperties::sphere(1.0, 1.0), at(Real::NAN, 0.0, 0.0))), "ghost");
}

/// Infinite forces, blows and states.
#[test]
fn infinite_influences_are_refused_by_name() {
    let mut world = world(rk4());
    let id = add(&mut world, "ball", MassProperties::sphere(1.0, 1.0), Placement::IDENTITY);
    refusal(world.apply(id, v(Real::INFINITY, 0.0, 0.0), Vec3::zeros()), "ball");
    refusal(world.apply_impulse(id, v(0.0, Real::NAN, 0.0), Vec3::zeros()), "ball");
    let mut state = *world.state(id);
    state.placement.position.x = Real::INFINITY;
    refusal(world.set_state(id, state), "ball");
    let spring = Law::Spring {
        a: Anchor::world(v(Real::NAN, 0.0, 0.0)),
        b: Anchor::on(id, Vec3::zeros()),
        rest_length: 1.0,
        stiffness: 1.0,
        damping: 0.0,
    };
    refusal(world.add_force(Force::new(spring).named("bad spring")), "bad spring");
}

/// A law that answers with infinity stops the step; the world is left as it was, and the body is named.
#[test]
fn a_step_that_diverges_is_undone_and_names_the_body() {
    let adaptive = Stepper::Ode(Ode { control: StepControl::adaptive(1e-8), ..Ode::default() });
    for stepper in both().into_iter().chain([adaptive]) {
        let mut world = world(stepper);
        let id = add(&mut world, "victim", MassProperties::sphere(1.0, 1.0), at(1.0, 2.0, 3.0));
        let law = Law::custom(move |_, loads| loads.force(Some(id), v(Real::INFINITY, 0.0, 0.0)));
        world.add_force(law).unwrap();
        refusal(world.step(H), "victim");
        assert_eq!(position(&world, id), v(1.0, 2.0, 3.0));
        assert_eq!(world.time(), 0.0);
    }
}

/// Hundreds of balls in one place are refused before the step, with the name of one of them. Nobody could part them.
#[test]
fn crowds_in_one_place_are_refused_by_name() {
    let mut world = world(time_stepping(1));
    for number in 0..300 {
        let id = add(&mut world, &format!("ball {number}"), MassProperties::sphere(1.0, 0.1), at(0.0, 1.0, 0.0));
        world.add_collider(id, Collider::new(Shape::Sphere { radius: 0.1 })).unwrap();
    }
    refusal(world.step(H), "ball 0");
    assert_eq!(world.time(), 0.0);
}

/// A limb that goes round its joint thousands of times in a step is refused at once, and not after it was followed round.
#[test]
fn hopeless_spins_at_joints_are_refused_by_name() {
    let mut world = world(time_stepping(1));
    let limb = add(&mut world, "limb", MassProperties::rod(1.0, 1.0), at(0.5, 0.0, 0.0));
    join(&mut world, Joint::hinge(None, Placement::IDENTITY, Some(limb), at(-0.5, 0.0, 0.0)));
    set_velocity(&mut world, limb, v(0.0, 4e6, 0.0), v(0.0, 0.0, 8e6));
    refusal(world.step(H), "limb");
    assert_eq!(position(&world, limb), v(0.5, 0.0, 0.0));
}

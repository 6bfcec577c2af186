//! Builders of bodies, joints and steppers, and readings of the result, shared by the scenes.

use sinew_dynamics::math::Vec6;
use sinew_dynamics::{
    Body, BodyId, Constraint, ConstraintId, Joint, MassProperties, Method, Ode, Placement, State, Stepper,
    TimeStepping, World,
};
use sinew_dynamics::{Quat, Real, Vec3};

/// Standard gravity, m/s², as the closed forms take it.
pub const G: Real = 9.81;
/// The usual step, 1/240 s.
pub const H: Real = 1.0 / 240.0;

pub fn v(x: Real, y: Real, z: Real) -> Vec3 {
    Vec3::new(x, y, z)
}

pub fn at(x: Real, y: Real, z: Real) -> Placement {
    Placement::at(v(x, y, z))
}

pub fn ode(method: Method) -> Stepper {
    Stepper::Ode(Ode::new(method))
}

pub fn rk4() -> Stepper {
    ode(Method::RungeKutta4)
}

/// Stepper without a stabiliser: the integrator alone.
pub fn drifting(method: Method) -> Stepper {
    Stepper::Ode(Ode { stabilisation: None, ..Ode::new(method) })
}

pub fn time_stepping(substeps: usize) -> Stepper {
    Stepper::TimeStepping(TimeStepping { substeps, ..TimeStepping::default() })
}

/// The default stepper and the reference.
pub fn both() -> [Stepper; 2] {
    [time_stepping(1), rk4()]
}

pub fn world(stepper: Stepper) -> World {
    let mut world = World::new();
    world.stepper = stepper;
    world
}

/// World without gravity.
pub fn space(stepper: Stepper) -> World {
    let mut world = world(stepper);
    world.gravity = Vec3::zeros();
    world
}

/// A slender rod along x with exactly m L²/12 across and next to nothing along it.
pub fn slender(mass: Real, length: Real) -> MassProperties {
    let across = mass * length * length / 12.0;
    MassProperties::new(mass, v(1e-4 * across, across, across))
}

pub fn add(world: &mut World, name: &str, mass: MassProperties, placement: Placement) -> BodyId {
    world.add_body(Body::dynamic(name, mass, placement)).expect("a sound body")
}

pub fn join(world: &mut World, joint: Joint) -> ConstraintId {
    world.add_constraint(Constraint::new(joint)).expect("its bodies exist")
}

/// A rod of length 1 and mass `mass` on a nail at the origin, rotated by `angle` from hanging about z; ball or hinge.
pub fn rod_pendulum(world: &mut World, mass: Real, angle: Real) -> (BodyId, ConstraintId) {
    let rotation = Quat::from_axis_angle(&Vec3::z_axis(), angle - std::f64::consts::FRAC_PI_2);
    let rod = add(world, "rod", slender(mass, 1.0), Placement::new(rotation * v(0.5, 0.0, 0.0), rotation));
    let nail = Joint::hinge(None, Placement::IDENTITY, Some(rod), at(-0.5, 0.0, 0.0));
    (rod, join(world, nail))
}

/// Runs for `seconds` in steps of `h`, calling `look` after each step.
pub fn run(world: &mut World, seconds: Real, h: Real, mut look: impl FnMut(&World)) {
    for _ in 0..(seconds / h).round() as usize {
        world.step(h).expect("the step succeeds");
        look(world);
    }
}

/// The times at which a reading changes sign, by linear interpolation, within `seconds`.
pub fn sign_changes(world: &mut World, seconds: Real, h: Real, reading: impl Fn(&World) -> Real) -> Vec<Real> {
    let mut times = Vec::new();
    let mut last = reading(world);
    run(world, seconds, h, |world| {
        let now = reading(world);
        if last * now < 0.0 {
            times.push(world.time() - h * now / (now - last));
        }
        last = now;
    });
    times
}

pub fn set_velocity(world: &mut World, id: BodyId, linear: Vec3, angular: Vec3) {
    let velocity = Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
    let placement = world.state(id).placement;
    world.set_state(id, State { placement, velocity }).expect("finite");
}

pub fn position(world: &World, id: BodyId) -> Vec3 {
    world.state(id).placement.position
}

/// The force that a constraint exerts on a body, N.
pub fn force_on(world: &World, constraint: ConstraintId, body: BodyId) -> Vec3 {
    let reaction = world.reaction(constraint);
    let wrench = reaction.wrenches.iter().find(|(id, _)| *id == body).map_or_else(Vec6::zeros, |(_, w)| *w);
    v(wrench[0], wrench[1], wrench[2])
}

/// The distance of a joint's two frames.
pub fn gap(world: &World, constraint: ConstraintId) -> Real {
    let joint = world.constraint(constraint).joint().expect("a joint");
    let place = |body: Option<BodyId>, frame: &Placement| match body {
        Some(id) => world.state(id).placement.point(&frame.position),
        None => frame.position,
    };
    (place(joint.b, &joint.frame_b) - place(joint.a, &joint.frame_a)).norm()
}

/// The angle of the rotation that takes one orientation to another.
pub fn angle_between(a: &Quat, b: &Quat) -> Real {
    2.0 * (a.inverse() * b).imag().norm().min(1.0).asin()
}

/// Checks |value − expected| ≤ tolerance·|expected|.
#[track_caller]
pub fn close(value: Real, expected: Real, relative: Real) {
    let off = (value - expected).abs() / expected.abs();
    assert!(off <= relative, "{value} is not {expected}: off by {off:.2e}, allowed {relative:.0e}");
}

/// Checks |value| ≤ bound.
#[track_caller]
pub fn small(value: Real, bound: Real) {
    assert!(value.abs() <= bound, "|{value:.3e}| exceeds {bound:.0e}");
}

//! A four-wheeled car: suspension, steering, motor, brakes.

use super::scenes::*;
use sinew_dynamics::{
    Axis, Body, BodyId, Collider, Constraint, ConstraintId, Element, Joint, MassProperties, Placement, Response, Shape,
    World,
};
use sinew_dynamics::{Quat, Real, Vec3};

const RADIUS: Real = 0.3;
const STIFFNESS: Real = 20_000.0;
const BASE: Real = 2.4;
const TRACK: Real = 1.4;

struct Car {
    world: World,
    chassis: BodyId,
    wheels: Vec<BodyId>,
    axles: Vec<ConstraintId>,
}

/// The chassis rides along +x. Each wheel is a ball on a carrier that slides down from the chassis on a spring; the two
/// front wheels' carriers are turned by `steering` (the inner and outer angle follow Ackermann).
fn car(steering: Real) -> Car {
    let m = material(0.9, 0.0);
    let mut world = world_with_floor(0.0, m);
    let body = Body::dynamic(
        "chassis",
        MassProperties::cuboid(800.0, Vec3::new(1.5, 0.25, 0.8)),
        Placement::at(Vec3::new(0.0, 0.7, 0.0)),
    );
    let chassis = world.add_body(body).expect("a sound body");
    let (mut wheels, mut axles) = (Vec::new(), Vec::new());
    for (x, z) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let place = Vec3::new(x * BASE / 2.0, RADIUS, z * TRACK / 2.0);
        // Turning left (towards −z): the centre of the turn is at (−BASE/2, −R).
        let angle =
            if x > 0.0 && steering != 0.0 { (BASE / (BASE / steering.tan() + z * TRACK / 2.0)).atan() } else { 0.0 };
        let rotation = Quat::from_axis_angle(&Vec3::y_axis(), angle);
        let carrier =
            Body::dynamic("carrier", MassProperties::cuboid(10.0, Vec3::repeat(0.1)), Placement::new(place, rotation));
        let carrier = world.add_body(carrier).expect("a sound body");
        let wheel = Body::dynamic("wheel", MassProperties::sphere(15.0, RADIUS), Placement::new(place, rotation));
        let wheel = world.add_body(wheel).expect("a sound body");
        let shape = Collider::new(Shape::Sphere { radius: RADIUS }).with_material(m);
        world.add_collider(wheel, shape).expect("a sound shape");
        // Slider along the vertical (x of the frame), with a spring on its free direction.
        let upright = Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
        let mount = Placement::new(place - Vec3::new(0.0, 0.7, 0.0), upright);
        let spring = Response::Spring { stiffness: STIFFNESS, damping: 2_500.0 };
        let strut = Joint::slider(
            Some(chassis),
            mount,
            Some(carrier),
            Placement::new(Vec3::zeros(), rotation.inverse() * upright),
        )
        .driven(Element::Linear(Axis::X), spring, Real::INFINITY);
        world.add_constraint(Constraint::new(strut)).expect("a sound joint");
        let axle = Joint::hinge(Some(carrier), Placement::IDENTITY, Some(wheel), Placement::IDENTITY);
        axles.push(world.add_constraint(Constraint::new(axle)).expect("a sound joint"));
        wheels.push(wheel);
    }
    Car { world, chassis, wheels, axles }
}

/// A spring carries a quarter of the chassis: it sags by m g / 4 K.
#[test]
fn suspension_sags_by_the_weight_over_its_stiffness() {
    let mut car = car(0.0);
    let before = at(&car.world, car.chassis).y - at(&car.world, car.wheels[0]).y;
    run(&mut car.world, 5.0, 1.0 / 120.0);
    let sag = before - (at(&car.world, car.chassis).y - at(&car.world, car.wheels[0]).y);
    let expected = 800.0 * G / (4.0 * STIFFNESS);
    assert!((sag - expected).abs() < 0.02 * expected, "{sag} {expected}");
}

fn drive(car: &mut Car, wheels: &[usize], speed: Real, torque: Real) {
    for &index in wheels {
        let joint = car.world.constraint_mut(car.axles[index]).joint_mut().expect("a joint");
        *joint = joint.clone().without(Element::Twist(Axis::Z)).powered_rotation(Axis::Z, Response::Rate, torque);
        joint.set_target_angle(Axis::Z, 0.0, 0.0, -speed / RADIUS);
    }
}

/// Driven wheels at ω roll the car at v = ω R, and with steered wheels it goes round a circle of L / tan δ.
#[test]
fn steered_car_goes_round_the_circle_of_its_wheels() {
    let steering: Real = 0.2;
    let mut car = car(steering);
    run(&mut car.world, 1.0, 1.0 / 120.0);
    drive(&mut car, &[2], 2.0, 400.0);
    run(&mut car.world, 6.0, 1.0 / 120.0);
    let state = *car.world.state(car.chassis);
    let spin = state.angular().y;
    // The middle of the rear axle moves along the car.
    let rear = state.velocity_at(&state.placement.point(&Vec3::new(-BASE / 2.0, -0.4, 0.0)));
    let radius = rear.norm() / spin.abs();
    let expected = BASE / steering.tan();
    assert!((radius - expected).abs() < 0.05 * expected, "{radius} {expected}");
    let wheel = car.world.state(car.wheels[2]);
    let rolling = wheel.linear().norm() / RADIUS;
    assert!((wheel.linear().norm() - 2.0).abs() < 0.04, "{} {rolling}", wheel.linear().norm());
}

/// A car with all wheels locked at 8 m/s slides v²/2µg.
#[test]
fn locked_wheels_stop_the_car_by_friction() {
    let mut car = car(0.0);
    run(&mut car.world, 1.0, 1.0 / 120.0);
    let speed = 8.0;
    let ids: Vec<BodyId> = car.world.bodies().filter(|(_, b)| b.is_dynamic()).map(|(id, _)| id).collect();
    for id in ids {
        push(&mut car.world, id, Vec3::new(speed, 0.0, 0.0), Vec3::zeros());
    }
    drive(&mut car, &[0, 1, 2, 3], 0.0, Real::INFINITY);
    let start = at(&car.world, car.chassis).x;
    run(&mut car.world, 3.0, 1.0 / 120.0);
    let way = at(&car.world, car.chassis).x - start;
    let expected = speed * speed / (2.0 * 0.9 * G);
    assert!((way - expected).abs() < 0.05 * expected, "{way} {expected}");
    assert!(car.world.state(car.chassis).linear().norm() < 0.05);
}

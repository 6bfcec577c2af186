//! Coulomb's law on inclines, in slides and in rolls.

use super::scenes::*;
use sinew_dynamics::solve::FrictionBound;
use sinew_dynamics::{
    Body, Collider, Constraint, Joint, MassProperties, Material, Placement, Shape, SolverKind, World,
};
use sinew_dynamics::{Quat, Real, Vec3};

fn box_on_slope(degrees: Real, friction: Real) -> (World, sinew_dynamics::BodyId) {
    let slope = degrees.to_radians();
    let mut world = world_with_floor(slope, material(friction, 0.0));
    let tilt = Quat::from_axis_angle(&Vec3::z_axis(), -slope);
    let at = Placement::new(tilt * Vec3::new(0.0, 0.2, 0.0), tilt);
    let id = add_box(&mut world, 3.0, Vec3::new(0.3, 0.2, 0.3), at, material(friction, 0.0));
    (world, id)
}

/// tan 26° < 0.5 = µ: the box stays; it creeps less than a millimetre in ten seconds.
#[test]
fn box_sticks_below_the_angle_of_friction() {
    let (mut world, id) = box_on_slope(26.0, 0.5);
    world.sleeping.enabled = false;
    let start = at(&world, id);
    run(&mut world, 10.0, 1.0 / 120.0);
    assert!((at(&world, id) - start).norm() < 1e-3, "{}", (at(&world, id) - start).norm());
}

/// A box above that angle slides with g (sin θ − µ cos θ): 0.657 m/s² at 30° with µ = 0.5.
#[test]
fn box_slides_above_the_angle_of_friction() {
    for kind in [SolverKind::Tree, SolverKind::Dense, SolverKind::Iterative { max_sweeps: 400, tolerance: 1e-9 }] {
        let (mut world, id) = box_on_slope(30.0, 0.5);
        world.set_solver(kind);
        run(&mut world, 2.0, 1.0 / 240.0);
        let speed = world.state(id).linear().norm();
        let expected = 2.0 * G * (30f64.to_radians().sin() - 0.5 * 30f64.to_radians().cos());
        assert!((speed - expected).abs() < 0.02 * expected, "{kind:?}: {speed} {expected}");
    }
}

/// A box pushed along the floor stops after v²/2µg, whatever the direction: friction is a cone, not a pyramid.
#[test]
fn sliding_box_stops_where_energy_says_in_any_direction() {
    for degrees in [0.0f64, 20.0, 45.0, 77.0] {
        let mut world = world_with_floor(0.0, material(0.4, 0.0));
        let half = Vec3::new(0.2, 0.05, 0.2);
        let id = add_box(&mut world, 1.0, half, Placement::at(Vec3::new(0.0, 0.05, 0.0)), material(0.4, 0.0));
        let direction = Vec3::new(degrees.to_radians().cos(), 0.0, degrees.to_radians().sin());
        push(&mut world, id, direction * 3.0, Vec3::zeros());
        run(&mut world, 2.0, 1.0 / 240.0);
        let way = at(&world, id) - Vec3::new(0.0, 0.05, 0.0);
        let expected = 9.0 / (2.0 * 0.4 * G);
        assert!((way.norm() - expected).abs() < 0.02 * expected, "{degrees}: {} {expected}", way.norm());
        assert!((way.normalize() - direction).norm() < 0.02, "{degrees}: {way}");
    }
}

/// A ball set down sliding without spin ends up rolling at 5/7 of its speed, whatever the friction.
#[test]
fn sliding_ball_ends_rolling_at_five_sevenths() {
    let mut world = world_with_floor(0.0, material(0.3, 0.0));
    let id = add_ball(&mut world, 1.0, 0.1, Vec3::new(0.0, 0.1, 0.0), material(0.3, 0.0));
    push(&mut world, id, Vec3::new(4.0, 0.0, 0.0), Vec3::zeros());
    run(&mut world, 2.0, 1.0 / 240.0);
    let state = world.state(id);
    assert!((state.linear().x - 4.0 * 5.0 / 7.0).abs() < 0.01 * 4.0 * 5.0 / 7.0, "{}", state.linear());
    assert!((state.angular().z * 0.1 + state.linear().x).abs() < 1e-3, "{}", state.velocity);
}

/// A lying cylinder (a capsule here stands for one: its inertia is given) rolls down with 2/3 g sin θ.
#[test]
fn rolling_cylinder_gains_two_thirds_of_the_slope() {
    let slope = 10f64.to_radians();
    let mut world = world_with_floor(slope, material(0.8, 0.0));
    let tilt = Quat::from_axis_angle(&Vec3::z_axis(), -slope);
    let radius = 0.1;
    // I = ½ m r² about the axis, z.
    let mass = MassProperties::new(2.0, Vec3::new(0.06, 0.06, 0.5 * 2.0 * radius * radius));
    let body = Body::dynamic("cylinder", mass, Placement::at(tilt * Vec3::new(0.0, radius, 0.0)));
    let shape = Shape::Capsule { a: Vec3::new(0.0, 0.0, -0.3), b: Vec3::new(0.0, 0.0, 0.3), radius };
    let id = add(&mut world, body, shape, material(0.8, 0.0));
    run(&mut world, 1.5, 1.0 / 240.0);
    let expected = 2.0 / 3.0 * G * slope.sin() * 1.5;
    let speed = world.state(id).linear().norm();
    assert!((speed - expected).abs() < 0.01 * expected, "{speed} {expected}");
}

/// Rolling resistance stops a ball: deceleration of the rolling ball is 5/7 · g · lever / radius.
#[test]
fn rolling_resistance_stops_a_ball() {
    let rolling = Material { friction: 0.8, rolling: 0.002, ..Material::default() };
    let mut world = world_with_floor(0.0, rolling);
    let id = add_ball(&mut world, 1.0, 0.1, Vec3::new(0.0, 0.1, 0.0), rolling);
    push(&mut world, id, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, -10.0));
    run(&mut world, 1.0, 1.0 / 240.0);
    let expected = 1.0 - 5.0 / 7.0 * G * 0.002 / 0.1;
    let speed = world.state(id).linear().x;
    assert!((speed - expected).abs() < 0.02, "{speed} {expected}");
    run(&mut world, 9.0, 1.0 / 240.0);
    assert!(world.state(id).velocity.norm() < 1e-3, "{}", world.state(id).velocity);
}

/// The friction force at every contact and step is inside the cone of the normal force, and opposes the slip.
#[test]
fn friction_stays_in_its_cone() {
    let mut world = world_with_floor(0.0, material(0.5, 0.0));
    for index in 0..6 {
        let rotation = Quat::from_scaled_axis(Vec3::new(0.3, 0.2, 0.5) * index as Real);
        let place = Placement::new(Vec3::new(0.1 * index as Real, 0.3 + 0.35 * index as Real, 0.0), rotation);
        let id = add_box(&mut world, 1.0, Vec3::new(0.2, 0.1, 0.15), place, material(0.5, 0.0));
        push(&mut world, id, Vec3::new(1.0, 0.0, 0.5), Vec3::new(2.0, 1.0, 0.0));
    }
    let mut seen = 0;
    for _ in 0..480 {
        world.step(1.0 / 240.0).expect("a finite step");
        for contact in world.contacts() {
            seen += 1;
            let bound = 0.5 * contact.normal_force;
            assert!(contact.friction_force.norm() <= bound * (1.0 + 1e-6) + 1e-9, "{contact:?}");
            assert!(
                contact.normal_force >= 0.0 && contact.normal.dot(&contact.friction_force).abs() < 1e-9 + 1e-9 * bound
            );
        }
    }
    assert!(seen > 1000);
}

/// A box on a box, pushed sideways with less than µ m g: it does not slip.
#[test]
fn pushed_top_box_does_not_slip_below_the_limit() {
    let m = material(0.5, 0.0);
    let mut world = world_with_floor(0.0, material(0.9, 0.0));
    let lower =
        add_box(&mut world, 20.0, Vec3::repeat(0.3), Placement::at(Vec3::new(0.0, 0.3, 0.0)), material(0.9, 0.0));
    let upper = add_box(&mut world, 2.0, Vec3::new(0.2, 0.1, 0.2), Placement::at(Vec3::new(0.0, 0.7, 0.0)), m);
    run(&mut world, 0.5, 1.0 / 240.0);
    let start = at(&world, upper) - at(&world, lower);
    // The pair rubs with √(0.5·0.9).
    let push = 0.95 * (0.5f64 * 0.9).sqrt() * 2.0 * G;
    for _ in 0..480 {
        world.apply_at(upper, Vec3::new(push, 0.0, 0.0), at(&world, upper) - Vec3::new(0.0, 0.1, 0.0)).expect("finite");
        world.step(1.0 / 240.0).expect("a finite step");
    }
    let slip = at(&world, upper) - at(&world, lower) - start;
    assert!(slip.norm() < 1e-3, "{slip}");
}

/// A rod hangs from a nail and trails on a conveyor that runs against it, at 60° from the plumb. Moments about the
/// nail: N x = ½ W x + F y, the tip touching at x beside and y below it. By Coulomb's law F = µN, so N = ½W / (1 − µ
/// y/x); with friction bounded by the load without friction F = ½µW, so N = ½W (1 + µ y/x).
#[test]
fn friction_that_presses_is_bounded_by_the_load_it_makes_or_by_the_smooth_one() {
    let (mass, length, friction, angle) = (2.0, 1.0, 0.3, 60f64.to_radians());
    for bound in [FrictionBound::Load, FrictionBound::SmoothLoad] {
        let mut world = World::new();
        world.sleeping.enabled = false;
        world.contact.friction_bound = bound;
        let nail = Vec3::new(0.0, length * angle.cos() + 0.01, 0.0);
        let down = Vec3::new(angle.sin(), -angle.cos(), 0.0);
        let rotation = Quat::rotation_between(&Vec3::x(), &down).expect("not opposite");
        let at = Placement::new(nail + down * (0.5 * length), rotation);
        let rod = world.add_body(Body::dynamic("rod", MassProperties::rod(mass, length), at)).expect("a rod");
        let end = Placement::at(Vec3::new(-0.5 * length, 0.0, 0.0));
        let hinge = Joint::hinge(None, Placement::at(nail), Some(rod), end);
        world.add_constraint(Constraint::new(hinge)).expect("a hinge");
        let tip = Collider::new(Shape::Sphere { radius: 0.01 }).with_material(material(friction, 0.0));
        world.add_collider(rod, tip.at(Placement::at(Vec3::new(0.5 * length, 0.0, 0.0)))).expect("a tip");
        // The conveyor runs towards the nail's foot, which drives the tip under it.
        let conveyor =
            world.add_body(Body::kinematic("conveyor", Placement::at(Vec3::new(0.0, -0.5, 0.0)))).expect("a conveyor");
        let half_extents = Vec3::new(20.0, 0.5, 1.0);
        let conveyor_shape = Collider::new(Shape::Box { half_extents }).with_material(material(friction, 0.0));
        world.add_collider(conveyor, conveyor_shape).expect("a conveyor");
        let mut moving = *world.state(conveyor);
        moving.velocity[0] = -1.0;
        world.set_state(conveyor, moving).expect("a speed");
        run(&mut world, 1.0, 1.0 / 240.0);
        let (weight, steep) = (mass * G, nail.y / (length * angle.sin()));
        let expected = match bound {
            FrictionBound::Load => 0.5 * weight / (1.0 - friction * steep),
            FrictionBound::SmoothLoad => 0.5 * weight * (1.0 + friction * steep),
        };
        let load = world.contact_load(rod).0.y;
        assert!((load / expected - 1.0).abs() < 1e-3, "{bound:?}: {load} N against {expected} N");
    }
}

//! Impacts: restitution and conservation laws.

use super::scenes::*;
use sinew_dynamics::{Axis, Body, BodyId, Constraint, Element, Joint, MassProperties, Placement, World};
use sinew_dynamics::{Quat, Real, Vec3};

/// A cube that lands flat on four corners gets no spin, since the four impulses are equal.
#[test]
fn flat_impact_gives_no_spin() {
    let mut world = world_with_floor(0.0, material(0.5, 0.0));
    let cube =
        add_box(&mut world, 2.0, Vec3::repeat(0.25), Placement::at(Vec3::new(0.0, 1.0, 0.0)), material(0.5, 0.0));
    let mut spin: Real = 0.0;
    for _ in 0..240 {
        world.step(1.0 / 240.0).expect("a finite step");
        spin = spin.max(world.state(cube).angular().norm());
    }
    assert!(spin <= 1e-9, "{spin:e}");
    assert!((at(&world, cube).y - 0.25).abs() < 1e-4, "{}", at(&world, cube).y);
}

/// A coefficient of restitution of 0.5 returns a quarter of the drop height (v⁺ = −e v⁻, h = v²/2g), for a ball and a
/// cube.
#[test]
fn half_restitution_rebounds_to_a_quarter_of_the_height() {
    for ball in [true, false] {
        let mut world = world_with_floor(0.0, material(0.3, 0.5));
        let place = Vec3::new(0.0, 1.1, 0.0);
        let id = if ball {
            add_ball(&mut world, 1.0, 0.1, place, material(0.3, 0.5))
        } else {
            add_box(&mut world, 1.0, Vec3::repeat(0.1), Placement::at(place), material(0.3, 0.5))
        };
        let (mut bounced, mut top): (bool, Real) = (false, 0.0);
        for _ in 0..240 {
            world.step(1.0 / 240.0).expect("a finite step");
            let state = world.state(id);
            bounced |= state.linear().y > 0.5;
            if bounced {
                top = top.max(state.placement.position.y - 0.1);
            }
        }
        assert!((top - 0.25).abs() < 0.0025, "ball {ball}: {top}");
    }
}

/// Two equal cubes that collide head-on with e = 1 swap their velocities.
#[test]
fn equal_cubes_swap_velocities_in_an_elastic_hit() {
    let mut world = World::new();
    world.gravity = Vec3::zeros();
    let half = Vec3::repeat(0.2);
    let a = add_box(&mut world, 1.5, half, Placement::at(Vec3::new(-0.5, 0.0, 0.0)), material(0.0, 1.0));
    let b = add_box(&mut world, 1.5, half, Placement::at(Vec3::new(0.5, 0.0, 0.0)), material(0.0, 1.0));
    push(&mut world, a, Vec3::new(1.0, 0.0, 0.0), Vec3::zeros());
    push(&mut world, b, Vec3::new(-2.0, 0.0, 0.0), Vec3::zeros());
    run(&mut world, 1.0, 1.0 / 240.0);
    let off = |id: BodyId, v: Vec3| {
        let s = world.state(id);
        (s.linear() - v).norm() + s.angular().norm()
    };
    assert!(off(a, Vec3::new(-2.0, 0.0, 0.0)) < 1e-9, "{}", world.state(a).velocity);
    assert!(off(b, Vec3::new(1.0, 0.0, 0.0)) < 1e-9, "{}", world.state(b).velocity);
}

/// Off-centre elastic hit of two frictionless balls of unequal mass: momentum and kinetic energy are kept.
#[test]
fn elastic_hit_keeps_momentum_and_energy() {
    let mut world = World::new();
    world.gravity = Vec3::zeros();
    let a = add_ball(&mut world, 1.0, 0.1, Vec3::new(-0.4, 0.06, 0.0), material(0.0, 1.0));
    let _b = add_ball(&mut world, 3.0, 0.15, Vec3::zeros(), material(0.0, 1.0));
    push(&mut world, a, Vec3::new(2.0, 0.0, 0.3), Vec3::zeros());
    let (momentum, energy) = (world.momentum(), world.energy());
    run(&mut world, 0.6, 1.0 / 240.0);
    let after = world.momentum();
    assert!(world.state(a).linear().x < 1.9, "they hit");
    assert!((after.0 - momentum.0).norm() < 1e-12);
    assert!((after.1 - momentum.1).norm() < 1e-2, "{:e}", (after.1 - momentum.1).norm());
    assert!((world.energy() - energy).abs() < 1e-9 * energy, "{} {energy}", world.energy());
}

/// Friction and restitution between free bodies leave total momentum alone.
#[test]
fn rough_hits_keep_linear_momentum() {
    let mut world = World::new();
    world.gravity = Vec3::zeros();
    let m = material(0.8, 0.4);
    for (index, x) in [-0.6, 0.0, 0.7].into_iter().enumerate() {
        let rotation = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, -0.2) * (index as Real + 1.0));
        let id = add_box(
            &mut world,
            1.0 + index as Real,
            Vec3::new(0.2, 0.1, 0.15),
            Placement::new(Vec3::new(x, 0.02 * index as Real, 0.0), rotation),
            m,
        );
        push(&mut world, id, Vec3::new(-3.0 * x, 0.1, 0.0), Vec3::new(1.0, -2.0, 0.5));
    }
    let before = world.momentum().0;
    let spin = world.state(world.bodies().next().expect("a body").0).angular();
    run(&mut world, 1.0, 1.0 / 240.0);
    assert!((world.momentum().0 - before).norm() < 1e-9, "{:e}", (world.momentum().0 - before).norm());
    assert!((world.state(world.bodies().next().expect("a body").0).angular() - spin).norm() > 0.1, "they hit");
}

/// A 10 m/s ball of 5 cm does not pass a 2 cm wall at 1/60 s, whatever the phase of the step.
#[test]
fn fast_ball_does_not_pass_a_thin_wall() {
    for phase in 0..20 {
        let mut world = World::new();
        world.gravity = Vec3::zeros();
        let wall = world.add_body(Body::fixed("wall", Placement::IDENTITY)).expect("a sound body");
        let shape = sinew_dynamics::Shape::Box { half_extents: Vec3::new(0.01, 1.0, 1.0) };
        world.add_collider(wall, sinew_dynamics::Collider::new(shape)).expect("a sound shape");
        let start = -1.0 + phase as Real / 20.0 * 10.0 / 60.0;
        let ball = add_ball(&mut world, 0.1, 0.025, Vec3::new(start, 0.0, 0.0), material(0.3, 0.0));
        push(&mut world, ball, Vec3::new(10.0, 0.0, 0.0), Vec3::zeros());
        run(&mut world, 0.5, 1.0 / 60.0);
        let x = at(&world, ball).x;
        assert!(x < -0.0349, "phase {phase}: {x}");
    }
}

/// A ball hits the end of a rod on a hinge, without bounce. Angular momentum about the hinge is kept:
/// ω = m v L / (I + m L²), I = M L²/3; the hinge takes the rest and stays closed.
#[test]
fn blow_on_a_hinged_rod_turns_it_as_angular_momentum_says() {
    let mut world = World::new();
    world.gravity = Vec3::zeros();
    let (mass, ball_mass, length, speed) = (2.0, 0.5, 1.0, 3.0);
    let body = Body::dynamic("rod", MassProperties::rod(mass, length), Placement::at(Vec3::new(0.5, 0.0, 0.0)));
    let shape = sinew_dynamics::Shape::Box { half_extents: Vec3::new(0.5, 0.02, 0.02) };
    let rod = add(&mut world, body, shape, material(0.0, 0.0));
    let hinge = Joint::hinge(None, Placement::IDENTITY, Some(rod), Placement::at(Vec3::new(-0.5, 0.0, 0.0)));
    world.add_constraint(Constraint::new(hinge)).expect("a sound joint");
    let ball = add_ball(&mut world, ball_mass, 0.05, Vec3::new(0.9, 0.5, 0.0), material(0.0, 0.0));
    push(&mut world, ball, Vec3::new(0.0, -speed, 0.0), Vec3::zeros());
    let mut last_spin = 0.0;
    for _ in 0..120 {
        world.step(1.0 / 240.0).expect("a finite step");
        let spin = world.state(rod).angular().z;
        // A hit may take two steps: until the spin stays.
        if spin != 0.0 && spin == last_spin {
            break;
        }
        last_spin = spin;
    }
    let (lever, inertia) = (0.9, mass * length * length / 3.0);
    let expected = -ball_mass * speed * lever / (inertia + ball_mass * lever * lever);
    assert!((last_spin - expected).abs() < 1e-3 * expected.abs(), "{last_spin} {expected}");
    let pin = world.state(rod).placement.point(&Vec3::new(-0.5, 0.0, 0.0));
    assert!(pin.norm() < 1e-6, "{:e}", pin.norm());
}

/// The record of hits names the bodies, the time (to a step) and the impulse m v.
#[test]
fn an_impact_is_reported_with_its_impulse_and_time() {
    let mut world = world_with_floor(0.0, material(0.0, 0.0));
    world.record_impacts(true);
    let ball = add_ball(&mut world, 2.0, 0.1, Vec3::new(0.3, 1.1, -0.2), material(0.0, 0.0));
    run(&mut world, 1.0, 1.0 / 240.0);
    let impacts = world.take_impacts();
    assert_eq!(impacts.len(), 1, "{impacts:?}");
    let hit = &impacts[0];
    let (time, speed) = ((2.0 / G).sqrt(), (2.0 * G).sqrt());
    assert!((hit.time - time).abs() < 2.0 / 240.0, "{} {time}", hit.time);
    assert!((hit.speed - speed).abs() < 0.01 * speed, "{} {speed}", hit.speed);
    assert!((hit.impulse - 2.0 * speed).abs() < 0.02 * 2.0 * speed, "{}", hit.impulse);
    assert!(hit.bodies.contains(&ball));
    assert!((hit.point - Vec3::new(0.3, 0.0, -0.2)).norm() < 0.05, "{}", hit.point);
    assert!(world.take_impacts().is_empty());
}

/// A chain that falls on the floor keeps its joints closed through every hit.
#[test]
fn hits_never_break_joints() {
    let mut world = world_with_floor(0.0, material(0.6, 0.2));
    let mut parent: Option<BodyId> = None;
    let mut joints = Vec::new();
    for index in 0..8 {
        let place = Placement::at(Vec3::new(0.3 * index as Real, 0.6 + 0.1 * index as Real, 0.0));
        let place = Placement::new(place.position, Quat::from_axis_angle(&Vec3::z_axis(), (1.0_f64 / 3.0).atan()));
        let half = 0.5 * (0.3_f64 * 0.3 + 0.1 * 0.1).sqrt();
        let body = Body::dynamic("link", MassProperties::capsule(1.0, 0.04, half), place);
        let shape = sinew_dynamics::Shape::Capsule {
            a: Vec3::new(-half, 0.0, 0.0),
            b: Vec3::new(half, 0.0, 0.0),
            radius: 0.04,
        };
        let link = world.add_body(body).expect("a sound body");
        let collider = sinew_dynamics::Collider::new(shape).with_material(material(0.6, 0.2)).of_family(1);
        world.add_collider(link, collider).expect("a sound shape");
        if let Some(parent) = parent {
            let end = |x: Real| Placement::at(Vec3::new(x, 0.0, 0.0));
            let joint = Joint::ball(Some(parent), end(half), Some(link), end(-half));
            let joint = joint.driven(Element::Angular(Axis::X), sinew_dynamics::Response::Rate, 0.1);
            joints.push((parent, link, half));
            world.add_constraint(Constraint::new(joint)).expect("a sound joint");
        }
        parent = Some(link);
    }
    let mut gap: Real = 0.0;
    for _ in 0..600 {
        world.step(1.0 / 240.0).expect("a finite step");
        for &(a, b, half) in &joints {
            let (a, b) = (world.state(a).placement, world.state(b).placement);
            gap = gap.max((a.point(&Vec3::new(half, 0.0, 0.0)) - b.point(&Vec3::new(-half, 0.0, 0.0))).norm());
        }
    }
    assert!(gap < 1e-5, "{gap:e}");
}

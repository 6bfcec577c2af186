//! Contact at acceleration level: steps that end where bodies touch, and the same laws as the default stepper.

use super::scenes::*;
use sinew_dynamics::math::Vec6;
use sinew_dynamics::{
    Body, BodyId, Collider, Constraint, Joint, MassProperties, Material, Method, Motion, Ode, Placement, Script, Shape,
    SolverKind, StepControl, Stepper, Strict, World,
};
use sinew_dynamics::{Quat, Real, Vec3};

const FRAME: Real = 1.0 / 60.0;

fn strict(world: &mut World) {
    world.stepper = Stepper::Ode(Ode { strict: Some(Strict::default()), ..Ode::default() });
}

/// Steps without any critical stop, which only the vice may need.
fn run_freely(world: &mut World, seconds: Real, h: Real) {
    for _ in 0..(seconds / h).round() as usize {
        let report = world.step(h).expect("a finite step");
        assert_eq!(report.critical_stops, 0, "at {}", world.time());
    }
}

fn box_on_slope(degrees: Real) -> (World, BodyId) {
    let slope = degrees.to_radians();
    let mut world = world_with_floor(slope, material(0.5, 0.0));
    let tilt = Quat::from_axis_angle(&Vec3::z_axis(), -slope);
    let at = Placement::new(tilt * Vec3::new(0.0, 0.2, 0.0), tilt);
    let id = add_box(&mut world, 3.0, Vec3::new(0.3, 0.2, 0.3), at, material(0.5, 0.0));
    (world, id)
}

/// A drop of 1 m ends after √(2/g) = 0.451524 s, with any frame, within the time of the tolerance at that speed.
#[test]
fn drop_is_cut_where_it_touches() {
    for (method, frame) in [(Method::RungeKutta4, FRAME), (Method::RungeKutta4, 0.1), (Method::Midpoint, 0.037)] {
        let mut world = world_with_floor(0.0, material(0.3, 0.0));
        world.record_impacts(true);
        let rule = Strict { tolerance: 1e-6, ..Strict::default() };
        world.stepper = Stepper::Ode(Ode { strict: Some(rule), ..Ode::new(method) });
        let ball = add_ball(&mut world, 2.0, 0.1, Vec3::new(0.0, 1.1, 0.0), material(0.3, 0.0));
        run_freely(&mut world, 0.6, frame);
        let hits = world.take_impacts();
        let (time, speed) = ((2.0 / G).sqrt(), (2.0 * G).sqrt());
        assert_eq!(hits.len(), 1, "{hits:?}");
        assert!((hits[0].time - time).abs() <= 1e-6 / speed, "{} {time}", hits[0].time);
        assert!((hits[0].impulse - 2.0 * speed).abs() < 1e-5 * speed, "{}", hits[0].impulse);
        assert!((at(&world, ball).y - 0.1).abs() <= 1e-6 && world.state(ball).velocity.norm() < 1e-5);
    }
}

/// A restitution of e = ½ returns a quarter of the height, for a ball and for a cube on four corners, without spin.
#[test]
fn half_restitution_gives_a_quarter_of_the_height() {
    for ball in [true, false] {
        let m = material(0.3, 0.5);
        let mut world = world_with_floor(0.0, m);
        strict(&mut world);
        let place = Vec3::new(0.0, 1.1, 0.0);
        let id = if ball {
            add_ball(&mut world, 1.0, 0.1, place, m)
        } else {
            add_box(&mut world, 1.0, Vec3::repeat(0.1), Placement::at(place), m)
        };
        // The top is at t₀ + e v₀/g.
        let time = (2.0 / G).sqrt() * 1.5;
        run_freely(&mut world, time, time / 40.0);
        let height = at(&world, id).y - 0.1;
        assert!((height - 0.25).abs() < 0.25e-3, "ball {ball}: {height}");
        assert!(world.state(id).angular().norm() < 1e-9);
        run_freely(&mut world, 3.0, FRAME);
        assert!((at(&world, id).y - 0.1).abs() < 2e-5 && world.state(id).velocity.norm() < 1e-3);
    }
}

/// tan 26° < µ = 0.5 < tan 30°: the box stays, or slides with g (sin θ − µ cos θ) = 0.657 m/s², whatever the solver.
#[test]
fn box_sticks_at_26_and_slides_at_30_degrees() {
    for kind in [SolverKind::Tree, SolverKind::Dense, SolverKind::Iterative { max_sweeps: 2000, tolerance: 1e-10 }] {
        let (mut world, id) = box_on_slope(30.0);
        world.set_solver(kind);
        strict(&mut world);
        run_freely(&mut world, 2.0, FRAME);
        let speed = world.state(id).linear().norm();
        assert!((speed / 2.0 - 0.6570).abs() < 0.657e-3, "{kind:?}: {}", speed / 2.0);
        let (mut world, id) = box_on_slope(26.0);
        world.set_solver(kind);
        strict(&mut world);
        let start = at(&world, id);
        run_freely(&mut world, 4.0, FRAME);
        assert!((at(&world, id) - start).norm() < 1e-5, "{kind:?}: {:e}", (at(&world, id) - start).norm());
        let load = world.contact_load(id).0;
        assert!((load - Vec3::new(0.0, 3.0 * G, 0.0)).norm() < 1e-3, "{kind:?}: {load}");
    }
}

/// A ball that rolls faster than √(g/R) still presses with its weight: its distance to the floor does not bend, though
/// every point of its skin goes round with R ω² > g. The same for a capsule across its axis.
#[test]
fn fast_rolling_leaves_the_normal_force_alone() {
    for capsule in [false, true] {
        let mut world = world_with_floor(0.0, material(0.8, 0.0));
        strict(&mut world);
        let place = Vec3::new(0.0, 0.1, 0.0);
        let id = if capsule {
            let body = Body::dynamic("roll", MassProperties::capsule(2.0, 0.1, 0.3), Placement::at(place));
            let shape = Shape::Capsule { a: Vec3::new(-0.3, 0.0, 0.0), b: Vec3::new(0.3, 0.0, 0.0), radius: 0.1 };
            add(&mut world, body, shape, material(0.8, 0.0))
        } else {
            add_ball(&mut world, 2.0, 0.1, place, material(0.8, 0.0))
        };
        let spin: Real = 30.0;
        assert!(spin > (G / 0.1).sqrt());
        push(&mut world, id, Vec3::new(0.0, 0.0, spin * 0.1), Vec3::new(spin, 0.0, 0.0));
        for _ in 0..60 {
            run_freely(&mut world, FRAME, FRAME);
            let force: Real = world.contacts().iter().map(|c| c.normal_force).sum();
            assert!((force - 2.0 * G).abs() < 1e-6, "capsule {capsule}: {force}");
        }
        assert!((world.state(id).linear().z - 3.0).abs() < 1e-6, "{}", world.state(id).velocity);
    }
}

/// A ball on top of a fixed one of radius R presses with m (g − v²/(R + r)): the distance of two balls does bend.
#[test]
fn ball_over_a_ball_presses_less() {
    let mut world = World::new();
    let below = world.add_body(Body::fixed("dome", Placement::IDENTITY)).expect("a sound body");
    world
        .add_collider(below, Collider::new(Shape::Sphere { radius: 0.4 }).with_material(material(0.0, 0.0)))
        .expect("a sound shape");
    strict(&mut world);
    let ball = add_ball(&mut world, 1.0, 0.1, Vec3::new(0.0, 0.5, 0.0), material(0.0, 0.0));
    push(&mut world, ball, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 50.0));
    run_freely(&mut world, 1e-3, 1e-4);
    let place = at(&world, ball);
    let expected = G * place.y / place.norm() - world.state(ball).linear().norm_squared() / 0.5;
    let force = world.contacts()[0].normal_force;
    assert!((force - expected).abs() < 1e-5, "{force} {expected}");
    // It leaves where cos θ = (2 + v₀²/(g·0.5)) / 3.
    let mut last = place;
    for _ in 0..400 {
        run_freely(&mut world, 1e-3, 1e-3);
        if world.contacts().is_empty() {
            break;
        }
        last = at(&world, ball);
    }
    let left = last.y / last.norm();
    assert!((left - (2.0 + 1.0 / (0.5 * G)) / 3.0).abs() < 5e-3, "{left}");
}

/// A ball thrown flat ends up rolling with 5/7 of its speed.
#[test]
fn sliding_ball_rolls_with_five_sevenths_of_its_speed() {
    let mut world = world_with_floor(0.0, material(0.3, 0.0));
    strict(&mut world);
    let id = add_ball(&mut world, 1.0, 0.1, Vec3::new(0.0, 0.1, 0.0), material(0.3, 0.0));
    push(&mut world, id, Vec3::new(4.0, 0.0, 0.0), Vec3::zeros());
    run_freely(&mut world, 2.0, FRAME);
    let state = world.state(id);
    assert!((state.linear().x - 20.0 / 7.0).abs() < 1e-6, "{}", state.linear());
    assert!((state.angular().z * 0.1 + state.linear().x).abs() < 1e-6, "{}", state.velocity);
}

/// A ball hits a hinged rod without bounce: ω = m v l / (I + m l²); the hinge stays closed.
#[test]
fn blow_on_a_hinged_rod_keeps_angular_momentum_about_the_hinge() {
    let mut world = World::new();
    world.gravity = Vec3::zeros();
    strict(&mut world);
    let body = Body::dynamic("rod", MassProperties::rod(2.0, 1.0), Placement::at(Vec3::new(0.5, 0.0, 0.0)));
    let rod = add(&mut world, body, Shape::Box { half_extents: Vec3::new(0.5, 0.02, 0.02) }, material(0.0, 0.0));
    let hinge = Joint::hinge(None, Placement::IDENTITY, Some(rod), Placement::at(Vec3::new(-0.5, 0.0, 0.0)));
    world.add_constraint(Constraint::new(hinge)).expect("a sound joint");
    let ball = add_ball(&mut world, 0.5, 0.05, Vec3::new(0.9, 0.5, 0.0), material(0.0, 0.0));
    push(&mut world, ball, Vec3::new(0.0, -3.0, 0.0), Vec3::zeros());
    // They meet after 0.43 m at 3 m/s.
    run_freely(&mut world, 0.144, 0.012);
    let expected = -0.5 * 3.0 * 0.9 / (2.0 / 3.0 + 0.5 * 0.81);
    let spin = world.state(rod).angular().z;
    assert!((spin - expected).abs() < 1e-4 * expected.abs(), "{spin} {expected}");
    run_freely(&mut world, 0.3, FRAME);
    let pin = world.state(rod).placement.point(&Vec3::new(-0.5, 0.0, 0.0));
    assert!(pin.norm() < 1e-5, "{:e}", pin.norm());
}

/// The default stepper comes as near to the strict one as its step is short, in a slide and in a bounce.
#[test]
fn default_stepper_converges_to_strict_contact() {
    let slide = |world: &mut World| {
        let half = Vec3::new(0.2, 0.05, 0.2);
        let id = add_box(world, 1.0, half, Placement::at(Vec3::new(0.0, 0.05, 0.0)), material(0.4, 0.0));
        push(world, id, Vec3::new(3.0, 0.0, 1.0), Vec3::zeros());
        id
    };
    let bounce = |world: &mut World| {
        let id = add_ball(world, 1.0, 0.1, Vec3::new(0.0, 0.6, 0.0), material(0.4, 0.5));
        push(world, id, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 20.0));
        id
    };
    for (name, scene) in [("slide", &slide as &dyn Fn(&mut World) -> BodyId), ("bounce", &bounce)] {
        let end = |steps: usize, exact: bool| {
            let mut world = world_with_floor(0.0, material(0.4, 0.0));
            let id = scene(&mut world);
            if exact {
                let control = StepControl::Fixed { max_step: 1e-3 };
                world.stepper = Stepper::Ode(Ode { control, strict: Some(Strict::default()), ..Ode::default() });
            }
            run_freely(&mut world, 0.6, 0.6 / steps as Real);
            at(&world, id)
        };
        let exact = end(36, true);
        let off: Vec<Real> = [72, 288, 1152].map(|steps| (end(steps, false) - exact).norm()).to_vec();
        assert!(off[1] < 0.5 * off[0] && off[2] < 0.5 * off[1] && off[2] < 1e-3, "{name}: {off:?}");
    }
}
/// A cube on the floor under a plate that comes down with 0.1 m/s, by script down to `lowest` or until it is stopped.
fn vice(lowest: Option<Real>) -> (World, BodyId, BodyId) {
    let mut world = world_with_floor(0.0, material(0.5, 0.0));
    strict(&mut world);
    let cube = add_box(&mut world, 1.0, Vec3::repeat(0.1), Placement::at(Vec3::new(0.0, 0.1, 0.0)), material(0.5, 0.0));
    let down = Vec6::new(0.0, -0.1, 0.0, 0.0, 0.0, 0.0);
    let mut plate = Body::kinematic("plate", Placement::at(Vec3::new(0.0, 0.3, 0.0)));
    plate.state.velocity = down;
    if let Some(lowest) = lowest {
        plate = Body::scripted(
            "plate",
            Script::new(move |t: Real| Motion {
                placement: Placement::at(Vec3::new(0.0, (0.3 - 0.1 * t).max(lowest), 0.0)),
                velocity: if 0.3 - 0.1 * t > lowest { down } else { Vec6::zeros() },
                acceleration: Vec6::zeros(),
            }),
        );
    }
    let shape = Shape::Box { half_extents: Vec3::new(0.5, 0.05, 0.5) };
    let plate = add(&mut world, plate, shape, Material::default());
    (world, cube, plate)
}

/// A cube between the floor and a plate that comes down is stopped, and so is the plate: no overlap passes the limit.
#[test]
fn crushed_cube_is_stopped_at_the_limit() {
    let (mut world, cube, plate) = vice(None);
    let mut stops = 0;
    // The plate touches in frame 31 and the limit is reached in frame 32: two more frames show that it holds.
    for step in 1..=34 {
        stops += world.step(FRAME).expect("a finite step").critical_stops;
        assert!((world.time() - step as Real * FRAME).abs() < 1e-9);
        let (bottom, top) = (at(&world, cube).y - 0.1, at(&world, plate).y - 0.05 - at(&world, cube).y - 0.1);
        assert!(bottom >= -1.001e-3 && top >= -1.001e-3, "step {step}: {bottom} {top}");
    }
    assert!(stops > 0);
    assert!(world.state(cube).velocity.norm() < 1e-9, "{}", world.state(cube).velocity);
}

/// A script cannot be stopped; the cube is, in every frame. All states stay finite and time goes on.
#[test]
fn cube_under_a_script_is_stopped_and_the_clock_goes_on() {
    let (mut world, cube, _) = vice(Some(0.24));
    let mut stops = 0;
    // The cube is stopped from frame 32 on, under a moving plate up to frame 36 and under a resting one after it.
    for step in 1..=38 {
        stops += world.step(FRAME).expect("a finite step").critical_stops;
        assert!((world.time() - step as Real * FRAME).abs() < 1e-9);
        assert!(world.state(cube).linear().norm() < 0.2, "step {step}: {}", world.state(cube).velocity);
    }
    assert!(stops > 0);
}

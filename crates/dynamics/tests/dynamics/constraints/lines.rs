//! Sliders, lines, planes, surfaces, paths, motors along them.

use super::scenes::*;
use sinew_dynamics::Real;
use sinew_dynamics::{
    Anchor, Axis, Joint, MassProperties, OnPath, OnSurface, Path, Placement, Response, Surface, World,
};

/// A slider on a 30° incline has a = g sin30° = 4.905 m/s².
#[test]
fn slider_on_an_incline_has_half_of_g() {
    let slope = rotation(v(0., 0., 1.), -30.0);
    let mut world = World::new();
    let sledge = body(&mut world, MassProperties::cuboid(3.0, v(0.2, 0.1, 0.1)), Placement::new(v(0., 0., 0.), slope));
    let frame = Placement::new(v(0., 0., 0.), slope);
    add(&mut world, Joint::slider(None, frame, Some(sledge), Placement::IDENTITY));
    run(&mut world, 1.0, H, |_| ());
    assert_close("speed after 1 s", world.state(sledge).linear().norm(), 4.905, 1e-9);
    assert_close("way", position(&world, sledge).dot(&(slope * v(1., 0., 0.))), 0.5 * 4.905 * (1.0 + H), 1e-9);
    assert!(world.state(sledge).angular().norm() < 1e-9);
}

/// A point on a line on the same incline: rank 2, and the body may turn.
#[test]
fn point_on_a_line_slides_freely() {
    let direction = rotation(v(0., 0., 1.), -30.0) * v(1., 0., 0.);
    let mut world = World::new();
    let bead = ball(&mut world, 3.0, v(0., 0., 0.));
    add(&mut world, Joint::point_on_line(Anchor::world(v(0., 0., 0.)), direction, Anchor::centre(bead)));
    set_velocity(&mut world, bead, v(0., 0., 0.), v(1., 2., 3.));
    run(&mut world, 1.0, H, |w| assert!(position(w, bead).cross(&direction).norm() < 1e-6));
    assert_eq!(world.diagnose().rank, 2);
    assert_close("speed after 1 s", world.state(bead).linear().dot(&direction), 4.905, 1e-9);
    assert!((world.state(bead).angular() - v(1., 2., 3.)).norm() < 1e-9);
}

/// Two bodies joined by a slider in free space keep their angular momentum (the lever of the sliding force counts).
#[test]
fn free_slider_pair_keeps_its_momentum() {
    let mut world = World::new();
    world.gravity = v(0., 0., 0.);
    let a = body(&mut world, MassProperties::sphere(2.0, 0.2), at(0., 0., 0.));
    let b = body(&mut world, MassProperties::sphere(1.0, 0.3), at(1., 0.2, 0.1));
    add(&mut world, Joint::slider(Some(a), at(0.1, 0., 0.), Some(b), at(-0.3, -0.2, -0.1)));
    set_velocity(&mut world, a, v(0.3, -0.5, 0.2), v(1., 2., -1.));
    set_velocity(&mut world, b, v(-0.1, 0.8, 0.4), v(0.5, -1., 2.));
    let (linear, angular) = world.momentum();
    run(&mut world, 2.0, H, |w| {
        let (p, l) = w.momentum();
        assert!((p - linear).norm() < 1e-9 * linear.norm(), "momentum {}", (p - linear).norm());
        assert!((l - angular).norm() < 1e-9 * angular.norm(), "angular momentum {}", (l - angular).norm());
    });
}

/// A ball on the inside of a bowl swings like a pendulum of the same length; outside of a sphere it leaves where
/// cosθ = 2/3.
#[test]
fn point_on_a_sphere_is_a_pendulum_and_leaves_a_dome_in_time() {
    let mut world = World::new();
    let start = rotation(v(0., 0., 1.), 60.0) * v(0., -1., 0.);
    let bob = ball(&mut world, 1.0, start);
    let sphere = Surface::Sphere { centre: v(0., 0., 0.), radius: 1.0 };
    add(&mut world, OnSurface::new(Anchor::centre(bob), None, sphere.clone()));
    let mut crossings = Crossings::default();
    run(&mut world, 2.5, H, |w| crossings.look(w.time(), position(w, bob).x));
    assert_close("period", 2.0 * (crossings.times[1] - crossings.times[0]), 2.152_9, 2e-3);

    let mut world = World::new();
    let bob = ball(&mut world, 1.0, v(0., 1., 0.));
    set_velocity(&mut world, bob, v(1e-2, 0., 0.), v(0., 0., 0.));
    let dome = add(&mut world, OnSurface::new(Anchor::centre(bob), None, sphere).outside());
    let mut left = None;
    run(&mut world, 2.5, 1.0 / 1000.0, |w| {
        let push = w.reaction(dome).multipliers.first().copied().unwrap_or(0.0);
        assert!(position(w, bob).norm() > 1.0 - 1e-4);
        if push == 0.0 && left.is_none() {
            left = Some(position(w, bob).y);
        }
    });
    assert_close("cosθ", left.expect("it leaves"), 2.0 / 3.0, 0.01);
}

/// A point on an ellipsoid carried by a heavy free body stays on it, and momentum is kept.
#[test]
fn point_on_a_carried_ellipsoid_stays_on_it() {
    let mut world = World::new();
    world.gravity = v(0., 0., 0.);
    let egg = body(&mut world, MassProperties::sphere(5.0, 0.5), Placement::IDENTITY);
    let fly = ball(&mut world, 1.0, v(0., 2., 0.));
    let surface = Surface::Ellipsoid { frame: Placement::IDENTITY, half_axes: v(1., 2., 0.5) };
    add(&mut world, OnSurface::new(Anchor::centre(fly), Some(egg), surface.clone()));
    set_velocity(&mut world, fly, v(1., 0., 0.7), v(0., 0., 0.));
    set_velocity(&mut world, egg, v(0., 0., 0.), v(0.3, 0.5, -0.2));
    let (linear, angular) = world.momentum();
    run(&mut world, 3.0, H, |w| {
        let local = w.state(egg).placement.local_point(&position(w, fly));
        let off = surface.field(&local).0;
        assert!(off.abs() < 1e-6, "off by {off}");
    });
    let (p, l) = world.momentum();
    assert!(
        (p - linear).norm() < 1e-9 && (l - angular).norm() < 1e-9,
        "{} {}",
        (p - linear).norm(),
        (l - angular).norm()
    );
}

/// A ball on a 0.5 m, 1 Hz circle with τ = 0.05: from 10 cm off it is within 0.1 mm after 12 τ, and the force is
/// m(a + g) (Barzel & Barr 1988; a = ω² r = 19.74 m/s²).
#[test]
fn ball_follows_a_path_with_the_force_that_takes() {
    let (tau, omega, mass): (Real, Real, Real) = (0.05, 2.0 * std::f64::consts::PI, 2.0);
    let circle = Path::new(move |t| {
        let (s, c) = (omega * t).sin_cos();
        (v(0.5 * c, 0.5 * s, 0.), v(-s, c, 0.) * (0.5 * omega), v(c, s, 0.) * (-0.5 * omega * omega))
    });
    for (response, tolerance, h) in [(Response::Decay { tau }, 1e-4, 1.0 / 4000.0), (Response::Hard, 1e-6, 1.0 / 480.0)]
    {
        let mut world = World::new();
        let hand = ball(&mut world, mass, v(0.5, 0., 0.1));
        let id = add(&mut world, OnPath::new(Anchor::centre(hand), circle.clone()).responding(response));
        run(&mut world, 1.5, h, |w| {
            let t = w.time();
            if t > 12.0 * tau {
                let gap = (position(w, hand) - circle.at(t).0).norm();
                assert!(gap < tolerance, "{gap} m off at {t}");
                let force = w.reaction(id).wrenches[0].1;
                let wanted = (circle.at(t - h).2 - w.gravity) * mass;
                let miss = (v(force[0], force[1], force[2]) - wanted).norm();
                assert!(miss < 5e-3 * wanted.norm(), "force off by {miss} of {}", wanted.norm());
            }
        });
    }
}

/// The spline path goes through its points on time.
#[test]
fn spline_path_is_followed_through_its_points() {
    let times = vec![0.0, 0.5, 1.0, 1.5];
    let points = vec![v(0., 0., 0.), v(0.5, 0.3, 0.), v(0.7, 1.0, 0.2), v(0., 1.0, 0.)];
    let path = Path::spline(times.clone(), points.clone()).expect("rising times");
    let mut world = World::new();
    let hand = ball(&mut world, 1.0, points[0]);
    add(&mut world, OnPath::new(Anchor::centre(hand), path));
    let mut met = 0;
    run(&mut world, 1.5, H, |w| {
        for (time, point) in times.iter().zip(&points) {
            if (w.time() - time).abs() < 1e-9 {
                assert!((position(w, hand) - point).norm() < 1e-6);
                met += 1;
            }
        }
    });
    assert_eq!(met, 3);
}

/// A soft motor sags by F/K, and no further than its force lets it: beyond, it gives way with a = g − F/m.
#[test]
fn soft_motor_droops_by_force_over_stiffness_and_stalls_at_its_limit() {
    let (mass, stiffness): (Real, Real) = (2.0, 500.0);
    let lift = |max_force: Real| {
        let mut world = World::new();
        let load = ball(&mut world, mass, v(0., 0., 0.));
        let upright = Placement::new(v(0., 0., 0.), rotation(v(0., 0., 1.), 90.0));
        let response = Response::Spring { stiffness, damping: 60.0 };
        let motor = Joint::slider(None, upright, Some(load), upright).powered_slide(Axis::X, response, max_force);
        let id = add(&mut world, motor);
        run(&mut world, 4.0, H, |_| ());
        (position(&world, load).y, world.state(load).linear().y, world.reaction(id))
    };
    let (sag, speed, reaction) = lift(Real::INFINITY);
    assert_close("sag", -sag, mass * G / stiffness, 1e-3);
    assert!(speed.abs() < 1e-6);
    assert_close("force", reaction.multipliers[5], mass * G, 1e-3);
    let (_, speed, reaction) = lift(0.75 * mass * G);
    assert_close("saturated force", reaction.multipliers[5], 0.75 * mass * G, 1e-9);
    assert_close("falls with", -speed, 0.25 * G * 4.0, 0.02);
}

/// A motor joint follows a sine exactly, all six rows; its target's velocity is fed forward.
#[test]
fn hard_motor_joint_tracks_a_moving_pose() {
    let mut world = World::new();
    let tool = body(&mut world, MassProperties::cuboid(1.0, v(0.1, 0.2, 0.3)), Placement::IDENTITY);
    let motor = Joint::motor(None, Placement::IDENTITY, Some(tool), Placement::IDENTITY, Response::Hard, 1e4, 1e4);
    let id = add(&mut world, motor);
    let place = |t: Real| v(0.3 * (3.0 * t).sin(), 0.2 * t, 0.);
    let mut worst: Real = 0.0;
    for _ in 0..480 {
        let t = world.time();
        let joint = world.constraint_mut(id).joint_mut().expect("a joint");
        joint.set_target_pose(t + H, &Placement::new(place(t + H), rotation(v(0., 1., 0.), 90.0 * (t + H))));
        world.step(H).expect("a finite step");
        let state = world.state(tool).placement;
        worst = worst.max((state.position - place(t + H)).norm());
        worst = worst.max(state.rotation.angle_to(&rotation(v(0., 1., 0.), 90.0 * (t + H))));
    }
    assert!(worst < 1e-4, "worst {worst}");
    // Asked for a velocity instead, it goes on with it.
    let t = world.time();
    let joint = world.constraint_mut(id).joint_mut().expect("a joint");
    joint.set_target_velocity(t, v(0.5, 0., 0.), v(0., 0., 0.));
    let before = position(&world, tool);
    run(&mut world, 1.0, H, |_| ());
    // Told again before it is off its way, it goes on from where the target is then.
    let t = world.time();
    let joint = world.constraint_mut(id).joint_mut().expect("a joint");
    joint.set_target_velocity(t, v(0., 0.25, 0.), v(0., 0., 0.));
    run(&mut world, 1.0, H, |_| ());
    assert!((position(&world, tool) - before - v(0.5, 0.25, 0.)).norm() < 1e-3);
}

//! Limits, springs between stops, powered axes.

use super::scenes::*;
use sinew_dynamics::Real;
use sinew_dynamics::{
    Align, Axis, EulerLimit, Joint, Kind, Limit, LimitedSpring, MassProperties, Placement, PoweredAxis, Response,
    SwingTwist, World,
};

/// A rod on a hinge about z, at an angle from +x, degrees.
fn rod_on_a_hinge(degrees: Real) -> (World, sinew_dynamics::BodyId, Joint) {
    let mut world = World::new();
    let tilt = rotation(v(0., 0., 1.), degrees);
    let rod = body(&mut world, MassProperties::rod(1.0, 1.0), Placement::new(tilt * v(0.5, 0., 0.), tilt));
    let hinge = Joint::hinge(None, Placement::IDENTITY, Some(rod), at(-0.5, 0., 0.));
    add(&mut world, hinge.clone());
    (world, rod, hinge)
}

/// A rod that falls onto its stop goes less than half a degree past it, stays, and the stop carries mgL/2·cosθ.
#[test]
fn hinge_limit_stops_a_falling_rod() {
    let (mut world, rod, hinge) = rod_on_a_hinge(0.0);
    let stop = add(&mut world, Limit::new(hinge.rotation(Axis::Z), (-45f64).to_radians(), 1.0));
    let mut lowest: Real = 0.0;
    run(&mut world, 2.0, H, |w| {
        let x = axis(w, rod, v(1., 0., 0.));
        lowest = lowest.min(x.y.atan2(x.x).to_degrees());
        assert!(w.reaction(stop).multipliers.iter().all(|m| *m >= 0.0));
    });
    assert!(lowest > -45.5, "went to {lowest}°");
    let x = axis(&world, rod, v(1., 0., 0.));
    assert!((x.y.atan2(x.x).to_degrees() + 45.0).abs() < 0.01);
    assert_close("torque", world.reaction(stop).multipliers[0], 0.5 * G * 45f64.to_radians().cos(), 1e-3);
}

/// A coordinate that starts past its limit is shifted back: it moves, but keeps no speed.
#[test]
fn a_coordinate_past_its_limit_comes_back_without_speed() {
    let (mut world, rod, hinge) = rod_on_a_hinge(-60.0);
    world.gravity = v(0., 0., 0.);
    add(&mut world, Limit::new(hinge.rotation(Axis::Z), (-45f64).to_radians(), 1.0));
    run(&mut world, 1.0, H, |w| assert!(w.energy() < 1e-12, "{} J", w.energy()));
    let x = axis(&world, rod, v(1., 0., 0.));
    let angle = x.y.atan2(x.x).to_degrees();
    assert!((angle + 45.0).abs() < 0.01, "{angle}°");
}

/// A slider's stops hold both ways, and a soft stop gives by F/K.
#[test]
fn slide_limit_holds_a_weight_hard_and_soft() {
    for (response, sag) in [(Response::Hard, 0.0), (Response::Spring { stiffness: 1000.0, damping: 50.0 }, G / 1000.0)]
    {
        let mut world = World::new();
        let load = ball(&mut world, 1.0, v(0., 0., 0.));
        let slider = Joint::slider(
            None,
            Placement::new(v(0., 0., 0.), rotation(v(0., 0., 1.), 90.0)),
            Some(load),
            Placement::new(v(0., 0., 0.), rotation(v(0., 0., 1.), 90.0)),
        );
        add(&mut world, Limit::new(slider.slide(Axis::X), -0.5, 0.5).responding(response));
        add(&mut world, slider);
        run(&mut world, 3.0, H, |w| assert!(position(w, load).y > -0.5 - 0.12));
        assert!((position(&world, load).y + 0.5 + sag).abs() < 1e-5, "{}", position(&world, load).y);
    }
}

/// A mass on a limited spring swings with √(K/m)/2π; pushed hard it stops at its ends.
#[test]
fn limited_spring_has_its_frequency_and_its_stops() {
    let (mass, stiffness): (Real, Real) = (2.0, 200.0);
    let make = |speed: Real, damping: Real| {
        let mut world = World::new();
        world.gravity = v(0., 0., 0.);
        let load = ball(&mut world, mass, v(0., 0., 0.));
        let slider = Joint::slider(None, Placement::IDENTITY, Some(load), Placement::IDENTITY);
        add(&mut world, LimitedSpring::new(slider.slide(Axis::X), stiffness, -0.2, 0.2).damped(damping));
        add(&mut world, slider);
        set_velocity(&mut world, load, v(speed, 0., 0.), v(0., 0., 0.));
        (world, load)
    };
    let h = 1.0 / 2000.0;
    let omega = (stiffness / mass).sqrt();
    let (mut world, load) = make(1.0, 0.0);
    let mut crossings = Crossings::default();
    run(&mut world, 2.0, h, |w| crossings.look(w.time(), position(w, load).x));
    let period = crossings.times[2] - crossings.times[0];
    assert_close("frequency", 1.0 / period, omega / std::f64::consts::TAU, 0.01);
    // ζ from the logarithmic decrement of two successive speeds through the middle.
    let zeta = 0.1;
    let (mut world, load) = make(1.0, 2.0 * zeta * mass * omega);
    let mut peaks: Vec<Real> = Vec::new();
    let mut last = (0.0, 1.0);
    run(&mut world, 2.0, h, |w| {
        let (x, u) = (position(w, load).x, w.state(load).linear().x);
        if last.1 > 0.0 && u <= 0.0 {
            peaks.push(x);
        }
        last = (x, u);
    });
    let decrement = (peaks[0] / peaks[1]).ln();
    assert_close("ζ", decrement / (decrement * decrement + std::f64::consts::TAU.powi(2)).sqrt(), zeta, 0.05);
    let (mut world, load) = make(8.0, 0.0);
    run(&mut world, 2.0, H, |w| assert!(position(w, load).x.abs() < 0.201, "{}", position(w, load).x));
}

/// A rod on a ball joint, thrown around, stays within its elliptic cone and its range of twist.
#[test]
fn swing_and_twist_stay_within_their_cone() {
    let mut world = World::new();
    let rod = body(&mut world, MassProperties::cuboid(1.0, v(0.5, 0.1, 0.15)), at(0.5, 0., 0.));
    let socket = Joint::ball(None, Placement::IDENTITY, Some(rod), at(-0.5, 0., 0.));
    let (swing, twist) = ([60f64.to_radians(), 30f64.to_radians()], [-0.4, 0.7]);
    add(&mut world, SwingTwist::new(socket.orientations(), swing, twist));
    add(&mut world, socket);
    set_velocity(&mut world, rod, v(0., 1., 2.), v(4., -4., 2.));
    let (mut widest, mut twists): (Real, [Real; 2]) = (0.0, [0.0; 2]);
    run(&mut world, 3.0, H, |w| {
        let q = w.state(rod).placement.rotation;
        let x = q * v(1., 0., 0.);
        let angle = x.yz().norm().atan2(x.x);
        let (about_y, about_z) = (-x.z / x.yz().norm() * angle, x.y / x.yz().norm() * angle);
        let excess = ((about_y / swing[0]).powi(2) + (about_z / swing[1]).powi(2)).sqrt();
        widest = widest.max((1.0 - 1.0 / excess) * angle);
        let t = 2.0 * q.i.atan2(q.w);
        twists = [twists[0].min(t), twists[1].max(t)];
    });
    let half_degree = 0.5f64.to_radians();
    assert!(widest < half_degree && widest > -half_degree, "past the cone by {widest}");
    assert!(twists[0] > twist[0] - half_degree && twists[1] < twist[1] + half_degree, "twisted {twists:?}");
    assert!(twists[1] > twist[1] - half_degree, "it reached the end of its twist: {twists:?}");
}

/// A body thrown around within a box of Euler angles stays in it.
#[test]
fn euler_angles_stay_within_their_box() {
    let mut world = World::new();
    let head = body(&mut world, MassProperties::cuboid(1.0, v(0.1, 0.2, 0.15)), Placement::IDENTITY);
    let neck = Joint::nail(sinew_dynamics::Anchor::centre(head), v(0., 0., 0.));
    let ranges = [[-0.5, 0.5], [-0.3, 0.8], [-1.0, 0.2]];
    let limit = EulerLimit::new(neck.orientations(), [Axis::Y, Axis::X, Axis::Z], ranges).expect("different axes");
    add(&mut world, neck);
    add(&mut world, limit);
    let mut reached = [[0.0 as Real; 2]; 3];
    for round in 0..6 {
        let push = [v(3., 0., 0.), v(0., 3., 0.), v(0., 0., 3.)][round % 3] * if round < 3 { 1.0 } else { -1.0 };
        set_velocity(&mut world, head, v(0., 0., 0.), push);
        run(&mut world, 0.5, H, |w| {
            // R = R_y(φ₁) R_x(φ₂) R_z(φ₃).
            let m = w.state(head).placement.rotation.to_rotation_matrix();
            let angles = [m[(0, 2)].atan2(m[(2, 2)]), (-m[(1, 2)]).asin(), m[(1, 0)].atan2(m[(1, 1)])];
            for ((angle, reached), range) in angles.iter().zip(&mut reached).zip(&ranges) {
                *reached = [reached[0].min(*angle), reached[1].max(*angle)];
                assert!(range[0] - 0.01 < *angle && *angle < range[1] + 0.01, "{angles:?}");
            }
        });
    }
    for (reached, range) in reached.iter().zip(&ranges) {
        assert!(reached[0] < range[0] + 0.02 && reached[1] > range[1] - 0.02, "never near its ends: {reached:?}");
    }
}

fn value(world: &World, id: sinew_dynamics::ConstraintId) -> Real {
    match &world.constraint(id).kind {
        Kind::PoweredAxis(axis) => axis.stops.coordinate.read(world),
        _ => unreachable!("it was added as one"),
    }
}

/// A powered axis counts whole turns: it goes to 20 rad and stays.
#[test]
fn powered_axis_goes_beyond_a_turn() {
    let (mut world, _, hinge) = rod_on_a_hinge(-90.0);
    world.gravity = v(0., 0., 0.);
    let oscillator = Response::Oscillator { frequency: 2.0, damping_ratio: 1.0 };
    let motor = PoweredAxis::new(hinge.rotation(Axis::Z), 1e3).responding(oscillator);
    let id = add(&mut world, motor);
    run(&mut world, 5.0, H, |w| assert!(value(w, id).is_finite()));
    let start = value(&world, id);
    for _ in 0..2400 {
        let t = world.time();
        if let Kind::PoweredAxis(motor) = &mut world.constraint_mut(id).kind {
            motor.set_position(
                t,
                start + (20.0 - start) * ((t - 5.0) / 8.0).min(1.0),
                if t < 13.0 { (20.0 - start) / 8.0 } else { 0.0 },
            );
        }
        world.step(H).expect("a finite step");
    }
    assert!((value(&world, id) - 20.0).abs() < 0.05, "at {}", value(&world, id));
    // The same on a joint's own motor element.
    let (mut world, rod, hinge) = rod_on_a_hinge(0.0);
    world.gravity = v(0., 0., 0.);
    world.constraint_mut(sinew_first(&world)).enabled = false;
    let id = add(&mut world, hinge.powered_rotation(Axis::Z, Response::Hard, Real::INFINITY));
    world.constraint_mut(id).joint_mut().expect("a joint").set_target_angle(Axis::Z, 0.0, 0.0, 5.0);
    set_velocity(&mut world, rod, v(0., 2.5, 0.), v(0., 0., 5.));
    run(&mut world, 4.0, H, |_| ());
    let x = axis(&world, rod, v(1., 0., 0.));
    assert!((x.y.atan2(x.x) - (20.0 - 6.0 * std::f64::consts::PI)).abs() < 1e-6);
}

fn sinew_first(world: &World) -> sinew_dynamics::ConstraintId {
    world.constraint_ids().next().expect("a hinge")
}

/// A motor at its stop pushes with its full force, and the stop carries the difference.
#[test]
fn motor_at_its_stop_saturates() {
    for (speed, expected) in [(2.0, 0.8), (-2.0, -0.3)] {
        let (mut world, _, hinge) = rod_on_a_hinge(0.0);
        world.gravity = v(0., 0., 0.);
        let id = add(&mut world, PoweredAxis::new(hinge.rotation(Axis::Z), 3.0).between(-0.3, 0.8).at_speed(speed));
        run(&mut world, 2.0, H, |w| assert!((-0.31..0.81).contains(&value(w, id)), "{}", value(w, id)));
        assert!((value(&world, id) - expected).abs() < 1e-6, "stands at {}", value(&world, id));
        let multipliers = world.reaction(id).multipliers;
        assert_close("motor", multipliers[0], 3.0 * speed.signum(), 1e-9);
        assert_close("stop", multipliers[1], 3.0, 1e-6);
    }
    // A motor without a limit rests at the stop.
    let (mut world, _, hinge) = rod_on_a_hinge(0.0);
    let id =
        add(&mut world, PoweredAxis::new(hinge.rotation(Axis::Z), Real::INFINITY).between(-0.3, 0.8).at_speed(2.0));
    run(&mut world, 2.0, H, |w| assert!(value(w, id) < 0.8 + 2.1 * H));
    assert!((value(&world, id) - 0.8).abs() < 2.1 * H, "{}", value(&world, id));
}

/// A hard position motor far from its target pushes with its limit and no more: x = F t²/2m, to the steps' first order.
#[test]
fn hard_motor_far_away_keeps_to_its_limit() {
    let mut world = World::new();
    world.gravity = v(0., 0., 0.);
    let cart = ball(&mut world, 2.0, v(0., 0., 0.));
    let rail = Joint::slider(None, Placement::IDENTITY, Some(cart), Placement::IDENTITY);
    let id = add(&mut world, PoweredAxis::new(rail.slide(Axis::X), 5.0).at_position(1.0));
    add(&mut world, rail);
    run(&mut world, 0.5, H, |w| {
        assert_close("force", w.reaction(id).multipliers[0], 5.0, 1e-9);
        assert_close("way", position(w, cart).x, 1.25 * w.time() * (w.time() + H), 1e-9);
    });
    run(&mut world, 2.0, H, |w| assert!(w.reaction(id).multipliers[0].abs() <= 5.0 + 1e-9));
}

/// A motor with half the torque that the arm needs when level, led up slowly, stalls at 30° from hanging.
#[test]
fn weak_arm_stalls_at_thirty_degrees() {
    let (mut world, rod, hinge) = rod_on_a_hinge(-90.0);
    // Once the motor is at its limit it no longer damps; the air does.
    let drag = Joint::new(None, Placement::IDENTITY, Some(rod), at(-0.5, 0., 0.));
    add(&mut world, LimitedSpring::new(drag.rotation(Axis::Z), 0.0, -9.0, 9.0).damped(0.5));
    let response = Response::Spring { stiffness: 200.0, damping: 20.0 };
    let id = add(&mut world, PoweredAxis::new(hinge.rotation(Axis::Z), 0.5 * 0.5 * G).responding(response));
    let down = -0.5 * std::f64::consts::PI;
    for _ in 0..240 * 12 {
        let t = world.time();
        if let Kind::PoweredAxis(motor) = &mut world.constraint_mut(id).kind {
            motor.set_position(t, (down + 0.1 * t).min(0.0), 0.1);
        }
        world.step(H).expect("a finite step");
    }
    let x = axis(&world, rod, v(1., 0., 0.));
    let from_hanging = x.x.atan2(-x.y).to_degrees();
    assert!((from_hanging - 30.0).abs() < 0.5, "stalls at {from_hanging}°");
    assert_close("torque", world.reaction(id).multipliers[0], 0.25 * G, 1e-9);
}

/// Aligned axes come together from any start, opposite ones too, and are held there without degenerating.
#[test]
fn align_turns_opposite_axes_round() {
    for degrees in [30.0, 120.0, 179.9, 180.0] {
        let mut world = World::new();
        world.gravity = v(0., 0., 0.);
        let start = Placement::new(v(0., 0., 0.), rotation(v(0., 0., 1.), degrees));
        let needle = body(&mut world, MassProperties::cuboid(1.0, v(0.1, 0.3, 0.2)), start);
        let frames = Joint::new(None, Placement::IDENTITY, Some(needle), Placement::IDENTITY).orientations();
        add(&mut world, Align::new(frames, Axis::X).responding(Response::Decay { tau: 0.1 }));
        run(&mut world, 2.0, H, |_| ());
        let off = axis(&world, needle, v(1., 0., 0.)).angle(&v(1., 0., 0.));
        assert!(off < 1e-5, "from {degrees}°: {off}");
        // Held: a torque across does not move it, one along does.
        for _ in 0..240 {
            world.apply(needle, v(0., 0., 0.), v(0.01, 0.5, -0.3)).expect("finite");
            world.step(H).expect("a finite step");
        }
        let off = axis(&world, needle, v(1., 0., 0.)).angle(&v(1., 0., 0.));
        assert!(off < 1e-4, "pushed off by {off}");
        assert!(world.state(needle).angular().x.abs() > 0.05);
    }
}

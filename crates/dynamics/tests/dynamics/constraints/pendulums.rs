//! Pendulums, ropes, bars and beads.

use super::scenes::*;
use sinew_dynamics::Real;
use sinew_dynamics::{
    Anchor, Axis, Curve, Distance, Element, Joint, MassProperties, OnCurve, Placement, Response, World,
};

/// The period of a uniform 1 m rod hung at one end, released at rest at an angle from hanging.
fn rod_period(degrees: Real) -> Real {
    let mut world = World::new();
    let tilt = rotation(v(0., 0., 1.), degrees - 90.0);
    let rod = body(&mut world, MassProperties::rod(1.0, 1.0), Placement::new(tilt * v(0.5, 0., 0.), tilt));
    add(&mut world, Joint::hinge(None, Placement::IDENTITY, Some(rod), at(-0.5, 0., 0.)));
    let mut crossings = Crossings::default();
    run(&mut world, 2.0, H, |w| crossings.look(w.time(), position(w, rod).x));
    2.0 * (crossings.times[1] - crossings.times[0])
}

/// T = 2π√(2L/3g)·(1 + θ²/16 + …) for small θ, the complete elliptic integral for 90°.
#[test]
fn rod_pendulum_has_the_elliptic_period() {
    assert_close("5°", rod_period(5.0), 1.6387, 2e-3);
    assert_close("90°", rod_period(90.0), 1.9333, 2e-3);
}

/// ω² = g/(L cosθ).
#[test]
fn conical_pendulum_keeps_its_height_and_comes_round_in_time() {
    let (length, angle): (Real, Real) = (1.0, 30f64.to_radians());
    let omega = (G / (length * angle.cos())).sqrt();
    let mut world = World::new();
    let start = v(length * angle.sin(), -length * angle.cos(), 0.);
    let bob = ball(&mut world, 1.0, start);
    add(&mut world, Joint::nail(Anchor::on(bob, -start), v(0., 0., 0.)));
    set_velocity(&mut world, bob, v(0., 0., -omega * start.x), v(0., omega, 0.));
    let mut crossings = Crossings::default();
    run(&mut world, 4.2 * std::f64::consts::PI / omega, H, |w| {
        let p = position(w, bob);
        assert!((p.y - start.y).abs() < 5e-3, "height {}", p.y);
        assert!((p.norm() - length).abs() < 1e-6, "length {}", p.norm());
        crossings.look(w.time(), p.x);
    });
    let period = crossings.times[2] - crossings.times[0];
    assert_close("ω", 2.0 * std::f64::consts::PI / period, omega, 5e-3);
}

/// A bead let go at H = 2.5 R passes the top of the loop with N = 0 and the bottom with N = 6 mg.
#[test]
fn bead_on_a_loop_presses_with_six_weights_at_the_bottom() {
    let (radius, mass): (Real, Real) = (1.0, 0.3);
    let mut world = World::new();
    let bead = ball(&mut world, mass, v(0., radius, 0.));
    set_velocity(&mut world, bead, v((G * radius).sqrt(), 0., 0.), v(0., 0., 0.));
    let loop_ = Curve::circle(v(0., 0., 0.), v(0., 0., 1.), radius);
    let wire = add(&mut world, OnCurve::new(Anchor::centre(bead), None, loop_));
    let (mut top, mut bottom) = (None, 0.0);
    run(&mut world, 2.0, 1.0 / 1000.0, |w| {
        let force = w.reaction(wire).wrenches[0].1;
        // The first step bends the path by half a step only.
        if w.time() > 0.0015 {
            top.get_or_insert(force[1]);
        }
        assert!((position(w, bead).norm() - radius).abs() < 1e-6);
        bottom = Real::max(bottom, force[1]);
    });
    assert!(top.expect("a step").abs() < 0.02 * mass * G, "top: {top:?}");
    assert_close("N at the bottom", bottom, 6.0 * mass * G, 5e-3);
}

/// A bead on a wavy closed wire keeps its energy, and its wire.
#[test]
fn bead_on_a_spline_keeps_its_energy() {
    let points: Vec<_> = (0..12)
        .map(|i| i as Real * std::f64::consts::TAU / 12.0)
        .map(|a| v(2.0 * a.cos(), 0.5 * (3.0 * a).sin(), a.sin()))
        .collect();
    let curve = Curve::spline(sinew_dynamics::CubicSpline::loop_through(&points).expect("distinct points"));
    let mut world = World::new();
    let bead = ball(&mut world, 1.0, points[0]);
    let direction = curve.sample(0.0).1.normalize();
    set_velocity(&mut world, bead, direction * 4.0, v(0., 0., 0.));
    add(&mut world, OnCurve::new(Anchor::centre(bead), None, curve.clone()));
    let energy = world.energy();
    run(&mut world, 5.0, 1.0 / 1000.0, |w| {
        let p = position(w, bead);
        let gap = (curve.sample(curve.nearest(&p)).0 - p).norm();
        assert!(gap < 1e-6, "{gap} m off the wire");
        assert!((w.energy() - energy).abs() < 0.05, "energy {} from {energy}", w.energy());
    });
}

/// A bead that runs off the end of its wire flies on with the velocity it has.
#[test]
fn bead_leaves_the_end_of_its_wire() {
    let mut world = World::new();
    world.gravity = v(0., 0., 0.);
    let bead = ball(&mut world, 1.0, v(0.5, 0., 0.));
    set_velocity(&mut world, bead, v(1., 0., 0.), v(0., 0., 0.));
    let wire = Curve::Segment { from: v(0., 0., 0.), to: v(1., 0., 0.) };
    let id = add(&mut world, OnCurve::new(Anchor::centre(bead), None, wire).leaving_at_ends());
    run(&mut world, 1.0, H, |w| {
        let on_it = position(w, bead).x <= 1.0;
        assert_eq!(matches!(&w.constraint(id).kind, sinew_dynamics::Kind::OnCurve(k) if k.has_left()), !on_it);
    });
    world.apply_impulse(bead, v(0., 2., 0.), position(&world, bead)).expect("finite");
    run(&mut world, 0.5, H, |_| ());
    assert!((position(&world, bead) - v(2., 1., 0.)).norm() < 1e-9, "{}", position(&world, bead));
}

/// A wire that acts from a later time on takes the bead where it is then, though it was beyond the end before.
#[test]
fn wire_with_a_start_takes_hold_where_the_bead_is() {
    let mut world = World::new();
    let bead = ball(&mut world, 1.0, v(-0.5, 0., 0.));
    world.gravity = v(0., 0., 0.);
    set_velocity(&mut world, bead, v(1., 0., 0.), v(0., 0., 0.));
    let wire = Curve::Segment { from: v(0., 0., 0.), to: v(10., 0., 0.) };
    let wire = OnCurve::new(Anchor::centre(bead), None, wire).leaving_at_ends();
    world.add_constraint(sinew_dynamics::Constraint::new(wire).during(1.0, 9.0)).expect("valid");
    run(&mut world, 1.0, H, |_| ());
    world.apply_impulse(bead, v(0., 2., 0.), position(&world, bead)).expect("finite");
    run(&mut world, 1.0, H, |_| ());
    assert!((position(&world, bead) - v(1.5, 0., 0.)).norm() < 1e-6, "{}", position(&world, bead));
}

/// A slack rope does nothing; a taut one holds the weight and never stretches.
#[test]
fn rope_is_slack_then_taut() {
    let mut world = World::new();
    let bob = body(&mut world, MassProperties::sphere(2.0, 0.05), at(0.6, 0., 0.));
    let rope = Distance::rope(Anchor::world(v(0., 0., 0.)), Anchor::centre(bob), 1.0);
    let id = add(&mut world, rope);
    let mut fell_free = 0.0;
    run(&mut world, 10.0, H, |w| {
        let reach = rope.read(w);
        assert!(reach < 1.0 + 1e-3, "stretched to {reach}");
        let pull = w.reaction(id).multipliers.first().copied().unwrap_or(0.0);
        assert!(pull >= 0.0, "a rope pushes with {pull}");
        if reach < 0.95 && w.time() < 0.3 {
            assert_eq!(pull, 0.0, "slack at {}", w.time());
            fell_free = w.time();
        }
    });
    assert!(fell_free > 0.2);
    // Hung at rest it carries the weight.
    let mut world = World::new();
    let bob = body(&mut world, MassProperties::sphere(2.0, 0.05), at(0., -1., 0.));
    let id = add(&mut world, Distance::rope(Anchor::world(v(0., 0., 0.)), Anchor::centre(bob), 1.0));
    run(&mut world, 1.0, H, |_| ());
    assert_close("tension", world.reaction(id).multipliers[0], 2.0 * G, 1e-6);
}

/// A rope pendulum that stays taut swings like one on a bar: T = 4 √(L/g) K(sin 30°) from 60°.
#[test]
fn taut_rope_swings_like_a_bar() {
    for kind in [Distance::rope, Distance::bar] {
        let mut world = World::new();
        let start = rotation(v(0., 0., 1.), 60.0) * v(0., -1., 0.);
        let bob = ball(&mut world, 1.0, start);
        add(&mut world, kind(Anchor::world(v(0., 0., 0.)), Anchor::centre(bob), 1.0));
        let energy = world.energy();
        let mut crossings = Crossings::default();
        run(&mut world, 8.0, H, |w| crossings.look(w.time(), position(w, bob).x));
        assert_close("period", 2.0 * (crossings.times[1] - crossings.times[0]), 2.152_9, 2e-3);
        assert!((world.energy() - energy).abs() < 0.01 * G, "lost {} J in 8 s", energy - world.energy());
    }
}

/// A strut keeps two bodies apart and lets them part.
#[test]
fn strut_pushes_but_does_not_pull() {
    let mut world = World::new();
    world.gravity = v(0., 0., 0.);
    let (a, b) = (ball(&mut world, 1.0, v(0., 0., 0.)), ball(&mut world, 3.0, v(2., 0., 0.)));
    set_velocity(&mut world, a, v(3., 0., 0.), v(0., 0., 0.));
    let strut = Distance::strut(Anchor::centre(a), Anchor::centre(b), 1.0);
    add(&mut world, strut);
    let momentum = world.momentum();
    run(&mut world, 1.0, H, |w| assert!(strut.read(w) > 1.0 - 1e-9));
    // A blow without rebound: both go on with the common velocity.
    assert_close("after the blow", world.state(a).linear().x, 0.75, 1e-9);
    assert!((world.momentum().0 - momentum.0).norm() < 1e-12);
    set_velocity(&mut world, b, v(2., 0., 0.), v(0., 0., 0.));
    run(&mut world, 1.0, H, |_| ());
    assert_close("left behind", world.state(a).linear().x, 0.75, 1e-9);
}

/// Driven at a constant speed, a universal joint bent by β = 30° passes on between cosβ and 1/cosβ of it.
#[test]
fn universal_joint_has_the_cardan_speed_ratio() {
    let mut world = World::new();
    let bend = rotation(v(0., 1., 0.), 30.0);
    let mass = MassProperties::new(1.0, v(0.1, 0.1, 0.05));
    let driving = body(&mut world, mass, Placement::IDENTITY);
    let driven = body(&mut world, mass, Placement::new(v(0., 0., 0.), bend));
    let hinge = Joint::hinge(None, Placement::IDENTITY, Some(driving), Placement::IDENTITY);
    let mut motor = hinge.powered_rotation(Axis::Z, Response::Rate, Real::INFINITY);
    motor.set_target_angle(Axis::Z, 0.0, 0.0, 3.0);
    add(&mut world, motor);
    add(&mut world, Joint::universal(Some(driving), Placement::IDENTITY, Some(driven), Placement::IDENTITY));
    let shaft = Joint::new(None, Placement::new(v(0., 0., 0.), bend), Some(driven), Placement::IDENTITY)
        .holding(&[Element::Perpendicular(Axis::Z, Axis::X), Element::Perpendicular(Axis::Z, Axis::Y)]);
    add(&mut world, shaft);
    set_velocity(&mut world, driving, v(0., 0., 0.), v(0., 0., 3.));
    let (mut least, mut most) = (Real::INFINITY, 0.0);
    run(&mut world, 3.0, H, |w| {
        let ratio = w.state(driven).angular().dot(&(bend * v(0., 0., 1.))) / w.state(driving).angular().z;
        (least, most) = (Real::min(least, ratio), Real::max(most, ratio));
        let square = axis(w, driving, v(1., 0., 0.)).dot(&axis(w, driven, v(0., 1., 0.)));
        assert!(square.abs() < 1e-6, "the cross is off by {square}");
    });
    assert_close("least", least, 0.866, 0.01);
    assert_close("most", most, 1.155, 0.01);
}

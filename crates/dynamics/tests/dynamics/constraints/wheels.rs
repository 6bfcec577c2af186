//! Gears, drums, pulleys, rolling.

use super::scenes::*;
use sinew_dynamics::Real;
use sinew_dynamics::{Anchor, Axis, Gear, Joint, MassProperties, Placement, Pulley, Rolling, World};

/// Two wheels on hinges about z, 0.3 m apart.
fn two_wheels(toothed: bool) -> (World, [sinew_dynamics::BodyId; 2], [Joint; 2]) {
    let mut world = World::new();
    let wheels = [0.0, 0.3].map(|x| body(&mut world, MassProperties::new(1.0, v(0.01, 0.01, 0.02)), at(x, 0., 0.)));
    let hinges = [(0.0, wheels[0]), (0.3, wheels[1])]
        .map(|(x, wheel)| Joint::hinge(None, at(x, 0., 0.), Some(wheel), Placement::IDENTITY));
    for hinge in &hinges {
        add(&mut world, hinge.clone());
    }
    let gear = Gear::wheels(hinges[0].rotation(Axis::Z), 0.10, hinges[1].rotation(Axis::Z), 0.05);
    add(&mut world, if toothed { gear.toothed() } else { gear });
    (world, wheels, hinges)
}

/// r₁ω₁ + r₂ω₂ = 0 with r = 0.10 and 0.05: ω₂ = −2 ω₁, and the inertia felt at the first is I₁ + 4 I₂.
#[test]
fn gears_turn_in_their_ratio() {
    for toothed in [false, true] {
        let (mut world, wheels, _) = two_wheels(toothed);
        let mut worst: Real = 0.0;
        for _ in 0..480 {
            world.apply(wheels[0], v(0., 0., 0.), v(0., 0., 1.)).expect("finite");
            world.step(H).expect("a finite step");
            let [one, two] = wheels.map(|w| world.state(w).angular().z);
            worst = worst.max((two / one + 2.0).abs());
        }
        assert!(worst < 1e-9, "toothed {toothed}: the ratio is off by {worst}");
        assert_close("ω₁ after 2 s", world.state(wheels[0]).angular().z, 2.0 / (0.02 + 4.0 * 0.02), 1e-6);
    }
}

/// Teeth are never skipped: after 50 turns the angles still add up.
#[test]
fn toothed_gears_keep_their_angles_over_many_turns() {
    let (mut world, wheels, hinges) = two_wheels(true);
    let counts = [0, 1].map(|i| add(&mut world, sinew_dynamics::PoweredAxis::new(hinges[i].rotation(Axis::Z), 1.0)));
    set_velocity(&mut world, wheels[0], v(0., 0., 0.), v(0., 0., 40.));
    run(&mut world, 20.0, H, |_| ());
    let [one, two] = counts.map(|id| match &world.constraint(id).kind {
        sinew_dynamics::Kind::PoweredAxis(axis) => axis.stops.coordinate.read(&world),
        _ => unreachable!("it was added as one"),
    });
    assert!(one > 50.0, "turned {one}");
    assert!((two + 2.0 * one).abs() < 1e-6, "{one} {two}");
}

/// A weight m on the string of a solid drum of mass m: a = 2g/3.
#[test]
fn weight_on_a_solid_drum_falls_with_two_thirds_of_g() {
    let mut world = World::new();
    let drum = body(&mut world, MassProperties::cylinder(3.0, 0.2, 0.1), Placement::IDENTITY);
    let weight = ball(&mut world, 3.0, v(0., -1., 0.2));
    let axle = Placement::new(v(0., 0., 0.), rotation(v(0., 1., 0.), 90.0));
    // z of the axle's frame is x of the drum.
    let hinge = Joint::hinge(None, axle, Some(drum), axle);
    let down = Placement::new(v(0., 0., 0.2), rotation(v(0., 0., 1.), -90.0));
    let string = Joint::new(None, down, Some(weight), Placement::IDENTITY);
    add(&mut world, Gear::rack(hinge.rotation(Axis::Z), 0.2, string.slide(Axis::X)));
    add(&mut world, hinge);
    run(&mut world, 1.0, H, |_| ());
    assert_close("speed after 1 s", -world.state(weight).linear().y, 2.0 * G / 3.0, 1e-3);
    assert_close("drum", world.state(drum).angular().x * 0.2, 2.0 * G / 3.0, 1e-3);
}

/// Atwood: a = (m₁ − m₂)g/(m₁ + m₂); with ρ strands on the second load (m₁ − m₂/ρ…): a₁ = g(m₁ − m₂/ρ)/(m₁ + m₂/ρ²).
#[test]
fn pulley_accelerates_as_atwood_says() {
    let (m_1, m_2): (Real, Real) = (2.0, 1.0);
    for (ratio, slack) in [(1.0, false), (1.0, true), (2.0, false)] {
        let mut world = World::new();
        let loads = [ball(&mut world, m_1, v(-0.5, -2., 0.)), ball(&mut world, m_2, v(0.5, -2., 0.))];
        let strand = |x: Real, load| [Anchor::world(v(x, 0., 0.)), Anchor::centre(load)];
        let make = if slack { Pulley::rope } else { Pulley::new };
        let rope = make(strand(-0.5, loads[0]), strand(0.5, loads[1]), 2.0 + 2.0 * ratio).geared(ratio);
        let id = add(&mut world, rope);
        run(&mut world, 0.5, H, |_| ());
        let a = G * (m_1 - m_2 / ratio) / (m_1 + m_2 / (ratio * ratio));
        assert_close("first load", -world.state(loads[0]).linear().y, 0.5 * a, 1e-6);
        assert_close("second load", world.state(loads[1]).linear().y, 0.5 * a / ratio, 1e-6);
        assert_close("tension", world.reaction(id).multipliers[0].abs(), m_1 * (G - a), 1e-6);
    }
}

/// A solid ball rolls down a slope with 5/7 g sinθ, a solid cylinder with 2/3 g sinθ.
#[test]
fn rolling_down_a_slope_has_the_textbook_acceleration() {
    let slope = rotation(v(0., 0., 1.), -30.0);
    let (along, normal) = (slope * v(1., 0., 0.), slope * v(0., 1., 0.));
    let radius = 0.1;
    for wheel in [false, true] {
        let mut world = World::new();
        let (mass, expected) = if wheel {
            (MassProperties::new(2.0, v(0.02, 0.02, 0.5 * 2.0 * radius * radius)), 2.0 / 3.0)
        } else {
            (MassProperties::sphere(2.0, radius), 5.0 / 7.0)
        };
        let roller = body(&mut world, mass, Placement::at(normal * radius));
        let ground = Anchor::world(v(0., 0., 0.));
        let rolling = if wheel {
            Rolling::wheel(roller, v(0., 0., 1.), radius, ground, normal)
        } else {
            Rolling::ball(roller, radius, ground, normal)
        };
        add(&mut world, rolling);
        let energy = world.energy();
        run(&mut world, 2.0, H, |w| {
            let state = w.state(roller);
            assert!((state.placement.position.dot(&normal) - radius).abs() < 1e-7, "off the slope");
            let slip = state.linear().dot(&along) + state.angular().z * radius;
            assert!(slip.abs() < 1e-6, "slips with {slip}");
        });
        let speed = world.state(roller).linear().dot(&along);
        assert_close("speed after 2 s", speed, expected * G * 0.5 * 2.0, 1e-4);
        assert!((world.energy() - energy).abs() < 0.01 * energy.abs().max(2.0 * G * 2.0));
    }
}

/// A ball rolls on a turntable in circles of angular speed 2Ω/7 (solid ball), wherever it starts.
#[test]
fn ball_on_a_turntable_circles_with_two_sevenths_of_its_speed() {
    let (omega, radius): (Real, Real) = (2.0, 0.05);
    let mut world = World::new();
    let table =
        sinew_dynamics::Body::kinematic("table", Placement::IDENTITY).with_velocity(v(0., 0., 0.), v(0., omega, 0.));
    let table = world.add_body(table).expect("a valid body");
    let roller = body(&mut world, MassProperties::sphere(1.0, radius), at(0.5, radius, 0.));
    let start = v(0.3, 0., 0.2);
    // Rolling at the start: v − ω×R n = Ω×x.
    let ground = v(0., omega, 0.).cross(&v(0.5, 0., 0.));
    let spin = v(0., 1., 0.).cross(&(start - ground)) / radius;
    set_velocity(&mut world, roller, start, spin);
    add(&mut world, Rolling::ball(roller, radius, Anchor::on(table, v(0., 0., 0.)), v(0., 1., 0.)));
    let mut crossings = Crossings::default();
    run(&mut world, 22.0, H, |w| crossings.look(w.time(), w.state(roller).linear().x));
    let period = crossings.times[2] - crossings.times[0];
    assert_close("Ω of the circle", 2.0 * std::f64::consts::PI / period, 2.0 * omega / 7.0, 5e-3);
    assert_close("speed is kept", world.state(roller).linear().norm(), start.norm(), 5e-3);
}

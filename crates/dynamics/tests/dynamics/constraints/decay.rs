//! The decay law: a deviation D₀ at rest dies out as D₀(1 + t/τ)e^(−t/τ), whatever the kind (Barzel & Barr 1988).

use super::scenes::*;
use sinew_dynamics::Real;
use sinew_dynamics::{
    Align, Anchor, Axis, Body, BodyId, Curve, Distance, Joint, Kind, MassProperties, OnCurve, OnPath, OnSurface, Path,
    Placement, PoweredAxis, Pulley, Response, Script, Surface, World,
};

const TAU: Real = 0.1;

type Deviation = Box<dyn Fn(&World) -> Real>;

/// One kind at a deviation, and how the deviation is measured.
fn kinds(body: BodyId, other: BodyId) -> Vec<(&'static str, Kind, Deviation)> {
    let decay = Response::Decay { tau: TAU };
    let point = v(0.05, 0.02, -0.03);
    let here = move |w: &World| w.state(body).placement.point(&v(0.05, 0.02, -0.03));
    let centre = move |w: &World| position(w, body);
    let anchor = Anchor::on(body, point);
    let heart = Anchor::centre(body);
    let origin = Anchor::world(v(0., 0., 0.));
    let x_axis = move |w: &World| axis(w, body, v(1., 0., 0.));
    let free = Joint::new(None, Placement::IDENTITY, Some(body), Placement::IDENTITY);
    let still = Path::new(|_| (v(0.3, 0.2, 0.), v(0., 0., 0.), v(0., 0., 0.)));
    let ellipsoid = Surface::Ellipsoid { frame: Placement::IDENTITY, half_axes: v(0.5, 0.7, 0.6) };
    let track = Curve::circle(v(0., 0., 0.), v(0.2, 1., 0.1), 0.8);
    let (ring, shell) = (track.clone(), ellipsoid.clone());
    let strands = [[origin, heart], [Anchor::world(v(1., 1., 0.)), Anchor::centre(other)]];
    vec![
        ("nail", Joint::nail(anchor, v(0., 0., 0.)).responding(decay).into(), Box::new(move |w| here(w).norm())),
        (
            "path",
            OnPath::new(anchor, still).responding(decay).into(),
            Box::new(move |w| (here(w) - v(0.3, 0.2, 0.)).norm()),
        ),
        (
            "ball joint",
            Joint::ball(Some(body), Placement::at(point), Some(other), Placement::IDENTITY).responding(decay).into(),
            Box::new(move |w| (here(w) - position(w, other)).norm()),
        ),
        (
            "line",
            Joint::point_on_line(origin, v(1., 0., 0.), anchor).responding(decay).into(),
            Box::new(move |w| here(w).yz().norm()),
        ),
        (
            "plane",
            Joint::point_on_plane(origin, v(0., 1., 0.), anchor).responding(decay).into(),
            Box::new(move |w| here(w).y),
        ),
        (
            "curve",
            OnCurve::new(heart, None, track).responding(decay).into(),
            Box::new(move |w| (ring.sample(ring.nearest(&centre(w))).0 - centre(w)).norm()),
        ),
        (
            "surface",
            OnSurface::new(heart, None, ellipsoid).responding(decay).into(),
            Box::new(move |w| shell.field(&centre(w)).0),
        ),
        ("bar", Distance::bar(origin, anchor, 0.3).responding(decay).into(), Box::new(move |w| here(w).norm() - 0.3)),
        (
            "pulley",
            Pulley::new(strands[0], strands[1], 2.0).geared(1.5).responding(decay).into(),
            Box::new(move |w| centre(w).norm() + 1.5 * (position(w, other) - v(1., 1., 0.)).norm() - 2.0),
        ),
        (
            "perpendicular",
            Joint::perpendicular(None, v(1., 0.5, 0.), Some(body), v(1., 0., 0.)).responding(decay).into(),
            Box::new(move |w| x_axis(w).dot(&v(1., 0.5, 0.).normalize())),
        ),
        (
            "align",
            Align::new(free.orientations(), Axis::X).responding(decay).into(),
            Box::new(move |w| x_axis(w).angle(&v(1., 0., 0.))),
        ),
        (
            "powered axis",
            PoweredAxis::new(free.slide(Axis::Y), 1e6).responding(decay).at_position(0.2).into(),
            Box::new(move |w| centre(w).y - 0.2),
        ),
    ]
}

#[test]
fn deviations_of_every_kind_follow_the_decay_law() {
    let h = 1.0 / 5000.0;
    let count = kinds_in(&mut World::new()).len();
    for index in 0..count {
        let mut world = World::new();
        // Falling along the free directions bends curved rows ever faster, which a step sees only afterwards.
        world.gravity = v(0., 0., 0.);
        let (name, kind, deviation) = kinds_in(&mut world).swap_remove(index);
        add(&mut world, kind);
        let start = deviation(&world);
        assert!(start.abs() > 0.1, "{name} starts at {start}");
        for (t, share) in [(1.0, 0.7358), (5.0, 0.04043), (10.0, 4.994e-4)] {
            let rest = t * TAU - world.time();
            run(&mut world, rest, h, |_| ());
            assert_close(&format!("{name} at {t} τ"), deviation(&world) / start, share, 0.01);
        }
    }
}

fn kinds_in(world: &mut World) -> Vec<(&'static str, Kind, Deviation)> {
    let mass = MassProperties::cuboid(2.0, v(0.3, 0.2, 0.25));
    let one = body(world, mass, Placement::new(v(0.5, 0.8, 0.4), rotation(v(0.3, 1., 0.5), 40.0)));
    let two = body(world, mass, at(-0.6, 0.1, 0.2));
    kinds(one, two)
}

/// A ball pulled to a nail has the peak speed D₀/(eτ) = 3.679 m/s, and at last the nail carries 19.62 N.
#[test]
fn ball_flies_to_its_nail() {
    let mut world = World::new();
    let bob = ball(&mut world, 2.0, v(1., 0., 0.));
    let nail = Joint::nail(Anchor::centre(bob), v(0., 0., 0.)).responding(Response::Decay { tau: TAU });
    let id = add(&mut world, nail);
    let mut fastest: Real = 0.0;
    run(&mut world, 20.0 * TAU, 1.0 / 1000.0, |w| fastest = fastest.max(w.state(bob).linear().norm()));
    assert_close("peak speed", fastest, 3.679, 0.01);
    let force = world.reaction(id).wrenches[0].1;
    assert!((force[1] - 19.62).abs() < 1e-3 && force[0].abs() < 1e-3, "{force}");
}

/// A body on an accelerating scripted one, held by a decaying joint, does not lag by τ²a = 5 cm.
#[test]
fn decaying_joint_follows_an_accelerating_script() {
    let mut world = World::new();
    let lift = Script::new(|t| sinew_dynamics::Motion {
        placement: at(0., 2.5 * t * t, 0.),
        velocity: [0., 5. * t, 0., 0., 0., 0.].into(),
        acceleration: [0., 5., 0., 0., 0., 0.].into(),
    });
    let lift = world.add_body(Body::scripted("lift", lift)).expect("a valid body");
    let load = ball(&mut world, 1.0, v(0., 0., 0.));
    let hook = Joint::ball(Some(lift), Placement::IDENTITY, Some(load), Placement::IDENTITY);
    let id = add(&mut world, hook.responding(Response::Decay { tau: TAU }));
    run(&mut world, 2.0, H, |_| ());
    let lag = (position(&world, lift) - position(&world, load)).norm();
    assert!(lag < 1e-4, "lags by {lag}");
    assert_close("pull", world.reaction(id).multipliers[1], G + 5.0, 1e-3);
}

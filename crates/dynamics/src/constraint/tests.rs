//! Rows of every kind against differences: Ċ = J v − rate, d(J v)/dt = J a + J̇v − acceleration, action = reaction.

use super::*;
use crate::Placement;
use crate::body::State;
use crate::math::{Mat3, Quat, Vec3};
use crate::rows::{Assembly, Response};
use proptest::prelude::*;

const BODIES: usize = 4;
const SLOTS: [u32; BODIES] = [0, 1, 2, 3];

/// Bodies with positions, velocities and accelerations at one moment.
#[derive(Debug)]
struct Moment {
    states: Vec<State>,
    accelerations: Vec<Vec6>,
    movable: Vec<bool>,
    time: Real,
}

/// Values of one row.
struct Said {
    error: Real,
    rate: Real,
    /// J a + J̇v − wanted C̈.
    acceleration: Real,
    holonomic: bool,
    force: Vec3,
    torque: Vec3,
}

impl Moment {
    fn from_numbers(n: &[Real]) -> Self {
        let mut n = n.iter().copied();
        let mut next = || n.next().expect("enough numbers");
        let mut vector = || Vec3::new(next(), next(), next());
        let mut moment = Moment { states: Vec::new(), accelerations: Vec::new(), movable: Vec::new(), time: 0.7 };
        for _ in 0..BODIES {
            let placement = Placement::new(vector(), Quat::from_scaled_axis(vector() * 2.0));
            let mut six = |scale: Real| {
                let (l, a) = (vector() * scale, vector() * scale);
                Vec6::new(l.x, l.y, l.z, a.x, a.y, a.z)
            };
            moment.states.push(State { placement, velocity: six(2.0) });
            moment.accelerations.push(six(3.0));
            moment.movable.push(true);
        }
        moment
    }

    /// The same motion a little later: constant accelerations, right to second order in the rotation.
    fn later(&self, dt: Real) -> Moment {
        let mut states = self.states.clone();
        for (state, acceleration) in states.iter_mut().zip(&self.accelerations) {
            state.placement = State::moved(&state.placement, &(state.velocity + acceleration * (0.5 * dt)), dt);
            state.velocity += acceleration * dt;
        }
        let Moment { accelerations, movable, time, .. } = self;
        Moment { states, accelerations: accelerations.clone(), movable: movable.clone(), time: time + dt }
    }

    fn scope(&self) -> Scope<'_> {
        let Moment { states, accelerations: scripted, movable, time } = self;
        Scope { slots: &SLOTS, states, scripted, movable, time: *time }
    }

    fn rows(&self, constraint: &Constraint) -> Vec<Said> {
        let mut assembly = Assembly { with_curvature: true, ..Assembly::default() };
        let scope = self.scope();
        assembly.block(0, false, scope, |sink| constraint.emit(constraint.is_pivot(), &scope, sink));
        let said = |row: usize| {
            let spec = &assembly.specs[row];
            let entries = assembly.problem.entries(row);
            let dot = |v: &[Vec6]| entries.iter().map(|e| e.jacobian.dot(&v[e.body as usize])).sum::<Real>();
            let velocities: Vec<Vec6> = self.states.iter().map(|s| s.velocity).collect();
            let (mut force, mut torque) = (Vec3::zeros(), Vec3::zeros());
            for entry in entries {
                let j = &entry.jacobian;
                let linear = Vec3::new(j[0], j[1], j[2]);
                force += linear;
                torque +=
                    Vec3::new(j[3], j[4], j[5]) + self.states[entry.body as usize].placement.position.cross(&linear);
            }
            Said {
                error: spec.error,
                rate: dot(&velocities) + spec.known_rate - spec.rate,
                acceleration: dot(&self.accelerations) + spec.known_acceleration + spec.curvature - spec.acceleration,
                holonomic: spec.response != Response::Rate,
                force,
                torque,
            }
        };
        (0..assembly.specs.len()).map(said).collect()
    }
}

fn id(n: u32) -> Option<BodyId> {
    Some(BodyId(n))
}

fn on(n: u32, x: Real, y: Real, z: Real) -> Anchor {
    Anchor::on(BodyId(n), Vec3::new(x, y, z))
}

fn frame(x: Real, y: Real, z: Real) -> Placement {
    Placement::new(Vec3::new(x, y, z), Quat::from_scaled_axis(Vec3::new(z, x, y) * 1.5))
}

fn track() -> Curve {
    let points = [(0.0, 0.0), (0.8, 0.5), (1.5, -0.2), (1.0, -1.2), (-0.5, -0.8)].map(|(x, y)| Vec3::new(x, y, x * y));
    Curve::spline(CubicSpline::loop_through(&points).expect("distinct points"))
}

/// Saddle y = x z: not a distance, so that gradient and Hessian are not trivial.
fn saddle(p: &Vec3) -> Field {
    let hessian = Mat3::new(0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0);
    (p.y - p.x * p.z, Vec3::new(-p.z, 1.0, -p.x), hessian)
}

/// Lists every kind, between bodies and between a body and the world, with margins that state every row everywhere.
fn kinds(moment: &Moment) -> Vec<(String, Kind)> {
    let mut kinds: Vec<(String, Kind)> = Vec::new();
    let mut add = |name: &str, kind: Kind| kinds.push((name.into(), kind));
    let (fa, fb) = (frame(0.3, -0.2, 0.1), frame(-0.4, 0.1, 0.5));
    for (a, b) in [(id(0), id(1)), (None, id(1)), (id(0), None)] {
        let place = if (a, b) == (id(0), id(1)) { "" } else { " to the world" };
        let mut joint = Joint::new(a, fa, b, fb).holding(&Axis::ALL.map(Element::Linear));
        joint = joint.holding(&[Element::Twist(Axis::Y)]);
        joint = joint.holding(&[Element::Perpendicular(Axis::Z, Axis::X), Element::Perpendicular(Axis::Y, Axis::Y)]);
        joint.target.velocity = Vec3::new(0.2, -0.4, 0.6);
        joint.target.acceleration = Vec3::new(-0.5, 0.3, 0.1);
        joint.target.angular_velocity = Vec3::new(0.3, 0.2, -0.1);
        joint.target.angular_acceleration = Vec3::new(0.1, -0.2, 0.3);
        add(&format!("joint{place}"), joint.clone().into());
        // Angular rows are exact where they are met; point rows act along one line there.
        let scope = moment.scope();
        let at = |body| scope.state(body).placement;
        let met = Placement { position: at(b).local_point(&at(a).point(&fa.position)), ..fb };
        let mut held = Joint::ball(a, fa, b, met).holding(&Axis::ALL.map(Element::Angular));
        let q = |body, frame: &Placement| scope.state(body).placement.rotation * frame.rotation;
        held.target.rotation = q(a, &fa).inverse() * q(b, &fb);
        add(&format!("weld where met{place}"), held.into());
        let everywhere = |coordinate| Limit { margin: Real::INFINITY, ..Limit::new(coordinate, -0.5, 0.5) };
        add(&format!("slide limit{place}"), everywhere(joint.slide(Axis::Z)).into());
        add(&format!("turn limit{place}"), everywhere(joint.rotation(Axis::X)).into());
        let spring = LimitedSpring::new(joint.slide(Axis::X), 5.0, -0.5, 0.5);
        let spring = LimitedSpring { stops: everywhere(joint.slide(Axis::X)), ..spring };
        add(&format!("limited spring{place}"), spring.into());
        let mut motor = PoweredAxis::new(joint.rotation(Axis::Z), 10.0);
        motor.power = Power::Position { time: 0.2, position: 0.4, speed: -0.7, acceleration: 0.9 };
        add(&format!("powered axis{place}"), motor.into());
        add(&format!("powered speed{place}"), PoweredAxis::new(joint.slide(Axis::Y), 10.0).at_speed(0.5).into());
        let frames = joint.orientations();
        add(&format!("align{place}"), Align::new(frames, Axis::Y).into());
        let ranges = [-0.3, 0.4];
        let cone = SwingTwist { margin: Real::INFINITY, ..SwingTwist::new(frames, [0.5, 1.2], ranges) };
        add(&format!("swing and twist{place}"), cone.into());
        for order in [[Axis::X, Axis::Y, Axis::Z], [Axis::Z, Axis::Y, Axis::X], [Axis::Z, Axis::X, Axis::Y]] {
            let mut euler = EulerLimit::new(frames, order, [ranges; 3]).expect("different axes");
            euler.margin = Real::INFINITY;
            add(&format!("Euler box{place}"), euler.into());
        }
        let ends = [a, b].map(|body| Anchor { body, point: Vec3::new(0.2, 0.5, -0.3) });
        add(&format!("bar{place}"), Distance::bar(ends[0], ends[1], 0.5).into());
        let rope = Distance::rope(ends[0], ends[1], 0.1);
        add(&format!("rope{place}"), Distance { margin: Real::INFINITY, ..rope }.into());
        for curve in [
            Curve::line(Vec3::new(0.1, 0.2, 0.3), Vec3::new(1.0, -2.0, 0.5)),
            Curve::Segment { from: Vec3::new(0.1, 0.2, 0.3), to: Vec3::new(1.0, 1.0, 0.0) },
            Curve::circle(Vec3::new(3.0, 0.2, 0.3), Vec3::new(1.0, 2.0, 0.5), 1.3),
            track(),
        ] {
            add(&format!("on {curve:?}{place}"), OnCurve::new(ends[1], a, curve).into());
        }
        for surface in [
            Surface::plane(Vec3::new(0.1, 0.2, 0.3), Vec3::new(1.0, -2.0, 0.5)),
            Surface::Sphere { centre: Vec3::new(3.1, 0.2, 0.3), radius: 0.7 },
            Surface::Ellipsoid { frame: frame(3.1, -0.2, 0.3), half_axes: Vec3::new(0.5, 1.0, 2.0) },
            Surface::implicit(saddle),
        ] {
            add(&format!("on {surface:?}{place}"), OnSurface::new(ends[1], a, surface).into());
        }
        if let Some(body) = b {
            let (plane, normal) = (ends[0], Vec3::new(0.3, 1.0, -0.5));
            add(&format!("rolling ball{place}"), Rolling::ball(body, 0.3, plane, normal).into());
            let wheel = Rolling::wheel(body, Vec3::new(1.0, 0.2, 0.1), 0.3, plane, normal);
            add(&format!("rolling wheel{place}"), wheel.into());
        }
    }
    let joints = [(0, 1), (2, 3)].map(|(a, b)| Joint::new(id(a), fa, id(b), fb));
    add("gear", Gear::wheels(joints[0].rotation(Axis::X), 0.1, joints[1].rotation(Axis::Y), 0.3).into());
    add(
        "toothed gear",
        Gear::wheels(joints[0].rotation(Axis::X), 0.1, joints[1].rotation(Axis::Y), 0.3).toothed().into(),
    );
    add("toothed rack", Gear::rack(joints[0].rotation(Axis::X), 0.1, joints[1].slide(Axis::Y)).toothed().into());
    let strand = |wheel, load| [on(wheel, 0.3, 0.1, -0.2), on(load, 0.5, -0.3, 0.2)];
    add("pulley", Pulley::new(strand(0, 1), strand(2, 3), 2.0).geared(1.7).into());
    add("pulley on one wheel", Pulley::rope(strand(0, 1), strand(0, 2), 0.1).into());
    let path = Path::new(|t| {
        let (s, c) = (3.0 * t).sin_cos();
        (Vec3::new(c, s, t * t), Vec3::new(-3.0 * s, 3.0 * c, 2.0 * t), Vec3::new(-9.0 * c, -9.0 * s, 2.0))
    });
    add("on a path to the world", OnPath::new(on(1, 0.3, 0.2, 0.5), path).into());
    kinds
}

fn close(what: &str, stated: Real, measured: Real) -> Result<(), TestCaseError> {
    let scale = 1.0 + stated.abs().max(measured.abs());
    prop_assert!((stated - measured).abs() < 2e-5 * scale, "{what}: stated {stated}, measured {measured}");
    Ok(())
}

/// Returns false near a singularity of an angle or a curve, where differences are inaccurate.
fn is_regular(rows: &[Said]) -> bool {
    rows.iter().all(|r| r.acceleration.abs() < 300.0)
}

fn check_against_differences(moment: &Moment) -> Result<(), TestCaseError> {
    let e = 1e-5;
    for (name, kind) in kinds(moment) {
        let mut constraint = Constraint::new(kind);
        constraint.settle(&moment.scope());
        let now = moment.rows(&constraint);
        // Far from a wire, the nearest point on it is not a smooth function of the place.
        if matches!(constraint.kind, Kind::OnCurve(_)) && now.iter().any(|row| row.error.abs() > 0.2) {
            continue;
        }
        let around = [-2.0 * e, -e, e, 2.0 * e].map(|t| moment.later(t).rows(&constraint));
        if around.iter().any(|rows| rows.len() != now.len()) || !is_regular(&now) {
            continue;
        }
        for (row, now) in now.iter().enumerate() {
            let slope = |f: fn(&Said) -> Real| {
                let [far_before, before, after, far_after] = around.each_ref().map(|rows| f(&rows[row]));
                let (narrow, wide) = ((after - before) / (2.0 * e), (far_after - far_before) / (4.0 * e));
                // Where the two differ, the function bends too fast for differences to say anything.
                ((narrow - wide).abs() < 1e-5 * (1.0 + narrow.abs())).then_some(narrow)
            };
            if let Some(slope) = slope(|s| s.error).filter(|_| now.holonomic) {
                close(&format!("{name}, row {row}, Ċ"), now.rate, slope)?;
            }
            if let Some(slope) = slope(|s| s.rate) {
                close(&format!("{name}, row {row}, J̇v"), now.acceleration, slope)?;
            }
            if moment.movable.iter().all(|m| *m) && !name.contains("world") {
                let sum = now.force.norm() + now.torque.norm();
                prop_assert!(sum < 1e-12, "{name}, row {row}: the forces on the bodies add up to {sum}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn rates_and_curvatures_match_differences_and_forces_come_in_pairs(
        numbers in proptest::collection::vec(-1.0..1.0f64, BODIES * 18),
    ) {
        check_against_differences(&Moment::from_numbers(&numbers))?;
    }

    /// The same with scripted bodies, whose part of a row is known beforehand.
    #[test]
    fn scripted_bodies_enter_rates_and_curvatures(
        numbers in proptest::collection::vec(-1.0..1.0f64, BODIES * 18),
        movable in proptest::collection::vec(any::<bool>(), BODIES),
    ) {
        let moment = Moment { movable, ..Moment::from_numbers(&numbers) };
        check_against_differences(&moment)?;
    }
}

/// The property above must not be empty: at a plain moment every kind states its rows.
#[test]
fn every_kind_states_rows_at_a_plain_moment() {
    let numbers: Vec<Real> = (0..BODIES * 18).map(|i| (i as Real * 1.7).sin() * 0.9).collect();
    let moment = Moment::from_numbers(&numbers);
    for (name, kind) in kinds(&moment) {
        let rows = moment.rows(&Constraint::new(kind));
        assert!(!rows.is_empty() && is_regular(&rows), "{name} states {} rows", rows.len());
    }
}

/// Sink that records the errors of the rows.
#[derive(Default)]
struct Errors(Vec<Real>);

impl crate::rows::RowSink for Errors {
    fn wants(&self, response: Response) -> bool {
        response == Response::Hard
    }

    fn row(&mut self, error: Real, _build: impl FnOnce(&mut crate::rows::RowBuilder)) {
        self.0.push(error);
    }
}

proptest! {
    /// The errors-only path of a hinge gives the errors of the full path; joints that hold other rows refuse it.
    #[test]
    fn the_errors_only_path_of_hinges_gives_the_same_errors(
        n in proptest::collection::vec(-1.0..1.0f64, BODIES * 18),
    ) {
        let moment = Moment::from_numbers(&n);
        let (a, b) = (Some(BodyId(0)), Some(BodyId(1)));
        let frames = (Placement::new(Vec3::x(), Quat::from_scaled_axis(Vec3::new(0.3, -0.2, 0.9))), Placement::at(Vec3::y()));
        let mut hinge = Joint::hinge(a, frames.0, b, frames.1);
        let response = Response::Spring { stiffness: 1.0, damping: 1.0 };
        let motor = Drive { element: Element::Angular(Axis::Z), response, max_force: Real::INFINITY };
        hinge.drives.push(motor);
        let still = [Vec6::zeros(); BODIES];
        let scope = Scope {
            slots: &SLOTS,
            states: &moment.states,
            scripted: &still,
            movable: &moment.movable,
            time: moment.time,
        };
        let (mut long, mut short) = (Errors::default(), Errors::default());
        hinge.emit_pivot(&scope, &mut long);
        crate::rows::RowSink::anchor(&mut short, &hinge.anchor(&scope));
        prop_assert!(hinge.emit_perpendicular_errors(&scope, &mut short));
        prop_assert_eq!(long.0.len(), 6);
        for (x, y) in long.0.iter().zip(&short.0) {
            prop_assert!((x - y).abs() <= 1e-14, "{} {}", x, y);
        }
        prop_assert_eq!(long.0.len(), short.0.len());
        hinge.drives[5].response = Response::Hard;
        prop_assert!(!hinge.emit_perpendicular_errors(&scope, &mut short));
    }
}

//! Constraints.

use super::frames::{Places, body_of, frames};
use super::kinds::{check_joint, word};
use super::{Site, check_name, nobody, refused};
use crate::dynamics::{
    self, Align, Anchor, Axis, Constraint, Coordinate, CubicSpline, Distance, Element, EulerLimit, Freedom, Gear,
    JointTarget, Kind, Limit, LimitedSpring, OnCurve, OnPath, OnSurface, Orientations, Path, Placement, Power,
    PoweredAxis, Pulley, Response, Rolling, SwingTwist, World, frame_along,
};
use crate::formats::FormatError;
use crate::math::{Quat, Real, Vec3};
use crate::scene::cast::{Cast, CastJoint, Origin, Thing};
use crate::scene::desk::Desk;
use crate::scene::number::OneOrMany;
use crate::scene::schema::{Curve, CurveKind, Joint, JointKind, Surface, SurfaceKind};
use crate::scene::unit::{ANGLE, ANY, DAMPING, FORCE, FREQUENCY, LENGTH, NUMBER, STIFFNESS, TIME, TORQUE};

/// Adds one repetition of a joint.
pub(crate) fn add_joint(site: &mut Site<'_>, desk: &Desk<'_>, entry: &Joint) -> Result<(), FormatError> {
    check_joint(desk, entry)?;
    let name = match &entry.name {
        Some(name) => desk.fill("name", name)?,
        None => format!("{}_{}", word(&entry.kind), site.cast.joints.len()),
    };
    check_name(desk, &name, "joint")?;
    let kind = kind_of(site.world, site.cast, desk, entry)?;
    let mut constraint = Constraint::new(kind).named(name.clone());
    (constraint.start, constraint.end) = span(desk, entry.start, entry.end)?;
    constraint.break_force =
        desk.maybe("breaks_at", &entry.breaks_at, FORCE)?.map(|f| desk.positive("breaks_at", f)).transpose()?;
    constraint.enabled = entry.off != Some(true);
    let id = site.world.add_constraint(constraint).map_err(|error| refused(desk, &error))?;
    if !site.cast.name(&name, Thing::Joint(site.cast.joints.len())) {
        return Err(desk.fault("name", format!("there is something called {name:?} already")));
    }
    let origin = Origin { trail: desk.trail().clone(), index: desk.index(), count: desk.count() };
    site.cast.joints.push(CastJoint { name, id, entry: entry.clone(), origin, moves: desk.moves(), removed: false });
    Ok(())
}

/// When something acts.
pub(crate) fn span(desk: &Desk<'_>, start: Option<f64>, end: Option<f64>) -> Result<(Real, Real), FormatError> {
    let (start, end) = (start.unwrap_or(Real::NEG_INFINITY), end.unwrap_or(Real::INFINITY));
    if start.is_nan() || end.is_nan() || start >= end {
        return Err(desk.fault("end", format!("this ends at {end} s, before it starts at {start} s")));
    }
    Ok((start, end))
}

/// States a joint anew with its numbers as they are now. Places that were given in the world stay where they were put on
/// their bodies.
pub(crate) fn restate_joint(site: &mut Site<'_>, desk: &Desk<'_>, which: usize) -> Result<(), FormatError> {
    let (id, entry) = (site.cast.joints[which].id, site.cast.joints[which].entry.clone());
    let mut kind = kind_of(site.world, site.cast, desk, &entry)?;
    if let (Kind::Joint(new), Kind::Joint(old)) = (&mut kind, &site.world.constraint(id).kind) {
        // Bodies have moved since; frames are those of the start unless they are said on the bodies.
        if entry.at_a.is_none() {
            new.frame_a.position = old.frame_a.position;
        }
        if entry.at_b.is_none() {
            new.frame_b.position = old.frame_b.position;
        }
        if entry.axis_a.is_none() {
            new.frame_a.rotation = old.frame_a.rotation;
        }
        if entry.axis_b.is_none() {
            new.frame_b.rotation = old.frame_b.rotation;
        }
    }
    match (&mut kind, &site.world.constraint(id).kind) {
        (Kind::Distance(new), Kind::Distance(old)) => {
            if entry.at_a.is_none() {
                new.a = old.a;
            }
            if entry.at_b.is_none() {
                new.b = old.b;
            }
            if entry.length.is_none() {
                new.length = old.length;
            }
        }
        (Kind::OnCurve(new), Kind::OnCurve(old)) => new.point = old.point,
        (Kind::OnSurface(new), Kind::OnSurface(old)) => new.point = old.point,
        (Kind::Align(new), Kind::Align(old)) => new.frames = old.frames,
        _ => {}
    }
    site.world.restate(id, kind);
    let broken = desk.maybe("breaks_at", &entry.breaks_at, FORCE)?;
    site.world.constraint_mut(id).break_force = broken;
    Ok(())
}

fn response(desk: &Desk<'_>, entry: &Joint) -> Result<Option<Response>, FormatError> {
    let tau = desk.maybe("tau", &entry.tau, TIME)?;
    let stiffness = desk.maybe("stiffness", &entry.stiffness, STIFFNESS)?;
    let damping = desk.maybe("damping", &entry.damping, DAMPING)?;
    let frequency = desk.maybe("frequency", &entry.frequency, FREQUENCY)?;
    let ratio = desk.maybe("damping_ratio", &entry.damping_ratio, NUMBER)?;
    let not_negative = |keys: &str, value: Option<Real>| value.map_or(Ok(0.0), |value| desk.not_negative(keys, value));
    match (tau, frequency, stiffness.is_some() || damping.is_some()) {
        (None, None, false) => match ratio {
            Some(_) => Err(desk.fault("damping_ratio", "a damping ratio needs a \"frequency\" beside it")),
            None => Ok(None),
        },
        (Some(tau), None, false) => Ok(Some(Response::Decay { tau: desk.positive("tau", tau)? })),
        (None, Some(frequency), false) => Ok(Some(Response::Oscillator {
            frequency: desk.positive("frequency", frequency)?,
            damping_ratio: not_negative("damping_ratio", ratio.or(Some(1.0)))?,
        })),
        (None, None, true) => Ok(Some(Response::Spring {
            stiffness: not_negative("stiffness", stiffness)?,
            damping: not_negative("damping", damping)?,
        })),
        _ => Err(desk
            .fault(if tau.is_some() { "tau" } else { "frequency" }, "this is held in two ways at once")
            .help("give \"tau\", or \"stiffness\" and \"damping\", or \"frequency\" and \"damping_ratio\"")),
    }
}

fn kind_of(world: &World, cast: &Cast, desk: &Desk<'_>, entry: &Joint) -> Result<Kind, FormatError> {
    let response = response(desk, entry)?;
    let firm = response.unwrap_or(Response::Hard);
    let most = |keys: &str, number, dimension| -> Result<Real, FormatError> {
        desk.not_negative(
            keys,
            desk.or(keys, number, dimension, Real::INFINITY).or_else(|error| {
                // "inf" is a limit like any other.
                if number_is_infinite(number) { Ok(Real::INFINITY) } else { Err(error) }
            })?,
        )
    };
    let needs_axis = || -> Result<(), FormatError> {
        if entry.axis.is_none() && (entry.axis_a.is_none() || entry.axis_b.is_none()) {
            let whom = word(&entry.kind);
            return Err(desk.fault("", format!("a {whom} needs \"axis\", or \"axis_a\" and \"axis_b\"")));
        }
        Ok(())
    };
    let made = |make: fn(_, _, _, _) -> dynamics::Joint, axis: Axis| -> Result<Kind, FormatError> {
        let (ends, frame_a, frame_b) = frames(world, cast, desk, entry, axis)?;
        Ok(make(ends.a.body, frame_a, ends.b.body, frame_b).responding(firm).into())
    };
    Ok(match entry.kind {
        JointKind::Ball => made(dynamics::Joint::ball, Axis::Z)?,
        JointKind::Weld => made(dynamics::Joint::weld, Axis::Z)?,
        JointKind::Hinge => {
            needs_axis()?;
            made(dynamics::Joint::hinge, Axis::Z)?
        }
        JointKind::Universal => {
            needs_axis()?;
            made(dynamics::Joint::universal, Axis::X)?
        }
        JointKind::Slider => {
            needs_axis()?;
            made(dynamics::Joint::slider, Axis::X)?
        }
        JointKind::Cylinder => {
            needs_axis()?;
            made(dynamics::Joint::cylinder, Axis::X)?
        }
        JointKind::Plane => {
            needs_axis()?;
            made(dynamics::Joint::plane, Axis::Z)?
        }
        JointKind::Line | JointKind::OnPlane => {
            if entry.axis.is_none() && entry.axis_a.is_none() {
                return Err(desk.lacks(&word(&entry.kind), "axis"));
            }
            let line = entry.kind == JointKind::Line;
            let axis = if line { Axis::X } else { Axis::Z };
            let (ends, frame_a, frame_b) = frames(world, cast, desk, entry, axis)?;
            let joint = dynamics::Joint::new(ends.a.body, frame_a, ends.b.body, frame_b);
            let rows: &[Element] = match line {
                true => &[Element::Linear(Axis::Y), Element::Linear(Axis::Z)],
                false => &[Element::Linear(Axis::Z)],
            };
            joint.holding(rows).responding(firm).into()
        }
        JointKind::Rows => rows(world, cast, desk, entry, firm, most("max_force", &entry.max_force, FORCE)?)?,
        JointKind::Motor => {
            let (ends, frame_a, frame_b) = frames(world, cast, desk, entry, Axis::Z)?;
            let (force, torque) =
                (most("max_force", &entry.max_force, FORCE)?, most("max_torque", &entry.max_torque, TORQUE)?);
            let mut motor = dynamics::Joint::motor(ends.a.body, frame_a, ends.b.body, frame_b, firm, force, torque);
            motor.target = target(desk, entry)?;
            motor.into()
        }
        JointKind::Perpendicular => {
            let (a, b, axis_a, axis_b) = axes(world, cast, desk, entry)?;
            dynamics::Joint::perpendicular(a, axis_a, b, axis_b).responding(firm).into()
        }
        JointKind::Align => {
            let (a, b, axis_a, axis_b) = axes(world, cast, desk, entry)?;
            let frames = Orientations::new(a, frame_along(&axis_a, Axis::X), b, frame_along(&axis_b, Axis::X));
            let mut align = Align::new(frames, Axis::X).responding(firm);
            align.max_torque = most("max_torque", &entry.max_torque, TORQUE)?;
            align.into()
        }
        JointKind::Path => path(world, cast, desk, entry, firm, most("max_force", &entry.max_force, FORCE)?)?,
        JointKind::Curve => {
            let ends = Places::of(entry).ends(world, cast, desk)?;
            let curve = curve(&desk.inside(""), entry.curve.as_ref().ok_or_else(|| desk.lacks("curve", "curve"))?)?;
            let mut wire = OnCurve::new(own_point(desk, entry, &ends)?, ends.a.body, curve).responding(firm);
            wire.leaves_at_ends = entry.leaves_at_ends == Some(true);
            wire.into()
        }
        JointKind::Surface => {
            let ends = Places::of(entry).ends(world, cast, desk)?;
            let surface = entry.surface.as_ref().ok_or_else(|| desk.lacks("surface", "surface"))?;
            let mut on = OnSurface::new(own_point(desk, entry, &ends)?, ends.a.body, self::surface(desk, surface)?)
                .responding(firm);
            on.one_sided = entry.outside == Some(true);
            on.into()
        }
        JointKind::Bar | JointKind::Rope | JointKind::Strut => {
            let ends = Places::of(entry).ends(world, cast, desk)?;
            let place =
                |anchor: &Anchor| anchor.body.map_or(anchor.point, |id| world.state(id).placement.point(&anchor.point));
            let now = (place(&ends.b) - place(&ends.a)).norm();
            let length = desk.not_negative("length", desk.or("length", &entry.length, LENGTH, now)?)?;
            let make = match entry.kind {
                JointKind::Bar => Distance::bar,
                JointKind::Rope => Distance::rope,
                _ => Distance::strut,
            };
            make(ends.a, ends.b, length).responding(firm).into()
        }
        JointKind::Pulley => pulley(world, cast, desk, entry, firm)?,
        JointKind::Gear => gear(world, cast, desk, entry)?,
        JointKind::Rolling => rolling(world, cast, desk, entry)?,
        JointKind::Limit => {
            let mut limit = stops(world, cast, desk, entry)?.responding(firm);
            limit.max_force = most("max_force", &entry.max_force, FORCE)?;
            limit.into()
        }
        JointKind::LimitedSpring => {
            let stops = stops(world, cast, desk, entry)?;
            let stiffness = desk.needed("stiffness", &entry.stiffness, STIFFNESS, "limited spring")?;
            LimitedSpring {
                stops,
                rest: desk.or("rest", &entry.rest, ANY, 0.0)?,
                stiffness: desk.not_negative("stiffness", stiffness)?,
                damping: desk.not_negative("damping", desk.or("damping", &entry.damping, DAMPING, 0.0)?)?,
            }
            .into()
        }
        JointKind::PoweredAxis => {
            let stops = stops(world, cast, desk, entry)?;
            let power = match (&entry.speed, &entry.position) {
                (Some(_), Some(_)) => {
                    return Err(desk.fault("speed", "a powered axis keeps a speed or a position, not both"));
                }
                (Some(speed), None) => Power::Speed(desk.number("speed", speed, ANY)?),
                (None, Some(position)) => {
                    let jet = desk.jet("position", position, ANY)?;
                    Power::Position { time: desk.time, position: jet.value, speed: jet.rate, acceleration: jet.second }
                }
                (None, None) => Power::Off,
            };
            let max_force = most("max_force", &entry.max_force, FORCE)?;
            PoweredAxis { stops, power, response: firm, max_force }.into()
        }
        JointKind::SwingTwist => {
            let joint = of_joint(world, cast, desk, entry, 0)?;
            let pair = |keys: &str, pair: &Option<[_; 2]>| -> Result<Option<[Real; 2]>, FormatError> {
                let Some([low, high]) = pair else { return Ok(None) };
                Ok(Some([
                    desk.number(&format!("{keys}.0"), low, ANGLE)?,
                    desk.number(&format!("{keys}.1"), high, ANGLE)?,
                ]))
            };
            let swing = pair("swing", &entry.swing)?.ok_or_else(|| desk.lacks("swing_twist", "swing"))?;
            if !swing.iter().all(|half| *half > 0.0 && *half < std::f64::consts::PI) {
                return Err(desk.fault("swing", "the half angles of a cone lie between 0 and π"));
            }
            let twist = pair("twist", &entry.twist)?.unwrap_or([Real::NEG_INFINITY, Real::INFINITY]);
            if twist[0] > twist[1] {
                return Err(desk.fault("twist", "this range ends below its beginning"));
            }
            let mut limit = SwingTwist::new(joint.orientations(), swing, twist).responding(firm);
            limit.max_torque = most("max_torque", &entry.max_torque, TORQUE)?;
            limit.into()
        }
        JointKind::Euler => euler(world, cast, desk, entry, firm)?,
    })
}

fn number_is_infinite(number: &Option<crate::scene::number::Number>) -> bool {
    matches!(number, Some(crate::scene::number::Number::Plain(x)) if *x == Real::INFINITY)
        || matches!(number, Some(crate::scene::number::Number::Formula(text)) if text.trim() == "inf")
}

/// The point that is on a wire or surface, which A carries: B's.
fn own_point(desk: &Desk<'_>, entry: &Joint, ends: &super::frames::Ends) -> Result<Anchor, FormatError> {
    if entry.b.is_none() {
        return Err(
            desk.fault("", format!("a {} needs \"b\", whose point it holds; \"a\" may carry it", word(&entry.kind)))
        );
    }
    Ok(ends.b)
}

fn axes(
    world: &World,
    cast: &Cast,
    desk: &Desk<'_>,
    entry: &Joint,
) -> Result<(Option<dynamics::BodyId>, Option<dynamics::BodyId>, Vec3, Vec3), FormatError> {
    let body = |key: &str, name: &Option<String>| -> Result<Option<dynamics::BodyId>, FormatError> {
        let Some(name) = name else { return Ok(None) };
        let name = desk.fill(key, name)?;
        body_of(cast, &name).map(|(id, _)| Some(id)).ok_or_else(|| nobody(cast, desk, key, &name, "body"))
    };
    let (a, b) = (body("a", &entry.a)?, body("b", &entry.b)?);
    if a.is_none() && b.is_none() {
        return Err(desk.fault("", "both ends of this are the world: there is nothing to hold"));
    }
    let rotation =
        |body: Option<dynamics::BodyId>| body.map_or(Quat::identity(), |id| world.state(id).placement.rotation);
    let axis = |key: &str, own, body| -> Result<Vec3, FormatError> {
        match (desk.maybe_direction(key, own)?, desk.maybe_direction("axis", &entry.axis)?) {
            (Some(own), _) => Ok(own),
            (None, Some(common)) => Ok(rotation(body).inverse() * common),
            (None, None) => Err(desk.lacks(&word(&entry.kind), key)),
        }
    };
    Ok((a, b, axis("axis_a", &entry.axis_a, a)?, axis("axis_b", &entry.axis_b, b)?))
}

fn target(desk: &Desk<'_>, entry: &Joint) -> Result<JointTarget, FormatError> {
    let mut target = JointTarget { time: desk.time, ..JointTarget::default() };
    if let Some(place) = &entry.target {
        for k in 0..3 {
            let jet = desk.jet(&format!("target.{k}"), &place[k], LENGTH)?;
            (target.position[k], target.velocity[k], target.acceleration[k]) = (jet.value, jet.rate, jet.second);
        }
    }
    match &entry.target_turn {
        Some(crate::scene::schema::Turn::Axis(turn)) => {
            let axis = desk.direction("target_turn.axis", &turn.axis)?;
            let jet = desk.jet("target_turn.angle", &turn.angle, ANGLE)?;
            target.rotation = Quat::from_scaled_axis(axis * jet.value);
            target.twist = jet.value;
            target.angular_velocity = axis * jet.rate;
            target.angular_acceleration = axis * jet.second;
        }
        turn => target.rotation = desk.turn("target_turn", turn)?,
    }
    Ok(target)
}

const AXIS_WORDS: [&str; 3] = ["x", "y", "z"];

fn axis_word(desk: &Desk<'_>, keys: &str, word: &str) -> Result<Axis, FormatError> {
    let place = AXIS_WORDS.iter().position(|known| *known == word);
    place
        .map(|k| Axis::ALL[k])
        .ok_or_else(|| desk.fault(keys, format!("{word:?} is no axis")).help("expected x, y or z"))
}

fn rows(
    world: &World,
    cast: &Cast,
    desk: &Desk<'_>,
    entry: &Joint,
    firm: Response,
    max_force: Real,
) -> Result<Kind, FormatError> {
    let (ends, frame_a, frame_b) = frames(world, cast, desk, entry, Axis::Z)?;
    let mut joint = dynamics::Joint::new(ends.a.body, frame_a, ends.b.body, frame_b);
    let words = entry.rows.as_ref().ok_or_else(|| desk.lacks("joint of rows", "rows"))?;
    for (k, text) in words.iter().enumerate() {
        let keys = format!("rows.{k}");
        let mut parts: Vec<&str> = text.split_whitespace().collect();
        // Rows that are held exactly beside soft ones belong to one joint: apart, they would make loops.
        let exact = parts.last() == Some(&"firm");
        if exact {
            parts.pop();
        }
        let element = match parts[..] {
            ["point", axis] => Element::Point(axis_word(desk, &keys, axis)?),
            ["linear", axis] => Element::Linear(axis_word(desk, &keys, axis)?),
            ["angular", axis] => Element::Angular(axis_word(desk, &keys, axis)?),
            ["twist", axis] => Element::Twist(axis_word(desk, &keys, axis)?),
            ["perpendicular", a, b] => Element::Perpendicular(axis_word(desk, &keys, a)?, axis_word(desk, &keys, b)?),
            _ => {
                let help = "expected \"point x\", \"linear y\", \"angular z\", \"twist z\" or \"perpendicular x y\", with \"firm\" behind it to be held exactly";
                return Err(desk.fault(&keys, format!("{text:?} is no row of a joint")).help(help));
            }
        };
        joint = match exact {
            true => joint.holding(&[element]),
            false => joint.driven(element, firm, max_force),
        };
    }
    joint.target = target(desk, entry)?;
    Ok(joint.into())
}

fn path(
    world: &World,
    cast: &Cast,
    desk: &Desk<'_>,
    entry: &Joint,
    firm: Response,
    max_force: Real,
) -> Result<Kind, FormatError> {
    let ends = Places { at: &None, at_a: &None, ..Places::of(entry) }.ends(world, cast, desk)?;
    if ends.b.body.is_none() || ends.a.body.is_some() {
        return Err(desk.fault("", "a path leads \"b\" through the world; it has no \"a\""));
    }
    let path = match (&entry.path, &entry.path_points, &entry.path_of) {
        (Some(path), None, None) => {
            // Its own function of time: nothing to restate.
            let function = desk.inside("").vector_function("path", path, LENGTH)?;
            Path::new(move |time| {
                let [place, velocity, acceleration] = function(time);
                (place, velocity, acceleration)
            })
        }
        (None, Some(points), None) => {
            let times = points.iter().map(|p| p[0]).collect();
            let places = points.iter().map(|p| Vec3::new(p[1], p[2], p[3])).collect();
            Path::spline(times, places).map_err(|error| desk.fault("path_points", error.to_string()))?
        }
        (None, None, Some(of)) => {
            let of = desk.fill("path_of", of)?;
            let Some(Thing::Segment(figure, segment)) = cast.find(&of) else {
                return Err(nobody(cast, desk, "path_of", &of, "segment of a figure"));
            };
            let figure = &cast.figures[figure];
            let (animation, body) = (figure.animation.clone(), figure.puppet.figure().clone());
            Path::new(move |time| {
                let (mut frames, mut motions) = (Vec::new(), Vec::new());
                body.motions_into(&animation.sample(time), &mut frames, &mut motions);
                let motion = &motions[segment];
                (motion.position, motion.velocity, motion.acceleration)
            })
        }
        _ => return Err(desk.fault("", "a path needs one of \"path\", \"path_points\" and \"path_of\"")),
    };
    let mut on = OnPath::new(ends.b, path).responding(firm);
    on.max_force = max_force;
    Ok(on.into())
}

fn curve(desk: &Desk<'_>, curve: &Curve) -> Result<dynamics::Curve, FormatError> {
    let at = desk.maybe_vector("curve.at", &curve.at, LENGTH)?.unwrap_or_else(Vec3::zeros);
    let whom = format!("curve of kind {:?}", word(&curve.kind));
    let lacks = |what: &str| desk.fault("curve", format!("a {whom} needs {what:?}"));
    let axis = || -> Result<Vec3, FormatError> {
        desk.direction("curve.axis", curve.axis.as_ref().ok_or_else(|| lacks("axis"))?)
    };
    Ok(match curve.kind {
        CurveKind::Line => dynamics::Curve::line(at, axis()?),
        CurveKind::Segment => {
            let to = desk.vector("curve.to", curve.to.as_ref().ok_or_else(|| lacks("to"))?, LENGTH)?;
            if (to - at).norm() < 1e-9 {
                return Err(desk.fault("curve.to", "this segment has no length"));
            }
            dynamics::Curve::Segment { from: at, to }
        }
        CurveKind::Circle => {
            let radius = curve.radius.as_ref().ok_or_else(|| lacks("radius"))?;
            let radius = desk.positive("curve.radius", desk.number("curve.radius", radius, LENGTH)?)?;
            dynamics::Curve::circle(at, axis()?, radius)
        }
        CurveKind::Spline => {
            let points = curve.points.as_ref().ok_or_else(|| lacks("points"))?;
            let points: Vec<Vec3> = points
                .iter()
                .enumerate()
                .map(|(k, p)| desk.vector(&format!("curve.points.{k}"), p, LENGTH))
                .collect::<Result<_, _>>()?;
            let make = if curve.closed == Some(true) { CubicSpline::loop_through } else { CubicSpline::through };
            dynamics::Curve::spline(make(&points).map_err(|error| desk.fault("curve.points", error.to_string()))?)
        }
    })
}

fn surface(desk: &Desk<'_>, surface: &Surface) -> Result<dynamics::Surface, FormatError> {
    let at = desk.maybe_vector("surface.at", &surface.at, LENGTH)?.unwrap_or_else(Vec3::zeros);
    let whom = format!("surface of kind {:?}", word(&surface.kind));
    let lacks = |what: &str| desk.fault("surface", format!("a {whom} needs {what:?}"));
    Ok(match surface.kind {
        SurfaceKind::Plane => {
            let normal = desk.maybe_direction("surface.normal", &surface.normal)?.unwrap_or_else(Vec3::y);
            dynamics::Surface::plane(at, normal)
        }
        SurfaceKind::Sphere => {
            let radius = surface.radius.as_ref().ok_or_else(|| lacks("radius"))?;
            let radius = desk.positive("surface.radius", desk.number("surface.radius", radius, LENGTH)?)?;
            dynamics::Surface::Sphere { centre: at, radius }
        }
        SurfaceKind::Ellipsoid => {
            let half = surface.half_axes.as_ref().ok_or_else(|| lacks("half_axes"))?;
            let half_axes = desk.vector("surface.half_axes", half, LENGTH)?;
            if !half_axes.iter().all(|a| *a > 0.0) {
                return Err(desk.fault("surface.half_axes", "half axes must be positive numbers"));
            }
            dynamics::Surface::Ellipsoid { frame: Placement::at(at), half_axes }
        }
    })
}

fn pulley(world: &World, cast: &Cast, desk: &Desk<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let load = |key: &str, at: &str, name: &Option<String>, local| -> Result<Anchor, FormatError> {
        let name = name.as_ref().ok_or_else(|| desk.lacks("pulley", key))?;
        let name = desk.fill(key, name)?;
        let (body, centre) = body_of(cast, &name).ok_or_else(|| nobody(cast, desk, key, &name, "body"))?;
        let local = desk.maybe_vector(at, local, LENGTH)?.unwrap_or_else(Vec3::zeros);
        Ok(Anchor::on(body, local - centre))
    };
    let wheel = |key: &str, triple: &Option<_>| -> Result<Anchor, FormatError> {
        let place = triple.as_ref().ok_or_else(|| desk.lacks("pulley", key))?;
        Ok(Anchor::world(desk.vector(key, place, LENGTH)?))
    };
    let first = [wheel("wheel_a", &entry.wheel_a)?, load("a", "at_a", &entry.a, &entry.at_a)?];
    let second = [wheel("wheel_b", &entry.wheel_b)?, load("b", "at_b", &entry.b, &entry.at_b)?];
    let place = |anchor: &Anchor| anchor.body.map_or(anchor.point, |id| world.state(id).placement.point(&anchor.point));
    let strand = |ends: &[Anchor; 2]| (place(&ends[1]) - place(&ends[0])).norm();
    let ratio = desk.positive("ratio", desk.or("ratio", &entry.ratio, NUMBER, 1.0)?)?;
    let now = strand(&first) + ratio * strand(&second);
    let length = desk.not_negative("length", desk.or("length", &entry.length, LENGTH, now)?)?;
    let make = if entry.slack == Some(true) { Pulley::rope } else { Pulley::new };
    Ok(make(first, second, length).geared(ratio).responding(firm).into())
}

/// The joint that an entry is about.
fn of_joint(
    world: &World,
    cast: &Cast,
    desk: &Desk<'_>,
    entry: &Joint,
    which: usize,
) -> Result<dynamics::Joint, FormatError> {
    let of = entry.of.as_ref().ok_or_else(|| desk.lacks(&word(&entry.kind), "of"))?;
    let names = desk.fill_all("of", of)?;
    let whom = word(&entry.kind);
    let name = names.get(which).ok_or_else(|| desk.fault("of", format!("a {whom} needs {} joints here", which + 1)))?;
    let Some(Thing::Joint(k)) = cast.find(name) else { return Err(nobody(cast, desk, "of", name, "joint")) };
    let joint = world.constraint(cast.joints[k].id).joint();
    joint.cloned().ok_or_else(|| desk.fault("of", format!("{name:?} is no joint between two frames")))
}

/// The freedom of a joint that an entry is about.
fn coordinate(
    world: &World,
    cast: &Cast,
    desk: &Desk<'_>,
    entry: &Joint,
    which: usize,
) -> Result<Coordinate, FormatError> {
    let joint = of_joint(world, cast, desk, entry, which)?;
    let told = match &entry.freedom {
        Some(OneOrMany::One(word)) => Some(word.clone()),
        Some(OneOrMany::Many(words)) => words.get(which).cloned(),
        None => None,
    };
    let freedom = match told {
        Some(told) => match told.split_whitespace().collect::<Vec<_>>()[..] {
            ["turn", axis] => Freedom::Turn(axis_word(desk, "freedom", axis)?),
            ["slide", axis] => Freedom::Slide(axis_word(desk, "freedom", axis)?),
            _ => {
                let help = "expected \"turn x\", \"turn y\", \"turn z\", \"slide x\", \"slide y\" or \"slide z\"";
                return Err(desk.fault("freedom", format!("{told:?} is no freedom of a joint")).help(help));
            }
        },
        None => {
            let Some(Thing::Joint(k)) = desk
                .fill_all("of", entry.of.as_ref().unwrap_or(&OneOrMany::default()))?
                .get(which)
                .and_then(|name| cast.find(name))
            else {
                return Err(desk.lacks(&word(&entry.kind), "of"));
            };
            match cast.joints[k].entry.kind {
                JointKind::Hinge => Freedom::Turn(Axis::Z),
                JointKind::Slider | JointKind::Cylinder | JointKind::Line => Freedom::Slide(Axis::X),
                _ => {
                    let help = "say which: freedom = \"turn z\", \"slide x\", …";
                    return Err(desk.fault("of", "this joint has no single freedom of its own").help(help));
                }
            }
        }
    };
    Ok(match freedom {
        Freedom::Turn(axis) => joint.turn(axis),
        Freedom::Slide(axis) => joint.slide(axis),
    })
}

fn stops(world: &World, cast: &Cast, desk: &Desk<'_>, entry: &Joint) -> Result<Limit, FormatError> {
    let lower = desk.or("lower", &entry.lower, ANY, Real::NEG_INFINITY)?;
    let upper = desk.or("upper", &entry.upper, ANY, Real::INFINITY)?;
    if lower > upper {
        return Err(desk.fault("upper", format!("this range ends at {upper}, below its beginning at {lower}")));
    }
    Ok(Limit::new(coordinate(world, cast, desk, entry, 0)?, lower, upper))
}

fn gear(world: &World, cast: &Cast, desk: &Desk<'_>, entry: &Joint) -> Result<Kind, FormatError> {
    let coordinates = [coordinate(world, cast, desk, entry, 0)?, coordinate(world, cast, desk, entry, 1)?];
    let [first, second] = entry.factors.as_ref().ok_or_else(|| desk.lacks("gear", "factors"))?;
    let factors = [desk.number("factors.0", first, ANY)?, desk.number("factors.1", second, ANY)?];
    if factors.contains(&0.0) {
        return Err(desk.fault("factors", "a factor of 0 couples nothing"));
    }
    let gear = Gear::new(coordinates, factors);
    Ok(if entry.toothed == Some(true) { gear.toothed() } else { gear }.into())
}

fn rolling(world: &World, cast: &Cast, desk: &Desk<'_>, entry: &Joint) -> Result<Kind, FormatError> {
    let name = desk.fill("b", entry.b.as_ref().ok_or_else(|| desk.lacks("rolling joint", "b"))?)?;
    let (body, _) = body_of(cast, &name).ok_or_else(|| nobody(cast, desk, "b", &name, "body"))?;
    let carrier = match &entry.a {
        None => None,
        Some(a) => {
            let a = desk.fill("a", a)?;
            Some(body_of(cast, &a).ok_or_else(|| nobody(cast, desk, "a", &a, "body"))?.0)
        }
    };
    let place = carrier.map_or(Placement::IDENTITY, |id| world.state(id).placement);
    let at = desk.maybe_vector("at", &entry.at, LENGTH)?.unwrap_or_else(Vec3::zeros);
    let normal = desk.maybe_direction("axis", &entry.axis)?.unwrap_or_else(Vec3::y);
    let plane = Anchor { body: carrier, point: place.local_point(&at) };
    let normal = place.rotation.inverse() * normal;
    let radius = desk.positive("radius", desk.needed("radius", &entry.radius, LENGTH, "rolling joint")?)?;
    let rolling = match desk.maybe_direction("axle", &entry.axle)? {
        Some(axle) => Rolling::wheel(body, axle, radius, plane, normal),
        None => Rolling::ball(body, radius, plane, normal),
    };
    Ok(if entry.touching == Some(false) { rolling.without_touching() } else { rolling }.into())
}

fn euler(world: &World, cast: &Cast, desk: &Desk<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let joint = of_joint(world, cast, desk, entry, 0)?;
    let order: Vec<Axis> = entry
        .order
        .as_deref()
        .unwrap_or("xyz")
        .chars()
        .map(|letter| axis_word(desk, "order", &letter.to_string()))
        .collect::<Result<_, _>>()?;
    let order: [Axis; 3] =
        order.try_into().map_err(|_| desk.fault("order", "an order has three axes, such as \"xyz\""))?;
    let texts = entry.ranges.as_ref().ok_or_else(|| desk.lacks("limit of Euler angles", "ranges"))?;
    let mut ranges = [[0.0; 2]; 3];
    for k in 0..3 {
        for end in 0..2 {
            ranges[k][end] = desk.number(&format!("ranges.{k}.{end}"), &texts[k][end], ANGLE)?;
        }
        if ranges[k][0] > ranges[k][1] {
            return Err(desk.fault(&format!("ranges.{k}"), "this range ends below its beginning"));
        }
    }
    let limit = EulerLimit::new(joint.orientations(), order, ranges);
    let limit = limit.ok_or_else(|| desk.fault("order", "the three axes of an order are different ones"))?;
    Ok(limit.responding(firm).into())
}

//! Joints and other constraints.

use super::frames::{Places, frames};
use super::keys::{check_joint, word};
use super::{Builder, Scope, check_name, coupling, guides, refused};
use crate::dynamics::{
    self, Align, Axis, Constraint, Distance, Element, JointTarget, Kind, Orientations, Response, frame_along,
};
use crate::formats::FormatError;
use crate::math::{Quat, Real, Vec3};
use crate::scene::context::Context;
use crate::scene::number::Number;
use crate::scene::objects::{ObjectId, SceneJoint};
use crate::scene::schema::{Joint, JointKind};
use crate::scene::unit::{ANGLE, DAMPING, Dimension, FORCE, FREQUENCY, LENGTH, NUMBER, STIFFNESS, TIME, TORQUE};

/// Adds one repetition of a joint.
pub(crate) fn add_joint(builder: &mut Builder<'_>, context: &Context<'_>, entry: &Joint) -> Result<(), FormatError> {
    check_joint(context, entry)?;
    let name = match &entry.name {
        Some(name) => context.fill("name", name)?,
        None => format!("{}_{}", word(&entry.kind), builder.objects.joints.len()),
    };
    check_name(context, &name, "joint")?;
    let kind = kind_of(builder.scope(context), entry)?;
    let mut constraint = Constraint::new(kind).named(name.clone());
    (constraint.start, constraint.end) = span(context, &entry.start, &entry.end)?;
    constraint.break_force = context.maybe_positive("breaks_at", &entry.breaks_at, FORCE)?;
    constraint.enabled = entry.off != Some(true);
    let id = builder.run.world.add_constraint(constraint).map_err(refused(context))?;
    builder.claim_name(context, &name, ObjectId::Joint(builder.objects.joints.len()))?;
    let origin = context.origin();
    builder.run.joints.push((name.clone(), id));
    builder.objects.joints.push(SceneJoint {
        name,
        id,
        entry: entry.clone(),
        origin,
        varies: context.varies(),
        removed: false,
    });
    Ok(())
}

/// Start and end of an object's action, seconds.
pub(crate) fn span(
    context: &Context<'_>,
    start: &Option<Number>,
    end: &Option<Number>,
) -> Result<(Real, Real), FormatError> {
    let start = context.fixed("start", start, TIME)?.unwrap_or(Real::NEG_INFINITY);
    let end = context.fixed("end", end, TIME)?.unwrap_or(Real::INFINITY);
    if start >= end {
        return Err(context.fault("end", format!("this ends at {end} s, before it starts at {start} s")));
    }
    Ok((start, end))
}

/// Updates a joint to its numbers now. Points given in world space stay where they are on their bodies.
pub(crate) fn restate_joint(builder: &mut Builder<'_>, context: &Context<'_>, which: usize) -> Result<(), FormatError> {
    let (id, entry) = (builder.objects.joints[which].id, builder.objects.joints[which].entry.clone());
    let mut kind = kind_of(builder.scope(context), &entry)?;
    if let (Kind::Joint(new), Kind::Joint(old)) = (&mut kind, &builder.run.world.constraint(id).kind) {
        // Bodies have moved since: frames are those of the start unless they are given on the bodies.
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
    match (&mut kind, &builder.run.world.constraint(id).kind) {
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
    builder.run.world.restate(id, kind);
    let broken = context.maybe("breaks_at", &entry.breaks_at, FORCE)?;
    builder.run.world.constraint_mut(id).break_force = broken;
    Ok(())
}

fn response(context: &Context<'_>, entry: &Joint) -> Result<Option<Response>, FormatError> {
    let tau = context.maybe("tau", &entry.tau, TIME)?;
    let stiffness = context.maybe("stiffness", &entry.stiffness, STIFFNESS)?;
    let damping = context.maybe("damping", &entry.damping, DAMPING)?;
    let frequency = context.maybe("frequency", &entry.frequency, FREQUENCY)?;
    let ratio = context.maybe("damping_ratio", &entry.damping_ratio, NUMBER)?;
    let not_negative =
        |keys: &str, value: Option<Real>| value.map_or(Ok(0.0), |value| context.not_negative(keys, value));
    match (tau, frequency, stiffness.is_some() || damping.is_some()) {
        (None, None, false) => match ratio {
            Some(_) => Err(context.fault("damping_ratio", "a damping ratio needs a \"frequency\" beside it")),
            None => Ok(None),
        },
        (Some(tau), None, false) => Ok(Some(Response::Decay { tau: context.positive("tau", tau)? })),
        (None, Some(frequency), false) => Ok(Some(Response::Oscillator {
            frequency: context.positive("frequency", frequency)?,
            damping_ratio: not_negative("damping_ratio", ratio.or(Some(1.0)))?,
        })),
        (None, None, true) => Ok(Some(Response::Spring {
            stiffness: not_negative("stiffness", stiffness)?,
            damping: not_negative("damping", damping)?,
        })),
        _ => Err(context
            .fault(if tau.is_some() { "tau" } else { "frequency" }, "this is held in two ways at once")
            .help("give \"tau\", or \"stiffness\" and \"damping\", or \"frequency\" and \"damping_ratio\"")),
    }
}

fn kind_of(scope: Scope<'_>, entry: &Joint) -> Result<Kind, FormatError> {
    let Scope { world, context, .. } = scope;
    let response = response(context, entry)?;
    let firm = response.unwrap_or(Response::Hard);
    let made = |make: fn(_, _, _, _) -> dynamics::Joint, axis: Axis| -> Result<Kind, FormatError> {
        let has_axis = entry.axis.is_some() || (entry.axis_a.is_some() && entry.axis_b.is_some());
        if !has_axis && !matches!(entry.kind, JointKind::Ball | JointKind::Weld) {
            let owner = word(&entry.kind);
            return Err(context.fault("", format!("a {owner} needs \"axis\", or \"axis_a\" and \"axis_b\"")));
        }
        let (ends, frame_a, frame_b) = frames(scope, entry, axis)?;
        Ok(make(ends.a.body, frame_a, ends.b.body, frame_b).responding(firm).into())
    };
    Ok(match entry.kind {
        JointKind::Ball => made(dynamics::Joint::ball, Axis::Z)?,
        JointKind::Weld => made(dynamics::Joint::weld, Axis::Z)?,
        JointKind::Hinge => made(dynamics::Joint::hinge, Axis::Z)?,
        JointKind::Universal => made(dynamics::Joint::universal, Axis::X)?,
        JointKind::Slider => made(dynamics::Joint::slider, Axis::X)?,
        JointKind::Cylinder => made(dynamics::Joint::cylinder, Axis::X)?,
        JointKind::Plane => made(dynamics::Joint::plane, Axis::Z)?,
        JointKind::Line | JointKind::OnPlane => on_line_or_plane(scope, entry, firm)?,
        JointKind::Rows => rows(scope, entry, firm, max_load(context, "max_force", &entry.max_force, FORCE)?)?,
        JointKind::Motor => motor(scope, entry, firm)?,
        JointKind::Perpendicular => {
            let (a, b, axis_a, axis_b) = axes(scope, entry)?;
            dynamics::Joint::perpendicular(a, axis_a, b, axis_b).responding(firm).into()
        }
        JointKind::Align => align(scope, entry, firm)?,
        JointKind::Path => guides::path(scope, entry, firm, max_load(context, "max_force", &entry.max_force, FORCE)?)?,
        JointKind::Curve => guides::on_curve(scope, entry, firm)?,
        JointKind::Surface => guides::on_surface(scope, entry, firm)?,
        JointKind::Bar | JointKind::Rope | JointKind::Strut => {
            let ends = Places::of(entry).ends(scope)?;
            let now = (world.place(&ends.b) - world.place(&ends.a)).norm();
            let length = context.non_negative_or("length", &entry.length, LENGTH, now)?;
            let make = match entry.kind {
                JointKind::Bar => Distance::bar,
                JointKind::Rope => Distance::rope,
                _ => Distance::strut,
            };
            make(ends.a, ends.b, length).responding(firm).into()
        }
        JointKind::Pulley => guides::pulley(scope, entry, firm)?,
        JointKind::Gear => coupling::gear(scope, entry)?,
        JointKind::Rolling => guides::rolling(scope, entry)?,
        JointKind::Limit => {
            let mut limit = coupling::stops(scope, entry)?.responding(firm);
            limit.max_force = max_load(context, "max_force", &entry.max_force, FORCE)?;
            limit.into()
        }
        JointKind::LimitedSpring => coupling::limited_spring(scope, entry)?,
        JointKind::PoweredAxis => coupling::powered_axis(scope, entry, firm)?,
        JointKind::SwingTwist => coupling::swing_twist(scope, entry, firm)?,
        JointKind::Euler => coupling::euler(scope, entry, firm)?,
    })
}

/// Evaluates a maximum force or torque, unlimited by default. Infinity is allowed.
pub(super) fn max_load(
    context: &Context<'_>,
    keys: &str,
    number: &Option<Number>,
    dimension: Dimension,
) -> Result<Real, FormatError> {
    let infinite = match number {
        Some(Number::Plain(value)) => *value == Real::INFINITY,
        Some(Number::Formula(text)) => text.trim() == "inf",
        _ => false,
    };
    match context.or(keys, number, dimension, Real::INFINITY) {
        Err(_) if infinite => Ok(Real::INFINITY),
        value => context.not_negative(keys, value?),
    }
}

/// Point of B on a line or plane of A.
fn on_line_or_plane(scope: Scope<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let context = scope.context;
    if entry.axis.is_none() && entry.axis_a.is_none() {
        return Err(context.missing(&word(&entry.kind), "axis"));
    }
    let line = entry.kind == JointKind::Line;
    let axis = if line { Axis::X } else { Axis::Z };
    let (ends, frame_a, frame_b) = frames(scope, entry, axis)?;
    let joint = dynamics::Joint::new(ends.a.body, frame_a, ends.b.body, frame_b);
    let rows: &[Element] = match line {
        true => &[Element::Linear(Axis::Y), Element::Linear(Axis::Z)],
        false => &[Element::Linear(Axis::Z)],
    };
    Ok(joint.holding(rows).responding(firm).into())
}

/// Motor of all six degrees of freedom.
fn motor(scope: Scope<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let context = scope.context;
    let (ends, frame_a, frame_b) = frames(scope, entry, Axis::Z)?;
    let (force, torque) = (
        max_load(context, "max_force", &entry.max_force, FORCE)?,
        max_load(context, "max_torque", &entry.max_torque, TORQUE)?,
    );
    let mut motor = dynamics::Joint::motor(ends.a.body, frame_a, ends.b.body, frame_b, firm, force, torque);
    motor.target = target(context, entry)?;
    Ok(motor.into())
}

/// Two axes that point the same way.
fn align(scope: Scope<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let context = scope.context;
    let (a, b, axis_a, axis_b) = axes(scope, entry)?;
    let frames = Orientations::new(a, frame_along(&axis_a, Axis::X), b, frame_along(&axis_b, Axis::X));
    let mut align = Align::new(frames, Axis::X).responding(firm);
    align.max_torque = max_load(context, "max_torque", &entry.max_torque, TORQUE)?;
    Ok(align.into())
}

fn axes(
    scope: Scope<'_>,
    entry: &Joint,
) -> Result<(Option<dynamics::BodyId>, Option<dynamics::BodyId>, Vec3, Vec3), FormatError> {
    let context = scope.context;
    let [a, b] = scope.bodies(&entry.a, &entry.b)?;
    if a.is_none() && b.is_none() {
        return Err(context.fault("", "both ends of this are the world: there is nothing to hold"));
    }
    let axis = |key: &str, own, body| -> Result<Vec3, FormatError> {
        match (context.maybe_direction(key, own)?, context.maybe_direction("axis", &entry.axis)?) {
            (Some(own), _) => Ok(own),
            (None, Some(common)) => Ok(scope.rotation(body).inverse() * common),
            (None, None) => Err(context.missing(&word(&entry.kind), key)),
        }
    };
    Ok((a, b, axis("axis_a", &entry.axis_a, a)?, axis("axis_b", &entry.axis_b, b)?))
}

fn target(context: &Context<'_>, entry: &Joint) -> Result<JointTarget, FormatError> {
    let mut target = JointTarget { time: context.time, ..JointTarget::default() };
    if let Some(place) = &entry.target {
        for (k, number) in place.iter().enumerate() {
            let jet = context.jet(&format!("target.{k}"), number, LENGTH)?;
            (target.position[k], target.velocity[k], target.acceleration[k]) = (jet.value, jet.rate, jet.second);
        }
    }
    match &entry.target_turn {
        Some(crate::scene::schema::Turn::Axis(turn)) => {
            let axis = context.direction("target_turn.axis", &turn.axis)?;
            let jet = context.jet("target_turn.angle", &turn.angle, ANGLE)?;
            target.rotation = Quat::from_scaled_axis(axis * jet.value);
            target.twist = jet.value;
            target.angular_velocity = axis * jet.rate;
            target.angular_acceleration = axis * jet.second;
        }
        turn => target.rotation = context.turn("target_turn", turn)?,
    }
    Ok(target)
}

const AXIS_WORDS: [&str; 3] = ["x", "y", "z"];

pub(super) fn axis_word(context: &Context<'_>, keys: &str, word: &str) -> Result<Axis, FormatError> {
    let place = AXIS_WORDS.iter().position(|known| *known == word);
    place
        .map(|k| Axis::ALL[k])
        .ok_or_else(|| context.fault(keys, format!("{word:?} is no axis")).help("expected x, y or z"))
}

fn rows(scope: Scope<'_>, entry: &Joint, firm: Response, max_force: Real) -> Result<Kind, FormatError> {
    let context = scope.context;
    let (ends, frame_a, frame_b) = frames(scope, entry, Axis::Z)?;
    let mut joint = dynamics::Joint::new(ends.a.body, frame_a, ends.b.body, frame_b);
    let words = entry.rows.as_ref().ok_or_else(|| context.missing("joint of rows", "rows"))?;
    for (k, text) in words.iter().enumerate() {
        let keys = format!("rows.{k}");
        let mut parts: Vec<&str> = text.split_whitespace().collect();
        // Hard rows beside soft ones belong to one joint: separate joints would form loops.
        let exact = parts.last() == Some(&"firm");
        if exact {
            parts.pop();
        }
        let element = match parts[..] {
            ["point", axis] => Element::Point(axis_word(context, &keys, axis)?),
            ["linear", axis] => Element::Linear(axis_word(context, &keys, axis)?),
            ["angular", axis] => Element::Angular(axis_word(context, &keys, axis)?),
            ["twist", axis] => Element::Twist(axis_word(context, &keys, axis)?),
            ["perpendicular", a, b] => {
                Element::Perpendicular(axis_word(context, &keys, a)?, axis_word(context, &keys, b)?)
            }
            _ => {
                let help = "expected \"point x\", \"linear y\", \"angular z\", \"twist z\" or \"perpendicular x y\", with \"firm\" behind it to be held exactly";
                return Err(context.fault(&keys, format!("{text:?} is no row of a joint")).help(help));
            }
        };
        joint = match exact {
            true => joint.holding(&[element]),
            false => joint.driven(element, firm, max_force),
        };
    }
    joint.target = target(context, entry)?;
    Ok(joint.into())
}

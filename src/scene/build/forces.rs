//! Forces, fields and wind.

use super::frames::Places;
use super::joints::span;
use super::keys::{check_force, word};
use super::{Builder, Scope, check_name, known_body, refused, unknown_name};
use crate::dynamics::{Air, Anchor, Blower, BodyId, Force as WorldForce, ForceScope, Law, Loads, Placement, Sail};
use crate::formats::FormatError;
use crate::math::{Quat, Real, Vec3};
use crate::scene::context::{Context, loudness};
use crate::scene::number::{Number, Triple};
use crate::scene::objects::{ObjectId, Objects, Pid, SceneForce, Visual};
use crate::scene::schema::{Force, ForceKind};
use crate::scene::unit::{
    ACCELERATION, ANGLE, ANY, DAMPING, DENSITY, FORCE, FREQUENCY, LENGTH, NUMBER, SPEED, STIFFNESS, TORQUE,
};
use std::sync::Arc;

/// Adds one repetition of a force.
pub(crate) fn add_force(builder: &mut Builder<'_>, context: &Context<'_>, entry: &Force) -> Result<(), FormatError> {
    check_force(context, entry)?;
    let name = match &entry.name {
        Some(name) => context.fill("name", name)?,
        None => format!("{}_{}", word(&entry.kind), builder.objects.forces.len()),
    };
    check_name(context, &name, "force")?;
    let acts = span(context, &entry.start, &entry.end)?;
    let mut ids = Vec::new();
    let mut pid = None;
    if entry.kind == ForceKind::Pid {
        check_pid(builder.objects, context, entry)?;
        pid = Some(Pid { on: entry.off != Some(true), acts, ..Pid::default() });
    } else {
        for law in laws(builder.scope(context), entry)? {
            let mut force = WorldForce::new(law).named(name.clone()).during(acts.0, acts.1);
            force.enabled = entry.off != Some(true);
            ids.push(builder.run.world.add_force(force).map_err(refused(context))?);
        }
    }
    builder.claim_name(context, &name, ObjectId::Force(builder.objects.forces.len()))?;
    let origin = context.origin();
    let varies = context.varies() && pid.is_none();
    builder.objects.forces.push(SceneForce { name, ids, entry: entry.clone(), origin, varies, pid, removed: false });
    Ok(())
}

/// Updates a force to its numbers now.
pub(crate) fn restate_force(builder: &mut Builder<'_>, context: &Context<'_>, which: usize) -> Result<(), FormatError> {
    let entry = builder.objects.forces[which].entry.clone();
    if entry.kind == ForceKind::Pid {
        return check_pid(builder.objects, context, &entry);
    }
    let new = laws(builder.scope(context), &entry)?;
    for (&id, mut law) in builder.objects.forces[which].ids.iter().zip(new) {
        // Lengths measured at the start stay as they were.
        match (&mut law, &builder.run.world.force(id).law) {
            (Law::Spring { rest_length, .. }, Law::Spring { rest_length: old, .. })
            | (Law::Rubber { rest_length, .. }, Law::Rubber { rest_length: old, .. })
                if entry.rest_length.is_none() =>
            {
                *rest_length = *old;
            }
            (Law::Torsion { rest, .. }, Law::Torsion { rest: old, .. }) if entry.rest_angle.is_none() => *rest = *old,
            _ => {}
        }
        builder.run.world.force_mut(id).law = law;
    }
    Ok(())
}

/// Bodies that an entry acts on: all dynamic ones if it names none.
fn targets(scope: Scope<'_>, entry: &Force) -> Result<Vec<BodyId>, FormatError> {
    let Scope { world, objects, context, .. } = scope;
    let Some(on) = &entry.on else {
        return Ok(objects.bodies_like("*").into_iter().filter(|id| world.body(*id).is_dynamic()).collect());
    };
    let mut found = Vec::new();
    for pattern in context.fill_all("on", on)? {
        let several = objects.bodies_like(&pattern);
        if several.is_empty() {
            let one = known_body(objects, context, "on", &pattern)?;
            found.push(one.0);
        }
        found.extend(several);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn laws(scope: Scope<'_>, entry: &Force) -> Result<Vec<Law>, FormatError> {
    let Scope { world, context, .. } = scope;
    let owner = word(&entry.kind);
    let need = |keys: &str, number: &Option<Number>, dimension| -> Result<Real, FormatError> {
        context.not_negative(keys, context.needed(keys, number, dimension, &owner)?)
    };
    Ok(match entry.kind {
        ForceKind::Spring | ForceKind::Rubber => {
            let places = Places { a: &entry.a, b: &entry.b, at: &None, at_a: &entry.at_a, at_b: &entry.at_b };
            let ends = own_ends(scope, &places)?;
            let now = (world.place(&ends.1) - world.place(&ends.0)).norm();
            let rest_length = context.non_negative_or("rest_length", &entry.rest_length, LENGTH, now)?;
            let stiffness = if entry.kind == ForceKind::Rubber || entry.damping.is_none() {
                need("stiffness", &entry.stiffness, STIFFNESS)?
            } else {
                context.non_negative_or("stiffness", &entry.stiffness, STIFFNESS, 0.0)?
            };
            let (a, b) = ends;
            vec![if entry.kind == ForceKind::Spring {
                let damping = context.non_negative_or("damping", &entry.damping, DAMPING, 0.0)?;
                Law::Spring { a, b, rest_length, stiffness, damping }
            } else {
                let closing = context.non_negative_or("closing", &entry.closing, NUMBER, 1.0)?;
                let smoothing = context.non_negative_or("smoothing", &entry.smoothing, SPEED, 0.05)?;
                Law::Rubber { a, b, rest_length, stiffness, closing, smoothing }
            }]
        }
        ForceKind::Torsion => vec![torsion(scope, entry)?],
        ForceKind::Drag => {
            let linear = context.non_negative_or("linear", &entry.linear, DAMPING, 0.0)?;
            let quadratic = context.non_negative_or("quadratic", &entry.quadratic, ANY, 0.0)?;
            let angular = context.non_negative_or("angular", &entry.angular, ANY, 0.0)?;
            let law = |body| Law::Drag { body, linear, quadratic, angular };
            targets(scope, entry)?.into_iter().map(law).collect()
        }
        ForceKind::Damping => {
            let rate = need("rate", &entry.rate, FREQUENCY)?;
            targets(scope, entry)?.into_iter().map(|body| Law::Damping { body, rate }).collect()
        }
        ForceKind::Field => {
            let field = entry.acceleration.as_ref().ok_or_else(|| context.missing(&owner, "acceleration"))?;
            let acceleration = context.vector("acceleration", field, ACCELERATION)?;
            let law = |body| Law::Field { body: Some(body), acceleration };
            targets(scope, entry)?.into_iter().map(law).collect()
        }
        ForceKind::Push => push(scope, entry)?,
        ForceKind::Support => support(scope, entry)?,
        ForceKind::Wind => wind(scope, entry)?,
        ForceKind::Pid => Vec::new(),
    })
}

fn torsion(scope: Scope<'_>, entry: &Force) -> Result<Law, FormatError> {
    let Scope { objects, context, .. } = scope;
    let [a, b] = scope.bodies(&entry.a, &entry.b)?;
    if a.is_none() && b.is_none() {
        return Err(context.fault("", "both ends of this are the world: there is nothing to turn"));
    }
    let axis = context.maybe_direction("axis", &entry.axis)?;
    let angle = context.or("rest_angle", &entry.rest_angle, ANGLE, 0.0)?;
    let start = match objects.bodies.iter().find(|body| Some(body.id) == b) {
        Some(body) if entry.rest_angle.is_some() => {
            let from =
                objects.bodies.iter().find(|other| Some(other.id) == a).map_or(scope.rotation(a), |other| other.turned);
            from.inverse() * body.turned
        }
        _ => scope.rotation(a).inverse() * scope.rotation(b),
    };
    let rest = axis.map_or(Quat::identity(), |axis| Quat::from_scaled_axis(axis * angle)) * start;
    let stiffness = context.non_negative_or("stiffness", &entry.stiffness, STIFFNESS, 0.0)?;
    let damping = context.non_negative_or("damping", &entry.damping, DAMPING, 0.0)?;
    Ok(Law::Torsion { a, b, rest, axis, stiffness, damping })
}

fn push(scope: Scope<'_>, entry: &Force) -> Result<Vec<Law>, FormatError> {
    let Scope { objects, context, .. } = scope;
    let inner = context.inside("");
    let nothing = Triple::default();
    let force = inner.vector_function("force", entry.force.as_ref().unwrap_or(&nothing), FORCE)?;
    let torque = inner.vector_function("torque", entry.torque.as_ref().unwrap_or(&nothing), TORQUE)?;
    if entry.force.is_none() && entry.torque.is_none() {
        return Err(context.fault("", "a push needs \"force\" or \"torque\""));
    }
    let at = context.maybe_vector("at", &entry.at, LENGTH)?;
    let turns = entry.turns_with_body == Some(true);
    let law = |body: BodyId| {
        let local = at.map_or_else(Vec3::zeros, |at| at - centre(objects, body));
        let (force, torque) = (force.clone(), torque.clone());
        Law::local(body, move |scope: &ForceScope, loads: &mut Loads| {
            let placement = scope.state(Some(body)).placement;
            let axes = if turns { placement.rotation } else { Quat::identity() };
            loads.force_at(Some(body), axes * force(scope.time)[0], placement.point(&local));
            loads.torque(Some(body), axes * torque(scope.time)[0]);
        })
    };
    Ok(targets(scope, entry)?.into_iter().map(law).collect())
}

fn support(scope: Scope<'_>, entry: &Force) -> Result<Vec<Law>, FormatError> {
    let Scope { objects, context, .. } = scope;
    let stiffness =
        context.not_negative("stiffness", context.needed("stiffness", &entry.stiffness, STIFFNESS, "support")?)?;
    let damping = context.non_negative_or("damping", &entry.damping, DAMPING, 0.0)?;
    let height = context.or("height", &entry.height, LENGTH, 0.0)?;
    let at = context.vector_or_zero("at", &entry.at, LENGTH)?;
    let law = |body: BodyId| {
        let local = at - centre(objects, body);
        Law::local(body, move |scope: &ForceScope, loads: &mut Loads| {
            let state = scope.state(Some(body));
            let point = state.placement.point(&local);
            if point.y < height {
                let push = stiffness * (height - point.y) - damping * state.velocity_at(&point).y;
                loads.force_at(Some(body), Vec3::new(0.0, push.max(0.0), 0.0), point);
            }
        })
    };
    Ok(targets(scope, entry)?.into_iter().map(law).collect())
}

/// Centre of mass of a body from its origin; zero for segments of figures.
fn centre(objects: &Objects, id: BodyId) -> Vec3 {
    objects.bodies.iter().find(|body| body.id == id).map_or_else(Vec3::zeros, |body| body.centre)
}

/// Ends of a spring: each at its own point, or at its body's origin.
fn own_ends(scope: Scope<'_>, places: &Places<'_>) -> Result<(Anchor, Anchor), FormatError> {
    let Scope { objects, context, .. } = scope;
    let origin = Some(Triple::default());
    let named_point = |name: &Option<String>, key: &str| -> Result<bool, FormatError> {
        let Some(name) = name else { return Ok(false) };
        Ok(matches!(objects.find(&context.fill(key, name)?), Some(ObjectId::Point(_))))
    };
    let at_a = if named_point(places.a, "a")? || places.at_a.is_some() { places.at_a } else { &origin };
    let at_b = if named_point(places.b, "b")? || places.at_b.is_some() { places.at_b } else { &origin };
    let ends = Places { a: places.a, b: places.b, at: &None, at_a, at_b }.ends(scope)?;
    Ok((ends.a, ends.b))
}

fn wind(scope: Scope<'_>, entry: &Force) -> Result<Vec<Law>, FormatError> {
    let Scope { world, objects, context, .. } = scope;
    // Air is a function of time by itself and needs no update.
    let inner = context.inside("");
    let still = Triple::default();
    let everywhere = inner.vector_function("velocity", entry.velocity.as_ref().unwrap_or(&still), SPEED)?;
    let blows = entry.from.is_some() || entry.towards.is_some() || entry.strength.is_some() || entry.blow.is_some();
    if !blows && entry.velocity.is_none() {
        let help =
            "give \"velocity\" for air that moves everywhere, or \"from\", \"towards\" and \"strength\" for a blower";
        return Err(context.fault("", "this wind does not blow").help(help));
    }
    let blower = if blows {
        let from = entry.from.as_ref().ok_or_else(|| context.missing("wind from a blower", "from"))?;
        let towards = entry.towards.as_ref().ok_or_else(|| context.missing("wind from a blower", "towards"))?;
        let strength = entry.strength.as_ref().ok_or_else(|| context.missing("wind from a blower", "strength"))?;
        let sound = match &entry.blow {
            Some(file) => {
                let curve = loudness(context.files, file, 1.0).map_err(|message| context.fault("blow", message))?;
                Some(Arc::new(curve))
            }
            None => None,
        };
        let blower = Blower {
            place: context.vector("from", from, LENGTH)?,
            direction: context.direction("towards", towards)?,
            narrowness: context.non_negative_or("narrowness", &entry.narrowness, NUMBER, 4.0)?,
            reach: context.positive("reach", context.or("reach", &entry.reach, LENGTH, 1.0)?)?,
        };
        Some((blower, inner.function("strength", strength, SPEED)?, sound))
    } else {
        None
    };
    let air = Air::new(move |place, time| {
        let mut velocity = everywhere(time)[0];
        if let Some((blower, strength, sound)) = &blower {
            let loud = sound.as_ref().map_or(1.0, |sound| sound.at(time).value);
            velocity += blower.air(strength(time).value * loud, place);
        }
        velocity
    });
    let density = context.non_negative_or("density", &entry.density, DENSITY, 1.2)?;
    let drag = context.or("drag_coefficient", &entry.drag_coefficient, NUMBER, 1.2)?;
    let drag = context.not_negative("drag_coefficient", drag)?;
    let mut laws = Vec::new();
    for id in targets(scope, entry)? {
        let visuals = objects.bodies.iter().find(|body| body.id == id).map(|body| &body.visuals);
        let mut shapes: Vec<(crate::dynamics::Shape, Placement)> = Vec::new();
        match visuals {
            Some(visuals) => shapes.extend(visuals.iter().map(|(look, placement)| match look {
                Visual::Solid(shape) => (shape.clone(), *placement),
                Visual::Cylinder { length, radius } => {
                    let end = Vec3::new(length / 2.0, 0.0, 0.0);
                    (crate::dynamics::Shape::Capsule { a: -end, b: end, radius: *radius }, *placement)
                }
            })),
            None => shapes.extend(
                world.colliders().filter(|(_, body, _)| *body == id).map(|(_, _, c)| (c.shape.clone(), c.placement)),
            ),
        }
        let sail =
            Sail::new(id, shapes.iter().map(|(shape, placement)| (shape, *placement)), density, drag, air.clone());
        laws.push(Law::Wind(sail));
    }
    Ok(laws)
}

fn check_pid(objects: &Objects, context: &Context<'_>, entry: &Force) -> Result<(), FormatError> {
    if entry.sense.is_none() {
        return Err(context.missing("pid", "sense"));
    }
    match (&entry.along, &entry.about, &entry.on) {
        (Some(along), None, Some(on)) => {
            context.direction("along", along)?;
            for name in context.fill_all("on", on)? {
                known_body(objects, context, "on", &name)?;
            }
            Ok(())
        }
        (None, Some(about), None) => {
            let about = context.fill("about", about)?;
            match objects.find(&about) {
                Some(ObjectId::Joint(_)) => Ok(()),
                _ => Err(unknown_name(objects, context, "about", &about, "joint")),
            }
        }
        _ => Err(context.fault("", "a pid pushes \"on\" a body \"along\" one of its axes, or turns \"about\" a hinge")),
    }
}

/// Evaluates a PID controller and applies its output for the next step.
///
/// ```text
///  u = P e + I ∫e dt + D ė        e = target − sensed; the integral stops while u is at its limit
/// ```
pub(crate) fn push_of_pid(
    builder: &mut Builder<'_>,
    context: &Context<'_>,
    which: usize,
    sensed: Real,
    step: Real,
) -> Result<(), FormatError> {
    let entry = builder.objects.forces[which].entry.clone();
    let error = context.or("target", &entry.target, ANY, 0.0)? - sensed;
    let gain = |keys: &str, number: &Option<Number>| context.or(keys, number, ANY, 0.0);
    let (p, i, d) = (
        gain("proportional", &entry.proportional)?,
        gain("integral", &entry.integral)?,
        gain("derivative", &entry.derivative)?,
    );
    let limit = context.or("limit", &entry.limit, FORCE, Real::INFINITY)?;
    let Some(pid) = &mut builder.objects.forces[which].pid else { return Ok(()) };
    let rate = pid.last_error.map_or(0.0, |last| (error - last) / step);
    pid.last_error = Some(error);
    let wish = p * error + i * (pid.integral + error * step) + d * rate;
    let winds_up = wish.abs() > limit && wish * error > 0.0;
    if !winds_up {
        pid.integral += error * step;
    }
    pid.output = wish.clamp(-limit, limit);
    let output = pid.output;
    let told = refused(context);
    if let (Some(along), Some(on)) = (&entry.along, &entry.on) {
        let along = context.direction("along", along)?;
        for name in context.fill_all("on", on)? {
            let (id, _) = known_body(builder.objects, context, "on", &name)?;
            let direction = builder.run.world.state(id).placement.rotation * along;
            builder.run.world.apply(id, direction * output, Vec3::zeros()).map_err(&told)?;
        }
    } else if let Some(about) = &entry.about {
        let about = context.fill("about", about)?;
        if let Some(ObjectId::Joint(k)) = builder.objects.find(&about)
            && let Some(joint) = builder.run.world.constraint(builder.objects.joints[k].id).joint()
        {
            let (a, b, frame) = (joint.a, joint.b, joint.frame_a.rotation);
            let turn = a.map_or(Quat::identity(), |id| builder.run.world.state(id).placement.rotation);
            let torque = turn * (frame * Vec3::z()) * output;
            for (body, sign) in [(a, -1.0), (b, 1.0)] {
                if let Some(id) = body {
                    builder.run.world.apply(id, Vec3::zeros(), torque * sign).map_err(&told)?;
                }
            }
        }
    }
    Ok(())
}

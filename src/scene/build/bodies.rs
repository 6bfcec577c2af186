//! Bodies, ground and points.

use super::{Builder, check_name, known_body, refused};
use crate::dynamics::{self, Collider, MassProperties, Material, Motion, Placement, Script};
use crate::formats::FormatError;
use crate::math::{Quat, Real, Vec3, Vec6, real};
use crate::scene::context::Context;
use crate::scene::number::OneOrMany;
use crate::scene::objects::{Attachment, ObjectId, SceneBody, ScenePoint, Visual};
use crate::scene::schema::{Body, BodyKind, Ground, Point, Shape, ShapeKind, Turn};
use crate::scene::unit::{ANGLE, DENSITY, FREQUENCY, INERTIA, LENGTH, MASS, NUMBER, SPEED, SPIN};
use std::sync::Arc;

/// Shape of a body with its mass properties.
struct Part {
    /// Collision shape; none for a shape that touches nothing.
    shape: Option<dynamics::Shape>,
    look: Visual,
    placement: Placement,
    /// Mass properties for mass 1, relative to the body; none without volume.
    mass: Option<(MassProperties, Vec3)>,
    volume: Real,
    own_mass: Option<Real>,
}

/// Adds the half-space of the ground.
pub(crate) fn add_ground(builder: &mut Builder<'_>, context: &Context<'_>, ground: &Ground) -> Result<(), FormatError> {
    let height = context.or("height", &ground.height, LENGTH, 0.0)?;
    let slope = context.or("slope", &ground.slope, ANGLE, 0.0)?;
    let material = material(context, &ground.friction, &ground.restitution, &ground.rolling, &ground.spinning)?;
    let lean = Quat::from_axis_angle(&Vec3::z_axis(), -slope);
    let place = Placement::new(Vec3::new(0.0, height, 0.0), lean);
    let id = builder.run.world.add_body(dynamics::Body::fixed("ground", place)).map_err(refused(context))?;
    let plane = Collider::new(dynamics::Shape::HalfSpace { normal: Vec3::y() }).with_material(material);
    builder.run.world.add_collider(id, plane).map_err(refused(context))?;
    builder.objects.name("ground", ObjectId::Body(builder.objects.bodies.len()));
    builder.objects.bodies.push(SceneBody {
        name: "ground".into(),
        id,
        centre: Vec3::zeros(),
        visuals: vec![(Visual::Solid(dynamics::Shape::HalfSpace { normal: Vec3::y() }), Placement::IDENTITY)],
        color: None,
        turned: lean,
        created: Real::NEG_INFINITY,
        removed: None,
        entry: Body::default(),
        origin: context.origin(),
        varies: false,
    });
    Ok(())
}

fn material(
    context: &Context<'_>,
    friction: &Option<crate::scene::number::Number>,
    restitution: &Option<crate::scene::number::Number>,
    rolling: &Option<crate::scene::number::Number>,
    spinning: &Option<crate::scene::number::Number>,
) -> Result<Material, FormatError> {
    let plain = Material::default();
    let part = |keys: &str, number, dimension, default| {
        context.or(keys, number, dimension, default).and_then(|value| context.not_negative(keys, value))
    };
    Ok(Material {
        friction: part("friction", friction, NUMBER, plain.friction)?,
        restitution: part("restitution", restitution, NUMBER, plain.restitution)?,
        rolling: part("rolling", rolling, LENGTH, plain.rolling)?,
        spinning: part("spinning", spinning, LENGTH, plain.spinning)?,
    })
}

fn body_material(context: &Context<'_>, entry: &Body) -> Result<Material, FormatError> {
    material(context, &entry.friction, &entry.restitution, &entry.rolling, &entry.spinning)
}

/// Adds one repetition of a body.
pub(crate) fn add_body(
    builder: &mut Builder<'_>,
    context: &Context<'_>,
    entry: &Body,
    created: Real,
) -> Result<(), FormatError> {
    let name = context.fill("name", &entry.name)?;
    check_name(context, &name, "body")?;
    if entry.repeat.is_some_and(|count| count > 1) && !entry.name.contains('{') {
        let help = format!("write name = \"{}{{i}}\"", entry.name);
        return Err(context.fault("name", "a body that is repeated needs {i} in its name").help(help));
    }
    let parts = parts(context, entry)?;
    let kind = entry.kind.unwrap_or_default();
    let (mass, centre) = match kind {
        BodyKind::Dynamic => mass(context, entry, &parts)?,
        _ => (MassProperties::new(1.0, Vec3::repeat(1.0)), Vec3::zeros()),
    };
    // Values used at the start only do not make a body vary.
    let start = context.inside("");
    let at = start.vector_or_zero("at", &entry.at, LENGTH)?;
    let turn = start.turn("turn", &entry.turn)?;
    let place = Placement::new(at + turn * centre, turn);
    let mut body = match kind {
        BodyKind::Dynamic => dynamics::Body::dynamic(name.clone(), mass, place),
        BodyKind::Fixed => dynamics::Body::fixed(name.clone(), place),
        BodyKind::Kinematic => dynamics::Body::kinematic(name.clone(), place),
        BodyKind::Scripted => dynamics::Body::scripted(name.clone(), script(&start, entry)?),
    };
    if kind != BodyKind::Scripted {
        let velocity = start.vector_or_zero("velocity", &entry.velocity, SPEED)?;
        let spin = start.vector_or_zero("spin", &entry.spin, SPIN)?;
        body = body.with_velocity(velocity, spin);
    } else if entry.velocity.is_some() || entry.spin.is_some() {
        let key = if entry.velocity.is_some() { "velocity" } else { "spin" };
        return Err(context
            .fault(key, format!("a scripted body moves by its \"at\" and \"turn\"; it has no {key:?} of its own")));
    }
    let (linear, angular) = damping(context, entry)?;
    body = body.with_damping(linear, angular);
    if entry.fast == Some(true) {
        body = body.watched_closely();
    }
    let id = builder.run.world.add_body(body).map_err(refused(context))?;
    let surface = body_material(context, entry)?;
    let mut visuals = Vec::new();
    for (k, part) in parts.into_iter().enumerate() {
        let placement = Placement { position: part.placement.position - centre, ..part.placement };
        if let (Some(shape), false) = (&part.shape, entry.ghost == Some(true)) {
            let collider = Collider::new(shape.clone()).at(placement).with_material(surface);
            let keys =
                if matches!(entry.shape, Some(OneOrMany::Many(_))) { format!("shape.{k}") } else { "shape".into() };
            builder.run.world.add_collider(id, collider).map_err(|error| context.fault(&keys, error.to_string()))?;
        }
        visuals.push((part.look, placement));
    }
    if let Some(others) = &entry.apart_from {
        for pattern in context.fill_all("apart_from", others)? {
            for other in builder.objects.bodies_like(&pattern) {
                builder.run.world.pair_filter_mut().exclude(id, other);
            }
        }
    }
    let thing = ObjectId::Body(builder.objects.bodies.len());
    builder.claim_name(context, &name, thing)?;
    let turned = builder.run.world.state(id).placement.rotation;
    builder.objects.bodies.push(SceneBody {
        name,
        id,
        centre,
        visuals,
        color: entry.color,
        turned,
        created,
        removed: None,
        entry: entry.clone(),
        origin: context.origin(),
        varies: context.varies() && kind == BodyKind::Dynamic,
    });
    Ok(())
}

fn damping(context: &Context<'_>, entry: &Body) -> Result<(Real, Real), FormatError> {
    let linear = context.non_negative_or("damping", &entry.damping, FREQUENCY, 0.0)?;
    let angular = context.or("angular_damping", &entry.angular_damping, FREQUENCY, linear)?;
    Ok((linear, context.not_negative("angular_damping", angular)?))
}

/// Updates mass, damping and surface of a body to its entry now.
pub(crate) fn refresh_body(builder: &mut Builder<'_>, context: &Context<'_>, which: usize) -> Result<(), FormatError> {
    let (id, entry) = (builder.objects.bodies[which].id, builder.objects.bodies[which].entry.clone());
    let parts = parts(context, &entry)?;
    let (mass, _) = mass(context, &entry, &parts)?;
    builder.run.world.set_mass(id, mass).map_err(refused(context))?;
    let (linear, angular) = damping(context, &entry)?;
    builder.run.world.set_damping(id, linear, angular);
    builder.run.world.set_material(id, body_material(context, &entry)?);
    Ok(())
}

fn script(context: &Context<'_>, entry: &Body) -> Result<Script, FormatError> {
    let nowhere = crate::scene::number::Triple::default();
    let place = context.vector_function("at", entry.at.as_ref().unwrap_or(&nowhere), LENGTH)?;
    let turning = match &entry.turn {
        Some(Turn::Axis(turn)) => {
            let axis = context.direction("turn.axis", &turn.axis)?;
            Some((axis, context.function("turn.angle", &turn.angle, ANGLE)?))
        }
        _ => None,
    };
    let fixed = if turning.is_none() { context.turn("turn", &entry.turn)? } else { Quat::identity() };
    Ok(Script::new(move |time| {
        let [position, velocity, acceleration] = place(time);
        let (rotation, spin, change) = match &turning {
            Some((axis, angle)) => {
                let angle = angle(time);
                (Quat::from_scaled_axis(axis * angle.value), axis * angle.rate, axis * angle.second)
            }
            None => (fixed, Vec3::zeros(), Vec3::zeros()),
        };
        let six = |a: Vec3, b: Vec3| Vec6::new(a.x, a.y, a.z, b.x, b.y, b.z);
        Motion {
            placement: Placement::new(position, rotation),
            velocity: six(velocity, spin),
            acceleration: six(acceleration, change),
        }
    }))
}

fn parts(context: &Context<'_>, entry: &Body) -> Result<Vec<Part>, FormatError> {
    match &entry.shape {
        None => Ok(Vec::new()),
        Some(OneOrMany::One(shape)) => Ok(vec![part(context, "shape", shape)?]),
        Some(OneOrMany::Many(shapes)) => {
            shapes.iter().enumerate().map(|(k, shape)| part(context, &format!("shape.{k}"), shape)).collect()
        }
    }
}

/// Number of corners of the polygon that approximates a circle.
const CORNERS: usize = 24;

fn part(context: &Context<'_>, keys: &str, shape: &Shape) -> Result<Part, FormatError> {
    let key = |name: &str| format!("{keys}.{name}");
    let word = format!("{:?}", shape.kind).to_lowercase();
    let length_of = |name: &str, number| -> Result<Real, FormatError> {
        let value = context
            .needed(&key(name), number, LENGTH, &word)
            .map_err(|error| at_shape(context, keys, number, error, &word, name))?;
        context.positive(&key(name), value)
    };
    let placement = Placement::new(
        context.vector_or_zero(&key("at"), &shape.at, LENGTH)?,
        context.turn(&key("turn"), &shape.turn)?,
    );
    let missing = |name: &str| context.fault(keys, format!("a {word} needs {name:?}"));
    let (solid, look, mass, volume) = match shape.kind {
        ShapeKind::Sphere => {
            let radius = length_of("radius", &shape.radius)?;
            plain(dynamics::Shape::Sphere { radius })
        }
        ShapeKind::Box => {
            let size = shape.size.as_ref().ok_or_else(|| missing("size"))?;
            let size = context.vector(&key("size"), size, LENGTH)?;
            for k in 0..3 {
                context.positive(&format!("{keys}.size.{k}"), size[k]).map_err(|_| {
                    context.fault(&key("size"), format!("the sizes of a box must be positive numbers, not {}", size[k]))
                })?;
            }
            plain(dynamics::Shape::Box { half_extents: size / 2.0 })
        }
        ShapeKind::Capsule => {
            let (length, radius) = (length_of("length", &shape.length)?, length_of("radius", &shape.radius)?);
            let end = Vec3::new(length / 2.0, 0.0, 0.0);
            plain(dynamics::Shape::Capsule { a: -end, b: end, radius })
        }
        ShapeKind::Cylinder => {
            let (length, radius) = (length_of("length", &shape.length)?, length_of("radius", &shape.radius)?);
            let mut points = Vec::with_capacity(2 * CORNERS);
            for k in 0..CORNERS {
                let (sin, cos) = real::sin_cos(std::f64::consts::TAU * k as Real / CORNERS as Real);
                points.extend([-0.5, 0.5].map(|end| Vec3::new(end * length, radius * cos, radius * sin)));
            }
            let solid = dynamics::Shape::Hull { points: Arc::from(points) };
            let mass = MassProperties::cylinder(1.0, radius, length / 2.0);
            let volume = std::f64::consts::PI * radius * radius * length;
            (Some(solid), Visual::Cylinder { length, radius }, Some((mass, Vec3::zeros())), volume)
        }
        ShapeKind::Rod => {
            let length = length_of("length", &shape.length)?;
            let across = length * length / 12.0;
            let mass = MassProperties::new(1.0, Vec3::new(1e-4 * across, across, across));
            let radius = 0.01 * length;
            (None, Visual::Cylinder { length, radius }, Some((mass, Vec3::zeros())), length * 1e-4)
        }
        ShapeKind::Hull => {
            let points = shape.points.as_ref().ok_or_else(|| missing("points"))?;
            plain(dynamics::Shape::Hull { points: points.iter().map(|p| Vec3::from(*p)).collect() })
        }
        ShapeKind::Plane => {
            let normal = context.maybe_direction(&key("normal"), &shape.normal)?.unwrap_or_else(Vec3::y);
            plain(dynamics::Shape::HalfSpace { normal })
        }
        ShapeKind::Heights => {
            let heights = shape.heights.as_ref().ok_or_else(|| missing("heights"))?;
            let size = shape.extent.ok_or_else(|| missing("extent"))?;
            let columns = heights.first().map_or(0, Vec::len);
            if heights.iter().any(|row| row.len() != columns) {
                return Err(context.fault(&key("heights"), "all rows of heights must have the same length"));
            }
            plain(dynamics::Shape::HeightField {
                rows: heights.len(),
                columns,
                heights: heights.iter().flatten().copied().collect(),
                size,
            })
        }
        ShapeKind::Mesh => {
            let points = shape.points.as_ref().ok_or_else(|| missing("points"))?;
            let triangles = shape.triangles.as_ref().ok_or_else(|| missing("triangles"))?;
            plain(dynamics::Shape::Mesh {
                vertices: points.iter().map(|p| Vec3::from(*p)).collect(),
                triangles: triangles.iter().copied().collect(),
            })
        }
    };
    if let Some(solid) = &solid {
        solid.validate().map_err(|error| context.fault(keys, format!("this {} is none: {error}", solid.name())))?;
    }
    let own_mass = context.maybe(&key("mass"), &shape.mass, MASS)?;
    let own_mass = own_mass.map(|mass| context.positive(&key("mass"), mass)).transpose()?;
    let mass = mass.map(|(mass, centre)| (mass.rotated(&placement.rotation), placement.point(&centre)));
    Ok(Part { shape: solid, look, placement, mass, volume, own_mass })
}

/// Errors name the table of the shape if the key itself is missing.
fn at_shape(
    context: &Context<'_>,
    keys: &str,
    number: &Option<crate::scene::number::Number>,
    error: FormatError,
    word: &str,
    name: &str,
) -> FormatError {
    if number.is_some() { error } else { context.fault(keys, format!("a {word} needs {name:?}")) }
}

type Plain = (Option<dynamics::Shape>, Visual, Option<(MassProperties, Vec3)>, Real);

fn plain(shape: dynamics::Shape) -> Plain {
    let (mass, volume) = match shape.validate().ok().and_then(|()| shape.mass_properties(1.0)) {
        Some((mass, centre)) => {
            let volume = mass.mass;
            (Some((scaled(&mass, 1.0 / volume), centre)), volume)
        }
        None => (None, 0.0),
    };
    (Some(shape.clone()), Visual::Solid(shape), mass, volume)
}

fn scaled(mass: &MassProperties, factor: Real) -> MassProperties {
    MassProperties { mass: mass.mass * factor, inertia: mass.inertia * factor }
}

fn mass(context: &Context<'_>, entry: &Body, parts: &[Part]) -> Result<(MassProperties, Vec3), FormatError> {
    if entry.mass.is_some() && entry.density.is_some() {
        return Err(context.fault("density", "a body has a mass or a density, not both"));
    }
    let total = context.maybe_positive("mass", &entry.mass, MASS)?;
    let density = context.maybe_positive("density", &entry.density, DENSITY)?;
    if let Some(inertia) = &entry.inertia {
        let moments = context.vector("inertia", inertia, INERTIA)?;
        let total = total.ok_or_else(|| context.missing("body with an inertia", "mass"))?;
        if !moments.iter().all(|moment| *moment > 0.0) {
            return Err(context.fault("inertia", "moments of inertia must be positive numbers"));
        }
        return Ok((MassProperties::new(total, moments), Vec3::zeros()));
    }
    let solid: Vec<(&Part, &(MassProperties, Vec3))> =
        parts.iter().filter_map(|p| Some((p, p.mass.as_ref()?))).collect();
    if solid.is_empty() {
        let help = "give it a solid shape, or mass and inertia, or kind = \"fixed\"";
        return Err(context.fault("", "a body that forces move needs a shape with a volume, or an inertia").help(help));
    }
    if total.is_none() && density.is_none() && solid.iter().any(|(part, _)| part.own_mass.is_none()) {
        return Err(context
            .fault("", "this body has neither \"mass\" nor \"density\"")
            .help("give it one of them, or kind = \"fixed\""));
    }
    // Shapes with a mass keep it; the others share the rest by volume.
    let own: Real = solid.iter().filter_map(|(part, _)| part.own_mass).sum();
    let open: Real = solid.iter().filter(|(part, _)| part.own_mass.is_none()).map(|(part, _)| part.volume).sum();
    let rest = match (total, density) {
        (Some(total), _) if open > 0.0 => total - own,
        (_, Some(density)) => density * open,
        _ => 0.0,
    };
    if open > 0.0 && rest <= 0.0 {
        return Err(context.fault("mass", "its shapes' own masses leave nothing of the mass for the others"));
    }
    let shares: Vec<(MassProperties, Vec3)> = solid
        .iter()
        .map(|(part, (unit, centre))| (scaled(unit, part.own_mass.unwrap_or(rest * part.volume / open)), *centre))
        .collect();
    Ok(MassProperties::combined(&shares))
}

/// Adds one repetition of a point.
pub(crate) fn add_point(builder: &mut Builder<'_>, context: &Context<'_>, entry: &Point) -> Result<(), FormatError> {
    let name = context.fill("name", &entry.name)?;
    check_name(context, &name, "point")?;
    let local = context.vector_or_zero("at", &entry.at, LENGTH)?;
    let attachment = match &entry.on {
        None => Attachment { body: None, local },
        Some(on) => {
            let on = context.fill("on", on)?;
            let (body, centre) = known_body(builder.objects, context, "on", &on)?;
            Attachment { body: Some(body), local: local - centre }
        }
    };
    builder.claim_name(context, &name, ObjectId::Point(builder.objects.points.len()))?;
    builder.objects.points.push(ScenePoint { attachment });
    Ok(())
}

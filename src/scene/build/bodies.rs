//! Bodies, ground and points.

use super::{Site, check_name, nobody, refused};
use crate::dynamics::{self, Collider, MassProperties, Material, Motion, Placement, Script};
use crate::formats::FormatError;
use crate::math::{Quat, Real, Vec3, Vec6};
use crate::scene::cast::{CastBody, CastPoint, Look, Origin, Spot, Thing};
use crate::scene::desk::Desk;
use crate::scene::number::OneOrMany;
use crate::scene::schema::{Body, BodyKind, Ground, Point, Shape, ShapeKind, Turn};
use crate::scene::unit::{ANGLE, DENSITY, FREQUENCY, INERTIA, LENGTH, MASS, NUMBER, SPEED, SPIN};
use std::sync::Arc;

/// A shape as it was read.
struct Part {
    /// None for what touches nothing.
    shape: Option<dynamics::Shape>,
    look: Look,
    placement: Placement,
    /// Of mass 1 (its own share comes later), with its centre on the body; none for what has no volume.
    mass: Option<(MassProperties, Vec3)>,
    volume: Real,
    own_mass: Option<Real>,
}

/// The ground's half-space.
pub(crate) fn add_ground(site: &mut Site<'_>, desk: &Desk<'_>, ground: &Ground) -> Result<(), FormatError> {
    let height = desk.or("height", &ground.height, LENGTH, 0.0)?;
    let slope = desk.or("slope", &ground.slope, ANGLE, 0.0)?;
    let material = material(desk, &ground.friction, &ground.restitution, &ground.rolling, &ground.spinning)?;
    let lean = Quat::from_axis_angle(&Vec3::z_axis(), -slope);
    let place = Placement::new(Vec3::new(0.0, height, 0.0), lean);
    let id = site.world.add_body(dynamics::Body::fixed("ground", place)).map_err(|error| refused(desk, &error))?;
    let plane = Collider::new(dynamics::Shape::HalfSpace { normal: Vec3::y() }).with_material(material);
    site.world.add_collider(id, plane).map_err(|error| refused(desk, &error))?;
    site.cast.name("ground", Thing::Body(site.cast.bodies.len()));
    site.cast.bodies.push(CastBody {
        name: "ground".into(),
        id,
        centre: Vec3::zeros(),
        looks: vec![(Look::Solid(dynamics::Shape::HalfSpace { normal: Vec3::y() }), Placement::IDENTITY)],
        color: None,
        turned: lean,
        born: Real::NEG_INFINITY,
        gone: None,
        entry: Body::default(),
        origin: Origin { trail: desk.trail().clone(), index: 0, count: 1 },
        moves: false,
    });
    Ok(())
}

fn material(
    desk: &Desk<'_>,
    friction: &Option<crate::scene::number::Number>,
    restitution: &Option<crate::scene::number::Number>,
    rolling: &Option<crate::scene::number::Number>,
    spinning: &Option<crate::scene::number::Number>,
) -> Result<Material, FormatError> {
    let plain = Material::default();
    let part = |keys: &str, number, dimension, default| {
        desk.or(keys, number, dimension, default).and_then(|value| desk.not_negative(keys, value))
    };
    Ok(Material {
        friction: part("friction", friction, NUMBER, plain.friction)?,
        restitution: part("restitution", restitution, NUMBER, plain.restitution)?,
        rolling: part("rolling", rolling, LENGTH, plain.rolling)?,
        spinning: part("spinning", spinning, LENGTH, plain.spinning)?,
    })
}

fn body_material(desk: &Desk<'_>, entry: &Body) -> Result<Material, FormatError> {
    material(desk, &entry.friction, &entry.restitution, &entry.rolling, &entry.spinning)
}

/// Adds one repetition of a body.
pub(crate) fn add_body(site: &mut Site<'_>, desk: &Desk<'_>, entry: &Body, born: Real) -> Result<(), FormatError> {
    let name = desk.fill("name", &entry.name)?;
    check_name(desk, &name, "body")?;
    if entry.repeat.is_some_and(|count| count > 1) && !entry.name.contains('{') {
        let help = format!("write name = \"{}{{i}}\"", entry.name);
        return Err(desk.fault("name", "a body that is repeated needs {i} in its name").help(help));
    }
    let parts = parts(desk, entry)?;
    let kind = entry.kind.unwrap_or_default();
    let (mass, centre) = match kind {
        BodyKind::Dynamic => mass(desk, entry, &parts)?,
        _ => (MassProperties::new(1.0, Vec3::repeat(1.0)), Vec3::zeros()),
    };
    // What is only there at the start says nothing about change.
    let start = desk.inside("");
    let at = start.maybe_vector("at", &entry.at, LENGTH)?.unwrap_or_else(Vec3::zeros);
    let turn = start.turn("turn", &entry.turn)?;
    let place = Placement::new(at + turn * centre, turn);
    let mut body = match kind {
        BodyKind::Dynamic => dynamics::Body::dynamic(name.clone(), mass, place),
        BodyKind::Fixed => dynamics::Body::fixed(name.clone(), place),
        BodyKind::Kinematic => dynamics::Body::kinematic(name.clone(), place),
        BodyKind::Scripted => dynamics::Body::scripted(name.clone(), script(&start, entry)?),
    };
    if kind != BodyKind::Scripted {
        let velocity = start.maybe_vector("velocity", &entry.velocity, SPEED)?.unwrap_or_else(Vec3::zeros);
        let spin = start.maybe_vector("spin", &entry.spin, SPIN)?.unwrap_or_else(Vec3::zeros);
        body = body.with_velocity(velocity, spin);
    } else if entry.velocity.is_some() || entry.spin.is_some() {
        let key = if entry.velocity.is_some() { "velocity" } else { "spin" };
        return Err(
            desk.fault(key, format!("a scripted body moves by its \"at\" and \"turn\"; it has no {key:?} of its own"))
        );
    }
    let (linear, angular) = damping(desk, entry)?;
    body = body.with_damping(linear, angular);
    if entry.fast == Some(true) {
        body = body.watched_closely();
    }
    let id = site.world.add_body(body).map_err(|error| refused(desk, &error))?;
    let surface = body_material(desk, entry)?;
    let mut looks = Vec::new();
    for (k, part) in parts.into_iter().enumerate() {
        let placement = Placement { position: part.placement.position - centre, ..part.placement };
        if let (Some(shape), false) = (&part.shape, entry.ghost == Some(true)) {
            let collider = Collider::new(shape.clone()).at(placement).with_material(surface);
            let keys =
                if matches!(entry.shape, Some(OneOrMany::Many(_))) { format!("shape.{k}") } else { "shape".into() };
            site.world.add_collider(id, collider).map_err(|error| desk.fault(&keys, error.to_string()))?;
        }
        looks.push((part.look, placement));
    }
    if let Some(others) = &entry.apart_from {
        for pattern in desk.fill_all("apart_from", others)? {
            for other in site.cast.bodies_like(&pattern) {
                site.world.pair_filter_mut().keep_apart(id, other);
            }
        }
    }
    let thing = Thing::Body(site.cast.bodies.len());
    if !site.cast.name(&name, thing) {
        return Err(desk.fault("name", format!("there is something called {name:?} already")));
    }
    let turned = site.world.state(id).placement.rotation;
    site.cast.bodies.push(CastBody {
        name,
        id,
        centre,
        looks,
        color: entry.color,
        turned,
        born,
        gone: None,
        entry: entry.clone(),
        origin: Origin { trail: desk.trail().clone(), index: desk.index(), count: desk.count() },
        moves: desk.moves() && kind == BodyKind::Dynamic,
    });
    Ok(())
}

fn damping(desk: &Desk<'_>, entry: &Body) -> Result<(Real, Real), FormatError> {
    let linear = desk.not_negative("damping", desk.or("damping", &entry.damping, FREQUENCY, 0.0)?)?;
    let angular = desk.or("angular_damping", &entry.angular_damping, FREQUENCY, linear)?;
    Ok((linear, desk.not_negative("angular_damping", angular)?))
}

/// Gives a body the mass, damping and surface that its entry says now.
pub(crate) fn refresh_body(site: &mut Site<'_>, desk: &Desk<'_>, which: usize) -> Result<(), FormatError> {
    let (id, entry) = (site.cast.bodies[which].id, site.cast.bodies[which].entry.clone());
    let parts = parts(desk, &entry)?;
    let (mass, _) = mass(desk, &entry, &parts)?;
    site.world.set_mass(id, mass).map_err(|error| refused(desk, &error))?;
    let (linear, angular) = damping(desk, &entry)?;
    site.world.set_damping(id, linear, angular);
    site.world.set_material(id, body_material(desk, &entry)?);
    Ok(())
}

fn script(desk: &Desk<'_>, entry: &Body) -> Result<Script, FormatError> {
    let nowhere = crate::scene::number::Triple::default();
    let place = desk.vector_function("at", entry.at.as_ref().unwrap_or(&nowhere), LENGTH)?;
    let turning = match &entry.turn {
        Some(Turn::Axis(turn)) => {
            let axis = desk.direction("turn.axis", &turn.axis)?;
            Some((axis, desk.function("turn.angle", &turn.angle, ANGLE)?))
        }
        _ => None,
    };
    let fixed = if turning.is_none() { desk.turn("turn", &entry.turn)? } else { Quat::identity() };
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

fn parts(desk: &Desk<'_>, entry: &Body) -> Result<Vec<Part>, FormatError> {
    match &entry.shape {
        None => Ok(Vec::new()),
        Some(OneOrMany::One(shape)) => Ok(vec![part(desk, "shape", shape)?]),
        Some(OneOrMany::Many(shapes)) => {
            shapes.iter().enumerate().map(|(k, shape)| part(desk, &format!("shape.{k}"), shape)).collect()
        }
    }
}

/// Corners of the regular polygon that stands for a circle.
const CORNERS: usize = 24;

fn part(desk: &Desk<'_>, keys: &str, shape: &Shape) -> Result<Part, FormatError> {
    let key = |name: &str| format!("{keys}.{name}");
    let word = format!("{:?}", shape.kind).to_lowercase();
    let length_of = |name: &str, number| -> Result<Real, FormatError> {
        let value = desk
            .needed(&key(name), number, LENGTH, &word)
            .map_err(|error| at_shape(desk, keys, number, error, &word, name))?;
        desk.positive(&key(name), value)
    };
    let placement = Placement::new(
        desk.maybe_vector(&key("at"), &shape.at, LENGTH)?.unwrap_or_else(Vec3::zeros),
        desk.turn(&key("turn"), &shape.turn)?,
    );
    let lacks = |name: &str| desk.fault(keys, format!("a {word} needs {name:?}"));
    let (solid, look, mass, volume) = match shape.kind {
        ShapeKind::Sphere => {
            let radius = length_of("radius", &shape.radius)?;
            plain(dynamics::Shape::Sphere { radius })
        }
        ShapeKind::Box => {
            let size = shape.size.as_ref().ok_or_else(|| lacks("size"))?;
            let size = desk.vector(&key("size"), size, LENGTH)?;
            for k in 0..3 {
                desk.positive(&format!("{keys}.size.{k}"), size[k]).map_err(|_| {
                    desk.fault(&key("size"), format!("the sizes of a box must be positive numbers, not {}", size[k]))
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
                let (sin, cos) = (std::f64::consts::TAU * k as Real / CORNERS as Real).sin_cos();
                points.extend([-0.5, 0.5].map(|end| Vec3::new(end * length, radius * cos, radius * sin)));
            }
            let solid = dynamics::Shape::Hull { points: Arc::from(points) };
            let mass = MassProperties::cylinder(1.0, radius, length / 2.0);
            let volume = std::f64::consts::PI * radius * radius * length;
            (Some(solid), Look::Cylinder { length, radius }, Some((mass, Vec3::zeros())), volume)
        }
        ShapeKind::Rod => {
            let length = length_of("length", &shape.length)?;
            let across = length * length / 12.0;
            let mass = MassProperties::new(1.0, Vec3::new(1e-4 * across, across, across));
            let radius = 0.01 * length;
            (None, Look::Cylinder { length, radius }, Some((mass, Vec3::zeros())), length * 1e-4)
        }
        ShapeKind::Hull => {
            let points = shape.points.as_ref().ok_or_else(|| lacks("points"))?;
            plain(dynamics::Shape::Hull { points: points.iter().map(|p| Vec3::from(*p)).collect() })
        }
        ShapeKind::Plane => {
            let normal = desk.maybe_direction(&key("normal"), &shape.normal)?.unwrap_or_else(Vec3::y);
            plain(dynamics::Shape::HalfSpace { normal })
        }
        ShapeKind::Heights => {
            let heights = shape.heights.as_ref().ok_or_else(|| lacks("heights"))?;
            let size = shape.extent.ok_or_else(|| lacks("extent"))?;
            let columns = heights.first().map_or(0, Vec::len);
            if heights.iter().any(|row| row.len() != columns) {
                return Err(desk.fault(&key("heights"), "all rows of heights must have the same length"));
            }
            plain(dynamics::Shape::HeightField {
                rows: heights.len(),
                columns,
                heights: heights.iter().flatten().copied().collect(),
                size,
            })
        }
        ShapeKind::Mesh => {
            let points = shape.points.as_ref().ok_or_else(|| lacks("points"))?;
            let triangles = shape.triangles.as_ref().ok_or_else(|| lacks("triangles"))?;
            plain(dynamics::Shape::Mesh {
                vertices: points.iter().map(|p| Vec3::from(*p)).collect(),
                triangles: triangles.iter().copied().collect(),
            })
        }
    };
    if let Some(solid) = &solid {
        solid.validate().map_err(|error| desk.fault(keys, format!("this {} is none: {error}", solid.name())))?;
    }
    let own_mass = desk.maybe(&key("mass"), &shape.mass, MASS)?;
    let own_mass = own_mass.map(|mass| desk.positive(&key("mass"), mass)).transpose()?;
    let mass = mass.map(|(mass, centre)| (mass.rotated(&placement.rotation), placement.point(&centre)));
    Ok(Part { shape: solid, look, placement, mass, volume, own_mass })
}

/// The table of the shape is named where the entry itself is missing.
fn at_shape(
    desk: &Desk<'_>,
    keys: &str,
    number: &Option<crate::scene::number::Number>,
    error: FormatError,
    word: &str,
    name: &str,
) -> FormatError {
    if number.is_some() { error } else { desk.fault(keys, format!("a {word} needs {name:?}")) }
}

type Plain = (Option<dynamics::Shape>, Look, Option<(MassProperties, Vec3)>, Real);

fn plain(shape: dynamics::Shape) -> Plain {
    let (mass, volume) = match shape.validate().ok().and_then(|()| shape.mass_properties(1.0)) {
        Some((mass, centre)) => {
            let volume = mass.mass;
            (Some((scaled(&mass, 1.0 / volume), centre)), volume)
        }
        None => (None, 0.0),
    };
    (Some(shape.clone()), Look::Solid(shape), mass, volume)
}

fn scaled(mass: &MassProperties, factor: Real) -> MassProperties {
    MassProperties { mass: mass.mass * factor, inertia: mass.inertia * factor }
}

fn mass(desk: &Desk<'_>, entry: &Body, parts: &[Part]) -> Result<(MassProperties, Vec3), FormatError> {
    if entry.mass.is_some() && entry.density.is_some() {
        return Err(desk.fault("density", "a body has a mass or a density, not both"));
    }
    let total = desk.maybe("mass", &entry.mass, MASS)?.map(|mass| desk.positive("mass", mass)).transpose()?;
    let density = desk.maybe("density", &entry.density, DENSITY)?.map(|d| desk.positive("density", d)).transpose()?;
    if let Some(inertia) = &entry.inertia {
        let moments = desk.vector("inertia", inertia, INERTIA)?;
        let total = total.ok_or_else(|| desk.lacks("body with an inertia", "mass"))?;
        if !moments.iter().all(|moment| *moment > 0.0) {
            return Err(desk.fault("inertia", "moments of inertia must be positive numbers"));
        }
        return Ok((MassProperties::new(total, moments), Vec3::zeros()));
    }
    let solid: Vec<(&Part, &(MassProperties, Vec3))> =
        parts.iter().filter_map(|p| Some((p, p.mass.as_ref()?))).collect();
    if solid.is_empty() {
        let help = "give it a solid shape, or mass and inertia, or kind = \"fixed\"";
        return Err(desk.fault("", "a body that forces move needs a shape with a volume, or an inertia").help(help));
    }
    if total.is_none() && density.is_none() && solid.iter().any(|(part, _)| part.own_mass.is_none()) {
        return Err(desk
            .fault("", "this body has neither \"mass\" nor \"density\"")
            .help("give it one of them, or kind = \"fixed\""));
    }
    // Shapes with masses of their own keep them; the others share the rest by volume.
    let own: Real = solid.iter().filter_map(|(part, _)| part.own_mass).sum();
    let open: Real = solid.iter().filter(|(part, _)| part.own_mass.is_none()).map(|(part, _)| part.volume).sum();
    let rest = match (total, density) {
        (Some(total), _) if open > 0.0 => total - own,
        (_, Some(density)) => density * open,
        _ => 0.0,
    };
    if open > 0.0 && rest <= 0.0 {
        return Err(desk.fault("mass", "its shapes' own masses leave nothing of the mass for the others"));
    }
    let shares: Vec<(MassProperties, Vec3)> = solid
        .iter()
        .map(|(part, (unit, centre))| (scaled(unit, part.own_mass.unwrap_or(rest * part.volume / open)), *centre))
        .collect();
    Ok(MassProperties::combined(&shares))
}

/// Adds one repetition of a point.
pub(crate) fn add_point(site: &mut Site<'_>, desk: &Desk<'_>, entry: &Point) -> Result<(), FormatError> {
    let name = desk.fill("name", &entry.name)?;
    check_name(desk, &name, "point")?;
    let local = desk.maybe_vector("at", &entry.at, LENGTH)?.unwrap_or_else(Vec3::zeros);
    let spot = match &entry.on {
        None => Spot { body: None, local },
        Some(on) => {
            let on = desk.fill("on", on)?;
            let (body, centre) =
                super::frames::body_of(site.cast, &on).ok_or_else(|| nobody(site.cast, desk, "on", &on, "body"))?;
            Spot { body: Some(body), local: local - centre }
        }
    };
    if !site.cast.name(&name, Thing::Point(site.cast.points.len())) {
        return Err(desk.fault("name", format!("there is something called {name:?} already")));
    }
    site.cast.points.push(CastPoint { spot });
    Ok(())
}

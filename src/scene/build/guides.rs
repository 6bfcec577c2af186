//! Joints that guide a point: paths, curves, surfaces, pulleys, rolling.

use super::frames::{Ends, Places};
use super::keys::word;
use super::{Scope, unknown_name};
use crate::dynamics::{
    self, Anchor, CubicSpline, Kind, OnCurve, OnPath, OnSurface, Path, Placement, Pulley, Response, Rolling,
};
use crate::formats::FormatError;
use crate::math::{Real, Vec3};
use crate::scene::context::Context;
use crate::scene::objects::ObjectId;
use crate::scene::schema::{Curve, CurveKind, Joint, Surface, SurfaceKind};
use crate::scene::unit::{LENGTH, NUMBER};

pub(super) fn path(scope: Scope<'_>, entry: &Joint, firm: Response, max_force: Real) -> Result<Kind, FormatError> {
    let Scope { objects, context, .. } = scope;
    let ends = Places { at: &None, at_a: &None, ..Places::of(entry) }.ends(scope)?;
    if ends.b.body.is_none() || ends.a.body.is_some() {
        return Err(context.fault("", "a path leads \"b\" through the world; it has no \"a\""));
    }
    let path = match (&entry.path, &entry.path_points, &entry.path_of) {
        (Some(path), None, None) => {
            // A path is a function of time by itself and needs no update.
            let function = context.inside("").vector_function("path", path, LENGTH)?;
            Path::new(move |time| {
                let [place, velocity, acceleration] = function(time);
                (place, velocity, acceleration)
            })
        }
        (None, Some(points), None) => {
            let times = points.iter().map(|p| p[0]).collect();
            let places = points.iter().map(|p| Vec3::new(p[1], p[2], p[3])).collect();
            Path::spline(times, places).map_err(|error| context.fault("path_points", error.to_string()))?
        }
        (None, None, Some(of)) => {
            let of = context.fill("path_of", of)?;
            let Some(ObjectId::Segment(figure, segment)) = objects.find(&of) else {
                return Err(unknown_name(objects, context, "path_of", &of, "segment of a figure"));
            };
            let (animation, body) = (scope.followers[figure].animation.clone(), objects.figures[figure].figure.clone());
            Path::new(move |time| {
                let (mut frames, mut motions) = (Vec::new(), Vec::new());
                body.motions_into(&animation.sample(time), &mut frames, &mut motions);
                let motion = &motions[segment];
                (motion.position, motion.velocity, motion.acceleration)
            })
        }
        _ => return Err(context.fault("", "a path needs one of \"path\", \"path_points\" and \"path_of\"")),
    };
    let mut on = OnPath::new(ends.b, path).responding(firm);
    on.max_force = max_force;
    Ok(on.into())
}

pub(super) fn curve(context: &Context<'_>, curve: &Curve) -> Result<dynamics::Curve, FormatError> {
    let at = context.vector_or_zero("curve.at", &curve.at, LENGTH)?;
    let owner = format!("curve of kind {:?}", word(&curve.kind));
    let missing = |what: &str| context.fault("curve", format!("a {owner} needs {what:?}"));
    let axis = || -> Result<Vec3, FormatError> {
        context.direction("curve.axis", curve.axis.as_ref().ok_or_else(|| missing("axis"))?)
    };
    Ok(match curve.kind {
        CurveKind::Line => dynamics::Curve::line(at, axis()?),
        CurveKind::Segment => {
            let to = context.vector("curve.to", curve.to.as_ref().ok_or_else(|| missing("to"))?, LENGTH)?;
            if (to - at).norm() < 1e-9 {
                return Err(context.fault("curve.to", "this segment has no length"));
            }
            dynamics::Curve::Segment { from: at, to }
        }
        CurveKind::Circle => {
            let radius = curve.radius.as_ref().ok_or_else(|| missing("radius"))?;
            let radius = context.positive("curve.radius", context.number("curve.radius", radius, LENGTH)?)?;
            dynamics::Curve::circle(at, axis()?, radius)
        }
        CurveKind::Spline => {
            let points = curve.points.as_ref().ok_or_else(|| missing("points"))?;
            let points: Vec<Vec3> = points
                .iter()
                .enumerate()
                .map(|(k, p)| context.vector(&format!("curve.points.{k}"), p, LENGTH))
                .collect::<Result<_, _>>()?;
            let make = if curve.closed == Some(true) { CubicSpline::loop_through } else { CubicSpline::through };
            dynamics::Curve::spline(make(&points).map_err(|error| context.fault("curve.points", error.to_string()))?)
        }
    })
}

pub(super) fn surface(context: &Context<'_>, surface: &Surface) -> Result<dynamics::Surface, FormatError> {
    let at = context.vector_or_zero("surface.at", &surface.at, LENGTH)?;
    let owner = format!("surface of kind {:?}", word(&surface.kind));
    let missing = |what: &str| context.fault("surface", format!("a {owner} needs {what:?}"));
    Ok(match surface.kind {
        SurfaceKind::Plane => {
            let normal = context.maybe_direction("surface.normal", &surface.normal)?.unwrap_or_else(Vec3::y);
            dynamics::Surface::plane(at, normal)
        }
        SurfaceKind::Sphere => {
            let radius = surface.radius.as_ref().ok_or_else(|| missing("radius"))?;
            let radius = context.positive("surface.radius", context.number("surface.radius", radius, LENGTH)?)?;
            dynamics::Surface::Sphere { centre: at, radius }
        }
        SurfaceKind::Ellipsoid => {
            let half = surface.half_axes.as_ref().ok_or_else(|| missing("half_axes"))?;
            let half_axes = context.vector("surface.half_axes", half, LENGTH)?;
            if !half_axes.iter().all(|a| *a > 0.0) {
                return Err(context.fault("surface.half_axes", "half axes must be positive numbers"));
            }
            dynamics::Surface::Ellipsoid { frame: Placement::at(at), half_axes }
        }
    })
}

pub(super) fn pulley(scope: Scope<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let Scope { world, context, .. } = scope;
    let load = |key: &str, at: &str, name: &Option<String>, local| -> Result<Anchor, FormatError> {
        let name = name.as_ref().ok_or_else(|| context.missing("pulley", key))?;
        let (body, centre) = scope.body(key, name)?;
        let local = context.maybe_vector(at, local, LENGTH)?.unwrap_or_else(Vec3::zeros);
        Ok(Anchor::on(body, local - centre))
    };
    let wheel = |key: &str, triple: &Option<_>| -> Result<Anchor, FormatError> {
        let place = triple.as_ref().ok_or_else(|| context.missing("pulley", key))?;
        Ok(Anchor::world(context.vector(key, place, LENGTH)?))
    };
    let first = [wheel("wheel_a", &entry.wheel_a)?, load("a", "at_a", &entry.a, &entry.at_a)?];
    let second = [wheel("wheel_b", &entry.wheel_b)?, load("b", "at_b", &entry.b, &entry.at_b)?];
    let strand = |ends: &[Anchor; 2]| (world.place(&ends[1]) - world.place(&ends[0])).norm();
    let ratio = context.positive("ratio", context.or("ratio", &entry.ratio, NUMBER, 1.0)?)?;
    let now = strand(&first) + ratio * strand(&second);
    let length = context.non_negative_or("length", &entry.length, LENGTH, now)?;
    let make = if entry.slack == Some(true) { Pulley::rope } else { Pulley::new };
    Ok(make(first, second, length).geared(ratio).responding(firm).into())
}

pub(super) fn rolling(scope: Scope<'_>, entry: &Joint) -> Result<Kind, FormatError> {
    let Scope { world, context, .. } = scope;
    let (body, _) = scope.body("b", entry.b.as_ref().ok_or_else(|| context.missing("rolling joint", "b"))?)?;
    let carrier = entry.a.as_ref().map(|a| scope.body("a", a).map(|(id, _)| id)).transpose()?;
    let place = carrier.map_or(Placement::IDENTITY, |id| world.state(id).placement);
    let at = context.vector_or_zero("at", &entry.at, LENGTH)?;
    let normal = context.maybe_direction("axis", &entry.axis)?.unwrap_or_else(Vec3::y);
    let plane = Anchor { body: carrier, point: place.local_point(&at) };
    let normal = place.rotation.inverse() * normal;
    let radius = context.positive("radius", context.needed("radius", &entry.radius, LENGTH, "rolling joint")?)?;
    let rolling = match context.maybe_direction("axle", &entry.axle)? {
        Some(axle) => Rolling::wheel(body, axle, radius, plane, normal),
        None => Rolling::ball(body, radius, plane, normal),
    };
    Ok(if entry.touching == Some(false) { rolling.without_touching() } else { rolling }.into())
}

/// Point of B on a curve that A carries.
pub(super) fn on_curve(scope: Scope<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let (context, ends) = (scope.context, Places::of(entry).ends(scope)?);
    let curve = curve(&context.inside(""), entry.curve.as_ref().ok_or_else(|| context.missing("curve", "curve"))?)?;
    let mut wire = OnCurve::new(own_point(context, entry, &ends)?, ends.a.body, curve).responding(firm);
    wire.leaves_at_ends = entry.leaves_at_ends == Some(true);
    Ok(wire.into())
}

/// Point of B on a surface that A carries.
pub(super) fn on_surface(scope: Scope<'_>, entry: &Joint, firm: Response) -> Result<Kind, FormatError> {
    let (context, ends) = (scope.context, Places::of(entry).ends(scope)?);
    let shape = entry.surface.as_ref().ok_or_else(|| context.missing("surface", "surface"))?;
    let mut on =
        OnSurface::new(own_point(context, entry, &ends)?, ends.a.body, surface(context, shape)?).responding(firm);
    on.one_sided = entry.outside == Some(true);
    Ok(on.into())
}

/// Point of B on a curve or surface that A carries.
fn own_point(context: &Context<'_>, entry: &Joint, ends: &Ends) -> Result<Anchor, FormatError> {
    if entry.b.is_none() {
        return Err(
            context.fault("", format!("a {} needs \"b\", whose point it holds; \"a\" may carry it", word(&entry.kind)))
        );
    }
    Ok(ends.b)
}

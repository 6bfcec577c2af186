//! Attachment of joints and forces: bodies by name, points and axes in the world or on the bodies.

use super::{Scope, unknown_name};
use crate::dynamics::{Anchor, Axis, BodyId, Placement, World, frame_along};
use crate::formats::FormatError;
use crate::math::{Mat3, Quat, Vec3};
use crate::scene::context::Context;
use crate::scene::number::Triple;
use crate::scene::objects::{Attachment, ObjectId, Objects};
use crate::scene::schema::Joint;
use crate::scene::unit::LENGTH;

/// Body or segment with its centre of mass, which is subtracted from local points.
pub(crate) fn body_of(objects: &Objects, name: &str) -> Option<(BodyId, Vec3)> {
    match objects.find(name)? {
        ObjectId::Body(k) => Some((objects.bodies[k].id, objects.bodies[k].centre)),
        ObjectId::Segment(figure, segment) => {
            let figure = &objects.figures[figure];
            Some((figure.instance.bodies[segment], figure.figure.segment(segment).centre))
        }
        _ => None,
    }
}

/// End of a joint: the body, and the point if it has a name.
struct End {
    body: Option<BodyId>,
    centre: Vec3,
    point: Option<Vec3>,
}

fn end_of(objects: &Objects, context: &Context<'_>, key: &str, name: &Option<String>) -> Result<End, FormatError> {
    let Some(name) = name else { return Ok(End { body: None, centre: Vec3::zeros(), point: None }) };
    let name = context.fill(key, name)?;
    if let Some(ObjectId::Point(k)) = objects.find(&name) {
        let Attachment { body, local } = objects.points[k].attachment;
        return Ok(End { body, centre: Vec3::zeros(), point: Some(local) });
    }
    match body_of(objects, &name) {
        Some((body, centre)) => Ok(End { body: Some(body), centre, point: None }),
        None => Err(unknown_name(objects, context, key, &name, "body or point")),
    }
}

/// Two ends with their points on their bodies, relative to the centres of mass.
pub(crate) struct Ends {
    pub a: Anchor,
    pub b: Anchor,
}

/// Entries that place two ends.
pub(crate) struct Places<'a> {
    pub a: &'a Option<String>,
    pub b: &'a Option<String>,
    pub at: &'a Option<Triple>,
    pub at_a: &'a Option<Triple>,
    pub at_b: &'a Option<Triple>,
}

impl<'a> Places<'a> {
    pub fn of(entry: &'a Joint) -> Self {
        Self { a: &entry.a, b: &entry.b, at: &entry.at, at_a: &entry.at_a, at_b: &entry.at_b }
    }

    /// Places each end by its own entry, else by the common point, else at the other end, else at the origin.
    pub fn ends(&self, scope: Scope<'_>) -> Result<Ends, FormatError> {
        let Scope { world, objects, context, .. } = scope;
        let (a, b) = (end_of(objects, context, "a", self.a)?, end_of(objects, context, "b", self.b)?);
        if a.body.is_none() && b.body.is_none() {
            let help = "name at least one of them: b = \"…\"";
            return Err(context.fault("", "both ends of this are the world: there is nothing to hold").help(help));
        }
        if a.body == b.body {
            return Err(context.fault("b", "both ends of this are on the same body"));
        }
        let common = context.maybe_vector("at", self.at, LENGTH)?;
        let own = |key: &str, end: &End, triple: &Option<Triple>| -> Result<Option<Vec3>, FormatError> {
            match context.maybe_vector(key, triple, LENGTH)? {
                Some(_) if end.point.is_some() => {
                    Err(context.fault(key, "a named point says itself where it is; leave this out"))
                }
                Some(local) => Ok(Some(local - end.centre)),
                None => Ok(end.point),
            }
        };
        let place = |body: Option<BodyId>| body.map_or(Placement::IDENTITY, |id| world.state(id).placement);
        let (own_a, own_b) = (own("at_a", &a, self.at_a)?, own("at_b", &b, self.at_b)?);
        let seen = |end: &End, own: Option<Vec3>, other: &End, others: Option<Vec3>| {
            let (here, there) = (place(end.body), place(other.body));
            own.or(common.map(|at| here.local_point(&at)))
                .or(others.map(|at| here.local_point(&there.point(&at))))
                .unwrap_or(if end.body.is_some() { -end.centre } else { there.point(&-other.centre) })
        };
        let (point_a, point_b) = (seen(&a, own_a, &b, own_b), seen(&b, own_b, &a, own_a));
        Ok(Ends { a: Anchor { body: a.body, point: point_a }, b: Anchor { body: b.body, point: point_b } })
    }
}

/// Frames of a joint, with `axis` of each along the joint's axis.
pub(crate) fn frames(scope: Scope<'_>, entry: &Joint, axis: Axis) -> Result<(Ends, Placement, Placement), FormatError> {
    let Scope { world, context, .. } = scope;
    let ends = Places::of(entry).ends(scope)?;
    let (turn_a, turn_b) = turns(world, context, entry, &ends, axis)?;
    let (frame_a, frame_b) = (Placement::new(ends.a.point, turn_a), Placement::new(ends.b.point, turn_b));
    Ok((ends, frame_a, frame_b))
}

fn turns(
    world: &World,
    context: &Context<'_>,
    entry: &Joint,
    ends: &Ends,
    axis: Axis,
) -> Result<(Quat, Quat), FormatError> {
    let rotation = |body: Option<BodyId>| body.map_or(Quat::identity(), |id| world.state(id).placement.rotation);
    let (q_a, q_b) = (rotation(ends.a.body), rotation(ends.b.body));
    let common = match (
        context.maybe_direction("axis", &entry.axis)?,
        context.maybe_direction("second_axis", &entry.second_axis)?,
    ) {
        (Some(first), Some(second)) => Some(spanned(context, &first, &second)?),
        (Some(first), None) => Some(frame_along(&first, axis)),
        (None, _) => None,
    };
    let own_a = context.maybe_direction("axis_a", &entry.axis_a)?;
    let own_b = context.maybe_direction("axis_b", &entry.axis_b)?;
    // With points on both bodies, each body has its own axes; otherwise both share the world's.
    let in_pieces = entry.at.is_none() && entry.at_a.is_some() && entry.at_b.is_some();
    let turn = |own: Option<Vec3>, q: Quat| match (own, common) {
        (Some(own), _) => frame_along(&own, axis),
        (None, Some(common)) => q.inverse() * common,
        (None, None) if in_pieces => Quat::identity(),
        (None, None) => q.inverse(),
    };
    Ok((turn(own_a, q_a), turn(own_b, q_b)))
}

/// Rotation with x along the first axis and y as near to the second as possible.
fn spanned(context: &Context<'_>, first: &Vec3, second: &Vec3) -> Result<Quat, FormatError> {
    let z = first.cross(second).try_normalize(1e-6);
    let z = z.ok_or_else(|| context.fault("second_axis", "the two axes must not be parallel"))?;
    let matrix = Mat3::from_columns(&[*first, z.cross(first), z]);
    Ok(Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(matrix)))
}

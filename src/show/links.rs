//! Drawing of links between bodies: bars, ropes, tracks, springs, and the arms to joints outside of a body's shapes.

use super::painter::{Painter, color};
use crate::dynamics::{
    BodyId, Collider, Constraint, Curve, Distance, Kind, Law, OnCurve, OnSurface, Placement, Span, Surface, World,
    tangents,
};
use crate::math::{Real, Vec3, real};
use std::f64::consts::TAU;

/// Maximum number of line segments of a curve.
const PIECES: usize = 400;
/// Number of windings of a spring.
const WINDINGS: usize = 10;
/// Length drawn to either side of an endless line, metres.
const ENDLESS: Real = 10.0;

/// Paints all active links. `is_member` recognises segments of figures, whose joints lie inside their shapes.
pub(crate) fn paint_links(world: &World, is_member: impl Fn(BodyId) -> bool, painter: &mut Painter) {
    let acting = |id| Some(world.constraint(id)).filter(|constraint: &&Constraint| constraint.acts_at(world.time()));
    for id in world.constraint_ids() {
        match acting(id).map(|constraint| &constraint.kind) {
            Some(Kind::Distance(distance)) => paint_distance(distance, world, painter),
            Some(Kind::Pulley(pulley)) => {
                let [first, second] = [pulley.first, pulley.second].map(|ends| ends.map(|end| world.place(&end)));
                painter.line(first[1], first[0], color::LINK, 2.0);
                painter.line(first[0], second[0], color::LINK, 2.0);
                painter.line(second[0], second[1], color::LINK, 2.0);
            }
            // Several points may run on one wire, which is painted once.
            Some(Kind::OnCurve(wire)) => {
                let same = |id| match acting(id).map(|constraint| &constraint.kind) {
                    Some(Kind::OnCurve(other)) => other.carrier == wire.carrier && other.curve == wire.curve,
                    _ => false,
                };
                if !world.constraint_ids().take(id.index()).any(same) {
                    paint_wire(wire, world, painter);
                }
            }
            Some(Kind::OnSurface(surface)) => paint_surface(surface, world, painter),
            Some(Kind::Joint(joint)) => {
                for (body, frame) in [(joint.a, &joint.frame_a), (joint.b, &joint.frame_b)] {
                    if let Some(body) = body.filter(|body| world.body(*body).is_dynamic() && !is_member(*body)) {
                        paint_arm(world, body, &frame.position, painter);
                    }
                }
            }
            _ => {}
        }
    }
    for force in world.forces().filter(|force| force.acts_at(world.time())) {
        match &force.law {
            Law::Spring { a, b, rest_length, .. } => {
                paint_spring(world.place(a), world.place(b), *rest_length, painter);
            }
            Law::Rubber { a, b, .. } => painter.line(world.place(a), world.place(b), color::SPRING, 2.0),
            _ => {}
        }
    }
}

/// Paints the arm from a body's centre of mass to a joint outside of all its shapes.
fn paint_arm(world: &World, body: BodyId, joint: &Vec3, painter: &mut Painter) {
    let own = |(_, owner, collider)| (owner == body).then_some(collider);
    let inside = |collider: &Collider| {
        let (low, high) = collider.shape.aabb(&collider.placement);
        let slack = 0.05 * (high - low).amax();
        (0..3).all(|k| (low[k] - slack..=high[k] + slack).contains(&joint[k]))
    };
    if !world.colliders().filter_map(own).any(inside) {
        let placement = &world.state(body).placement;
        painter.line(placement.position, placement.point(joint), color::LINK, 1.5);
    }
}

/// Paints a bar or taut rope as a straight line, a slack rope as a parabola of its length.
fn paint_distance(distance: &Distance, world: &World, painter: &mut Painter) {
    let (a, b) = (world.place(&distance.a), world.place(&distance.b));
    let apart = (b - a).norm();
    let slack = match distance.span {
        Span::AtMost => (distance.length - apart).max(0.0),
        Span::Exactly | Span::AtLeast => 0.0,
    };
    let down = world.gravity.try_normalize(1e-9).unwrap_or_else(Vec3::zeros);
    if slack < 0.01 * distance.length {
        return painter.line(a, b, color::LINK, 2.0);
    }
    // A parabola of span d and sag s is d + 8 s²/(3 d) long while it is flat, and 2 s where its ends meet.
    let sag = (0.375 * slack * (apart + 0.667 * slack)).sqrt();
    let at = |share: Real| a.lerp(&b, share) + down * (4.0 * sag * share * (1.0 - share));
    for piece in 0..12 {
        painter.line(at(piece as Real / 12.0), at((piece + 1) as Real / 12.0), color::LINK, 2.0);
    }
}

fn paint_wire(wire: &OnCurve, world: &World, painter: &mut Painter) {
    let carrier = wire.carrier.map_or(Placement::IDENTITY, |id| world.state(id).placement);
    let ((from, to), pieces) = match &wire.curve {
        Curve::Line { .. } => ((-ENDLESS, ENDLESS), 1),
        Curve::Segment { from, to } => ((0.0, (to - from).norm()), 1),
        Curve::Circle { .. } => ((0.0, TAU), 64),
        Curve::Spline(spline) => (spline.domain(), (8 * spline.pieces()).min(PIECES)),
    };
    let at = |k: usize| carrier.point(&wire.curve.sample(from + (to - from) * k as Real / pieces as Real).0);
    for k in 0..pieces {
        painter.line(at(k), at(k + 1), color::LINK, 2.0);
    }
}

/// Paints a curved surface as three rings; a plane is not painted.
fn paint_surface(on: &OnSurface, world: &World, painter: &mut Painter) {
    let (frame, half_axes) = match &on.surface {
        Surface::Sphere { centre, radius } => (Placement::at(*centre), Vec3::repeat(*radius)),
        Surface::Ellipsoid { frame, half_axes } => (*frame, *half_axes),
        Surface::Plane { .. } | Surface::Implicit(_) => return,
    };
    let carrier = on.carrier.map_or(Placement::IDENTITY, |id| world.state(id).placement);
    for axis in 0..3 {
        let at = |k: usize| {
            let (sin, cos) = real::sin_cos(TAU * k as Real / 48.0);
            let mut rim = Vec3::zeros();
            (rim[(axis + 1) % 3], rim[(axis + 2) % 3]) = (cos, sin);
            carrier.point(&frame.point(&rim.component_mul(&half_axes)))
        };
        for k in 0..48 {
            painter.line(at(k), at(k + 1), color::LINK, 1.0);
        }
    }
}

/// Paints windings as wide as they are long at rest, with straight ends.
fn paint_spring(a: Vec3, b: Vec3, rest_length: Real, painter: &mut Painter) {
    const CORNERS: usize = 8;
    let way = b - a;
    let Some(along) = way.try_normalize(1e-9) else { return };
    let (first, second) = tangents(&along);
    let radius = 0.04 * rest_length.max(0.25 * way.norm());
    let at = |k: usize| {
        let share = k as Real / (WINDINGS * CORNERS) as Real;
        let (sin, cos) = real::sin_cos(TAU * k as Real / CORNERS as Real);
        // The first and last tenth taper to the ends.
        let wide = radius * (10.0 * share.min(1.0 - share)).min(1.0);
        a + way * share + (first * cos + second * sin) * wide
    };
    for k in 0..WINDINGS * CORNERS {
        painter.line(at(k), at(k + 1), color::SPRING, 1.5);
    }
}

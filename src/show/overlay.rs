//! Overlays: forces, torques, balance and joint limits.
//!
//! One body weight of force is drawn [`WEIGHT`] of the figure's height long; a torque is an arc whose angle grows with it.

use super::Layers;
use super::character::Posture;
use super::live::Live;
use super::painter::{Painter, color};
use crate::dynamics::{Contact, Placement, World};
use crate::figure::{Figure, Limits};
use crate::math::{GRAVITY, Quat, Real, Vec3, real};
use crate::measure::{Curves, convex_hull, pressure_point};
use crate::simulation::Actor;
use std::f64::consts::{PI, TAU};

/// Length of an arrow of one body weight, as a share of the height.
const WEIGHT: Real = 0.4;
/// Radius of a contact point in units of the thickness of arrows: large enough to be seen beside the sole.
pub(crate) const CONTACT_SIZE: Real = 2.5;
/// Torque of half a turn of an arc, in body weights times height.
const HALF_TURN: Real = 0.1;

/// Drawing scale of overlays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Arrow length, metres per newton.
    force: Real,
    /// Arc angle, radians per newton metre.
    torque: Real,
    /// Radius of dots and shafts, metres.
    thickness: Real,
    /// Radius of arcs, metres.
    radius: Real,
}

impl Scale {
    pub fn of_figure(figure: &Figure) -> Self {
        Self::new(figure.mass() * GRAVITY, figure.height)
    }

    /// Scale for bodies of this total weight (N) and size (m).
    pub fn new(weight: Real, size: Real) -> Self {
        let (weight, size) = (weight.max(1e-9), size.max(1e-3));
        Self {
            force: WEIGHT * size / weight,
            torque: PI / (HALF_TURN * weight * size),
            thickness: 0.006 * size,
            radius: 0.05 * size,
        }
    }

    fn of_world(live: &Live) -> Self {
        if let Some(actor) = live.play().actors().next() {
            return Self::of_figure(actor.figure());
        }
        let world = live.world();
        let mut all: Option<(Vec3, Vec3)> = None;
        let mut mass = 0.0;
        for (id, body) in world.bodies().filter(|(_, body)| body.is_dynamic()) {
            mass += body.mass.mass;
            let p = world.state(id).placement.position;
            all = Some(all.map_or((p, p), |(low, high)| (low.inf(&p), high.sup(&p))));
        }
        let size = all.map_or(1.0, |(low, high)| (high - low).norm()).clamp(0.1, 20.0);
        Self::new(mass * GRAVITY, size)
    }

    /// Paints a torque about a joint.
    pub fn torque(&self, centre: Vec3, torque: &Vec3, painter: &mut Painter) {
        let angle = torque.norm() * self.torque;
        let Some(axis) = torque.try_normalize(1e-9).filter(|_| angle > 0.02) else { return };
        let aside = if axis.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
        let start = axis.cross(&aside).normalize() * self.radius;
        painter.arc(centre, axis, start, angle.min(1.9 * PI), color::TORQUE);
    }

    pub fn force(&self, from: Vec3, force: &Vec3, paint: super::Color, painter: &mut Painter) {
        painter.arrow(from, force * self.force, paint, self.thickness);
    }

    pub fn dot(&self, at: Vec3, size: Real, paint: super::Color, painter: &mut Painter) {
        painter.dot(at, size * self.thickness, paint);
    }
}

/// Paints the forces of a live world.
pub(crate) fn paint_live(live: &Live, layers: &Layers, painter: &mut Painter) {
    let world = live.world();
    let scale = Scale::of_world(live);
    for contact in world.contacts() {
        if layers.contacts {
            scale.dot(contact.point, CONTACT_SIZE, color::CONTACT, painter);
        }
        if layers.contact_forces {
            scale.force(contact.point, &on_second(world, contact), color::FORCE, painter);
        }
    }
    for actor in live.play().actors() {
        paint_actor(actor, world, layers, &Scale::of_figure(actor.figure()), painter);
    }
    if layers.reactions && live.play().actors().next().is_none() {
        for id in world.constraint_ids().filter(|id| world.constraint(*id).enabled) {
            let constraint = world.constraint(id);
            if let Some(body) = constraint.bodies().last() {
                let joint = constraint.joint().filter(|joint| joint.b == Some(body));
                let at = joint.map_or_else(Vec3::zeros, |joint| joint.frame_b.position);
                let wrench = world.wrench_on(id, body);
                let at = world.state(body).placement.point(&at);
                scale.force(at, &wrench.fixed_rows::<3>(0).into(), color::REACTION, painter);
            }
        }
    }
    if let Some(hand) = &live.play().hand {
        let point = hand.point(world);
        painter.line(point, hand.to, color::HAND, 3.0);
        scale.dot(point, 2.0, color::HAND, painter);
        scale.dot(hand.to, 1.5, color::HAND, painter);
        if layers.contact_forces {
            scale.force(point, &hand.force(world), color::HAND, painter);
        }
    }
}

/// Paints the estimated forces of a clip's poses, paler than measured ones.
pub(crate) fn paint_estimate(
    found: &Curves,
    time: Real,
    figure: &Figure,
    posture: &Posture,
    layers: &Layers,
    painter: &mut Painter,
) {
    let frame = ((time * found.rate_hz).round().max(0.0) as usize).min(found.frames.len().saturating_sub(1));
    let Some(forces) = found.frames.get(frame) else { return };
    let scale = Scale::of_figure(figure);
    let weight = figure.mass() * GRAVITY;
    for (at, force) in &forces.ground {
        if layers.contacts {
            scale.dot(*at, CONTACT_SIZE, color::CONTACT, painter);
        }
        if layers.contact_forces {
            scale.force(*at, force, color::ESTIMATE, painter);
        }
    }
    if layers.torques {
        for ((segment, placement), torque) in figure.segments().iter().zip(&posture.placements).zip(&forces.torques) {
            if segment.parent.is_some() {
                scale.torque(placement.position, torque, painter);
            }
        }
    }
    let root = posture.placements[0].position;
    if layers.residual {
        scale.force(root, &(forces.residual.fixed_rows::<3>(0) * weight), color::RESIDUAL, painter);
    }
    let mut feet = std::mem::take(&mut painter.picture.feet);
    feet.clear();
    feet.extend(forces.ground.iter().map(|(at, _)| [at.x, at.z]));
    let level = forces.ground.iter().map(|(at, _)| at.y).fold(Real::INFINITY, Real::min);
    if layers.support && !feet.is_empty() {
        paint_polygon(&mut feet, level, painter);
    }
    painter.picture.feet = feet;
    if let (true, Some(point)) = (layers.zero_moment_point, forces.zero_moment_point) {
        scale.dot(point, 2.5, color::MOMENT, painter);
    }
}

/// Force on the second body of a contact, or on the first if only that one moves.
fn on_second(world: &World, contact: &Contact) -> Vec3 {
    let force = contact.normal * contact.normal_force + contact.friction_force;
    if world.body(contact.bodies[1]).is_dynamic() { force } else { -force }
}

fn paint_actor(actor: &Actor, world: &World, layers: &Layers, scale: &Scale, painter: &mut Painter) {
    let (figure, instance) = (actor.figure(), actor.instance());
    let joint_of = |k: usize| figure.segment(k).joint_frame(&world.state(instance.bodies[k]).placement);
    for k in 0..figure.segments().len() {
        if let (true, Some(muscle)) = (layers.torques, actor.muscle(k)) {
            let axes = crate::control::read_joint(world, muscle.joint()).map(|reading| reading.axes);
            let torque = axes.map_or_else(Vec3::zeros, |axes| axes * muscle.torque(world));
            scale.torque(joint_of(k).position, &torque, painter);
        }
        if let (true, Some(joint)) = (layers.reactions, instance.joints[k]) {
            let wrench = world.wrench_on(joint, instance.bodies[k]);
            scale.force(joint_of(k).position, &wrench.fixed_rows::<3>(0).into(), color::REACTION, painter);
        }
    }
    let residual = actor.residual(world);
    let (help, turn): (Vec3, Vec3) = (residual.fixed_rows::<3>(0).into(), residual.fixed_rows::<3>(3).into());
    let root = world.state(instance.bodies[0]).placement.position;
    if layers.residual {
        scale.force(root, &help, color::RESIDUAL, painter);
        scale.torque(root, &turn, painter);
    }
    let mut feet = std::mem::take(&mut painter.picture.feet);
    feet.clear();
    let mut level = Real::INFINITY;
    let (mut push, mut moment) = (help, turn + root.cross(&help));
    for contact in world.contacts() {
        let force = contact.normal * contact.normal_force + contact.friction_force;
        let on_figure = match contact.bodies.map(|body| instance.bodies.contains(&body)) {
            [true, false] => -force,
            [false, true] => force,
            _ => continue,
        };
        push += on_figure;
        moment += contact.point.cross(&on_figure);
        if on_figure.y > 0.0 {
            feet.push([contact.point.x, contact.point.z]);
            level = level.min(contact.point.y);
        }
    }
    let standing = !feet.is_empty();
    if layers.centre_of_mass {
        let centre = instance.centre_of_mass(figure, world);
        paint_centre_at(centre, standing.then_some(level), scale, painter);
    }
    if layers.support && standing {
        paint_polygon(&mut feet, level, painter);
    }
    let weight = figure.mass() * world.gravity.norm();
    if layers.zero_moment_point && standing && push.y > 0.2 * weight {
        let [x, z] = pressure_point(&push, &moment, level);
        scale.dot(Vec3::new(x, level, z), 2.5, color::MOMENT, painter);
    }
    painter.picture.feet = feet;
}

/// Paints the centre of mass and its plumb line.
pub(crate) fn paint_centre(figure: &Figure, placements: &[Placement], ground: Real, painter: &mut Painter) {
    paint_centre_at(figure.centre_of_mass(placements), Some(ground), &Scale::of_figure(figure), painter);
}

fn paint_centre_at(centre: Vec3, ground: Option<Real>, scale: &Scale, painter: &mut Painter) {
    scale.dot(centre, 3.0, color::CENTRE, painter);
    if let Some(ground) = ground {
        painter.line(centre, Vec3::new(centre.x, ground, centre.z), color::CENTRE, 1.0);
    }
}

/// Paints the convex polygon around the supporting points. Sorts them.
pub(crate) fn paint_polygon(feet: &mut [[Real; 2]], level: Real, painter: &mut Painter) {
    let mut hull = std::mem::take(&mut painter.picture.hull);
    convex_hull(feet, &mut hull);
    // The offset from the ground keeps the polygon visible.
    let place = |p: &[Real; 2]| Vec3::new(p[0], level + 2e-3, p[1]);
    for (k, corner) in hull.iter().enumerate() {
        painter.line(place(corner), place(&hull[(k + 1) % hull.len()]), color::SUPPORT, 2.0);
    }
    painter.picture.hull = hull;
}

/// Paints joint limits: cones for swing, arcs for hinges; red for a joint beyond its limit.
pub(crate) fn paint_limits(figure: &Figure, placements: &[Placement], painter: &mut Painter) {
    const AROUND: usize = 24;
    let size = 0.07 * figure.height;
    for (k, segment) in figure.segments().iter().enumerate() {
        let Some(parent) = segment.parent else { continue };
        let attachment = &segment.attachment;
        let axes = placements[parent].rotation * attachment.frame_a.rotation;
        let centre = placements[k].position;
        let relative = axes.inverse() * placements[k].rotation * attachment.frame_b;
        match attachment.limits {
            Limits::None => {}
            Limits::Hinge { range: [low, high] } => {
                let angle = crate::dynamics::rotation_vector(&relative).z;
                let beyond = angle < low - 0.02 || angle > high + 0.02;
                let paint = if beyond { color::BROKEN_LIMIT } else { color::LIMIT };
                let at = |angle: Real| centre + axes * (Quat::from_scaled_axis(Vec3::z() * angle) * Vec3::x()) * size;
                let pieces = 12;
                let step = (high - low).min(TAU) / pieces as Real;
                for piece in 0..pieces {
                    let from = low + step * piece as Real;
                    painter.line(at(from), at(from + step), paint, 1.5);
                }
                for end in [low, low + step * pieces as Real] {
                    painter.line(centre, at(end), paint, 1.0);
                }
                painter.line(centre, at(angle), color::BONE, 1.5);
            }
            Limits::SwingTwist { swing, .. } => {
                let pointing = relative * Vec3::x();
                // Half angles about y and z: the tip of x moves along −z and y.
                let tip = |turn: Real| {
                    let way = Vec3::new(0.0, swing[0] * real::cos(turn), swing[1] * real::sin(turn));
                    axes * (Quat::from_scaled_axis(way) * Vec3::x()) * size
                };
                let swung = Quat::rotation_between(&Vec3::x(), &pointing).map_or_else(Vec3::zeros, |q| q.scaled_axis());
                let share = |turn: Real, limit: Real| if limit > 1e-6 { turn / limit } else { 0.0 };
                let beyond = real::hypot(share(swung.y, swing[0]), share(swung.z, swing[1])) > 1.02;
                let paint = if beyond { color::BROKEN_LIMIT } else { color::LIMIT };
                for piece in 0..AROUND {
                    let turn = |k: usize| TAU * k as Real / AROUND as Real;
                    painter.line(centre + tip(turn(piece)), centre + tip(turn(piece + 1)), paint, 1.5);
                }
                painter.line(centre, centre + axes * pointing * size, color::BONE, 1.5);
            }
        }
    }
}

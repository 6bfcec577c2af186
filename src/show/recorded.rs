//! A recording played back: bodies where they were, forces as they were applied.

use super::Layers;
use super::meshes::Meshes;
use super::overlay::{CONTACT_SIZE, Scale, paint_polygon};
use super::painter::{Painter, color};
use super::picture::Color;
use super::{MeshId, timeline::Curve};
use crate::dynamics::{Body, Collider, Placement, World};
use crate::formats::gltf::solids;
use crate::math::{GRAVITY, Real, Vec3};
use crate::measure::pressure_point;
use crate::record::{Form, Recording, add_shape};

pub(crate) struct Recorded {
    pub recording: Recording,
    looks: Vec<(Option<MeshId>, Color)>,
    scale: Scale,
}

/// Bodies of recordings that say nothing of their shapes are drawn as balls of this radius, metres.
const BEAD: Real = 0.03;

impl Recorded {
    pub fn new(recording: Recording, meshes: &mut Meshes) -> Self {
        let member = |body: usize| recording.figures.iter().any(|figure| figure.bodies.contains(&body));
        let mut looks = Vec::new();
        for (k, body) in recording.bodies.iter().enumerate() {
            let mut mesh = solids::Mesh::new([1.0; 3]);
            for shape in &body.shapes {
                match (&shape.form, shape.solid()) {
                    (Form::Cylinder { length, radius }, _) => mesh.cylinder(&shape.placement(), *length, *radius),
                    (_, Some((solid, placement))) => add_shape(&mut mesh, &placement, &solid),
                    _ => {}
                }
            }
            if body.shapes.is_empty() {
                mesh.capsule(&Placement::IDENTITY, &Vec3::zeros(), &Vec3::zeros(), BEAD);
            }
            let paint = match body.color {
                Some([r, g, b]) => [r as f32, g as f32, b as f32, 1.0],
                None if member(k) => color::FIGURE,
                None if body.mass_kg == 0.0 => color::GROUND,
                None => color::thing(k),
            };
            looks.push((meshes.add_drawn(mesh), paint));
        }
        let size = recording.figures.iter().map(|figure| figure.height_m).fold(0.0, Real::max);
        let weight = GRAVITY * recording.bodies.iter().map(|body| body.mass_kg).sum::<Real>();
        let scale = Scale::new(weight, if size > 0.0 { size } else { 2.0 });
        Self { recording, looks, scale }
    }

    /// Placement of a body at a time, interpolated between frames; none while it does not exist.
    pub fn placement(&self, body: usize, time: Real) -> Option<Placement> {
        let told = &self.recording.bodies[body];
        if told.from_s.is_some_and(|from| time < from - 1e-9) || told.until_s.is_some_and(|until| time >= until) {
            return None;
        }
        let (frame, share) = self.recording.place_of(time);
        let now = self.recording.placement(body, frame);
        if share == 0.0 {
            return Some(now);
        }
        let next = self.recording.placement(body, frame + 1);
        let turn = now.rotation.try_slerp(&next.rotation, share, 1e-12).unwrap_or(now.rotation);
        Some(Placement::new(now.position.lerp(&next.position, share), turn))
    }

    /// Height of the ground, metres: of the plane or the terrain that was recorded, else that of the figures, which are
    /// recorded on y = 0. None for bodies in free space.
    pub fn ground(&self) -> Option<Real> {
        let level = |(k, body): (usize, &crate::record::RecordedBody)| {
            let is_ground = |form: &Form| matches!(form, Form::HalfSpace { .. } | Form::HeightField { .. });
            let shape = body.shapes.iter().find(|shape| is_ground(&shape.form))?;
            Some(self.recording.placement(k, 0).then(&shape.placement()).position.y)
        };
        let recorded = self.recording.bodies.iter().enumerate().filter_map(level).reduce(Real::min);
        recorded.or_else(|| (!self.recording.figures.is_empty()).then_some(0.0))
    }

    pub fn has_forces(&self) -> bool {
        self.recording.contacts.iter().any(|frame| !frame.is_empty()) || !self.recording.joints.is_empty()
    }

    /// The box around everything that moves.
    pub fn extent(&self, time: Real) -> Option<(Vec3, Vec3)> {
        let mut all: Option<(Vec3, Vec3)> = None;
        for (k, body) in self.recording.bodies.iter().enumerate() {
            let Some(place) = self.placement(k, time) else { continue };
            let solids = body.shapes.iter().filter_map(|shape| shape.solid()).filter(|(solid, _)| solid.is_solid());
            let boxes =
                solids.map(|(solid, at)| solid.aabb(&place.then(&at))).filter(|(low, high)| (high - low).amax() < 50.0);
            let own = boxes.chain(body.shapes.is_empty().then_some((place.position, place.position)));
            for (low, high) in own {
                all = Some(all.map_or((low, high), |(a, b)| (a.inf(&low), b.sup(&high))));
            }
        }
        all
    }

    pub fn paint(&self, time: Real, tint: Option<Color>, layers: &Layers, painter: &mut Painter) {
        if layers.mesh || layers.shapes {
            for (k, (mesh, own)) in self.looks.iter().enumerate() {
                if let (Some(mesh), Some(place)) = (mesh, self.placement(k, time)) {
                    painter.solid(*mesh, &place, tint.unwrap_or(*own));
                }
            }
        }
        if tint.is_none() {
            self.paint_forces(time, layers, painter);
        }
    }

    fn paint_forces(&self, time: Real, layers: &Layers, painter: &mut Painter) {
        let (frame, _) = self.recording.place_of(time);
        let scale = &self.scale;
        let contacts = self.recording.contacts.get(frame).map_or(&[][..], Vec::as_slice);
        for contact in contacts {
            let point = Vec3::from(contact.point_m);
            if layers.contacts {
                scale.dot(point, CONTACT_SIZE, color::CONTACT, painter);
            }
            if layers.contact_forces {
                let sign = if self.recording.bodies[contact.bodies[1]].mass_kg > 0.0 { 1.0 } else { -1.0 };
                scale.force(point, &(Vec3::from(contact.force_n) * sign), color::FORCE, painter);
            }
        }
        for joint in &self.recording.joints {
            let place = joint.body.map(|body| self.recording.placement(body, frame).point(&Vec3::from(joint.at_m)));
            let Some(place) = place else { continue };
            if let (true, Some(w)) = (layers.reactions, joint.force_torque_on_b.get(frame)) {
                scale.force(place, &Vec3::new(w[0], w[1], w[2]), color::REACTION, painter);
            }
            if let (true, Some(torque)) = (layers.torques, joint.muscle_nm.get(frame)) {
                scale.torque(place, &Vec3::from(*torque), painter);
            }
        }
        for figure in &self.recording.figures {
            let mass: Real = figure.bodies.iter().map(|&body| self.recording.bodies[body].mass_kg).sum();
            let place = |body: usize| self.recording.placement(body, frame).position;
            let sum: Vec3 = figure.bodies.iter().map(|&body| place(body) * self.recording.bodies[body].mass_kg).sum();
            if layers.centre_of_mass {
                scale.dot(sum / mass.max(1e-12), 3.0, color::CENTRE, painter);
            }
            let Some(&root) = figure.bodies.first() else { continue };
            let help = figure.root_force_torque.get(frame).copied().unwrap_or_default();
            let (force, turn) = (Vec3::new(help[0], help[1], help[2]), Vec3::new(help[3], help[4], help[5]));
            if layers.residual {
                scale.force(place(root), &force, color::RESIDUAL, painter);
            }
            let (mut push, mut moment) = (force, turn + place(root).cross(&force));
            let (mut feet, mut level) = (Vec::new(), Real::INFINITY);
            for contact in contacts {
                let on_figure = match contact.bodies.map(|body| figure.bodies.contains(&body)) {
                    [true, false] => -Vec3::from(contact.force_n),
                    [false, true] => Vec3::from(contact.force_n),
                    _ => continue,
                };
                let point = Vec3::from(contact.point_m);
                push += on_figure;
                moment += point.cross(&on_figure);
                if on_figure.y > 0.0 {
                    feet.push([point.x, point.z]);
                    level = level.min(point.y);
                }
            }
            if feet.is_empty() {
                continue;
            }
            if layers.support {
                paint_polygon(&mut feet, level, painter);
            }
            if layers.zero_moment_point && push.y > 0.2 * GRAVITY * mass {
                let [x, z] = pressure_point(&push, &moment, level);
                scale.dot(Vec3::new(x, level, z), 2.5, color::MOMENT, painter);
            }
        }
    }

    /// Recorded quantities, frame by frame.
    pub fn curves(&self, number: usize, out: &mut Vec<Curve>) {
        let Recording { rate_hz, times_s, figures, bodies, contacts, .. } = &self.recording;
        let start = times_s.first().copied().unwrap_or(0.0);
        for figure in figures {
            let weight = GRAVITY * figure.bodies.iter().map(|&body| bodies[body].mass_kg).sum::<Real>().max(1e-12);
            if !figure.root_force_torque.is_empty() {
                let help = |w: &[Real; 6]| (Vec3::new(w[0], w[1], w[2]).norm() / weight) as f32;
                let values = figure.root_force_torque.iter().map(help).collect();
                out.push(Curve::new(number, "root assistance", "BW", start, *rate_hz, values));
            }
            if contacts.iter().any(|frame| !frame.is_empty()) {
                let lift = |frame: &Vec<crate::record::RecordedContact>| {
                    let up = |contact: &crate::record::RecordedContact| match contact
                        .bodies
                        .map(|body| figure.bodies.contains(&body))
                    {
                        [true, false] => -contact.force_n[1],
                        [false, true] => contact.force_n[1],
                        _ => 0.0,
                    };
                    (frame.iter().map(up).sum::<Real>() / weight) as f32
                };
                out.push(Curve::new(
                    number,
                    "contact force",
                    "BW",
                    start,
                    *rate_hz,
                    contacts.iter().map(lift).collect(),
                ));
            }
        }
    }

    /// A world of bodies that stand still, for rays.
    pub fn world(&self) -> World {
        let mut world = World::new();
        for body in &self.recording.bodies {
            let Ok(id) = world.add_body(Body::fixed(body.name.clone(), Placement::IDENTITY)) else { continue };
            for (solid, placement) in body.shapes.iter().filter_map(|shape| shape.solid()) {
                // What cannot be collided with cannot be hit.
                let _ = world.add_collider(id, Collider::new(solid).at(placement));
            }
        }
        world
    }
}

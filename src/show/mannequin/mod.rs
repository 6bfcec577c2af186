//! Mannequin: the drawn body of a figure without a skin, made to judge a motion by.
//!
//! Every segment is drawn light in front and dark behind, as it is in the anatomical position: face, chest, kneecaps,
//! crooks of the elbows and palms are light. Left limbs are blue, right limbs orange. Faces have a nose and eyes, knees a
//! kneecap, elbows a tip, hands a thumb, feet toes. So a leg that is turned round, or a palm that faces outwards, is seen in
//! a small picture.
//!
//! Neighbours share the radius at their joint and end there in a round cap about it, so that nothing gapes in any pose. All
//! sizes come from the shapes, bones and soles of the figure; collision shapes are the layer `shapes`.

mod facing;
mod limbs;
mod loft;
#[cfg(test)]
mod tests;
mod trunk;

use super::meshes::Meshes;
use super::picture::Color;
use super::{Mesh, MeshId};
use crate::dynamics::{Placement, Shape};
use crate::figure::{AttachmentKind, Figure};
use crate::formats::gltf::solids;
use crate::math::{Real, Vec3};
use crate::motion::{Role, Side};
use crate::record::add_shape;
use facing::{Facing, is_person, is_trunk, reach};
use loft::{Loft, Station, across, ellipsoid};

/// Part of a drawn segment: a mesh in the frame of the segment's body, and its colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub mesh: MeshId,
    pub color: Color,
}

/// Surface of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shade {
    /// Front of a segment in the anatomical position.
    Front,
    /// Back of a segment.
    Back,
    /// Kneecap, breastbone, toes.
    Mark,
    /// Face.
    Skin,
    /// Back of the head, tip of the elbow.
    Hair,
    /// Eyes, nose of an animal.
    Ink,
}

const SHADES: [Shade; 6] = [Shade::Front, Shade::Back, Shade::Mark, Shade::Skin, Shade::Hair, Shade::Ink];

impl Shade {
    fn color(self, side: Option<Side>) -> Color {
        match (self, side) {
            (Shade::Front, None) => [0.80, 0.81, 0.80, 1.0],
            (Shade::Back, None) => [0.36, 0.39, 0.43, 1.0],
            (Shade::Front, Some(Side::Left)) => [0.47, 0.66, 0.90, 1.0],
            (Shade::Back, Some(Side::Left)) => [0.13, 0.28, 0.56, 1.0],
            (Shade::Front, Some(Side::Right)) => [0.96, 0.66, 0.36, 1.0],
            (Shade::Back, Some(Side::Right)) => [0.62, 0.26, 0.08, 1.0],
            (Shade::Mark, _) => [0.97, 0.95, 0.88, 1.0],
            (Shade::Skin, _) => [0.93, 0.78, 0.65, 1.0],
            (Shade::Hair, _) => [0.24, 0.20, 0.19, 1.0],
            (Shade::Ink, _) => [0.08, 0.08, 0.10, 1.0],
        }
    }
}

/// Half thickness of a segment across its bone, metres.
#[derive(Clone, Copy, Debug)]
struct Thickness {
    side: Real,
    depth: Real,
}

impl Thickness {
    fn mean(&self) -> Real {
        (self.side * self.depth).sqrt()
    }
}

/// Figure with everything that its parts are modelled from.
struct Sculptor<'a> {
    figure: &'a Figure,
    facing: Facing,
    is_person: bool,
    thickness: Vec<Thickness>,
}

/// Meshes of one segment by shade, frame of its joint.
#[derive(Default)]
struct Parts([Mesh; SHADES.len()]);

impl Parts {
    fn of(&mut self, shade: Shade) -> &mut Mesh {
        &mut self.0[shade as usize]
    }

    /// Adds a loft with a light front and a dark back.
    fn loft(&mut self, loft: &Loft) {
        let [front, back, ..] = &mut self.0;
        loft.add(front, back);
    }
}

/// Models all segments of a figure.
pub(crate) fn mannequin(figure: &Figure, meshes: &mut Meshes) -> Vec<Vec<Look>> {
    let facing = Facing::of(figure);
    let thickness = (0..figure.segments().len()).map(|k| thickness(figure, &facing, k)).collect();
    let sculptor = Sculptor { figure, facing, is_person: is_person(figure), thickness };
    let looks = figure.segments().iter().enumerate().map(|(k, segment)| {
        let mut parts = sculptor.segment(k);
        let side = segment.role.and_then(Role::side).filter(|_| !matches!(segment.role, Some(Role::Shoulder(_))));
        let mut looks = Vec::new();
        for (shade, mesh) in SHADES.into_iter().zip(&mut parts.0).filter(|(_, mesh)| !mesh.triangles.is_empty()) {
            let centre = [segment.centre.x as f32, segment.centre.y as f32, segment.centre.z as f32];
            mesh.positions.iter_mut().for_each(|p| (0..3).for_each(|axis| p[axis] -= centre[axis]));
            looks.push(Look { mesh: meshes.add(std::mem::take(mesh)), color: shade.color(side) });
        }
        looks
    });
    looks.collect()
}

/// Thickness of a segment: that of the capsule along its bone, else the extent of its shapes.
fn thickness(figure: &Figure, facing: &Facing, k: usize) -> Thickness {
    let (along, front) = (facing.along[k], facing.front[k]);
    let shapes = &figure.segment(k).shapes;
    let capsules = shapes.iter().filter_map(|part| match &part.shape {
        Shape::Capsule { a, b, radius } => {
            let way = part.placement.rotation * (b - a);
            Some((way.try_normalize(1e-9).map_or(0.0, |way| way.dot(&along).abs()), *radius))
        }
        Shape::Sphere { radius } => Some((0.0, *radius)),
        _ => None,
    });
    if let Some((_, radius)) = capsules.max_by(|a, b| a.0.total_cmp(&b.0)) {
        return Thickness { side: radius, depth: radius };
    }
    let front = front.unwrap_or_else(|| any_across(&along));
    let half = |axis: Vec3| Some(0.5 * (reach(figure, k, &axis)? + reach(figure, k, &-axis)?));
    let least = 0.01 * figure.height;
    let extent = |axis: Vec3| half(axis).unwrap_or(least).max(0.2 * least);
    Thickness { side: extent(front.cross(&along)), depth: extent(front) }
}

fn any_across(along: &Vec3) -> Vec3 {
    let other = if along.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    (other - along * along.dot(&other)).normalize()
}

impl Sculptor<'_> {
    fn segment(&self, k: usize) -> Parts {
        let mut parts = Parts::default();
        let segment = self.figure.segment(k);
        let has_box = matches!(segment.shapes[..], [ref only] if matches!(only.shape, Shape::Box { .. }));
        let round =
            segment.shapes.iter().all(|part| matches!(part.shape, Shape::Capsule { .. } | Shape::Sphere { .. }));
        match segment.role {
            Some(Role::Head) if self.is_person => self.head(k, &segment.end, &mut parts),
            Some(Role::Hand(side)) if self.is_person => self.hand(k, &Vec3::zeros(), side, &mut parts),
            Some(Role::Foot(_) | Role::Toes(_)) if self.is_person => self.foot(k, &mut parts),
            Some(Role::UpperArm(_) | Role::LowerArm(_) | Role::UpperLeg(_) | Role::LowerLeg(_))
                if self.is_person && round =>
            {
                self.limb(k, &mut parts);
            }
            _ if self.is_person && has_box && is_trunk(segment) => self.trunk(k, &mut parts),
            _ if round => self.bones(k, &mut parts),
            _ => self.shapes(k, &mut parts),
        }
        self.add_missing(k, &mut parts);
        parts
    }

    /// Segments that hang on this one by a joint.
    fn children(&self, k: usize) -> impl Iterator<Item = usize> + '_ {
        let held = move |c: &usize| {
            let child = self.figure.segment(*c);
            child.parent == Some(k) && child.attachment.kind != AttachmentKind::Free
        };
        (k + 1..self.figure.segments().len()).filter(move |c| held(c))
    }

    /// Position of a segment's joint in the frame of its parent's.
    fn joint_on_parent(&self, child: usize) -> Vec3 {
        self.figure.segment(child).attachment.frame_a.position
    }

    fn front(&self, k: usize) -> Vec3 {
        self.facing.front[k].unwrap_or_else(|| any_across(&self.facing.along[k]))
    }

    /// Radius with which a segment ends at the joint of its child, metres. It is a little less than that of the child, since
    /// two surfaces at one place flicker.
    fn end_radius(&self, child: usize) -> Real {
        0.96 * self.joint_radius(child)
    }

    /// Radius of a segment at its own joint, metres.
    fn joint_radius(&self, k: usize) -> Real {
        let segment = self.figure.segment(k);
        let own = self.thickness[k].mean();
        let Some(parent) = segment.parent.filter(|_| segment.attachment.kind != AttachmentKind::Free) else {
            return own;
        };
        let above = self.thickness[parent].mean();
        match segment.role.filter(|_| self.is_person) {
            Some(Role::UpperLeg(_)) => 1.02 * own,
            Some(Role::UpperArm(_)) => 1.25 * own,
            Some(Role::LowerLeg(_) | Role::LowerArm(_)) => 0.42 * (own + above),
            Some(Role::Foot(_) | Role::Hand(_)) => 0.66 * above,
            _ => own.min(above),
        }
    }

    /// Models a segment of no known form: a tapered bone to every joint on it and to its end.
    fn bones(&self, k: usize, parts: &mut Parts) {
        let (segment, own) = (self.figure.segment(k), self.thickness[k].mean());
        let mut ends: Vec<(Vec3, Real)> =
            self.children(k).map(|c| (self.joint_on_parent(c), self.end_radius(c))).collect();
        if !ends.iter().any(|(end, _)| (end - segment.end).norm() < 2.0 * own) {
            ends.push((segment.end, 0.7 * own));
        }
        let start = self.joint_radius(k);
        for (end, radius) in ends {
            let thick = own.min(0.5 * end.norm()).max(radius.min(start));
            let stations = [Station::round(0.0, start), Station::round(0.4, thick), Station::round(1.0, radius)];
            let front = self.front(k);
            let front = if across(&end, &front).is_some() { front } else { any_across(&end.normalize()) };
            parts.loft(&Loft { from: Vec3::zeros(), to: end, front, stations: &stations, ends: [start, radius] });
        }
        match segment.role {
            Some(Role::Head) => self.animal_face(k, parts),
            Some(Role::Foot(_) | Role::Hand(_) | Role::Toes(_)) if self.children(k).next().is_none() => {
                let size = Vec3::repeat(0.95 * own);
                let axes = [Vec3::x() * size.x, Vec3::y() * size.y, Vec3::z() * size.z];
                ellipsoid(parts.of(Shade::Ink), &segment.end, &axes);
            }
            _ => {}
        }
    }

    /// Nose at the end of an animal's head, eyes on its upper side.
    fn animal_face(&self, k: usize, parts: &mut Parts) {
        let (end, along, below) = (self.figure.segment(k).end, self.facing.along[k], self.front(k));
        let (side, own) = (below.cross(&along), self.thickness[k].mean());
        let ball = |radius: Real| [Vec3::x() * radius, Vec3::y() * radius, Vec3::z() * radius];
        ellipsoid(parts.of(Shade::Ink), &(end + along * (0.6 * own)), &ball(0.35 * own));
        for sign in [-1.0, 1.0] {
            let eye = end * 0.45 + side * (0.75 * sign * own) - below * (0.65 * own);
            ellipsoid(parts.of(Shade::Ink), &eye, &ball(0.2 * own));
        }
    }

    /// Draws the collision shapes of a segment that a figure file has given other shapes.
    fn shapes(&self, k: usize, parts: &mut Parts) {
        let mut drawn = solids::Mesh::new([1.0; 3]);
        for part in &self.figure.segment(k).shapes {
            add_shape(&mut drawn, &Placement::IDENTITY.then(&part.placement), &part.shape);
        }
        let (positions, normals, corners) = drawn.into_parts();
        let mesh = parts.of(Shade::Front);
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(positions);
        mesh.normals.extend(normals);
        mesh.triangles.extend(corners.chunks_exact(3).map(|c| [c[0] + first, c[1] + first, c[2] + first]));
    }

    /// Adds the head, hand or foot of a person whose skeleton ends before it.
    fn add_missing(&self, k: usize, parts: &mut Parts) {
        if !self.is_person {
            return;
        }
        let segment = self.figure.segment(k);
        let has = |role: Role| self.figure.with_role(role).is_some();
        match segment.role {
            Some(Role::LowerArm(side)) if !has(Role::Hand(side)) => self.hand(k, &segment.end, side, parts),
            Some(Role::LowerLeg(side)) if !has(Role::Foot(side)) => self.block_foot(k, parts),
            Some(Role::Neck(n)) if !has(Role::Head) && !has(Role::Neck(n + 1)) => {
                let crown = segment.end + self.facing.along[k] * (0.11 * self.figure.height);
                self.head(k, &crown, parts);
            }
            _ => {}
        }
    }
}

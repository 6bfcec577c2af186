//! Solids around bones: from lengths and masses, or fitted to the skin.

use super::SegmentShape;
use super::build::{Draft, Part};
use super::posture::SIDES;
use super::skin_volume;
use crate::dynamics::{MassProperties, Placement, Shape};
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::Role;
use std::f64::consts::PI;

/// kg/m³: a body just floats.
pub(super) const DENSITY: Real = 1000.0;

/// The turn that lays the x axis along a direction.
pub(super) fn along(direction: &Vec3) -> Quat {
    Quat::rotation_between(&Vec3::x(), direction).unwrap_or_else(|| Quat::from_axis_angle(&Vec3::z_axis(), PI))
}

/// The turn whose x axis is `x` and whose y axis is as near to `y` as it can be.
pub(super) fn axes(x: &Vec3, y: &Vec3) -> Quat {
    let x = x.try_normalize(1e-12).unwrap_or_else(Vec3::x);
    let other = if x.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let y = (y - x * x.dot(y)).try_normalize(1e-6).unwrap_or_else(|| (other - x * x.dot(&other)).normalize());
    let matrix = Mat3::from_columns(&[x, y, x.cross(&y)]);
    Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(matrix))
}

/// A capsule whose round ends touch both ends of a bone.
pub(super) fn capsule(from: Vec3, to: Vec3, radius: Real) -> SegmentShape {
    let way = to - from;
    let length = way.norm();
    let radius = radius.min(0.5 * length.max(1e-6)).max(1e-6);
    let inset = if length > 0.0 { way * (radius / length) } else { Vec3::zeros() };
    SegmentShape { shape: Shape::Capsule { a: from + inset, b: to - inset, radius }, placement: Placement::IDENTITY }
}

pub(super) fn cuboid(centre: Vec3, rotation: Quat, half_extents: Vec3) -> SegmentShape {
    SegmentShape { shape: Shape::Box { half_extents }, placement: Placement::new(centre, rotation) }
}

/// Radius of a round bone of this length and mass.
pub(super) fn radius_for(mass: Real, length: Real) -> Real {
    (mass / (PI * DENSITY * length.max(1e-3))).sqrt()
}

/// Mass by volume, and where it is, joint frame.
pub(super) fn solid(shape: &SegmentShape) -> (MassProperties, Vec3) {
    let at = &shape.placement;
    match &shape.shape {
        Shape::Sphere { radius } => {
            (MassProperties::sphere(DENSITY * 4.0 / 3.0 * PI * radius.powi(3), *radius), at.position)
        }
        Shape::Capsule { a, b, radius } => {
            let half = 0.5 * (b - a).norm();
            let volume = PI * radius * radius * (2.0 * half + 4.0 / 3.0 * radius);
            let lie = at.rotation * if half > 1e-9 { along(&(b - a)) } else { Quat::identity() };
            let mass = MassProperties::capsule(DENSITY * volume, *radius, half);
            (mass.rotated(&lie), at.point(&(0.5 * (a + b))))
        }
        Shape::Box { half_extents } => {
            let mass = MassProperties::cuboid(DENSITY * 8.0 * half_extents.product(), *half_extents);
            (mass.rotated(&at.rotation), at.position)
        }
        Shape::Hull { points } => {
            // A hull here is a foot: a wedge fills about two thirds of the box around it.
            let corners = points.iter().fold((points[0], points[0]), |(l, h), p| (l.inf(p), h.sup(p)));
            let half = 0.5 * (corners.1 - corners.0).map(|x| x.max(1e-4));
            let mass = MassProperties::cuboid(DENSITY * 8.0 / 1.5 * half.product(), half);
            let middle = points.iter().sum::<Vec3>() / points.len() as Real;
            (mass.rotated(&at.rotation), at.point(&middle))
        }
        // Only fixed bodies have these.
        Shape::HalfSpace { .. } | Shape::HeightField { .. } | Shape::Mesh { .. } => {
            (MassProperties::sphere(DENSITY * 1e-6, 0.01), at.position)
        }
    }
}

/// Gives every part the mass of its shapes.
pub(super) fn weigh(parts: &mut [Part]) {
    for part in parts {
        let solids: Vec<_> = part.shapes.iter().map(solid).collect();
        (part.mass, part.centre) = MassProperties::combined(&solids);
    }
}

impl Draft<'_> {
    /// Changes the size of capsules and boxes so that they fit the skin of their segment.
    pub(super) fn fit_to_skin(&self, skin: &[Vec<Vec3>], parts: &mut [Part]) {
        for (k, part) in parts.iter_mut().enumerate() {
            let vertices = self.skin_of(k, skin);
            if vertices.len() < 8 {
                continue;
            }
            if !self.plan.humanoid {
                // No role says what it should be like: one capsule along the longest way through the flesh.
                let way = longest_way(&vertices);
                let at = middle(&vertices);
                part.shapes = vec![capsule(at - way, at + way, 0.1)];
            }
            if part.shapes.len() != 1 {
                continue;
            }
            let shape = &mut part.shapes[0];
            match &mut shape.shape {
                Shape::Capsule { a, b, radius } => fit_capsule(a, b, radius, &vertices),
                Shape::Sphere { radius } => {
                    shape.placement.position = middle(&vertices);
                    let at = shape.placement.position;
                    *radius = share(vertices.iter().map(|v| (v - at).norm()), 0.8).max(1e-4);
                }
                Shape::Box { half_extents } => fit_box(&mut shape.placement, half_extents, &vertices),
                // Feet were made from the skin already.
                _ => {}
            }
        }
    }

    /// Adds the flesh that the skin of a humanoid holds beyond the usual body of its height, where it is, and returns its mass, kg.
    ///
    /// A thinner skin says nothing, as many are open or flat, and neither does one that no living body has, such as armour and a head like a
    /// balloon.
    pub(super) fn add_build(&self, skin: &[Vec<Vec3>], parts: &mut [Part]) -> Option<Real> {
        /// Excess over the usual mass from which a skin shows another build, and the largest mass of a living body, over the usual one.
        const SHOWN: Real = 0.1;
        const LARGEST: Real = 4.0;
        /// Edge of the cubes by which volume is counted, over the height.
        const CELL: Real = 0.01;
        if !self.covers_body(skin) {
            return None;
        }
        let frame = |k: usize| &self.posture.frames[self.plan.joints[k]];
        let world = |k: usize| {
            let vertices = self.skin_of(k, skin);
            vertices.iter().map(|v| frame(k).position + frame(k).rotation * v).collect()
        };
        let skins: Vec<Vec<Vec3>> = (0..parts.len()).map(world).collect();
        let solids = skin_volume::flesh(&skins, CELL * self.height, DENSITY);
        let held: Real = solids.iter().flatten().map(|(solid, _)| solid.mass).sum();
        let usual: Real = parts.iter().map(|part| part.mass.mass).sum();
        let excess = held - usual;
        if !(SHOWN * usual..(LARGEST - 1.0) * usual).contains(&excess) {
            return None;
        }
        let share = excess / held;
        for (k, (part, solid)) in parts.iter_mut().zip(&solids).enumerate() {
            let Some((solid, centre)) = *solid else { continue };
            let more = MassProperties { mass: share * solid.mass, inertia: solid.inertia * share };
            let more = (more.rotated(&frame(k).rotation.inverse()), self.local(k, &centre));
            (part.mass, part.centre) = MassProperties::combined(&[(part.mass, part.centre), more]);
        }
        Some(excess)
    }

    /// Returns true if a skin covers the head and both feet of a humanoid.
    pub(super) fn covers_body(&self, skin: &[Vec<Vec3>]) -> bool {
        let covered = |role: Role| self.with_role(role).is_some_and(|k| self.skin_of(k, skin).len() >= 8);
        self.plan.humanoid && covered(Role::Head) && SIDES.into_iter().all(|side| covered(Role::Foot(side)))
    }

    /// The vertices that a segment moves, in its joint's frame.
    pub(super) fn skin_of(&self, segment: usize, skin: &[Vec<Vec3>]) -> Vec<Vec3> {
        let mut vertices = Vec::new();
        for j in (0..skin.len()).filter(|&j| self.plan.rides[j] == Some(segment)) {
            let frame = &self.posture.frames[j];
            vertices.extend(skin[j].iter().map(|v| self.local(segment, &(frame.position + frame.rotation * v))));
        }
        vertices
    }
}

fn middle(points: &[Vec3]) -> Vec3 {
    points.iter().sum::<Vec3>() / points.len().max(1) as Real
}

/// The principal axis along which points spread most.
fn longest_way(points: &[Vec3]) -> Vec3 {
    let centre = middle(points);
    let spread: Mat3 = points.iter().map(|p| (p - centre) * (p - centre).transpose()).sum();
    let eigen = spread.symmetric_eigen();
    eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned()
}

/// The value below which a share of all values lies.
pub(super) fn share(values: impl Iterator<Item = Real>, part: Real) -> Real {
    let mut values: Vec<Real> = values.collect();
    if values.is_empty() {
        return 0.0;
    }
    values.sort_by(Real::total_cmp);
    values[((values.len() - 1) as Real * part).round() as usize]
}

/// Keeps the direction of the axis; the skin says where it lies, how long it is, and how thick.
fn fit_capsule(a: &mut Vec3, b: &mut Vec3, radius: &mut Real, vertices: &[Vec3]) {
    let Some(axis) = (*b - *a).try_normalize(1e-9) else { return };
    let centre = middle(vertices);
    let along = |v: &Vec3| (v - centre).dot(&axis);
    let (low, high) = (share(vertices.iter().map(along), 0.03), share(vertices.iter().map(along), 0.97));
    let across = share(vertices.iter().map(|v| (v - centre - axis * along(v)).norm()), 0.7);
    *radius = across.max(1e-4);
    let half = (0.5 * (high - low) - *radius).max(0.0);
    let middle = centre + axis * (0.5 * (low + high));
    (*a, *b) = (middle - axis * half, middle + axis * half);
}

/// Keeps the axes of the box.
fn fit_box(placement: &mut Placement, half_extents: &mut Vec3, vertices: &[Vec3]) {
    let local: Vec<Vec3> = vertices.iter().map(|v| placement.local_point(v)).collect();
    let mut centre = Vec3::zeros();
    for axis in 0..3 {
        let (low, high) = (share(local.iter().map(|v| v[axis]), 0.05), share(local.iter().map(|v| v[axis]), 0.95));
        half_extents[axis] = (0.5 * (high - low)).max(1e-4);
        centre[axis] = 0.5 * (low + high);
    }
    placement.position = placement.point(&centre);
}

//! Shapes in the forms that the narrow phase and parry need, prepared once per collider.

use super::Shape;
use crate::Placement;
use crate::math::{Mat3, Real, Vec3};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::shape::{ConvexPolyhedron, SharedShape, TriMesh, TriMeshFlags};
use std::sync::Arc;

#[inline]
pub(super) fn vector(v: &Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

#[inline]
pub(super) fn vec3(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

pub(super) fn pose(placement: &Placement) -> Pose {
    let q = &placement.rotation.coords;
    Pose::from_parts(vector(&placement.position), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

/// Placement with its rotation as a matrix, which is cheaper for many points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) rotation: Mat3,
    pub(super) position: Vec3,
}

impl Frame {
    pub(super) const IDENTITY: Frame =
        Frame { rotation: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), position: Vec3::new(0.0, 0.0, 0.0) };

    #[inline]
    pub(super) fn new(placement: &Placement) -> Self {
        Self { rotation: placement.rotation.to_rotation_matrix().into_inner(), position: placement.position }
    }

    #[inline]
    pub(super) fn point(&self, local: &Vec3) -> Vec3 {
        self.position + self.rotation * local
    }

    #[inline]
    pub(super) fn local(&self, world: &Vec3) -> Vec3 {
        self.rotation.tr_mul(&(world - self.position))
    }

    /// Returns the outer frame of a frame given in this one.
    #[inline]
    pub(super) fn then(&self, inner: &Frame) -> Frame {
        Frame { rotation: self.rotation * inner.rotation, position: self.point(&inner.position) }
    }

    /// Returns `other` in this frame.
    #[inline]
    pub(super) fn relative(&self, other: &Frame) -> Frame {
        Frame { rotation: self.rotation.tr_mul(&other.rotation), position: self.local(&other.position) }
    }

    pub(super) fn pose(&self) -> Pose {
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(self.rotation);
        pose(&Placement::new(self.position, nalgebra::UnitQuaternion::from_rotation_matrix(&rotation)))
    }
}

/// Part of a shape that the narrow phase reads.
#[derive(Clone, Debug)]
pub(super) enum Core {
    /// Sphere or capsule; both ends are the same for a sphere.
    Round {
        a: Vec3,
        b: Vec3,
        radius: Real,
    },
    Box {
        half: Vec3,
    },
    Plane {
        normal: Vec3,
    },
    Hull(Arc<Hull>),
    /// Triangles; a height field has only an upper side and is solid below.
    Surface {
        mesh: Arc<TriMesh>,
        solid_below: bool,
    },
}

impl Core {
    /// Returns the distance of the surface from the line, point or polyhedron that rotates with the body, metres.
    pub(super) fn rounding(&self) -> Real {
        match self {
            Core::Round { radius, .. } => *radius,
            _ => 0.0,
        }
    }
}

/// Convex polyhedron whose faces keep all their corners.
#[derive(Debug)]
pub(super) struct Hull {
    pub(super) polyhedron: ConvexPolyhedron,
    pub(super) corners: Vec<Vec3>,
    pub(super) faces: Vec<HullFace>,
    /// Corners of all faces, counter-clockwise seen from outside.
    pub(super) loops: Vec<u32>,
    pub(super) centre: Vec3,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct HullFace {
    pub(super) normal: Vec3,
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Hull {
    pub(super) fn face(&self, index: usize) -> &[u32] {
        let face = &self.faces[index];
        &self.loops[face.first as usize..(face.first + face.count) as usize]
    }

    /// Returns the face whose normal is nearest to a direction.
    pub(super) fn face_towards(&self, direction: &Vec3) -> usize {
        let mut best = (0, Real::NEG_INFINITY);
        for (index, face) in self.faces.iter().enumerate() {
            let along = face.normal.dot(direction);
            if along > best.1 {
                best = (index, along);
            }
        }
        best.0
    }

    /// Returns the corner farthest along a direction.
    pub(super) fn support(&self, direction: &Vec3) -> usize {
        let mut best = (0, Real::NEG_INFINITY);
        for (index, corner) in self.corners.iter().enumerate() {
            let along = corner.dot(direction);
            if along > best.1 {
                best = (index, along);
            }
        }
        best.0
    }
}

/// Lists the triangles of the convex hull of points, counter-clockwise seen from outside; empty for points without a
/// hull.
pub fn hull_faces(points: &[Vec3]) -> Vec<[Vec3; 3]> {
    let Some(hull) = hull_of(points) else { return Vec::new() };
    let mut triangles = Vec::new();
    for index in 0..hull.faces.len() {
        let corners: Vec<Vec3> = hull.face(index).iter().map(|&k| hull.corners[k as usize]).collect();
        triangles.extend(corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]));
    }
    triangles
}

/// Returns the convex hull of finite points, unless it is flat.
pub(super) fn hull_of(points: &[Vec3]) -> Option<Hull> {
    let (mut low, mut high) = (Vec3::repeat(Real::INFINITY), Vec3::repeat(Real::NEG_INFINITY));
    for p in points {
        (low, high) = (low.inf(p), high.sup(p));
    }
    if points.len() < 4 || spanned_volume(points) <= 1e-9 * (high - low).norm().powi(3) {
        return None;
    }
    let given: Vec<Vector> = points.iter().map(vector).collect();
    let polyhedron = ConvexPolyhedron::from_convex_hull(&given)?;
    let corners: Vec<Vec3> = polyhedron.points().iter().map(|p| vec3(*p)).collect();
    let faces = polyhedron
        .faces()
        .iter()
        .map(|f| HullFace { normal: vec3(f.normal), first: f.first_vertex_or_edge, count: f.num_vertices_or_edges })
        .collect();
    let loops = polyhedron.vertices_adj_to_face().to_vec();
    let centre = corners.iter().sum::<Vec3>() / corners.len() as Real;
    Some(Hull { polyhedron, corners, faces, loops, centre })
}

/// Returns six times the volume of a large tetrahedron among the points; zero if they lie in one plane.
fn spanned_volume(points: &[Vec3]) -> Real {
    let farthest = |measure: &dyn Fn(&Vec3) -> Real| {
        points.iter().fold((points[0], 0.0), |best, p| if measure(p) > best.1 { (*p, measure(p)) } else { best }).0
    };
    let first = points[0];
    let second = farthest(&|p| (p - first).norm());
    let third = farthest(&|p| (p - first).cross(&(second - first)).norm());
    let across = (second - first).cross(&(third - first));
    let fourth = farthest(&|p| (p - first).dot(&across).abs());
    (fourth - first).dot(&across).abs()
}

/// Depth to which a height field is solid, metres: more than any body sinks.
const DEPTH: Real = 1e3;

/// Shape prepared for the engine.
#[derive(Clone)]
pub(super) struct Prepared {
    shape: Shape,
    pub(super) core: Core,
    /// Shape of parry, for ray casts, distances and overlaps.
    pub(super) parry: SharedShape,
    /// Lowest corner of the bounding box in its own frame, with the solid part below; infinite for a half-space.
    pub(super) low: Vec3,
    /// Highest corner of that box.
    pub(super) high: Vec3,
}

impl Prepared {
    /// Prepares a valid shape.
    pub(super) fn new(shape: &Shape) -> Self {
        let (core, parry) = match shape {
            Shape::Sphere { radius } => {
                (Core::Round { a: Vec3::zeros(), b: Vec3::zeros(), radius: *radius }, SharedShape::ball(*radius))
            }
            Shape::Capsule { a, b, radius } => {
                (Core::Round { a: *a, b: *b, radius: *radius }, SharedShape::capsule(vector(a), vector(b), *radius))
            }
            Shape::Box { half_extents: h } => (Core::Box { half: *h }, SharedShape::cuboid(h.x, h.y, h.z)),
            Shape::HalfSpace { normal } => {
                let normal = normal.normalize();
                (Core::Plane { normal }, SharedShape::halfspace(vector(&normal)))
            }
            Shape::Hull { points } => match hull_of(points) {
                Some(hull) => {
                    let parry = SharedShape::new(hull.polyhedron.clone());
                    (Core::Hull(Arc::new(hull)), parry)
                }
                None => nothing(),
            },
            Shape::HeightField { rows, columns, heights, size } => {
                let (vertices, triangles) = field_triangles(*rows, *columns, heights, *size);
                surface(vertices, triangles, true)
            }
            Shape::Mesh { vertices, triangles } => {
                surface(vertices.iter().map(vector).collect(), triangles.to_vec(), false)
            }
        };
        let (mut low, high) = shape.aabb(&Placement::IDENTITY);
        if matches!(core, Core::Surface { solid_below: true, .. }) {
            low.y -= DEPTH;
        }
        Self { shape: shape.clone(), core, parry, low, high }
    }

    /// Returns true if it was made of this shape; shared points are compared by address.
    #[inline]
    pub(super) fn is_of(&self, shape: &Shape) -> bool {
        match (&self.shape, shape) {
            (Shape::Hull { points: a }, Shape::Hull { points: b }) => Arc::ptr_eq(a, b),
            (Shape::Mesh { vertices: a, triangles: s }, Shape::Mesh { vertices: b, triangles: t }) => {
                Arc::ptr_eq(a, b) && Arc::ptr_eq(s, t)
            }
            (
                Shape::HeightField { rows, columns, heights, size },
                Shape::HeightField { rows: other_rows, columns: other_columns, heights: other, size: other_size },
            ) => Arc::ptr_eq(heights, other) && (rows, columns, size) == (other_rows, other_columns, other_size),
            (a, b) => a == b,
        }
    }

    /// Returns the bounding box of the placed shape.
    #[inline]
    pub(super) fn aabb(&self, frame: &Frame) -> (Vec3, Vec3) {
        match &self.core {
            Core::Round { a, b, radius } => {
                let (a, b, r) = (frame.point(a), frame.point(b), Vec3::repeat(*radius));
                (a.inf(&b) - r, a.sup(&b) + r)
            }
            Core::Plane { .. } => (self.low, self.high),
            Core::Box { .. } | Core::Hull(_) | Core::Surface { .. } => {
                let centre = frame.point(&((self.low + self.high) * 0.5));
                let half = frame.rotation.abs() * ((self.high - self.low) * 0.5);
                (centre - half, centre + half)
            }
        }
    }
}

/// Returns an empty surface, for shapes that enclose nothing. Validation keeps these out of a world.
fn nothing() -> (Core, SharedShape) {
    (Core::Round { a: Vec3::zeros(), b: Vec3::zeros(), radius: 0.0 }, SharedShape::ball(0.0))
}

fn surface(vertices: Vec<Vector>, triangles: Vec<[u32; 3]>, solid_below: bool) -> (Core, SharedShape) {
    let flags = if solid_below { TriMeshFlags::FIX_INTERNAL_EDGES } else { TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED };
    match TriMesh::with_flags(vertices, triangles, flags) {
        Ok(mesh) => {
            let parry = SharedShape::new(mesh.clone());
            (Core::Surface { mesh: Arc::new(mesh), solid_below }, parry)
        }
        Err(_) => nothing(),
    }
}

/// Makes two triangles per cell, their fronts up.
fn field_triangles(rows: usize, columns: usize, heights: &[Real], size: [Real; 2]) -> (Vec<Vector>, Vec<[u32; 3]>) {
    let along = |index: usize, count: usize, extent: Real| extent * (index as Real / (count - 1) as Real - 0.5);
    let vertices = heights
        .iter()
        .enumerate()
        .map(|(i, h)| Vector::new(along(i % columns, columns, size[0]), *h, along(i / columns, rows, size[1])))
        .collect();
    let mut triangles = Vec::with_capacity((rows - 1) * (columns - 1) * 2);
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let corner = |r: usize, c: usize| ((row + r) * columns + column + c) as u32;
            triangles.push([corner(0, 0), corner(1, 0), corner(0, 1)]);
            triangles.push([corner(1, 0), corner(1, 1), corner(0, 1)]);
        }
    }
    (vertices, triangles)
}

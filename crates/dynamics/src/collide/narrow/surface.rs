//! Contacts of solids with triangles: meshes, which are two-sided, and height fields, solid below.
//!
//! Each triangle is handled on its own, then its normal is bent into the cone that its neighbours leave: a ball that
//! rolls over the edge between two triangles of a floor must not bump.

use super::convex::{Nearest, Solid, Workspace, nearest, points_along};
use super::touch::{Touch, feature_of_triangle};
use crate::collide::prepared::{Frame, vec3, vector};
use crate::math::{Buffer, Real, Vec3};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::query::PointQuery;
use parry3d_f64::query::details::NormalConstraints;
use parry3d_f64::shape::{TriMesh, Triangle, TrianglePseudoNormals};

/// Factor of depth above which a point is dropped: bending a normal may turn a graze into a deep overlap.
const DEEPER: Real = 5.0;

/// Triangles placed in the world.
#[derive(Clone, Copy)]
pub(crate) struct Surface<'a> {
    pub(crate) mesh: &'a TriMesh,
    pub(crate) solid_below: bool,
    pub(crate) frame: &'a Frame,
}

/// Adds the contacts of a solid, the first, and triangles, the second. `aabb` is that of the solid in the frame of the
/// triangles, enlarged by `limit`.
pub(crate) fn solid_surface(
    workspace: &mut Workspace,
    numbers: &mut Vec<u32>,
    (solid, solid_frame): (&Solid<'_>, &Frame),
    aabb: (Vec3, Vec3),
    surface: &Surface<'_>,
    limit: Real,
    out: &mut Vec<Touch>,
) {
    let Surface { mesh, solid_below, frame } = *surface;
    let (low, mut high) = aabb;
    if solid_below {
        // A point that has sunk in is below the surface at any depth.
        high.y = high.y.max(mesh.local_aabb().maxs.y);
    }
    let around = Aabb::new(vector(&low), vector(&high));
    numbers.assign(mesh.bvh().intersect_aabb(&around));
    numbers.sort_unstable();
    let placed = frame.relative(solid_frame);
    let all = out.len();
    for &number in numbers.iter() {
        let start = out.len();
        let triangle = mesh.triangle(number);
        let Some(face) = triangle.normal().map(vec3) else { continue };
        let cone = mesh.triangle_normal_constraints(number);
        let tile = Tile { triangle, face, cone, solid_below, limit };
        match solid {
            Solid::Line(line, radius) if line.a == line.b => {
                tile.ball(&placed.point(&vec3(line.a)), *radius, out);
            }
            _ => tile.solid(workspace, (solid, &placed), out),
        }
        for touch in &mut out[start..] {
            touch.feature = feature_of_triangle(number, touch.feature);
        }
    }
    out[all..].iter_mut().for_each(|touch| touch.placed(frame));
}

/// Triangle of a surface.
struct Tile {
    triangle: Triangle,
    face: Vec3,
    /// Normals that its neighbours leave to it.
    cone: Option<TrianglePseudoNormals>,
    solid_below: bool,
    limit: Real,
}

impl Tile {
    /// Returns the nearest direction that the neighbours allow, if there is one; all directions point from the solid
    /// down.
    fn bend(&self, normal: &Vec3) -> Option<Vec3> {
        let Some(cone) = &self.cone else { return Some(*normal) };
        let mut away = vector(&-normal);
        cone.project_local_normal_mut(&mut away).then(|| -vec3(away))
    }

    fn height(&self, point: &Vec3) -> Real {
        self.face.dot(&(point - vec3(self.triangle.a)))
    }

    /// Returns true if a point lies straight below, in the solid part.
    fn buries(&self, point: &Vec3) -> bool {
        let Triangle { a, b, c } = &self.triangle;
        let side = |p: &parry3d_f64::math::Vector, q: &parry3d_f64::math::Vector| {
            (q.x - p.x) * (point.z - p.z) - (q.z - p.z) * (point.x - p.x)
        };
        let (s, t, u) = (side(a, b), side(b, c), side(c, a));
        let within = (s <= 0.0 && t <= 0.0 && u <= 0.0) || (s >= 0.0 && t >= 0.0 && u >= 0.0);
        self.solid_below && within && self.height(point) < 0.0
    }

    fn nearest_point(&self, point: &Vec3) -> Vec3 {
        vec3(self.triangle.project_local_point(vector(point), false).point)
    }

    fn ball(&self, centre: &Vec3, radius: Real, out: &mut Vec<Touch>) {
        let height = self.height(centre);
        let mut touch = |foot: Vec3, normal: Vec3, apart: Real| {
            if apart - radius <= self.limit {
                let a = centre + normal * radius;
                out.push(Touch { a, b: foot, normal, distance: apart - radius, feature: 0 });
            }
        };
        if self.buries(centre) {
            touch(centre - self.face * height, -self.face, height);
            return;
        }
        let foot = self.nearest_point(centre);
        let apart = (foot - centre).norm();
        if apart - radius > self.limit {
            return;
        }
        let normal = if apart > 1e-12 * radius { (foot - centre) / apart } else { -self.face };
        if self.solid_below && normal.dot(&self.face) > 0.0 {
            return;
        }
        let Some(bent) = self.bend(&normal) else { return };
        if (bent - normal).norm() < 1e-9 {
            touch(foot, normal, apart);
            return;
        }
        // Along the bent normal the ball may miss the triangle; then a neighbour carries it.
        let lean = self.face.dot(&bent);
        if lean.abs() > 1e-6 {
            let apart = -height / lean;
            let foot = centre + bent * apart;
            if (self.nearest_point(&foot) - foot).norm() <= 1e-9 * (1.0 + foot.norm()) {
                touch(foot, bent, apart);
            }
        }
    }

    fn solid(&self, workspace: &mut Workspace, solid: (&Solid<'_>, &Frame), out: &mut Vec<Touch>) {
        let centre = solid.1.point(&solid.0.centre());
        let other = (&Solid::triangle(self.triangle, self.face), &Frame::IDENTITY);
        let start = out.len();
        if self.buries(&centre) {
            let foot = centre - self.face * self.height(&centre);
            let straight = Nearest { a: centre, b: foot, normal: -self.face };
            points_along(workspace, solid, other, &straight, true, self.limit, out);
            return;
        }
        let radius = solid.0.radius();
        let Some(mut found) = nearest(workspace, solid, other, self.limit + radius) else { return };
        let gap = found.gap();
        if self.solid_below && found.normal.dot(&self.face) > 0.0 {
            return;
        }
        let Some(bent) = self.bend(&found.normal) else { return };
        let straight = (bent - found.normal).norm() < 1e-6;
        let lean = bent.dot(&self.face);
        found.normal = if lean.abs() > 1.0 - 1e-7 { self.face * lean.signum() } else { bent };
        points_along(workspace, solid, other, &found, straight, self.limit, out);
        if !straight && gap < 0.0 {
            let mut kept = start;
            for k in start..out.len() {
                if out[k].distance >= DEEPER * gap - radius {
                    out[kept] = out[k];
                    kept += 1;
                }
            }
            out.truncate(kept);
        }
    }
}

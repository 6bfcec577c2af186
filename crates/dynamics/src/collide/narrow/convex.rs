//! Contacts of any two convex solids: parry finds the nearest points (or, inside, the least translation that separates
//! them), the faces there give the manifold.

use super::boxes::box_face;
use super::clip::{Face, Outline, clip_faces, clip_line};
use super::round::Round;
use super::touch::{Touch, feature};
use crate::collide::prepared::{Frame, Hull, vec3, vector};
use crate::math::{Real, Vec3};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::{Cuboid, Segment, SupportMap, Triangle};

const NEAREST: u32 = 6;

/// Convex solid in its own frame; a sphere or capsule by its line.
pub(crate) enum Solid<'a> {
    Line(Segment, Real),
    Box(Cuboid, Vec3),
    Hull(&'a Hull),
    Triangle(Triangle, Vec3),
}

impl<'a> Solid<'a> {
    pub(crate) fn round(a: &Vec3, b: &Vec3, radius: Real) -> Self {
        Solid::Line(Segment::new(vector(a), vector(b)), radius)
    }

    pub(crate) fn cuboid(half: &Vec3) -> Self {
        Solid::Box(Cuboid::new(vector(half)), *half)
    }

    /// Makes a triangle whose corners run counter-clockwise around `outward`.
    pub(crate) fn triangle(triangle: Triangle, outward: Vec3) -> Self {
        Solid::Triangle(triangle, outward)
    }

    fn map(&self) -> &dyn SupportMap {
        match self {
            Solid::Line(line, _) => line,
            Solid::Box(cuboid, _) => cuboid,
            Solid::Hull(hull) => &hull.polyhedron,
            Solid::Triangle(triangle, _) => triangle,
        }
    }

    pub(crate) fn radius(&self) -> Real {
        if let Solid::Line(_, radius) = self { *radius } else { 0.0 }
    }

    pub(crate) fn centre(&self) -> Vec3 {
        match self {
            Solid::Line(line, _) => vec3(line.a + line.b) * 0.5,
            Solid::Box(..) => Vec3::zeros(),
            Solid::Hull(hull) => hull.centre,
            Solid::Triangle(t, _) => vec3(t.a + t.b + t.c) / 3.0,
        }
    }

    fn line(&self, frame: &Frame) -> Option<Round> {
        let Solid::Line(line, radius) = self else { return None };
        Some(Round { a: frame.point(&vec3(line.a)), b: frame.point(&vec3(line.b)), radius: *radius })
    }

    /// Writes the face whose normal is nearest to a direction, placed, to `face`. Lines have none.
    fn face(&self, frame: &Frame, direction: &Vec3, face: &mut Face) {
        let local = frame.rotation.tr_mul(direction);
        face.corners.clear();
        match self {
            Solid::Line(..) => {}
            Solid::Box(_, half) => box_face(half, frame, &local, face),
            Solid::Hull(hull) => {
                let index = hull.face_towards(&local);
                let corners = hull.face(index).iter();
                face.corners.extend(corners.map(|&c| (frame.point(&hull.corners[c as usize]), c)));
                face.outward = frame.rotation * hull.faces[index].normal;
                face.number = index as u32;
            }
            Solid::Triangle(t, outward) => {
                let front = local.dot(outward) >= 0.0;
                let corners = [(vec3(t.a), 0), (vec3(t.b), 1), (vec3(t.c), 2)];
                face.corners.extend(corners.map(|(p, number)| (frame.point(&p), number)));
                if !front {
                    face.corners.reverse();
                }
                face.outward = frame.rotation * if front { *outward } else { -outward };
                face.number = u32::from(front);
            }
        }
    }
}

/// Buffers of the kernels, grown once.
#[derive(Default)]
pub(crate) struct Workspace {
    expansion: Expansion,
    pub(crate) face_a: Face,
    pub(crate) face_b: Face,
    pub(crate) outline: Outline,
}

struct Expansion(EPA, VoronoiSimplex);

impl Default for Expansion {
    fn default() -> Self {
        Self(EPA::new(), VoronoiSimplex::new())
    }
}

/// Nearest points of the cores of two solids and the unit direction from the first to the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) a: Vec3,
    pub(crate) b: Vec3,
    pub(crate) normal: Vec3,
}

impl Nearest {
    pub(crate) fn gap(&self) -> Real {
        (self.b - self.a).dot(&self.normal)
    }
}

/// Finds the nearest points of the cores, or those of the least translation that separates them; `None` beyond `reach`,
/// metres.
pub(crate) fn nearest(
    workspace: &mut Workspace,
    (a, frame_a): (&Solid<'_>, &Frame),
    (b, frame_b): (&Solid<'_>, &Frame),
    reach: Real,
) -> Option<Nearest> {
    let Expansion(epa, simplex) = &mut workspace.expansion;
    let placed = frame_a.relative(frame_b).pose();
    let (map_a, map_b) = (a.map(), b.map());
    let between = frame_b.point(&b.centre()) - frame_a.point(&a.centre());
    let towards = frame_a.rotation.tr_mul(&between).try_normalize(1e-12).unwrap_or_else(Vec3::x);
    simplex.reset(CsoPoint::from_shapes(&placed, map_a, map_b, vector(&towards)));
    let found = match gjk::closest_points(&placed, map_a, map_b, reach.max(0.0), true, simplex) {
        GJKResult::NoIntersection(_) => return None,
        GJKResult::ClosestPoints(p, q, normal) => Some((p, q, normal)),
        GJKResult::Intersection | GJKResult::Proximity(_) => epa.closest_points(&placed, map_a, map_b, simplex),
    };
    let found = found.map(|(p, q, n)| (vec3(p), vec3(q), vec3(n)));
    let sound = |(p, q, n): &(Vec3, Vec3, Vec3)| {
        p.iter().chain(q.iter()).all(|x| x.is_finite()) && (n.norm() - 1.0).abs() < 1e-6
    };
    let (p, q, n) = found.filter(sound).unwrap_or_else(|| {
        // No direction was found: the one from centre to centre will do.
        let deepest_a = vec3(map_a.local_support_point(vector(&towards)));
        let deepest_b = vec3(map_b.support_point(&placed, vector(&-towards)));
        (deepest_a, deepest_b, towards)
    });
    Some(Nearest { a: frame_a.point(&p), b: frame_a.point(&q), normal: frame_a.rotation * n })
}

/// Adds all points of two convex solids along the normal of their nearest ones.
pub(crate) fn convex_convex(
    workspace: &mut Workspace,
    a: (&Solid<'_>, &Frame),
    b: (&Solid<'_>, &Frame),
    limit: Real,
    out: &mut Vec<Touch>,
) {
    let reach = limit + a.0.radius() + b.0.radius();
    if let Some(mut nearest) = nearest(workspace, a, b, reach) {
        snap(workspace, a, b, &mut nearest);
        points_along(workspace, a, b, &nearest, true, limit, out);
    }
}

/// Replaces a normal that is a face's but for rounding by exactly that. Its error grows as the solids come nearer.
fn snap(workspace: &mut Workspace, a: (&Solid<'_>, &Frame), b: (&Solid<'_>, &Frame), nearest: &mut Nearest) {
    let doubt = (1e-9 / nearest.gap().abs()).clamp(1e-6, 1e-3);
    let normal = &mut nearest.normal;
    let Workspace { face_a, face_b, .. } = workspace;
    for (solid, frame, sign, face) in [(a.0, a.1, 1.0, face_a), (b.0, b.1, -1.0, face_b)] {
        if !matches!(solid, Solid::Line(..)) {
            solid.face(frame, &(*normal * sign), face);
            if face.outward.dot(&(*normal * sign)) > 1.0 - 0.5 * doubt * doubt {
                *normal = face.outward * sign;
                return;
            }
        }
    }
}

/// Adds the points of both solids along a given normal. With `with_nearest` the nearest pair is added if no other point
/// is as deep.
pub(crate) fn points_along(
    workspace: &mut Workspace,
    (a, frame_a): (&Solid<'_>, &Frame),
    (b, frame_b): (&Solid<'_>, &Frame),
    nearest: &Nearest,
    with_nearest: bool,
    limit: Real,
    out: &mut Vec<Touch>,
) {
    let start = out.len();
    let (radius_a, radius_b) = (a.radius(), b.radius());
    let reach = limit + radius_a + radius_b;
    let normal = nearest.normal;
    let Workspace { face_a, face_b, outline, .. } = workspace;
    match (a.line(frame_a), b.line(frame_b)) {
        (Some(line), None) => {
            if !line.is_sphere() {
                b.face(frame_b, &-normal, face_b);
                clip_line(&normal, (line.a, line.b), face_b, reach, out);
            }
        }
        (None, Some(line)) => {
            if !line.is_sphere() {
                a.face(frame_a, &normal, face_a);
                clip_line(&-normal, (line.a, line.b), face_a, reach, out);
                out[start..].iter_mut().for_each(Touch::flip);
            }
        }
        _ => {
            a.face(frame_a, &normal, face_a);
            b.face(frame_b, &-normal, face_b);
            clip_faces(outline, &normal, face_a, face_b, reach, out);
        }
    }
    let gap = nearest.gap();
    let nearest_found = out[start..].iter().any(|t| t.distance <= gap + 1e-6);
    if with_nearest && !nearest_found && gap <= reach {
        let number = feature(NEAREST, 0, 0);
        out.push(Touch { a: nearest.a, b: nearest.b, normal, distance: gap, feature: number });
    }
    for touch in &mut out[start..] {
        touch.a += normal * radius_a;
        touch.b -= normal * radius_b;
        touch.distance -= radius_a + radius_b;
    }
}

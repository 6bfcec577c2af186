//! Narrow phase: contact points of two solids.
//!
//! Spheres, capsules, boxes and half-spaces have closed forms; hulls and triangles use parry for the nearest points.
//! Nothing is kept from step to step, so the result depends on the scene alone.

mod boxes;
mod clip;
mod convex;
mod plane;
pub(super) mod reduce;
mod round;
mod surface;
pub(super) mod touch;

use super::prepared::{Core, Frame, Prepared};
use crate::math::{Real, Vec3};
use boxes::{BoxAxis, box_axis, box_face, round_box};
use clip::clip_faces;
use convex::{Solid, Workspace, convex_convex};
use plane::{Plane, box_plane, hull_plane, round_plane};
use round::{Round, round_round};
use surface::{Surface, solid_surface};
use touch::Touch;

/// Narrow phase with its buffers.
#[derive(Default)]
pub(super) struct Narrow {
    workspace: Workspace,
    numbers: Vec<u32>,
    pub(super) touches: Vec<Touch>,
}

fn round(a: &Vec3, b: &Vec3, radius: Real, frame: &Frame) -> Round {
    let start = frame.point(a);
    Round { a: start, b: if a == b { start } else { frame.point(b) }, radius }
}

fn solid(core: &Core) -> Option<Solid<'_>> {
    match core {
        Core::Round { a, b, radius } => Some(Solid::round(a, b, *radius)),
        Core::Box { half } => Some(Solid::cuboid(half)),
        Core::Hull(hull) => Some(Solid::Hull(hull)),
        Core::Plane { .. } | Core::Surface { .. } => None,
    }
}

impl Narrow {
    /// Fills `touches` with the points of a pair that are at most `limit` apart, metres, world space. Returns true if
    /// they may have several normals.
    pub(super) fn touch(&mut self, a: (&Prepared, &Frame), b: (&Prepared, &Frame), limit: Real) -> bool {
        self.touches.clear();
        let several = matches!(a.0.core, Core::Surface { .. }) || matches!(b.0.core, Core::Surface { .. });
        if rank(&a.0.core) <= rank(&b.0.core) {
            self.ordered(a, b, limit);
        } else {
            self.ordered(b, a, limit);
            self.touches.iter_mut().for_each(Touch::flip);
        }
        several
    }

    /// Fills `touches` for a first core that is not above the second one in rank.
    fn ordered(&mut self, a: (&Prepared, &Frame), b: (&Prepared, &Frame), limit: Real) {
        let ((first, frame_a), (second, frame_b)) = (a, b);
        let Narrow { workspace, numbers, touches } = self;
        match (&first.core, &second.core) {
            (Core::Round { a, b, radius }, Core::Round { a: c, b: d, radius: other }) => {
                round_round(&round(a, b, *radius, frame_a), &round(c, d, *other, frame_b), limit, touches);
            }
            (Core::Round { a, b, radius }, Core::Box { half }) => {
                let face = &mut workspace.face_a;
                round_box(&round(a, b, *radius, frame_a), half, frame_b, limit, face, touches);
            }
            (Core::Box { half }, Core::Box { half: other }) => {
                box_box(workspace, (half, frame_a), (other, frame_b), limit, touches);
            }
            (core, Core::Plane { normal }) => {
                let plane = Plane { point: frame_b.position, normal: frame_b.rotation * normal };
                match core {
                    Core::Round { a, b, radius } => {
                        round_plane(&round(a, b, *radius, frame_a), &plane, limit, touches);
                    }
                    Core::Box { half } => box_plane(half, frame_a, &plane, limit, touches),
                    Core::Hull(hull) => hull_plane(hull, frame_a, &plane, limit, touches),
                    Core::Plane { .. } | Core::Surface { .. } => {}
                }
            }
            (core, Core::Surface { mesh, solid_below }) => {
                if let Some(solid) = solid(core) {
                    let (low, high) = first.aabb(&frame_b.relative(frame_a));
                    let room = Vec3::repeat(limit);
                    let surface = Surface { mesh, solid_below: *solid_below, frame: frame_b };
                    let aabb = (low - room, high + room);
                    solid_surface(workspace, numbers, (&solid, frame_a), aabb, &surface, limit, touches);
                }
            }
            (one, other) => {
                if let (Some(one), Some(other)) = (solid(one), solid(other)) {
                    convex_convex(workspace, (&one, frame_a), (&other, frame_b), limit, touches);
                }
            }
        }
        touches.retain(|t| t.distance.is_finite() && t.normal.iter().chain(t.a.iter()).all(|x| x.is_finite()));
    }
}

/// Rank of a kind; the kernels are written for one order of kinds.
fn rank(core: &Core) -> u8 {
    match core {
        Core::Round { .. } => 0,
        Core::Box { .. } => 1,
        Core::Hull(_) => 2,
        Core::Plane { .. } => 3,
        Core::Surface { .. } => 4,
    }
}

fn box_box(workspace: &mut Workspace, a: (&Vec3, &Frame), b: (&Vec3, &Frame), limit: Real, touches: &mut Vec<Touch>) {
    match box_axis(a, b, limit) {
        None => {}
        Some(BoxAxis::Edges(touch)) => touches.push(touch),
        Some(BoxAxis::Face { normal, gap }) => {
            let Workspace { face_a, face_b, outline, .. } = workspace;
            box_face(a.0, a.1, &a.1.rotation.tr_mul(&normal), face_a);
            box_face(b.0, b.1, &-b.1.rotation.tr_mul(&normal), face_b);
            clip_faces(outline, &normal, face_a, face_b, limit, touches);
            let found = touches.iter().any(|t| t.distance <= gap + 1e-9 * (a.0.amax() + b.0.amax()));
            if gap >= 0.0 && !found {
                // The nearest points lie beside both faces: corner to edge or corner to corner.
                touches.clear();
                let (one, other) = (Solid::cuboid(a.0), Solid::cuboid(b.0));
                convex_convex(workspace, (&one, a.1), (&other, b.1), limit, touches);
            }
        }
    }
}

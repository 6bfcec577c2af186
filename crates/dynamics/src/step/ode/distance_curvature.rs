//! Second derivative of a distance from velocities alone, for points of contact at acceleration level.
//!
//! The distance is that of two *cores* less their radii: a ball's core is its centre, a capsule's its axis, a corner's
//! itself. It is the distance function that must not turn negative, not a point of the material: a ball that rolls
//! carries every point of its skin round with R ω², its distance to the floor does not change.
//!
//! ```text
//!   point c of B against A:   d̈ = n·(ω_b×(ω_b×r_b) − ω_a×(ω_a×r_a)) + 2 (ω_a×n)·w + wᵀ H w
//! ```
//!
//! where w is the velocity of c as seen from A, and H = 0 for a face, (1 − nnᵀ)/D for a point, (1 − nnᵀ − uuᵀ)/D for a
//! line along u. For two crossing lines d = n·(p_b − p_a) with n across both, so d̈ = 2 ṅ·w + n·(…) − D ṅ².

use crate::body::State;
use crate::collide::{Collider, Shape};
use crate::math::{Real, Vec3};

/// Directions and places are the same within this.
const SAME: Real = 1e-6;

/// Kind of feature that touches, world space.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Point,
    Line(Vec3),
    Face,
}

/// Feature below the rounding of a shape, world space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    kind: Kind,
    at: Vec3,
    radius: Real,
}

/// J̇v of the three rows of a point of contact: along the normal, and across it as a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bend {
    pub normal: Real,
    pub across: Vec3,
}

impl Core {
    /// The core below a point on the surface; `out` is the contact normal out of this body.
    pub fn of(collider: &Collider, state: &State, on_body: &Vec3, out: &Vec3) -> Core {
        let at = state.placement.point(on_body);
        let rotation = state.placement.rotation * collider.placement.rotation;
        let round = |kind: Kind, radius: Real| Core { kind, at: at - out * radius, radius };
        let sharp = |kind: Kind| Core { kind, at, radius: 0.0 };
        match &collider.shape {
            Shape::Sphere { radius } => round(Kind::Point, *radius),
            Shape::Capsule { a, b, radius } => {
                let local = collider.placement.local_point(&state.placement.local_point(&(at - out * *radius)));
                let axis = b - a;
                let share = (local - a).dot(&axis) / axis.norm_squared();
                let side = share > SAME && share < 1.0 - SAME;
                round(if side { Kind::Line(rotation * axis.normalize()) } else { Kind::Point }, *radius)
            }
            Shape::Box { half_extents } => {
                let facing = rotation.inverse_transform_vector(out);
                if facing.amax() > 1.0 - SAME {
                    return sharp(Kind::Face);
                }
                let local = collider.placement.local_point(on_body);
                let inner = |k: &usize| half_extents[*k] - local[*k].abs() > SAME * half_extents[*k];
                let mut free = (0..3).filter(inner);
                match (free.next(), free.next()) {
                    (None, _) => sharp(Kind::Point),
                    (Some(along), None) => {
                        let mut axis = Vec3::zeros();
                        axis[along] = 1.0;
                        sharp(Kind::Line(rotation * axis))
                    }
                    (Some(_), Some(_)) => sharp(Kind::Face),
                }
            }
            Shape::Hull { .. } | Shape::HalfSpace { .. } | Shape::HeightField { .. } | Shape::Mesh { .. } => {
                sharp(Kind::Face)
            }
        }
    }
}

impl Bend {
    /// Returns J̇v for the distance of two cores; `normal` points from the first body to the second.
    pub fn between(a: (&State, Core), b: (&State, Core), normal: &Vec3) -> Bend {
        match (a.1.kind, b.1.kind) {
            (Kind::Line(u), Kind::Line(v)) if u.cross(&v).norm() > SAME => crossing(a, b, (u, v), normal),
            // The distance is measured from the face; of two parallel lines either will do.
            (Kind::Face, _) | (Kind::Line(_), Kind::Point | Kind::Line(_)) | (Kind::Point, Kind::Point) => {
                seen_from(a, b, normal)
            }
            (Kind::Point, Kind::Line(_)) | (Kind::Point | Kind::Line(_), Kind::Face) => {
                let turned = seen_from(b, a, &-normal);
                Bend { normal: turned.normal, across: -turned.across }
            }
        }
    }
}

/// ω×(ω×r).
fn centripetal(state: &State, at: &Vec3) -> Vec3 {
    let spin = state.angular();
    spin.cross(&spin.cross(&(at - state.placement.position)))
}

/// A point of B against whatever A is.
fn seen_from(a: (&State, Core), b: (&State, Core), normal: &Vec3) -> Bend {
    let ((body_a, core_a), (body_b, core_b)) = (a, b);
    let apart = (core_b.at - core_a.at).dot(normal);
    let moves = body_b.velocity_at(&core_b.at);
    let passing = moves - body_a.velocity_at(&core_b.at);
    let aside = passing - normal * normal.dot(&passing);
    // How the normal turns as seen from A.
    let swing = match core_a.kind {
        Kind::Face => Vec3::zeros(),
        _ if apart.abs() < SAME * SAME => Vec3::zeros(),
        Kind::Line(u) => (aside - u * u.dot(&aside)) / apart,
        Kind::Point => aside / apart,
    };
    let carried = body_a.angular().cross(normal);
    let rounding = centripetal(body_b, &core_b.at) - centripetal(body_a, &core_b.at);
    let along = normal.dot(&rounding) + 2.0 * carried.dot(&passing) + passing.dot(&swing);
    // The place of contact moves with the core and rolls round it.
    let place = moves - (carried + swing) * core_b.radius;
    Bend { normal: along, across: slide(body_a, body_b, &place) }
}

fn crossing(a: (&State, Core), b: (&State, Core), (u, v): (Vec3, Vec3), normal: &Vec3) -> Bend {
    let ((body_a, core_a), (body_b, core_b)) = (a, b);
    let across = u.cross(&v);
    let turning = body_a.angular().cross(&u).cross(&v) + u.cross(&body_b.angular().cross(&v));
    let swing = (turning - normal * normal.dot(&turning)) * (across.dot(normal).signum() / across.norm());
    let (moves_a, moves_b) = (body_a.velocity_at(&core_a.at), body_b.velocity_at(&core_b.at));
    let rounding = centripetal(body_b, &core_b.at) - centripetal(body_a, &core_a.at);
    let apart = (core_b.at - core_a.at).dot(normal);
    let along = 2.0 * swing.dot(&(moves_b - moves_a)) + normal.dot(&rounding) - apart * swing.norm_squared();
    Bend { normal: along, across: slide(body_a, body_b, &((moves_a + moves_b) * 0.5)) }
}

/// The part of the change of the slip that velocities alone cause, where the place of contact moves with `place`.
fn slide(a: &State, b: &State, place: &Vec3) -> Vec3 {
    b.angular().cross(&(place - b.linear())) - a.angular().cross(&(place - a.linear()))
}

//! Check for overlaps that the points of a step missed.
//!
//! The points of a step are found at its start, and two bodies with corners have many that might meet: a corner beside the
//! other one's face, an edge across another. The rotation of the bodies decides between them. Where it is fast, the engine
//! runs once more at the end of the substep on trial, and the overlaps it finds become points of contact.

use super::contact_rows::{self, SUNK};
use crate::body::State;
use crate::collide::{ContactPoint, Manifold};
use crate::contact_points::Touch;
use crate::math::{Real, Vec3, tangents};
use crate::step::island::{Island, StepContext};

/// Points nearer to each other than this, metres, with normals that agree to this cosine, are the same.
const SAME_PLACE: Real = 5e-3;
const SAME_WAY: Real = 0.95;

/// Adds points for overlaps of fast bodies at the end of the substep on trial; returns true if there are any.
#[inline(never)]
pub(super) fn find_missed_overlaps(island: &mut Island, context: &StepContext<'_>, h: Real) -> bool {
    let known = island.touches.len();
    let mut last = None;
    let mut next = 0;
    for place in 0..island.manifold_count() {
        let Island { touches, states, movable, workspace, fresh, refreshed, manifolds, .. } = &mut *island;
        let manifold = if *refreshed { &fresh[place] } else { &context.manifolds[manifolds[place] as usize] };
        let first = next;
        next += manifold.points().len();
        let pair = [manifold.a, manifold.b];
        if manifold.points().is_empty() || last.replace(pair) == Some(pair) {
            continue;
        }
        let (slop, depth) = (touches[first].slop, SUNK * touches[first].slop);
        let slots = touches[first].slots.map(|slot| slot as usize);
        let spin = |slot: usize| {
            let goes = if movable[slot] { &workspace.velocity[slot] } else { &states[slot].velocity };
            Vec3::new(goes[3], goes[4], goes[5])
        };
        let turning = (spin(slots[1]) - spin(slots[0])).norm() * h;
        // Bodies that were in each other before are being pushed out.
        let own = touches[first..known].iter().take_while(|touch| touch.colliders == pair);
        let (mut lever, mut inside): (Real, bool) = (0.0, false);
        for touch in own {
            lever = touch.levers.iter().map(Vec3::norm_squared).fold(lever, Real::max);
            inside |= touch.gap < -depth;
        }
        if inside || turning * lever.sqrt() <= depth {
            continue;
        }
        let placements = slots.map(|slot| &workspace.trial[slot].placement);
        context.engine.overlaps(context.colliders, pair, placements, depth, &mut |normal, point| {
            let mut own = touches[first..].iter().filter(|touch| touch.colliders == pair);
            let same =
                |touch: &Touch| touch.normal.dot(normal) > SAME_WAY && (touch.on_a - point.on_a).norm() < SAME_PLACE;
            if !own.any(same) {
                touches.push(unseen(manifold, normal, &point, slots, states, slop));
            }
        });
    }
    island.touches.len() > known
}

/// A point that two bodies would overlap in at the end, as it is at the start. They were apart then, along another normal
/// if not along this one.
fn unseen(
    manifold: &Manifold,
    normal: &Vec3,
    point: &ContactPoint,
    slots: [usize; 2],
    states: &[State],
    slop: Real,
) -> Touch {
    let [a, b] = slots.map(|slot| &states[slot].placement);
    let apart = normal.dot(&(b.point(&point.on_b) - a.point(&point.on_a)));
    let [turn_a, turn_b] = [a, b].map(|place| place.rotation.to_rotation_matrix().into_inner());
    let (t1, t2) = tangents(normal);
    let frames = [(&a.position, &turn_a), (&b.position, &turn_b)];
    let point = ContactPoint { distance: apart.max(0.0), ..*point };
    let mut touch =
        contact_rows::touch(manifold, slots.map(|slot| slot as u32), [*normal, t1, t2], frames, &point, [0.0; 6], slop);
    touch.acting = true;
    touch
}

//! Default collision engine: broad phase, narrow phase, manifolds.

use super::broad::{Broad, Slab};
use super::narrow::Narrow;
use super::narrow::reduce::{group, group_length, reduce};
use super::narrow::touch::Touch;
use super::prepared::{Core, Frame, Prepared};
use super::{Collider, ColliderId, CollisionScene, ContactPoint, Manifold, Material};
use crate::Placement;
use crate::body::BodyId;
use crate::math::{Buffer, Real, Vec3};
use std::fmt;

/// Default collision engine: closed forms for the common shapes, parry for the rest.
#[derive(Default)]
pub struct ParryEngine {
    pub(super) prepared: Vec<Prepared>,
    /// Frames of bodies, for the current call.
    bodies: Vec<Frame>,
    /// Frames of colliders, for the current call.
    frames: Vec<Frame>,
    broad: Broad,
    planes: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    sorted: Vec<(u32, u32)>,
    starts: Vec<u32>,
    narrow: Narrow,
    /// True if the last call stopped before all pairs were found.
    pub(super) stopped: bool,
}

/// Pairs of boxes that a call takes: so many, and so many more for each collider. Bodies that cannot be in each other have
/// some dozens of neighbours at most, and fast ones some hundreds that they might meet.
const MOST_PAIRS: [usize; 2] = [1 << 16, 512];

impl fmt::Debug for ParryEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParryEngine").field("shapes", &self.prepared.len()).finish_non_exhaustive()
    }
}

impl Clone for ParryEngine {
    /// Shares the prepared shapes; the work space grows anew.
    fn clone(&self) -> Self {
        Self { prepared: self.prepared.clone(), ..Self::default() }
    }
}

impl ParryEngine {
    /// Makes an engine without prepared shapes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Prepares new shapes and those that changed.
    pub(super) fn refresh(&mut self, colliders: &[(BodyId, Collider)]) {
        self.prepared.truncate(colliders.len());
        for (index, (_, collider)) in colliders.iter().enumerate() {
            match self.prepared.get_mut(index) {
                Some(known) if known.is_of(&collider.shape) => {}
                Some(changed) => *changed = Prepared::new(&collider.shape),
                None => self.prepared.push(Prepared::new(&collider.shape)),
            }
        }
    }

    /// Replaces `manifolds` by those of the scene.
    pub(super) fn find(&mut self, scene: &CollisionScene<'_>, manifolds: &mut Vec<Manifold>) {
        self.refresh(scene.colliders);
        manifolds.clear();
        self.place(scene);
        self.pair(scene);
        let ParryEngine { prepared, bodies, frames, sorted, narrow, .. } = self;
        for &(a, b) in sorted.iter() {
            let (i, j) = (a as usize, b as usize);
            let ((body_a, collider_a), (body_b, collider_b)) = (&scene.colliders[i], &scene.colliders[j]);
            let limit = scene.margin + scene.reach[body_a.index()] + scene.reach[body_b.index()];
            let shapes = [(&prepared[i], &frames[i]), (&prepared[j], &frames[j])];
            let owners = [(ColliderId(a), *body_a), (ColliderId(b), *body_b)];
            let material = collider_a.material.with(&collider_b.material);
            let bodies = [&bodies[body_a.index()], &bodies[body_b.index()]];
            add_manifolds(narrow, shapes, owners, bodies, material, (limit, false), manifolds);
        }
    }

    /// Computes frames and bounding boxes of all colliders.
    fn place(&mut self, scene: &CollisionScene<'_>) {
        let ParryEngine { prepared, bodies, frames, broad, planes, .. } = self;
        bodies.assign(scene.states.iter().map(|s| Frame::new(&s.placement)));
        frames.clear();
        planes.clear();
        broad.slabs.clear();
        for (index, ((body, collider), prepared)) in scene.colliders.iter().zip(prepared.iter()).enumerate() {
            let frame = bodies[body.index()];
            let frame = if collider.placement == Placement::IDENTITY {
                frame
            } else {
                frame.then(&Frame::new(&collider.placement))
            };
            frames.push(frame);
            if matches!(prepared.core, Core::Plane { .. }) {
                planes.push(index as u32);
                continue;
            }
            let (low, high) = prepared.aabb(&frame);
            let room = Vec3::repeat(0.5 * scene.margin + scene.reach[body.index()]);
            let active = scene.active[body.index()];
            broad.slabs.push(Slab::new(&(low - room), &(high + room), index as u32, body.0, active));
        }
    }

    /// All pairs that may touch, in order.
    fn pair(&mut self, scene: &CollisionScene<'_>) {
        let ParryEngine { prepared, frames, broad, planes, pairs, sorted, starts, stopped, .. } = self;
        pairs.clear();
        let most = MOST_PAIRS[0] + MOST_PAIRS[1] * scene.colliders.len();
        let mut consider = |a: u32, b: u32| {
            let (a, b) = (a.min(b), a.max(b));
            let ((body_a, one), (body_b, other)) = (&scene.colliders[a as usize], &scene.colliders[b as usize]);
            if scene.filter.allows((*body_a, one), (*body_b, other)) {
                pairs.push((a, b));
            }
            pairs.len() < most
        };
        for &plane in planes.iter() {
            let body = scene.colliders[plane as usize].0;
            let frame = &frames[plane as usize];
            let Core::Plane { normal } = &prepared[plane as usize].core else { continue };
            let normal = frame.rotation * normal;
            let height = normal.dot(&frame.position);
            for (slab, (other, _)) in broad.slabs.iter().map(|s| (s, &scene.colliders[s.collider as usize])) {
                let active = scene.active[body.index()] || scene.active[other.index()];
                // What the slab has room for on its own side is missing here on the plane's.
                let room = 0.5 * scene.margin + scene.reach[body.index()];
                if active && slab.lowest(&normal) - height <= room {
                    consider(plane, slab.collider);
                }
            }
        }
        broad.sweep(&mut consider);
        *stopped = pairs.len() >= most;
        sort_pairs(pairs, sorted, starts, scene.colliders.len());
    }
}

/// Adds the manifolds of two shapes at most `limit` apart, metres, each with its frame, its owner and the frame of its body.
/// Those with a plane have `all` their corners, if asked for, else the few that carry the rest.
#[inline]
pub(super) fn add_manifolds(
    narrow: &mut Narrow,
    [one, other]: [(&Prepared, &Frame); 2],
    [a, b]: [(ColliderId, BodyId); 2],
    bodies: [&Frame; 2],
    material: Material,
    (limit, all): (Real, bool),
    manifolds: &mut Vec<Manifold>,
) {
    let several = narrow.touch(one, other, limit);
    if narrow.touches.is_empty() {
        return;
    }
    let is_plane = |core: &Core| matches!(core, Core::Plane { .. });
    let corners =
        is_box_on_plane(&one.0.core, &other.0.core) || all && (is_plane(&one.0.core) || is_plane(&other.0.core));
    let mut report = |touches: &mut [Touch]| {
        let normal = touches[0].normal;
        // A falling box may rotate until it lands, so any of its corners may become the lowest.
        let count = if corners { touches.len() } else { reduce(touches) };
        for touches in touches[..count].chunks(Manifold::MOST_POINTS) {
            let mut manifold = Manifold::new(a, b, normal, material);
            manifold.rounding = [one.0.core.rounding(), other.0.core.rounding()];
            for touch in touches {
                manifold.add(ContactPoint {
                    on_a: bodies[0].local(&touch.a),
                    on_b: bodies[1].local(&touch.b),
                    distance: touch.distance,
                    feature: touch.feature,
                });
            }
            manifolds.push(manifold);
        }
    };
    if several {
        let mut rest = &mut narrow.touches[..];
        group(rest);
        while !rest.is_empty() {
            let (first, others) = rest.split_at_mut(group_length(rest));
            report(first);
            rest = others;
        }
    } else {
        report(&mut narrow.touches);
    }
}

fn is_box_on_plane(a: &Core, b: &Core) -> bool {
    matches!((a, b), (Core::Box { .. }, Core::Plane { .. }) | (Core::Plane { .. }, Core::Box { .. }))
}

/// Counts pairs by their first collider, then sorts the few that share it.
fn sort_pairs(pairs: &[(u32, u32)], sorted: &mut Vec<(u32, u32)>, starts: &mut Vec<u32>, colliders: usize) {
    starts.reset(colliders + 1, 0);
    for &(a, _) in pairs {
        starts[a as usize + 1] += 1;
    }
    for k in 0..colliders {
        starts[k + 1] += starts[k];
    }
    sorted.reset(pairs.len(), (0, 0));
    for &pair in pairs {
        let place = &mut starts[pair.0 as usize];
        sorted[*place as usize] = pair;
        *place += 1;
    }
    sorted.chunk_by_mut(|s, t| s.0 == t.0).for_each(<[(u32, u32)]>::sort_unstable);
}

/// Distances count as touching below this, metres.
pub(super) const CONTACT: Real = 1e-6;

//! Interface of collision engines, so that another one can replace parry.

use super::{Collider, ColliderId, ContactPoint, Groups, Manifold};
use crate::Placement;
use crate::body::{BodyId, State};
use crate::math::{Real, Vec3};
use std::fmt;

/// Colliders and states as an engine reads them.
#[derive(Clone, Copy, Debug)]
pub struct CollisionScene<'a> {
    /// Colliders in the order of their numbers, each with its body.
    pub colliders: &'a [(BodyId, Collider)],
    /// States of all bodies.
    pub states: &'a [State],
    /// Flags of the bodies that are dynamic and awake; a pair without one is skipped. Queries ignore it.
    pub active: &'a [bool],
    /// Bound on the motion of any point of each body within the step, metres. Queries ignore it.
    pub reach: &'a [Real],
    /// Distance, beyond the reach of both, up to which pairs are reported, metres.
    pub margin: Real,
    /// Pairs that are excluded, and pairs that are allowed within a family.
    pub filter: &'a PairFilter,
}

/// Finds contacts of colliders. It knows nothing of forces.
pub trait CollisionEngine: Send + Sync + fmt::Debug {
    /// Prepares the shapes; called when colliders were added. The other methods must work without it.
    fn prepare(&mut self, colliders: &[(BodyId, Collider)]);

    /// Replaces `manifolds` by those of all pairs that touch or may touch within the step, in order of (a, b) with
    /// a < b. The same scene gives the same bits.
    fn collide(&mut self, scene: &CollisionScene<'_>, manifolds: &mut Vec<Manifold>);

    /// Returns false if the last call of `collide` stopped before it had found all, because there was no end of them.
    fn found_all(&self) -> bool {
        true
    }

    /// Returns the first hit of a ray.
    fn cast_ray(&self, scene: &CollisionScene<'_>, ray: &Ray) -> Option<RayHit>;

    /// Returns the first hit of a collider while its body moves steadily from one placement to another, wherever the
    /// body is now. The other bodies rest.
    fn sweep(
        &self,
        scene: &CollisionScene<'_>,
        collider: ColliderId,
        from: &Placement,
        to: &Placement,
    ) -> Option<SweepHit>;

    /// Reports overlaps of more than `depth` (metres) of two colliders whose bodies are placed at `placements`: the
    /// unit normal from the first to the second, world space, and the point. Pairs that have a single way to touch
    /// (round ones, and any shape on a plane) are skipped.
    fn overlaps(
        &self,
        colliders: &[(BodyId, Collider)],
        pair: [ColliderId; 2],
        placements: [&Placement; 2],
        depth: Real,
        report: &mut dyn FnMut(&Vec3, ContactPoint),
    );

    /// Adds the manifolds of two colliders whose bodies are placed at `placements` and which are at most `limit` apart,
    /// metres: as `collide` reports them, but with all corners near a plane.
    fn manifolds_of(
        &self,
        colliders: &[(BodyId, Collider)],
        pair: [ColliderId; 2],
        placements: [&Placement; 2],
        limit: Real,
        manifolds: &mut Vec<Manifold>,
    );

    /// Lists the colliders of these groups that contain a point or are at most `radius` away from it, metres, in order.
    fn near(&self, scene: &CollisionScene<'_>, point: &Vec3, radius: Real, groups: Groups) -> Vec<Near>;

    /// Clones the engine behind the trait object.
    fn boxed_clone(&self) -> Box<dyn CollisionEngine>;
}

impl Clone for Box<dyn CollisionEngine> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// Ray query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start, metres, world space.
    pub origin: Vec3,
    /// Direction, world space; any length but zero.
    pub direction: Vec3,
    /// Length of the ray, metres.
    pub reach: Real,
    /// Collision groups of the ray.
    pub groups: Groups,
}

impl Ray {
    /// Makes a ray of infinite length that hits all colliders.
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, direction, reach: Real::INFINITY, groups: Groups { member: u32::MAX, mask: u32::MAX } }
    }
}

/// Hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Collider that was hit.
    pub collider: ColliderId,
    /// Body of the collider.
    pub body: BodyId,
    /// Point that was hit, metres, world space.
    pub point: Vec3,
    /// Outward unit normal, world space; against the ray if it starts inside.
    pub normal: Vec3,
    /// Distance along the ray, metres.
    pub distance: Real,
}

/// Hit of a moving collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepHit {
    /// Fraction of the motion up to the hit, 0 to 1.
    pub fraction: Real,
    /// Collider that was hit.
    pub collider: ColliderId,
    /// Body of the collider that was hit.
    pub body: BodyId,
    /// Point on the surface that was hit, metres, world space.
    pub point: Vec3,
    /// Unit normal from the moving collider to the one that was hit, world space.
    pub normal: Vec3,
    /// Remaining distance at the hit, metres; negative if they overlapped from the beginning.
    pub distance: Real,
}

/// Collider near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Collider.
    pub collider: ColliderId,
    /// Body of the collider.
    pub body: BodyId,
    /// Distance to the surface, metres; negative inside.
    pub distance: Real,
}

/// Pairs of bodies that never collide, and pairs that collide although they are of one family.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairFilter {
    apart: Vec<(BodyId, BodyId)>,
    admitted: Vec<(BodyId, BodyId)>,
}

fn ordered(a: BodyId, b: BodyId) -> (BodyId, BodyId) {
    (a.min(b), a.max(b))
}

fn insert(pairs: &mut Vec<(BodyId, BodyId)>, pair: (BodyId, BodyId)) {
    if let Err(place) = pairs.binary_search(&pair) {
        pairs.insert(place, pair);
    }
}

fn remove(pairs: &mut Vec<(BodyId, BodyId)>, pair: (BodyId, BodyId)) {
    if let Ok(place) = pairs.binary_search(&pair) {
        pairs.remove(place);
    }
}

impl PairFilter {
    /// Excludes a pair of bodies.
    pub fn exclude(&mut self, a: BodyId, b: BodyId) {
        insert(&mut self.apart, ordered(a, b));
    }

    /// Allows a pair of bodies of one family.
    pub fn allow(&mut self, a: BodyId, b: BodyId) {
        insert(&mut self.admitted, ordered(a, b));
    }

    /// Returns a pair to the rule of groups and families.
    pub fn forget(&mut self, a: BodyId, b: BodyId) {
        remove(&mut self.apart, ordered(a, b));
        remove(&mut self.admitted, ordered(a, b));
    }

    /// Returns true if two colliders on two bodies may collide: groups, families and these pairs.
    #[inline]
    pub fn allows(&self, a: (BodyId, &Collider), b: (BodyId, &Collider)) -> bool {
        let ((body_a, a), (body_b, b)) = (a, b);
        let has =
            |pairs: &[(BodyId, BodyId)]| !pairs.is_empty() && pairs.binary_search(&ordered(body_a, body_b)).is_ok();
        body_a != body_b
            && a.groups.collide_with(&b.groups)
            && (a.family == 0 || a.family != b.family || has(&self.admitted))
            && !has(&self.apart)
    }
}

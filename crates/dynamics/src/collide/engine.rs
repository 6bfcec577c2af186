//! What a collision engine answers, so that another one can take parry's place.

use super::{Collider, ColliderId, ContactPoint, Groups, Manifold};
use crate::Placement;
use crate::body::{BodyId, State};
use crate::math::{Real, Vec3};
use std::fmt;

/// All that an engine may look at.
#[derive(Clone, Copy, Debug)]
pub struct CollisionScene<'a> {
    /// In the order of their numbers, each with the body it sits on.
    pub colliders: &'a [(BodyId, Collider)],
    /// Of all bodies.
    pub states: &'a [State],
    /// Which bodies forces move and are awake; a pair without one is passed over. Queries do not ask.
    pub active: &'a [bool],
    /// How far any point of each body may move within the step, metres. Queries do not ask.
    pub reach: &'a [Real],
    /// Pairs nearer than this and what both may reach are told, metres.
    pub margin: Real,
    /// Who never meets, and who does in spite of its family.
    pub filter: &'a PairFilter,
}

/// Answers where colliders touch. It knows nothing of forces.
pub trait CollisionEngine: Send + Sync + fmt::Debug {
    /// Makes shapes ready; called when colliders were added. The others must cope without.
    fn prepare(&mut self, colliders: &[(BodyId, Collider)]);

    /// Replaces `manifolds` by those of all pairs that touch or may touch within the step, in order of (a, b) with
    /// a < b. The same scene gives the same bits.
    fn collide(&mut self, scene: &CollisionScene<'_>, manifolds: &mut Vec<Manifold>);

    /// The first thing a ray meets.
    fn cast_ray(&self, scene: &CollisionScene<'_>, ray: &Ray) -> Option<RayHit>;

    /// The first thing a collider meets while its body moves from one placement to another, steadily and without
    /// regard to where the body is now. The others stand still.
    fn sweep(
        &self,
        scene: &CollisionScene<'_>,
        collider: ColliderId,
        from: &Placement,
        to: &Placement,
    ) -> Option<SweepHit>;

    /// Where two colliders overlap by more than `depth` if their bodies are placed thus, unless both have but one way to
    /// touch each other (round ones, and whatever lies on a plane). Tells points in the bodies' frames and their normals,
    /// from the first to the second, world space.
    fn overlaps(
        &self,
        colliders: &[(BodyId, Collider)],
        pair: [ColliderId; 2],
        placements: [&Placement; 2],
        depth: Real,
        tell: &mut dyn FnMut(&Vec3, ContactPoint),
    );

    /// The colliders of these groups that contain a point or are at most `radius` away from it, in their order.
    fn near(&self, scene: &CollisionScene<'_>, point: &Vec3, radius: Real, groups: Groups) -> Vec<Near>;

    fn boxed_clone(&self) -> Box<dyn CollisionEngine>;
}

impl Clone for Box<dyn CollisionEngine> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// A question: what lies in this direction?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    pub origin: Vec3,
    /// Of any length but zero.
    pub direction: Vec3,
    /// How far to look, metres.
    pub reach: Real,
    /// What it meets, as a collider of these groups would.
    pub groups: Groups,
}

impl Ray {
    /// As far as it goes, meeting everything.
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, direction, reach: Real::INFINITY, groups: Groups { member: u32::MAX, meets: u32::MAX } }
    }
}

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    pub collider: ColliderId,
    pub body: BodyId,
    pub point: Vec3,
    /// Out of the surface; against the ray where the ray began inside.
    pub normal: Vec3,
    /// Metres along the ray.
    pub distance: Real,
}

/// What a moving collider met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepHit {
    /// Share of the motion done by then, 0 to 1.
    pub fraction: Real,
    pub collider: ColliderId,
    pub body: BodyId,
    /// On the surface that was met, world space.
    pub point: Vec3,
    /// From the moving collider to the one it met, world space.
    pub normal: Vec3,
    /// Left between them there, metres; negative where they overlapped from the beginning.
    pub distance: Real,
}

/// A collider near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    pub collider: ColliderId,
    pub body: BodyId,
    /// To the surface, metres; negative inside.
    pub distance: Real,
}

/// Pairs of bodies that never meet, and pairs that do although they are of one family.
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
    /// These two never meet.
    pub fn keep_apart(&mut self, a: BodyId, b: BodyId) {
        insert(&mut self.apart, ordered(a, b));
    }

    /// These two meet although they are of one family.
    pub fn admit(&mut self, a: BodyId, b: BodyId) {
        insert(&mut self.admitted, ordered(a, b));
    }

    /// Back to what groups and families say.
    pub fn forget(&mut self, a: BodyId, b: BodyId) {
        remove(&mut self.apart, ordered(a, b));
        remove(&mut self.admitted, ordered(a, b));
    }

    /// Whether two colliders on two bodies may meet at all: groups, families and these pairs.
    #[inline]
    pub fn lets_meet(&self, a: (BodyId, &Collider), b: (BodyId, &Collider)) -> bool {
        let ((body_a, a), (body_b, b)) = (a, b);
        let has =
            |pairs: &[(BodyId, BodyId)]| !pairs.is_empty() && pairs.binary_search(&ordered(body_a, body_b)).is_ok();
        body_a != body_b
            && a.groups.meets(&b.groups)
            && (a.family == 0 || a.family != b.family || has(&self.admitted))
            && !has(&self.apart)
    }
}

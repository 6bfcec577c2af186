//! Queries between steps: rays, sweeps, colliders near a point.
//!
//! A sweep advances by the remaining distance, divided by the greatest speed of any point of the moving shape
//! (conservative advancement, Mirtich 1996). It works for all shapes, rotating ones too.

use super::narrow::Narrow;
use super::parry::{CONTACT, ParryEngine, add_manifolds};
use super::prepared::{Core, Frame, Prepared, pose, vec3, vector};
use super::{
    Collider, ColliderId, CollisionEngine, CollisionScene, ContactPoint, Groups, Manifold, Material, Near, PairFilter,
    Ray, RayHit, ShapeError, SweepHit,
};
use crate::DynamicsError;
use crate::Placement;
use crate::body::BodyId;
use crate::math::{Real, Vec3};
use crate::world::{BodySet, ColliderSet, World};
use parry3d_f64::query::{PointQuery, RayCast};
use std::borrow::Cow;
use std::cell::RefCell;

thread_local! {
    /// Buffers for queries from several threads at once.
    static NARROW: RefCell<Narrow> = RefCell::default();
}

impl CollisionEngine for ParryEngine {
    fn prepare(&mut self, colliders: &[(BodyId, Collider)]) {
        // Changed shapes are found when bodies collide; a check of all of them for each new one would cost n² for a
        // world of n bodies.
        let known = self.prepared.len().min(colliders.len());
        self.prepared.extend(colliders[known..].iter().map(|(_, collider)| Prepared::new(&collider.shape)));
    }

    fn collide(&mut self, scene: &CollisionScene<'_>, manifolds: &mut Vec<Manifold>) {
        self.find(scene, manifolds);
    }

    fn found_all(&self) -> bool {
        !self.stopped
    }

    fn cast_ray(&self, scene: &CollisionScene<'_>, ray: &Ray) -> Option<RayHit> {
        let direction = ray.direction.try_normalize(0.0).filter(|d| d.iter().all(|x| x.is_finite()))?;
        let line = parry3d_f64::query::Ray::new(vector(&ray.origin), vector(&direction));
        let mut best: Option<RayHit> = None;
        for (index, (body, collider)) in scene.colliders.iter().enumerate() {
            if !collider.groups.collide_with(&ray.groups) {
                continue;
            }
            let placed = pose(&placement(scene, index));
            let reach = best.map_or(ray.reach, |b| b.distance);
            let shape = self.shape(index, collider);
            let hit = shape.parry.cast_ray_and_get_normal(&placed, &line, reach.min(Real::MAX), true);
            let Some(hit) = hit.filter(|h| h.time_of_impact < reach || (best.is_none() && h.time_of_impact <= reach))
            else {
                continue;
            };
            let distance = hit.time_of_impact;
            let normal = vec3(hit.normal).try_normalize(1e-6).filter(|_| distance > 0.0).unwrap_or(-direction);
            // Triangles are two-sided.
            let normal = if normal.dot(&direction) > 0.0 { -normal } else { normal };
            let point = ray.origin + direction * distance;
            best = Some(RayHit { collider: ColliderId(index as u32), body: *body, point, normal, distance });
        }
        best
    }

    fn sweep(
        &self,
        scene: &CollisionScene<'_>,
        collider: ColliderId,
        from: &Placement,
        to: &Placement,
    ) -> Option<SweepHit> {
        let (body, moving) = scene.colliders.get(collider.index())?;
        let shape = self.shape(collider.index(), moving);
        if matches!(shape.core, Core::Plane { .. } | Core::Surface { .. }) {
            return None;
        }
        let motion = Motion::new(&shape, &moving.placement, from, to);
        let (low, high) = motion.swept(&shape);
        let mut narrow = Narrow::default();
        let mut best: Option<SweepHit> = None;
        for (index, (other_body, other)) in scene.colliders.iter().enumerate() {
            if !scene.filter.allows((*body, moving), (*other_body, other)) {
                continue;
            }
            let target = self.shape(index, other);
            let frame = Frame::new(&placement(scene, index));
            let (other_low, other_high) = target.aabb(&frame);
            if (0..3).any(|k| low[k] > other_high[k] || other_low[k] > high[k]) {
                continue;
            }
            let until = best.map_or(1.0, |b| b.fraction);
            if let Some((fraction, point, normal, distance)) =
                motion.first_touch(&mut narrow, &shape, (&target, &frame), until)
                && (best.is_none() || fraction < until)
            {
                let collider = ColliderId(index as u32);
                best = Some(SweepHit { fraction, collider, body: *other_body, point, normal, distance });
            }
        }
        best
    }

    fn overlaps(
        &self,
        colliders: &[(BodyId, Collider)],
        [a, b]: [ColliderId; 2],
        [place_a, place_b]: [&Placement; 2],
        depth: Real,
        report: &mut dyn FnMut(&Vec3, ContactPoint),
    ) {
        let (one, other) = (&colliders[a.index()].1, &colliders[b.index()].1);
        let (shape_a, shape_b) = (self.shape(a.index(), one), self.shape(b.index(), other));
        let flat = |core: &Core| matches!(core, Core::Plane { .. } | Core::Surface { .. });
        let rounds = |core: &Core| matches!(core, Core::Round { .. });
        let (core_a, core_b) = (&shape_a.core, &shape_b.core);
        if flat(core_a) || flat(core_b) || (rounds(core_a) && rounds(core_b)) {
            return;
        }
        let frame = |place: &Placement, collider: &Collider| Frame::new(place).then(&Frame::new(&collider.placement));
        NARROW.with_borrow_mut(|narrow| {
            narrow.touch((&shape_a, &frame(place_a, one)), (&shape_b, &frame(place_b, other)), -depth);
            for touch in narrow.touches.iter().filter(|touch| touch.distance < -depth) {
                let (on_a, on_b) = (place_a.local_point(&touch.a), place_b.local_point(&touch.b));
                report(&touch.normal, ContactPoint { on_a, on_b, distance: touch.distance, feature: touch.feature });
            }
        });
    }

    fn manifolds_of(
        &self,
        colliders: &[(BodyId, Collider)],
        [a, b]: [ColliderId; 2],
        [place_a, place_b]: [&Placement; 2],
        limit: Real,
        manifolds: &mut Vec<Manifold>,
    ) {
        let ((body_a, one), (body_b, other)) = (&colliders[a.index()], &colliders[b.index()]);
        let (shape_a, shape_b) = (self.shape(a.index(), one), self.shape(b.index(), other));
        let bodies = [Frame::new(place_a), Frame::new(place_b)];
        let frames = [bodies[0].then(&Frame::new(&one.placement)), bodies[1].then(&Frame::new(&other.placement))];
        let shapes = [(&*shape_a, &frames[0]), (&*shape_b, &frames[1])];
        let material = one.material.with(&other.material);
        NARROW.with_borrow_mut(|narrow| {
            let owners = [(a, *body_a), (b, *body_b)];
            add_manifolds(narrow, shapes, owners, [&bodies[0], &bodies[1]], material, (limit, true), manifolds);
        });
    }

    fn near(&self, scene: &CollisionScene<'_>, point: &Vec3, radius: Real, groups: Groups) -> Vec<Near> {
        let mut found = Vec::new();
        for (index, (body, collider)) in scene.colliders.iter().enumerate() {
            if !collider.groups.collide_with(&groups) {
                continue;
            }
            let placed = placement(scene, index);
            let shape = self.shape(index, collider);
            let distance = distance_to(&shape, &placed, point);
            if distance <= radius {
                found.push(Near { collider: ColliderId(index as u32), body: *body, distance });
            }
        }
        found
    }

    fn boxed_clone(&self) -> Box<dyn CollisionEngine> {
        Box::new(self.clone())
    }
}

impl ParryEngine {
    /// Returns the prepared shape, prepared now if it was not before.
    fn shape(&self, index: usize, collider: &Collider) -> Cow<'_, Prepared> {
        match self.prepared.get(index).filter(|p| p.is_of(&collider.shape)) {
            Some(known) => Cow::Borrowed(known),
            None => Cow::Owned(Prepared::new(&collider.shape)),
        }
    }
}

fn placement(scene: &CollisionScene<'_>, index: usize) -> Placement {
    let (body, collider) = &scene.colliders[index];
    scene.states[body.index()].placement.then(&collider.placement)
}

/// Returns the distance from a point to the surface, metres; negative inside.
fn distance_to(shape: &Prepared, placed: &Placement, point: &Vec3) -> Real {
    let local = placed.local_point(point);
    match &shape.core {
        Core::Plane { normal } => normal.dot(&local),
        Core::Surface { mesh, solid_below: true } => {
            let apart = mesh.distance_to_local_point(vector(&local), true).abs();
            let up = parry3d_f64::query::Ray::new(vector(&local), parry3d_f64::math::Vector::Y);
            // A point below the surface has a triangle above it.
            if mesh.cast_local_ray(&up, Real::MAX, false).is_some() { -apart } else { apart }
        }
        Core::Surface { mesh, solid_below: false } => mesh.distance_to_local_point(vector(&local), true).abs(),
        _ => shape.parry.distance_to_local_point(vector(&local), false),
    }
}

/// Steady motion of a collider: its body's centre moves straight while the body rotates about it.
struct Motion {
    from: Placement,
    inner: Placement,
    /// Whole displacement of the body's centre, metres.
    way: Vec3,
    /// Whole rotation vector, radians, world axes.
    rotation_vector: Vec3,
    /// Distance from the body's centre to the farthest point of the collider, metres.
    radius: Real,
}

impl Motion {
    fn new(shape: &Prepared, inner: &Placement, from: &Placement, to: &Placement) -> Self {
        let rotation_vector = (to.rotation * from.rotation.inverse()).scaled_axis();
        let (low, high) = shape.aabb(&Frame::new(inner));
        let radius = low.abs().sup(&high.abs()).norm();
        Self { from: *from, inner: *inner, way: to.position - from.position, rotation_vector, radius }
    }

    fn at(&self, fraction: Real) -> Frame {
        let rotation = nalgebra::UnitQuaternion::new(self.rotation_vector * fraction) * self.from.rotation;
        let body = Placement::new(self.from.position + self.way * fraction, rotation);
        Frame::new(&body.then(&self.inner))
    }

    /// Returns the bounding box of the whole motion.
    fn swept(&self, shape: &Prepared) -> (Vec3, Vec3) {
        let to = self.from.position + self.way;
        if self.rotation_vector == Vec3::zeros() {
            let ((low, high), (last_low, last_high)) = (shape.aabb(&self.at(0.0)), shape.aabb(&self.at(1.0)));
            return (low.inf(&last_low), high.sup(&last_high));
        }
        let room = Vec3::repeat(self.radius);
        (self.from.position.inf(&to) - room, self.from.position.sup(&to) + room)
    }

    /// Returns fraction, point, normal and distance of the first touch with a shape at rest.
    fn first_touch(
        &self,
        narrow: &mut Narrow,
        shape: &Prepared,
        target: (&Prepared, &Frame),
        until: Real,
    ) -> Option<(Real, Vec3, Vec3, Real)> {
        let spin = self.rotation_vector.norm() * self.radius;
        let most = self.way.norm() + spin;
        let mut fraction = 0.0;
        for step in 0..MOST_ADVANCES {
            let frame = self.at(fraction);
            // A shape farther away than the rest of the motion is not hit.
            let reach = most * (until - fraction) + CONTACT;
            narrow.touch((shape, &frame), target, reach);
            let nearest = narrow.touches.iter().min_by(|s, t| s.distance.total_cmp(&t.distance))?;
            let closing = |normal: &Vec3| normal.dot(&self.way) + spin;
            if nearest.distance <= CONTACT {
                // Shapes that touch and separate are no impact.
                let parting = closing(&nearest.normal) <= 0.0;
                return (!parting).then_some((fraction, nearest.b, nearest.normal, nearest.distance));
            }
            // Each point bounds the time of its own hit; the soonest counts.
            let advance = narrow
                .touches
                .iter()
                .map(|t| (t.distance - 0.5 * CONTACT) / closing(&t.normal).max(1e-3 * most))
                .fold(Real::INFINITY, Real::min);
            fraction += advance.max(Real::EPSILON);
            if fraction > until || step + 1 == MOST_ADVANCES {
                return None;
            }
        }
        None
    }
}

/// Number of advances that comes within a micrometre of any but the most grazing touch.
const MOST_ADVANCES: usize = 200;

impl World {
    /// Returns the first hit of a ray.
    ///
    /// ```
    /// use sinew_dynamics::Vec3;
    /// use sinew_dynamics::{Body, Collider, Placement, Ray, Shape, World};
    ///
    /// let mut world = World::new();
    /// let floor = world.add_body(Body::fixed("floor", Placement::IDENTITY))?;
    /// world.add_collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::y() }))?;
    /// let hit = world.cast_ray(&Ray::new(Vec3::new(0.0, 2.0, 0.0), -Vec3::y())).expect("the floor is there");
    /// assert_eq!((hit.body, hit.distance, hit.normal), (floor, 2.0, Vec3::y()));
    /// # Ok::<(), sinew_dynamics::DynamicsError>(())
    /// ```
    pub fn cast_ray(&self, ray: &Ray) -> Option<RayHit> {
        self.colliders.engine.cast_ray(&self.query_scene(), ray)
    }

    /// Returns the first hit of a collider if its body moved steadily from one placement to another.
    pub fn cast_shape(&self, collider: ColliderId, from: &Placement, to: &Placement) -> Option<SweepHit> {
        self.colliders.engine.sweep(&self.query_scene(), collider, from, to)
    }

    /// Lists the colliders that contain a point (metres, world space) or are at most `radius` away from it, metres.
    pub fn overlapping(&self, point: &Vec3, radius: Real, groups: Groups) -> Vec<Near> {
        self.colliders.engine.near(&self.query_scene(), point, radius, groups)
    }

    /// Returns the pairs that are excluded, and those allowed within a family.
    pub fn pair_filter(&self) -> &PairFilter {
        &self.colliders.pair_filter
    }

    /// Returns the pair filter mutably.
    pub fn pair_filter_mut(&mut self) -> &mut PairFilter {
        &mut self.colliders.pair_filter
    }

    /// Replaces the collision engine.
    pub fn set_collision_engine(&mut self, mut engine: Box<dyn CollisionEngine>) {
        engine.prepare(&self.colliders.list);
        self.colliders.engine = engine;
    }

    /// Refuses a collider that its body cannot carry.
    pub(crate) fn check_collider(&self, body: BodyId, collider: &Collider) -> Result<(), DynamicsError> {
        let wearer = &self.bodies.list[body.index()];
        let Collider { shape, placement, material, .. } = collider;
        let refuse = |why: ShapeError| DynamicsError::Shape { name: wearer.name.clone(), shape: shape.name(), why };
        let finite = |values: &[Real]| values.iter().all(|x| x.is_finite());
        shape.validate().map_err(refuse)?;
        if wearer.is_dynamic() && !shape.is_solid() {
            return Err(refuse(ShapeError::Immovable(shape.name())));
        }
        if !finite(placement.position.as_slice()) || !finite(placement.rotation.coords.as_slice()) {
            return Err(refuse(ShapeError::NotFinite { what: "its place on the body" }));
        }
        let Material { friction, restitution, rolling, spinning } = *material;
        match [friction, restitution, rolling, spinning].into_iter().find(|x| !(x.is_finite() && *x >= 0.0)) {
            Some(value) => Err(refuse(ShapeError::Material { value })),
            None => Ok(()),
        }
    }

    fn query_scene(&self) -> CollisionScene<'_> {
        let BodySet { states, .. } = &self.bodies;
        let ColliderSet { list: colliders, pair_filter, .. } = &self.colliders;
        CollisionScene { colliders, states, active: &[], reach: &[], margin: 0.0, filter: pair_filter }
    }
}

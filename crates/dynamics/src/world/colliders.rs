//! Colliders of a world, with the engine that finds their contacts.

use super::World;
use crate::body::BodyId;
use crate::collide::{Collider, ColliderId, CollisionEngine, Material, PairFilter, ParryEngine};
use crate::error::DynamicsError;
use crate::math::Real;

/// Colliders in the order of creation, the collision engine, and the pairs it leaves out.
#[derive(Clone, Debug)]
pub(crate) struct ColliderSet {
    /// Colliders, each with its body.
    pub list: Vec<(BodyId, Collider)>,
    pub engine: Box<dyn CollisionEngine>,
    pub pair_filter: PairFilter,
}

impl Default for ColliderSet {
    fn default() -> Self {
        Self { list: Vec::new(), engine: Box::new(ParryEngine::new()), pair_filter: PairFilter::default() }
    }
}

impl ColliderSet {
    fn push(&mut self, body: BodyId, collider: Collider) -> ColliderId {
        let id = ColliderId(self.list.len() as u32);
        self.list.push((body, collider));
        self.engine.prepare(&self.list);
        id
    }

    /// Colliders of one body.
    pub fn on(&mut self, id: BodyId) -> impl Iterator<Item = &mut Collider> {
        self.list.iter_mut().filter(move |(body, _)| *body == id).map(|(_, collider)| collider)
    }
}

impl World {
    /// Adds a collision shape to a body; refuses shapes that are not valid.
    pub fn add_collider(&mut self, body: BodyId, collider: Collider) -> Result<ColliderId, DynamicsError> {
        if body.index() >= self.bodies.list.len() {
            let (name, count) = ("a collider".to_string(), self.bodies.list.len());
            return Err(DynamicsError::NoSuchBody { name, body: body.index(), count });
        }
        self.check_collider(body, &collider)?;
        if collider.shape.is_solid() {
            let (low, high) = collider.shape.aabb(&collider.placement);
            let radius = low.abs().sup(&high.abs()).norm();
            self.bodies.extend_bounding_radius(body, radius);
        }
        self.wake(body);
        Ok(self.colliders.push(body, collider))
    }

    /// Lists all colliders in the order they were added, each with its body.
    pub fn colliders(&self) -> impl Iterator<Item = (ColliderId, BodyId, &Collider)> {
        self.colliders.list.iter().enumerate().map(|(i, (body, collider))| (ColliderId(i as u32), *body, collider))
    }

    /// Replaces the material of all colliders of a body.
    pub fn set_material(&mut self, id: BodyId, material: Material) {
        for collider in self.colliders.on(id) {
            collider.material = material;
        }
        self.wake(id);
    }

    /// Replaces the friction coefficient of all colliders; negative values count as 0.
    pub fn set_friction(&mut self, friction: Real) {
        for (_, collider) in &mut self.colliders.list {
            collider.material.friction = friction.max(0.0);
        }
        self.wake_all();
    }
}

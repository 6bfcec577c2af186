//! Collision detection: shapes on bodies and their contact manifolds.
//!
//! A [`Collider`] is a [`Shape`] with a [`Material`] on a body. Once per step the engine finds the [`Manifold`]s of all
//! pairs that touch or may touch within the step, each with a few independent points. Contact forces are left to the
//! stepper.

mod broad;
mod collider;
mod engine;
mod manifold;

mod narrow;
mod parry;
mod prepared;
mod query;
mod shape;
mod shape_geometry;

pub use collider::{Collider, ColliderId, Groups, Material};
pub use engine::{CollisionEngine, CollisionScene, Near, PairFilter, Ray, RayHit, SweepHit};
pub use manifold::{ContactPoint, Manifold};
pub use parry::ParryEngine;
pub use prepared::hull_faces;
pub use shape::{Shape, ShapeError};

//! Shapes on bodies, and where they touch.
//!
//! A [`Collider`] puts a [`Shape`] with a [`Material`] on a body. Once per step the engine turns all colliders into
//! [`Manifold`]s: pairs that touch or may touch within the step, each with a few independent points. What contact does
//! to the bodies is the stepper's matter; nothing here knows of forces.

mod broad;
mod collider;
mod engine;
mod manifold;
mod measure;
mod narrow;
mod parry;
mod prepared;
mod query;
mod shape;

pub use collider::{Collider, ColliderId, Groups, Material};
pub use engine::{CollisionEngine, CollisionScene, Near, PairFilter, Ray, RayHit, SweepHit};
pub use manifold::{ContactPoint, Manifold};
pub use parry::ParryEngine;
pub use prepared::hull_faces;
pub use shape::{Shape, ShapeError};

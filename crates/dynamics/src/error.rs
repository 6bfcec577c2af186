//! What a world refuses.

use super::collide::ShapeError;
use crate::math::Real;

/// Something a world cannot do, with the name of the body or constraint concerned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DynamicsError {
    #[error("body {name:?}: the mass must be a positive number and the inertia positive definite; mass is {mass}")]
    Mass { name: String, mass: Real },
    #[error("body {name:?}: {what} is not a finite number")]
    NotFinite { name: String, what: &'static str },
    #[error("constraint {name:?} names body number {body}, but the world has {count} bodies")]
    NoSuchBody { name: String, body: usize, count: usize },
    #[error("constraint {name:?}: {what}")]
    Constraint { name: String, what: String },
    #[error("the {shape} on body {name:?}: {why}")]
    Shape {
        name: String,
        shape: &'static str,
        #[source]
        why: ShapeError,
    },
    #[error("force {name:?}: {what}")]
    Force { name: String, what: String },
    #[error("a step needs a positive duration, not {0} s")]
    Duration(Real),
    #[error(
        "the step at {time} s left body {name:?} with {what} that is not finite; the world was left as it was before the step"
    )]
    Diverged { name: String, what: &'static str, time: Real },
}

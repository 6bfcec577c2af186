//! Errors of a world.

use super::collide::ShapeError;
use crate::math::Real;

/// Refused input or failed step, with the name of the body or constraint concerned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DynamicsError {
    /// Mass or inertia that is not positive.
    #[error("body {name:?}: the mass must be a positive number and the inertia positive definite; mass is {mass}")]
    Mass {
        /// Name of the body.
        name: String,
        /// Mass given, kg.
        mass: Real,
    },
    /// Number given for a body that is not finite.
    #[error("body {name:?}: {what} is not a finite number")]
    NotFinite {
        /// Name of the body.
        name: String,
        /// Quantity concerned.
        what: &'static str,
    },
    /// Constraint or collider on a body that does not exist.
    #[error("constraint {name:?} names body number {body}, but the world has {count} bodies")]
    NoSuchBody {
        /// Name of the constraint.
        name: String,
        /// Number of the missing body.
        body: usize,
        /// Number of bodies in the world.
        count: usize,
    },
    /// Constraint that is refused.
    #[error("constraint {name:?}: {what}")]
    Constraint {
        /// Name of the constraint.
        name: String,
        /// Reason.
        what: String,
    },
    /// Collider that is refused.
    #[error("the {shape} on body {name:?}: {why}")]
    Shape {
        /// Name of the body.
        name: String,
        /// Kind of shape.
        shape: &'static str,
        /// Reason.
        #[source]
        why: ShapeError,
    },
    /// Force that is refused.
    #[error("force {name:?}: {what}")]
    Force {
        /// Name of the force.
        name: String,
        /// Reason.
        what: String,
    },
    /// Duration, seconds, that is not positive and finite.
    #[error("a step needs a positive duration, not {0} s")]
    Duration(Real),
    /// Body that rotates too far within a step to be followed; the world is as it was before.
    #[error(
        "body {name:?} would rotate by {angle:.0} rad within the step of {duration} s at {time} s; at most {most:.0} rad can be followed: take shorter steps or a slower spin"
    )]
    TooFast {
        /// Name of the body.
        name: String,
        /// Rotation within the step, radians.
        angle: Real,
        /// Largest rotation that a step takes, radians.
        most: Real,
        /// Length of the step, seconds.
        duration: Real,
        /// Time at the start of the step, seconds.
        time: Real,
    },
    /// Bodies that lie in each other in such numbers that no step could part them; the world is as it was before.
    #[error(
        "body {name:?} is in {others} others or may meet them within the step at {time} s; there are {pairs} such pairs of bodies, and at most {most} are taken: place the bodies apart, let them pass through each other, or take shorter steps"
    )]
    Crowded {
        /// Name of the body with the most others in it.
        name: String,
        /// Number of these, as far as they were counted.
        others: usize,
        /// Number of pairs, as far as they were counted.
        pairs: usize,
        /// Largest number of pairs.
        most: usize,
        /// Time at the start of the step, seconds.
        time: Real,
    },
    /// Step that ended in numbers that are not finite; the world is as it was before.
    #[error(
        "the step at {time} s left body {name:?} with {what} that is not finite; the world was left as it was before the step"
    )]
    Diverged {
        /// Name of the first body concerned.
        name: String,
        /// Quantity concerned.
        what: &'static str,
        /// Time at the start of the step, seconds.
        time: Real,
    },
}

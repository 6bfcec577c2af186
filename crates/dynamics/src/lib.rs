//! Rigid bodies in maximal coordinates, held, driven and limited by constraint forces that can be read out.
//!
//! A [`World`] owns bodies, constraints, colliders and forces. A stepper states, several times per step, the problem that
//! [`solve`] solves: the multipliers λ that keep the rows of all constraints.
//!
//! ```
//! use sinew_dynamics::Vec3;
//! use sinew_dynamics::{Body, Constraint, Joint, MassProperties, Placement, World};
//!
//! // A 1 m rod, nailed to the world at one end, released horizontally.
//! let mut world = World::new();
//! let rod = world.add_body(Body::dynamic("rod", MassProperties::rod(1.0, 1.0), Placement::at(Vec3::new(0.5, 0.0, 0.0))))?;
//! let nail = Joint::ball(None, Placement::IDENTITY, Some(rod), Placement::at(Vec3::new(-0.5, 0.0, 0.0)));
//! let nail = world.add_constraint(Constraint::new(nail))?;
//! world.step(1.0 / 240.0)?;
//! // The nail carries a quarter of the weight at first.
//! let lift = world.reaction(nail).wrenches[0].1[1];
//! assert!((lift - 9.81 / 4.0).abs() < 0.01);
//! # Ok::<(), sinew_dynamics::DynamicsError>(())
//! ```

#![warn(missing_docs)]
#![deny(unsafe_code)]
// Expectations of tests are computed with the functions of the system, another judge than the code under test.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

/// Defines the number of a thing within its world.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Returns the place in the order of creation, counted from 0.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

mod assemble;
mod body;
mod collide;
mod constraint;
mod contact_points;
mod disjoint_sets;
mod error;
mod force;
mod free_rotation;
mod function;
mod lanes;
mod mass;
mod prescribed_joints;
mod rows;
mod snapshot;
pub mod solve;
mod step;
mod world;

pub use sinew_math as math;
pub use sinew_math::{Placement, Quat, Real, Vec3, rotation_vector, tangents};

pub use assemble::{AssemblyReport, Deviation, Overlap};
pub use body::{Body, BodyId, BodyKind, Motion, Script, State};
pub use collide::hull_faces;
pub use collide::{
    Collider, ColliderId, CollisionEngine, CollisionScene, ContactPoint, Groups, Manifold, Material, Near, PairFilter,
    ParryEngine, Ray, RayHit, Shape, ShapeError, SweepHit,
};
pub use constraint::frame_along;
pub use constraint::{
    Align, Anchor, Axis, Constraint, ConstraintId, Coordinate, CubicSpline, Curve, Distance, Drive, Element,
    EulerLimit, Field, Freedom, Gear, Joint, JointTarget, Kind, Limit, LimitedSpring, OnCurve, OnPath, OnSurface,
    Orientations, Path, Power, PoweredAxis, Pulley, Reaction, Roller, Rolling, Sample, Span, Surface, SwingTwist,
    TargetScript,
};
pub use contact_points::{Contact, ContactSettings, Impact};
pub use error::DynamicsError;
pub use force::{Air, Blower, Force, ForceId, ForceLaw, ForceScope, Law, Loads, Sail};
pub use function::{Shared, TimeFunction};
pub use lanes::turned;
pub use mass::MassProperties;
pub use prescribed_joints::EffortTrack;
pub use rows::{Response, Sense};
pub use snapshot::{History, Snapshot};
pub use step::{Method, Ode, Sleeping, StepControl, StepReport, Stepper, Strict, TimeStepping};
pub use world::{SolverKind, World};

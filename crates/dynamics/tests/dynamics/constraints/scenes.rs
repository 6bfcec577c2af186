//! Builders of bodies and frames, and measurements, shared by the scenes.

use sinew_dynamics::{Body, BodyId, Constraint, ConstraintId, Kind, MassProperties, Placement, World};
use sinew_dynamics::{Quat, Real, Vec3};

pub use crate::acceptance::scenes::{G, H, at, position, run, set_velocity, v};

/// A rotation about an axis by degrees.
pub fn rotation(axis: Vec3, degrees: Real) -> Quat {
    Quat::from_scaled_axis(axis.normalize() * degrees.to_radians())
}

/// A solid ball of 5 cm radius.
pub fn ball(world: &mut World, mass: Real, position: Vec3) -> BodyId {
    body(world, MassProperties::sphere(mass, 0.05), Placement::at(position))
}

pub fn body(world: &mut World, mass: MassProperties, placement: Placement) -> BodyId {
    world.add_body(Body::dynamic("body", mass, placement)).expect("a valid body")
}

pub fn add(world: &mut World, kind: impl Into<Kind>) -> ConstraintId {
    world.add_constraint(Constraint::new(kind)).expect("a valid constraint")
}

/// A direction of a body's axes in the world.
pub fn axis(world: &World, id: BodyId, local: Vec3) -> Vec3 {
    world.state(id).placement.rotation * local
}

/// The times at which a quantity passes zero, interpolated.
#[derive(Default)]
pub struct Crossings {
    last: Option<(Real, Real)>,
    pub times: Vec<Real>,
}

impl Crossings {
    pub fn look(&mut self, time: Real, value: Real) {
        if let Some((t, x)) = self.last
            && x * value < 0.0
        {
            self.times.push(t + (time - t) * x / (x - value));
        }
        self.last = Some((time, value));
    }
}

pub fn assert_close(what: &str, measured: Real, expected: Real, relative: Real) {
    let gap = (measured - expected).abs();
    assert!(
        gap <= relative * expected.abs(),
        "{what}: {measured}, expected {expected} ± {}",
        relative * expected.abs()
    );
}

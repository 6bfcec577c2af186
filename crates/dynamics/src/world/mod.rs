//! The world: owner of bodies, constraints, colliders and forces. It steps them and reports forces and motion.
//!
//! Each kind of data has one owner: [`BodySet`], [`ColliderSet`], the lists of constraints and forces, [`SolverState`],
//! and the contacts and sleep of the last step. The methods of [`World`] live with the set they work on.

mod bodies;
mod colliders;
mod constraints;
mod solver_state;

pub(crate) use bodies::BodySet;
pub(crate) use colliders::ColliderSet;
pub use solver_state::SolverKind;
pub(crate) use solver_state::{ActiveSolver, SolverState};

use crate::body::Body;
use crate::constraint::Constraint;
use crate::contact_points::{ContactSettings, Contacts};
use crate::error::DynamicsError;
use crate::force::Force;
use crate::math::{GRAVITY, Real, Vec3};
use crate::step::{self, Sleep, Sleeping, StepReport, Stepper};

/// Bodies, constraints, colliders, forces, and the clock.
#[derive(Clone, Debug)]
pub struct World {
    /// Gravitational acceleration, m/s²; (0, −9.81, 0) at first.
    pub gravity: Vec3,
    /// Method that advances time.
    pub stepper: Stepper,
    /// Treatment of contact.
    pub contact: ContactSettings,
    /// Conditions under which bodies at rest fall asleep.
    pub sleeping: Sleeping,
    /// Steps islands in parallel; the results are the same.
    pub parallel: bool,
    pub(crate) time: Real,
    pub(crate) bodies: BodySet,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) colliders: ColliderSet,
    pub(crate) forces: Vec<Force>,
    pub(crate) contacts: Contacts,
    pub(crate) sleep: Sleep,
    pub(crate) solver_state: SolverState,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// Creates an empty world with standard gravity along −y and the default stepper and solver.
    pub fn new() -> Self {
        Self {
            gravity: Vec3::new(0.0, -GRAVITY, 0.0),
            stepper: Stepper::default(),
            contact: ContactSettings::default(),
            sleeping: Sleeping::default(),
            parallel: true,
            time: 0.0,
            bodies: BodySet::default(),
            constraints: Vec::new(),
            colliders: ColliderSet::default(),
            forces: Vec::new(),
            contacts: Contacts::default(),
            sleep: Sleep::default(),
            solver_state: SolverState::default(),
        }
    }

    /// Returns the time since the world began, seconds.
    pub fn time(&self) -> Real {
        self.time
    }

    /// Advances the clock by `dt` seconds. On an error the world is as it was before.
    pub fn step(&mut self, dt: Real) -> Result<StepReport, DynamicsError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(DynamicsError::Duration(dt));
        }
        step::step(self, dt)
    }

    /// Returns kinetic plus potential energy of all dynamic bodies, and the energy stored in springs and fields, J; heights
    /// count from the origin.
    pub fn energy(&self) -> Real {
        let energy = |(index, body): (usize, &Body)| {
            let state = &self.bodies.states[index];
            let spin = state.placement.rotation.inverse_transform_vector(&state.angular());
            0.5 * body.mass.mass * state.linear().norm_squared() + 0.5 * spin.dot(&(body.mass.inertia * spin))
                - body.mass.mass * self.gravity.dot(&state.placement.position)
        };
        self.bodies.list.iter().enumerate().filter(|(_, b)| b.is_dynamic()).map(energy).sum::<Real>()
            + self.force_energy()
    }

    /// Returns linear momentum (kg·m/s) and angular momentum about the world origin (kg·m²/s).
    pub fn momentum(&self) -> (Vec3, Vec3) {
        let mut total = (Vec3::zeros(), Vec3::zeros());
        for (index, body) in self.bodies.list.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
            let state = &self.bodies.states[index];
            let linear = state.linear() * body.mass.mass;
            let spin = state.placement.rotation.inverse_transform_vector(&state.angular());
            total.0 += linear;
            total.1 += state.placement.position.cross(&linear) + state.placement.rotation * (body.mass.inertia * spin);
        }
        total
    }
}

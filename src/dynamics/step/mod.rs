//! Steppers: how time goes on.

mod ode;
mod time_stepping;

pub use ode::{Method, Ode, StepControl};
pub use time_stepping::TimeStepping;

use time_stepping::break_constraints;

use super::body::{BodyId, BodyKind, Motion, State};
use super::constraint::{ConstraintId, Reaction};
use super::error::DynamicsError;
use super::rows::{Assembly, Scope};
use super::world::World;
use crate::math::{Real, Vec3, Vec6};

/// How time goes on.
#[derive(Clone, Debug)]
pub enum Stepper {
    /// Velocity level, fixed substeps, soft constraints, exact joints: the default.
    TimeStepping(TimeStepping),
    /// Acceleration level, any order, fixed or adaptive: the reference.
    Ode(Ode),
}

impl Default for Stepper {
    fn default() -> Self {
        Stepper::TimeStepping(TimeStepping::default())
    }
}

/// What one step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Inner steps.
    pub substeps: usize,
    /// Solver iterations, all inner steps together.
    pub iterations: usize,
    /// Largest deviation of any exactly held row at the end of the step, metres or radians.
    pub worst_error: Real,
    /// Largest violation of the row conditions that the solver left, velocity units.
    pub residual: Real,
    /// Constraints that broke in this step.
    pub broken: usize,
}

/// Buffers that live from step to step, so that a steady step allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub assembly: Assembly,
    pub lambda: Vec<Real>,
    pub velocity: Vec<Vec6>,
    pub scripted: Vec<Vec6>,
    pub offset: Vec<Vec6>,
    pub trial: Vec<State>,
    /// Largest deviation of the exactly held rows before the substep.
    pub open: Real,
    /// Whether any constraint keeps something from step to step, and whether any may break.
    pub remembers: bool,
    pub breakable: bool,
    /// Whether a row is held exactly.
    pub exact: Vec<bool>,
    pub targets: Vec<Real>,
    pub correction: Vec<Real>,
    pub velocity_correction: Vec<Vec6>,
    pub saved: Vec<State>,
    /// Square of the fastest sideways vibration that tension causes, by body, 1/s².
    pub tension: Vec<Real>,
    /// Time that `multipliers` were gathered over: the whole step, unless rows came or went within it.
    pub covered: Real,
    /// The topology they belong to.
    gathered: u64,
    /// Multipliers of the last step, N or N·m, by row of `assembly`.
    pub multipliers: Vec<Real>,
    /// What pulls from outside, N and N·m about the centres of mass, by body.
    pub applied: Vec<Vec6>,
    pub ode: ode::Memory,
}

impl Workspace {
    /// Adds the impulses of a substep to those of the step; begins anew where rows came or went.
    fn keep_multipliers(&mut self, h: Real, first: bool) {
        if first || self.gathered != self.assembly.problem.topology {
            (self.covered, self.gathered) = (0.0, self.assembly.problem.topology);
            self.multipliers.clear();
            self.multipliers.resize(self.lambda.len(), 0.0);
        }
        self.covered += h;
        self.multipliers.iter_mut().zip(&self.lambda).for_each(|(m, l)| *m += l);
    }

    /// Adds a correction (or takes it back) to the velocities and multipliers, or, calmly, to the way alone.
    #[inline]
    fn take_correction(&mut self, sign: Real, calm: bool) {
        let moved = if calm { &mut self.offset } else { &mut self.velocity };
        moved.iter_mut().zip(&self.velocity_correction).for_each(|(v, c)| *v += c * sign);
        if !calm {
            self.lambda.iter_mut().zip(&self.correction).for_each(|(l, c)| *l += c * sign);
        }
    }

    pub fn reaction(&self, id: ConstraintId) -> Reaction {
        let mut reaction = Reaction::default();
        let problem = &self.assembly.problem;
        for (block, _) in problem.blocks.iter().zip(&self.assembly.owners).filter(|(_, owner)| **owner == id.0) {
            for row in block.first as usize..(block.first + block.count) as usize {
                let lambda = self.multipliers[row];
                reaction.multipliers.push(lambda);
                for entry in problem.entries(row) {
                    let body = BodyId(entry.body);
                    match reaction.wrenches.iter_mut().find(|(b, _)| *b == body) {
                        Some((_, wrench)) => *wrench += entry.jacobian * lambda,
                        None => reaction.wrenches.push((body, entry.jacobian * lambda)),
                    }
                }
            }
        }
        reaction
    }
}

/// Steps the world; undoes everything if a number stops being finite.
pub(crate) fn step(world: &mut World, dt: Real) -> Result<StepReport, DynamicsError> {
    let time = world.time;
    let mut saved = std::mem::take(&mut world.workspace.saved);
    saved.clear();
    saved.extend_from_slice(&world.states);
    let result = match world.stepper.clone() {
        Stepper::TimeStepping(stepper) => stepper.step(world, dt),
        Stepper::Ode(stepper) => stepper.step(world, dt),
    };
    let broken = world.states.iter().position(|s| !s.is_finite());
    world.workspace.saved = saved;
    if let Some(index) = broken {
        let state = &world.states[index];
        let finite = |v: &Vec3| v.iter().all(|x| x.is_finite());
        let what = if finite(&state.linear()) && finite(&state.angular()) { "a position" } else { "a velocity" };
        let name = world.bodies[index].name.clone();
        world.states.copy_from_slice(&world.workspace.saved);
        world.time = time;
        return Err(DynamicsError::Diverged { name, what, time });
    }
    world.loads.fill(Vec6::zeros());
    Ok(result)
}

/// Where a scripted body is at a time; bodies without a script keep their velocity.
pub(crate) fn scripted_motion(kind: &BodyKind, state: &State, ahead: Real, time: Real) -> Motion {
    match kind {
        BodyKind::Kinematic(Some(script)) => (script.0)(time),
        BodyKind::Kinematic(None) => Motion {
            placement: State::moved(&state.placement, &state.velocity, ahead),
            velocity: state.velocity,
            acceleration: Vec6::zeros(),
        },
        BodyKind::Fixed | BodyKind::Dynamic => {
            Motion { placement: state.placement, velocity: Vec6::zeros(), acceleration: Vec6::zeros() }
        }
    }
}

/// States the rows of all constraints that act at `when`, with targets taken at `time`.
pub(crate) fn assemble(world: &mut World, when: Real, time: Real) {
    let World { constraints, states, movable, workspace, .. } = world;
    let Workspace { assembly, scripted, .. } = workspace;
    assembly.clear();
    assembly.with_curvature = true;
    let scope = Scope { states, scripted, movable, time };
    for (index, constraint) in constraints.iter_mut().enumerate() {
        if constraint.acts_at(when) {
            constraint.aim(time);
            let pivot = constraint.is_pivot();
            assembly.block(index as u32, pivot, scope, |sink| constraint.emit(pivot, &scope, sink));
        }
    }
}

//! Steppers: methods that advance time.

mod contact_prediction;
pub(crate) mod island;
pub(crate) mod islands;
mod ode;
mod sleep;
mod time_stepping;
mod workspace;

pub use ode::{Method, Ode, StepControl, Strict};
pub(crate) use sleep::Sleep;
pub use sleep::Sleeping;
pub use time_stepping::TimeStepping;
pub(crate) use workspace::Workspace;

use island::{Exclusive, Island, StepContext};
use islands::Islands;
use time_stepping::break_constraints;

use super::body::{Body, BodyKind, Motion, Stagger, State};
use super::error::DynamicsError;
use super::free_rotation::MOST_ROTATION;
use super::rows::Scope;
use super::solve::Outcome;
use super::world::{BodySet, ColliderSet, SolverState, World};
use crate::math::{Real, Vec3, Vec6, rotation_vector};
use rayon::prelude::*;

/// Method that advances time.
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

/// Effort and accuracy of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Number of inner steps.
    pub substeps: usize,
    /// Solver iterations, all inner steps together.
    pub iterations: usize,
    /// Largest deviation of any exactly held row at the end of the step, metres or radians.
    pub worst_error: Real,
    /// Largest violation of the row conditions that the solver left, velocity units.
    pub residual: Real,
    /// Constraints that broke in this step.
    pub broken: usize,
    /// Inner steps taken again, shorter, because bodies ran into each other; strict contact only.
    pub rollbacks: usize,
    /// Times that bodies had to be stopped because nothing else kept them from sinking into each other; strict contact
    /// only.
    pub critical_stops: usize,
}

impl StepReport {
    /// Adds the effort of a solve and its residual.
    fn add(&mut self, outcome: &Outcome) {
        self.iterations += outcome.iterations;
        self.residual = self.residual.max(outcome.residual);
    }
}

/// Steps the world; leaves it as it was if a number stops being finite.
pub(crate) fn step(world: &mut World, dt: Real) -> Result<StepReport, DynamicsError> {
    let report = match world.stepper.clone() {
        Stepper::TimeStepping(stepper) => step_islands(world, &stepper, dt)?,
        Stepper::Ode(stepper) => step_whole(world, &stepper, dt)?,
    };
    world.bodies.loads.fill(Vec6::zeros());
    Ok(report)
}

/// Steps all bodies at once, at acceleration level.
fn step_whole(world: &mut World, stepper: &Ode, dt: Real) -> Result<StepReport, DynamicsError> {
    let time = world.time;
    let saved = world.bodies.states.clone();
    world.sleep.wake_everything();
    let report = stepper.step(world, dt);
    world.solver_state.in_islands = false;
    world.bodies.staggers.fill(Stagger::NONE);
    let crowded = refuse_crowds(world).err();
    let unfit = world.bodies.states.iter().position(|s| !s.is_finite());
    let unfit = unfit.map(|index| diverged(&world.bodies.list[index], &world.bodies.states[index], time));
    if let Some(error) = crowded.or(unfit) {
        (world.bodies.states, world.time) = (saved, time);
        return Err(error);
    }
    Ok(report)
}

fn diverged(body: &Body, state: &State, time: Real) -> DynamicsError {
    let finite = |v: &Vec3| v.iter().all(|x| x.is_finite());
    let what = if finite(&state.linear()) && finite(&state.angular()) { "a position" } else { "a velocity" };
    DynamicsError::Diverged { name: body.name.clone(), what, time }
}

/// Steps island by island, at velocity level.
fn step_islands(world: &mut World, stepper: &TimeStepping, dt: Real) -> Result<StepReport, DynamicsError> {
    refuse_whirls(&world.bodies, dt, world.time)?;
    world.wake_disturbed();
    world.find_contacts(dt);
    refuse_crowds(world)?;
    let manifolds = std::mem::take(&mut world.contacts.manifolds);
    Islands::partition(world, &manifolds);
    world.wake_islands();
    let (gravity, contact, parallel, start) = (world.gravity, world.contact, world.parallel, world.time);
    let BodySet {
        list: bodies,
        states,
        staggers,
        inverse_transverse_moment,
        bounding_radius,
        tension,
        inverse_inertia,
        loads,
        ..
    } = &mut world.bodies;
    let ColliderSet { list: colliders, engine, .. } = &mut world.colliders;
    let SolverState { islands, .. } = &mut world.solver_state;
    let World { constraints, forces, contacts, .. } = world;
    let Islands { pool, slots, active, .. } = islands;
    let context = StepContext {
        bodies,
        inverse_transverse_moment,
        bounding_radius,
        tension,
        inverse_inertia,
        loads,
        forces,
        slots,
        constraints: Exclusive::new(constraints),
        manifolds: &manifolds,
        colliders,
        engine: &**engine,
        warm: &contacts.warm,
        contact: &contact,
        gravity,
        start,
    };
    let (states, staggers) = (&*states, &*staggers);
    let run = |island: &mut Island| {
        if island.in_use && island.awake {
            island.gather(states, staggers, start);
            island.report = stepper.step(island, &context, dt);
        }
    };
    let awake = |place: &&u32| pool[**place as usize].awake;
    if parallel && active.iter().filter(awake).count() > 1 && rayon::current_num_threads() > 1 {
        pool.par_iter_mut().for_each(run);
    } else {
        pool.iter_mut().for_each(run);
    }
    world.contacts.manifolds = manifolds;
    let report = commit_islands(world, dt)?;
    world.read_contacts(dt);
    world.put_to_sleep(dt);
    Ok(report)
}

/// Pairs of bodies in each other that a step takes: so many, and so many more for each body. Equal balls touch twelve others at
/// most, and boxes of all sizes not many more on average, so that these are bodies placed in one another.
const MOST_OVERLAPS: [usize; 2] = [1 << 12, 64];

/// Refuses a world in which very many bodies are in each other.
fn refuse_crowds(world: &World) -> Result<(), DynamicsError> {
    let most = MOST_OVERLAPS[0] + MOST_OVERLAPS[1] * world.bodies.list.len();
    let (manifolds, movable) = (&world.contacts.manifolds, &world.bodies.movable);
    if manifolds.len() <= most && world.colliders.engine.found_all() {
        return Ok(());
    }
    let all = !world.colliders.engine.found_all();
    let mut others = vec![0; movable.len()];
    let (mut pairs, mut last) = (0, None);
    for manifold in manifolds {
        let pair = [manifold.body_a, manifold.body_b];
        let overlaps = manifold.points().iter().any(|point| point.distance < 0.0);
        if (all || overlaps) && pair.iter().all(|body| movable[body.index()]) && last.replace(pair) != Some(pair) {
            pairs += 1;
            pair.iter().for_each(|body| others[body.index()] += 1);
        }
    }
    if pairs <= most && !all {
        return Ok(());
    }
    let most_of_all = others.iter().copied().max().unwrap_or(0);
    let name = others.iter().zip(&world.bodies.list).find(|(count, _)| **count == most_of_all);
    let (name, others) = (name.map(|(_, body)| body.name.clone()).unwrap_or_default(), most_of_all);
    Err(DynamicsError::Crowded { name, others, pairs, most, time: world.time })
}

/// Refuses bodies that rotate farther within a step than free rotation can follow.
fn refuse_whirls(bodies: &BodySet, dt: Real, time: Real) -> Result<(), DynamicsError> {
    let too_fast = |state: &State| state.angular().norm_squared() * dt * dt > MOST_ROTATION * MOST_ROTATION;
    match bodies.states.iter().zip(&bodies.movable).position(|(state, movable)| *movable && too_fast(state)) {
        Some(index) => Err(DynamicsError::TooFast {
            name: bodies.list[index].name.clone(),
            angle: bodies.states[index].angular().norm() * dt,
            most: MOST_ROTATION,
            duration: dt,
            time,
        }),
        None => Ok(()),
    }
}

/// Copies the islands' states back, if all of them are numbers.
fn commit_islands(world: &mut World, dt: Real) -> Result<StepReport, DynamicsError> {
    let BodySet { list: bodies, states, staggers, movable, tension, .. } = &mut world.bodies;
    let SolverState { islands, .. } = &mut world.solver_state;
    let time = world.time;
    let awake = || islands.active.iter().map(|&place| &islands.pool[place as usize]).filter(|island| island.awake);
    for island in awake() {
        if let Some(slot) = island.states.iter().position(|s| !s.is_finite()) {
            return Err(diverged(&bodies[island.members[slot] as usize], &island.states[slot], time));
        }
    }
    let end = time + dt;
    // Scripted bodies move even if they are in no island.
    for index in (0..bodies.len()).filter(|index| !movable[*index]) {
        states[index] = scripted_end(&bodies[index].kind, &states[index], dt, end);
        if !states[index].is_finite() {
            return Err(diverged(&bodies[index], &states[index], time));
        }
    }
    let mut report = StepReport::default();
    for island in awake() {
        for (&body, state) in island.own().iter().zip(&island.states[island.fixed..]) {
            states[body as usize] = *state;
        }
        for (&body, stagger) in island.own().iter().zip(&island.staggers[island.fixed..]) {
            staggers[body as usize] = *stagger;
        }
        for (&body, pull) in island.members.iter().zip(&island.workspace.tension.by_body) {
            tension[body as usize] = *pull;
        }
        report.substeps = report.substeps.max(island.report.substeps);
        report.iterations += island.report.iterations;
        report.worst_error = report.worst_error.max(island.report.worst_error);
        report.residual = report.residual.max(island.report.residual);
        report.broken += island.report.broken;
    }
    report.substeps = report.substeps.max(1);
    (world.time, world.solver_state.in_islands) = (end, true);
    world.solver_state.islands.up_to_date &= report.broken == 0;
    Ok(report)
}

/// Returns the state of a scripted body after a step, with its mean velocity over it.
fn scripted_end(kind: &BodyKind, state: &State, dt: Real, end: Real) -> State {
    let goal = scripted_motion(kind, state, dt, end).placement;
    let angular = rotation_vector(&(goal.rotation * state.placement.rotation.inverse())) / dt;
    let shift = (goal.position - state.placement.position) / dt;
    State { placement: goal, velocity: Vec6::new(shift.x, shift.y, shift.z, angular.x, angular.y, angular.z) }
}

/// Returns the motion of a scripted body at a time; bodies without a script keep their velocity.
pub(crate) fn scripted_motion(kind: &BodyKind, state: &State, ahead: Real, time: Real) -> Motion {
    match kind {
        BodyKind::Kinematic(Some(script)) => script.at(time),
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
    let BodySet { states, movable, identity_slots, .. } = &mut world.bodies;
    let SolverState { workspace, .. } = &mut world.solver_state;
    let World { constraints, .. } = world;
    let Workspace { assembly, scripted, .. } = workspace;
    assembly.clear();
    assembly.with_curvature = true;
    let scope = Scope { slots: identity_slots, states, scripted, movable, time };
    for (index, constraint) in constraints.iter_mut().enumerate() {
        if constraint.acts_at(when) {
            constraint.aim(time);
            let pivot = constraint.is_pivot();
            assembly.block(index as u32, pivot, scope, |sink| constraint.emit(pivot, &scope, sink));
        }
    }
}

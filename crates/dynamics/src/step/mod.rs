//! Steppers: how time goes on.

mod contact_prediction;
pub(crate) mod island;
pub(crate) mod islands;
mod ode;
mod sleep;
mod time_stepping;

pub use ode::{Method, Ode, StepControl, Strict};
pub(crate) use sleep::Sleep;
pub use sleep::Sleeping;
pub use time_stepping::TimeStepping;

use island::{Exclusive, Island, StepContext};
use islands::Islands;
use time_stepping::break_constraints;

use super::body::{Body, BodyId, BodyKind, Motion, State};
use super::constraint::{ConstraintId, Reaction, rotation_vector};
use super::error::DynamicsError;
use super::rows::{Assembly, Scope};
use super::solve::Entry;
use super::world::{BodySet, ColliderSet, SolverState, World};
use crate::math::{Mat3, Real, Vec3, Vec6};
use rayon::prelude::*;

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
    /// Inner steps taken again, shorter, because bodies ran into each other; strict contact only.
    pub rollbacks: usize,
    /// Times that bodies had to be stopped dead because nothing else kept them from sinking into each other; strict
    /// contact only.
    pub critical_stops: usize,
}

/// Buffers that live from step to step, so that a steady step allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub assembly: Assembly,
    pub lambda: Vec<Real>,
    pub velocity: Vec<Vec6>,
    pub scripted: Vec<Vec6>,
    pub offset: Vec<Vec6>,
    /// The bodies' own axes at the start of the substep, by columns.
    pub axes: Vec<Mat3>,
    pub trial: Vec<State>,
    /// Largest deviation of the exactly held rows before the substep.
    pub open: Real,
    /// Whether any constraint keeps something from step to step, and whether any may break.
    pub remembers: bool,
    pub breakable: bool,
    /// Whether a row is held exactly.
    pub exact: Vec<bool>,
    pub targets: Vec<Real>,
    /// One-sided rows that were past their ends, and how fast they are brought back, m/s or rad/s.
    pub passed: Vec<(u32, Real)>,
    /// What the rows that come and go pressed with in the last substep, N or N·m: for each of their constraints how many
    /// rows it had, and their multipliers one after the other.
    pub pressing: Vec<(u32, u32)>,
    pub pressed: Vec<Real>,
    pub correction: Vec<Real>,
    pub velocity_correction: Vec<Vec6>,
    /// Free velocities and shifts, and velocities and multipliers before corrections, where something touches.
    pub free: Vec<Vec6>,
    pub free_offset: Vec<Vec6>,
    pub plain: Vec<Vec6>,
    pub plain_lambda: Vec<Real>,
    /// Velocities before stage 3.
    pub tangent: Vec<Vec6>,
    pub turning_entries: Vec<Entry>,
    /// Square of the fastest sideways vibration that tension causes, by body, 1/s².
    pub tension: Vec<Real>,
    /// What motors add to the inertia of each body, as a share of its own.
    pub braces: Vec<Real>,
    /// Time that `multipliers` were gathered over: the whole step, unless rows came or went within it.
    pub covered: Real,
    /// The pattern of rows they belong to.
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
        if first || self.gathered != self.assembly.pattern {
            (self.covered, self.gathered) = (0.0, self.assembly.pattern);
            self.multipliers.clear();
            self.multipliers.resize(self.lambda.len(), 0.0);
        }
        self.covered += h;
        self.multipliers.iter_mut().zip(&self.lambda).for_each(|(m, l)| *m += l);
    }

    /// Notes what the rows that come and go press with, for the next substep to begin with.
    fn keep_pressing(&mut self, h: Real) {
        let Workspace { assembly, lambda, pressing, pressed, .. } = self;
        pressing.clear();
        pressed.clear();
        let persistent_rows = assembly.problem.persistent_rows;
        for (block, &owner) in assembly.problem.blocks.iter().zip(&assembly.owners) {
            if block.first >= persistent_rows {
                pressing.push((owner, block.count));
                let rows = block.first as usize..(block.first + block.count) as usize;
                pressed.extend(lambda[rows].iter().map(|impulse| impulse / h));
            }
        }
    }

    /// Begins with what they pressed with before. Both lists are in the order of the island's constraints.
    fn press_again(&mut self, h: Real) {
        let Workspace { assembly, lambda, pressing, pressed, .. } = self;
        let persistent_rows = assembly.problem.persistent_rows;
        let (mut at, mut from) = (0, 0);
        for (block, &owner) in
            assembly.problem.blocks.iter().zip(&assembly.owners).filter(|(b, _)| b.first >= persistent_rows)
        {
            let Some(ahead) = pressing[at..].iter().position(|(constraint, _)| *constraint == owner) else { continue };
            from += pressing[at..at + ahead].iter().map(|(_, count)| *count as usize).sum::<usize>();
            at += ahead;
            // Which of its ends are near may have changed: then nobody knows which row was which.
            if pressing[at].1 == block.count {
                let count = block.count as usize;
                let rows = &mut lambda[block.first as usize..block.first as usize + count];
                rows.iter_mut().zip(&pressed[from..from + count]).for_each(|(impulse, force)| *impulse = force * h);
            }
        }
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

    /// The rows of a constraint in the last step.
    fn rows_of(&self, id: ConstraintId) -> impl Iterator<Item = usize> + '_ {
        let owned = self.assembly.problem.blocks.iter().zip(&self.assembly.owners).filter(move |(_, o)| **o == id.0);
        owned.flat_map(|(block, _)| block.first as usize..(block.first + block.count) as usize)
    }

    /// The multipliers of a constraint's last rows, as many as there is room for; false where it has fewer.
    pub fn last_multipliers(&self, id: ConstraintId, out: &mut [Real]) -> bool {
        let count = self.rows_of(id).count();
        let enough = count >= out.len() && count > 0;
        if enough {
            let rows = self.rows_of(id).skip(count - out.len());
            out.iter_mut().zip(rows).for_each(|(value, row)| *value = self.multipliers[row]);
        }
        enough
    }

    /// What a constraint did to one body.
    pub fn wrench(&self, id: ConstraintId, body: BodyId, members: &[u32]) -> Vec6 {
        let problem = &self.assembly.problem;
        let on_body = |entry: &&super::solve::Entry| members[entry.body as usize] == body.0;
        let of_row = |row: usize| {
            problem.entries(row).iter().filter(on_body).map(|e| e.jacobian * self.multipliers[row]).sum::<Vec6>()
        };
        self.rows_of(id).map(of_row).sum()
    }

    /// What a constraint did; `members` are the numbers of the bodies by slot.
    pub fn reaction(&self, id: ConstraintId, members: &[u32]) -> Reaction {
        let mut reaction = Reaction::default();
        let problem = &self.assembly.problem;
        for (block, _) in problem.blocks.iter().zip(&self.assembly.owners).filter(|(_, owner)| **owner == id.0) {
            for row in block.first as usize..(block.first + block.count) as usize {
                let lambda = self.multipliers[row];
                reaction.multipliers.push(lambda);
                for entry in problem.entries(row) {
                    let body = BodyId(members[entry.body as usize]);
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

/// Steps the world; leaves it as it was if a number stops being finite.
pub(crate) fn step(world: &mut World, dt: Real) -> Result<StepReport, DynamicsError> {
    let report = match world.stepper.clone() {
        Stepper::TimeStepping(stepper) => step_islands(world, &stepper, dt)?,
        Stepper::Ode(stepper) => step_whole(world, &stepper, dt)?,
    };
    world.bodies.loads.fill(Vec6::zeros());
    Ok(report)
}

/// All bodies at once, at acceleration level.
fn step_whole(world: &mut World, stepper: &Ode, dt: Real) -> Result<StepReport, DynamicsError> {
    let time = world.time;
    let saved = world.bodies.states.clone();
    world.sleep.wake_everything();
    let report = stepper.step(world, dt);
    world.solver_state.in_islands = false;
    if let Some(index) = world.bodies.states.iter().position(|s| !s.is_finite()) {
        let error = diverged(&world.bodies.list[index], &world.bodies.states[index], time);
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

/// Island by island, at velocity level.
fn step_islands(world: &mut World, stepper: &TimeStepping, dt: Real) -> Result<StepReport, DynamicsError> {
    world.wake_disturbed();
    world.find_contacts(dt);
    let manifolds = std::mem::take(&mut world.contacts.manifolds);
    Islands::partition(world, &manifolds);
    world.wake_islands();
    let (gravity, contact, parallel, start) = (world.gravity, world.contact, world.parallel, world.time);
    let BodySet { list: bodies, states, inverse_transverse_moment, tension, inverse_inertia, loads, .. } =
        &mut world.bodies;
    let ColliderSet { list: colliders, engine, .. } = &mut world.colliders;
    let SolverState { islands, .. } = &mut world.solver_state;
    let World { constraints, forces, contacts, .. } = world;
    let Islands { pool, slots, active, .. } = islands;
    let context = StepContext {
        bodies,
        inverse_transverse_moment,
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
    let states = &*states;
    let run = |island: &mut Island| {
        if island.in_use && island.awake {
            island.gather(states, start);
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

/// Copies the islands' states back, if all of them are numbers.
fn commit_islands(world: &mut World, dt: Real) -> Result<StepReport, DynamicsError> {
    let BodySet { list: bodies, states, movable, tension, .. } = &mut world.bodies;
    let SolverState { islands, .. } = &mut world.solver_state;
    let time = world.time;
    let awake = || islands.active.iter().map(|&place| &islands.pool[place as usize]).filter(|island| island.awake);
    for island in awake() {
        if let Some(slot) = island.states.iter().position(|s| !s.is_finite()) {
            return Err(diverged(&bodies[island.members[slot] as usize], &island.states[slot], time));
        }
    }
    let end = time + dt;
    // Scripted bodies move whether or not anybody looks at them.
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
        for (&body, pull) in island.members.iter().zip(&island.workspace.tension) {
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

/// Where a scripted body is after a step, with its mean velocity over it.
fn scripted_end(kind: &BodyKind, state: &State, dt: Real, end: Real) -> State {
    let goal = scripted_motion(kind, state, dt, end).placement;
    let turn = rotation_vector(&(goal.rotation * state.placement.rotation.inverse())) / dt;
    let shift = (goal.position - state.placement.position) / dt;
    State { placement: goal, velocity: Vec6::new(shift.x, shift.y, shift.z, turn.x, turn.y, turn.z) }
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

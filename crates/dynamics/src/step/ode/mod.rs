//! The acceleration-level stepper: constraints as forces in an ordinary differential equation.
//!
//! The state is (x, q, P, L): positions, orientations, momenta. Its derivative is (v, ω, F, τ), where F and τ contain the
//! constraint forces Jᵀλ that make
//!
//! ```text
//!   J a = c,    c = C̈_wanted − J̇v − β (Ċ − Ċ_wanted) − α C,        α = 1/τ²,  β = 2/τ
//! ```
//!
//! Exactly held rows have the stepper's τ or none; rows with a time constant have their own; rows with a spring push
//! with −K C − D Ċ within their limits and are no unknowns; rows that hold a speed have β alone.
//!
//! Over one step the orientation is q = exp(θ) q₀ with θ̇ = dexp⁻¹_θ ω (Munthe-Kaas 1999), so that Euler, midpoint and RK4 keep
//! their orders 1, 2, 4 and no quaternion is ever renormalised. Steps end exactly at the time asked for, and never
//! straddle the start or end of a constraint or force. Where something jumps (a blow, a new constraint, a limit that is hit) the
//! *velocities* of exactly held rows are made right first by impulses. One-sided rows act while C ≤ 0 and push only; a step
//! that would run through one is cut where C = 0.

mod derivative;
mod distance_curvature;
mod impact;
mod rollback;
mod strict;

pub use strict::Strict;

use super::{StepReport, break_constraints};
use crate::body::{State, world_inertia};
use crate::math::{Buffer, Real, Vec6, real, rotation_vector};
use crate::rows::{Assembly, Scope};
use crate::world::{BodySet, SolverState, World};
use derivative::{Flow, Moment, critical};
use impact::Judged;
use strict::Touching;

/// Integration of the derivative over one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Order 1, one evaluation.
    Euler,
    /// Order 2, two evaluations.
    Midpoint,
    /// Order 4, four evaluations.
    #[default]
    RungeKutta4,
}

impl Method {
    /// Returns the order of the error of one step, less one.
    pub fn order(self) -> i32 {
        match self {
            Method::Euler => 1,
            Method::Midpoint => 2,
            Method::RungeKutta4 => 4,
        }
    }

    /// Time of each stage, as a share of the step, and its weight.
    fn stages(self) -> &'static [(Real, Real)] {
        match self {
            Method::Euler => &[(0.0, 1.0)],
            Method::Midpoint => &[(0.0, 0.0), (0.5, 1.0)],
            Method::RungeKutta4 => &[(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)],
        }
    }
}

/// Length of the inner steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepControl {
    /// Equal steps, as few as possible.
    Fixed {
        /// Longest step, seconds.
        max_step: Real,
    },
    /// One step is compared with two halves; the difference stays below the tolerance.
    Adaptive {
        /// Largest difference of one step: metres, radians, m/s, rad/s.
        tolerance: Real,
        /// Shortest step, taken whatever the difference, seconds.
        min_step: Real,
        /// Longest step, seconds.
        max_step: Real,
    },
}

impl StepControl {
    /// Chooses steps so that the error stays within `tolerance` per step.
    pub fn adaptive(tolerance: Real) -> Self {
        StepControl::Adaptive { tolerance, min_step: 1e-7, max_step: Real::INFINITY }
    }
}

/// Settings of the acceleration-level stepper.
///
/// ```
/// use sinew_dynamics::Vec3;
/// use sinew_dynamics::{Body, Constraint, Joint, MassProperties, Ode, Placement, Stepper, World};
///
/// // A rod released horizontally from a nail reaches the bottom with ω² = 3g/L.
/// let mut world = World::new();
/// world.stepper = Stepper::Ode(Ode::default());
/// let rod = Body::dynamic("rod", MassProperties::rod(1.0, 1.0), Placement::at(Vec3::new(0.5, 0.0, 0.0)));
/// let rod = world.add_body(rod)?;
/// world.add_constraint(Constraint::new(Joint::ball(
///     None,
///     Placement::IDENTITY,
///     Some(rod),
///     Placement::at(Vec3::new(-0.5, 0.0, 0.0)),
/// )))?;
/// let mut fastest: f64 = 0.0;
/// for _ in 0..200 {
///     world.step(0.005)?;
///     fastest = fastest.max(world.state(rod).angular().norm());
/// }
/// assert!((fastest - (3.0_f64 * 9.81).sqrt()).abs() < 1e-3);
/// # Ok::<(), sinew_dynamics::DynamicsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ode {
    /// Integration method.
    pub method: Method,
    /// Length of the inner steps.
    pub control: StepControl,
    /// Time constant in which deviations of exactly held rows die out, seconds; `None` lets them drift.
    pub stabilisation: Option<Real>,
    /// Gain of rows that hold a speed, 1/s.
    pub rate_gain: Real,
    /// Corrects velocities by impulses before every inner step, and removes this share of each deviation with
    /// them; exactly held rows then need no time constant.
    pub velocity_level: Option<Real>,
    /// Treatment of contact; `None` lets colliders pass through each other.
    pub strict: Option<Strict>,
}

impl Default for Ode {
    fn default() -> Self {
        Self {
            method: Method::default(),
            control: StepControl::Fixed { max_step: Real::INFINITY },
            stabilisation: Some(0.05),
            rate_gain: 50.0,
            velocity_level: None,
            strict: None,
        }
    }
}

/// Buffers and state kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// A velocity jumped or a constraint changed since the last step.
    pub restart: bool,
    /// No impulses at restarts: deviations of velocity die out like those of position.
    pub gentle: bool,
    /// Constraints that acted in the last inner step.
    acting: Vec<bool>,
    /// Times within the step at which something begins or ends.
    events: Vec<Real>,
    /// The step that the error control wants next.
    next_step: Option<Real>,
    /// The state at the start of an inner step, and its momenta.
    base: Vec<State>,
    base_momentum: Vec<Vec6>,
    base_time: Real,
    /// The states at the end of the last inner step, with the momenta they were made of.
    placed: Vec<(State, Vec6)>,
    /// Offset of a stage from the base, rates there, and the weighted sum of the stages.
    offset: Vec<Flow>,
    flow: Vec<Flow>,
    sum: Vec<Flow>,
    /// The rows that are unknowns, and where they stand among all rows.
    reduced: Assembly,
    kept: Vec<u32>,
    lambda: Vec<Real>,
    acceleration: Vec<Vec6>,
    /// True for rows that are unknowns of this evaluation.
    unknown: Vec<bool>,
    /// State of the one-sided rows at the start of the inner step.
    judged: Judged,
    /// The states at the start of an inner step, after impulses, and after one whole step.
    start: Vec<State>,
    full_step: Vec<State>,
    /// Points of contact, and their state at the start of the inner step.
    touching: Touching,
}

impl Ode {
    /// Creates default settings with this integration method.
    pub fn new(method: Method) -> Self {
        Self { method, ..Self::default() }
    }

    pub(crate) fn step(&self, world: &mut World, dt: Real) -> StepReport {
        let memory = std::mem::take(&mut world.solver_state.workspace.ode);
        let mut integration = Integration { ode: *self, world, memory, report: StepReport::default() };
        integration.step(dt);
        let Integration { memory, report, .. } = integration;
        world.solver_state.workspace.ode = memory;
        report
    }
}

/// World on its way through a step, with the buffers and the report of the stepper.
struct Integration<'a> {
    ode: Ode,
    world: &'a mut World,
    memory: Memory,
    report: StepReport,
}

impl Integration<'_> {
    fn step(&mut self, dt: Real) {
        let (start, end) = (self.world.time, self.world.time + dt);
        let mut from = start;
        let mut last = Moment { when: start, time: end };
        self.world.solver_state.solver.settle_contacts_to(&self.world.contact, self.world.contact.sweeps);
        find_events(self.world, start, end, dt, &mut self.memory.events);
        for at in 0..self.memory.events.len() {
            let to = self.memory.events[at];
            let when = 0.5 * (from + to);
            self.restart_if_changed(when);
            self.advance(when, to);
            from = to;
            last.when = when;
        }
        // The read-out shows what acts at the end of the step.
        self.memory.forget_judgement();
        self.derivative(last);
        self.read_touches();
        self.report.worst_error = derivative::worst_exact_error(self.world);
        self.report.broken += break_some(self.world);
    }

    fn restart_if_changed(&mut self, when: Real) {
        let acting = self.world.constraints.iter().map(|c| c.acts_at(when));
        if self.memory.restart || !acting.clone().eq(self.memory.acting.iter().copied()) {
            self.memory.acting.assign(acting);
            self.memory.restart = true;
            self.memory.next_step = None;
        }
    }

    /// Advances from the world's time to `end`, without events between.
    fn advance(&mut self, when: Real, end: Real) {
        let breakable = self.world.constraints.iter().any(|c| c.break_force.is_some());
        let mut cuts = 0;
        while self.world.time < end {
            let rest = end - self.world.time;
            self.settle_velocities(Moment { when, time: self.world.time }, rest);
            let h = match self.ode.control {
                StepControl::Fixed { max_step } => {
                    let h = rest / (rest / max_step - 1e-6).ceil().max(1.0);
                    self.run_from(when, self.world.time, h);
                    h
                }
                StepControl::Adaptive { tolerance, min_step, max_step } => {
                    self.adaptive(when, rest, (tolerance, min_step, max_step))
                }
            };
            let mut taken = self.stop_at_limits(when, h);
            if let Some(strict) = self.ode.strict {
                taken = self.stop_at_contacts(&strict, when, taken);
                cuts += (taken < rest) as usize;
                if cuts > rollback::MOST_CUTS {
                    self.hold_and_go_on(when, rest);
                    taken = rest;
                }
            }
            self.world.time = if taken >= rest * (1.0 - 1e-12) { end } else { self.world.time + taken };
            self.report.substeps += 1;
            settle(self.world);
            if breakable {
                self.memory.forget_judgement();
                self.derivative(Moment { when, time: self.world.time });
                self.report.broken += break_some(self.world);
                self.restart_if_changed(when);
            }
            if !self.world.bodies.states.iter().all(State::is_finite) {
                return;
            }
        }
    }

    /// Takes one step of length `h` from the world's states, which are those of `time`; the clock stays.
    fn run_from(&mut self, when: Real, time: Real, h: Real) {
        let count = self.world.bodies.states.len();
        self.memory.base.clone_from(&self.world.bodies.states);
        self.memory.base_time = time;
        self.memory.touching.span = h;
        self.memory.base_momentum.clear();
        for (index, state) in self.world.bodies.states.iter().enumerate() {
            // The momenta are the variables: a state that is still the one they gave is not converted back.
            if self.memory.placed.get(index).is_some_and(|(placed, _)| placed == state) {
                self.memory.base_momentum.push(self.memory.placed[index].1);
                continue;
            }
            let (body, rotation) = (&self.world.bodies.list[index], &state.placement.rotation);
            let inertia = world_inertia(&body.mass, &self.world.bodies.inverse_inertia[index], rotation);
            self.memory.base_momentum.push(inertia.apply(&state.velocity));
        }
        self.memory.offset.reset(count, Flow::ZERO);
        self.memory.sum.reset(count, Flow::ZERO);
        for (stage, &(at, weight)) in self.ode.method.stages().iter().enumerate() {
            if stage > 0 {
                for (offset, flow) in self.memory.offset.iter_mut().zip(&self.memory.flow) {
                    *offset = flow.times(h * at);
                }
            }
            let moment = Moment { when, time: time + h * at };
            self.memory.place(self.world, moment.time);
            self.derivative(moment);
            self.memory.gather_flow(self.world);
            for (sum, flow) in self.memory.sum.iter_mut().zip(&self.memory.flow) {
                *sum = sum.plus(&flow.times(h * weight));
            }
        }
        std::mem::swap(&mut self.memory.offset, &mut self.memory.sum);
        self.memory.place(self.world, time + h);
        let momenta =
            self.memory.base_momentum.iter().zip(&self.memory.offset).map(|(base, offset)| base + offset.momentum);
        self.memory.placed.assign(self.world.bodies.states.iter().copied().zip(momenta));
    }

    /// Takes one step within the tolerance; returns its length.
    fn adaptive(&mut self, when: Real, rest: Real, (tolerance, min_step, max_step): (Real, Real, Real)) -> Real {
        let wanted = self.memory.next_step.unwrap_or(rest / 8.0).clamp(min_step, max_step);
        let mut h = if wanted >= rest {
            rest
        } else if 2.0 * wanted > rest {
            0.5 * rest
        } else {
            wanted
        };
        let time = self.world.time;
        loop {
            self.run_from(when, time, h);
            self.memory.full_step.clone_from(&self.world.bodies.states);
            self.world.bodies.states.copy_from_slice(&self.memory.start);
            self.run_from(when, time, 0.5 * h);
            self.run_from(when, time + 0.5 * h, 0.5 * h);
            let error = distance(&self.memory.full_step, &self.world.bodies.states);
            let power = 1.0 / (self.ode.method.order() + 1) as Real;
            let growth =
                if error.is_nan() { 0.2 } else { (0.9 * real::powf(tolerance / error, power)).clamp(0.2, 5.0) };
            if error <= tolerance || h <= min_step * (1.0 + 1e-9) {
                // A step cut short by the end says little about the next.
                self.memory.next_step = Some(if h < wanted { wanted.max(h * growth) } else { h * growth });
                return h;
            }
            self.world.bodies.states.copy_from_slice(&self.memory.start);
            h = (h * growth.min(0.9)).max(min_step);
        }
    }
}

/// The largest difference of two states, metres, radians, m/s or rad/s alike.
fn distance(a: &[State], b: &[State]) -> Real {
    let mut worst: Real = 0.0;
    for (a, b) in a.iter().zip(b) {
        let angle = rotation_vector(&(a.placement.rotation.inverse() * b.placement.rotation)).norm();
        let shift = (a.placement.position - b.placement.position).norm();
        let difference = angle.max(shift).max((a.velocity - b.velocity).amax());
        // `max` would lose a NaN.
        worst = if difference.is_nan() { Real::NAN } else { worst.max(difference) };
    }
    worst
}

/// The times where something begins or ends within a step, and the step's end.
fn find_events(world: &World, start: Real, end: Real, dt: Real, times: &mut Vec<Real>) {
    let constraints = world.constraints.iter().filter(|c| c.enabled).flat_map(|c| [c.start, c.end]);
    let forces = world.forces.iter().filter(|f| f.enabled).flat_map(|f| [f.start, f.end]);
    let near = 1e-9 * dt;
    times.assign(constraints.chain(forces).filter(|t| *t > start + near && *t < end - near));
    times.push(end);
    times.sort_unstable_by(Real::total_cmp);
    times.dedup_by(|a, b| (*a - *b).abs() <= near);
}

/// Switches off constraints that were loaded beyond their strength.
fn break_some(world: &mut World) -> usize {
    let SolverState { workspace, islands, .. } = &mut world.solver_state;
    let World { constraints, .. } = world;
    let broken = break_constraints(workspace, |owner, force| constraints[owner as usize].put_to(force));
    islands.up_to_date &= broken == 0;
    broken
}

/// Updates the memory of constraints.
fn settle(world: &mut World) {
    let BodySet { states, movable, identity_slots, .. } = &mut world.bodies;
    let SolverState { workspace, .. } = &mut world.solver_state;
    let World { constraints, time, .. } = world;
    let scope = Scope { slots: identity_slots, states, scripted: &workspace.scripted, movable, time: *time };
    for constraint in constraints.iter_mut() {
        constraint.settle(&scope);
    }
}

impl World {
    /// Computes the accelerations of all bodies now (linear, m/s², then angular, rad/s², world axes). Nothing moves;
    /// [`World::reaction`] then returns the forces of this instant.
    pub fn accelerations(&mut self) -> Vec<Vec6> {
        let ode = match self.stepper {
            super::Stepper::Ode(ode) => ode,
            _ => Ode { stabilisation: None, ..Ode::default() },
        };
        let mut memory = std::mem::take(&mut self.solver_state.workspace.ode);
        memory.base.clone_from(&self.bodies.states);
        memory.base_time = self.time;
        memory.forget_judgement();
        let now = Moment { when: self.time, time: self.time };
        let mut integration = Integration { ode, world: self, memory, report: StepReport::default() };
        integration.derivative(now);
        let Integration { memory, .. } = integration;
        let accelerations = memory.acceleration.clone();
        self.solver_state.workspace.ode = memory;
        accelerations
    }
}

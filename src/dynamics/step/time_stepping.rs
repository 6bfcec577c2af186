//! The default stepper: velocity level, semi-implicit, exact joints.
//!
//! One substep of length h from poses x and velocities v:
//!
//! ```text
//!   1  u = v + h M⁻¹ F                               free velocities (gravity, loads, gyroscopic term)
//!   2  v = u + M⁻¹ Jᵀ λ,   J v + S λ = k             all rows at once, J at x; k = −½h J̇v where exact
//!   3  x' = x ⊕ h v;  while C(x') ≠ 0:  J Δv = −C(x')/h,  v += Δv      exactly held rows only
//! ```
//!
//! Stage 3 puts the impulses that bend the path into the velocity as well. A pendulum's rod then pulls along the chord,
//! and stage 2 of the next step turns the velocity onto the new tangent without loss: together they are the RATTLE
//! scheme (Andersen 1983), symplectic and of second order in the positions, where projecting positions alone would
//! lose ½(hω)² of the energy in every step. The factorisation of stage 2 serves stage 3.
//!
//! A row with stiffness K and damping D is an implicit spring: k = (D·rate − K C)/(hK + D), s = 1/(h(hK + D)), where C is
//! measured against the target at the end of the step. A row with a time constant follows the exact solution of
//! C̈ + (2/τ)Ċ + C/τ² = 0. The gyroscopic term turns the angular momentum's frame, not the momentum, so no spin is too fast.
//!
//! Under a large tension a light link vibrates sideways faster than the step can follow. The stepper sees the
//! tension in the last multipliers and takes more substeps by itself. A substep that leaves joints open (a whip that
//! cracks) is thrown away before anything is committed, and tried again at half the length.

use super::{StepReport, Workspace, scripted_motion};
use crate::dynamics::body::{BodyId, State, inertia_along};
use crate::dynamics::force;
use crate::dynamics::rows::{Anchor, Muscle, Response, RowBuilder, RowSink, RowSpec, Scope, Sense};
use crate::dynamics::solve::{Block, Entry, Inertia, Problem, Row, Solver};
use crate::dynamics::world::World;
use crate::math::{Mat3, Real, Vec3, Vec6};

/// Settings of the default stepper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeStepping {
    /// Inner steps per step.
    pub substeps: usize,
    /// Inner steps may grow up to this many where light parts carry great tension, or where joints would open.
    pub max_substeps: usize,
    /// Corrections of the exactly held rows per substep.
    pub corrections: usize,
    /// Exactly held rows are good enough within this, metres or radians.
    pub tolerance: Real,
    /// Deviations are taken back at most this fast, m/s or rad/s.
    pub recovery_speed: Real,
}

/// A substep is kept when the exactly held rows are within this many tolerances; else a shorter one is tried.
const ACCEPTED: Real = 5.0;

/// A joint open by more than this before a step, metres or radians, was torn: no rounding, no bend of a path does that.
const TORN: Real = 1e-3;

impl Default for TimeStepping {
    fn default() -> Self {
        Self { substeps: 1, max_substeps: 64, corrections: 8, tolerance: 1e-7, recovery_speed: 10.0 }
    }
}

impl TimeStepping {
    /// The same code for wider vectors where the machine has them; the results are the same to the bit, since Rust never
    /// fuses or reorders floating-point operations.
    pub(crate) fn step(&self, world: &mut World, dt: Real) -> StepReport {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn wide(stepper: &TimeStepping, world: &mut World, dt: Real) -> StepReport {
                stepper.all_substeps(world, dt)
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the machine was just asked.
                return unsafe { wide(self, world, dt) };
            }
        }
        self.all_substeps(world, dt)
    }

    #[inline(always)]
    fn all_substeps(&self, world: &mut World, dt: Real) -> StepReport {
        let start = world.time;
        let most = self.max_substeps.max(self.substeps).max(1);
        let mut pieces = self.substeps.max(1).max(self.wanted_substeps(world, dt).min(most));
        let mut left = pieces;
        let mut report = StepReport::default();
        // What a longer try left unmet; none while shorter steps are not worth trying.
        let (mut before, mut halving) = (Real::INFINITY, true);
        while left > 0 {
            let h = dt / pieces as Real;
            // Ends are computed from the start of the step, so that the clock does not gather rounding.
            let end = if left == 1 { start + dt } else { start + h * (pieces - left + 1) as Real };
            let error = self.try_substep(world, h, end, &mut report);
            let met = error <= ACCEPTED * self.tolerance;
            // Rows that fight each other stay unmet however short the step is: then there is no use in halving it.
            halving &= !error.is_finite() || error < 0.5 * before;
            if !met && halving && 2 * pieces <= most {
                before = error;
                (pieces, left) = (2 * pieces, 2 * left);
                continue;
            }
            before = Real::INFINITY;
            world.workspace.keep_multipliers(h, report.substeps == 0);
            commit(world);
            world.time = end;
            report.worst_error = error;
            report.substeps += 1;
            left -= 1;
        }
        let covered = world.workspace.covered;
        for multiplier in &mut world.workspace.multipliers {
            *multiplier /= covered;
        }
        report.broken = break_constraints(world);
        report
    }

    /// Substeps that keep ωh below 1.5 (it breaks at 2) for the fastest sideways vibration that tension causes. A body
    /// pulled with forces f at levers r turns back like a pendulum, ω² = Σ|f||r| / I,
    /// I across the body's long axis.
    #[inline(always)]
    fn wanted_substeps(&self, world: &mut World, dt: Real) -> usize {
        let World { workspace, constraints, sway, .. } = world;
        let Workspace { assembly, multipliers, tension, .. } = workspace;
        tension.clear();
        tension.resize(sway.len(), 0.0);
        for (block, &owner) in assembly.problem.blocks.iter().zip(&assembly.owners) {
            let rows = block.first as usize..(block.first + block.count) as usize;
            let constraint = &constraints[owner as usize];
            if let (true, Some(joint)) = (block.pivot, constraint.joint()) {
                // The anchor rows are unit vectors: their multipliers are the force.
                let force = Vec3::from_column_slice(&multipliers[rows.start..rows.start + 3]).norm_squared();
                for (body, frame) in [(joint.a, &joint.frame_a), (joint.b, &joint.frame_b)] {
                    if let Some(body) = body {
                        let moment = (force * frame.position.norm_squared()).sqrt();
                        tension[body.index()] += moment * sway[body.index()];
                    }
                }
                continue;
            }
            for (body, lever) in constraint.levers() {
                let force = rows.clone().map(|row| {
                    let own = assembly.problem.entries(row).iter().find(|e| e.body == body.0);
                    own.map_or(Vec3::zeros(), |e| {
                        Vec3::new(e.jacobian[0], e.jacobian[1], e.jacobian[2]) * multipliers[row]
                    })
                });
                let force = force.sum::<Vec3>().norm();
                let length = lever.norm();
                tension[body.index()] += force * length * sway[body.index()];
            }
        }
        let fastest = tension.iter().copied().fold(0.0, Real::max);
        (fastest.sqrt() * dt / 1.5).ceil().min(1e6) as usize
    }

    /// One substep up to where it could be committed; what the exactly held rows are off by then.
    #[inline(always)]
    fn try_substep(&self, world: &mut World, h: Real, end: Real, report: &mut StepReport) -> Real {
        move_scripted_velocities(world, h, end);
        free_velocities(world, h, end);
        let limited = self.state_rows(world, h, end);
        let World { workspace, movable, solver, .. } = world;
        let Workspace { assembly, lambda, velocity, exact, .. } = workspace;
        let before = assembly.problem.topology;
        assembly.stamp_topology(movable);
        if before != assembly.problem.topology || lambda.len() != assembly.problem.rows.len() {
            lambda.clear();
            lambda.resize(assembly.problem.rows.len(), 0.0);
        }
        solver.prepare(&assembly.problem);
        let outcome = solver.solve(&assembly.problem, lambda, velocity);
        report.iterations += outcome.iterations;
        report.residual = report.residual.max(outcome.residual);
        // A row at its limit has given way: stage 3 leaves it alone.
        if limited {
            for ((exact, row), lambda) in exact.iter_mut().zip(&assembly.problem.rows).zip(lambda.iter()) {
                *exact &= row.lo < *lambda && *lambda < row.hi;
            }
        }
        let error = self.keep_exact_rows(world, h, end);
        if is_finite(&world.workspace.velocity) { error } else { Real::INFINITY }
    }

    /// The rows of all constraints that act in this substep, with their numbers; whether any exactly held row has limits.
    #[inline(always)]
    fn state_rows(&self, world: &mut World, h: Real, end: Real) -> bool {
        let World { constraints, states, movable, workspace, .. } = world;
        let Workspace { assembly, scripted, exact, open, .. } = workspace;
        assembly.clear();
        exact.clear();
        let scope = Scope { states, scripted, movable, time: end };
        let mut sink = VelocitySink {
            problem: &mut assembly.problem,
            exact,
            limited: false,
            open: 0.0,
            scope: &scope,
            h,
            recovery: self.recovery_speed,
        };
        for (index, constraint) in constraints.iter_mut().enumerate() {
            if !constraint.acts_at(end - 0.5 * h) {
                continue;
            }
            constraint.aim(end);
            let first = sink.problem.rows.len() as u32;
            let pivot = constraint.is_pivot();
            match constraint.joint() {
                Some(joint) if pivot => joint.emit_pivot(&scope, &mut sink),
                _ => constraint.emit(false, &scope, &mut sink),
            }
            let count = sink.problem.rows.len() as u32 - first;
            if count > 0 {
                sink.problem.blocks.push(Block { first, count, pivot });
                assembly.owners.push(index as u32);
            }
        }
        *open = sink.open;
        sink.limited
    }

    /// Stage 3: moves the bodies on trial, and mends what the exactly held rows miss.
    #[inline(always)]
    fn keep_exact_rows(&self, world: &mut World, h: Real, end: Real) -> Real {
        let World { workspace: w, states, bodies, constraints, movable, solver, .. } = world;
        let mut worst = 0.0;
        let mut last = Real::INFINITY;
        // Joints that were torn open before the step are closed by shifting bodies alone: an old gap is no reason to fly.
        let calm = w.open > TORN;
        // At a bounded speed, one correction is all there is to do.
        let corrections = if calm { 1 } else { self.corrections };
        for round in 0..=corrections {
            for (index, trial) in w.trial.iter_mut().enumerate() {
                if movable[index] {
                    trial.placement = State::moved(&states[index].placement, &(w.velocity[index] + w.offset[index]), h);
                } else if round == 0 {
                    trial.placement = scripted_motion(&bodies[index].kind, &states[index], h, end).placement;
                }
            }
            let scope = Scope { states: &w.trial, scripted: &w.scripted, movable, time: end };
            w.targets.clear();
            let mut sink = CorrectionSink {
                exact: &w.exact,
                targets: &mut w.targets,
                worst: 0.0,
                per_h: 1.0 / h,
                recovery: self.recovery_speed,
            };
            for (block, &owner) in w.assembly.problem.blocks.iter().zip(&w.assembly.owners) {
                let before = sink.worst;
                let (first, end) = (block.first as usize, (block.first + block.count) as usize);
                let constraint = &constraints[owner as usize];
                match constraint.joint() {
                    Some(joint) if block.pivot && !w.exact[first + 3..end].contains(&true) => {
                        sink.anchor(&joint.anchor(&scope));
                        sink.targets.resize(end, 0.0);
                    }
                    _ => constraint.emit(block.pivot, &scope, &mut sink),
                }
                if sink.targets.len() != end {
                    // The number of its rows depends on the pose: it is left to its bias.
                    sink.targets.truncate(first);
                    sink.targets.resize(end, 0.0);
                    sink.worst = before;
                }
            }
            worst = sink.worst;
            if worst > last && !calm {
                // The rows have no common answer nearby (a chain pulled straight): a correction that made it worse is undone.
                w.take_correction(-1.0, false);
                for (index, trial) in w.trial.iter_mut().enumerate().filter(|(index, _)| movable[*index]) {
                    trial.placement = State::moved(&states[index].placement, &(w.velocity[index] + w.offset[index]), h);
                }
                worst = last;
                break;
            }
            last = worst;
            if worst <= self.tolerance || round == corrections {
                break;
            }
            w.correction.resize(w.lambda.len(), 0.0);
            w.velocity_correction.resize(w.velocity.len(), Vec6::zeros());
            solver.correct(&w.assembly.problem, &w.targets, &mut w.correction, &mut w.velocity_correction);
            w.take_correction(1.0, calm);
        }
        worst
    }
}

/// Turns what constraints say into rows at velocity level, on the spot.
struct VelocitySink<'a> {
    problem: &'a mut Problem,
    exact: &'a mut Vec<bool>,
    /// Whether any of them has limits.
    limited: bool,
    /// Largest deviation of the exactly held rows before the step.
    open: Real,
    scope: &'a Scope<'a>,
    h: Real,
    recovery: Real,
}

impl RowSink for VelocitySink<'_> {
    #[inline(always)]
    fn wants(&self, _response: Response) -> bool {
        true
    }

    #[inline(always)]
    fn row(&mut self, error: Real, build: impl FnOnce(&mut RowBuilder)) {
        let mut spec = RowSpec::held(error);
        let first = self.problem.entries.len();
        build(&mut RowBuilder::new(&mut spec, &mut self.problem.entries, self.scope, true));
        let entries = &self.problem.entries[first..];
        let (target, softness) = self.numbers(&spec, entries);
        let (lo, hi) = (spec.lo * self.h, spec.hi * self.h);
        let (first, count) = (first as u32, entries.len() as u32);
        self.problem.rows.push(Row { first, count, target: target - spec.known_rate, softness, lo, hi });
        let exact = spec.response == Response::Hard && spec.sense == Sense::Equal;
        if exact {
            // The target is taken at the end of the step; what was open belongs to its start.
            self.open = self.open.max((spec.error + self.h * spec.rate).abs());
            self.limited |= lo.is_finite() || hi.is_finite();
        }
        self.exact.push(exact);
    }

    #[inline(always)]
    fn takes_muscles(&self) -> bool {
        true
    }

    #[inline(always)]
    fn muscle(&mut self, muscle: &Muscle) {
        let h = self.h;
        let moves = |body: &BodyId| self.scope.movable[body.index()];
        let (a, b) = (muscle.a.filter(moves), muscle.b.filter(moves));
        let mut known = Vec3::zeros();
        if let (Some(body), None) = (muscle.a, a) {
            known -= muscle.axes.tr_mul(&self.scope.states[body.index()].angular());
        }
        if let (Some(body), None) = (muscle.b, b) {
            known += muscle.axes.tr_mul(&self.scope.states[body.index()].angular());
        }
        let entry = |body: BodyId, axes: &Mat3, k: usize| Entry {
            body: body.0,
            jacobian: Vec6::new(0.0, 0.0, 0.0, axes[(0, k)], axes[(1, k)], axes[(2, k)]),
        };
        let entries = |body: BodyId, axes: &Mat3| [entry(body, axes, 0), entry(body, axes, 1), entry(body, axes, 2)];
        let a = a.map(|a| entries(a, &-muscle.axes));
        let b = b.map(|b| entries(b, muscle.axes));
        let numbers = |k: usize| {
            let (stiffness, damping, limit) = muscle.springs[k];
            let (target, softness) = implicit_spring(stiffness, damping, muscle.error[k], muscle.rate[k], h);
            (target - known[k], softness, limit * h)
        };
        self.three_rows(a, b, [numbers(0), numbers(1), numbers(2)]);
        self.exact.extend_from_slice(&[false; 3]);
    }

    #[inline(always)]
    fn anchor(&mut self, anchor: &Anchor) {
        let moves = |body: &BodyId| self.scope.movable[body.index()];
        let a = anchor.a.filter(moves).map(|a| Anchor::entries(a, &anchor.lever_a, -1.0));
        let b = anchor.b.filter(moves).map(|b| Anchor::entries(b, &anchor.lever_b, 1.0));
        let mut target = (anchor.curvature() * (-0.5 * self.h)).map(|miss| miss.clamp(-self.recovery, self.recovery));
        let speed = |state: &State, lever: &Vec3| state.linear() + state.angular().cross(lever);
        if a.is_none() {
            target += speed(anchor.state_a, &anchor.lever_a);
        }
        if b.is_none() {
            target -= speed(anchor.state_b, &anchor.lever_b);
        }
        self.open = self.open.max(anchor.gap.amax());
        let exactly = |k: usize| (target[k], 0.0, Real::INFINITY);
        self.three_rows(a, b, [exactly(0), exactly(1), exactly(2)]);
        self.exact.extend_from_slice(&[true; 3]);
    }
}

impl VelocitySink<'_> {
    /// Three rows over the same bodies, each with target, softness and limit either way.
    #[inline(always)]
    fn three_rows(&mut self, a: Option<[Entry; 3]>, b: Option<[Entry; 3]>, numbers: [(Real, Real, Real); 3]) {
        let start = self.problem.entries.len() as u32;
        let count = match (a, b) {
            (Some([a0, a1, a2]), Some([b0, b1, b2])) => {
                self.problem.entries.extend_from_slice(&[a0, b0, a1, b1, a2, b2]);
                2
            }
            (Some(one), None) | (None, Some(one)) => {
                self.problem.entries.extend_from_slice(&one);
                1
            }
            (None, None) => 0,
        };
        let row = |k: usize| {
            let (target, softness, limit) = numbers[k];
            Row { first: start + k as u32 * count, count, target, softness, lo: -limit, hi: limit }
        };
        self.problem.rows.extend_from_slice(&[row(0), row(1), row(2)]);
    }

    /// k (before scripted bodies are taken off) and s.
    #[inline(always)]
    fn numbers(&self, spec: &RowSpec, entries: &[Entry]) -> (Real, Real) {
        let h = self.h;
        // Foresight is for paths that bend a little within a step; at wild spins it would only feed them.
        let bend = (0.5 * h * spec.curvature).clamp(-self.recovery, self.recovery);
        match (spec.response, spec.sense) {
            (Response::Hard, Sense::Equal) if spec.lo.is_finite() || spec.hi.is_finite() => {
                // A limited row goes for its target here, where the limit counts; stage 3 knows none.
                let foreseen = spec.rate - 0.5 * h * spec.acceleration - bend;
                let all_of_it = -spec.error / h - bend;
                (all_of_it.clamp(foreseen - self.recovery, foreseen + self.recovery), 0.0)
            }
            // Where the rows curve, going straight misses by ½h² J̇v: foreseen here, so that little is left for stage 3.
            (Response::Hard | Response::Rate, Sense::Equal) | (Response::Rate, Sense::AtLeast) => {
                (spec.rate - 0.5 * h * spec.acceleration - bend, 0.0)
            }
            (Response::Hard, Sense::AtLeast) => {
                // Approach the limit, never pass it; come back at a bounded speed.
                let approach = -spec.error / h;
                let wanted = if spec.error < 0.0 { (0.2 * approach).min(self.recovery) } else { approach };
                (wanted - bend, 0.0)
            }
            (Response::Decay { tau }, _) => {
                let rate: Real =
                    entries.iter().map(|e| e.jacobian.dot(&self.scope.states[e.body as usize].velocity)).sum();
                // The recurrence below wants C now and its mean rate over the last step. Targets and scripted bodies are
                // given for the end of this step, J̇v bends what J v says of the last one.
                let error = spec.error + h * (spec.rate - 0.5 * h * spec.acceleration);
                let known = spec.known_rate - h * spec.known_acceleration;
                let slip = rate + known - bend - (spec.rate - 1.5 * h * spec.acceleration);
                // Samples of the exact solution obey C'' = 2p C' − p² C, p = exp(−h/τ).
                let p = (-h / tau).exp();
                let next = (2.0 * p - 1.0) * error - p * p * (error - h * slip);
                (spec.rate + next / h - 0.5 * h * spec.acceleration - bend, 0.0)
            }
            (Response::Spring { stiffness, damping }, _) => {
                implicit_spring(stiffness, damping, spec.error, spec.rate, h)
            }
            (Response::Oscillator { frequency, damping_ratio }, _) => {
                let inertias = &self.problem.inertias;
                let ease = |e: &Entry| e.jacobian.dot(&inertias[e.body as usize].apply_inverse(&e.jacobian));
                let mass = 1.0 / entries.iter().map(ease).sum::<Real>();
                let omega = 2.0 * std::f64::consts::PI * frequency;
                implicit_spring(mass * omega * omega, 2.0 * damping_ratio * mass * omega, spec.error, spec.rate, h)
            }
        }
    }
}

/// Turns what the exactly held rows miss on trial into wishes for stage 3.
struct CorrectionSink<'a> {
    exact: &'a [bool],
    targets: &'a mut Vec<Real>,
    worst: Real,
    per_h: Real,
    recovery: Real,
}

impl RowSink for CorrectionSink<'_> {
    #[inline(always)]
    fn wants(&self, response: Response) -> bool {
        response == Response::Hard
    }

    #[inline(always)]
    fn row(&mut self, error: Real, _build: impl FnOnce(&mut RowBuilder)) {
        let exact = self.exact.get(self.targets.len()).is_some_and(|exact| *exact);
        let error = if exact { error } else { 0.0 };
        self.worst = self.worst.max(error.abs());
        self.targets.push((-error * self.per_h).clamp(-self.recovery, self.recovery));
    }

    #[inline(always)]
    fn anchor(&mut self, anchor: &Anchor) {
        self.worst = self.worst.max(anchor.gap.amax());
        self.targets.extend(anchor.gap.iter().map(|gap| (-gap * self.per_h).clamp(-self.recovery, self.recovery)));
    }
}

/// Whether all velocities are numbers. A sum is one only if its terms are (or they are beyond any use).
#[inline]
fn is_finite(velocities: &[Vec6]) -> bool {
    velocities.iter().all(|v| v.sum().is_finite())
}

/// k and s of an implicit spring and damper.
#[inline(always)]
fn implicit_spring(stiffness: Real, damping: Real, error: Real, rate: Real, h: Real) -> (Real, Real) {
    let both = h * stiffness + damping;
    let inverse = 1.0 / (h * both);
    ((damping * rate - stiffness * error) * (h * inverse), inverse)
}

/// Scripted bodies move over the substep so that they end where their script says.
#[inline(always)]
fn move_scripted_velocities(world: &mut World, h: Real, end: Real) {
    let World { bodies, states, movable, workspace, .. } = world;
    workspace.scripted.clear();
    workspace.scripted.resize(bodies.len(), Vec6::zeros());
    for index in 0..bodies.len() {
        if movable[index] {
            continue;
        }
        let goal = scripted_motion(&bodies[index].kind, &states[index], h, end).placement;
        let here = &states[index].placement;
        let turn = crate::dynamics::constraint::rotation_vector(&(goal.rotation * here.rotation.inverse())) / h;
        let shift = (goal.position - here.position) / h;
        let velocity = Vec6::new(shift.x, shift.y, shift.z, turn.x, turn.y, turn.z);
        workspace.scripted[index] = (velocity - states[index].velocity) / h;
        states[index].velocity = velocity;
    }
}

/// Stage 1, and the mass matrices in world axes.
#[inline(always)]
fn free_velocities(world: &mut World, h: Real, end: Real) {
    force::gather(world, end - 0.5 * h, end - h, h);
    let World { bodies, states, movable, inverse_inertia, workspace, gravity, .. } = world;
    let Workspace { assembly, velocity, offset, trial, applied, .. } = workspace;
    let inertias = &mut assembly.problem.inertias;
    inertias.clear();
    velocity.clear();
    offset.clear();
    trial.clear();
    trial.extend_from_slice(states);
    for (index, body) in bodies.iter().enumerate() {
        let state = &states[index];
        if !movable[index] {
            inertias.push(Inertia::IMMOVABLE);
            velocity.push(state.velocity);
            offset.push(Vec6::zeros());
            continue;
        }
        let axes = state.placement.rotation.to_rotation_matrix().into_inner();
        let inertia = inertia_along(&body.mass, &inverse_inertia[index], &axes);
        let spin = state.angular();
        let gyroscopic = free_spin_change(&body.mass.inertia, &inverse_inertia[index], &axes, &spin, h);
        let load = &applied[index];
        // Damping at the end of the step makes bodies seem heavier by these factors, for constraint forces too.
        let (slow, slow_turn) = (1.0 + h * body.linear_damping, 1.0 + h * body.angular_damping);
        let push = *gravity + Vec3::new(load[0], load[1], load[2]) * inertia.inverse_mass;
        let linear = (state.linear() + push * h) / slow;
        let torque = Vec3::new(load[3], load[4], load[5]);
        let angular = (spin + gyroscopic + inertia.inverse_inertia * torque * h) / slow_turn;
        velocity.push(Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z));
        // The turn goes on with the mean of old and new spin.
        let back = gyroscopic * -0.5;
        offset.push(Vec6::new(0.0, 0.0, 0.0, back.x, back.y, back.z));
        inertias.push(if slow == 1.0 && slow_turn == 1.0 { inertia } else { inertia.scaled(slow, slow_turn) });
    }
}

/// By how much the spin of a body that nothing touches changes within h: its momentum stays, its axes turn (midpoint rule
/// in body axes). No spin is too fast for it, since |ω| never exceeds |L| / I. The difference is taken in body axes, so
/// that a steady spin does not gather the rounding of turning it there and back.
#[inline(always)]
fn free_spin_change(inertia: &Mat3, inverse: &Mat3, axes: &Mat3, spin: &Vec3, h: Real) -> Vec3 {
    let spin = axes.tr_mul(spin);
    let momentum = inertia * spin;
    let half = inverse * swung(&momentum, &(spin * (-0.5 * h)));
    let end = inverse * swung(&momentum, &(half * -h));
    axes * (swung(&end, &(half * h)) - spin)
}

/// A vector turned by a rotation vector.
#[inline]
fn swung(v: &Vec3, turn: &Vec3) -> Vec3 {
    let angle_sq = turn.norm_squared();
    // sin a / a and (1 − cos a) / a².
    let (s, c) = if angle_sq < 0.01 {
        let x = angle_sq;
        (
            1.0 - x * (1.0 / 6.0) * (1.0 - x * (1.0 / 20.0) * (1.0 - x * (1.0 / 42.0) * (1.0 - x * (1.0 / 72.0)))),
            0.5 * (1.0
                - x * (1.0 / 12.0) * (1.0 - x * (1.0 / 30.0) * (1.0 - x * (1.0 / 56.0) * (1.0 - x * (1.0 / 90.0))))),
        )
    } else {
        let angle = angle_sq.sqrt();
        (angle.sin() / angle, (1.0 - angle.cos()) / angle_sq)
    };
    let once = turn.cross(v);
    v + once * s + turn.cross(&once) * c
}

/// The trial becomes the state.
#[inline(always)]
fn commit(world: &mut World) {
    let World { states, movable, workspace, constraints, .. } = world;
    for (index, state) in states.iter_mut().enumerate() {
        state.placement = workspace.trial[index].placement;
        if movable[index] {
            state.velocity = workspace.velocity[index];
        }
    }
    // A step that went wrong is undone by the caller; it must not leave its traces in what constraints remember.
    if !is_finite(&workspace.velocity) {
        return;
    }
    let scope = Scope { states, scripted: &workspace.scripted, movable, time: world.time };
    for constraint in constraints.iter_mut() {
        constraint.settle(&scope);
    }
}

/// Switches off what was pulled harder than it can bear.
pub(super) fn break_constraints(world: &mut World) -> usize {
    let World { workspace, constraints, .. } = world;
    let mut broken = 0;
    for (block, &owner) in workspace.assembly.problem.blocks.iter().zip(&workspace.assembly.owners) {
        let constraint = &mut constraints[owner as usize];
        if let Some(limit) = constraint.break_force {
            let rows = &workspace.multipliers[block.first as usize..(block.first + block.count) as usize];
            if rows.iter().map(|m| m * m).sum::<Real>() > limit * limit {
                constraint.enabled = false;
                broken += 1;
            }
        }
    }
    broken
}

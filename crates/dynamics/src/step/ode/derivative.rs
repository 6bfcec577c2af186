//! Derivative of the state: forces, constraint forces and accelerations at one moment.

use super::{Integration, Memory, Ode};
use crate::Placement;
use crate::body::{State, world_inertia};
use crate::force::{self, ForceScope};
use crate::lanes::turned;
use crate::math::{Buffer, Real, Vec3, Vec6, real};
use crate::rows::{Assembly, Response, RowSpec, Sense};
use crate::solve::{Block, Entry, Inertia, Problem, Row};
use crate::step::workspace::{FreeMotion, Readout};
use crate::step::{Workspace, assemble, scripted_motion};
use crate::world::{BodySet, SolverState, World};

/// One-sided rows count as touched up to this distance, metres or radians.
pub(super) const TOUCHING: Real = 1e-7;
/// One-sided rows count as parting above this speed, m/s or rad/s.
pub(super) const PARTING: Real = 1e-6;

/// A time, and the time that decides which constraints and forces act.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub when: Real,
    pub time: Real,
}

/// Rates of a body's coordinates, or, times a duration, changes of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flow {
    pub position: Vec3,
    /// Rate of the rotation vector θ relative to the orientation at the start of the step.
    pub rotation_vector: Vec3,
    pub momentum: Vec6,
}

impl Flow {
    pub const ZERO: Flow = Flow {
        position: Vec3::new(0.0, 0.0, 0.0),
        rotation_vector: Vec3::new(0.0, 0.0, 0.0),
        momentum: Vec6::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    pub fn times(&self, h: Real) -> Flow {
        Flow { position: self.position * h, rotation_vector: self.rotation_vector * h, momentum: self.momentum * h }
    }

    pub fn plus(&self, other: &Flow) -> Flow {
        Flow {
            position: self.position + other.position,
            rotation_vector: self.rotation_vector + other.rotation_vector,
            momentum: self.momentum + other.momentum,
        }
    }
}

/// dexp⁻¹_θ ω: how fast θ must change for exp(θ) to turn with ω.
fn rotation_vector_rate(theta: &Vec3, spin: &Vec3) -> Vec3 {
    let angle_sq = theta.norm_squared();
    // (1 − (a/2) cot(a/2)) / a², by its series where the closed form cancels.
    let factor = if angle_sq < 0.01 {
        1.0 / 12.0 + angle_sq * (1.0 / 720.0 + angle_sq * (1.0 / 30240.0 + angle_sq / 1_209_600.0))
    } else {
        let half = 0.5 * angle_sq.sqrt();
        (1.0 - half / real::tan(half)) / angle_sq
    };
    let across = theta.cross(spin);
    spin - across * 0.5 + theta.cross(&across) * factor
}

impl Memory {
    /// Places the bodies of the world at base plus offset, scripted ones according to their script.
    pub(super) fn place(&self, world: &mut World, time: Real) {
        let BodySet { list: bodies, states, movable, inverse_inertia, .. } = &mut world.bodies;
        for (index, state) in states.iter_mut().enumerate() {
            let base = &self.base[index];
            if !movable[index] {
                let motion = scripted_motion(&bodies[index].kind, base, time - self.base_time, time);
                *state = State { placement: motion.placement, velocity: motion.velocity };
                continue;
            }
            let offset = &self.offset[index];
            let rotation = turned(&base.placement.rotation, &offset.rotation_vector);
            let momentum = self.base_momentum[index] + offset.momentum;
            let spin = rotation
                * (inverse_inertia[index]
                    * rotation.inverse_transform_vector(&Vec3::new(momentum[3], momentum[4], momentum[5])));
            let ease = 1.0 / bodies[index].mass.mass;
            *state = State {
                placement: Placement { position: base.placement.position + offset.position, rotation },
                velocity: Vec6::new(momentum[0] * ease, momentum[1] * ease, momentum[2] * ease, spin.x, spin.y, spin.z),
            };
        }
    }

    /// Drops the state of one-sided rows and points of contact, so that the next evaluation decides which act.
    pub(super) fn forget_judgement(&mut self) {
        self.judged.clear();
        self.touching.known.clear();
        self.touching.judged = false;
    }

    /// The flow at the stage just evaluated.
    pub(super) fn gather_flow(&mut self, world: &World) {
        self.flow.clear();
        for (index, state) in world.bodies.states.iter().enumerate() {
            let momentum = world.solver_state.workspace.free.applied[index];
            let rotation_vector = rotation_vector_rate(&self.offset[index].rotation_vector, &state.angular());
            self.flow.push(Flow { position: state.linear(), rotation_vector, momentum });
        }
    }
}

impl Integration<'_> {
    /// Accelerations into `memory.acceleration`, all forces into `workspace.free.applied`, multipliers by row.
    pub(super) fn derivative(&mut self, moment: Moment) {
        known_motion(self.world, &self.memory, moment.time);
        gather_forces(self.world, moment);
        mass_and_weight(self.world);
        assemble(self.world, moment.when, moment.time);
        let BodySet { states, movable, .. } = &mut self.world.bodies;
        let SolverState { workspace, .. } = &mut self.world.solver_state;
        let Workspace { assembly, free: FreeMotion { applied, .. }, readout: Readout { multipliers, .. }, .. } =
            workspace;
        multipliers.reset(assembly.specs.len(), 0.0);
        self.memory.unknown.reset(assembly.specs.len(), false);
        self.memory.judged.match_rows(assembly);
        let Assembly { problem, specs, .. } = &mut *assembly;
        for (row, spec) in specs.iter().enumerate() {
            let rate = speed(problem, row, states) + spec.known_rate - spec.rate;
            match self.ode.ask(spec, rate, problem, row) {
                Asked::Unknown { target } => {
                    problem.rows[row].target = target - spec.known_acceleration;
                    let touched = || self.memory.judged.touching(row).unwrap_or_else(|| self.ode.touches(spec, rate));
                    let idle = spec.sense == Sense::AtLeast && !touched();
                    self.memory.unknown[row] = !idle && problem.rows[row].count > 0;
                }
                Asked::Push { force, stiffness } => {
                    problem.rows[row].softness = 1.0 / stiffness;
                    if spec.sense == Sense::Equal || spec.error < 0.0 {
                        multipliers[row] = force;
                        for entry in problem.entries(row) {
                            applied[entry.body as usize] += entry.jacobian * force;
                        }
                    }
                }
            }
        }
        self.memory.acceleration.clear();
        for (index, force) in applied.iter().enumerate() {
            let inertia = &assembly.problem.inertias[index];
            let state = &states[index];
            let spin = state.angular();
            let gyroscopic = (inertia.inertia * spin).cross(&spin);
            let pushed =
                inertia.apply_inverse(&(force + Vec6::new(0.0, 0.0, 0.0, gyroscopic.x, gyroscopic.y, gyroscopic.z)));
            self.memory.acceleration.push(if movable[index] { pushed } else { workspace.scripted[index] });
        }
        let Memory { reduced, kept, unknown, .. } = &mut self.memory;
        reduce(assembly, reduced, kept, movable, |row| unknown[row]);
        self.touch_rows();
        let SolverState { workspace, solver, .. } = &mut self.world.solver_state;
        let Workspace { assembly, free: FreeMotion { applied, .. }, readout: Readout { multipliers, .. }, .. } =
            workspace;
        let Memory { reduced, lambda, kept, acceleration, .. } = &mut self.memory;
        lambda.reset(reduced.problem.rows.len(), 0.0);
        solver.as_dyn().prepare(&reduced.problem);
        self.report.add(&solver.as_dyn().solve(&reduced.problem, lambda, acceleration));
        for (&row, &lambda) in kept.iter().zip(&*lambda) {
            multipliers[row as usize] = lambda;
            for entry in assembly.problem.entries(row as usize) {
                applied[entry.body as usize] += entry.jacobian * lambda;
            }
        }
        for (row, &lambda) in lambda.iter().enumerate().skip(kept.len()) {
            for entry in reduced.problem.entries(row) {
                applied[entry.body as usize] += entry.jacobian * lambda;
            }
        }
    }
}

impl Ode {
    /// Returns true if a one-sided row acts: at its limit, and not leaving it faster than its own stabiliser moves it out.
    pub(super) fn touches(&self, spec: &RowSpec, rate: Real) -> bool {
        let taken_out = self.stabilisation.map_or(0.0, |tau| 2.0 / tau) * (-spec.error).max(0.0);
        spec.error <= TOUCHING && rate <= PARTING + taken_out
    }

    /// Returns the target of a row for the accelerations, or the force it applies.
    fn ask(&self, spec: &RowSpec, rate: Real, problem: &Problem, row: usize) -> Asked {
        let (alpha, beta) = match spec.response {
            Response::Hard if self.velocity_level.is_some() => (0.0, 0.0),
            Response::Hard => self.stabilisation.map_or((0.0, 0.0), critical),
            Response::Decay { tau } => critical(tau),
            Response::Rate => (0.0, self.rate_gain),
            Response::Spring { stiffness, damping } => return push(spec, rate, stiffness, damping),
            Response::Oscillator { frequency, damping_ratio } => {
                let ease = ease(problem, row);
                if ease <= 0.0 {
                    return Asked::Push { force: 0.0, stiffness: 1.0 };
                }
                let omega = 2.0 * std::f64::consts::PI * frequency;
                return push(spec, rate, omega * omega / ease, 2.0 * damping_ratio * omega / ease);
            }
        };
        Asked::Unknown { target: spec.acceleration - spec.curvature - beta * rate - alpha * spec.error }
    }
}

enum Asked {
    Unknown { target: Real },
    Push { force: Real, stiffness: Real },
}

/// α and β of a critically damped deviation.
pub(super) fn critical(tau: Real) -> (Real, Real) {
    (1.0 / (tau * tau), 2.0 / tau)
}

fn push(spec: &RowSpec, rate: Real, stiffness: Real, damping: Real) -> Asked {
    let force = (-stiffness * spec.error - damping * rate).clamp(spec.lo, spec.hi);
    Asked::Push { force, stiffness: (stiffness + damping).max(Real::MIN_POSITIVE) }
}

/// Scripted bodies' velocities are in the states already; their accelerations come here.
pub(super) fn known_motion(world: &mut World, memory: &Memory, time: Real) {
    let BodySet { list: bodies, movable, .. } = &mut world.bodies;
    let SolverState { workspace, .. } = &mut world.solver_state;
    workspace.scripted.clear();
    for (index, body) in bodies.iter().enumerate() {
        workspace.scripted.push(if movable[index] {
            Vec6::zeros()
        } else {
            scripted_motion(&body.kind, &memory.base[index], time - memory.base_time, time).acceleration
        });
    }
}

/// Gathers external forces into `workspace.free.applied`.
fn gather_forces(world: &mut World, moment: Moment) {
    let BodySet { list: bodies, states, inverse_inertia, loads, identity_slots, .. } = &mut world.bodies;
    let SolverState { workspace, .. } = &mut world.solver_state;
    let World { forces, .. } = world;
    workspace.free.applied.assign(loads.iter().copied());
    let (members, slots) = (&*identity_slots, &*identity_slots);
    let scope = ForceScope { time: moment.time, lookahead: 0.0, bodies, inverse_inertia, members, slots, states };
    force::gather(&scope, forces.iter(), moment.when, &mut workspace.free.applied);
}

/// Mass matrices in world axes; gravity and the bodies' own damping join the applied forces.
fn mass_and_weight(world: &mut World) {
    mass_matrices(world);
    let BodySet { list: bodies, states, movable, .. } = &mut world.bodies;
    let SolverState { workspace, .. } = &mut world.solver_state;
    let World { gravity, .. } = world;
    for (index, body) in bodies.iter().enumerate() {
        let force = &mut workspace.free.applied[index];
        if !movable[index] {
            *force = Vec6::zeros();
            continue;
        }
        let weight = *gravity * body.mass.mass;
        *force += Vec6::new(weight.x, weight.y, weight.z, 0.0, 0.0, 0.0);
        if body.linear_damping > 0.0 || body.angular_damping > 0.0 {
            let mut drag = workspace.assembly.problem.inertias[index].apply(&states[index].velocity);
            for k in 0..6 {
                drag[k] *= if k < 3 { body.linear_damping } else { body.angular_damping };
            }
            *force -= drag;
        }
    }
}

pub(super) fn mass_matrices(world: &mut World) {
    let BodySet { list: bodies, states, movable, inverse_inertia, .. } = &mut world.bodies;
    let SolverState { workspace, .. } = &mut world.solver_state;
    let inertias = &mut workspace.assembly.problem.inertias;
    inertias.clear();
    for (index, body) in bodies.iter().enumerate() {
        inertias.push(if movable[index] {
            world_inertia(&body.mass, &inverse_inertia[index], &states[index].placement.rotation)
        } else {
            Inertia::IMMOVABLE
        });
    }
}

/// J v of the bodies that forces move.
pub(super) fn speed(problem: &Problem, row: usize, states: &[State]) -> Real {
    problem.entries(row).iter().map(|e| e.jacobian.dot(&states[e.body as usize].velocity)).sum()
}

/// J M⁻¹ Jᵀ of one row.
fn ease(problem: &Problem, row: usize) -> Real {
    let respond = |e: &Entry| e.jacobian.dot(&problem.inertias[e.body as usize].apply_inverse(&e.jacobian));
    problem.entries(row).iter().map(respond).sum()
}

/// Copies the rows that are wanted, with their numbers, into a problem of their own.
pub(super) fn reduce(
    full: &Assembly,
    reduced: &mut Assembly,
    kept: &mut Vec<u32>,
    movable: &[bool],
    wanted: impl Fn(usize) -> bool,
) {
    reduced.clear();
    kept.clear();
    reduced.problem.inertias.clone_from(&full.problem.inertias);
    for block in &full.problem.blocks {
        let first = reduced.problem.rows.len() as u32;
        for row in block.rows() {
            let source = full.problem.rows[row];
            if wanted(row) {
                kept.push(row as u32);
                let at = reduced.problem.entries.len() as u32;
                reduced.problem.entries.extend_from_slice(full.problem.entries(row));
                reduced.problem.rows.push(Row { first: at, ..source });
            }
        }
        let count = reduced.problem.rows.len() as u32 - first;
        if count > 0 {
            // Anchor rows are never left out of a block alone, so a pivot stays one.
            reduced.problem.blocks.push(Block { first, count, pivot: block.pivot });
        }
    }
    reduced.problem.persistent_rows = reduced.problem.rows.len() as u32;
    reduced.stamp_topology(movable);
}

/// The largest |C| of an exactly held row.
pub(super) fn worst_exact_error(world: &World) -> Real {
    let exact = |s: &&RowSpec| s.response == Response::Hard && s.sense == Sense::Equal;
    world.solver_state.workspace.assembly.specs.iter().filter(exact).map(|s| s.error.abs()).fold(0.0, Real::max)
}

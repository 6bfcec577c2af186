//! The world: owner of bodies, constraints and forces; it steps, and it answers what happened.

use super::body::{Body, BodyId, State};
use super::collide::{Collider, ColliderId, CollisionEngine, PairFilter, ParryEngine};
use super::constraint::{Anchor, Constraint, ConstraintId, Joint, JointTarget, Reaction};
use super::contact_points::{ContactSettings, Contacts};
use super::error::DynamicsError;
use super::force::Force;
use super::rows::{Assembly, Response, RowSpec, Scope};
use super::solve::tree::Node;
use super::solve::{
    Block, DenseSolver, Diagnosis, Entry, Inertia, IterativeSolver, Outcome, Problem, Row, Solver, TreeSolver,
};
use super::step::islands::Islands;
use super::step::{Sleep, Sleeping, StepReport, Stepper, Workspace};
use crate::Placement;
use crate::math::{GRAVITY, Mat3, Real, Vec3, Vec6};

/// Which solver answers for the multipliers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SolverKind {
    /// Exact, linear time for trees; the default.
    #[default]
    Tree,
    /// Exact, cubic time; shares redundant loads evenly.
    Dense,
    /// Warm-started projected Gauss–Seidel, for piles of many bodies.
    Iterative {
        /// Most sweeps per solve.
        max_sweeps: usize,
        /// Done when no row condition is off by more than this, velocity units.
        tolerance: Real,
    },
}

/// The solver in use, with its workspace.
#[derive(Clone, Debug)]
pub(crate) enum ActiveSolver {
    Tree(TreeSolver),
    Dense(DenseSolver),
    Iterative(IterativeSolver),
}

impl ActiveSolver {
    pub(crate) fn new(kind: SolverKind) -> Self {
        match kind {
            SolverKind::Tree => ActiveSolver::Tree(TreeSolver::new()),
            SolverKind::Dense => ActiveSolver::Dense(DenseSolver::default()),
            SolverKind::Iterative { max_sweeps, tolerance } => {
                let mut solver = IterativeSolver::default();
                (solver.max_sweeps, solver.tolerance) = (max_sweeps, tolerance);
                ActiveSolver::Iterative(solver)
            }
        }
    }

    /// How far contact forces are settled, and what bounds friction. The dense solver is exact, the iterative one has
    /// settings of its own.
    pub(crate) fn settle_contacts_to(&mut self, contact: &ContactSettings, sweeps: usize) {
        if let ActiveSolver::Tree(solver) = self {
            (solver.contact_tolerance, solver.contact_sweeps) = (contact.tolerance, sweeps);
            solver.friction_bound = contact.friction_bound;
        }
    }

    /// The trees of joints, root by root, parents first; none where the solver knows of no trees.
    pub(crate) fn tree_nodes(&self) -> &[Node] {
        if let ActiveSolver::Tree(solver) = self { solver.nodes() } else { &[] }
    }

    fn as_dyn(&mut self) -> &mut dyn Solver {
        match self {
            ActiveSolver::Tree(s) => s,
            ActiveSolver::Dense(s) => s,
            ActiveSolver::Iterative(s) => s,
        }
    }
}

impl Solver for ActiveSolver {
    fn prepare(&mut self, problem: &Problem) {
        self.as_dyn().prepare(problem);
    }

    fn extend(&mut self, problem: &Problem) {
        self.as_dyn().extend(problem);
    }

    fn solve(&mut self, problem: &Problem, lambda: &mut [Real], velocity: &mut [Vec6]) -> Outcome {
        self.as_dyn().solve(problem, lambda, velocity)
    }

    fn correct(&mut self, problem: &Problem, target: &[Real], lambda: &mut [Real], velocity: &mut [Vec6]) {
        self.as_dyn().correct(problem, target, lambda, velocity);
    }

    fn separate(&mut self, problem: &Problem, target: &[Real], velocity: &mut [Vec6]) {
        self.as_dyn().separate(problem, target, velocity);
    }
}

/// Bodies, what holds them, what pulls at them, and the clock.
#[derive(Clone, Debug)]
pub struct World {
    /// m/s²; (0, −9.81, 0) at first.
    pub gravity: Vec3,
    /// How time goes on.
    pub stepper: Stepper,
    /// How contact is treated.
    pub contact: ContactSettings,
    /// When bodies at rest are left alone.
    pub sleeping: Sleeping,
    /// Whether islands are stepped side by side; the results are the same.
    pub parallel: bool,
    pub(crate) time: Real,
    pub(crate) bodies: Vec<Body>,
    pub(crate) states: Vec<State>,
    pub(crate) movable: Vec<bool>,
    /// Inverse of the mean moment across the body's long axis.
    pub(crate) inverse_transverse_moment: Vec<Real>,
    /// Square of the fastest sideways vibration that tension caused in the last step, 1/s².
    pub(crate) tension: Vec<Real>,
    /// Inverse inertia in body axes.
    pub(crate) inverse_inertia: Vec<Mat3>,
    /// Forces and torques given from outside for the next step, about the centre of mass.
    pub(crate) loads: Vec<Vec6>,
    /// Zero for every body: accelerations that no script gives.
    zero_accelerations: Vec<Vec6>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) forces: Vec<Force>,
    /// Each with the body it sits on.
    pub(crate) colliders: Vec<(BodyId, Collider)>,
    pub(crate) engine: Box<dyn CollisionEngine>,
    pub(crate) pair_filter: PairFilter,
    /// How far each body's shapes reach from its centre of mass, metres.
    pub(crate) bounding_radius: Vec<Real>,
    pub(crate) solver: ActiveSolver,
    solver_kind: SolverKind,
    /// For the stepper that takes all bodies at once.
    pub(crate) workspace: Workspace,
    /// 0, 1, 2, …: every body in a slot of its own number.
    pub(crate) identity_slots: Vec<u32>,
    pub(crate) islands: Islands,
    /// Whether the last step was taken in islands.
    pub(crate) in_islands: bool,
    pub(crate) contacts: Contacts,
    pub(crate) impacts_wanted: bool,
    pub(crate) sleep: Sleep,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world with gravity along −y and the default stepper and solver.
    pub fn new() -> Self {
        Self {
            gravity: Vec3::new(0.0, -GRAVITY, 0.0),
            stepper: Stepper::default(),
            time: 0.0,
            bodies: Vec::new(),
            states: Vec::new(),
            movable: Vec::new(),
            inverse_transverse_moment: Vec::new(),
            tension: Vec::new(),
            inverse_inertia: Vec::new(),
            loads: Vec::new(),
            zero_accelerations: Vec::new(),
            constraints: Vec::new(),
            forces: Vec::new(),
            colliders: Vec::new(),
            engine: Box::new(ParryEngine::new()),
            pair_filter: PairFilter::default(),
            bounding_radius: Vec::new(),
            solver: ActiveSolver::new(SolverKind::default()),
            solver_kind: SolverKind::default(),
            workspace: Workspace::default(),
            identity_slots: Vec::new(),
            islands: Islands::default(),
            in_islands: false,
            contacts: Contacts::default(),
            impacts_wanted: false,
            sleep: Sleep::default(),
            contact: ContactSettings::default(),
            sleeping: Sleeping::default(),
            parallel: true,
        }
    }

    /// Chooses the solver.
    pub fn set_solver(&mut self, kind: SolverKind) {
        self.solver_kind = kind;
        self.solver = ActiveSolver::new(kind);
        self.islands = Islands::default();
    }

    pub fn solver_kind(&self) -> SolverKind {
        self.solver_kind
    }

    /// Seconds since the world began.
    pub fn time(&self) -> Real {
        self.time
    }

    /// Adds a body; refuses masses and states that are no numbers.
    pub fn add_body(&mut self, body: Body) -> Result<BodyId, DynamicsError> {
        if body.is_dynamic() && !body.mass.is_valid() {
            return Err(DynamicsError::Mass { name: body.name, mass: body.mass.mass });
        }
        if !body.state.is_finite() {
            return Err(DynamicsError::NotFinite { name: body.name, what: "its position or velocity" });
        }
        if !(body.linear_damping >= 0.0 && body.angular_damping >= 0.0) {
            return Err(DynamicsError::NotFinite { name: body.name, what: "its damping" });
        }
        let id = BodyId(self.bodies.len() as u32);
        self.states.push(body.state);
        self.movable.push(body.is_dynamic());
        let moments = body.mass.inertia.symmetric_eigenvalues();
        self.inverse_transverse_moment.push(2.0 / (moments.sum() - moments.min()));
        self.inverse_inertia.push(body.mass.inertia.try_inverse().unwrap_or_else(Mat3::zeros));
        self.loads.push(Vec6::zeros());
        self.zero_accelerations.push(Vec6::zeros());
        self.identity_slots.push(id.0);
        self.bounding_radius.push(0.0);
        self.tension.push(0.0);
        self.sleep.add();
        self.islands.up_to_date = false;
        self.bodies.push(body);
        Ok(id)
    }

    /// Adds a constraint; refuses bodies that do not exist and geometry that is no numbers.
    pub fn add_constraint(&mut self, constraint: Constraint) -> Result<ConstraintId, DynamicsError> {
        if let Some(body) = constraint.bodies().find(|b| b.index() >= self.bodies.len()) {
            let (name, count) = (constraint.name, self.bodies.len());
            return Err(DynamicsError::NoSuchBody { name, body: body.index(), count });
        }
        let id = ConstraintId(self.constraints.len() as u32);
        let mut constraint = constraint;
        constraint.settle(&self.scope());
        if !self.states_numbers(&constraint) {
            let what = "its rows are not finite numbers where the bodies are now".into();
            return Err(DynamicsError::Constraint { name: constraint.name, what });
        }
        self.constraints.push(constraint);
        self.touched(id);
        Ok(id)
    }

    /// Takes a constraint away for good. Its number stays unused, so that the others keep theirs.
    pub fn remove_constraint(&mut self, id: ConstraintId) -> Constraint {
        let mut nothing = Constraint::new(Joint::new(None, Placement::IDENTITY, None, Placement::IDENTITY));
        nothing.enabled = false;
        self.touched(id);
        std::mem::replace(&mut self.constraints[id.index()], nothing)
    }

    /// Gives a body a shape that others can touch.
    pub fn add_collider(&mut self, body: BodyId, collider: Collider) -> Result<ColliderId, DynamicsError> {
        if body.index() >= self.bodies.len() {
            let (name, count) = ("a collider".to_string(), self.bodies.len());
            return Err(DynamicsError::NoSuchBody { name, body: body.index(), count });
        }
        self.check_collider(body, &collider)?;
        let id = ColliderId(self.colliders.len() as u32);
        if collider.shape.is_solid() {
            let (low, high) = collider.shape.aabb(&collider.placement);
            let far = low.abs().sup(&high.abs()).norm();
            self.bounding_radius[body.index()] = self.bounding_radius[body.index()].max(far);
        }
        self.wake(body);
        self.colliders.push((body, collider));
        self.engine.prepare(&self.colliders);
        Ok(id)
    }

    /// All colliders in the order they were added, each with the body it sits on.
    pub fn colliders(&self) -> impl Iterator<Item = (ColliderId, BodyId, &Collider)> {
        self.colliders.iter().enumerate().map(|(i, (body, collider))| (ColliderId(i as u32), *body, collider))
    }

    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.index()]
    }

    /// All bodies in the order they were added.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.bodies.iter().enumerate().map(|(i, b)| (BodyId(i as u32), b))
    }

    pub fn state(&self, id: BodyId) -> &State {
        &self.states[id.index()]
    }

    /// Puts a body somewhere else, or gives it another velocity.
    pub fn set_state(&mut self, id: BodyId, state: State) -> Result<(), DynamicsError> {
        if !state.is_finite() {
            return Err(self.not_finite(id, "the state it was given"));
        }
        self.states[id.index()] = state;
        self.wake(id);
        self.workspace.ode.restart = true;
        Ok(())
    }

    /// Where a point of a body, or of the world, is now.
    pub fn place(&self, anchor: &Anchor) -> Vec3 {
        anchor.body.map_or(anchor.point, |id| self.state(id).placement.point(&anchor.point))
    }

    /// All constraints in the order they were added.
    pub fn constraint_ids(&self) -> impl Iterator<Item = ConstraintId> + use<> {
        (0..self.constraints.len() as u32).map(ConstraintId)
    }

    pub fn constraint(&self, id: ConstraintId) -> &Constraint {
        &self.constraints[id.index()]
    }

    /// Changes a constraint between steps: targets, limits, switches.
    pub fn constraint_mut(&mut self, id: ConstraintId) -> &mut Constraint {
        self.touched(id);
        &mut self.constraints[id.index()]
    }

    /// Gives a joint its target for the coming step: [`World::constraint_mut`] for targets that change in every step. What
    /// moves together is not looked at anew, and only a target that changes wakes what the joint holds.
    ///
    /// Constraints that are no joints are left alone.
    pub fn aim(&mut self, id: ConstraintId, target: JointTarget) {
        let constraint = &mut self.constraints[id.index()];
        if let Some(joint) = constraint.joint_mut() {
            let changed = !joint.target.is_like(&target);
            joint.target = target;
            if changed {
                self.sleep.disturbed.extend(self.constraints[id.index()].bodies());
            }
        }
    }

    /// Gives the last rows of a joint other springs and limits, one per entry; the rows themselves stay. Wakes what the
    /// joint holds if that changes anything.
    #[inline]
    pub fn tune(&mut self, id: ConstraintId, settings: &[(Response, Real)]) {
        let Some(joint) = self.constraints[id.index()].joint_mut() else { return };
        let first = joint.drives.len().saturating_sub(settings.len());
        let mut changed = false;
        for (drive, &(response, max_force)) in joint.drives[first..].iter_mut().zip(settings) {
            changed |= (drive.response, drive.max_force) != (response, max_force);
            (drive.response, drive.max_force) = (response, max_force);
        }
        if changed {
            self.sleep.disturbed.extend(self.constraints[id.index()].bodies());
        }
    }

    /// Writes the last multipliers of a constraint in the last step, N or N·m averaged over it, into `out`; false, and
    /// zeros, where it had no rows. [`World::reaction`] without any allocation.
    pub fn last_multipliers(&self, id: ConstraintId, out: &mut [Real]) -> bool {
        out.fill(0.0);
        self.workspace_of(id).is_some_and(|(workspace, _)| workspace.last_multipliers(id, out))
    }

    /// Force and torque of a constraint on a body about its centre of mass, world axes, averaged over the last step.
    pub fn wrench_on(&self, id: ConstraintId, body: BodyId) -> Vec6 {
        self.workspace_of(id).map_or_else(Vec6::zeros, |(workspace, members)| workspace.wrench(id, body, members))
    }

    /// Where a constraint's rows of the last step are, with the numbers of the bodies by slot.
    fn workspace_of(&self, id: ConstraintId) -> Option<(&Workspace, &[u32])> {
        if !self.in_islands {
            return Some((&self.workspace, &self.identity_slots));
        }
        let island = self.islands.of_constraint(&self.movable, &self.constraints[id.index()])?;
        Some((&island.workspace, &island.members))
    }

    /// A force (N) through the centre of mass and a torque (N·m), world axes, for the next step.
    pub fn apply(&mut self, id: BodyId, force: Vec3, torque: Vec3) -> Result<(), DynamicsError> {
        if !force.iter().chain(torque.iter()).all(|x| x.is_finite()) {
            return Err(self.not_finite(id, "the force or torque applied to it"));
        }
        self.wake(id);
        let load = &mut self.loads[id.index()];
        *load += Vec6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
        Ok(())
    }

    /// A force (N) at a world point for the next step.
    pub fn apply_at(&mut self, id: BodyId, force: Vec3, point: Vec3) -> Result<(), DynamicsError> {
        let lever = point - self.states[id.index()].placement.position;
        self.apply(id, force, lever.cross(&force))
    }

    /// A blow (N·s) at a world point: the velocity changes at once.
    pub fn apply_impulse(&mut self, id: BodyId, impulse: Vec3, point: Vec3) -> Result<(), DynamicsError> {
        if !impulse.iter().chain(point.iter()).all(|x| x.is_finite()) {
            return Err(self.not_finite(id, "the impulse applied to it"));
        }
        let index = id.index();
        if self.movable[index] {
            let lever = point - self.states[index].placement.position;
            let torque = lever.cross(&impulse);
            let inertia = super::body::world_inertia(
                &self.bodies[index].mass,
                &self.inverse_inertia[index],
                &self.states[index].placement.rotation,
            );
            let blow = Vec6::new(impulse.x, impulse.y, impulse.z, torque.x, torque.y, torque.z);
            self.states[index].velocity += inertia.apply_inverse(&blow);
            self.wake(id);
            self.workspace.ode.restart = true;
        }
        Ok(())
    }

    /// Advances the clock by `dt` seconds. On an error the world is as it was before.
    pub fn step(&mut self, dt: Real) -> Result<StepReport, DynamicsError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(DynamicsError::Duration(dt));
        }
        super::step::step(self, dt)
    }

    /// What a constraint did during the last step, averaged over it.
    pub fn reaction(&self, id: ConstraintId) -> Reaction {
        self.workspace_of(id).map_or_else(Reaction::default, |(workspace, members)| workspace.reaction(id, members))
    }

    /// Kinetic plus potential energy of all bodies that forces move, with what springs and fields store, J; heights
    /// count from the origin.
    pub fn energy(&self) -> Real {
        let energy = |(index, body): (usize, &Body)| {
            let state = &self.states[index];
            let spin = state.placement.rotation.inverse_transform_vector(&state.angular());
            0.5 * body.mass.mass * state.linear().norm_squared() + 0.5 * spin.dot(&(body.mass.inertia * spin))
                - body.mass.mass * self.gravity.dot(&state.placement.position)
        };
        self.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()).map(energy).sum::<Real>() + self.force_energy()
    }

    /// Linear momentum (kg·m/s) and angular momentum about the world's origin (kg·m²/s).
    pub fn momentum(&self) -> (Vec3, Vec3) {
        let mut total = (Vec3::zeros(), Vec3::zeros());
        for (index, body) in self.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
            let state = &self.states[index];
            let linear = state.linear() * body.mass.mass;
            let spin = state.placement.rotation.inverse_transform_vector(&state.angular());
            total.0 += linear;
            total.1 += state.placement.position.cross(&linear) + state.placement.rotation * (body.mass.inertia * spin);
        }
        total
    }

    /// Which constraints repeat or fight each other, as the rows of the last step show it.
    pub fn diagnose(&self) -> Diagnosis {
        DenseSolver::diagnose(&self.last_assembly().problem)
    }

    /// The constraint that stated a block of the last step, to give the blocks of [`World::diagnose`] their names.
    pub fn block_owner(&self, block: usize) -> Option<ConstraintId> {
        self.last_assembly().owners.get(block).map(|&owner| ConstraintId(owner))
    }

    /// All rows of the last step, in one problem over all bodies.
    pub(crate) fn last_assembly(&self) -> Assembly {
        if !self.in_islands {
            return self.workspace.assembly.clone();
        }
        let mut all = Assembly::default();
        all.problem.inertias.resize(self.bodies.len(), Inertia::IMMOVABLE);
        for island in self.islands.active.iter().map(|&place| &self.islands.pool[place as usize]) {
            let Assembly { problem, owners, .. } = &island.workspace.assembly;
            let (rows, entries) = (all.problem.rows.len() as u32, all.problem.entries.len() as u32);
            let constraint_rows = problem.blocks.last().map_or(0, |b| (b.first + b.count) as usize);
            all.problem
                .rows
                .extend(problem.rows[..constraint_rows].iter().map(|r| Row { first: r.first + entries, ..*r }));
            let body = |slot: u32| island.members[slot as usize];
            all.problem.entries.extend(problem.entries.iter().map(|e| Entry { body: body(e.body), ..*e }));
            all.problem.blocks.extend(problem.blocks.iter().map(|b| Block { first: b.first + rows, ..*b }));
            all.owners.extend_from_slice(owners);
            for (inertia, &member) in problem.inertias.iter().zip(&island.members) {
                all.problem.inertias[member as usize] = *inertia;
            }
        }
        all.problem.persistent_rows = all.problem.rows.len() as u32;
        all.stamp_topology(&self.movable);
        all
    }

    /// A constraint was changed: islands are looked at anew, and what it holds wakes up.
    fn touched(&mut self, id: ConstraintId) {
        self.islands.up_to_date = false;
        self.sleep.disturbed.extend(self.constraints[id.index()].bodies());
    }

    /// What constraints may look at between steps.
    pub(crate) fn scope(&self) -> Scope<'_> {
        let World { states, movable, workspace, time, identity_slots, .. } = self;
        Scope { slots: identity_slots, states, scripted: &workspace.scripted, movable, time: *time }
    }

    /// Whether everything the constraint says of the bodies as they are now is finite.
    fn states_numbers(&self, constraint: &Constraint) -> bool {
        let scope = Scope { scripted: &self.zero_accelerations, ..self.scope() };
        let mut assembly = Assembly { with_curvature: true, ..Assembly::default() };
        assembly.block(0, false, scope, |sink| constraint.emit(constraint.is_pivot(), &scope, sink));
        let finite =
            |spec: &RowSpec| [spec.error, spec.rate, spec.acceleration, spec.curvature].iter().all(|x| x.is_finite());
        assembly.specs.iter().all(finite)
            && assembly.problem.entries.iter().all(|e| e.jacobian.iter().all(|x| x.is_finite()))
    }

    fn not_finite(&self, id: BodyId, what: &'static str) -> DynamicsError {
        DynamicsError::NotFinite { name: self.bodies[id.index()].name.clone(), what }
    }
}

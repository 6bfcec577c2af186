//! Solver of a world, its islands, and the rows of the last step.

use super::World;
use crate::constraint::ConstraintId;
use crate::contact_points::ContactSettings;
use crate::math::Real;
use crate::rows::Assembly;
use crate::solve::tree::Node;
use crate::solve::{Block, DenseSolver, Diagnosis, Entry, Inertia, IterativeSolver, Row, Solver, TreeSolver};
use crate::step::Workspace;
use crate::step::islands::Islands;

/// Solver that finds the multipliers.
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
        /// Row conditions are met within this, velocity units.
        tolerance: Real,
    },
}

/// Solver in use, with its workspace.
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
                (solver.settings.max_sweeps, solver.settings.tolerance) = (max_sweeps, tolerance);
                ActiveSolver::Iterative(solver)
            }
        }
    }

    /// Sets tolerance and sweeps of contact forces, and the bound of friction. The dense solver is exact, the iterative
    /// one has settings of its own.
    pub(crate) fn settle_contacts_to(&mut self, contact: &ContactSettings, sweeps: usize) {
        if let ActiveSolver::Tree(solver) = self {
            (solver.contact_tolerance, solver.contact_sweeps) = (contact.tolerance, sweeps);
            solver.friction_bound = contact.friction_bound;
        }
    }

    /// Returns the trees of joints, root by root, parents first; empty if the solver has no trees.
    pub(crate) fn tree_nodes(&self) -> &[Node] {
        if let ActiveSolver::Tree(solver) = self { solver.nodes() } else { &[] }
    }

    pub(crate) fn as_dyn(&mut self) -> &mut dyn Solver {
        match self {
            ActiveSolver::Tree(s) => s,
            ActiveSolver::Dense(s) => s,
            ActiveSolver::Iterative(s) => s,
        }
    }
}

/// Solver, islands and buffers that live from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct SolverState {
    kind: SolverKind,
    /// Solver of the stepper that takes all bodies at once; islands have their own.
    pub solver: ActiveSolver,
    /// Buffers of the stepper that takes all bodies at once.
    pub workspace: Workspace,
    pub islands: Islands,
    /// True if the last step was taken in islands.
    pub in_islands: bool,
}

impl Default for ActiveSolver {
    fn default() -> Self {
        Self::new(SolverKind::default())
    }
}

impl World {
    /// Chooses the solver; the state of the old one is dropped.
    pub fn set_solver(&mut self, kind: SolverKind) {
        self.solver_state.kind = kind;
        self.solver_state.solver = ActiveSolver::new(kind);
        self.solver_state.islands = Islands::default();
    }

    /// Returns the solver in use.
    pub fn solver_kind(&self) -> SolverKind {
        self.solver_state.kind
    }

    /// Returns the workspace with the rows of a constraint in the last step, and the bodies by slot.
    pub(super) fn workspace_of(&self, id: ConstraintId) -> Option<(&Workspace, &[u32])> {
        if !self.solver_state.in_islands {
            return Some((&self.solver_state.workspace, &self.bodies.identity_slots));
        }
        let island = self.solver_state.islands.of_constraint(&self.bodies.movable, &self.constraints[id.index()])?;
        Some((&island.workspace, &island.members))
    }

    /// Finds constraints that are redundant or contradict each other, from the rows of the last step.
    pub fn diagnose(&self) -> Diagnosis {
        DenseSolver::diagnose(&self.last_assembly().problem)
    }

    /// Returns the constraint that stated a block of the last step: the blocks of [`World::diagnose`] are numbers.
    pub fn block_owner(&self, block: usize) -> Option<ConstraintId> {
        self.last_assembly().owners.get(block).map(|&owner| ConstraintId(owner))
    }

    /// Gathers all rows of the last step in one problem over all bodies.
    pub(crate) fn last_assembly(&self) -> Assembly {
        if !self.solver_state.in_islands {
            return self.solver_state.workspace.assembly.clone();
        }
        let mut all = Assembly::default();
        all.problem.inertias.resize(self.bodies.list.len(), Inertia::IMMOVABLE);
        for island in
            self.solver_state.islands.active.iter().map(|&place| &self.solver_state.islands.pool[place as usize])
        {
            let Assembly { problem, owners, .. } = &island.workspace.assembly;
            let (rows, entries) = (all.problem.rows.len() as u32, all.problem.entries.len() as u32);
            let constraint_rows = problem.blocks.last().map_or(0, |b| b.rows().end);
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
        all.stamp_topology(&self.bodies.movable);
        all
    }
}

//! Tree solver: exact, and linear in the number of bodies.
//!
//! The joints of articulated figures form trees. Eliminating bodies and joints from the leaves to the root (Baraff
//! 1996, "Linear-time dynamics using Lagrange multipliers") creates no fill, so the cost is one small block per body.
//! [`forest`] finds the trees, [`kernel`] eliminates one body with its joint ([`pivot`] is faster for joints that hold
//! a point), [`sweep`] solves.
//!
//! Motors with limited force stay in the tree: a motor that would exceed its limit is held at it, its rows are taken
//! out, and the tree is factored again (active set). Rows that do not fit a tree (loop closures, one-sided limits,
//! contacts) are *auxiliary*: they are coupled by the tree's response, A_ij = J_i M̂⁻¹ J_jᵀ + S, which costs one walk
//! to the root per row. They are solved by the lo-hi complementarity solver or, with contacts, by sweeps with Coulomb's
//! true cone ([`relaxation`]).

mod auxiliary;
mod forest;
pub(crate) mod kernel;
mod pivot;
mod relaxation;
mod rows;
mod spatial;
mod sweep;
#[cfg(test)]
mod tests;
mod walk;

use self::auxiliary::Auxiliary;
pub(crate) use self::forest::Node;
use self::forest::{Forest, NONE};
use self::kernel::{Factor, Six, ZERO, block_of, by_rows, factor_body, inertia_of};
use self::pivot::{ExactRotation, Pivot};
use self::spatial::{Spatial, Symmetric};
use self::sweep::{Changes, Leg, Targets};
use super::{FrictionBound, Outcome, Problem, Solver};
use crate::math::{Buffer, Mat3, Real, Vec3, Vec6};

/// Passes of the motors' active set after which the rows concerned are left to the complementarity solver.
const ACTIVE_SET_PASSES: usize = 12;

/// Residual of auxiliary rows that counts as solved, relative to the largest target velocity.
const UNANSWERED: Real = 1e-8;

/// Side of its bounds that a row is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Free,
    Low,
    High,
}

/// Solves exactly, in time linear in the number of bodies for trees of joints.
#[derive(Clone, Debug)]
pub struct TreeSolver {
    /// Largest change of a velocity in a sweep over converged contacts, m/s.
    pub contact_tolerance: Real,
    /// Bound on the sweeps over the contacts per solve (conjugate steps, which cost about the same, included).
    pub contact_sweeps: usize,
    /// Load that bounds friction.
    pub friction_bound: FrictionBound,
    forest: Forest,
    topology: Option<u64>,
    /// Rows that repeat others, or whose active set did not converge.
    demoted: Vec<bool>,
    factors: Vec<Factor>,
    pivots: Vec<Pivot>,
    /// Exact rotation rows by node, like the pivots; empty while no pivot has any.
    exact_rotations: Vec<ExactRotation>,
    /// Articulated inertias while they are gathered, of nodes with other children than just the next node.
    gathered: Vec<Spatial>,
    /// Momentum on the way up, velocity on the way down, by node.
    flow: Vec<Six>,
    /// k − J u on the way up, λ on the way down, by node; of nodes that are no pivots.
    joint_flow: Vec<Six>,
    /// Nodes above the bodies that auxiliary rows act on, parents first; their motion without these rows, and the
    /// impulses of these rows, by node.
    touched: Vec<u32>,
    marked: Vec<bool>,
    glanced: Vec<Six>,
    more: Vec<Six>,
    /// Set if `flow` holds impulses from outside the trees' own rows.
    loaded: bool,
    /// Residual k − J u of every row.
    wanted: Vec<Real>,
    side: Vec<Side>,
    has_bounded: bool,
    /// Buffer for multipliers that the caller does not need.
    unasked: Vec<Real>,
    /// Boxed, because it is large and solvers lie side by side in an enum.
    auxiliary: Box<Auxiliary>,
}

impl Default for TreeSolver {
    fn default() -> Self {
        Self {
            contact_tolerance: 1e-9,
            contact_sweeps: 400,
            friction_bound: FrictionBound::default(),
            forest: Forest::default(),
            topology: None,
            demoted: Vec::new(),
            factors: Vec::new(),
            pivots: Vec::new(),
            exact_rotations: Vec::new(),
            gathered: Vec::new(),
            flow: Vec::new(),
            joint_flow: Vec::new(),
            touched: Vec::new(),
            marked: Vec::new(),
            glanced: Vec::new(),
            more: Vec::new(),
            loaded: false,
            wanted: Vec::new(),
            side: Vec::new(),
            has_bounded: false,
            unasked: Vec::new(),
            auxiliary: Box::default(),
        }
    }
}

impl TreeSolver {
    /// Makes a solver that has seen no problem yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of rows outside the trees, without those of contacts.
    pub fn auxiliary_rows(&self) -> usize {
        self.auxiliary.rows.len()
    }

    /// Returns the bodies of all trees, root by root, parents first.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.forest.nodes
    }

    fn rebuild(&mut self, problem: &Problem) {
        self.forest.build(problem, &self.demoted);
        let nodes = self.forest.nodes.len();
        // Both are large, and figures usually need only one of them.
        let pivots = self.forest.nodes.iter().filter(|node| node.pivot).count();
        self.factors.resize(if pivots < nodes { nodes } else { 0 }, Factor::EMPTY);
        self.pivots.resize(if pivots > 0 { nodes } else { 0 }, Pivot::EMPTY);
        self.exact_rotations.clear();
        self.gathered.resize(nodes, Spatial::ZERO);
        self.flow.resize(nodes + self.forest.lone.len(), [0.0; 6]);
        self.joint_flow.resize(self.factors.len(), [0.0; 6]);
        let in_tree = |&row: &u32| !problem.rows[row as usize].is_equality();
        self.has_bounded =
            self.forest.rows.iter().any(in_tree) || self.forest.absorbed.iter().any(|(row, _)| in_tree(row));
    }

    /// Factors all trees; rows that repeat others are demoted on the way.
    fn factor(&mut self, problem: &Problem) {
        while let Err(row) = self.try_factor(problem) {
            self.demoted[row as usize] = true;
            self.side[row as usize] = Side::Free;
            self.rebuild(problem);
        }
        self.walk_auxiliary(problem);
    }

    /// The same code for wider vectors where the machine has them. Rust never fuses or reorders floating-point
    /// operations, so the results are the same to the bit.
    fn try_factor(&mut self, problem: &Problem) -> Result<(), u32> {
        crate::math::wide!(fn(solver: &mut TreeSolver = self, problem: &Problem) -> Result<(), u32> {
            solver.factor_all(problem)
        })
    }

    #[inline(always)]
    fn factor_all(&mut self, problem: &Problem) -> Result<(), u32> {
        let own = |body: u32| {
            let inertia = &problem.inertias[body as usize];
            Spatial { a: Symmetric::uniform(inertia.mass), b: Mat3::zeros(), c: Symmetric::of(&inertia.inertia) }
        };
        // Absorbed rows add to the inertia of their bodies and need no elimination.
        let relayed = self.forest.absorbed.is_empty();
        for (gathered, node) in self.gathered.iter_mut().zip(&self.forest.nodes) {
            if !(node.relays && relayed) {
                *gathered = own(node.body);
            }
        }
        for &(row, node) in &self.forest.absorbed {
            if self.side[row as usize] == Side::Free {
                let j = &problem.entries(row as usize)[0].jacobian;
                let stiffness = 1.0 / problem.rows[row as usize].softness;
                let (linear, angular) = (Vec3::new(j[0], j[1], j[2]), Vec3::new(j[3], j[4], j[5]));
                let gathered = &mut self.gathered[node as usize];
                gathered.a = gathered.a.plus_square(&linear, stiffness);
                gathered.b += linear * (angular * stiffness).transpose();
                gathered.c = gathered.c.plus_square(&angular, stiffness);
            }
        }
        let mut carried = Spatial::ZERO;
        for index in (0..self.forest.nodes.len()).rev() {
            let node = self.forest.nodes[index];
            let mut inertia = if node.relays && relayed { own(node.body) } else { self.gathered[index] };
            if node.relays {
                inertia.add(&carried);
            }
            if node.pivot {
                let numbers = &self.forest.rows[node.rows()];
                let pivot = &mut self.pivots[index];
                let exact = pivot.rows.read(problem, node.body, numbers, &self.side);
                if pivot.rows.exact_count > 0 {
                    self.exact_rotations.resize(self.forest.nodes.len(), ExactRotation::EMPTY);
                    self.exact_rotations[index].directions = exact;
                }
                carried = pivot.factor(self.exact_rotations.get_mut(index), &inertia).map_err(|r| numbers[r])?;
                if node.parent != NONE && !node.relayed {
                    self.gathered[node.parent as usize].add(&carried);
                }
                continue;
            }
            let factor = &mut self.factors[index];
            factor_body(factor, &mut block_of(&inertia));
            if node.count == 0 {
                continue;
            }
            let rows = &self.forest.rows[node.rows()];
            let (mut jc, mut jp, mut softness) = (ZERO, ZERO, [1.0; 6]);
            for (r, &row) in rows.iter().enumerate() {
                if self.side[row as usize] != Side::Free {
                    continue;
                }
                softness[r] = problem.rows[row as usize].softness;
                for entry in problem.entries(row as usize) {
                    if entry.body == node.body {
                        jc.iter_mut().zip(&entry.jacobian).for_each(|(component, j)| component[r] = *j);
                    } else {
                        jp[r].copy_from_slice(entry.jacobian.as_slice());
                    }
                }
            }
            let parent_rows = (node.parent != NONE).then_some(&jp);
            by_rows!(node.count, factor_joint(factor, &jc, parent_rows, &softness)).map_err(|r| rows[r])?;
            if node.parent != NONE {
                let mut load = ZERO;
                by_rows!(node.count, load_parent(factor, &mut load));
                carried = inertia_of(&load);
                if !node.relayed {
                    self.gathered[node.parent as usize].add(&carried);
                }
            }
        }
        Ok(())
    }

    /// Moves motors on or off their limits; returns true if any changed.
    fn update_sides(&mut self, problem: &Problem, lambda: &[Real]) -> bool {
        let mut changed = false;
        for at in 0..self.forest.rows.len() {
            let row = self.forest.rows[at] as usize;
            if problem.rows[row].is_equality() {
                continue;
            }
            let next = self.next_side(problem, row, lambda[row]);
            changed |= std::mem::replace(&mut self.side[row], next) != next;
        }
        for at in 0..self.forest.absorbed.len() {
            let row = self.forest.absorbed[at].0 as usize;
            if problem.rows[row].is_equality() {
                continue;
            }
            let lambda = (self.wanted[row] - self.swept_rate(problem, row as u32)) / problem.rows[row].softness;
            let next = self.next_side(problem, row, lambda);
            changed |= std::mem::replace(&mut self.side[row], next) != next;
        }
        changed
    }

    fn next_side(&self, problem: &Problem, row: usize, lambda: Real) -> Side {
        let r = &problem.rows[row];
        // w = J v + s λ − k at the limit decides whether the row stays there.
        let w = |limit: Real| self.swept_rate(problem, row as u32) + r.softness * limit - self.wanted[row];
        match self.side[row] {
            Side::Free if lambda > r.hi => Side::High,
            Side::Free if lambda < r.lo => Side::Low,
            Side::High if w(r.hi) > 0.0 => Side::Free,
            Side::Low if w(r.lo) < 0.0 => Side::Free,
            side => side,
        }
    }
}

impl Solver for TreeSolver {
    fn prepare(&mut self, problem: &Problem) {
        if self.topology != Some(problem.topology) {
            self.topology = Some(problem.topology);
            self.demoted.reset(problem.persistent_rows as usize, false);
            self.side.reset(problem.persistent_rows as usize, Side::Free);
            self.rebuild(problem);
        }
        self.auxiliary.free.clear();
        self.factor(problem);
    }

    fn extend(&mut self, problem: &Problem) {
        self.walk_more(problem);
    }

    fn solve(&mut self, problem: &Problem, lambda: &mut [Real], velocity: &mut [Vec6]) -> Outcome {
        self.ask_outside(problem, velocity);
        let mut outcome = Outcome::default();
        let mut passes = 0;
        let mut targets = Targets::Computed;
        // One sweep is all there is to do where nothing saturates and all rows are in the trees.
        let once = !self.has_bounded && !self.auxiliary.has_units();
        let changes = if once { Changes::Added } else { Changes::Kept };
        loop {
            outcome.residual = 0.0;
            self.auxiliary.relaxation.rest();
            self.load(problem, true, false);
            let sweep = |solver: &mut Self, leg, targets, lambda: &mut [Real], velocity: &mut [Vec6]| {
                solver.sweep(problem, leg, targets, changes, lambda, velocity);
            };
            if self.auxiliary.has_units() {
                sweep(self, Leg::Up, targets, lambda, velocity);
                sweep(self, Leg::Glance, targets, lambda, velocity);
                let pushes = if problem.contacts.is_empty() {
                    self.settle_auxiliary(problem, &mut outcome)
                } else {
                    self.settle_contacts(problem, lambda, &mut outcome)
                };
                if pushes {
                    self.load_more(problem);
                    sweep(self, Leg::More, targets, lambda, velocity);
                }
                sweep(self, Leg::Down, targets, lambda, velocity);
            } else {
                sweep(self, Leg::Whole, targets, lambda, velocity);
            }
            targets = Targets::Known;
            outcome.iterations += 1;
            let settled = !self.has_bounded || !self.update_sides(problem, lambda);
            // An active set can converge where the auxiliary rows have no solution, though another set has one.
            let largest = || self.wanted.iter().fold(1.0, |m: Real, w| m.max(w.abs()));
            // With many contacts it is rather the sweeps that have not converged.
            let answered = || {
                let few = self.auxiliary.relaxation.units.len() <= relaxation::FEW;
                let saturated = || self.side.iter().any(|&side| side != Side::Free);
                let near = (UNANSWERED * largest()).max(100.0 * self.contact_tolerance);
                if problem.contacts.is_empty() {
                    outcome.residual <= UNANSWERED * largest()
                } else {
                    outcome.residual <= near || !few || !saturated()
                }
            };
            if settled && (!self.has_bounded || answered()) {
                break;
            }
            passes += 1;
            if settled || passes >= ACTIVE_SET_PASSES {
                // Motors that keep changing sides are left to the complementarity solver.
                self.hand_motors_over(problem);
                passes = 0;
            }
            self.factor(problem);
        }
        self.complete(problem, true, lambda);
        if !once {
            self.hand_out(problem, velocity);
        }
        outcome
    }

    fn correct(&mut self, problem: &Problem, target: &[Real], lambda: &mut [Real], velocity: &mut [Vec6]) {
        let once = !self.auxiliary.has_units();
        if !once || !self.forest.absorbed.is_empty() {
            self.wanted.assign(target.iter().copied());
        }
        self.auxiliary.relaxation.rest();
        if !once || self.forest.nodes.len() < velocity.len() {
            velocity.fill(Vec6::zeros());
        }
        let targets = Targets::Given(target);
        let changes = if once { Changes::Put } else { Changes::Kept };
        self.load(problem, false, false);
        self.sweep(problem, Leg::Whole, targets, changes, lambda, velocity);
        if !once && self.correct_auxiliary(problem) {
            self.load(problem, false, true);
            self.sweep(problem, Leg::Whole, targets, changes, lambda, velocity);
        }
        self.complete(problem, false, lambda);
        if !once {
            self.hand_out(problem, velocity);
        }
    }

    fn separate(&mut self, problem: &Problem, target: &[Real], velocity: &mut [Vec6]) {
        velocity.fill(Vec6::zeros());
        if !self.separate_contacts(problem, target) {
            return;
        }
        self.wanted.reset(problem.rows.len(), 0.0);
        self.load(problem, false, true);
        let mut unasked = std::mem::take(&mut self.unasked);
        unasked.resize(problem.persistent_rows as usize, 0.0);
        self.sweep(problem, Leg::Whole, Targets::Known, Changes::Kept, &mut unasked, velocity);
        self.unasked = unasked;
        self.hand_out(problem, velocity);
    }
}

impl TreeSolver {
    fn hand_motors_over(&mut self, problem: &Problem) {
        for (row, r) in problem.rows[..problem.persistent_rows as usize].iter().enumerate() {
            if !r.is_equality() {
                self.demoted[row] = true;
                self.side[row] = Side::Free;
            }
        }
        self.rebuild(problem);
    }
}

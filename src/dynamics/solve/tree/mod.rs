//! The tree solver: exact, and linear in the number of bodies.
//!
//! The joints of articulated figures form trees. Eliminating bodies and joints from the leaves to the root (Baraff
//! 1996, "Linear-time dynamics using Lagrange multipliers") creates no fill, so the cost is one small block per body.
//! [`forest`] finds the trees, [`kernel`] eliminates one body with its joint.
//!
//! Motors with limited force stay in the tree: a motor that wants more than its limit is held at the limit, its rows
//! are taken out, and the tree is factored again (active set). Rows that do not fit a tree (loop closures, one-sided
//! limits, contacts) are *auxiliary*: they see the tree through its response, A_ij = J_i M̂⁻¹ J_jᵀ + S, which costs one walk to
//! the root per row. They are settled by the lo-hi complementarity solver or, where there are contacts, by sweeps with
//! Coulomb's true cone ([`contact`]).

mod auxiliary;
mod contact;
mod forest;
pub(crate) mod kernel;
mod pivot;
mod spatial;
#[cfg(test)]
mod tests;
mod walk;

use self::auxiliary::Auxiliary;
use self::forest::{Forest, NONE, is_bounded};
use self::kernel::{Factor, Six, ZERO, block_of, by_rows, factor_body, inertia_of, up_body};
use self::pivot::{Pivot, Rows};
use self::spatial::{Spatial, Symmetric};
use super::{Outcome, Problem, Solver};
use crate::math::{Mat3, Real, Vec3, Vec6};

/// Passes of the motors' active set before the rows concerned are handed to the complementarity solver.
const ACTIVE_SET_PASSES: usize = 12;

/// Auxiliary rows count as answered within this, relative to the largest velocity asked for.
const UNANSWERED: Real = 1e-8;

/// Where a row with inner bounds stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Free,
    Low,
    High,
}

/// Exact, and linear in the number of bodies for trees of joints.
#[derive(Clone, Debug)]
pub struct TreeSolver {
    /// Contacts count as settled when a sweep over them changes no velocity by more than this, m/s.
    pub contact_tolerance: Real,
    /// Most sweeps over the contacts per solve (conjugate steps, which cost about the same, included).
    pub contact_sweeps: usize,
    forest: Forest,
    topology: Option<u64>,
    /// Rows that turned out to repeat others, or whose active set did not settle.
    demoted: Vec<bool>,
    factors: Vec<Factor>,
    pivots: Vec<Pivot>,
    /// Articulated inertias while they are gathered.
    gathered: Vec<Spatial>,
    /// Momentum on the way up, velocity on the way down, by node.
    flow: Vec<Six>,
    /// k − J u on the way up, λ on the way down, by node.
    joint_flow: Vec<Six>,
    /// k − J u of every row.
    wanted: Vec<Real>,
    side: Vec<Side>,
    has_bounded: bool,
    /// Boxed, because it is large and solvers lie side by side in an enum.
    auxiliary: Box<Auxiliary>,
}

impl Default for TreeSolver {
    fn default() -> Self {
        Self {
            contact_tolerance: 1e-9,
            contact_sweeps: 400,
            forest: Forest::default(),
            topology: None,
            demoted: Vec::new(),
            factors: Vec::new(),
            pivots: Vec::new(),
            gathered: Vec::new(),
            flow: Vec::new(),
            joint_flow: Vec::new(),
            wanted: Vec::new(),
            side: Vec::new(),
            has_bounded: false,
            auxiliary: Box::default(),
        }
    }
}

impl TreeSolver {
    pub fn new() -> Self {
        Self::default()
    }

    /// How many rows lie outside the trees, those of contacts aside.
    pub fn auxiliary_rows(&self) -> usize {
        self.auxiliary.rows.len()
    }

    fn rebuild(&mut self, problem: &Problem) {
        self.forest.build(problem, &self.demoted);
        let nodes = self.forest.nodes.len();
        // Both are large, and figures usually need one of them only.
        let pivots = self.forest.nodes.iter().filter(|node| node.pivot).count();
        self.factors.resize(if pivots < nodes { nodes } else { 0 }, Factor::EMPTY);
        self.pivots.resize(if pivots > 0 { nodes } else { 0 }, Pivot::EMPTY);
        self.gathered.clear();
        self.flow.resize(nodes + self.forest.lone.len(), [0.0; 6]);
        self.joint_flow.resize(nodes, [0.0; 6]);
        let in_tree = |&row: &u32| is_bounded(problem.rows[row as usize].lo, problem.rows[row as usize].hi);
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

    /// The same code for wider vectors where the machine has them. Rust never fuses or reorders floating-point operations,
    /// so the results are the same to the bit.
    fn try_factor(&mut self, problem: &Problem) -> Result<(), u32> {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn wide(solver: &mut TreeSolver, problem: &Problem) -> Result<(), u32> {
                solver.factor_all(problem)
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the machine was just asked.
                return unsafe { wide(self, problem) };
            }
        }
        self.factor_all(problem)
    }

    #[inline(always)]
    fn factor_all(&mut self, problem: &Problem) -> Result<(), u32> {
        self.gathered.clear();
        self.gathered.extend(self.forest.nodes.iter().map(|node| {
            let inertia = &problem.inertias[node.body as usize];
            Spatial { a: Symmetric::uniform(inertia.mass), b: Mat3::zeros(), c: Symmetric::of(&inertia.inertia) }
        }));
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
        for index in (0..self.forest.nodes.len()).rev() {
            let node = self.forest.nodes[index];
            if node.pivot {
                let numbers = &self.forest.rows[node.first as usize..(node.first + node.count) as usize];
                let pivot = &mut self.pivots[index];
                read_pivot(&mut pivot.rows, problem, node.body, numbers, &self.side);
                let carried = pivot.factor(&self.gathered[index]).map_err(|r| numbers[r])?;
                if node.parent != NONE {
                    self.gathered[node.parent as usize].add(&carried);
                }
                continue;
            }
            let factor = &mut self.factors[index];
            factor_body(factor, &mut block_of(&self.gathered[index]));
            if node.count == 0 {
                continue;
            }
            let rows = &self.forest.rows[node.first as usize..(node.first + node.count) as usize];
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
                self.gathered[node.parent as usize].add(&inertia_of(&load));
            }
        }
        Ok(())
    }

    /// One upward and one downward sweep. On entry `flow` holds impulses on the bodies, `joint_flow` k − J u; on exit
    /// velocity changes and multipliers.
    fn sweep(&mut self) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn wide(solver: &mut TreeSolver) {
                solver.sweep_all();
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the machine was just asked.
                return unsafe { wide(self) };
            }
        }
        self.sweep_all();
    }

    #[inline(always)]
    fn sweep_all(&mut self) {
        let Self { forest, factors, pivots, flow, joint_flow, .. } = self;
        for index in (0..forest.nodes.len()).rev() {
            let node = forest.nodes[index];
            let (above, here) = flow.split_at_mut(index);
            if node.pivot {
                let (force, torque) = pivots[index].up(&mut here[0], &joint_flow[index]);
                if node.parent != NONE {
                    add_wrench(&mut above[node.parent as usize], &force, &torque);
                }
                continue;
            }
            let factor = &factors[index];
            up_body(factor, &mut here[0]);
            if node.count > 0 {
                by_rows!(node.count, up_joint(factor, &here[0], &mut joint_flow[index]));
                if node.parent != NONE {
                    let parent = &mut above[node.parent as usize];
                    by_rows!(node.count, load_parent_momentum(factor, &joint_flow[index], parent));
                }
            }
        }
        for index in 0..forest.nodes.len() {
            let node = forest.nodes[index];
            let (above, here) = flow.split_at_mut(index);
            let parent = (node.parent != NONE).then(|| &above[node.parent as usize]);
            if node.pivot {
                pivots[index].down(parent, &mut here[0], &mut joint_flow[index]);
                continue;
            }
            let factor = &factors[index];
            if node.count > 0 {
                by_rows!(node.count, down_joint(factor, parent, &mut joint_flow[index]));
                by_rows!(node.count, down_body(factor, &joint_flow[index], &mut here[0]));
            } else {
                kernel::down_body::<0>(factor, &[0.0; 6], &mut here[0]);
            }
        }
    }

    /// Fills `flow` and `joint_flow` for a sweep: saturated rows push with their limit, the auxiliary rows with λ.
    fn load(&mut self, problem: &Problem, saturated: bool, auxiliary: bool) {
        self.flow.fill([0.0; 6]);
        for (index, node) in self.forest.nodes.iter().enumerate() {
            let rows = &self.forest.rows[node.first as usize..(node.first + node.count) as usize];
            let flow = self.joint_flow[index].iter_mut();
            if self.has_bounded {
                let wish = |row: usize| if self.side[row] == Side::Free { self.wanted[row] } else { 0.0 };
                flow.zip(rows).for_each(|(x, &row)| *x = wish(row as usize));
            } else {
                flow.zip(rows).for_each(|(x, &row)| *x = self.wanted[row as usize]);
            }
        }
        for &(row, node) in &self.forest.absorbed {
            if self.side[row as usize] == Side::Free {
                let push = self.wanted[row as usize] / problem.rows[row as usize].softness;
                push_on(&mut self.flow[node as usize], &problem.entries(row as usize)[0].jacobian, push);
            }
        }
        if saturated && self.has_bounded {
            for row in 0..problem.firm as usize {
                let limit = match self.side[row] {
                    Side::Free => continue,
                    Side::Low => problem.rows[row].lo,
                    Side::High => problem.rows[row].hi,
                };
                for entry in problem.entries(row) {
                    push_on(&mut self.flow[self.forest.node_of[entry.body as usize] as usize], &entry.jacobian, limit);
                }
            }
        }
        if auxiliary {
            self.load_auxiliary(problem);
        }
    }

    /// J Δv of a row after a sweep.
    fn swept_rate(&self, problem: &Problem, row: u32) -> Real {
        let dot = |e: &super::Entry| {
            let v = &self.flow[self.forest.node_of[e.body as usize] as usize];
            (0..6).map(|k| e.jacobian[k] * v[k]).sum::<Real>()
        };
        problem.entries(row as usize).iter().map(dot).sum()
    }

    /// Moves motors on or off their limits; true if any changed.
    fn update_sides(&mut self, problem: &Problem) -> bool {
        let mut changed = false;
        for (index, node) in self.forest.nodes.iter().enumerate() {
            for r in 0..node.count as usize {
                let row = self.forest.rows[node.first as usize + r] as usize;
                if !is_bounded(problem.rows[row].lo, problem.rows[row].hi) {
                    continue;
                }
                let next = self.next_side(problem, row, self.joint_flow[index][r]);
                changed |= std::mem::replace(&mut self.side[row], next) != next;
            }
        }
        for at in 0..self.forest.absorbed.len() {
            let row = self.forest.absorbed[at].0 as usize;
            if !is_bounded(problem.rows[row].lo, problem.rows[row].hi) {
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
        // w = J v + s λ − k at the limit decides whether the limit is still wanted.
        let w = |limit: Real| self.swept_rate(problem, row as u32) + r.softness * limit - self.wanted[row];
        match self.side[row] {
            Side::Free if lambda > r.hi => Side::High,
            Side::Free if lambda < r.lo => Side::Low,
            Side::High if w(r.hi) > 0.0 => Side::Free,
            Side::Low if w(r.lo) < 0.0 => Side::Free,
            side => side,
        }
    }

    /// Puts the multipliers of the last sweep into `lambda`, adds the velocity changes to `velocity`.
    fn hand_out(&self, problem: &Problem, saturated: bool, lambda: &mut [Real], velocity: &mut [Vec6]) {
        let settled = |row: usize, free: Real| match self.side[row] {
            Side::Free => free,
            Side::Low if saturated => problem.rows[row].lo,
            Side::High if saturated => problem.rows[row].hi,
            _ => 0.0,
        };
        for (index, node) in self.forest.nodes.iter().enumerate() {
            let rows = &self.forest.rows[node.first as usize..(node.first + node.count) as usize];
            let flow = rows.iter().zip(&self.joint_flow[index]);
            if self.has_bounded {
                flow.for_each(|(&row, &free)| lambda[row as usize] = settled(row as usize, free));
            } else {
                flow.for_each(|(&row, &free)| lambda[row as usize] = free);
            }
            velocity[node.body as usize] += Vec6::from_column_slice(&self.flow[index]);
        }
        for &(row, _) in &self.forest.absorbed {
            let wish = self.wanted[row as usize] - self.swept_rate(problem, row);
            lambda[row as usize] = settled(row as usize, wish / problem.rows[row as usize].softness);
        }
        let relaxation = &self.auxiliary.relaxation;
        for (unit, values) in relaxation.units.iter().zip(&relaxation.lambda) {
            for (&row, &value) in unit.rows.iter().zip(values).filter(|(row, _)| **row != NONE) {
                lambda[row as usize] = value;
            }
        }
        self.move_lone(problem, velocity);
    }

    /// k − J u of every row, for bodies that move with `velocity`.
    #[inline(always)]
    fn wishes(&mut self, problem: &Problem, velocity: &[Vec6]) {
        let Self { forest, wanted, pivots, auxiliary, .. } = self;
        wanted.clear();
        wanted.extend(problem.rows.iter().map(|row| row.target));
        for (index, node) in forest.nodes.iter().enumerate() {
            let rows = &forest.rows[node.first as usize..(node.first + node.count) as usize];
            if node.pivot && pivots[index].rows.are_complete(rows.len()) {
                let parent = (node.parent != NONE).then(|| &velocity[forest.nodes[node.parent as usize].body as usize]);
                let own = &mut wanted[rows[0] as usize..rows[0] as usize + rows.len()];
                pivots[index].rows.take_rates(&velocity[node.body as usize], parent, own);
            } else {
                rows.iter().for_each(|&row| wanted[row as usize] -= problem.rate(row as usize, velocity));
            }
        }
        let absorbed = forest.absorbed.iter().map(|(row, _)| *row);
        let contacts = problem.contacts.iter().flat_map(|contact| contact.rows()).map(|row| row as u32);
        for row in absorbed.chain(auxiliary.rows.iter().copied()).chain(contacts) {
            wanted[row as usize] -= problem.rate(row as usize, velocity);
        }
    }
}

impl Solver for TreeSolver {
    fn prepare(&mut self, problem: &Problem) {
        if self.topology != Some(problem.topology) {
            self.topology = Some(problem.topology);
            self.demoted.clear();
            self.demoted.resize(problem.firm as usize, false);
            self.side.clear();
            self.side.resize(problem.firm as usize, Side::Free);
            self.rebuild(problem);
        }
        self.auxiliary.free.clear();
        self.factor(problem);
    }

    fn solve(&mut self, problem: &Problem, lambda: &mut [Real], velocity: &mut [Vec6]) -> Outcome {
        self.wishes(problem, velocity);
        let mut outcome = Outcome::default();
        let mut passes = 0;
        loop {
            outcome.residual = 0.0;
            self.auxiliary.relaxation.lambda.clear();
            self.auxiliary.relaxation.lambda.resize(self.auxiliary.relaxation.units.len(), [0.0; 3]);
            self.load(problem, true, false);
            self.sweep();
            let pushes = if !problem.contacts.is_empty() {
                self.settle_contacts(problem, lambda, &mut outcome)
            } else {
                self.auxiliary.has_units() && self.settle_auxiliary(problem, &mut outcome)
            };
            if pushes {
                self.load(problem, true, true);
                self.sweep();
            }
            outcome.iterations += 1;
            let settled = !self.has_bounded || !self.update_sides(problem);
            // An active set can settle where the auxiliary rows have no answer left, though another set has one.
            let largest = || self.wanted.iter().fold(1.0, |m: Real, w| m.max(w.abs()));
            // Among many contacts it is the sweeps that have not ended, rather.
            let answered = || {
                let few = self.auxiliary.relaxation.units.len() <= contact::FEW;
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
                // Motors that keep changing sides are a real complementarity problem: let its solver have them.
                self.hand_motors_over(problem);
                passes = 0;
            }
            self.factor(problem);
        }
        self.hand_out(problem, true, lambda, velocity);
        outcome
    }

    fn correct(&mut self, problem: &Problem, target: &[Real], lambda: &mut [Real], velocity: &mut [Vec6]) {
        self.wanted.clear();
        self.wanted.extend_from_slice(target);
        self.auxiliary.relaxation.lambda.clear();
        self.auxiliary.relaxation.lambda.resize(self.auxiliary.relaxation.units.len(), [0.0; 3]);
        self.load(problem, false, false);
        self.sweep();
        if self.auxiliary.has_units() && self.correct_auxiliary(problem) {
            self.load(problem, false, true);
            self.sweep();
        }
        velocity.fill(Vec6::zeros());
        self.hand_out(problem, false, lambda, velocity);
    }

    fn separate(&mut self, problem: &Problem, target: &[Real], velocity: &mut [Vec6]) {
        velocity.fill(Vec6::zeros());
        if !self.separate_contacts(problem, target) {
            return;
        }
        self.wanted.clear();
        self.wanted.resize(problem.rows.len(), 0.0);
        self.load(problem, false, true);
        self.sweep();
        for (node, flow) in self.forest.nodes.iter().zip(&self.flow) {
            velocity[node.body as usize] += Vec6::from_column_slice(flow);
        }
        self.move_lone(problem, velocity);
    }
}

impl TreeSolver {
    fn hand_motors_over(&mut self, problem: &Problem) {
        for (row, r) in problem.rows[..problem.firm as usize].iter().enumerate() {
            if is_bounded(r.lo, r.hi) {
                self.demoted[row] = true;
                self.side[row] = Side::Free;
            }
        }
        self.rebuild(problem);
    }
}

#[inline]
fn push_on(flow: &mut Six, jacobian: &Vec6, amount: Real) {
    for k in 0..6 {
        flow[k] += jacobian[k] * amount;
    }
}

#[inline(always)]
fn add_wrench(flow: &mut Six, force: &Vec3, torque: &Vec3) {
    for k in 0..3 {
        flow[k] += force[k];
        flow[3 + k] += torque[k];
    }
}

/// Reads the levers and turning rows of a pivot off its Jacobians.
#[inline(always)]
fn read_pivot(rows: &mut Rows, problem: &Problem, body: u32, numbers: &[u32], side: &[Side]) {
    rows.parent_lever = Vec3::zeros();
    let (along_x, along_y) = (problem.entries(numbers[0] as usize), problem.entries(numbers[1] as usize));
    for (x, y) in along_x.iter().zip(along_y) {
        // ±(e, r × e): r × x = (0, z, −y) and r × y = (−z, 0, x).
        let sign = x.jacobian[0].signum();
        let lever = Vec3::new(y.jacobian[5], -x.jacobian[5], x.jacobian[4]) * sign;
        if x.body == body {
            (rows.sign, rows.child_lever) = (sign, lever);
        } else {
            rows.parent_lever = lever;
        }
    }
    (rows.exact_count, rows.soft_count) = (0, 0);
    for (r, &row) in numbers.iter().enumerate().skip(3) {
        if side[row as usize] != Side::Free {
            continue;
        }
        let entries = problem.entries(row as usize);
        let j = &entries[(entries[0].body != body) as usize].jacobian;
        let direction = Vec3::new(j[3], j[4], j[5]);
        let softness = problem.rows[row as usize].softness;
        if softness > 0.0 {
            rows.soft[rows.soft_count] = (direction, 1.0 / softness, r as u8);
            rows.soft_count += 1;
        } else {
            rows.exact[rows.exact_count] = (direction, r as u8);
            rows.exact_count += 1;
        }
    }
}

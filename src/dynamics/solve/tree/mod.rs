//! The tree solver: exact, and linear in the number of bodies.
//!
//! The joints of articulated figures form trees. Eliminating bodies and joints from the leaves to the root (Baraff
//! 1996, "Linear-time dynamics using Lagrange multipliers") creates no fill, so the cost is one small block per body.
//! [`forest`] finds the trees, [`kernel`] eliminates one body with its joint.
//!
//! Motors with limited force stay in the tree: a motor that wants more than its limit is held at the limit, its rows
//! are taken out, and the tree is factored again (active set). Rows that do not fit a tree (loop closures, one-sided
//! limits, contacts) are *auxiliary*: they see the tree through its response, A_ij = J_i M̂⁻¹ J_jᵀ + S, which costs one walk to
//! the root per row, and are settled by the lo-hi complementarity solver.

mod auxiliary;
mod forest;
pub(crate) mod kernel;
mod pivot;
mod spatial;
#[cfg(test)]
mod tests;

use self::auxiliary::Auxiliary;
use self::forest::{Forest, NONE, is_bounded};
use self::kernel::{Factor, Six, ZERO, block_of, by_rows, factor_body, inertia_of, up_body};
use self::pivot::{Pivot, Rows, Turning};
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

/// Where a sweep takes k − J u of the joints' rows from.
#[derive(Clone, Copy)]
enum Wishes<'a> {
    /// From the rows and the bodies' velocities; kept in `wanted`.
    Asked,
    /// From `wanted`.
    Known,
    /// From here.
    Given(&'a [Real]),
}

/// What becomes of the velocity changes that a sweep finds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changes {
    /// They stay in `flow`.
    Kept,
    /// They are added to the velocities.
    Added,
    /// They take the place of the velocities.
    Put,
}

/// Exact, and linear in the number of bodies for trees of joints.
///
/// Long chains outgrow the inner caches, and then every pass over them costs more than the arithmetic: what can be
/// done while a node is at hand is done then, and what the next node needs from this one stays in registers.
#[derive(Clone, Debug, Default)]
pub struct TreeSolver {
    forest: Forest,
    topology: Option<u64>,
    /// Rows that turned out to repeat others, or whose active set did not settle.
    demoted: Vec<bool>,
    factors: Vec<Factor>,
    pivots: Vec<Pivot>,
    /// By node, like the pivots; empty while no pivot has exact turning rows.
    turnings: Vec<Turning>,
    /// Articulated inertias while they are gathered, of nodes with other children than just the next node.
    gathered: Vec<Spatial>,
    /// Momentum on the way up, velocity on the way down, by node.
    flow: Vec<Six>,
    /// k − J u on the way up, λ on the way down, by node; of nodes that are no pivots.
    joint_flow: Vec<Six>,
    /// Whether `flow` holds impulses from outside the trees' own rows.
    loaded: bool,
    /// k − J u of every row.
    wanted: Vec<Real>,
    side: Vec<Side>,
    has_bounded: bool,
    auxiliary: Auxiliary,
}

impl TreeSolver {
    pub fn new() -> Self {
        Self::default()
    }

    /// How many rows lie outside the trees.
    pub fn auxiliary_rows(&self) -> usize {
        self.forest.auxiliary.len()
    }

    fn rebuild(&mut self, problem: &Problem) {
        self.forest.build(problem, &self.demoted);
        let nodes = self.forest.nodes.len();
        // Both are large, and figures usually need one of them only.
        let pivots = self.forest.nodes.iter().filter(|node| node.pivot).count();
        self.factors.resize(if pivots < nodes { nodes } else { 0 }, Factor::EMPTY);
        self.pivots.resize(if pivots > 0 { nodes } else { 0 }, Pivot::EMPTY);
        self.turnings.clear();
        self.gathered.resize(nodes, Spatial::ZERO);
        self.flow.resize(nodes, [0.0; 6]);
        self.joint_flow.resize(self.factors.len(), [0.0; 6]);
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
        let own = |body: u32| {
            let inertia = &problem.inertias[body as usize];
            Spatial { a: Symmetric::uniform(inertia.mass), b: Mat3::zeros(), c: Symmetric::of(&inertia.inertia) }
        };
        // Absorbed rows make their bodies heavier; then nothing is left to the way up.
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
                let exact = read_pivot(&mut pivot.rows, problem, node.body, numbers, &self.side);
                if pivot.rows.exact_count > 0 {
                    self.turnings.resize(self.forest.nodes.len(), Turning::EMPTY);
                    self.turnings[index].exact = exact;
                }
                carried = pivot.factor(self.turnings.get_mut(index), &inertia).map_err(|r| numbers[r])?;
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

    /// One upward and one downward sweep over impulses on the bodies (`flow`, where `loaded`) and wishes of the joints'
    /// rows. On exit `flow` holds velocity changes, `lambda` the multipliers of all joints' rows that are not held at
    /// their limits.
    fn sweep(
        &mut self,
        problem: &Problem,
        wishes: Wishes<'_>,
        changes: Changes,
        lambda: &mut [Real],
        velocity: &mut [Vec6],
    ) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn wide(
                solver: &mut TreeSolver,
                problem: &Problem,
                wishes: Wishes<'_>,
                changes: Changes,
                lambda: &mut [Real],
                velocity: &mut [Vec6],
            ) {
                solver.sweep_up(problem, wishes, velocity);
                solver.sweep_down(wishes, changes, lambda, velocity);
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the machine was just asked.
                return unsafe { wide(self, problem, wishes, changes, lambda, velocity) };
            }
        }
        self.sweep_up(problem, wishes, velocity);
        self.sweep_down(wishes, changes, lambda, velocity);
    }

    #[inline(always)]
    fn sweep_up(&mut self, problem: &Problem, wishes: Wishes<'_>, velocity: &[Vec6]) {
        let Self { forest, factors, pivots, turnings, flow, joint_flow, wanted, side, loaded, .. } = self;
        let mut carried = [0.0; 6];
        for index in (0..forest.nodes.len()).rev() {
            let node = forest.nodes[index];
            let (above, here) = flow.split_at_mut(index);
            let momentum = &mut here[0];
            if node.relays && !*loaded {
                *momentum = carried;
            }
            if index % DUSTED == 0 {
                blow_off_dust(momentum);
            }
            let numbers = &forest.rows[node.rows()];
            let own = node.row as usize..node.row as usize + numbers.len();
            if let Wishes::Asked = wishes {
                if node.pivot && pivots[index].rows.are_complete(numbers.len()) {
                    let parent =
                        (node.parent != NONE).then(|| &velocity[forest.nodes[node.parent as usize].body as usize]);
                    let own_rows = own.clone().zip(&problem.rows[own.clone()]);
                    own_rows.for_each(|(row, said)| wanted[row] = said.target);
                    let child = &velocity[node.body as usize];
                    let turning = turnings.get(index);
                    pivots[index].rows.take_rates(turning, child, parent, &mut wanted[own.clone()]);
                } else {
                    numbers.iter().for_each(|&row| {
                        wanted[row as usize] = problem.rows[row as usize].target - problem.rate(row as usize, velocity);
                    });
                }
            }
            let k = if let Wishes::Given(given) = wishes { given } else { &wanted[..] };
            carried = [0.0; 6];
            let parent =
                if node.relayed && !*loaded { Some(&mut carried) } else { above.get_mut(node.parent as usize) };
            if node.pivot {
                let (force, torque) = pivots[index].up(turnings.get_mut(index), momentum, &k[own]);
                if let Some(parent) = parent {
                    add_wrench(parent, &force, &torque);
                }
                continue;
            }
            let factor = &factors[index];
            up_body(factor, momentum);
            if node.count > 0 {
                // Rows at their limits push with them, and ask for nothing.
                let wish = |&row: &u32| if side[row as usize] == Side::Free { k[row as usize] } else { 0.0 };
                joint_flow[index].iter_mut().zip(numbers).for_each(|(x, row)| *x = wish(row));
                by_rows!(node.count, up_joint(factor, momentum, &mut joint_flow[index]));
                if let Some(parent) = parent {
                    by_rows!(node.count, load_parent_momentum(factor, &joint_flow[index], parent));
                }
            }
        }
    }

    #[inline(always)]
    fn sweep_down(&mut self, wishes: Wishes<'_>, changes: Changes, lambda: &mut [Real], velocity: &mut [Vec6]) {
        let Self { forest, factors, pivots, turnings, flow, joint_flow, wanted, side, .. } = self;
        let k = if let Wishes::Given(given) = wishes { given } else { &wanted[..] };
        for index in 0..forest.nodes.len() {
            let node = forest.nodes[index];
            let (above, here) = flow.split_at_mut(index);
            let parent = (node.parent != NONE).then(|| &above[node.parent as usize]);
            if node.pivot {
                let own = node.row as usize..(node.row as usize + node.count as usize);
                let (k, lambda) = (&k[own.clone()], &mut lambda[own]);
                pivots[index].down(turnings.get(index), parent, &mut here[0], k, lambda);
            } else if node.count > 0 {
                let factor = &factors[index];
                by_rows!(node.count, down_joint(factor, parent, &mut joint_flow[index]));
                by_rows!(node.count, down_body(factor, &joint_flow[index], &mut here[0]));
                for (&row, &free) in forest.rows[node.rows()].iter().zip(&joint_flow[index]) {
                    if side[row as usize] == Side::Free {
                        lambda[row as usize] = free;
                    }
                }
            } else {
                kernel::down_body::<0>(&factors[index], &[0.0; 6], &mut here[0]);
            }
            if index % DUSTED == 0 {
                blow_off_dust(&mut here[0]);
            }
            let change = Vec6::from_column_slice(&here[0]);
            match changes {
                Changes::Kept => {}
                Changes::Added => velocity[node.body as usize] += change,
                Changes::Put => velocity[node.body as usize] = change,
            }
        }
    }

    /// Fills `flow` for a sweep: saturated rows push with their limit, the auxiliary rows with λ.
    fn load(&mut self, problem: &Problem, saturated: bool, auxiliary: bool) {
        let auxiliary = auxiliary && !self.forest.auxiliary.is_empty();
        self.loaded = (saturated && self.has_bounded) || auxiliary || !self.forest.absorbed.is_empty();
        for (flow, node) in self.flow.iter_mut().zip(&self.forest.nodes) {
            if self.loaded || !node.relays {
                *flow = [0.0; 6];
            }
        }
        for &(row, node) in &self.forest.absorbed {
            if self.side[row as usize] == Side::Free {
                let push = self.wanted[row as usize] / problem.rows[row as usize].softness;
                push_on(&mut self.flow[node as usize], &problem.entries(row as usize)[0].jacobian, push);
            }
        }
        if saturated && self.has_bounded {
            for row in 0..problem.rows.len() {
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
            for (i, &row) in self.forest.auxiliary.iter().enumerate() {
                for entry in problem.entries(row as usize) {
                    let node = self.forest.node_of[entry.body as usize] as usize;
                    push_on(&mut self.flow[node], &entry.jacobian, self.auxiliary.lambda[i]);
                }
            }
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
    fn update_sides(&mut self, problem: &Problem, lambda: &[Real]) -> bool {
        let mut changed = false;
        for at in 0..self.forest.rows.len() {
            let row = self.forest.rows[at] as usize;
            if !is_bounded(problem.rows[row].lo, problem.rows[row].hi) {
                continue;
            }
            let next = self.next_side(problem, row, lambda[row]);
            changed |= std::mem::replace(&mut self.side[row], next) != next;
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

    /// Completes the multipliers of the last sweep: rows at their limits, and rows outside the trees.
    fn complete(&self, problem: &Problem, saturated: bool, lambda: &mut [Real]) {
        let settled = |row: usize, free: Real| match self.side[row] {
            Side::Free => free,
            Side::Low if saturated => problem.rows[row].lo,
            Side::High if saturated => problem.rows[row].hi,
            _ => 0.0,
        };
        if self.has_bounded {
            self.forest.rows.iter().for_each(|&row| lambda[row as usize] = settled(row as usize, lambda[row as usize]));
        }
        for &(row, _) in &self.forest.absorbed {
            let wish = self.wanted[row as usize] - self.swept_rate(problem, row);
            lambda[row as usize] = settled(row as usize, wish / problem.rows[row as usize].softness);
        }
        for (i, &row) in self.forest.auxiliary.iter().enumerate() {
            lambda[row as usize] = self.auxiliary.lambda[i];
        }
    }

    /// Adds the velocity changes of the last sweep to `velocity`.
    fn hand_out(&self, velocity: &mut [Vec6]) {
        for (node, flow) in self.forest.nodes.iter().zip(&self.flow) {
            velocity[node.body as usize] += Vec6::from_column_slice(flow);
        }
    }

    /// k − J u of the rows outside the trees, for bodies that move with `velocity`.
    fn ask_outside(&mut self, problem: &Problem, velocity: &[Vec6]) {
        self.wanted.resize(problem.rows.len(), 0.0);
        for &row in self.forest.absorbed.iter().map(|(row, _)| row).chain(&self.forest.auxiliary) {
            self.wanted[row as usize] = problem.rows[row as usize].target - problem.rate(row as usize, velocity);
        }
    }
}

impl Solver for TreeSolver {
    fn prepare(&mut self, problem: &Problem) {
        if self.topology != Some(problem.topology) {
            self.topology = Some(problem.topology);
            self.demoted.clear();
            self.demoted.resize(problem.rows.len(), false);
            self.side.clear();
            self.side.resize(problem.rows.len(), Side::Free);
            self.rebuild(problem);
        }
        self.auxiliary.free.clear();
        self.factor(problem);
    }

    fn solve(&mut self, problem: &Problem, lambda: &mut [Real], velocity: &mut [Vec6]) -> Outcome {
        self.ask_outside(problem, velocity);
        let mut outcome = Outcome::default();
        let mut passes = 0;
        let mut wishes = Wishes::Asked;
        // One sweep is all there is to do where nothing saturates and all rows are in the trees.
        let once = !self.has_bounded && self.forest.auxiliary.is_empty();
        let changes = if once { Changes::Added } else { Changes::Kept };
        loop {
            outcome.residual = 0.0;
            self.auxiliary.lambda.clear();
            self.auxiliary.lambda.resize(self.forest.auxiliary.len(), 0.0);
            self.load(problem, true, false);
            self.sweep(problem, wishes, changes, lambda, velocity);
            wishes = Wishes::Known;
            if !self.forest.auxiliary.is_empty() && self.settle_auxiliary(problem, &mut outcome) {
                self.load(problem, true, true);
                self.sweep(problem, wishes, changes, lambda, velocity);
            }
            outcome.iterations += 1;
            let settled = !self.has_bounded || !self.update_sides(problem, lambda);
            // An active set can settle where the auxiliary rows have no answer left, though another set has one.
            let largest = || self.wanted.iter().fold(1.0, |m: Real, w| m.max(w.abs()));
            if settled && (!self.has_bounded || outcome.residual <= UNANSWERED * largest()) {
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
        self.complete(problem, true, lambda);
        if !once {
            self.hand_out(velocity);
        }
        outcome
    }

    fn correct(&mut self, problem: &Problem, target: &[Real], lambda: &mut [Real], velocity: &mut [Vec6]) {
        let once = self.forest.auxiliary.is_empty();
        if !once || !self.forest.absorbed.is_empty() {
            self.wanted.clear();
            self.wanted.extend_from_slice(target);
        }
        self.auxiliary.lambda.clear();
        self.auxiliary.lambda.resize(self.forest.auxiliary.len(), 0.0);
        if !once || self.forest.nodes.len() < velocity.len() {
            velocity.fill(Vec6::zeros());
        }
        let wishes = Wishes::Given(target);
        let changes = if once { Changes::Put } else { Changes::Kept };
        self.load(problem, false, false);
        self.sweep(problem, wishes, changes, lambda, velocity);
        if !once && self.correct_auxiliary(problem) {
            self.load(problem, false, true);
            self.sweep(problem, wishes, changes, lambda, velocity);
        }
        self.complete(problem, false, lambda);
        if !once {
            self.hand_out(velocity);
        }
    }
}

impl TreeSolver {
    fn hand_motors_over(&mut self, problem: &Problem) {
        for (row, r) in problem.rows.iter().enumerate() {
            if is_bounded(r.lo, r.hi) {
                self.demoted[row] = true;
                self.side[row] = Side::Free;
            }
        }
        self.rebuild(problem);
    }
}

/// Momenta and velocities below this, in their SI units, are none: no sum of anything that moves would show them.
const DUST: Real = 1e-60;

/// Every so many nodes it is looked for: far fewer than it takes to fade from there to where numbers end.
const DUSTED: usize = 16;

/// What one joint hands on to the next fades by a factor, so that a few hundred links away from where anything happens
/// the numbers, or their products, would be too small for normal floating-point form; most machines take a hundred
/// times as long for arithmetic on such numbers.
#[inline(always)]
fn blow_off_dust(six: &mut Six) {
    six.iter_mut().filter(|x| x.abs() < DUST).for_each(|x| *x = 0.0);
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

/// Reads the levers and turning rows of a pivot off its Jacobians; gives back the directions of the exact ones.
#[inline(always)]
fn read_pivot(rows: &mut Rows, problem: &Problem, body: u32, numbers: &[u32], side: &[Side]) -> [Vec3; 3] {
    rows.parent_lever = Vec3::zeros();
    let (along_x, along_y) = (problem.entries(numbers[0] as usize), problem.entries(numbers[1] as usize));
    for (x, y) in along_x.iter().zip(along_y) {
        // ±(e, r × e): r × x = (0, z, −y) and r × y = (−z, 0, x).
        let sign = x.jacobian[0].signum();
        let lever = Vec3::new(y.jacobian[5], -x.jacobian[5], x.jacobian[4]) * sign;
        if x.body == body {
            (rows.flipped, rows.child_lever) = (sign < 0.0, lever);
        } else {
            rows.parent_lever = lever;
        }
    }
    (rows.exact_count, rows.soft_count) = (0, 0);
    let mut exact = [Vec3::zeros(); 3];
    for (r, &row) in numbers.iter().enumerate().skip(3) {
        if side[row as usize] != Side::Free {
            continue;
        }
        let entries = problem.entries(row as usize);
        let j = &entries[(entries[0].body != body) as usize].jacobian;
        let direction = Vec3::new(j[3], j[4], j[5]);
        let softness = problem.rows[row as usize].softness;
        if softness > 0.0 {
            let at = rows.soft_count as usize;
            (rows.soft[at], rows.soft_at[at]) = ((direction, 1.0 / softness), r as u8);
            rows.soft_count += 1;
        } else {
            let at = rows.exact_count as usize;
            (exact[at], rows.exact_at[at]) = (direction, r as u8);
            rows.exact_count += 1;
        }
    }
    exact
}

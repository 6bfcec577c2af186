//! Solution with the factored trees: one sweep from the leaves to the roots and one back.
//!
//! Long chains outgrow the inner caches, and then every pass over them costs more than the arithmetic. All work on a
//! node is therefore done in one visit (targets on the way up, multipliers and velocities on the way down), and the
//! data for the next node stay in registers.
//!
//! The multipliers of rows outside the trees depend on the motion of their bodies without them. That does not take two
//! sweeps: between the way up and the way down, only the nodes above these bodies are evaluated (`Leg::Glance`) and
//! receive the impulses (`Leg::More`).

use super::forest::NONE;
use super::kernel::{self, Six, by_rows, up_body};
use super::{Side, TreeSolver};
use crate::math::{Buffer, Real, Vec3, Vec6};
use crate::solve::{Entry, Problem};

/// Source of k − J u of the joints' rows in a sweep.
#[derive(Clone, Copy)]
pub(super) enum Targets<'a> {
    /// Computed from the rows and the bodies' velocities; kept in `wanted`.
    Computed,
    /// Taken from `wanted`.
    Known,
    /// Given values, by row.
    Given(&'a [Real]),
}

/// Destination of the velocity changes of a sweep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Changes {
    /// Left in `flow`.
    Kept,
    /// Added to the velocities.
    Added,
    /// Written in place of the velocities.
    Put,
}

/// Part of a sweep.
#[derive(Clone, Copy)]
pub(super) enum Leg {
    /// Upward and downward pass.
    Whole,
    Up,
    /// Motion of the bodies that rows outside the trees act on, without these rows, to `glanced`; the state of the
    /// upward pass is kept.
    Glance,
    /// Upward pass of the impulses in `more`.
    More,
    Down,
}

impl TreeSolver {
    /// Sweeps up and down over impulses on the bodies (`flow`, if `loaded`) and targets of the joints' rows, or does a
    /// part of that. On exit `flow` holds velocity changes, `lambda` the multipliers of all joints' rows that are not
    /// held at their limits.
    pub(super) fn sweep(
        &mut self,
        problem: &Problem,
        leg: Leg,
        targets: Targets<'_>,
        changes: Changes,
        lambda: &mut [Real],
        velocity: &mut [Vec6],
    ) {
        crate::math::wide!(fn(solver: &mut TreeSolver = self, problem: &Problem, leg: Leg, targets: Targets<'_>,
            changes: Changes, lambda: &mut [Real], velocity: &mut [Vec6]) {
            match leg {
                Leg::Glance => return solver.glance(),
                Leg::More => return solver.sweep_more(),
                _ => {}
            }
            if !matches!(leg, Leg::Down) {
                solver.sweep_up(problem, targets, velocity);
            }
            if !matches!(leg, Leg::Up) {
                solver.sweep_down(targets, changes, lambda, velocity);
            }
        });
    }

    #[inline(always)]
    fn glance(&mut self) {
        let Self { forest, factors, pivots, exact_rotations, flow, joint_flow, wanted, glanced, touched, .. } = self;
        glanced.resize(flow.len(), [0.0; 6]);
        glanced[forest.nodes.len()..].fill([0.0; 6]);
        for &index in touched.iter() {
            let index = index as usize;
            let node = forest.nodes[index];
            let parent = (node.parent != NONE).then(|| &glanced[node.parent as usize]);
            let mut velocity = if node.pivot {
                let own = node.row as usize..(node.row as usize + node.count as usize);
                pivots[index].glance(exact_rotations.get(index), parent, &wanted[own])
            } else {
                let (factor, mut velocity) = (&factors[index], flow[index]);
                if node.count > 0 {
                    let mut rows = joint_flow[index];
                    by_rows!(node.count, down_joint(factor, parent, &mut rows));
                    by_rows!(node.count, down_body(factor, &rows, &mut velocity));
                } else {
                    kernel::down_body::<0>(factor, &[0.0; 6], &mut velocity);
                }
                velocity
            };
            if index.is_multiple_of(FLUSH_INTERVAL) {
                flush_negligible(&mut velocity);
            }
            glanced[index] = velocity;
        }
    }

    #[inline(always)]
    fn sweep_more(&mut self) {
        let Self { forest, factors, pivots, exact_rotations, flow, joint_flow, more, touched, .. } = self;
        let nodes = forest.nodes.len();
        for (flow, push) in flow[nodes..].iter_mut().zip(&more[nodes..]) {
            *flow = *push;
        }
        for &index in touched.iter().rev() {
            let index = index as usize;
            let node = forest.nodes[index];
            let (above, here) = more.split_at_mut(index);
            let push = &mut here[0];
            if index.is_multiple_of(FLUSH_INTERVAL) {
                flush_negligible(push);
            }
            let parent = above.get_mut(node.parent as usize);
            if node.pivot {
                let (force, torque) = pivots[index].up_more(exact_rotations.get(index), push, &mut flow[index]);
                if let Some(parent) = parent {
                    add_wrench(parent, &force, &torque);
                }
                continue;
            }
            let factor = &factors[index];
            up_body(factor, push);
            flow[index].iter_mut().zip(&*push).for_each(|(flow, push)| *flow += push);
            if node.count > 0 {
                let mut rows = [0.0; 6];
                by_rows!(node.count, up_joint(factor, push, &mut rows));
                joint_flow[index].iter_mut().zip(&rows).for_each(|(flow, row)| *flow += row);
                if let Some(parent) = parent {
                    by_rows!(node.count, load_parent_momentum(factor, &rows, parent));
                }
            }
        }
    }

    #[inline(always)]
    fn sweep_up(&mut self, problem: &Problem, targets: Targets<'_>, velocity: &[Vec6]) {
        let Self { forest, factors, pivots, exact_rotations, flow, joint_flow, wanted, side, loaded, .. } = self;
        let mut carried = [0.0; 6];
        for index in (0..forest.nodes.len()).rev() {
            let node = forest.nodes[index];
            let (above, here) = flow.split_at_mut(index);
            let momentum = &mut here[0];
            if node.relays && !*loaded {
                *momentum = carried;
            }
            if index % FLUSH_INTERVAL == 0 {
                flush_negligible(momentum);
            }
            let numbers = &forest.rows[node.rows()];
            let own = node.row as usize..node.row as usize + numbers.len();
            if let Targets::Computed = targets {
                if node.pivot && pivots[index].rows.are_complete(numbers.len()) {
                    let parent =
                        (node.parent != NONE).then(|| &velocity[forest.nodes[node.parent as usize].body as usize]);
                    let wanted = &mut wanted[own.clone()];
                    wanted.iter_mut().zip(&problem.rows[own.clone()]).for_each(|(wanted, said)| *wanted = said.target);
                    let child = &velocity[node.body as usize];
                    let exact = exact_rotations.get(index);
                    pivots[index].rows.take_rates(exact, child, parent, wanted);
                } else {
                    numbers.iter().for_each(|&row| {
                        wanted[row as usize] = problem.rows[row as usize].target - problem.rate(row as usize, velocity);
                    });
                }
            }
            let k = if let Targets::Given(given) = targets { given } else { &wanted[..] };
            carried = [0.0; 6];
            let parent =
                if node.relayed && !*loaded { Some(&mut carried) } else { above.get_mut(node.parent as usize) };
            if node.pivot {
                let (force, torque) = pivots[index].up(exact_rotations.get_mut(index), momentum, &k[own]);
                if let Some(parent) = parent {
                    add_wrench(parent, &force, &torque);
                }
                continue;
            }
            let factor = &factors[index];
            up_body(factor, momentum);
            if node.count > 0 {
                // Rows at their limits have a known multiplier and no target.
                let target = |&row: &u32| if side[row as usize] == Side::Free { k[row as usize] } else { 0.0 };
                joint_flow[index].iter_mut().zip(numbers).for_each(|(x, row)| *x = target(row));
                by_rows!(node.count, up_joint(factor, momentum, &mut joint_flow[index]));
                if let Some(parent) = parent {
                    by_rows!(node.count, load_parent_momentum(factor, &joint_flow[index], parent));
                }
            }
        }
    }

    #[inline(always)]
    fn sweep_down(&mut self, targets: Targets<'_>, changes: Changes, lambda: &mut [Real], velocity: &mut [Vec6]) {
        let Self { forest, factors, pivots, exact_rotations, flow, joint_flow, wanted, side, .. } = self;
        let k = if let Targets::Given(given) = targets { given } else { &wanted[..] };
        for index in 0..forest.nodes.len() {
            let node = forest.nodes[index];
            let (above, here) = flow.split_at_mut(index);
            let parent = (node.parent != NONE).then(|| &above[node.parent as usize]);
            if node.pivot {
                let own = node.row as usize..(node.row as usize + node.count as usize);
                let (k, lambda) = (&k[own.clone()], &mut lambda[own]);
                pivots[index].down(exact_rotations.get(index), parent, &mut here[0], k, lambda);
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
            if index % FLUSH_INTERVAL == 0 {
                flush_negligible(&mut here[0]);
            }
            let change = Vec6::from_column_slice(&here[0]);
            match changes {
                Changes::Kept => {}
                Changes::Added => velocity[node.body as usize] += change,
                Changes::Put => velocity[node.body as usize] = change,
            }
        }
    }

    /// Fills `flow` for a sweep: impulses of saturated rows at their limit, and of auxiliary rows with λ.
    pub(super) fn load(&mut self, problem: &Problem, saturated: bool, auxiliary: bool) {
        let auxiliary = auxiliary && self.auxiliary.has_units();
        self.loaded = (saturated && self.has_bounded) || auxiliary || !self.forest.absorbed.is_empty();
        for (flow, node) in self.flow.iter_mut().zip(&self.forest.nodes) {
            if self.loaded || !node.relays {
                *flow = [0.0; 6];
            }
        }
        self.flow[self.forest.nodes.len()..].fill([0.0; 6]);
        for &(row, node) in &self.forest.absorbed {
            if self.side[row as usize] == Side::Free {
                let push = self.wanted[row as usize] / problem.rows[row as usize].softness;
                push_on(&mut self.flow[node as usize], &problem.entries(row as usize)[0].jacobian, push);
            }
        }
        if saturated && self.has_bounded {
            for row in 0..problem.persistent_rows as usize {
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
            let (auxiliary, forest) = (&self.auxiliary, &self.forest);
            auxiliary.push_bodies(problem, &forest.node_of, &mut self.flow);
        }
    }

    /// Fills `more` with the impulses of the auxiliary rows.
    pub(super) fn load_more(&mut self, problem: &Problem) {
        let Self { auxiliary, forest, more, flow, touched, .. } = self;
        more.resize(flow.len(), [0.0; 6]);
        more[forest.nodes.len()..].fill([0.0; 6]);
        touched.iter().for_each(|&node| more[node as usize] = [0.0; 6]);
        auxiliary.push_bodies(problem, &forest.node_of, more);
    }

    /// Lists the nodes from the bodies of all auxiliary rows up to the roots, parents first.
    pub(super) fn list_touched(&mut self, problem: &Problem) {
        let Self { auxiliary, forest, touched, marked, .. } = self;
        touched.clear();
        if !auxiliary.has_units() {
            return;
        }
        marked.reset(forest.nodes.len(), false);
        for unit in &auxiliary.relaxation.units {
            // The rows of a unit share their bodies.
            for entry in problem.entries(unit.rows[0] as usize) {
                let mut node = forest.node_of[entry.body as usize];
                while let Some(mark) = marked.get_mut(node as usize).filter(|mark| !**mark) {
                    *mark = true;
                    node = forest.nodes[node as usize].parent;
                }
            }
        }
        touched.extend((0..forest.nodes.len() as u32).filter(|&node| marked[node as usize]));
    }

    /// Returns J Δv of a row after a sweep.
    pub(super) fn swept_rate(&self, problem: &Problem, row: u32) -> Real {
        self.rate_in(problem, row, &self.flow)
    }

    /// Returns J Δv of a row outside the trees after a glance.
    pub(super) fn glanced_rate(&self, problem: &Problem, row: u32) -> Real {
        self.rate_in(problem, row, &self.glanced)
    }

    #[inline(always)]
    fn rate_in(&self, problem: &Problem, row: u32, velocities: &[Six]) -> Real {
        let mut rate = 0.0;
        for Entry { body, jacobian: j } in problem.entries(row as usize) {
            let v = &velocities[self.forest.node_of[*body as usize] as usize];
            rate += (j[0] * v[0] + j[1] * v[1] + j[2] * v[2]) + (j[3] * v[3] + j[4] * v[4] + j[5] * v[5]);
        }
        rate
    }

    /// Completes the multipliers of the last sweep: rows at their limits, and rows outside the trees.
    pub(super) fn complete(&self, problem: &Problem, saturated: bool, lambda: &mut [Real]) {
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
            let target = self.wanted[row as usize] - self.swept_rate(problem, row);
            lambda[row as usize] = settled(row as usize, target / problem.rows[row as usize].softness);
        }
        let relaxation = &self.auxiliary.relaxation;
        for (unit, values) in relaxation.units.iter().zip(&relaxation.lambda) {
            for (&row, &value) in unit.rows.iter().zip(values).filter(|(row, _)| **row != NONE) {
                lambda[row as usize] = value;
            }
        }
    }

    /// Adds the velocity changes of the last sweep to `velocity`.
    pub(super) fn hand_out(&self, problem: &Problem, velocity: &mut [Vec6]) {
        for (node, flow) in self.forest.nodes.iter().zip(&self.flow) {
            velocity[node.body as usize] += Vec6::from_column_slice(flow);
        }
        self.move_lone(problem, velocity);
    }

    /// Computes k − J u of the rows outside the trees, for bodies that move with `velocity`.
    pub(super) fn ask_outside(&mut self, problem: &Problem, velocity: &[Vec6]) {
        let Self { forest, auxiliary, wanted, .. } = self;
        wanted.resize(problem.rows.len(), 0.0);
        let absorbed = forest.absorbed.iter().map(|(row, _)| *row);
        let contacts = problem.contacts.iter().flat_map(|contact| contact.rows()).map(|row| row as u32);
        for row in absorbed.chain(auxiliary.rows.iter().copied()).chain(contacts) {
            wanted[row as usize] = problem.rows[row as usize].target - problem.rate(row as usize, velocity);
        }
    }
}

/// Momentum or velocity, in SI units, that counts as zero: no sum over moving bodies would show it.
const NEGLIGIBLE: Real = 1e-60;

/// Number of nodes between two checks: far fewer than it takes to fade from there to denormal numbers.
const FLUSH_INTERVAL: usize = 16;

/// Sets tiny components to zero. The impulse passed from joint to joint fades by a factor, so that a few hundred links
/// away the numbers, or their products, would become denormal; most machines take a hundred times as long for
/// arithmetic on these.
#[inline(always)]
fn flush_negligible(six: &mut Six) {
    six.iter_mut().filter(|x| x.abs() < NEGLIGIBLE).for_each(|x| *x = 0.0);
}

#[inline]
pub(super) fn push_on(flow: &mut Six, jacobian: &Vec6, amount: Real) {
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

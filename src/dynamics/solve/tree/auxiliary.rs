//! The rows that fit no tree: loop closures, one-sided limits, rows over many bodies.
//!
//! They see the trees through their response. A row's walk from its bodies to the root gives, node by node, what its
//! multiplier would do there; two rows meet where their walks share nodes (see `kernel`).

use super::TreeSolver;
use super::add_wrench;
use super::forest::NONE;
use super::kernel::{Six, by_rows, up_body};
use crate::dynamics::solve::lcp::{Lcp, LcpSolver};
use crate::dynamics::solve::{Outcome, Problem};
use crate::math::Real;

/// One step of the way from an auxiliary row's bodies to the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathStep {
    node: u32,
    u: Six,
    e: Six,
}

/// The auxiliary rows' own dense problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Auxiliary {
    pub path: Vec<PathStep>,
    /// Row i's path is `path[start[i]..start[i + 1]]`.
    pub start: Vec<u32>,
    pub matrix: Vec<Real>,
    pub scale: Vec<Real>,
    pub b: Vec<Real>,
    pub lo: Vec<Real>,
    pub hi: Vec<Real>,
    pub lambda: Vec<Real>,
    /// Rows between their bounds after the last solve; the others are held out of corrections.
    pub free: Vec<bool>,
    /// The free part of the problem, for corrections.
    pub part: Vec<u32>,
    pub part_matrix: Vec<Real>,
    pub part_scale: Vec<Real>,
    pub part_b: Vec<Real>,
    pub part_bound: Vec<Real>,
    pub part_lambda: Vec<Real>,
    pub lcp: LcpSolver,
}

impl TreeSolver {
    /// The auxiliary rows' walks to the root, and from them their response to each other.
    pub(super) fn walk_auxiliary(&mut self, problem: &Problem) {
        let n = self.forest.auxiliary.len();
        // Taken out of the workspace while the trees are read.
        let mut auxiliary = std::mem::take(&mut self.auxiliary);
        let Auxiliary { path, start, matrix, scale, .. } = &mut auxiliary;
        path.clear();
        start.clear();
        for &row in &self.forest.auxiliary {
            start.push(path.len() as u32);
            // The fronts of the walk, at most one per body of the row; the lowest node moves first, so that ways meet.
            let mut fronts: [(u32, Six); 8] = [(NONE, [0.0; 6]); 8];
            let mut active = 0;
            for entry in problem.entries(row as usize) {
                fronts[active] = (self.forest.node_of[entry.body as usize], std::array::from_fn(|k| entry.jacobian[k]));
                active += 1;
            }
            while active > 0 {
                let lowest = (0..active).max_by_key(|&i| fronts[i].0).expect("a front is left");
                let (index, mut u) = fronts[lowest];
                active -= 1;
                fronts[lowest] = fronts[active];
                let node = self.forest.nodes[index as usize];
                let mut e = [0.0; 6];
                let mut up = [0.0; 6];
                if node.pivot {
                    let (g, (force, torque)) = self.pivots[index as usize].walk(self.turnings.get(index as usize), &u);
                    add_wrench(&mut up, &force, &torque);
                    u = [g.x, g.y, g.z, 0.0, 0.0, 0.0];
                } else {
                    let factor = &self.factors[index as usize];
                    up_body(factor, &mut u);
                    if node.count > 0 {
                        by_rows!(node.count, up_joint(factor, &u, &mut e));
                        by_rows!(node.count, load_parent_momentum(factor, &e, &mut up));
                    }
                }
                if node.parent != NONE {
                    let known = (0..active).find(|&i| fronts[i].0 == node.parent);
                    let front = known.unwrap_or_else(|| {
                        fronts[active] = (node.parent, [0.0; 6]);
                        active += 1;
                        active - 1
                    });
                    fronts[front].1.iter_mut().zip(&up).for_each(|(x, y)| *x += y);
                }
                path.push(PathStep { node: index, u, e });
            }
        }
        start.push(path.len() as u32);
        matrix.clear();
        matrix.resize(n * n, 0.0);
        scale.clear();
        for i in 0..n {
            let row = self.forest.auxiliary[i] as usize;
            let softness = problem.rows[row].softness;
            let mut own = softness;
            for entry in problem.entries(row) {
                let inertia = &problem.inertias[entry.body as usize];
                own += entry.jacobian.dot(&inertia.apply_inverse(&entry.jacobian));
            }
            scale.push(own);
            let way = |i: usize| &path[start[i] as usize..start[i + 1] as usize];
            for j in 0..=i {
                let value = self.meeting(way(i), way(j));
                matrix[i * n + j] = value;
                matrix[j * n + i] = value;
            }
            matrix[i * n + i] += softness;
        }
        self.auxiliary = auxiliary;
    }

    /// Settles the auxiliary rows after a sweep without them; true if any of them pushes.
    pub(super) fn settle_auxiliary(&mut self, problem: &Problem, outcome: &mut Outcome) -> bool {
        let n = self.forest.auxiliary.len();
        let mut magnitude: Real = 0.0;
        self.auxiliary.b.clear();
        self.auxiliary.lo.clear();
        self.auxiliary.hi.clear();
        for i in 0..n {
            let row = self.forest.auxiliary[i];
            let rate = self.swept_rate(problem, row);
            let wanted = self.wanted[row as usize];
            magnitude = magnitude.max(rate.abs()).max(wanted.abs());
            self.auxiliary.b.push(rate - wanted);
            self.auxiliary.lo.push(problem.rows[row as usize].lo);
            self.auxiliary.hi.push(problem.rows[row as usize].hi);
        }
        let a = &mut self.auxiliary;
        a.lambda.clear();
        a.lambda.resize(n, 0.0);
        let lcp = Lcp { matrix: &a.matrix, b: &a.b, lo: &a.lo, hi: &a.hi, scale: &a.scale, magnitude };
        let settled = a.lcp.solve(&lcp, &mut a.lambda);
        outcome.iterations += settled.pivots;
        outcome.residual = outcome.residual.max(settled.residual);
        a.free.clear();
        a.free.extend((0..n).map(|i| a.lo[i] < a.lambda[i] && a.lambda[i] < a.hi[i]));
        a.lambda.iter().any(|&x| x != 0.0)
    }

    /// The free auxiliary rows as equalities, after a sweep without them.
    pub(super) fn correct_auxiliary(&mut self, problem: &Problem) -> bool {
        let n = self.forest.auxiliary.len();
        self.auxiliary.lambda.clear();
        self.auxiliary.lambda.resize(n, 0.0);
        self.auxiliary.part.clear();
        self.auxiliary.part.extend((0..n as u32).filter(|&i| self.auxiliary.free.get(i as usize) == Some(&true)));
        let m = self.auxiliary.part.len();
        if m == 0 {
            return false;
        }
        let mut magnitude: Real = 0.0;
        self.auxiliary.part_b.clear();
        for at in 0..m {
            let row = self.forest.auxiliary[self.auxiliary.part[at] as usize];
            let rate = self.swept_rate(problem, row);
            magnitude = magnitude.max(rate.abs()).max(self.wanted[row as usize].abs());
            self.auxiliary.part_b.push(rate - self.wanted[row as usize]);
        }
        if magnitude == 0.0 {
            return false;
        }
        let a = &mut self.auxiliary;
        a.part_matrix.clear();
        a.part_scale.clear();
        for &i in &a.part {
            a.part_scale.push(a.scale[i as usize]);
            a.part_matrix.extend(a.part.iter().map(|&j| a.matrix[i as usize * n + j as usize]));
        }
        a.part_bound.clear();
        a.part_bound.resize(m, Real::NEG_INFINITY);
        a.part_bound.resize(2 * m, Real::INFINITY);
        a.part_lambda.clear();
        a.part_lambda.resize(m, 0.0);
        let (lo, hi) = a.part_bound.split_at(m);
        let lcp = Lcp { matrix: &a.part_matrix, b: &a.part_b, lo, hi, scale: &a.part_scale, magnitude };
        a.lcp.solve(&lcp, &mut a.part_lambda);
        for (&i, &lambda) in a.part.iter().zip(&a.part_lambda) {
            a.lambda[i as usize] = lambda;
        }
        true
    }

    /// Σ (u_i·D⁻¹u_j − e_i·E⁻¹e_j) over the nodes that both ways pass; ways are sorted by falling node.
    fn meeting(&self, a: &[PathStep], b: &[PathStep]) -> Real {
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i < a.len() && j < b.len() {
            match a[i].node.cmp(&b[j].node) {
                std::cmp::Ordering::Greater => i += 1,
                std::cmp::Ordering::Less => j += 1,
                std::cmp::Ordering::Equal => {
                    let (x, y) = (&a[i], &b[j]);
                    let node = x.node as usize;
                    if self.forest.nodes[node].pivot {
                        let weight = &self.pivots[node].e_inverse;
                        sum += (0..3).map(|k| x.u[k] * y.u[k] * weight[k]).sum::<Real>();
                    } else {
                        let f = &self.factors[node];
                        for k in 0..6 {
                            sum += x.u[k] * y.u[k] * f.d_inverse[k] - x.e[k] * y.e[k] * f.e_inverse[k];
                        }
                    }
                    i += 1;
                    j += 1;
                }
            }
        }
        sum
    }
}

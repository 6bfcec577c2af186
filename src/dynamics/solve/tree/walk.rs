//! How rows outside the trees see them: one walk from a row's bodies to the root.
//!
//! The walk of row i leaves a few numbers U_i at each node it passes (three at a pivot), and the response of two rows to
//! each other is A_ij = Σ U_i W U_j + S over the nodes that both pass, W being diagonal: 1/E at pivots, 1/D and −1/E at
//! other nodes (see `kernel`), the inverse mass matrix for bodies that hang on nothing. So no matrix is needed: with
//! y = W Uᵀ λ at hand, J v of a row is a walk along its own path, and so is a change of its multiplier.
//!
//! Rows come in units of up to three that act on the same bodies (a contact's normal and tangents) and share one path.
//! Numbers are kept in fours, which is what the machine's vectors hold.

use super::TreeSolver;
use super::add_wrench;
use super::forest::NONE;
use super::kernel::{Six, by_rows, up_body};
use crate::dynamics::solve::Problem;
use crate::math::{Mat3, Real};

pub(super) type Four = [Real; 4];

/// Three rows' numbers at one place.
pub(super) type Step = [Four; 3];

/// The paths of all units.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    /// Unit i's path is `places[start[i]..start[i + 1]]`, with the numbers of its rows beside.
    pub start: Vec<u32>,
    pub places: Vec<u32>,
    pub steps: Vec<Step>,
    /// W.
    pub weights: Vec<Four>,
    /// Where the numbers of a node begin; bodies without joints follow the nodes.
    node_place: Vec<u32>,
    /// L of the inverse inertia L D Lᵀ of bodies without joints, below the diagonal.
    lone: Vec<[Real; 3]>,
}

impl Paths {
    #[inline(always)]
    fn range(&self, unit: usize) -> std::ops::Range<usize> {
        self.start[unit] as usize..self.start[unit + 1] as usize
    }

    /// J v of the unit's rows, as far as y says.
    #[inline(always)]
    pub fn rates(&self, unit: usize, y: &[Four]) -> [Real; 3] {
        let range = self.range(unit);
        let mut sum: Step = [[0.0; 4]; 3];
        for (&place, step) in self.places[range.clone()].iter().zip(&self.steps[range]) {
            let y = &y[place as usize];
            for (sum, row) in sum.iter_mut().zip(step) {
                for k in 0..4 {
                    sum[k] += row[k] * y[k];
                }
            }
        }
        sum.map(|[a, b, c, d]| (a + b) + (c + d))
    }

    /// The same for one row.
    #[inline(always)]
    pub fn rate(&self, unit: usize, row: usize, y: &[Four]) -> Real {
        let range = self.range(unit);
        let mut sum = [0.0; 4];
        for (&place, step) in self.places[range.clone()].iter().zip(&self.steps[range]) {
            let (y, row) = (&y[place as usize], &step[row]);
            for k in 0..4 {
                sum[k] += row[k] * y[k];
            }
        }
        let [a, b, c, d] = sum;
        (a + b) + (c + d)
    }

    /// y += W Uᵀ λ for the unit's rows.
    #[inline(always)]
    pub fn push(&self, unit: usize, lambda: &[Real; 3], y: &mut [Four]) {
        let range = self.range(unit);
        for (&place, step) in self.places[range.clone()].iter().zip(&self.steps[range]) {
            let (y, weight) = (&mut y[place as usize], &self.weights[place as usize]);
            for k in 0..4 {
                y[k] += weight[k] * (step[0][k] * lambda[0] + step[1][k] * lambda[1] + step[2][k] * lambda[2]);
            }
        }
    }

    /// The same for one row.
    #[inline(always)]
    pub fn push_row(&self, unit: usize, row: usize, lambda: Real, y: &mut [Four]) {
        let range = self.range(unit);
        for (&place, step) in self.places[range.clone()].iter().zip(&self.steps[range]) {
            let (y, weight) = (&mut y[place as usize], &self.weights[place as usize]);
            for k in 0..4 {
                y[k] += weight[k] * step[row][k] * lambda;
            }
        }
    }

    /// Makes y zero along a path.
    pub fn wipe(&self, unit: usize, y: &mut [Four]) {
        for &place in &self.places[self.range(unit)] {
            y[place as usize] = [0.0; 4];
        }
    }

    /// U W Uᵀ of the unit's own rows.
    #[inline(always)]
    pub fn own(&self, unit: usize) -> [[Real; 3]; 3] {
        let range = self.range(unit);
        let mut sum = [[[0.0; 4]; 3]; 3];
        for (&place, step) in self.places[range.clone()].iter().zip(&self.steps[range]) {
            let weight = &self.weights[place as usize];
            for i in 0..3 {
                let weighted: Four = std::array::from_fn(|k| weight[k] * step[i][k]);
                for j in 0..=i {
                    for k in 0..4 {
                        sum[i][j][k] += weighted[k] * step[j][k];
                    }
                }
            }
        }
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let [a, b, c, d] = sum[i.max(j)][i.min(j)];
                (a + b) + (c + d)
            })
        })
    }
}

impl TreeSolver {
    /// Lays out y and W for the trees as they are factored now.
    pub(super) fn lay_out_weights(&self, problem: &Problem, paths: &mut Paths) {
        let Paths { weights, node_place, lone, .. } = paths;
        weights.clear();
        node_place.clear();
        for (index, node) in self.forest.nodes.iter().enumerate() {
            node_place.push(weights.len() as u32);
            if node.pivot {
                let e = &self.pivots[index].e_inverse;
                weights.push([e.x, e.y, e.z, 0.0]);
                continue;
            }
            let factor = &self.factors[index];
            let (d, e) = (&factor.d_inverse, &factor.e_inverse);
            weights.push([d[0], d[1], d[2], d[3]]);
            weights.push([d[4], d[5], 0.0, 0.0]);
            // The joint's rows go where the body's leave off: two beside its last two numbers, then four more.
            for r in 0..node.count as usize {
                let (four, at) = joint_slot(r);
                if four == 2 && at == 0 {
                    weights.push([0.0; 4]);
                }
                let last = weights.len() - 1;
                weights[last][at] = -e[r];
            }
        }
        lone.clear();
        for &body in &self.forest.lone {
            node_place.push(weights.len() as u32);
            let inertia = &problem.inertias[body as usize];
            let (l, d) = split(&inertia.inverse_inertia);
            let m = inertia.inverse_mass;
            weights.push([m, m, m, d[0]]);
            weights.push([d[1], d[2], 0.0, 0.0]);
            lone.push(l);
        }
    }

    /// Adds the path of the rows given (`NONE`: no row), which share their bodies.
    #[inline(always)]
    pub(super) fn walk(&self, problem: &Problem, rows: &[u32; 3], paths: &mut Paths) {
        let Paths { start, places, steps, node_place, lone, .. } = paths;
        if start.is_empty() {
            start.push(0);
        }
        // The fronts of the walk, at most one per body; the lowest node moves first, so that ways meet.
        let mut fronts: [(u32, [Six; 3]); 8] = [(NONE, [[0.0; 6]; 3]); 8];
        let mut active = 0;
        let count = rows.iter().filter(|&&row| row != NONE).count();
        for (r, &row) in rows[..count].iter().enumerate() {
            for entry in problem.entries(row as usize) {
                let node = self.forest.node_of[entry.body as usize];
                let front = front_at(&mut fronts, &mut active, node);
                front[r] = std::array::from_fn(|k| entry.jacobian[k]);
            }
        }
        let nodes = self.forest.nodes.len() as u32;
        while active > 0 {
            let mut lowest = 0;
            for i in 1..active {
                if fronts[i].0 > fronts[lowest].0 {
                    lowest = i;
                }
            }
            let (index, wrenches) = fronts[lowest];
            active -= 1;
            fronts[lowest] = fronts[active];
            let place = node_place[index as usize];
            if index >= nodes {
                // The body's own L, transposed: u = Lᵀ τ.
                let [l21, l31, l32] = lone[(index - nodes) as usize];
                let u = wrenches.map(|p| [p[0], p[1], p[2], p[3] + l21 * p[4] + l31 * p[5], p[4] + l32 * p[5], p[5]]);
                places.extend([place, place + 1]);
                steps.push(u.map(|u| [u[0], u[1], u[2], u[3]]));
                steps.push(u.map(|u| [u[4], u[5], 0.0, 0.0]));
                continue;
            }
            let node = self.forest.nodes[index as usize];
            let mut up = [[0.0; 6]; 3];
            if node.pivot {
                let pivot = &self.pivots[index as usize];
                let mut step: Step = [[0.0; 4]; 3];
                for r in 0..count {
                    let (g, (force, torque)) = pivot.walk(&wrenches[r]);
                    add_wrench(&mut up[r], &force, &torque);
                    step[r] = [g.x, g.y, g.z, 0.0];
                }
                places.push(place);
                steps.push(step);
            } else {
                let factor = &self.factors[index as usize];
                let mut fours = [[[0.0; 4]; 3]; 3];
                for r in 0..count {
                    let (mut u, mut e) = (wrenches[r], [0.0; 6]);
                    up_body(factor, &mut u);
                    fours[0][r] = [u[0], u[1], u[2], u[3]];
                    fours[1][r] = [u[4], u[5], 0.0, 0.0];
                    if node.count > 0 {
                        by_rows!(node.count, up_joint(factor, &u, &mut e));
                        by_rows!(node.count, load_parent_momentum(factor, &e, &mut up[r]));
                        for (at, &e) in e.iter().enumerate().take(node.count as usize) {
                            let (four, slot) = joint_slot(at);
                            fours[four][r][slot] = e;
                        }
                    }
                }
                let used = if node.count > 2 { 3 } else { 2 };
                for (k, four) in fours[..used].iter().enumerate() {
                    places.push(place + k as u32);
                    steps.push(*four);
                }
            }
            if node.parent != NONE {
                let front = front_at(&mut fronts, &mut active, node.parent);
                for r in 0..count {
                    for k in 0..6 {
                        front[r][k] += up[r][k];
                    }
                }
            }
        }
        start.push(places.len() as u32);
    }
}

/// The front at a node, a new one if there is none.
#[inline(always)]
fn front_at<'a>(fronts: &'a mut [(u32, [Six; 3]); 8], active: &mut usize, node: u32) -> &'a mut [Six; 3] {
    let known = fronts[..*active].iter().position(|front| front.0 == node);
    let at = known.unwrap_or_else(|| {
        fronts[*active] = (node, [[0.0; 6]; 3]);
        *active += 1;
        *active - 1
    });
    &mut fronts[at].1
}

/// Which four of a node, and where in it, holds row r of its joint.
#[inline(always)]
fn joint_slot(r: usize) -> (usize, usize) {
    if r < 2 { (1, 2 + r) } else { (2, r - 2) }
}

/// L below the diagonal and D of a symmetric positive matrix L D Lᵀ.
fn split(m: &Mat3) -> ([Real; 3], [Real; 3]) {
    let over = |x: Real| if x > 0.0 { 1.0 / x } else { 0.0 };
    let d0 = m.m11;
    let e0 = over(d0);
    let (l21, l31) = (m.m21 * e0, m.m31 * e0);
    let d1 = m.m22 - l21 * m.m21;
    let below = m.m32 - l31 * m.m21;
    let l32 = below * over(d1);
    let d2 = m.m33 - l31 * m.m31 - l32 * below;
    ([l21, l31, l32], [d0, d1, d2])
}

//! Response of the trees to rows outside them: one walk from a row's bodies to the root.
//!
//! The walk of row i leaves a few numbers U_i at each node it passes (three at a pivot), and the response of two rows
//! to each other is A_ij = Σ U_i W U_j + S over the nodes that both pass, W being diagonal: 1/E at pivots, 1/D and −1/E
//! at other nodes (see `kernel`), the inverse mass matrix for bodies without joints. So no matrix is needed: given y =
//! W Uᵀ λ, J v of a row is a walk along its own path, and so is a change of its multiplier.
//!
//! Rows come in units of up to three that act on the same bodies (a contact's normal and tangents) and share one path.
//! Numbers are stored in groups of four, the width of a vector register.

use super::TreeSolver;
use super::forest::NONE;
use super::kernel::{Lanes, by_rows, up_body_lanes};
use crate::math::{Mat3, Real};
use crate::solve::Problem;

/// Numbers of three rows at one place.
type Step = [Lanes; 3];

/// Place of a path and the numbers of the unit's rows there, side by side, since sweeps read both at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    place: u32,
    step: Step,
}

/// Impulses of up to four rows, component by component.
type Wrenches = [Lanes; 6];
const NOTHING: Wrenches = [[0.0; 4]; 6];

/// Paths of all units.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    /// Start of each path: unit i's is `passes[start[i]..start[i + 1]]`.
    start: Vec<u32>,
    passes: Vec<Pass>,
    /// Trees that a unit acts on; twice the same if it is one.
    trees: Vec<[u32; 2]>,
    /// Set if some unit acts on more than two trees.
    pub spread: bool,
    /// Weights W.
    pub weights: Vec<Lanes>,
    /// Place of the first numbers of a node; bodies without joints follow the nodes.
    node_place: Vec<u32>,
    /// Tree of a node; bodies without joints, which follow, are trees of their own.
    tree_of: Vec<u32>,
    tree_count: u32,
    /// Entries below the diagonal of L of the inverse inertia L D Lᵀ of bodies without joints.
    lone: Vec<[Real; 3]>,
}

impl Paths {
    /// Removes all paths.
    pub fn clear(&mut self) {
        self.start.clear();
        self.passes.clear();
        self.trees.clear();
        self.spread = false;
    }

    pub fn tree_count(&self) -> usize {
        self.tree_count as usize
    }

    /// Returns the trees that a unit acts on.
    #[inline(always)]
    pub fn trees(&self, unit: usize) -> [usize; 2] {
        self.trees[unit].map(|tree| tree as usize)
    }

    #[inline(always)]
    fn path(&self, unit: usize) -> &[Pass] {
        &self.passes[self.start[unit] as usize..self.start[unit + 1] as usize]
    }

    /// Returns the part of J v of the unit's rows that is due to y.
    #[inline(always)]
    pub fn rates(&self, unit: usize, y: &[Lanes]) -> [Real; 3] {
        let mut sum: Step = [[0.0; 4]; 3];
        for Pass { place, step } in self.path(unit) {
            let y = &y[*place as usize];
            for (sum, row) in sum.iter_mut().zip(step) {
                for k in 0..4 {
                    sum[k] += row[k] * y[k];
                }
            }
        }
        in_one_piece(sum).map(added_up)
    }

    /// The same for one row.
    #[inline(always)]
    pub fn rate(&self, unit: usize, row: usize, y: &[Lanes]) -> Real {
        let mut sum = [0.0; 4];
        for Pass { place, step } in self.path(unit) {
            let (y, row) = (&y[*place as usize], &step[row]);
            for k in 0..4 {
                sum[k] += row[k] * y[k];
            }
        }
        added_up(in_one_piece(sum))
    }

    /// Adds W Uᵀ λ of the unit's rows to y.
    #[inline(always)]
    pub fn push(&self, unit: usize, lambda: &[Real; 3], y: &mut [Lanes]) {
        for Pass { place, step } in self.path(unit) {
            let (y, weight) = (&mut y[*place as usize], &self.weights[*place as usize]);
            for k in 0..4 {
                y[k] += weight[k] * (step[0][k] * lambda[0] + step[1][k] * lambda[1] + step[2][k] * lambda[2]);
            }
        }
    }

    /// The same for one row.
    #[inline(always)]
    pub fn push_row(&self, unit: usize, row: usize, lambda: Real, y: &mut [Lanes]) {
        for Pass { place, step } in self.path(unit) {
            let (y, weight) = (&mut y[*place as usize], &self.weights[*place as usize]);
            for k in 0..4 {
                y[k] += weight[k] * step[row][k] * lambda;
            }
        }
    }

    /// Sets y to zero along a path.
    pub fn wipe(&self, unit: usize, y: &mut [Lanes]) {
        for pass in self.path(unit) {
            y[pass.place as usize] = [0.0; 4];
        }
    }

    /// Returns U W Uᵀ of the unit's own rows.
    #[inline(always)]
    pub fn own(&self, unit: usize) -> [[Real; 3]; 3] {
        let mut sum = [[[0.0; 4]; 3]; 3];
        for Pass { place, step } in self.path(unit) {
            let weight = &self.weights[*place as usize];
            for i in 0..3 {
                let weighted: Lanes = std::array::from_fn(|k| weight[k] * step[i][k]);
                for j in 0..=i {
                    for k in 0..4 {
                        sum[i][j][k] += weighted[k] * step[j][k];
                    }
                }
            }
        }
        let sum = in_one_piece(sum);
        std::array::from_fn(|i| std::array::from_fn(|j| added_up(sum[i.max(j)][i.min(j)])))
    }
}

impl TreeSolver {
    /// Lays out y and W for the present factors of the trees.
    pub(super) fn lay_out_weights(&self, problem: &Problem, paths: &mut Paths) {
        let Paths { weights, node_place, tree_of, tree_count, lone, .. } = paths;
        weights.clear();
        node_place.clear();
        tree_of.clear();
        *tree_count = 0;
        for (index, node) in self.forest.nodes.iter().enumerate() {
            if !node.has_parent() {
                *tree_count += 1;
            }
            tree_of.push(if node.has_parent() { tree_of[node.parent as usize] } else { *tree_count - 1 });
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
            // The joint's rows follow the body's: two beside its last two numbers, then four more.
            for (r, e) in e.iter().enumerate().take(node.count as usize) {
                let (four, at) = joint_slot(r);
                if four == 2 && at == 0 {
                    weights.push([0.0; 4]);
                }
                let last = weights.len() - 1;
                weights[last][at] = -e;
            }
        }
        lone.clear();
        for &body in &self.forest.lone {
            node_place.push(weights.len() as u32);
            tree_of.push(*tree_count);
            *tree_count += 1;
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
        // Nearly all rows act on two bodies at most.
        if problem.entries(rows[0] as usize).len() <= 2 {
            self.walk_fronts::<2>(problem, rows, paths);
        } else {
            self.walk_fronts::<8>(problem, rows, paths);
        }
    }

    #[inline(always)]
    fn walk_fronts<const N: usize>(&self, problem: &Problem, rows: &[u32; 3], paths: &mut Paths) {
        let Paths { start, passes, trees, spread, node_place, tree_of, lone, .. } = paths;
        let mut pass = |place: u32, numbers: &[Lanes; 4]| passes.push(Pass { place, step: by_row(numbers) });
        if start.is_empty() {
            start.push(0);
        }
        // The fronts of the walk, at most one per body; the lowest node moves first, so that paths join.
        let mut fronts = Fronts::<N> { active: 0, node: [NONE; N], wrenches: [NOTHING; N] };
        for (r, &row) in rows.iter().enumerate().take_while(|(_, row)| **row != NONE) {
            for entry in problem.entries(row as usize) {
                let front = fronts.at(self.forest.node_of[entry.body as usize]);
                for (component, j) in front.iter_mut().zip(&entry.jacobian) {
                    component[r] = *j;
                }
            }
        }
        let mut ends = fronts.node[..fronts.active].iter().map(|&node| tree_of[node as usize]);
        let first = ends.next().unwrap_or(0);
        let second = ends.find(|&tree| tree != first).unwrap_or(first);
        *spread |= ends.any(|tree| tree != first && tree != second);
        trees.push([first, second]);
        let enough = FADED * FADED * fronts.wrenches[..fronts.active].iter().map(squares).fold(0.0, Real::max);
        let nodes = self.forest.nodes.len() as u32;
        let mut next = fronts.take_lowest();
        while let Some((index, mut wrenches)) = next {
            let place = node_place[index as usize];
            if index >= nodes {
                // The body's own L, transposed: u = Lᵀ τ.
                let [l21, l31, l32] = lone[(index - nodes) as usize];
                let [x, y, z] = [wrenches[3], wrenches[4], wrenches[5]];
                wrenches[3] = std::array::from_fn(|i| x[i] + l21 * y[i] + l31 * z[i]);
                wrenches[4] = std::array::from_fn(|i| y[i] + l32 * z[i]);
                pass(place, &[wrenches[0], wrenches[1], wrenches[2], wrenches[3]]);
                pass(place + 1, &[wrenches[4], wrenches[5], [0.0; 4], [0.0; 4]]);
                next = fronts.take_lowest();
                continue;
            }
            let node = &self.forest.nodes[index as usize];
            if node.pivot {
                let exact = self.exact_rotations.get(index as usize);
                let [x, y, z] = self.pivots[index as usize].walk(exact, &mut wrenches);
                pass(place, &[x, y, z, [0.0; 4]]);
            } else {
                let factor = &self.factors[index as usize];
                up_body_lanes(factor, &mut wrenches);
                let mut fours = [[wrenches[0], wrenches[1], wrenches[2], wrenches[3]], [[0.0; 4]; 4], [[0.0; 4]; 4]];
                (fours[1][0], fours[1][1]) = (wrenches[4], wrenches[5]);
                if node.count > 0 {
                    let pushed = std::mem::replace(&mut wrenches, NOTHING);
                    let mut rows = NOTHING;
                    by_rows!(node.count, up_joint_lanes(factor, &pushed, &mut rows));
                    if node.parent != NONE {
                        by_rows!(node.count, load_parent_momentum_lanes(factor, &rows, &mut wrenches));
                    }
                    for (at, row) in rows.iter().enumerate().take(node.count as usize) {
                        let (four, slot) = joint_slot(at);
                        fours[four][slot] = *row;
                    }
                }
                let used = if node.count > 2 { 3 } else { 2 };
                for (k, four) in fours[..used].iter().enumerate() {
                    pass(place + k as u32, four);
                }
            }
            // An impulse fades from joint to joint. It is negligible after a few dozen of them, and walking on would
            // make a chain of n links that lies on the ground cost n².
            let goes_on = node.parent != NONE && squares(&wrenches) > enough;
            next = if goes_on && fronts.active == 0 {
                // No other front is on the path.
                Some((node.parent, wrenches))
            } else {
                if goes_on {
                    fronts.add(node.parent, &wrenches);
                }
                fronts.take_lowest()
            };
        }
        start.push(passes.len() as u32);
    }
}

/// Hides from the compiler how the four lanes of a sum are added in the end. Otherwise it would reorder the lanes of
/// several sums within the loop, at three times the instructions.
#[inline(always)]
fn in_one_piece<T>(sums: T) -> T {
    std::hint::black_box(sums)
}

#[inline(always)]
fn added_up([a, b, c, d]: Lanes) -> Real {
    (a + b) + (c + d)
}

/// Share of the first impulse that is negligible.
const FADED: Real = 1e-14;

/// Returns the sum of the squares of all components.
#[inline(always)]
fn squares(wrenches: &Wrenches) -> Real {
    let mut sum = [0.0; 4];
    for component in wrenches {
        for k in 0..4 {
            sum[k] += component[k] * component[k];
        }
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

/// Present nodes of the paths of one unit.
struct Fronts<const N: usize> {
    active: usize,
    node: [u32; N],
    wrenches: [Wrenches; N],
}

impl<const N: usize> Fronts<N> {
    /// Returns the impulses at a node.
    #[inline(always)]
    fn at(&mut self, node: u32) -> &mut Wrenches {
        let known = self.node[..self.active].iter().position(|&n| n == node);
        let at = known.unwrap_or_else(|| {
            (self.node[self.active], self.wrenches[self.active]) = (node, NOTHING);
            self.active += 1;
            self.active - 1
        });
        &mut self.wrenches[at]
    }

    #[inline(always)]
    fn add(&mut self, node: u32, wrenches: &Wrenches) {
        let known = self.node[..self.active].iter().position(|&n| n == node);
        if let Some(at) = known {
            for (sum, more) in self.wrenches[at].iter_mut().zip(wrenches) {
                for k in 0..4 {
                    sum[k] += more[k];
                }
            }
        } else {
            (self.node[self.active], self.wrenches[self.active]) = (node, *wrenches);
            self.active += 1;
        }
    }

    #[inline(always)]
    fn take_lowest(&mut self) -> Option<(u32, Wrenches)> {
        let mut lowest = 0;
        for i in 1..self.active {
            if self.node[i] > self.node[lowest] {
                lowest = i;
            }
        }
        self.active = self.active.checked_sub(1)?;
        let taken = (self.node[lowest], self.wrenches[lowest]);
        if lowest < self.active {
            (self.node[lowest], self.wrenches[lowest]) = (self.node[self.active], self.wrenches[self.active]);
        }
        Some(taken)
    }
}

/// Transposes to four numbers of each of three rows, row by row.
#[inline(always)]
fn by_row(numbers: &[Lanes; 4]) -> Step {
    std::array::from_fn(|row| std::array::from_fn(|k| numbers[k][row]))
}

/// Returns the group of four of a node, and the place in it, of row r of its joint.
#[inline(always)]
fn joint_slot(r: usize) -> (usize, usize) {
    if r < 2 { (1, 2 + r) } else { (2, r - 2) }
}

/// Returns L below the diagonal and D of a symmetric positive matrix L D Lᵀ.
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

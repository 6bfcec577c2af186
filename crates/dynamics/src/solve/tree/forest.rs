//! Symbolic half of the tree solver: the rows that form the trees, and their order of elimination.
//!
//! Rows between the same two bodies form one joint, whichever constraints they come from; a joint has at most six
//! rows. Joints that keep the graph free of cycles become edges of the trees, rows with inner bounds (motors) among
//! them. The remaining rows are auxiliary: one-sided rows, loop closures, rows over three or more bodies, rows that
//! repeat others. Bodies are numbered parents first; a joint to the world makes its body the root, because a hard
//! joint cannot be eliminated before the only body it holds. Further joints to the world that are soft in every
//! row add to their body directly. Only the persistent rows of the problem are read; movable bodies that none of them
//! names are kept beside the trees, for rows that come and go.

use crate::disjoint_sets::find;
use crate::math::Buffer;
use crate::solve::Problem;

/// Index of the world, which is no body and no node.
pub(crate) const NONE: u32 = u32::MAX;

/// Body in elimination order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub body: u32,
    /// Node of the parent, always smaller; `NONE` for a root.
    pub parent: u32,
    /// Start of the rows of the joint to the parent (or to the world, for a root): `rows[first..first + count]`.
    pub first: u32,
    /// First of these rows, if the joint has any; the rows of a pivot are consecutive.
    pub row: u32,
    pub count: u8,
    /// Set if the rows are one whole pivot (see `pivot`).
    pub pivot: bool,
    /// Set if the next node is its only child.
    pub relays: bool,
    /// Set if it is the only child of the node before.
    pub relayed: bool,
}

impl Node {
    /// Returns true if its parent is another body.
    #[inline(always)]
    pub fn has_parent(&self) -> bool {
        self.parent != NONE
    }

    /// Returns the range of its rows in `rows`.
    #[inline(always)]
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Group {
    a: u32,
    b: u32,
    first: u32,
    count: u32,
    soft: bool,
    pivot: bool,
    /// Role of the group in the forest.
    edge: bool,
}

/// Structure of one topology.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forest {
    pub nodes: Vec<Node>,
    /// Row numbers of all joints, node by node.
    pub rows: Vec<u32>,
    /// Rows that are soft, act between one body and the world, and are added to that body: (row, node).
    pub absorbed: Vec<(u32, u32)>,
    /// All other persistent rows.
    pub auxiliary: Vec<u32>,
    /// Movable bodies without persistent rows. They are numbered behind the nodes.
    pub lone: Vec<u32>,
    /// Node of each body, `NONE` for immovable ones.
    pub node_of: Vec<u32>,
    groups: Vec<Group>,
    sorted: Vec<(u32, u32, u32, u32)>,
    group_rows: Vec<u32>,
    leader: Vec<u32>,
    grounded: Vec<bool>,
    neighbours: Vec<(u32, u32)>,
    neighbour_start: Vec<u32>,
    queue: Vec<u32>,
}

impl Forest {
    /// Builds the structure anew; `demoted[row]` keeps a row out of the trees.
    pub fn build(&mut self, problem: &Problem, demoted: &[bool]) {
        self.group(problem, demoted);
        self.mark_pivots(problem);
        self.choose_edges(problem.inertias.len());
        self.order(problem);
    }

    /// Groups the rows of each pair of bodies, in row order, at most six per pair.
    fn group(&mut self, problem: &Problem, demoted: &[bool]) {
        self.sorted.clear();
        self.auxiliary.clear();
        for (index, row) in problem.rows[..problem.persistent_rows as usize].iter().enumerate() {
            let entries = problem.entries(index);
            if !row.has_inner_bounds() || demoted[index] || entries.is_empty() || entries.len() > 2 {
                self.auxiliary.push(index as u32);
                continue;
            }
            let (x, y) = (entries[0].body, entries.get(1).map_or(NONE, |e| e.body));
            self.sorted.push((x.min(y), x.max(y), index as u32, 0));
        }
        self.sorted.sort_unstable();
        self.groups.clear();
        self.group_rows.clear();
        for &(a, b, row, _) in &self.sorted {
            let soft = problem.rows[row as usize].softness > 0.0;
            match self.groups.last_mut().filter(|g| g.a == a && g.b == b) {
                Some(group) if group.count < 6 => {
                    group.count += 1;
                    group.soft &= soft;
                    self.group_rows.push(row);
                }
                Some(_) => self.auxiliary.push(row),
                None => {
                    let first = self.group_rows.len() as u32;
                    self.groups.push(Group { a, b, first, count: 1, soft, pivot: false, edge: false });
                    self.group_rows.push(row);
                }
            }
        }
    }

    fn mark_pivots(&mut self, problem: &Problem) {
        for group in &mut self.groups {
            let rows = &self.group_rows[group.first as usize..(group.first + group.count) as usize];
            // Rows are sorted, so a group that starts and ends with a block and has its size is that block.
            let block =
                problem.blocks.partition_point(|b| b.first <= rows[0]).checked_sub(1).map(|at| problem.blocks[at]);
            group.pivot = block.is_some_and(|b| {
                b.pivot && b.first == rows[0] && b.count == group.count && rows[rows.len() - 1] == b.first + b.count - 1
            });
        }
    }

    /// Takes joints as edges while they close no cycle (the world counts as one body): hard ones first.
    fn choose_edges(&mut self, bodies: usize) {
        self.leader.assign(0..bodies as u32);
        self.grounded.reset(bodies, false);
        for soft_pass in [false, true] {
            for index in 0..self.groups.len() {
                let Group { a, b, soft, .. } = self.groups[index];
                if soft != soft_pass {
                    continue;
                }
                let a = find(&mut self.leader, a);
                self.groups[index].edge = if b == NONE {
                    !std::mem::replace(&mut self.grounded[a as usize], true)
                } else {
                    let b = find(&mut self.leader, b);
                    let open = a != b && !(self.grounded[a as usize] && self.grounded[b as usize]);
                    if open {
                        let grounded = self.grounded[a as usize] || self.grounded[b as usize];
                        // The smaller number is the representative, so that the result does not depend on the order of
                        // calls.
                        let (low, high) = (a.min(b), a.max(b));
                        self.leader[high as usize] = low;
                        self.grounded[low as usize] = grounded;
                    }
                    open
                };
            }
        }
    }

    /// Numbers the bodies parents first, starting at the bodies joined to the world.
    fn order(&mut self, problem: &Problem) {
        let bodies = problem.inertias.len();
        self.nodes.clear();
        self.rows.clear();
        self.absorbed.clear();
        self.node_of.reset(bodies, NONE);
        self.list_neighbours(bodies);
        for group in 0..self.groups.len() {
            let g = self.groups[group];
            if g.edge && g.b == NONE {
                self.grow(g.a, Some(group));
            }
        }
        // Free-flying trees: a body with a single row is part of one.
        for group in 0..self.groups.len() {
            let g = self.groups[group];
            if self.node_of[g.a as usize] == NONE {
                self.grow(g.a, None);
            }
        }
        for at in 0..self.auxiliary.len() {
            let row = self.auxiliary[at] as usize;
            for entry in problem.entries(row) {
                if self.node_of[entry.body as usize] == NONE {
                    self.grow(entry.body, None);
                }
            }
        }
        for group in &self.groups {
            if group.edge {
                continue;
            }
            let rows = &self.group_rows[group.first as usize..(group.first + group.count) as usize];
            if group.b == NONE && group.soft {
                let node = self.node_of[group.a as usize];
                self.absorbed.extend(rows.iter().map(|&row| (row, node)));
            } else {
                self.auxiliary.extend_from_slice(rows);
            }
        }
        self.auxiliary.sort_unstable();
        self.lone.clear();
        for (body, inertia) in problem.inertias.iter().enumerate() {
            if inertia.inverse_mass > 0.0 && self.node_of[body] == NONE {
                self.node_of[body] = (self.nodes.len() + self.lone.len()) as u32;
                self.lone.push(body as u32);
            }
        }
        self.mark_relays();
    }

    /// Marks the stretches of chains, where the next step reads only the contribution of one node to its parent.
    fn mark_relays(&mut self) {
        // Children other than the next node.
        self.queue.reset(self.nodes.len(), 0);
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.parent != NONE) {
            self.queue[node.parent as usize] += (node.parent as usize + 1 != index) as u32;
        }
        for index in 1..self.nodes.len() {
            let before = index - 1;
            let only = self.nodes[index].parent == before as u32 && self.queue[before] == 0;
            (self.nodes[before].relays, self.nodes[index].relayed) = (only, only);
        }
    }

    /// Lists the edges by body, in the order of the groups.
    fn list_neighbours(&mut self, bodies: usize) {
        self.neighbour_start.reset(bodies + 1, 0);
        let inner = |g: &&Group| g.edge && g.b != NONE;
        for g in self.groups.iter().filter(inner) {
            self.neighbour_start[g.a as usize + 1] += 1;
            self.neighbour_start[g.b as usize + 1] += 1;
        }
        for i in 0..bodies {
            self.neighbour_start[i + 1] += self.neighbour_start[i];
        }
        self.neighbours.reset(self.neighbour_start[bodies] as usize, (NONE, NONE));
        self.queue.assign(self.neighbour_start[..bodies].iter().copied());
        for (index, g) in self.groups.iter().enumerate().filter(|(_, g)| inner(g)) {
            for (body, other) in [(g.a, g.b), (g.b, g.a)] {
                let slot = &mut self.queue[body as usize];
                self.neighbours[*slot as usize] = (other, index as u32);
                *slot += 1;
            }
        }
    }

    /// Adds the tree below `root`, depth first, so that a node's children tend to be close behind it.
    fn grow(&mut self, root: u32, joint: Option<usize>) {
        self.push_node(root, NONE, joint);
        self.queue.clear();
        self.queue.push(root);
        while let Some(body) = self.queue.pop() {
            let node = self.node_of[body as usize];
            let range = self.neighbour_start[body as usize] as usize..self.neighbour_start[body as usize + 1] as usize;
            for at in range {
                let (other, group) = self.neighbours[at];
                if self.node_of[other as usize] == NONE {
                    self.push_node(other, node, Some(group as usize));
                    self.queue.push(other);
                }
            }
        }
    }

    fn push_node(&mut self, body: u32, parent: u32, joint: Option<usize>) {
        let first = self.rows.len() as u32;
        if let Some(group) = joint {
            let g = self.groups[group];
            self.rows.extend_from_slice(&self.group_rows[g.first as usize..(g.first + g.count) as usize]);
        }
        self.node_of[body as usize] = self.nodes.len() as u32;
        let pivot = joint.is_some_and(|group| self.groups[group].pivot);
        let count = (self.rows.len() - first as usize) as u8;
        let row = self.rows.get(first as usize).copied().unwrap_or(NONE);
        self.nodes.push(Node { body, parent, first, row, count, pivot, relays: false, relayed: false });
    }
}

//! Kinematic fallback of stage 3, for trees that spin too fast for corrections by impulses.
//!
//! A link that rotates by half a radian or more within a substep leaves the neighbourhood in which the rows of its start
//! are valid. Shorter substeps help, but they are shared by all bodies of the island and their number is bounded. The
//! bodies of such a tree then keep the velocities of stage 2, rotate accordingly, and are attached to each other from the
//! root outwards. The whole is shifted so that its centre of mass follows its path. No energy is gained: the next stage 2
//! removes the velocities that no longer fit the pose.

use crate::body::State;
use crate::lanes::turned;
use crate::math::{Real, Vec3};
use crate::rows::{Anchor, Response, RowBuilder, RowSink, RowSpec, Scope};
use crate::solve::Entry;
use crate::solve::tree::Node;
use crate::step::Workspace;
use crate::step::island::{Island, StepContext};

/// Rotation within a substep below which the fallback is not used, radians.
const FAST: Real = 0.05;

/// Largest rotation of a body of such a tree within a substep, radians: a larger one would look like a rotation the other
/// way.
const MOST_TURN: Real = 1.0;

/// Most rounds that close the angular rows of a joint.
const ROUNDS: usize = 8;

/// Closes the joints of fast trees that are open by more than `accepted`; returns true if there were any.
pub(super) fn close_spinning_trees(
    island: &mut Island,
    context: &StepContext<'_>,
    h: Real,
    end: Real,
    accepted: Real,
) -> bool {
    let Island { workspace: w, states, movable, solver, .. } = island;
    let mut any = false;
    let mut first = 0;
    let nodes = solver.tree_nodes();
    while first < nodes.len() {
        let others = nodes[first + 1..].iter().take_while(|node| node.has_parent()).count();
        let tree = first..first + 1 + others;
        first = tree.end;
        let spin = |node: &Node| w.corrections.tangent[node.body as usize].fixed_rows::<3>(3).norm_squared();
        let fastest = nodes[tree.clone()].iter().map(spin).fold(0.0, Real::max);
        if fastest * h * h <= FAST * FAST {
            continue;
        }
        let scope = |w: &Workspace, node: &Node| {
            let scope = Scope { slots: context.slots, states: &w.trial, scripted: &w.scripted, movable, time: end };
            joint_of(w, node).map(|(owner, _)| Island::constraint(context, owner).joint().map(|j| j.anchor(&scope).gap))
        };
        let open = |node: &Node| scope(w, node).flatten().map_or(0.0, |gap| gap.amax());
        if nodes[tree.clone()].iter().map(open).fold(0.0, Real::max) <= accepted {
            continue;
        }
        any = true;
        close_tree(w, states, movable, context, (nodes, tree), h, end);
    }
    any
}

/// Returns the constraint that holds a node, and the first of its rows.
fn joint_of(w: &Workspace, node: &Node) -> Option<(u32, usize)> {
    if !node.pivot {
        return None;
    }
    let block = w.assembly.problem.blocks.partition_point(|block| block.first <= node.row) - 1;
    Some((w.assembly.owners[block], node.row as usize))
}

fn close_tree(
    w: &mut Workspace,
    states: &[State],
    movable: &[bool],
    context: &StepContext<'_>,
    (nodes, tree): (&[Node], std::ops::Range<usize>),
    h: Real,
    end: Real,
) {
    let mut entries = std::mem::take(&mut w.corrections.entries);
    let mass = |w: &Workspace, node: &Node| w.assembly.problem.inertias[node.body as usize].mass;
    let (mut total, mut going) = (0.0, Vec3::zeros());
    for node in &nodes[tree.clone()] {
        let slot = node.body as usize;
        w.velocity[slot] = w.corrections.tangent[slot];
        let spin = w.velocity[slot].fixed_rows::<3>(3).norm() * h;
        if spin > MOST_TURN {
            w.velocity[slot].fixed_rows_mut::<3>(3).scale_mut(MOST_TURN / spin);
        }
        w.trial[slot].placement = w.moved_freely(states, slot, h).placement;
        going += w.trial[slot].placement.position * mass(w, node);
        total += mass(w, node);
    }
    let mut held = false;
    for node in &nodes[tree.clone()] {
        let slot = node.body as usize;
        let Some((owner, row)) = joint_of(w, node) else {
            if node.has_parent() {
                // It slides or is held otherwise: it follows its parent.
                let carrier = nodes[node.parent as usize].body as usize;
                let before = w.moved_freely(states, carrier, h).placement;
                let shift = w.trial[carrier].placement.position - before.position;
                w.trial[slot].placement.position += shift;
            }
            continue;
        };
        held |= !node.has_parent();
        let constraint = &*Island::constraint(context, owner);
        let exact = &w.rows.exact[row..row + node.count as usize];
        if exact[3..].contains(&true) {
            for _ in 0..ROUNDS {
                let scope = Scope { slots: context.slots, states: &w.trial, scripted: &w.scripted, movable, time: end };
                let mut sink = TurnSink {
                    exact,
                    at: 0,
                    child: node.body,
                    entries: &mut entries,
                    scope: &scope,
                    rotation_vector: Vec3::zeros(),
                };
                constraint.emit(true, &scope, &mut sink);
                let rotation_vector = sink.rotation_vector;
                let rotation = &mut w.trial[slot].placement.rotation;
                *rotation = turned(rotation, &rotation_vector);
                if rotation_vector.amax() < 1e-9 {
                    break;
                }
            }
        }
        if let Some(joint) = constraint.joint() {
            let scope = Scope { slots: context.slots, states: &w.trial, scripted: &w.scripted, movable, time: end };
            let gap = joint.anchor(&scope).gap;
            let is_second = joint.b.is_some_and(|b| scope.slot(b) == slot);
            w.trial[slot].placement.position += if is_second { -gap } else { gap };
        }
    }
    if !held {
        let came: Vec3 =
            nodes[tree.clone()].iter().map(|n| w.trial[n.body as usize].placement.position * mass(w, n)).sum();
        let shift = (going - came) / total;
        for node in &nodes[tree] {
            w.trial[node.body as usize].placement.position += shift;
        }
    }
    w.corrections.entries = entries;
}

/// Sink that finds the rotation of a child which brings the exact angular rows of its joint nearer to zero.
struct TurnSink<'a> {
    exact: &'a [bool],
    at: usize,
    child: u32,
    entries: &'a mut Vec<Entry>,
    scope: &'a Scope<'a>,
    rotation_vector: Vec3,
}

impl RowSink for TurnSink<'_> {
    fn wants(&self, response: Response) -> bool {
        response == Response::Hard
    }

    fn row(&mut self, error: Real, build: impl FnOnce(&mut RowBuilder)) {
        self.at += 1;
        if !self.exact[self.at - 1] {
            return;
        }
        let mut spec = RowSpec::held(error);
        self.entries.clear();
        build(&mut RowBuilder::new(&mut spec, self.entries, self.scope, false));
        if let Some(entry) = self.entries.iter().find(|entry| entry.body == self.child) {
            let n = Vec3::new(entry.jacobian[3], entry.jacobian[4], entry.jacobian[5]);
            self.rotation_vector -= n * (error / n.norm_squared().max(1e-12));
        }
    }

    fn anchor(&mut self, _anchor: &Anchor) {
        self.at += 3;
    }
}

//! Islands: the bodies that step together.
//!
//! Constraints and forces that name several movable bodies tie them together for as long as they exist (*groups*, found
//! anew only when something was added, taken away or changed). Contacts join groups to islands, step by step. Bodies
//! that nothing moves tie nothing. An island keeps its workspace from step to step while it has the same first body, so
//! that symbolic work and warm starts last.

use super::island::Island;
use crate::body::BodyId;
use crate::collide::Manifold;
use crate::constraint::Constraint;
use crate::disjoint_sets::{find, flatten, join};
use crate::force::{Force, Law};
use crate::math::{Buffer, Real};
use crate::world::{BodySet, SolverKind, SolverState, World};

const NOBODY: u32 = u32::MAX;

/// All islands of a world, and the distribution of its bodies over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    /// All islands, also those not in use; see `active`.
    pub pool: Vec<Island>,
    /// Islands in use, by first body.
    pub active: Vec<u32>,
    /// Slot of each body within its island.
    pub slots: Vec<u32>,
    /// The island of each body (place in `pool`), `NOBODY` for those that nothing moves.
    pub island_of: Vec<u32>,
    /// True if no group has changed since the last step.
    pub up_to_date: bool,
    /// Leader of each body's group, of its island, and of its island when bodies were last spread.
    group: Vec<u32>,
    leader: Vec<u32>,
    spread_by: Vec<u32>,
    /// Bodies that nothing moves.
    immovable: Vec<u32>,
    /// True if the islands are the groups: no contact joins any.
    plain: bool,
    /// Island (place in `pool`) by its first body, from the last time.
    kept: Vec<u32>,
    free: Vec<u32>,
}

impl Islands {
    /// Distributes the bodies over islands where something changed.
    pub fn partition(world: &mut World, manifolds: &[Manifold]) {
        let kind = world.solver_kind();
        let BodySet { movable, .. } = &mut world.bodies;
        let SolverState { islands, .. } = &mut world.solver_state;
        let World { constraints, forces, sleep, .. } = world;
        let changed = !islands.up_to_date;
        if changed {
            islands.find_groups(movable, constraints, forces);
        }
        let touching = |m: &&Manifold| movable[m.body_a.index()] && movable[m.body_b.index()];
        let plain = !manifolds.iter().any(|m| touching(&m));
        if changed || !plain || !islands.plain {
            islands.leader.clone_from(&islands.group);
            // What fell asleep together stays together until it is woken.
            for (body, rest) in sleep.together.iter().enumerate() {
                if let Some(rest) = rest {
                    join(&mut islands.leader, body as u32, *rest);
                }
            }
            for manifold in manifolds.iter().filter(touching) {
                join(&mut islands.leader, manifold.body_a.0, manifold.body_b.0);
            }
            // Heaps at rest touch where they touched before.
            flatten(&mut islands.leader);
            if changed || islands.leader != islands.spread_by {
                islands.spread(kind, movable, constraints, forces);
                islands.spread_by.clone_from(&islands.leader);
            }
        }
        islands.plain = plain;
        islands.hand_manifolds(movable, manifolds);
    }

    fn find_groups(&mut self, movable: &[bool], constraints: &mut [Constraint], forces: &[Force]) {
        self.up_to_date = true;
        self.group.assign(0..movable.len() as u32);
        let group = &mut self.group;
        let mut tie = |bodies: &mut dyn Iterator<Item = BodyId>| {
            let mut first = None;
            for body in bodies.filter(|b| movable[b.index()]) {
                join(group, *first.get_or_insert(body.0), body.0);
            }
        };
        for constraint in constraints {
            if constraint.enabled {
                tie(&mut constraint.bodies());
            } else {
                constraint.forget();
            }
        }
        for force in forces.iter().filter(|f| f.enabled) {
            match &force.law {
                // A closure may read any body and push any.
                Law::Custom(_) => tie(&mut (0..movable.len() as u32).map(BodyId)),
                law => tie(&mut law.bodies()),
            }
        }
    }

    /// Fills the islands: members, constraints, forces.
    fn spread(&mut self, kind: SolverKind, movable: &[bool], constraints: &[Constraint], forces: &[Force]) {
        let bodies = movable.len();
        self.kept.reset(bodies, NOBODY);
        self.free.clear();
        for (place, island) in self.pool.iter().enumerate() {
            match island.own().first() {
                Some(&first) if island.in_use && (first as usize) < bodies => {
                    self.kept[first as usize] = place as u32;
                }
                _ => self.free.push(place as u32),
            }
        }
        self.slots.reset(bodies, 0);
        self.island_of.reset(bodies, NOBODY);
        // Islands whose first body no longer leads are free as well.
        for (body, moves) in movable.iter().enumerate() {
            let place = self.kept[body];
            if place != NOBODY && (!moves || self.leader[body] != body as u32) {
                self.kept[body] = NOBODY;
                self.free.push(place);
            }
        }
        // The lowest place is taken first, whatever the history.
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        self.pool.iter_mut().for_each(|island| island.in_use = false);
        self.active.clear();
        self.immovable.clear();
        for (body, moves) in movable.iter().enumerate() {
            if !moves {
                self.slots[body] = self.immovable.len() as u32;
                self.immovable.push(body as u32);
            } else if self.leader[body] == body as u32 {
                let place = match self.kept[body] {
                    NOBODY => self.free.pop().unwrap_or_else(|| {
                        self.pool.push(Island::new(kind));
                        self.pool.len() as u32 - 1
                    }),
                    place => place,
                };
                self.kept[body] = place;
                self.active.push(place);
            }
        }
        for &place in &self.active {
            let island = &mut self.pool[place as usize];
            island.in_use = true;
            island.members.clone_from(&self.immovable);
            island.fixed = self.immovable.len();
            island.movable.reset(self.immovable.len(), false);
            island.constraints.clear();
            island.forces.clear();
        }
        for body in (0..bodies).filter(|b| movable[*b]) {
            let place = self.kept[self.leader[body] as usize];
            self.island_of[body] = place;
            let island = &mut self.pool[place as usize];
            self.slots[body] = island.members.len() as u32;
            island.members.push(body as u32);
            island.movable.push(true);
        }
        for passing in [false, true] {
            let those = |(_, c): &(usize, &Constraint)| c.enabled && c.comes_and_goes() == passing;
            for (index, constraint) in constraints.iter().enumerate().filter(those) {
                if let Some(body) = constraint.bodies().find(|b| movable[b.index()]) {
                    self.pool[self.island_of[body.index()] as usize].constraints.push(index as u32);
                }
            }
            if !passing {
                for &place in &self.active {
                    let island = &mut self.pool[place as usize];
                    island.persistent_constraints = island.constraints.len();
                }
            }
        }
        for (index, force) in forces.iter().enumerate().filter(|(_, f)| f.enabled) {
            let mut named = force.law.bodies().peekable();
            let everywhere = named.peek().is_none();
            if everywhere {
                for &place in &self.active {
                    self.pool[place as usize].forces.push(index as u32);
                }
            } else if let Some(body) = named.find(|b| movable[b.index()]) {
                self.pool[self.island_of[body.index()] as usize].forces.push(index as u32);
            }
        }
    }

    /// Raises the reach of every body to that of the fastest of its group.
    pub fn share_reach(&mut self, movable: &[bool], reach: &mut [Real]) {
        if self.group.len() != reach.len() {
            return;
        }
        for body in 0..reach.len() {
            let leader = find(&mut self.group, body as u32) as usize;
            reach[leader] = reach[leader].max(reach[body]);
        }
        for body in (0..reach.len()).filter(|body| movable[*body]) {
            reach[body] = reach[find(&mut self.group, body as u32) as usize];
        }
    }

    fn hand_manifolds(&mut self, movable: &[bool], manifolds: &[Manifold]) {
        for &place in &self.active {
            self.pool[place as usize].manifolds.clear();
        }
        for (index, manifold) in manifolds.iter().enumerate() {
            let moved = [manifold.body_a, manifold.body_b].into_iter().find(|b| movable[b.index()]);
            if let Some(body) = moved {
                self.pool[self.island_of[body.index()] as usize].manifolds.push(index as u32);
            }
        }
    }

    /// The island that a constraint belonged to in the last step.
    pub fn of_constraint(&self, movable: &[bool], constraint: &Constraint) -> Option<&Island> {
        let body = constraint.bodies().find(|b| movable[b.index()])?;
        let place = *self.island_of.get(body.index())?;
        self.pool.get(place as usize)
    }
}

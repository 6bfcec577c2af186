//! Contact prediction: the pairs that may meet within a step, found before it.
//!
//! The collision engine is given the distance that every body may move, so that it finds contacts before they happen: a body that
//! comes fast is stopped at the surface by its contact row, not after it has passed. Bodies marked `continuous` are swept
//! along their path instead, so that they neither pass through anything nor stop at bodies that they would have missed.
//!
//! A sleeping body that is hit wakes within the step. Its own contacts must be known, or it is driven into its support.
//! The engine runs again when a body wakes.

use super::scripted_end;
use crate::body::{BodyId, State};
use crate::collide::{Collider, ColliderId, CollisionScene, ContactPoint, Manifold, SweepHit};
use crate::contact_points::Contacts;
use crate::math::{Real, Vec3};
use crate::step::sleep::Sleep;
use crate::world::{BodySet, ColliderSet, SolverState, World};

/// Feature number of a point found by sweeping: no other point of a pair has it.
const SWEPT: u32 = u32::MAX;

/// Most repeated runs of the engine; bodies that have not woken by then wake in the next step.
const ROUNDS: usize = 3;

/// Wakes sleeping bodies within reach of an awake one, with all that fell asleep with them; returns true if any woke.
fn wake_touched(
    manifolds: &[Manifold],
    movable: &[bool],
    sleep: &mut Sleep,
    active: &mut [bool],
    reach: &mut [Real],
    fall: Real,
) -> bool {
    let mut any = false;
    for manifold in manifolds {
        let (a, b) = (manifold.body_a.index(), manifold.body_b.index());
        for (awake, sleeper) in [(a, b), (b, a)] {
            let Some(first) = sleep.together[sleeper].filter(|_| movable[awake] && active[awake]) else { continue };
            any = true;
            for body in sleep.wake_together(first) {
                active[body] = true;
                reach[body] += fall;
            }
        }
    }
    any
}

impl World {
    /// Finds the pairs of colliders that may meet within the next `dt` seconds.
    pub(crate) fn find_contacts(&mut self, dt: Real) {
        let BodySet { list: bodies, states, movable, bounding_radius, .. } = &mut self.bodies;
        let ColliderSet { list: colliders, engine, pair_filter } = &mut self.colliders;
        let SolverState { islands, .. } = &mut self.solver_state;
        let World { contacts, contact, sleep, .. } = self;
        contacts.manifolds.clear();
        if colliders.is_empty() {
            return;
        }
        contacts.active.clear();
        contacts.reach.clear();
        let fall = self.gravity.norm() * dt * dt;
        for (index, state) in states.iter().enumerate() {
            let awake = movable[index] && sleep.together[index].is_none();
            contacts.active.push(awake);
            let goes = if movable[index] {
                state.velocity
            } else {
                scripted_end(&bodies[index].kind, state, dt, self.time + dt).velocity
            };
            let speed = Vec3::new(goes[0], goes[1], goes[2]).norm();
            let spin = Vec3::new(goes[3], goes[4], goes[5]).norm();
            let way = (speed + spin * bounding_radius[index]) * dt;
            contacts.reach.push(if awake { way + fall } else { way });
        }
        // An impact on one link may move the others of its group within the step.
        islands.share_reach(movable, &mut contacts.reach);
        for round in (0..=ROUNDS).rev() {
            let scene = CollisionScene {
                colliders,
                states,
                active: &contacts.active,
                reach: &contacts.reach,
                margin: contact.margin,
                filter: pair_filter,
            };
            engine.collide(&scene, &mut contacts.manifolds);
            if round == 0 {
                break;
            }
            let Contacts { manifolds, active, reach, .. } = &mut *contacts;
            if !wake_touched(manifolds, movable, sleep, active, reach, fall) {
                break;
            }
            islands.share_reach(movable, reach);
        }
        if bodies.iter().any(|body| body.continuous) {
            self.sweep_fast_bodies(dt);
        }
    }

    /// Replaces contacts that continuous bodies are merely near to by those they meet on their path.
    fn sweep_fast_bodies(&mut self, dt: Real) {
        let BodySet { list: bodies, states, .. } = &mut self.bodies;
        let ColliderSet { list: colliders, engine, pair_filter } = &mut self.colliders;
        let World { contacts, contact, .. } = self;
        let watched = |id: BodyId| bodies[id.index()].continuous && contacts.active[id.index()];
        let margin = contact.margin;
        let near = |m: &Manifold| m.points().iter().any(|p| p.distance <= margin);
        contacts.manifolds.retain(|m| near(m) || !(watched(m.body_a) || watched(m.body_b)));
        let scene = CollisionScene {
            colliders,
            states,
            active: &contacts.active,
            reach: &contacts.reach,
            margin,
            filter: pair_filter,
        };
        let mut found = Vec::new();
        for (index, (body, collider)) in colliders.iter().enumerate().filter(|(_, (body, _))| watched(*body)) {
            let state = &states[body.index()];
            let goal = State::moved(&state.placement, &state.velocity, dt);
            let id = ColliderId(index as u32);
            if let Some(hit) = engine.sweep(&scene, id, &state.placement, &goal) {
                let known = |m: &Manifold| (m.a.min(m.b), m.a.max(m.b)) == (id.min(hit.collider), id.max(hit.collider));
                if !contacts.manifolds.iter().any(known) {
                    let other = &colliders[hit.collider.index()].1;
                    found.push(swept_manifold(states, (id, *body, collider), other, &hit, dt));
                }
            }
        }
        contacts.manifolds.extend(found);
        contacts.manifolds.sort_by_key(|m| (m.a, m.b));
    }
}

/// The contact that a sweep found, as it looks from the start of the step.
fn swept_manifold(
    states: &[State],
    (id, body, collider): (ColliderId, BodyId, &Collider),
    other: &Collider,
    hit: &SweepHit,
    dt: Real,
) -> Manifold {
    let (mine, theirs) = (&states[body.index()], &states[hit.body.index()]);
    let velocity = mine.velocity_at(&hit.point) - theirs.velocity_at(&hit.point);
    let way = velocity * (hit.fraction * dt);
    let distance = way.dot(&hit.normal).max(0.0) + hit.distance;
    let on_mine = mine.placement.local_point(&(hit.point - way));
    let on_theirs = theirs.placement.local_point(&hit.point);
    let material = collider.material.with(&other.material);
    let first = id < hit.collider;
    let (a, b) = ((id, body), (hit.collider, hit.body));
    let (a, b, normal) = if first { (a, b, hit.normal) } else { (b, a, -hit.normal) };
    let (on_a, on_b) = if first { (on_mine, on_theirs) } else { (on_theirs, on_mine) };
    let mut manifold = Manifold::new(a, b, normal, material);
    manifold.add(ContactPoint { on_a, on_b, distance, feature: SWEPT });
    manifold
}

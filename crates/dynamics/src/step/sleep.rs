//! Sleep: islands that rest on something and hardly move for a while are not stepped until something wakes them.
//!
//! An island wakes when one of its bodies is pushed, moved or given a constraint, when an awake body comes near,
//! when its support moves by script, or when gravity changes. Islands with a force on them that may change by
//! itself (a closure, a script that drives a joint, something that begins or ends in time) never fall asleep.

use super::island::Island;
use crate::body::{BodyId, BodyKind, Stagger, State};
use crate::constraint::Constraint;
use crate::force::{Force, Law};
use crate::math::{Real, Vec3};
use crate::world::{BodySet, SolverState, World};

/// Conditions under which bodies fall asleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleeping {
    /// Switch of sleep.
    pub enabled: bool,
    /// Speed of the centre of mass that counts as rest, m/s.
    pub speed: Real,
    /// Angular speed that counts as rest, rad/s.
    pub spin: Real,
    /// Time at rest after which bodies sleep, seconds.
    pub after: Real,
}

impl Default for Sleeping {
    fn default() -> Self {
        Self { enabled: true, speed: 0.02, spin: 0.05, after: 0.5 }
    }
}

/// Sleeping bodies, and the time the others have been at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sleep {
    /// Time at rest, seconds.
    rest_time: Vec<Real>,
    /// First body of the island that a sleeping body fell asleep with.
    pub together: Vec<Option<u32>>,
    /// Bodies that were changed since the last step.
    pub disturbed: Vec<BodyId>,
    gravity: Option<Vec3>,
}

impl Sleep {
    pub fn add(&mut self) {
        self.rest_time.push(0.0);
        self.together.push(None);
    }

    /// Wakes all bodies that fell asleep with the body `first`, and lists them.
    pub fn wake_together(&mut self, first: u32) -> impl Iterator<Item = usize> {
        let Sleep { rest_time, together, .. } = self;
        together.iter_mut().zip(rest_time).enumerate().filter_map(move |(body, (rest, rest_time))| {
            (*rest == Some(first)).then(|| {
                (*rest, *rest_time) = (None, 0.0);
                body
            })
        })
    }

    /// Wakes all bodies, for steppers without sleep.
    pub fn wake_everything(&mut self) {
        self.disturbed.clear();
        self.together.fill(None);
        self.rest_time.fill(0.0);
    }
}

impl World {
    /// Returns true if a body sleeps.
    pub fn is_asleep(&self, id: BodyId) -> bool {
        self.sleep.together[id.index()].is_some()
    }

    /// Wakes a body and all bodies of its island.
    pub fn wake(&mut self, id: BodyId) {
        self.sleep.disturbed.push(id);
    }

    /// Wakes all bodies.
    pub fn wake_all(&mut self) {
        self.sleep.disturbed.extend(self.bodies.identity_slots.iter().map(|&number| BodyId(number)));
    }

    /// Wakes changed bodies before a step, with all that fell asleep with them.
    pub(crate) fn wake_disturbed(&mut self) {
        if self.sleep.gravity != Some(self.gravity) || !self.sleeping.enabled {
            self.sleep.gravity = Some(self.gravity);
            if self.sleep.together.iter().any(Option::is_some) {
                self.wake_all();
            }
        }
        while let Some(id) = self.sleep.disturbed.pop() {
            self.sleep.rest_time[id.index()] = 0.0;
            if let Some(first) = self.sleep.together[id.index()] {
                self.sleep.wake_together(first).for_each(drop);
            }
        }
    }

    /// Wakes the whole of each island that has an awake body.
    pub(crate) fn wake_islands(&mut self) {
        let SolverState { islands, .. } = &mut self.solver_state;
        let World { sleep, .. } = self;
        for &place in &islands.active {
            let island = &mut islands.pool[place as usize];
            let own = &island.members[island.fixed..];
            island.awake = own.iter().any(|&b| sleep.together[b as usize].is_none());
            if island.awake {
                for &body in own {
                    if sleep.together[body as usize].take().is_some() {
                        sleep.rest_time[body as usize] = 0.0;
                    }
                }
            }
        }
    }

    /// Puts islands to sleep after a step of length `dt`, seconds.
    pub(crate) fn put_to_sleep(&mut self, dt: Real) {
        if !self.sleeping.enabled {
            return;
        }
        let BodySet { list: bodies, states, staggers, .. } = &mut self.bodies;
        let SolverState { islands, .. } = &mut self.solver_state;
        let World { constraints, forces, sleep, sleeping, time, .. } = self;
        for island in islands.active.iter().map(|&place| &islands.pool[place as usize]).filter(|i| i.awake) {
            let own = island.own();
            let mut rested = Real::INFINITY;
            for &body in own {
                let state = &states[body as usize];
                // Without the lead: a body that rests on a corner more or less presses in one step and flies in the next.
                let moves = State { velocity: state.velocity - staggers[body as usize].lead, ..*state };
                let slow = moves.linear().norm_squared() <= sleeping.speed * sleeping.speed
                    && moves.angular().norm_squared() <= sleeping.spin * sleeping.spin;
                let rest_time = &mut sleep.rest_time[body as usize];
                *rest_time = if slow { *rest_time + dt } else { 0.0 };
                rested = rested.min(*rest_time);
            }
            if rested >= sleeping.after && may_sleep(island, bodies, states, constraints, forces, *time) {
                for &body in own {
                    sleep.together[body as usize] = Some(own[0]);
                    states[body as usize].velocity.fill(0.0);
                    staggers[body as usize] = Stagger::NONE;
                }
            }
        }
    }
}

/// Returns true if nothing is known to move the island by itself.
fn may_sleep(
    island: &Island,
    bodies: &[crate::body::Body],
    states: &[crate::body::State],
    constraints: &[Constraint],
    forces: &[Force],
    time: Real,
) -> bool {
    let pending = |start: Real, end: Real| start > time || (end > time && end.is_finite());
    // The bodies beside its own that it rests on or hangs from.
    let moved = |id: BodyId| {
        !bodies[id.index()].is_dynamic()
            && (matches!(bodies[id.index()].kind, BodyKind::Kinematic(Some(_)))
                || states[id.index()].velocity.iter().any(|x| *x != 0.0))
    };
    let constraint = |&index: &u32| {
        let constraint = &constraints[index as usize];
        !pending(constraint.start, constraint.end) && !constraint.is_scripted() && !constraint.bodies().any(moved)
    };
    let force = |&index: &u32| {
        let force = &forces[index as usize];
        !pending(force.start, force.end)
            && !matches!(force.law, Law::Custom(_) | Law::Local { .. } | Law::Wind(_) | Law::Effort { .. })
    };
    // Bodies that hang or float are never quite at rest; bodies that rest on something are.
    island.touches.iter().any(|touch| touch.total[0] > 0.0)
        && island.constraints.iter().all(constraint)
        && island.forces.iter().all(force)
        && !island.touches.iter().any(|touch| touch.total[0] > 0.0 && touch.bodies.into_iter().any(moved))
}

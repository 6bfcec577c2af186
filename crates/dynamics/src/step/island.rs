//! An island: bodies that touch or hold each other, and everything needed to step them alone.
//!
//! While an island steps it works on copies of its bodies' states, each in a *slot*: all bodies that nothing moves
//! first (they are the same in every island), then its own, both in the order of creation. Data that islands share is
//! in [`StepContext`]. The world's own states change only when all islands have come through.

use super::{StepReport, Workspace};
use crate::body::{Body, BodyId, Stagger, State};
use crate::collide::{Collider, CollisionEngine, Manifold};
use crate::constraint::Constraint;
use crate::contact_points::{ContactSettings, Touch, WarmStart};
use crate::force::{Force, ForceScope};
use crate::math::{Buffer, Mat3, Real, Vec3, Vec6};
use crate::world::{ActiveSolver, SolverKind};
use std::marker::PhantomData;

/// Data that all islands share while they step.
pub(crate) struct StepContext<'a> {
    pub bodies: &'a [Body],
    pub inverse_transverse_moment: &'a [Real],
    /// Distance from the centre of mass to the farthest point of each body's shapes, metres.
    pub bounding_radius: &'a [Real],
    /// Square of the fastest vibration of each body in the last step, 1/s²; see [`Workspace::tension`].
    pub tension: &'a [Real],
    pub inverse_inertia: &'a [Mat3],
    pub loads: &'a [Vec6],
    pub forces: &'a [Force],
    pub slots: &'a [u32],
    pub constraints: Exclusive<'a, Constraint>,
    pub manifolds: &'a [Manifold],
    pub colliders: &'a [(BodyId, Collider)],
    pub engine: &'a dyn CollisionEngine,
    pub warm: &'a [WarmStart],
    pub contact: &'a ContactSettings,
    pub gravity: Vec3,
    /// The time at the start of the step.
    pub start: Real,
}

/// A slice that several islands write to, each at places of its own.
pub(crate) struct Exclusive<'a, T> {
    first: *mut T,
    count: usize,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: places are handed out by `get`, whose callers promise not to share one.
#[allow(unsafe_code)]
unsafe impl<T: Send> Sync for Exclusive<'_, T> {}

impl<'a, T> Exclusive<'a, T> {
    pub fn new(slice: &'a mut [T]) -> Self {
        Self { first: slice.as_mut_ptr(), count: slice.len(), owner: PhantomData }
    }

    /// # Safety
    /// No other reference to the same place may exist at the same time.
    #[inline(always)]
    #[allow(unsafe_code)]
    #[expect(clippy::mut_from_ref, reason = "that the places differ is the caller's promise")]
    pub unsafe fn get(&self, index: usize) -> &mut T {
        assert!(index < self.count);
        // SAFETY: within the slice, which is borrowed for 'a; that no other reference exists is the caller's promise.
        unsafe { &mut *self.first.add(index) }
    }
}

/// Bodies that step together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    /// The world's numbers of its bodies, by slot.
    pub members: Vec<u32>,
    /// Number of members that forces do not move.
    pub fixed: usize,
    /// Constraints whose rows stay from step to step, then those whose rows come and go, each in the order of creation.
    pub constraints: Vec<u32>,
    pub persistent_constraints: usize,
    pub forces: Vec<u32>,
    /// True if it has bodies; else it waits to be reused.
    pub in_use: bool,
    pub awake: bool,
    /// Numbers of its manifolds of this step, ascending.
    pub manifolds: Vec<u32>,
    /// States by slot.
    pub states: Vec<State>,
    /// Times that the velocities of the states belong to, by slot.
    pub staggers: Vec<Stagger>,
    pub movable: Vec<bool>,
    pub touches: Vec<Touch>,
    /// Manifolds that were found anew within the step, if they were; the points are theirs then.
    pub fresh: Vec<Manifold>,
    pub refreshed: bool,
    /// Points before they were found anew, and those among them that carried something and are no more.
    pub earlier: Vec<Touch>,
    pub spent: Vec<Touch>,
    /// Time over which the impulses of the last step acted, seconds.
    pub covered: Real,
    /// Time it has reached within the step, seconds.
    pub time: Real,
    pub report: StepReport,
    pub workspace: Workspace,
    pub solver: ActiveSolver,
}

impl Island {
    pub fn new(kind: SolverKind) -> Self {
        Self { awake: true, solver: ActiveSolver::new(kind), ..Self::default() }
    }

    /// The bodies that forces move, as the world numbers them.
    pub fn own(&self) -> &[u32] {
        &self.members[self.fixed..]
    }

    /// Copies the states in.
    pub fn gather(&mut self, states: &[State], staggers: &[Stagger], time: Real) {
        self.time = time;
        self.states.assign(self.members.iter().map(|&body| states[body as usize]));
        self.staggers.assign(self.members.iter().map(|&body| staggers[body as usize]));
    }

    /// Returns true if only gravity, loads and contact act on its bodies.
    #[inline(always)]
    pub fn flies(&self) -> bool {
        self.constraints.is_empty() && self.forces.is_empty()
    }

    /// Takes the velocities of bodies in flight back to the middle of the last substep. Others go on from those that are read.
    #[inline(always)]
    pub fn stagger(&mut self) {
        let flies = self.flies();
        for (state, stagger) in self.states.iter_mut().zip(&mut self.staggers).skip(self.fixed) {
            if flies {
                state.velocity -= stagger.lead;
            } else {
                stagger.lead = Vec6::zeros();
            }
        }
    }

    /// Lets gravity act for the whole substep of length `h` where constraints or force laws act: their impulses are those of the
    /// whole substep, too.
    #[inline(always)]
    pub fn equalise_lags(&mut self, h: Real) {
        if !self.flies() {
            self.staggers[self.fixed..].iter_mut().for_each(|stagger| stagger.lag = 0.5 * h);
        }
    }

    /// Time over which the impulses of a substep of length `h` act, seconds: from the middle of the last substep, if its
    /// bodies took part in one, to the middle of this one.
    #[inline(always)]
    pub fn impulse_time(&self, h: Real) -> Real {
        0.5 * h + self.longest_lag()
    }

    /// Longest time from the velocity to the position of any of its bodies, seconds.
    #[inline(always)]
    pub fn longest_lag(&self) -> Real {
        self.staggers[self.fixed..].iter().map(|stagger| stagger.lag).fold(0.0, Real::max)
    }

    /// Returns a constraint of the island. Only the island that owns it may call this, for one constraint at a time.
    #[inline(always)]
    #[allow(unsafe_code)]
    #[expect(clippy::mut_from_ref, reason = "islands share no constraint")]
    pub fn constraint<'a>(context: &'a StepContext<'_>, index: u32) -> &'a mut Constraint {
        // SAFETY: every constraint is in one island only, and an island is stepped by one thread, which keeps no
        // reference to one constraint while it looks at the next.
        unsafe { context.constraints.get(index as usize) }
    }

    /// Number of manifolds that the points belong to, in their order.
    pub fn manifold_count(&self) -> usize {
        if self.refreshed { self.fresh.len() } else { self.manifolds.len() }
    }

    pub fn force_scope<'a>(&'a self, context: &StepContext<'a>, time: Real, lookahead: Real) -> ForceScope<'a> {
        ForceScope {
            time,
            lookahead,
            bodies: context.bodies,
            inverse_inertia: context.inverse_inertia,
            members: &self.members,
            slots: context.slots,
            states: &self.states,
        }
    }
}

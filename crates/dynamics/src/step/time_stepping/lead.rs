//! Velocities as they are read after a step.
//!
//! A velocity belongs to the middle of its substep. In flight, the way from there to the end, where the position is, is half a substep
//! of gravity. This lead is for readers alone: the next step begins without it. Bodies that press on each other get none, because
//! contact may begin and end at any time; nor do bodies with constraints and force laws, which go on from the velocity that is read.

use crate::math::{Buffer, Real, Vec6};
use crate::step::island::{Island, StepContext};

/// Notes the leads of a substep of length `h` that is about to be committed.
#[inline(always)]
pub(super) fn note(island: &mut Island, context: &StepContext<'_>, h: Real) {
    if !island.flies() {
        return;
    }
    let g = context.gravity * (0.5 * h);
    let fall = Vec6::new(g.x, g.y, g.z, 0.0, 0.0, 0.0);
    let presses = &island.workspace.free.presses;
    for (stagger, presses) in island.staggers.iter_mut().zip(presses).skip(island.fixed) {
        stagger.lead = if *presses { Vec6::zeros() } else { fall };
    }
}

/// Notes the bodies that press on another one: those at points with a force that do not bounce.
pub(super) fn note_pressing(island: &mut Island) {
    if !island.flies() {
        return;
    }
    let presses = &mut island.workspace.free.presses;
    presses.reset(island.states.len(), false);
    for touch in island.touches.iter().filter(|t| t.acting && t.impulse[0] != 0.0 && t.rebound.is_none()) {
        touch.slots.into_iter().for_each(|slot| presses[slot as usize] = true);
    }
}

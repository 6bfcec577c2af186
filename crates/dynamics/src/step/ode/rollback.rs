//! Steps that would run bodies into each other: taken back, halved until the bodies touch, or given up.
//!
//! The last resort is the *critical stop*: where even the shortest step sinks deeper than the limit (a body between the
//! jaws of a vice), the bodies involved lose their velocities and stand still for the step, as if fixed. Bodies that follow
//! a script cannot be stopped.

use super::strict::{Known, Spot, Strict, Touching};
use super::{Memory, Ode};
use crate::math::{Real, Vec6};
use crate::step::StepReport;
use crate::world::World;

/// A step that was cut this often at contacts only creeps on, as between the jaws of a vice.
pub(super) const MOST_CUTS: usize = 60;

/// An inner step: where it starts is in the memory.
#[derive(Clone, Copy)]
pub(super) struct Tried {
    pub when: Real,
    pub h: Real,
}

impl Ode {
    /// After an inner step from `memory.start`: if it ran bodies into each other, takes it again, shorter, so that it ends
    /// where they touch. Returns the length taken.
    pub(super) fn stop_at_contacts(
        &self,
        world: &mut World,
        memory: &mut Memory,
        strict: &Strict,
        tried: Tried,
        report: &mut StepReport,
    ) -> Real {
        if let Some(taken) = self.cut_short(world, memory, strict, tried, report) {
            return taken;
        }
        let movable = world.bodies.movable.clone();
        report.critical_stops += 1;
        let taken = loop {
            if !hold_sinking(world, memory, strict) {
                // Only scripted bodies still move.
                self.run_again(world, memory, tried.when, tried.h, report);
                break tried.h;
            }
            self.run_again(world, memory, tried.when, tried.h, report);
            if let Some(taken) = self.cut_short(world, memory, strict, tried, report) {
                break taken;
            }
        };
        world.bodies.movable = movable;
        memory.restart = true;
        taken
    }

    /// Stops all touching bodies for the rest of the time, for steps that only creep on.
    pub(super) fn hold_and_go_on(&self, world: &mut World, memory: &mut Memory, tried: Tried, report: &mut StepReport) {
        let movable = world.bodies.movable.clone();
        report.critical_stops += 1;
        for spot in &memory.touching.spots {
            for index in spot.bodies.map(|id| id.index()) {
                memory.start[index].velocity = Vec6::zeros();
                world.bodies.movable[index] = false;
            }
        }
        self.run_again(world, memory, tried.when, tried.h, report);
        world.bodies.movable = movable;
        memory.restart = true;
    }

    /// Bisects the step. Returns `None` if even the shortest step sinks too deep; the points of that step are then in the memory.
    fn cut_short(
        &self,
        world: &mut World,
        memory: &mut Memory,
        strict: &Strict,
        Tried { when, h }: Tried,
        report: &mut StepReport,
    ) -> Option<Real> {
        let (mut before, mut after) = (0.0, h);
        if deepest(world, memory, strict) <= strict.tolerance {
            return Some(h);
        }
        if self.is_hopeless(world, memory, strict, when, report) {
            return None;
        }
        while after - before > strict.min_step {
            let middle = 0.5 * (before + after);
            self.run_again(world, memory, when, middle, report);
            let excess = deepest(world, memory, strict);
            if excess > strict.tolerance {
                after = middle;
            } else if excess >= -strict.tolerance && middle >= strict.min_step {
                return Some(middle);
            } else {
                before = middle;
            }
        }
        // Too fast to be caught at the surface: a little inside will do.
        self.run_again(world, memory, when, after, report);
        deepest(world, memory, strict);
        if memory.touching.spots.iter().all(|spot| !sinks(strict, &memory.touching.known, spot)) {
            return Some(after);
        }
        if before >= strict.min_step {
            self.run_again(world, memory, when, before, report);
            return Some(before);
        }
        None
    }

    /// Returns true if a step sinks below the limit however short it is.
    fn is_hopeless(
        &self,
        world: &mut World,
        memory: &mut Memory,
        strict: &Strict,
        when: Real,
        report: &mut StepReport,
    ) -> bool {
        let any = |memory: &Memory| {
            let Touching { spots, known, .. } = &memory.touching;
            spots.iter().any(|spot| sinks(strict, known, spot))
        };
        if !any(memory) {
            return false;
        }
        self.run_again(world, memory, when, strict.min_step, report);
        deepest(world, memory, strict);
        any(memory)
    }

    fn run_again(&self, world: &mut World, memory: &mut Memory, when: Real, h: Real, report: &mut StepReport) {
        world.bodies.states.copy_from_slice(&memory.start);
        let time = world.time;
        self.run_from(world, memory, when, time, h, report);
        report.rollbacks += 1;
    }
}

/// Returns the depth of the deepest point below its floor.
fn deepest(world: &mut World, memory: &mut Memory, strict: &Strict) -> Real {
    strict.find_spots(world, &mut memory.touching.spots);
    let below = |spot| strict.excess(&memory.touching.known, spot);
    memory.touching.spots.iter().map(below).fold(Real::NEG_INFINITY, Real::max)
}

/// Returns true if a point went beyond the limit, and beyond its start.
fn sinks(strict: &Strict, known: &[Known], spot: &Spot) -> bool {
    spot.gap < -strict.depth_limit && strict.excess(known, spot) > strict.tolerance
}

/// Holds the bodies that sink where the step started, without velocity. Returns false if all were held before.
fn hold_sinking(world: &mut World, memory: &mut Memory, strict: &Strict) -> bool {
    let mut any = false;
    let Memory { touching, start, .. } = memory;
    for spot in touching.spots.iter().filter(|spot| sinks(strict, &touching.known, spot)) {
        for index in spot.bodies.map(|id| id.index()) {
            let state = &mut start[index];
            let moving = state.velocity != Vec6::zeros();
            any |= world.bodies.movable[index] || (moving && !world.bodies.list[index].follows_script());
            world.bodies.movable[index] = false;
            state.velocity = Vec6::zeros();
        }
    }
    any
}

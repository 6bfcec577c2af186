//! Steps that would run bodies into each other: taken back, halved until the bodies touch, or given up.
//!
//! The last resort is the *critical stop*: where even the shortest step sinks deeper than the limit (a body between the
//! jaws of a vice), the bodies involved lose their velocities and stand still for the step, as if fixed. Bodies that follow
//! a script cannot be stopped.

use super::strict::{Known, Spot, Strict, Touching};
use super::{Integration, Memory};
use crate::math::{Real, Vec6};

/// A step that was cut this often at contacts only creeps on, as between the jaws of a vice.
pub(super) const MOST_CUTS: usize = 60;

impl Integration<'_> {
    /// After an inner step from `memory.start`: if it ran bodies into each other, takes it again, shorter, so that it ends
    /// where they touch. Returns the length taken.
    pub(super) fn stop_at_contacts(&mut self, strict: &Strict, when: Real, h: Real) -> Real {
        if let Some(taken) = self.cut_short(strict, when, h) {
            return taken;
        }
        let movable = self.world.bodies.movable.clone();
        self.report.critical_stops += 1;
        let taken = loop {
            if !self.hold_sinking(strict) {
                // Only scripted bodies still move.
                self.run_again(when, h);
                break h;
            }
            self.run_again(when, h);
            if let Some(taken) = self.cut_short(strict, when, h) {
                break taken;
            }
        };
        self.world.bodies.movable = movable;
        self.memory.restart = true;
        taken
    }

    /// Stops all touching bodies for the rest of the time, for steps that only creep on.
    pub(super) fn hold_and_go_on(&mut self, when: Real, h: Real) {
        let movable = self.world.bodies.movable.clone();
        self.report.critical_stops += 1;
        for spot in &self.memory.touching.spots {
            for index in spot.bodies.map(|id| id.index()) {
                self.memory.start[index].velocity = Vec6::zeros();
                self.world.bodies.movable[index] = false;
            }
        }
        self.run_again(when, h);
        self.world.bodies.movable = movable;
        self.memory.restart = true;
    }

    /// Bisects the step. Returns `None` if even the shortest step sinks too deep; the points of that step are then in the memory.
    fn cut_short(&mut self, strict: &Strict, when: Real, h: Real) -> Option<Real> {
        let (mut before, mut after) = (0.0, h);
        if self.deepest(strict) <= strict.tolerance {
            return Some(h);
        }
        if self.is_hopeless(strict, when) {
            return None;
        }
        while after - before > strict.min_step {
            let middle = 0.5 * (before + after);
            self.run_again(when, middle);
            let excess = self.deepest(strict);
            if excess > strict.tolerance {
                after = middle;
            } else if excess >= -strict.tolerance && middle >= strict.min_step {
                return Some(middle);
            } else {
                before = middle;
            }
        }
        // Too fast to be caught at the surface: a little inside will do.
        self.run_again(when, after);
        self.deepest(strict);
        if !self.any_sinks(strict) {
            return Some(after);
        }
        if before >= strict.min_step {
            self.run_again(when, before);
            return Some(before);
        }
        None
    }

    /// Returns true if a step sinks below the limit however short it is.
    fn is_hopeless(&mut self, strict: &Strict, when: Real) -> bool {
        if !self.any_sinks(strict) {
            return false;
        }
        self.run_again(when, strict.min_step);
        self.deepest(strict);
        self.any_sinks(strict)
    }

    fn run_again(&mut self, when: Real, h: Real) {
        self.world.bodies.states.copy_from_slice(&self.memory.start);
        self.run_from(when, self.world.time, h);
        self.report.rollbacks += 1;
    }

    /// Finds the points of contact and returns the depth of the deepest below its floor.
    fn deepest(&mut self, strict: &Strict) -> Real {
        let Touching { spots, known, .. } = &mut self.memory.touching;
        strict.find_spots(self.world, spots);
        spots.iter().map(|spot| strict.excess(known, spot)).fold(Real::NEG_INFINITY, Real::max)
    }

    fn any_sinks(&self, strict: &Strict) -> bool {
        let Touching { spots, known, .. } = &self.memory.touching;
        spots.iter().any(|spot| sinks(strict, known, spot))
    }

    /// Holds the bodies that sink where the step started, without velocity. Returns false if all were held before.
    fn hold_sinking(&mut self, strict: &Strict) -> bool {
        let mut any = false;
        let (Memory { touching, start, .. }, bodies) = (&mut self.memory, &mut self.world.bodies);
        for spot in touching.spots.iter().filter(|spot| sinks(strict, &touching.known, spot)) {
            for index in spot.bodies.map(|id| id.index()) {
                let state = &mut start[index];
                let moving = state.velocity != Vec6::zeros();
                any |= bodies.movable[index] || (moving && !bodies.list[index].follows_script());
                bodies.movable[index] = false;
                state.velocity = Vec6::zeros();
            }
        }
        any
    }
}

/// Returns true if a point went beyond the limit, and beyond its start.
fn sinks(strict: &Strict, known: &[Known], spot: &Spot) -> bool {
    spot.gap < -strict.depth_limit && strict.excess(known, spot) > strict.tolerance
}

//! A live item: its world now, what was done to it, and the way back.
//!
//! A run is its inputs. Every wish is written down with the number of the step before which it came, and the world is kept
//! whole every so many steps. To go back, the last world kept before that moment is put back and stepped again with the same
//! wishes, which gives the same bits. Going on from there repeats what was done, until something new is done: then the old
//! future is forgotten.
//!
//! ```text
//!   steps   0 ───── s ───── 2s ──────────── n (now) ─ ─ ─ furthest
//!   kept    ●       ●       ●
//!   log        ▲ push    ▲ grab  ▲ drag …
//! ```
//!
//! At most [`KEPT`] worlds are kept; when there are more, every second one goes and the way between them doubles.

mod hand;
mod play;
mod settings;

pub(crate) use play::Play;

use super::Action;
use crate::dynamics::{Placement, World};
use crate::math::{GRAVITY, Real};
use crate::scene::SceneRun;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The most worlds that are kept.
const KEPT: usize = 48;
/// Steps between two of them at first.
const SPACING: u64 = 32;
/// While going back step by step, so many steps before the wanted one are kept as well.
const TRAIL: u64 = 24;

/// Measurements of one step: the curves under the timeline of a live item.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StepMetrics {
    /// Error of the joint controllers, radians.
    pub control_error: f32,
    /// Assistance at the root, body weights.
    pub assistance: f32,
    /// Vertical force of contacts on figures, body weights.
    pub contact: f32,
    /// Deepest contact of the world, metres.
    pub depth: f32,
    /// Widest gap of a joint of a figure, metres.
    pub gap: f32,
}

/// A world that runs interactively, with its history.
pub(crate) struct Live {
    now: Play,
    steps: u64,
    /// Time of the workspace at step 0.
    pub began: Real,
    /// Snapshots with their step numbers, ascending; the first is the start.
    kept: Vec<(u64, Play)>,
    spacing: u64,
    /// Snapshots taken on the way to an earlier step.
    trail: Vec<(u64, Play)>,
    /// Actions, each with the number of steps before it.
    log: Vec<(u64, Action)>,
    /// Number of logged actions that are applied.
    applied: usize,
    metrics: Vec<StepMetrics>,
    /// Recent placements of the segments of figures, with step numbers, for onion skins.
    past: VecDeque<(u64, Vec<Placement>)>,
    /// Smoothed cost of a step, seconds.
    cost: Real,
    pub failure: Option<String>,
}

impl Live {
    pub fn new(scene: SceneRun, began: Real) -> Self {
        let mut now = Play::new(scene);
        let kept = vec![(0, now.snapshot())];
        Self {
            now,
            steps: 0,
            began,
            kept,
            spacing: SPACING,
            trail: Vec::new(),
            log: Vec::new(),
            applied: 0,
            metrics: Vec::new(),
            past: VecDeque::new(),
            cost: 0.0,
            failure: None,
        }
    }

    pub fn play(&self) -> &Play {
        &self.now
    }

    pub fn world(&self) -> &World {
        self.now.scene.world()
    }

    /// Steps from the start to now.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn step_length(&self) -> Real {
        self.now.scene.step_length()
    }

    /// Time of the workspace, seconds.
    pub fn time(&self) -> Real {
        self.time_of(self.steps)
    }

    pub fn time_of(&self, steps: u64) -> Real {
        self.began + steps as Real * self.step_length()
    }

    /// Steps whose time has come at a time of the workspace.
    pub fn steps_at(&self, time: Real) -> u64 {
        ((time - self.began) / self.step_length() + 1e-6).floor().max(0.0) as u64
    }

    /// Measurements of every step so far, including steps that were undone.
    pub fn metrics(&self) -> &[StepMetrics] {
        &self.metrics
    }

    /// Seconds that a step takes, smoothed.
    pub fn cost(&self) -> Real {
        self.cost
    }

    /// Does one thing; the future that was known is no more.
    pub fn act(&mut self, action: Action) -> Result<(), String> {
        self.now.act(&action)?;
        self.log.truncate(self.applied);
        self.log.push((self.steps, action));
        self.applied += 1;
        let steps = self.steps;
        self.kept.retain(|(at, _)| *at <= steps);
        // A world kept at this very step does not know of it yet; the log does.
        self.trail.retain(|(at, _)| *at < steps);
        self.metrics.truncate(steps as usize);
        self.failure = None;
        Ok(())
    }

    /// Steps on or goes back until so many steps are taken, or the time is up.
    pub fn go_to(&mut self, steps: u64, deadline: Option<Instant>) {
        // A recording has to see every step, so only a run without one leaps over what is known already.
        let leaps = self.now.scene.run.recorder().is_none();
        let ahead = self.kept.iter().any(|(at, _)| *at > self.steps && *at <= steps);
        if steps < self.steps || (leaps && ahead) {
            self.jump(steps);
        }
        while self.steps < steps && self.failure.is_none() {
            // At least one, however busy the computer is.
            self.step();
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
        }
    }

    fn step(&mut self) {
        let begun = Instant::now();
        if let Err(why) = self.now.step() {
            self.failure = Some(why);
            return;
        }
        self.smooth(begun.elapsed());
        self.steps += 1;
        self.remember();
        if self.metrics.len() < self.steps as usize {
            self.metrics.push(self.measure_step());
        }
        if self.steps.is_multiple_of(self.spacing) && self.kept.last().is_none_or(|(at, _)| *at < self.steps) {
            self.kept.push((self.steps, self.now.snapshot()));
            if self.kept.len() > KEPT {
                self.spacing *= 2;
                let spacing = self.spacing;
                self.kept.retain(|(at, _)| at.is_multiple_of(spacing));
            }
        }
        self.repeat();
    }

    /// Recent placements of the segments of all figures, with step numbers.
    pub fn past(&self) -> impl Iterator<Item = (u64, &[Placement])> {
        self.past.iter().filter(|(at, _)| *at < self.steps).map(|(at, places)| (*at, places.as_slice()))
    }

    fn remember(&mut self) {
        let (apart, count) = super::item::ONION;
        let every = ((apart / self.step_length()).round() as u64).max(1);
        if !self.steps.is_multiple_of(every) {
            return;
        }
        // The oldest list is written over.
        let mut places = if self.past.len() > count { self.past.pop_front().map(|(_, old)| old) } else { None };
        let places_now = places.get_or_insert_default();
        places_now.clear();
        let world = self.now.scene.world();
        for actor in self.now.actors() {
            places_now.extend(actor.instance().bodies.iter().map(|&body| world.state(body).placement));
        }
        let places = places.unwrap_or_default();
        self.past.push_back((self.steps, places));
    }

    /// Does again what was done at this step.
    fn repeat(&mut self) {
        while let Some((_, action)) = self.log.get(self.applied).filter(|(at, _)| *at <= self.steps) {
            // It could be done once, so it can again.
            let _ = self.now.act(action);
            self.applied += 1;
        }
    }

    /// Goes on from the nearest world kept before a step, whether that is ahead or behind.
    fn jump(&mut self, steps: u64) {
        self.failure = None;
        let last = |list: &[(u64, Play)]| list.iter().rposition(|(at, _)| *at <= steps);
        let (regular, passing) = (last(&self.kept), last(&self.trail));
        let from = match (regular, passing) {
            (Some(a), Some(b)) if self.trail[b].0 > self.kept[a].0 => &self.trail[b],
            (Some(a), _) => &self.kept[a],
            (None, Some(b)) => &self.trail[b],
            // The start is always kept.
            (None, None) => return,
        };
        self.steps = from.0;
        self.now.restore(&from.1);
        self.applied = self.log.partition_point(|(at, _)| *at < self.steps);
        self.trail.retain(|(at, _)| *at <= steps);
        let start = self.steps;
        self.past.retain(|(at, _)| *at <= start);
        self.repeat();
        while self.steps < steps && self.failure.is_none() {
            self.step();
            let near = self.steps + TRAIL > steps && self.steps < steps;
            if near && !self.trail.iter().any(|(at, _)| *at == self.steps) {
                // Before what was done at this step; it is done again from the log.
                self.keep_passing();
            }
        }
    }

    fn keep_passing(&mut self) {
        if self.log.iter().any(|(at, _)| *at == self.steps) {
            return;
        }
        self.trail.push((self.steps, self.now.snapshot()));
        self.trail.sort_by_key(|(at, _)| *at);
        let extra = self.trail.len().saturating_sub(TRAIL as usize);
        self.trail.drain(..extra);
    }

    /// Returns to the start and forgets all actions.
    pub fn reset(&mut self) {
        self.log.clear();
        self.applied = 0;
        self.trail.clear();
        self.kept.truncate(1);
        self.spacing = SPACING;
        self.metrics.clear();
        self.jump(0);
        self.steps = 0;
    }

    fn smooth(&mut self, spent: Duration) {
        let spent = spent.as_secs_f64();
        self.cost = if self.cost == 0.0 { spent } else { self.cost + 0.05 * (spent - self.cost) };
    }

    fn measure_step(&self) -> StepMetrics {
        let world = self.world();
        let mut metrics = StepMetrics::default();
        let mut lift = 0.0;
        let mut weight = 0.0;
        for actor in self.now.actors() {
            // Its weight on Earth, wherever a person has taken it.
            let own = actor.figure().mass() * GRAVITY;
            weight += own;
            metrics.control_error = metrics.control_error.max(actor.control_error(world) as f32);
            let help = actor.residual(world).fixed_rows::<3>(0).norm() / own;
            metrics.assistance = metrics.assistance.max(help as f32);
            metrics.gap = metrics.gap.max(actor.worst_gap(world) as f32);
            lift += crate::simulation::lift(world, actor);
        }
        metrics.contact = if weight > 0.0 { (lift / weight) as f32 } else { 0.0 };
        metrics.depth = world.contacts().iter().map(|contact| -contact.distance).fold(0.0, Real::max) as f32;
        metrics
    }

    /// Everything from the start to now once more, with the same wishes; `look` is shown the start and every step.
    pub fn replay(&self, mut look: impl FnMut(&Play)) -> Result<(), String> {
        let Some((_, start)) = self.kept.first() else { return Ok(()) };
        let mut play = start.clone();
        let mut done = 0;
        look(&play);
        for step in 0..=self.steps {
            while let Some((_, action)) = self.log.get(done).filter(|(at, _)| *at <= step && done < self.applied) {
                let _ = play.act(action);
                done += 1;
            }
            if step < self.steps {
                play.step()?;
                look(&play);
            }
        }
        Ok(())
    }
}

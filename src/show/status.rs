//! Status of the workspace, for the status line of the window.

use super::Workspace;
use super::item::Content;
use crate::math::{Real, Vec3};

/// Origin of drawn forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForceSource {
    /// No forces to draw.
    #[default]
    None,
    /// Estimated from the poses of a clip: the best distribution that the ground can give (see `docs/measures.md`).
    Estimated,
    /// Measured in a simulation, or recorded by one.
    Measured,
}

/// Status of the workspace now. Physical quantities are the worst of all items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Time from the first frame, seconds.
    pub time: Real,
    /// End of the timeline, seconds.
    pub duration: Real,
    /// Frame rate for frame numbers, Hz.
    pub frame_rate: Real,
    /// True while the clock runs.
    pub playing: bool,
    /// True if physics is on.
    pub live: bool,
    /// Requested speed, seconds of the workspace per second of real time.
    pub speed: Real,
    /// True if playback repeats.
    pub looping: bool,
    /// Seconds simulated per second of computing, smoothed; 0 without simulation.
    pub time_factor: Real,
    /// Cost of one step of all worlds, µs, smoothed.
    pub step_cost: Real,
    /// Largest distance between the two ends of a joint, metres.
    pub worst_gap: Real,
    /// Deepest overlap of two bodies that touch, metres.
    pub depth: Real,
    /// Largest angle between a tracking joint and its target, radians.
    pub control_error: Real,
    /// Force by which the world assists the root, in body weights.
    pub assistance: Real,
    /// Origin of drawn forces.
    pub forces: ForceSource,
    /// True while the mouse holds a segment.
    pub holding: bool,
    /// Gravity of the first world, m/s².
    pub gravity: Vec3,
    /// Friction coefficient as set, or else of the first collider of the first world.
    pub friction: Real,
    /// Substeps per step of the first world.
    pub substeps: u32,
    /// Wind, m/s.
    pub wind: Vec3,
    /// Error that stopped a simulation, if any.
    pub failure: Option<String>,
}

impl Workspace {
    /// Returns the current status.
    pub fn status(&self) -> Status {
        let mut status = Status {
            time: self.clock.time,
            duration: self.duration(),
            frame_rate: self.frame_rate(),
            playing: self.clock.playing,
            live: self.live,
            speed: self.clock.speed,
            looping: self.clock.looping,
            holding: self.held.is_some(),
            ..Status::default()
        };
        for item in &self.items {
            let source = match &item.content {
                Content::Recorded(recorded) if recorded.has_forces() => ForceSource::Measured,
                Content::Character(_) if item.analysis.curves().is_some() => ForceSource::Estimated,
                _ => ForceSource::None,
            };
            status.forces = status.forces.max(source);
        }
        let mut first = true;
        for (item, live) in self.items.iter().filter_map(|item| Some((item, item.live.as_ref()?))) {
            let metrics = live.steps().checked_sub(1).and_then(|step| live.metrics().get(step as usize));
            let metrics = metrics.copied().unwrap_or_default();
            status.control_error = status.control_error.max(metrics.control_error.into());
            status.assistance = status.assistance.max(metrics.assistance.into());
            status.depth = status.depth.max(metrics.depth.into());
            status.worst_gap = status.worst_gap.max(metrics.gap.into());
            status.step_cost += 1e6 * live.cost();
            let factor = if live.cost() > 0.0 { live.step_length() / live.cost() } else { 0.0 };
            status.time_factor = if first { factor } else { 1.0 / (1.0 / status.time_factor + 1.0 / factor) };
            status.forces = ForceSource::Measured;
            if let Some(failure) = &live.failure {
                status.failure.get_or_insert(format!("{}: {failure}", item.name));
            }
            if first {
                let (world, settings) = (live.world(), &live.play().settings);
                status.gravity = world.gravity;
                status.wind = settings.wind;
                status.substeps = settings.substeps;
                let rubs = world.colliders().next().map(|(_, _, collider)| collider.material.friction);
                status.friction = settings.friction.or(rubs).unwrap_or(0.0);
            }
            first = false;
        }
        status
    }
}

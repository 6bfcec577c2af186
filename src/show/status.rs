//! How things stand, for the line at the edge of the window.

use crate::math::{Real, Vec3};

/// Where drawn forces come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForceSource {
    /// There are none to draw.
    #[default]
    None,
    /// Worked out from the poses of a clip: the best that the ground can give (see `docs/measures.md`).
    Estimated,
    /// Read out of a simulation, or recorded by one.
    Measured,
}

/// How things stand now. Physical numbers are the worst of all exhibits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Seconds from the first frame.
    pub time: Real,
    /// Where the timeline ends, seconds.
    pub duration: Real,
    /// Frames per second, for frame numbers.
    pub frame_rate: Real,
    pub playing: bool,
    /// Physics is on.
    pub live: bool,
    /// Seconds of the show per second of real time, as wished.
    pub speed: Real,
    pub looping: bool,
    /// Seconds simulated per second of computing, smoothed; 0 where nothing is simulated.
    pub time_factor: Real,
    /// What one step of all worlds costs, µs, smoothed.
    pub step_cost: Real,
    /// Largest distance between the two ends of a joint, metres.
    pub worst_gap: Real,
    /// Deepest overlap of two bodies that touch, metres.
    pub depth: Real,
    /// Largest angle between a joint that should follow and its target, radians.
    pub control_error: Real,
    /// Force by which the world helps the root, in body weights.
    pub assistance: Real,
    /// Where drawn forces come from.
    pub forces: ForceSource,
    /// A segment is held by the mouse.
    pub holding: bool,
    /// As the first world has it now, m/s².
    pub gravity: Vec3,
    /// As set, or else as the first world began.
    pub friction: Real,
    pub substeps: u32,
    /// m/s.
    pub wind: Vec3,
    /// Why a simulation cannot go on, if it cannot.
    pub trouble: Option<String>,
}

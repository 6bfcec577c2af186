//! A person's wishes, as data: a list of them with their times is a session that can be repeated exactly.

use crate::math::{Real, Vec3};

/// The place where a segment is held by the mouse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Number of the exhibit in the show.
    pub exhibit: usize,
    /// Number of its body.
    pub body: usize,
    /// In the axes of the body.
    pub at: Vec3,
}

/// What can be asked of a show.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Play,
    Pause,
    /// One frame (playback) or one step (live) on.
    StepForward,
    /// One frame or step back: the state is the earlier one, bit for bit.
    StepBack,
    Seek(Real),
    Speed(Real),
    Loop(bool),
    /// Physics on or off.
    Live(bool),
    /// Back to the state at the start.
    Reset,
    /// A bounded spring pulls the grip to a place of the world.
    Grab {
        grip: Grip,
        to: Vec3,
    },
    Drag(Vec3),
    /// While held: turn the segment by this rotation vector in the world.
    Twist(Vec3),
    Release,
    /// A ball from here with this velocity.
    Throw {
        from: Vec3,
        velocity: Vec3,
        mass: Real,
        radius: Real,
    },
    /// A box let go here.
    Drop {
        at: Vec3,
        mass: Real,
        size: Real,
    },
    /// An impulse in N·s on the held or chosen body.
    Push {
        grip: Grip,
        impulse: Vec3,
    },
    RagDoll {
        exhibit: usize,
        limp: bool,
    },
    /// Share of the full muscle strength of a segment, or of all.
    Strength {
        exhibit: usize,
        segment: Option<usize>,
        share: Real,
    },
    Gravity(Vec3),
    Friction(Real),
    Substeps(u32),
    Wind(Vec3),
}

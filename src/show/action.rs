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
    /// To a time, seconds. With physics on, only what was simulated already can be gone to.
    Seek(Real),
    /// Seconds of the show per second of real time; negative plays clips backwards.
    Speed(Real),
    Loop(bool),
    /// Of a result and its source, the one that was a ghost is drawn, and the other way round.
    Swap,
    /// Physics on or off. It begins with the posture and the velocities that the clip has now; scenes always have it.
    Live(bool),
    /// Back to the state at the start, with nothing done.
    Reset,
    /// A bounded spring pulls the grip to a place of the picture: critically damped, with at most one and a half times the
    /// figure's weight along each axis. The joints between it and the trunk give way while it is held.
    Grab {
        grip: Grip,
        to: Vec3,
    },
    Drag(Vec3),
    /// While held: turn the wanted orientation of the segment on by this rotation vector in the world.
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
    /// An impulse in N·s at the grip.
    Push {
        grip: Grip,
        impulse: Vec3,
    },
    RagDoll {
        exhibit: usize,
        limp: bool,
    },
    /// Share of the full muscle strength of a segment (numbered as by [`super::Show::segments`]), or of all.
    Strength {
        exhibit: usize,
        segment: Option<usize>,
        share: Real,
    },
    /// m/s², of all running worlds.
    Gravity(Vec3),
    /// Coulomb's µ of all surfaces.
    Friction(Real),
    Substeps(u32),
    /// m/s, on all that moves.
    Wind(Vec3),
}

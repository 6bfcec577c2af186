//! Forces and fields.

use crate::scene::number::{Number, OneOrMany, Triple};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that pulls without holding. Which entries belong to which kind is told in `docs/scenes.md`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["kind"]))]
pub struct Force {
    pub name: Option<String>,
    pub repeat: Option<u32>,
    pub kind: ForceKind,
    /// The bodies it acts on, by name; * stands for any letters. All that forces move, unless told.
    pub on: Option<OneOrMany<String>>,
    /// The first body or point of a spring; without it the world.
    pub a: Option<String>,
    /// The second one.
    pub b: Option<String>,
    /// Where a push or support acts, the body's axes from its origin, metres.
    pub at: Option<Triple>,
    pub at_a: Option<Triple>,
    pub at_b: Option<Triple>,
    /// Acts from this time on, seconds.
    pub start: Option<Number>,
    /// Acts up to this time, seconds.
    pub end: Option<Number>,
    /// Switched off at first.
    pub off: Option<bool>,
    /// Metres; as it is at the start unless told.
    pub rest_length: Option<Number>,
    /// N/m or N·m/rad.
    pub stiffness: Option<Number>,
    /// N·s/m or N·m·s/rad.
    pub damping: Option<Number>,
    /// Share of a rubber's force while it closes.
    pub closing: Option<Number>,
    /// Speed over which that share comes in, m/s.
    pub smoothing: Option<Number>,
    /// Of a torsion spring: about this axis of the first body only.
    pub axis: Option<Triple>,
    /// Angle about the axis at which a torsion spring is at ease, radians, from how the bodies start.
    pub rest_angle: Option<Number>,
    /// Drag, N·s/m.
    pub linear: Option<Number>,
    /// Drag, N·s²/m².
    pub quadratic: Option<Number>,
    /// Drag against turning, N·m·s/rad.
    pub angular: Option<Number>,
    /// Damping that is alike for all bodies, 1/s.
    pub rate: Option<Number>,
    /// Of a field, m/s².
    pub acceleration: Option<Triple>,
    /// Of a push, N.
    pub force: Option<Triple>,
    /// Of a push, N·m.
    pub torque: Option<Triple>,
    /// Whether a push turns with its body; else it is in world axes.
    pub turns_with_body: Option<bool>,
    /// Level above which a support holds its point, metres.
    pub height: Option<Number>,
    /// Of the air everywhere, m/s.
    pub velocity: Option<Triple>,
    /// Where a blower is, metres.
    pub from: Option<Triple>,
    /// Where a blower points; a direction.
    pub towards: Option<Triple>,
    /// Speed of the air at a blower, m/s.
    pub strength: Option<Number>,
    /// How narrow its cone is: the strength falls with this power of the cosine; 4 unless told.
    pub narrowness: Option<Number>,
    /// Distance at which the strength has halved, metres; 1 unless told.
    pub reach: Option<Number>,
    /// A WAV file whose loudness, times the strength, is what the blower gives.
    pub blow: Option<String>,
    /// kg/m³; 1.2, that of air, unless told.
    pub density: Option<Number>,
    /// Drag coefficient; 1.2, that of a plate, unless told.
    pub drag_coefficient: Option<Number>,
    /// What a controller senses: a formula of readings.
    pub sense: Option<String>,
    /// What it should be.
    pub target: Option<Number>,
    /// N or N·m per unit of error.
    pub proportional: Option<Number>,
    /// …and second.
    pub integral: Option<Number>,
    /// …per unit and second.
    pub derivative: Option<Number>,
    /// Most it pushes with, N or N·m.
    pub limit: Option<Number>,
    /// A controller pushes along this axis of its body.
    pub along: Option<Triple>,
    /// …or turns the second body of this hinge against the first.
    pub about: Option<String>,
}

/// What a force is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForceKind {
    /// A spring and a damper between two points.
    #[default]
    Spring,
    /// A string that only pulls.
    Rubber,
    /// A spring and a damper against turning.
    Torsion,
    /// The medium slows bodies down.
    Drag,
    /// All motion dies out.
    Damping,
    /// An acceleration everywhere.
    Field,
    /// A force or torque.
    Push,
    /// A sprung, damped support that keeps a point above a level.
    Support,
    /// Air that varies: everywhere, and out of a blower.
    Wind,
    /// A PID controller from a reading to a push.
    Pid,
}

//! Forces and fields.

use crate::scene::number::{Number, OneOrMany, Triple};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Force or field. `docs/scenes.md` lists the keys of each kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["kind"]))]
pub struct Force {
    /// Name of one word; with `repeat` it contains {i}.
    pub name: Option<String>,
    /// Number of copies; i counts from 0.
    pub repeat: Option<u32>,
    /// Kind of the force.
    pub kind: ForceKind,
    /// Names of the bodies it acts on; * stands for any characters. All dynamic bodies by default.
    pub on: Option<OneOrMany<String>>,
    /// First body or point of a spring; the world by default.
    pub a: Option<String>,
    /// Second body or point.
    pub b: Option<String>,
    /// Point of a push or support from the body's origin, body axes, metres.
    pub at: Option<Triple>,
    /// Point on the first body from its origin, body axes, metres.
    pub at_a: Option<Triple>,
    /// Point on the second body from its origin, body axes, metres.
    pub at_b: Option<Triple>,
    /// Start of its action, seconds.
    pub start: Option<Number>,
    /// End of its action, seconds.
    pub end: Option<Number>,
    /// True if it is off at first.
    pub off: Option<bool>,
    /// Rest length, metres; as at the start by default.
    pub rest_length: Option<Number>,
    /// Stiffness, N/m or N·m/rad.
    pub stiffness: Option<Number>,
    /// Damping, N·s/m or N·m·s/rad.
    pub damping: Option<Number>,
    /// Share of a rubber's force while it contracts.
    pub closing: Option<Number>,
    /// Speed over which that share sets in, m/s.
    pub smoothing: Option<Number>,
    /// Axis of a torsion spring on the first body; all axes by default.
    pub axis: Option<Triple>,
    /// Rest angle of a torsion spring about its axis, radians, from the initial orientation.
    pub rest_angle: Option<Number>,
    /// Linear drag, N·s/m.
    pub linear: Option<Number>,
    /// Quadratic drag, N·s²/m².
    pub quadratic: Option<Number>,
    /// Angular drag, N·m·s/rad.
    pub angular: Option<Number>,
    /// Damping rate, equal for all bodies, 1/s.
    pub rate: Option<Number>,
    /// Acceleration of a field, m/s².
    pub acceleration: Option<Triple>,
    /// Force of a push, N.
    pub force: Option<Triple>,
    /// Torque of a push, N·m.
    pub torque: Option<Triple>,
    /// True if a push is in body axes; else in world axes.
    pub turns_with_body: Option<bool>,
    /// Height above which a support keeps its point, metres.
    pub height: Option<Number>,
    /// Velocity of the air everywhere, m/s.
    pub velocity: Option<Triple>,
    /// Position of a blower, metres.
    pub from: Option<Triple>,
    /// Direction of a blower.
    pub towards: Option<Triple>,
    /// Speed of the air at a blower, m/s.
    pub strength: Option<Number>,
    /// Narrowness of its cone: the strength falls with this power of the cosine; 4 by default.
    pub narrowness: Option<Number>,
    /// Distance at which the strength has halved, metres; 1 by default.
    pub reach: Option<Number>,
    /// WAV file whose loudness scales the strength.
    pub blow: Option<String>,
    /// Density of the air, kg/m³; 1.2 by default.
    pub density: Option<Number>,
    /// Drag coefficient; 1.2, that of a plate, by default.
    pub drag_coefficient: Option<Number>,
    /// Formula of readings that a controller senses.
    pub sense: Option<String>,
    /// Target value of the formula.
    pub target: Option<Number>,
    /// Proportional gain, N or N·m per unit of error.
    pub proportional: Option<Number>,
    /// Integral gain, N or N·m per unit of error and second.
    pub integral: Option<Number>,
    /// Derivative gain, N or N·m per unit of error per second.
    pub derivative: Option<Number>,
    /// Maximum output, N or N·m.
    pub limit: Option<Number>,
    /// Axis of the body along which a controller pushes.
    pub along: Option<Triple>,
    /// Hinge whose second body a controller turns against the first.
    pub about: Option<String>,
}

/// Kind of a force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForceKind {
    /// Spring and damper between two points.
    #[default]
    Spring,
    /// String that only pulls.
    Rubber,
    /// Spring and damper against rotation.
    Torsion,
    /// Drag of a medium.
    Drag,
    /// Damping of all motion.
    Damping,
    /// Acceleration everywhere.
    Field,
    /// Force or torque.
    Push,
    /// Spring and damper that keep a point above a height.
    Support,
    /// Wind: everywhere, or out of a blower.
    Wind,
    /// PID controller from a reading to a force.
    Pid,
}

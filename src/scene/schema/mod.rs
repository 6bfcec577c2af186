//! Tables of a scene file, one struct per table. Their documentation is that of the file format and becomes the
//! descriptions of the JSON Schema.
//!
//! Every number may be a [`Number`]: plain, a formula of time, a curve, or the loudness of a sound. SI units and radians, Y
//! up. Missing entries have defaults.

mod body;
mod event;
mod expect;
mod figure;
mod force;
mod joint;

pub use body::{Body, BodyKind, Ground, Point, Shape, ShapeKind, Turn};
pub use event::{Event, Push};
pub use expect::Expect;
pub use figure::{Controller, Figure, Hold, RootHold};
pub use force::{Force, ForceKind};
pub use joint::{Curve, CurveKind, Joint, JointKind, Surface, SurfaceKind};

use super::number::{Number, Triple};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Scene: objects, events, and expectations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// Title of one line.
    pub title: String,
    /// Scene files whose entries precede those of this one; paths are relative to this file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Constants for formulas.
    #[serde(rename = "let", skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, Number>,
    /// Gravity, steps, solver, duration.
    #[serde(skip_serializing_if = "is_default")]
    pub world: World,
    /// Ground; without this table there is none.
    pub ground: Option<Ground>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    /// Rigid bodies.
    pub body: Vec<Body>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    /// Named points.
    pub point: Vec<Point>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    /// Figures from captured files.
    pub figure: Vec<Figure>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    /// Joints and other constraints.
    pub joint: Vec<Joint>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    /// Forces and fields.
    pub force: Vec<Force>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    /// Events by time.
    pub event: Vec<Event>,
    /// Camera; without it the viewer chooses.
    pub camera: Option<Camera>,
    /// Expectations by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub expect: BTreeMap<String, Expect>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Settings of the world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct World {
    /// Gravity, m/s²; [0, -9.81, 0] by default.
    pub gravity: Option<Triple>,
    /// Duration, seconds; 5 by default.
    pub duration: Option<Number>,
    /// Length of a step, seconds; 1/240 by default.
    pub step: Option<Number>,
    /// Integrator.
    pub stepper: Option<Stepper>,
    /// Substeps of the default stepper.
    pub substeps: Option<u32>,
    /// Error tolerance of the acceleration-level steppers (metres, radians, m/s, rad/s), which adapt their step to it.
    pub tolerance: Option<Number>,
    /// Time constant by which the acceleration-level steppers remove joint drift, seconds; 0 lets joints drift.
    pub stabilisation: Option<Number>,
    /// Share of joint drift removed before each step by impulses of the acceleration-level steppers.
    pub velocity_level: Option<Number>,
    /// True if the acceleration-level steppers prevent overlaps by rolling back; otherwise they ignore contact.
    pub strict_contact: Option<bool>,
    /// Depth up to which overlaps are tolerated, metres; 0.1 mm by default.
    pub slop: Option<Number>,
    /// Solver for the constraint forces.
    pub solver: Option<Solver>,
    /// True if bodies at rest fall asleep.
    pub sleeping: Option<bool>,
    /// Tolerance within which the joints pull the bodies together before the run, metres or radians.
    pub assemble: Option<Number>,
    /// Frame rate of recordings, Hz; 60 by default.
    pub frame_rate: Option<Number>,
}

/// Integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stepper {
    /// Velocity level, fixed steps, contact.
    #[default]
    Default,
    /// Acceleration level, order 1.
    Euler,
    /// Acceleration level, order 2.
    Midpoint,
    /// Acceleration level, order 4.
    Rk4,
}

/// Solver for the constraint forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Solver {
    /// Exact, linear time for trees.
    #[default]
    Tree,
    /// Exact, cubic time; distributes redundant loads evenly.
    Dense,
    /// Iterative, for large piles.
    Iterative,
}

/// Camera of the scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Camera {
    /// Position of the eye, metres.
    pub at: Triple,
    /// Target point, metres, or the name of a body or figure to follow.
    pub look_at: LookAt,
    /// Vertical field of view, radians; 45° by default.
    pub field_of_view: Option<Number>,
}

/// Point or name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LookAt {
    /// Point, metres.
    Place(Triple),
    /// Name of a body or figure.
    Name(String),
}

impl Default for LookAt {
    fn default() -> Self {
        LookAt::Place(Triple::default())
    }
}

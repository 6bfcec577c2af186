//! The tables of a scene file, one struct per table. Their documentation is that of the file format; the JSON Schema is
//! made of them.
//!
//! Every number may be a [`Number`]: plain, a formula of time, a curve, or the loudness of a sound. SI units and radians,
//! Y up. What is left out has a default.

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

/// A scene: what there is, what holds it, what happens, and what is expected of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// One line that says what is to be seen.
    pub title: String,
    /// Other scene files whose entries come before those of this one; paths are beside this file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Names for numbers, to be used in formulas.
    #[serde(rename = "let", skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, Number>,
    /// Gravity, steps, solver, length of the run.
    #[serde(skip_serializing_if = "is_default")]
    pub world: World,
    /// What everything stands on; without this table there is no ground.
    pub ground: Option<Ground>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<Body>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub point: Vec<Point>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figure: Vec<Figure>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<Joint>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<Force>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub event: Vec<Event>,
    pub camera: Option<Camera>,
    /// What must hold, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub expect: BTreeMap<String, Expect>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How time goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct World {
    /// m/s²; [0, -9.81, 0] unless told.
    pub gravity: Option<Triple>,
    /// How long the scene runs, seconds; 5 unless told.
    pub duration: Option<Number>,
    /// Length of a step, seconds; 1/240 unless told.
    pub step: Option<Number>,
    pub stepper: Option<Stepper>,
    /// Inner steps of the default stepper per step.
    pub substeps: Option<u32>,
    /// The acceleration-level steppers take as many steps as keep their error below this (metres, radians, m/s, rad/s).
    pub tolerance: Option<Number>,
    /// Time constant in which the acceleration-level steppers take back what joints drift apart, seconds; 0 lets them drift.
    pub stabilisation: Option<Number>,
    /// The acceleration-level steppers make velocities right by impulses before each step, taking back this share of a drift.
    pub velocity_level: Option<Number>,
    /// The acceleration-level steppers keep bodies from overlapping, by rolling back; they ignore contact otherwise.
    pub strict_contact: Option<bool>,
    /// Overlaps up to this depth are left alone, metres; 0.1 mm unless told.
    pub slop: Option<Number>,
    pub solver: Option<Solver>,
    /// Whether what rests falls asleep.
    pub sleeping: Option<bool>,
    /// Lets the joints pull the bodies together before the run, within so many metres or radians.
    pub assemble: Option<Number>,
    /// Frames per second of what is written; 60 unless told.
    pub frame_rate: Option<Number>,
}

/// Who integrates.
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

/// Who solves for the forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Solver {
    /// Exact, linear time for trees.
    #[default]
    Tree,
    /// Exact, cubic time; shares redundant loads evenly.
    Dense,
    /// Sweeps, for large piles.
    Iterative,
}

/// From where the scene is seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Camera {
    /// Metres.
    pub at: Triple,
    /// The point it looks at, metres, or the name of a body or figure to follow.
    pub look_at: LookAt,
    /// Angle from the top of the picture to its bottom, radians; 45° unless told.
    pub field_of_view: Option<Number>,
}

/// A place or a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LookAt {
    Place(Triple),
    Name(String),
}

impl Default for LookAt {
    fn default() -> Self {
        LookAt::Place(Triple::default())
    }
}

//! Events of the timeline.

use crate::scene::number::{Number, OneOrMany, Triple};
use crate::scene::schema::{Body, Force, Joint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Event at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["at"]))]
pub struct Event {
    /// Time, seconds.
    pub at: Number,
    /// Number of repetitions; i counts from 0, and names may contain {i}.
    pub repeat: Option<u32>,
    /// Interval between repetitions, seconds.
    pub every: Option<Number>,
    /// Joints and forces to switch on; * stands for any characters.
    pub on: Option<OneOrMany<String>>,
    /// Joints and forces to switch off.
    pub off: Option<OneOrMany<String>>,
    /// Bodies, joints and forces to remove.
    pub remove: Option<OneOrMany<String>>,
    /// Entries to change: { "spring.stiffness" = 40 }.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub set: BTreeMap<String, toml::Value>,
    /// Impulse to apply.
    pub push: Option<Push>,
    /// Figures that become limp.
    pub let_go: Option<OneOrMany<String>>,
    /// Figures that follow their clips again.
    pub follow: Option<OneOrMany<String>>,
    /// Bodies to create: dropped, or, with a velocity, shot.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<Body>,
    /// Joints to create.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<Joint>,
    /// Forces to create.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<Force>,
}

/// Impulse on a body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["on", "impulse"]))]
pub struct Push {
    /// Name of a body or segment.
    pub on: String,
    /// Impulse, N·s, world axes.
    pub impulse: Triple,
    /// Point of application from the body's origin, body axes; the centre of mass by default.
    pub at: Option<Triple>,
}

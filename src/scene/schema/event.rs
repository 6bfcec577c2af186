//! Timelines: what happens when.

use crate::scene::number::{Number, OneOrMany, Triple};
use crate::scene::schema::{Body, Force, Joint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something that happens at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["at"]))]
pub struct Event {
    /// Seconds.
    pub at: Number,
    /// So many times; i counts from 0, and names may have {i} in them.
    pub repeat: Option<u32>,
    /// Seconds from one time to the next.
    pub every: Option<Number>,
    /// Joints and forces that are switched on; * stands for any letters.
    pub on: Option<OneOrMany<String>>,
    /// Joints and forces that are switched off.
    pub off: Option<OneOrMany<String>>,
    /// Bodies, joints and forces that are taken away.
    pub remove: Option<OneOrMany<String>>,
    /// Entries that change: { "spring.stiffness" = 40 }.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub set: BTreeMap<String, toml::Value>,
    /// A blow.
    pub push: Option<Push>,
    /// Figures that let go.
    pub let_go: Option<OneOrMany<String>>,
    /// Figures that follow their clips again.
    pub follow: Option<OneOrMany<String>>,
    /// Bodies that appear: dropped, or, with a velocity, shot.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<Body>,
    /// Joints that appear.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<Joint>,
    /// Forces that appear.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<Force>,
}

/// A blow to a body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["on", "impulse"]))]
pub struct Push {
    /// A body or segment.
    pub on: String,
    /// N·s, world axes.
    pub impulse: Triple,
    /// Where, the body's axes from its origin; through its centre of mass unless told.
    pub at: Option<Triple>,
}

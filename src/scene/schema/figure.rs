//! Figures and their controllers.

use crate::scene::number::{Number, OneOrMany, Triple};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A figure from a captured file, with muscles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["name", "from"]))]
pub struct Figure {
    /// One word; its segments are called name.segment or name.role, such as man.left_hand.
    pub name: String,
    /// The file it comes from (BVH, glTF, AMC), beside the scene, or a built-in one: "walk", "actor".
    pub from: String,
    /// A figure file to take the body from.
    pub figure_file: Option<String>,
    /// Which clip of the file, or several in a row.
    pub clip: Option<OneOrMany<String>>,
    /// Further files whose first clip follows, for the same skeleton.
    pub then: Option<OneOrMany<String>>,
    /// Seconds over which clips in a row fade into each other.
    pub overlap: Option<Number>,
    /// Plays over and over.
    pub looped: Option<bool>,
    /// Times as fast.
    pub speed: Option<Number>,
    /// kg.
    pub mass: Option<Number>,
    /// Metres, standing.
    pub height: Option<Number>,
    /// Makes its flesh so many times as thick.
    pub girth: Option<Number>,
    /// Moves it on the ground, metres; y lifts it.
    pub at: Option<Triple>,
    /// Turns it about the vertical, radians.
    pub heading: Option<Number>,
    pub controller: Option<Controller>,
    /// How fast muscles answer, Hz.
    pub frequency: Option<Number>,
    /// 1 is critical.
    pub damping_ratio: Option<Number>,
    /// Torque limits in multiples of a strong person's; none unless told.
    pub strength: Option<Number>,
    /// Share of the muscles' strength by part of the body: { arms = 0 }.
    pub parts: Option<BTreeMap<String, Number>>,
    pub root: Option<RootHold>,
    /// Falls when a joint stays so far off its target, radians.
    pub trip: Option<Number>,
    /// Whether segments touch each other.
    pub self_contact: Option<bool>,
    /// Damping of the joints themselves, Hz.
    pub looseness: Option<Number>,
    /// Whether it starts at rest.
    pub at_rest: Option<bool>,
    pub friction: Option<Number>,
    /// Goals beside the motion: hands that point, a gaze.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hold: Vec<Hold>,
}

/// What moves a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Controller {
    /// Muscles follow the clip.
    #[default]
    Animation,
    /// Nothing; joints have their own damping and limits.
    Ragdoll,
    /// Points on its skin are drawn to where the clip has them; muscles rest.
    Markers,
}

/// How the root is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RootHold {
    /// It follows the clip, whatever force that takes.
    #[default]
    Held,
    /// Nothing holds it.
    Free,
}

/// A part of a figure that is drawn somewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["part"]))]
pub struct Hold {
    /// Which part: a bone or a role.
    pub part: String,
    /// The place it is drawn to, world, metres…
    pub at: Option<Triple>,
    /// …or a place relative to another part or body.
    pub near: Option<String>,
    /// Hz.
    pub frequency: Option<Number>,
    /// Most force, N.
    pub limit: Option<Number>,
}

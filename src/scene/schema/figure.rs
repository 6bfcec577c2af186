//! Figures and their controllers.

use crate::scene::number::{Number, OneOrMany, Triple};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figure with muscles, from a captured file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["name", "from"]))]
pub struct Figure {
    /// Name of one word; segments are called name.segment or name.role, such as man.left_hand.
    pub name: String,
    /// Source file (BVH, glTF, AMC) beside the scene, or a built-in one: "walk", "actor".
    pub from: String,
    /// Figure file that replaces the guessed body.
    pub figure_file: Option<String>,
    /// Clip of the file, or several in a row.
    pub clip: Option<OneOrMany<String>>,
    /// Further files whose first clip follows, for the same skeleton.
    pub then: Option<OneOrMany<String>>,
    /// Cross-fade between clips in a row, seconds.
    pub overlap: Option<Number>,
    /// True if the clip repeats.
    pub looped: Option<bool>,
    /// Playback speed, 1 is as captured.
    pub speed: Option<Number>,
    /// Total mass, kg.
    pub mass: Option<Number>,
    /// Standing height, metres.
    pub height: Option<Number>,
    /// Factor of the thickness of all segments.
    pub girth: Option<Number>,
    /// Displacement, metres; y lifts the figure.
    pub at: Option<Triple>,
    /// Rotation about the vertical, radians.
    pub heading: Option<Number>,
    /// Controller; the clip's motion by default.
    pub controller: Option<Controller>,
    /// Frequency of the muscles' response, Hz.
    pub frequency: Option<Number>,
    /// Damping ratio of the muscles; 1 is critical.
    pub damping_ratio: Option<Number>,
    /// Torque limits in multiples of a strong person's; unlimited by default.
    pub strength: Option<Number>,
    /// Share of the muscles' strength by part of the body: { arms = 0 }.
    pub parts: Option<BTreeMap<String, Number>>,
    /// Support of the root; held by default.
    pub root: Option<RootHold>,
    /// Error of a joint at which the figure falls if it lasts, radians.
    pub trip: Option<Number>,
    /// True if segments collide with each other.
    pub self_contact: Option<bool>,
    /// Damping of the joints themselves, Hz.
    pub looseness: Option<Number>,
    /// True if it starts without velocity.
    pub at_rest: Option<bool>,
    /// Coulomb's friction coefficient µ of its surface.
    pub friction: Option<Number>,
    /// Targets beside the motion: hands that point, a gaze.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hold: Vec<Hold>,
}

/// Controller of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Controller {
    /// Muscles that follow the clip.
    #[default]
    Animation,
    /// No muscles; joints have their own damping and limits.
    Ragdoll,
    /// Markers on its surface that follow the clip; muscles are off.
    Markers,
}

/// Support of the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RootHold {
    /// The root follows the clip by external forces.
    #[default]
    Held,
    /// No external forces.
    Free,
}

/// Part of a figure that is pulled to a target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["part"]))]
pub struct Hold {
    /// Part: a bone or a role.
    pub part: String,
    /// Target position, world, metres.
    pub at: Option<Triple>,
    /// Body or part that the target is relative to.
    pub near: Option<String>,
    /// Frequency of the pull, Hz.
    pub frequency: Option<Number>,
    /// Maximum force, N.
    pub limit: Option<Number>,
}

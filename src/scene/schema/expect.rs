//! What must hold.

use crate::scene::number::Number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One expectation: what is looked at, when, and what it should be.
///
/// Exactly one of `value`, `max`, `min`, `mean`, `rms`, `period`, `change`, `rise`, `when` and `always` says what is looked
/// at: a formula of readings. `is` with `within`, or `below` and `above`, say what it should be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    /// At one time: `at`, or the end.
    pub value: Option<String>,
    /// The largest from `from` to `to`.
    pub max: Option<String>,
    /// The smallest.
    pub min: Option<String>,
    /// The mean over time.
    pub mean: Option<String>,
    /// The root of the mean square.
    pub rms: Option<String>,
    /// Seconds from one passage through zero, upwards, to the next.
    pub period: Option<String>,
    /// The value at `to` less that at `from`.
    pub change: Option<String>,
    /// The most that it climbed above what it had been before.
    pub rise: Option<String>,
    /// The first time, seconds, at which a condition holds.
    pub when: Option<String>,
    /// A condition that holds at every step.
    pub always: Option<String>,
    /// Seconds.
    pub at: Option<Number>,
    /// Seconds; the start unless told.
    pub from: Option<Number>,
    /// Seconds; the end unless told.
    pub to: Option<Number>,
    pub is: Option<Number>,
    /// How far it may be off: a number, or a share such as "0.5 %".
    pub within: Option<Number>,
    pub below: Option<Number>,
    pub above: Option<Number>,
}

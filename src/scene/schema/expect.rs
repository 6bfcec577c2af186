//! Expectations.

use crate::scene::number::Number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Expectation: a formula, a time or interval, and the expected value.
///
/// Exactly one of `value`, `max`, `min`, `mean`, `rms`, `period`, `change`, `rise`, `when` and `always` gives the formula.
/// `is` with `within`, or `below` and `above`, give the expected value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    /// Value at one time: `at`, or the end.
    pub value: Option<String>,
    /// Maximum from `from` to `to`.
    pub max: Option<String>,
    /// Minimum.
    pub min: Option<String>,
    /// Mean over time.
    pub mean: Option<String>,
    /// Root mean square.
    pub rms: Option<String>,
    /// Mean time between upward zero crossings, seconds.
    pub period: Option<String>,
    /// Value at `to` minus that at `from`.
    pub change: Option<String>,
    /// Largest rise above an earlier value.
    pub rise: Option<String>,
    /// First time at which a condition holds, seconds.
    pub when: Option<String>,
    /// Condition that holds at every step.
    pub always: Option<String>,
    /// Time, seconds.
    pub at: Option<Number>,
    /// Start of the interval, seconds; that of the run by default.
    pub from: Option<Number>,
    /// End of the interval, seconds; that of the run by default.
    pub to: Option<Number>,
    /// Expected value.
    pub is: Option<Number>,
    /// Tolerance: a number, or a share such as "0.5 %".
    pub within: Option<Number>,
    /// Upper bound, exclusive.
    pub below: Option<Number>,
    /// Lower bound, exclusive.
    pub above: Option<Number>,
}

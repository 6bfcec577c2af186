//! Whether a result is what the filter promises. One that is not is shown, and not written.

use crate::cli::output::number;
use sinew::figure::Figure;
use sinew::measure::{Key, Report};

/// The ground may leave so much of the body weight on average to nobody; good results leave a hundredth of this.
const UNSUPPORTED: f64 = 0.05;
/// A result may be this much deeper in the ground than its source, metres per a.
const DEEPER: f64 = 0.02;
/// Joints that moved by more than this share of the height make another motion.
const ANOTHER: f64 = 0.05;

/// What is wrong with a result, measured against level ground; none where it keeps what was promised.
pub fn fault(figure: &Figure, before: &Report, after: &Report, moved: f64) -> Option<String> {
    let mut faults = Vec::new();
    if let Some(force) = after.get(Key::ResidualForceMean).filter(|force| *force > UNSUPPORTED) {
        faults.push(format!("the ground cannot give {} % of the body weight", number(100.0 * force, 1)));
    }
    let depth = |report: &Report| report.get(Key::PenetrationMax).unwrap_or(0.0);
    let (was, is) = (depth(before), depth(after));
    if is - was > figure.scaled_length(DEEPER * 1e3) {
        faults.push(format!("the body is {} mm deep in the ground, {} mm before", number(is, 0), number(was, 0)));
    }
    if moved > ANOTHER * figure.height {
        faults.push(format!("joints moved by {} mm on average", number(1e3 * moved, 0)));
    }
    (!faults.is_empty()).then(|| faults.join(", "))
}

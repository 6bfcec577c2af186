//! Acceptance of a motion: the one place that says whether a motion is physical, or a result good enough to keep.
//!
//! Three questions are answered from the figures of reports. A motion is *physical* if the ground can give all of its forces and its feet
//! neither slide nor sink. A result is *acceptable* if it stayed near its source and broke nothing. Everything else is
//! *unacceptable*. The tests that steer the solver of the filter use the thresholds of [`solver`].

use super::{Key, Report};
use crate::figure::Figure;
use crate::math::Real;
use std::fmt;

/// Mean residual force of an acceptable result, body weights at most.
const RESIDUAL_MOST: Real = 0.05;
/// Growth of the deepest penetration against the source, metres at most for a figure of the reference height.
const DEPTH_GROWTH_MOST: Real = 0.02;
/// Mean distance of joints from the source, share of the height at most.
const MOVED_MOST: Real = 0.05;

/// Largest values of a physical motion, in the units of the keys.
const PHYSICAL: [(Key, Real); 6] = [
    (Key::ResidualForceMean, 0.002),
    (Key::ResidualForceMax, 0.05),
    (Key::ResidualTorqueMean, 0.002),
    (Key::PenetrationMax, 3.0),
    (Key::FloatShare, 2.0),
    (Key::SkatePath, 50.0),
];

/// Values from which on a reader is warned: mean distance of joints, metres; residual force, body weights; depth, mm; slide, mm/s.
const WARNED_MOVED: Real = 0.030;
const WARNED_RESIDUAL: Real = 0.02;
const WARNED_DEPTH: Real = 10.0;
const WARNED_SLIDE: Real = 40.0;

/// Thresholds of the tests that steer the solver: residuals over the weight (and height), metres for a figure of the reference height,
/// radians.
pub(crate) mod solver {
    use crate::math::Real;

    /// Mean residual of a physical clip.
    pub const RESIDUAL_MEAN: Real = 1e-3;
    /// Largest residual of a physical clip.
    pub const RESIDUAL_MAX: Real = 0.03;
    /// Root mean square distance of corners from their contact targets.
    pub const TARGET_MEAN: Real = 4e-3;
    /// Distance of one corner from its contact target; corners that come down are in contact a frame early.
    pub const TARGET_MAX: Real = 0.02;
    /// Depth in the ground.
    pub const DEPTH: Real = 3e-3;
    /// Angle beyond a joint limit.
    pub const EXCESS: Real = 0.02;
    /// Overlap of two segments.
    pub const OVERLAP: Real = 8e-3;
    /// Residual of a frame from which on more support is looked for.
    pub const SUPPORT_DEFICIT: Real = 5e-3;
}

/// Judgement on a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The ground can give all forces, and feet neither slide nor sink.
    Physical,
    /// Not physical to the last bit, but with no fault.
    Acceptable,
    /// One fault or more.
    Unacceptable,
}

/// Subject of a [`Reason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// Mean residual force, body weights.
    Residual,
    /// Deepest penetration, millimetres.
    Depth,
    /// Mean distance of joints from the source, metres.
    Moved,
    /// Slide of whole feet in contact, millimetres per second.
    Slide,
}

/// A figure that speaks against a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reason {
    /// Subject of the figure.
    pub concern: Concern,
    /// Value of the figure, in the unit of its concern.
    pub value: Real,
    /// Value of the source, for depths.
    pub before: Option<Real>,
    /// True for a fault, false for a warning.
    pub is_fault: bool,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, before) = (self.value, self.before.unwrap_or(0.0));
        match (self.concern, self.is_fault) {
            (Concern::Residual, true) => {
                write!(f, "the ground cannot give {} % of the body weight", rounded(100.0 * value))
            }
            (Concern::Residual, false) => {
                write!(
                    f,
                    "the ground still cannot give {} % of the body weight that the motion asks for",
                    rounded(100.0 * value)
                )
            }
            (Concern::Depth, true) => write!(f, "the body is {value:.0} mm deep in the ground, {before:.0} mm before"),
            (Concern::Depth, false) => write!(f, "the body is still {value:.0} mm deep in the ground"),
            (Concern::Moved, _) => write!(f, "joints moved by {:.0} mm on average", 1e3 * value),
            (Concern::Slide, _) => write!(f, "feet in contact still slide by {value:.0} mm/s"),
        }
    }
}

/// One decimal, left out where it is zero.
fn rounded(value: Real) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Judgement on a motion with its reasons and the figures it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Acceptance {
    /// Judgement on the whole.
    pub verdict: Verdict,
    /// Faults and warnings, in the order of [`Concern`].
    pub reasons: Vec<Reason>,
    /// Figures that a physical motion keeps small, with their largest allowed values, in the units of the keys.
    pub figures: Vec<(Key, Option<Real>, Real)>,
}

impl Acceptance {
    /// Judges a motion by itself, from a report of its poses as they are (no cut-off).
    pub fn of_motion(report: &Report) -> Self {
        let figures: Vec<_> = PHYSICAL.iter().map(|&(key, most)| (key, report.get(key), most)).collect();
        let below = figures.iter().all(|(_, value, most)| value.is_none_or(|value| value <= *most));
        let is_physical = below && report.get(Key::ResidualForceMean).is_some();
        let residual = report.get(Key::ResidualForceMean).filter(|force| *force > RESIDUAL_MOST);
        let reason = |value| Reason { concern: Concern::Residual, value, before: None, is_fault: true };
        let verdict = match residual {
            _ if is_physical => Verdict::Physical,
            Some(_) => Verdict::Unacceptable,
            None => Verdict::Acceptable,
        };
        Self { verdict, reasons: residual.map(reason).into_iter().collect(), figures }
    }

    /// Judges a result against its source, both measured on level ground. `moved` is the mean distance of joints from the prepared
    /// source, metres.
    pub fn of_result(figure: &Figure, before: &Report, after: &Report, moved: Real) -> Self {
        let mut judged = Self::of_motion(after);
        judged.reasons = reasons(figure, before, after, moved);
        if judged.reasons.iter().any(|reason| reason.is_fault) {
            judged.verdict = Verdict::Unacceptable;
        }
        judged
    }

    /// Returns true if the motion is physical.
    pub fn is_physical(&self) -> bool {
        self.verdict == Verdict::Physical
    }

    /// Faults in words, joined by commas; none without faults.
    pub fn fault(&self) -> Option<String> {
        let faults: Vec<String> = self.reasons.iter().filter(|r| r.is_fault).map(Reason::to_string).collect();
        (!faults.is_empty()).then(|| faults.join(", "))
    }

    /// Reasons that a reader is warned of, faults or not.
    pub fn warnings(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().filter(|reason| !reason.is_fault)
    }
}

/// Faults and warnings of a result. A figure beyond both of its thresholds gives both.
fn reasons(figure: &Figure, before: &Report, after: &Report, moved: Real) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut add = |concern, value, before, is_fault| reasons.push(Reason { concern, value, before, is_fault });
    let residual = after.get(Key::ResidualForceMean).unwrap_or(0.0);
    if residual > RESIDUAL_MOST {
        add(Concern::Residual, residual, None, true);
    }
    let depth = |report: &Report| report.get(Key::PenetrationMax).unwrap_or(0.0);
    let (was, is) = (depth(before), depth(after));
    if is - was > figure.scaled_length(DEPTH_GROWTH_MOST * 1e3) {
        add(Concern::Depth, is, Some(was), true);
    }
    if moved > MOVED_MOST * figure.height {
        add(Concern::Moved, moved, None, true);
    }
    if moved > WARNED_MOVED {
        add(Concern::Moved, moved, None, false);
    }
    if residual > WARNED_RESIDUAL {
        add(Concern::Residual, residual, None, false);
    }
    if is > WARNED_DEPTH {
        add(Concern::Depth, is, Some(was), false);
    }
    if let Some(slide) = after.get(Key::SkateFoot).filter(|slide| *slide > WARNED_SLIDE) {
        add(Concern::Slide, slide, None, false);
    }
    reasons
}

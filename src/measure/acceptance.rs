//! Acceptance of a motion: the one place that says whether a motion is physical, or a result good enough to keep.
//!
//! Three questions are answered from the figures of reports. A motion is *physical* if the ground can give all of its forces and its feet
//! neither slide nor sink. A result is *acceptable* if it stayed near its source and broke nothing. Everything else is
//! *unacceptable*. [`Acceptance::judgement`] says it in a sentence. The tests that steer the solver of the filter use the thresholds
//! of [`solver`].

use super::{Grade, Judgement, Key, Report};
use crate::figure::Figure;
use crate::math::Real;
use crate::motion::REFERENCE_HEIGHT;
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

/// Figures of a motion with the values from which on a reader is warned, and from which on it is a fault, in the units of the keys and for
/// a figure of the reference height. Frames that float look wrong from one in twenty on. A foot that slides with a tenth of the speed
/// of a walk, 120 mm/s, is not in contact for any viewer. Limits are those of people at large, so that being beyond them is no fault.
const WARNED: [(Concern, Key, Real, Real); 6] = [
    (Concern::Residual, Key::ResidualForceMean, WARNED_RESIDUAL, RESIDUAL_MOST),
    (Concern::Depth, Key::PenetrationMax, WARNED_DEPTH, 50.0),
    (Concern::Slide, Key::SkateFoot, WARNED_SLIDE, 120.0),
    (Concern::Float, Key::FloatShare, 5.0, 20.0),
    (Concern::Spikes, Key::Spikes, 0.5, Real::INFINITY),
    (Concern::Limits, Key::LimitsShare, 10.0, Real::INFINITY),
];

/// Share of joint-frames beyond the limits of the anatomy that the source does not have, at most. More are no variety of posture: limbs
/// face elsewhere than their joints bend.
const NEW_BEYOND_MOST: Real = 0.1;

/// Ratio of a figure to that of the source from which on the result is worse.
const WORSE: Real = 1.1;

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
    /// Frames in which the body floats, percent.
    Float,
    /// Frames with velocity spikes.
    Spikes,
    /// Joint angles beyond their limits, percent.
    Limits,
}

/// A figure that speaks against a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reason {
    /// Subject of the figure.
    pub concern: Concern,
    /// Value of the figure, in the unit of its concern.
    pub value: Real,
    /// Value of the source, where there is one.
    pub before: Option<Real>,
    /// True for a fault, false for a warning.
    pub is_fault: bool,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value;
        match self.concern {
            Concern::Residual => write!(f, "the ground cannot give {}", weights(value))?,
            Concern::Depth => write!(f, "the body is {value:.0} mm below the floor")?,
            Concern::Moved => write!(f, "joints moved by {:.0} mm on average", 1e3 * value)?,
            Concern::Slide => write!(f, "feet in contact slide by {value:.0} mm/s")?,
            Concern::Float => write!(f, "the body floats in {value:.0} % of the frames")?,
            Concern::Spikes if value < 1.5 => write!(f, "one frame has a velocity spike")?,
            Concern::Spikes => write!(f, "{value:.0} frames have velocity spikes")?,
            Concern::Limits => write!(f, "{value:.0} % of the joint angles are beyond their limits")?,
        }
        match (self.concern, self.before) {
            (Concern::Residual, Some(before)) => write!(f, " ({} % in the source)", rounded(100.0 * before)),
            (_, Some(before)) => write!(f, " ({before:.0} in the source)"),
            (_, None) => Ok(()),
        }
    }
}

/// A force in body weights, in words.
fn weights(force: Real) -> String {
    match force {
        ..2.0 => format!("{} % of the body weight", rounded(100.0 * force)),
        times => format!("{times:.0} times the body weight"),
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
    /// Faults and warnings that the source has, too: no merit of the result, and no fault of it.
    pub inherited: Vec<Reason>,
    /// Reason why the forces cannot be judged.
    pub without_forces: Option<String>,
    /// Posture of a transfer that no body can take; none otherwise.
    pub beyond_anatomy: Option<BeyondAnatomy>,
}

/// Posture of a transfer with joints beyond the limits of the anatomy, where those of its source are within them.
#[derive(Clone, Debug, PartialEq)]
pub struct BeyondAnatomy {
    /// Share of joint-frames beyond the limits that the source does not have, 0 to 1.
    pub share: Real,
    /// Names of the joints that are beyond more often than in the source, the worst first.
    pub joints: Vec<String>,
}

impl BeyondAnatomy {
    /// Compares joints of the same role; joints that the source lacks count as within its limits. None where either has no limits.
    pub fn between(before: &Report, after: &Report) -> Option<Self> {
        if before.beyond_limits.is_empty() || after.beyond_limits.is_empty() {
            return None;
        }
        let source = |role| before.beyond_limits.iter().find(|joint| joint.role.is_some() && joint.role == role);
        let mut grown: Vec<(&str, Real)> = after
            .beyond_limits
            .iter()
            .map(|joint| (joint.joint.as_str(), joint.share - source(joint.role).map_or(0.0, |source| source.share)))
            .collect();
        grown.retain(|(_, share)| *share > 0.0);
        grown.sort_by(|a, b| b.1.total_cmp(&a.1));
        let share = grown.iter().fold(0.0, |sum, (_, share)| sum + share) / after.beyond_limits.len() as Real;
        let joints = grown.iter().filter(|(_, share)| *share > NEW_BEYOND_MOST).map(|(joint, _)| (*joint).to_owned());
        Some(Self { share, joints: joints.collect() })
    }
}

impl fmt::Display for BeyondAnatomy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = 100.0 * self.share;
        write!(f, "{share:.0} % of the joint angles are beyond what a body can do, and those of the source are not")?;
        write!(f, " ({})", self.joints.join(", "))
    }
}

impl Acceptance {
    /// Judges a motion by itself, from a report of its poses.
    pub fn of_motion(report: &Report) -> Self {
        let mut judged = Self::of_figures(report);
        let scale = report.basis.height / REFERENCE_HEIGHT;
        for (concern, key, warned, most) in WARNED {
            let scale = if matches!(concern, Concern::Depth | Concern::Slide) { scale } else { 1.0 };
            if let Some(value) = report.get(key).filter(|value| *value > scale * warned) {
                judged.reasons.push(Reason { concern, value, before: None, is_fault: value > scale * most });
            }
        }
        judged.with_faults()
    }

    /// Judges a motion against the one that it was made from. What is no worse than in the source is inherited.
    pub fn of_transfer(before: &Report, after: &Report) -> Self {
        let mut judged = Self::of_motion(after);
        let key = |concern| WARNED.iter().find(|row| row.0 == concern).map(|row| row.1);
        for reason in std::mem::take(&mut judged.reasons) {
            let source = key(reason.concern).and_then(|key| before.get(key));
            match source.is_some_and(|source| reason.value <= WORSE * source) {
                true => judged.inherited.push(reason),
                false => judged.reasons.push(Reason { before: source, ..reason }),
            }
        }
        judged.verdict = Self::of_figures(after).verdict;
        judged.beyond_anatomy = BeyondAnatomy::between(before, after).filter(|new| new.share > NEW_BEYOND_MOST);
        judged.with_faults()
    }

    /// Judges a result against its source, both measured on level ground. `moved` is the mean distance of joints from the prepared
    /// source, metres.
    pub fn of_result(figure: &Figure, before: &Report, after: &Report, moved: Real) -> Self {
        let mut judged = Self::of_figures(after);
        judged.reasons = reasons(figure, before, after, moved);
        judged.with_faults()
    }

    /// Judges whether a motion is physical, without reasons.
    fn of_figures(report: &Report) -> Self {
        let figures: Vec<_> = PHYSICAL.iter().map(|&(key, most)| (key, report.get(key), most)).collect();
        let below = figures.iter().all(|(_, value, most)| value.is_none_or(|value| value <= *most));
        let is_physical = below && report.get(Key::ResidualForceMean).is_some();
        let without_forces = report.note(Key::ResidualForceMean).map(str::to_owned);
        let verdict = if is_physical { Verdict::Physical } else { Verdict::Acceptable };
        Self { verdict, reasons: Vec::new(), figures, inherited: Vec::new(), without_forces, beyond_anatomy: None }
    }

    fn with_faults(mut self) -> Self {
        if self.beyond_anatomy.is_some() || self.reasons.iter().any(|reason| reason.is_fault) {
            self.verdict = Verdict::Unacceptable;
        }
        self
    }

    /// Says the judgement in a sentence.
    pub fn judgement(&self) -> Judgement {
        let mut said = Judgement::good(match self.verdict {
            _ if !self.inherited.is_empty() => "no worse than its source".to_owned(),
            _ if self.without_forces.is_some() => "nothing was found against its feet".to_owned(),
            _ if self.has_no_feet() => "the ground can give its forces; it has no feet to be judged".to_owned(),
            Verdict::Physical => "the ground can give all forces, and feet neither slide nor sink".to_owned(),
            _ if self.reasons.is_empty() => "the ground can give its forces, and feet hardly slide or sink".to_owned(),
            _ if self.is_carried() => "the ground can give its forces".to_owned(),
            _ => "the ground can give most of its forces".to_owned(),
        });
        if let Some(new) = &self.beyond_anatomy {
            said.add(Grade::Bad, new.to_string());
        }
        for reason in &self.reasons {
            said.add(if reason.is_fault { Grade::Bad } else { Grade::Usable }, reason.to_string());
        }
        for reason in &self.inherited {
            said.add(Grade::Usable, format!("in both {reason}"));
        }
        if let Some(why) = &self.without_forces {
            said.add(Grade::Usable, format!("its forces could not be judged: {why}"));
        }
        said
    }

    /// Returns true if the slide of feet could not be measured, and no reason speaks against the motion.
    fn has_no_feet(&self) -> bool {
        self.reasons.is_empty() && self.figures.iter().any(|(key, value, _)| *key == Key::SkatePath && value.is_none())
    }

    /// Returns true if no force that the ground cannot give is worth a warning.
    fn is_carried(&self) -> bool {
        !self.reasons.iter().any(|reason| reason.concern == Concern::Residual)
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

/// Gap of a joint that is seen, metres for a figure of the reference height: a joint of bodies that came apart.
const GAP_MOST: Real = 0.005;

/// Figures of a simulated run that speak for or against it, beside those of its motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunFigures {
    /// Standing height of the figure, metres.
    pub height: Real,
    /// Mean force of the root assistance, body weights.
    pub assistance: Real,
    /// Deepest penetration, metres.
    pub depth: Real,
    /// Largest gap of a joint, metres.
    pub gap: Real,
}

impl RunFigures {
    /// Returns true if the root assistance carries or pushes the figure.
    pub fn is_held(&self) -> bool {
        self.assistance > RESIDUAL_MOST
    }

    /// Adds what speaks against the run to a judgement.
    pub fn add_to(&self, judgement: &mut Judgement) {
        let scale = self.height / REFERENCE_HEIGHT;
        if self.is_held() {
            let reason = format!("its root is held with {}, which no ground gives", weights(self.assistance));
            judgement.add(Grade::Usable, reason);
        }
        if 1e3 * self.depth > scale * WARNED_DEPTH {
            let reason = Reason { concern: Concern::Depth, value: 1e3 * self.depth, before: None, is_fault: false };
            judgement.add(Grade::Usable, reason.to_string());
        }
        if self.gap > scale * GAP_MOST {
            judgement.add(Grade::Bad, format!("its joints come apart by {} mm", rounded(1e3 * self.gap)));
        }
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

#[cfg(test)]
mod tests {
    use super::super::{Basis, BeyondLimits};
    use super::*;
    use crate::math::Vec3;
    use crate::motion::{Role, Side};

    fn report(height: Real, figures: &[(Key, Real)]) -> Report {
        let basis = Basis {
            frames: 100,
            rate_hz: 60.0,
            cutoff_hz: None,
            friction: 0.8,
            min_contact: 0.05,
            mass: 70.0,
            height,
            ground_rise: [0.0; 2],
            treadmill: Vec3::zeros(),
        };
        let mut report = Report::new(basis);
        report.set(Key::ResidualForceMean, 0.0);
        figures.iter().for_each(|&(key, value)| report.set(key, value));
        report
    }

    fn said(acceptance: &Acceptance) -> String {
        acceptance.judgement().to_string()
    }

    /// Feet of a body twice as tall go twice as far for the same look.
    #[test]
    fn lengths_are_judged_in_the_scale_of_the_figure() {
        let slides = [(Key::SkateFoot, 150.0)];
        let tall = Acceptance::of_motion(&report(2.0 * REFERENCE_HEIGHT, &slides));
        assert_eq!(tall.judgement().grade(), Grade::Usable);
        let usual = Acceptance::of_motion(&report(REFERENCE_HEIGHT, &slides));
        assert_eq!(said(&usual), "not good, feet in contact slide by 150 mm/s");
        let floats = report(2.0 * REFERENCE_HEIGHT, &[(Key::FloatShare, 30.0)]);
        assert_eq!(Acceptance::of_motion(&floats).judgement().grade(), Grade::Bad, "shares have no length");
    }

    #[test]
    fn a_fault_of_the_source_is_no_fault_of_the_result() {
        let source = report(1.75, &[(Key::SkateFoot, 150.0), (Key::Spikes, 0.0)]);
        let same = Acceptance::of_transfer(&source, &report(1.75, &[(Key::SkateFoot, 155.0)]));
        assert_eq!(said(&same), "usable, no worse than its source, but in both feet in contact slide by 155 mm/s");
        let worse = report(1.75, &[(Key::SkateFoot, 300.0), (Key::Spikes, 2.0)]);
        let worse = Acceptance::of_transfer(&source, &worse);
        assert_eq!(said(&worse), "not good, feet in contact slide by 300 mm/s (150 in the source)");
        assert_eq!(worse.judgement().untold().count(), 1, "the spikes stand below the sentence");
    }

    #[test]
    fn a_motion_without_forces_is_not_called_good() {
        let mut short = report(1.75, &[]);
        short.clear(crate::measure::Family::Residual);
        short.explain_all(crate::measure::Family::Residual, "accelerations need three frames");
        let judged = Acceptance::of_motion(&short);
        assert!(said(&judged).ends_with("but its forces could not be judged: accelerations need three frames"));
    }

    /// Only joint-frames that the source does not have beyond its limits count, joint by joint of the same role.
    #[test]
    fn a_transfer_answers_for_what_its_source_does_not_have() {
        let beyond = |shares: &[(&str, Role, Real)]| {
            let joint = |&(name, role, share): &(&str, Role, Real)| BeyondLimits {
                joint: name.to_owned(),
                role: Some(role),
                share,
            };
            let mut report = report(1.75, &[]);
            report.beyond_limits = shares.iter().map(joint).collect();
            report
        };
        let [knee, elbow] = [Role::LowerLeg(Side::Left), Role::LowerArm(Side::Left)];
        let source = beyond(&[("k", knee, 0.5), ("e", elbow, 0.0), ("h", Role::Head, 0.0), ("n", Role::Neck(0), 0.0)]);
        let same = beyond(&[("Knee", knee, 0.6), ("Elbow", elbow, 0.1)]);
        assert_eq!(Acceptance::of_transfer(&source, &same).beyond_anatomy, None);
        let worse = beyond(&[("Knee", knee, 0.4), ("Elbow", elbow, 0.9), ("Head", Role::Head, 0.05)]);
        let judged = Acceptance::of_transfer(&source, &worse);
        let new = judged.beyond_anatomy.clone().unwrap();
        assert!((new.share - 0.95 / 3.0).abs() < 1e-12 && new.joints == ["Elbow"], "{new:?}");
        assert_eq!((judged.verdict, judged.judgement().grade()), (Verdict::Unacceptable, Grade::Bad));
        // Without limits there is nothing to compare.
        assert_eq!(BeyondAnatomy::between(&beyond(&[]), &worse), None);
    }
}

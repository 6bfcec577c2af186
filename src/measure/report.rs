//! Result of a measurement.

use super::contacts::Contact;
use super::limits::BeyondLimits;
use super::{Family, Key};
use crate::math::{Real, Vec3};

/// The numbers of one clip, with the reasons for those that do not apply.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Assumptions of the numbers.
    pub basis: Basis,
    /// Contact intervals, by time.
    pub contacts: Vec<Contact>,
    /// Time of the largest vertical force, seconds.
    pub peak_force_at: Option<Real>,
    /// Joints with limits, with the share of frames in which they are beyond them.
    pub beyond_limits: Vec<BeyondLimits>,
    values: Vec<Option<Real>>,
    notes: Vec<(Key, String)>,
}

/// Assumptions of the numbers of a report: clip, body, ground and smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Basis {
    /// Number of frames of the clip.
    pub frames: usize,
    /// Frames per second.
    pub rate_hz: Real,
    /// Low-pass of the poses before they are differentiated, Hz; none where they are taken as they are.
    pub cutoff_hz: Option<Real>,
    /// Coulomb's µ of the ground.
    pub friction: Real,
    /// Least duration of a contact that counts, seconds.
    pub min_contact: Real,
    /// Mass of the figure, kg.
    pub mass: Real,
    /// Standing height H, metres.
    pub height: Real,
    /// Rise of the ground per metre along x and z; 0 where it is level.
    pub ground_rise: [Real; 2],
    /// Velocity of the treadmill below an in-place motion, m/s; zero for all others.
    pub treadmill: Vec3,
}

impl Report {
    pub(super) fn new(basis: Basis) -> Self {
        let values = vec![None; Key::ALL.len()];
        let (contacts, beyond_limits, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { basis, contacts, peak_force_at: None, beyond_limits, values, notes }
    }

    /// A figure; none where it does not apply.
    pub fn get(&self, key: Key) -> Option<Real> {
        self.values[key as usize]
    }

    /// Reason why a number does not apply.
    pub fn note(&self, key: Key) -> Option<&str> {
        self.notes.iter().find(|(k, _)| *k == key).map(|(_, reason)| reason.as_str())
    }

    /// All reasons.
    pub fn notes(&self) -> impl Iterator<Item = (Key, &str)> {
        self.notes.iter().map(|(key, reason)| (*key, reason.as_str()))
    }

    /// A number that is none (an overflow of absurd input) is told as such.
    pub(super) fn set(&mut self, key: Key, value: Real) {
        match value.is_finite() {
            true => self.values[key as usize] = Some(value),
            false => self.explain(key, "the numbers of the clip are too large to be measured"),
        }
    }

    /// Takes all numbers and reasons of a family out.
    pub(super) fn clear(&mut self, family: Family) {
        family.keys().for_each(|key| self.values[key as usize] = None);
        self.notes.retain(|(key, _)| key.family() != family);
    }

    pub(super) fn explain(&mut self, key: Key, reason: &str) {
        if self.note(key).is_none() && self.get(key).is_none() {
            self.notes.push((key, reason.to_owned()));
        }
    }

    pub(super) fn explain_all(&mut self, family: Family, reason: &str) {
        for key in family.keys() {
            self.explain(key, reason);
        }
    }

    /// Returns true if a number of this report is worse than that of another by more than rounding; none where either lacks
    /// it.
    pub fn worse_than(&self, other: &Report, key: Key) -> Option<bool> {
        use super::Better;
        let (own, before) = (self.get(key)?, other.get(key)?);
        let (own, before) = match key.better() {
            Better::Neither => return Some(false),
            Better::Lower => (own, before),
            Better::Near(ideal) => ((own - Real::from(ideal)).abs(), (before - Real::from(ideal)).abs()),
        };
        Some(own > before + 1e-6 * (1.0 + before.abs()))
    }
}

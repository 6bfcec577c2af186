//! Timeline data: contact intervals, and curves with their worst moments.

use super::item::{Content, Item};
use super::{Workspace, analysis};
use crate::math::Real;

/// Contact intervals of one part of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactTrack {
    /// Number of the item.
    pub item: usize,
    /// Label, such as "left heel".
    pub label: String,
    /// Start and end of each interval, seconds.
    pub intervals: Vec<[Real; 2]>,
}

/// Quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Number of the item.
    pub item: usize,
    /// Name of the quantity.
    pub name: &'static str,
    /// Unit of the values.
    pub unit: &'static str,
    /// Time of the first value, seconds.
    pub start: Real,
    /// Sampling rate, Hz.
    pub rate: Real,
    /// Values; NaN where one is missing.
    pub values: Vec<f32>,
    /// Time of the value of largest magnitude, seconds, and that value.
    pub worst: Option<(Real, f32)>,
}

impl Curve {
    pub(crate) fn new(
        item: usize,
        name: &'static str,
        unit: &'static str,
        start: Real,
        rate: Real,
        values: Vec<f32>,
    ) -> Self {
        let worst = values.iter().enumerate().filter(|(_, value)| value.is_finite());
        let worst = worst.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
        let worst = worst.map(|(k, value)| (start + k as Real / rate, *value));
        Self { item, name, unit, start, rate, values, worst }
    }
}

/// Contents of the timeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Duration, seconds.
    pub duration: Real,
    /// Frame rate, Hz.
    pub frame_rate: Real,
    /// Contact intervals by item and part.
    pub contacts: Vec<ContactTrack>,
    /// Curves by item.
    pub curves: Vec<Curve>,
    /// True while clips are being measured; ask again.
    pub pending: bool,
}

/// Adds the curves of a live item: the metrics of every step.
pub(crate) fn live_curves(number: usize, item: &Item, curves: &mut Vec<Curve>) {
    let Some(live) = item.live.as_ref().filter(|live| !live.metrics().is_empty()) else { return };
    let (metrics, rate, start) = (live.metrics(), 1.0 / live.step_length(), live.time_of(1));
    let mut add = |name, unit, value: &dyn Fn(&super::live::StepMetrics) -> f32| {
        let values: Vec<f32> = metrics.iter().map(value).collect();
        if values.iter().any(|value| *value != 0.0) {
            curves.push(Curve::new(number, name, unit, start, rate, values));
        }
    };
    add("control error", "°", &|f| f.control_error.to_degrees());
    add("root assistance", "BW", &|f| f.assistance);
    add("contact force", "BW", &|f| f.contact);
    add("depth", "mm", &|f| 1e3 * f.depth);
    add("joint gap", "mm", &|f| 1e3 * f.gap);
}

impl Workspace {
    /// Starts the measurement of all clips in the background: contacts, metric curves and estimated forces.
    /// [`Workspace::timeline`] and the picture show them when they are ready.
    pub fn analyse(&mut self) {
        for item in &mut self.items {
            if let Content::Character(character) = &item.content {
                item.analysis.begin(&character.figure, character.animation.clip());
            }
        }
    }

    /// Blocks until all measurements started by [`Workspace::analyse`] are finished.
    pub fn wait_for_analysis(&mut self) {
        for item in &mut self.items {
            item.analysis.poll(true);
        }
    }

    /// Collects curves and contact intervals: of clips, once [`Workspace::analyse`] has measured them; of simulations, the
    /// metrics of every step.
    pub fn timeline(&mut self) -> Timeline {
        let (mut contacts, mut curves, mut pending) = (Vec::new(), Vec::new(), false);
        for (number, item) in self.items.iter_mut().enumerate() {
            pending |= item.analysis.poll(false);
            match &item.content {
                Content::Character(character) if item.live.is_none() => {
                    if let Some(found) = item.analysis.curves() {
                        analysis::add_to_timeline(number, &character.figure, found, &mut contacts, &mut curves);
                    }
                }
                Content::Recorded(recorded) => recorded.curves(number, &mut curves),
                _ => live_curves(number, item, &mut curves),
            }
        }
        Timeline { duration: self.duration(), frame_rate: self.frame_rate(), contacts, curves, pending }
    }
}

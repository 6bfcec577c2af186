//! What is drawn under the time slider: when something touches the ground, and curves with their worst moments.

use super::item::{Content, Item};
use super::{Workspace, analysis};
use crate::math::Real;

/// When a part of a body is on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactTrack {
    /// Number of the item.
    pub item: usize,
    /// Such as "left heel".
    pub label: String,
    /// From and to, seconds.
    pub intervals: Vec<[Real; 2]>,
}

/// A number over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Number of the item.
    pub item: usize,
    pub name: &'static str,
    pub unit: &'static str,
    /// Time of the first value, seconds.
    pub start: Real,
    /// Values per second.
    pub rate: Real,
    /// Missing ones are no numbers.
    pub values: Vec<f32>,
    /// When it is worst, seconds, and how bad.
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

/// Everything under the time slider.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Seconds.
    pub duration: Real,
    /// Frames per second.
    pub frame_rate: Real,
    pub contacts: Vec<ContactTrack>,
    pub curves: Vec<Curve>,
    /// Clips are still being measured; ask again.
    pub pending: bool,
}

/// The curves of a live item: what every step was like.
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
    /// Begins to measure all clips, in the background: contacts, metric curves, and the forces they ask for, which are drawn
    /// from then on. [`Workspace::timeline`] has them as soon as they are there.
    pub fn analyse(&mut self) {
        for item in &mut self.items {
            if let Content::Character(character) = &item.content {
                item.analysis.begin(&character.figure, character.animation.clip(), character.ground);
            }
        }
    }

    /// Waits until everything that [`Workspace::analyse`] began is done.
    pub fn wait_for_analysis(&mut self) {
        for item in &mut self.items {
            item.analysis.poll(true);
        }
    }

    /// Curves and contacts under the time slider: of clips, once [`Workspace::analyse`] has measured them; of simulations, what
    /// every step was like.
    pub fn timeline(&mut self) -> Timeline {
        let (mut contacts, mut curves, mut pending) = (Vec::new(), Vec::new(), false);
        for (number, item) in self.items.iter_mut().enumerate() {
            pending |= item.analysis.poll(false);
            match &item.content {
                Content::Character(character) if item.live.is_none() => {
                    if let Some(found) = item.analysis.curves() {
                        analysis::tell(number, &character.figure, found, &mut contacts, &mut curves);
                    }
                }
                Content::Recorded(recorded) => recorded.curves(number, &mut curves),
                _ => live_curves(number, item, &mut curves),
            }
        }
        Timeline { duration: self.duration(), frame_rate: self.frame_rate(), contacts, curves, pending }
    }
}

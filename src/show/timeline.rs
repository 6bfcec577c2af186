//! What is drawn under the time slider: when something touches the ground, and curves with their worst moments.

use super::exhibit::Exhibit;
use crate::math::Real;

/// When a part of a body is on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactTrack {
    /// Number of the exhibit.
    pub exhibit: usize,
    /// Such as "left heel".
    pub label: String,
    /// From and to, seconds.
    pub intervals: Vec<[Real; 2]>,
}

/// A number over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Number of the exhibit.
    pub exhibit: usize,
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
        exhibit: usize,
        name: &'static str,
        unit: &'static str,
        start: Real,
        rate: Real,
        values: Vec<f32>,
    ) -> Self {
        let worst = values.iter().enumerate().filter(|(_, value)| value.is_finite());
        let worst = worst.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
        let worst = worst.map(|(k, value)| (start + k as Real / rate, *value));
        Self { exhibit, name, unit, start, rate, values, worst }
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

/// The curves of a live exhibit: what every step was like.
pub(crate) fn live_curves(number: usize, exhibit: &Exhibit, curves: &mut Vec<Curve>) {
    let Some(live) = exhibit.live.as_ref().filter(|live| !live.felt().is_empty()) else { return };
    let (felt, rate, start) = (live.felt(), 1.0 / live.step_length(), live.time_of(1));
    let mut add = |name, unit, value: &dyn Fn(&super::live::Felt) -> f32| {
        let values: Vec<f32> = felt.iter().map(value).collect();
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

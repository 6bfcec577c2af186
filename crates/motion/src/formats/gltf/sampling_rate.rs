//! Sampling rate of a clip, from its key times.

use crate::Real;

/// Rate and number of samples of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sampling {
    pub rate_hz: Real,
    pub frames: Real,
    pub origin: Origin,
}

/// Origin of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The file, by a number or by keys that are samples themselves.
    File,
    /// The user.
    Wish,
    /// Chosen here.
    Choice,
}

/// Key of an animation's `extras` that holds its rate.
pub(super) const EXTRA: &str = "rateHz";
/// Rates that are believed in `extras`, Hz.
const BELIEVED: std::ops::RangeInclusive<Real> = 0.01..=10_000.0;

/// Usual rates, in the order they are tried for keys that are too sparse to have one of their own.
const USUAL: [Real; 13] = [30.0, 24.0, 25.0, 60.0, 48.0, 50.0, 72.0, 90.0, 100.0, 120.0, 144.0, 200.0, 240.0];
/// Rate below which keys are control points of curves rather than samples, Hz.
const LOWEST: Real = 20.0;
/// Lowest rate of splines, which bend between their keys, Hz.
const LOWEST_SPLINE: Real = 48.0;
/// Rate for keys that no usual rate meets, Hz.
const OTHERWISE: Real = 60.0;
/// Largest distance of a key from its sample, samples.
const SLACK: Real = 2e-3;

/// Chooses the sampling of a clip. `keys` are all distinct key times in ascending order; `end` is the end of the clip, seconds.
/// Samples start at 0, as players do, and the last one is at `end`. `stated` is the rate that the file gives in words;
/// it counts if all keys lie on its samples, as those of an edited file may not. `wished` is a rate that the user
/// prefers where the file has none.
pub(super) fn choose(keys: &[f32], end: Real, spline: bool, stated: Option<Real>, wished: Option<Real>) -> Sampling {
    let stated = stated.filter(|rate| BELIEVED.contains(rate));
    if end <= 0.0 {
        return Sampling { rate_hz: stated.or(wished).unwrap_or(USUAL[0]), frames: 1.0, origin: Origin::File };
    }
    let lowest = if spline { LOWEST_SPLINE } else { LOWEST };
    let own = own_rate(keys);
    let candidates = own.map(Real::round).into_iter().chain(own).map(|rate| (rate, Origin::File));
    let usual = USUAL.map(|rate| (rate, Origin::Choice)).into_iter().filter(|_| wished.is_none());
    let measured = candidates.chain(usual).filter(|(rate, _)| *rate >= lowest);
    for (rate, origin) in stated.map(|rate| (rate, Origin::File)).into_iter().chain(measured) {
        let met = |t: Real| {
            let sample = t * rate;
            // A 32-bit time is known to half a unit in its last place, and exporters add a few.
            (sample - sample.round()).abs() <= SLACK + 4.0 * Real::from(f32::EPSILON) * sample.abs()
        };
        if met(end) && (end * rate).round() >= 1.0 && keys.iter().all(|&t| met(Real::from(t))) {
            return Sampling { rate_hz: rate, frames: (end * rate).round() + 1.0, origin };
        }
    }
    let gaps = wished.map_or((end * OTHERWISE).ceil(), |rate| (end * rate).round()).max(1.0);
    let origin = if wished.is_some() { Origin::Wish } else { Origin::Choice };
    Sampling { rate_hz: gaps / end, frames: gaps + 1.0, origin }
}

/// Returns the mean rate of the keys.
fn own_rate(keys: &[f32]) -> Option<Real> {
    let (first, last) = (Real::from(*keys.first()?), Real::from(*keys.last()?));
    let rate = (keys.len() - 1) as Real / (last - first);
    (keys.len() > 2 && rate.is_finite()).then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(rate: Real, frames: usize, first: usize) -> Vec<f32> {
        (first..first + frames).map(|k| (k as Real / rate) as f32).collect()
    }

    fn rate(keys: &[f32], spline: bool) -> Real {
        choose(keys, Real::from(keys[keys.len() - 1]), spline, None, None).rate_hz
    }

    #[test]
    fn evenly_spaced_keys_keep_their_rate() {
        for hz in [24.0, 25.0, 30.0, 60.0, 100.0, 120.0, 240.0, 480.0] {
            assert_eq!(rate(&times(hz, 300, 0), false), hz);
            assert_eq!(rate(&times(hz, 48, 1), false), hz, "first key one frame late");
        }
        let ntsc = 30000.0 / 1001.0;
        assert!((rate(&times(ntsc, 3000, 0), false) - ntsc).abs() < 1e-5);
    }

    #[test]
    fn sparse_keys_get_a_usual_rate_that_meets_them() {
        assert_eq!(rate(&[0.0, 0.5, 1.0, 1.5], false), 30.0);
        assert_eq!(rate(&[0.0, 1.25], false), 24.0);
        assert_eq!(rate(&[0.0, 0.125, 0.75], false), 24.0);
        assert_eq!(rate(&[0.0, 0.5, 1.0, 1.5], true), 60.0);
    }

    #[test]
    fn keys_that_no_rate_meets_still_end_on_a_sample() {
        let sampling = choose(&[0.0, 0.1234567, 0.777], 0.777, false, None, None);
        assert!((sampling.frames - 1.0) / sampling.rate_hz == 0.777 && sampling.origin == Origin::Choice);
        assert!((60.0..62.0).contains(&sampling.rate_hz));
        let short = choose(&[0.0, 1e-4], 1e-4, false, None, None);
        assert_eq!(short.frames, 2.0);
    }

    #[test]
    fn a_wish_counts_where_the_keys_have_no_rate_of_their_own() {
        assert_eq!(choose(&[0.0, 2.0], 2.0, false, None, Some(100.0)).rate_hz, 100.0);
        assert_eq!(choose(&times(24.0, 49, 0), 2.0, false, None, Some(100.0)).rate_hz, 24.0);
        let odd = choose(&[0.0, 1.01], 1.01, false, None, Some(100.0));
        assert_eq!((odd.frames, odd.rate_hz), (102.0, 101.0 / 1.01), "the end stays where it is");
    }

    #[test]
    fn a_stated_rate_counts_while_the_keys_lie_on_its_samples() {
        let ends = [0.0, 2.0];
        let stated = choose(&ends, 2.0, false, Some(72.5), Some(100.0));
        assert_eq!((stated.rate_hz, stated.frames, stated.origin), (72.5, 146.0, Origin::File));
        assert_eq!(choose(&ends, 2.0, false, Some(60.2), None).rate_hz, 30.0, "no sample at the end");
        assert_eq!(choose(&times(24.0, 49, 0), 2.0, false, Some(60.0), None).rate_hz, 24.0, "other keys since");
        assert_eq!(choose(&[0.0], 0.0, false, Some(120.0), None).rate_hz, 120.0, "a single pose");
        for absurd in [Real::NAN, 0.0, -60.0, 1e30] {
            assert_eq!(choose(&ends, 2.0, false, Some(absurd), None).rate_hz, 30.0);
        }
    }
}

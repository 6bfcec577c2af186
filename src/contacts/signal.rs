//! Signals of one number per frame.

use super::low_pass::LowPass;
use crate::math::Real;
use nalgebra::SVector;

/// A signal of one number smoothed; as it is where the cut-off means nothing at this rate.
pub(crate) fn smoothed_signal(signal: &[Real], cutoff_hz: Real, rate_hz: Real) -> Vec<Real> {
    let Some(low_pass) = LowPass::new(cutoff_hz, rate_hz) else { return signal.to_vec() };
    let mut samples: Vec<SVector<Real, 1>> = signal.iter().map(|y| SVector::<Real, 1>::new(*y)).collect();
    low_pass.run(&mut samples);
    samples.iter().map(|y| y.x).collect()
}

/// Second differences of heights.
pub(crate) fn rise_of(heights: impl Iterator<Item = Real>, rate: Real) -> Vec<Real> {
    let y: Vec<Real> = heights.collect();
    let inner = |t: usize| (y[t + 1] - 2.0 * y[t] + y[t - 1]) * rate * rate;
    match y.len() {
        0..3 => vec![0.0; y.len()],
        n => (0..n).map(|t| inner(t.clamp(1, n - 2))).collect(),
    }
}

/// A signal with straight lines where it is not told.
pub(crate) fn bridged(signal: &[Real], told: &[bool]) -> Vec<Real> {
    let known: Vec<usize> = (0..signal.len()).filter(|&t| told[t]).collect();
    (0..signal.len())
        .map(|t| {
            let next = known.partition_point(|&k| k < t);
            match (next.checked_sub(1).map(|k| known[k]), known.get(next)) {
                (_, Some(&k)) if k == t => signal[t],
                (Some(before), Some(&after)) => {
                    let share = (t - before) as Real / (after - before) as Real;
                    signal[before] + (signal[after] - signal[before]) * share
                }
                (Some(end), None) | (None, Some(&end)) => signal[end],
                (None, None) => 0.0,
            }
        })
        .collect()
}

/// The value below which a share of all values lies, interpolated between neighbours in order.
pub(crate) fn percentile(values: &mut [Real], share: Real) -> Option<Real> {
    let place = values.len().checked_sub(1)? as Real * share;
    let at = place.floor() as usize;
    let (_, low, above) = values.select_nth_unstable_by(at, Real::total_cmp);
    let low = *low;
    let next = above.iter().copied().min_by(Real::total_cmp).unwrap_or(low);
    Some(low + (next - low) * (place - at as Real))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_interpolate_between_ranks() {
        let mut values: Vec<Real> = (0..=10).rev().map(Real::from).collect();
        assert_eq!(percentile(&mut values, 0.05), Some(0.5));
        assert_eq!(percentile(&mut values, 1.0), Some(10.0));
        assert_eq!(percentile(&mut [3.0], 0.95), Some(3.0));
        assert_eq!(percentile(&mut [], 0.5), None);
    }
}

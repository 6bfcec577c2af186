//! Paths of least variation within a slack of others.

use super::detect::median;
use crate::contacts::signal::smoothed_signal;
use crate::math::{Real, Vec3, real};

/// Horizontal length.
pub(super) fn level(v: &Vec3) -> Real {
    real::hypot(v.x, v.z)
}

pub(super) fn median_of(points: &[Vec3]) -> Vec3 {
    let axis = |k: usize| median(&points.iter().map(|p| p[k]).collect::<Vec<_>>());
    Vec3::new(axis(0), axis(1), axis(2))
}

pub(super) fn spread(values: &[Real]) -> Real {
    let (low, high) = values.iter().fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    if values.is_empty() { 0.0 } else { high - low }
}

/// Interpolates points over all frames of an interval; the nearest one where none is on a side.
pub(super) fn bridge(told: &[(usize, Vec3)], frames: usize) -> Vec<Vec3> {
    (0..frames)
        .map(|i| {
            let next = told.partition_point(|(k, _)| *k < i);
            match (next.checked_sub(1).and_then(|k| told.get(k)), told.get(next)) {
                (_, Some((k, p))) if *k == i => *p,
                (Some((j, p)), Some((k, q))) => p + (q - p) * ((i - j) as Real / (k - j) as Real),
                (Some((_, p)), None) | (None, Some((_, p))) => *p,
                (None, None) => Vec3::zeros(),
            }
        })
        .collect()
}

/// Returns the path of least variation within a slack of a signal; constant, at the median of the best samples, where possible.
///
/// A path that moves only when pulled is the shortest one, if it starts on the right side of its slack.
pub(super) fn follow(signal: &[Real], slack: Real, best: &[usize], rate: Real) -> Vec<Real> {
    if spread(signal) <= 2.0 * slack {
        let middle = median(&best.iter().map(|&i| signal[i]).collect::<Vec<_>>());
        return vec![middle; signal.len()];
    }
    let (mut low, mut high) = (Real::NEG_INFINITY, Real::INFINITY);
    let mut at = signal[0];
    for value in signal {
        let (from, to) = (value - slack, value + slack);
        if from > high {
            at = high;
            break;
        }
        if to < low {
            at = low;
            break;
        }
        (low, high) = (low.max(from), high.min(to));
    }
    let path: Vec<Real> = signal
        .iter()
        .map(|value| {
            at = at.clamp(value - slack, value + slack);
            at
        })
        .collect();
    if path.len() < 8 { path } else { smoothed_signal(&path, 5.0, rate) }
}

/// Returns the same for places on the ground. The path starts as near to the middle of them all as the slack allows.
pub(super) fn follow_points(points: &[Vec3], slack: Real, rate: Real) -> Vec<Vec3> {
    let Some(mut at) = points.first().copied() else { return Vec::new() };
    let (low, high) = points.iter().fold((at, at), |(low, high), p| (low.inf(p), high.sup(p)));
    let inwards = 0.5 * (low + high) - at;
    at += inwards * (slack / level(&inwards).max(1e-9)).min(1.0);
    let path: Vec<Vec3> = points
        .iter()
        .map(|p| {
            let way = p - at;
            let far = level(&way);
            if far > slack {
                at += way * ((far - slack) / far);
            }
            at
        })
        .collect();
    if path.len() < 8 {
        return path;
    }
    let axis = |k: usize| smoothed_signal(&path.iter().map(|p| p[k]).collect::<Vec<_>>(), 5.0, rate);
    let (x, y, z) = (axis(0), axis(1), axis(2));
    (0..path.len()).map(|i| Vec3::new(x[i], y[i], z[i])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_follower_turns_no_more_than_it_must() {
        let best = [0];
        let signal: Vec<Real> = (0..200).map(|t| (t as Real * 0.01).min(1.0)).collect();
        let path = follow(&signal, 0.2, &best, 120.0);
        let way: Real = path.windows(2).map(|w| (w[1] - w[0]).abs()).sum();
        assert!((way - 0.6).abs() < 0.02, "1 rad less twice the slack, not {way}");
        let still = follow(&signal[..30], 0.2, &[10], 120.0);
        assert!(still.iter().all(|v| *v == signal[10]), "what stays within the slack does not turn");
    }

    /// Along a line of 0.3 m, a path with a slack of 0.14 m to both sides is 2 cm long, and one with a slack of 0.15 m has no
    /// length.
    #[test]
    fn a_follower_of_places_goes_no_farther_than_it_must() {
        let points: Vec<Vec3> = (0..=60).map(|t| Vec3::new(0.1, 0.0, 0.005 * t as Real)).collect();
        let way =
            |slack: Real| follow_points(&points, slack, 120.0).windows(2).map(|w| (w[1] - w[0]).norm()).sum::<Real>();
        assert!((way(0.14) - 0.02).abs() < 0.005, "{}", way(0.14));
        assert!(way(0.151) < 1e-9);
    }
}

//! Height of the ground below a motion, from the heights of its lowest points.

use crate::math::Real;

/// Largest error of the floor in a capture, metres for the reference height.
pub(crate) const LEVEL_ERROR: Real = 0.06;

/// Returns the height of the ground, given the lowest foot point of some frames, metres.
pub(crate) fn ground_level(lowest: &mut [Real], size_scale: Real) -> Real {
    if lowest.is_empty() {
        return 0.0;
    }
    let at = (lowest.len() - 1) / 20;
    let (_, height, _) = lowest.select_nth_unstable_by(at, Real::total_cmp);
    const GRID: Real = 0.05;
    if height.abs() < LEVEL_ERROR * size_scale { 0.0 } else { (*height / GRID).round() * GRID }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_near_zero_is_zero_and_another_is_on_the_grid() {
        assert_eq!(ground_level(&mut [0.012, 0.03, 0.2], 1.0), 0.0);
        assert!((ground_level(&mut [-0.176, -0.17, 0.1], 1.0) + 0.2).abs() < 1e-12);
        assert_eq!(ground_level(&mut [], 1.0), 0.0);
    }
}

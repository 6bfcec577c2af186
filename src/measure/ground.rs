//! Where the ground is.

use super::points::Point;
use crate::dynamics::Placement;
use crate::math::Real;

/// The share of the frames whose lowest foot point may be below the ground.
const SHARE: Real = 0.05;

/// Finds y = g as the 5th percentile over frames of the lowest foot point.
pub(super) struct GroundFinder {
    lowest: Vec<Real>,
    feet: bool,
}

impl GroundFinder {
    pub fn new(points: &[Point]) -> Self {
        Self { lowest: Vec::new(), feet: points.iter().any(Point::is_foot) }
    }

    pub fn add(&mut self, points: &[Point], placements: &[Placement]) {
        let told = points.iter().filter(|point| point.is_foot() || !self.feet);
        let lowest = told.map(|point| point.world(placements).y).fold(Real::INFINITY, Real::min);
        // A figure without any shape still has joints.
        let joints = || placements.iter().map(|p| p.position.y).fold(Real::INFINITY, Real::min);
        self.lowest.push(if lowest.is_finite() { lowest } else { joints() });
    }

    pub fn finish(mut self) -> Option<Real> {
        percentile(&mut self.lowest, SHARE).filter(|g| g.is_finite())
    }
}

/// The value below which a share of all values lies, interpolated between neighbours in order.
pub(super) fn percentile(values: &mut [Real], share: Real) -> Option<Real> {
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

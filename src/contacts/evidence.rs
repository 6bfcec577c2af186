//! Evidence of contact: readiness of a point near the ground to carry force, by its height h and speed v,
//!
//!   ρ = exp(−½ (h/σ_h)² − ½ (v/σ_v)²).
//!
//! A contact that begins and ends by thresholds passes its load within a frame. Forces whose cost grows as 1/ρ² come and go
//! gradually, and the dynamics decide how much of them is needed meanwhile.

use crate::math::{Real, real};

/// Spread σ_h of the height of a loaded sole that is taken as rigid, metres for the reference height: heel pad, shoe and
/// toes yield by about so much.
pub(crate) const HEIGHT: Real = 0.010;
/// Spread σ_v of the speed of a sole that takes up or gives up its load, m/s for the reference height: at both events plates
/// show soles of walking people to move with about 1 m/s.
const SPEED: Real = 0.7;
/// Readiness ρ₀ at which a point carries as probably as not.
pub(crate) const READY: Real = 0.05;
/// Readiness below which a point carries nothing.
pub(crate) const LEAST_READINESS: Real = 1e-3;

/// Returns the readiness of a point to carry force, 0 to 1. Height in metres above the ground, speed in m/s.
pub(crate) fn readiness(height: Real, speed: Real, size_scale: Real) -> Real {
    let (h, v) = (height.max(0.0) / (HEIGHT * size_scale), speed / (SPEED * size_scale));
    real::exp(-0.5 * (h * h + v * v))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points at rest in the ground carry fully; readiness falls with height and speed, and lengths scale with the body.
    #[test]
    fn readiness_falls_with_height_and_speed() {
        assert!((readiness(-0.01, 0.0, 1.0) - 1.0).abs() < 1e-12);
        assert!(readiness(0.01, 0.0, 1.0) > readiness(0.02, 0.0, 1.0));
        assert!(readiness(0.0, 0.5, 1.0) > readiness(0.0, 1.0, 1.0));
        assert!((readiness(0.02, 1.0, 2.0) - readiness(0.01, 0.5, 1.0)).abs() < 1e-12);
        // A foot in mid-swing carries nothing, low as it is.
        assert!(readiness(0.012, 3.5, 1.0) < LEAST_READINESS);
    }
}

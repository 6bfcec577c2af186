//! Trip: lasting control error switches a figure to a rag-doll, and it may come back.
//!
//! ```text
//!             error ≥ threshold              after `lies_for`                 blended in
//!  tracking ───────────────────▶ fallen ───────────────────▶ coming back ───────────────▶ tracking
//!      ▲                                                        (no trip until error ≤ release)
//! ```
//!
//! The error is low-pass filtered, so that a single step does not count (Zordan et al. 2005, *Dynamic response for motion
//! capture animation*, have the same two thresholds).

use crate::math::{Real, real};

/// Watches the control error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trip {
    /// Filtered error from which the figure falls, radians.
    pub threshold: Real,
    /// Filtered error below which it may fall again after it came back, radians.
    pub release: Real,
    /// Time constant of the filter, seconds.
    pub time_constant: Real,
    /// Time that it stays a rag-doll before it comes back, seconds; infinite if it never does.
    pub lies_for: Real,
    /// Duration of coming back, seconds.
    pub blend: Real,
    filtered: Real,
    phase: Phase,
}

/// Phase of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Follows its targets with full strength.
    Tracking,
    /// Rag-doll without strength.
    Fallen {
        /// Start of the phase, seconds.
        since: Real,
    },
    /// Strength is blended in again.
    ComingBack {
        /// Start of the phase, seconds.
        since: Real,
    },
}

impl Default for Trip {
    fn default() -> Self {
        Self::at(4.0_f64.to_radians())
    }
}

impl Trip {
    /// Falls at this error, radians, for good.
    pub fn at(threshold: Real) -> Self {
        Self {
            threshold,
            release: threshold / 3.0,
            time_constant: 0.02,
            lies_for: Real::INFINITY,
            blend: 0.5,
            filtered: 0.0,
            phase: Phase::Tracking,
        }
    }

    /// Changes the error at which it falls, radians, and with it the one below which it may fall again.
    pub fn set_threshold(&mut self, threshold: Real) {
        self.release *= threshold / self.threshold;
        self.threshold = threshold;
    }

    /// Current phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Low-pass filtered control error, radians.
    pub fn filtered_error(&self) -> Real {
        self.filtered
    }

    /// Updates the filter with the error (radians) at a time, `dt` seconds after the last one. Returns the activation, 0 to 1.
    pub fn update(&mut self, error: Real, time: Real, dt: Real) -> Real {
        self.filtered += (error - self.filtered) * (1.0 - real::exp(-dt / self.time_constant));
        match self.phase {
            Phase::Tracking if self.filtered >= self.threshold => self.phase = Phase::Fallen { since: time },
            Phase::Fallen { since } if time - since >= self.lies_for => {
                self.phase = Phase::ComingBack { since: time };
            }
            Phase::ComingBack { since } if time - since >= self.blend && self.filtered <= self.release => {
                self.phase = Phase::Tracking;
            }
            _ => {}
        }
        match self.phase {
            Phase::Tracking => 1.0,
            Phase::Fallen { .. } => 0.0,
            Phase::ComingBack { since } => {
                let u = ((time - since) / self.blend).clamp(0.0, 1.0);
                u * u * (3.0 - 2.0 * u)
            }
        }
    }

    /// Makes it fall now.
    pub fn fall(&mut self, time: Real) {
        self.phase = Phase::Fallen { since: time };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_of_one_step_does_not_trip_and_an_error_that_lasts_does_with_the_filters_time_constant() {
        let mut trip = Trip::at(0.1);
        let dt = 1e-3;
        assert_eq!(trip.update(1.0, 0.0, dt), 1.0);
        let mut time = dt;
        while trip.update(0.2, time, dt) > 0.0 {
            time += dt;
        }
        // 0.2 (1 − e^(−t/τ)) = 0.1 at t = τ ln 2; the spike gives it a start of (1 − e^(−dt/τ)).
        assert!((time - 0.02 * (2.0_f64).ln()).abs() < 6e-3, "{time}");
    }

    #[test]
    fn it_comes_back_smoothly_and_does_not_fall_again_before_the_error_was_small() {
        let mut trip = Trip { lies_for: 1.0, blend: 0.5, ..Trip::at(0.1) };
        let dt = 0.01;
        let mut last: Real = 1.0;
        for step in 0..400 {
            let time = step as Real * dt;
            // The error stays large until long after it has come back.
            let activation = trip.update(if time < 3.0 { 0.5 } else { 0.0 }, time, dt);
            if time > 0.2 {
                assert!((activation - last).abs() < 0.05, "{time}: {last} → {activation}");
            }
            last = activation;
        }
        assert_eq!(trip.phase(), Phase::Tracking);
    }
}

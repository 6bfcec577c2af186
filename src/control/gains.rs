//! Gains of a controller: a frequency and a damping ratio that fit every joint of every figure.
//!
//! ```text
//!  K = I ω²      D = 2 ζ I ω      ω = 2π f
//! ```
//!
//! I is the inertia that the controller moves (see [`super::carried_inertia`]), so that a finger and a hip answer in the same time.

use crate::math::Real;
use std::f64::consts::TAU;

/// Frequency and damping of a controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Hz.
    pub frequency: Real,
    /// 1 is critical.
    pub damping_ratio: Real,
}

impl Gains {
    /// Critically damped.
    pub fn critical(frequency: Real) -> Self {
        Self { frequency, damping_ratio: 1.0 }
    }

    /// Stiffness and damping for an inertia: N·m/rad and N·m·s/rad for kg·m², N/m and N·s/m for kg.
    ///
    /// ```
    /// use sinew::control::Gains;
    /// let (stiffness, damping) = Gains::critical(1.0).spring(2.0);
    /// assert!((stiffness - 78.957).abs() < 1e-3 && (damping - 25.133).abs() < 1e-3);
    /// ```
    #[inline]
    pub fn spring(&self, inertia: Real) -> (Real, Real) {
        let omega = TAU * self.frequency;
        (inertia * omega * omega, 2.0 * self.damping_ratio * inertia * omega)
    }
}

impl Default for Gains {
    /// Stiff enough to follow a run within half a degree.
    fn default() -> Self {
        Self::critical(30.0)
    }
}

//! Bound of the root assistance as a whole: one length for its force, one for its torque.
//!
//! Springs are limited axis by axis, but a bound is meant for the vector. Each step shares the bound out anew, to those axes that
//! took all they had, so that the squares of the limits never sum up to more than the square of the bound.

use crate::control::RootAxis;
use crate::math::{Real, Vec3, Vec6};

/// Share of its limit below which the force of an axis needs no larger limit.
const ENOUGH: Real = 0.9;
/// Next limit of such an axis relative to its force.
const ROOM: Real = 1.25;
/// Least limit of an axis as a share of the bound.
const LEAST: Real = 0.2;

/// Bounded root assistance.
#[derive(Clone, Copy, Debug)]
pub(super) struct AssistBound {
    axes: [RootAxis; 6],
    /// Most force, N, and torque, N·m.
    bounds: [Real; 2],
    /// Limits of the axes in the coming step.
    limits: [Vec3; 2],
}

impl AssistBound {
    pub fn new(axes: [RootAxis; 6], bounds: [Real; 2]) -> Self {
        Self { axes, bounds, limits: bounds.map(|bound| Vec3::repeat(bound / 3.0_f64.sqrt())) }
    }

    /// Axes with the limits of the coming step.
    pub fn axes(&self) -> [RootAxis; 6] {
        std::array::from_fn(|k| RootAxis { limit: self.limits[k / 3][k % 3], ..self.axes[k] })
    }

    /// Shares the bounds out by the force (N) and torque (N·m) of the last step.
    pub fn share(&mut self, taken: &Vec6) {
        for (k, limits) in self.limits.iter_mut().enumerate() {
            *limits = shared_out(&taken.fixed_rows::<3>(3 * k).into(), limits, self.bounds[k]);
        }
    }
}

/// Next limits of three axes, whose squares sum up to that of the bound: axes that have enough keep a little more than they
/// took, all others share the rest.
fn shared_out(taken: &Vec3, limits: &Vec3, bound: Real) -> Vec3 {
    let content: [bool; 3] = std::array::from_fn(|k| taken[k].abs() < ENOUGH * limits[k]);
    let keeps = |k: usize| (ROOM * taken[k].abs()).clamp(LEAST * bound, limits[k].max(LEAST * bound));
    let kept: Real = (0..3).filter(|&k| content[k]).map(|k| keeps(k).powi(2)).sum();
    let wanting = content.iter().filter(|content| !**content).count();
    let rest = (bound * bound - kept).max(0.0);
    if wanting == 0 {
        // No axis is at its limit: the rest is spread over all.
        return Vec3::from_fn(|k, _| (keeps(k).powi(2) + rest / 3.0).sqrt());
    }
    Vec3::from_fn(|k, _| if content[k] { keeps(k) } else { (rest / wanting as Real).sqrt() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One axis that needs it gets nearly all of the bound in the end, however the shares began; and no sum is ever above it.
    #[test]
    fn the_bound_goes_to_the_axis_that_needs_it() {
        let wanted = Vec3::new(3.0, -0.05, 0.1);
        let mut limits = Vec3::repeat(1.0 / 3.0_f64.sqrt());
        for _ in 0..20 {
            let taken = wanted.zip_map(&limits, |wanted, limit| wanted.clamp(-limit, limit));
            limits = shared_out(&taken, &limits, 1.0);
            assert!(limits.norm() <= 1.0 + 1e-12, "{limits}");
        }
        assert!(limits.x > 0.95, "{limits}");
        let wanted = Vec3::new(0.1, 0.1, -5.0);
        for _ in 0..20 {
            let taken = wanted.zip_map(&limits, |wanted, limit| wanted.clamp(-limit, limit));
            limits = shared_out(&taken, &limits, 1.0);
        }
        assert!(limits.z > 0.95, "{limits}");
    }
}

//! Acceptance of a motion as physical.

use super::{Motion, Problem};
use crate::math::Real;
use crate::measure::acceptance::solver as seen;

impl Problem<'_> {
    /// Returns true if the evaluated motion is physical, but for deviations that are not visible.
    pub fn is_physical(&self, motion: &Motion) -> bool {
        let size_scale = self.figure.size_scale();
        let (mut force, mut frames) = (0.0, 0);
        let (mut squares, mut targets) = (0.0, 0);
        let mut fine = true;
        for t in self.fixed..self.count() {
            if let Some(response) = &motion.responses[t] {
                let (own, turning) = (response.left.fixed_rows::<3>(0).norm(), response.left.fixed_rows::<3>(3).norm());
                force += own.max(turning);
                frames += 1;
                fine &= own.max(turning) < seen::RESIDUAL_MAX;
            }
            let places = &motion.places[t];
            self.for_each_target(t, motion, 1.0, |_, _, error, _, _| {
                fine &= error.norm() < seen::TARGET_MAX * size_scale;
                squares += error.norm_squared();
                targets += 1;
            });
            self.for_each_depth(t, places, 1.0, |_, _, _, depth, _| fine &= depth < seen::DEPTH * size_scale);
            self.for_each_excess(t, motion, |_, depth, _| fine &= depth < seen::EXCESS);
            fine &= self.frames[t]
                .segment_contacts
                .iter()
                .all(|m| self.segment_contact(m, places).0 < seen::OVERLAP * size_scale);
            if !fine {
                return false;
            }
        }
        force <= seen::RESIDUAL_MEAN * frames as Real
            && squares <= (seen::TARGET_MEAN * size_scale).powi(2) * targets as Real
    }

    /// Returns how far the evaluated motion is from physical: missing forces and depth in the ground, over those of a physical
    /// clip. At most 1 for a physical motion.
    pub fn support_deficit(&self, motion: &Motion) -> Real {
        let size_scale = self.figure.size_scale();
        let (mut force, mut frames, mut most, mut deepest) = (0.0, 0, 0.0_f64, 0.0_f64);
        for t in self.fixed..self.count() {
            if let Some(response) = &motion.responses[t] {
                let left = response.left.fixed_rows::<3>(0).norm().max(response.left.fixed_rows::<3>(3).norm());
                force += left;
                frames += 1;
                most = most.max(left);
            }
            for &index in &self.frames[t].near_ground {
                let surface_points = &self.surface_points[index];
                let under =
                    self.plan.ground.under(&motion.places[t].point(surface_points.segment, &surface_points.local));
                deepest = deepest.max(surface_points.radius - under.height);
            }
        }
        let mean = force / frames.max(1) as Real;
        (mean / seen::RESIDUAL_MEAN).max(most / seen::RESIDUAL_MAX).max(deepest / (seen::DEPTH * size_scale))
    }
}

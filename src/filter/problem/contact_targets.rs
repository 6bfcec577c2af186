//! Contact targets: each corner in contact is drawn to its place, Σ ‖c − place‖²/σ².

use super::{Motion, Problem};
use crate::filter::weights::SOFTEST_TARGET;
use crate::math::{Real, Vec3};

impl Problem<'_> {
    /// Calls `show` with segment, point, error, weight and contact interval of every corner in contact in a frame.
    pub(super) fn for_each_target(
        &self,
        t: usize,
        motion: &Motion,
        firmness: Real,
        mut show: impl FnMut(usize, Vec3, Vec3, Real, Option<usize>),
    ) {
        let weight = self.weights.target * firmness;
        for target in self.frames[t].targets {
            let corner = &self.plan.corners[target.corner];
            let point = motion.places[t].point(corner.segment, &corner.local);
            let place = target.place + self.offset_of(target.interval, motion) + target.normal * corner.radius;
            let weight = weight * target.load.clamp(SOFTEST_TARGET, 1.0).powi(2);
            show(corner.segment, point, point - place, weight, target.interval);
        }
    }

    /// Calls `show` for every unloaded contact: segment, point, error along the ground, normal (along which it is free),
    /// weight, interval.
    pub(super) fn for_each_unloaded(
        &self,
        t: usize,
        motion: &Motion,
        firmness: Real,
        mut show: impl FnMut(usize, Vec3, Vec3, Vec3, Real, Option<usize>),
    ) {
        for contact in self.frames[t].unloaded {
            let corner = &self.plan.corners[contact.corner];
            let point = motion.places[t].point(corner.segment, &corner.local);
            let off = point - contact.place - self.offset_of(contact.interval, motion);
            let along = off - contact.normal * off.dot(&contact.normal);
            show(corner.segment, point, along, contact.normal, self.weights.unloaded * firmness, contact.interval);
        }
    }
}

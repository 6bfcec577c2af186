//! Corners that stand: each is drawn to its place, Σ ‖c − place‖²/σ².

use super::{Motion, Problem};
use crate::filter::weights::SOFTEST_PIN;
use crate::math::{Real, Vec3};

impl Problem<'_> {
    /// Shows segment, place, distance from where it should be, weight and stance of every corner that stands in a frame.
    pub(super) fn for_each_pin(
        &self,
        t: usize,
        motion: &Motion,
        firmness: Real,
        mut show: impl FnMut(usize, Vec3, Vec3, Real, Option<usize>),
    ) {
        let weight = self.weights.pin * firmness;
        for pin in self.frames[t].pins {
            let corner = &self.plan.corners[pin.corner];
            let point = motion.places[t].point(corner.segment, &corner.local);
            let place = pin.place + self.step_of(pin.stance, motion) + pin.normal * corner.radius;
            let weight = weight * pin.load.clamp(SOFTEST_PIN, 1.0).powi(2);
            show(corner.segment, point, point - place, weight, pin.stance);
        }
    }

    /// The same for corners just above their places: what they are off along the ground, and the way along which they are free.
    pub(super) fn for_each_hover(
        &self,
        t: usize,
        motion: &Motion,
        firmness: Real,
        mut show: impl FnMut(usize, Vec3, Vec3, Vec3, Real, Option<usize>),
    ) {
        for hover in self.frames[t].hovers {
            let corner = &self.plan.corners[hover.corner];
            let point = motion.places[t].point(corner.segment, &corner.local);
            let off = point - hover.place - self.step_of(hover.stance, motion);
            let along = off - hover.normal * off.dot(&hover.normal);
            show(corner.segment, point, along, hover.normal, self.weights.hover * firmness, hover.stance);
        }
    }
}

//! Residual wrench and ground reaction over a clip.

use super::instant::Instant;
use super::{Key, Report};
use crate::math::Real;

/// Mean and largest of something over frames.
#[derive(Clone, Copy, Default)]
pub(super) struct Spread {
    sum: Real,
    pub most: Real,
    pub count: usize,
}

impl Spread {
    pub fn add(&mut self, value: Real) {
        self.most = if self.count == 0 { value } else { self.most.max(value) };
        self.sum += value;
        self.count += 1;
    }

    pub fn mean(&self) -> Real {
        self.sum / self.count.max(1) as Real
    }
}

/// Residual wrench and vertical force.
#[derive(Default)]
pub(super) struct Residual {
    /// Over body weight.
    pub force: Spread,
    /// Over body weight and height.
    pub torque: Spread,
    /// Vertical force over body weight.
    pub reaction: Spread,
    /// Frame of the largest vertical force.
    pub peak: usize,
}

impl Residual {
    pub fn add(&mut self, frame: usize, instant: &Instant) {
        let part = |first: usize| instant.residual.fixed_rows::<3>(first).norm();
        self.add_parts(frame, part(0), part(3), instant.force.y / instant.weight);
    }

    /// Force, torque and vertical reaction of a frame, over body weight and height.
    pub fn add_parts(&mut self, frame: usize, force: Real, torque: Real, vertical: Real) {
        self.force.add(force);
        self.torque.add(torque);
        if self.reaction.count == 0 || vertical > self.reaction.most {
            self.peak = frame;
        }
        self.reaction.add(vertical);
    }

    pub fn tell(&self, report: &mut Report, rate: Real) {
        report.set(Key::ResidualForceMean, self.force.mean());
        report.set(Key::ResidualForceMax, self.force.most);
        report.set(Key::ResidualTorqueMean, self.torque.mean());
        report.set(Key::ResidualTorqueMax, self.torque.most);
        report.set(Key::ReactionMean, self.reaction.mean());
        report.set(Key::ReactionPeak, self.reaction.most);
        report.peak_force_at = Some(self.peak as Real / rate);
    }
}

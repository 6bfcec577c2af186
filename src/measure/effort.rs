//! Torques of the joints: recursive Newton–Euler from the leaves to the roots.
//!
//!   F_k = m (a − γ) − Σ ground forces on k + Σ children F
//!   τ_k = I α + ω × I ω + (c − p_k) × m (a − γ) − Σ (x − p_k) × ground force + Σ children τ + (p_child − p_k) × F_child
//!
//! about the joint p_k, so τ_k is what the parent must exert. Of it counts what a muscle could do: all of it at a ball,
//! the part about the axis at a hinge, nothing at a fixed joint. What roots would need is the residual, not effort.

use super::instant::Instant;
use super::kinetics::BodyMotion;
use super::residual::Spread;
use super::{Family, Key, Report};
use crate::figure::{AttachmentKind, Figure};
use crate::math::{GRAVITY, Real, Vec3, real};

#[derive(Default)]
pub(super) struct Effort {
    /// Joint torques over joints and frames, N·m.
    pub torque: Spread,
    /// Sum of the powers of all joints, W.
    pub power: Spread,
    /// Horizontal travel of the centre of mass, metres.
    pub way: Real,
    last: Option<Vec3>,
    /// Positions of the joints, and the forces and torques in them.
    places: Vec<Vec3>,
    forces: Vec<Vec3>,
    torques: Vec<Vec3>,
}

impl Effort {
    /// Torques of the last frame by segment, exerted by the parent, N·m, world axes; of roots, what they would need.
    pub fn torques(&self) -> &[Vec3] {
        &self.torques
    }

    /// Takes a frame; gives its power, W.
    pub fn add(&mut self, figure: &Figure, bodies: &[BodyMotion], instant: &Instant) -> Real {
        if let Some(last) = self.last.replace(instant.centre) {
            let step = instant.centre - last;
            self.way += real::hypot(step.x, step.z);
        }
        let segments = figure.segments();
        self.places.clear();
        self.forces.clear();
        self.torques.clear();
        for (segment, body) in segments.iter().zip(bodies) {
            let place = body.point(&Vec3::zeros(), &segment.centre);
            let force = (body.acceleration + Vec3::y() * GRAVITY) * segment.mass.mass;
            self.torques.push(body.torque(&segment.mass.inertia) + (body.centre - place).cross(&force));
            self.places.push(place);
            self.forces.push(force);
        }
        for ground in &instant.ground_forces {
            self.forces[ground.segment] -= ground.force;
            self.torques[ground.segment] -= (ground.at - self.places[ground.segment]).cross(&ground.force);
        }
        let mut power = 0.0;
        for (k, segment) in segments.iter().enumerate().rev() {
            let Some(parent) = segment.parent.filter(|_| segment.attachment.kind != AttachmentKind::Free) else {
                continue;
            };
            let (force, torque) = (self.forces[k], self.torques[k]);
            self.forces[parent] += force;
            self.torques[parent] += torque + (self.places[k] - self.places[parent]).cross(&force);
            let axis = bodies[parent].rotation * (segment.attachment.frame_a.rotation * Vec3::z());
            let by_muscle = match segment.attachment.kind {
                AttachmentKind::Ball | AttachmentKind::Universal => torque,
                AttachmentKind::Hinge => axis * axis.dot(&torque),
                AttachmentKind::Fixed | AttachmentKind::Free => continue,
            };
            self.torque.add(by_muscle.norm());
            power += by_muscle.dot(&(bodies[k].spin - bodies[parent].spin)).abs();
        }
        self.power.add(power);
        power
    }
}

/// Tells torques (N·m), power (W) and what a metre of way costs.
pub(super) fn tell(torque: &Spread, power: &Spread, way: Real, rate: Real, height: Real, report: &mut Report) {
    if torque.count == 0 {
        report.explain_all(Family::Effort, "the figure has no joints that muscles could move");
        return;
    }
    report.set(Key::TorquePeak, torque.most);
    report.set(Key::TorqueMean, torque.mean());
    report.set(Key::PowerMean, power.mean());
    match cost(power, way, rate, height) {
        Some(cost) => report.set(Key::Cost, cost),
        None => report.explain(Key::Cost, "the body hardly travels"),
    }
}

/// J/m of a mean power over frames at this rate and a way; none where the body hardly travels.
fn cost(power: &Spread, way: Real, rate: Real, height: Real) -> Option<Real> {
    // The first frame adds no way.
    let time = power.count.saturating_sub(1) as Real / rate;
    (way > 0.3 * height).then(|| power.mean() * time / way)
}

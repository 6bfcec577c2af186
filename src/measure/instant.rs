//! One frame as the dynamics sees it: what the motion asks for, and what the ground can give.
//!
//! With segments of mass m, centre c, inertia I and the acceleration of gravity γ, the world must act on the body with
//!
//!   F = Σ m (a − γ),   τ_o = Σ (c − o) × m (a − γ) + I α + ω × I ω     about the root joint o
//!
//! Forces act where points in contact stand over the ground plane, on both corners of a sole.

use super::cone::ConeFit;
use super::contacts::Contact;
use super::ground::Ground;
use super::kinetics::BodyMotion;
use super::points::Point;
use crate::figure::Figure;
use crate::math::{GRAVITY, Real, Vec3, Vec6};

/// A force of the ground on a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroundForce {
    pub segment: usize,
    /// Index among the points that may touch.
    pub point: usize,
    /// Point of application on the ground, metres, world space.
    pub at: Vec3,
    /// Force on the body, N.
    pub force: Vec3,
}

/// A frame and its forces; buffers are kept from frame to frame.
pub(super) struct Instant<'a> {
    figure: &'a Figure,
    points: &'a [Point],
    ground: Ground,
    friction: Real,
    pub weight: Real,
    fit: ConeFit,
    /// The root joint, metres.
    pub origin: Vec3,
    /// Centre of mass, metres, and its acceleration, m/s².
    pub centre: Vec3,
    pub acceleration: Vec3,
    /// Wrench that the motion requires, N and N·m about the root joint.
    pub force: Vec3,
    pub torque: Vec3,
    /// Forces of the ground.
    pub ground_forces: Vec<GroundForce>,
    /// Readiness of each to carry force.
    ready: Vec<Real>,
    /// Wrench that the ground cannot supply: force over body weight, torque over body weight and height.
    pub residual: Vec6,
}

impl<'a> Instant<'a> {
    pub fn new(figure: &'a Figure, points: &'a [Point], ground: Ground, friction: Real) -> Self {
        let zero = Vec3::zeros();
        Self {
            figure,
            points,
            ground,
            friction,
            weight: figure.mass() * GRAVITY,
            fit: ConeFit::default(),
            origin: zero,
            centre: zero,
            acceleration: zero,
            force: zero,
            torque: zero,
            ground_forces: Vec::new(),
            ready: Vec::new(),
            residual: Vec6::zeros(),
        }
    }

    /// Takes a frame with what is in contact in it.
    pub fn set(&mut self, bodies: &[BodyMotion], contacts: &[&Contact]) {
        self.set_ready(bodies, contacts.iter().map(|contact| (contact.point, 1.0)));
    }

    /// Takes a frame with the points that may carry force, and how ready each is to do so.
    pub fn set_ready(&mut self, bodies: &[BodyMotion], ready: impl Iterator<Item = (usize, Real)>) {
        let segments = self.figure.segments();
        let place = |segment: usize, local: &Vec3| bodies[segment].point(local, &segments[segment].centre);
        self.origin = place(0, &Vec3::zeros());
        let (mut centre, mut change, mut torque) = (Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
        for (segment, body) in segments.iter().zip(bodies) {
            let mass = segment.mass.mass;
            centre += body.centre * mass;
            change += body.acceleration * mass;
            let asked = (body.acceleration + Vec3::y() * GRAVITY) * mass;
            torque += (body.centre - self.origin).cross(&asked) + body.torque(&segment.mass.inertia);
        }
        let mass = self.weight / GRAVITY;
        (self.centre, self.acceleration) = (centre / mass, change / mass);
        (self.force, self.torque) = (change + Vec3::y() * self.weight, torque);
        self.ground_forces.clear();
        self.ready.clear();
        for (index, ready) in ready {
            let point = &self.points[index];
            let corners = [point.across, -point.across];
            for across in corners.iter().take(if point.across == Vec3::zeros() { 1 } else { 2 }) {
                let mut at = place(point.segment, &(point.local + across));
                at.y = self.ground.below(&at);
                let segment = point.segment;
                self.ground_forces.push(GroundForce { segment, point: index, at, force: Vec3::zeros() });
                self.ready.push(ready);
            }
        }
        let moment = self.weight * self.figure.height;
        let (f, t) = (self.force / self.weight, self.torque / moment);
        let wanted = Vec6::new(f.x, f.y, f.z, t.x, t.y, t.z);
        let arms = self.ground_forces.iter().map(|force| (force.at - self.origin) / self.figure.height);
        self.residual = self.fit.solve_ready(&wanted, arms.zip(self.ready.iter().copied()), self.friction);
        for (ground, force) in self.ground_forces.iter_mut().zip(&self.fit.forces) {
            ground.force = force * self.weight;
        }
    }
}

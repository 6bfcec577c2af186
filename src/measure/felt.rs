//! Forces of a recorded run: read from the recording instead of estimated from the motion.
//!
//! A clip tells how a body moved; which forces did it has to be guessed. A recording has them: the wrench that the root was
//! given, the forces of every contact, the torque of every muscle.
//!
//! ```text
//!  residual   F / W,  (τ + (c − o) × F) / (W H)      the root's assistance, about the root joint o
//!  reaction   Σ f_y / W                              all contacts with the world
//!  balance    distance of Σ f_y x / Σ f_y from the polygon of the points that push: 0, unless something else holds
//!  effort     |τ|;  Σ |τ · (ω_child − ω_parent)|;  that work per metre of way
//! ```
//!
//! The pressure point of real contacts lies inside their polygon by nature. So balance asks for the point where the ground
//! would have to push if the root were let go: the moment of the assistance counts with that of the contacts.

use super::balance::{self, convex_hull, distance, pressure_point};
use super::effort;
use super::residual::{Residual, Spread};
use super::{Family, Report};
use crate::dynamics::State;
use crate::figure::{AttachmentKind, Figure};
use crate::math::{GRAVITY, Real, Vec3, real};
use crate::record::FigureRecording;

/// Frames that carry less than this share of the weight have no balance to speak of.
const CARRIES: Real = 0.2;

#[derive(Default)]
struct Felt {
    residual: Residual,
    balance: Spread,
    effort: Spread,
    power: Spread,
    way: Real,
    last: Option<Vec3>,
    feet: Vec<[Real; 2]>,
    hull: Vec<[Real; 2]>,
    states: Vec<State>,
}

/// Puts what a recording felt in place of what was worked out from its poses.
pub(super) fn put(report: &mut Report, figure: &Figure, recording: &FigureRecording<'_>) {
    let mut felt = Felt::default();
    // The first frame is the start: no step led to it, so nothing was felt yet.
    for frame in 1..recording.frames() {
        felt.add(figure, recording, frame);
    }
    let families = [Family::Residual, Family::Balance, Family::Reaction, Family::Effort];
    families.iter().for_each(|&family| report.clear(family));
    report.peak_force_at = None;
    if felt.residual.force.count == 0 {
        families.iter().for_each(|&family| report.explain_all(family, "nothing was felt before the first step"));
        return;
    }
    let rate = recording.rate_hz();
    felt.residual.tell(report, rate);
    balance::tell(&felt.balance, report);
    effort::tell(&felt.effort, &felt.power, felt.way, rate, figure.height, report);
}

impl Felt {
    fn add(&mut self, figure: &Figure, recording: &FigureRecording<'_>, frame: usize) {
        let weight = figure.mass() * GRAVITY;
        let segments = figure.segments();
        self.states.clear();
        self.states.extend((0..segments.len()).map(|k| recording.state(frame, k)));
        let states = &self.states;
        let joint = segments[0].joint_frame(&states[0].placement).position;
        let assistance = recording.residual(frame);
        let force: Vec3 = assistance.fixed_rows::<3>(0).into();
        let about_centre: Vec3 = assistance.fixed_rows::<3>(3).into();
        let torque = about_centre + (states[0].placement.position - joint).cross(&force);

        let mut moment = torque + joint.cross(&force);
        let (mut push, mut level) = (force, Real::INFINITY);
        self.feet.clear();
        let mut lift = 0.0;
        for (_, point, on_figure) in recording.contacts(frame) {
            lift += on_figure.y;
            if on_figure.y > 0.0 {
                self.feet.push([point.x, point.z]);
                level = level.min(point.y);
            }
            push += on_figure;
            moment += point.cross(&on_figure);
        }
        let lift = lift / weight;
        self.residual.add_parts(frame, force.norm() / weight, torque.norm() / (weight * figure.height), lift);
        if !self.feet.is_empty() && push.y > CARRIES * weight {
            let point = pressure_point(&push, &moment, level);
            convex_hull(&mut self.feet, &mut self.hull);
            self.balance.add(distance(&self.hull, point));
        }

        let mass: Real = segments.iter().map(|s| s.mass.mass).sum();
        let centre = segments.iter().zip(states).map(|(s, state)| state.placement.position * s.mass.mass).sum::<Vec3>();
        let centre = centre / mass.max(1e-12);
        if let Some(last) = self.last.replace(centre) {
            self.way += real::hypot(centre.x - last.x, centre.z - last.z);
        }
        let mut power = 0.0;
        for (k, segment) in segments.iter().enumerate() {
            let Some(parent) = segment.parent.filter(|_| moves(segment.attachment.kind)) else { continue };
            let torque = recording.torque(frame, k);
            self.effort.add(torque.norm());
            power += torque.dot(&(states[k].angular() - states[parent].angular())).abs();
        }
        self.power.add(power);
    }
}

fn moves(kind: AttachmentKind) -> bool {
    matches!(kind, AttachmentKind::Ball | AttachmentKind::Universal | AttachmentKind::Hinge)
}

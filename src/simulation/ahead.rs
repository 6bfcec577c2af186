//! What a wanted motion asks of the joints in the coming step: how fast they turn, and with which torques.
//!
//! A world steps by x' = x ⊕ h v. A target that gets from x̄ to x̄' in a step therefore moves at v̄ = (x̄' ⊖ x̄)/h in it, not at
//! the speed it has at the end: with that one, spring and damper disagree by ½hα and the joint lags by hα/ω, however slow
//! the motion. And what changes v̄ from the last step to this one are forces, by Newton and Euler, from the tips inwards:
//!
//! ```text
//!  f = m (v̄ − v̄₋)/h − m g + Σ f below          L = I ω̄
//!  τ = (L − L₋)/h + (c − p) × f_own + Σ (τ + (p_below − p) × f) below
//! ```
//!
//! A muscle that is told τ beforehand has nothing left to do but what happens to the figure. Contacts are not among it: they
//! are what happens.

use crate::control::{holder, rotation_vector};
use crate::dynamics::Placement;
use crate::figure::{Attachment, Figure, Segment};
use crate::math::{Quat, Real, Vec3};
use crate::motion::FrameMotion;

/// One segment at the end of the step before.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Before {
    joint: Placement,
    centre: Vec3,
    /// Velocity of the centre and angular velocity then, as the motion tells them.
    told: (Vec3, Vec3),
    /// Mean velocity of the centre over that step, and angular momentum about it.
    velocity: Vec3,
    spin: Vec3,
}

/// One segment in the coming step, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Coming {
    /// Mean velocity of the joint and of the centre of mass, mean turn of the segment, m/s and rad/s.
    velocity: Vec3,
    centre: Vec3,
    turn: Vec3,
    /// Where the joint is when the step begins.
    start: Placement,
    /// Where the centre of mass is when it ends, and its velocity then, as the motion tells it.
    end: Vec3,
    told: Vec3,
    /// Angular momentum about the centre of mass, kg·m²/s.
    spin: Vec3,
    /// What the joint exerts on the segment and all that it carries, N and N·m.
    force: Vec3,
    torque: Vec3,
}

impl Coming {
    const NOTHING: Coming = Coming {
        velocity: Vec3::new(0.0, 0.0, 0.0),
        centre: Vec3::new(0.0, 0.0, 0.0),
        turn: Vec3::new(0.0, 0.0, 0.0),
        start: Placement::IDENTITY,
        end: Vec3::new(0.0, 0.0, 0.0),
        told: Vec3::new(0.0, 0.0, 0.0),
        spin: Vec3::new(0.0, 0.0, 0.0),
        force: Vec3::new(0.0, 0.0, 0.0),
        torque: Vec3::new(0.0, 0.0, 0.0),
    };
}

/// Follows the targets of a figure from step to step.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    /// When the last target was due, seconds.
    due: Real,
    before: Vec<Before>,
    coming: Vec<Coming>,
}

/// A target that gets to another place than its own velocity says, by more than this and more than half of the way, has
/// jumped, metres and radians. Where it was says nothing of how it moves then.
const JUMPED: (Real, Real) = (0.02, 0.1);

impl Ahead {
    /// Begins with a figure whose joints move so at a time.
    pub fn new(figure: &Figure, motions: &[FrameMotion], time: Real) -> Self {
        let before = figure.segments().iter().zip(motions).map(|(segment, motion)| at(segment, motion)).collect();
        Self { due: time, before, coming: vec![Coming::NOTHING; motions.len()] }
    }

    /// Takes the joints' motions at the end of the coming step, which begins at `now`.
    #[inline(always)]
    pub fn look(&mut self, figure: &Figure, motions: &[FrameMotion], now: Real, step: Real, gravity: &Vec3) {
        let goes_on = (self.due - now).abs() <= 1e-6 * step && self.follow(figure, motions, step, gravity);
        if !goes_on {
            for ((before, segment), motion) in self.before.iter_mut().zip(figure.segments()).zip(motions) {
                *before = come_from(segment, motion, step);
            }
            self.follow(figure, motions, step, gravity);
        }
        self.due = now + step;
        for ((before, coming), motion) in self.before.iter_mut().zip(&self.coming).zip(motions) {
            *before = Before {
                joint: Placement { position: motion.position, rotation: motion.rotation },
                centre: coming.end,
                told: (coming.told, motion.angular_velocity),
                velocity: coming.centre,
                spin: coming.spin,
            };
        }
        for k in (0..motions.len()).rev() {
            if let Some(parent) = holder(figure, k) {
                let (own, above) = (self.coming[k], &mut self.coming[parent]);
                above.force += own.force;
                above.torque += own.torque + (own.start.position - above.start.position).cross(&own.force);
            }
        }
    }

    /// Works out the coming step, each segment by itself. False where one gets somewhere else than its velocity says.
    #[inline(always)]
    fn follow(&mut self, figure: &Figure, motions: &[FrameMotion], step: Real, gravity: &Vec3) -> bool {
        let per_step = 1.0 / step;
        let apart = |rate: &Vec3, was: &Vec3, is: &Vec3, least: Real| {
            let told = (was + is) * 0.5;
            let (off, least) = ((rate - told).norm_squared(), least * per_step);
            off > least * least && off > (least + 0.5 * told.norm()).powi(2)
        };
        let mut jumped = false;
        let each = motions.iter().zip(figure.segments()).zip(&self.before).zip(&mut self.coming);
        for (((motion, segment), before), coming) in each {
            let start = before.joint;
            let arm = motion.rotation * segment.centre;
            let (end, told) = (motion.position + arm, motion.velocity + motion.angular_velocity.cross(&arm));
            let centre = (end - before.centre) * per_step;
            let turn = rotation_vector(&(motion.rotation * start.rotation.inverse())) * per_step;
            jumped |= apart(&centre, &before.told.0, &told, JUMPED.0);
            jumped |= apart(&turn, &before.told.1, &motion.angular_velocity, JUMPED.1);
            let force = ((centre - before.velocity) * per_step - gravity) * segment.mass.mass;
            let spin = momentum(segment, &start.rotation, &turn);
            *coming = Coming {
                velocity: (motion.position - start.position) * per_step,
                centre,
                turn,
                start,
                end,
                told,
                spin,
                force,
                torque: (spin - before.spin) * per_step + (before.centre - start.position).cross(&force),
            };
        }
        !jumped
    }

    /// Mean velocity (m/s) and turn (rad/s) of a segment's joint in the coming step, world axes.
    #[inline(always)]
    pub fn rate(&self, segment: usize) -> (Vec3, Vec3) {
        (self.coming[segment].velocity, self.coming[segment].turn)
    }

    /// Turn of a segment against its parent in the coming step, rad/s, and the error that a row will foresee for the end of it
    /// although there is none: turns of both in one step add up as vectors there, and miss ½h² ω_a × ω_b. Both in the axes
    /// that frame A of the attachment has when the step begins.
    #[inline(always)]
    pub fn relative(&self, parent: usize, segment: usize, attachment: &Attachment, step: Real) -> [Vec3; 2] {
        let (own, above) = (&self.coming[segment].turn, &self.coming[parent]);
        let axes = above.start.rotation * attachment.frame_a.rotation;
        [own - above.turn, above.turn.cross(own) * (0.5 * step * step)].map(|v| axes.inverse_transform_vector(&v))
    }

    /// A world vector in the axes that a segment has when the coming step begins.
    #[inline(always)]
    pub fn in_axes_of(&self, segment: usize, vector: &Vec3) -> Vec3 {
        self.coming[segment].start.rotation.inverse_transform_vector(vector)
    }

    /// What the joint of a segment has to exert in the coming step, N and N·m about the joint, world axes.
    #[inline(always)]
    pub fn wrench(&self, segment: usize) -> (Vec3, Vec3) {
        (self.coming[segment].force, self.coming[segment].torque)
    }
}

#[inline(always)]
fn momentum(segment: &Segment, rotation: &Quat, turn: &Vec3) -> Vec3 {
    let axes = rotation.to_rotation_matrix().into_inner();
    axes * (segment.mass.inertia * axes.tr_mul(turn))
}

fn at(segment: &Segment, motion: &FrameMotion) -> Before {
    let told = (motion.point(&segment.centre).0, motion.angular_velocity);
    Before {
        joint: Placement { position: motion.position, rotation: motion.rotation },
        centre: motion.position + motion.rotation * segment.centre,
        told,
        velocity: told.0,
        spin: momentum(segment, &motion.rotation, &told.1),
    }
}

/// Where a segment that moves like this was a step ago, and how it moved in the step before that, had it always been
/// pushed as now.
fn come_from(segment: &Segment, motion: &FrameMotion, step: Real) -> Before {
    let FrameMotion { position, velocity, acceleration, angular_velocity, angular_acceleration, .. } = *motion;
    let back = |v: Vec3, a: Vec3| (v - a * (0.5 * step)) * step;
    let turned = Quat::from_scaled_axis(-back(angular_velocity, angular_acceleration)) * motion.rotation;
    let joint = Placement { position: position - back(velocity, acceleration), rotation: turned };
    let (v, a) = motion.point(&segment.centre);
    let slower = angular_velocity - angular_acceleration * (1.5 * step);
    Before {
        joint,
        centre: position + motion.rotation * segment.centre - back(v, a),
        told: (v - a * step, angular_velocity - angular_acceleration * step),
        velocity: v - a * (1.5 * step),
        spin: momentum(segment, &turned, &slower),
    }
}

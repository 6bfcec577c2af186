//! Dynamics of a target motion: the velocities and torques of its joints in the coming step.
//!
//! A world steps by x' = x ⊕ h v. A target that gets from x̄ to x̄' in a step therefore moves at v̄ = (x̄' ⊖ x̄)/h in it, not at
//! the speed it has at the end: with that one, spring and damper disagree by ½hα and the joint lags by hα/ω, however slow
//! the motion. Forces change v̄ from the last step to this one, by Newton and Euler, from the tips inwards:
//!
//! ```text
//!  f = m (v̄ − v̄₋)/h − m g + Σ f below          L = I ω̄
//!  τ = (L − L₋)/h + (c − p) × f_own + Σ (τ + (p_below − p) × f) below
//! ```
//!
//! A muscle with feed-forward torque τ only has to act against disturbances. Contacts are not part of τ: they count as
//! disturbances.

use crate::control::holder;
use crate::dynamics::Placement;
use crate::figure::{Attachment, Figure, Segment};
use crate::math::{Quat, Real, Vec3, rotation_vector};
use crate::motion::FrameMotion;

/// One segment at the end of the step before.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LastStep {
    joint: Placement,
    centre: Vec3,
    /// Velocity of the centre and angular velocity then, as given by the motion.
    given: (Vec3, Vec3),
    /// Mean velocity of the centre over that step, m/s.
    velocity: Vec3,
    /// Angular momentum about the centre, kg·m²/s.
    spin: Vec3,
}

/// One segment in the coming step, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ComingStep {
    /// Mean velocity of the joint, m/s.
    velocity: Vec3,
    /// Mean velocity of the centre of mass, m/s.
    centre: Vec3,
    /// Mean angular velocity, rad/s.
    turn: Vec3,
    /// Placement of the joint at the beginning of the step.
    start: Placement,
    /// Position of the centre of mass at the end of the step, metres.
    end: Vec3,
    /// Velocity of the centre of mass at the end of the step, m/s, as given by the motion.
    given: Vec3,
    /// Angular momentum about the centre of mass, kg·m²/s.
    spin: Vec3,
    /// Force of the joint on the segment and all that it carries, N.
    force: Vec3,
    /// Torque of the joint about itself, N·m.
    torque: Vec3,
}

impl ComingStep {
    const ZERO: ComingStep = ComingStep {
        velocity: Vec3::new(0.0, 0.0, 0.0),
        centre: Vec3::new(0.0, 0.0, 0.0),
        turn: Vec3::new(0.0, 0.0, 0.0),
        start: Placement::IDENTITY,
        end: Vec3::new(0.0, 0.0, 0.0),
        given: Vec3::new(0.0, 0.0, 0.0),
        spin: Vec3::new(0.0, 0.0, 0.0),
        force: Vec3::new(0.0, 0.0, 0.0),
        torque: Vec3::new(0.0, 0.0, 0.0),
    };
}

/// Target motion of a figure, followed from step to step.
#[derive(Clone, Debug)]
pub(super) struct TargetDynamics {
    /// Time of the last target, seconds.
    due: Real,
    before: Vec<LastStep>,
    coming: Vec<ComingStep>,
}

/// Distance from where its own velocity leads, metres and radians, beyond which a target has jumped if it is also more than
/// half of the way. Its earlier position then says nothing about its velocity.
const JUMPED: (Real, Real) = (0.02, 0.1);

impl TargetDynamics {
    /// Starts with the motions of a figure's joints at a time.
    pub fn new(figure: &Figure, motions: &[FrameMotion], time: Real) -> Self {
        let before = figure.segments().iter().zip(motions).map(|(segment, motion)| at(segment, motion)).collect();
        Self { due: time, before, coming: vec![ComingStep::ZERO; motions.len()] }
    }

    /// Sets the joints' motions at the end of the coming step, which begins at `now`.
    #[inline(always)]
    pub fn update(&mut self, figure: &Figure, motions: &[FrameMotion], now: Real, step: Real, gravity: &Vec3) {
        let goes_on = (self.due - now).abs() <= 1e-6 * step && self.follow(figure, motions, step, gravity);
        if !goes_on {
            for ((before, segment), motion) in self.before.iter_mut().zip(figure.segments()).zip(motions) {
                *before = extrapolate_back(segment, motion, step);
            }
            self.follow(figure, motions, step, gravity);
        }
        self.due = now + step;
        for ((before, coming), motion) in self.before.iter_mut().zip(&self.coming).zip(motions) {
            *before = LastStep {
                joint: Placement { position: motion.position, rotation: motion.rotation },
                centre: coming.end,
                given: (coming.given, motion.angular_velocity),
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

    /// Computes the coming step, each segment by itself. Returns false if a segment has jumped (see [`JUMPED`]).
    #[inline(always)]
    fn follow(&mut self, figure: &Figure, motions: &[FrameMotion], step: Real, gravity: &Vec3) -> bool {
        let per_step = 1.0 / step;
        let apart = |rate: &Vec3, was: &Vec3, is: &Vec3, least: Real| {
            let given = (was + is) * 0.5;
            let (off, least) = ((rate - given).norm_squared(), least * per_step);
            off > least * least && off > (least + 0.5 * given.norm()).powi(2)
        };
        let mut jumped = false;
        let each = motions.iter().zip(figure.segments()).zip(&self.before).zip(&mut self.coming);
        for (((motion, segment), before), coming) in each {
            let start = before.joint;
            let arm = motion.rotation * segment.centre;
            let (end, given) = (motion.position + arm, motion.velocity + motion.angular_velocity.cross(&arm));
            let centre = (end - before.centre) * per_step;
            let turn = rotation_vector(&(motion.rotation * start.rotation.inverse())) * per_step;
            jumped |= apart(&centre, &before.given.0, &given, JUMPED.0);
            jumped |= apart(&turn, &before.given.1, &motion.angular_velocity, JUMPED.1);
            let force = ((centre - before.velocity) * per_step - gravity) * segment.mass.mass;
            let spin = momentum(segment, &start.rotation, &turn);
            *coming = ComingStep {
                velocity: (motion.position - start.position) * per_step,
                centre,
                turn,
                start,
                end,
                given,
                spin,
                force,
                torque: (spin - before.spin) * per_step + (before.centre - start.position).cross(&force),
            };
        }
        !jumped
    }

    /// Returns the mean velocity (m/s) and angular velocity (rad/s) of a segment's joint in the coming step, world axes.
    #[inline(always)]
    pub fn rate(&self, segment: usize) -> (Vec3, Vec3) {
        (self.coming[segment].velocity, self.coming[segment].turn)
    }

    /// Returns the angular velocity of a segment relative to its parent in the coming step, rad/s, and the error that a row
    /// predicts for the end of it although there is none: rotations of both in one step add up as vectors there, and
    /// miss ½h² ω_a × ω_b. Both are in the axes that frame A of the attachment has when the step begins.
    #[inline(always)]
    pub fn relative(&self, parent: usize, segment: usize, attachment: &Attachment, step: Real) -> [Vec3; 2] {
        let (own, above) = (&self.coming[segment].turn, &self.coming[parent]);
        let axes = above.start.rotation * attachment.frame_a.rotation;
        [own - above.turn, above.turn.cross(own) * (0.5 * step * step)].map(|v| axes.inverse_transform_vector(&v))
    }

    /// Transforms a world vector to the axes of a segment at the beginning of the coming step.
    #[inline(always)]
    pub fn in_axes_of(&self, segment: usize, vector: &Vec3) -> Vec3 {
        self.coming[segment].start.rotation.inverse_transform_vector(vector)
    }

    /// Returns the force (N) and torque (N·m, about the joint) of a segment's joint in the coming step, world axes.
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

fn at(segment: &Segment, motion: &FrameMotion) -> LastStep {
    let given = (motion.point(&segment.centre).0, motion.angular_velocity);
    LastStep {
        joint: Placement { position: motion.position, rotation: motion.rotation },
        centre: motion.position + motion.rotation * segment.centre,
        given,
        velocity: given.0,
        spin: momentum(segment, &motion.rotation, &given.1),
    }
}

/// Extrapolates the state of a segment one step back, with constant acceleration.
fn extrapolate_back(segment: &Segment, motion: &FrameMotion, step: Real) -> LastStep {
    let FrameMotion { position, velocity, acceleration, angular_velocity, angular_acceleration, .. } = *motion;
    let back = |v: Vec3, a: Vec3| (v - a * (0.5 * step)) * step;
    let turned = Quat::from_scaled_axis(-back(angular_velocity, angular_acceleration)) * motion.rotation;
    let joint = Placement { position: position - back(velocity, acceleration), rotation: turned };
    let (v, a) = motion.point(&segment.centre);
    let slower = angular_velocity - angular_acceleration * (1.5 * step);
    LastStep {
        joint,
        centre: position + motion.rotation * segment.centre - back(v, a),
        given: (v - a * step, angular_velocity - angular_acceleration * step),
        velocity: v - a * (1.5 * step),
        spin: momentum(segment, &turned, &slower),
    }
}

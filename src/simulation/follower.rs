//! Follower: an actor with the animation that it follows.

use super::actor::Actor;
use super::start::{LimitedVelocity, limit_body_velocities};
use crate::control::{Animation, MarkerController, Trip};
use crate::dynamics::{DynamicsError, World};
use crate::figure::Segment;
use crate::math::{Real, Vec3};
use crate::motion::PoseMotion;

/// Actor that follows an animation in a run.
#[derive(Clone, Debug)]
pub struct Follower {
    /// Name of the figure in recordings.
    pub name: String,
    /// Figure with its muscles.
    pub actor: Actor,
    /// Captured motion.
    pub animation: Animation,
    /// Monitor of the control error; none if the figure never becomes a rag-doll.
    pub trip: Option<Trip>,
    /// Points of segments that follow the animation, beside the joints.
    pub markers: Vec<FollowingMarker>,
    /// Time of the animation at the end of the coming step, seconds; none for the time of the world.
    pub(crate) playback: Option<Real>,
    /// Torques known beforehand, by frame of the animation and segment, N·m, world axes; empty for none.
    pub(super) planned_torques: Vec<Vec<Vec3>>,
    pub(super) limited: Vec<LimitedVelocity>,
    /// Motion at the end of the last step.
    wanted: PoseMotion,
    /// Largest angular velocity of a joint of the animation at the end of the last step, rad/s.
    fastest: Real,
    /// Torques of the coming step, by segment.
    torques: Vec<Vec3>,
    /// Flags of the segments that have touched something since they went limp.
    lying: Vec<bool>,
    changed: Vec<usize>,
    /// Segment of each body by its index; none for the ground, props and balls.
    segment_of: Vec<Option<usize>>,
}

/// Point of a segment that a marker controller draws along with the animation.
#[derive(Clone, Debug)]
pub struct FollowingMarker {
    /// Index of the segment.
    pub segment: usize,
    /// Point, metres, frame of the segment's joint.
    pub point: Vec3,
    /// Its controller.
    pub controller: MarkerController,
}

/// Rotation of a joint target in a step above which the step is divided, radians. Captures with velocity spikes reach it, and
/// muscles lag behind fast rotations.
const JUMP: Real = 0.1;
/// Largest rotation of a joint target in a part of a divided step, radians.
const TURN: Real = 0.05;
/// Largest number of parts of a step.
const MOST_PARTS: Real = 32.0;
/// Largest rotation of a freely swinging joint in an inner step, radians, as far as [`MOST_LIMP_PARTS`] allows.
const WHIP: Real = 0.01;
/// Largest number of parts of a step for freely swinging joints.
const MOST_LIMP_PARTS: Real = 8.0;

/// Rotational damping of limp segments that touch something, 1/s, for a figure of 1.75 m.
const DRAG: Real = 1.0;

impl Follower {
    /// An actor that follows an animation from now on.
    pub fn new(name: impl Into<String>, actor: Actor, animation: Animation) -> Self {
        let mut segment_of = Vec::new();
        for (segment, body) in actor.instance().bodies.iter().enumerate() {
            segment_of.resize(segment_of.len().max(body.index() + 1), None);
            segment_of[body.index()] = Some(segment);
        }
        Self {
            name: name.into(),
            trip: None,
            markers: Vec::new(),
            playback: None,
            planned_torques: Vec::new(),
            limited: Vec::new(),
            wanted: animation.buffer(),
            fastest: 0.0,
            torques: Vec::new(),
            lying: vec![false; actor.figure().segments().len()],
            changed: Vec::new(),
            segment_of,
            actor,
            animation,
        }
    }

    /// Motion that the actor was to have at the end of the last step.
    pub fn wanted(&self) -> &PoseMotion {
        &self.wanted
    }

    /// Largest target angular acceleration of a joint at the end of the last step, rad/s².
    pub fn wanted_acceleration(&self) -> Real {
        self.wanted.angular_accelerations.iter().map(|change| change.norm()).fold(0.0, Real::max)
    }

    /// Captured velocities that were limited at the start of the run or when the figure was let go.
    pub fn limited_velocities(&self) -> &[LimitedVelocity] {
        &self.limited
    }

    /// Sets the torques that are known beforehand, by frame of the animation and segment, N·m, world axes. Between frames they are
    /// interpolated: those of the nearer frame would jump in the middle.
    pub fn plan_torques(&mut self, torques: &[Vec<Vec3>]) {
        self.planned_torques = torques.to_vec();
    }

    /// Takes the planned torques at a time in frames of the animation.
    pub(super) fn feed_forward(&mut self, at: Real) {
        let Some(last) = self.planned_torques.len().checked_sub(1) else { return };
        let first = (at.floor().max(0.0) as usize).min(last);
        let share = (at - first as Real).clamp(0.0, 1.0);
        let (from, to) = (&self.planned_torques[first], &self.planned_torques[(first + 1).min(last)]);
        self.torques.clear();
        self.torques.extend(from.iter().zip(to).map(|(from, to)| from.lerp(to, share)));
        self.actor.set_feed_forward(&self.torques);
    }

    /// Takes the motion of the animation at a time of the world, seconds.
    pub(super) fn sample(&mut self, time: Real) {
        self.animation.sample_into(self.playback.unwrap_or(time), &mut self.wanted);
    }

    /// Aims actor and markers at the sampled motion, which is that of the end of the coming step.
    pub(super) fn aim(&mut self, world: &mut World, step: Real) -> Result<(), DynamicsError> {
        self.actor.aim(world, &self.wanted, step)?;
        let (end, wanted) = (world.time() + step, self.actor.wanted());
        for FollowingMarker { segment, point, controller } in &self.markers {
            let frame = &wanted[*segment];
            controller.aim(world, end, frame.position + frame.rotation * point, frame.point(point).0);
        }
        Ok(())
    }

    /// Lets the monitor see the last step of so many seconds, and the muscles follow it.
    pub(super) fn monitor(&mut self, world: &mut World, step: Real) {
        if let Some(trip) = &mut self.trip {
            let error = self.actor.control_error(world);
            let activation = trip.update(error, world.time(), step);
            self.actor.set_activation(world, activation);
        }
    }

    /// Switches off all muscles and the root assistance.
    pub(super) fn let_go(&mut self, world: &mut World) {
        let mut trip = self.trip.unwrap_or_default();
        trip.fall(world.time());
        self.trip = Some(trip);
        self.actor.set_activation(world, 0.0);
    }

    /// Limits velocities that the figure took over from velocity spikes of the capture. A figure whose muscles were too weak
    /// ([`Trip`]) did not follow the spikes, and its velocities are real.
    pub(super) fn limit_velocities(&mut self, world: &mut World) -> Result<(), DynamicsError> {
        if self.actor.activation() > 0.0 {
            let (actor, animation) = (&self.actor, &self.animation);
            self.limited = limit_body_velocities(world, actor.figure(), &actor.instance().bodies, animation)?;
        }
        Ok(())
    }

    /// Returns the number of parts that a step of so many seconds needs for the motion at its end.
    pub(super) fn parts(&mut self, world: &World, step: Real, inner: usize) -> usize {
        if self.actor.activation() == 0.0 {
            return self.limp_parts(world, step, inner);
        }
        let fastest = self.wanted.angular_velocities.iter().map(|turn| turn.norm_squared()).fold(0.0, Real::max).sqrt();
        let before = std::mem::replace(&mut self.fastest, fastest);
        let turn = fastest.max(before) * step;
        if turn <= JUMP { 1 } else { (turn / TURN).ceil().min(MOST_PARTS) as usize }
    }

    /// Returns the number of parts that a step needs for joints that swing freely. Limits are linearised at the beginning of a
    /// step, and a fast limb passes them in a long one.
    fn limp_parts(&self, world: &World, step: Real, inner: usize) -> usize {
        let (figure, bodies) = (self.actor.figure(), &self.actor.instance().bodies);
        let spin = |segment: usize| world.state(bodies[segment]).angular();
        let rate =
            |(k, segment): (usize, &Segment)| (spin(k) - segment.parent.map_or_else(Vec3::zeros, spin)).norm_squared();
        let fastest = figure.segments().iter().enumerate().map(rate).fold(0.0, Real::max).sqrt();
        (fastest * step / (WHIP * inner as Real)).ceil().clamp(1.0, MOST_LIMP_PARTS) as usize
    }

    /// Dampens the rotation of limp segments that have touched something: flesh does not roll like glass. (Rolling friction
    /// at every contact has the same effect, but contact forces of some bodies then converge worse.)
    pub(super) fn dampen_lying(&mut self, world: &mut World) {
        let Self { actor, lying, changed, segment_of, .. } = self;
        changed.clear();
        if actor.activation() == 0.0 {
            for body in world.contacts().iter().filter(|contact| contact.normal_force > 0.0).flat_map(|c| c.bodies) {
                let segment = segment_of.get(body.index()).copied().flatten();
                changed.extend(segment.filter(|&segment| !std::mem::replace(&mut lying[segment], true)));
            }
        } else {
            changed.extend((0..lying.len()).filter(|&segment| std::mem::take(&mut lying[segment])));
        }
        let drag = DRAG * actor.pace();
        for &segment in &*changed {
            let body = actor.instance().bodies[segment];
            world.set_damping(body, 0.0, if lying[segment] { drag } else { 0.0 });
        }
    }
}

//! One run from beginning to end: a world with a ground, an actor that follows captured motion, and scheduled events.

use super::start::{LimitedVelocity, limit_body_velocities, limit_velocities};
use super::{Actor, ActorSettings, Prop, PropInstance, Recorder};
use crate::control::{Animation, Terrain, Trip, depth_below};
use crate::dynamics::{
    Body, BodyId, Collider, DynamicsError, MassProperties, Material, Placement, Shape, StepReport, Stepper,
    TimeStepping, World,
};
use crate::figure::{Figure, Segment};
use crate::math::{Real, Vec3, real};
use crate::motion::{Clip, ClipError, FrameMotion, PoseMotion, Role, Side};
use crate::record::Recording;
use std::borrow::Cow;

/// Settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// Settings of the actor.
    pub actor: ActorSettings,
    /// Shape of the ground.
    pub terrain: Terrain,
    /// Height of the ground, metres.
    pub ground: Real,
    /// Material of figure and ground.
    pub material: Material,
    /// Steps per second, at least; a whole number of steps makes a frame.
    pub rate: Real,
    /// Inner steps per step.
    pub substeps: usize,
    /// Control error at which the figure becomes a rag-doll; none if it never does.
    pub trip: Option<Trip>,
    /// Brings feet that begin below the ground above it before the run.
    pub settle: bool,
    /// Begins with the velocities of the motion; false begins at rest.
    pub moving: bool,
    /// Limits implausible velocities of the beginning, unless the frames after it confirm them.
    pub limit_velocities: bool,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            actor: ActorSettings::default(),
            terrain: Terrain::Flat,
            ground: 0.0,
            material: Material { friction: 0.8, ..Material::default() },
            rate: 240.0,
            substeps: 1,
            trip: None,
            settle: true,
            moving: true,
            limit_velocities: false,
        }
    }
}

impl RunSettings {
    /// Settings of a figure that falls. A hard fall needs short steps.
    pub fn limp() -> Self {
        Self { actor: ActorSettings::limp(), substeps: 8, limit_velocities: true, ..Self::default() }
    }
}

/// Action on the figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventKind {
    /// Impulse on the centre of mass of a segment.
    Push {
        /// Index of the segment.
        segment: usize,
        /// Impulse, N·s, world axes.
        impulse: Vec3,
    },
    /// Ball that reaches a segment at the time of the event, thrown from in front of the figure.
    Throw {
        /// Index of the segment.
        segment: usize,
        /// Mass of the ball, kg.
        mass: Real,
        /// Horizontal speed of the ball, m/s.
        speed: Real,
    },
    /// Switches off all muscles and the root assistance.
    LetGo,
}

/// Scheduled action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Time from the start of the run, seconds.
    pub time: Real,
    /// Action.
    pub what: EventKind,
}

/// Error that ends a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The world cannot be stepped or built.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// The time of an event, seconds, is negative or not finite.
    #[error("an event at {0} s; times count from 0")]
    EventTime(Real),
}

/// World with an actor that follows an animation.
#[derive(Clone, Debug)]
pub struct Run {
    /// Physical world.
    pub world: World,
    /// Figure that follows the animation.
    pub actor: Actor,
    /// Captured motion.
    pub animation: Animation,
    /// Monitor of the control error; none if the figure never becomes a rag-doll.
    pub trip: Option<Trip>,
    settings: RunSettings,
    ground: Option<BodyId>,
    origin: Vec3,
    forward: Vec3,
    /// Scheduled events, the next one last.
    events: Vec<Event>,
    thrown: Vec<BodyId>,
    limited: Vec<LimitedVelocity>,
    /// Flags of the segments that have touched something since they went limp.
    lying: Vec<bool>,
    changed: Vec<usize>,
    /// Segment of each body by its index; none for the ground, props and balls.
    segment_of: Vec<Option<usize>>,
    wanted: PoseMotion,
    /// Largest angular velocity of a joint of the animation at the end of the last step, rad/s.
    fastest: Real,
    step: Real,
    steps_per_frame: usize,
    name: String,
    recorder: Option<Recorder>,
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

/// Time of flight of a thrown ball, seconds.
const FLIGHT: Real = 0.25;

impl Run {
    /// Sets up a run of a figure that follows an animation.
    pub fn new(figure: &Figure, animation: Animation, settings: RunSettings) -> Result<Self, RunError> {
        let mut start = animation.sample(0.0);
        if !settings.moving {
            start.stop();
        }
        let limited =
            if settings.limit_velocities { limit_velocities(figure, &animation, 0.0, &mut start) } else { Vec::new() };
        let (mut frames, mut motions) = (Vec::new(), Vec::new());
        figure.motions_into(&start, &mut frames, &mut motions);
        figure.close_joints_moving(&mut motions);
        let mut run = Self::at(figure, animation.clone(), &motions, settings.clone())?;
        let buried = run.depth();
        if settings.settle && buried > TOUCHING {
            let settled = run.settled(&start, buried)?;
            for (motion, place) in motions.iter_mut().zip(settled) {
                (motion.position, motion.rotation) = (place.position, place.rotation);
            }
            run = Self::at(figure, animation, &motions, settings)?;
        }
        run.limited = limited;
        Ok(run)
    }

    fn at(
        figure: &Figure,
        animation: Animation,
        motions: &[FrameMotion],
        settings: RunSettings,
    ) -> Result<Self, RunError> {
        let mut world = World::new();
        let stepper = TimeStepping { substeps: settings.substeps.max(1), ..TimeStepping::default() };
        world.stepper = Stepper::TimeStepping(stepper);
        world.contact.tolerance = CONTACT_TOLERANCE;
        (world.sleeping.speed, world.sleeping.spin) = REST_VELOCITIES;
        let forward = facing(figure, motions);
        let under = motions.first().map_or(Vec3::zeros(), |m| m.position);
        let origin = Vec3::new(under.x, settings.ground, under.z);
        let ground = settings.terrain.build(&mut world, &origin, &forward, settings.material)?;
        let mut actor = settings.actor;
        actor.place.material = settings.material;
        let actor = Actor::place_moving(&mut world, figure, motions, &actor)?;
        let mut segment_of = Vec::new();
        for (segment, body) in actor.instance().bodies.iter().enumerate() {
            segment_of.resize(segment_of.len().max(body.index() + 1), None);
            segment_of[body.index()] = Some(segment);
        }
        let rate = animation.clip().rate_hz();
        let steps_per_frame = (settings.rate / rate - 1e-9).ceil().max(1.0) as usize;
        Ok(Self {
            wanted: animation.buffer(),
            fastest: 0.0,
            step: 1.0 / (rate * steps_per_frame as Real),
            steps_per_frame,
            name: String::new(),
            recorder: None,
            world,
            actor,
            animation,
            trip: settings.trip,
            settings,
            ground,
            origin,
            forward,
            events: Vec::new(),
            thrown: Vec::new(),
            limited: Vec::new(),
            lying: vec![false; figure.segments().len()],
            changed: Vec::new(),
            segment_of,
        })
    }

    /// Returns the placements of the segments' joints after the ground has pushed the feet out, in the same posture.
    fn settled(mut self, start: &PoseMotion, buried: Real) -> Result<Vec<Placement>, RunError> {
        let mut still = start.clone();
        still.stop();
        // Nothing falls while it settles: the ground pushes, and muscles give way.
        self.world.gravity = Vec3::zeros();
        let patience = 0.5 + 4.0 * buried / self.world.contact.push_out_speed;
        for _ in 0..(patience / self.step).min(5e3) as usize {
            self.actor.aim(&mut self.world, &still, self.step)?;
            self.world.step(self.step)?;
            let rested = self.actor.instance().bodies.iter().all(|&b| self.world.state(b).velocity.amax() < 0.05);
            if self.depth() <= TOUCHING && rested {
                break;
            }
        }
        let mut placements = Vec::new();
        self.actor.instance().placements_into(self.actor.figure(), &self.world, &mut placements);
        Ok(placements)
    }

    /// Attaches a prop to a segment.
    pub fn attach(&mut self, prop: &Prop, segment: usize) -> Result<PropInstance, RunError> {
        Ok(prop.attach(&mut self.world, &self.actor, segment)?)
    }

    /// Schedules an event.
    pub fn schedule(&mut self, event: Event) -> Result<(), RunError> {
        if !(event.time.is_finite() && event.time >= 0.0) {
            return Err(RunError::EventTime(event.time));
        }
        self.events.push(event);
        let due = |event: &Event| match event.what {
            EventKind::Throw { .. } => event.time - FLIGHT,
            _ => event.time,
        };
        self.events.sort_by(|a, b| due(b).total_cmp(&due(a)));
        Ok(())
    }

    /// Length of a step, seconds.
    pub fn step_length(&self) -> Real {
        self.step
    }

    /// Steps that make a frame of the animation's rate.
    pub fn steps_per_frame(&self) -> usize {
        self.steps_per_frame
    }

    /// Settings that the run was made with.
    pub fn settings(&self) -> &RunSettings {
        &self.settings
    }

    /// The ground's body, if there is ground.
    pub fn ground(&self) -> Option<BodyId> {
        self.ground
    }

    /// The way the figure faces at the start, level.
    pub fn forward(&self) -> Vec3 {
        self.forward
    }

    /// Balls thrown so far.
    pub fn thrown(&self) -> &[BodyId] {
        &self.thrown
    }

    /// Captured velocities that were limited at the start of the run or when the figure was let go.
    pub fn limited_velocities(&self) -> &[LimitedVelocity] {
        &self.limited
    }

    /// Advances by one step, in several parts if the animation rotates a joint too fast for one.
    pub fn step(&mut self) -> Result<StepReport, RunError> {
        let begin = self.world.time();
        self.animation.sample_into(begin + self.step, &mut self.wanted);
        let parts = if self.actor.activation() > 0.0 { self.parts() } else { self.limp_parts() };
        let part = self.step / parts as Real;
        self.apply_events(part)?;
        self.lie_down();
        let mut report = StepReport::default();
        for k in 1..=parts {
            if parts > 1 {
                self.animation.sample_into(begin + part * k as Real, &mut self.wanted);
            }
            self.actor.aim(&mut self.world, &self.wanted, part)?;
            let own = self.world.step(part)?;
            report = StepReport {
                substeps: report.substeps + own.substeps,
                iterations: report.iterations + own.iterations,
                broken: report.broken + own.broken,
                rollbacks: report.rollbacks + own.rollbacks,
                critical_stops: report.critical_stops + own.critical_stops,
                ..own
            };
            if let Some(trip) = &mut self.trip {
                let error = self.actor.control_error(&self.world);
                let activation = trip.update(error, self.world.time(), part);
                self.actor.set_activation(&mut self.world, activation);
            }
        }
        self.actor.share_assist(&mut self.world);
        self.observe();
        Ok(report)
    }

    /// Records the run from now on, at the rate of the animation. `title` names the recording and the figure in it.
    pub fn start_recording(&mut self, title: impl Into<String>) {
        self.name = title.into();
        self.recorder = Some(Recorder::in_step(self.name.clone(), self.animation.clip().rate_hz(), self.step));
        self.observe();
    }

    fn observe(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            let actors = std::iter::once((self.name.as_str(), &self.actor));
            recorder.observe(&self.world, actors, std::iter::empty());
        }
    }

    /// Recording so far; empty where none was started.
    pub fn recording(&self) -> Cow<'_, Recording> {
        let recorded = self.recorder.as_ref().map(|recorder| Cow::Borrowed(recorder.recording()));
        recorded.unwrap_or_else(|| Cow::Owned(Recording::default()))
    }

    /// Ends the recording and gives it; empty where none was started.
    pub fn finish_recording(&mut self) -> Recording {
        self.recorder.take().map(Recorder::finish).unwrap_or_default()
    }

    /// Recorded motion as a clip on the skeleton of the figure.
    pub fn recorded_clip(&self) -> Result<Clip, ClipError> {
        clip_of(&self.recording(), self.actor.figure(), &self.animation)
    }

    /// Returns the number of parts that the coming step needs for the motion at its end.
    fn parts(&mut self) -> usize {
        let fastest = self.wanted.angular_velocities.iter().map(|turn| turn.norm_squared()).fold(0.0, Real::max).sqrt();
        let before = std::mem::replace(&mut self.fastest, fastest);
        let turn = fastest.max(before) * self.step;
        if turn <= JUMP { 1 } else { (turn / TURN).ceil().min(MOST_PARTS) as usize }
    }

    /// Returns the number of parts that the coming step needs for joints that swing freely. Limits are linearised at the
    /// beginning of a step, and a fast limb passes them in a long one.
    fn limp_parts(&self) -> usize {
        let (figure, bodies) = (self.actor.figure(), &self.actor.instance().bodies);
        let spin = |segment: usize| self.world.state(bodies[segment]).angular();
        let rate =
            |(k, segment): (usize, &Segment)| (spin(k) - segment.parent.map_or_else(Vec3::zeros, spin)).norm_squared();
        let fastest = figure.segments().iter().enumerate().map(rate).fold(0.0, Real::max).sqrt();
        let inner = self.settings.substeps.max(1) as Real;
        (fastest * self.step / (WHIP * inner)).ceil().clamp(1.0, MOST_LIMP_PARTS) as usize
    }

    /// Dampens the rotation of limp segments that have touched something: flesh does not roll like glass. (Rolling friction
    /// at every contact has the same effect, but contact forces of some bodies then converge worse.)
    fn lie_down(&mut self) {
        let Self { world, actor, lying, changed, segment_of, .. } = self;
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

    /// Applies the events that are due; impulses act for `lasting` seconds.
    fn apply_events(&mut self, lasting: Real) -> Result<(), RunError> {
        let now = self.world.time() + 0.5 * self.step;
        while let Some(event) = self.events.last().copied() {
            match event.what {
                EventKind::Push { segment, impulse } if event.time <= now => {
                    let body = self.actor.instance().bodies[segment];
                    self.world.apply(body, impulse / lasting, Vec3::zeros())?;
                }
                EventKind::LetGo if event.time <= now => {
                    self.limit_velocities()?;
                    self.let_go();
                }
                EventKind::Throw { segment, mass, speed } if event.time - FLIGHT <= now => {
                    self.throw(segment, mass, speed, event.time)?;
                }
                _ => break,
            }
            self.events.pop();
        }
        Ok(())
    }

    /// Limits velocities that the figure took over from velocity spikes of the capture. A figure whose muscles were too weak
    /// ([`Trip`]) did not follow the spikes, and its velocities are real.
    fn limit_velocities(&mut self) -> Result<(), RunError> {
        if self.actor.activation() > 0.0 {
            let Self { world, actor, animation, limited, .. } = self;
            *limited = limit_body_velocities(world, actor.figure(), &actor.instance().bodies, animation)?;
        }
        Ok(())
    }

    /// Switches off all muscles and the root assistance.
    pub fn let_go(&mut self) {
        let time = self.world.time();
        let mut trip = self.trip.unwrap_or_default();
        trip.fall(time);
        self.trip = Some(trip);
        self.actor.set_activation(&mut self.world, 0.0);
    }

    fn throw(&mut self, segment: usize, mass: Real, speed: Real, time: Real) -> Result<(), RunError> {
        let flight = (time - self.world.time()).max(self.step);
        let (mut frames, mut motions) = (Vec::new(), Vec::new());
        self.actor.figure().motions_into(&self.animation.sample(time), &mut frames, &mut motions);
        let part = self.actor.figure().segment(segment);
        let aim = motions[segment].position + motions[segment].rotation * part.centre;
        let forward = facing(self.actor.figure(), &motions);
        // As dense as water; its surface, not its centre, meets the body about then.
        let radius = real::cbrt(3.0 * mass / (4.0 * std::f64::consts::PI * 1000.0));
        let from = aim + forward * (speed * flight + radius) - 0.5 * self.world.gravity * (flight * flight);
        let velocity = -forward * speed;
        // Thrown so that gravity brings it down to the aim: v t + ½ g t² = aim − from.
        let ball = Body::dynamic("ball", MassProperties::sphere(mass, radius), Placement::at(from));
        let ball = self.world.add_body(ball.with_velocity(velocity, Vec3::zeros()).watched_closely())?;
        self.world.add_collider(ball, Collider::new(Shape::Sphere { radius }))?;
        self.thrown.push(ball);
        Ok(())
    }

    /// Returns the depth of the figure in the ground now, metres: of its shapes for a plane, else of its contacts.
    pub fn depth(&self) -> Real {
        let (figure, bodies) = (self.actor.figure(), &self.actor.instance().bodies);
        if self.settings.terrain.is_plane() {
            let frames = figure.segments().iter().zip(bodies);
            let frames = frames.map(|(segment, &body)| segment.joint_frame(&self.world.state(body).placement));
            return depth_below(figure, frames, &self.origin, &self.settings.terrain.normal(&self.forward));
        }
        let ground = self.ground;
        let on_ground = self.world.contacts().iter().filter(|c| c.bodies.iter().any(|b| Some(*b) == ground));
        on_ground.map(|c| -c.distance).fold(0.0, Real::max)
    }

    /// The largest distance between the two ends of a joint, metres.
    pub fn worst_gap(&self) -> Real {
        self.actor.worst_gap(&self.world)
    }

    /// Returns true if all bodies of the figure sleep.
    pub fn is_at_rest(&self) -> bool {
        self.actor.instance().bodies.iter().all(|&body| self.world.is_asleep(body))
    }
}

/// Recorded motion of the first figure on its skeleton; what no segment moves is as in the animation.
pub fn clip_of(recording: &Recording, figure: &Figure, animation: &Animation) -> Result<Clip, ClipError> {
    let recorded = recording.figure(0).ok_or(ClipError::NoFrames)?;
    recorded.to_clip(figure, animation.clip(), |time| animation.sample(time).pose)
}

/// Contact forces are settled to this, m/s: a tenth of a millimetre per second is far below what captures show.
const CONTACT_TOLERANCE: Real = 1e-4;

/// Velocities below which a body rests, m/s and rad/s. A heap of light limbs creeps invisibly for a long time.
const REST_VELOCITIES: (Real, Real) = (0.03, 0.25);

/// Less depth than this needs no settling, metres.
const TOUCHING: Real = 5e-4;

/// Returns the level direction that a figure faces: across its hips, else along its velocity, else +z.
fn facing(figure: &Figure, motions: &[FrameMotion]) -> Vec3 {
    let level = |v: Vec3| Vec3::new(v.x, 0.0, v.z).try_normalize(1e-3);
    let hip = |side: Side| figure.with_role(Role::UpperLeg(side)).map(|k| motions[k].position);
    let across = hip(Side::Left).zip(hip(Side::Right)).map(|(left, right)| (left - right).cross(&Vec3::y()));
    let moving = motions.first().map(|m| m.velocity * 0.01);
    across.and_then(level).or_else(|| moving.and_then(level)).unwrap_or_else(Vec3::z)
}

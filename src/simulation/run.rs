//! A world with an actor that follows captured motion, a ground, and things that happen: one run from beginning to end.

use super::start::{Calmed, calm, calm_down};
use super::{Actor, ActorSettings, Prop, PropInstance, Recorder};
use crate::control::{Animation, Terrain, Trip, depth_below};
use crate::dynamics::{
    Body, BodyId, Collider, DynamicsError, MassProperties, Material, Placement, Shape, StepReport, Stepper,
    TimeStepping, World,
};
use crate::figure::{Figure, Segment};
use crate::math::{Real, Vec3};
use crate::motion::{Clip, ClipError, FrameMotion, PoseMotion, Role, Side};
use crate::record::Recording;
use std::borrow::Cow;

/// How a run is set up.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    pub actor: ActorSettings,
    pub terrain: Terrain,
    /// Height of the ground, metres.
    pub ground: Real,
    pub material: Material,
    /// Steps per second, at least; a whole number of steps makes a frame.
    pub rate: Real,
    /// Inner steps per step.
    pub substeps: usize,
    /// When the figure gives up.
    pub trip: Option<Trip>,
    /// Whether feet that begin below the ground are brought above it before the run.
    pub settle: bool,
    /// Whether the run begins with the velocities of the motion, or at rest.
    pub moving: bool,
    /// Whether velocities of the beginning that no body has count only if the frames after it bear them out.
    pub calm: bool,
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
            calm: false,
        }
    }
}

impl RunSettings {
    /// For a figure that falls: a hard fall wants short steps.
    pub fn limp() -> Self {
        Self { actor: ActorSettings::limp(), substeps: 8, calm: true, ..Self::default() }
    }
}

/// Something that happens to the figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventKind {
    /// A blow to a segment's centre, N·s, world axes.
    Push { segment: usize, impulse: Vec3 },
    /// A ball that reaches the segment at that time, from where the figure faces.
    Throw { segment: usize, mass: Real, speed: Real },
    /// All muscles let go, and so does the root.
    LetGo,
}

/// When something happens, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    pub time: Real,
    pub what: EventKind,
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    #[error("an event at {0} s; times count from 0")]
    EventTime(Real),
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    pub world: World,
    pub actor: Actor,
    pub animation: Animation,
    pub trip: Option<Trip>,
    settings: RunSettings,
    ground: Option<BodyId>,
    origin: Vec3,
    forward: Vec3,
    /// Soonest last.
    events: Vec<Event>,
    thrown: Vec<BodyId>,
    calmed: Vec<Calmed>,
    /// Segments that have touched something since they went limp.
    lying: Vec<bool>,
    changed: Vec<usize>,
    /// The segments of bodies, by number; those of the ground, of props and of balls are none.
    segment_of: Vec<Option<usize>>,
    wanted: PoseMotion,
    /// How fast the animation turned a joint at the end of the last step, rad/s.
    fastest: Real,
    step: Real,
    steps_per_frame: usize,
    name: String,
    recorder: Option<Recorder>,
}

/// Where a joint is asked to turn by more than this in a step, radians, which captures that jump do, steps are so short that
/// it turns by no more than that in each: muscles lag behind what turns fast.
const JUMP: Real = 0.1;
const TURN: Real = 0.05;
const MOST_PARTS: Real = 32.0;
/// A joint that swings freely turns by no more than this in an inner step, radians, as long as this many parts can do that.
const WHIP: Real = 0.01;
const MOST_LIMP_PARTS: Real = 8.0;

/// How fast flesh that lies on something stops rolling, 1/s, at 1.75 m.
const DRAG: Real = 1.0;

/// How far away a thrown ball starts, in seconds of flight.
const FLIGHT: Real = 0.25;

impl Run {
    /// Sets up a run of a figure that follows an animation.
    pub fn new(figure: &Figure, animation: Animation, settings: RunSettings) -> Result<Self, RunError> {
        let mut start = animation.sample(0.0);
        if !settings.moving {
            start.stop();
        }
        let calmed = if settings.calm { calm(figure, &animation, 0.0, &mut start) } else { Vec::new() };
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
        run.calmed = calmed;
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
        (world.sleeping.speed, world.sleeping.spin) = RESTFUL;
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
            calmed: Vec::new(),
            lying: vec![false; figure.segments().len()],
            changed: Vec::new(),
            segment_of,
        })
    }

    /// Where the segments' joints are once the ground has pushed the feet out, with the posture held as it is.
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

    /// Hangs a prop on a segment.
    pub fn attach(&mut self, prop: &Prop, segment: usize) -> Result<PropInstance, RunError> {
        Ok(prop.attach(&mut self.world, &self.actor, segment)?)
    }

    /// Plans something to happen.
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

    /// Velocities that were not taken as captured where the run began or the figure was let go.
    pub fn calmed(&self) -> &[Calmed] {
        &self.calmed
    }

    /// Takes one step; in several parts where the animation turns a joint too fast for one.
    pub fn step(&mut self) -> Result<StepReport, RunError> {
        let begin = self.world.time();
        self.animation.sample_into(begin + self.step, &mut self.wanted);
        let parts = if self.actor.activation() > 0.0 { self.parts() } else { self.limp_parts() };
        let part = self.step / parts as Real;
        self.let_happen(part)?;
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

    /// How many parts the coming step needs for the motion at its end.
    fn parts(&mut self) -> usize {
        let fastest = self.wanted.angular_velocities.iter().map(|turn| turn.norm_squared()).fold(0.0, Real::max).sqrt();
        let before = std::mem::replace(&mut self.fastest, fastest);
        let turn = fastest.max(before) * self.step;
        if turn <= JUMP { 1 } else { (turn / TURN).ceil().min(MOST_PARTS) as usize }
    }

    /// How many parts the coming step needs for joints that swing freely: limits are stated as they are at the beginning of a
    /// step, and a limb that whips along in long ones gets past them.
    fn limp_parts(&self) -> usize {
        let (figure, bodies) = (self.actor.figure(), &self.actor.instance().bodies);
        let spin = |segment: usize| self.world.state(bodies[segment]).angular();
        let rate =
            |(k, segment): (usize, &Segment)| (spin(k) - segment.parent.map_or_else(Vec3::zeros, spin)).norm_squared();
        let fastest = figure.segments().iter().enumerate().map(rate).fold(0.0, Real::max).sqrt();
        let inner = self.settings.substeps.max(1) as Real;
        (fastest * self.step / (WHIP * inner)).ceil().clamp(1.0, MOST_LIMP_PARTS) as usize
    }

    /// Flesh does not roll like glass: parts of a limp body that have touched something turn against a drag. (Friction against
    /// rolling at every point says the same, but with it the forces of some bodies settle worse.)
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

    /// What is due happens; blows last for so many seconds.
    fn let_happen(&mut self, lasting: Real) -> Result<(), RunError> {
        let now = self.world.time() + 0.5 * self.step;
        while let Some(event) = self.events.last().copied() {
            match event.what {
                EventKind::Push { segment, impulse } if event.time <= now => {
                    let body = self.actor.instance().bodies[segment];
                    self.world.apply(body, impulse / lasting, Vec3::zeros())?;
                }
                EventKind::LetGo if event.time <= now => {
                    self.calm_down()?;
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

    /// A figure that followed a capture which jumps has speeds that no body has: they are not let loose. One that falls because
    /// its muscles were too weak ([`Trip`]) did not follow, and what moves it is real.
    fn calm_down(&mut self) -> Result<(), RunError> {
        if self.actor.activation() > 0.0 {
            let Self { world, actor, animation, calmed, .. } = self;
            *calmed = calm_down(world, actor.figure(), &actor.instance().bodies, animation)?;
        }
        Ok(())
    }

    /// All muscles let go.
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
        let radius = (3.0 * mass / (4.0 * std::f64::consts::PI * 1000.0)).cbrt();
        let from = aim + forward * (speed * flight + radius) - 0.5 * self.world.gravity * (flight * flight);
        let velocity = -forward * speed;
        // Thrown so that gravity brings it down to the aim: v t + ½ g t² = aim − from.
        let ball = Body::dynamic("ball", MassProperties::sphere(mass, radius), Placement::at(from));
        let ball = self.world.add_body(ball.with_velocity(velocity, Vec3::zeros()).watched_closely())?;
        self.world.add_collider(ball, Collider::new(Shape::Sphere { radius }))?;
        self.thrown.push(ball);
        Ok(())
    }

    /// How deep the figure is in the ground now, metres, for ground that is a plane; else as its contacts tell.
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

    /// Whether everything sleeps.
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

/// What counts as resting, m/s and rad/s: a heap of light limbs creeps a little for a long time, which nobody sees.
const RESTFUL: (Real, Real) = (0.03, 0.25);

/// Less depth than this needs no settling, metres.
const TOUCHING: Real = 5e-4;

/// The way a figure faces, level: across its hips, else along its velocity, else +z.
fn facing(figure: &Figure, motions: &[FrameMotion]) -> Vec3 {
    let level = |v: Vec3| Vec3::new(v.x, 0.0, v.z).try_normalize(1e-3);
    let hip = |side: Side| figure.with_role(Role::UpperLeg(side)).map(|k| motions[k].position);
    let across = hip(Side::Left).zip(hip(Side::Right)).map(|(left, right)| (left - right).cross(&Vec3::y()));
    let moving = motions.first().map(|m| m.velocity * 0.01);
    across.and_then(level).or_else(|| moving.and_then(level)).unwrap_or_else(Vec3::z)
}

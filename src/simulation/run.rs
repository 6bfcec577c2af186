//! One run from beginning to end: a world, the actors that follow captured motion in it, and scheduled events.
//!
//! Every step goes the same way: the animations are sampled at its end, events that are due act, the controllers aim, the world
//! steps, monitors see the control errors, and a frame is recorded if its time has come.

use super::ground::Ground;
use super::start::limit_velocities;
use super::{Actor, ActorSettings, Event, Follower, Prop, PropInstance, Recorder};
use crate::control::{Animation, Terrain, Trip};
use crate::dynamics::{
    BodyId, ConstraintId, DynamicsError, Material, Placement, StepReport, Stepper, TimeStepping, World,
};
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::motion::{Clip, ClipError, FrameMotion, PoseMotion};
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

/// Error that ends a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The world cannot be stepped or built.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// The figure begins deeper in the ground than it is high, metres, so that no push would bring it out in its posture.
    #[error(
        "the figure begins {depth:.3} m deep in the ground, deeper than its height of {height:.3} m: the ground must be lower"
    )]
    Buried {
        /// Depth of its lowest point, metres.
        depth: Real,
        /// Height of the figure, metres.
        height: Real,
    },
    /// The time of an event, seconds, is negative or not finite.
    #[error("an event at {0} s; times count from 0")]
    EventTime(Real),
    /// An event happens to a follower that does not exist.
    #[error("an event for follower {found}; the run has {followers}, counted from 0")]
    EventFollower {
        /// Index that was given.
        found: usize,
        /// Number of followers.
        followers: usize,
    },
}

/// World with actors that follow animations.
#[derive(Clone, Debug)]
pub struct Run {
    /// Physical world.
    pub world: World,
    /// Actors with the animations that they follow.
    pub followers: Vec<Follower>,
    /// Constraints beside those of the actors whose forces are recorded, by name.
    pub(crate) joints: Vec<(String, ConstraintId)>,
    pub(super) ground: Option<Ground>,
    /// Scheduled events, the next one last.
    pub(super) events: Vec<Event>,
    pub(super) thrown: Vec<BodyId>,
    step: Real,
    steps_per_frame: usize,
    /// Steps taken.
    steps: usize,
    /// Divides steps in which joints rotate fast, and dampens limp segments that lie.
    adapts: bool,
    recorder: Option<Recorder>,
}

impl Run {
    /// A run without actors in a world that steps as given, seconds: no step is divided, and nothing is damped.
    pub fn in_world(world: World, step: Real) -> Self {
        Self {
            world,
            followers: Vec::new(),
            joints: Vec::new(),
            ground: None,
            events: Vec::new(),
            thrown: Vec::new(),
            step,
            steps_per_frame: 1,
            steps: 0,
            adapts: false,
            recorder: None,
        }
    }

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
        let mut run = Self::at(figure, animation.clone(), &motions, &settings)?;
        let buried = run.depth();
        if buried > figure.height {
            return Err(RunError::Buried { depth: buried, height: figure.height });
        }
        if settings.settle && buried > TOUCHING {
            let settled = run.settled(&start, buried)?;
            for (motion, place) in motions.iter_mut().zip(settled) {
                (motion.position, motion.rotation) = (place.position, place.rotation);
            }
            run = Self::at(figure, animation, &motions, &settings)?;
        }
        run.followers[0].limited = limited;
        Ok(run)
    }

    fn at(
        figure: &Figure,
        animation: Animation,
        motions: &[FrameMotion],
        settings: &RunSettings,
    ) -> Result<Self, RunError> {
        let mut world = World::new();
        let stepper = TimeStepping { substeps: settings.substeps.max(1), ..TimeStepping::default() };
        world.stepper = Stepper::TimeStepping(stepper);
        rest_like_limbs(&mut world);
        let ground = (settings.terrain, settings.ground, settings.material);
        let ground = Ground::build(&mut world, figure, motions, ground)?;
        let mut actor = settings.actor;
        actor.place.material = settings.material;
        let actor = Actor::place_moving(&mut world, figure, motions, &actor)?;
        let rate = animation.clip().rate_hz();
        let steps_per_frame = (settings.rate / rate - 1e-9).ceil().max(1.0) as usize;
        let mut follower = Follower::new("", actor, animation);
        follower.trip = settings.trip;
        Ok(Self {
            followers: vec![follower],
            ground: Some(ground),
            steps_per_frame,
            adapts: true,
            ..Self::in_world(world, 1.0 / (rate * steps_per_frame as Real))
        })
    }

    /// Returns the placements of the segments' joints after the ground has pushed the feet out, in the same posture.
    fn settled(mut self, start: &PoseMotion, buried: Real) -> Result<Vec<Placement>, RunError> {
        let mut still = start.clone();
        still.stop();
        // Nothing falls while it settles: the ground pushes, and muscles give way.
        self.world.gravity = Vec3::zeros();
        let patience = 0.5 + 4.0 * buried / self.world.contact.push_out_speed;
        let mut placements = Vec::new();
        for _ in 0..(patience / self.step).min(5e3) as usize {
            let actor = &mut self.followers[0].actor;
            actor.aim(&mut self.world, &still, self.step)?;
            self.world.step(self.step)?;
            let rested = actor.instance().bodies.iter().all(|&b| self.world.state(b).velocity.amax() < 0.05);
            if self.depth() <= TOUCHING && rested {
                break;
            }
        }
        let actor = &self.followers[0].actor;
        actor.instance().placements_into(actor.figure(), &self.world, &mut placements);
        Ok(placements)
    }

    /// Attaches a prop to a segment of a follower.
    pub fn attach(&mut self, prop: &Prop, follower: usize, segment: usize) -> Result<PropInstance, RunError> {
        Ok(prop.attach(&mut self.world, &self.followers[follower].actor, segment)?)
    }

    /// Length of a step, seconds.
    pub fn step_length(&self) -> Real {
        self.step
    }

    /// Steps that make a frame of the animation's rate.
    pub fn steps_per_frame(&self) -> usize {
        self.steps_per_frame
    }

    /// The ground's body, if there is ground.
    pub fn ground(&self) -> Option<BodyId> {
        self.ground.and_then(|ground| ground.body)
    }

    /// The way the figure faces at the start, level.
    pub fn forward(&self) -> Vec3 {
        self.ground.map_or_else(Vec3::z, |ground| ground.forward)
    }

    /// Balls thrown so far.
    pub fn thrown(&self) -> &[BodyId] {
        &self.thrown
    }

    /// Advances by one step, in several parts if joints rotate too fast for one.
    pub fn step(&mut self) -> Result<StepReport, RunError> {
        let begin = self.world.time();
        let frame = (self.steps / self.steps_per_frame) as Real;
        let at = frame + ((self.steps % self.steps_per_frame) as Real + 0.5) / self.steps_per_frame as Real;
        for follower in &mut self.followers {
            follower.feed_forward(at);
            follower.sample(begin + self.step);
        }
        let parts = if self.adapts { self.parts() } else { 1 };
        let part = self.step / parts as Real;
        self.apply_events(part)?;
        if self.adapts {
            self.followers.iter_mut().for_each(|follower| follower.dampen_lying(&mut self.world));
        }
        let mut report = StepReport::default();
        for k in 1..=parts {
            if parts > 1 {
                self.followers.iter_mut().for_each(|follower| follower.sample(begin + part * k as Real));
            }
            for follower in &mut self.followers {
                follower.aim(&mut self.world, part)?;
            }
            let own = self.world.step(part)?;
            report = StepReport {
                substeps: report.substeps + own.substeps,
                iterations: report.iterations + own.iterations,
                broken: report.broken + own.broken,
                rollbacks: report.rollbacks + own.rollbacks,
                critical_stops: report.critical_stops + own.critical_stops,
                ..own
            };
            self.followers.iter_mut().for_each(|follower| follower.monitor(&mut self.world, part));
        }
        self.followers.iter_mut().for_each(|follower| follower.actor.share_assist(&mut self.world));
        self.steps += 1;
        self.observe();
        Ok(report)
    }

    /// Advances by one frame of the animation's rate; `look` sees the run after every step.
    pub fn step_frame(&mut self, mut look: impl FnMut(&Run)) -> Result<(), RunError> {
        for _ in 0..self.steps_per_frame {
            self.step()?;
            look(self);
        }
        Ok(())
    }

    /// Aims all followers at the end of the coming step, so that errors against targets have a meaning before the first one.
    pub(crate) fn aim(&mut self) -> Result<(), RunError> {
        let end = self.world.time() + self.step;
        for follower in &mut self.followers {
            follower.sample(end);
            follower.aim(&mut self.world, self.step)?;
        }
        Ok(())
    }

    /// Returns the number of parts that the coming step needs.
    fn parts(&mut self) -> usize {
        let inner = match &self.world.stepper {
            Stepper::TimeStepping(stepper) => stepper.substeps.max(1),
            _ => 1,
        };
        let needed = self.followers.iter_mut().map(|follower| follower.parts(&self.world, self.step, inner));
        needed.max().unwrap_or(1)
    }

    /// Records the run from now on, at the rate of the first animation. `title` names the recording and the first figure in it.
    pub fn start_recording(&mut self, title: impl Into<String>) {
        let Some(first) = self.followers.first_mut() else { return };
        first.name = title.into();
        let recorder = Recorder::in_step(first.name.clone(), first.animation.clip().rate_hz(), self.step);
        self.record_with(recorder);
    }

    /// Records the run from now on with a recorder.
    pub fn record_with(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
        self.observe();
    }

    fn observe(&mut self) {
        if let Some(mut recorder) = self.recorder.take() {
            self.observe_with(&mut recorder);
            self.recorder = Some(recorder);
        }
    }

    /// Lets a recorder see the run as it is now.
    pub(crate) fn observe_with(&self, recorder: &mut Recorder) {
        let actors = self.followers.iter().map(|follower| (follower.name.as_str(), &follower.actor));
        recorder.observe(&self.world, actors, self.joints.iter().map(|(name, id)| (name.as_str(), *id)));
    }

    /// Recorder of the run, if it records.
    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_ref()
    }

    /// Takes the recorder away, or puts another one in its place.
    pub(crate) fn replace_recorder(&mut self, recorder: Option<Recorder>) -> Option<Recorder> {
        std::mem::replace(&mut self.recorder, recorder)
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

    /// Recorded motion of the first follower as a clip on the skeleton of its figure.
    pub fn recorded_clip(&self) -> Result<Clip, ClipError> {
        let first = self.followers.first().ok_or(ClipError::NoFrames)?;
        clip_of(&self.recording(), first.actor.figure(), &first.animation)
    }

    /// Switches off all muscles of a follower and its root assistance.
    pub fn let_go(&mut self, follower: usize) {
        self.followers[follower].let_go(&mut self.world);
    }

    /// Returns the depth of the deepest figure in the ground now, metres: of its shapes for a plane, else of its contacts.
    pub fn depth(&self) -> Real {
        let Some(ground) = &self.ground else { return 0.0 };
        self.followers.iter().map(|follower| ground.depth(&self.world, &follower.actor)).fold(0.0, Real::max)
    }

    /// The largest distance between the two ends of a joint, metres.
    pub fn worst_gap(&self) -> Real {
        self.followers.iter().map(|follower| follower.actor.worst_gap(&self.world)).fold(0.0, Real::max)
    }

    /// Returns true if all bodies of all figures sleep.
    pub fn is_at_rest(&self) -> bool {
        let mut bodies = self.followers.iter().flat_map(|follower| &follower.actor.instance().bodies);
        bodies.all(|&body| self.world.is_asleep(body))
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

/// Sets the velocities at which bodies of a world fall asleep, and the tolerance of contacts, to those of limbs.
pub(crate) fn rest_like_limbs(world: &mut World) {
    world.contact.tolerance = CONTACT_TOLERANCE;
    (world.sleeping.speed, world.sleeping.spin) = REST_VELOCITIES;
}

/// Less depth than this needs no settling, metres.
const TOUCHING: Real = 5e-4;

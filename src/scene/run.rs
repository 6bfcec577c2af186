//! A scene in time: set up, stepped, watched.

use super::build::{Builder, push_of_pid, refresh_body, restate_force, restate_joint, tune_figure};
use super::context::{Constants, Context, constants, formula_fault};
use super::expect::{Outcome, Verdict, Watch};
use super::expression::{Expression, Variables};
use super::files::{Files, KeyPath};
use super::objects::{Objects, Origin};
use super::observe::Observer;
use super::reading::{Finder, Reading, pending_objects};
use super::schema;
use super::setup::{populate, world};
use super::timeline::Planned;
use super::unit::{ACCELERATION, ANY, FREQUENCY, LENGTH, TIME};
use crate::dynamics::{DynamicsError, StepReport, World};
use crate::formats::FormatError;
use crate::math::{Real, Vec3};
use crate::simulation::{Recorder, Run, RunError};
use std::sync::Arc;

/// Errors of setting up or running a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// The scene's text is wrong; the error says where.
    #[error(transparent)]
    Text(#[from] FormatError),
    /// The run refused a step.
    #[error("the scene cannot go on: {0}")]
    Run(#[from] RunError),
}

impl From<DynamicsError> for SceneError {
    fn from(error: DynamicsError) -> Self {
        SceneError::Run(error.into())
    }
}

/// A scene that runs: a [`Run`] with a script of numbers that change, events and expectations.
#[derive(Clone)]
pub struct SceneRun {
    pub(crate) run: Run,
    pub(crate) files: Arc<Files>,
    pub(crate) constants: Constants,
    pub(crate) objects: Objects,
    pub(crate) planned: Vec<Planned>,
    duration: Real,
    moving_gravity: bool,
    report: StepReport,
    readings: Vec<Reading>,
    values: Vec<Real>,
    /// Formulas that controllers sense.
    pub(crate) senses: Vec<Expression>,
    /// Formulas remembered at a time, and what they were then.
    memories: Vec<(Real, Expression)>,
    remembered: Vec<Real>,
    watches: Vec<Watch>,
}

/// A step is never longer or shorter than this, seconds.
const STEPS: std::ops::RangeInclusive<Real> = 1e-7..=1.0;
/// A scene runs for at most so many steps.
const MOST_STEPS: Real = 1e8;

impl SceneRun {
    /// Sets a scene up. `duration` (seconds) overrides what the scene says.
    pub fn new(files: Files, duration: Option<Real>) -> Result<SceneRun, SceneError> {
        let constants = constants(&files)?;
        let settings = &files.scene.world;
        let context = Context::new(&files, &constants, KeyPath::table("world"), 0.0);
        let step = match &settings.step {
            Some(step) => context.number("step", step, TIME)?,
            None => 1.0 / 240.0,
        };
        if !STEPS.contains(&step) {
            return Err(context
                .fault("step", format!("a step of {step} s is not possible; it lies between 1e-7 and 1 s"))
                .into());
        }
        let own = context.fixed("duration", &settings.duration, TIME)?.unwrap_or(5.0);
        if !(own > 0.0 && own / step <= MOST_STEPS) {
            return Err(context
                .fault("duration", format!("a scene cannot run for {own} s in steps of {step} s"))
                .into());
        }
        let mut run = Run::in_world(world(&context, settings)?, step);
        let moving_gravity = context.varies();
        let mut objects = Objects::default();
        let mut builder = Builder { run: &mut run, objects: &mut objects };
        populate(&mut builder, &files, &constants)?;
        let planned = super::timeline::plan(&files, &constants)?;
        if let Some(tolerance) = context.fixed("assemble", &settings.assemble, ANY)? {
            let tolerance = context.positive("assemble", tolerance)?;
            let told = |error: DynamicsError| context.fault("assemble", error.to_string());
            let report = run.world.assemble(tolerance, own.min(5.0)).map_err(told)?;
            if !report.met() {
                let unmet: Vec<&str> = report.unmet().map(|d| d.name.as_str()).collect();
                let message = format!("the joints cannot be brought together: {} stay apart", unmet.join(", "));
                return Err(context.fault("assemble", message).help("these constraints contradict each other").into());
            }
        }
        let rate = context.fixed("frame_rate", &settings.frame_rate, FREQUENCY)?.unwrap_or(60.0).clamp(1.0, 1000.0);
        let recorder = Recorder::new(files.scene.title.clone(), rate);
        let mut scene = SceneRun {
            files: Arc::new(files),
            constants,
            objects,
            planned,
            duration: duration.unwrap_or(own),
            moving_gravity,
            ..SceneRun::unscripted(run)
        };
        scene.find_senses(0)?;
        scene.run_due_events()?;
        scene.lead_figures()?;
        scene.run.aim()?;
        scene.watch(own)?;
        scene.remembered = vec![Real::NAN; scene.memories.len()];
        scene.look();
        scene.run.record_with(recorder);
        Ok(scene)
    }

    /// A run without a script: nothing changes with time, nothing is scheduled or expected, and it has no end.
    pub(crate) fn unscripted(run: Run) -> SceneRun {
        SceneRun {
            run,
            files: Arc::default(),
            constants: Constants::default(),
            objects: Objects::default(),
            planned: Vec::new(),
            duration: Real::INFINITY,
            moving_gravity: false,
            report: StepReport::default(),
            readings: Vec::new(),
            values: Vec::new(),
            senses: Vec::new(),
            memories: Vec::new(),
            remembered: Vec::new(),
            watches: Vec::new(),
        }
    }

    fn watch(&mut self, end: Real) -> Result<(), FormatError> {
        let SceneRun { files, constants, run, objects, readings, memories, watches, .. } = self;
        let pending = &pending_objects(&files.scene.event);
        let mut finder = Finder { world: &run.world, objects, constants, pending, readings, memories };
        let context = Context::new(files, constants, KeyPath::table("expect"), 0.0);
        for (name, entry) in &files.scene.expect {
            watches.push(Watch::new(files, &context.inside(""), &mut finder, name, entry, end)?);
        }
        Ok(())
    }

    /// Reads the formulas of controllers from the `first` force on.
    pub(crate) fn find_senses(&mut self, first: usize) -> Result<(), FormatError> {
        for which in first..self.objects.forces.len() {
            if self.objects.forces[which].pid.is_none() {
                continue;
            }
            let SceneRun { files, constants, run, objects, readings, memories, senses, .. } = self;
            let force = &objects.forces[which];
            let origin = force.origin.clone();
            let context = Context::of(files, constants, &origin, 0.0);
            let text = context.fill("sense", force.entry.sense.as_deref().unwrap_or_default())?;
            let pending = &pending_objects(&files.scene.event);
            let mut finder = Finder { world: &run.world, objects, constants, pending, readings, memories };
            let formula = Expression::parse(&text, &mut finder)
                .map_err(|error| formula_fault(files, &origin.key_path.key("sense"), error))?;
            senses.push(formula);
            let which_sense = senses.len() - 1;
            if let Some(pid) = &mut self.objects.forces[which].pid {
                pid.sense = which_sense;
            }
        }
        self.read();
        Ok(())
    }

    /// Adds new objects to the readings over several objects that their names match.
    pub(crate) fn join_patterns(&mut self, names: &[String]) -> Result<(), String> {
        let SceneRun { constants, run, objects, readings, memories, .. } = self;
        Finder { world: &run.world, objects, constants, pending: &[], readings, memories }.join_patterns(names)
    }

    fn read(&mut self) {
        let Run { world, followers, .. } = &self.run;
        let view = Observer { world, followers, objects: &self.objects, report: &self.report };
        self.values.clear();
        self.values.extend(self.readings.iter().map(|reading| view.read(reading)));
    }

    /// Everything that is watched is looked at.
    fn look(&mut self) {
        for (figure, follower) in self.objects.figures.iter_mut().zip(&self.run.followers) {
            figure.peak_acceleration = figure.peak_acceleration.max(follower.wanted_acceleration());
        }
        self.read();
        let (time, slack) = (self.run.world.time(), 0.5 * self.step_length());
        let SceneRun { values, memories, remembered, watches, .. } = self;
        for (k, (at, formula)) in memories.iter().enumerate() {
            if remembered[k].is_nan() && time >= at - slack {
                let variables = Variables { time, index: 0.0, count: 1.0, readings: values, memories: &[] };
                remembered[k] = formula.value(&variables);
            }
        }
        let variables = Variables { time, index: 0.0, count: 1.0, readings: values, memories: remembered };
        for watch in watches {
            watch.look(&variables, slack);
        }
    }

    pub(crate) fn context(&self, origin: &Origin) -> Context<'_> {
        Context::of(&self.files, &self.constants, origin, self.run.world.time())
    }

    /// Takes one step.
    pub fn step(&mut self) -> Result<(), SceneError> {
        self.run_due_events()?;
        self.refresh()?;
        self.push_controlled()?;
        self.lead_figures()?;
        self.report = self.run.step()?;
        self.look();
        Ok(())
    }

    /// Numbers that change with time are taken as they are now.
    fn refresh(&mut self) -> Result<(), SceneError> {
        let time = self.run.world.time();
        let SceneRun { files, constants, run, objects, .. } = self;
        let context = |origin: &Origin| Context::of(files, constants, origin, time);
        if let (true, Some(gravity)) = (self.moving_gravity, &files.scene.world.gravity) {
            run.world.gravity = Context::new(files, constants, KeyPath::table("world"), time).vector(
                "gravity",
                gravity,
                ACCELERATION,
            )?;
        }
        for which in 0..objects.bodies.len() {
            if objects.bodies[which].varies && objects.bodies[which].removed.is_none() {
                let context = context(&objects.bodies[which].origin.clone());
                refresh_body(&mut Builder { run, objects }, &context, which)?;
            }
        }
        for which in 0..objects.joints.len() {
            if objects.joints[which].varies && !objects.joints[which].removed {
                let context = context(&objects.joints[which].origin.clone());
                restate_joint(&mut Builder { run, objects }, &context, which)?;
            }
        }
        for which in 0..objects.forces.len() {
            if objects.forces[which].varies && !objects.forces[which].removed {
                let context = context(&objects.forces[which].origin.clone());
                restate_force(&mut Builder { run, objects }, &context, which)?;
            }
        }
        Ok(())
    }

    /// Lets the controllers among the forces push.
    fn push_controlled(&mut self) -> Result<(), SceneError> {
        let (time, step) = (self.run.world.time(), self.step_length());
        for which in 0..self.objects.forces.len() {
            let force = &self.objects.forces[which];
            let Some(pid) = &force.pid else { continue };
            let timed = time >= pid.acts.0 && time < pid.acts.1;
            if !(pid.on && timed) || force.removed {
                continue;
            }
            let variables =
                Variables { time, index: 0.0, count: 1.0, readings: &self.values, memories: &self.remembered };
            let sensed = self.senses[pid.sense].value(&variables);
            let SceneRun { files, constants, run, objects, .. } = self;
            let origin = objects.forces[which].origin.clone();
            let context = Context::of(files, constants, &origin, time);
            push_of_pid(&mut Builder { run, objects }, &context, which, sensed, step)?;
        }
        Ok(())
    }

    /// Sets what of the figures changes with time for the end of the coming step: muscles, playback, holds.
    fn lead_figures(&mut self) -> Result<(), SceneError> {
        let (time, step) = (self.run.world.time(), self.step_length());
        let next = time + step;
        let SceneRun { files, constants, run, objects, .. } = self;
        for which in 0..objects.figures.len() {
            let context = Context::new(files, constants, KeyPath::entry("figure", which), next);
            if objects.figures[which].varies {
                tune_figure(&mut Builder { run, objects }, &context, which)?;
            }
            let figure = &mut objects.figures[which];
            // Where the playback speed changes, the time played is its integral.
            if let Some(playback) = &mut figure.playback {
                playback.played += playback.between(playback.until, time);
                playback.until = time;
                let speed = context.positive("speed", playback.speed_at(next))?;
                let follower = &mut run.followers[which];
                follower.playback = Some((playback.played + playback.between(time, next)) / speed);
                follower.animation.set_speed(speed);
            }
            for hold in &figure.holds {
                let entry = &figure.entry.hold[hold.which];
                let (mut place, mut velocity) = (Vec3::zeros(), Vec3::zeros());
                if let Some(at) = &entry.at {
                    for axis in 0..3 {
                        let jet = context.jet(&format!("hold.{}.at.{axis}", hold.which), &at[axis], LENGTH)?;
                        (place[axis], velocity[axis]) = (jet.value, jet.rate);
                    }
                }
                if let Some(near) = &hold.near {
                    let moving = near.velocity(&run.world);
                    place += near.position(&run.world) + moving * step;
                    velocity += moving;
                }
                hold.marker.aim(&mut run.world, next, place, velocity);
            }
        }
        Ok(())
    }

    /// All that the future depends on, without the frames recorded so far.
    pub(crate) fn snapshot(&mut self) -> SceneRun {
        let recorder = self.run.replace_recorder(None);
        let mut kept = self.clone();
        kept.run.replace_recorder(recorder.as_ref().map(Recorder::blank));
        self.run.replace_recorder(recorder);
        kept
    }

    /// Becomes what it was when it was kept; the recording ends there.
    pub(crate) fn restore(&mut self, kept: &SceneRun) {
        let mut recorder = self.run.replace_recorder(None);
        if let Some(recorder) = &mut recorder {
            recorder.cut(kept.run.world.time());
        }
        self.clone_from(kept);
        self.run.replace_recorder(recorder);
    }

    /// Sets gravity, m/s², and overrides that of the scene from now on.
    pub(crate) fn set_gravity(&mut self, gravity: Vec3) {
        self.moving_gravity = false;
        self.run.world.gravity = gravity;
        self.run.world.wake_all();
    }

    /// Runs to the end; `look` is told the time after every step.
    pub fn finish(&mut self, mut look: impl FnMut(Real)) -> Result<(), SceneError> {
        while !self.is_over() {
            self.step()?;
            look(self.run.world.time());
        }
        Ok(())
    }

    /// Returns true if the scene's duration has passed.
    pub fn is_over(&self) -> bool {
        self.run.world.time() >= self.duration - 0.5 * self.step_length()
    }

    /// Verdicts on all expectations so far.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let end = self.run.world.time() + 0.5 * self.step_length();
        let variables = Variables {
            time: self.run.world.time(),
            index: 0.0,
            count: 1.0,
            readings: &self.values,
            memories: &self.remembered,
        };
        self.watches.iter().map(|watch| watch.judge(end, &variables)).collect()
    }

    /// Returns true if no expectation failed.
    pub fn holds(&self) -> bool {
        self.verdicts().iter().all(|verdict| verdict.outcome != Outcome::Failed)
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.run.world
    }

    /// The scene with all that it includes.
    pub fn scene(&self) -> &schema::Scene {
        &self.files.scene
    }

    /// Seconds that the run lasts.
    pub fn duration(&self) -> Real {
        self.duration
    }

    /// Length of a step, seconds.
    pub fn step_length(&self) -> Real {
        self.run.step_length()
    }

    /// Number of frames recorded so far.
    pub fn frames(&self) -> usize {
        self.run.recording().frames()
    }

    /// Current position of a body, point or segment, metres; none for an unknown name.
    pub fn position(&self, name: &str) -> Option<Vec3> {
        use super::objects::ObjectId;
        match self.objects.find(name)? {
            ObjectId::Point(k) => Some(self.objects.points[k].attachment.position(&self.run.world)),
            ObjectId::Body(k) => Some(self.run.world.state(self.objects.bodies[k].id).placement.position),
            ObjectId::Segment(figure, segment) => {
                let id = self.objects.figures[figure].instance.bodies[segment];
                Some(self.run.world.state(id).placement.position)
            }
            _ => None,
        }
    }
}

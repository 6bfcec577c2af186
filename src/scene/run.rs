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
use crate::control::Trip;
use crate::dynamics::{DynamicsError, StepReport, World};
use crate::formats::FormatError;
use crate::math::{Real, Vec3};
use crate::simulation::{Actor, Recorder};
use std::sync::Arc;

/// Errors of setting up or running a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// The scene's text is wrong; the error says where.
    #[error(transparent)]
    Text(#[from] FormatError),
    /// The world refused a step.
    #[error("the scene cannot go on: {0}")]
    Dynamics(#[from] DynamicsError),
}

/// A scene that runs.
pub struct SceneRun {
    pub(crate) files: Arc<Files>,
    pub(crate) constants: Constants,
    pub(crate) world: World,
    pub(crate) objects: Objects,
    pub(crate) planned: Vec<Planned>,
    step: Real,
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
    pub(crate) recorder: Recorder,
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
        let mut world = world(&context, settings)?;
        let moving_gravity = context.varies();
        let mut objects = Objects::default();
        let mut builder = Builder { world: &mut world, objects: &mut objects };
        populate(&mut builder, &files, &constants)?;
        let planned = super::timeline::plan(&files, &constants)?;
        if let Some(tolerance) = context.fixed("assemble", &settings.assemble, ANY)? {
            let tolerance = context.positive("assemble", tolerance)?;
            let told = |error: DynamicsError| context.fault("assemble", error.to_string());
            let report = world.assemble(tolerance, own.min(5.0)).map_err(told)?;
            if !report.met() {
                let unmet: Vec<&str> = report.unmet().map(|d| d.name.as_str()).collect();
                let message = format!("the joints cannot be brought together: {} stay apart", unmet.join(", "));
                return Err(context.fault("assemble", message).help("these constraints contradict each other").into());
            }
        }
        let rate = context.fixed("frame_rate", &settings.frame_rate, FREQUENCY)?.unwrap_or(60.0).clamp(1.0, 1000.0);
        let recorder = Recorder::new(files.scene.title.clone(), rate);
        let mut run = SceneRun {
            files: Arc::new(files),
            constants,
            world,
            objects,
            planned,
            step,
            duration: duration.unwrap_or(own),
            moving_gravity,
            report: StepReport::default(),
            readings: Vec::new(),
            values: Vec::new(),
            senses: Vec::new(),
            memories: Vec::new(),
            remembered: Vec::new(),
            watches: Vec::new(),
            recorder,
        };
        run.find_senses(0)?;
        run.run_due_events()?;
        // So that errors against targets mean something from the start.
        run.aim()?;
        run.watch(own)?;
        run.remembered = vec![Real::NAN; run.memories.len()];
        run.look();
        run.record();
        Ok(run)
    }

    fn watch(&mut self, end: Real) -> Result<(), FormatError> {
        let SceneRun { files, constants, world, objects, readings, memories, watches, .. } = self;
        let pending = &pending_objects(&files.scene.event);
        let mut finder = Finder { world, objects, constants, pending, readings, memories };
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
            let SceneRun { files, constants, world, objects, readings, memories, senses, .. } = self;
            let force = &objects.forces[which];
            let origin = force.origin.clone();
            let context = Context::of(files, constants, &origin, 0.0);
            let text = context.fill("sense", force.entry.sense.as_deref().unwrap_or_default())?;
            let pending = &pending_objects(&files.scene.event);
            let mut finder = Finder { world, objects, constants, pending, readings, memories };
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
        let SceneRun { constants, world, objects, readings, memories, .. } = self;
        Finder { world, objects, constants, pending: &[], readings, memories }.join_patterns(names)
    }

    fn read(&mut self) {
        let view = Observer { world: &self.world, objects: &self.objects, report: &self.report };
        self.values.clear();
        self.values.extend(self.readings.iter().map(|reading| view.read(reading)));
    }

    /// Everything that is watched is looked at.
    fn look(&mut self) {
        self.read();
        let (time, slack) = (self.world.time(), 0.5 * self.step);
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
        Context::of(&self.files, &self.constants, origin, self.world.time())
    }

    /// Takes one step.
    pub fn step(&mut self) -> Result<(), SceneError> {
        self.run_due_events()?;
        self.refresh()?;
        self.control()?;
        self.report = self.world.step(self.step)?;
        self.trip();
        self.look();
        self.record();
        Ok(())
    }

    /// Records a frame if its time has come.
    fn record(&mut self) {
        let SceneRun { recorder, world, objects, .. } = self;
        let actors = objects.figures.iter().map(|figure| (figure.name.as_str(), &figure.actor));
        recorder.observe(world, actors, objects.joints.iter().map(|joint| (joint.name.as_str(), joint.id)));
    }

    /// Numbers that change with time are taken as they are now.
    fn refresh(&mut self) -> Result<(), SceneError> {
        let time = self.world.time();
        let SceneRun { files, constants, world, objects, .. } = self;
        let context = |origin: &Origin| Context::of(files, constants, origin, time);
        if let (true, Some(gravity)) = (self.moving_gravity, &files.scene.world.gravity) {
            world.gravity = Context::new(files, constants, KeyPath::table("world"), time).vector(
                "gravity",
                gravity,
                ACCELERATION,
            )?;
        }
        for which in 0..objects.bodies.len() {
            if objects.bodies[which].varies && objects.bodies[which].removed.is_none() {
                let context = context(&objects.bodies[which].origin.clone());
                refresh_body(&mut Builder { world, objects }, &context, which)?;
            }
        }
        for which in 0..objects.joints.len() {
            if objects.joints[which].varies && !objects.joints[which].removed {
                let context = context(&objects.joints[which].origin.clone());
                restate_joint(&mut Builder { world, objects }, &context, which)?;
            }
        }
        for which in 0..objects.forces.len() {
            if objects.forces[which].varies && !objects.forces[which].removed {
                let context = context(&objects.forces[which].origin.clone());
                restate_force(&mut Builder { world, objects }, &context, which)?;
            }
        }
        Ok(())
    }

    /// Controllers of the scene and of its figures push, or say what they aim at.
    fn control(&mut self) -> Result<(), SceneError> {
        let (time, step) = (self.world.time(), self.step);
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
            let SceneRun { files, constants, world, objects, .. } = self;
            let origin = objects.forces[which].origin.clone();
            let context = Context::of(files, constants, &origin, time);
            push_of_pid(&mut Builder { world, objects }, &context, which, sensed, step)?;
        }
        self.aim()
    }

    /// Figures are told where to be at the end of the pending step.
    fn aim(&mut self) -> Result<(), SceneError> {
        let (time, step) = (self.world.time(), self.step);
        let SceneRun { files, constants, world, objects, .. } = self;
        for (k, figure) in objects.figures.iter_mut().enumerate() {
            let next = time + step;
            let context = Context::new(files, constants, KeyPath::entry("figure", k), next);
            if figure.varies {
                tune_figure(world, &context, figure)?;
            }
            // Where the playback speed changes, what has been played is its integral.
            let mut played = next;
            if let Some(playback) = &mut figure.playback {
                playback.played += playback.between(playback.until, time);
                playback.until = time;
                let speed = context.positive("speed", playback.speed_at(next))?;
                played = (playback.played + playback.between(time, next)) / speed;
                figure.animation.set_speed(speed);
            }
            figure.animation.sample_into(played, &mut figure.wanted);
            figure.peak_acceleration = figure.peak_acceleration.max(figure.wanted_acceleration());
            figure.actor.aim(world, &figure.wanted, step)?;
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
                    let moving = near.velocity(world);
                    place += near.position(world) + moving * step;
                    velocity += moving;
                }
                hold.marker.aim(world, next, place, velocity);
            }
            let wanted = figure.actor.wanted();
            for (segment, point, marker) in &figure.markers {
                let frame = &wanted[*segment];
                marker.aim(world, next, frame.position + frame.rotation * point, frame.point(point).0);
            }
        }
        Ok(())
    }

    fn trip(&mut self) {
        let SceneRun { world, objects, step, .. } = self;
        for figure in &mut objects.figures {
            if let Some(trip) = &mut figure.trip {
                let error = figure.actor.control_error(world);
                let activation = trip.update(error, world.time(), *step);
                figure.actor.set_activation(world, activation);
            }
        }
    }

    /// All that the future depends on, without the frames recorded so far.
    pub(crate) fn snapshot(&self) -> SceneRun {
        SceneRun {
            files: self.files.clone(),
            constants: self.constants.clone(),
            world: self.world.clone(),
            objects: self.objects.clone(),
            planned: self.planned.clone(),
            step: self.step,
            duration: self.duration,
            moving_gravity: self.moving_gravity,
            report: self.report,
            readings: self.readings.clone(),
            values: self.values.clone(),
            senses: self.senses.clone(),
            memories: self.memories.clone(),
            remembered: self.remembered.clone(),
            watches: self.watches.clone(),
            recorder: self.recorder.blank(),
        }
    }

    /// Becomes what it was when it was kept; the recording ends there.
    pub(crate) fn restore(&mut self, kept: &SceneRun) {
        let mut recorder = std::mem::replace(&mut self.recorder, kept.recorder.blank());
        recorder.cut(kept.world.time());
        *self = SceneRun { recorder, ..kept.snapshot() };
    }

    /// Sets gravity, m/s², and overrides that of the scene from now on.
    pub(crate) fn set_gravity(&mut self, gravity: Vec3) {
        self.moving_gravity = false;
        self.world.gravity = gravity;
    }

    /// The world, and all figures in it with what makes them fall.
    pub(crate) fn actors_mut(&mut self) -> (&mut World, impl Iterator<Item = (&mut Actor, &mut Option<Trip>)>) {
        let figures = self.objects.figures.iter_mut().map(|figure| (&mut figure.actor, &mut figure.trip));
        (&mut self.world, figures)
    }

    /// Runs to the end; `look` is told the time after every step.
    pub fn finish(&mut self, mut look: impl FnMut(Real)) -> Result<(), SceneError> {
        while !self.is_over() {
            self.step()?;
            look(self.world.time());
        }
        Ok(())
    }

    /// Returns true if the scene's duration has passed.
    pub fn is_over(&self) -> bool {
        self.world.time() >= self.duration - 0.5 * self.step
    }

    /// Verdicts on all expectations so far.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let end = self.world.time() + 0.5 * self.step;
        let variables = Variables {
            time: self.world.time(),
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
        &self.world
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
        self.step
    }

    /// Number of frames recorded so far.
    pub fn frames(&self) -> usize {
        self.recorder.recording().frames()
    }

    /// Current position of a body, point or segment, metres; none for an unknown name.
    pub fn position(&self, name: &str) -> Option<Vec3> {
        use super::objects::ObjectId;
        match self.objects.find(name)? {
            ObjectId::Point(k) => Some(self.objects.points[k].attachment.position(&self.world)),
            ObjectId::Body(k) => Some(self.world.state(self.objects.bodies[k].id).placement.position),
            ObjectId::Segment(figure, segment) => {
                let id = self.objects.figures[figure].actor.instance().bodies[segment];
                Some(self.world.state(id).placement.position)
            }
            _ => None,
        }
    }
}

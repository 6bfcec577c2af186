//! The show itself: all exhibits on one clock.
//!
//! Every exhibit has a world of its own, and stands beside the others only in the picture: what one does never changes what
//! another one computes, and each gives the same bits as its file alone.

use super::analysis;
use super::brush::Brush;
use super::exhibit::{Content, Exhibit};
use super::meshes::Meshes;
use super::open::{OpenError, OpenOptions, is_figure, open};
use super::timeline::live_curves;
use super::{Action, ForceSource, Grip, Layers, Mesh, Picture, Status, Timeline};
use crate::math::{Real, Vec3};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Opened files, the clock they share, and what a person did to them.
pub struct Show {
    exhibits: Vec<Exhibit>,
    meshes: Meshes,
    options: OpenOptions,
    clock: Clock,
    /// Physics is on.
    live: bool,
    /// Which exhibit the mouse holds something of.
    held: Option<usize>,
}

/// Time in the show.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// Seconds from the first frame.
    time: Real,
    playing: bool,
    speed: Real,
    looping: bool,
}

/// Free space between two exhibits, metres.
const AISLE: Real = 0.6;
/// A call of `advance` moves the clock by at most so much real time: what was asleep for a minute does not run for one.
const LONGEST_BREATH: Real = 0.1;

impl Show {
    /// Opens files side by side. The first one that cannot be read is the error.
    pub fn open(paths: &[PathBuf], options: &OpenOptions) -> Result<Show, OpenError> {
        let clock = Clock { time: 0.0, playing: false, speed: 1.0, looping: true };
        let (exhibits, meshes) = (Vec::new(), Meshes::default());
        let mut show = Show { exhibits, meshes, options: options.clone(), clock, live: false, held: None };
        // Figure files are bodies for the captures beside them.
        let (bodies, files): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().partition(|path| is_figure(path));
        match options.compare {
            false => files.iter().try_for_each(|path| show.add(path))?,
            true => {
                for pair in files.chunks(2) {
                    let (source, result): (&PathBuf, Option<&PathBuf>) = (pair[0], pair.get(1).copied());
                    let Some(result) = result else {
                        let told =
                            OpenError::new("has no counterpart: files to compare come in pairs, source and result");
                        return Err(told.in_file(source));
                    };
                    show.add(result)?;
                    let source = open(source, options, &mut show.meshes)?;
                    if let Some(exhibit) = show.exhibits.last_mut() {
                        exhibit.source = Some(Box::new(source));
                    }
                }
            }
        }
        bodies.iter().try_for_each(|path| show.add(path))?;
        show.go_to(0.0, None);
        Ok(show)
    }

    /// Opens one more file beside those that are there; on an error nothing changes. A figure file gives its body to the
    /// captures that it fits.
    pub fn add(&mut self, path: &Path) -> Result<(), OpenError> {
        if is_figure(path) {
            return self.embody(path);
        }
        let mut exhibit = open(path, &self.options, &mut self.meshes)?;
        exhibit.dress(&mut self.meshes);
        let (low, _) = exhibit.bounds();
        let edge = self.exhibits.iter().map(|other| other.bounds().1.x).reduce(Real::max);
        if let Some(edge) = edge {
            exhibit.offset = Vec3::new(edge + AISLE - low.x, 0.0, 0.0);
        }
        if self.live {
            exhibit.start(self.clock.time).map_err(|error| OpenError::new(error).in_file(path))?;
        }
        exhibit.go_to(self.clock.time, None);
        exhibit.dress(&mut self.meshes);
        self.exhibits.push(exhibit);
        Ok(())
    }

    /// Gives the figure of a file to all captures whose skeleton it is made for.
    fn embody(&mut self, path: &Path) -> Result<(), OpenError> {
        let mut fault = None;
        let mut fits = false;
        for exhibit in &mut self.exhibits {
            match exhibit.wear(path, &mut self.meshes) {
                Some(Ok(())) => fits = true,
                Some(Err(error)) => fault = fault.or(Some(error)),
                None => {}
            }
        }
        if !fits {
            let alone = || {
                OpenError::new("is a figure file: a body without a skeleton")
                    .in_file(path)
                    .help("open it together with a capture whose body it is, such as: sinew view walk.bvh figure.toml")
            };
            return Err(fault.unwrap_or_else(alone));
        }
        self.live = false;
        self.exhibits.iter_mut().for_each(Exhibit::stop);
        self.go_to(self.clock.time.min(self.duration()), None);
        Ok(())
    }

    /// How many exhibits there are.
    pub fn len(&self) -> usize {
        self.exhibits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.exhibits.is_empty()
    }

    /// What an exhibit is called: its file.
    pub fn name(&self, exhibit: usize) -> &str {
        &self.exhibits[exhibit].name
    }

    /// Where an exhibit stands in the picture, metres.
    pub fn offset(&self, exhibit: usize) -> Vec3 {
        self.exhibits[exhibit].offset
    }

    /// Height of the ground under an exhibit, metres.
    pub fn ground(&self, exhibit: usize) -> Real {
        self.exhibits[exhibit].ground()
    }

    /// The segments of an exhibit's figures with the share of strength that each one has, in the numbering of
    /// [`Action::Strength`].
    pub fn segments(&self, exhibit: usize) -> Vec<(String, Real)> {
        let exhibit = &self.exhibits[exhibit];
        let mut all = Vec::new();
        for (which, (figure, _)) in exhibit.figures().enumerate() {
            for (k, segment) in figure.segments().iter().enumerate() {
                let strength = exhibit.live.as_ref().map_or(1.0, |live| live.play().wanted_strength(which, k));
                all.push((segment.name.clone(), strength));
            }
        }
        all
    }

    pub(crate) fn exhibits(&self) -> &[Exhibit] {
        &self.exhibits
    }

    pub(crate) fn exhibits_mut(&mut self) -> &mut [Exhibit] {
        &mut self.exhibits
    }

    /// All meshes. The list only grows: a renderer uploads what it has not seen yet.
    pub fn meshes(&self) -> &[Mesh] {
        self.meshes.all()
    }

    /// All images that skins name, encoded as their files have them (PNG or JPEG, as a rule); empty where one is missing.
    pub fn textures(&self) -> &[Arc<[u8]>] {
        &self.meshes.images
    }

    /// Lets `wall_seconds` of real time pass.
    pub fn advance(&mut self, wall_seconds: Real) {
        if !self.clock.playing || self.exhibits.is_empty() {
            return;
        }
        let mut time = self.clock.time + wall_seconds.clamp(0.0, LONGEST_BREATH) * self.clock.speed;
        let end = self.end();
        if time < 0.0 || time > end {
            if self.clock.looping && end > 0.0 && end.is_finite() {
                time = time.rem_euclid(end);
            } else {
                self.clock.playing = false;
                time = time.clamp(0.0, end);
            }
        }
        let patience = self.options.patience;
        let deadline = patience.is_finite().then(|| Instant::now() + Duration::from_secs_f64(patience.max(1e-3)));
        self.go_to(time, deadline);
    }

    /// Where the clock stops or turns round: nowhere while physics is on.
    fn end(&self) -> Real {
        if self.live { Real::INFINITY } else { self.duration() }
    }

    /// Every exhibit goes to a time; the clock shows the time that all of them reached.
    fn go_to(&mut self, time: Real, deadline: Option<Instant>) {
        let reached = match &mut self.exhibits[..] {
            [one] => one.go_to(time, deadline),
            all => all.par_iter_mut().map(|exhibit| exhibit.go_to(time, deadline)).reduce(|| time, Real::min),
        };
        self.clock.time = reached;
        if self.exhibits.iter().any(|exhibit| exhibit.live.as_ref().is_some_and(|live| live.trouble.is_some())) {
            self.clock.playing = false;
        }
        self.dress();
    }

    fn dress(&mut self) {
        let Self { exhibits, meshes, .. } = self;
        exhibits.iter_mut().for_each(|exhibit| exhibit.dress(meshes));
    }

    /// Does what a person asks for; says why it cannot be done.
    pub fn act(&mut self, action: Action) -> Result<(), String> {
        match action {
            Action::Play => self.clock.playing = true,
            Action::Pause => {
                self.clock.playing = false;
                // Those that were ahead wait for the slowest.
                self.go_to(self.clock.time, None);
            }
            Action::StepForward => self.step(true),
            Action::StepBack => self.step(false),
            Action::Seek(time) if time.is_finite() => self.go_to(time.clamp(0.0, self.duration()), None),
            Action::Speed(speed) if speed.is_finite() => self.clock.speed = speed.clamp(-8.0, 8.0),
            Action::Seek(_) | Action::Speed(_) => return Err("this is no number".to_owned()),
            Action::Loop(on) => self.clock.looping = on,
            Action::Swap => self.exhibits.iter_mut().for_each(|exhibit| exhibit.swapped = !exhibit.swapped),
            Action::Live(on) => self.set_live(on)?,
            Action::Reset => self.reset(),
            Action::Grab { grip, to } => {
                let to = to - self.exhibit(&grip)?.offset;
                self.tell(grip.exhibit, Action::Grab { grip, to })?;
                self.held = Some(grip.exhibit);
            }
            Action::Drag(to) => {
                let held = self.held.ok_or("nothing is held")?;
                self.tell(held, Action::Drag(to - self.exhibits[held].offset))?;
            }
            Action::Twist(_) => self.tell(self.held.ok_or("nothing is held")?, action)?,
            Action::Release => {
                if let Some(held) = self.held.take() {
                    self.tell(held, action)?;
                }
            }
            Action::Throw { from, velocity, mass, radius } => {
                let target = self.target(&from, &velocity)?;
                let from = from - self.exhibits[target].offset;
                self.tell(target, Action::Throw { from, velocity, mass, radius })?;
            }
            Action::Drop { at, mass, size } => {
                let target = self.target(&(at + Vec3::y()), &-Vec3::y())?;
                let at = at - self.exhibits[target].offset;
                self.tell(target, Action::Drop { at, mass, size })?;
            }
            Action::Push { grip, .. } => {
                self.exhibit(&grip)?;
                self.tell(grip.exhibit, action)?;
            }
            Action::RagDoll { exhibit, .. } | Action::Strength { exhibit, .. } => self.tell(exhibit, action)?,
            Action::Gravity(_) | Action::Friction(_) | Action::Substeps(_) | Action::Wind(_) => {
                let running: Vec<usize> = self.running().collect();
                if running.is_empty() {
                    return Err("physics is off".to_owned());
                }
                running.into_iter().try_for_each(|exhibit| self.tell(exhibit, action.clone()))?;
            }
        }
        Ok(())
    }

    fn exhibit(&self, grip: &Grip) -> Result<&Exhibit, String> {
        self.exhibits.get(grip.exhibit).ok_or_else(|| format!("there is no exhibit {}", grip.exhibit))
    }

    fn tell(&mut self, exhibit: usize, action: Action) -> Result<(), String> {
        let told = self.exhibits.get_mut(exhibit).ok_or_else(|| format!("there is no exhibit {exhibit}"))?;
        told.act(action)?;
        told.dress(&mut self.meshes);
        Ok(())
    }

    /// Exhibits whose world runs.
    fn running(&self) -> impl Iterator<Item = usize> {
        self.exhibits.iter().enumerate().filter(|(_, exhibit)| exhibit.live.is_some()).map(|(number, _)| number)
    }

    /// Whom something thrown from here is meant for: the running exhibit that its straight way comes nearest to.
    fn target(&self, from: &Vec3, way: &Vec3) -> Result<usize, String> {
        let way = way.try_normalize(1e-9).unwrap_or_else(|| -Vec3::y());
        let off = |number: &usize| {
            let (low, high) = self.exhibits[*number].bounds();
            let to = (low + high) / 2.0 - from;
            (to - way * to.dot(&way).max(0.0)).norm()
        };
        let nearest = self.running().min_by(|a, b| off(a).total_cmp(&off(b)));
        nearest.ok_or_else(|| "physics is off: there is no world to throw into".to_owned())
    }

    fn set_live(&mut self, on: bool) -> Result<(), String> {
        if on == self.live {
            return Ok(());
        }
        self.held = None;
        if on {
            let time = self.clock.time.min(self.duration());
            for exhibit in &mut self.exhibits {
                exhibit.start(time).map_err(|error| format!("{}: {error}", exhibit.name))?;
            }
        } else {
            self.exhibits.iter_mut().for_each(Exhibit::stop);
            self.clock.time = self.clock.time.min(self.duration());
        }
        self.live = on;
        self.go_to(self.clock.time, None);
        Ok(())
    }

    /// All worlds at their start with nothing done to them; without physics, the first frame.
    fn reset(&mut self) {
        self.held = None;
        let mut start: Real = 0.0;
        for exhibit in &mut self.exhibits {
            let actor = exhibit.is_actor();
            if let Some(live) = &mut exhibit.live {
                live.reset();
                start = if actor { start.max(live.began) } else { start };
            }
        }
        self.go_to(start, None);
    }

    /// One frame of the exhibit with the most frames per second; with physics on, one step of the world whose turn it is.
    fn step(&mut self, on: bool) {
        self.clock.playing = false;
        let worlds = self.exhibits.iter().filter_map(|exhibit| exhibit.live.as_ref());
        let time = if self.live {
            let near = 1e-9;
            match on {
                true => worlds.map(|live| live.time_of(live.steps_at(self.clock.time + near) + 1)).reduce(Real::min),
                false => {
                    // The last step of any world that ends before now.
                    let before = |live: &super::live::Live| {
                        let steps = live.steps_at(self.clock.time + near);
                        let done = live.time_of(steps) < self.clock.time - near;
                        live.time_of(if done { steps } else { steps.saturating_sub(1) })
                    };
                    worlds.map(before).reduce(Real::max)
                }
            }
        } else {
            let rate = self.frame_rate();
            let frame = (self.clock.time * rate).round() + if on { 1.0 } else { -1.0 };
            Some((frame / rate).clamp(0.0, self.duration()))
        };
        if let Some(time) = time {
            self.go_to(time, None);
        }
    }

    /// Seconds: the longest exhibit, or as far as was simulated.
    pub fn duration(&self) -> Real {
        let own = self.exhibits.iter().map(Exhibit::duration).fold(0.0, Real::max);
        if !self.live {
            return own;
        }
        let worlds = self.exhibits.iter().filter_map(|exhibit| exhibit.live.as_ref());
        worlds.map(|live| live.time_of(live.felt().len() as u64)).fold(own, Real::max)
    }

    fn frame_rate(&self) -> Real {
        self.exhibits.iter().map(Exhibit::rate_hz).fold(1.0, Real::max)
    }

    /// Fills a picture with this moment. Lists keep their memory from call to call.
    pub fn paint(&self, layers: &Layers, picture: &mut Picture) {
        let mut brush = Brush::new(picture);
        self.exhibits.iter().for_each(|exhibit| exhibit.paint(layers, &mut brush));
        brush.finish();
    }

    /// The box around everything there is now, for the camera.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let boxes = self.exhibits.iter().map(Exhibit::bounds);
        let all = boxes.reduce(|(low, high), (a, b)| (low.inf(&a), high.sup(&b)));
        all.unwrap_or((Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 2.0, 1.0)))
    }

    /// A number for the state of an exhibit's world: that of [`crate::dynamics::World::state_hash`], the same as of a run of the
    /// file without a window.
    pub fn state_hash(&self, exhibit: usize) -> Option<u64> {
        self.exhibits.get(exhibit)?.live.as_ref().map(|live| live.world().state_hash())
    }

    /// Begins to measure all clips, in the background: contacts, metric curves, and the forces they ask for, which are drawn
    /// from then on. [`Show::timeline`] has them as soon as they are there.
    pub fn analyse(&mut self) {
        for exhibit in &mut self.exhibits {
            if let Content::Actor(actor) = &exhibit.content {
                exhibit.analysis.begin(&actor.figure, actor.animation.clip(), actor.ground);
            }
        }
    }

    /// Waits until everything that [`Show::analyse`] began is done.
    pub fn wait_for_analysis(&mut self) {
        for exhibit in &mut self.exhibits {
            exhibit.analysis.poll(true);
        }
    }

    /// Curves and contacts under the time slider: of clips, once [`Show::analyse`] has measured them; of simulations, what
    /// every step was like.
    pub fn timeline(&mut self) -> Timeline {
        let (mut contacts, mut curves, mut pending) = (Vec::new(), Vec::new(), false);
        for (number, exhibit) in self.exhibits.iter_mut().enumerate() {
            pending |= exhibit.analysis.poll(false);
            match &exhibit.content {
                Content::Actor(actor) if exhibit.live.is_none() => {
                    if let Some(found) = exhibit.analysis.curves() {
                        analysis::tell(number, &actor.figure, found, &mut contacts, &mut curves);
                    }
                }
                Content::Recorded(recorded) => recorded.curves(number, &mut curves),
                _ => live_curves(number, exhibit, &mut curves),
            }
        }
        Timeline { duration: self.duration(), frame_rate: self.frame_rate(), contacts, curves, pending }
    }

    /// How things stand.
    pub fn status(&self) -> Status {
        let mut status = Status {
            time: self.clock.time,
            duration: self.duration(),
            frame_rate: self.frame_rate(),
            playing: self.clock.playing,
            live: self.live,
            speed: self.clock.speed,
            looping: self.clock.looping,
            holding: self.held.is_some(),
            ..Status::default()
        };
        for exhibit in &self.exhibits {
            let source = match &exhibit.content {
                Content::Recorded(recorded) if recorded.has_forces() => ForceSource::Measured,
                Content::Actor(_) if exhibit.analysis.curves().is_some() => ForceSource::Estimated,
                _ => ForceSource::None,
            };
            status.forces = status.forces.max(source);
        }
        let mut first = true;
        for (exhibit, live) in self.exhibits.iter().filter_map(|exhibit| Some((exhibit, exhibit.live.as_ref()?))) {
            let felt = live.steps().checked_sub(1).and_then(|step| live.felt().get(step as usize));
            let felt = felt.copied().unwrap_or_default();
            status.control_error = status.control_error.max(felt.control_error.into());
            status.assistance = status.assistance.max(felt.assistance.into());
            status.depth = status.depth.max(felt.depth.into());
            status.worst_gap = status.worst_gap.max(felt.gap.into());
            status.step_cost += 1e6 * live.cost();
            let factor = if live.cost() > 0.0 { live.step_length() / live.cost() } else { 0.0 };
            status.time_factor = if first { factor } else { 1.0 / (1.0 / status.time_factor + 1.0 / factor) };
            status.forces = ForceSource::Measured;
            if let Some(trouble) = &live.trouble {
                status.trouble.get_or_insert(format!("{}: {trouble}", exhibit.name));
            }
            if first {
                let (world, knobs) = (live.world(), &live.play().knobs);
                status.gravity = world.gravity;
                status.wind = knobs.wind;
                status.substeps = knobs.substeps;
                let rubs = world.colliders().next().map(|(_, _, collider)| collider.material.friction);
                status.friction = knobs.friction.or(rubs).unwrap_or(0.0);
            }
            first = false;
        }
        status
    }
}

//! The workspace itself: all items on one clock.
//!
//! Every item has a world of its own, and stands beside the others only in the picture: what one does never changes what
//! another one computes, and each gives the same bits as its file alone.

use super::item::Item;
use super::meshes::Meshes;
use super::open::{OpenError, OpenOptions, is_figure, open};
use super::painter::Painter;
use super::{Layers, Mesh, Picture};
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Opened files, the clock they share, and what a person did to them.
pub struct Workspace {
    pub(super) items: Vec<Item>,
    pub(super) meshes: Meshes,
    pub(super) options: OpenOptions,
    pub(super) clock: Clock,
    /// Physics is on.
    pub(super) live: bool,
    /// Which item the mouse holds something of.
    pub(super) held: Option<usize>,
}

/// Time in the workspace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Seconds from the first frame.
    pub(super) time: Real,
    pub(super) playing: bool,
    pub(super) speed: Real,
    pub(super) looping: bool,
}

/// Free space between two items, metres.
const AISLE: Real = 0.6;
/// A call of `advance` moves the clock by at most so much real time: what was asleep for a minute does not run for one.
const LONGEST_BREATH: Real = 0.1;

impl Workspace {
    /// Opens files side by side. The first one that cannot be read is the error.
    pub fn open(paths: &[PathBuf], options: &OpenOptions) -> Result<Workspace, OpenError> {
        let clock = Clock { time: 0.0, playing: false, speed: 1.0, looping: true };
        let (items, meshes) = (Vec::new(), Meshes::default());
        let mut workspace = Workspace { items, meshes, options: options.clone(), clock, live: false, held: None };
        // Figure files are bodies for the captures beside them.
        let (bodies, files): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().partition(|path| is_figure(path));
        match options.compare {
            false => files.iter().try_for_each(|path| workspace.add(path))?,
            true => {
                for pair in files.chunks(2) {
                    let (source, result): (&PathBuf, Option<&PathBuf>) = (pair[0], pair.get(1).copied());
                    let Some(result) = result else {
                        let told =
                            OpenError::new("has no counterpart: files to compare come in pairs, source and result");
                        return Err(told.in_file(source));
                    };
                    workspace.add(result)?;
                    let source = open(source, options, &mut workspace.meshes)?;
                    if let Some(item) = workspace.items.last_mut() {
                        item.source = Some(Box::new(source));
                    }
                }
            }
        }
        bodies.iter().try_for_each(|path| workspace.add(path))?;
        workspace.go_to(0.0, None);
        Ok(workspace)
    }

    /// Opens one more file beside those that are there; on an error nothing changes. A figure file gives its body to the
    /// captures that it fits.
    pub fn add(&mut self, path: &Path) -> Result<(), OpenError> {
        if is_figure(path) {
            return self.embody(path);
        }
        let mut item = open(path, &self.options, &mut self.meshes)?;
        item.refresh(&mut self.meshes);
        let (low, _) = item.bounds();
        let edge = self.items.iter().map(|other| other.bounds().1.x).reduce(Real::max);
        if let Some(edge) = edge {
            item.offset = Vec3::new(edge + AISLE - low.x, 0.0, 0.0);
        }
        if self.live {
            item.start(self.clock.time).map_err(|error| OpenError::new(error).in_file(path))?;
        }
        item.go_to(self.clock.time, None);
        item.refresh(&mut self.meshes);
        self.items.push(item);
        Ok(())
    }

    /// Gives the figure of a file to all captures whose skeleton it is made for.
    fn embody(&mut self, path: &Path) -> Result<(), OpenError> {
        let mut fault = None;
        let mut fits = false;
        for item in &mut self.items {
            match item.set_figure(path, &mut self.meshes) {
                Some(Ok(())) => fits = true,
                Some(Err(error)) => fault = fault.or(Some(error)),
                None => {}
            }
        }
        if !fits {
            if let Some(fault) = fault {
                return Err(fault);
            }
            // There is no capture here; the file may name one.
            let Some(capture) = Figure::capture_of(path)? else {
                let told = OpenError::new("is a figure file: a body without a skeleton").in_file(path);
                return Err(told.help(
                    "open it together with a capture whose body it is, such as: sinew view walk.bvh figure.toml; \
                     or name one in it: capture = \"walk.bvh\"",
                ));
            };
            let figure = |error: OpenError| error.help(format!("{} names it as its capture", path.display()));
            self.add(&capture).map_err(figure)?;
            let worn = self.items.last_mut().and_then(|item| item.set_figure(path, &mut self.meshes));
            if let Some(Err(error)) = worn {
                self.items.pop();
                return Err(error);
            }
        }
        self.live = false;
        self.items.iter_mut().for_each(Item::stop);
        self.go_to(self.clock.time.min(self.duration()), None);
        Ok(())
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What an item is called: its file.
    pub fn name(&self, item: usize) -> &str {
        &self.items[item].name
    }

    /// Where an item stands in the picture, metres.
    pub fn offset(&self, item: usize) -> Vec3 {
        self.items[item].offset
    }

    /// Height of the ground under an item, metres; none under a scene without one.
    pub fn ground(&self, item: usize) -> Option<Real> {
        self.items[item].ground()
    }

    /// The segments of an item's figures with the share of strength that each one has, in the numbering of
    /// [`Action::Strength`](super::Action::Strength).
    pub fn segments(&self, item: usize) -> Vec<(String, Real)> {
        let item = &self.items[item];
        let mut all = Vec::new();
        for (which, (figure, _)) in item.figures().enumerate() {
            for (k, segment) in figure.segments().iter().enumerate() {
                let strength = item.live.as_ref().map_or(1.0, |live| live.play().wanted_strength(which, k));
                all.push((segment.name.clone(), strength));
            }
        }
        all
    }

    pub(crate) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(crate) fn items_mut(&mut self) -> &mut [Item] {
        &mut self.items
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
        if !self.clock.playing || self.items.is_empty() {
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
        let step_budget = self.options.step_budget;
        let deadline = step_budget.is_finite().then(|| Instant::now() + Duration::from_secs_f64(step_budget.max(1e-3)));
        self.go_to(time, deadline);
    }

    /// Where the clock stops or turns round: nowhere while physics is on.
    fn end(&self) -> Real {
        if self.live { Real::INFINITY } else { self.duration() }
    }

    /// Every item goes to a time; the clock shows the time that all of them reached.
    pub(super) fn go_to(&mut self, time: Real, deadline: Option<Instant>) {
        let reached = match &mut self.items[..] {
            [one] => one.go_to(time, deadline),
            all => all.par_iter_mut().map(|item| item.go_to(time, deadline)).reduce(|| time, Real::min),
        };
        self.clock.time = reached;
        if self.items.iter().any(|item| item.live.as_ref().is_some_and(|live| live.failure.is_some())) {
            self.clock.playing = false;
        }
        self.refresh();
    }

    fn refresh(&mut self) {
        let Self { items, meshes, .. } = self;
        items.iter_mut().for_each(|item| item.refresh(meshes));
    }

    /// Seconds: the longest item, or as far as was simulated.
    pub fn duration(&self) -> Real {
        let own = self.items.iter().map(Item::duration).fold(0.0, Real::max);
        if !self.live {
            return own;
        }
        let worlds = self.items.iter().filter_map(|item| item.live.as_ref());
        worlds.map(|live| live.time_of(live.metrics().len() as u64)).fold(own, Real::max)
    }

    pub(super) fn frame_rate(&self) -> Real {
        self.items.iter().map(Item::rate_hz).fold(1.0, Real::max)
    }

    /// Fills a picture with this moment. Lists keep their memory from call to call.
    pub fn paint(&self, layers: &Layers, picture: &mut Picture) {
        let mut painter = Painter::new(picture);
        self.items.iter().for_each(|item| item.paint(layers, &mut painter));
        painter.finish();
    }

    /// The box around everything there is now, for the camera.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let boxes = self.items.iter().map(Item::bounds);
        let all = boxes.reduce(|(low, high), (a, b)| (low.inf(&a), high.sup(&b)));
        all.unwrap_or((Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 2.0, 1.0)))
    }

    /// A number for the state of an item's world: that of [`crate::dynamics::World::state_hash`], the same as of a run of the
    /// file without a window.
    pub fn state_hash(&self, item: usize) -> Option<u64> {
        self.items.get(item)?.live.as_ref().map(|live| live.world().state_hash())
    }
}

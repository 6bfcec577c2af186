//! Workspace: all items on one clock.
//!
//! Every item has its own world and is beside the others only in the picture. No item affects another, and each yields the
//! same bits as its file alone.

use super::item::Item;
use super::meshes::Meshes;
use super::open::{OpenError, OpenOptions, is_figure, open, unknown_clip};
use super::painter::Painter;
use super::{Layers, Mesh, Picture};
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Opened files, their common clock, and the mouse's hold on a body.
pub struct Workspace {
    pub(super) items: Vec<Item>,
    pub(super) meshes: Meshes,
    pub(super) options: OpenOptions,
    pub(super) clock: Clock,
    /// True if physics is on.
    pub(super) live: bool,
    /// Number of the item that the mouse holds a body of.
    pub(super) held: Option<usize>,
}

/// Clock of the workspace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Time from the first frame, seconds.
    pub(super) time: Real,
    pub(super) playing: bool,
    pub(super) speed: Real,
    pub(super) looping: bool,
}

/// Free space between two items, metres.
const ITEM_GAP: Real = 0.6;
/// Maximum real time by which one call of `advance` moves the clock, seconds: after a long pause the workspace does not
/// rush on.
const MAX_ADVANCE: Real = 0.1;

impl Workspace {
    /// Opens files side by side. The first unreadable one is the error.
    pub fn open(paths: &[PathBuf], options: &OpenOptions) -> Result<Workspace, OpenError> {
        let clock = Clock { time: 0.0, playing: false, speed: 1.0, looping: true };
        let (items, meshes) = (Vec::new(), Meshes::default());
        let mut workspace = Workspace { items, meshes, options: options.clone(), clock, live: false, held: None };
        // Figure files are given to the captures beside them.
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
                    let source = open(source, options, &[], &mut workspace.meshes)?;
                    workspace.add_with(result, &source.clip_name().into_iter().collect::<Vec<_>>())?;
                    if let Some(item) = workspace.items.last_mut() {
                        item.source = Some(Box::new(source));
                    }
                }
            }
        }
        workspace.check_clip(&files)?;
        bodies.iter().try_for_each(|path| workspace.add(path))?;
        workspace.go_to(0.0, None);
        Ok(workspace)
    }

    /// Opens one more file beside the others; an error changes nothing. A figure file is given to all captures that it
    /// fits.
    pub fn add(&mut self, path: &Path) -> Result<(), OpenError> {
        if is_figure(path) {
            return self.assign_figure(path);
        }
        let played: Vec<String> = self.items.iter().filter_map(Item::clip_name).collect();
        self.add_with(path, &played)
    }

    /// Returns the error of a requested clip that no file has.
    fn check_clip(&self, files: &[&PathBuf]) -> Result<(), OpenError> {
        let (Some(name), Some(first)) = (&self.options.clip, files.first()) else { return Ok(()) };
        let known = || self.items.iter().flat_map(Item::clip_names);
        match known().any(|known| known == name) || known().next().is_none() {
            true => Ok(()),
            false => Err(unknown_clip(first, name, &known().collect::<Vec<_>>())),
        }
    }

    /// Opens a file that plays the clip with the name of one that is `played` already, if it has such a clip.
    fn add_with(&mut self, path: &Path, played: &[String]) -> Result<(), OpenError> {
        let mut item = open(path, &self.options, played, &mut self.meshes)?;
        item.refresh(&mut self.meshes);
        let (low, _) = item.bounds();
        let edge = self.items.iter().map(|other| other.bounds().1.x).reduce(Real::max);
        if let Some(edge) = edge {
            // All items stand on one floor.
            let floor = self.items.iter().find_map(|other| Some(other.ground()? + other.offset.y));
            let lift = floor.zip(item.ground()).map_or(0.0, |(floor, own)| floor - own);
            item.offset = Vec3::new(edge + ITEM_GAP - low.x, lift, 0.0);
        }
        if self.live {
            item.start(self.clock.time).map_err(|error| OpenError::new(error).in_file(path))?;
        }
        item.go_to(self.clock.time, None);
        item.refresh(&mut self.meshes);
        self.items.push(item);
        Ok(())
    }

    /// Gives the figure of a file to all captures with its skeleton.
    fn assign_figure(&mut self, path: &Path) -> Result<(), OpenError> {
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
            // Without a capture in the workspace, the file may name one.
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

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if nothing is open.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Name of an item: that of its file.
    pub fn name(&self, item: usize) -> &str {
        &self.items[item].name
    }

    /// Offset of an item in the picture, metres.
    pub fn offset(&self, item: usize) -> Vec3 {
        self.items[item].offset
    }

    /// Height of the ground under an item in its own world, metres: the ground of its motion, or that of its simulation. None
    /// where there is no ground.
    pub fn ground(&self, item: usize) -> Option<Real> {
        self.items[item].ground()
    }

    /// Segments of an item's figures with their share of strength, in the numbering of
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

    /// Meshes of all items. The list only grows: a renderer uploads those that are new.
    pub fn meshes(&self) -> &[Mesh] {
        self.meshes.all()
    }

    /// Textures of all skins, encoded as in their files (PNG or JPEG, as a rule); empty where one is missing.
    pub fn textures(&self) -> &[Arc<[u8]>] {
        &self.meshes.images
    }

    /// Advances by `wall_seconds` of real time.
    pub fn advance(&mut self, wall_seconds: Real) {
        if !self.clock.playing || self.items.is_empty() {
            return;
        }
        let mut time = self.clock.time + wall_seconds.clamp(0.0, MAX_ADVANCE) * self.clock.speed;
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

    /// Time at which the clock stops or repeats; infinite while physics is on.
    fn end(&self) -> Real {
        if self.live { Real::INFINITY } else { self.duration() }
    }

    /// Moves every item to a time; the clock shows the time that all of them reached.
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

    /// Duration of the longest item, or of the simulation so far, seconds.
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

    /// Fills a picture with the current moment. Lists keep their memory from call to call.
    pub fn paint(&self, layers: &Layers, picture: &mut Picture) {
        let mut painter = Painter::new(picture);
        self.items.iter().for_each(|item| item.paint(layers, &mut painter));
        painter.finish();
    }

    /// Fills a picture with the current moment of one item.
    pub fn paint_item(&self, item: usize, layers: &Layers, picture: &mut Picture) {
        let mut painter = Painter::new(picture);
        self.items[item].paint(layers, &mut painter);
        painter.finish();
    }

    /// Bounding box of all items, metres, for the camera.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let boxes = self.items.iter().map(Item::bounds);
        let all = boxes.reduce(|(low, high), (a, b)| (low.inf(&a), high.sup(&b)));
        all.unwrap_or((Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 2.0, 1.0)))
    }

    /// Hash of an item's world, [`crate::dynamics::World::state_hash`]: equal to that of a run of the file without a
    /// window.
    pub fn state_hash(&self, item: usize) -> Option<u64> {
        self.items.get(item)?.live.as_ref().map(|live| live.world().state_hash())
    }
}

//! The show itself: all exhibits on one clock.
//!
//! Every exhibit has a world of its own, and stands beside the others only in the picture: what one does never changes what
//! another one computes, and each gives the same bits as its file alone.

use super::brush::Brush;
use super::exhibit::Exhibit;
use super::meshes::Meshes;
use super::open::{OpenError, OpenOptions, is_figure, open};
use super::{Layers, Mesh, Picture};
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Opened files, the clock they share, and what a person did to them.
pub struct Show {
    pub(super) exhibits: Vec<Exhibit>,
    pub(super) meshes: Meshes,
    pub(super) options: OpenOptions,
    pub(super) clock: Clock,
    /// Physics is on.
    pub(super) live: bool,
    /// Which exhibit the mouse holds something of.
    pub(super) held: Option<usize>,
}

/// Time in the show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Seconds from the first frame.
    pub(super) time: Real,
    pub(super) playing: bool,
    pub(super) speed: Real,
    pub(super) looping: bool,
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
            let worn = self.exhibits.last_mut().and_then(|exhibit| exhibit.wear(path, &mut self.meshes));
            if let Some(Err(error)) = worn {
                self.exhibits.pop();
                return Err(error);
            }
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

    /// Height of the ground under an exhibit, metres; none under a scene without one.
    pub fn ground(&self, exhibit: usize) -> Option<Real> {
        self.exhibits[exhibit].ground()
    }

    /// The segments of an exhibit's figures with the share of strength that each one has, in the numbering of
    /// [`Action::Strength`](super::Action::Strength).
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
    pub(super) fn go_to(&mut self, time: Real, deadline: Option<Instant>) {
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

    /// Seconds: the longest exhibit, or as far as was simulated.
    pub fn duration(&self) -> Real {
        let own = self.exhibits.iter().map(Exhibit::duration).fold(0.0, Real::max);
        if !self.live {
            return own;
        }
        let worlds = self.exhibits.iter().filter_map(|exhibit| exhibit.live.as_ref());
        worlds.map(|live| live.time_of(live.felt().len() as u64)).fold(own, Real::max)
    }

    pub(super) fn frame_rate(&self) -> Real {
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
}

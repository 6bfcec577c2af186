//! Preparation of a captured clip for the solver: smoothing, levelling, repairs and the contact plan.

use super::contact_ends::ContactEnds;
use super::contact_list::ContactList;
use super::contact_targets::{MovingContact, PlacedTargets, TargetPlacer};
use super::cycle;
use super::detect::{Contacts, Detector};
use super::feature::Features;
use super::outlier_frames::without_outliers;
use super::preparation::{PreparationReport, flight_acceleration};
use super::repair::{self, Repairs};
use super::required_wrench::RequiredWrench;
use super::secondary_support::SecondarySupport;
use super::smooth::{self, smoothed};
use super::surface::{Ground, Plane};
use super::trajectories::Trajectories;
use super::{ContactPlan, Scenery, Surface};
use crate::contacts::signal::percentile;
use crate::contacts::treadmill::Below;
use crate::control::Terrain;
use crate::figure::Figure;
use crate::math::{GRAVITY, Real, Vec3, real};
use crate::measure::Cutoff;
use crate::motion::edit::slice;
use crate::motion::{Clip, ClipError};
use std::ops::Range;

/// Prepares a clip for the solver.
#[derive(Clone, Copy, Debug)]
pub struct Prepare<'a> {
    /// Body that the clip moves.
    pub figure: &'a Figure,
    /// Captured motion, on the figure's skeleton.
    pub clip: &'a Clip,
    /// Options of the preparation.
    pub options: PrepareOptions<'a>,
}

/// Options of the preparation; the defaults suit a captured clip.
#[derive(Clone, Copy, Debug)]
pub struct PrepareOptions<'a> {
    /// Height of the ground that the clip is moved to, metres. `None` takes the height of the feet; a clip that rests near y =
    /// 0, but farther off than the uncertainty of its soles, is moved there.
    pub ground: Option<Real>,
    /// Shape of the ground.
    pub terrain: Terrain,
    /// Ground of any shape instead of a terrain, with heights in world space.
    pub scenery: Option<&'a Scenery>,
    /// Tells whether the motion is a loop; `None` detects it.
    pub looped: Option<bool>,
    /// Low-pass of the poses. [`Cutoff::Usual`] depends on the noise of the capture.
    pub cutoff: Cutoff,
    /// Repairs travel and vertical oscillation of the root where the feet show that they are wrong.
    pub repair: bool,
    /// Contact intervals to use instead of detection.
    pub contacts: Option<&'a ContactList>,
}

impl Default for PrepareOptions<'_> {
    fn default() -> Self {
        Self {
            ground: None,
            terrain: Terrain::Flat,
            scenery: None,
            looped: None,
            cutoff: Cutoff::Usual,
            repair: true,
            contacts: None,
        }
    }
}

/// Clip with its contact plan.
pub struct Prepared {
    /// Smoothed, levelled and repaired clip.
    pub clip: Clip,
    /// Contacts that the solver keeps.
    pub plan: ContactPlan,
    /// Report of the preparation.
    pub preparation: PreparationReport,
}

/// Clip on a level floor.
struct Repaired {
    clip: Clip,
    /// Height of the floor, metres.
    height: Real,
    repairs: Repairs,
    treadmill_path: Vec<Vec3>,
}

/// Reasons why a clip cannot be prepared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PrepareError {
    /// The clip belongs to another skeleton.
    #[error("the clip was made for {found} joints, the skeleton of the figure has {expected}")]
    Joints {
        /// Joints of the clip.
        found: usize,
        /// Joints of the figure.
        expected: usize,
    },
    /// The clip is too short for accelerations.
    #[error("the clip has {0} frame{more}; forces need accelerations, and those at least {LEAST_FRAMES} frames", more = more(.0))]
    FewFrames(usize),
    /// The figure has no segments.
    #[error("the figure has no body")]
    NoBody,
    /// The body neither touches the ground nor falls.
    #[error(
        "nothing of the body ever stands on the ground: its lowest point stays {lowest:.2} m above y = {ground:.2} m, and it does not fall"
    )]
    NeverTouches {
        /// Height of its lowest point over the ground, metres.
        lowest: Real,
        /// Height of the ground, metres.
        ground: Real,
    },
    /// Something other than the ground supports the body for most of the time.
    #[error(
        "{share:.0} % of the time the body is carried by something that is not the ground, on the whole {height:.2} m above it"
    )]
    CarriedElsewhere {
        /// Share of the frames, percent.
        share: Real,
        /// Mean height of its lowest point over the ground, metres.
        height: Real,
    },
    /// An option is out of range.
    #[error("{what} must be {expected}, not {value}")]
    Option {
        /// Name of the option.
        what: &'static str,
        /// Accepted values.
        expected: &'static str,
        /// Refused value.
        value: Real,
    },
    /// A loop was asked for on ground that is not level.
    #[error("a motion can only be a loop on level ground")]
    LoopUphill,
    /// The terrain has no ground.
    #[error("a filter needs a ground")]
    NoGround,
    /// The frames do not make a clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Plural ending of a counted word.
fn more(count: &usize) -> &'static str {
    if *count == 1 { "" } else { "s" }
}

/// Fewest frames from which accelerations can be computed.
pub(crate) const LEAST_FRAMES: usize = 5;

/// Longest clip that is detected as a loop, seconds.
const LONGEST_LOOP: Real = 20.0;

/// Greatest distance from which a clip is moved to a given ground, metres for the reference height. Beyond, it is meant to be
/// there.
const REACH: Real = 0.25;
/// The same for y = 0, where no ground is given.
const USUAL_REACH: Real = 0.06;
/// Uncertainty of the height of soles, metres for the reference height: where the rest pose shows them, and where it is
/// estimated from toe joints, which are 0 to 6 cm above the sole and assumed at 2.5 cm.
const SHOWN: Real = 0.005;
const GUESSED: Real = 0.035;

impl Prepare<'_> {
    /// Returns the names of the features of a figure, as in contact files.
    pub fn feature_names(figure: &Figure) -> Vec<String> {
        Features::of(figure).list.into_iter().map(|feature| feature.name).collect()
    }

    /// Prepares the clip.
    pub fn run(&self) -> Result<Prepared, PrepareError> {
        self.check()?;
        let (figure, skeleton) = (self.figure, self.figure.skeleton());
        let frames = self.clip.frames();
        let (source, looped, closed) = self.unrolled()?;
        let (source, outliers) = without_outliers(figure, &source, !looped)?;
        let noise = smooth::noise(figure, &source);
        let features = Features::of(figure);
        let first = if looped { frames - 1 } else { 0 };
        // The report accepts a sloping floor, on which a clip may be physical without being so on a level one.
        let level = repair::floor(figure, &source).is_some_and(|floor| floor.rise == [0.0; 2]);
        let stands_as_is = self.is_flat() && level && smooth::is_physical(figure, &source, self.options.ground);
        let known_treadmill = if stands_as_is { None } else { self.physical_treadmill(&source, &features, first)? };
        let physical = stands_as_is || known_treadmill.is_some();
        let (smooth, cutoff_hz) = self.smoothed(source, noise, physical)?;
        let Repaired { clip, height, mut repairs, treadmill_path } =
            self.repaired(smooth, &features, first, physical, known_treadmill)?;
        let level = clip;
        let (clip, ground, mapped) = match self.options.scenery {
            Some(scenery) => self.on_scenery(level.clone(), &features, height, scenery, &mut repairs)?,
            None => self.on_terrain(level.clone(), &features, height)?,
        };
        let surface = ground.clone().boxed();
        // A clip mapped to terrain keeps the contacts it had on level ground. Stairs are an exception, as the steps of a walk
        // do not fit them.
        let floor = Plane { origin: Vec3::y() * height, normal: Vec3::y() };
        let fits = mapped && !matches!(self.options.terrain, Terrain::Stairs { .. });
        let (seen, under): (&Clip, &dyn Surface) = if fits { (&level, &floor) } else { (&clip, surface.as_ref()) };
        let mut contacts = self.contacts(&features, seen, under, cutoff_hz, looped, physical)?;
        // An error within the uncertainty of soles does not move the floor, so that a motion that fits it stays unchanged.
        let known = figure.scaled_length(SHOWN);
        let over = self.standing_height(&features, &level, &floor, &contacts).filter(|over| over.abs() > known);
        let (clip, ground) = match over.filter(|_| !physical) {
            Some(over) => self.at_contact_height(clip, ground, over, &mut repairs)?,
            None => (clip, ground),
        };
        let surface = ground.clone().boxed();
        drop(level);
        let trajectories = Trajectories::of(figure, &features, &clip);
        self.refuse(&features, &trajectories, &contacts, surface.as_ref())?;
        if self.is_flat() && !physical && self.options.contacts.is_none() {
            let surface = surface.as_ref();
            let required = &RequiredWrench::of(figure, &clip, &trajectories, surface);
            let size_scale = figure.size_scale();
            ContactEnds { features: &features, trajectories: &trajectories, surface, required, size_scale }
                .run(&mut contacts);
        }
        // The middle one of three cycles of a loop is kept.
        let window = if looped { frames - 1..2 * frames - 1 } else { 0..frames };
        let placer = TargetPlacer {
            figure,
            features: &features,
            clip: &clip,
            trajectories: &trajectories,
            ground: &ground,
            surface: surface.as_ref(),
            intervals: &contacts.intervals,
            hanging: &contacts.hanging,
            window: window.clone(),
        };
        let PlacedTargets { targets, unloaded, clearance, moving_contacts } = placer.run();
        let inside = |run: &Range<usize>| within(run, &window);
        let named = |f: usize| features.list[f].name.clone();
        let list = contacts.intervals.iter().enumerate();
        let list = list.map(|(f, runs)| (named(f), runs.iter().filter_map(inside).collect())).collect();
        let moving_contacts = moving_contacts
            .into_iter()
            .filter_map(|interval| Some(MovingContact { frames: inside(&interval.frames)?, ..interval }));
        let preparation = PreparationReport {
            noise,
            physical,
            cutoff_hz,
            ground: ground.height(),
            repairs,
            treadmill_path: cut(treadmill_path, &window),
            outlier_frames: outliers.into_iter().filter(|t| window.contains(t)).map(|t| t - window.start).collect(),
            looped,
            closed,
            mapped_to_terrain: mapped,
            contacts: ContactList { features: list },
            added: contacts.added,
            lowered: contacts.hanging.iter().map(|(f, height)| (named(*f), *height)).collect(),
            moving_contacts: moving_contacts.collect(),
            flight_acceleration: flight_acceleration(
                &features,
                &trajectories,
                &contacts,
                surface.as_ref(),
                figure.height,
            ),
            corners: features.list.iter().map(|f| f.corners.clone()).collect(),
        };
        let clip = if looped { slice(&clip, window.clone())? } else { clip };
        let mut plan = ContactPlan {
            corners: features.corners,
            targets: cut(targets, &window),
            unloaded: cut(unloaded, &window),
            clearance: cut(clearance, &window),
            acceleration_limited: Vec::new(),
            ground: surface,
        };
        if looped {
            plan.close(cycle::turns(skeleton, &clip));
        }
        Ok(Prepared { clip, plan, preparation })
    }

    /// Returns the clip, three cycles of it if it is a loop; whether it is one; and whether its ends had to be closed.
    fn unrolled(&self) -> Result<(Clip, bool, bool), PrepareError> {
        let skeleton = self.figure.skeleton();
        let is_closed = || cycle::is_closed(skeleton, self.clip, self.figure.height);
        // A clip that ends higher than it begins is no loop. A loop is solved in one piece, which must not be too long.
        let short = self.clip.duration() <= LONGEST_LOOP;
        let looped = self.options.looped.unwrap_or_else(|| short && self.is_flat() && is_closed());
        let closed = looped && !is_closed();
        let source = match (looped, closed) {
            (false, _) => self.clip.clone(),
            (true, false) => cycle::unrolled(skeleton, self.clip)?,
            (true, true) => cycle::unrolled(skeleton, &cycle::closed(skeleton, self.clip)?)?,
        };
        Ok((source, looped, closed))
    }

    /// Brings ground and contacts together, whose mean height over it is `over`, metres.
    fn at_contact_height(
        &self,
        clip: Clip,
        ground: Ground,
        over: Real,
        repairs: &mut Repairs,
    ) -> Result<(Clip, Ground), PrepareError> {
        let height = ground.height();
        if self.options.ground.is_some() || repairs.lift != 0.0 {
            // The motion moves to a given ground, and to y = 0 if it was moved there before.
            repairs.lift -= over;
            return Ok((repair::lifted(self.figure, &clip, -over)?, ground));
        }
        if self.is_off(height + over) {
            repairs.lift = -(height + over);
            return Ok((repair::lifted(self.figure, &clip, repairs.lift)?, ground.lifted(-height)));
        }
        Ok((clip, ground.lifted(over)))
    }

    /// Returns the clip without noise, and the cut-off used, Hz.
    fn smoothed(&self, source: Clip, noise: Real, physical: bool) -> Result<(Clip, Option<Real>), PrepareError> {
        let rate = source.rate_hz();
        let hz = match self.options.cutoff {
            Cutoff::Usual if physical => None,
            Cutoff::Usual if smooth::is_noisy(rate, noise) => return Ok(smooth::smoothed_per_track(&source)?),
            Cutoff::Usual => smooth::cutoff(rate, noise),
            Cutoff::None => None,
            Cutoff::At(hz) => Some(hz),
        };
        Ok((hz.map_or_else(|| Ok(source.clone()), |hz| smoothed(&source, hz))?, hz))
    }

    fn check(&self) -> Result<(), PrepareError> {
        let (found, expected) = (self.clip.joints(), self.figure.skeleton().len());
        if found != expected {
            return Err(PrepareError::Joints { found, expected });
        }
        if self.figure.segments().is_empty() {
            return Err(PrepareError::NoBody);
        }
        if self.clip.frames() < LEAST_FRAMES {
            return Err(PrepareError::FewFrames(self.clip.frames()));
        }
        let refuse = |what, expected, value| Err(PrepareError::Option { what, expected, value });
        if self.options.looped == Some(true) && !self.is_flat() {
            return Err(PrepareError::LoopUphill);
        }
        match (self.options.ground, self.options.cutoff) {
            (Some(y), _) if !y.is_finite() => refuse("the ground", "a number", y),
            (_, Cutoff::At(hz)) if !(hz.is_finite() && hz > 0.0) => refuse("the cut-off", "a positive number", hz),
            _ => Ok(()),
        }
    }

    /// Returns the path of the treadmill below a body that moves in place and is physical on it already; `None` for all other
    /// clips.
    fn physical_treadmill(
        &self,
        clip: &Clip,
        features: &Features,
        first: usize,
    ) -> Result<Option<Vec<Vec3>>, PrepareError> {
        let figure = self.figure;
        let Some(floor) = repair::floor(figure, clip).filter(|_| self.options.repair && self.is_flat()) else {
            return Ok(None);
        };
        let trajectories = Trajectories::of(figure, features, clip);
        let below = repair::below(features, &trajectories, floor.height, figure.height, first > 0);
        let Some(Below { way, .. }) = below.filter(|below| below.steady) else { return Ok(None) };
        let back: Vec<Vec3> = way.iter().map(|at| -at).collect();
        let still = repair::moved_along(figure, clip, &back, first)?;
        Ok(smooth::is_physical(figure, &still, self.options.ground).then_some(way))
    }

    /// Returns the clip on a level floor, with travel and height corrected by its feet. Travel counts from the frame `first`.
    fn repaired(
        &self,
        clip: Clip,
        features: &Features,
        first: usize,
        physical: bool,
        known_treadmill: Option<Vec<Vec3>>,
    ) -> Result<Repaired, PrepareError> {
        let (figure, given) = (self.figure, self.options.ground);
        let size_scale = figure.size_scale();
        let mut repairs = Repairs { travel: 1.0, ..Repairs::default() };
        let mut treadmill_path = Vec::new();
        let Some(floor) = repair::floor(figure, &clip) else { return Err(PrepareError::NoBody) };
        let mut clip = clip;
        if floor.rise != [0.0; 2] && self.is_flat() && !physical {
            let trajectories = Trajectories::of(figure, features, &clip);
            clip = repair::levelled(figure, &clip, &floor, &trajectories)?;
            repairs.slope = real::atan(real::hypot(floor.rise[0], floor.rise[1]));
        }
        let mut height = floor.height;
        // The feet reveal errors of the root only on ground of known shape.
        let mends = self.options.repair && !physical && self.options.scenery.is_none();
        let found =
            || repair::below(features, &Trajectories::of(figure, features, &clip), height, figure.height, first > 0);
        let known = known_treadmill.map(|way| Below { way, steady: true });
        if let Some(Below { way, steady }) = known.or_else(|| if mends { found() } else { None }) {
            let back: Vec<Vec3> = way.iter().map(|at| -at).collect();
            clip = repair::moved_along(figure, &clip, &back, first)?;
            let last = way.len() - 1;
            let speed = way[last] * (clip.rate_hz() / last.max(1) as Real);
            // Forces on a treadmill of constant speed are those on fixed ground. At changing speeds they are not, and the
            // motion has to travel.
            if steady {
                repairs.treadmill = speed;
                treadmill_path = way.iter().map(|at| at - way[first]).collect();
            } else {
                repairs.restored = -speed;
            }
        }
        if mends {
            let trajectories = Trajectories::of(figure, features, &clip);
            if let Some(factor) = repair::travel_factor(features, &trajectories, height, figure.height) {
                clip = repair::travelled(figure, &clip, &trajectories, factor, first)?;
                repairs.travel = factor;
            }
            let trajectories = Trajectories::of(figure, features, &clip);
            if let Some(bob) = repair::bob(features, &trajectories, height, figure.height) {
                clip = repair::steadied(figure, &clip, &bob)?;
                repairs.bob = repair::amount(&bob);
                height = repair::floor(figure, &clip).map_or(height, |floor| floor.height);
            }
        }
        if let Some(given) = given.or(self.is_off(height).then_some(0.0)) {
            let by = given - height;
            if by.abs() <= REACH * size_scale {
                clip = repair::lifted(figure, &clip, by)?;
                repairs.lift = by;
            }
            height = given;
        }
        Ok(Repaired { clip, height, repairs, treadmill_path })
    }

    fn contacts(
        &self,
        features: &Features,
        clip: &Clip,
        surface: &dyn Surface,
        cutoff_hz: Option<Real>,
        looped: bool,
        exact: bool,
    ) -> Result<Contacts, PrepareError> {
        if let Some(list) = self.options.contacts {
            let once = |name: &str| {
                let found = list.features.iter().find(|(other, _)| other == name);
                found.map(|(_, runs)| runs.clone()).unwrap_or_default()
            };
            let mut intervals: Vec<Vec<Range<usize>>> = features.list.iter().map(|f| once(&f.name)).collect();
            if looped {
                let cycle = self.clip.frames() - 1;
                intervals.iter_mut().for_each(|runs| *runs = three_times(runs, cycle));
            }
            return Ok(Contacts { intervals, added: 0, hanging: Vec::new() });
        }
        // Speeds need stronger smoothing than poses.
        let smoothed = match cutoff_hz {
            Some(hz) => smoothed(clip, hz.clamp(8.0, 10.0))?,
            None => clip.clone(),
        };
        let trajectories = Trajectories::of(self.figure, features, &smoothed);
        let mut contacts = Detector::new(features, &trajectories, surface, self.figure.height, exact).run();
        if !exact {
            SecondarySupport { figure: self.figure, features, clip: &smoothed, trajectories: &trajectories, surface }
                .run(&mut contacts);
        }
        Ok(contacts)
    }

    /// Returns true if a floor at this height, metres, shows that the whole body is too low or too high: near y = 0, but
    /// farther off than the uncertainty of its soles.
    fn is_off(&self, height: Real) -> bool {
        let size_scale = self.figure.size_scale();
        let least = if self.figure.skeleton().rests_on_ground(self.figure.height) { SHOWN } else { GUESSED };
        (least * size_scale..USUAL_REACH * size_scale).contains(&height.abs()) && self.is_flat() && self.options.repair
    }

    /// Returns the mean height of contacts of the feet above level ground, metres. The ground is first taken at their lowest
    /// points, which excludes penetration; contacts are at the ground itself.
    fn standing_height(&self, features: &Features, clip: &Clip, floor: &Plane, contacts: &Contacts) -> Option<Real> {
        if !self.is_flat() {
            return None;
        }
        let trajectories = Trajectories::of(self.figure, features, clip);
        let (mut sum, mut count) = (0.0, 0);
        for limb in &features.limbs {
            let feet = limb.iter().filter(|&&f| features.list[f].is_foot());
            let frames = feet.flat_map(|&f| contacts.intervals[f].iter().flat_map(Clone::clone).map(move |t| (f, t)));
            let mut heights: Vec<Real> = frames.map(|(f, t)| floor.under(trajectories.place(f, t)).height).collect();
            count += heights.len();
            sum += heights.len() as Real * percentile(&mut heights, 0.5).unwrap_or(0.0);
        }
        (count > 0).then(|| sum / count as Real)
    }

    /// Refuses motions that no ground could support.
    fn refuse(
        &self,
        features: &Features,
        trajectories: &Trajectories,
        contacts: &Contacts,
        surface: &dyn Surface,
    ) -> Result<(), PrepareError> {
        let rise = trajectories.rise();
        let in_contact = |t: usize| contacts.intervals.iter().flatten().any(|run| run.contains(&t));
        let lowest = |t: usize| {
            let heights = (0..features.list.len()).map(|f| surface.under(trajectories.place(f, t)).height);
            heights.fold(Real::INFINITY, Real::min)
        };
        let hanging: Vec<usize> =
            (0..trajectories.frames).filter(|&t| !in_contact(t) && rise[t] > -0.45 * GRAVITY).collect();
        if 2 * hanging.len() < trajectories.frames || self.options.contacts.is_some() {
            return Ok(());
        }
        let mean = hanging.iter().map(|&t| lowest(t)).sum::<Real>() / hanging.len() as Real;
        if contacts.intervals.iter().all(Vec::is_empty) {
            let lowest = (0..trajectories.frames).map(lowest).fold(Real::INFINITY, Real::min);
            let ground = surface.under(&Vec3::zeros()).height;
            // Avoids −0.
            return Err(PrepareError::NeverTouches { lowest, ground: 0.0 - ground });
        }
        let share = 100.0 * hanging.len() as Real / trajectories.frames as Real;
        Err(PrepareError::CarriedElsewhere { share, height: mean })
    }
}

/// Returns the part of a run within a window, counted from the start of the window.
fn within(run: &Range<usize>, window: &Range<usize>) -> Option<Range<usize>> {
    let (start, end) = (run.start.max(window.start), run.end.min(window.end));
    (start < end).then(|| start - window.start..end - window.start)
}

/// Returns the values of the frames in a window.
fn cut<T>(values: Vec<T>, window: &Range<usize>) -> Vec<T> {
    let mut values: Vec<T> = values.into_iter().skip(window.start).take(window.len()).collect();
    values.shrink_to_fit();
    values
}

/// Repeats the contacts of a cycle one cycle before and one behind it.
fn three_times(runs: &[Range<usize>], cycle: usize) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for run in (0..3).flat_map(|k| runs.iter().map(move |run| run.start + k * cycle..run.end + k * cycle)) {
        match joined.last_mut().filter(|last| last.end >= run.start) {
            Some(last) => last.end = last.end.max(run.end),
            None => joined.push(run),
        }
    }
    joined
}

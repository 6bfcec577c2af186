//! One measurement from beginning to end.

use super::balance::{self, Balance};
use super::contacts::{ContactFinder, Contacts, Holding};
use super::effort::{self, Effort};
use super::felt;
use super::float::Float;
use super::floor::floor;
use super::ground::Ground;
use super::instant::Instant;
use super::kinetics;
use super::limits::LimitCheck;
use super::penetration::Depths;
use super::points::{Point, lowest_of_shapes, points};
use super::poses::Poses;
use super::report::{Basis, Report};
use super::residual::Residual;
use super::self_contact::SelfContact;
use super::skate::WeightedSkate;
use super::spikes::{Jerk, count_spikes};
use super::treadmill;
use super::{Family, Key, Moved, Tracking};
use crate::contacts::low_pass::LowPass;
use crate::figure::Figure;
use crate::math::{GRAVITY, Real, Vec3};
use crate::motion::{Clip, ClipError};
use crate::record::FigureRecording;

/// Measures a clip on a figure made from its skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Measure<'a> {
    /// Body of the character.
    pub figure: &'a Figure,
    /// Motion to measure, on the figure's skeleton.
    pub clip: &'a Clip,
    /// Ground, smoothing and source.
    pub options: MeasureOptions<'a>,
}

/// Options of a measurement; the defaults suit a captured clip.
#[derive(Clone, Copy, Debug)]
pub struct MeasureOptions<'a> {
    /// Height of the ground, metres; found from the feet where it is not given.
    pub ground: Option<Real>,
    /// Smoothing before accelerations are taken.
    pub cutoff: Cutoff,
    /// Coulomb's µ of the ground.
    pub friction: Real,
    /// The motion was optimised or simulated: contacts of any length count. In raw captures 50 ms is the least.
    pub made: bool,
    /// Measures in-place motion against a treadmill that moves below it.
    pub treadmill: bool,
    /// Motion that the clip was made from; without it there is no tracking.
    pub source: Option<Moved<'a>>,
}

impl Default for MeasureOptions<'_> {
    fn default() -> Self {
        Self { ground: None, cutoff: Cutoff::default(), friction: 0.8, made: false, treadmill: true, source: None }
    }
}

/// Low-pass of poses before they are differentiated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cutoff {
    /// 12 Hz for clips of more than 50 frames per second, none for slower ones.
    #[default]
    Usual,
    /// The poses as they are.
    None,
    /// Cut-off frequency, Hz.
    At(Real),
}

/// Errors of a measurement.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeasureError {
    /// The clip belongs to another skeleton.
    #[error("the clip was made for {found} joints, the skeleton has {expected}")]
    Joints {
        /// Number of joints of the clip.
        found: usize,
        /// Number of joints of the skeleton.
        expected: usize,
    },
    /// The clip is empty.
    #[error("the clip has no frames")]
    NoFrames,
    /// Recording and clip differ in length.
    #[error("the recording has {found} frames, its clip {expected}")]
    Frames {
        /// Number of frames of the recording.
        found: usize,
        /// Number of frames of the clip.
        expected: usize,
    },
    /// Source and result share no joint.
    #[error("source and result have no joint in common, neither by name nor by role")]
    NothingInCommon,
    /// An option is out of range.
    #[error("{what} must be {expected}, not {value}")]
    Option {
        /// Name of the option.
        what: &'static str,
        /// Range of values that it may have.
        expected: &'static str,
        /// Value that was given.
        value: Real,
    },
    /// A clip cannot be made or sampled.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Least duration of a contact in a raw capture; shorter ones are noise; seconds.
const LEAST_CONTACT: Real = 0.05;

impl Measure<'_> {
    /// Every figure that applies.
    pub fn run(&self) -> Result<Report, MeasureError> {
        self.check()?;
        let low_pass = self.cutoff_hz().and_then(|hz| LowPass::new(hz, self.clip.rate_hz()));
        let mut report = Report::new(Basis {
            frames: self.clip.frames(),
            rate_hz: self.clip.rate_hz(),
            cutoff_hz: self.cutoff_hz().filter(|_| low_pass.is_some()),
            friction: self.options.friction,
            min_contact: if self.options.made { 0.0 } else { LEAST_CONTACT },
            mass: self.figure.mass(),
            height: self.figure.height,
            ground_rise: [0.0; 2],
            treadmill: Vec3::zeros(),
        });
        if self.clip.frames() == 0 {
            Key::ALL.iter().for_each(|&key| report.explain(key, "the clip has no frames"));
            return Ok(report);
        }
        if self.figure.segments().is_empty() {
            Key::ALL.iter().for_each(|&key| report.explain(key, "the figure has no body"));
            return Ok(report);
        }
        let points = points(self.figure);
        let (ground, centres) = self.survey(&points);
        let Some(ground) = self.options.ground.map(Ground::level).or(ground) else {
            Key::ALL.iter().for_each(|&key| report.explain(key, "the figure has no place in the world"));
            return Ok(report);
        };
        let gone = self
            .options
            .treadmill
            .then(|| treadmill::from_treadmill(self.figure, &points, self.clip, ground.height))
            .flatten();
        if let Some((clip, velocity)) = gone {
            let still = MeasureOptions { treadmill: false, source: None, ..self.options };
            let mut report = Measure { figure: self.figure, clip: &clip, options: still }.run()?;
            report.basis.treadmill = velocity;
            report.clear(Family::Tracking);
            self.track(&mut report)?;
            return Ok(report);
        }
        report.set(Key::Ground, ground.height);
        report.basis.ground_rise = ground.rise;
        let lowest = self.geometry(&mut report, &points, &centres, &ground);
        self.dynamics(&mut report, &points, &ground, low_pass.as_ref(), &lowest);
        self.track(&mut report)?;
        Ok(report)
    }

    /// Measures a recorded figure whose clip (see [`FigureRecording::to_clip`]) this is. Residual, balance, ground reaction and
    /// effort are those that were recorded, not worked out from the poses.
    pub fn recording(&self, recording: &FigureRecording<'_>) -> Result<Report, MeasureError> {
        let (found, expected) = (recording.frames(), self.clip.frames());
        if found != expected {
            return Err(MeasureError::Frames { found, expected });
        }
        let mut report = self.run()?;
        if !self.figure.segments().is_empty() && recording.segments() == self.figure.segments().len() {
            felt::put(&mut report, self.figure, recording);
        }
        Ok(report)
    }

    fn check(&self) -> Result<(), MeasureError> {
        let (found, expected) = (self.clip.joints(), self.figure.skeleton().len());
        if found != expected {
            return Err(MeasureError::Joints { found, expected });
        }
        let MeasureOptions { ground, cutoff, friction, .. } = self.options;
        let refuse = |what, expected, value| Err(MeasureError::Option { what, expected, value });
        match (ground, cutoff) {
            (Some(y), _) if !y.is_finite() => refuse("the ground", "a number", y),
            (_, Cutoff::At(hz)) if !(hz.is_finite() && hz > 0.0) => refuse("the cut-off", "a positive number", hz),
            _ if !(friction.is_finite() && friction >= 0.0) => refuse("friction", "zero or more", friction),
            _ => Ok(()),
        }
    }

    pub(super) fn cutoff_hz(&self) -> Option<Real> {
        match self.options.cutoff {
            Cutoff::Usual => (self.clip.rate_hz() > 50.0).then_some(12.0),
            Cutoff::None => None,
            Cutoff::At(hz) => Some(hz),
        }
    }

    /// Height of the ground that all figures are counted from, metres: the given one, else that of the motion, found from
    /// the feet, or from whatever carries the body. None without frames or without a body.
    pub fn ground(&self) -> Option<Real> {
        let found = || self.survey(&points(self.figure)).0.map(|ground| ground.height);
        self.options.ground.or_else(found)
    }

    /// The ground, and the centre of mass in every frame.
    pub(super) fn survey(&self, points: &[Point]) -> (Option<Ground>, Vec<Vec3>) {
        floor(self.figure, points, self.clip)
    }

    /// All that needs no forces. Gives the height of the lowest point above the ground in every frame.
    fn geometry(&self, report: &mut Report, points: &[Point], centres: &[Vec3], ground: &Ground) -> Vec<Real> {
        let (frames, rate, height) = (self.clip.frames(), self.clip.rate_hz(), self.figure.height);
        let mut poses = Poses::new(self.figure, self.clip);
        let mut contacts = ContactFinder::new(self.figure, points, height, rate, report.basis.min_contact);
        let (mut skate, mut depths, mut limits) =
            (WeightedSkate::new(height), Depths::default(), LimitCheck::default());
        let (mut jerk, mut lowest) = (Jerk::new(rate), Vec::with_capacity(frames));
        let mut overlap = SelfContact::new(self.figure).map(|check| (check, Depths::default()));
        // Places of all points in the frame before, this one and the next.
        let mut places: [Vec<Vec3>; 3] = Default::default();
        for next in 0..=frames {
            places.rotate_left(1);
            places[2].clear();
            if next < frames {
                let placements = poses.at(next);
                places[2].extend(points.iter().map(|point| ground.seen_from(point.world(placements))));
                lowest.push(lowest_of_shapes(self.figure, placements, ground));
                depths.add(-lowest[next]);
                limits.add(self.figure, placements);
                jerk.add(placements);
                if let Some((check, depths)) = &mut overlap {
                    depths.add(check.depth(placements));
                }
            }
            let Some(frame) = next.checked_sub(1) else { continue };
            let speed = speed_of(centres, frame, rate);
            for (index, point) in points.iter().enumerate() {
                let seen = [0, 1, 2].map(|k| places[k].get(index).copied());
                contacts.add(frame, (index, point), seen, speed);
                if let [_, Some(now), Some(next)] = &seen {
                    skate.add(point, now, next);
                }
            }
        }
        let Contacts { intervals, slide, foot_slide } = contacts.finish(points, frames);
        report.contacts = intervals;
        report.set(Key::PenetrationMean, 1e3 * depths.mean());
        report.set(Key::PenetrationMax, 1e3 * depths.most());
        report.set(Key::PenetrationShare, 100.0 * depths.share());
        for (key, speed) in [(Key::SkatePath, slide), (Key::SkateFoot, foot_slide)] {
            match speed {
                Some(speed) => report.set(key, 1e3 * speed),
                None => report.explain(key, "no foot or hand stays on the ground"),
            }
        }
        match skate.finish() {
            Some(way) => report.set(Key::SkateWeighted, 1e3 * way),
            None if frames < 2 => report.explain(Key::SkateWeighted, "a single frame does not slide"),
            None => report.explain(Key::SkateWeighted, "no foot comes near the ground"),
        }
        report.beyond_limits = limits.joints(self.figure);
        match limits.finish() {
            Some((share, worst)) => {
                report.set(Key::LimitsShare, 100.0 * share);
                report.set(Key::LimitsWorst, worst.to_degrees());
            }
            None => report.explain_all(Family::Limits, "the figure's joints have no limits"),
        }
        match overlap {
            Some((_, depths)) => {
                report.set(Key::SelfContactMax, 1e3 * depths.most());
                report.set(Key::SelfContactShare, 100.0 * depths.share());
            }
            None => report.explain_all(Family::SelfContact, "no two segments of the figure may touch"),
        }
        match frames >= 3 {
            true => report.set(Key::Spikes, count_spikes(self.clip) as Real),
            false => report.explain(Key::Spikes, "spikes need three frames"),
        }
        match jerk.finish() {
            Some((mean, most)) => {
                report.set(Key::JerkMean, mean);
                report.set(Key::JerkMax, most);
            }
            None => report.explain_all(Family::Spikes, "jerk needs four frames"),
        }
        lowest
    }

    /// All that needs accelerations.
    fn dynamics(
        &self,
        report: &mut Report,
        points: &[Point],
        ground: &Ground,
        low_pass: Option<&LowPass>,
        lowest: &[Real],
    ) {
        let families = [Family::Float, Family::Residual, Family::Balance, Family::Reaction, Family::Effort];
        if self.clip.frames() < 3 {
            families.iter().for_each(|&family| report.explain_all(family, "accelerations need three frames"));
            return;
        }
        let (figure, rate) = (self.figure, self.clip.rate_hz());
        let mut instant = Instant::new(figure, points, *ground, self.options.friction);
        let (mut residual, mut balance) = (Residual::default(), Balance::default());
        let (mut effort, mut float) = (Effort::default(), Float::default());
        let mut holding = Holding::new(&report.contacts);
        kinetics::for_each_instant(figure, self.clip, low_pass, |frame, bodies| {
            holding.advance(frame);
            instant.set(bodies, &holding.now);
            residual.add(frame, &instant);
            balance.add(&instant, ground);
            effort.add(figure, bodies, &instant);
            float.add(!holding.now.is_empty(), instant.acceleration.y / GRAVITY, lowest[frame]);
        });
        if let Some((mean, share)) = float.finish() {
            report.set(Key::FloatMean, 1e3 * mean);
            report.set(Key::FloatShare, 100.0 * share);
        }
        residual.tell(report, rate);
        balance::tell(&balance.distance, report);
        effort::tell(&effort.torque, &effort.power, effort.way, rate, figure.height, report);
    }

    fn track(&self, report: &mut Report) -> Result<(), MeasureError> {
        let Some(source) = self.options.source else {
            report.explain_all(Family::Tracking, "there is no source to compare with");
            return Ok(());
        };
        let result = Moved { skeleton: self.figure.skeleton(), clip: self.clip };
        let tracking = match Tracking::between(&source, &result) {
            Err(error @ (MeasureError::NoFrames | MeasureError::NothingInCommon)) => {
                report.explain_all(Family::Tracking, &error.to_string());
                return Ok(());
            }
            other => other?,
        };
        report.set(Key::PositionMean, 1e3 * tracking.position);
        report.set(Key::PositionRootMean, 1e3 * tracking.position_root);
        report.set(Key::PositionP95, 1e3 * tracking.position_p95);
        report.set(Key::Angle, tracking.angle.to_degrees());
        match tracking.acceleration {
            Some(difference) => report.set(Key::Acceleration, 1e3 * difference),
            None => report.explain(Key::Acceleration, "accelerations need three frames"),
        }
        Ok(())
    }
}

/// Speed of the centre of mass, m/s.
pub(super) fn speed_of(centres: &[Vec3], frame: usize, rate: Real) -> Real {
    let (before, after) = (frame.saturating_sub(1), (frame + 1).min(centres.len() - 1));
    (centres[after] - centres[before]).norm() * rate / (after - before).max(1) as Real
}

//! Noise of a capture, and its removal by low-pass.
//!
//! White noise of deviation σ on a place has fourth differences of deviation √70 σ, while a motion sampled well enough hardly
//! has any. Their median over frames and segments gives σ. Negligible noise is left in, because a computed or already filtered
//! clip must stay unchanged. Where there is more noise than in usual captures, each track gets a cut-off of its own, as a hip
//! needs less bandwidth than a foot. It is the cut-off f with the least
//!
//!   Σ ‖y − ŷ_f‖² + 2 σ² n d(f),   d = 1.1107 f / f_N,
//!
//! which is, but for a constant, Stein's unbiased estimate of the squared error of ŷ_f: d is the mean weight of a sample in its
//! own smoothed value, ∫ df / (1 + (f/f_c)⁴) over f_N, and n the dimensions that the noise has.

use crate::contacts::low_pass::LowPass;
use crate::contacts::signal::percentile;
use crate::figure::Figure;
use crate::math::{Quat, Real, Vec3};
use crate::measure::poses::Poses;
use crate::measure::{Acceptance, Cutoff, Measure, MeasureOptions};
use crate::motion::{Clip, ClipError, Tracks};
use nalgebra::{Quaternion, SVector};

/// Median length of a vector of three standard normal numbers.
const MEDIAN_LENGTH: Real = 1.54;

/// Returns the standard deviation of noise on the places of a figure's segments, metres.
pub(crate) fn noise(figure: &Figure, clip: &Clip) -> Real {
    let mut poses = Poses::new(figure, clip);
    let segments = figure.segments();
    let mut past: Vec<Vec<Vec3>> = Vec::new();
    let mut all = Vec::new();
    for frame in 0..clip.frames() {
        let placements = poses.at(frame);
        past.push(segments.iter().zip(placements).map(|(s, p)| p.point(&s.end)).collect());
        if past.len() == 5 {
            let fourth = |k: usize| past[4][k] - past[3][k] * 4.0 + past[2][k] * 6.0 - past[1][k] * 4.0 + past[0][k];
            all.extend((0..segments.len()).map(|k| fourth(k).norm()));
            past.remove(0);
        }
    }
    percentile(&mut all, 0.5).unwrap_or(0.0) / (MEDIAN_LENGTH * 70.0_f64.sqrt())
}

/// Acceleration of noise below which no smoothing is needed, m/s², and standard deviation of places beyond which the noise is
/// unusual, metres at 60 Hz. At lower rates the motion itself has such differences.
const NEGLIGIBLE: Real = 0.6;
const NOISY: Real = 4e-3;

/// Returns the cut-off for a clip of this rate and noise, Hz.
pub(crate) fn cutoff(rate: Real, noise: Real) -> Option<Real> {
    // White noise of deviation 1 has second differences of deviation √6.
    let shaken = noise * 6.0_f64.sqrt() * rate * rate;
    let wanted = (rate > 50.0 && shaken >= NEGLIGIBLE).then_some(12.0);
    wanted.filter(|hz| LowPass::new(*hz, rate).is_some())
}

/// Returns true if the noise is more than that of usual captures at this rate.
pub(crate) fn is_noisy(rate: Real, noise: Real) -> bool {
    noise > NOISY * (60.0 / rate).powi(2).max(1.0)
}

/// Low-passes for the tracks of a clip.
struct Passes {
    rate: Real,
    /// Low-pass of all tracks; `None` where each track has its own.
    same: Option<LowPass>,
    /// Cut-offs of the tracks so far, Hz.
    own: Vec<Real>,
}

/// Candidate cut-offs of noisy tracks, Hz.
const TRIED: [Real; 10] = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0];

impl Passes {
    fn run<const N: usize>(&mut self, track: &mut Vec<SVector<Real, N>>) {
        match self.same {
            Some(pass) => pass.run(track),
            None => self.run_own(track),
        }
    }

    fn run_own<const N: usize>(&mut self, track: &mut Vec<SVector<Real, N>>) {
        // Rotations have four numbers but three degrees of freedom.
        let ways = 3.0;
        let fourth = |w: &[SVector<Real, N>]| (w[4] - w[3] * 4.0 + w[2] * 6.0 - w[1] * 4.0 + w[0]).norm();
        let mut all: Vec<Real> = track.windows(5).map(fourth).collect();
        let noise = percentile(&mut all, 0.5).unwrap_or(0.0) / (MEDIAN_LENGTH * 70.0_f64.sqrt());
        let mut best: Option<(Real, Real, Vec<SVector<Real, N>>)> = None;
        for hz in TRIED {
            let Some(pass) = LowPass::new(hz, self.rate) else { continue };
            let mut smooth = track.clone();
            pass.run(&mut smooth);
            let taken: Real = track.iter().zip(&smooth).map(|(y, s)| (y - s).norm_squared()).sum();
            let weight = 1.1107 * hz / (0.5 * self.rate);
            let error = taken + 2.0 * ways * noise * noise * weight * track.len() as Real;
            if best.as_ref().is_none_or(|(least, ..)| error < *least) {
                best = Some((error, hz, smooth));
            }
        }
        if let Some((_, hz, smooth)) = best {
            self.own.push(hz);
            *track = smooth;
        }
    }
}

/// Returns true if the ground can supply all forces of a clip, and contacts neither slide nor penetrate.
pub(crate) fn is_physical(figure: &Figure, clip: &Clip, ground: Option<Real>) -> bool {
    let options =
        MeasureOptions { ground, cutoff: Cutoff::None, made: true, treadmill: false, ..MeasureOptions::default() };
    Measure { figure, clip, options }.run().is_ok_and(|report| Acceptance::of_motion(&report).is_physical())
}

/// Returns the clip with all rotations and translations smoothed.
pub(crate) fn smoothed(clip: &Clip, cutoff_hz: Real) -> Result<Clip, ClipError> {
    let Some(low_pass) = LowPass::new(cutoff_hz, clip.rate_hz()) else { return Ok(clip.clone()) };
    through(clip, &mut Passes { rate: clip.rate_hz(), same: Some(low_pass), own: Vec::new() })
}

/// Returns a noisy clip with each track smoothed at a cut-off of its own, and the median of those, Hz.
pub(crate) fn smoothed_per_track(clip: &Clip) -> Result<(Clip, Option<Real>), ClipError> {
    let mut passes = Passes { rate: clip.rate_hz(), same: None, own: Vec::new() };
    let smoothed = through(clip, &mut passes)?;
    Ok((smoothed, percentile(&mut passes.own, 0.5)))
}

fn through(clip: &Clip, passes: &mut Passes) -> Result<Clip, ClipError> {
    let (frames, joints) = (clip.frames(), clip.joints());
    let mut rotations = vec![Quat::identity(); frames * joints];
    let mut track: Vec<SVector<Real, 4>> = Vec::with_capacity(frames);
    for joint in 0..joints {
        track.clear();
        for frame in 0..frames {
            let q = clip.rotations(frame)[joint].coords;
            let flip = track.last().is_some_and(|last: &SVector<Real, 4>| last.dot(&q) < 0.0);
            track.push(if flip { -q } else { q });
        }
        let first = track.first().copied();
        // Constant tracks stay exactly as they are.
        if first.is_none_or(|first| track.iter().all(|q| *q == first)) {
            (0..frames).for_each(|frame| rotations[frame * joints + joint] = clip.rotations(frame)[joint]);
            continue;
        }
        passes.run(&mut track);
        for (frame, q) in track.iter().enumerate() {
            rotations[frame * joints + joint] = Quat::from_quaternion(Quaternion::from(*q));
        }
    }
    let mut translations = clip.translations().clone();
    smooth_tracks(&mut translations, passes);
    Clip::new(clip.name.clone(), clip.rate_hz(), joints, rotations, translations, clip.scales().clone())
}

fn smooth_tracks(tracks: &mut Tracks, passes: &mut Passes) {
    let width = tracks.joints.len();
    for k in 0..width {
        let mut track: Vec<Vec3> = tracks.values.iter().skip(k).step_by(width).copied().collect();
        let first = track.first().copied();
        if first.is_some_and(|first| track.iter().any(|p| *p != first)) {
            passes.run(&mut track);
            tracks.values.iter_mut().skip(k).step_by(width).zip(track).for_each(|(value, p)| *value = p);
        }
    }
}

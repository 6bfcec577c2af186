//! Noise of a capture, and the low-pass that takes it out.
//!
//! White noise of deviation σ on a place has fourth differences of deviation √70 σ, while a motion sampled well enough hardly
//! has any. Their median over frames and segments gives σ. Noise of a hair is left in: a clip that is computed, or that was
//! filtered before, must come back as it is. Where it is more than a capture shows, the cut-off goes down.

use crate::figure::Figure;
use crate::math::{Quat, Real, Vec3};
use crate::measure::ground::percentile;
use crate::measure::poses::Poses;
use crate::measure::smooth::LowPass;
use crate::measure::{Cutoff, Key, Measure, MeasureOptions};
use crate::motion::{Clip, ClipError, Tracks};
use nalgebra::{Quaternion, SVector};

/// Deviation of noise on the places of a figure's segments, metres.
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
    // The median of the length of a vector of three normal numbers is 1.54 deviations.
    percentile(&mut all, 0.5).unwrap_or(0.0) / (1.54 * 70.0_f64.sqrt())
}

/// Accelerations of noise that need no smoothing, m/s². Places of noise that needs more than usual, metres, at 60 Hz: at lower
/// rates the motion itself has differences like that.
const HAIR: Real = 0.6;
const TREMBLE: Real = 4e-3;

/// The cut-off for a clip of this rate and noise, Hz.
pub(crate) fn cutoff(rate: Real, noise: Real) -> Option<Real> {
    // White noise of deviation 1 has second differences of deviation √6.
    let shaken = noise * 6.0_f64.sqrt() * rate * rate;
    let wanted = match noise {
        _ if noise > TREMBLE * (60.0 / rate).powi(2).max(1.0) => Some(5.0),
        _ if rate <= 50.0 || shaken < HAIR => None,
        _ => Some(12.0),
    };
    wanted.filter(|hz| LowPass::new(*hz, rate).is_some())
}

/// Whether the ground can give all forces of a clip as it is, and feet stand without sliding or sinking.
pub(crate) fn is_physical(figure: &Figure, clip: &Clip, ground: Option<Real>) -> bool {
    let options = MeasureOptions { ground, cutoff: Cutoff::None, made: true, ..MeasureOptions::default() };
    let Ok(report) = (Measure { figure, clip, options }).run() else { return false };
    let below = |key: Key, most: Real| report.get(key).is_none_or(|value| value <= most);
    report.get(Key::ResidualForceMean).is_some()
        && below(Key::ResidualForceMean, 0.002)
        && below(Key::ResidualForceMax, 0.05)
        && below(Key::ResidualTorqueMean, 0.002)
        && below(Key::PenetrationMax, 3.0)
        && below(Key::FloatShare, 2.0)
        && below(Key::SkatePath, 50.0)
}

/// A clip with all rotations and translations smoothed.
pub(crate) fn smoothed(clip: &Clip, cutoff_hz: Real) -> Result<Clip, ClipError> {
    let Some(low_pass) = LowPass::new(cutoff_hz, clip.rate_hz()) else { return Ok(clip.clone()) };
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
        // What rests stays exactly as it is.
        if first.is_none_or(|first| track.iter().all(|q| *q == first)) {
            (0..frames).for_each(|frame| rotations[frame * joints + joint] = clip.rotations(frame)[joint]);
            continue;
        }
        low_pass.run(&mut track);
        for (frame, q) in track.iter().enumerate() {
            rotations[frame * joints + joint] = Quat::from_quaternion(Quaternion::from(*q));
        }
    }
    let mut translations = clip.translations().clone();
    smooth_tracks(&mut translations, &low_pass);
    Clip::new(clip.name.clone(), clip.rate_hz(), joints, rotations, translations, clip.scales().clone())
}

fn smooth_tracks(tracks: &mut Tracks, low_pass: &LowPass) {
    let width = tracks.joints.len();
    for k in 0..width {
        let mut track: Vec<Vec3> = tracks.values.iter().skip(k).step_by(width).copied().collect();
        let first = track.first().copied();
        if first.is_some_and(|first| track.iter().any(|p| *p != first)) {
            low_pass.run(&mut track);
            tracks.values.iter_mut().skip(k).step_by(width).zip(track).for_each(|(value, p)| *value = p);
        }
    }
}

/// A signal of one number smoothed; as it is where the cut-off means nothing at this rate.
pub(crate) fn smoothed_signal(signal: &[Real], cutoff_hz: Real, rate_hz: Real) -> Vec<Real> {
    let Some(low_pass) = LowPass::new(cutoff_hz, rate_hz) else { return signal.to_vec() };
    let mut samples: Vec<SVector<Real, 1>> = signal.iter().map(|y| SVector::<Real, 1>::new(*y)).collect();
    low_pass.run(&mut samples);
    samples.iter().map(|y| y.x).collect()
}

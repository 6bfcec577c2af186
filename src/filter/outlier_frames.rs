//! Outlier frames: poses put before or behind the motion, and single corrupt frames.
//!
//! D_t is the mean path of all segments from frame t to t + 1. A few frames at an end of the clip that are separated from the
//! rest by a D many times the local median are extrapolated from the motion next to them. A few frames with such a D before and
//! behind them (half as much suffices on one side), while their neighbours are near each other, are interpolated between those.
//! A loop has no ends.

use crate::contacts::signal::percentile;
use crate::dynamics::Placement;
use crate::figure::Figure;
use crate::math::{Quat, Real, Vec3};
use crate::measure::poses::Poses;
use crate::motion::{Clip, ClipError, Tracks};

/// Longest run of outliers, frames.
const IN_A_ROW: usize = 3;
/// Ratio of an outlier step to the local median, and least length of such a step, metres for the reference height.
const TIMES: Real = 6.0;
/// Ratio that suffices on one side of a run of outliers.
const BACK_TIMES: Real = 3.0;
const LEAST: Real = 0.015;

/// Returns the clip with outlier frames replaced, and their numbers. `ends` tells that the clip has a beginning and an end.
pub(crate) fn without_outliers(figure: &Figure, clip: &Clip, ends: bool) -> Result<(Clip, Vec<usize>), ClipError> {
    let frames = clip.frames();
    if frames < 4 * IN_A_ROW {
        return Ok((clip.clone(), Vec::new()));
    }
    let mut poses = Poses::new(figure, clip);
    let placed: Vec<Vec<Placement>> = (0..frames).map(|t| poses.at(t).to_vec()).collect();
    let way = |s: usize, t: usize| {
        let ways = placed[s].iter().zip(&placed[t]).map(|(a, b)| (a.position - b.position).norm());
        ways.sum::<Real>() / placed[s].len().max(1) as Real
    };
    let steps: Vec<Real> = (1..frames).map(|t| way(t - 1, t)).collect();
    let usual = |t: usize| {
        let (from, to) = (t.saturating_sub(15), (t + 16).min(steps.len()));
        percentile(&mut steps[from..to].to_vec(), 0.5).unwrap_or(0.0)
    };
    let longer = |t: usize, times: Real| steps[t] > times * usual(t) && steps[t] > figure.scaled_length(LEAST);
    let jumps = |t: usize| longer(t, TIMES);
    // Frame to replace, the two frames it is drawn from, and the interpolation parameter between them.
    let mut plans: Vec<(usize, [usize; 2], Real)> = Vec::new();
    // Runs of outliers within the motion.
    let mut explained = vec![false; steps.len()];
    let mut from = 1;
    while from + 1 < frames {
        let lost = |count: usize| {
            let (out, to) = (from - 1, from + count);
            let (there, back) = (jumps(out), to < frames && jumps(to - 1));
            let both = to < frames && (there || back) && longer(out, BACK_TIMES) && longer(to - 1, BACK_TIMES);
            both && way(out, to) < 0.3 * (steps[out] + steps[to - 1])
        };
        // The length of the run that leaves the most even motion.
        let even = |count: &usize| way(from - 1, from + count) / (count + 1) as Real;
        let counts = (1..=IN_A_ROW).filter(|&count| lost(count));
        let count = counts.min_by(|j, k| even(j).total_cmp(&even(k))).unwrap_or(0);
        let share = |t: usize| (t + 1 - from) as Real / (count + 1) as Real;
        plans.extend((from..from + count).map(|t| (t, [from - 1, from + count], share(t))));
        if count > 0 {
            explained[from - 1..from + count].fill(true);
        }
        from += count.max(1);
    }
    let (end, parts) = (steps.len(), |t: usize| ends && !explained[t] && jumps(t));
    if let Some(last) = (0..IN_A_ROW).rev().find(|&t| parts(t)) {
        plans.extend((0..=last).map(|t| (t, [last + 1, last + 2], t as Real - (last + 1) as Real)));
    }
    if let Some(first) = (end - IN_A_ROW..end).find(|&t| parts(t)) {
        plans.extend((first + 1..frames).map(|t| (t, [first - 1, first], (t - first + 1) as Real)));
    }
    if plans.is_empty() {
        return Ok((clip.clone(), Vec::new()));
    }
    let joints = clip.joints();
    let mut rotations: Vec<Quat> = (0..frames).flat_map(|t| clip.rotations(t).iter().copied()).collect();
    let mut moved: Tracks = clip.translations().clone();
    let width = moved.joints.len();
    for &(t, [from, to], share) in &plans {
        for j in 0..joints {
            let (a, b) = (clip.rotations(from)[j], clip.rotations(to)[j]);
            let rotation_vector: Vec3 = (a.inverse() * b).scaled_axis();
            rotations[t * joints + j] = a * Quat::new(rotation_vector * share);
        }
        for k in 0..width {
            let at = |frame: usize| clip.translations().values[frame * width + k];
            moved.values[t * width + k] = at(from) + (at(to) - at(from)) * share;
        }
    }
    let clip = Clip::new(clip.name.clone(), clip.rate_hz(), joints, rotations, moved, clip.scales().clone())?;
    let mut which: Vec<usize> = plans.into_iter().map(|(t, ..)| t).collect();
    which.sort_unstable();
    which.dedup();
    Ok((clip, which))
}

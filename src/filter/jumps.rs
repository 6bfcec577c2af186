//! Frames that jump: a pose that was put before or behind the motion, a single frame that went wrong.
//!
//! D_t is the mean way of all segments from frame t to t + 1. A few frames at an end of the clip that are parted from the rest by
//! a D many times the median near it are drawn again, going on as the motion does next to them. A single frame with such a D on
//! both sides, while its neighbours are near each other, is drawn again half way between them.

use crate::dynamics::Placement;
use crate::figure::Figure;
use crate::math::{Quat, Real, Vec3};
use crate::measure::ground::percentile;
use crate::measure::poses::Poses;
use crate::motion::{Clip, ClipError, Tracks};

/// At most so many frames at an end.
const AT_END: usize = 3;
/// How many times the usual step is a jump, and how far it must be at least, metres per a.
const TIMES: Real = 6.0;
const LEAST: Real = 0.015;

/// The clip with jumping frames drawn again, and which they were.
pub(crate) fn redrawn(figure: &Figure, clip: &Clip) -> Result<(Clip, Vec<usize>), ClipError> {
    let frames = clip.frames();
    if frames < 4 * AT_END {
        return Ok((clip.clone(), Vec::new()));
    }
    let mut poses = Poses::new(figure, clip);
    let placed: Vec<Vec<Placement>> = (0..frames).map(|t| poses.at(t).to_vec()).collect();
    let way = |s: usize, t: usize| {
        let ways = placed[s].iter().zip(&placed[t]).map(|(a, b)| (a.position - b.position).norm());
        ways.sum::<Real>() / placed[s].len().max(1) as Real
    };
    let steps: Vec<Real> = (1..frames).map(|t| way(t - 1, t)).collect();
    let jumps = |t: usize| {
        let (from, to) = (t.saturating_sub(15), (t + 16).min(steps.len()));
        let usual = percentile(&mut steps[from..to].to_vec(), 0.5).unwrap_or(0.0);
        steps[t] > TIMES * usual && steps[t] > LEAST * figure.height / 1.75
    };
    // Frame to draw again, and the two it is drawn from, with how far to go from the first to the second.
    let mut plans: Vec<(usize, [usize; 2], Real)> = Vec::new();
    if let Some(last) = (0..AT_END).rev().find(|&t| jumps(t)) {
        plans.extend((0..=last).map(|t| (t, [last + 1, last + 2], t as Real - (last + 1) as Real)));
    }
    let end = steps.len();
    if let Some(first) = (end - AT_END..end).find(|&t| jumps(t)) {
        plans.extend((first + 1..frames).map(|t| (t, [first - 1, first], (t - first + 1) as Real)));
    }
    for t in AT_END + 1..frames - AT_END - 1 {
        if jumps(t - 1) && jumps(t) && way(t - 1, t + 1) < 0.3 * (steps[t - 1] + steps[t]) {
            plans.push((t, [t - 1, t + 1], 0.5));
        }
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
            let turn: Vec3 = (a.inverse() * b).scaled_axis();
            rotations[t * joints + j] = a * Quat::new(turn * share);
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

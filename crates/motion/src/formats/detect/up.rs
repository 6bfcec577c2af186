//! Up axis of a file, from the body in it and its motion: a likelihood for each of the six directions.
//!
//! Each piece of evidence is a physical statement with a logarithm of its likelihood, in nats, so that they can be added, also over several
//! files. Their weights are those at which wrong answers become as rare as the margin says on clips cut short, turned and mutilated.

use super::observation::Observation;
use crate::formats::UpAxis;
use crate::math::real;
use crate::{Real, Vec3};

/// Directions, in the order of all lists here.
pub(crate) const AXES: [UpAxis; 6] = UpAxis::ALL;

/// Logarithms of likelihoods, nats, in the order of [`AXES`].
pub(crate) type Likelihoods = [Real; 6];

/// One statement about the up axis and how well each direction agrees with it.
struct Evidence {
    /// Reason, said of the chosen axis.
    why: &'static str,
    nats: Likelihoods,
}

/// Up axis with its rival.
pub(crate) struct UpGuess {
    pub up: UpAxis,
    pub why: String,
    /// Second best axis, if it is too likely to be ruled out.
    pub runner_up: Option<UpAxis>,
    pub likelihoods: Likelihoods,
}

/// Margin over the runner-up from which an answer counts as certain, nats: odds of 20 to 1.
pub(crate) const CERTAIN: Real = 3.0;

/// Share of files with each up axis. Y mostly, Z often, −Y from camera trackers.
const USUAL: [Real; 6] = [0.004, 0.004, 0.75, 0.02, 0.21, 0.012];

/// Standard gravity over the usual height of a person, 1/s².
const GRAVITY: Real = 9.81 / super::unit::USUAL;

/// Returns the best axis and the second best.
pub(crate) fn best_two(nats: &Likelihoods) -> [usize; 2] {
    let mut order: Vec<usize> = (0..6).collect();
    order.sort_by(|&a, &b| nats[b].total_cmp(&nats[a]));
    [order[0], order[1]]
}

/// Detects the up axis of a motion.
pub(crate) fn detect(seen: &Observation) -> UpGuess {
    if !(seen.height.is_finite() && seen.height > 0.0) {
        let why = "nothing in the file has a length; most files are Y up".to_owned();
        return UpGuess { up: UpAxis::PlusY, why, runner_up: None, likelihoods: USUAL.map(real::ln) };
    }
    let mut evidence = vec![posture(seen), rest_posture(seen), lateral(seen), ground_at_zero(seen)];
    // The ground moves under a body that is held by its hips.
    if !seen.is_pinned() {
        evidence.extend([steady_ground(seen), still_contacts(seen), travel(seen), free_fall(seen)]);
    }
    let mut total = USUAL.map(real::ln);
    for piece in &evidence {
        (0..6).for_each(|k| total[k] += piece.nats[k]);
    }
    let [best, second] = best_two(&total);
    let why = reason(seen, &evidence, best);
    let runner_up = (total[best] - total[second] < CERTAIN).then_some(AXES[second]);
    UpGuess { up: AXES[best], why, runner_up, likelihoods: total }
}

/// Returns the up axis that several files of one recorder show together, and the second best if it cannot be ruled out. Each file gives its
/// logarithms of likelihoods ([`up_likelihoods`](crate::formats::ImportReport::up_likelihoods)); how usual an axis is counts once.
pub fn pooled(files: &[[Real; 6]]) -> (UpAxis, Option<UpAxis>) {
    let mut total = USUAL.map(real::ln);
    for nats in files {
        (0..6).for_each(|k| total[k] += nats[k] - real::ln(USUAL[k]));
    }
    let [best, second] = best_two(&total);
    (AXES[best], (total[best] - total[second] < CERTAIN).then_some(AXES[second]))
}

/// Returns the two strongest reasons for an axis.
fn reason(seen: &Observation, evidence: &[Evidence], best: usize) -> String {
    /// Nats over the mean of the other axes from which a piece of evidence is worth telling.
    const TOLD: Real = 0.5;
    let lead = |piece: &Evidence| piece.nats[best] - (piece.nats.iter().sum::<Real>() - piece.nats[best]) / 5.0;
    let mut told: Vec<&Evidence> = evidence.iter().filter(|piece| lead(piece) > TOLD).collect();
    told.sort_by(|a, b| lead(b).total_cmp(&lead(a)));
    let told: Vec<&str> = told.iter().take(2).map(|piece| piece.why).collect();
    let mut why = if told.is_empty() { "most files are so".to_owned() } else { told.join(", and ") };
    let standing = seen.posture(&seen.rest);
    if seen.frames.len() > 1 && standing.is_some_and(|rest| rest.dot(&AXES[best].vector()) < 0.5) {
        why += "; the rest pose alone does not stand that way";
    }
    why
}

/// Values of a function for every direction.
fn along(value: impl Fn(Vec3) -> Real) -> Likelihoods {
    AXES.map(|axis| value(axis.vector()))
}

/// The body is upright most of the time: hips above the feet, head above the hips.
fn posture(seen: &Observation) -> Evidence {
    /// Nats for a body that is upright all the time, over one that lies.
    const WEIGHT: Real = 3.5;
    let postures: Vec<Vec3> = seen.frames.iter().filter_map(|points| seen.posture(points)).collect();
    let mean = postures.iter().sum::<Vec3>() / postures.len().max(1) as Real;
    Evidence { why: "the body stands along it through the motion", nats: along(|up| WEIGHT * mean.dot(&up)) }
}

/// The rest pose stands. One that hangs upside down says nothing: trackers turn the motion and leave the rest pose.
fn rest_posture(seen: &Observation) -> Evidence {
    const WEIGHT: Real = 1.5;
    let rest = seen.posture(&seen.rest).unwrap_or_else(Vec3::zeros);
    Evidence { why: "the rest pose stands along it", nats: along(|up| WEIGHT * rest.dot(&up).max(0.0)) }
}

/// The ground is at height 0.
fn ground_at_zero(seen: &Observation) -> Evidence {
    /// Share of files whose ground is elsewhere, over those where it is at 0.
    const ELSEWHERE: Real = 0.06;
    // Joints lie inside a body, so they float above the ground more often than they dip below it.
    let near = |height: Real| real::exp(-height.abs() / if height > 0.0 { 0.07 } else { 0.03 });
    let nats = along(|up| {
        let Some((ground, _)) = seen.ground(&up) else { return 0.0 };
        let near = seen.shifts.iter().map(|shift| near(ground + shift.dot(&up) / seen.height)).fold(0.0, Real::max);
        real::ln((near + ELSEWHERE) / (1.0 + ELSEWHERE))
    });
    Evidence { why: "the lowest point is then near height 0", nats }
}

/// The lowest point of the body keeps its height, as it is carried by the ground.
fn steady_ground(seen: &Observation) -> Evidence {
    /// Spread that a body on level ground has anyway, over its height.
    const SPREAD: Real = 0.012;
    /// Nats at most: a motion on stairs spreads as well.
    const MOST: Real = 3.0;
    let nats = along(|up| {
        let Some((_, spread)) = seen.ground(&up) else { return 0.0 };
        -real::ln((spread + SPREAD) / SPREAD).min(MOST)
    });
    Evidence { why: "the lowest point keeps its height along it", nats }
}

/// Whatever is lowest comes to rest again and again, while the rest of the body moves.
fn still_contacts(seen: &Observation) -> Evidence {
    const WEIGHT: Real = 2.5;
    let shares = seen.contact_shares();
    Evidence { why: "what is lowest comes to rest there again and again", nats: shares.map(|share| WEIGHT * share) }
}

/// The body travels across the up axis rather than along it.
fn travel(seen: &Observation) -> Evidence {
    /// Range of the centre of a body that crouches, jumps or lies down, over its height.
    const USUAL_RANGE: Real = 0.45;
    const WEIGHT: Real = 1.5;
    const MOST: Real = 3.0;
    let nats = along(|up| {
        let mut heights: Vec<Real> = seen.centres.iter().map(|centre| centre.dot(&up)).collect();
        heights.sort_by(Real::total_cmp);
        let at = |share: Real| heights.get(((heights.len().max(1) - 1) as Real * share) as usize).copied();
        let (Some(low), Some(high)) = (at(0.05), at(0.95)) else { return 0.0 };
        -(WEIGHT * real::ln((high - low) / (USUAL_RANGE * seen.height)).max(0.0)).min(MOST)
    });
    Evidence { why: "the body travels across it", nats }
}

/// The line from left to right hip, and from shoulder to shoulder, is level most of the time.
fn lateral(seen: &Observation) -> Evidence {
    const WEIGHT: Real = 2.0;
    let lines: Vec<Vec3> = seen.frames.iter().filter_map(|points| seen.lateral(points)).collect();
    let nats = along(|up| {
        let squares: Real = lines.iter().map(|line| line.dot(&up).powi(2)).sum();
        -WEIGHT * squares / lines.len().max(1) as Real
    });
    Evidence { why: "left and right lie across it", nats }
}

/// In the air, the centre of the body accelerates downwards with gravity.
fn free_fall(seen: &Observation) -> Evidence {
    /// Acceleration that still passes for gravity, over gravity: stature and centre of mass are only estimates.
    const TOLERANCE: Real = 0.35;
    /// Nats of one frame, a thirtieth of a second, and at most.
    const WEIGHT: Real = 0.4;
    const MOST: Real = 3.0;
    let accelerations: Vec<Vec3> = seen.accelerations().concat();
    let gravity = GRAVITY * seen.height;
    let nats = along(|up| {
        let falling = accelerations.iter().filter(|a| (**a + up * gravity).norm() < TOLERANCE * gravity).count();
        (WEIGHT * falling as Real).min(MOST)
    });
    Evidence { why: "the body falls along it when it is in the air", nats }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that show nothing leave the usual axis as likely as one of them does, however many they are.
    #[test]
    fn how_usual_an_axis_is_counts_once() {
        let nothing = USUAL.map(real::ln);
        assert_eq!(pooled(&[nothing]), pooled(&[nothing; 9]));
        // Evidence of 1 nat for Z in each of five files is 5 nats, more than Y is the more usual axis.
        let mut hints = nothing;
        hints[4] += 1.0;
        assert_eq!(pooled(&[hints]).0, UpAxis::PlusY);
        assert_eq!(pooled(&[hints; 5]), (UpAxis::PlusZ, None));
    }
}

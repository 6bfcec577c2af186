//! Segmentation of evidence over time: the most probable sequence of contact and no contact.
//!
//! With the log-odds e of contact in each frame, the time h between frames, the time τ over which errors of a capture stay alike,
//! and the cost s of a change between both states,
//!
//!   maximise  Σ_{t in contact} e_t h/τ − s · number of changes
//!
//! by dynamic programming over two states (Viterbi 1967). Neither gaps nor contacts have a least length: evidence against s decides.

use crate::math::Real;
use std::ops::Range;

/// Time τ over which errors of a capture stay alike, seconds: poses have a bandwidth of some 12 Hz.
const CORRELATION: Real = 0.02;
/// Cost s of a change between contact and no contact, nats: one of 150 frames of free evidence.
const SWITCH: Real = 5.0;

/// Returns the frames in contact, sorted and disjoint, by the log-odds of each frame, nats.
pub(crate) fn segments(evidence: &[Real], rate: Real) -> Vec<Range<usize>> {
    let share = 1.0 / (rate * CORRELATION);
    // Best score that ends in each state, and the state before: [no contact, contact].
    let mut score = [0.0; 2];
    let mut before: Vec<[bool; 2]> = Vec::with_capacity(evidence.len());
    for (t, e) in evidence.iter().enumerate() {
        let gain = [0.0, e * share];
        let from = [0, 1].map(|now: usize| t > 0 && score[1 - now] - SWITCH > score[now]);
        before.push([from[0], !from[1]]);
        score = [0, 1].map(|now: usize| gain[now] + if from[now] { score[1 - now] - SWITCH } else { score[now] });
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut on = score[1] > score[0];
    for t in (0..evidence.len()).rev() {
        if on {
            match found.last_mut() {
                Some(next) if next.start == t + 1 => next.start = t,
                _ => found.push(t..t + 1),
            }
        }
        on = before[t][usize::from(on)];
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Score of a sequence, by its definition.
    fn score(evidence: &[Real], on: &[bool], rate: Real) -> Real {
        let gain: Real = evidence.iter().zip(on).map(|(e, on)| if *on { e / (rate * CORRELATION) } else { 0.0 }).sum();
        gain - SWITCH * on.windows(2).filter(|pair| pair[0] != pair[1]).count() as Real
    }

    /// Of all 2¹² sequences of some evidence, none scores better than the one found.
    #[test]
    fn no_other_sequence_is_more_probable() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as Real / (1_u64 << 31) as Real * 12.0 - 6.0
        };
        for _ in 0..20 {
            let evidence: Vec<Real> = (0..12).map(|_| random()).collect();
            let mut on = vec![false; 12];
            segments(&evidence, 60.0).into_iter().for_each(|run| on[run].fill(true));
            let found = score(&evidence, &on, 60.0);
            for bits in 0..1_u32 << 12 {
                let other: Vec<bool> = (0..12).map(|k| bits >> k & 1 == 1).collect();
                assert!(score(&evidence, &other, 60.0) <= found + 1e-9, "{evidence:?}");
            }
        }
    }

    /// A gap or a contact of a frame costs more than it gains; the same in all rates.
    #[test]
    fn short_gaps_and_contacts_are_bridged_at_any_rate() {
        for rate in [30.0, 60.0, 120.0, 240.0] {
            let frames = |seconds: Real| (seconds * rate) as usize;
            let evidence = |from: Real, to: Real, inside: Real| -> Vec<Real> {
                let inside = |t: usize| if (frames(from)..frames(to)).contains(&t) { inside } else { -inside };
                (0..frames(1.0)).map(inside).collect()
            };
            let only = |from: Real, to: Real| std::iter::once(frames(from)..frames(to)).collect::<Vec<_>>();
            assert_eq!(segments(&evidence(0.3, 0.6, 3.0), rate), only(0.3, 0.6), "{rate} Hz");
            assert_eq!(segments(&evidence(0.3, 0.34, 3.0), rate), [], "{rate} Hz");
            assert_eq!(segments(&evidence(0.3, 0.34, -3.0), rate), only(0.0, 1.0), "{rate} Hz");
        }
    }
}

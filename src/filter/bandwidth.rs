//! Bandwidth of the wrench that a solution tracks.
//!
//! A capture shows places, and the noise of a wrench grows with the square of its frequency: of a walk captured to 0.1 mm, the part
//! above 6 Hz is noise of some tenths of the weight. Ground forces of people who keep a foot down have hardly anything there,
//! while a run or a landing has. So the tracked wrench is limited to [`SUPPORTED`], and near flights to [`FLYING`].

use super::detect::runs;
use crate::contacts::low_pass::LowPass;
use crate::math::{Real, Vec6};
use crate::motion::GroundMove;

/// Bandwidth of ground forces while something is always in contact, Hz: the usual one of gait laboratories.
const SUPPORTED: Real = 6.0;
/// Bandwidth of ground forces next to flights, Hz.
const FLYING: Real = 12.0;
/// Shortest time without any contact that is a flight, seconds.
const FLIGHT: Real = 0.03;
/// Time around a flight in which its bandwidth holds, and over which it passes to the other, seconds.
const AROUND: Real = 0.3;
const PASSING: Real = 0.15;

/// Limits the required wrenches of consecutive frames to their bandwidth. `aloft` marks frames without any contact; `cycle` is
/// the displacement of a loop.
pub(super) fn limit(asked: &mut [Option<Vec6>], aloft: &[bool], rate: Real, cycle: Option<&GroundMove>) {
    let (Some(low), Some(first)) = (LowPass::new(SUPPORTED, rate), asked.iter().position(Option::is_some)) else {
        return;
    };
    let known: Vec<Vec6> = asked.iter().flatten().copied().collect();
    let smooth = |pass: LowPass| {
        // A loop goes on as it ends: one cycle before and one behind, rotated as the cycle rotates.
        let copies: Vec<i32> = if cycle.is_some() { vec![-1, 0, 1] } else { vec![0] };
        let mut long: Vec<Vec6> = Vec::with_capacity(copies.len() * known.len());
        for copy in &copies {
            let by = cycle.map(|cycle| if *copy < 0 { cycle.inverse() } else { *cycle }).filter(|_| *copy != 0);
            long.extend(known.iter().map(|wrench| by.map_or(*wrench, |by| rotated(wrench, &by))));
        }
        pass.run(&mut long);
        let start = known.len() * (copies.len() / 2);
        long[start..start + known.len()].to_vec()
    };
    let supported = smooth(low);
    // Frames that are too far apart for a low-pass keep the flights as they are.
    let flying = LowPass::new(FLYING, rate).map_or_else(|| known.clone(), smooth);
    let share = flight_share(aloft, rate, cycle.is_some());
    for (k, (low, high)) in supported.iter().zip(&flying).enumerate() {
        asked[first + k] = Some(low + (high - low) * share[first + k]);
    }
}

/// Share of the flights' bandwidth in each frame: 1 near flights, 0 far from them.
fn flight_share(aloft: &[bool], rate: Real, looped: bool) -> Vec<Real> {
    let count = aloft.len();
    let least = (FLIGHT * rate).ceil().max(1.0) as usize;
    let mut far = vec![Real::INFINITY; count];
    for run in runs(aloft).into_iter().filter(|run| run.len() >= least) {
        far[run].fill(0.0);
    }
    // Distances in frames, around the seam of a loop as well.
    for _ in 0..if looped { 2 } else { 1 } {
        for t in 0..count {
            let before = if t > 0 {
                far[t - 1]
            } else if looped {
                far[count - 1]
            } else {
                Real::INFINITY
            };
            far[t] = far[t].min(before + 1.0);
        }
        for t in (0..count).rev() {
            let after = if t + 1 < count {
                far[t + 1]
            } else if looped {
                far[0]
            } else {
                Real::INFINITY
            };
            far[t] = far[t].min(after + 1.0);
        }
    }
    far.iter().map(|frames| (1.0 - (frames / rate - AROUND) / PASSING).clamp(0.0, 1.0)).collect()
}

fn rotated(wrench: &Vec6, by: &GroundMove) -> Vec6 {
    let rotation = by.rotation();
    let (force, torque) = (rotation * wrench.fixed_rows::<3>(0), rotation * wrench.fixed_rows::<3>(3));
    Vec6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// Vertical force of 1 with a part of 0.2 at a frequency, at 120 Hz.
    fn wave(hz: Real) -> Vec<Option<Vec6>> {
        let at = |t: usize| Vec6::new(0.0, 1.0 + 0.2 * (TAU * hz * t as Real / 120.0).sin(), 0.0, 0.0, 0.0, 0.0);
        (0..600).map(|t| (t > 0 && t < 599).then(|| at(t))).collect()
    }

    /// Greatest deviation from 1 around a frame.
    fn swing(asked: &[Option<Vec6>], frame: usize) -> Real {
        let near = asked[frame - 30..frame + 30].iter().flatten();
        near.map(|wrench| (wrench[1] - 1.0).abs()).fold(0.0, Real::max)
    }

    /// The gain of the low-pass is 1/(1 + (f/f_c)⁴): 0.99 at 2 Hz and 0.11 at 10 Hz for 6 Hz, 0.67 at 10 Hz for 12 Hz.
    #[test]
    fn supported_frames_lose_what_flights_keep() {
        let mut aloft = vec![false; 600];
        aloft[100..112].fill(true);
        for (hz, by_flight, supported) in [(2.0, 1.0, 0.99), (10.0, 0.67, 0.11)] {
            let mut asked = wave(hz);
            limit(&mut asked, &aloft, 120.0, None);
            assert!((swing(&asked, 106) / 0.2 - by_flight).abs() < 0.03, "{hz} Hz: {}", swing(&asked, 106));
            assert!((swing(&asked, 400) / 0.2 - supported).abs() < 0.03, "{hz} Hz: {}", swing(&asked, 400));
        }
        let mut asked = wave(10.0);
        limit(&mut asked, &aloft, 120.0, None);
        assert!(asked[0].is_none() && asked[599].is_none(), "the ends have no acceleration");
    }

    /// A loop of whole periods is limited alike in all frames, the seam included.
    #[test]
    fn loops_have_no_seam() {
        let mut asked: Vec<Option<Vec6>> = wave(2.0)[60..180].to_vec();
        let before = asked.clone();
        let cycle = GroundMove { translation: crate::math::Vec3::zeros(), yaw: 0.0 };
        limit(&mut asked, &[false; 120], 120.0, Some(&cycle));
        let gain = 1.0 / (1.0 + (2.0_f64 / 6.0).powi(4));
        for (asked, before) in asked.iter().flatten().zip(before.iter().flatten()) {
            assert!((asked[1] - 1.0 - gain * (before[1] - 1.0)).abs() < 1e-3, "{} instead of {}", asked[1], before[1]);
        }
    }
}

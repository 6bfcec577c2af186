//! Low-pass without delay: a Butterworth filter of order 2, once forwards and once backwards.
//!
//! The gain is 1 / (1 + (f/f_c)⁴) (½ at the cut-off): flat enough to leave every cubic as it is, so a body in free
//! flight keeps its parabola to the last bit of rounding. Before the first and after the last sample of a clip the
//! signal is continued by a parabola through the end and, in the least-squares sense, the samples near it; a mirror
//! image instead would tell a falling body that it rises again.

use crate::math::{Real, real};
use nalgebra::SVector;

/// A low-pass for one sampling rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LowPass {
    b: [Real; 3],
    a: [Real; 2],
    /// Samples after which the past is forgotten to 1e-11.
    pub memory: usize,
    /// Samples that show where a signal goes on.
    near: usize,
}

impl LowPass {
    /// None where the rate is too low for the cut-off to mean anything.
    pub fn new(cutoff_hz: Real, rate_hz: Real) -> Option<Self> {
        let share = cutoff_hz / rate_hz;
        if !(share > 0.0 && share < 0.45) {
            return None;
        }
        let k = real::tan(std::f64::consts::PI * share);
        let scale = 1.0 / (1.0 + std::f64::consts::SQRT_2 * k + k * k);
        let b0 = k * k * scale;
        let a = [2.0 * (k * k - 1.0) * scale, (1.0 - std::f64::consts::SQRT_2 * k + k * k) * scale];
        let memory = (6.0 / share).ceil().min(1e6) as usize;
        let near = ((1.5 / share).round().min(1e6) as usize).max(2);
        Some(Self { b: [b0, 2.0 * b0, b0], a, memory, near })
    }

    /// Smooths samples. What lies beyond them is continued as above.
    pub fn run<const N: usize>(&self, samples: &mut Vec<SVector<Real, N>>) {
        if samples.len() < 2 {
            return;
        }
        let (count, pad) = (samples.len(), self.memory);
        let on = |[y0, y1, y2]: &[SVector<Real, N>; 3], t: Real| y0 + y1 * t + y2 * (t * t);
        let before = self.continued(samples.iter().copied());
        let after = self.continued(samples.iter().rev().copied());
        let mut long: Vec<SVector<Real, N>> = Vec::with_capacity(count + 2 * pad);
        long.extend((1..=pad).rev().map(|t| on(&before, t as Real)));
        long.append(samples);
        long.extend((1..=pad).map(|t| on(&after, t as Real)));
        self.pass(long.iter_mut());
        self.pass(long.iter_mut().rev());
        samples.extend_from_slice(&long[pad..pad + count]);
    }

    /// The parabola that goes on beyond the first of some samples: y(t) = y₀ + y₁ t + y₂ t², t steps beyond.
    fn continued<const N: usize>(&self, mut samples: impl Iterator<Item = SVector<Real, N>>) -> [SVector<Real, N>; 3] {
        let zero = SVector::<Real, N>::zeros();
        let end = samples.next().unwrap_or(zero);
        // y(t) = end + b t + c t² at t = −1, −2, …
        let (mut s2, mut s3, mut s4, mut y1, mut y2, mut seen) = (0.0, 0.0, 0.0, zero, zero, 0);
        for (index, sample) in samples.take(self.near).enumerate() {
            let t = -((index + 1) as Real);
            let y = sample - end;
            (s2, s3, s4) = (s2 + t * t, s3 + t * t * t, s4 + t * t * t * t);
            (y1, y2) = (y1 + y * t, y2 + y * (t * t));
            seen += 1;
        }
        let (b, c) = match seen {
            0 => (zero, zero),
            1 => (y1 / s2, zero),
            _ => {
                let det = s2 * s4 - s3 * s3;
                ((y1 * s4 - y2 * s3) / det, (y2 * s2 - y1 * s3) / det)
            }
        };
        [end, b, c]
    }

    fn pass<'a, const N: usize>(&self, samples: impl Iterator<Item = &'a mut SVector<Real, N>>) {
        let mut samples = samples.peekable();
        let Some(first) = samples.peek().map(|first| **first) else { return };
        let ([b0, b1, b2], [a1, a2]) = (self.b, self.a);
        let (mut x1, mut x2, mut y1, mut y2) = (first, first, first, first);
        for sample in samples {
            let x = *sample;
            let y = x * b0 + x1 * b1 + x2 * b2 - y1 * a1 - y2 * a2;
            (x2, x1, y2, y1) = (x1, x, y1, y);
            *sample = y;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type One = SVector<Real, 1>;

    fn smoothed(cutoff: Real, signal: impl Fn(usize) -> Real) -> Vec<Real> {
        let mut samples: Vec<One> = (0..400).map(|t| One::new(signal(t))).collect();
        LowPass::new(cutoff, 120.0).unwrap().run(&mut samples);
        samples.iter().map(|s| s.x).collect()
    }

    #[test]
    fn parabolas_pass_unchanged_to_the_ends() {
        let signal = |t: usize| 1.0 + 0.03 * t as Real - 4.9 * (t as Real / 120.0).powi(2);
        for (t, y) in smoothed(12.0, signal).into_iter().enumerate() {
            assert!((y - signal(t)).abs() < 1e-8, "{t}: {y} is not {}", signal(t));
        }
    }

    /// 1 / (1 + (tan(π f/f_s) / tan(π f_c/f_s))⁴).
    #[test]
    fn the_gain_is_that_of_two_butterworth_passes() {
        for hz in [3.0, 12.0, 30.0] {
            let tan = |f: Real| (std::f64::consts::PI * f / 120.0).tan();
            let expected = 1.0 / (1.0 + (tan(hz) / tan(12.0)).powi(4));
            let out = smoothed(12.0, |t| (std::f64::consts::TAU * hz * t as Real / 120.0).cos());
            let peak = out[100..300].iter().fold(0.0, |m: Real, y| m.max(y.abs()));
            assert!((peak - expected).abs() < 0.01 * expected + 1e-3, "{hz} Hz: {peak} instead of {expected}");
        }
    }

    #[test]
    fn a_cut_off_above_the_signal_is_none() {
        assert!(LowPass::new(12.0, 24.0).is_none());
        assert!(LowPass::new(0.0, 24.0).is_none());
        assert!(LowPass::new(Real::NAN, 24.0).is_none());
    }

    #[test]
    fn the_shortest_signals_survive() {
        for count in 0..4 {
            let mut samples = vec![One::new(2.0); count];
            LowPass::new(6.0, 120.0).unwrap().run(&mut samples);
            assert!(samples.len() == count && samples.iter().all(|s| (s.x - 2.0).abs() < 1e-12));
        }
    }
}

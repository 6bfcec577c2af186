//! Curves over time: what an animator's keys mean between the keys.
//!
//! * [`Fourier`]: a periodic curve through tabulated values of a cycle, smooth in every derivative.
//! * [`Track`]: keys in time, never beyond the keys' own values, smooth in every derivative.
//! * [`Bridge`]: the quintic that joins two ends in value, rate and acceleration.
//! * [`ease`]: 0 to 1, with both ends at rest.

use sinew::Real;
use std::f64::consts::TAU;

/// From 0 at `x <= 0` to 1 at `x >= 1`, with rate and acceleration zero at both ends.
pub fn ease(x: Real) -> Real {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (x * (6.0 * x - 15.0) + 10.0)
}

/// A bump from 0 over 1 (in the middle) to 0, at rest to the second derivative at both ends.
pub fn bump(x: Real) -> Real {
    let x = x.clamp(0.0, 1.0);
    (4.0 * x * (1.0 - x)).powi(3)
}

/// A curve of period 1: a mean and some harmonics.
pub struct Fourier {
    mean: Real,
    /// Cosine and sine amplitude of harmonic 1, 2, ….
    harmonics: Vec<(Real, Real)>,
}

impl Fourier {
    /// Cosine and sine amplitude of harmonic 1, 2, ….
    pub fn new(mean: Real, harmonics: Vec<(Real, Real)>) -> Self {
        Self { mean, harmonics }
    }

    /// The first harmonics of the periodic curve that passes monotonically between `keys` of (phase, value).
    pub fn fit(keys: &[(Real, Real)], harmonics: usize) -> Self {
        // One period before and after makes the interpolation periodic.
        let wrapped: Vec<_> = (-1..=1).flat_map(|turn| keys.iter().map(move |&(p, v)| (p + turn as Real, v))).collect();
        let curve = Monotone::new(&wrapped);
        Self::of(|phase| curve.at(phase), harmonics)
    }

    /// The first harmonics of a function of period 1.
    pub fn of(function: impl Fn(Real) -> Real, harmonics: usize) -> Self {
        const SAMPLES: usize = 240;
        let values: Vec<Real> = (0..SAMPLES).map(|k| function(k as Real / SAMPLES as Real)).collect();
        let scale = 2.0 / SAMPLES as Real;
        Self {
            mean: 0.5 * scale * values.iter().sum::<Real>(),
            harmonics: (1..=harmonics)
                .map(|h| {
                    let angle = |k: usize| TAU * (h * k % SAMPLES) as Real / SAMPLES as Real;
                    let cosine: Real = values.iter().enumerate().map(|(k, v)| v * angle(k).cos()).sum();
                    let sine: Real = values.iter().enumerate().map(|(k, v)| v * angle(k).sin()).sum();
                    (cosine * scale, sine * scale)
                })
                .collect(),
        }
    }

    pub fn at(&self, phase: Real) -> Real {
        self.harmonics.iter().enumerate().fold(self.mean, |sum, (k, (cosine, sine))| {
            let angle = TAU * (k + 1) as Real * phase;
            sum + cosine * angle.cos() + sine * angle.sin()
        })
    }
}

/// Keys of (time, value); before the first and after the last key the value stays.
pub struct Track {
    curve: Monotone,
    /// Standard deviation of the smoothing in time, seconds.
    softness: Real,
}

impl Track {
    pub fn new(softness: Real, keys: &[(Real, Real)]) -> Self {
        Self { curve: Monotone::new(keys), softness }
    }

    /// The monotone curve through the keys, averaged with Gaussian weights around `time`.
    pub fn at(&self, time: Real) -> Real {
        const REACH: i32 = 12;
        let (mut sum, mut weights) = (0.0, 0.0);
        for k in -REACH..=REACH {
            let x = 3.0 * Real::from(k) / Real::from(REACH);
            let weight = (-0.5 * x * x).exp();
            sum += weight * self.curve.at(time + x * self.softness);
            weights += weight;
        }
        sum / weights
    }
}

/// Piecewise cubic through keys that does not overshoot them: slopes by Fritsch and Butland (1984), the
/// harmonic mean of the neighbouring secants, zero at extrema.
struct Monotone {
    keys: Vec<(Real, Real)>,
    slopes: Vec<Real>,
}

impl Monotone {
    fn new(keys: &[(Real, Real)]) -> Self {
        let secant = |k: usize| (keys[k + 1].1 - keys[k].1) / (keys[k + 1].0 - keys[k].0);
        let slopes = (0..keys.len())
            .map(|k| {
                if k == 0 || k + 1 == keys.len() {
                    return 0.0;
                }
                let (before, after) = (secant(k - 1), secant(k));
                if before * after <= 0.0 {
                    return 0.0;
                }
                let (left, right) = (keys[k].0 - keys[k - 1].0, keys[k + 1].0 - keys[k].0);
                let (a, b) = (2.0 * right + left, right + 2.0 * left);
                (a + b) / (a / before + b / after)
            })
            .collect();
        Self { keys: keys.to_vec(), slopes }
    }

    fn at(&self, time: Real) -> Real {
        let next = self.keys.partition_point(|key| key.0 <= time);
        if next == 0 {
            return self.keys[0].1;
        }
        let Some(&(t1, v1)) = self.keys.get(next) else { return self.keys[next - 1].1 };
        let (t0, v0) = self.keys[next - 1];
        let width = t1 - t0;
        let x = (time - t0) / width;
        let (m0, m1) = (self.slopes[next - 1] * width, self.slopes[next] * width);
        let rise = v1 - v0;
        v0 + x * (m0 + x * (3.0 * rise - 2.0 * m0 - m1 + x * (m0 + m1 - 2.0 * rise)))
    }
}

/// Value, rate and acceleration where one curve hands over to another.
#[derive(Clone, Copy)]
pub struct End {
    pub value: Real,
    pub rate: Real,
    pub acceleration: Real,
}

impl End {
    pub fn at_rest(value: Real) -> Self {
        Self { value, rate: 0.0, acceleration: 0.0 }
    }

    /// Value and rate of a smooth function; the acceleration is left open as zero.
    pub fn of(function: impl Fn(Real) -> Real, at: Real) -> Self {
        const STEP: Real = 1e-4;
        let rate = (function(at + STEP) - function(at - STEP)) / (2.0 * STEP);
        Self { value: function(at), rate, acceleration: 0.0 }
    }
}

/// The quintic over `start..end` that has the given ends.
pub struct Bridge {
    start: Real,
    width: Real,
    coefficients: [Real; 6],
}

impl Bridge {
    pub fn new((start, from): (Real, End), (end, to): (Real, End)) -> Self {
        let w = end - start;
        let (r0, a0) = (from.rate * w, from.acceleration * w * w);
        let (r1, a1) = (to.rate * w, to.acceleration * w * w);
        let rise = to.value - from.value;
        Self {
            start,
            width: w,
            coefficients: [
                from.value,
                r0,
                0.5 * a0,
                10.0 * rise - 6.0 * r0 - 4.0 * r1 - 1.5 * a0 + 0.5 * a1,
                -15.0 * rise + 8.0 * r0 + 7.0 * r1 + 1.5 * a0 - a1,
                6.0 * rise - 3.0 * r0 - 3.0 * r1 - 0.5 * a0 + 0.5 * a1,
            ],
        }
    }

    pub fn at(&self, time: Real) -> Real {
        let x = (time - self.start) / self.width;
        self.coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
    }
}

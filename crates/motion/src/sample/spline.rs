//! Cubic splines through equally spaced samples, many tracks at once.
//!
//! Between the samples y_i and y_{i+1}, a step h apart, with u = (t − t_i)/h and the second derivatives m_i:
//!
//!   s   = (1−u) y_i + u y_{i+1} + h²/6 [ ((1−u)³ − (1−u)) m_i + (u³ − u) m_{i+1} ]
//!   ṡ   = (y_{i+1} − y_i)/h + h/6 [ (1 − 3(1−u)²) m_i + (3u² − 1) m_{i+1} ]
//!   s̈   = (1−u) m_i + u m_{i+1}
//!
//! ṡ is continuous when  m_{i−1} + 4 m_i + m_{i+1} = 6 (y_{i−1} − 2 y_i + y_{i+1}) / h².
//!
//! *Open* curves end not-a-knot: the third derivative is continuous across the second sample, m_0 = 2 m_1 − m_2.
//! Together with the row of m_1 this gives m_1 = (y_0 − 2 y_1 + y_2)/h² directly, and likewise at the far end, so
//! that only the inner moments need the tridiagonal solve. The error is O(h⁴) in the value, O(h³) in the velocity
//! and O(h²) in the acceleration up to the very ends; a natural spline would lose two orders there.
//! Three samples give the parabola through them, two the straight line, one a constant.
//!
//! *Cyclic* curves have no ends. The operator factors as (1 − zE⁻¹)(1 − zE)/(−z) with the shift E and
//! z = √3 − 2, so its inverse is a recursive filter forth and back (Unser, Aldroubi and Eden 1993). |z| = 0.27: a sample
//! 32 away weighs less than the rounding error, and running the filter that far into the neighbouring cycles replaces
//! the cyclic solve. That works for any linear rule that continues the samples into the next cycle: a repetition, a
//! sign change of a quaternion, the travel and yaw of a walk.

use crate::Real;
use nalgebra::SVector;

type V<const N: usize> = SVector<Real, N>;

/// Samples that the cyclic filter runs into the neighbouring cycles: |z|³² < 1e-18.
const REACH: usize = 32;

#[derive(Clone, Copy, Debug)]
struct Knot<const N: usize> {
    value: V<N>,
    /// Second derivative.
    moment: V<N>,
}

/// `width` curves over the same equally spaced times.
#[derive(Clone, Debug)]
pub(super) struct Spline<const N: usize> {
    width: usize,
    step: Real,
    /// Row by row: `knots[row * width + track]`.
    knots: Vec<Knot<N>>,
}

/// Place on the time axis of a spline: between row `row` and the next, at the fraction `u`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub row: usize,
    pub u: Real,
}

/// Value and derivatives of a curve at one instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jet<const N: usize> {
    pub value: V<N>,
    pub velocity: V<N>,
    pub acceleration: V<N>,
}

impl<const N: usize> Spline<N> {
    /// Makes an open curve through `values`, row by row; there is at least one row.
    pub fn open(values: Vec<V<N>>, width: usize, step: Real) -> Self {
        let rows = values.len().checked_div(width).unwrap_or(0);
        let mut moments = vec![V::zeros(); values.len()];
        if rows >= 3 {
            let bend = |i: usize, k: usize| {
                (values[(i - 1) * width + k] - values[i * width + k] * 2.0 + values[(i + 1) * width + k])
                    / (step * step)
            };
            let last = rows - 1;
            for k in 0..width {
                moments[width + k] = bend(1, k);
                moments[(last - 1) * width + k] = bend(last - 1, k);
            }
            // Thomas algorithm on rows 2 ..= last − 2; `ratio` is the same for every track.
            let mut ratios = vec![0.0; rows];
            for i in 2..last.saturating_sub(1) {
                let pivot = 4.0 - ratios[i - 1];
                ratios[i] = 1.0 / pivot;
                for k in 0..width {
                    let mut right = bend(i, k) * 6.0 - moments[(i - 1) * width + k];
                    if i == last - 2 {
                        right -= moments[(last - 1) * width + k];
                    }
                    moments[i * width + k] = right / pivot;
                }
            }
            for i in (2..last.saturating_sub(2)).rev() {
                for k in 0..width {
                    let above = moments[(i + 1) * width + k];
                    moments[i * width + k] -= above * ratios[i];
                }
            }
            for k in 0..width {
                let end = |near: V<N>, next: V<N>| if rows == 3 { near } else { near * 2.0 - next };
                moments[k] = end(moments[width + k], moments[2 * width + k]);
                moments[last * width + k] = end(moments[(last - 1) * width + k], moments[(last - 2) * width + k]);
            }
        }
        Self::from_parts(&values, moments, width, step)
    }

    /// Makes a closed curve: the last row of `values` is the first of the next cycle. `continued(track, cycles, value)` is the
    /// value `cycles` later (earlier, when negative) and must be affine in `value`.
    pub fn cyclic(values: Vec<V<N>>, width: usize, step: Real, continued: impl Fn(usize, isize, V<N>) -> V<N>) -> Self {
        let rows = values.len().checked_div(width).unwrap_or(0);
        if rows < 2 {
            return Self::open(values, width, step);
        }
        let period = (rows - 1) as isize;
        let mut moments = vec![V::zeros(); values.len()];
        let z = Real::sqrt(3.0) - 2.0;
        let reach = REACH as isize;
        let mut filtered = vec![V::<N>::zeros(); rows + 2 * REACH];
        for k in 0..width {
            let at = |i: isize| continued(k, i.div_euclid(period), values[i.rem_euclid(period) as usize * width + k]);
            let mut state = V::zeros();
            let mut around = [at(-reach - 1), at(-reach)];
            for (slot, i) in filtered.iter_mut().zip(-reach..) {
                let next = at(i + 1);
                let right = (around[0] - around[1] * 2.0 + next) * (6.0 / (step * step));
                around = [around[1], next];
                state = right + state * z;
                *slot = state;
            }
            state = V::zeros();
            for (i, forth) in filtered.iter().enumerate().rev() {
                state = *forth + state * z;
                if let Some(row) = i.checked_sub(REACH).filter(|&row| row < rows) {
                    moments[row * width + k] = state * -z;
                }
            }
        }
        Self::from_parts(&values, moments, width, step)
    }

    fn from_parts(values: &[V<N>], moments: Vec<V<N>>, width: usize, step: Real) -> Self {
        let knots = values.iter().zip(moments).map(|(&value, moment)| Knot { value, moment }).collect();
        Self { width, step, knots }
    }

    /// Returns the sample that a track passes through.
    pub fn sample(&self, row: usize, track: usize) -> V<N> {
        self.knots[row * self.width + track].value
    }

    /// Returns value, velocity and acceleration of a track.
    #[inline]
    pub fn jet(&self, place: Place, track: usize) -> Jet<N> {
        let at = place.row * self.width + track;
        let a = &self.knots[at];
        let Some(b) = self.knots.get(at + self.width) else {
            // A single row has no other instant.
            return Jet { value: a.value, velocity: V::zeros(), acceleration: V::zeros() };
        };
        let (h, u) = (self.step, place.u);
        let w = 1.0 - u;
        Jet {
            value: a.value * w
                + b.value * u
                + (a.moment * (w * (w * w - 1.0)) + b.moment * (u * (u * u - 1.0))) * (h * h / 6.0),
            velocity: (b.value - a.value) / h
                + (a.moment * (1.0 - 3.0 * w * w) + b.moment * (3.0 * u * u - 1.0)) * (h / 6.0),
            acceleration: a.moment * w + b.moment * u,
        }
    }
}

//! Numbers with their first and second derivative by time.
//!
//! Angles between bodies and formulas of scenes are computed with them: velocity and acceleration come out exactly.

use crate::Real;
use crate::real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Value with its first and second derivative by time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet {
    /// Value itself.
    pub value: Real,
    /// First derivative, per second.
    pub rate: Real,
    /// Second derivative, per second².
    pub second: Real,
}

impl Jet {
    /// Returns a value that does not change.
    pub fn constant(value: Real) -> Self {
        Self { value, rate: 0.0, second: 0.0 }
    }

    /// Returns the time `t`, seconds, with rate 1.
    pub fn time(t: Real) -> Self {
        Self { value: t, rate: 1.0, second: 0.0 }
    }

    /// Returns f(self), given f, f' and f'' at the value.
    pub fn chain(self, f: Real, slope: Real, bend: Real) -> Self {
        Self { value: f, rate: slope * self.rate, second: slope * self.second + bend * self.rate * self.rate }
    }

    /// Returns the square root; the value must be positive.
    pub fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        let rate = self.rate / (2.0 * value);
        Self { value, rate, second: (self.second - 2.0 * rate * rate) / (2.0 * value) }
    }

    /// Returns the angle of the point (x, `self`), radians.
    pub fn atan2(self, x: Jet) -> Self {
        let norm = x * x + self * self;
        let rate = (x.value * self.rate - self.value * x.rate) / norm.value;
        let second = (x.value * self.second - self.value * x.second - rate * norm.rate) / norm.value;
        Self { value: real::atan2(self.value, x.value), rate, second }
    }

    /// Returns the power; a negative base needs a constant, whole exponent.
    pub fn powf(self, exponent: Jet) -> Self {
        let (x, n) = (self.value, exponent.value);
        if exponent.rate == 0.0 && exponent.second == 0.0 {
            // Whole powers have slopes at zero and below, too.
            let slope = if n == 0.0 { 0.0 } else { n * real::powf(x, n - 1.0) };
            let bend = if n == 0.0 || n == 1.0 { 0.0 } else { n * (n - 1.0) * real::powf(x, n - 2.0) };
            return self.chain(real::powf(x, n), slope, bend);
        }
        let log = self.chain(real::ln(x), 1.0 / x, -1.0 / (x * x));
        let product = exponent * log;
        let power = real::exp(product.value);
        product.chain(power, power, power)
    }
}

impl Add for Jet {
    type Output = Jet;
    fn add(self, b: Jet) -> Jet {
        Jet { value: self.value + b.value, rate: self.rate + b.rate, second: self.second + b.second }
    }
}

impl Sub for Jet {
    type Output = Jet;
    fn sub(self, b: Jet) -> Jet {
        self + -b
    }
}

impl Neg for Jet {
    type Output = Jet;
    fn neg(self) -> Jet {
        Jet { value: -self.value, rate: -self.rate, second: -self.second }
    }
}

impl Mul<Real> for Jet {
    type Output = Jet;
    fn mul(self, s: Real) -> Jet {
        Jet { value: self.value * s, rate: self.rate * s, second: self.second * s }
    }
}

impl Mul for Jet {
    type Output = Jet;
    fn mul(self, b: Jet) -> Jet {
        Jet {
            value: self.value * b.value,
            rate: self.rate * b.value + self.value * b.rate,
            second: self.second * b.value + 2.0 * self.rate * b.rate + self.value * b.second,
        }
    }
}

impl Div for Jet {
    type Output = Jet;
    fn div(self, b: Jet) -> Jet {
        let value = self.value / b.value;
        let rate = (self.rate - value * b.rate) / b.value;
        Jet { value, rate, second: (self.second - 2.0 * rate * b.rate - value * b.second) / b.value }
    }
}

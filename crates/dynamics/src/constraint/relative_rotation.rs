//! Angles between two frames, with exact rates and curvatures.
//!
//! An angle (twist, swing, an Euler angle) is a function φ of the relative orientation q = Q_aᵀ Q_b. With Ω = ω_b − ω_a
//! in the axes of A,
//!
//! ```text
//!   q̇ = ½ Ω q        q̈ = ½ Ω̇ q + ½ Ω q̇        Ω̇ = Q_aᵀ(α_b − α_a − ω_a×(ω_b − ω_a))
//!   φ̇ = g·Ω          J_a = (0, −Q_a g)   J_b = (0, Q_a g)       J̇v = φ̈ at α = 0
//! ```
//!
//! φ is evaluated in jets (value, first and second derivative by time), so g and J̇v are exact for any φ.

use crate::body::BodyId;
use crate::math::jet::Jet;
use crate::math::{Quat, Real, Vec3};
use crate::rows::{RowBuilder, Scope};
use std::f64::consts::TAU;

/// Relative orientation in jets: w, then the vector part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JetQuat {
    pub w: Jet,
    pub v: [Jet; 3],
}

impl JetQuat {
    /// Returns an entry of the rotation matrix, row i, column j.
    pub fn entry(&self, i: usize, j: usize) -> Jet {
        let (w, v) = (self.w, &self.v);
        if i == j {
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            return w * w + v[i] * v[i] - v[k] * v[k] - v[l] * v[l];
        }
        let k = 3 - i - j;
        let sign = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
        (v[i] * v[j] - w * v[k] * sign) * 2.0
    }

    /// Returns the angle about axis k that is left when the swing of that axis is taken out, in (−2π, 2π].
    pub fn twist(&self, k: usize) -> Jet {
        self.v[k].atan2(self.w) * 2.0
    }
}

/// Relative orientation and angular velocity of two bodies' frames at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativeRotation {
    a: Option<BodyId>,
    b: Option<BodyId>,
    q_a: Quat,
    q: Quat,
    /// Ω and Ω̇ at α = 0, axes of A.
    spin: Vec3,
    bias: Vec3,
}

impl RelativeRotation {
    /// Takes the states of both bodies from `scope`; the frames are in their bodies' axes.
    pub fn new(scope: &Scope<'_>, a: Option<BodyId>, frame_a: &Quat, b: Option<BodyId>, frame_b: &Quat) -> Self {
        let (state_a, state_b) = (scope.state(a), scope.state(b));
        let q_a = state_a.placement.rotation * frame_a;
        let q = q_a.inverse() * (state_b.placement.rotation * frame_b);
        let w_a = state_a.angular();
        let relative = state_b.angular() - w_a;
        let spin = q_a.inverse_transform_vector(&relative);
        let bias = -q_a.inverse_transform_vector(&w_a.cross(&relative));
        Self { a, b, q_a, q, spin, bias }
    }

    /// Returns q in jets for a spin Ω and its rate Ω̇.
    fn jets(&self, spin: &Vec3, bias: &Vec3) -> JetQuat {
        let (w, v) = (self.q.w, Vec3::new(self.q.i, self.q.j, self.q.k));
        let (dw, dv) = half_product(spin, w, &v);
        let (w1, v1) = half_product(bias, w, &v);
        let (w2, v2) = half_product(spin, dw, &dv);
        let jet = |k: usize| Jet { value: v[k], rate: dv[k], second: v1[k] + v2[k] };
        JetQuat { w: Jet { value: w, rate: dw, second: w1 + w2 }, v: [jet(0), jet(1), jet(2)] }
    }

    /// Returns the present φ.
    pub fn value(&self, angle: impl Fn(&JetQuat) -> Jet) -> Real {
        angle(&self.jets(&Vec3::zeros(), &Vec3::zeros())).value
    }

    /// Adds `factor`·φ̇ to a row, with its curvature.
    pub fn push(&self, row: &mut RowBuilder<'_>, factor: Real, angle: impl Fn(&JetQuat) -> Jet) {
        let slope = |k: usize| angle(&self.jets(&Vec3::ith(k, 1.0), &Vec3::zeros())).rate;
        let g = self.q_a * Vec3::new(slope(0), slope(1), slope(2)) * factor;
        row.on(self.a, Vec3::zeros(), -g);
        row.on(self.b, Vec3::zeros(), g);
        row.spec.curvature += factor * angle(&self.jets(&self.spin, &self.bias)).second;
    }
}

/// Returns the angle within π of a reference that differs from `angle` by whole turns, radians.
#[inline]
pub(crate) fn near_angle(angle: Real, reference: Real) -> Real {
    angle + TAU * ((reference - angle) / TAU).round()
}

/// Returns ½ (0, s)(w, v).
fn half_product(s: &Vec3, w: Real, v: &Vec3) -> (Real, Vec3) {
    (-0.5 * s.dot(v), (s * w + s.cross(v)) * 0.5)
}

/// Returns the rotation that brings a unit axis of A to the same axis of B the short way, as a rotation vector: its
/// components about the next two axes of A. Opposite axes rotate about the first of the two.
pub(crate) fn swing(q: &JetQuat, axis: usize) -> [Jet; 2] {
    let (k, l) = ((axis + 1) % 3, (axis + 2) % 3);
    let (along, b_k, b_l) = (q.entry(axis, axis), q.entry(k, axis), q.entry(l, axis));
    let sine_sq = b_k * b_k + b_l * b_l;
    if along.value < 0.0 && sine_sq.value < 1e-6 {
        let (first, second) = (spin_about(q, k), spin_about(q, l));
        return [
            Jet { value: std::f64::consts::PI, rate: first, second: 0.0 },
            Jet { value: 0.0, rate: second, second: 0.0 },
        ];
    }
    if along.value > 0.0 && sine_sq.value < 1e-16 {
        return [-b_l, b_k];
    }
    let sine = sine_sq.sqrt();
    let stretch = sine.atan2(along) / sine;
    [-b_l * stretch, b_k * stretch]
}

/// Returns the component of Ω = 2 q̇ q* about axis j of A.
fn spin_about(q: &JetQuat, j: usize) -> Real {
    let (m, n) = ((j + 1) % 3, (j + 2) % 3);
    let cross = q.v[m].rate * q.v[n].value - q.v[n].rate * q.v[m].value;
    2.0 * (q.w.value * q.v[j].rate - q.w.rate * q.v[j].value - cross)
}

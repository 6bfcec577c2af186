//! Orientation constraints: aligned axes, cones of swing, ranges of twist, boxes of Euler angles.
//!
//! ```text
//!  swing   s = θ n, n ⟂ x_a: the rotation that brings axis x_a to x_b the short way;  s_y, s_z about y and z of A
//!  twist   the remaining rotation: 2 atan2(q_x, q_w)
//!
//!  align        C = (s_y, s_z) = 0                             2 rows, regular up to opposite axes
//!  swing limit  C = θ_max(n) − θ ≥ 0,   θ_max = 1/√((n_y/β_y)² + (n_z/β_z)²)
//!  Euler box    R = R_i(φ₁) R_j(φ₂) R_k(φ₃), ε = ±1 for even and odd orders:
//!               φ₂ = atan2(ε R_ik, √(R_ii² + R_ij²))   φ₁ = atan2(−ε R_jk, R_kk)   φ₃ = atan2(−ε R_ij, R_ii)
//! ```
//!
//! Rates and curvatures come from [`super::relative_rotation`]. b·N − 1 would be a worse alignment: its gradient
//! vanishes where it is met (Barzel & Barr 1988), and two perpendicular rows hold opposite axes as well as equal ones.

use super::MARGIN;
use super::joint::Axis;
use super::limit::Terms;
use super::relative_rotation::{JetQuat, RelativeRotation, near_angle, swing};
use crate::body::BodyId;
use crate::math::jet::Jet;
use crate::math::{Quat, Real};
use crate::rows::{Response, RowSink, Scope};

/// Orientation of frame B in frame A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orientations {
    /// Body that carries frame A; `None` is the world.
    pub a: Option<BodyId>,
    /// Frame A in body A's axes.
    pub frame_a: Quat,
    /// Body that carries frame B; `None` is the world.
    pub b: Option<BodyId>,
    /// Frame B in body B's axes.
    pub frame_b: Quat,
}

impl Orientations {
    /// Makes a pair of frames, each in its body's axes.
    pub fn new(a: Option<BodyId>, frame_a: Quat, b: Option<BodyId>, frame_b: Quat) -> Self {
        Self { a, frame_a, b, frame_b }
    }

    fn relative_rotation(&self, scope: &Scope<'_>) -> RelativeRotation {
        RelativeRotation::new(scope, self.a, &self.frame_a, self.b, &self.frame_b)
    }
}

impl super::joint::Joint {
    /// Returns the orientations of this joint's frames, for limits on them.
    pub fn orientations(&self) -> Orientations {
        Orientations::new(self.a, self.frame_a.rotation, self.b, self.frame_b.rotation)
    }
}

/// Keeps an axis of A and the same axis of B parallel and of the same sense: 2 rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Align {
    /// Frames A and B.
    pub frames: Orientations,
    /// Axis of both frames that is aligned.
    pub axis: Axis,
    /// Response of both rows.
    pub response: Response,
    /// Bound on the torque of each row, N·m.
    pub max_torque: Real,
}

impl Align {
    /// Makes two hard rows without a bound on their torque.
    pub fn new(frames: Orientations, axis: Axis) -> Self {
        Self { frames, axis, response: Response::Hard, max_torque: Real::INFINITY }
    }

    /// States the rows.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let relative = self.frames.relative_rotation(scope);
        for part in 0..2 {
            let angle = |q: &JetQuat| swing(q, self.axis.index())[part];
            sink.row(relative.value(angle), |row| {
                relative.push(row, 1.0, angle);
                row.respond(self.response, self.max_torque);
            });
        }
    }
}

/// Limits the swing of the x axis to a cone and the twist about it to a range: up to 3 one-sided rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwingTwist {
    /// Frames A and B.
    pub frames: Orientations,
    /// Half angles of the elliptic cone about y and about z of A, radians; below π.
    pub swing: [Real; 2],
    /// Lower and upper twist, radians, within ±π.
    pub twist: [Real; 2],
    /// Response of the rows.
    pub response: Response,
    /// Bound on the torque of each row, N·m.
    pub max_torque: Real,
    /// Distance from a limit at which its row is stated, radians.
    pub margin: Real,
}

impl SwingTwist {
    /// Makes an elliptic cone and a range of twist, radians, with hard rows and a margin of 0.2 rad.
    pub fn new(frames: Orientations, swing: [Real; 2], twist: [Real; 2]) -> Self {
        Self { frames, swing, twist, response: Response::Hard, max_torque: Real::INFINITY, margin: MARGIN }
    }

    /// Makes a circular cone with free twist; `half_angle` in radians.
    pub fn cone(frames: Orientations, half_angle: Real) -> Self {
        Self::new(frames, [half_angle; 2], [Real::NEG_INFINITY, Real::INFINITY])
    }

    /// States the rows of the limits that are near.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let terms = Terms { response: self.response, max_force: self.max_torque, margin: self.margin };
        let relative = self.frames.relative_rotation(scope);
        let room = |q: &JetQuat| {
            let [y, z] = swing(q, 0);
            let square = y * y + z * z;
            if square.value < 1e-16 {
                // Upright: no direction yet, the narrow one counts.
                return Jet::constant(self.swing[0].min(self.swing[1]));
            }
            let (u, v) = (y * (1.0 / self.swing[0]), z * (1.0 / self.swing[1]));
            let angle = square.sqrt();
            angle / (u * u + v * v).sqrt() - angle
        };
        terms.emit(relative.value(room), sink, |row| relative.push(row, 1.0, room));
        let middle = 0.5 * (self.twist[0] + self.twist[1]);
        let twist = |q: &JetQuat| nearest(q.twist(0), if middle.is_finite() { middle } else { 0.0 });
        range(&terms, &relative, self.twist, twist, sink);
    }
}

/// Limits the three Euler angles of B in A to ranges: up to 6 one-sided rows.
///
/// Close to the gimbal lock at φ₂ = ±90° the outer angles are undefined, and no row is stated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EulerLimit {
    /// Frames A and B.
    pub frames: Orientations,
    /// Three different axes: the rotation is about the first, then the rotated second, then the rotated third.
    order: [Axis; 3],
    /// Lower and upper angle for each axis of the order, radians.
    pub ranges: [[Real; 2]; 3],
    /// Response of the rows.
    pub response: Response,
    /// Bound on the torque of each row, N·m.
    pub max_torque: Real,
    /// Distance from a limit at which its row is stated, radians.
    pub margin: Real,
}

impl EulerLimit {
    /// Makes ranges for the angles about three different axes; `None` if two of them are the same.
    pub fn new(frames: Orientations, order: [Axis; 3], ranges: [[Real; 2]; 3]) -> Option<Self> {
        let distinct = order[0] != order[1] && order[1] != order[2] && order[2] != order[0];
        let limit =
            Self { frames, order, ranges, response: Response::Hard, max_torque: Real::INFINITY, margin: MARGIN };
        distinct.then_some(limit)
    }

    /// Returns the axes in the order of rotation.
    pub fn order(&self) -> [Axis; 3] {
        self.order
    }

    /// States the rows of the limits that are near.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let terms = Terms { response: self.response, max_force: self.max_torque, margin: self.margin };
        let relative = self.frames.relative_rotation(scope);
        let [i, j, k] = self.order.map(Axis::index);
        let sign = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
        let cosine = |q: &JetQuat| {
            let (c, s) = (q.entry(i, i), q.entry(i, j));
            (c * c + s * s).sqrt()
        };
        let angle = |which: usize, q: &JetQuat| {
            let middle = 0.5 * (self.ranges[which][0] + self.ranges[which][1]);
            let raw = match which {
                0 => (q.entry(j, k) * -sign).atan2(q.entry(k, k)),
                1 => (q.entry(i, k) * sign).atan2(cosine(q)),
                _ => (q.entry(i, j) * -sign).atan2(q.entry(i, i)),
            };
            nearest(raw, if middle.is_finite() { middle } else { 0.0 })
        };
        let locked = relative.value(cosine) < 0.02;
        for which in 0..3 {
            if !locked {
                range(&terms, &relative, self.ranges[which], |q| angle(which, q), sink);
            }
        }
    }
}

/// States both ends of one angle.
fn range(
    terms: &Terms,
    relative: &RelativeRotation,
    ends: [Real; 2],
    angle: impl Fn(&JetQuat) -> Jet,
    sink: &mut impl RowSink,
) {
    let value = relative.value(&angle);
    for (room, sign) in [(value - ends[0], 1.0), (ends[1] - value, -1.0)] {
        terms.emit(room, sink, |row| relative.push(row, sign, &angle));
    }
}

/// Returns the same angle within π of `middle`.
fn nearest(angle: Jet, middle: Real) -> Jet {
    Jet { value: near_angle(angle.value, middle), ..angle }
}

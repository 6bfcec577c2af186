//! Point on a curve, as a bead on a wire.
//!
//! The curve c(s) is carried by a body (or the world); s is the parameter nearest to the point, d = p − c(s) ⟂ c'. t is
//! the unit tangent, e₁ and e₂ span the plane across it.
//!
//! ```text
//!  C_i = e_i·d        Ċ_i = e_i·u         u the point's velocity relative to the carrier (see `point`)
//!  ṡ   = u·c'/(c'·c' − d·c'')
//!  J̇v  = e_i·(bias of u̇) − (e_i·t') ṡ (t·u),      t' = (c'' − t (t·c''))/|c'|
//! ```
//!
//! e₁ and e₂ rotate with the tangent and never about it, so no force is needed to keep them. They and s are kept from
//! step to step, which also keeps the bead on its own strand where the curve comes near itself.

use super::point::{Anchor, Seen};
use super::spline::{CubicSpline, Sample};
use crate::body::BodyId;
use crate::math::{Quat, Real, Vec3, real};
use crate::rows::{Response, RowSink, Scope};
use std::sync::Arc;

/// Curve in the axes of the body that carries it, metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// Line without ends; the parameter is metres from `point` along `direction`.
    Line {
        /// Point of the line, where the parameter is 0.
        point: Vec3,
        /// Unit direction.
        direction: Vec3,
    },
    /// Segment with ends; the parameter is metres from `from`.
    Segment {
        /// First end.
        from: Vec3,
        /// Last end.
        to: Vec3,
    },
    /// Circle; the parameter is the angle from `arm` about `axis`, radians.
    Circle {
        /// Centre.
        centre: Vec3,
        /// Unit normal of the circle's plane.
        axis: Vec3,
        /// Vector from the centre to the point of the rim where the parameter is 0.
        arm: Vec3,
    },
    /// Cubic spline with its own parameter.
    Spline(Arc<CubicSpline>),
}

impl Curve {
    /// Makes a line through a point; `direction` is normalised.
    pub fn line(point: Vec3, direction: Vec3) -> Self {
        Curve::Line { point, direction: direction.normalize() }
    }

    /// Makes a circle about an axis through `centre`; `axis` is normalised, `radius` in metres.
    pub fn circle(centre: Vec3, axis: Vec3, radius: Real) -> Self {
        let axis = axis.normalize();
        Curve::Circle { centre, axis, arm: crate::math::tangents(&axis).0 * radius }
    }

    /// Makes a curve of a spline.
    pub fn spline(spline: CubicSpline) -> Self {
        Curve::Spline(Arc::new(spline))
    }

    /// Returns point and derivatives at a parameter; a segment or an open spline continues straight beyond its ends.
    pub fn sample(&self, s: Real) -> Sample {
        match self {
            Curve::Line { point, direction } => (point + direction * s, *direction, Vec3::zeros()),
            Curve::Segment { from, to } => {
                let direction = (to - from).normalize();
                (from + direction * s, direction, Vec3::zeros())
            }
            Curve::Circle { centre, axis, arm } => {
                let out = arm * real::cos(s) + axis.cross(arm) * real::sin(s);
                (centre + out, axis.cross(&out), -out)
            }
            Curve::Spline(spline) => spline.sample(s),
        }
    }

    /// Returns the first and last parameter, if the curve has ends.
    pub fn ends(&self) -> Option<(Real, Real)> {
        match self {
            Curve::Line { .. } | Curve::Circle { .. } => None,
            Curve::Segment { from, to } => Some((0.0, (to - from).norm())),
            Curve::Spline(spline) => (!spline.is_closed()).then(|| spline.domain()),
        }
    }

    /// Returns the parameter of the point nearest to `p`, by Newton's method from `start`.
    fn nearest_from(&self, p: &Vec3, start: Real) -> Real {
        let mut s = start;
        for _ in 0..8 {
            let (c, d, dd) = self.sample(s);
            let gap = p - c;
            // Gauss–Newton where the true curvature would send s away from the curve.
            let slope = d.norm_squared();
            let newton = slope - gap.dot(&dd);
            let step = gap.dot(&d) / if newton > 0.1 * slope { newton } else { slope };
            s += step;
            if step.abs() * slope.sqrt() < 1e-14 {
                break;
            }
        }
        s
    }

    /// Returns the parameter of the point nearest to `p` on the whole curve.
    pub fn nearest(&self, p: &Vec3) -> Real {
        let candidates = match self {
            Curve::Line { .. } | Curve::Segment { .. } => return self.nearest_from(p, 0.0),
            Curve::Circle { .. } => (0.0, 2.0 * std::f64::consts::PI),
            Curve::Spline(spline) => spline.domain(),
        };
        let at = |i: usize| candidates.0 + (candidates.1 - candidates.0) * i as Real / 256.0;
        let gap = |s: &Real| (p - self.sample(*s).0).norm_squared();
        let start = (0..=256).map(at).min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap_or(candidates.0);
        self.nearest_from(p, start)
    }
}

/// Keeps a body's point on a curve: 2 rows.
///
/// ```
/// use sinew_dynamics::Vec3;
/// use sinew_dynamics::{Anchor, Body, Constraint, Curve, MassProperties, OnCurve, Placement, World};
///
/// // A bead at rest at the bottom of a ring.
/// let mut world = World::new();
/// let bead = world.add_body(Body::dynamic("bead", MassProperties::sphere(1.0, 0.1), Placement::at(-Vec3::y())))?;
/// let ring = Curve::circle(Vec3::zeros(), Vec3::z(), 1.0);
/// let wire = world.add_constraint(Constraint::new(OnCurve::new(Anchor::centre(bead), None, ring)))?;
/// world.step(0.01)?;
/// assert!((world.reaction(wire).wrenches[0].1[1] - 9.81).abs() < 1e-9);
/// # Ok::<(), sinew_dynamics::DynamicsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OnCurve {
    /// Point that is kept on the curve.
    pub point: Anchor,
    /// Body that carries the curve; `None` is the world.
    pub carrier: Option<BodyId>,
    /// Curve in the carrier's axes, metres.
    pub curve: Curve,
    /// Response of both rows.
    pub response: Response,
    /// Releases a point that passes an end for good, if true; else the curve continues straight.
    pub leaves_at_ends: bool,
    /// Set once the point has passed an end and was released.
    left: bool,
    /// Parameter after the last step, and e₁ there; unknown before the first step.
    memory: Option<(Real, Vec3)>,
}

impl OnCurve {
    /// Holds a point exactly on a curve that continues beyond its ends.
    pub fn new(point: Anchor, carrier: Option<BodyId>, curve: Curve) -> Self {
        Self { point, carrier, curve, response: Response::Hard, leaves_at_ends: false, left: false, memory: None }
    }

    /// Releases the point when it passes an end.
    pub fn leaving_at_ends(mut self) -> Self {
        self.leaves_at_ends = true;
        self
    }

    /// Returns true if the point has passed an end and was released.
    pub fn has_left(&self) -> bool {
        self.left
    }

    /// Returns the parameter of the point after the last step.
    pub fn parameter(&self) -> Option<Real> {
        self.memory.map(|(s, _)| s)
    }

    /// Returns s, sample, tangent and e₁ for a point in the carrier's axes.
    fn locate(&self, p: &Vec3) -> (Real, Sample, Vec3, Vec3) {
        let (s, old) = match self.memory {
            Some((s, e)) => (self.curve.nearest_from(p, s), Some((s, e))),
            None => (self.curve.nearest(p), None),
        };
        let sample = self.curve.sample(s);
        let t = sample.1.normalize();
        let e = match old {
            Some((s_old, e_old)) => {
                let t_old = self.curve.sample(s_old).1.normalize();
                Quat::rotation_between(&t_old, &t).map_or_else(|| crate::math::tangents(&t).0, |q| q * e_old)
            }
            None => crate::math::tangents(&t).0,
        };
        (s, sample, t, e)
    }

    /// States the rows.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        if self.left {
            return;
        }
        let seen = Seen::new(&self.point, self.carrier, scope);
        let local = seen.local();
        let (_, (c, slope, second), t, e_1) = self.locate(&local);
        let d = local - c;
        for e in [e_1, t.cross(&e_1)] {
            sink.row(e.dot(&d), |row| {
                let n = seen.rotation * e;
                seen.push(row, &n);
                let u = seen.velocity(scope);
                let u_local = seen.rotation.inverse_transform_vector(&u);
                let s_rate = u_local.dot(&slope) / (slope.norm_squared() - d.dot(&second));
                row.spec.curvature =
                    n.dot(&seen.bias(scope, &u)) - e.dot(&second) / slope.norm() * s_rate * t.dot(&u_local);
                row.spec.response = self.response;
            });
        }
    }

    /// Takes over the parameter and e₁ of an earlier statement of the same constraint.
    pub(crate) fn remember(&mut self, old: &OnCurve) {
        (self.left, self.memory) = (old.left, old.memory);
    }

    /// Drops the parameter; the next rows start from the nearest point of the whole curve.
    pub(crate) fn forget(&mut self) {
        self.memory = None;
    }

    /// Updates the parameter and e₁, and releases the point beyond an end.
    pub(crate) fn settle(&mut self, scope: &Scope<'_>) {
        let seen = Seen::new(&self.point, self.carrier, scope);
        let (s, _, t, e) = self.locate(&seen.local());
        // Rounding must not tilt e₁ out of the plane across the curve.
        self.memory = Some((s, (e - t * t.dot(&e)).normalize()));
        if let Some((first, last)) = self.curve.ends() {
            self.left |= self.leaves_at_ends && !(first..=last).contains(&s);
        }
    }
}

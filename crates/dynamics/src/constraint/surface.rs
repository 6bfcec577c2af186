//! Point on a surface, or on its positive side.
//!
//! The surface is the zero set of f, a function of space in the axes of the body that carries it (or the world), with
//! gradient ∇f and Hessian H; u is the point's velocity relative to the carrier (see `point`).
//!
//! ```text
//!  C = f(p)        Ċ = ∇f·u        J̇v = ∇f·(bias of u̇) + uᵀ H u          1 row
//!
//!  plane       f = n·(p − o)                    sphere   f = |p − o| − R
//!  ellipsoid   f = a (|D p| − 1),  D = diag(1/a_i), a the smallest half axis
//! ```
//!
//! f should measure about metres near the surface: the row's error and its force are in units of f.

use super::MARGIN;
use super::point::{Anchor, Seen};
use crate::Placement;
use crate::body::BodyId;
use crate::function::Shared;
use crate::math::{Mat3, Real, Vec3};
use crate::rows::{Response, RowSink, Scope};
use std::sync::Arc;

/// f, its gradient and its Hessian.
pub type Field = (Real, Vec3, Mat3);

/// Surface in the axes of the body that carries it, metres.
#[derive(Clone, Debug)]
pub enum Surface {
    /// Plane; f > 0 on the side of the normal.
    Plane {
        /// Point of the plane.
        point: Vec3,
        /// Unit normal.
        normal: Vec3,
    },
    /// Sphere; f > 0 outside.
    Sphere {
        /// Centre.
        centre: Vec3,
        /// Radius, metres.
        radius: Real,
    },
    /// Ellipsoid; f > 0 outside.
    Ellipsoid {
        /// Centre and axes.
        frame: Placement,
        /// Half axes along the axes of `frame`, metres.
        half_axes: Vec3,
    },
    /// Zero set of any function with its gradient and Hessian.
    Implicit(Shared<dyn Fn(&Vec3) -> Field + Send + Sync>),
}

impl Surface {
    /// Makes a plane through a point; `normal` is normalised.
    pub fn plane(point: Vec3, normal: Vec3) -> Self {
        Surface::Plane { point, normal: normal.normalize() }
    }

    /// Makes the zero set of a function.
    pub fn implicit(field: impl Fn(&Vec3) -> Field + Send + Sync + 'static) -> Self {
        Surface::Implicit(Shared(Arc::new(field)))
    }

    /// Returns f with gradient and Hessian at a point.
    pub fn field(&self, p: &Vec3) -> Field {
        match self {
            Surface::Plane { point, normal } => (normal.dot(&(p - point)), *normal, Mat3::zeros()),
            Surface::Sphere { centre, radius } => {
                let (f, gradient, hessian) = length(&(p - centre));
                (f - radius, gradient, hessian)
            }
            Surface::Ellipsoid { frame, half_axes } => {
                let shrink = Mat3::from_diagonal(&half_axes.map(|a| 1.0 / a));
                let map = shrink * frame.rotation.inverse().to_rotation_matrix();
                let (f, gradient, hessian) = length(&(map * (p - frame.position)));
                let a = half_axes.min();
                (a * (f - 1.0), map.transpose() * gradient * a, map.transpose() * hessian * map * a)
            }
            Surface::Implicit(field) => (field.0)(p),
        }
    }
}

/// Returns |v| with gradient and Hessian; at zero, where it has none, an arbitrary direction.
fn length(v: &Vec3) -> Field {
    let norm = v.norm();
    if norm < 1e-12 {
        return (norm, Vec3::y(), Mat3::zeros());
    }
    let n = v / norm;
    (norm, n, (Mat3::identity() - n * n.transpose()) / norm)
}

/// Keeps a body's point on a surface, or on its positive side: 1 row.
#[derive(Clone, Debug)]
pub struct OnSurface {
    /// Point that is kept on the surface.
    pub point: Anchor,
    /// Body that carries the surface; `None` is the world.
    pub carrier: Option<BodyId>,
    /// Surface in the carrier's axes.
    pub surface: Surface,
    /// Response of the row.
    pub response: Response,
    /// Lets the point leave to the side where f > 0, if true.
    pub one_sided: bool,
    /// f below which a one-sided row is stated, metres.
    pub margin: Real,
}

impl OnSurface {
    /// Makes a two-sided hard row.
    pub fn new(point: Anchor, carrier: Option<BodyId>, surface: Surface) -> Self {
        Self { point, carrier, surface, response: Response::Hard, one_sided: false, margin: MARGIN }
    }

    /// Lets the point leave to the side where f > 0.
    pub fn outside(mut self) -> Self {
        self.one_sided = true;
        self
    }

    /// States the row, unless it is one-sided and the point is away.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let seen = Seen::new(&self.point, self.carrier, scope);
        let (f, gradient, hessian) = self.surface.field(&seen.local());
        let margin = if self.response == Response::Hard { self.margin } else { 0.0 };
        if self.one_sided && f >= margin {
            return;
        }
        sink.row(f, |row| {
            let n = seen.rotation * gradient;
            seen.push(row, &n);
            let u = seen.velocity(scope);
            let u_local = seen.rotation.inverse_transform_vector(&u);
            row.spec.curvature = n.dot(&seen.bias(scope, &u)) + u_local.dot(&(hessian * u_local));
            row.spec.response = self.response;
            if self.one_sided {
                row.one_sided();
            }
        });
    }
}

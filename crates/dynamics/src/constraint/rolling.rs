//! Rolling without slipping on a plane: the touching point of a ball or wheel has no velocity relative to the plane.
//!
//! The plane has a point o and a normal n, both carried by body P (or the world); c is the contact point, ρ = c − x the
//! lever on the roller, σ = c − x_P the lever on the plane's body.
//!
//! ```text
//!  ball    ρ = −R n
//!  wheel   ρ = −R m/|m|,  m = n − (n·u) u          u the axle: the lowest point of the rim
//!
//!  rolling (2 rows, velocity only)    0 = t·(v + ω×ρ − v_P − ω_P×σ)         t two tangents carried by P
//!  touching (1 row)                   C = n·(x + ρ − o);  Ċ is the same with t = n, for c is the lowest point
//!
//!  J = (t, ρ×t),  J_P = (−t, −σ×t)
//!  J̇v = (ω_P×t)·(slip) + t·(ω×ρ̇ − ω_P×σ̇),   σ̇ = v + ρ̇ − v_P
//! ```
//!
//! The contact point moves over both bodies, so ρ̇ is that of the formula, not ω×ρ: a ball that rolls on a level
//! plane has no centripetal term.

use super::point::Anchor;
use crate::body::BodyId;
use crate::math::{Real, Vec3, tangents};
use crate::rows::{Response, RowSink, Scope};

/// Shape that rolls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Roller {
    /// Ball around the body's centre of mass.
    Ball,
    /// Thin wheel around the body's centre of mass.
    Wheel {
        /// Unit direction of the axle, the body's axes.
        axle: Vec3,
    },
}

/// Ball or wheel that rolls on a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rolling {
    /// Body that rolls.
    pub body: BodyId,
    /// Shape of the body.
    pub roller: Roller,
    /// Radius, metres.
    pub radius: Real,
    /// Point of the plane.
    pub plane: Anchor,
    /// Unit normal of the plane, axes of its body, towards the roller.
    pub normal: Vec3,
    /// Holds the roller on the plane too (3 rows), if true; else only keeps it from slipping (2 rows).
    pub touching: bool,
}

impl Rolling {
    /// Makes a ball around its body's centre of mass; `radius` in metres, `normal` is normalised.
    pub fn ball(body: BodyId, radius: Real, plane: Anchor, normal: Vec3) -> Self {
        Self { body, roller: Roller::Ball, radius, plane, normal: normal.normalize(), touching: true }
    }

    /// Makes a wheel around its body's centre of mass; `axle` in the body's axes, normalised.
    pub fn wheel(body: BodyId, axle: Vec3, radius: Real, plane: Anchor, normal: Vec3) -> Self {
        Self { roller: Roller::Wheel { axle: axle.normalize() }, ..Self::ball(body, radius, plane, normal) }
    }

    /// Drops the row that holds the roller on the plane, for rollers held there otherwise.
    pub fn without_touching(mut self) -> Self {
        self.touching = false;
        self
    }

    /// States the rows.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let (roller, plane) = (scope.state(Some(self.body)), scope.state(self.plane.body));
        let (w, w_p) = (roller.angular(), plane.angular());
        let n = plane.placement.rotation * self.normal;
        let n_rate = w_p.cross(&n);
        let (rho, rho_rate) = match self.roller {
            Roller::Ball => (n * -self.radius, n_rate * -self.radius),
            Roller::Wheel { axle } => {
                let u = roller.placement.rotation * axle;
                let u_rate = w.cross(&u);
                let m = n - u * n.dot(&u);
                let size = m.norm();
                // A wheel that lies flat has no lowest point.
                if size < 0.05 {
                    return;
                }
                let m_rate = n_rate - u * (n_rate.dot(&u) + n.dot(&u_rate)) - u_rate * n.dot(&u);
                let e = m / size;
                (e * -self.radius, (m_rate - e * e.dot(&m_rate)) * (-self.radius / size))
            }
        };
        let contact = roller.placement.position + rho;
        let sigma = contact - plane.placement.position;
        let slip = roller.linear() + w.cross(&rho) - plane.linear() - w_p.cross(&sigma);
        let wander = w.cross(&rho_rate) - w_p.cross(&(roller.linear() + rho_rate - plane.linear()));
        let (t_1, t_2) = tangents(&self.normal);
        let state = |row: &mut crate::rows::RowBuilder<'_>, t: &Vec3| {
            row.on(Some(self.body), *t, rho.cross(t));
            row.on(self.plane.body, -t, -sigma.cross(t));
            row.spec.curvature = w_p.cross(t).dot(&slip) + t.dot(&wander);
        };
        if self.touching {
            let height = n.dot(&(contact - self.plane.spot(scope).position));
            sink.row(height, |row| state(row, &n));
        }
        for t in [t_1, t_2] {
            sink.row(0.0, |row| {
                state(row, &(plane.placement.rotation * t));
                row.spec.response = Response::Rate;
            });
        }
    }
}

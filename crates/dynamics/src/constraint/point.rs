//! Points on bodies and their motion relative to another body: the kinematics that most kinds share.
//!
//! ```text
//!  p = x + r,   r = R·local        ṗ = v + ω×r        p̈ = a + α×r + ω×(ω×r)
//!
//!  seen from a carrier c, with ρ = p − x_c:
//!    u  = ṗ − v_c − ω_c×ρ                                              velocity
//!    u̇  = p̈ − a_c − α_c×ρ − ω_c×(ω_c×ρ) − 2 ω_c×u                      acceleration, rotating with c
//!
//!  a row n·u, with n carried by c:   J_p = (n, r×n)    J_c = (−n, −ρ×n)    (both bodies receive it at p)
//!                                    J̇v  = n·(ω×(ω×r) − ω_c×(ω_c×ρ) − 2 ω_c×u)
//! ```

use crate::Placement;
use crate::body::BodyId;
use crate::math::{Quat, Vec3};
use crate::rows::{RowBuilder, Scope};

/// Point fixed to a body, or to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Body that carries the point; `None` is the world.
    pub body: Option<BodyId>,
    /// Position, metres, the body's axes from its centre of mass; world space without a body.
    pub point: Vec3,
}

impl Anchor {
    /// Makes a point of a body, metres, in its axes from its centre of mass.
    pub fn on(body: BodyId, point: Vec3) -> Self {
        Self { body: Some(body), point }
    }

    /// Makes a body's centre of mass.
    pub fn centre(body: BodyId) -> Self {
        Self::on(body, Vec3::zeros())
    }

    /// Makes a point of the world, metres.
    pub fn world(point: Vec3) -> Self {
        Self { body: None, point }
    }

    /// Returns a frame at the point, with the body's axes.
    pub(crate) fn frame(&self) -> Placement {
        Placement::at(self.point)
    }

    /// Returns the point's world position and lever.
    #[inline]
    pub(crate) fn spot(&self, scope: &Scope<'_>) -> Spot {
        let state = scope.state(self.body);
        let lever = state.placement.rotation * self.point;
        Spot { body: self.body, lever, position: state.placement.position + lever }
    }
}

/// World position and lever of an anchor at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub body: Option<BodyId>,
    /// r, from the body's centre of mass, world axes.
    pub lever: Vec3,
    pub position: Vec3,
}

impl Spot {
    /// ṗ, world axes.
    #[inline]
    pub fn velocity(&self, scope: &Scope<'_>) -> Vec3 {
        let state = scope.state(self.body);
        state.linear() + state.angular().cross(&self.lever)
    }

    /// ω×(ω×r).
    #[inline]
    pub fn centripetal(&self, scope: &Scope<'_>) -> Vec3 {
        let w = scope.state(self.body).angular();
        w.cross(&w.cross(&self.lever))
    }

    /// Adds n·ṗ to a row.
    #[inline]
    pub fn push(&self, row: &mut RowBuilder<'_>, n: &Vec3) {
        row.on(self.body, *n, self.lever.cross(n));
    }
}

/// Point relative to a carrier body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub spot: Spot,
    pub carrier: Option<BodyId>,
    /// ρ, from the carrier's centre of mass, world axes.
    pub lever: Vec3,
    /// Orientation of the carrier.
    pub rotation: Quat,
}

impl Seen {
    /// Takes the states of both bodies from `scope`.
    #[inline]
    pub fn new(point: &Anchor, carrier: Option<BodyId>, scope: &Scope<'_>) -> Self {
        let spot = point.spot(scope);
        let placement = &scope.state(carrier).placement;
        Self { spot, carrier, lever: spot.position - placement.position, rotation: placement.rotation }
    }

    /// Position of the point in the carrier's axes, metres.
    #[inline]
    pub fn local(&self) -> Vec3 {
        self.rotation.inverse_transform_vector(&self.lever)
    }

    /// u, world axes.
    #[inline]
    pub fn velocity(&self, scope: &Scope<'_>) -> Vec3 {
        let c = scope.state(self.carrier);
        self.spot.velocity(scope) - c.linear() - c.angular().cross(&self.lever)
    }

    /// Part of u̇ that is not due to accelerations, world axes; `u` from [`Seen::velocity`].
    #[inline]
    pub fn bias(&self, scope: &Scope<'_>, u: &Vec3) -> Vec3 {
        let w = scope.state(self.carrier).angular();
        self.spot.centripetal(scope) - w.cross(&w.cross(&self.lever)) - w.cross(u) * 2.0
    }

    /// Adds n·u to a row; n is a world direction that rotates with the carrier.
    #[inline]
    pub fn push(&self, row: &mut RowBuilder<'_>, n: &Vec3) {
        self.spot.push(row, n);
        row.on(self.carrier, -n, -self.lever.cross(n));
    }
}

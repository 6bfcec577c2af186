//! Point that follows a path through space: a nail that moves.
//!
//! ```text
//!  C = p − P(t)          Ċ = ṗ − Ṗ(t)          C̈ = p̈ − P̈(t)          3 rows, world axes
//!  J = (e, r×e)          J̇v = e·(ω×(ω×r))
//! ```
//!
//! P must be twice continuously differentiable: its acceleration is part of the constraint force.

use super::point::Anchor;
use super::spline::{CubicSpline, Sample};
use crate::error::DynamicsError;
use crate::function::TimeFunction;
use crate::math::{Real, Vec3};
use crate::rows::{Response, RowSink, Scope};

/// Position, velocity and acceleration as a function of time (seconds).
pub type Path = TimeFunction<Sample>;

impl Path {
    /// Interpolates points at times (s) by the natural cubic spline, which continues straight before and after them.
    pub fn spline(times: Vec<Real>, points: Vec<Vec3>) -> Result<Self, DynamicsError> {
        let spline = CubicSpline::natural(times, points)?;
        Ok(Self::new(move |t| spline.sample(t)))
    }
}

/// Moves a body's point along a path: 3 rows.
///
/// ```
/// use sinew_dynamics::Vec3;
/// use sinew_dynamics::{Anchor, Body, Constraint, MassProperties, OnPath, Path, Placement, World};
///
/// let mut world = World::new();
/// let hand = world.add_body(Body::dynamic("hand", MassProperties::sphere(1.0, 0.1), Placement::IDENTITY))?;
/// let path = Path::spline(vec![0.0, 0.5, 1.0], vec![Vec3::zeros(), Vec3::x(), Vec3::y()])?;
/// world.add_constraint(Constraint::new(OnPath::new(Anchor::centre(hand), path)))?;
/// for _ in 0..50 {
///     world.step(0.01)?;
/// }
/// assert!((world.state(hand).placement.position - Vec3::x()).norm() < 1e-6);
/// # Ok::<(), sinew_dynamics::DynamicsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnPath {
    /// Point that follows the path.
    pub point: Anchor,
    /// Path in world space.
    pub path: Path,
    /// Response of the rows.
    pub response: Response,
    /// Bound on the force of each row, N.
    pub max_force: Real,
}

impl OnPath {
    /// Makes hard rows of unlimited force.
    pub fn new(point: Anchor, path: Path) -> Self {
        Self { point, path, response: Response::Hard, max_force: Real::INFINITY }
    }

    /// States the rows.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let spot = self.point.spot(scope);
        let (position, velocity, acceleration) = self.path.at(scope.time);
        for k in 0..3 {
            sink.row(spot.position[k] - position[k], |row| {
                spot.push(row, &Vec3::ith(k, 1.0));
                row.spec.curvature = spot.centripetal(scope)[k];
                row.spec.rate = velocity[k];
                row.spec.acceleration = acceleration[k];
                row.respond(self.response, self.max_force);
            });
        }
    }
}

//! Gears, racks and winches: two coordinates that move in a fixed ratio.
//!
//! ```text
//!  f₁ ẋ₁ + f₂ ẋ₂ = 0                    one velocity row; a wheel's f is its radius, a rack's −1
//!  C = f₁ x₁ + f₂ x₂ − C₀ = 0           the same, held in position: no tooth is skipped
//!  J, J̇v                                 those of the coordinates, times f
//! ```
//!
//! Each coordinate is between a carrier and the part, so a gearbox that rotates as a whole carries the difference
//! of the torques.

use super::coordinate::Coordinate;
use crate::math::Real;
use crate::rows::{Response, RowSink, Scope};

/// Coupling of two coordinates by a ratio: one row.
///
/// ```
/// use sinew_dynamics::Vec3;
/// use sinew_dynamics::{Axis, Body, Constraint, Gear, Joint, MassProperties, Placement, World};
///
/// let mut world = World::new();
/// let mut wheel = |x: f64| {
///     let mass = MassProperties::new(1.0, Vec3::new(0.01, 0.01, 0.02));
///     let place = Placement::at(Vec3::new(x, 0.0, 0.0));
///     let id = world.add_body(Body::dynamic("wheel", mass, place))?;
///     let hinge = Joint::hinge(None, place, Some(id), Placement::IDENTITY);
///     world.add_constraint(Constraint::new(hinge.clone()))?;
///     Ok::<_, sinew_dynamics::DynamicsError>((id, hinge))
/// };
/// let (big, small) = (wheel(0.0)?, wheel(0.3)?);
/// let gear = Gear::wheels(big.1.rotation(Axis::Z), 0.2, small.1.rotation(Axis::Z), 0.1);
/// world.add_constraint(Constraint::new(gear.toothed()))?;
/// world.apply(big.0, Vec3::zeros(), Vec3::z())?;
/// world.step(0.01)?;
/// let [one, two] = [big.0, small.0].map(|id| world.state(id).angular().z);
/// assert!((two + 2.0 * one).abs() < 1e-9);
/// # Ok::<(), sinew_dynamics::DynamicsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gear {
    /// Coordinates x₁ and x₂.
    pub coordinates: [Coordinate; 2],
    /// Factors f₁ and f₂: metres for a rotation, 1 for a slide.
    pub factors: [Real; 2],
    /// Mesh with C₀, if positions are held as well as speeds.
    meshed: Option<Mesh>,
    /// Response of the row; [`Response::Rate`] holds speeds alone.
    pub response: Response,
}

/// Sum C₀ that is held; measured when the gear is added to its world.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mesh(Option<Real>);

impl Gear {
    /// Couples any two coordinates by f₁ẋ₁ + f₂ẋ₂ = 0.
    pub fn new(coordinates: [Coordinate; 2], factors: [Real; 2]) -> Self {
        Self { coordinates, factors, meshed: None, response: Response::Rate }
    }

    /// Couples two wheels that touch: r₁ω₁ + r₂ω₂ = 0. `first` and `second` are rotations, usually of the wheels'
    /// hinges; radii in metres.
    pub fn wheels(first: Coordinate, first_radius: Real, second: Coordinate, second_radius: Real) -> Self {
        Self::new([first, second], [first_radius, second_radius])
    }

    /// Couples a wheel and a part that moves with its rim: r ω = v. `rotation` belongs to the wheel, `slide` to the
    /// rack or to the weight on a string.
    pub fn rack(rotation: Coordinate, radius: Real, slide: Coordinate) -> Self {
        Self::new([rotation, slide], [radius, -1.0])
    }

    /// Holds positions too, in the ratio they have when the gear is added to its world.
    pub fn toothed(mut self) -> Self {
        (self.meshed, self.response) = (Some(Mesh(None)), Response::Hard);
        self
    }

    /// Takes over revolutions and mesh from an earlier statement of the same gear.
    pub(crate) fn remember(&mut self, old: &Gear) {
        self.coordinates.iter_mut().zip(&old.coordinates).for_each(|(new, old)| new.remember(old));
        if self.meshed.is_some() {
            self.meshed = old.meshed;
        }
    }

    /// Returns f₁ x₁ + f₂ x₂.
    fn sum(&self, scope: &Scope<'_>) -> Real {
        self.coordinates.iter().zip(&self.factors).map(|(x, f)| f * x.value(scope)).sum()
    }

    /// States the row.
    pub(crate) fn emit(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let error = match self.meshed {
            Some(Mesh(Some(kept))) => self.sum(scope) - kept,
            _ => 0.0,
        };
        sink.row(error, |row| {
            for (coordinate, factor) in self.coordinates.iter().zip(&self.factors) {
                coordinate.push(scope, row, *factor);
            }
            row.spec.response = self.response;
        });
    }

    /// Counts revolutions and measures C₀ the first time.
    pub(crate) fn settle(&mut self, scope: &Scope<'_>) {
        self.coordinates.iter_mut().for_each(|x| x.settle(scope));
        if let Some(Mesh(None)) = self.meshed {
            self.meshed = Some(Mesh(Some(self.sum(scope))));
        }
    }
}

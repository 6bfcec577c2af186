//! Wind: moving air and its force on bodies.
//!
//! ```text
//!  air       u(x, t) = u₀ + Σ a(t) max(0, cos φ)^p d̂/(1 + r/r₀)     blowers: r from the blower, φ off its axis
//!  face      f = ½ ρ c A |w·n| (w·n) n            w = u − ṗ the air relative to the face; where w·n < 0, n outward
//!  round     f = ½ ρ c πR² |w| w
//!  rod       f = ½ ρ c 2R ℓ |w_⊥| w_⊥ + ½ ρ c πR² |w_∥| w_∥            at the points of a three-point Gauss rule
//! ```
//!
//! A velocity-level step holds the force for its length h, so the coefficient k = ∂f/∂w is limited to a stable one, as
//! that of a damper: k' = k/(1 + h k e).

use super::{ForceScope, Loads};
use crate::Placement;
use crate::body::BodyId;
use crate::collide::Shape;
use crate::function::Shared;
use crate::math::{Real, Vec3, real};
use std::f64::consts::PI;
use std::sync::Arc;

/// Velocity of the air as a function of place and time, m/s.
pub type Air = Shared<dyn Fn(&Vec3, Real) -> Vec3 + Send + Sync>;

impl Air {
    /// Wraps a function of place (metres, world space) and time (seconds).
    pub fn new(velocity: impl Fn(&Vec3, Real) -> Vec3 + Send + Sync + 'static) -> Self {
        Self(Arc::new(velocity))
    }

    /// Makes air of one velocity everywhere, m/s.
    pub fn uniform(velocity: Vec3) -> Self {
        Self::new(move |_, _| velocity)
    }

    /// Returns the velocity at a place (metres, world space) and time (seconds), m/s.
    pub fn at(&self, place: &Vec3, time: Real) -> Vec3 {
        (self.0)(place, time)
    }
}

/// Jet of air: strongest on its axis, weaker aside and farther away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blower {
    /// Mouth of the blower, metres, world space.
    pub place: Vec3,
    /// Unit direction of the axis, world space.
    pub direction: Vec3,
    /// Exponent p of the cosine off the axis; larger is narrower.
    pub narrowness: Real,
    /// Distance r₀ at which the strength has halved, metres.
    pub reach: Real,
}

impl Blower {
    /// Returns the velocity of the air at a place for a strength in m/s at the mouth.
    pub fn air(&self, strength: Real, place: &Vec3) -> Vec3 {
        let way = place - self.place;
        let distance = way.norm();
        let cosine = if distance > 0.0 { self.direction.dot(&way) / distance } else { 1.0 };
        if cosine <= 0.0 {
            return Vec3::zeros();
        }
        self.direction * (strength * real::powf(cosine, self.narrowness) / (1.0 + distance / self.reach))
    }
}

/// Piece of a body's surface, in the body's axes from its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Face {
        at: Vec3,
        normal: Vec3,
        area: Real,
    },
    Round {
        at: Vec3,
        area: Real,
    },
    /// Rod with areas across and along its direction, m² each.
    Rod {
        at: Vec3,
        direction: Vec3,
        across: Real,
        along: Real,
    },
}

/// Surface of a body that is exposed to wind.
#[derive(Clone, Debug)]
pub struct Sail {
    body: BodyId,
    pieces: Arc<[Piece]>,
    /// ½ ρ c, kg/m³.
    coefficient: Real,
    air: Air,
}

/// Place and weight of the points of a three-point Gauss rule on [−½, ½].
const GAUSS: [(Real, Real); 3] =
    [(-0.387_298_334_620_741_7, 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.387_298_334_620_741_7, 5.0 / 18.0)];

impl Sail {
    /// Makes the surface of a body of these shapes; `density` of the air in kg/m³, `drag` the drag coefficient.
    pub fn new<'a>(
        body: BodyId,
        shapes: impl IntoIterator<Item = (&'a Shape, Placement)>,
        density: Real,
        drag: Real,
        air: Air,
    ) -> Self {
        let mut pieces = Vec::new();
        for (shape, placement) in shapes {
            pieces_of(shape, &placement, &mut pieces);
        }
        Self { body, pieces: pieces.into(), coefficient: 0.5 * density * drag, air }
    }

    /// Returns the body.
    pub fn body(&self) -> BodyId {
        self.body
    }

    pub(super) fn is_finite(&self) -> bool {
        self.coefficient.is_finite()
    }

    pub(super) fn push(&self, scope: &ForceScope<'_>, loads: &mut Loads<'_>) {
        let id = Some(self.body);
        let state = *scope.state(id);
        let placement = state.placement;
        let mut press = |at: &Vec3, direction: Vec3, speed: Real, area: Real| {
            let slope = self.coefficient * area * speed.abs();
            let bearable = slope / (1.0 + 2.0 * scope.lookahead * slope * scope.inverse_mass_at(id, at, &direction));
            loads.force_at(id, direction * (bearable * speed), *at);
        };
        for piece in self.pieces.iter() {
            let (Piece::Face { at, .. } | Piece::Round { at, .. } | Piece::Rod { at, .. }) = piece;
            let at = placement.point(at);
            let meets = self.air.at(&at, scope.time) - state.velocity_at(&at);
            match piece {
                Piece::Face { normal, area, .. } => {
                    let n = placement.rotation * normal;
                    let speed = meets.dot(&n);
                    if speed < 0.0 {
                        press(&at, n, speed, *area);
                    }
                }
                Piece::Round { area, .. } => {
                    let speed = meets.norm();
                    if speed > 0.0 {
                        press(&at, meets / speed, speed, *area);
                    }
                }
                Piece::Rod { direction, across, along, .. } => {
                    let axis = placement.rotation * direction;
                    let lengthwise = meets.dot(&axis);
                    let sideways = meets - axis * lengthwise;
                    let speed = sideways.norm();
                    if speed > 0.0 {
                        press(&at, sideways / speed, speed, *across);
                    }
                    press(&at, axis, lengthwise, *along);
                }
            }
        }
    }
}

fn pieces_of(shape: &Shape, placement: &Placement, pieces: &mut Vec<Piece>) {
    let face = |a: Vec3, b: Vec3, c: Vec3| {
        let twice = (b - a).cross(&(c - a));
        let area = 0.5 * twice.norm();
        let normal = twice.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        Piece::Face { at: placement.point(&((a + b + c) / 3.0)), normal: placement.rotation * normal, area }
    };
    match shape {
        Shape::Sphere { radius } => pieces.push(Piece::Round { at: placement.position, area: PI * radius * radius }),
        Shape::Box { half_extents: h } => {
            for k in 0..3 {
                let area = 4.0 * h[(k + 1) % 3] * h[(k + 2) % 3];
                for sign in [-1.0, 1.0] {
                    let normal = Vec3::ith(k, sign);
                    let at = placement.point(&(normal * h[k]));
                    pieces.push(Piece::Face { at, normal: placement.rotation * normal, area });
                }
            }
        }
        Shape::Capsule { a, b, radius } => {
            let (way, length) = (b - a, (b - a).norm());
            let Some(direction) = way.try_normalize(0.0) else {
                pieces.push(Piece::Round { at: placement.point(a), area: PI * radius * radius });
                return;
            };
            for (place, share) in GAUSS {
                pieces.push(Piece::Rod {
                    at: placement.point(&((a + b) / 2.0 + way * place)),
                    direction: placement.rotation * direction,
                    across: 2.0 * radius * length * share,
                    along: PI * radius * radius * share,
                });
            }
        }
        Shape::Hull { points } => {
            for [a, b, c] in crate::collide::hull_faces(points) {
                pieces.push(face(a, b, c));
            }
        }
        Shape::Mesh { vertices, triangles } => {
            for corners in triangles.iter() {
                let [a, b, c] = corners.map(|k| vertices[k as usize]);
                // A sheet is exposed on both sides.
                pieces.push(face(a, b, c));
                pieces.push(face(a, c, b));
            }
        }
        Shape::HalfSpace { .. } | Shape::HeightField { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Force, Law, MassProperties, World};

    fn blown(shape: Shape, mass: Real, wind: Vec3, gravity: Real) -> (World, BodyId) {
        let mut world = World::new();
        world.gravity = Vec3::new(0.0, -gravity, 0.0);
        let body = MassProperties::new(mass, Vec3::repeat(1e3));
        let body = world.add_body(Body::dynamic("sail", body, Placement::IDENTITY)).expect("a body");
        let sail = Sail::new(body, [(&shape, Placement::IDENTITY)], 1.2, 1.0, Air::uniform(wind));
        world.add_force(Force::new(Law::Wind(sail))).expect("a wind");
        (world, body)
    }

    /// A body that falls in still air reaches √(2mg/ρcA); one that floats in a wind reaches the wind's speed.
    #[test]
    fn bodies_fall_and_drift_at_the_speeds_of_their_areas() {
        let plate = Shape::Box { half_extents: Vec3::new(0.5, 0.01, 0.5) };
        let ball = Shape::Sphere { radius: 0.5 };
        let rod = Shape::Capsule { a: Vec3::new(-1.0, 0.0, 0.0), b: Vec3::new(1.0, 0.0, 0.0), radius: 0.1 };
        for (shape, area) in [(plate, 1.0), (ball, PI * 0.25), (rod, 0.4)] {
            let (mut world, body) = blown(shape, 2.0, Vec3::zeros(), 9.81);
            for _ in 0..2400 {
                world.step(1.0 / 240.0).expect("a step");
            }
            let expected = (2.0 * 2.0 * 9.81 / (1.2 * area) as Real).sqrt();
            assert!((-world.state(body).linear().y / expected - 1.0).abs() < 0.02, "{}", world.state(body).linear().y);
        }
        let (mut world, body) = blown(Shape::Sphere { radius: 0.5 }, 0.1, Vec3::new(3.0, 0.0, 0.0), 0.0);
        for _ in 0..12_000 {
            world.step(1.0 / 240.0).expect("a step");
        }
        assert!((world.state(body).linear().x - 3.0).abs() < 0.1, "{}", world.state(body).linear().x);
    }

    /// A gale a thousand times too strong for the step does not accelerate a feather beyond the air's speed.
    #[test]
    fn a_gale_takes_a_feather_along_but_not_further() {
        let (mut world, body) = blown(Shape::Sphere { radius: 0.5 }, 1e-4, Vec3::new(50.0, 0.0, 0.0), 0.0);
        for _ in 0..240 {
            world.step(1.0 / 60.0).expect("a step");
            let speed = world.state(body).linear().x;
            assert!((0.0..=50.0 + 1e-9).contains(&speed), "{speed}");
        }
        assert!(world.state(body).linear().x > 45.0);
    }

    #[test]
    fn a_blower_is_strong_on_its_axis_and_nothing_behind_it() {
        let blower = Blower { place: Vec3::zeros(), direction: Vec3::x(), narrowness: 4.0, reach: 2.0 };
        assert_eq!(blower.air(6.0, &Vec3::new(2.0, 0.0, 0.0)), Vec3::new(3.0, 0.0, 0.0));
        assert_eq!(blower.air(6.0, &Vec3::new(-2.0, 0.0, 0.0)), Vec3::zeros());
        let aside = blower.air(6.0, &Vec3::new(2.0, 2.0, 0.0)).x;
        let expected = 6.0 * 0.25 / (1.0 + 8.0_f64.sqrt() / 2.0);
        assert!((aside - expected).abs() < 1e-12, "{aside}");
    }
}

//! Grounds to stand on: level, sloping, stairs, the fixed things of a scene.

use super::{Scenery, Surface, Under};
use crate::control::Terrain;
use crate::math::{Real, Vec3};

/// A plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    pub origin: Vec3,
    /// Of length 1.
    pub normal: Vec3,
}

impl Surface for Plane {
    fn under(&self, point: &Vec3) -> Under {
        Under { height: (point - self.origin).dot(&self.normal), normal: self.normal }
    }
}

/// Steps that lead down in one direction from a landing; level treads, upright risers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stairs {
    /// On the landing, where the figure starts.
    pub origin: Vec3,
    /// Level, of length 1.
    pub forward: Vec3,
    /// How far the landing reaches ahead of the origin, metres.
    pub landing: Real,
    pub rise: Real,
    pub going: Real,
    pub steps: usize,
}

impl Stairs {
    fn along(&self, point: &Vec3) -> Real {
        (point - self.origin).dot(&self.forward)
    }

    /// Which tread is below a place so far ahead; 0 is the landing, the one behind the last step is the floor.
    fn tread(&self, along: Real) -> usize {
        if along < self.landing {
            return 0;
        }
        (((along - self.landing) / self.going).floor() as usize + 1).min(self.steps + 1)
    }

    /// Where a tread begins and ends, metres ahead of the origin.
    fn reach(&self, tread: usize) -> [Real; 2] {
        let edge = |k: usize| self.landing + self.going * k as Real;
        let begin = if tread == 0 { Real::NEG_INFINITY } else { edge(tread - 1) };
        [begin, if tread > self.steps { Real::INFINITY } else { edge(tread) }]
    }
}

impl Surface for Stairs {
    fn under(&self, point: &Vec3) -> Under {
        let top = self.origin.y - self.rise * self.tread(self.along(point)) as Real;
        Under { height: point.y - top, normal: Vec3::y() }
    }
}

/// The ground of a run, and what it asks of those who walk on it.
#[derive(Clone, Debug)]
pub(crate) enum Ground {
    Plane(Plane),
    Stairs(Stairs),
    /// With the place where the figure starts.
    Scenery(Scenery, Vec3),
}

impl Ground {
    /// `origin` is the place on the ground where the figure starts, `forward` where it faces (level).
    pub fn new(terrain: Terrain, origin: Vec3, forward: Vec3) -> Option<Self> {
        match terrain {
            Terrain::Nothing => None,
            Terrain::Flat | Terrain::Slope { .. } => {
                Some(Ground::Plane(Plane { origin, normal: terrain.normal(&forward) }))
            }
            Terrain::Stairs { landing, rise, going, steps } => {
                Some(Ground::Stairs(Stairs { origin, forward, landing, rise, going, steps }))
            }
        }
    }

    pub fn boxed(self) -> Box<dyn Surface> {
        match self {
            Ground::Plane(plane) => Box::new(plane),
            Ground::Stairs(stairs) => Box::new(stairs),
            Ground::Scenery(scenery, _) => Box::new(scenery),
        }
    }

    /// Height where the figure starts, metres.
    pub fn height(&self) -> Real {
        match self {
            Ground::Plane(plane) => plane.origin.y,
            Ground::Stairs(stairs) => stairs.origin.y,
            Ground::Scenery(_, origin) => origin.y,
        }
    }

    /// The same ground higher up, metres; what is part of a scene stays.
    pub fn lifted(self, by: Real) -> Self {
        match self {
            Ground::Plane(plane) => Ground::Plane(Plane { origin: plane.origin + Vec3::y() * by, ..plane }),
            Ground::Stairs(stairs) => Ground::Stairs(Stairs { origin: stairs.origin + Vec3::y() * by, ..stairs }),
            Ground::Scenery(..) => self,
        }
    }

    /// Whether it is the same everywhere.
    pub fn is_level(&self) -> bool {
        matches!(self, Ground::Plane(plane) if plane.normal == Vec3::y())
    }

    /// Whether feet may hang over an edge of it.
    pub fn has_edges(&self) -> bool {
        !matches!(self, Ground::Plane(_))
    }

    /// How much higher than at its origin a body walks here, metres: the slope, or the line over the edges of stairs.
    pub fn lift(&self, at: &Vec3) -> Real {
        match self {
            Ground::Plane(Plane { origin, normal }) => {
                let way = at - origin;
                -(way.x * normal.x + way.z * normal.z) / normal.y
            }
            Ground::Stairs(stairs) => {
                let last = stairs.going * (stairs.steps + 1) as Real;
                -stairs.rise / stairs.going * (stairs.along(at) - stairs.landing + 0.5 * stairs.going).clamp(0.0, last)
            }
            Ground::Scenery(scenery, origin) => {
                let top = scenery.find(at).map(|under| at.y - under.height / under.normal.y);
                top.map_or(0.0, |top| top - origin.y)
            }
        }
    }

    /// How far a foot that reaches over these places (metres, world) must be moved so that it does not hang over an edge.
    pub fn step_aside(&self, places: &[Vec3]) -> Vec3 {
        let Ground::Stairs(stairs) = self else { return Vec3::zeros() };
        let along = places.iter().map(|p| stairs.along(p));
        let (low, high) = along.fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        if !low.is_finite() {
            return Vec3::zeros();
        }
        let [begin, end] = stairs.reach(stairs.tread(0.5 * (low + high)));
        let margin = 0.005;
        let by = if high - low > end - begin - 2.0 * margin {
            // Too long for the tread: it hangs over at the front, as feet do on stairs.
            begin + margin - low
        } else {
            (begin + margin - low).max(0.0) + (end - margin - high).min(0.0)
        };
        stairs.forward * by
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stairs() -> Stairs {
        let Terrain::Stairs { landing, rise, going, steps } = Terrain::STAIRS else { unreachable!() };
        Stairs { origin: Vec3::zeros(), forward: Vec3::z(), landing, rise, going, steps }
    }

    #[test]
    fn treads_lie_a_rise_below_each_other() {
        let height = |z: Real| stairs().under(&Vec3::new(3.0, 0.0, z)).height;
        assert_eq!(height(0.4), 0.0);
        assert!((height(0.6) - 0.17).abs() < 1e-12 && (height(0.8) - 0.34).abs() < 1e-12);
        assert!((height(50.0) - 13.0 * 0.17).abs() < 1e-12, "the floor ends the stairs");
    }

    #[test]
    fn feet_step_back_from_edges() {
        let ground = Ground::Stairs(stairs());
        let moved = ground.step_aside(&[Vec3::new(0.0, 0.0, 0.3), Vec3::new(0.0, 0.0, 0.55)]);
        assert!((moved - Vec3::z() * -0.055).norm() < 1e-12, "{moved}");
        assert_eq!(ground.step_aside(&[Vec3::new(0.0, 0.0, 0.1), Vec3::new(0.0, 0.0, 0.3)]), Vec3::zeros());
    }

    #[test]
    fn a_slope_lifts_by_its_angle() {
        let slope = Terrain::Slope { angle: 0.1 };
        let ground = Ground::new(slope, Vec3::zeros(), Vec3::z()).unwrap();
        let at = Vec3::new(0.5, 0.0, 2.0);
        assert!((ground.lift(&at) - 2.0 * 0.1_f64.tan()).abs() < 1e-12);
        let on = at + Vec3::y() * ground.lift(&at);
        assert!(ground.boxed().under(&on).height.abs() < 1e-12);
    }
}

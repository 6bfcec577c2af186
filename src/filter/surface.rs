//! Ground surfaces: level, sloping, stairs, and the fixed bodies of a scene.

use super::{Scenery, Surface, Under};
use crate::control::Terrain;
use crate::math::{Real, Vec3};

/// Plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    pub origin: Vec3,
    /// Unit normal.
    pub normal: Vec3,
}

impl Surface for Plane {
    fn under(&self, point: &Vec3) -> Under {
        Under { height: (point - self.origin).dot(&self.normal), normal: self.normal }
    }
}

/// Stairs that lead down in one direction from a landing; level treads, upright risers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stairs {
    /// Start of the figure on the landing, metres.
    pub origin: Vec3,
    /// Horizontal unit vector down the stairs.
    pub forward: Vec3,
    /// Length of the landing ahead of the origin, metres.
    pub landing: Real,
    pub rise: Real,
    pub going: Real,
    pub steps: usize,
}

impl Stairs {
    fn along(&self, point: &Vec3) -> Real {
        (point - self.origin).dot(&self.forward)
    }

    /// Returns the tread below a place this far ahead, metres; 0 is the landing, the one behind the last step the floor.
    fn tread(&self, along: Real) -> usize {
        if along < self.landing {
            return 0;
        }
        (((along - self.landing) / self.going).floor() as usize + 1).min(self.steps + 1)
    }

    /// Returns begin and end of a tread, metres ahead of the origin.
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

/// Ground of a clip.
#[derive(Clone, Debug)]
pub(crate) enum Ground {
    Plane(Plane),
    Stairs(Stairs),
    /// Scene, with the start of the figure.
    Scenery(Scenery, Vec3),
}

impl Ground {
    /// Builds the ground; `origin` is the start of the figure on it, `forward` its horizontal facing direction.
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

    /// Height at the start of the figure, metres.
    pub fn height(&self) -> Real {
        match self {
            Ground::Plane(plane) => plane.origin.y,
            Ground::Stairs(stairs) => stairs.origin.y,
            Ground::Scenery(_, origin) => origin.y,
        }
    }

    /// Returns the same ground raised, metres; a scene stays in place.
    pub fn lifted(self, by: Real) -> Self {
        match self {
            Ground::Plane(plane) => Ground::Plane(Plane { origin: plane.origin + Vec3::y() * by, ..plane }),
            Ground::Stairs(stairs) => Ground::Stairs(Stairs { origin: stairs.origin + Vec3::y() * by, ..stairs }),
            Ground::Scenery(..) => self,
        }
    }

    /// Returns true for a level plane.
    pub fn is_level(&self) -> bool {
        matches!(self, Ground::Plane(plane) if plane.normal == Vec3::y())
    }

    /// Returns true if feet may extend over an edge.
    pub fn has_edges(&self) -> bool {
        !matches!(self, Ground::Plane(_))
    }

    /// Returns the height of the ground that a body walks on above that at its origin, metres: the slope, or the line over the
    /// edges of stairs.
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

    /// Returns the displacement that keeps a foot with these points (metres, world space) from extending over an edge.
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
            // A foot longer than the tread extends over its front.
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

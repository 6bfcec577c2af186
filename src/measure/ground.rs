//! Ground plane of a motion.
//!
//! The plane y = g, where g is the 5th percentile over frames of the lowest foot point: heel or ball. Toe tips are not
//! asked, they dip into the ground where a foot rolls over toes that the skeleton cannot bend. A body without such feet is
//! asked for all of its points, and so is one whose feet are not what it rests on (`floor`). Floors of capture volumes are
//! often off level by a degree or so, which is centimetres at the other end of a walk and would lose every contact
//! there. So a plane is laid through the places where the feet rest; where they lie on one, along directions in which
//! the body travels more than 1 m·a, that rises by more than 1 cm·a and less than 2°, the ground is taken to rise so.
//! Anything else (steps, rubble, a crouch here and a jump there) leaves it level.

use super::points::Point;
use crate::contacts::signal::percentile;
use crate::dynamics::Placement;
use crate::math::{Real, Vec3, real};
use crate::motion::REFERENCE_HEIGHT;

/// The share of the frames whose lowest foot point may be below the ground.
const SHARE: Real = 0.05;
/// Feet slower than this rest, m/s per a.
const RESTING: Real = 0.3;
/// tan 2°.
const STEEPEST: Real = 0.0349;

/// A plane that is level, or nearly so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ground {
    /// Height at `middle`, metres.
    pub height: Real,
    /// Rise per metre along x and z.
    pub rise: [Real; 2],
    /// Mean position of the feet at rest, x and z, metres.
    pub middle: [Real; 2],
}

impl Ground {
    /// The plane y = `height`.
    pub fn level(height: Real) -> Self {
        Self { height, rise: [0.0; 2], middle: [0.0; 2] }
    }

    /// Height of the ground below a point, metres.
    pub fn below(&self, p: &Vec3) -> Real {
        self.height + self.rise[0] * (p.x - self.middle[0]) + self.rise[1] * (p.z - self.middle[1])
    }

    /// A point with its height counted from the ground.
    pub fn seen_from(&self, p: Vec3) -> Vec3 {
        Vec3::new(p.x, p.y - self.below(&p), p.z)
    }
}

/// Finds the ground from the feet.
pub(crate) struct GroundFinder {
    feet: bool,
    /// Height over the reference height, see [`Figure::size_scale`](crate::figure::Figure::size_scale).
    size_scale: Real,
    rate: Real,
    /// Lowest point of each frame.
    lowest: Vec<Vec3>,
    /// Those that rest there.
    resting: Vec<Vec3>,
    last: Vec<Vec3>,
}

impl GroundFinder {
    pub fn new(points: &[Point], height: Real, rate: Real) -> Self {
        let feet = points.iter().any(Point::is_sole);
        Self {
            feet,
            size_scale: height / REFERENCE_HEIGHT,
            rate,
            lowest: Vec::new(),
            resting: Vec::new(),
            last: Vec::new(),
        }
    }

    pub fn add(&mut self, points: &[Point], placements: &[Placement]) {
        let told = points.iter().filter(|point| point.is_sole() || !self.feet);
        let mut now: Vec<Vec3> = told.map(|point| point.world(placements)).collect();
        if now.is_empty() {
            // A figure without any shape still has joints.
            now.extend(placements.iter().map(|p| p.position));
        }
        let Some(at) = (0..now.len()).min_by(|&i, &j| now[i].y.total_cmp(&now[j].y)) else { return };
        self.lowest.push(now[at]);
        if let Some(last) = self.last.get(at)
            && (now[at] - last).norm() * self.rate < RESTING * self.size_scale
        {
            self.resting.push(now[at]);
        }
        self.last = now;
    }

    pub fn finish(self) -> Option<Ground> {
        let mut ground = self.rising().unwrap_or_else(|| Ground::level(0.0));
        let mut heights: Vec<Real> = self.lowest.iter().map(|p| p.y - ground.below(p)).collect();
        ground.height += percentile(&mut heights, SHARE)?;
        ground.height.is_finite().then_some(ground)
    }

    /// The plane that the feet rest on, if it is one that rises.
    fn rising(&self) -> Option<Ground> {
        let count = self.resting.len() as Real;
        let mut middle = self.resting.iter().sum::<Vec3>() / count.max(1.0);
        let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
        for p in &self.resting {
            let (x, z) = (p.x - middle.x, p.z - middle.z);
            (xx, xz, zz) = (xx + x * x, xz + x * z, zz + z * z);
        }
        // Directions of most and least travel.
        let angle = 0.5 * real::atan2(2.0 * xz, xx - zz);
        let axes =
            [Vec3::new(real::cos(angle), 0.0, real::sin(angle)), Vec3::new(-real::sin(angle), 0.0, real::cos(angle))];
        let reach = |axis: &Vec3| {
            let mut along: Vec<Real> = self.resting.iter().map(|p| p.dot(axis)).collect();
            Some(percentile(&mut along, 0.95)? - percentile(&mut along, 0.05)?)
        };
        let mut slopes = [0.0; 2];
        let travelled = axes.map(|axis| reach(&axis).unwrap_or(0.0));
        let used = travelled.iter().filter(|&&way| way > self.size_scale).count();
        if used == 0 {
            return None;
        }
        let off = |p: &Vec3, middle: &Vec3, slopes: &[Real; 2]| {
            let q = p - middle;
            q.y - slopes[0] * q.dot(&axes[0]) - slopes[1] * q.dot(&axes[1])
        };
        // Least squares, again and again without what lies far off: a lifted heel, a step in the air.
        let mut far = 0.1 * self.size_scale;
        for _ in 0..12 {
            let near: Vec<Vec3> =
                self.resting.iter().copied().filter(|p| off(p, &middle, &slopes).abs() <= far).collect();
            if near.len() < 10 || 2 * near.len() < self.resting.len() {
                return None;
            }
            middle = near.iter().sum::<Vec3>() / near.len() as Real;
            let (mut normal, mut right) = ([[0.0; 2]; 2], [0.0; 2]);
            for p in near.iter().map(|p| p - middle) {
                let u = axes.map(|axis| p.dot(&axis));
                for (i, row) in normal.iter_mut().enumerate() {
                    right[i] += u[i] * p.y;
                    row.iter_mut().zip(u).for_each(|(cell, other)| *cell += u[i] * other);
                }
            }
            let [[a, b], [_, d]] = normal;
            slopes = match used {
                1 => [right[0] / a, 0.0],
                _ => {
                    let det = a * d - b * b;
                    [(right[0] * d - right[1] * b) / det, (right[1] * a - right[0] * b) / det]
                }
            };
            far = (0.7 * far).max(0.025 * self.size_scale);
        }
        let rise = axes[0] * slopes[0] + axes[1] * slopes[1];
        let median = |slopes: [Real; 2]| {
            let mut all: Vec<Real> = self.resting.iter().map(|p| off(p, &middle, &slopes).abs()).collect();
            percentile(&mut all, 0.5)
        };
        let (level, plane) = (median([0.0; 2])?, median(slopes)?);
        let climbs = slopes[0].abs() * travelled[0] + slopes[1].abs() * travelled[1];
        let holds = rise.norm() < STEEPEST
            && climbs > 0.01 * self.size_scale
            && plane < 0.01 * self.size_scale
            && plane < 0.6 * level;
        holds.then(|| Ground { height: middle.y, rise: [rise.x, rise.z], middle: [middle.x, middle.z] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finder(resting: Vec<Vec3>) -> GroundFinder {
        let lowest = resting.clone();
        GroundFinder { feet: true, size_scale: 1.0, rate: 100.0, lowest, resting, last: Vec::new() }
    }

    /// Footprints on a floor that rises by 1.5 % along the way, some of them lifted.
    #[test]
    fn a_floor_off_level_is_found_in_spite_of_lifted_feet() {
        let way = |k: usize| Vec3::new(0.02 * k as Real, 0.0, 0.013 * k as Real);
        let places = (0..200).map(|k| {
            let lifted = if k % 7 == 0 { 0.06 } else { 0.0 };
            way(k) + Vec3::y() * (0.3 + 0.015 * way(k).x + lifted)
        });
        let ground = finder(places.collect()).finish().unwrap();
        for k in [0, 100, 199] {
            assert!((ground.below(&way(k)) - 0.3 - 0.015 * way(k).x).abs() < 1e-3, "{ground:?}");
        }
    }

    #[test]
    fn stairs_and_level_floors_are_no_slopes() {
        let stairs = (0..200).map(|k| Vec3::new(0.02 * k as Real, 0.17 * (k / 40) as Real, 0.0));
        assert_eq!(finder(stairs.collect()).finish().unwrap().rise, [0.0; 2]);
        let level = (0..200).map(|k| Vec3::new(0.02 * k as Real, 0.002 * (k % 5) as Real, 0.0));
        assert_eq!(finder(level.collect()).finish().unwrap().rise, [0.0; 2]);
    }
}

//! The zero-moment point and the polygon a body stands on.
//!
//! Where the ground reaction would have to act if the ground could only push and rub, without torque about a horizontal
//! axis: the point z of the ground with (τ_o + (o − z) × F) horizontal part = 0, that is
//!
//!   z_x = o_x + (τ_z − (o_y − g) F_x) / F_y,   z_z = o_z − (τ_x + (o_y − g) F_z) / F_y

use super::ground::Ground;
use super::instant::Instant;
use super::residual::Spread;
use super::{Family, Key, Report};
use crate::math::{Real, Vec3, real};

/// Frames that carry less than this share of the weight have no balance to speak of.
const CARRIES: Real = 0.2;

#[derive(Default)]
pub(super) struct Balance {
    /// Metres.
    pub distance: Spread,
    feet: Vec<[Real; 2]>,
    hull: Vec<[Real; 2]>,
}

impl Balance {
    pub fn add(&mut self, instant: &Instant, ground: &Ground) {
        let Some(point) = balance_point(instant, ground) else { return };
        self.feet.clear();
        self.feet.extend(instant.ground_forces.iter().map(|force| [force.at.x, force.at.z]));
        convex_hull(&mut self.feet, &mut self.hull);
        self.distance.add(distance(&self.hull, point));
    }
}

/// The zero-moment point [x, z]; none where nothing stands on the ground, or hardly.
pub(super) fn balance_point(instant: &Instant, ground: &Ground) -> Option<[Real; 2]> {
    let stands = !instant.ground_forces.is_empty() && instant.force.y >= CARRIES * instant.weight;
    stands.then(|| zero_moment_point(instant, ground))
}

fn zero_moment_point(instant: &Instant, ground: &Ground) -> [Real; 2] {
    let (o, f, t) = (&instant.origin, &instant.force, &instant.torque);
    let up = o.y - ground.below(&instant.centre);
    [o.x + (t.z - up * f.x) / f.y, o.z - (t.x + up * f.z) / f.y]
}

fn turn(o: &[Real; 2], a: &[Real; 2], b: &[Real; 2]) -> Real {
    (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
}

/// Andrew's monotone chain; the hull goes round counter-clockwise. Sorts the points.
pub(crate) fn convex_hull(points: &mut [[Real; 2]], hull: &mut Vec<[Real; 2]>) {
    hull.clear();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut half = |points: &mut dyn Iterator<Item = &[Real; 2]>| {
        let start = hull.len();
        for point in points {
            while hull.len() >= start + 2 && turn(&hull[hull.len() - 2], &hull[hull.len() - 1], point) <= 0.0 {
                hull.pop();
            }
            hull.push(*point);
        }
        // The last point of a half is the first of the other.
        hull.pop();
    };
    half(&mut points.iter());
    half(&mut points.iter().rev());
    if hull.is_empty() {
        hull.extend(points.first());
    }
}

/// The point [x, z] of the level plane at height `level` where a force with this moment about the origin pushes without
/// any moment about a horizontal axis.
pub(crate) fn pressure_point(push: &Vec3, moment: &Vec3, level: Real) -> [Real; 2] {
    [(moment.z + level * push.x) / push.y, (level * push.z - moment.x) / push.y]
}

/// Distance from a point to a convex polygon, also one of a single point or line; 0 inside.
pub(super) fn distance(hull: &[[Real; 2]], point: [Real; 2]) -> Real {
    let edges = (0..hull.len()).map(|k| (&hull[k], &hull[(k + 1) % hull.len()]));
    if hull.len() >= 3 && edges.clone().all(|(a, b)| turn(a, b, &point) >= 0.0) {
        return 0.0;
    }
    let to_edge = |(a, b): (&[Real; 2], &[Real; 2])| {
        let (d, p) = ([b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]);
        let square = d[0] * d[0] + d[1] * d[1];
        let along = if square > 0.0 { ((p[0] * d[0] + p[1] * d[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
        real::hypot(p[0] - along * d[0], p[1] - along * d[1])
    };
    edges.map(to_edge).fold(Real::INFINITY, Real::min)
}

/// Tells distances from the polygon of support, metres.
pub(super) fn tell(distance: &Spread, report: &mut Report) {
    match distance.count {
        0 => report.explain_all(Family::Balance, "nothing stands on the ground"),
        _ => {
            report.set(Key::BalanceMean, 1e3 * distance.mean());
            report.set(Key::BalanceMax, 1e3 * distance.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_to_hulls_of_few_and_many_points() {
        let mut hull = Vec::new();
        let square = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 1.0], [0.0, 1.0]];
        convex_hull(&mut square.clone(), &mut hull);
        assert_eq!(hull.len(), 4);
        assert_eq!(distance(&hull, [0.2, 0.9]), 0.0);
        assert_eq!(distance(&hull, [4.0, 5.0]), 5.0);
        convex_hull(&mut [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]], &mut hull);
        assert_eq!(distance(&hull, [1.0, 3.0]), 3.0);
        convex_hull(&mut [[1.0, 1.0], [1.0, 1.0]], &mut hull);
        assert_eq!(distance(&hull, [1.0, 2.0]), 1.0);
        convex_hull(&mut [[1.0, 1.0]], &mut hull);
        assert_eq!(distance(&hull, [1.0, 1.0]), 0.0);
    }
}

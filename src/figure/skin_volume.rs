//! Volume inside a skin, from its vertices alone: meshes are open, doubled and full of holes.
//!
//! The skin of each segment is taken for its convex hull. With its points scaled to the same spread along their principal axes, q = L⁻¹ (p − c), and
//! the support h(n) = max n · q in directions n all around, a point is inside if its gauge is at most 1:
//!
//!   g(p) = max n · q / h(n)
//!
//! Hulls overlap at the joints. The space is cut into cubes, and each belongs to the hull in which it lies deepest, so that all together are
//! the volume of their union.

use crate::dynamics::MassProperties;
use crate::math::{Mat3, Real, Vec3, real};

/// Cells along the edge of a cube around the points; their middles give 96 directions.
const CELLS: usize = 4;
/// Most cubes that the space is cut into.
const MOST: Real = 2e6;

/// Convex hull of points, as its extent in many directions.
struct Hull {
    middle: Vec3,
    /// L⁻¹, from metres to spreads.
    to_spreads: Mat3,
    /// Directions over their support.
    faces: Vec<Vec3>,
    low: Vec3,
    high: Vec3,
}

fn directions() -> impl Iterator<Item = Vec3> {
    let middle = |k: usize| (2 * k + 1) as Real / CELLS as Real - 1.0;
    (0..6 * CELLS * CELLS).map(move |k| {
        let (side, cell) = (k / (CELLS * CELLS), k % (CELLS * CELLS));
        let axis = side / 2;
        let mut way = Vec3::zeros();
        way[axis] = if side % 2 == 0 { -1.0 } else { 1.0 };
        way[(axis + 1) % 3] = middle(cell % CELLS);
        way[(axis + 2) % 3] = middle(cell / CELLS);
        way.normalize()
    })
}

impl Hull {
    /// Hull of points; `None` if there are too few of them, or if they are flat.
    fn new(points: &[Vec3]) -> Option<Hull> {
        /// Fewer points enclose nothing.
        const LEAST: usize = 8;
        /// Thickness of a card or a line, over its length.
        const FLAT: Real = 1e-3;
        if points.len() < LEAST || !points.iter().all(|p| p.iter().all(|x| x.is_finite())) {
            return None;
        }
        let (low, high) = points.iter().fold((points[0], points[0]), |(low, high), p| (low.inf(p), high.sup(p)));
        let middle = 0.5 * (low + high);
        let spread: Mat3 = points.iter().map(|p| (p - middle) * (p - middle).transpose()).sum();
        let eigen = (spread / points.len() as Real).symmetric_eigen();
        let sizes = eigen.eigenvalues.map(|square| square.max(0.0).sqrt());
        if sizes.min() <= FLAT * sizes.max() {
            return None;
        }
        let to_spreads = Mat3::from_diagonal(&sizes.map(|size| 1.0 / size)) * eigen.eigenvectors.transpose();
        let scaled: Vec<Vec3> = points.iter().map(|p| to_spreads * (p - middle)).collect();
        let face = |n: Vec3| n / scaled.iter().map(|q| n.dot(q)).fold(1e-9, Real::max);
        Some(Hull { middle, to_spreads, faces: directions().map(face).collect(), low, high })
    }

    /// Gauge of a point; `None` outside.
    fn gauge(&self, point: &Vec3) -> Option<Real> {
        let q = self.to_spreads * (point - self.middle);
        let mut gauge: Real = 0.0;
        for face in &self.faces {
            gauge = gauge.max(face.dot(&q));
            if gauge > 1.0 {
                return None;
            }
        }
        Some(gauge)
    }
}

/// Returns mass, inertia and centre of mass of the flesh inside the skin of every segment, of this density, kg/m³. `skins` holds the
/// vertices of each, metres, world space; `cell` is the edge of the cubes, metres. `None` for segments that hold nothing.
pub(super) fn flesh(skins: &[Vec<Vec3>], cell: Real, density: Real) -> Vec<Option<(MassProperties, Vec3)>> {
    let hulls: Vec<Option<Hull>> = skins.iter().map(|points| Hull::new(points)).collect();
    let corners = hulls.iter().flatten().fold(None, |all: Option<(Vec3, Vec3)>, hull| {
        Some(all.map_or((hull.low, hull.high), |(low, high)| (low.inf(&hull.low), high.sup(&hull.high))))
    });
    let Some((low, high)) = corners else { return vec![None; skins.len()] };
    let cell = cell.max(real::cbrt((high - low).product() / MOST));
    let count = ((high - low) / cell).map(|cells| cells.ceil().max(1.0) as usize);
    let mut deepest: Vec<(Real, usize)> = vec![(Real::INFINITY, 0); count.product()];
    let middle =
        |i: usize, j: usize, k: usize| low + Vec3::new(i as Real + 0.5, j as Real + 0.5, k as Real + 0.5) * cell;
    let at = |i: usize, j: usize, k: usize| (i * count.y + j) * count.z + k;
    for (segment, hull) in hulls.iter().enumerate().filter_map(|(k, hull)| Some((k, hull.as_ref()?))) {
        let first = ((hull.low - low) / cell).map(|cells| cells.floor() as usize);
        let last = ((hull.high - low) / cell).zip_map(&count, |cells, count| (cells.ceil() as usize).min(count));
        for i in first.x..last.x {
            for j in first.y..last.y {
                for k in first.z..last.z {
                    let place = &mut deepest[at(i, j, k)];
                    if let Some(gauge) = hull.gauge(&middle(i, j, k)).filter(|gauge| *gauge < place.0) {
                        *place = (gauge, segment);
                    }
                }
            }
        }
    }
    let each = density * cell.powi(3);
    let mut sums = vec![(0.0, Vec3::zeros(), Mat3::zeros()); skins.len()];
    for i in 0..count.x {
        for j in 0..count.y {
            for k in 0..count.z {
                let (gauge, segment) = deepest[at(i, j, k)];
                if gauge.is_finite() {
                    let (place, sum) = (middle(i, j, k), &mut sums[segment]);
                    sum.0 += each;
                    sum.1 += place * each;
                    sum.2 += place * place.transpose() * each;
                }
            }
        }
    }
    let solid = |(mass, first, second): (Real, Vec3, Mat3)| {
        let centre = first / mass;
        // The second moment of a cube about its own middle is a twelfth of its edge squared along every axis.
        let own = Mat3::identity() * (mass * cell * cell / 12.0);
        let about_centre = second - centre * centre.transpose() * mass + own;
        let inertia = Mat3::identity() * about_centre.trace() - about_centre;
        (mass > 0.0).then_some((MassProperties { mass, inertia }, centre))
    };
    sums.into_iter().map(solid).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn cuboid(at: Vec3, half: Vec3) -> Vec<Vec3> {
        let corner = |k: usize| Vec3::from_fn(|axis, _| ((k / 3usize.pow(axis as u32)) % 3) as Real - 1.0);
        (0..27).map(|k| at + corner(k).component_mul(&half)).collect()
    }

    /// An ellipsoid in closed form: mass 4/3 π a b c ρ, moments of inertia m (b² + c²) / 5 and so on.
    #[test]
    fn the_skin_of_an_ellipsoid_holds_its_mass_and_inertia() {
        let (at, half) = (Vec3::new(0.3, -1.0, 2.0), Vec3::new(0.1, 0.3, 0.15));
        let skin: Vec<Vec3> = directions().map(|u| at + u.component_mul(&half)).collect();
        let (solid, centre) = flesh(&[skin], 0.01, 1000.0)[0].unwrap();
        let mass = 1000.0 * 4.0 / 3.0 * PI * half.product();
        assert!((solid.mass / mass - 1.0).abs() < 0.06, "{} {mass}", solid.mass);
        assert!((centre - at).norm() < 2e-3);
        let squares = half.component_mul(&half);
        let around = Vec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y) * (mass / 5.0);
        assert!((solid.inertia.diagonal() - around).norm() < 0.1 * around.norm(), "{} {around}", solid.inertia);
    }

    /// Two boxes that overlap by half: one and a half boxes together, and each half of the overlap belongs to the nearer one.
    #[test]
    fn skins_that_overlap_hold_their_union_once() {
        let half = Vec3::new(0.2, 0.1, 0.1);
        let skins = [cuboid(Vec3::zeros(), half), cuboid(Vec3::x() * 0.2, half)];
        let held: Vec<Real> = flesh(&skins, 0.01, 1000.0).iter().map(|solid| solid.unwrap().0.mass).collect();
        let one = 8000.0 * half.product();
        assert!((held[0] + held[1] - 1.5 * one).abs() < 0.06 * one, "{held:?} {one}");
        assert!((held[0] - held[1]).abs() < 0.06 * one, "{held:?}");
    }

    #[test]
    fn a_flat_skin_holds_nothing() {
        let card: Vec<Vec3> = (0..20).map(|k| Vec3::new((k % 5) as Real, (k / 5) as Real, 0.0)).collect();
        assert_eq!(flesh(&[card, Vec::new()], 0.01, 1000.0).iter().flatten().count(), 0);
    }
}

//! Lofted surfaces: ellipses of changing size along a line, closed by round ends. The front half and the back half are
//! separate meshes, so that they can have different colours.

use crate::math::{Real, Vec3, real};
use crate::show::Mesh;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Points around a ring; even, so that both halves end at the sides.
const AROUND: usize = 24;
/// Rings of a round end.
const END_RINGS: usize = 5;
/// Rings between the ends.
const BODY_RINGS: usize = 12;

/// Half axes of an ellipse at a share of the way, metres. The depth towards the front and the back may differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Station {
    /// Share of the way from the start to the end, 0 to 1.
    pub share: Real,
    /// Half axis to both sides.
    pub side: Real,
    /// Half axis towards the front.
    pub front: Real,
    /// Half axis towards the back.
    pub back: Real,
}

impl Station {
    /// Makes a circular station.
    pub fn round(share: Real, radius: Real) -> Self {
        Self { share, side: radius, front: radius, back: radius }
    }

    /// Makes an elliptic station.
    pub fn oval(share: Real, side: Real, depth: Real) -> Self {
        Self { share, side, front: depth, back: depth }
    }

    fn between(a: &Station, b: &Station, share: Real) -> Station {
        let t = ((share - a.share) / (b.share - a.share).max(1e-9)).clamp(0.0, 1.0);
        let smooth = t * t * (3.0 - 2.0 * t);
        let mix = |x: Real, y: Real| x + (y - x) * smooth;
        Station { share, side: mix(a.side, b.side), front: mix(a.front, b.front), back: mix(a.back, b.back) }
    }
}

/// Surface around the line between two points, frame of the segment's joint, metres.
pub(super) struct Loft<'a> {
    /// Centres of the first and the last station.
    pub from: Vec3,
    pub to: Vec3,
    /// Direction towards the front; only its part across the line counts.
    pub front: Vec3,
    /// Stations in the order of their shares, the first at 0 and the last at 1.
    pub stations: &'a [Station],
    /// Heights of the round ends beyond the first and the last centre, metres.
    pub ends: [Real; 2],
}

struct Ring {
    centre: Vec3,
    side: Real,
    front: Real,
    back: Real,
}

impl Loft<'_> {
    /// Adds the two halves of the surface to meshes.
    pub fn add(&self, front_half: &mut Mesh, back_half: &mut Mesh) {
        let way = self.to - self.from;
        let Some((along, front)) = across(&way, &self.front) else { return };
        let side = front.cross(&along);
        let rings = self.rings(&along);
        let point = |ring: usize, k: usize| {
            let (sin, cos) = real::sin_cos(TAU * (k % AROUND) as Real / AROUND as Real);
            let depth = if sin > 0.0 { rings[ring].front } else { rings[ring].back };
            rings[ring].centre + side * (cos * rings[ring].side) + front * (sin * depth)
        };
        let last = rings.len() - 1;
        let normal = |ring: usize, k: usize| {
            let around = point(ring, k + 1) - point(ring, k + AROUND - 1);
            let on = point((ring + 1).min(last), k) - point(ring.saturating_sub(1), k);
            let pole = if ring == 0 { -along } else { along };
            around.cross(&on).try_normalize(1e-15).unwrap_or(pole)
        };
        let half = AROUND / 2;
        for (mesh, start) in [(front_half, 0), (back_half, half)] {
            let first = mesh.positions.len() as u32;
            for ring in 0..=last {
                for k in start..=start + half {
                    push(mesh, &point(ring, k), &normal(ring, k));
                }
            }
            let row = half as u32 + 1;
            for ring in 0..last as u32 {
                for k in 0..half as u32 {
                    let a = first + ring * row + k;
                    mesh.triangles.extend([[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
                }
            }
        }
    }

    fn rings(&self, along: &Vec3) -> Vec<Ring> {
        let (Some(first), Some(last)) = (self.stations.first(), self.stations.last()) else { return Vec::new() };
        let mut rings = Vec::with_capacity(2 * END_RINGS + BODY_RINGS + 1);
        let mut add = |centre: Vec3, station: &Station, size: Real| {
            let Station { side, front, back, .. } = *station;
            rings.push(Ring { centre, side: side * size, front: front * size, back: back * size });
        };
        for k in 0..END_RINGS {
            let (sin, cos) = real::sin_cos(FRAC_PI_2 * k as Real / END_RINGS as Real);
            add(self.from - along * (self.ends[0] * cos), first, sin);
        }
        for k in 0..=BODY_RINGS {
            let share = k as Real / BODY_RINGS as Real;
            let next =
                self.stations.iter().position(|station| station.share >= share).unwrap_or(self.stations.len() - 1);
            let station = Station::between(&self.stations[next.saturating_sub(1)], &self.stations[next], share);
            add(self.from + (self.to - self.from) * share, &station, 1.0);
        }
        for k in 1..=END_RINGS {
            let (sin, cos) = real::sin_cos(FRAC_PI_2 * k as Real / END_RINGS as Real);
            add(self.to + along * (self.ends[1] * sin), last, if k == END_RINGS { 0.0 } else { cos });
        }
        rings
    }
}

/// Returns the unit vector of a direction, and that of the part of `front` across it.
pub(super) fn across(along: &Vec3, front: &Vec3) -> Option<(Vec3, Vec3)> {
    let along = along.try_normalize(1e-9)?;
    let front = (front - along * along.dot(front)).try_normalize(1e-6)?;
    Some((along, front))
}

/// Adds an ellipsoid with these half axes, given as vectors at right angles to each other.
pub(super) fn ellipsoid(mesh: &mut Mesh, centre: &Vec3, axes: &[Vec3; 3]) {
    const RINGS: usize = 10;
    let first = mesh.positions.len() as u32;
    for ring in 0..=RINGS {
        let (height, radius) = real::sin_cos(PI * (ring as Real / RINGS as Real - 0.5));
        for k in 0..=AROUND {
            let (sin, cos) = real::sin_cos(TAU * (k % AROUND) as Real / AROUND as Real);
            let [x, y, z] = [radius * cos, radius * sin, height];
            let offset = axes[0] * x + axes[1] * y + axes[2] * z;
            let weighted = |axis: &Vec3, share: Real| axis * (share / axis.norm_squared().max(1e-18));
            let normal = weighted(&axes[0], x) + weighted(&axes[1], y) + weighted(&axes[2], z);
            push(mesh, &(centre + offset), &normal.try_normalize(1e-15).unwrap_or_else(Vec3::y));
        }
    }
    let row = AROUND as u32 + 1;
    for ring in 0..RINGS as u32 {
        for k in 0..AROUND as u32 {
            let a = first + ring * row + k;
            mesh.triangles.extend([[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
        }
    }
}

fn push(mesh: &mut Mesh, position: &Vec3, normal: &Vec3) {
    mesh.positions.push([position.x as f32, position.y as f32, position.z as f32]);
    mesh.normals.push([normal.x as f32, normal.y as f32, normal.z as f32]);
}

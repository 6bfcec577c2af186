//! Contacts of solids with a half-space: the corners or ends that are near it.

use super::round::Round;
use super::touch::Touch;
use crate::collide::prepared::{Frame, Hull};
use crate::math::{Real, Vec3};

/// Half-space below the plane through `point` across `normal`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub(crate) point: Vec3,
    pub(crate) normal: Vec3,
}

impl Plane {
    #[inline]
    fn height(&self, point: &Vec3) -> Real {
        self.normal.dot(&(point - self.point))
    }

    /// Makes the contact of a point of the solid above (the first) and its projection on the plane (the second).
    #[inline]
    fn touch(&self, point: Vec3, height: Real, feature: u32) -> Touch {
        Touch { a: point, b: point - self.normal * height, normal: -self.normal, distance: height, feature }
    }
}

#[inline]
pub(crate) fn round_plane(round: &Round, plane: &Plane, limit: Real, out: &mut Vec<Touch>) {
    let (low, high) = (plane.height(&round.a) - round.radius, plane.height(&round.b) - round.radius);
    let under = plane.normal * round.radius;
    if low <= limit {
        out.push(plane.touch(round.a - under, low, 0));
    }
    if high <= limit && !round.is_sphere() {
        out.push(plane.touch(round.b - under, high, 1));
    }
}

/// Multiple of its smallest half extent that a box must approach within the step to tumble.
const TUMBLES: Real = 1.25;

/// Adds the corners that are near enough, those of the face most nearly parallel to the plane first. The lowest is
/// among them; the others may come down within the step, where the limit reaches that far.
pub(crate) fn box_plane(half: &Vec3, frame: &Frame, plane: &Plane, limit: Real, out: &mut Vec<Touch>) {
    let up = frame.rotation.tr_mul(&plane.normal);
    let middle = plane.height(&frame.position);
    let reach = up.component_mul(half).abs();
    if middle - reach.sum() > limit {
        return;
    }
    let axis = up.iamax();
    let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
    // A fast box tumbles when its first corner hits, and the others come down faster than it came.
    let far = if limit > TUMBLES * half.min() { 3.0 * limit } else { limit };
    let faces = if middle + reach[axis] - reach[next] - reach[last] <= far { 2 } else { 1 };
    let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)];
    for (face, (s, t)) in (0..faces).flat_map(|face| corners.map(|corner| (face, corner))) {
        let mut corner = Vec3::zeros();
        corner[axis] = if (up[axis] > 0.0) == (face == 0) { -half[axis] } else { half[axis] };
        corner[next] = s * half[next];
        corner[last] = t * half[last];
        let height = middle + up.dot(&corner);
        if height <= far {
            let sign = |x: Real, bit: u32| if x > 0.0 { bit } else { 0 };
            let index = sign(corner.x, 1) | sign(corner.y, 2) | sign(corner.z, 4);
            out.push(plane.touch(frame.point(&corner), height, index));
        }
    }
}

/// Adds the lowest corner and those of the face most nearly parallel to the plane.
pub(crate) fn hull_plane(hull: &Hull, frame: &Frame, plane: &Plane, limit: Real, out: &mut Vec<Touch>) {
    let down = -frame.rotation.tr_mul(&plane.normal);
    let lowest = hull.support(&down) as u32;
    let mut add = |corner: u32| {
        let point = frame.point(&hull.corners[corner as usize]);
        let height = plane.height(&point);
        if height <= limit {
            out.push(plane.touch(point, height, corner));
        }
        height <= limit
    };
    if !add(lowest) {
        return;
    }
    for &corner in hull.face(hull.face_towards(&down)) {
        if corner != lowest {
            add(corner);
        }
    }
}

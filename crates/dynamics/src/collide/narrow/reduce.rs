//! Reduction of manifolds to the deepest point and those that span the widest area with it.

use super::touch::Touch;
use crate::collide::Manifold;
use crate::math::{Real, Vec3};

/// Share of the manifold's width below which two points are the same.
const SAME: Real = 1e-4;
/// Share of the manifold's width below which two depths are equal.
const EQUAL_DEPTH: Real = 1e-3;

/// Moves at most four points to the front, in their given order, and returns their number.
pub(crate) fn reduce(touches: &mut [Touch]) -> usize {
    if touches.len() <= 2 && !(touches.len() == 2 && same(touches)) {
        return touches.len();
    }
    let count = touches.len() as Real;
    let middle = touches.iter().map(|t| t.a).sum::<Vec3>() / count;
    let width = 2.0 * touches.iter().map(|t| (t.a - middle).norm()).fold(0.0, Real::max);
    let near = SAME * width.max(1e-9);

    // The outermost of the deepest, so that points within an even patch do not displace its corners.
    let deepest = touches.iter().map(|t| t.distance).fold(Real::INFINITY, Real::min);
    let even = deepest + EQUAL_DEPTH * width;
    let first = best(touches, |t| if t.distance <= even { (t.a - middle).norm() } else { -1.0 });
    let p = touches[first].a;
    let second = best(touches, |t| (t.a - p).norm());
    let q = touches[second].a;
    let length = (q - p).norm();
    let mut kept = [first, second, 0, 0];
    let mut number = 2;
    if length <= near {
        number = 1;
    } else {
        let normal = touches[first].normal;
        let side = normal.cross(&(q - p)) / length;
        let above = best(touches, |t| side.dot(&(t.a - p)));
        let below = best(touches, |t| -side.dot(&(t.a - p)));
        for candidate in [above, below] {
            let height = side.dot(&(touches[candidate].a - p)).abs();
            if height > near && !kept[..number].contains(&candidate) {
                kept[number] = candidate;
                number += 1;
            }
        }
    }
    debug_assert!(number <= Manifold::MOST_POINTS);
    let kept = &mut kept[..number];
    kept.sort_unstable();
    for (to, &from) in kept.iter().enumerate() {
        touches[to] = touches[from];
    }
    number
}

fn same(touches: &[Touch]) -> bool {
    (touches[0].a - touches[1].a).norm() <= 1e-12
}

/// Returns the first of those with the largest measure.
fn best(touches: &[Touch], measure: impl Fn(&Touch) -> Real) -> usize {
    let mut found = (0, Real::NEG_INFINITY);
    for (index, touch) in touches.iter().enumerate() {
        let value = measure(touch);
        // Symmetric points differ by rounding only; the order decides between them, not the rounding.
        if value > found.1 + 1e-9 * value.abs() {
            found = (index, value);
        }
    }
    found.0
}

/// Sorts points of several normals into groups that share one, deepest group first; each group is a run of the slice
/// that [`group_length`] measures.
pub(crate) fn group(touches: &mut [Touch]) {
    touches.sort_unstable_by(|s, t| s.distance.total_cmp(&t.distance).then(s.feature.cmp(&t.feature)));
    let mut start = 0;
    while start < touches.len() {
        let normal = touches[start].normal;
        let mut end = start + 1;
        for k in start + 1..touches.len() {
            if is_along(&touches[k].normal, &normal) {
                // The group stays in order of depth; the others keep theirs behind it.
                touches[end..=k].rotate_right(1);
                end += 1;
            }
        }
        for touch in &mut touches[start..end] {
            touch.normal = normal;
            touch.distance = touch.distance.max((touch.b - touch.a).dot(&normal));
        }
        start = end;
    }
}

/// Counts the points at the front that share the first one's normal.
pub(crate) fn group_length(touches: &[Touch]) -> usize {
    touches.iter().take_while(|t| t.normal == touches[0].normal).count()
}

/// Returns true for unit vectors within two degrees.
fn is_along(a: &Vec3, b: &Vec3) -> bool {
    a.dot(b) > 0.9994
}

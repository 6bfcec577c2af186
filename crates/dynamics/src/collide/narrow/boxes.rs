//! Contacts of boxes with boxes, spheres and capsules.
//!
//! Box and line: the squared distance from the box is a convex, piecewise quadratic function of the place on the line,
//! so its minimum is found exactly. Where the line runs through the box, and for two boxes, the axis of least overlap
//! gives the normal (separating axes, Gottschalk et al. 1996).

use super::clip::{Face, clip_line};
use super::round::{Round, closest_parameters};
use super::touch::{Touch, feature};
use crate::collide::prepared::Frame;
use crate::math::{Real, Vec3};

const EDGES: u32 = 4;
const NEAREST: u32 = 5;

/// Writes the face of a box whose normal is nearest to a direction of its own frame, placed, to `face`.
pub(crate) fn box_face(half: &Vec3, frame: &Frame, direction: &Vec3, face: &mut Face) {
    let axis = direction.iamax();
    let sign: Real = if direction[axis] < 0.0 { -1.0 } else { 1.0 };
    let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
    face.corners.clear();
    // Counter-clockwise as seen from outside.
    for (s, t) in [(1.0, 1.0), (-sign, sign), (-1.0, -1.0), (sign, -sign)] {
        let mut corner = Vec3::zeros();
        (corner[axis], corner[next], corner[last]) = (sign * half[axis], s * half[next], t * half[last]);
        face.corners.push((frame.point(&corner), corner_number(&corner)));
    }
    face.number = 2 * axis as u32 + u32::from(sign > 0.0);
    face.outward = frame.rotation.column(axis) * sign;
}

/// Returns a bit for the sign of each coordinate.
fn corner_number(corner: &Vec3) -> u32 {
    let bit = |x: Real, bit: u32| if x > 0.0 { bit } else { 0 };
    bit(corner.x, 1) | bit(corner.y, 2) | bit(corner.z, 4)
}

/// Adds the contacts of a sphere or capsule, the first, and a box, the second; both in world space.
pub(crate) fn round_box(round: &Round, half: &Vec3, frame: &Frame, limit: Real, face: &mut Face, out: &mut Vec<Touch>) {
    let (from, to) = (frame.local(&round.a), frame.local(&round.b));
    let (low, high) = (from.inf(&to), from.sup(&to));
    let reach = limit + round.radius;
    if (0..3).any(|k| low[k] - half[k] > reach || high[k] + half[k] < -reach) {
        return;
    }
    let along = to - from;
    let share = nearest_share(&from, &along, half);
    let on_line = from + along * share;
    let on_box = on_line.zip_map(half, |x, h| x.clamp(-h, h));
    let apart = (on_line - on_box).norm();
    if apart > reach {
        return;
    }
    let start = out.len();
    if apart > 1e-12 * half.amax() {
        // Away from the box.
        let away = (on_line - on_box) / apart;
        let normal = -(frame.rotation * away);
        if !round.is_sphere() {
            box_face(half, frame, &away, face);
            clip_line(&normal, (round.a, round.b), face, reach, out);
        }
        let nearest_found = out[start..].iter().any(|t| t.distance <= apart + 1e-9 * half.amax());
        if !nearest_found {
            let (a, b) = (frame.point(&on_line), frame.point(&on_box));
            out.push(Touch { a, b, normal, distance: apart, feature: feature(NEAREST, 0, 0) });
        }
    } else {
        let away = shallowest_way_out(&from, &to, half);
        let normal = -(frame.rotation * away);
        if !round.is_sphere() {
            box_face(half, frame, &away, face);
            clip_line(&normal, (round.a, round.b), face, reach, out);
        }
        let deepest = if from.dot(&away) <= to.dot(&away) { from } else { to };
        let surface = half.component_mul(&away).abs().sum();
        let depth = deepest.dot(&away) - surface;
        let nearest_found = out[start..].iter().any(|t| t.distance <= depth + 1e-9 * half.amax());
        if !nearest_found {
            let a = frame.point(&deepest);
            out.push(Touch { a, b: a + normal * depth, normal, distance: depth, feature: feature(NEAREST, 0, 0) });
        }
    }
    for touch in &mut out[start..] {
        touch.a += touch.normal * round.radius;
        touch.distance -= round.radius;
    }
}

/// Returns the place on a line nearest to a box, as a share of the line; the middle of several equally near ones.
fn nearest_share(from: &Vec3, along: &Vec3, half: &Vec3) -> Real {
    // Half of the derivative of the squared distance, which is monotonic.
    let slope = |t: Real| {
        (0..3)
            .map(|k| {
                let x = from[k] + along[k] * t;
                (x - x.clamp(-half[k], half[k])) * along[k]
            })
            .sum::<Real>()
    };
    // Between two places where the line passes a face's plane the derivative is linear.
    let mut places = [0.0; 8];
    let mut count = 1;
    for k in 0..3 {
        if along[k] != 0.0 {
            for side in [-half[k], half[k]] {
                let t = (side - from[k]) / along[k];
                if t > 0.0 && t < 1.0 {
                    places[count] = t;
                    count += 1;
                }
            }
        }
    }
    places[count] = 1.0;
    let places = &mut places[..=count];
    places.sort_unstable_by(Real::total_cmp);
    let zero = 1e-15 * along.norm_squared();
    let root = |rising: &dyn Fn(Real) -> bool| {
        // The first place from which on the slope is "rising".
        if rising(slope(places[0])) {
            return places[0];
        }
        for pair in places.windows(2) {
            let (before, after) = (slope(pair[0]), slope(pair[1]));
            if rising(after) {
                let steep = after - before;
                let share = if steep > 0.0 { (-before / steep).clamp(0.0, 1.0) } else { 1.0 };
                return pair[0] + (pair[1] - pair[0]) * share;
            }
        }
        1.0
    };
    let first = root(&|s| s >= -zero);
    let last = if slope(1.0) <= zero { 1.0 } else { root(&|s| s > zero) };
    0.5 * (first + last.max(first))
}

/// Returns the direction of least translation that brings a line out of a box.
fn shallowest_way_out(from: &Vec3, to: &Vec3, half: &Vec3) -> Vec3 {
    let along = to - from;
    let mut best = (Vec3::y(), Real::INFINITY);
    // A face is preferred to an edge that is not clearly nearer.
    let mut consider = |away: Vec3, favour: Real| {
        let depth = half.component_mul(&away).abs().sum() - from.dot(&away).min(to.dot(&away));
        if depth * favour < best.1 - 1e-9 * half.amax() {
            best = (away, depth * favour);
        }
    };
    for axis in [1, 0, 2] {
        for sign in [1.0, -1.0] {
            let mut away = Vec3::zeros();
            away[axis] = sign;
            consider(away, 1.0);
        }
    }
    for axis in 0..3 {
        let mut edge = Vec3::zeros();
        edge[axis] = 1.0;
        if let Some(away) = edge.cross(&along).try_normalize(1e-6 * along.norm()) {
            consider(away, 1.05);
            consider(-away, 1.05);
        }
    }
    best.0
}

/// Contact of two boxes along the axis of least overlap.
pub(crate) enum BoxAxis {
    /// Contact of a face; the normal from A to B, world axes, and the gap along it, metres.
    Face { normal: Vec3, gap: Real },
    /// Contact of two edges, one point.
    Edges(Touch),
}

/// Finds the axis along which two boxes overlap least, unless they are farther apart than `limit`, metres.
pub(crate) fn box_axis(a: (&Vec3, &Frame), b: (&Vec3, &Frame), limit: Real) -> Option<BoxAxis> {
    let ((half_a, frame_a), (half_b, frame_b)) = (a, b);
    let relative = frame_a.rotation.tr_mul(&frame_b.rotation);
    let offset = frame_a.local(&frame_b.position);
    let reach = relative.abs();
    let size = half_a.amax().max(half_b.amax());

    let mut face = (Real::NEG_INFINITY, Vec3::y());
    let spread_b = reach * half_b;
    for k in 0..3 {
        let gap = offset[k].abs() - half_a[k] - spread_b[k];
        if gap > limit {
            return None;
        }
        if gap > face.0 + 1e-9 * size {
            face = (gap, frame_a.rotation.column(k) * if offset[k] < 0.0 { -1.0 } else { 1.0 });
        }
    }
    let spread_a = reach.tr_mul(half_a);
    let offset_b = relative.tr_mul(&offset);
    for k in 0..3 {
        let gap = offset_b[k].abs() - half_b[k] - spread_a[k];
        if gap > limit {
            return None;
        }
        if gap > face.0 + 1e-6 * size {
            face = (gap, frame_b.rotation.column(k) * if offset_b[k] < 0.0 { -1.0 } else { 1.0 });
        }
    }
    let mut edge: Option<(Real, Vec3, usize, usize)> = None;
    for i in 0..3 {
        let mut along_a = Vec3::zeros();
        along_a[i] = 1.0;
        for j in 0..3 {
            let across = along_a.cross(&relative.column(j));
            let length = across.norm();
            if length < 1e-4 {
                continue;
            }
            let axis = across / length;
            let spread =
                half_a.component_mul(&axis).abs().sum() + half_b.component_mul(&relative.tr_mul(&axis)).abs().sum();
            let along = offset.dot(&axis);
            let gap = along.abs() - spread;
            if gap > limit {
                return None;
            }
            if edge.is_none_or(|(best, ..)| gap > best + 1e-9 * size) {
                edge = Some((gap, if along < 0.0 { -axis } else { axis }, i, j));
            }
        }
    }
    // An edge must be clearly better than the best face: faces give more points and a steadier normal.
    if let Some((gap, axis, i, j)) = edge.filter(|(gap, ..)| *gap > face.0 + 0.05 * face.0.abs() + 1e-5 * size) {
        let normal = frame_a.rotation * axis;
        let corner = |half: &Vec3, towards: &Vec3| half.zip_map(towards, |h, d| if d < 0.0 { -h } else { h });
        let (mut start_a, mut start_b) = (corner(half_a, &axis), corner(half_b, &-relative.tr_mul(&axis)));
        let number = feature(EDGES, 3 * corner_number(&start_a) + i as u32, 3 * corner_number(&start_b) + j as u32);
        (start_a[i], start_b[j]) = (-half_a[i], -half_b[j]);
        let (p, q) = (frame_a.point(&start_a), frame_b.point(&start_b));
        let along_a = frame_a.rotation.column(i) * (2.0 * half_a[i]);
        let along_b = frame_b.rotation.column(j) * (2.0 * half_b[j]);
        let (s, t) = closest_parameters(&p, &along_a, &q, &along_b);
        let (a, b) = (p + along_a * s, q + along_b * t);
        // Edges whose nearest points lie beyond their ends are not nearest.
        if (b - a - normal * gap).norm() <= 1e-9 * size {
            return Some(BoxAxis::Edges(Touch { a, b, normal, distance: gap, feature: number }));
        }
    }
    Some(BoxAxis::Face { normal: face.1, gap: face.0 })
}

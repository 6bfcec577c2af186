//! Clipping of faces: both are projected along the normal, and the outline they share gives the points.
//!
//! The gap along the normal between two convex solids is nowhere smaller than the one the normal was found with, so
//! every corner of the outline that is near enough is a valid point, whatever the slope of the faces.

use super::touch::{Touch, across, feature};
use crate::math::{Buffer, Real, Vec3};

const CORNER_OF_A: u32 = 0;
const CORNER_OF_B: u32 = 1;
const CROSSING: u32 = 2;
const END: u32 = 3;

/// Flat face: its corners in order with their numbers, its own number and its outward direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Face {
    pub(crate) corners: Vec<(Vec3, u32)>,
    pub(crate) number: u32,
    pub(crate) outward: Vec3,
}

/// Corner of the outline: its place, its origin, and the face of the edge after it.
#[derive(Clone, Copy, Debug)]
struct Knot {
    at: [Real; 2],
    origin: Origin,
    edge: Side,
}

#[derive(Clone, Copy, Debug)]
enum Origin {
    A(usize),
    B(usize),
    Crossing(usize, usize),
}

#[derive(Clone, Copy, Debug)]
enum Side {
    A(usize),
    B(usize),
}

/// Work space of [`clip_faces`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    knots: Vec<Knot>,
    spare: Vec<Knot>,
    seen_b: Vec<[Real; 2]>,
}

/// Returns twice the signed area of the triangle a, b, p.
fn cross(a: &[Real; 2], b: &[Real; 2], p: &[Real; 2]) -> Real {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}

fn area(points: &[[Real; 2]]) -> Real {
    (1..points.len().saturating_sub(1)).map(|k| cross(&points[0], &points[k], &points[k + 1])).sum()
}

/// Cosine to the normal below which a face gives no points.
const EDGE_ON: Real = 1e-3;

/// Adds all corners of the shared outline of two faces with a gap of at most `limit`, metres. `normal` points from A to
/// B.
pub(crate) fn clip_faces(outline: &mut Outline, normal: &Vec3, a: &Face, b: &Face, limit: Real, out: &mut Vec<Touch>) {
    let (lean_a, lean_b) = (a.outward.dot(normal), b.outward.dot(normal));
    if lean_a < EDGE_ON || lean_b > -EDGE_ON || a.corners.len() < 3 || b.corners.len() < 3 {
        return;
    }
    let u = across(normal);
    let v = normal.cross(&u);
    let origin = a.corners[0].0;
    let seen = |p: &Vec3| [(p - origin).dot(&u), (p - origin).dot(&v)];
    let Outline { knots, spare, seen_b } = outline;
    knots.assign(a.corners.iter().enumerate().map(|(k, (p, _))| Knot {
        at: seen(p),
        origin: Origin::A(k),
        edge: Side::A(k),
    }));
    seen_b.assign(b.corners.iter().map(|(p, _)| seen(p)));
    // Its corners run the other way round where it is seen from its outside.
    let sense = if area(seen_b) < 0.0 { -1.0 } else { 1.0 };
    let count_b = seen_b.len();
    for edge in 0..count_b {
        let (from, to) = (seen_b[edge], seen_b[(edge + 1) % count_b]);
        let inside = |p: &[Real; 2]| sense * cross(&from, &to, p);
        spare.clear();
        for k in 0..knots.len() {
            let (here, next) = (knots[k], knots[(k + 1) % knots.len()]);
            let (h, n) = (inside(&here.at), inside(&next.at));
            if h >= 0.0 {
                spare.push(here);
            }
            if (h > 0.0 && n < 0.0) || (h < 0.0 && n > 0.0) {
                let share = h / (h - n);
                let at =
                    [here.at[0] + (next.at[0] - here.at[0]) * share, here.at[1] + (next.at[1] - here.at[1]) * share];
                let origin = match here.edge {
                    Side::A(i) => Origin::Crossing(i, edge),
                    // Two edges of B intersect at the corner they share.
                    Side::B(i) => Origin::B(if (i + 1) % count_b == edge { edge } else { i }),
                };
                let follows = if h > 0.0 { Side::B(edge) } else { here.edge };
                spare.push(Knot { at, origin, edge: follows });
            } else if h == 0.0 && n < 0.0 {
                // The outline continues along the edge of B.
                if let Some(last) = spare.last_mut() {
                    last.edge = Side::B(edge);
                }
            }
        }
        std::mem::swap(knots, spare);
        if knots.is_empty() {
            return;
        }
    }
    let height_a = |p: &Vec3| a.outward.dot(&(a.corners[0].0 - p)) / lean_a;
    let height_b = |p: &Vec3| b.outward.dot(&(b.corners[0].0 - p)) / lean_b;
    for knot in knots.iter() {
        let (on_a, on_b, number) = match knot.origin {
            Origin::A(k) => {
                let (p, id) = a.corners[k];
                (p, p + normal * height_b(&p), feature(CORNER_OF_A, id, b.number))
            }
            Origin::B(k) => {
                let (p, id) = b.corners[k];
                (p + normal * height_a(&p), p, feature(CORNER_OF_B, a.number, id))
            }
            Origin::Crossing(i, j) => {
                let flat = origin + u * knot.at[0] + v * knot.at[1];
                let number = feature(CROSSING, a.corners[i].1, b.corners[j].1);
                (flat + normal * height_a(&flat), flat + normal * height_b(&flat), number)
            }
        };
        let distance = (on_b - on_a).dot(normal);
        if distance <= limit {
            out.push(Touch { a: on_a, b: on_b, normal: *normal, distance, feature: number });
        }
    }
}

/// Adds the ends of the part of a line that lies over a face, with a gap of at most `limit`, metres. `normal` points
/// from the line to the face.
pub(crate) fn clip_line(normal: &Vec3, line: (Vec3, Vec3), face: &Face, limit: Real, out: &mut Vec<Touch>) {
    let lean = face.outward.dot(normal);
    if lean > -EDGE_ON || face.corners.len() < 3 {
        return;
    }
    let (from, along) = (line.0, line.1 - line.0);
    let (mut lo, mut hi): (Real, Real) = (0.0, 1.0);
    let count = face.corners.len();
    for k in 0..count {
        let (p, q) = (face.corners[k].0, face.corners[(k + 1) % count].0);
        // Inwards across the edge as seen along the normal; corners run counter-clockwise around `outward`.
        let inward = (q - p).cross(normal);
        let (start, rate) = (inward.dot(&(from - p)), inward.dot(&along));
        if rate.abs() <= 1e-14 * inward.norm() * along.norm() {
            if start < 0.0 {
                return;
            }
        } else if rate > 0.0 {
            lo = lo.max(-start / rate);
        } else {
            hi = hi.min(-start / rate);
        }
    }
    if lo > hi {
        return;
    }
    let mut add = |share: Real, end: u32| {
        let on_line = from + along * share;
        let height = face.outward.dot(&(face.corners[0].0 - on_line)) / lean;
        if height <= limit {
            let number = feature(END, end, face.number);
            out.push(Touch {
                a: on_line,
                b: on_line + normal * height,
                normal: *normal,
                distance: height,
                feature: number,
            });
        }
    };
    add(lo, 0);
    if (hi - lo) * along.norm() > 1e-6 * along.norm().max(1e-3) {
        add(hi, 1);
    }
}

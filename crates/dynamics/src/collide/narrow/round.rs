//! Contacts of spheres and capsules: two line segments (points, for spheres) and the sum of two radii.
//!
//! Nearly parallel lines touch along a stretch, given by its two ends; all others in one point.

use super::touch::{Touch, across};
use crate::math::{Real, Vec3};

/// Points within `radius` of the line from `a` to `b`, metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub(crate) a: Vec3,
    pub(crate) b: Vec3,
    pub(crate) radius: Real,
}

impl Round {
    #[inline]
    pub(crate) fn is_sphere(&self) -> bool {
        self.a == self.b
    }
}

/// Sine of the angle below which lines count as parallel.
const PARALLEL: Real = 0.1;
/// Share of the radii below which a stretch is a point.
const SHORT: Real = 1e-3;
/// Share of the radii by which skew lines may separate towards the ends of their stretch; beyond it only the middle
/// touches.
const SKEW: Real = 0.02;

const FIRST_END: u32 = 0;
const SECOND_END: u32 = 1;
const BETWEEN: u32 = 2;

/// Adds the contacts of two spheres or capsules.
pub(crate) fn round_round(first: &Round, second: &Round, limit: Real, out: &mut Vec<Touch>) {
    let radii = first.radius + second.radius;
    let (along_a, along_b) = (first.b - first.a, second.b - second.a);
    let (s, t) = closest_parameters(&first.a, &along_a, &second.a, &along_b);
    let (p, q) = (first.a + along_a * s, second.a + along_b * t);
    let gap = q - p;
    let squared = gap.norm_squared();
    let reach = limit + radii;
    if reach < 0.0 || squared > reach * reach {
        return;
    }
    let apart = squared.sqrt();
    let normal = if apart > 1e-12 * radii { gap / apart } else { way_out(first, second, &along_a, &along_b) };
    let touch = |p: Vec3, q: Vec3, apart: Real, feature: u32| Touch {
        a: p + normal * first.radius,
        b: q - normal * second.radius,
        normal,
        distance: apart - radii,
        feature,
    };
    let (len_a, len_b) = (along_a.norm_squared(), along_b.norm_squared());
    let parallel = len_a > 0.0
        && len_b > 0.0
        && along_a.cross(&along_b).norm_squared() < PARALLEL * PARALLEL * len_a * len_b
        && apart > 1e-12 * radii;
    if parallel {
        let (u, v) = ((second.a - first.a).dot(&along_a) / len_a, (second.b - first.a).dot(&along_a) / len_a);
        let (lo, hi) = (u.min(v).clamp(0.0, 1.0), u.max(v).clamp(0.0, 1.0));
        if (hi - lo) * len_a.sqrt() > SHORT * radii {
            let end = |s: Real| {
                let p = first.a + along_a * s;
                let t = ((p - second.a).dot(&along_b) / len_b).clamp(0.0, 1.0);
                let q = second.a + along_b * t;
                (p, q, (q - p).norm())
            };
            let (low, high) = (end(lo), end(hi));
            let slack = SKEW * radii;
            // The nearest pair lies at one end, or both ends are as near as makes no difference.
            let nearest_at_end = low.2.min(high.2) <= apart + 1e-9 * radii;
            if nearest_at_end || low.2.max(high.2) <= apart + slack {
                for ((p, q, apart), feature) in [(low, FIRST_END), (high, SECOND_END)] {
                    if apart - radii <= limit {
                        out.push(touch(p, q, apart, feature));
                    }
                }
                return;
            }
        }
    }
    let feature = match s {
        0.0 => FIRST_END,
        1.0 => SECOND_END,
        _ => BETWEEN,
    };
    out.push(touch(p, q, apart, feature));
}

/// Returns the normal for lines that cross: perpendicular to both, towards the middle of the second.
fn way_out(first: &Round, second: &Round, along_a: &Vec3, along_b: &Vec3) -> Vec3 {
    let between = (second.a + second.b - first.a - first.b) * 0.5;
    let square = along_a.cross(along_b);
    let small = 1e-9 * (along_a.norm() * along_b.norm());
    let normal = if square.norm() > small {
        square.normalize()
    } else {
        let line = if along_a.norm_squared() >= along_b.norm_squared() { along_a } else { along_b };
        let length = line.norm();
        if length == 0.0 {
            return between.try_normalize(1e-12).unwrap_or_else(Vec3::y);
        }
        let line = line / length;
        let sideways = between - line * line.dot(&between);
        sideways.try_normalize(1e-12).unwrap_or_else(|| {
            // Up, if the line allows it: coincident solids are separated against gravity rather than along it.
            let up = Vec3::y() - line * line.y;
            up.try_normalize(0.1).unwrap_or_else(|| across(&line))
        })
    };
    if normal.dot(&between) < 0.0 { -normal } else { normal }
}

/// Returns the nearest points of two line segments as shares of each; the middle of the stretch for parallel ones.
#[inline]
pub(crate) fn closest_parameters(a: &Vec3, along_a: &Vec3, b: &Vec3, along_b: &Vec3) -> (Real, Real) {
    let r = a - b;
    let (aa, bb) = (along_a.norm_squared(), along_b.norm_squared());
    let (ar, br) = (along_a.dot(&r), along_b.dot(&r));
    if aa == 0.0 && bb == 0.0 {
        return (0.0, 0.0);
    }
    if aa == 0.0 {
        return (0.0, (br / bb).clamp(0.0, 1.0));
    }
    if bb == 0.0 {
        return ((-ar / aa).clamp(0.0, 1.0), 0.0);
    }
    let ab = along_a.dot(along_b);
    let determinant = aa * bb - ab * ab;
    let s = if determinant > 1e-14 * aa * bb {
        ((ab * br - ar * bb) / determinant).clamp(0.0, 1.0)
    } else {
        let (u, v) = (-ar / aa, (ab - ar) / aa);
        ((u.min(v).clamp(0.0, 1.0)) + (u.max(v).clamp(0.0, 1.0))) * 0.5
    };
    let t = (ab * s + br) / bb;
    if t < 0.0 {
        ((-ar / aa).clamp(0.0, 1.0), 0.0)
    } else if t > 1.0 {
        (((ab - ar) / aa).clamp(0.0, 1.0), 1.0)
    } else {
        (s, t)
    }
}

//! Two-bone reach: where a hinge in the middle must be so that the end gets to its place.
//!
//!   d = |target − root|,  cos α = (a² + d² − b²) / 2ad,  middle = root + a (cos α · n + sin α · f)
//!
//! with n the direction to the target and f the side the hinge points to, at right angles to n.

use sinew::{Real, Vec3};

/// The two bones of a reach.
#[derive(Clone, Copy)]
pub struct TwoBones {
    pub upper: Real,
    pub lower: Real,
}

/// A solved reach: unit directions of both bones, and the unit vector (at right angles to both) that completes
/// `side`, `−direction`, `forward` to a right-handed frame when the hinge points forward.
pub struct Reach {
    pub upper: Vec3,
    pub lower: Vec3,
    pub side: Vec3,
}

impl TwoBones {
    /// `toward` is where the hinge points to. A target out of reach is approached as far as the bones allow.
    pub fn reach(self, root: Vec3, target: Vec3, toward: Vec3) -> Reach {
        let (a, b) = (self.upper, self.lower);
        let line = target - root;
        let d = line.norm().clamp((a - b).abs() + 1e-6, a + b - 1e-6);
        let n = line.normalize();
        let f = (toward - n * n.dot(&toward)).normalize();
        let cosine = ((a * a + d * d - b * b) / (2.0 * a * d)).clamp(-1.0, 1.0);
        let upper = n * cosine + f * (1.0 - cosine * cosine).sqrt();
        Reach { upper, lower: (n * d - upper * a) / b, side: f.cross(&n) }
    }

    /// Distance between the ends when the hinge is bent by `angle` from straight.
    pub fn distance(self, angle: Real) -> Real {
        (self.upper * self.upper + self.lower * self.lower + 2.0 * self.upper * self.lower * angle.cos()).sqrt()
    }

    /// The bend from straight that puts the ends `distance` apart.
    pub fn bend(self, distance: Real) -> Real {
        let (a, b) = (self.upper, self.lower);
        ((distance * distance - a * a - b * b) / (2.0 * a * b)).clamp(-1.0, 1.0).acos()
    }
}

//! Contact points as the kernels report them: points of two solids that touch or may touch soon.

use crate::collide::prepared::Frame;
use crate::math::{Real, Vec3};

/// Pair of opposite points, metres, in the space the kernel works in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Point on the first solid.
    pub(crate) a: Vec3,
    /// Point on the second solid.
    pub(crate) b: Vec3,
    /// Unit normal from the first towards the second.
    pub(crate) normal: Vec3,
    /// Gap along the normal, metres; negative inside.
    pub(crate) distance: Real,
    pub(crate) feature: u32,
}

impl Touch {
    /// Swaps the two solids.
    #[inline]
    pub(crate) fn flip(&mut self) {
        std::mem::swap(&mut self.a, &mut self.b);
        self.normal = -self.normal;
    }

    /// Moves the pair into the space that `frame` is placed in.
    pub(crate) fn placed(&mut self, frame: &Frame) {
        (self.a, self.b) = (frame.point(&self.a), frame.point(&self.b));
        self.normal = frame.rotation * self.normal;
    }
}

/// Returns a number for a pair of features: its kind, and the feature of each side.
#[inline]
pub(crate) fn feature(kind: u32, a: u32, b: u32) -> u32 {
    (kind << 28) | ((a & 0x3fff) << 14) | (b & 0x3fff)
}

/// Returns a number for a feature on one triangle of many.
#[inline]
pub(crate) fn feature_of_triangle(triangle: u32, feature: u32) -> u32 {
    (triangle.wrapping_mul(0x9e37_79b1)) ^ feature.rotate_left(7)
}

/// Returns a unit vector perpendicular to a given one.
#[inline]
pub(crate) fn across(v: &Vec3) -> Vec3 {
    let axis = if v.x.abs() <= v.y.abs() && v.x.abs() <= v.z.abs() {
        Vec3::x()
    } else if v.y.abs() <= v.z.abs() {
        Vec3::y()
    } else {
        Vec3::z()
    };
    v.cross(&axis).try_normalize(0.0).unwrap_or_else(Vec3::y)
}

//! What a body is bounded by.

use crate::math::{Real, Vec3};
use std::sync::Arc;

/// A solid, metres, in the collider's own frame. Several colliders on one body make a compound.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// About the origin.
    Sphere { radius: Real },
    /// All points within `radius` of the line from `a` to `b`.
    Capsule { a: Vec3, b: Vec3, radius: Real },
    /// About the origin, along the axes.
    Box { half_extents: Vec3 },
    /// The convex hull of some points.
    Hull { points: Arc<[Vec3]> },
    /// Everything below the plane through the origin across `normal`. Fixed and scripted bodies only.
    HalfSpace { normal: Vec3 },
    /// Heights above the xz-plane on a regular grid, centred at the origin. Fixed and scripted bodies only.
    HeightField {
        /// Points along z, points along x.
        rows: usize,
        columns: usize,
        /// Row by row, metres.
        heights: Arc<[Real]>,
        /// Whole extent along x and z.
        size: [Real; 2],
    },
    /// Triangles, seen from both sides. Fixed and scripted bodies only.
    Mesh { vertices: Arc<[Vec3]>, triangles: Arc<[[u32; 3]]> },
}

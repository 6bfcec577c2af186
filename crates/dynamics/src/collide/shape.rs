//! What a body is bounded by.

use super::prepared::hull_of;
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
    /// Heights above the xz-plane on a regular grid, centred at the origin; everything below is solid. Fixed and
    /// scripted bodies only.
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

/// Why a shape is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    #[error("the {what} must be a positive number, not {value}")]
    Size { what: &'static str, value: Real },
    #[error("{what} is not a finite number")]
    NotFinite { what: &'static str },
    #[error("the {count} points of the hull enclose no volume; at least four that do not lie in one plane are needed")]
    FlatHull { count: usize },
    #[error("the normal of the half-space has no direction")]
    NoDirection,
    #[error("a height field needs at least 2 rows and 2 columns, not {rows} and {columns}")]
    FewHeights { rows: usize, columns: usize },
    #[error("the height field has {found} heights; {rows} rows of {columns} need {needed}", needed = rows * columns)]
    HeightCount { rows: usize, columns: usize, found: usize },
    #[error("the mesh has no triangles")]
    EmptyMesh,
    #[error("triangle {triangle} names vertex {vertex}, but the mesh has {count} vertices")]
    NoSuchVertex { triangle: usize, vertex: u32, count: usize },
    #[error("the coefficients of its material must be numbers from 0 on, not {value}")]
    Material { value: Real },
    #[error("a {0} has no inside that could move: it fits fixed and scripted bodies only")]
    Immovable(&'static str),
}

impl Shape {
    /// What it is called in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Sphere { .. } => "sphere",
            Shape::Capsule { .. } => "capsule",
            Shape::Box { .. } => "box",
            Shape::Hull { .. } => "hull",
            Shape::HalfSpace { .. } => "half-space",
            Shape::HeightField { .. } => "height field",
            Shape::Mesh { .. } => "mesh",
        }
    }

    /// Whether it has a volume of its own, so that a body that moves can wear it.
    pub fn is_solid(&self) -> bool {
        !matches!(self, Shape::HalfSpace { .. } | Shape::HeightField { .. } | Shape::Mesh { .. })
    }

    /// The points that span it, each with its radius: metres, in its own frame. Grounds span nothing.
    pub fn for_each_corner(&self, mut corner: impl FnMut(Vec3, Real)) {
        match self {
            Shape::Sphere { radius } => corner(Vec3::zeros(), *radius),
            Shape::Capsule { a, b, radius } => [a, b].into_iter().for_each(|end| corner(*end, *radius)),
            Shape::Box { half_extents } => (0..8).for_each(|which: u32| {
                let sign = |bit: u32| if which >> bit & 1 == 0 { -1.0 } else { 1.0 };
                corner(half_extents.component_mul(&Vec3::new(sign(0), sign(1), sign(2))), 0.0);
            }),
            Shape::Hull { points } => points.iter().for_each(|point| corner(*point, 0.0)),
            Shape::HalfSpace { .. } | Shape::HeightField { .. } | Shape::Mesh { .. } => {}
        }
    }

    /// Whether it can be collided with at all.
    ///
    /// ```
    /// use sinew_dynamics::Shape;
    ///
    /// let error = Shape::Sphere { radius: -1.0 }.validate().expect_err("no ball is that small");
    /// assert_eq!(error.to_string(), "the radius must be a positive number, not -1");
    /// ```
    pub fn validate(&self) -> Result<(), ShapeError> {
        let size = |what: &'static str, value: Real| {
            let positive = value > 0.0 && value.is_finite();
            if positive { Ok(()) } else { Err(ShapeError::Size { what, value }) }
        };
        let finite = |what: &'static str, points: &[Vec3]| {
            let all = points.iter().all(|p| p.iter().all(|x| x.is_finite()));
            if all { Ok(()) } else { Err(ShapeError::NotFinite { what }) }
        };
        match self {
            Shape::Sphere { radius } => size("radius", *radius),
            Shape::Capsule { a, b, radius } => {
                size("radius", *radius)?;
                finite("an end of the capsule", &[*a, *b])
            }
            Shape::Box { half_extents } => half_extents.iter().try_for_each(|h| size("half extent", *h)),
            Shape::Hull { points } => {
                finite("a point of the hull", points)?;
                let hull = hull_of(points).ok_or(ShapeError::FlatHull { count: points.len() })?;
                drop(hull);
                Ok(())
            }
            Shape::HalfSpace { normal } => {
                finite("the normal of the half-space", &[*normal])?;
                if normal.norm() > 0.0 { Ok(()) } else { Err(ShapeError::NoDirection) }
            }
            Shape::HeightField { rows, columns, heights, size: extent } => {
                let (rows, columns) = (*rows, *columns);
                if rows < 2 || columns < 2 {
                    return Err(ShapeError::FewHeights { rows, columns });
                }
                if rows.checked_mul(columns) != Some(heights.len()) {
                    return Err(ShapeError::HeightCount { rows, columns, found: heights.len() });
                }
                if !heights.iter().all(|h| h.is_finite()) {
                    return Err(ShapeError::NotFinite { what: "a height" });
                }
                size("extent along x", extent[0])?;
                size("extent along z", extent[1])
            }
            Shape::Mesh { vertices, triangles } => {
                finite("a vertex of the mesh", vertices)?;
                if triangles.is_empty() {
                    return Err(ShapeError::EmptyMesh);
                }
                let count = vertices.len();
                for (triangle, corners) in triangles.iter().enumerate() {
                    if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= count) {
                        return Err(ShapeError::NoSuchVertex { triangle, vertex, count });
                    }
                }
                Ok(())
            }
        }
    }
}

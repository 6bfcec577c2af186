//! Shapes of colliders and their validation.

use super::prepared::hull_of;
use crate::math::{Real, Vec3};
use std::sync::Arc;

/// Solid, metres, in the collider's own frame. Several colliders on one body make a compound.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Sphere about the origin.
    Sphere {
        /// Radius, metres.
        radius: Real,
    },
    /// Points within `radius` of the line from `a` to `b`.
    Capsule {
        /// First end of the line, metres.
        a: Vec3,
        /// Second end of the line, metres.
        b: Vec3,
        /// Radius, metres.
        radius: Real,
    },
    /// Box about the origin, along the axes.
    Box {
        /// Half of the size along each axis, metres.
        half_extents: Vec3,
    },
    /// Convex hull of points.
    Hull {
        /// Points, metres; those inside are allowed.
        points: Arc<[Vec3]>,
    },
    /// Half-space below the plane through the origin across `normal`. Fixed and scripted bodies only.
    HalfSpace {
        /// Outward direction, of any length but zero.
        normal: Vec3,
    },
    /// Heights above the xz-plane on a regular grid, centred at the origin; solid below. Fixed and scripted bodies
    /// only.
    HeightField {
        /// Number of points along z.
        rows: usize,
        /// Number of points along x.
        columns: usize,
        /// Heights row by row, metres.
        heights: Arc<[Real]>,
        /// Whole extent along x and z, metres.
        size: [Real; 2],
    },
    /// Two-sided triangles. Fixed and scripted bodies only.
    Mesh {
        /// Corners, metres.
        vertices: Arc<[Vec3]>,
        /// Indices of the corners of each triangle.
        triangles: Arc<[[u32; 3]]>,
    },
}

/// Largest distance from the origin that a shape may reach, metres: farther away, rounding is more than a contact needs.
pub const LARGEST_EXTENT: Real = 1e6;

/// Least size of a shape, metres: the squares of smaller ones lose their meaning beside others.
pub const SMALLEST_EXTENT: Real = 1e-9;

/// Reason for which a shape is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// Size that is not positive and finite.
    #[error("the {what} must be a positive number, not {value}")]
    Size {
        /// Name of the size.
        what: &'static str,
        /// Refused value.
        value: Real,
    },
    /// Size or place beyond the limits.
    #[error("{what} is {value:e} m; shapes must be between {SMALLEST_EXTENT:e} m and {LARGEST_EXTENT:e} m")]
    Extent {
        /// Name of the size.
        what: &'static str,
        /// Refused value, metres.
        value: Real,
    },
    /// Number that is not finite.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// Name of the number.
        what: &'static str,
    },
    /// Hull without volume.
    #[error("the {count} points of the hull enclose no volume; at least four that do not lie in one plane are needed")]
    FlatHull {
        /// Number of points.
        count: usize,
    },
    /// Half-space with a zero normal.
    #[error("the normal of the half-space has no direction")]
    NoDirection,
    /// Height field with fewer than two rows or columns.
    #[error("a height field needs at least 2 rows and 2 columns, not {rows} and {columns}")]
    FewHeights {
        /// Number of points along z.
        rows: usize,
        /// Number of points along x.
        columns: usize,
    },
    /// Number of heights that is not rows times columns.
    #[error("the height field has {found} heights; {rows} rows of {columns} need {needed}", needed = rows * columns)]
    HeightCount {
        /// Number of points along z.
        rows: usize,
        /// Number of points along x.
        columns: usize,
        /// Number of heights given.
        found: usize,
    },
    /// Mesh without triangles.
    #[error("the mesh has no triangles")]
    EmptyMesh,
    /// Index beyond the vertices of the mesh.
    #[error("triangle {triangle} names vertex {vertex}, but the mesh has {count} vertices")]
    NoSuchVertex {
        /// Index of the triangle.
        triangle: usize,
        /// Index that it names.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// Negative or undefined coefficient of the material.
    #[error("the coefficients of its material must be numbers from 0 on, not {value}")]
    Material {
        /// Refused value.
        value: Real,
    },
    /// Shape without volume on a dynamic body.
    #[error("a {0} has no inside that could move: it fits fixed and scripted bodies only")]
    Immovable(&'static str),
}

impl Shape {
    /// Returns the name used in messages.
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

    /// Returns true if it has a volume of its own, so that a dynamic body can carry it.
    pub fn is_solid(&self) -> bool {
        !matches!(self, Shape::HalfSpace { .. } | Shape::HeightField { .. } | Shape::Mesh { .. })
    }

    /// Calls `corner` with the points that span it, each with its radius: metres, in its own frame. Half-spaces, height
    /// fields and meshes have none.
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

    /// Refuses sizes that are not positive, numbers that are not finite and shapes without extent.
    ///
    /// ```
    /// use sinew_dynamics::Shape;
    ///
    /// let error = Shape::Sphere { radius: -1.0 }.validate().expect_err("no ball is that small");
    /// assert_eq!(error.to_string(), "the radius must be a positive number, not -1");
    /// ```
    pub fn validate(&self) -> Result<(), ShapeError> {
        let size = |what: &'static str, value: Real| {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ShapeError::Size { what, value });
            }
            let bearable = (SMALLEST_EXTENT..=LARGEST_EXTENT).contains(&value);
            if bearable { Ok(()) } else { Err(ShapeError::Extent { what, value }) }
        };
        let finite = |what: &'static str, points: &[Vec3]| {
            let largest = points.iter().map(Vec3::amax).fold(0.0, Real::max);
            if !points.iter().all(|p| p.iter().all(|x| x.is_finite())) {
                return Err(ShapeError::NotFinite { what });
            }
            if largest <= LARGEST_EXTENT { Ok(()) } else { Err(ShapeError::Extent { what, value: largest }) }
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
                if !normal.iter().all(|x| x.is_finite()) {
                    return Err(ShapeError::NotFinite { what: "the normal of the half-space" });
                }
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
                if let Some(&value) = heights.iter().find(|h| h.abs() > LARGEST_EXTENT) {
                    return Err(ShapeError::Extent { what: "a height", value });
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

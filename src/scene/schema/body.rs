//! Ground, bodies, shapes, points.

use crate::scene::number::{Number, OneOrMany, Triple};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ground under the scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ground {
    /// Height, metres.
    pub height: Option<Number>,
    /// Angle by which the ground descends towards +x, radians.
    pub slope: Option<Number>,
    /// Coulomb's friction coefficient µ; a pair uses the geometric mean of both.
    pub friction: Option<Number>,
    /// Coefficient of restitution: 0 stays, 1 bounces back at full speed; a pair uses the larger one.
    pub restitution: Option<Number>,
    /// Rolling resistance, lever in metres.
    pub rolling: Option<Number>,
    /// Spinning resistance, lever in metres.
    pub spinning: Option<Number>,
}

/// Rigid body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["name"]))]
pub struct Body {
    /// Name of one word; with `repeat` it contains {i}.
    pub name: String,
    /// Number of copies; i counts from 0.
    pub repeat: Option<u32>,
    /// Cause of its motion; dynamic by default.
    pub kind: Option<BodyKind>,
    /// Mass, kg.
    pub mass: Option<Number>,
    /// Density instead of the mass, kg/m³.
    pub density: Option<Number>,
    /// Principal moments of inertia, kg·m², instead of those of the shape.
    pub inertia: Option<Triple>,
    /// Shape, or several shapes of a compound.
    pub shape: Option<OneOrMany<Shape>>,
    /// Position of the body's origin, metres. For a scripted body, a function of time.
    pub at: Option<Triple>,
    /// Orientation. For a scripted body, a function of time.
    pub turn: Option<Turn>,
    /// Velocity of the centre of mass, m/s.
    pub velocity: Option<Triple>,
    /// Angular velocity, rad/s, world axes.
    pub spin: Option<Triple>,
    /// Linear damping rate, 1/s.
    pub damping: Option<Number>,
    /// Angular damping rate, 1/s.
    pub angular_damping: Option<Number>,
    /// Coulomb's friction coefficient µ.
    pub friction: Option<Number>,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: Option<Number>,
    /// Rolling resistance, lever in metres.
    pub rolling: Option<Number>,
    /// Spinning resistance, lever in metres.
    pub spinning: Option<Number>,
    /// True if it touches nothing.
    pub ghost: Option<bool>,
    /// Names of bodies that it does not touch; * stands for any characters.
    pub apart_from: Option<OneOrMany<String>>,
    /// True for continuous collision detection: for small, fast bodies among thin ones.
    pub fast: Option<bool>,
    /// Colour: red, green and blue, 0 to 1.
    pub color: Option<[f64; 3]>,
}

/// Cause of a body's motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BodyKind {
    /// Forces.
    #[default]
    Dynamic,
    /// Nothing: the body stays.
    Fixed,
    /// Constant velocity and spin.
    Kinematic,
    /// `at` and `turn` as functions of time.
    Scripted,
}

/// Orientation: about an axis by an angle, or a quaternion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Turn {
    /// Rotation about an axis, radians.
    Axis(AxisTurn),
    /// Product of several rotations; the last one is applied first.
    Several(Vec<AxisTurn>),
    /// Quaternion w, x, y, z.
    Quaternion([f64; 4]),
}

/// Rotation about an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AxisTurn {
    /// Axis; need not be normalised.
    pub axis: Triple,
    /// Angle, radians.
    pub angle: Number,
}

/// Collision shape.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["kind"]))]
pub struct Shape {
    /// Kind of the shape.
    pub kind: ShapeKind,
    /// Radius of a sphere, capsule or cylinder, metres.
    pub radius: Option<Number>,
    /// Full extents of a box, metres.
    pub size: Option<Triple>,
    /// Length along x of a rod or cylinder, or of the straight part of a capsule, metres.
    pub length: Option<Number>,
    /// Points of a hull or mesh, metres.
    pub points: Option<Vec<[f64; 3]>>,
    /// Triangles of a mesh, by numbers of points.
    pub triangles: Option<Vec<[u32; 3]>>,
    /// Upward normal of a plane.
    pub normal: Option<Triple>,
    /// Heights above the xz-plane, row by row along z, metres.
    pub heights: Option<Vec<Vec<f64>>>,
    /// Full extents of a height field along x and z, metres.
    pub extent: Option<[f64; 2]>,
    /// Position on its body, metres.
    pub at: Option<Triple>,
    /// Orientation on its body.
    pub turn: Option<Turn>,
    /// Part of the body's mass, kg; by volume by default.
    pub mass: Option<Number>,
}

/// Kind of a shape. Rods, capsules and cylinders lie along x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShapeKind {
    /// Ball.
    #[default]
    Sphere,
    /// Box with full extents `size`.
    Box,
    /// Cylinder with hemispherical ends.
    Capsule,
    /// Cylinder.
    Cylinder,
    /// Thin rod that touches nothing.
    Rod,
    /// Convex hull of points.
    Hull,
    /// Half-space below a plane.
    Plane,
    /// Height field.
    Heights,
    /// Triangle mesh.
    Mesh,
}

/// Named point on a body, to read or to attach to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["name"]))]
pub struct Point {
    /// Name of one word; with `repeat` it contains {i}.
    pub name: String,
    /// Number of copies; i counts from 0.
    pub repeat: Option<u32>,
    /// Body; without one the point is in the world.
    pub on: Option<String>,
    /// Position from the body's origin, metres, body axes.
    pub at: Option<Triple>,
}

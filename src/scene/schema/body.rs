//! Ground, bodies, shapes, points.

use crate::scene::number::{Number, OneOrMany, Triple};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What everything stands on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ground {
    /// Metres.
    pub height: Option<Number>,
    /// How much it leans, down towards +x, radians.
    pub slope: Option<Number>,
    /// Coulomb's µ; a pair rubs with the geometric mean of both.
    pub friction: Option<Number>,
    /// 0 stays, 1 bounces back at full speed; a pair takes the larger one.
    pub restitution: Option<Number>,
    /// Lever that resists rolling, metres.
    pub rolling: Option<Number>,
    /// Lever that resists spinning, metres.
    pub spinning: Option<Number>,
}

/// A rigid body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["name"]))]
pub struct Body {
    /// One word; with `repeat` it has {i} in it.
    pub name: String,
    /// Makes so many of them; i counts from 0.
    pub repeat: Option<u32>,
    pub kind: Option<BodyKind>,
    /// kg.
    pub mass: Option<Number>,
    /// kg/m³, instead of the mass.
    pub density: Option<Number>,
    /// Principal moments of inertia, kg·m², instead of those of the shape.
    pub inertia: Option<Triple>,
    /// One shape, or several that make a compound.
    pub shape: Option<OneOrMany<Shape>>,
    /// Where the body's own origin is, metres. Of a scripted body, a function of time.
    pub at: Option<Triple>,
    pub turn: Option<Turn>,
    /// m/s, of the centre of mass.
    pub velocity: Option<Triple>,
    /// rad/s, world axes.
    pub spin: Option<Triple>,
    /// Share of the velocity lost per second, 1/s.
    pub damping: Option<Number>,
    /// Share of the spin lost per second, 1/s.
    pub angular_damping: Option<Number>,
    pub friction: Option<Number>,
    pub restitution: Option<Number>,
    pub rolling: Option<Number>,
    pub spinning: Option<Number>,
    /// Touches nothing.
    pub ghost: Option<bool>,
    /// Names of bodies that it does not touch; * stands for any letters.
    pub apart_from: Option<OneOrMany<String>>,
    /// Swept along its way: for small, fast bodies among thin ones.
    pub fast: Option<bool>,
    /// Red, green and blue, 0 to 1.
    pub color: Option<[f64; 3]>,
}

/// Who moves a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BodyKind {
    /// Forces do.
    #[default]
    Dynamic,
    /// Nothing.
    Fixed,
    /// It keeps its velocity and spin.
    Kinematic,
    /// `at` and `turn`, as functions of time.
    Scripted,
}

/// An orientation: about an axis by an angle, or a quaternion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Turn {
    /// About an axis by an angle, radians.
    Axis(AxisTurn),
    /// Several turns, the last one first, as matrices are multiplied.
    Several(Vec<AxisTurn>),
    /// w, x, y, z.
    Quaternion([f64; 4]),
}

/// A turn about an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AxisTurn {
    pub axis: Triple,
    /// Radians.
    pub angle: Number,
}

/// A solid, or ground that does not move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["kind"]))]
pub struct Shape {
    pub kind: ShapeKind,
    /// Metres: of a sphere, capsule or cylinder.
    pub radius: Option<Number>,
    /// Metres, whole extents of a box.
    pub size: Option<Triple>,
    /// Metres along x: of a rod or cylinder, and of the straight part of a capsule.
    pub length: Option<Number>,
    /// Of a hull or mesh, metres.
    pub points: Option<Vec<[f64; 3]>>,
    /// Of a mesh: which three points make each.
    pub triangles: Option<Vec<[u32; 3]>>,
    /// Up, of a plane.
    pub normal: Option<Triple>,
    /// Heights above the xz-plane, row by row along z, metres.
    pub heights: Option<Vec<Vec<f64>>>,
    /// Whole extents of heights along x and z, metres.
    pub extent: Option<[f64; 2]>,
    /// Where it is on its body, metres.
    pub at: Option<Triple>,
    /// How it is turned on its body.
    pub turn: Option<Turn>,
    /// Its share of the body's mass, kg; by volume unless told.
    pub mass: Option<Number>,
}

/// Shapes. Rods, capsules and cylinders lie along x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShapeKind {
    #[default]
    Sphere,
    Box,
    Capsule,
    Cylinder,
    /// As thin as a line; it touches nothing.
    Rod,
    Hull,
    /// Everything below a plane.
    Plane,
    Heights,
    Mesh,
}

/// A named point on a body, to read or to hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["name"]))]
pub struct Point {
    pub name: String,
    pub repeat: Option<u32>,
    /// The body; without one the point is in the world.
    pub on: Option<String>,
    /// Metres, the body's axes from its origin.
    pub at: Option<Triple>,
}

//! Constraints.

use crate::scene::number::{Number, OneOrMany, Triple};
use crate::scene::schema::Turn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Joint or other constraint. `docs/scenes.md` lists the keys of each kind.
///
/// Points and axes are given once in the world (`at`, `axis`) if the bodies start in place, or on each body (`at_a`,
/// `at_b`, `axis_a`, `axis_b`), so that the joint pulls them together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["kind"]))]
pub struct Joint {
    /// Name of one word; with `repeat` it contains {i}.
    pub name: Option<String>,
    /// Number of copies; i counts from 0.
    pub repeat: Option<u32>,
    /// Kind of the joint.
    pub kind: JointKind,
    /// First body or point; the world by default.
    pub a: Option<String>,
    /// Second body or point; the world by default.
    pub b: Option<String>,
    /// Position, world, metres.
    pub at: Option<Triple>,
    /// Position on the first body, metres.
    pub at_a: Option<Triple>,
    /// Position on the second body, metres.
    pub at_b: Option<Triple>,
    /// Axis of a hinge, slider or cylinder, normal of a plane; world.
    pub axis: Option<Triple>,
    /// Axis on the first body.
    pub axis_a: Option<Triple>,
    /// Axis on the second body.
    pub axis_b: Option<Triple>,
    /// Other axis of a universal joint, world.
    pub second_axis: Option<Triple>,
    /// Start of its action, seconds.
    pub start: Option<Number>,
    /// End of its action, seconds.
    pub end: Option<Number>,
    /// Load at which it breaks, N or N·m.
    pub breaks_at: Option<Number>,
    /// True if it is off at first.
    pub off: Option<bool>,
    /// Time constant by which a deviation decays, seconds; without it, or a spring, the joint is hard.
    pub tau: Option<Number>,
    /// Stiffness of a spring instead of a hard joint, N/m or N·m/rad.
    pub stiffness: Option<Number>,
    /// Damping, N·s/m or N·m·s/rad.
    pub damping: Option<Number>,
    /// Frequency of a spring that suits the mass it moves, Hz.
    pub frequency: Option<Number>,
    /// Damping ratio; 1 is critical.
    pub damping_ratio: Option<Number>,
    /// Maximum force, N or N·m.
    pub max_force: Option<Number>,
    /// Maximum torque of a motor, N·m.
    pub max_torque: Option<Number>,
    /// Length of a bar, rope, strut or pulley, metres; as at the start by default.
    pub length: Option<Number>,
    /// Point where a pulley's rope leaves its first wheel, world, metres.
    pub wheel_a: Option<Triple>,
    /// Point where a pulley's rope leaves its second wheel, world, metres.
    pub wheel_b: Option<Triple>,
    /// Number of strands that carry the second load of a pulley.
    pub ratio: Option<Number>,
    /// True if a pulley's rope may be slack.
    pub slack: Option<bool>,
    /// Joint, or two joints of a gear, that a limit, spring, motor or gear acts on.
    pub of: Option<OneOrMany<String>>,
    /// Degree of freedom of that joint: "turn x" … "slide z"; the free one of a hinge or slider by default.
    pub freedom: Option<OneOrMany<String>>,
    /// Factors of a gear's two coordinates: radii of wheels, -1 for a rack.
    pub factors: Option<[Number; 2]>,
    /// True for a gear that never drifts.
    pub toothed: Option<bool>,
    /// Lower end of a range, metres or radians.
    pub lower: Option<Number>,
    /// Upper end of a range, metres or radians.
    pub upper: Option<Number>,
    /// Rest position of a spring between stops, metres or radians.
    pub rest: Option<Number>,
    /// Half angles of a cone about y and z, radians.
    pub swing: Option<[Number; 2]>,
    /// Lower and upper twist, radians.
    pub twist: Option<[Number; 2]>,
    /// Ranges of Euler angles, radians.
    pub ranges: Option<[[Number; 2]; 3]>,
    /// Order of Euler angles, such as "xyz".
    pub order: Option<String>,
    /// Speed of a powered axis, m/s or rad/s.
    pub speed: Option<Number>,
    /// Target of a powered axis, metres or radians; it may depend on time.
    pub position: Option<Number>,
    /// Target position of B in A for a motor, metres; it may depend on time.
    pub target: Option<Triple>,
    /// Target rotation of B in A for a motor.
    pub target_turn: Option<Turn>,
    /// Path of a point, world, metres, as a function of time.
    pub path: Option<Triple>,
    /// Path through points at times: [seconds, x, y, z].
    pub path_points: Option<Vec<[f64; 4]>>,
    /// Path of a joint of a figure's clip: "figure.joint".
    pub path_of: Option<String>,
    /// Curve that a point is on.
    pub curve: Option<Curve>,
    /// True if a point is released at the end of its curve.
    pub leaves_at_ends: Option<bool>,
    /// Surface that a point is on.
    pub surface: Option<Surface>,
    /// True if a point may leave a surface to its outside.
    pub outside: Option<bool>,
    /// Radius of a ball or wheel that rolls, metres.
    pub radius: Option<Number>,
    /// Axle of a wheel that rolls, body axes; without one it is a ball.
    pub axle: Option<Triple>,
    /// True if a rolling body stays on its plane, beside not slipping; true by default.
    pub touching: Option<bool>,
    /// Rows of a custom joint: "point x", "linear y", "angular z", "twist z", "perpendicular x y"; followed by "firm" a row
    /// is hard, whatever the others are.
    pub rows: Option<Vec<String>>,
}

/// Kind of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// Two points coincide.
    #[default]
    Ball,
    /// Two points and an axis coincide.
    Hinge,
    /// Two points coincide and two axes stay perpendicular.
    Universal,
    /// Translation along an axis only.
    Slider,
    /// Translation along and rotation about an axis.
    Cylinder,
    /// No relative motion.
    Weld,
    /// Translation on a plane and rotation about its normal.
    Plane,
    /// A point stays on a line.
    Line,
    /// A point stays on a plane.
    OnPlane,
    /// Two axes stay perpendicular.
    Perpendicular,
    /// Two axes point the same way.
    Align,
    /// Rows combined by hand.
    Rows,
    /// All six degrees of freedom are driven.
    Motor,
    /// A point follows a path over time.
    Path,
    /// A point stays on a curve.
    Curve,
    /// A point stays on a surface.
    Surface,
    /// Two points keep their distance.
    Bar,
    /// Two points have a maximum distance.
    Rope,
    /// Two points have a minimum distance.
    Strut,
    /// Rope over two wheels.
    Pulley,
    /// Two coordinates with a fixed ratio.
    Gear,
    /// A ball or wheel rolls on a plane without slipping.
    Rolling,
    /// A coordinate stays in a range.
    Limit,
    /// Cone of swing and range of twist.
    SwingTwist,
    /// Ranges of Euler angles.
    Euler,
    /// Spring along or about an axis, between stops.
    LimitedSpring,
    /// Motor along or about an axis, between stops.
    PoweredAxis,
}

/// Curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["kind"]))]
pub struct Curve {
    /// Kind of the curve.
    pub kind: CurveKind,
    /// Point of a line, start of a segment, centre of a circle, metres.
    pub at: Option<Triple>,
    /// End of a segment, metres.
    pub to: Option<Triple>,
    /// Direction of a line, axis of a circle.
    pub axis: Option<Triple>,
    /// Radius of a circle, metres.
    pub radius: Option<Number>,
    /// Points of a spline, metres.
    pub points: Option<Vec<Triple>>,
    /// True if a spline returns to its first point.
    pub closed: Option<bool>,
}

/// Kind of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CurveKind {
    /// Endless line.
    #[default]
    Line,
    /// Straight line between two points.
    Segment,
    /// Circle.
    Circle,
    /// Spline through points.
    Spline,
}

/// Surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["kind"]))]
pub struct Surface {
    /// Kind of the surface.
    pub kind: SurfaceKind,
    /// Point of a plane, or centre, metres.
    pub at: Option<Triple>,
    /// Upward normal of a plane.
    pub normal: Option<Triple>,
    /// Radius of a sphere, metres.
    pub radius: Option<Number>,
    /// Half axes of an ellipsoid, metres.
    pub half_axes: Option<Triple>,
}

/// Kind of a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SurfaceKind {
    /// Plane.
    #[default]
    Plane,
    /// Sphere.
    Sphere,
    /// Ellipsoid.
    Ellipsoid,
}

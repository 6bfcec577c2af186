//! Constraints.

use crate::scene::number::{Number, OneOrMany, Triple};
use crate::scene::schema::Turn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that holds, drives or limits bodies. Which entries belong to which kind is told in `docs/scenes.md`.
///
/// Places and axes are given once, in the world (`at`, `axis`), where the bodies start in place; or on each body
/// (`at_a`, `at_b`, `axis_a`, `axis_b`), so that the joint pulls them together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["kind"]))]
pub struct Joint {
    pub name: Option<String>,
    pub repeat: Option<u32>,
    pub kind: JointKind,
    /// The first body or point; without it the world.
    pub a: Option<String>,
    /// The second body or point; without it the world.
    pub b: Option<String>,
    /// Where it is, world, metres.
    pub at: Option<Triple>,
    /// Where it is on the first body.
    pub at_a: Option<Triple>,
    /// Where it is on the second body.
    pub at_b: Option<Triple>,
    /// The axis of a hinge, slider or cylinder, the normal of a plane, …; world.
    pub axis: Option<Triple>,
    pub axis_a: Option<Triple>,
    pub axis_b: Option<Triple>,
    /// The other axis of a universal joint, world.
    pub second_axis: Option<Triple>,
    /// Acts from this time on, seconds.
    pub start: Option<Number>,
    /// Acts up to this time, seconds.
    pub end: Option<Number>,
    /// Gives way above this force, N or N·m.
    pub breaks_at: Option<Number>,
    /// Switched off at first.
    pub off: Option<bool>,
    /// A deviation dies out with this time constant, seconds; without it, or a spring, it is held exactly.
    pub tau: Option<Number>,
    /// N/m or N·m/rad: a spring instead of a firm hold.
    pub stiffness: Option<Number>,
    /// N·s/m or N·m·s/rad.
    pub damping: Option<Number>,
    /// Hz: a spring that suits the mass it varies.
    pub frequency: Option<Number>,
    /// 1 is critical.
    pub damping_ratio: Option<Number>,
    /// Most force, N or N·m.
    pub max_force: Option<Number>,
    /// Most torque of a motor's turns, N·m.
    pub max_torque: Option<Number>,
    /// Of a bar, rope, strut or pulley, metres; as it is at the start unless told.
    pub length: Option<Number>,
    /// Where a pulley's rope leaves its wheels, world.
    pub wheel_a: Option<Triple>,
    pub wheel_b: Option<Triple>,
    /// Strands that carry the second load of a pulley.
    pub ratio: Option<Number>,
    /// Whether a pulley's rope may be slack.
    pub slack: Option<bool>,
    /// The joint, or two joints of a gear, that a limit, spring, motor or gear is about.
    pub of: Option<OneOrMany<String>>,
    /// Which freedom of that joint: "turn x" … "slide z"; the free one of a hinge or slider unless told.
    pub freedom: Option<OneOrMany<String>>,
    /// Factors of a gear's two coordinates: radii of wheels, -1 for a rack.
    pub factors: Option<[Number; 2]>,
    /// A gear that never loses a tooth.
    pub toothed: Option<bool>,
    /// Ends of a range, metres or radians.
    pub lower: Option<Number>,
    pub upper: Option<Number>,
    /// Where a spring between stops is at ease.
    pub rest: Option<Number>,
    /// Half angles of a cone about y and z, radians.
    pub swing: Option<[Number; 2]>,
    /// Lower and upper twist, radians.
    pub twist: Option<[Number; 2]>,
    /// Ranges of Euler angles, radians.
    pub ranges: Option<[[Number; 2]; 3]>,
    /// Order of Euler angles, such as "xyz".
    pub order: Option<String>,
    /// What a powered axis keeps, m/s or rad/s.
    pub speed: Option<Number>,
    /// Where a powered axis goes, metres or radians; it may move.
    pub position: Option<Number>,
    /// Where a motor holds B in A, metres; it may move.
    pub target: Option<Triple>,
    /// How a motor holds B turned in A.
    pub target_turn: Option<Turn>,
    /// Where a point is led, world; a function of time.
    pub path: Option<Triple>,
    /// …or along points at times: [seconds, x, y, z].
    pub path_points: Option<Vec<[f64; 4]>>,
    /// …or as a joint of a figure's clip varies: "figure.joint".
    pub path_of: Option<String>,
    /// The wire that a point is on.
    pub curve: Option<Curve>,
    /// Lets a point go that passes the end of its wire.
    pub leaves_at_ends: Option<bool>,
    /// The surface that a point is on.
    pub surface: Option<Surface>,
    /// Lets a point leave a surface to its outside.
    pub outside: Option<bool>,
    /// Of a ball or wheel that rolls, metres.
    pub radius: Option<Number>,
    /// The axle of a wheel that rolls, its own axes; without one it is a ball.
    pub axle: Option<Triple>,
    /// Keeps what rolls on its plane, not only from slipping; true unless told.
    pub touching: Option<bool>,
    /// Rows of a joint of one's own: "point x", "linear y", "angular z", "twist z", "perpendicular x y"; with "firm" behind
    /// it a row is held exactly, whatever the others do.
    pub rows: Option<Vec<String>>,
}

/// What a joint is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// Two points stay together.
    #[default]
    Ball,
    /// Two points and an axis stay together.
    Hinge,
    Universal,
    /// Slides along an axis, does not turn.
    Slider,
    /// Slides along and turns about an axis.
    Cylinder,
    Weld,
    /// Slides on a plane and turns about its normal.
    Plane,
    /// A point stays on a line.
    Line,
    /// A point stays on a plane.
    OnPlane,
    /// Two axes stay perpendicular.
    Perpendicular,
    /// Two axes point the same way.
    Align,
    /// Rows put together by hand.
    Rows,
    /// All six freedoms are driven.
    Motor,
    /// A point follows a path of time.
    Path,
    /// A point on a wire.
    Curve,
    /// A point on a surface.
    Surface,
    /// Two points keep their distance.
    Bar,
    /// Two points come no farther apart.
    Rope,
    /// Two points come no nearer.
    Strut,
    /// A rope over two wheels.
    Pulley,
    /// Two coordinates in a fixed ratio.
    Gear,
    /// A ball or wheel rolls on a plane without slipping.
    Rolling,
    /// A coordinate stays between two ends.
    Limit,
    /// A cone of swing and a range of twist.
    SwingTwist,
    /// Ranges of Euler angles.
    Euler,
    /// A spring along or about an axis, between stops.
    LimitedSpring,
    /// A motor along or about an axis, between stops.
    PoweredAxis,
}

/// A wire.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["kind"]))]
pub struct Curve {
    pub kind: CurveKind,
    /// A point of a line, the start of a segment, the centre of a circle.
    pub at: Option<Triple>,
    /// The end of a segment.
    pub to: Option<Triple>,
    /// Direction of a line, axis of a circle.
    pub axis: Option<Triple>,
    /// Metres.
    pub radius: Option<Number>,
    /// What a spline passes, metres.
    pub points: Option<Vec<Triple>>,
    /// Whether a spline returns to its first point.
    pub closed: Option<bool>,
}

/// Wires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CurveKind {
    #[default]
    Line,
    Segment,
    Circle,
    Spline,
}

/// A surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["kind"]))]
pub struct Surface {
    pub kind: SurfaceKind,
    /// A point of a plane, a centre.
    pub at: Option<Triple>,
    /// Up, of a plane.
    pub normal: Option<Triple>,
    /// Metres.
    pub radius: Option<Number>,
    /// Half axes of an ellipsoid, metres.
    pub half_axes: Option<Triple>,
}

/// Surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SurfaceKind {
    #[default]
    Plane,
    Sphere,
    Ellipsoid,
}

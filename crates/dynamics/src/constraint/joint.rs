//! Joints between two frames, assembled from single-row elements.
//!
//! Frame A is fixed to body A, frame B to body B. P and Q are their world positions and orientations, r the lever
//! from the body's centre of mass to P. d = P_b − P_a, and ω = ω_b − ω_a.
//!
//! ```text
//!  Point(e)          C = e·d                     e a world axis          ball = 3 of them
//!                    J_a = (−e, −r_a×e)          J_b = (e, r_b×e)
//!                    J̇v  = e·(ω_b×(ω_b×r_b) − ω_a×(ω_a×r_a))
//!  Linear(a)         C = a·d                     a an axis of frame A
//!                    J_a = (−a, −(r_a+d)×a)      J_b = (a, r_b×a)
//!                    J̇v  = a·(…) + 2(ω_a×a)·ḋ + (ω_a×(ω_a×a))·d
//!  Perpendicular     C = a·b                     a an axis of A, b of B
//!                    J_a = (0, a×b)              J_b = (0, b×a)
//!                    J̇v  = ω·((ω_b×b)×a + b×(ω_a×a))
//!  Angular(a)        C = a·log(Q_aᵀ Q_b Q_targetᵀ)
//!                    J_a = (0, −a)               J_b = (0, a)          (exact where C is small or the rotation is
//! about a)
//!                    J̇v  = (ω_a×a)·ω
//!  Twist(a)          C = 2 atan2(q_a, q_w), q = Q_aᵀ Q_b: the angle about a, counted over whole turns
//!                    J = ±a where the other rotations are held, exact for any others: see `relative_rotation`
//! ```
//!
//! Both bodies receive the force at one point, so that angular momentum is conserved to rounding. hinge = 3 Point + 2
//! Perpendicular; slider = 2 Linear + 3 Angular; weld = 3 Point + 3 Angular; and so on.

use super::relative_rotation::{RelativeRotation, near_angle};
use crate::Placement;
use crate::body::BodyId;
use crate::function::TimeFunction;
use crate::math::{Mat3, Quat, Real, Vec3, real, rotation_vector};
use crate::rows::{Anchor, Muscle, Response, RowBuilder, RowSink, Scope};

/// Axis of a joint's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// First axis.
    X,
    /// Second axis.
    Y,
    /// Third axis; that of a hinge.
    Z,
}

impl Axis {
    /// All three axes, in order.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// Returns 0, 1 or 2.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the unit vector along the axis.
    #[inline]
    pub fn vector(self) -> Vec3 {
        let mut v = Vec3::zeros();
        v[self.index()] = 1.0;
        v
    }
}

/// Quantity that one row of a joint holds or drives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// Distance of the frames' origins along a world axis.
    Point(Axis),
    /// Position of origin B in frame A along an axis of A, relative to the target.
    Linear(Axis),
    /// Rotation of frame B in frame A about an axis of A, relative to the target.
    Angular(Axis),
    /// Angle of B about an axis of A, counted over whole turns; for joints that hold the other two rotations.
    Twist(Axis),
    /// Cosine between an axis of A and an axis of B, held at zero.
    Perpendicular(Axis, Axis),
}

/// One row of a joint: its quantity and how it is driven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// Quantity that the row holds or drives.
    pub element: Element,
    /// Response of the row to its error.
    pub response: Response,
    /// Bound on the magnitude of the multiplier, N or N·m.
    pub max_force: Real,
}

impl Drive {
    /// Makes a row that is held exactly with unlimited force.
    pub fn hold(element: Element) -> Self {
        Self { element, response: Response::Hard, max_force: Real::INFINITY }
    }
}

/// Target of frame B in frame A. The pose holds at `time` and is continued with the velocity and acceleration given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointTarget {
    /// Time of the pose, seconds.
    pub time: Real,
    /// Position of origin B, metres, axes of frame A.
    pub position: Vec3,
    /// Orientation of frame B in frame A.
    pub rotation: Quat,
    /// Angle of the `Twist` element, radians, over whole turns.
    pub twist: Real,
    /// Linear velocity, m/s, axes of frame A.
    pub velocity: Vec3,
    /// Angular velocity, rad/s, axes of frame A.
    pub angular_velocity: Vec3,
    /// Linear acceleration, m/s², axes of frame A.
    pub acceleration: Vec3,
    /// Angular acceleration, rad/s², axes of frame A.
    pub angular_acceleration: Vec3,
}

impl JointTarget {
    /// Returns true if another target differs at most in its time.
    pub(crate) fn is_like(&self, other: &JointTarget) -> bool {
        *self == JointTarget { time: self.time, ..*other }
    }

    /// Returns the orientation of the target at a time, seconds.
    #[inline]
    pub fn rotation_at(&self, time: Real) -> Quat {
        let dt = time - self.time;
        let swept = self.angular_velocity * dt + self.angular_acceleration * (0.5 * dt * dt);
        if swept == Vec3::zeros() { self.rotation } else { Quat::from_scaled_axis(swept) * self.rotation }
    }
}

/// Target of a joint as a function of time (seconds), with velocity and acceleration.
pub type TargetScript = TimeFunction<JointTarget>;

/// Two frames and the rows between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Body that carries frame A; `None` is the world.
    pub a: Option<BodyId>,
    /// Body that carries frame B; `None` is the world.
    pub b: Option<BodyId>,
    /// Frame A in body A's axes (world, without a body).
    pub frame_a: Placement,
    /// Frame B in body B's axes.
    pub frame_b: Placement,
    /// Rows, in the order of their multipliers.
    pub drives: Vec<Drive>,
    /// Target of the linear, angular and twist rows.
    pub target: JointTarget,
    /// Function that gives the target at any time; without it `target` is continued.
    pub script: Option<TargetScript>,
    /// Last angle about each axis of A, over whole turns.
    revolved: [Real; 3],
}

impl Joint {
    /// Makes a joint without rows.
    pub fn new(a: Option<BodyId>, frame_a: Placement, b: Option<BodyId>, frame_b: Placement) -> Self {
        Self {
            a,
            b,
            frame_a,
            frame_b,
            drives: Vec::new(),
            target: JointTarget::default(),
            script: None,
            revolved: [0.0; 3],
        }
    }

    /// Adds rows that are held exactly.
    pub fn holding(mut self, elements: &[Element]) -> Self {
        self.drives.extend(elements.iter().copied().map(Drive::hold));
        self
    }

    /// Adds one driven row.
    pub fn driven(mut self, element: Element, response: Response, max_force: Real) -> Self {
        self.drives.push(Drive { element, response, max_force });
        self
    }

    /// Removes the rows of an element.
    pub fn without(mut self, element: Element) -> Self {
        self.drives.retain(|d| d.element != element);
        self
    }

    /// Gives every row this response.
    pub fn responding(mut self, response: Response) -> Self {
        self.drives.iter_mut().for_each(|d| d.response = response);
        self
    }

    /// Makes a ball joint: the origins stay together, 3 rows.
    pub fn ball(a: Option<BodyId>, frame_a: Placement, b: Option<BodyId>, frame_b: Placement) -> Self {
        Self::new(a, frame_a, b, frame_b).holding(&Axis::ALL.map(Element::Point))
    }

    /// Makes a hinge: the origins and the z axes stay together, 5 rows.
    pub fn hinge(a: Option<BodyId>, frame_a: Placement, b: Option<BodyId>, frame_b: Placement) -> Self {
        Self::ball(a, frame_a, b, frame_b)
            .holding(&[Element::Perpendicular(Axis::Z, Axis::X), Element::Perpendicular(Axis::Z, Axis::Y)])
    }

    /// Makes a universal joint: the origins stay together, x of A stays perpendicular to y of B, 4 rows.
    pub fn universal(a: Option<BodyId>, frame_a: Placement, b: Option<BodyId>, frame_b: Placement) -> Self {
        Self::ball(a, frame_a, b, frame_b).holding(&[Element::Perpendicular(Axis::X, Axis::Y)])
    }

    /// Makes a slider: B slides along x of A and does not rotate, 5 rows.
    pub fn slider(a: Option<BodyId>, frame_a: Placement, b: Option<BodyId>, frame_b: Placement) -> Self {
        Self::new(a, frame_a, b, frame_b)
            .holding(&[Element::Linear(Axis::Y), Element::Linear(Axis::Z)])
            .holding(&Axis::ALL.map(Element::Angular))
    }

    /// Makes a cylindrical joint: B slides along and rotates about x of A, 4 rows.
    pub fn cylinder(a: Option<BodyId>, frame_a: Placement, b: Option<BodyId>, frame_b: Placement) -> Self {
        Self::new(a, frame_a, b, frame_b)
            .holding(&[Element::Linear(Axis::Y), Element::Linear(Axis::Z)])
            .holding(&[Element::Perpendicular(Axis::X, Axis::Y), Element::Perpendicular(Axis::X, Axis::Z)])
    }

    /// Makes a weld: B moves with A, 6 rows.
    pub fn weld(a: Option<BodyId>, frame_a: Placement, b: Option<BodyId>, frame_b: Placement) -> Self {
        Self::new(a, frame_a, b, frame_b)
            .holding(&Axis::ALL.map(Element::Linear))
            .holding(&Axis::ALL.map(Element::Angular))
    }

    /// Makes a planar joint: B slides on the x-y plane of A and rotates about its z, 3 rows.
    pub fn plane(a: Option<BodyId>, frame_a: Placement, b: Option<BodyId>, frame_b: Placement) -> Self {
        Self::new(a, frame_a, b, frame_b)
            .holding(&[Element::Linear(Axis::Z)])
            .holding(&[Element::Perpendicular(Axis::Z, Axis::X), Element::Perpendicular(Axis::Z, Axis::Y)])
    }

    /// Returns the angle of B about an axis of A, radians, counted over whole turns since the joint was made.
    pub fn twist(&self, axis: Axis, relative: &Quat) -> Real {
        let k = axis.index();
        let q = relative.quaternion();
        let angle = 2.0 * real::atan2(q.imag()[k], q.w);
        near_angle(angle, self.revolved[k])
    }

    /// Takes over the revolutions counted by an earlier statement of the same joint.
    pub(crate) fn remember(&mut self, old: &Joint) {
        self.revolved = old.revolved;
    }

    /// Evaluates the script, if there is one.
    pub(crate) fn aim(&mut self, time: Real) {
        if let Some(script) = &self.script {
            self.target = JointTarget { time, ..script.at(time) };
        }
    }

    /// Returns true for three exact anchor rows followed by at most three rows of rotation alone.
    #[inline]
    pub(crate) fn is_pivot(&self) -> bool {
        let Some((anchor, angular)) = self.drives.split_first_chunk::<3>() else { return false };
        let exact = |(k, d): (usize, &Drive)| {
            d.element == Element::Point(Axis::ALL[k]) && d.response == Response::Hard && d.max_force == Real::INFINITY
        };
        anchor.iter().enumerate().all(exact)
            && angular.len() <= 3
            && !angular.iter().any(|d| matches!(d.element, Element::Point(_) | Element::Linear(_)))
    }

    /// Returns true if an element counts revolutions.
    #[inline]
    pub(crate) fn counts_revolutions(&self) -> bool {
        self.drives.iter().any(|d| matches!(d.element, Element::Twist(_)))
    }

    /// Counts revolutions.
    pub(crate) fn settle(&mut self, scope: &Scope<'_>) {
        if self.counts_revolutions() {
            let qa = scope.state(self.a).placement.rotation * self.frame_a.rotation;
            let qb = scope.state(self.b).placement.rotation * self.frame_b.rotation;
            let relative = qa.inverse() * qb;
            self.revolved = Axis::ALL.map(|axis| self.twist(axis, &relative));
        }
    }

    /// Computes the orientations. The error from the target is most of the cost and is computed if `aims` only.
    #[inline(always)]
    fn frame_axes(&self, scope: &Scope<'_>, aims: bool) -> FrameAxes {
        let q_a = scope.state(self.a).placement.rotation * self.frame_a.rotation;
        let q_b = scope.state(self.b).placement.rotation * self.frame_b.rotation;
        let off = || rotation_vector(&(q_a.inverse() * q_b * self.target.rotation_at(scope.time).inverse()));
        let error = if aims { off() } else { Vec3::zeros() };
        let [axes_a, axes_b] = [q_a, q_b].map(|q| q.to_rotation_matrix().into_inner());
        FrameAxes { q_a, q_b, axes_a, axes_b, error }
    }

    /// Computes the two points that `Point` rows keep together.
    #[inline(always)]
    pub(crate) fn anchor<'a>(&self, scope: &Scope<'a>) -> Anchor<'a> {
        let (state_a, state_b) = (scope.state(self.a), scope.state(self.b));
        let lever_a = state_a.placement.rotation * self.frame_a.position;
        let lever_b = state_b.placement.rotation * self.frame_b.position;
        let gap = (state_b.placement.position + lever_b) - (state_a.placement.position + lever_a);
        Anchor { a: self.a, b: self.b, state_a, state_b, lever_a, lever_b, gap }
    }

    /// States the rows of a pivot. Most joints of figures are pivots, so it is kept short enough to be inlined into the
    /// stepper's loop.
    #[inline(always)]
    pub(crate) fn emit_pivot(&self, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let anchor = self.anchor(scope);
        sink.anchor(&anchor);
        let drives = &self.drives[3..];
        if drives.is_empty() {
            return;
        }
        if let Some(springs) = muscle(drives).filter(|_| sink.takes_muscles()) {
            let axes = self.frame_axes(scope, true);
            let dt = scope.time - self.target.time;
            let rate = self.target.angular_velocity + self.target.angular_acceleration * dt;
            sink.muscle(&Muscle { a: self.a, b: self.b, axes: &axes.axes_a, error: &axes.error, rate, springs });
        } else {
            self.emit_drives(drives, &anchor, scope, sink);
        }
    }

    /// States the errors of a pivot's rotation rows as [`Joint::emit_pivot`] does, if all exactly held ones keep axes
    /// perpendicular, as those of hinges do; else states nothing and returns false. Sinks that read only the errors of
    /// exactly held rows use it.
    #[inline(always)]
    pub(crate) fn emit_perpendicular_errors(&self, scope: &Scope<'_>, sink: &mut impl RowSink) -> bool {
        let drives = &self.drives[3..];
        let held = |drive: &Drive| drive.response == Response::Hard;
        if drives.iter().any(|drive| held(drive) && !matches!(drive.element, Element::Perpendicular(..))) {
            return false;
        }
        let axes = |body: Option<BodyId>, frame: &Placement| {
            (scope.state(body).placement.rotation * frame.rotation).to_rotation_matrix().into_inner()
        };
        let (axes_a, axes_b) = (axes(self.a, &self.frame_a), axes(self.b, &self.frame_b));
        for drive in drives {
            match drive.element {
                Element::Perpendicular(a, b) if held(drive) => {
                    sink.row(axes_a.column(a.index()).dot(&axes_b.column(b.index())), |_| {});
                }
                _ => sink.skip(),
            }
        }
        true
    }

    /// States the rows.
    #[inline]
    pub(crate) fn emit(&self, pivot: bool, scope: &Scope<'_>, sink: &mut impl RowSink) {
        if pivot {
            self.emit_pivot(scope, sink);
        } else {
            self.emit_drives(&self.drives, &self.anchor(scope), scope, sink);
        }
    }

    /// States some of the rows.
    #[inline(never)]
    fn emit_drives(&self, drives: &[Drive], anchor: &Anchor<'_>, scope: &Scope<'_>, sink: &mut impl RowSink) {
        let looks = |drive: &Drive| !matches!(drive.element, Element::Point(_)) && sink.wants(drive.response);
        let aims = |drive: &Drive| matches!(drive.element, Element::Angular(_)) && sink.wants(drive.response);
        let frame_axes = drives.iter().any(looks).then(|| self.frame_axes(scope, drives.iter().any(aims)));
        let geometry = Geometry { joint: self, scope, anchor, frame_axes };
        for drive in drives {
            if sink.wants(drive.response) {
                geometry.emit(drive, sink);
            } else {
                sink.skip();
            }
        }
    }
}

/// Quantities that the rows of one joint share while they are stated.
struct Geometry<'a> {
    joint: &'a Joint,
    scope: &'a Scope<'a>,
    anchor: &'a Anchor<'a>,
    frame_axes: Option<FrameAxes>,
}

/// Orientations of both frames, computed only for joints with rows that read them.
#[derive(Clone, Copy)]
struct FrameAxes {
    q_a: Quat,
    q_b: Quat,
    /// Axes of frames A and B, by columns.
    axes_a: Mat3,
    axes_b: Mat3,
    /// log(Q_aᵀ Q_b Q_targetᵀ), axes of frame A; zero if no element reads it.
    error: Vec3,
}

impl FrameAxes {
    #[inline]
    fn axis_a(&self, axis: Axis) -> Vec3 {
        self.axes_a.column(axis.index()).into()
    }

    #[inline]
    fn axis_b(&self, axis: Axis) -> Vec3 {
        self.axes_b.column(axis.index()).into()
    }
}

/// Returns stiffness, damping and limit of a motor about every axis of frame A, in order, if the rows are one.
#[inline(always)]
fn muscle(drives: &[Drive]) -> Option<[(Real, Real, Real); 3]> {
    let drives: &[Drive; 3] = drives.try_into().ok()?;
    let mut springs = [(0.0, 0.0, 0.0); 3];
    for (k, drive) in drives.iter().enumerate() {
        let Response::Spring { stiffness, damping } = drive.response else { return None };
        if drive.element != Element::Angular(Axis::ALL[k]) {
            return None;
        }
        springs[k] = (stiffness, damping, drive.max_force);
    }
    Some(springs)
}

/// Returns r × e for a world axis e.
#[inline(always)]
fn crossed(r: &Vec3, axis: Axis) -> Vec3 {
    match axis {
        Axis::X => Vec3::new(0.0, r.z, -r.y),
        Axis::Y => Vec3::new(-r.z, 0.0, r.x),
        Axis::Z => Vec3::new(r.y, -r.x, 0.0),
    }
}

impl Geometry<'_> {
    #[inline(always)]
    fn frame_axes(&self) -> &FrameAxes {
        self.frame_axes.as_ref().expect("computed where any element reads it")
    }

    /// Angular velocities of both bodies, rad/s, world axes.
    fn spins(&self) -> (Vec3, Vec3) {
        (self.anchor.state_a.angular(), self.anchor.state_b.angular())
    }

    /// J̇v of a `Linear` row.
    fn sliding(&self, a: &Vec3) -> Real {
        let (w_a, w_b) = self.spins();
        let (v_a, v_b) = (self.anchor.state_a.linear(), self.anchor.state_b.linear());
        let opening = v_b + w_b.cross(&self.anchor.lever_b) - v_a - w_a.cross(&self.anchor.lever_a);
        let a_rate = w_a.cross(a);
        a.dot(&self.anchor.curvature()) + 2.0 * a_rate.dot(&opening) + w_a.cross(&a_rate).dot(&self.anchor.gap)
    }

    #[inline(always)]
    fn emit(&self, drive: &Drive, sink: &mut impl RowSink) {
        let joint = self.joint;
        let target = &joint.target;
        let dt = self.scope.time - target.time;
        match drive.element {
            Element::Point(axis) => sink.row(self.anchor.gap[axis.index()], |row| {
                let e = axis.vector();
                row.on(joint.a, -e, -crossed(&self.anchor.lever_a, axis));
                row.on(joint.b, e, crossed(&self.anchor.lever_b, axis));
                row.curvature(|| self.anchor.curvature()[axis.index()]);
                row.respond(drive.response, drive.max_force);
            }),
            Element::Linear(axis) => {
                let k = axis.index();
                let a = self.frame_axes().axis_a(axis);
                let wanted = target.position[k] + target.velocity[k] * dt + 0.5 * target.acceleration[k] * dt * dt;
                sink.row(a.dot(&self.anchor.gap) - wanted, |row| {
                    row.on(joint.a, -a, -(self.anchor.lever_a + self.anchor.gap).cross(&a));
                    row.on(joint.b, a, self.anchor.lever_b.cross(&a));
                    row.curvature(|| self.sliding(&a));
                    row.spec.rate = target.velocity[k] + target.acceleration[k] * dt;
                    row.spec.acceleration = target.acceleration[k];
                    row.respond(drive.response, drive.max_force);
                });
            }
            Element::Angular(axis) => {
                let axes = self.frame_axes();
                sink.row(axes.error[axis.index()], |row| self.angular_row(drive, axis, axes, row));
            }
            Element::Twist(axis) => {
                let axes = self.frame_axes();
                let k = axis.index();
                let angle = joint.twist(axis, &(axes.q_a.inverse() * axes.q_b));
                let swept = target.angular_velocity[k] * dt + 0.5 * target.angular_acceleration[k] * dt * dt;
                sink.row(angle - target.twist - swept, |row| {
                    let relative = RelativeRotation::new(
                        self.scope,
                        joint.a,
                        &joint.frame_a.rotation,
                        joint.b,
                        &joint.frame_b.rotation,
                    );
                    relative.push(row, 1.0, |q| q.twist(k));
                    self.drive_angle(drive, axis, row);
                });
            }
            Element::Perpendicular(axis_a, axis_b) => {
                let axes = self.frame_axes();
                let (a, b) = (axes.axis_a(axis_a), axes.axis_b(axis_b));
                sink.row(a.dot(&b), |row| {
                    let n = b.cross(&a);
                    row.on(joint.a, Vec3::zeros(), -n);
                    row.on(joint.b, Vec3::zeros(), n);
                    row.curvature(|| {
                        let (w_a, w_b) = self.spins();
                        (w_b - w_a).dot(&(w_b.cross(&b).cross(&a) + b.cross(&w_a.cross(&a))))
                    });
                    row.respond(drive.response, drive.max_force);
                });
            }
        }
    }

    #[inline(always)]
    fn angular_row(&self, drive: &Drive, axis: Axis, axes: &FrameAxes, row: &mut RowBuilder<'_>) {
        let joint = self.joint;
        let a = axes.axis_a(axis);
        row.on(joint.a, Vec3::zeros(), -a);
        row.on(joint.b, Vec3::zeros(), a);
        row.curvature(|| {
            let (w_a, w_b) = self.spins();
            w_a.cross(&a).dot(&(w_b - w_a))
        });
        self.drive_angle(drive, axis, row);
    }

    #[inline(always)]
    fn drive_angle(&self, drive: &Drive, axis: Axis, row: &mut RowBuilder<'_>) {
        let (target, k) = (&self.joint.target, axis.index());
        row.spec.rate = target.angular_velocity[k] + target.angular_acceleration[k] * (self.scope.time - target.time);
        row.spec.acceleration = target.angular_acceleration[k];
        row.respond(drive.response, drive.max_force);
    }
}

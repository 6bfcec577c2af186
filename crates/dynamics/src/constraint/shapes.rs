//! Special joints (nails, lines, planes, perpendicular axes, motors) and the targets of motors.
//!
//! All of them are [`Joint`]s, made of the elements whose rows [`super::joint`] states.

use super::joint::{Axis, Element, Joint};
use super::point::Anchor;
use crate::Placement;
use crate::body::BodyId;
use crate::math::{Quat, Real, Vec3};
use crate::rows::Response;

impl Joint {
    /// Nails a body's point to a point of the world, metres: 3 rows.
    pub fn nail(point: Anchor, world_point: Vec3) -> Self {
        Self::ball(None, Placement::at(world_point), point.body, point.frame())
    }

    /// Keeps a point on the line through `line` along `direction`, both carried by the line's body: 2 rows.
    pub fn point_on_line(line: Anchor, direction: Vec3, point: Anchor) -> Self {
        let frame = Placement::new(line.point, frame_along(&direction, Axis::X));
        Self::new(line.body, frame, point.body, point.frame())
            .holding(&[Element::Linear(Axis::Y), Element::Linear(Axis::Z)])
    }

    /// Keeps a point on the plane through `plane` with a normal, both carried by the plane's body: 1 row.
    pub fn point_on_plane(plane: Anchor, normal: Vec3, point: Anchor) -> Self {
        let frame = Placement::new(plane.point, frame_along(&normal, Axis::Z));
        Self::new(plane.body, frame, point.body, point.frame()).holding(&[Element::Linear(Axis::Z)])
    }

    /// Keeps an axis of A and an axis of B, each in its body's axes, perpendicular: 1 row.
    pub fn perpendicular(a: Option<BodyId>, axis_a: Vec3, b: Option<BodyId>, axis_b: Vec3) -> Self {
        let frame = |axis: &Vec3| Placement::new(Vec3::zeros(), frame_along(axis, Axis::X));
        Self::new(a, frame(&axis_a), b, frame(&axis_b)).holding(&[Element::Perpendicular(Axis::X, Axis::X)])
    }

    /// Drives all six degrees of freedom of B in A towards the target; remove rows with [`Joint::without`]. `max_force`
    /// in N, `max_torque` in N·m.
    pub fn motor(
        a: Option<BodyId>,
        frame_a: Placement,
        b: Option<BodyId>,
        frame_b: Placement,
        response: Response,
        max_force: Real,
        max_torque: Real,
    ) -> Self {
        let mut joint = Self::new(a, frame_a, b, frame_b);
        for axis in Axis::ALL {
            joint = joint.driven(Element::Linear(axis), response, max_force);
        }
        for axis in Axis::ALL {
            joint = joint.driven(Element::Angular(axis), response, max_torque);
        }
        joint
    }

    /// Adds a motor that rotates B about an axis of A, over any number of turns; the other rotations must be held.
    pub fn powered_rotation(self, axis: Axis, response: Response, max_torque: Real) -> Self {
        self.driven(Element::Twist(axis), response, max_torque)
    }

    /// Adds a motor that moves B along an axis of A.
    pub fn powered_slide(self, axis: Axis, response: Response, max_force: Real) -> Self {
        self.driven(Element::Linear(axis), response, max_force)
    }

    /// Sets the angle of the `Twist` element at a time (radians, seconds), and the rate it continues with, rad/s.
    pub fn set_target_angle(&mut self, axis: Axis, time: Real, angle: Real, rate: Real) {
        self.retime(time);
        self.target.twist = angle;
        self.target.angular_velocity[axis.index()] = rate;
        self.target.angular_acceleration[axis.index()] = 0.0;
    }

    /// Sets B's pose in A from a time on (seconds), at rest.
    pub fn set_target_pose(&mut self, time: Real, pose: &Placement) {
        self.target = super::joint::JointTarget {
            time,
            position: pose.position,
            rotation: pose.rotation,
            twist: self.target.twist,
            ..Default::default()
        };
    }

    /// Sets B's velocity in A from a time on (m/s and rad/s, axes of A); the pose continues from that of the target
    /// then.
    pub fn set_target_velocity(&mut self, time: Real, linear: Vec3, angular: Vec3) {
        self.retime(time);
        (self.target.velocity, self.target.angular_velocity) = (linear, angular);
        (self.target.acceleration, self.target.angular_acceleration) = (Vec3::zeros(), Vec3::zeros());
    }

    /// Moves the reference time of the target without changing its motion.
    fn retime(&mut self, time: Real) {
        let t = &mut self.target;
        let dt = time - t.time;
        let swept = t.angular_velocity * dt + t.angular_acceleration * (0.5 * dt * dt);
        t.position += t.velocity * dt + t.acceleration * (0.5 * dt * dt);
        t.rotation = Quat::from_scaled_axis(swept) * t.rotation;
        if let Some(axis) = self.drives.iter().find_map(|d| match d.element {
            Element::Twist(axis) => Some(axis),
            _ => None,
        }) {
            t.twist += swept[axis.index()];
        }
        t.velocity += t.acceleration * dt;
        t.angular_velocity += t.angular_acceleration * dt;
        t.time = time;
    }
}

/// Returns an orientation whose `axis` points along a direction.
pub fn frame_along(direction: &Vec3, axis: Axis) -> Quat {
    let z = direction.normalize();
    let (x, y) = crate::math::tangents(&z);
    let k = axis.index();
    // Columns in cyclic order keep the frame right-handed.
    let mut columns = [Vec3::zeros(); 3];
    (columns[k], columns[(k + 1) % 3], columns[(k + 2) % 3]) = (z, x, y);
    let matrix = nalgebra::Rotation3::from_matrix_unchecked(crate::math::Mat3::from_columns(&columns));
    Quat::from_rotation_matrix(&matrix)
}

//! Moves on the ground: a rotation about the vertical and a translation, which gravity does not notice.

use crate::math::real;
use crate::{Quat, Real, Vec3};

/// Rigid move on the ground: first a rotation about the world's Y axis, then a translation.
///
/// Moving a whole clip by one changes nothing physical about it. One cycle of a walk adds such a move, and such a move
/// brings two clips together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundMove {
    /// Rotation about +Y, radians, counter-clockwise seen from above.
    pub yaw: Real,
    /// Translation after the rotation, metres, horizontal.
    pub translation: Vec3,
}

impl GroundMove {
    /// Identity.
    pub const NONE: GroundMove = GroundMove { yaw: 0.0, translation: Vec3::new(0.0, 0.0, 0.0) };

    /// Returns the yaw as a rotation.
    pub fn rotation(&self) -> Quat {
        Quat::from_axis_angle(&Vec3::y_axis(), self.yaw)
    }

    /// Moves a world point.
    pub fn point(&self, p: &Vec3) -> Vec3 {
        self.rotation() * p + self.translation
    }

    /// Returns the move that undoes this one.
    pub fn inverse(&self) -> GroundMove {
        let back = GroundMove { yaw: -self.yaw, translation: Vec3::zeros() };
        GroundMove { translation: -(back.rotation() * self.translation), ..back }
    }

    /// Returns this move followed by `next`.
    pub fn then(&self, next: &GroundMove) -> GroundMove {
        GroundMove { yaw: self.yaw + next.yaw, translation: next.point(&self.translation) }
    }

    /// Returns a fraction of the move: 1 gives the move itself, and equal fractions make equal moves. A move with a yaw
    /// runs on an arc.
    pub fn fraction(&self, fraction: Real) -> GroundMove {
        let yaw = self.yaw * fraction;
        // A rotation by φ about the centre c is the translation c − R(φ)c; with the chord c − R(yaw)c = translation this
        // gives the arc. sin(sφ/2)/sin(φ/2) scales the chord, and it is rotated by half of what is missing.
        let half = self.yaw / 2.0;
        let scale = if half.abs() < 1e-9 { fraction } else { real::sin(half * fraction) / real::sin(half) };
        let aside = Quat::from_axis_angle(&Vec3::y_axis(), (yaw - self.yaw) / 2.0);
        GroundMove { yaw, translation: aside * self.translation * scale }
    }

    /// Returns the move that takes the frame `from` (position, rotation) to the ground point and heading of the frame
    /// `to`. Heights and tilts do not count.
    pub fn between(from: (&Vec3, &Quat), to: (&Vec3, &Quat)) -> GroundMove {
        let yaw = heading_change(from.1, to.1);
        let aligned = GroundMove { yaw, translation: Vec3::zeros() };
        let mut translation = to.0 - aligned.point(from.0);
        translation.y = 0.0;
        GroundMove { translation, ..aligned }
    }
}

/// Rotation about +Y contained in the rotation from `from` to `to`, radians in −π..=π.
fn heading_change(from: &Quat, to: &Quat) -> Real {
    let change = to * from.inverse();
    let yaw = 2.0 * real::atan2(change.j, change.w);
    // atan2 of a quaternion covers a double turn; its sign is free.
    if yaw > std::f64::consts::PI {
        yaw - std::f64::consts::TAU
    } else if yaw < -std::f64::consts::PI {
        yaw + std::f64::consts::TAU
    } else {
        yaw
    }
}

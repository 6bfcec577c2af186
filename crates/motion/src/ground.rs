//! Moves on the ground: a turn about the vertical and a step, which gravity does not notice.

use super::{Pose, Role, Skeleton};
use crate::{Quat, Real, Vec3};

/// A rigid move on the ground: first a turn about the world's Y axis, then a horizontal step.
///
/// Moving a whole clip so changes nothing physical about it; this is what one cycle of a walk adds, and what brings
/// two clips together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundMove {
    /// Turn about +Y, radians, counter-clockwise seen from above.
    pub turn: Real,
    /// Step after the turn, metres; its Y component is 0.
    pub step: Vec3,
}

impl GroundMove {
    /// Stays where it is.
    pub const NONE: GroundMove = GroundMove { turn: 0.0, step: Vec3::new(0.0, 0.0, 0.0) };

    /// The turn as a rotation.
    pub fn rotation(&self) -> Quat {
        Quat::from_axis_angle(&Vec3::y_axis(), self.turn)
    }

    /// Where a world point goes.
    pub fn point(&self, p: &Vec3) -> Vec3 {
        self.rotation() * p + self.step
    }

    /// The move that undoes this one.
    pub fn inverse(&self) -> GroundMove {
        let back = GroundMove { turn: -self.turn, step: Vec3::zeros() };
        GroundMove { step: -(back.rotation() * self.step), ..back }
    }

    /// This move, then `next`.
    pub fn then(&self, next: &GroundMove) -> GroundMove {
        GroundMove { turn: self.turn + next.turn, step: next.point(&self.step) }
    }

    /// The part `share` of a move: `part(1)` is the move itself, and equal shares make equal moves. A move with a
    /// turn runs on an arc.
    pub fn part(&self, share: Real) -> GroundMove {
        let turn = self.turn * share;
        // A turn by φ about the centre c is the step c − R(φ)c; with the chord c − R(turn)c = step this gives the
        // arc. sin(sφ/2)/sin(φ/2) scales the chord, and it is turned by half of what is missing.
        let half = self.turn / 2.0;
        let scale = if half.abs() < 1e-9 { share } else { (half * share).sin() / half.sin() };
        let aside = Quat::from_axis_angle(&Vec3::y_axis(), (turn - self.turn) / 2.0);
        GroundMove { turn, step: aside * self.step * scale }
    }

    /// The move that takes the frame at `from` above the ground point and heading of the frame at `to`. Height
    /// and tilt play no part.
    pub fn between(from: (&Vec3, &Quat), to: (&Vec3, &Quat)) -> GroundMove {
        let turn = heading_change(from.1, to.1);
        let aligned = GroundMove { turn, step: Vec3::zeros() };
        let mut step = to.0 - aligned.point(from.0);
        step.y = 0.0;
        GroundMove { step, ..aligned }
    }
}

/// The turn about +Y contained in the rotation from `from` to `to`, radians in −π..=π.
fn heading_change(from: &Quat, to: &Quat) -> Real {
    let change = to * from.inverse();
    let turn = 2.0 * change.j.atan2(change.w);
    // atan2 of a quaternion covers a double turn; its sign is free.
    if turn > std::f64::consts::PI {
        turn - std::f64::consts::TAU
    } else if turn < -std::f64::consts::PI {
        turn + std::f64::consts::TAU
    } else {
        turn
    }
}

/// The joint that carries the body through the world: the first joint with a translation track that changes, else
/// the first root. A game rig often has it below a root that stands still.
pub fn carrier(skeleton: &Skeleton, clip: &super::Clip) -> usize {
    let tracks = clip.translations();
    let width = tracks.joints.len();
    let moves = |k: usize| {
        let first = tracks.values.get(k);
        tracks.values.iter().skip(k).step_by(width.max(1)).any(|v| Some(v) != first)
    };
    let moving = (0..width).find(|&k| moves(k)).map(|k| tracks.joints[k]);
    moving.or_else(|| skeleton.roots().next()).unwrap_or(0)
}

/// World position and rotation of one joint of an unscaled pose.
pub fn frame_of(skeleton: &Skeleton, pose: &Pose, joint: usize) -> (Vec3, Quat) {
    let (mut position, mut rotation) = (pose.translations[joint], pose.rotations[joint]);
    let mut above = skeleton.joint(joint).parent;
    while let Some(j) = above {
        let scaled = pose.scales.as_ref().map_or(position, |s| position.component_mul(&s[j]));
        position = pose.translations[j] + pose.rotations[j] * scaled;
        rotation = pose.rotations[j] * rotation;
        above = skeleton.joint(j).parent;
    }
    (position, rotation)
}

/// Which joints a move of the whole figure acts on, so that rigs with a resting root above the hips keep that
/// root at rest: the carrier instead of its own root, with all parts of the body that do not hang on it (feet that hang on the root as
/// targets of the legs), and every other root.
pub fn movers(skeleton: &Skeleton, carrier: usize) -> Vec<usize> {
    let above = |j: usize| std::iter::successors(skeleton.joint(j).parent, |&j| skeleton.joint(j).parent);
    let is_body = |j: usize| !matches!(skeleton.joint(j).role, None | Some(Role::Helper));
    let top = above(carrier).last().unwrap_or(carrier);
    let mut movers: Vec<usize> = skeleton.roots().map(|r| if r == top { carrier } else { r }).collect();
    if top != carrier && !above(carrier).any(is_body) {
        let apart =
            |j: usize| is_body(j) && above(j).all(|a| a != carrier && !is_body(a)) && above(j).last() == Some(top);
        movers.extend((0..skeleton.len()).filter(|&j| j != carrier && apart(j)));
    }
    movers.sort_unstable();
    movers
}

/// Moves a whole pose on the ground by changing the local frames of `movers`.
pub fn move_pose(skeleton: &Skeleton, pose: &mut Pose, movers: &[usize], by: &GroundMove) {
    for &joint in movers {
        let (turn, point) = in_parent(skeleton, pose, joint, by);
        pose.translations[joint] = turn * pose.translations[joint] + point;
        pose.rotations[joint] = turn * pose.rotations[joint];
    }
}

/// A world move as turn and step in the frame of a joint's parent: P⁻¹ · move · P.
pub fn in_parent(skeleton: &Skeleton, pose: &Pose, joint: usize, by: &GroundMove) -> (Quat, Vec3) {
    let Some(parent) = skeleton.joint(joint).parent else { return (by.rotation(), by.step) };
    let (origin, axes) = frame_of(skeleton, pose, parent);
    let scale = pose.scales.as_ref().map_or(Vec3::repeat(1.0), |s| s[parent]);
    let step = axes.inverse() * (by.point(&origin) - origin);
    (axes.inverse() * by.rotation() * axes, step.component_div(&scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Side};

    /// Feet that hang on the root go along with the hips, helpers and the root itself stay; usual bodies have the hips alone.
    #[test]
    fn all_of_a_body_is_moved_however_it_hangs() {
        let skeleton = |foot_on: usize| {
            let role = |name: &str, parent, role| Joint { role, ..Joint::new(name, parent, Vec3::y()) };
            let leg = Some(Role::LowerLeg(Side::Left));
            Skeleton::new(vec![
                role("root", None, None),
                role("hips", Some(0), Some(Role::Hips)),
                role("leg", Some(1), leg),
                role("foot", Some(foot_on), Some(Role::Foot(Side::Left))),
                role("pole", Some(0), Some(Role::Helper)),
            ])
            .expect("a skeleton")
        };
        assert_eq!(movers(&skeleton(2), 1), [1]);
        assert_eq!(movers(&skeleton(0), 1), [1, 3]);
        assert_eq!(movers(&skeleton(0), 3), [1, 3]);
        assert_eq!(movers(&skeleton(0), 0), [0]);
    }
}

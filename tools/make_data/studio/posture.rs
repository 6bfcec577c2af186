//! One posture said in an animator's words, and the joint rotations it means.
//!
//! All rotations are relative to the T-pose in world axes. Flexion is forward (knee and elbow: closing), abduction
//! away from the body, angles in radians.

use super::body::{Body, HIPS, SIDES, sign};
use super::foot::FootTarget;
use nalgebra::Rotation3;
use sinew::math::Mat3;
use sinew::motion::{Pose, Side};
use sinew::{Quat, Real, Vec3};
use std::f64::consts::FRAC_PI_2;

pub fn about_x(angle: Real) -> Quat {
    Quat::from_axis_angle(&Vec3::x_axis(), angle)
}

pub fn about_y(angle: Real) -> Quat {
    Quat::from_axis_angle(&Vec3::y_axis(), angle)
}

pub fn about_z(angle: Real) -> Quat {
    Quat::from_axis_angle(&Vec3::z_axis(), angle)
}

/// Degrees to radians.
pub fn deg(angle: Real) -> Real {
    angle.to_radians()
}

#[derive(Clone, Copy, Default)]
pub struct Arm {
    /// Shoulder girdle upwards.
    pub shrug: Real,
    /// Upper arm forward from hanging.
    pub flexion: Real,
    /// Upper arm sideways from hanging.
    pub abduction: Real,
    /// Upper arm about its own length, so that a bent forearm comes before the body.
    pub inward: Real,
    pub elbow: Real,
    /// Forearm about its own length, palm turning down.
    pub pronation: Real,
    /// Hand towards the palm.
    pub wrist: Real,
    /// Hand towards the thumb's side.
    pub deviation: Real,
}

#[derive(Clone, Copy)]
pub enum ArmPose {
    Angles(Arm),
    /// The wrist is at a world position, the elbow points `toward`, the hand has a world rotation from the T-pose.
    Reach {
        wrist: Vec3,
        toward: Vec3,
        hand: Quat,
    },
}

/// A leg whose foot is at its place and whose knee points `toward` (world).
#[derive(Clone, Copy)]
pub struct LegPose {
    pub foot: FootTarget,
    pub toward: Vec3,
}

#[derive(Clone, Copy)]
pub struct Posture {
    /// Hips joint, metres, world.
    pub position: Vec3,
    /// Hips, world.
    pub hips: Quat,
    /// Chest, world.
    pub chest: Quat,
    /// Head, world.
    pub head: Quat,
    /// Left, right.
    pub arms: [ArmPose; 2],
    pub legs: [LegPose; 2],
}

impl Posture {
    pub fn solve(&self, body: &Body) -> Pose {
        let mut pose = body.skeleton.rest_pose();
        pose.translations[HIPS] = self.position;
        pose.rotations[HIPS] = self.hips;
        share(self.hips.inverse() * self.chest, &body.spine, &mut pose);
        let mut neck = body.neck.clone();
        neck.push(body.head);
        share(self.chest.inverse() * self.head, &neck, &mut pose);
        let frames = pose.world(&body.skeleton);
        for side in SIDES {
            let [thigh, shank, foot, toes] = body.legs[side as usize];
            let LegPose { foot: target, toward } = self.legs[side as usize];
            let reach = body.leg.reach(frames[thigh].position, target.ankle, toward);
            let upper = leg_frame(reach.side, reach.upper);
            let lower = leg_frame(reach.side, reach.lower);
            pose.rotations[thigh] = self.hips.inverse() * upper;
            pose.rotations[shank] = upper.inverse() * lower;
            pose.rotations[foot] = lower.inverse() * target.foot;
            pose.rotations[toes] = target.toes;
            let [clavicle, upper_arm, forearm, hand] = body.arms[side as usize];
            match self.arms[side as usize] {
                ArmPose::Angles(arm) => {
                    let turns = arm.turns(side);
                    for (joint, turn) in [clavicle, upper_arm, forearm, hand].into_iter().zip(turns) {
                        pose.rotations[joint] = turn;
                    }
                }
                ArmPose::Reach { wrist, toward, hand: hand_turn } => {
                    let reach = body.arm.reach(frames[upper_arm].position, wrist, toward);
                    let upper = arm_frame(side, reach.side, reach.upper);
                    let lower = arm_frame(side, reach.side, reach.lower);
                    pose.rotations[upper_arm] = self.chest.inverse() * upper;
                    pose.rotations[forearm] = upper.inverse() * lower;
                    pose.rotations[hand] = lower.inverse() * hand_turn;
                }
            }
        }
        pose
    }
}

impl Arm {
    /// Local rotations of clavicle, upper arm, forearm and hand.
    fn turns(&self, side: Side) -> [Quat; 4] {
        let s = sign(side);
        let clavicle = about_z(s * self.shrug);
        let upper =
            about_x(-self.flexion) * about_z(s * self.abduction) * about_y(-s * self.inward) * about_z(-s * FRAC_PI_2);
        [
            clavicle,
            clavicle.inverse() * upper,
            about_y(-s * self.elbow) * about_x(0.5 * self.pronation),
            about_x(0.5 * self.pronation) * about_z(-s * self.wrist) * about_y(-s * self.deviation),
        ]
    }
}

/// Spreads a rotation over a chain of joints.
pub fn share(turn: Quat, joints: &[usize], pose: &mut Pose) {
    let part = turn.powf(1.0 / joints.len() as Real);
    for &joint in joints {
        pose.rotations[joint] = part;
    }
}

/// World rotation of a leg bone that points down (−Y) at rest and bends about X.
fn leg_frame(side: Vec3, direction: Vec3) -> Quat {
    frame(side, -direction)
}

/// World rotation of an arm bone that points sideways (±X) at rest and bends about Y.
fn arm_frame(side: Side, hinge: Vec3, direction: Vec3) -> Quat {
    frame(direction * sign(side), hinge * -sign(side))
}

/// The rotation that takes X and Y to `x` and `y`, which are at right angles.
pub fn frame(x: Vec3, y: Vec3) -> Quat {
    let matrix = Mat3::from_columns(&[x, y, x.cross(&y)]);
    Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
}

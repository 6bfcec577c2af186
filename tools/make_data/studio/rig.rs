//! Gives a body the rest pose and the joint axes that a rigger chose.
//!
//! With w the rotations of the animator's skeleton (T-pose, unturned) and T the axes of each joint in that T-pose:
//!
//!   offset′   = T_parent⁻¹ · offset
//!   rotation′ = T_parent⁻¹ · w · T
//!
//! and every joint is where it was.

use super::body::{Body, SIDES, sign};
use super::posture::{about_y, about_z, deg};
use sinew::motion::{Clip, ClipError, Pose, Skeleton, SkeletonError};
use sinew::{Quat, Vec3};

pub struct Rig {
    /// T of every joint.
    axes: Vec<Quat>,
    parents: Vec<Option<usize>>,
    pub skeleton: Skeleton,
}

impl Rig {
    /// X along every bone, arms 48° down at rest with slightly bent elbows (an A-pose).
    pub fn along_bones(body: &Body) -> Result<Self, SkeletonError> {
        let plain = &body.skeleton;
        let axes: Vec<Quat> = (0..plain.len())
            .map(|joint| {
                let first = plain.children(joint).next().map(|child| plain.joint(child).offset);
                let bone = first.or(plain.joint(joint).tip).unwrap_or_else(Vec3::x);
                Quat::rotation_between(&Vec3::x(), &bone).unwrap_or_else(|| about_y(std::f64::consts::PI))
            })
            .collect();
        let mut rest = plain.rest_pose();
        for side in SIDES {
            let [_, upper, lower, _] = body.arms[side as usize];
            rest.rotations[upper] = about_z(-sign(side) * deg(48.0));
            rest.rotations[lower] = about_y(-sign(side) * deg(12.0));
        }
        let parents: Vec<_> = plain.joints().iter().map(|joint| joint.parent).collect();
        let mut joints = plain.joints().to_vec();
        for (index, joint) in joints.iter_mut().enumerate() {
            let above = joint.parent.map_or_else(Quat::identity, |parent| axes[parent]);
            joint.offset = above.inverse() * joint.offset;
            joint.rest = above.inverse() * rest.rotations[index] * axes[index];
            joint.tip = joint.tip.map(|tip| axes[index].inverse() * tip);
        }
        Ok(Self { skeleton: Skeleton::new(joints)?, axes, parents })
    }

    /// The same motion on the rigged skeleton.
    pub fn clip(&self, body: &Body, clip: &Clip) -> Result<Clip, ClipError> {
        let poses = (0..clip.frames()).map(|frame| {
            let pose = clip.pose(&body.skeleton, frame);
            let turned = |(joint, turn): (usize, &Quat)| {
                let above = self.parents[joint].map_or_else(Quat::identity, |parent| self.axes[parent]);
                above.inverse() * turn * self.axes[joint]
            };
            Pose { rotations: pose.rotations.iter().enumerate().map(turned).collect(), ..pose }
        });
        super::clip::from_poses(&clip.name, poses)
    }
}

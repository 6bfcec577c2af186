//! Poses with velocities and accelerations, and forward kinematics of both.
//!
//! The parent's frame is (p, R, v, a, ω, α). The child has the position t, ṫ, ẗ and the rotation (q, ω', α') in it:
//!
//!   p₂ = p + R t                              R₂ = R q
//!   v₂ = v + ω × R t + R ṫ                    ω₂ = ω + R ω'
//!   a₂ = a + α × R t + ω × (ω × R t)          α₂ = α + R α' + ω × R ω'
//!          + 2 ω × R ṫ + R ẗ

use super::{Pose, Skeleton};
use crate::math::{Mat3, skew};
use crate::{Quat, Vec3};

/// Pose with its velocities and accelerations, joint by joint, in the frames of the parents.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseMotion {
    /// Joint positions and rotations.
    pub pose: Pose,
    /// Velocities of the joints in their parents' frames, m/s, in the parents' axes.
    pub velocities: Vec<Vec3>,
    /// Accelerations of the joints in their parents' frames, m/s², in the parents' axes.
    pub accelerations: Vec<Vec3>,
    /// Angular velocities of the joints against their parents, rad/s, in the parents' axes.
    pub angular_velocities: Vec<Vec3>,
    /// Angular accelerations of the joints against their parents, rad/s², in the parents' axes.
    pub angular_accelerations: Vec<Vec3>,
    /// Derivatives of the scales; present when the pose has scales.
    pub scales: Option<ScaleMotion>,
}

/// Time derivatives of the scales of a pose, joint by joint.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleMotion {
    /// First derivatives, 1/s.
    pub velocities: Vec<Vec3>,
    /// Second derivatives, 1/s².
    pub accelerations: Vec<Vec3>,
}

/// World frame of a joint with its velocities and accelerations, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameMotion {
    /// Origin of the joint, metres.
    pub position: Vec3,
    /// Axes of the joint.
    pub rotation: Quat,
    /// Velocity of the origin, m/s.
    pub velocity: Vec3,
    /// Acceleration of the origin, m/s².
    pub acceleration: Vec3,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vec3,
    /// Angular acceleration, rad/s².
    pub angular_acceleration: Vec3,
}

impl FrameMotion {
    /// Returns world velocity and acceleration of a point fixed in this frame; `local` is in its own axes, metres.
    pub fn point(&self, local: &Vec3) -> (Vec3, Vec3) {
        let arm = self.rotation * local;
        let swing = self.angular_velocity.cross(&arm);
        (
            self.velocity + swing,
            self.acceleration + self.angular_acceleration.cross(&arm) + self.angular_velocity.cross(&swing),
        )
    }
}

impl PoseMotion {
    /// Makes a pose that does not move.
    pub fn at_rest(pose: Pose) -> Self {
        let joints = pose.rotations.len();
        let zeros = || vec![Vec3::zeros(); joints];
        let scales = pose.scales.as_ref().map(|_| ScaleMotion { velocities: zeros(), accelerations: zeros() });
        Self {
            pose,
            velocities: zeros(),
            accelerations: zeros(),
            angular_velocities: zeros(),
            angular_accelerations: zeros(),
            scales,
        }
    }

    /// Sets all velocities and accelerations to zero.
    pub fn stop(&mut self) {
        let (scale_velocities, scale_accelerations) = match &mut self.scales {
            Some(scales) => (&mut scales.velocities[..], &mut scales.accelerations[..]),
            None => (&mut [][..], &mut [][..]),
        };
        for vectors in [
            &mut self.velocities[..],
            &mut self.accelerations[..],
            &mut self.angular_velocities[..],
            &mut self.angular_accelerations[..],
            scale_velocities,
            scale_accelerations,
        ] {
            vectors.fill(Vec3::zeros());
        }
    }

    /// Returns the world frames of all joints.
    pub fn world(&self, skeleton: &Skeleton) -> Vec<FrameMotion> {
        let mut frames = Vec::new();
        self.world_into(skeleton, &mut frames);
        frames
    }

    /// Writes the world frames of all joints into a buffer. Poses with scales allocate room for their matrices; all
    /// others allocate nothing once the buffer is large enough.
    ///
    /// Positions of a pose with scales, velocities and accelerations are those of the full matrix product; rotations are
    /// the product of the joint rotations, as in [`Pose::world_into`].
    #[inline(always)]
    pub fn world_into(&self, skeleton: &Skeleton, frames: &mut Vec<FrameMotion>) {
        frames.clear();
        frames.reserve(skeleton.len());
        for (j, joint) in skeleton.joints().iter().enumerate() {
            let frame = match joint.parent {
                None => FrameMotion {
                    position: self.pose.translations[j],
                    rotation: self.pose.rotations[j],
                    velocity: self.velocities[j],
                    acceleration: self.accelerations[j],
                    angular_velocity: self.angular_velocities[j],
                    angular_acceleration: self.angular_accelerations[j],
                },
                Some(p) => self.below(&frames[p], j),
            };
            frames.push(frame);
        }
        if let (Some(values), Some(rates)) = (&self.pose.scales, &self.scales) {
            self.add_scales(skeleton, values, rates, frames);
        }
    }

    #[inline(always)]
    fn below(&self, parent: &FrameMotion, j: usize) -> FrameMotion {
        let (omega, alpha) = (parent.angular_velocity, parent.angular_acceleration);
        // Three to five vectors are rotated: by then a matrix is cheaper.
        let axes = parent.rotation.to_rotation_matrix().into_inner();
        let arm = axes * self.pose.translations[j];
        let spin = axes * self.angular_velocities[j];
        let swing = omega.cross(&arm);
        let mut frame = FrameMotion {
            position: parent.position + arm,
            rotation: parent.rotation * self.pose.rotations[j],
            velocity: parent.velocity + swing,
            acceleration: parent.acceleration + alpha.cross(&arm) + omega.cross(&swing),
            angular_velocity: omega + spin,
            angular_acceleration: alpha + axes * self.angular_accelerations[j] + omega.cross(&spin),
        };
        // Bones hardly ever change their length.
        let (slide, push) = (self.velocities[j], self.accelerations[j]);
        if slide != Vec3::zeros() || push != Vec3::zeros() {
            let slide = axes * slide;
            frame.velocity += slide;
            frame.acceleration += omega.cross(&slide) * 2.0 + axes * push;
        }
        frame
    }

    /// Replaces the linear parts by those of the matrices L₂ = L A, A = q S, and their derivatives.
    fn add_scales(&self, skeleton: &Skeleton, values: &[Vec3], rates: &ScaleMotion, frames: &mut [FrameMotion]) {
        let mut linear: Vec<[Mat3; 3]> = Vec::with_capacity(skeleton.len());
        for (j, joint) in skeleton.joints().iter().enumerate() {
            let turn = self.pose.rotations[j].to_rotation_matrix().into_inner();
            let omega = skew(&self.angular_velocities[j]);
            let alpha = skew(&self.angular_accelerations[j]);
            let [s, s1, s2] =
                [&values[j], &rates.velocities[j], &rates.accelerations[j]].map(|s| turn * Mat3::from_diagonal(s));
            let own = [s, omega * s + s1, (alpha + omega * omega) * s + omega * s1 * 2.0 + s2];
            let Some(p) = joint.parent else {
                linear.push(own);
                continue;
            };
            let [l, l1, l2] = linear[p];
            let (t, t1, t2) = (&self.pose.translations[j], &self.velocities[j], &self.accelerations[j]);
            frames[j].position = frames[p].position + l * t;
            frames[j].velocity = frames[p].velocity + l1 * t + l * t1;
            frames[j].acceleration = frames[p].acceleration + l2 * t + l1 * t1 * 2.0 + l * t2;
            linear.push([l * own[0], l1 * own[0] + l * own[1], l2 * own[0] + l1 * own[1] * 2.0 + l * own[2]]);
        }
    }
}

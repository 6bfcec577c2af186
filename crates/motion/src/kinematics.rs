//! A posture in motion, and what that means for every joint in the world.
//!
//! With the parent's frame (p, R, v, a, ω, α) and the child's own place t, ṫ, ẗ and turn (q, ω', α') in it:
//!
//!   p₂ = p + R t                              R₂ = R q
//!   v₂ = v + ω × R t + R ṫ                    ω₂ = ω + R ω'
//!   a₂ = a + α × R t + ω × (ω × R t)          α₂ = α + R α' + ω × R ω'
//!          + 2 ω × R ṫ + R ẗ

use super::{Pose, Skeleton};
use crate::math::{Mat3, skew};
use crate::{Quat, Vec3};

/// A posture and how fast it changes, joint by joint, in the frames of the parents.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseMotion {
    pub pose: Pose,
    /// Of the joint's place in its parent's frame, m/s, in the parent's axes.
    pub velocities: Vec<Vec3>,
    /// m/s², in the parent's axes.
    pub accelerations: Vec<Vec3>,
    /// Of the joint against its parent, rad/s, in the parent's axes.
    pub angular_velocities: Vec<Vec3>,
    /// rad/s², in the parent's axes.
    pub angular_accelerations: Vec<Vec3>,
    /// How fast the scales change; present when the pose has scales.
    pub scales: Option<ScaleMotion>,
}

/// How fast scales change.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleMotion {
    /// 1/s.
    pub velocities: Vec<Vec3>,
    /// 1/s².
    pub accelerations: Vec<Vec3>,
}

/// A joint's frame in the world and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameMotion {
    /// Metres.
    pub position: Vec3,
    pub rotation: Quat,
    /// m/s.
    pub velocity: Vec3,
    /// m/s².
    pub acceleration: Vec3,
    /// rad/s.
    pub angular_velocity: Vec3,
    /// rad/s².
    pub angular_acceleration: Vec3,
}

impl FrameMotion {
    /// Velocity and acceleration of a point that is fixed in this frame, given in the frame's own axes, metres.
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
    /// A pose that does not move.
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

    /// All joints in the world.
    pub fn world(&self, skeleton: &Skeleton) -> Vec<FrameMotion> {
        let mut frames = Vec::new();
        self.world_into(skeleton, &mut frames);
        frames
    }

    /// All joints in the world, into a buffer that is reused. Poses with scales need room for their matrices; all
    /// others allocate nothing once the buffer is large enough.
    ///
    /// With scales, positions, velocities and accelerations are those of the full matrix product; rotations are
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
        // Three to five vectors are turned: by then a matrix is cheaper.
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

    /// The linear parts again, through the matrices L₂ = L A, A = q S, and their derivatives.
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

//! Pose of a skeleton, and forward kinematics.

use super::Skeleton;
use crate::{Quat, Real, Vec3};

/// Pose: the local transform of every joint in its parent's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// Position in the parent's frame, metres, one per joint.
    pub translations: Vec<Vec3>,
    /// Orientation in the parent's frame, one per joint.
    pub rotations: Vec<Quat>,
    /// Scale along the joint's own axes, one per joint; absent when nothing is scaled. A scale acts on
    /// everything below the joint, as in glTF.
    pub scales: Option<Vec<Vec3>>,
}

/// World frame of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Origin, metres, world space.
    pub position: Vec3,
    /// Axes in world space.
    pub rotation: Quat,
}

impl Pose {
    /// Blends towards another pose: weight 0 gives this one, 1 the other, exactly. Rotations follow the shorter arc (at
    /// 180°, where it is not defined, one of the two poses), translations and scales a straight line.
    pub fn blend(&self, other: &Pose, weight: Real) -> Pose {
        if weight == 0.0 || weight == 1.0 {
            return if weight == 0.0 { self.clone() } else { other.clone() };
        }
        let straight = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.lerp(b, weight)).collect::<Vec<_>>();
        let rotation =
            |(a, b): (&Quat, &Quat)| a.try_slerp(b, weight, 1e-12).unwrap_or(if weight < 0.5 { *a } else { *b });
        let scales = match (&self.scales, &other.scales) {
            (None, None) => None,
            (a, b) => {
                let ones = vec![Vec3::repeat(1.0); self.rotations.len()];
                Some(straight(a.as_ref().unwrap_or(&ones), b.as_ref().unwrap_or(&ones)))
            }
        };
        Pose {
            translations: straight(&self.translations, &other.translations),
            rotations: self.rotations.iter().zip(&other.rotations).map(rotation).collect(),
            scales,
        }
    }

    /// Returns the world frames of all joints (forward kinematics).
    pub fn world(&self, skeleton: &Skeleton) -> Vec<Frame> {
        let mut frames = Vec::new();
        self.world_into(skeleton, &mut frames);
        frames
    }

    /// Writes the world frames of all joints into a buffer.
    ///
    /// Positions of a pose with scales are those of the full matrix product (what glTF viewers draw); rotations are the
    /// product of the joint rotations, which is exact for uniform scales.
    pub fn world_into(&self, skeleton: &Skeleton, frames: &mut Vec<Frame>) {
        frames.clear();
        frames.reserve(skeleton.len());
        if let Some(scales) = &self.scales {
            return self.scaled_world_into(skeleton, scales, frames);
        }
        for (j, joint) in skeleton.joints().iter().enumerate() {
            let (translation, rotation) = (self.translations[j], self.rotations[j]);
            frames.push(match joint.parent {
                None => Frame { position: translation, rotation },
                Some(p) => {
                    let parent: Frame = frames[p];
                    Frame {
                        position: parent.position + parent.rotation * translation,
                        rotation: parent.rotation * rotation,
                    }
                }
            });
        }
    }

    fn scaled_world_into(&self, skeleton: &Skeleton, scales: &[Vec3], frames: &mut Vec<Frame>) {
        // The linear part of each joint's world matrix, shear included.
        let mut linear: Vec<crate::math::Mat3> = Vec::with_capacity(skeleton.len());
        for (j, joint) in skeleton.joints().iter().enumerate() {
            let rotation = self.rotations[j];
            let own = rotation.to_rotation_matrix().into_inner() * crate::math::Mat3::from_diagonal(&scales[j]);
            let (position, rotation, matrix) = match joint.parent {
                None => (self.translations[j], rotation, own),
                Some(p) => (
                    frames[p].position + linear[p] * self.translations[j],
                    frames[p].rotation * rotation,
                    linear[p] * own,
                ),
            };
            frames.push(Frame { position, rotation });
            linear.push(matrix);
        }
    }
}

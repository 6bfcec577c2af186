//! The joint tree and its rest pose.

use super::{Pose, Role};
use crate::{Quat, Real, Vec3};

/// One joint of a [`Skeleton`]: a frame that turns, and the bone that carries it away from its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    pub name: String,
    /// Index of the parent joint; always smaller than the joint's own index. `None` for a root.
    pub parent: Option<usize>,
    /// Rest position in the parent's frame (world, for a root), metres.
    pub offset: Vec3,
    /// Rest orientation in the parent's frame (world, for a root).
    pub rest: Quat,
    /// Where the bone of a leaf joint ends, in the joint's own frame, metres (BVH's End Site).
    pub tip: Option<Vec3>,
    /// What the joint is on a body, when known.
    pub role: Option<Role>,
}

impl Joint {
    /// A joint with an unturned rest frame, no tip and no known role.
    pub fn new(name: impl Into<String>, parent: Option<usize>, offset: Vec3) -> Self {
        Self { name: name.into(), parent, offset, rest: Quat::identity(), tip: None, role: None }
    }
}

/// Why a list of joints is no skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkeletonError {
    #[error("a skeleton needs at least one joint")]
    Empty,
    #[error("joint {joint} ({name:?}) names joint {parent} as its parent; parents must come before their children")]
    ParentOrder { joint: usize, name: String, parent: usize },
    #[error("joint {joint} ({name:?}) has a rest position or orientation that is not a finite number")]
    NotFinite { joint: usize, name: String },
}

/// A tree (or several trees) of joints. Parents always come before their children.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
}

impl Skeleton {
    /// Checks that parents come first and all numbers are finite.
    ///
    /// ```
    /// use sinew_motion::{Joint, Skeleton};
    /// use sinew_motion::Vec3;
    /// let arm = Skeleton::new(vec![
    ///     Joint::new("shoulder", None, Vec3::new(0.0, 1.4, 0.0)),
    ///     Joint::new("elbow", Some(0), Vec3::new(0.3, 0.0, 0.0)),
    /// ])?;
    /// assert_eq!(arm.children(0).collect::<Vec<_>>(), [1]);
    /// # Ok::<(), sinew_motion::SkeletonError>(())
    /// ```
    pub fn new(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        if joints.is_empty() {
            return Err(SkeletonError::Empty);
        }
        for (index, joint) in joints.iter().enumerate() {
            if let Some(parent) = joint.parent.filter(|&p| p >= index) {
                return Err(SkeletonError::ParentOrder { joint: index, name: joint.name.clone(), parent });
            }
            let finite = |v: &Vec3| v.iter().all(|x| x.is_finite());
            if !finite(&joint.offset)
                || !joint.rest.coords.iter().all(|x| x.is_finite())
                || !joint.tip.iter().all(finite)
            {
                return Err(SkeletonError::NotFinite { joint: index, name: joint.name.clone() });
            }
        }
        Ok(Self { joints })
    }

    /// All joints, parents first.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    pub fn joint(&self, index: usize) -> &Joint {
        &self.joints[index]
    }

    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Never true: a skeleton has at least one joint.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Index of the first joint of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// Index of the joint that has this role.
    pub fn with_role(&self, role: Role) -> Option<usize> {
        self.joints.iter().position(|j| j.role == Some(role))
    }

    /// Sets what a joint is on a body.
    pub fn set_role(&mut self, joint: usize, role: Option<Role>) {
        self.joints[joint].role = role;
    }

    /// The joints whose parent is `joint`, in order.
    pub fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        (joint + 1..self.joints.len()).filter(move |&j| self.joints[j].parent == Some(joint))
    }

    /// The joints without a parent.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.joints.len()).filter(|&j| self.joints[j].parent.is_none())
    }

    /// Distance from the parent joint in the rest pose, metres; for a root, 0.
    pub fn bone_length(&self, joint: usize) -> Real {
        if self.joints[joint].parent.is_some() { self.joints[joint].offset.norm() } else { 0.0 }
    }

    /// The rest pose.
    pub fn rest_pose(&self) -> Pose {
        Pose {
            translations: self.joints.iter().map(|j| j.offset).collect(),
            rotations: self.joints.iter().map(|j| j.rest).collect(),
            scales: None,
        }
    }

    /// The same skeleton with every length multiplied by `factor`.
    pub fn scaled(&self, factor: Real) -> Skeleton {
        let mut joints = self.joints.clone();
        for joint in &mut joints {
            joint.offset *= factor;
            joint.tip = joint.tip.map(|t| t * factor);
        }
        Skeleton { joints }
    }
}

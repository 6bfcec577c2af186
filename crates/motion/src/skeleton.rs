//! Joint tree and its rest pose.

use super::{Pose, Role};
use crate::{Quat, Real, Vec3};

/// Joint of a [`Skeleton`]: a frame that rotates, at the end of a bone from its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name as in the file; names may repeat.
    pub name: String,
    /// Index of the parent joint; always smaller than the joint's own index. `None` for a root.
    pub parent: Option<usize>,
    /// Rest position in the parent's frame (world, for a root), metres.
    pub offset: Vec3,
    /// Rest orientation in the parent's frame (world, for a root).
    pub rest: Quat,
    /// End of the bone of a leaf joint, metres, in the joint's own frame (BVH's End Site).
    pub tip: Option<Vec3>,
    /// Anatomical role, when known.
    pub role: Option<Role>,
}

impl Joint {
    /// Makes a joint whose rest frame has the axes of its parent, without tip and role. `offset` is in metres.
    pub fn new(name: impl Into<String>, parent: Option<usize>, offset: Vec3) -> Self {
        Self { name: name.into(), parent, offset, rest: Quat::identity(), tip: None, role: None }
    }
}

/// Reason why a list of joints is no skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkeletonError {
    /// List without a joint.
    #[error("a skeleton needs at least one joint")]
    Empty,
    /// Parent that does not come before its child.
    #[error("joint {joint} ({name:?}) names joint {parent} as its parent; parents must come before their children")]
    ParentOrder {
        /// Index of the child.
        joint: usize,
        /// Name of the child.
        name: String,
        /// Index of the parent.
        parent: usize,
    },
    /// Infinite or undefined rest pose.
    #[error("joint {joint} ({name:?}) has a rest position or orientation that is not a finite number")]
    NotFinite {
        /// Index of the joint.
        joint: usize,
        /// Name of the joint.
        name: String,
    },
}

/// Tree (or several trees) of joints. Parents always come before their children.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
}

impl Skeleton {
    /// Makes a skeleton; parents must come first and all numbers must be finite.
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

    /// Returns all joints, parents first.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Returns one joint.
    pub fn joint(&self, index: usize) -> &Joint {
        &self.joints[index]
    }

    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Returns false: a skeleton has at least one joint.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Returns the skeleton rotated about the world's origin.
    pub(crate) fn turned(&self, by: &Quat) -> Skeleton {
        let mut joints = self.joints.clone();
        for root in joints.iter_mut().filter(|joint| joint.parent.is_none()) {
            (root.rest, root.offset) = (by * root.rest, by * root.offset);
        }
        Skeleton { joints }
    }

    /// Returns the index of the first joint of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// Returns the index of the first joint with this role.
    pub fn with_role(&self, role: Role) -> Option<usize> {
        self.joints.iter().position(|j| j.role == Some(role))
    }

    /// Sets the role of a joint.
    pub fn set_role(&mut self, joint: usize, role: Option<Role>) {
        self.joints[joint].role = role;
    }

    /// Returns the joints whose parent is `joint`, ascending.
    pub fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        (joint + 1..self.joints.len()).filter(move |&j| self.joints[j].parent == Some(joint))
    }

    /// Returns the joints without a parent, ascending.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.joints.len()).filter(|&j| self.joints[j].parent.is_none())
    }

    /// Returns the distance from the parent joint in the rest pose, metres; 0 for a root.
    pub fn bone_length(&self, joint: usize) -> Real {
        if self.joints[joint].parent.is_some() { self.joints[joint].offset.norm() } else { 0.0 }
    }

    /// Returns the rest pose.
    pub fn rest_pose(&self) -> Pose {
        Pose {
            translations: self.joints.iter().map(|j| j.offset).collect(),
            rotations: self.joints.iter().map(|j| j.rest).collect(),
            scales: None,
        }
    }

    /// Returns the same skeleton with every length multiplied by `factor`.
    pub fn scaled(&self, factor: Real) -> Skeleton {
        let mut joints = self.joints.clone();
        for joint in &mut joints {
            joint.offset *= factor;
            joint.tip = joint.tip.map(|t| t * factor);
        }
        Skeleton { joints }
    }
}

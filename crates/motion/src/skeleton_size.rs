//! Size of a skeleton: bone lengths, bounding box, standing height.

use super::{Skeleton, detect_body};
use crate::{Real, Vec3};

/// Standing height of the body that lengths and speeds in thresholds are given for, metres; other bodies scale them by their own height over it.
pub const REFERENCE_HEIGHT: Real = 1.75;

impl Skeleton {
    /// Returns the first joint without a parent.
    pub fn root(&self) -> usize {
        self.roots().next().unwrap_or(0)
    }

    /// Returns the distance of every joint from its parent in the rest pose, metres; 0 for roots.
    pub fn bone_lengths(&self) -> Vec<Real> {
        (0..self.len()).map(|j| self.bone_length(j)).collect()
    }

    /// Returns lowest and highest corner of the box around the rest pose, tips included, metres, world axes.
    pub fn rest_box(&self) -> (Vec3, Vec3) {
        let mut corners = (Vec3::repeat(Real::INFINITY), Vec3::repeat(Real::NEG_INFINITY));
        for (j, frame) in self.rest_pose().world(self).iter().enumerate() {
            let tip = self.joint(j).tip.map(|tip| frame.position + frame.rotation * tip);
            for point in std::iter::once(frame.position).chain(tip) {
                corners = (corners.0.inf(&point), corners.1.sup(&point));
            }
        }
        corners
    }

    /// Returns the standing height, metres: the [stature](fn@crate::stature) of a body on two legs, which no rest pose changes; else the extent of
    /// the rest pose along Y, tips included.
    ///
    /// ```
    /// use sinew_motion::{Joint, Skeleton};
    /// use sinew_motion::Vec3;
    /// let chain = Skeleton::new(vec![Joint::new("a", None, Vec3::y()), Joint::new("b", Some(0), Vec3::y() * -0.8)])?;
    /// assert!((chain.height() - 0.8).abs() < 1e-12);
    /// # Ok::<(), sinew_motion::SkeletonError>(())
    /// ```
    pub fn height(&self) -> Real {
        self.person_height().unwrap_or_else(|| {
            let (low, high) = self.rest_box();
            high.y - low.y
        })
    }

    /// Returns the [stature](fn@crate::stature) of a body on two legs, metres; `None` for other bodies, and where bones show too little of it.
    pub fn person_height(&self) -> Option<Real> {
        detect_body(self, None).stature.map(|stature| stature.height)
    }

    /// Returns true if the body stands in its rest pose (see [`DetectedBody::rests_upright`](crate::DetectedBody)).
    pub fn rests_upright(&self) -> bool {
        detect_body(self, None).rests_upright
    }

    /// Returns true if the rest pose is upright with its lowest point at y = 0, so that it shows where the soles are.
    /// `height` is the standing height, metres.
    pub fn rests_on_ground(&self, height: Real) -> bool {
        self.rests_upright() && (-0.002..0.06 * height / REFERENCE_HEIGHT).contains(&self.rest_box().0.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Joint;

    /// A body whose spine, neck and head lie along `up`, and whose legs lie along `down`.
    fn body(up: Vec3, down: Vec3) -> Skeleton {
        let mut head = Joint::new("Head", Some(1), up * 0.3);
        head.tip = Some(up * 0.2);
        let mut joints = vec![Joint::new("Hips", None, Vec3::y()), Joint::new("Spine", Some(0), up * 0.3), head];
        for (side, x) in [("Left", 0.1), ("Right", -0.1)] {
            let hip = joints.len();
            joints.push(Joint::new(format!("{side}UpLeg"), Some(0), Vec3::z() * x));
            joints.push(Joint::new(format!("{side}Leg"), Some(hip), down * 0.45));
            joints.push(Joint::new(format!("{side}Foot"), Some(hip + 1), down * 0.45));
        }
        Skeleton::new(joints).unwrap()
    }

    /// Recorders rest along one axis, with the spine alone along one, or head down.
    #[test]
    fn every_rest_pose_has_the_same_height_but_one_stands() {
        let upright = body(Vec3::y(), -Vec3::y());
        assert!((upright.height() - 1.7 / (1.0 - 0.039)).abs() < 1e-9, "{}", upright.height());
        assert!(upright.rests_upright());
        for (up, down) in
            [(Vec3::x(), Vec3::x()), (Vec3::x(), -Vec3::y()), (-Vec3::y(), Vec3::y()), (-Vec3::y(), -Vec3::y())]
        {
            let other = body(up, down);
            assert!((other.height() - upright.height()).abs() < 1e-9, "{up} {down}: {}", other.height());
            assert!(!other.rests_upright(), "{up} {down}");
        }
    }

    #[test]
    fn tips_count_and_lengths_are_those_of_the_offsets() {
        let mut joint = Joint::new("b", Some(0), Vec3::new(3.0, 4.0, 0.0));
        joint.tip = Some(Vec3::new(0.0, 2.0, -1.0));
        let skeleton = Skeleton::new(vec![Joint::new("a", None, Vec3::x()), joint]).unwrap();
        assert_eq!(skeleton.bone_lengths(), [0.0, 5.0]);
        assert_eq!(skeleton.rest_box(), (Vec3::new(1.0, 0.0, -1.0), Vec3::new(4.0, 6.0, 0.0)));
        assert_eq!((skeleton.height(), skeleton.root()), (6.0, 0));
    }
}

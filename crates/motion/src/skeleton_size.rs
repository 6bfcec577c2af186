//! Size of a skeleton: bone lengths, bounding box, standing height.

use super::{Role, Side, Skeleton, detect_roles};
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
        self.box_around(|_| true)
    }

    fn box_around(&self, counts: impl Fn(usize) -> bool) -> (Vec3, Vec3) {
        let mut corners = (Vec3::repeat(Real::INFINITY), Vec3::repeat(Real::NEG_INFINITY));
        for (j, frame) in self.rest_pose().world(self).iter().enumerate().filter(|(j, _)| counts(*j)) {
            let tip = self.joint(j).tip.map(|tip| frame.position + frame.rotation * tip);
            for point in std::iter::once(frame.position).chain(tip) {
                corners = (corners.0.inf(&point), corners.1.sup(&point));
            }
        }
        corners
    }

    /// Returns the standing height, metres: the extent of the rest pose along Y, tips included and arms left out (some
    /// rigs rest with raised arms). Bones end short of the body: soles and hair do not count.
    ///
    /// Some rest poses are no posture (every bone along one axis, or lying down). If the rest pose is less than two thirds
    /// as high as legs and trunk are long, that length is returned: from the ankle of the longer leg to the hips and up to
    /// the crown. The height of a four-legged animal is its extent.
    ///
    /// ```
    /// use sinew_motion::{Joint, Skeleton};
    /// use sinew_motion::Vec3;
    /// let mut head = Joint::new("Head", Some(0), Vec3::y() * 0.6);
    /// head.tip = Some(Vec3::y() * 0.2);
    /// let foot = Joint::new("LeftFoot", Some(0), Vec3::new(0.1, -0.9, 0.0));
    /// let figure = Skeleton::new(vec![Joint::new("Hips", None, Vec3::y() * 0.9), head, foot])?;
    /// assert!((figure.height() - 1.7).abs() < 1e-12);
    /// # Ok::<(), sinew_motion::SkeletonError>(())
    /// ```
    pub fn height(&self) -> Real {
        self.measure().0
    }

    /// Returns true if [`height`](Self::height) is the extent of the rest pose, not a length along the bones.
    pub fn rests_upright(&self) -> bool {
        self.measure().1
    }

    /// Returns true if the rest pose is upright with its lowest point at y = 0, so that it shows where the soles are.
    /// `height` is the standing height, metres.
    pub fn rests_on_ground(&self, height: Real) -> bool {
        self.rests_upright() && (-0.002..0.06 * height / REFERENCE_HEIGHT).contains(&self.rest_box().0.y)
    }

    fn measure(&self) -> (Real, bool) {
        let roles: Vec<Option<Role>> = detect_roles(self).iter().map(|g| g.role).collect();
        let mut arm = vec![false; self.len()];
        for (j, joint) in self.joints().iter().enumerate() {
            let starts = matches!(roles[j], Some(Role::Shoulder(_) | Role::UpperArm(_)));
            arm[j] = starts || joint.parent.is_some_and(|p| arm[p]);
        }
        // A skeleton of arms alone has their height.
        let all_arm = arm.iter().all(|&a| a);
        let (low, high) = self.box_around(|j| all_arm || !arm[j]);
        let extent = high.y - low.y;
        match self.length_of_body(&roles) {
            Some(length) if self.rests_head_down(&roles) => (length, false),
            Some(length) if extent < length * 2.0 / 3.0 && !self.rests_on_legs(&roles) => (length, false),
            _ => (extent, true),
        }
    }

    /// Returns true if the rest pose is head down: the up axis was detected from a motion that disagrees with it.
    fn rests_head_down(&self, roles: &[Option<Role>]) -> bool {
        let rest = self.rest_pose().world(self);
        let height = |role: Role| roles.iter().position(|&r| r == Some(role)).map(|j| rest[j].position.y);
        let (Some(hips), Some(head)) = (height(Role::Hips), height(Role::Head)) else { return false };
        let mut feet = [Side::Left, Side::Right].into_iter().filter_map(|side| height(Role::Foot(side))).peekable();
        head < hips && feet.peek().is_some() && feet.all(|foot| foot > hips)
    }

    /// Returns true if the hips rest above a foot by more than half of the leg between them.
    fn rests_on_legs(&self, roles: &[Option<Role>]) -> bool {
        let find = |role: Role| roles.iter().position(|&r| r == Some(role));
        let Some(hips) = find(Role::Hips) else { return false };
        let rest = self.rest_pose().world(self);
        let is_above = |foot: usize| {
            let height = rest[hips].position.y - rest[foot].position.y;
            self.length_between(hips, foot).is_some_and(|leg| height > 0.5 * leg)
        };
        [Side::Left, Side::Right].into_iter().filter_map(|side| find(Role::Foot(side))).any(is_above)
    }

    /// Length from the ankle along the leg to the hips and up to the crown; `None` if a joint of these is unknown.
    fn length_of_body(&self, roles: &[Option<Role>]) -> Option<Real> {
        let find = |role: Role| roles.iter().position(|&r| r == Some(role));
        let hips = find(Role::Hips)?;
        let head = find(Role::Head)?;
        let feet = [Side::Left, Side::Right].into_iter().filter_map(|s| find(Role::Foot(s)));
        let leg = feet.filter_map(|foot| self.length_between(hips, foot)).max_by(Real::total_cmp)?;
        let crown = self.joint(head).tip.map_or(0.0, |tip| tip.norm());
        Some(leg + self.length_between(hips, head)? + crown)
    }

    /// Length along the bones from a joint down to one below it, metres.
    fn length_between(&self, above: usize, below: usize) -> Option<Real> {
        let mut length = 0.0;
        let mut joint = below;
        while joint != above {
            length += self.bone_length(joint);
            joint = self.joint(joint).parent?;
        }
        Some(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Joint;

    /// The same bones, once standing and once all along X, have the same height.
    #[test]
    fn a_rest_pose_that_is_no_posture_still_has_a_height() {
        let build = |up: Vec3, down: Vec3| {
            let mut head = Joint::new("Head", Some(1), up * 0.3);
            head.tip = Some(up * 0.2);
            Skeleton::new(vec![
                Joint::new("Hips", None, Vec3::new(0.0, 0.9, 0.0)),
                Joint::new("Spine", Some(0), up * 0.3),
                head,
                Joint::new("LeftUpLeg", Some(0), down * 0.1),
                Joint::new("LeftLeg", Some(3), down * 0.4),
                Joint::new("LeftFoot", Some(4), down * 0.4),
            ])
            .unwrap()
        };
        assert!((build(Vec3::y(), -Vec3::y()).height() - 1.7).abs() < 1e-12);
        assert!((build(Vec3::x(), Vec3::x()).height() - 1.7).abs() < 1e-12);
        assert!(build(Vec3::y(), -Vec3::y()).rests_upright() && !build(Vec3::x(), Vec3::x()).rests_upright());
    }

    /// Head down, the skeleton has the same height, and its rest pose is not used as a posture.
    #[test]
    fn a_rest_pose_head_down_is_not_upright() {
        let mut head = Joint::new("Head", Some(0), Vec3::y() * -0.6);
        head.tip = Some(Vec3::y() * -0.2);
        let foot = Joint::new("LeftFoot", Some(0), Vec3::new(0.0, 0.9, 0.0));
        let figure = Skeleton::new(vec![Joint::new("Hips", None, Vec3::zeros()), head, foot]).unwrap();
        assert!((figure.height() - 1.7).abs() < 1e-12 && !figure.rests_upright());
    }

    #[test]
    fn an_animal_on_four_legs_is_as_high_as_it_reaches() {
        let skeleton = Skeleton::new(vec![
            Joint::new("Hips", None, Vec3::y() * 0.6),
            Joint::new("Spine", Some(0), Vec3::z() * 0.7),
            Joint::new("Head", Some(1), Vec3::new(0.0, 0.2, 0.3)),
            Joint::new("LeftUpLeg", Some(0), Vec3::x() * 0.1),
            Joint::new("LeftLeg", Some(3), Vec3::y() * -0.3),
            Joint::new("LeftFoot", Some(4), Vec3::y() * -0.3),
        ]);
        assert!((skeleton.unwrap().height() - 0.8).abs() < 1e-12);
    }

    #[test]
    fn raised_arms_do_not_count_as_height() {
        let skeleton = Skeleton::new(vec![
            Joint::new("Hips", None, Vec3::y()),
            Joint::new("Head", Some(0), Vec3::y() * 0.6),
            Joint::new("LeftArm", Some(0), Vec3::y() * 0.4),
            Joint::new("LeftForeArm", Some(2), Vec3::y() * 0.3),
            Joint::new("LeftHand", Some(3), Vec3::y() * 0.3),
            Joint::new("LeftFoot", Some(0), Vec3::y() * -0.9),
        ]);
        assert!((skeleton.unwrap().height() - 1.5).abs() < 1e-12);
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

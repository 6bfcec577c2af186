//! Travel of a body along the ground: taken out of a clip, or handed to the root above the body, as game engines move characters.

use super::clip_builder::{ClipBuilder, check};
use crate::root_motion::{in_parent, moved_joints, world_frame};
use crate::{Clip, ClipError, GroundMove, Skeleton, Vec3};

/// Keeps a body in place: the joint `hips` stays above its place in the rest pose, with all that moves along with it. Heights and rotations stay.
pub fn without_travel(skeleton: &Skeleton, clip: &Clip, hips: usize) -> Result<Clip, ClipError> {
    check(skeleton, clip)?;
    rewritten(skeleton, clip, hips, None)
}

/// Hands the travel of a body to the root above it: no point of the body moves otherwise, the root follows on the ground, and below it the body
/// stays in place, as [`without_travel`] has it. `None` where `hips` is a root itself.
pub fn with_travel_on_root(skeleton: &Skeleton, clip: &Clip, hips: usize) -> Result<Option<Clip>, ClipError> {
    check(skeleton, clip)?;
    let above = |&joint: &usize| skeleton.joint(joint).parent;
    let root = std::iter::successors(above(&hips), above).last();
    root.map(|root| rewritten(skeleton, clip, hips, Some(root))).transpose()
}

fn rewritten(skeleton: &Skeleton, clip: &Clip, hips: usize, root: Option<usize>) -> Result<Clip, ClipError> {
    let is_below_root = |joint: &usize| {
        let mut way = std::iter::successors(skeleton.joint(*joint).parent, |&j| skeleton.joint(j).parent);
        root.is_none_or(|root| way.any(|j| j == root))
    };
    let moved: Vec<usize> = moved_joints(skeleton, hips).into_iter().filter(is_below_root).collect();
    let tracks: Vec<usize> = moved.iter().copied().chain(root).collect();
    let mut builder = ClipBuilder::like(&[clip]).with_translations(&tracks);
    let home = world_frame(skeleton, &skeleton.rest_pose(), hips).0;
    for frame in 0..clip.frames() {
        let mut pose = clip.pose(skeleton, frame);
        let travel = world_frame(skeleton, &pose, hips).0 - home;
        let travel = Vec3::new(travel.x, 0.0, travel.z);
        let shift = |joint: usize, by: Vec3, pose: &crate::Pose| {
            in_parent(skeleton, pose, joint, &GroundMove { yaw: 0.0, translation: by }).1
        };
        for &joint in &moved {
            let by = shift(joint, -travel, &pose);
            pose.translations[joint] += by;
        }
        if let Some(root) = root {
            let by = shift(root, travel, &pose);
            pose.translations[root] += by;
        }
        builder.push(&pose);
    }
    builder.finish(&clip.name, clip.rate_hz(), clip.joints())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Quat, Role, Tracks};

    /// A root that lies on its side, hips above it, and a head.
    fn walker() -> (Skeleton, Clip) {
        let mut root = Joint::new("root", None, Vec3::zeros());
        root.rest = Quat::from_euler_angles(-1.5, 0.2, 0.0);
        let mut hips = Joint::new("hips", Some(0), Vec3::z() * 0.9);
        hips.role = Some(Role::Hips);
        let skeleton = Skeleton::new(vec![root, hips, Joint::new("head", Some(1), Vec3::z() * 0.7)]).unwrap();
        let turns = (0..3).flat_map(|k| {
            [skeleton.joint(0).rest, Quat::from_euler_angles(0.0, 0.1 * f64::from(k), 0.3), Quat::identity()]
        });
        let values = (0..3).map(|k| Vec3::new(0.2, -0.5 * f64::from(k), 0.9)).collect();
        let clip =
            Clip::new("go", 30.0, 3, turns.collect(), Tracks { joints: vec![1], values }, Tracks::default()).unwrap();
        (skeleton, clip)
    }

    /// With its travel on the root the body moves as before, and the root stays on the ground below the hips.
    #[test]
    fn a_root_that_carries_the_travel_moves_no_point_of_the_body() {
        let (skeleton, clip) = walker();
        let carried = with_travel_on_root(&skeleton, &clip, 1).unwrap().unwrap();
        let rest = skeleton.rest_pose().world(&skeleton);
        for frame in 0..3 {
            let [was, is] = [&clip, &carried].map(|clip| clip.pose(&skeleton, frame).world(&skeleton));
            assert!((1..3).all(|j| (was[j].position - is[j].position).norm() < 1e-12));
            let below = (is[1].position - rest[1].position) - (is[0].position - rest[0].position);
            assert!(is[0].position.y == 0.0 && below.x.abs() < 1e-12 && below.z.abs() < 1e-12, "{below}");
        }
        assert_eq!(with_travel_on_root(&skeleton, &clip, 0).unwrap(), None);
    }

    /// Without its travel a body keeps heights and rotations, and its hips stay where they rest.
    #[test]
    fn a_body_in_place_stays_where_it_rests() {
        let (skeleton, clip) = walker();
        let still = without_travel(&skeleton, &clip, 1).unwrap();
        let rest = skeleton.rest_pose().world(&skeleton);
        for frame in 0..3 {
            let [was, is] = [&clip, &still].map(|clip| clip.pose(&skeleton, frame).world(&skeleton));
            let off = is[1].position - rest[1].position;
            assert!(off.x.abs() < 1e-12 && off.z.abs() < 1e-12);
            assert!((is[1].position.y - was[1].position.y).abs() < 1e-12 && is[2].rotation == was[2].rotation);
        }
    }
}

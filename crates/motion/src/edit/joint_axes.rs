//! Joints with other axes: the same motion of every point, from another rest pose.

use crate::{Clip, ClipError, Joint, Quat, Skeleton, SkeletonError, Tracks, Vec3};

/// Gives every joint other axes, and makes the pose in which they are all aligned the rest pose. `axes` are those of each joint in its own
/// frame. No point of the body moves otherwise in the clip: with A the new axes, the rotation r of a joint and the offset o of its bone
/// become
///
///   r' = A_parent⁻¹ r A,   o' = A_parent⁻¹ o
///
/// Recorders write such rest poses: all bones along one axis ([`axes_along`]), or every joint in axes of its own.
pub fn with_joint_axes(skeleton: &Skeleton, axes: &[Quat]) -> Result<Skeleton, SkeletonError> {
    let joint = |(joint, own): (&Joint, &Quat)| {
        let parent = joint.parent.map_or_else(Quat::identity, |p| axes[p]);
        Joint {
            offset: parent.inverse() * joint.offset,
            rest: Quat::identity(),
            tip: joint.tip.map(|tip| own.inverse() * tip),
            ..joint.clone()
        }
    };
    Skeleton::new(skeleton.joints().iter().zip(axes).map(joint).collect())
}

/// Rewrites a clip for the axes of [`with_joint_axes`]; `skeleton` is the one that the clip was made for.
pub fn clip_with_joint_axes(skeleton: &Skeleton, clip: &Clip, axes: &[Quat]) -> Result<Clip, ClipError> {
    let parent = |joint: usize| skeleton.joint(joint).parent.map_or_else(Quat::identity, |p| axes[p]).inverse();
    let rotations = (0..clip.frames())
        .flat_map(|frame| clip.rotations(frame).iter().enumerate().map(|(j, r)| parent(j) * r * axes[j]))
        .collect();
    let tracks = clip.translations();
    let each = tracks.joints.len().max(1);
    let values = tracks.values.iter().enumerate().map(|(k, value)| parent(tracks.joints[k % each]) * value).collect();
    let translations = Tracks { joints: tracks.joints.clone(), values };
    Clip::new(&clip.name, clip.rate_hz(), skeleton.len(), rotations, translations, clip.scales().clone())
}

/// Returns the axes for [`with_joint_axes`] that lay the longest bone of each joint along a direction. Joints for which `chosen` is false, and
/// those without bones, keep the axes of the standing rest pose.
pub fn axes_along(skeleton: &Skeleton, direction: &Vec3, chosen: impl Fn(usize) -> bool) -> Vec<Quat> {
    let rest = skeleton.rest_pose().world(skeleton);
    let axes = |joint: usize| {
        let tip = skeleton.joint(joint).tip;
        let bones = skeleton.children(joint).map(|child| skeleton.joint(child).offset).chain(tip);
        let longest = bones.max_by(|a, b| a.norm().total_cmp(&b.norm())).filter(|bone| bone.norm() > 1e-9);
        let aligned = rest[joint].rotation.inverse();
        longest.filter(|_| chosen(joint)).map_or(aligned, |bone| {
            Quat::rotation_between(direction, &bone).unwrap_or_else(|| {
                let across = direction.cross(&Vec3::new(direction.z, direction.x, direction.y));
                Quat::from_axis_angle(&nalgebra::Unit::new_normalize(across), std::f64::consts::PI)
            })
        })
    };
    (0..skeleton.len()).map(axes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Real;

    /// Every joint and tip moves as before, whatever axes the joints have; the new rest pose has no rotations, and the bones lie as told.
    #[test]
    fn other_axes_move_no_point() {
        let mut tip = Joint::new("c", Some(1), Vec3::new(0.1, 0.4, 0.2));
        tip.tip = Some(Vec3::new(0.0, 0.0, 0.3));
        tip.rest = Quat::from_euler_angles(0.3, 0.2, 0.1);
        let joints = vec![Joint::new("a", None, Vec3::y()), Joint::new("b", Some(0), Vec3::z() * 0.5), tip];
        let skeleton = Skeleton::new(joints).unwrap();
        let turn = |k: usize| Quat::from_euler_angles(0.3 * k as Real, 0.1 - k as Real, 0.7);
        let tracks = Tracks { joints: vec![0, 2], values: (0..4).map(|k| Vec3::x() * k as Real).collect() };
        let clip = Clip::new("c", 30.0, 3, (0..6).map(turn).collect(), tracks, Tracks::default()).unwrap();
        for axes in [axes_along(&skeleton, &Vec3::x(), |_| true), (0..3).map(|k| turn(2 * k + 1)).collect()] {
            let other = with_joint_axes(&skeleton, &axes).unwrap();
            let moved = clip_with_joint_axes(&skeleton, &clip, &axes).unwrap();
            for frame in 0..2 {
                let (was, is) = (clip.pose(&skeleton, frame).world(&skeleton), moved.pose(&other, frame).world(&other));
                for j in 0..3 {
                    assert!((was[j].position - is[j].position).norm() < 1e-12);
                    let end = |s: &Skeleton, f: &crate::Frame| s.joint(j).tip.map(|t| f.position + f.rotation * t);
                    let apart = end(&skeleton, &was[j]).zip(end(&other, &is[j])).map(|(a, b)| (a - b).norm());
                    assert!(apart.is_none_or(|apart| apart < 1e-12));
                }
            }
        }
        let along = with_joint_axes(&skeleton, &axes_along(&skeleton, &Vec3::x(), |_| true)).unwrap();
        assert!((along.joint(2).offset.normalize() - Vec3::x()).norm() < 1e-9);
        assert!((along.joint(2).tip.unwrap() - Vec3::x() * 0.3).norm() < 1e-9);
    }
}

//! The built-in bodies, and others made from them.

use sinew::formats::{self, Capture, ImportOptions};
use sinew::motion::{Clip, Joint, Role, Side, Skeleton};
use sinew::retarget::{Body, BodyOptions};
use sinew::{Quat, Vec3};
use std::path::Path;

pub fn open(file: &str) -> Capture {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
    formats::read(&path, &ImportOptions::default()).expect("built-in data can be read")
}

pub fn clip(file: &str) -> (Skeleton, Clip) {
    let mut capture = open(file);
    (capture.skeleton, capture.clips.remove(0))
}

pub fn body(skeleton: &Skeleton) -> Body {
    Body::new(skeleton, &BodyOptions::default())
}

/// The same joints under names that say nothing.
pub fn nameless(skeleton: &Skeleton) -> Skeleton {
    let rename =
        |(k, joint): (usize, &Joint)| Joint { name: format!("qx{}", k * 7919 % 1000), role: None, ..joint.clone() };
    Skeleton::new(skeleton.joints().iter().enumerate().map(rename).collect()).expect("only names changed")
}

/// Axes of joints lie anyhow.
pub fn skew(joint: usize) -> Quat {
    Quat::from_euler_angles(0.3 * joint as f64, -0.7 + 0.1 * joint as f64, 1.1)
}

/// The same bones in another rest pose: joints turned at rest in the world about their own places, and their axes with a
/// turn of their own, so that nothing of the old rest pose is left.
pub fn rested(skeleton: &Skeleton, turned: &[(Role, Quat)]) -> Skeleton {
    let old = skeleton.rest_pose().world(skeleton);
    let mut turns = vec![Quat::identity(); skeleton.len()];
    for (j, joint) in skeleton.joints().iter().enumerate() {
        let above = joint.parent.map_or(Quat::identity(), |p| turns[p]);
        let own = turned.iter().find(|(role, _)| joint.role == Some(*role)).map_or(Quat::identity(), |(_, turn)| *turn);
        turns[j] = own * above;
    }
    let axes: Vec<Quat> = (0..skeleton.len()).map(|j| turns[j] * old[j].rotation * skew(j)).collect();
    let joints = skeleton.joints().iter().enumerate().map(|(j, joint)| {
        let (rest, offset) = match joint.parent {
            None => (axes[j], joint.offset),
            Some(p) => {
                let way = turns[p] * (old[j].position - old[p].position);
                (axes[p].inverse() * axes[j], axes[p].inverse() * way)
            }
        };
        let tip = joint.tip.map(|tip| axes[j].inverse() * (turns[j] * old[j].rotation * tip));
        Joint { rest, offset, tip, ..joint.clone() }
    });
    Skeleton::new(joints.collect()).expect("the same tree")
}

/// Arms lowered by an angle at both sides, radians.
pub fn arms_lowered(skeleton: &Skeleton, angle: f64) -> Skeleton {
    let about = |angle: f64| Quat::from_axis_angle(&Vec3::z_axis(), angle);
    rested(skeleton, &[(Role::UpperArm(Side::Left), about(-angle)), (Role::UpperArm(Side::Right), about(angle))])
}

/// The skeleton without the joints that a test names and all that hangs on them.
pub fn without(skeleton: &Skeleton, cut: impl Fn(&Joint) -> bool) -> Skeleton {
    let mut places: Vec<Option<usize>> = Vec::new();
    let mut joints: Vec<Joint> = Vec::new();
    for joint in skeleton.joints() {
        let parent = joint.parent.map(|p| places[p]);
        if cut(joint) || parent == Some(None) {
            places.push(None);
            continue;
        }
        places.push(Some(joints.len()));
        joints.push(Joint { parent: parent.flatten(), ..joint.clone() });
    }
    Skeleton::new(joints).expect("a tree")
}

/// The farthest that joints are apart in two clips, from frame `start` of the first on, metres.
pub fn apart(a: (&Skeleton, &Clip), b: (&Skeleton, &Clip), start: usize) -> f64 {
    let mut most: f64 = 0.0;
    for frame in 0..b.1.frames() {
        let one = a.1.pose(a.0, start + frame).world(a.0);
        let other = b.1.pose(b.0, frame).world(b.0);
        most = one.iter().zip(&other).map(|(a, b)| (a.position - b.position).norm()).fold(most, f64::max);
    }
    most
}

/// The skeleton with every bone of arms and legs in two halves, as rigs with twist bones have them.
pub fn with_split_bones(skeleton: &Skeleton) -> Skeleton {
    let mut places: Vec<usize> = Vec::new();
    let mut joints: Vec<Joint> = Vec::new();
    for joint in skeleton.joints() {
        let mut joint = Joint { parent: joint.parent.map(|p| places[p]), ..joint.clone() };
        if let Some(Role::LowerArm(_) | Role::Hand(_) | Role::LowerLeg(_) | Role::Foot(_)) = joint.role {
            let half = 0.5 * joint.offset;
            joints.push(Joint { parent: joint.parent, ..Joint::new(format!("{}Half", joint.name), None, half) });
            joint = Joint { parent: Some(joints.len() - 1), offset: half, ..joint };
        }
        places.push(joints.len());
        joints.push(joint);
    }
    Skeleton::new(joints).expect("a tree")
}

/// The skeleton with hind legs: a hock between knee and foot, which stands back, so that legs have three bones.
pub fn with_hocks(skeleton: &Skeleton) -> Skeleton {
    let world = skeleton.rest_pose().world(skeleton);
    let mut places: Vec<usize> = Vec::new();
    let mut joints: Vec<Joint> = Vec::new();
    for (j, joint) in skeleton.joints().iter().enumerate() {
        let mut joint = Joint { parent: joint.parent.map(|p| places[p]), ..joint.clone() };
        if let (Some(Role::Foot(_)), Some(knee)) = (joint.role, skeleton.joint(j).parent) {
            let way = world[j].position - world[knee].position;
            let hock = 0.6 * way - Vec3::z() * 0.12;
            let in_knee = world[knee].rotation.inverse();
            let name = format!("{}Hock", joint.name);
            joints.push(Joint { parent: joint.parent, ..Joint::new(name, None, in_knee * hock) });
            joint = Joint { parent: Some(joints.len() - 1), offset: in_knee * (way - hock), ..joint };
        }
        places.push(joints.len());
        joints.push(joint);
    }
    Skeleton::new(joints).expect("a tree")
}

/// Legs spread by an angle at both sides, feet and all, in a rest pose that hangs at its pelvis instead of standing: what zero angles
/// of recorders look like.
pub fn legs_spread(skeleton: &Skeleton, angle: f64) -> Skeleton {
    let about = |angle: f64| Quat::from_axis_angle(&Vec3::z_axis(), angle);
    let turned = [(Role::UpperLeg(Side::Left), about(angle)), (Role::UpperLeg(Side::Right), about(-angle))];
    hung(&rested(skeleton, &turned))
}

/// The same rest pose with its root in the origin.
fn hung(skeleton: &Skeleton) -> Skeleton {
    let mut joints = skeleton.joints().to_vec();
    joints[0].offset = Vec3::zeros();
    Skeleton::new(joints).expect("the same tree")
}

/// The skeleton with a joint inserted on each ankle that only twists, and leaves along the neck, as rigs for skins have them.
pub fn with_twists(skeleton: &Skeleton) -> Skeleton {
    let mut places: Vec<usize> = Vec::new();
    let mut joints: Vec<Joint> = Vec::new();
    for joint in skeleton.joints() {
        let mut joint = Joint { parent: joint.parent.map(|p| places[p]), ..joint.clone() };
        if let Some(Role::Foot(_)) = joint.role {
            joints.push(Joint::new(format!("{}Twist", joint.name), joint.parent, joint.offset));
            joint = Joint { parent: Some(joints.len() - 1), offset: Vec3::zeros(), ..joint };
        }
        if joint.role == Some(Role::Head) {
            let third = joint.offset / 3.0;
            joints.push(Joint::new("NeckTwist", joint.parent, third));
        }
        places.push(joints.len());
        joints.push(joint);
    }
    Skeleton::new(joints).expect("a tree")
}

/// The skeleton with a spine of one joint, which carries what the others did, in the same place.
pub fn without_inner_spine(skeleton: &Skeleton) -> Skeleton {
    without_spine(skeleton, |k| k > 0)
}

/// The skeleton without some joints of its spine; those below carry what they did, in the same place.
pub fn without_spine(skeleton: &Skeleton, gone: impl Fn(u8) -> bool) -> Skeleton {
    let rest = skeleton.rest_pose().world(skeleton);
    let gone = |j: usize| matches!(skeleton.joint(j).role, Some(Role::Spine(k)) if gone(k));
    let kept: Vec<usize> = (0..skeleton.len()).filter(|&j| !gone(j)).collect();
    let joints = kept.iter().map(|&j| {
        let mut joint = skeleton.joint(j).clone();
        let above = std::iter::successors(joint.parent, |&p| skeleton.joint(p).parent).find(|&p| !gone(p));
        if let Some(above) = above {
            let frame = &rest[above];
            joint.offset = frame.rotation.inverse() * (rest[j].position - frame.position);
            joint.rest = frame.rotation.inverse() * rest[j].rotation;
        }
        joint.parent = above.and_then(|above| kept.iter().position(|&k| k == above));
        joint
    });
    Skeleton::new(joints.collect()).expect("a tree")
}

//! Skeletons as recorders write them, with the OFFSETs of published captures: their rest pose is no posture, and their motion must look as
//! that of the same joints in a T-pose does.

use super::bodies::{body, clip, open};
use sinew::motion::edit::slice;
use sinew::motion::{Clip, Joint, Role, Skeleton};
use sinew::retarget::{Body, BodyOptions, JointMap, Retarget, RetargetOptions};
use sinew::{Quat, Real, Vec3};

/// Axes of a joint in the T-pose of a body that faces Z, with X to its left: directions of its own X and Y.
type Axes = [[Real; 3]; 2];

const LEFT: [Real; 3] = [1.0, 0.0, 0.0];
const RIGHT: [Real; 3] = [-1.0, 0.0, 0.0];
const UP: [Real; 3] = [0.0, 1.0, 0.0];
const DOWN: [Real; 3] = [0.0, -1.0, 0.0];
const AHEAD: [Real; 3] = [0.0, 0.0, 1.0];
const BACK: [Real; 3] = [0.0, 0.0, -1.0];

/// A joint: name, parent, OFFSET in centimetres, axes in the T-pose, and the direction of its bone there if that is not as its axes have it.
type Bone = (&'static str, Option<usize>, [Real; 3], Axes, Option<[Real; 3]>);

/// Every bone along X, hinges along Z, end sites without length.
fn all_along_x() -> Vec<Bone> {
    let (trunk, leg, left, right) = ([UP, AHEAD], [DOWN, AHEAD], [LEFT, BACK], [RIGHT, BACK]);
    let foot = [[0.0, -0.31, 0.951], [0.0, 0.951, 0.31]];
    let toes = [AHEAD, UP];
    vec![
        ("Hips", None, [0.0, 93.0, 0.0], trunk, None),
        ("LeftUpLeg", Some(0), [0.103, 1.858, 10.549], leg, None),
        ("LeftLeg", Some(1), [43.5, 0.0, 0.0], leg, None),
        ("LeftFoot", Some(2), [42.372, 0.0, 0.0], foot, None),
        ("LeftToe", Some(3), [17.3, 0.0, 0.0], toes, None),
        ("RightUpLeg", Some(0), [0.103, 1.858, -10.549], leg, None),
        ("RightLeg", Some(5), [43.5, 0.0, 0.0], leg, None),
        ("RightFoot", Some(6), [42.372, 0.0, 0.0], foot, None),
        ("RightToe", Some(7), [17.3, 0.0, 0.0], toes, None),
        ("Spine", Some(0), [6.902, -2.604, 0.0], trunk, None),
        ("Spine1", Some(9), [12.588, 0.0, 0.0], trunk, None),
        ("Spine2", Some(10), [12.343, 0.0, 0.0], trunk, None),
        ("Neck", Some(11), [25.833, 0.0, 0.0], trunk, None),
        ("Head", Some(12), [11.767, 0.0, 0.0], trunk, None),
        ("LeftShoulder", Some(11), [19.746, -1.48, 6.0], left, None),
        ("LeftArm", Some(14), [11.284, 0.0, 0.0], left, None),
        ("LeftForeArm", Some(15), [33.0, 0.0, 0.0], left, None),
        ("LeftHand", Some(16), [25.2, 0.0, 0.0], left, None),
        ("RightShoulder", Some(11), [19.746, -1.48, -6.0], right, None),
        ("RightArm", Some(18), [11.284, 0.0, 0.0], right, None),
        ("RightForeArm", Some(19), [33.0, 0.0, 0.0], right, None),
        ("RightHand", Some(20), [25.2, 0.0, 0.0], right, None),
    ]
}

/// Legs down −Y, feet along Z, spine and arms along X, bones up to 11° off their axes, and left at −Z of the pelvis but at +Z of the chest.
fn legs_down_rest_along_x() -> Vec<Bone> {
    let (pelvis, trunk, left, right) = ([AHEAD, UP], [UP, AHEAD], [LEFT, BACK], [RIGHT, BACK]);
    let (foot, toes) = ([LEFT, UP], [LEFT, UP]);
    vec![
        ("Hips", None, [0.0, 96.0, 0.0], pelvis, None),
        ("LeftUpLeg", Some(0), [0.9, -3.2, -10.2], pelvis, Some(DOWN)),
        ("LeftLeg", Some(1), [2.6, -44.7, -7.9], pelvis, Some(DOWN)),
        ("LeftFoot", Some(2), [-3.1, -41.9, 2.2], foot, None),
        ("LeftToeBase", Some(3), [1.1, -5.6, 15.2], toes, None),
        ("RightUpLeg", Some(0), [0.9, -3.2, 10.2], pelvis, Some(DOWN)),
        ("RightLeg", Some(5), [2.6, -44.7, 7.9], pelvis, Some(DOWN)),
        ("RightFoot", Some(6), [-3.1, -41.9, -2.2], foot, None),
        ("RightToeBase", Some(7), [-1.1, -5.6, 15.2], toes, None),
        ("Spine", Some(0), [-1.2, 9.7, 0.2], trunk, None),
        ("Spine1", Some(9), [19.9, 3.9, 0.8], trunk, None),
        ("Neck", Some(10), [26.2, -2.9, 0.4], trunk, None),
        ("Head", Some(11), [9.8, 1.9, 0.0], trunk, None),
        ("LeftShoulder", Some(10), [18.9, 0.8, 2.4], left, None),
        ("LeftArm", Some(13), [11.8, -0.7, 1.1], left, Some(LEFT)),
        ("LeftForeArm", Some(14), [28.6, 1.2, -3.5], left, Some(LEFT)),
        ("LeftHand", Some(15), [24.1, -2.2, 1.9], left, None),
        ("RightShoulder", Some(10), [18.9, 0.8, -2.4], right, None),
        ("RightArm", Some(17), [11.8, -0.7, 1.1], right, Some(RIGHT)),
        ("RightForeArm", Some(18), [28.6, 1.2, -3.5], right, Some(RIGHT)),
        ("RightHand", Some(19), [24.1, -2.2, 1.9], right, None),
    ]
}

/// The joints in their T-pose, and in the rest pose of the file, in which no joint is turned.
fn skeletons(bones: &[Bone]) -> [Skeleton; 2] {
    let tips = |k: usize| !bones.iter().any(|bone| bone.1 == Some(k));
    let own = |[x, y]: Axes| {
        let (x, y) = (Vec3::from(x).normalize(), Vec3::from(y));
        let y = (y - x * x.dot(&y)).normalize();
        Quat::from_basis_unchecked(&[x, y, x.cross(&y)])
    };
    let mut turned: Vec<Quat> = Vec::new();
    for (k, &(_, parent, _, axes, along)) in bones.iter().enumerate() {
        // Bones that are not along their axes are brought to the T-pose joint by joint.
        let axes = parent.map_or(own(axes), |parent| turned[parent] * own(bones[parent].3).inverse() * own(axes));
        let bone = bones.iter().filter(|bone| bone.1 == Some(k)).map(|bone| Vec3::from(bone.2));
        let longest = bone.max_by(|a, b| a.norm().total_cmp(&b.norm()));
        turned.push(match along.zip(longest) {
            Some((along, bone)) => Quat::rotation_between(&(axes * bone), &Vec3::from(along)).unwrap() * axes,
            None => axes,
        });
    }
    [true, false].map(|stands| {
        let joint = |(k, &(name, parent, offset, ..)): (usize, &Bone)| {
            let rest = parent.map_or(turned[k], |parent| turned[parent].inverse() * turned[k]);
            let tip = tips(k).then(Vec3::zeros);
            let rest = if stands { rest } else { Quat::identity() };
            Joint { rest, tip, ..Joint::new(name, parent, Vec3::from(offset) * 0.01) }
        };
        Skeleton::new(bones.iter().enumerate().map(joint).collect()).unwrap()
    })
}

fn moved(source: &Body, target: &Body, clip: &Clip) -> Clip {
    JointMap::between(source, target).unwrap();
    Retarget { source, target, clip, options: RetargetOptions::default() }.run().unwrap().clip
}

/// The largest angle between the segments of each part of the body in two results, degrees.
fn apart(target: &Body, a: &Clip, b: &Clip, is_part: impl Fn(Role) -> bool) -> Real {
    let mut most: Real = 0.0;
    for frame in (0..a.frames()).step_by(3) {
        let [a, b] = [a, b].map(|clip| clip.pose(target.skeleton(), frame).world(target.skeleton()));
        for (j, guess) in target.guesses().iter().enumerate() {
            if guess.role.is_some_and(&is_part) {
                most = most.max(a[j].rotation.angle_to(&b[j].rotation).to_degrees());
            }
        }
    }
    most
}

fn is_leg(role: Role) -> bool {
    matches!(role, Role::UpperLeg(_) | Role::LowerLeg(_) | Role::Foot(_) | Role::Toes(_))
}

fn is_palm(role: Role) -> bool {
    matches!(role, Role::LowerArm(_) | Role::Hand(_))
}

/// Motion of such skeletons against that of the same joints with a T-pose for rest pose, degrees: from the hips up, palms, legs.
fn differences(bones: &[Bone]) -> Vec<(&'static str, [Real; 3])> {
    let target = body(&open("characters/heavy.glb").skeleton);
    let [stands, odd] = skeletons(bones);
    ["walk", "wave", "crouch"]
        .map(|name| {
            let (actor, whole) = clip(&format!("clips/{name}.bvh"));
            let own = slice(&whole, 0..whole.frames().min(120)).unwrap();
            let recorded = moved(&body(&actor), &body(&stands), &own);
            let from = |skeleton: &Skeleton| {
                let options = BodyOptions { example: Some(&recorded), ..BodyOptions::default() };
                moved(&Body::new(skeleton, &options), &target, &recorded)
            };
            let (plain, other) = (from(&stands), from(&odd));
            let upper = apart(&target, &plain, &other, |role| !is_leg(role) && !is_palm(role));
            let [palms, legs] = [is_palm, is_leg].map(|part| apart(&target, &plain, &other, part));
            (name, [upper, palms, legs])
        })
        .to_vec()
}

/// OFFSETs of LAFAN1: every bone along +X, with the hips' legs at ±Z.
#[test]
fn all_bones_along_x_move_as_in_the_t_pose() {
    for (name, [upper, palms, legs]) in differences(&all_along_x()) {
        assert!(upper < 0.1 && palms < 0.1, "{name}: {upper}° from the hips up, palms {palms}°");
        assert!(legs < 0.5, "{name}: legs {legs}°");
    }
}

/// OFFSETs in the manner of ACCAD: bones off the axes of their joints, which differ from part to part.
#[test]
fn bones_off_the_axes_of_their_joints_move_as_in_the_t_pose() {
    for (name, [upper, palms, legs]) in differences(&legs_down_rest_along_x()) {
        assert!(upper < 0.1 && palms < 0.1, "{name}: {upper}° from the hips up, palms {palms}°");
        assert!(legs < 0.5, "{name}: legs {legs}°");
    }
}

/// Ends of hands and feet along an axis of the world are no bones: the result is that of hands and feet without ends.
#[test]
fn ends_along_the_axes_of_the_world_turn_no_hand_and_no_foot() {
    let target = body(&open("characters/heavy.glb").skeleton);
    let (skeleton, whole) = clip("clips/walk.bvh");
    let clip = slice(&whole, 0..60).unwrap();
    let with_ends = |end: Option<Vec3>| {
        let joint = |joint: &Joint| {
            let is_end = matches!(joint.role, Some(Role::Hand(_) | Role::Toes(_)));
            Joint { tip: if is_end { end } else { joint.tip }, ..joint.clone() }
        };
        let skeleton = Skeleton::new(skeleton.joints().iter().map(joint).collect()).unwrap();
        moved(&body(&skeleton), &target, &clip)
    };
    let plain = with_ends(None);
    for end in [Vec3::y(), -Vec3::y(), Vec3::z()] {
        let angle = apart(&target, &plain, &with_ends(Some(end * 0.1)), |_| true);
        assert!(angle < 0.1, "{end}: {angle}°");
    }
}

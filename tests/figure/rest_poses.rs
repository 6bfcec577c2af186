//! Bodies are found in every form that recorders write them in: rest poses that are no posture, other units, names that say nothing.

use super::*;
use sinew::figure::{CaptureOptions, for_skeleton};
use sinew::motion::edit::{axes_along, clip_with_joint_axes, with_joint_axes};
use sinew::motion::{BodyPlan, detect_body, stature};
use sinew::retarget::{Body, BodyOptions, JointMap, MapError};

/// A rotation for every number, the same at every call.
fn turn(seed: usize) -> Quat {
    let angle = |k: usize| ((seed * 3 + k) as Real * 0.754_877_666).fract() * 6.0 - 3.0;
    Quat::from_euler_angles(angle(0), angle(1), angle(2))
}

/// Joint axes of the rest poses that recorders write.
fn forms(skeleton: &Skeleton) -> Vec<(&'static str, Vec<Quat>)> {
    let roles = detect_body(skeleton, None).sure_roles();
    let spine = |j: usize| matches!(roles[j], Some(Role::Hips | Role::Spine(_) | Role::Neck(_)));
    let spine_and_arms =
        |j: usize| spine(j) || matches!(roles[j], Some(Role::Shoulder(_) | Role::UpperArm(_) | Role::LowerArm(_)));
    vec![
        ("along +X", axes_along(skeleton, &Vec3::x(), |_| true)),
        ("along -Y", axes_along(skeleton, &-Vec3::y(), |_| true)),
        ("along +Z", axes_along(skeleton, &Vec3::z(), |_| true)),
        ("spine along +X", axes_along(skeleton, &Vec3::x(), spine)),
        ("spine and arms along +X", axes_along(skeleton, &Vec3::x(), spine_and_arms)),
        ("own axes", (0..skeleton.len()).map(turn).collect()),
        ("other axes", (0..skeleton.len()).map(|j| turn(7 * j + 100)).collect()),
    ]
}

/// The skeleton without roles, and without names if `named` is false.
fn stripped(skeleton: &Skeleton, named: bool) -> Skeleton {
    let strip = |(j, joint): (usize, &Joint)| Joint {
        name: if named { joint.name.clone() } else { format!("j{j}") },
        role: None,
        ..joint.clone()
    };
    Skeleton::new(skeleton.joints().iter().enumerate().map(strip).collect()).unwrap()
}

fn main_roles(skeleton: &Skeleton, clip: &Clip) -> Vec<Option<Role>> {
    detect_body(skeleton, Some(clip)).sure_roles().into_iter().map(|role| role.filter(|r| r.is_main())).collect()
}

/// One actor, whatever the rest pose: the same roles with the same sides, stature and mass within 1 %.
#[test]
fn a_body_is_the_same_in_every_rest_pose() {
    for name in ["walk", "wave", "jump", "turn"] {
        let capture = read(&format!("clips/{name}.bvh"));
        let clip = &capture.clips[0];
        let plain = for_skeleton(&capture.skeleton, Some(clip), None, &CaptureOptions::default()).unwrap().0;
        let roles = main_roles(&capture.skeleton, clip);
        assert!(roles.iter().flatten().count() >= 16);
        for named in [true, false] {
            let bare = stripped(&capture.skeleton, named);
            assert_eq!(main_roles(&bare, clip), roles, "{name}, names {named}");
            for (form, axes) in forms(&capture.skeleton) {
                let what = format!("{name}, {form}, names {named}");
                let other = with_joint_axes(&bare, &axes).unwrap();
                let moved = clip_with_joint_axes(&bare, clip, &axes).unwrap();
                assert_eq!(main_roles(&other, &moved), roles, "{what}");
                let figure = for_skeleton(&other, Some(&moved), None, &CaptureOptions::default()).unwrap().0;
                assert!((figure.height / plain.height - 1.0).abs() < 0.01, "{what}: {} m", figure.height);
                assert!((figure.mass() / plain.mass() - 1.0).abs() < 0.01, "{what}: {} kg", figure.mass());
            }
        }
    }
}

/// Orientation of every joint within its limits, in some frames.
fn within_limits(figure: &Figure, clip: &Clip) -> Vec<(Option<Role>, Quat)> {
    let mut all = Vec::new();
    for frame in (0..clip.frames()).step_by(clip.frames() / 6) {
        let placements = figure.placements(&clip.pose(figure.skeleton(), frame));
        for (k, segment) in figure.segments().iter().enumerate() {
            let Some(parent) = segment.parent else { continue };
            let turn = placements[parent].rotation.inverse() * placements[k].rotation;
            all.push((segment.role, segment.attachment.relative(&turn)));
        }
    }
    all
}

/// Joint limits are those of the body, not of its rest pose: kinds and ranges are the same with any axes of the joints, and in every frame each joint
/// is at the same place in them as that of the body that rests upright. Axes along the bones show it to half a degree. Axes that follow nothing leave it to
/// the motion, which shows the twist of forearms and the level of the head to some degrees only.
#[test]
fn joint_limits_do_not_depend_on_the_rest_pose() {
    let capture = read("clips/walk.bvh");
    let clip = &capture.clips[0];
    let build = |skeleton: &Skeleton, clip: &Clip| {
        for_skeleton(skeleton, Some(clip), None, &CaptureOptions::default()).unwrap().0
    };
    let plain = build(&capture.skeleton, clip);
    let expected = within_limits(&plain, clip);
    for (form, axes) in forms(&capture.skeleton) {
        let moved = clip_with_joint_axes(&capture.skeleton, clip, &axes).unwrap();
        let figure = build(&with_joint_axes(&capture.skeleton, &axes).unwrap(), &moved);
        let found = within_limits(&figure, &moved);
        for (segment, other) in figure.segments().iter().zip(plain.segments()) {
            assert_eq!(segment.attachment.anatomy, other.attachment.anatomy, "{form}, {}", segment.name);
            assert_eq!(segment.attachment.kind, other.attachment.kind, "{form}, {}", segment.name);
        }
        for ((role, here), (_, plain)) in found.iter().zip(&expected) {
            let apart = here.angle_to(plain).to_degrees();
            let most = if form.contains("along") { 0.5 } else { 9.0 };
            assert!(apart < most, "{form}, {role:?}: {apart}° from the upright body");
        }
    }
}

/// A joint between the pelvis and each hip, as Acclaim skeletons have it: the height of the spine over the hips is then no fixed distance
/// in the rest pose, and frames that stand tell it.
#[test]
fn a_joint_between_pelvis_and_hips_leaves_the_stature() {
    let capture = read("clips/walk.bvh");
    let (old, clip) = (&capture.skeleton, &capture.clips[0]);
    let (mut joints, mut place, mut source) = (Vec::new(), Vec::new(), Vec::new());
    for (j, joint) in old.joints().iter().enumerate() {
        let parent = joint.parent.map(|parent: usize| place[parent]);
        let is_hip = matches!(joint.role, Some(Role::UpperLeg(_)));
        if is_hip {
            joints.push(Joint::new(format!("{}Joint", joint.name), parent, Vec3::zeros()));
            source.push(None);
        }
        place.push(joints.len());
        let parent = if is_hip { Some(joints.len() - 1) } else { parent };
        joints.push(Joint { parent, ..joint.clone() });
        source.push(Some(j));
    }
    let skeleton = Skeleton::new(joints).unwrap();
    let turn = |frame: usize| {
        let turn = |old: &Option<usize>| old.map_or_else(Quat::identity, |j| clip.rotations(frame)[j]);
        source.iter().map(turn).collect::<Vec<_>>()
    };
    let rotations = (0..clip.frames()).flat_map(turn).collect();
    let clip = Clip::new("c", 60.0, skeleton.len(), rotations, clip.translations().clone(), Tracks::default()).unwrap();
    let height = |skeleton: &Skeleton, clip: &Clip| detect_body(skeleton, Some(clip)).stature.unwrap().height;
    let plain = height(&skeleton, &clip);
    assert!((plain - capture.skeleton.height()).abs() < 1e-9);
    for (form, axes) in forms(&skeleton) {
        let moved = clip_with_joint_axes(&skeleton, &clip, &axes).unwrap();
        let found = height(&with_joint_axes(&skeleton, &axes).unwrap(), &moved);
        assert!((found / plain - 1.0).abs() < 0.01, "{form}: {found} m, {plain} m");
    }
}

/// Names that the tree bears out are used where no posture shows the shape of the body.
#[test]
fn names_that_fit_the_tree_outweigh_a_shape_without_posture() {
    let capture = read("clips/walk.bvh");
    let clip = &capture.clips[0];
    // Four frames upside down, each joint in axes of its own: shape says nothing.
    let skeleton = stripped(&capture.skeleton, true);
    let axes: Vec<Quat> = (0..skeleton.len()).map(|j| turn(3 * j + 40)).collect();
    let rotations = (0..4).flat_map(|frame| {
        let mut pose = clip.rotations(frame).to_vec();
        pose[0] = Quat::from_euler_angles(3.1, 0.0, 0.0) * pose[0];
        pose
    });
    let values = vec![Vec3::y(); 4];
    let tracks = Tracks { joints: vec![0], values };
    let down = Clip::new("c", 60.0, skeleton.len(), rotations.collect(), tracks, Tracks::default()).unwrap();
    let moved = clip_with_joint_axes(&skeleton, &down, &axes).unwrap();
    let found = main_roles(&with_joint_axes(&skeleton, &axes).unwrap(), &moved);
    assert_eq!(found, main_roles(&capture.skeleton, clip));
}

/// Roles and stature do not depend on the unit of length.
#[test]
fn a_body_is_the_same_in_every_unit() {
    let capture = read("clips/walk.bvh");
    let clip = &capture.clips[0];
    let axes = axes_along(&capture.skeleton, &Vec3::x(), |_| true);
    let bare = stripped(&capture.skeleton, false);
    let (other, moved) = (with_joint_axes(&bare, &axes).unwrap(), clip_with_joint_axes(&bare, clip, &axes).unwrap());
    let roles = main_roles(&other, &moved);
    let height = stature(&other, &roles).unwrap().height;
    for unit in [100.0, 100.0 / 2.54, 0.01] {
        let tracks = moved.translations();
        let values = tracks.values.iter().map(|value| value * unit).collect();
        let rotations = (0..moved.frames()).flat_map(|frame| moved.rotations(frame).to_vec()).collect();
        let tracks = Tracks { joints: tracks.joints.clone(), values };
        let scaled = Clip::new("scaled", 60.0, other.len(), rotations, tracks, Tracks::default()).unwrap();
        let large = other.scaled(unit);
        assert_eq!(main_roles(&large, &scaled), roles, "{unit}");
        assert!((stature(&large, &roles).unwrap().height / unit - height).abs() < 1e-9);
    }
}

/// Mass and height that the user gives hold in every rest pose.
#[test]
fn given_mass_and_height_hold_in_every_rest_pose() {
    let capture = read("clips/walk.bvh");
    let options = CaptureOptions { mass: Some(80.0), height: Some(1.9), ..CaptureOptions::default() };
    for (form, axes) in forms(&capture.skeleton) {
        let other = with_joint_axes(&capture.skeleton, &axes).unwrap();
        let moved = clip_with_joint_axes(&capture.skeleton, &capture.clips[0], &axes).unwrap();
        let figure = for_skeleton(&other, Some(&moved), None, &options).unwrap().0;
        assert!((figure.mass() - 80.0).abs() < 1e-9 && (figure.height - 1.9).abs() < 1e-12, "{form}");
    }
}

/// Lengths of a body that is made in code, metres.
#[derive(Clone, Copy)]
struct Build {
    trunk: Real,
    neck: Real,
    head: bool,
    /// Upper and lower bone, and the end, of legs and arms.
    leg: [Real; 3],
    arm: [Real; 3],
    tail: usize,
    on_four: bool,
}

/// A body with the names of a person; its arms hang down, and a trunk on four legs lies along Z.
fn body(build: &Build) -> Skeleton {
    let (up, ahead) = if build.on_four { (Vec3::z(), Vec3::z()) } else { (Vec3::y(), Vec3::z()) };
    let mut joints = vec![Joint::new("Hips", None, Vec3::y() * (build.leg[0] + build.leg[1] + 0.1))];
    let mut add = |name: String, parent: usize, offset: Vec3| {
        joints.push(Joint::new(name, Some(parent), offset));
        joints.len() - 1
    };
    let spine = add("Spine".into(), 0, up * (0.3 * build.trunk));
    let chest = add("Spine1".into(), spine, up * (0.7 * build.trunk));
    if build.head {
        let rise = if build.on_four { Vec3::new(0.0, 0.7, 0.7) } else { Vec3::y() };
        let neck = add("Neck".into(), chest, up * 0.02);
        let head = add("Head".into(), neck, rise * build.neck);
        add("HeadEnd".into(), head, rise * build.neck);
    }
    for (side, x) in [("Left", 0.5), ("Right", -0.5)] {
        let narrow = 0.2 * x * build.trunk.max(0.4);
        let hip = add(format!("{side}UpLeg"), 0, Vec3::x() * narrow);
        let knee = add(format!("{side}Leg"), hip, Vec3::new(0.0, -build.leg[0], 0.02));
        let foot = add(format!("{side}Foot"), knee, Vec3::new(0.0, -build.leg[1], -0.02));
        add(format!("{side}ToeBase"), foot, Vec3::new(0.0, -0.05, 0.0) + ahead * build.leg[2]);
        let arm = add(format!("{side}Arm"), chest, Vec3::x() * (1.5 * narrow));
        let elbow = add(format!("{side}ForeArm"), arm, Vec3::new(0.0, -build.arm[0], -0.02));
        let hand = add(format!("{side}Hand"), elbow, Vec3::new(0.0, -build.arm[1], 0.02));
        add(format!("{side}HandEnd"), hand, Vec3::y() * -build.arm[2]);
    }
    let mut last = 0;
    for k in 0..build.tail {
        last = add(format!("Tail{k}"), last, Vec3::z() * -0.1);
    }
    Skeleton::new(joints).unwrap()
}

/// Legs and arms that swing while the body travels along Z.
fn swinging(skeleton: &Skeleton, pitch: Real) -> Clip {
    let (mut rotations, mut values) = (Vec::new(), Vec::new());
    for frame in 0..60 {
        let swing = 0.4 * (frame as Real * 0.3).sin();
        values.push(skeleton.joint(0).offset + Vec3::z() * (0.02 * frame as Real));
        for joint in skeleton.joints() {
            let angle = match joint.name.as_str() {
                "Hips" => pitch,
                "LeftUpLeg" | "RightArm" => swing - pitch,
                "RightUpLeg" | "LeftArm" => -swing - pitch,
                "LeftLeg" | "RightLeg" => 0.2 + pitch,
                _ => 0.0,
            };
            rotations.push(joint.rest * Quat::from_axis_angle(&Vec3::x_axis(), angle));
        }
    }
    let tracks = Tracks { joints: vec![0], values };
    Clip::new("swing", 30.0, skeleton.len(), rotations, tracks, Tracks::default()).unwrap()
}

const PERSON: Build = Build {
    trunk: 0.5,
    neck: 0.12,
    head: true,
    leg: [0.43, 0.43, 0.15],
    arm: [0.3, 0.27, 0.18],
    tail: 0,
    on_four: false,
};

fn dogs() -> Vec<(&'static str, Build)> {
    let labrador = Build {
        trunk: 0.5,
        neck: 0.2,
        head: true,
        leg: [0.2, 0.2, 0.12],
        arm: [0.18, 0.19, 0.1],
        tail: 4,
        on_four: true,
    };
    vec![
        ("labrador", labrador),
        ("dachshund", Build { trunk: 0.45, leg: [0.09, 0.09, 0.05], arm: [0.08, 0.08, 0.05], ..labrador }),
        ("greyhound", Build { trunk: 0.55, leg: [0.26, 0.27, 0.17], arm: [0.24, 0.25, 0.15], ..labrador }),
        ("horse", Build { trunk: 1.25, neck: 0.5, leg: [0.42, 0.42, 0.4], arm: [0.35, 0.42, 0.35], ..labrador }),
        ("no tail", Build { tail: 0, ..labrador }),
        ("no head", Build { head: false, ..labrador }),
    ]
}

/// Dogs have the joint names of people in many files; no motion of one fits the other.
#[test]
fn dogs_are_never_people() {
    let person = body(&PERSON);
    let person = Body::new(&person, &BodyOptions { example: Some(&swinging(&person, 0.0)), ..BodyOptions::default() });
    for (dog, build) in dogs() {
        let skeleton = body(&build);
        let clip = swinging(&skeleton, 0.0);
        for named in [true, false] {
            let bare = stripped(&skeleton, named);
            let mut cases = vec![("as it stands", bare.clone(), clip.clone())];
            for (form, axes) in forms(&skeleton) {
                let other = with_joint_axes(&bare, &axes).unwrap();
                cases.push((form, other, clip_with_joint_axes(&bare, &clip, &axes).unwrap()));
            }
            for (form, skeleton, clip) in cases {
                let what = format!("{dog}, {form}, names {named}");
                assert_eq!(detect_body(&skeleton, Some(&clip)).plan, BodyPlan::Quadruped, "{what}");
                let body = Body::new(&skeleton, &BodyOptions { example: Some(&clip), ..BodyOptions::default() });
                for refused in [JointMap::between(&body, &person), JointMap::between(&person, &body)] {
                    assert!(matches!(refused, Err(MapError::Kinds { .. })), "{what}: {refused:?}");
                }
            }
        }
    }
}

/// A dog weighs what its bones hold, not what a person of its height does, and the same in every rest pose.
#[test]
fn a_dog_has_the_mass_of_a_dog() {
    for (dog, range) in [("labrador", 20.0..40.0), ("horse", 300.0..600.0)] {
        let skeleton = body(&dogs().into_iter().find(|(name, _)| *name == dog).unwrap().1);
        let clip = swinging(&skeleton, 0.0);
        let figure = for_skeleton(&skeleton, Some(&clip), None, &CaptureOptions::default()).unwrap().0;
        assert!(range.contains(&figure.mass()), "{dog}: {} kg", figure.mass());
        for (form, axes) in forms(&skeleton) {
            let other = with_joint_axes(&skeleton, &axes).unwrap();
            let moved = clip_with_joint_axes(&skeleton, &clip, &axes).unwrap();
            let found = for_skeleton(&other, Some(&moved), None, &CaptureOptions::default()).unwrap().0.mass();
            assert!((found / figure.mass() - 1.0).abs() < 0.02, "{dog}, {form}: {found} kg, {} kg", figure.mass());
        }
    }
}

/// People who crawl, stout characters and robots without a head stand on two legs.
#[test]
fn people_are_never_dogs() {
    let robot = Build { head: false, arm: [0.4, 0.35, 0.1], ..PERSON };
    let stout = Build { trunk: 0.7, neck: 0.3, leg: [0.2, 0.2, 0.1], arm: [0.25, 0.25, 0.1], ..PERSON };
    for (kind, build, pitch) in
        [("walks", PERSON, 0.0), ("crawls", PERSON, 1.4), ("robot", robot, 0.0), ("stout", stout, 0.0)]
    {
        let skeleton = body(&build);
        let clip = swinging(&skeleton, pitch);
        for named in [true, false] {
            let bare = stripped(&skeleton, named);
            assert_eq!(detect_body(&bare, Some(&clip)).plan, BodyPlan::Biped, "{kind}, names {named}");
            // A rest pose that is no posture, without names, in a motion that never stands: nothing tells.
            for (form, axes) in forms(&skeleton).into_iter().filter(|_| named || pitch == 0.0) {
                let other = with_joint_axes(&bare, &axes).unwrap();
                let moved = clip_with_joint_axes(&bare, &clip, &axes).unwrap();
                assert_eq!(detect_body(&other, Some(&moved)).plan, BodyPlan::Biped, "{kind}, {form}, names {named}");
            }
        }
    }
}

/// A spine that lies along the line of the hips, over limbs that hang, looks like an animal from the side. No body rests so: left and right are
/// those of the motion.
#[test]
fn a_trunk_along_the_line_of_the_hips_is_no_posture() {
    let plain = stripped(&body(&PERSON), false);
    let clip = swinging(&body(&PERSON), 0.0);
    let roles = detect_body(&body(&PERSON), Some(&clip)).sure_roles();
    let axes = axes_along(&plain, &Vec3::x(), |j| matches!(roles[j], Some(Role::Spine(_) | Role::Neck(_))));
    let found = detect_body(
        &with_joint_axes(&plain, &axes).unwrap(),
        Some(&clip_with_joint_axes(&plain, &clip, &axes).unwrap()),
    );
    assert!(found.standing.is_some());
    assert_eq!(found.plan, BodyPlan::Biped);
    let limbs = |roles: Vec<Option<Role>>| -> Vec<_> {
        roles.into_iter().map(|role| role.filter(|role| role.is_main() && role.side().is_some())).collect()
    };
    assert_eq!(limbs(found.sure_roles()), limbs(roles));
}

//! Bodies that lack something, and things that are no bodies.

use super::bodies::{body, clip, open, without};
use sinew::Vec3;
use sinew::motion::{Clip, Joint, Role, Side, Skeleton, Tracks};
use sinew::retarget::{Body, JointMap, MapError, Retarget, RetargetError, RetargetOptions, Retargeted, Whose};

fn is_leg(joint: &Joint, side: Option<Side>) -> bool {
    matches!(joint.role, Some(Role::UpperLeg(s)) if side.is_none_or(|side| side == s))
}

fn walk_on(target: &Skeleton) -> (JointMap, Retargeted) {
    let (skeleton, clip) = clip("clips/walk.bvh");
    let (source, target): (Body, Body) = (body(&skeleton), body(target));
    let map = JointMap::between(&source, &target).expect("enough of a body is left");
    let moved =
        Retarget { source: &source, target: &target, clip: &clip, options: RetargetOptions::default() }.run().unwrap();
    (map, moved)
}

#[test]
fn a_body_without_legs_moves_what_it_has() {
    let bust = without(&open("characters/actor.glb").skeleton, |joint| is_leg(joint, None));
    let (map, moved) = walk_on(&bust);
    assert!(map.notes.iter().any(|note| note.contains("no left leg")), "{:?}", map.notes);
    assert!(map.notes.iter().any(|note| note.contains("no right leg")), "{:?}", map.notes);
    assert_eq!(moved.clip.joints(), bust.len());
    // Nothing is said of legs that are not there.
    assert!(!moved.by_legs && (moved.scale - 1.0).abs() < 0.1, "{}", moved.scale);
}

#[test]
fn a_body_with_one_leg_walks_on_it() {
    let one = without(&open("characters/actor.glb").skeleton, |joint| is_leg(joint, Some(Side::Right)));
    let (map, moved) = walk_on(&one);
    assert!(moved.by_legs);
    assert!(map.notes.iter().any(|note| note.contains("no right leg")), "{:?}", map.notes);
    assert!(!map.notes.iter().any(|note| note.contains("left leg")), "{:?}", map.notes);
}

#[test]
fn a_tail_that_nobody_moves_rests() {
    let skeleton = open("characters/actor.glb").skeleton;
    let hips = skeleton.with_role(Role::Hips).unwrap();
    let mut joints = skeleton.joints().to_vec();
    for k in 0..3 {
        let parent = if k == 0 { hips } else { joints.len() - 1 };
        joints.push(Joint::new(format!("Tail{k}"), Some(parent), Vec3::new(0.0, 0.0, -0.15)));
    }
    let tailed = Skeleton::new(joints).unwrap();
    let (map, moved) = walk_on(&tailed);
    assert!(map.notes.iter().any(|note| note.contains("tail")), "{:?}", map.notes);
    let tail = tailed.find("Tail1").unwrap();
    assert!(moved.clip.rotations(20)[tail].angle() < 1e-9);
}

#[test]
fn a_prop_is_no_body() {
    let (skeleton, _) = clip("clips/walk.bvh");
    let crane = Skeleton::new(vec![
        Joint::new("Base", None, Vec3::zeros()),
        Joint::new("Mast", Some(0), Vec3::y()),
        Joint::new("Boom", Some(1), Vec3::new(1.0, 0.4, 0.0)),
        Joint::new("Hook", Some(2), Vec3::y() * -0.7),
    ])
    .unwrap();
    let error = JointMap::between(&body(&skeleton), &body(&crane)).unwrap_err();
    assert!(matches!(error, MapError::NoBody { whose: Whose::Target, joints: 4, .. }), "{error}");
}

#[test]
fn two_legs_do_not_move_four() {
    let (man, dog) = (clip("clips/walk.bvh").0, clip("clips/dog_walk.bvh").0);
    let error = JointMap::between(&body(&man), &body(&dog)).unwrap_err();
    assert!(matches!(error, MapError::Kinds { .. }), "{error}");
}

#[test]
fn an_empty_clip_and_one_of_another_skeleton_are_refused() {
    let (man, heavy) = (clip("clips/walk.bvh").0, open("characters/heavy.glb").skeleton);
    let (source, target) = (body(&man), body(&heavy));
    let refused = |joints: usize| {
        let clip = Clip::new("", 30.0, joints, Vec::new(), Tracks::default(), Tracks::default()).unwrap();
        Retarget { source: &source, target: &target, clip: &clip, options: RetargetOptions::default() }
            .run()
            .unwrap_err()
    };
    assert_eq!(refused(man.len()), RetargetError::NoFrames);
    assert_eq!(refused(3), RetargetError::Joints { found: 3, expected: man.len() });
}

#[test]
fn a_single_frame_is_enough() {
    let (man, clip) = clip("clips/walk.bvh");
    let heavy = open("characters/heavy.glb").skeleton;
    let (source, target) = (body(&man), body(&heavy));
    let one = sinew::motion::edit::slice(&clip, 50..51).unwrap();
    let moved =
        Retarget { source: &source, target: &target, clip: &one, options: RetargetOptions::default() }.run().unwrap();
    assert_eq!(moved.clip.frames(), 1);
}

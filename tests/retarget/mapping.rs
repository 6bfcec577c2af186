//! What joints are taken for.

use super::bodies::{arms_lowered, body, nameless, open, with_split_bones, with_twists, without};
use sinew::Vec3;
use sinew::motion::{Joint, Role, Side, Skeleton};
use sinew::retarget::{Body, BodyOptions, JointMap, MapError, MapFile, Whose};

fn built_in() -> Vec<(&'static str, Skeleton)> {
    ["characters/actor.glb", "characters/heavy.glb"].map(|file| (file, open(file).skeleton)).to_vec()
}

#[test]
fn all_pairs_of_built_in_people_map_at_full_confidence() {
    for (_, from) in built_in() {
        for (name, to) in built_in() {
            let map = JointMap::between(&body(&from), &body(&to)).unwrap();
            assert!(map.confidence() > 0.9, "{name}: {}", map.confidence());
            let main = map.joints.iter().filter(|m| m.role.is_main()).count();
            assert!(main >= 15, "{name}: {main} main joints");
        }
    }
}

/// Names are taken away; shape gives every main joint the same role, left and right included.
#[test]
fn random_names_change_nothing_about_people() {
    for (name, skeleton) in built_in() {
        for posed in [skeleton.clone(), arms_lowered(&skeleton, 0.8), arms_lowered(&skeleton, 1.4)] {
            let (named, shaped) = (body(&posed), body(&nameless(&posed)));
            for (j, guess) in named.guesses().iter().enumerate() {
                if guess.role.is_some_and(Role::is_main) {
                    assert_eq!(shaped.guesses()[j].role, guess.role, "{name}: {}", posed.joint(j).name);
                    assert!(shaped.guesses()[j].confidence > 0.6);
                }
            }
        }
    }
}

/// Of joints that lie on each other the last one carries the foot; leaves along the neck do not make it the head.
#[test]
fn twist_joints_are_neither_feet_nor_heads() {
    let skeleton = with_twists(&open("characters/actor.glb").skeleton);
    let shaped = body(&nameless(&skeleton));
    for (j, joint) in skeleton.joints().iter().enumerate() {
        if let Some(role @ (Role::Foot(_) | Role::Head | Role::Toes(_))) = joint.role {
            assert_eq!(shaped.guesses()[j].role, Some(role), "{}", joint.name);
        }
    }
}

/// Twins that hang down are legs, however short: a body whose feet hang elsewhere is not moved as if it had none.
#[test]
fn short_legs_without_feet_are_asked_for() {
    let skeleton = without(&open("characters/actor.glb").skeleton, |joint| matches!(joint.role, Some(Role::Foot(_))));
    let mut joints = skeleton.joints().to_vec();
    for joint in &mut joints {
        match joint.role {
            Some(Role::LowerLeg(_)) => joint.offset *= 0.5,
            Some(Role::LowerArm(_) | Role::Hand(_)) => joint.offset *= 2.0,
            _ => {}
        }
        if matches!(joint.role, Some(Role::LowerLeg(_))) {
            joint.tip = None;
        }
    }
    let odd = body(&nameless(&Skeleton::new(joints).unwrap()));
    let refused = JointMap::between(&odd, &odd).unwrap_err();
    let MapError::Doubtful(doubts) = &refused else { panic!("{refused}") };
    assert!(doubts.iter().any(|doubt| doubt.role == Role::UpperLeg(Side::Left)), "{refused}");
}

/// Names that were dealt out anew contradict the shape and are not believed.
#[test]
fn names_of_other_joints_are_not_believed() {
    let skeleton = open("characters/actor.glb").skeleton;
    let mut joints = skeleton.joints().to_vec();
    let names: Vec<String> = joints.iter().map(|joint| joint.name.clone()).collect();
    for (j, joint) in joints.iter_mut().enumerate() {
        joint.name = names[(j * 5 + 3) % names.len()].clone();
        joint.role = None;
    }
    let shuffled = body(&Skeleton::new(joints).unwrap());
    for (j, guess) in body(&skeleton).guesses().iter().enumerate().filter(|(_, g)| g.role.is_some_and(Role::is_main)) {
        assert_eq!(shuffled.guesses()[j].role, guess.role, "{}", skeleton.joint(j).name);
    }
}

#[test]
fn what_people_say_stands() {
    let skeleton = open("characters/actor.glb").skeleton;
    let (hand, arm) = (skeleton.find("LeftHand").unwrap(), skeleton.find("LeftLowerArm").unwrap());
    let told = [(arm, Role::Helper), (hand, Role::LowerArm(Side::Left))];
    let body = Body::new(&skeleton, &BodyOptions { told: &told, ..BodyOptions::default() });
    assert_eq!(body.guesses()[hand].role, Some(Role::LowerArm(Side::Left)));
    assert_eq!((body.guesses()[arm].role, body.guesses()[arm].confidence), (Some(Role::Helper), 1.0));
}

#[test]
fn a_map_file_says_again_what_was_recognised() {
    let (actor, heavy) = (open("characters/actor.glb").skeleton, open("characters/heavy.glb").skeleton);
    let (source, target) = (body(&actor), body(&heavy));
    let text = MapFile::write(&source, &target);
    let file = MapFile::read(&text, &actor, &heavy).unwrap();
    let roles = |body: &Body| body.guesses().iter().filter(|g| g.role.is_some()).count();
    assert_eq!((file.source.len(), file.target.len()), (roles(&source), roles(&target)));
    // Even where names and order say nothing.
    let told = Body::new(&nameless(&heavy), &BodyOptions { told: &file.target, ..BodyOptions::default() });
    assert!(JointMap::between(&source, &told).unwrap().confidence() > 0.9);
}

#[test]
fn mistakes_in_a_map_file_are_told_with_their_line() {
    let skeleton = open("characters/actor.glb").skeleton;
    let fault = |text: &str| MapFile::read(text, &skeleton, &skeleton).unwrap_err();
    let unknown = fault("[target]\n\"LeftHnad\" = \"left hand\"\n");
    assert_eq!(unknown.line, Some(2));
    assert!(unknown.help.unwrap().contains("LeftHand"));
    let role = fault("[source]\n\n\"LeftHand\" = \"left hnad\"\n");
    assert_eq!(role.line, Some(3));
    assert!(role.help.unwrap().contains("left hand"));
    assert_eq!(fault("[source]\n\"LeftHand\" = = 1\n").line, Some(2));
    assert!(fault("[middle]\n").message.contains("middle"));
    // The same joint in both sections: it is the second one that is wrong, at its word.
    let second = fault("[source]\n\"LeftHand\" = \"left hand\"\n\n[target]\n\"LeftHand\" = \"left hnad\"\n");
    assert_eq!((second.line, second.column), (Some(5), Some(14)));
    assert_eq!(second.excerpt.as_deref(), Some("\"LeftHand\" = \"left hnad\""));
}

/// A leg that has no twin and no name is no leg to be sure of: the answer names the joints and what they may be.
#[test]
fn a_limb_that_is_not_recognised_is_asked_for() {
    let skeleton = open("characters/actor.glb").skeleton;
    let one_leg = without(&skeleton, |joint| joint.role == Some(Role::UpperLeg(Side::Right)));
    let refused = JointMap::between(&body(&skeleton), &body(&nameless(&one_leg)));
    match refused {
        Err(MapError::Doubtful(doubts)) => {
            assert!(doubts.len() >= 3 && doubts.iter().all(|doubt| doubt.whose == Whose::Target), "{doubts:?}");
        }
        other => panic!("{other:?}"),
    }
}

/// Bones in two halves and no names: which joint is the elbow cannot be told, so nothing is moved. What is recognised in spite of that
/// must be right.
#[test]
fn bones_in_halves_are_read_right_or_asked_for() {
    for (name, skeleton) in built_in() {
        let split = with_split_bones(&skeleton);
        match JointMap::between(&body(&skeleton), &body(&nameless(&split))) {
            Err(MapError::Doubtful(doubts)) => assert!(doubts.len() >= 3, "{name}: {doubts:?}"),
            Err(other) => panic!("{name}: {other}"),
            Ok(map) => {
                for mapping in map.joints.iter().filter(|m| m.role.is_main() && !matches!(m.role, Role::Spine(_))) {
                    assert_eq!(split.joint(mapping.target).role, Some(mapping.role), "{name}");
                }
            }
        }
        // Names settle it.
        assert!(JointMap::between(&body(&skeleton), &body(&split)).unwrap().confidence() > 0.9, "{name}");
    }
}

/// Legs whose feet hang elsewhere are legs of two joints. Without names they are asked for, not left out.
#[test]
fn legs_without_feet_are_asked_for() {
    let skeleton = open("characters/actor.glb").skeleton;
    let stumps = without(&skeleton, |joint| matches!(joint.role, Some(Role::Foot(_))));
    let refused = JointMap::between(&body(&skeleton), &body(&nameless(&stumps)));
    match refused {
        Err(MapError::Doubtful(_) | MapError::Detached { .. } | MapError::NoBody { .. }) => {}
        Ok(map) => {
            let leg = stumps.joints().iter().position(|joint| joint.role == Some(Role::UpperLeg(Side::Left)));
            assert!(map.joints.iter().any(|m| Some(m.target) == leg), "legs were left out: {:?}", map.notes);
        }
        other => panic!("{other:?}"),
    }
}

/// Feet on controls of their own, and long arms beside which such legs are too short to be seen: the legs are asked for.
#[test]
fn short_legs_beside_the_hips_are_asked_for() {
    let skeleton = open("characters/actor.glb").skeleton;
    let stumps = without(&skeleton, |joint| matches!(joint.role, Some(Role::Foot(_))));
    let joints = stumps.joints().iter().map(|joint| match joint.role {
        Some(Role::LowerLeg(_)) => Joint { tip: None, ..joint.clone() },
        Some(Role::LowerArm(_) | Role::Hand(_)) => Joint { offset: 3.0 * joint.offset, ..joint.clone() },
        _ => joint.clone(),
    });
    let short = Skeleton::new(joints.collect()).unwrap();
    let refused = JointMap::between(&body(&skeleton), &body(&nameless(&short)));
    assert!(matches!(refused, Err(MapError::Doubtful(_))), "{refused:?}");
}

/// Three joints in a fork are no body, and no reason to stop.
#[test]
fn limbs_of_a_single_joint_are_refused() {
    let joints = [("root", None, 0.0), ("a", Some(0), 0.3), ("b", Some(0), -0.3)];
    let fork = joints.map(|(name, parent, x)| Joint::new(name, parent, Vec3::new(x, 1.0, 0.0)));
    let fork = Skeleton::new(fork.to_vec()).unwrap();
    let actor = open("characters/actor.glb").skeleton;
    assert!(matches!(JointMap::between(&body(&actor), &body(&fork)), Err(MapError::NoBody { .. })));
}

/// Controls of a rig that hang on its root, twins at both feet, are no legs: shape alone finds the real ones.
#[test]
fn controls_at_the_feet_are_no_legs() {
    let actor = open("characters/actor.glb").skeleton;
    let mut joints = vec![Joint::new("root", None, Vec3::zeros())];
    for joint in actor.joints() {
        joints.push(Joint { parent: Some(joint.parent.map_or(0, |p| p + 1)), ..joint.clone() });
    }
    for x in [0.1, -0.1] {
        joints.push(Joint::new("roll", Some(0), Vec3::new(x, 0.02, -0.1)));
        for (length, name) in [(0.3, "heel"), (0.3, "ball"), (0.2, "toe")] {
            let above = joints.len() - 1;
            joints.push(Joint::new(name, Some(above), Vec3::new(0.0, 0.0, length)));
        }
        joints.push(Joint::new("knee", Some(0), Vec3::new(x, 0.5, 0.6)));
    }
    let rig = Skeleton::new(joints).unwrap();
    let guesses = body(&nameless(&rig)).guesses().to_vec();
    for (joint, guess) in rig.joints().iter().zip(&guesses) {
        if joint.role.is_some_and(|role| role.is_main() && !matches!(role, Role::Spine(_))) {
            assert_eq!(guess.role, joint.role, "{}", joint.name);
        }
    }
}

//! Whole rigs by name.

use super::*;
use crate::Joint;
use crate::Vec3;

/// A skeleton from an indented outline, one joint per line.
fn outline(text: &str) -> Skeleton {
    let mut joints: Vec<Joint> = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        path.retain(|&(i, _)| i < indent);
        let parent = path.last().map(|&(_, j)| j);
        path.push((indent, joints.len()));
        joints.push(Joint::new(line.trim(), parent, Vec3::zeros()));
    }
    Skeleton::new(joints).unwrap()
}

/// `name = role` per line; checks every role and that the names without one get none or helper.
fn check(rig: &str) {
    let name_of = |line: &str| line.split(" = ").next().unwrap_or_default().trim_end().to_string();
    let skeleton = outline(&rig.lines().map(name_of).collect::<Vec<_>>().join("\n"));
    let guesses = roles_by_name(&skeleton);
    let lines = rig.lines().filter(|l| !l.trim().is_empty());
    for ((line, guess), joint) in lines.zip(&guesses).zip(skeleton.joints()) {
        let expected = line.split(" = ").nth(1).map(str::trim);
        let found = guess.role.map(|r| r.to_string());
        assert_eq!(found.as_deref(), expected, "{} ({})", joint.name, guess.confidence);
        assert_eq!(guess.confidence > 0.0, expected.is_some());
    }
    for (k, guess) in guesses.iter().enumerate() {
        let twice = guesses[..k].iter().any(|g| g.role == guess.role);
        assert!(guess.role.is_none() || guess.role == Some(Role::Helper) || !twice, "{guess:?} twice");
    }
}

#[test]
fn cmu_bvh() {
    check(
        "Hips = hips
           LHipJoint = helper
             LeftUpLeg = left upper leg
               LeftLeg = left lower leg
                 LeftFoot = left foot
                   LeftToeBase = left toes
           RHipJoint = helper
             RightUpLeg = right upper leg
               RightLeg = right lower leg
           LowerBack = spine 0
             Spine = spine 1
               Spine1 = spine 2
                 Neck = neck 0
                   Neck1 = neck 1
                     Head = head
                 LeftShoulder = left shoulder
                   LeftArm = left upper arm
                     LeftForeArm = left lower arm
                       LeftHand = left hand
                         LeftFingerBase = helper
                           LeftHandIndex1 = left index 0
                         LThumb = left thumb 0",
    );
}

#[test]
fn acclaim() {
    check(
        "root = hips
           lhipjoint = helper
             lfemur = left upper leg
               ltibia = left lower leg
                 lfoot = left foot
                   ltoes = left toes
           rhipjoint = helper
             rfemur = right upper leg
           lowerback = spine 0
             upperback = spine 1
               thorax = spine 2
                 lowerneck = neck 0
                   upperneck = neck 1
                     head = head
                 lclavicle = left shoulder
                   lhumerus = left upper arm
                     lradius = left lower arm
                       lwrist = left hand
                         lhand = helper
                           lfingers = left middle 0
                         lthumb = left thumb 0",
    );
}

/// Biovision names joints by articulation; an animator's re-export mixes this with CMU's helpers.
#[test]
fn biovision() {
    check(
        "Hips = hips
           LHipJoint = helper
             LeftHip = left upper leg
               LeftKnee = left lower leg
                 LeftAnkle = left foot
                   LeftToe = left toes
           RightHip = right upper leg
             RightKnee = right lower leg
           Chest = spine 0
             Chest2 = spine 1
               lowerneck = neck 0
                 Neck = neck 1
                   Head = head
               LeftCollar = left shoulder
                 LeftShoulder = left upper arm
                   LeftElbow = left lower arm
                     LeftWrist = left hand
                       lhand = helper",
    );
}

#[test]
fn mixamo() {
    check(
        "mixamorig:Hips = hips
           mixamorig:Spine = spine 0
             mixamorig:Spine1 = spine 1
               mixamorig:Spine2 = spine 2
                 mixamorig:Neck = neck 0
                   mixamorig:Head = head
                     mixamorig:HeadTop_End = helper
                 mixamorig:LeftShoulder = left shoulder
                   mixamorig:LeftArm = left upper arm
                     mixamorig:LeftForeArm = left lower arm
                       mixamorig:LeftHand = left hand
                         mixamorig:LeftHandThumb1 = left thumb 0
                           mixamorig:LeftHandThumb2 = left thumb 1
                         mixamorig:LeftHandPinky1 = left little 0
           mixamorig:LeftUpLeg = left upper leg
             mixamorig:LeftLeg = left lower leg
               mixamorig:LeftFoot = left foot
                 mixamorig:LeftToeBase = left toes
                   mixamorig:LeftToe_End = helper
           mixamorig:RightUpLeg = right upper leg",
    );
}

#[test]
fn unreal() {
    check(
        "root = helper
           pelvis = hips
             spine_01 = spine 0
               spine_02 = spine 1
                 clavicle_l = left shoulder
                   upperarm_l = left upper arm
                     lowerarm_l = left lower arm
                       hand_l = left hand
                         index_01_l = left index 0
                           index_02_l = left index 1
                       lowerarm_twist_01_l = helper
                 neck_01 = neck 0
                   head = head
             thigh_l = left upper leg
               calf_l = left lower leg
                 foot_l = left foot
                   ball_l = left toes
               thigh_twist_01_l = helper
             thigh_r = right upper leg
           ik_foot_root = helper
             ik_foot_l = helper",
    );
}

#[test]
fn daz_and_poser() {
    check(
        "hip = hips
           abdomen = spine 0
             chest = spine 1
               neck = neck 0
                 head = head
                   leftEye = left eye
                   rightEye = right eye
               rCollar = right shoulder
                 rShldr = right upper arm
                   rForeArm = right lower arm
                     rHand = right hand
                       rMid1 = right middle 0
                         rMid2 = right middle 1
               lcollar = left shoulder
                 lshldr = left upper arm
                   lforearm = left lower arm
           rButtock = helper
             rThigh = right upper leg
               rShin = right lower leg
                 rFoot = right foot
           lButtock = helper
             lThigh = left upper leg",
    );
}

#[test]
fn smpl() {
    check(
        "m_avg_Pelvis = hips
           m_avg_L_Hip = left upper leg
             m_avg_L_Knee = left lower leg
               m_avg_L_Ankle = left foot
                 m_avg_L_Foot = left toes
           m_avg_R_Hip = right upper leg
           m_avg_Spine1 = spine 0
             m_avg_Spine2 = spine 1
               m_avg_Neck = neck 0
                 m_avg_Head = head
               m_avg_L_Collar = left shoulder
                 m_avg_L_Shoulder = left upper arm
                   m_avg_L_Elbow = left lower arm
                     m_avg_L_Wrist = left hand
                       m_avg_L_Hand = helper",
    );
}

#[test]
fn makehuman() {
    check(
        "Root = hips
           Spine1 = spine 0
             Spine2 = spine 1
               Neck = neck 0
                 Head = head
                   __Jaw = helper
                     Jaw = jaw
                   __Eye_L = helper
                     Eye_L = left eye
               __Clavicle_L = helper
                 Clavicle_L = left shoulder
                   UpArm_L = left upper arm
                     LoArm_L = left lower arm
                       Hand_L = left hand
           Hips = helper
             __UpLeg_L = helper
               UpLeg_L = left upper leg
                 LoLeg_L = left lower leg
                   Foot_L = left foot
                     Toe_L = left toes
             __UpLeg_R = helper
               UpLeg_R = right upper leg",
    );
    check(
        "root = hips
           pelvis.L = helper
             upperleg01.L = left upper leg
               upperleg02.L = helper
                 lowerleg01.L = left lower leg
                   lowerleg02.L = helper
                     foot.L = left foot
           pelvis.R = helper
             upperleg01.R = right upper leg
           spine05 = spine 0
             spine04 = spine 1
               clavicle.L = left shoulder
                 shoulder01.L = helper
                   upperarm01.L = left upper arm
                     lowerarm01.L = left lower arm
                       wrist.L = left hand
                         finger1-1.L = left thumb 0
                           finger1-2.L = left thumb 1
                         metacarpal1.L = helper
                           finger2-1.L = left index 0
               neck01 = neck 0
                 head = head",
    );
}

#[test]
fn rigify_deform_bones() {
    check(
        "DEF-spine = hips
           DEF-spine.001 = spine 0
             DEF-spine.002 = spine 1
               DEF-spine.003 = spine 2
                 DEF-spine.004 = neck 0
                   DEF-spine.005 = neck 1
                     DEF-spine.006 = head
                       DEF-face
                 DEF-shoulder.L = left shoulder
                   DEF-upper_arm.L = left upper arm
                     DEF-upper_arm.L.001 = helper
                       DEF-forearm.L = left lower arm
                         DEF-hand.L = left hand
                 DEF-shoulder.R = right shoulder
                   DEF-upper_arm.R = right upper arm
           DEF-thigh.L = left upper leg
             DEF-thigh.L.001 = helper
               DEF-shin.L = left lower leg
                 DEF-foot.L = left foot
                   DEF-toe.L = left toes
           DEF-thigh.R = right upper leg",
    );
}

#[test]
fn biped_of_3ds_max() {
    check(
        "Bip01
           Bip01 Pelvis = hips
             Bip01 Spine = spine 0
               Bip01 Spine1 = spine 1
                 Bip01 Neck = neck 0
                   Bip01 Head = head
                     Bip01 HeadNub = helper
                   Bip01 L Clavicle = left shoulder
                     Bip01 L UpperArm = left upper arm
                       Bip01 L Forearm = left lower arm
                         Bip01 L Hand = left hand
                           Bip01 L Finger0 = left thumb 0
                             Bip01 L Finger01 = left thumb 1
                           Bip01 L Finger1 = left index 0
             Bip01 L Thigh = left upper leg
               Bip01 L Calf = left lower leg
                 Bip01 L Foot = left foot
                   Bip01 L Toe0 = left toes
             Bip01 R Thigh = right upper leg",
    );
}

/// Joints that are only called torso, neck, arm and leg, numbered without system.
#[test]
fn numbered_chains() {
    check(
        "Skeleton_torso_joint_1 = hips
           Skeleton_torso_joint_2 = spine 0
             torso_joint_3 = spine 1
               Skeleton_neck_joint_1 = neck 0
                 Skeleton_neck_joint_2 = head
               Skeleton_arm_joint_L__4_ = left upper arm
                 Skeleton_arm_joint_L__3_ = left lower arm
                   Skeleton_arm_joint_L__2_ = left hand
               Skeleton_arm_joint_R = right upper arm
                 Skeleton_arm_joint_R__2_ = right lower arm
                   Skeleton_arm_joint_R__3_ = right hand
           leg_joint_L_1 = left upper leg
             leg_joint_L_2 = left lower leg
               leg_joint_L_3 = left foot
                 leg_joint_L_5 = left toes
           leg_joint_R_1 = right upper leg",
    );
}

#[test]
fn game_rig_with_controls() {
    check(
        "root = helper
           hips = hips
             spine = spine 0
               chest = spine 1
                 upperarm.l = left upper arm
                   lowerarm.l = left lower arm
                     wrist.l = left hand
                       hand.l = helper
                         handslot.l = helper
                 head = head
             upperleg.l = left upper leg
               lowerleg.l = left lower leg
                 foot.l = left foot
                   toes.l = left toes
             upperleg.r = right upper leg
           kneeIK.l = helper
           control-toe-roll.l = helper
           IK-foot.l = helper",
    );
}

#[test]
fn fox() {
    check(
        "_rootJoint = helper
           b_Root_00 = helper
             b_Hip_01 = hips
               b_Spine01_02 = spine 0
                 b_Spine02_03 = spine 1
                   b_Neck_04 = neck 0
                     b_Head_05 = head
                   b_LeftUpperArm_09 = left upper arm
                     b_LeftForeArm_010 = left lower arm
                       b_LeftHand_011 = left hand
               b_Tail01_012 = tail 0
                 b_Tail02_013 = tail 1
               b_LeftLeg01_015 = left upper leg
                 b_LeftLeg02_016 = left lower leg
                   b_LeftFoot01_017 = left foot
                     b_LeftFoot02_018 = left toes
               b_RightLeg01_019 = right upper leg",
    );
}

#[test]
fn suits_of_xsens_rokoko_and_noitom() {
    check(
        "Pelvis = hips
           L5 = spine 0
             L3 = spine 1
               T12 = spine 2
                 Neck = neck 0
                   Head = head
                 RightShoulder = right shoulder
                   RightUpperArm = right upper arm
                     RightForeArm = right lower arm
                       RightHand = right hand
                         RightInHandIndex = helper
                           RightHandIndex1 = right index 0
           RightUpperLeg = right upper leg
             RightLowerLeg = right lower leg
               RightFoot = right foot
           LeftUpperLeg = left upper leg",
    );
}

#[test]
fn optitrack_and_character_creator() {
    check(
        "Skeleton_001:Hip = hips
           Skeleton_001:Ab = spine 0
             Skeleton_001:Chest = spine 1
               Skeleton_001:Neck = neck 0
                 Skeleton_001:Head = head
               Skeleton_001:LShoulder = left shoulder
                 Skeleton_001:LUArm = left upper arm
                   Skeleton_001:LFArm = left lower arm
                     Skeleton_001:LHand = left hand
           Skeleton_001:LThigh = left upper leg
             Skeleton_001:LShin = left lower leg
               Skeleton_001:LFoot = left foot
                 Skeleton_001:LToe = left toes
           Skeleton_001:RThigh = right upper leg",
    );
    check(
        "CC_Base_BoneRoot = helper
           CC_Base_Hip = hips
             CC_Base_Pelvis = helper
               CC_Base_L_Thigh = left upper leg
                 CC_Base_L_ThighTwist01 = helper
                 CC_Base_L_Calf = left lower leg
                   CC_Base_L_Foot = left foot
                     CC_Base_L_ToeBase = left toes
               CC_Base_R_Thigh = right upper leg
             CC_Base_Waist = spine 0
               CC_Base_Spine01 = spine 1
                 CC_Base_L_Clavicle = left shoulder
                   CC_Base_L_Upperarm = left upper arm
                 CC_Base_NeckTwist01 = neck 0
                   CC_Base_NeckTwist02 = neck 1
                     CC_Base_Head = head",
    );
}

#[test]
fn mikumikudance() {
    check(
        "センター = hips
           上半身 = spine 0
             上半身2 = spine 1
               首 = neck 0
                 頭 = head
               左肩 = left shoulder
                 左腕 = left upper arm
                   左ひじ = left lower arm
                     左手首 = left hand
           下半身 = helper
             左足 = left upper leg
               左ひざ = left lower leg
                 左足首 = left foot
             右足 = right upper leg
           左足ＩＫ = helper",
    );
}

/// Four legs: the front ones take the places of arms.
#[test]
fn quadruped_with_front_and_hind_legs() {
    check(
        "Root = hips
           Spine1 = spine 0
             Neck = neck 0
               Head = head
             Front_UpperLeg_L = left upper arm
               Front_LowerLeg_L = left lower arm
                 Front_Foot_L = left hand
           Hind_UpperLeg_L = left upper leg
             Hind_LowerLeg_L = left lower leg
               Hind_Foot_L = left foot
           Hind_UpperLeg_R = right upper leg
           Tail1 = tail 0
             Tail2 = tail 1",
    );
}

#[test]
fn a_role_that_is_given_stays_and_is_certain() {
    let mut skeleton = outline("Hips\n  LeftUpLeg\n    LeftLeg\n  Thing");
    skeleton.set_role(3, Some(Role::UpperLeg(Side::Left)));
    let guesses = roles_by_name(&skeleton);
    assert_eq!(guesses[3], DetectedRole { role: Some(Role::UpperLeg(Side::Left)), confidence: 1.0 });
    assert!(guesses.iter().filter(|g| g.role == Some(Role::UpperLeg(Side::Left))).count() == 1);
}

#[test]
fn names_that_say_nothing_get_no_role() {
    check("base\n  child1\n    child2\n      Bone.001\n        \u{6771}\u{4eac}");
}

/// A fore foot is the ball of the foot in a rig of a person, and the paw where there are hind feet.
#[test]
fn a_fore_foot_is_a_paw_only_beside_hind_feet() {
    let role = |rig: &str, name: &str| {
        let skeleton = outline(rig);
        roles_by_name(&skeleton)[skeleton.find(name).unwrap()].role
    };
    let person = "Hips\n  LeftThigh\n    LeftShank\n      LeftFoot\n        LeftForeFoot";
    assert_eq!(role(person, "LeftForeFoot"), Some(Role::Toes(Side::Left)));
    let dog = "Hips\n  Spine\n    LeftUpperArm\n      LeftForearm\n        LeftForeFoot\n  LeftThigh\n    LeftShank\n      LeftHindFoot";
    assert_eq!(role(dog, "LeftForeFoot"), Some(Role::Hand(Side::Left)));
    assert_eq!(role(dog, "LeftHindFoot"), Some(Role::Foot(Side::Left)));
}

/// People who rig by hand write the words of their own language.
#[test]
fn words_of_other_languages_are_known() {
    check(
        "Becken = hips
           Wirbel1 = spine 0
             Hals = neck 0
               Kopf = head
             Schulter_links = left shoulder
               Oberarm_links = left upper arm
                 Unterarm_links = left lower arm
                   Hand_links = left hand
           Oberschenkel_rechts = right upper leg
             Unterschenkel_rechts = right lower leg
               Fuss_rechts = right foot
                 Zehen_rechts = right toes",
    );
    check(
        "骨盆 = hips
           脊柱 = spine 0
             颈 = neck 0
               头 = head
             左锁骨 = left shoulder
               左上臂 = left upper arm
                 左前臂 = left lower arm
                   左手 = left hand
           右大腿 = right upper leg
             右小腿 = right lower leg
               右脚 = right foot
                 右脚趾 = right toes",
    );
    check(
        "Bassin = hips
           Colonne = spine 0
             Cou = neck 0
               Tete = head
             ClaviculeGauche = left shoulder
               BrasGauche = left upper arm
                 AvantBrasGauche = left lower arm
                   MainGauche = left hand
           CuisseDroite = right upper leg
             JambeDroite = right lower leg
               PiedDroit = right foot",
    );
}

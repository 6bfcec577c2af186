//! The two-legged bodies of the built-in data.
//!
//! The actor's lengths are fractions of standing height H from Drillis and Contini, *Body Segment Parameters*
//! (1966), as printed in Winter, *Biomechanics and Motor Control of Human Movement*, figure 4.1: hip 0.530 H above
//! the floor, thigh 0.245 H, shank 0.246 H, ankle 0.039 H, foot 0.152 H, shoulder 0.818 H, upper arm 0.186 H,
//! forearm 0.146 H, hand 0.108 H. What that figure does not give (spine joints, distances between the two hip and
//! the two shoulder joint centres, the parts of the foot) is our own choice.

use super::body::{Body, FootShape, Measures, Names};
use sinew::Real;
use sinew::motion::SkeletonError;

/// A person of 1.75 m.
pub fn actor() -> Result<Body, SkeletonError> {
    const H: Real = 1.75;
    let measures = Measures {
        height: H,
        hips: 0.530 * H + 0.04,
        spine: vec![1.07, 1.20, 1.32],
        neck: vec![0.848 * H],
        head: 0.905 * H,
        shoulder: (0.180, 0.818 * H),
        upper_arm: 0.186 * H,
        lower_arm: 0.146 * H,
        hand: 0.108 * H,
        hip: 0.090,
        thigh: 0.245 * H,
        shank: 0.246 * H,
        foot: FootShape {
            ankle_height: 0.039 * H,
            heel_back: 0.058,
            ball_forward: 0.133,
            ball_height: 0.026,
            toes: 0.152 * H - 0.058 - 0.133,
        },
    };
    let names = Names {
        sides: ["Left", "Right"],
        hips: "Hips",
        spine: &["Spine", "Chest", "UpperChest"],
        neck: &["Neck"],
        head: "Head",
        arm: ["*Shoulder", "*UpperArm", "*LowerArm", "*Hand"],
        leg: ["*UpperLeg", "*LowerLeg", "*Foot", "*Toes"],
    };
    Body::new(&measures, &names)
}

/// A short, broad character of 1.45 m with long arms and a longer spine of joints.
pub fn heavy() -> Result<Body, SkeletonError> {
    let measures = Measures {
        height: 1.45,
        hips: 0.70,
        spine: vec![0.77, 0.85, 0.93, 1.01, 1.09],
        neck: vec![1.19, 1.225],
        head: 1.26,
        shoulder: (0.245, 1.15),
        upper_arm: 0.300,
        lower_arm: 0.285,
        hand: 0.190,
        hip: 0.135,
        thigh: 0.285,
        shank: 0.275,
        foot: FootShape { ankle_height: 0.075, heel_back: 0.060, ball_forward: 0.125, ball_height: 0.024, toes: 0.070 },
    };
    let names = Names {
        sides: ["l", "r"],
        hips: "pelvis",
        spine: &["spine_01", "spine_02", "spine_03", "spine_04", "spine_05"],
        neck: &["neck_01", "neck_02"],
        head: "head",
        arm: ["clavicle_*", "upperarm_*", "lowerarm_*", "hand_*"],
        leg: ["thigh_*", "calf_*", "foot_*", "ball_*"],
    };
    Body::new(&measures, &names)
}

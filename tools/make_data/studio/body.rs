//! A two-legged body in the animator's frame: T-pose, every joint unturned at rest, sole on y = 0, facing +Z, left +X.
//!
//! Motions are made for a [`Body`]; `rig` then gives the skeleton the rest pose and joint axes of its file.

use super::ik::TwoBones;
use sinew::motion::{Joint, Role, Side, Skeleton, SkeletonError};
use sinew::{Real, Vec3};

pub const SIDES: [Side; 2] = [Side::Left, Side::Right];

/// +1 for left, −1 for right: the sign of X.
pub fn sign(side: Side) -> Real {
    match side {
        Side::Left => 1.0,
        Side::Right => -1.0,
    }
}

/// Lengths and heights of a standing body, metres.
pub struct Measures {
    /// Top of the head.
    pub height: Real,
    /// Height of the pelvis joint.
    pub hips: Real,
    /// Heights of the joints of the spine, upwards.
    pub spine: Vec<Real>,
    /// Heights of the joints of the neck, upwards.
    pub neck: Vec<Real>,
    pub head: Real,
    /// The shoulder joint: half the distance between both, and its height.
    pub shoulder: (Real, Real),
    pub upper_arm: Real,
    pub lower_arm: Real,
    pub hand: Real,
    /// Half the distance between the hip joints.
    pub hip: Real,
    pub thigh: Real,
    pub shank: Real,
    pub foot: FootShape,
}

/// The foot in its own frame: ankle above the sole, heel behind it, ball and toe tip before it.
#[derive(Clone, Copy)]
pub struct FootShape {
    pub ankle_height: Real,
    pub heel_back: Real,
    pub ball_forward: Real,
    /// Height of the toe joint above the sole.
    pub ball_height: Real,
    /// From the toe joint to the tip.
    pub toes: Real,
}

/// Joint names of a rig; paired names are made from a pattern whose `*` is the side.
pub struct Names {
    pub sides: [&'static str; 2],
    pub hips: &'static str,
    pub spine: &'static [&'static str],
    pub neck: &'static [&'static str],
    pub head: &'static str,
    /// Clavicle, upper arm, forearm, hand.
    pub arm: [&'static str; 4],
    /// Thigh, shank, foot, toes.
    pub leg: [&'static str; 4],
}

impl Names {
    fn sided(&self, patterns: [&str; 4], side: Side) -> [String; 4] {
        patterns.map(|pattern| pattern.replace('*', self.sides[side as usize]))
    }
}

/// Joint indices of one arm or leg, from the body outwards.
pub type Limb = [usize; 4];

pub struct Body {
    pub skeleton: Skeleton,
    pub spine: Vec<usize>,
    pub neck: Vec<usize>,
    pub head: usize,
    /// Clavicle, upper arm, forearm, hand; left, right.
    pub arms: [Limb; 2],
    /// Thigh, shank, foot, toes; left, right.
    pub legs: [Limb; 2],
    pub leg: TwoBones,
    pub arm: TwoBones,
    pub foot: FootShape,
    pub height: Real,
}

/// The joint that carries everything is always the first.
pub const HIPS: usize = 0;

impl Body {
    pub fn new(measures: &Measures, names: &Names) -> Result<Self, SkeletonError> {
        let mut tree = Tree::default();
        let up = |from: Real, to: Real| Vec3::new(0.0, to - from, 0.0);
        let hips = tree.add(names.hips.into(), None, Vec3::new(0.0, measures.hips, 0.0), Role::Hips);
        debug_assert_eq!(hips, HIPS);

        let (mut last, mut height) = (hips, measures.hips);
        let mut chain = |tree: &mut Tree, names: &[&str], heights: &[Real], role: fn(u8) -> Role| -> Vec<usize> {
            let mut joints = Vec::new();
            for (k, (name, &to)) in names.iter().zip(heights).enumerate() {
                last = tree.add((*name).into(), Some(last), up(height, to), role(k as u8));
                height = to;
                joints.push(last);
            }
            joints
        };
        let spine = chain(&mut tree, names.spine, &measures.spine, Role::Spine);
        let neck = chain(&mut tree, names.neck, &measures.neck, Role::Neck);
        let head = chain(&mut tree, &[names.head], &[measures.head], |_| Role::Head)[0];
        tree.joints[head].tip = Some(up(measures.head, measures.height));

        let chest = spine[spine.len() - 1];
        let chest_height = measures.spine[measures.spine.len() - 1];
        let (half_width, shoulder_height) = measures.shoulder;
        let inner = 0.14 * half_width;
        let arms = SIDES.map(|side| {
            let x = |length: Real| Vec3::new(sign(side) * length, 0.0, 0.0);
            let offsets = [
                x(inner) + up(chest_height, shoulder_height),
                x(half_width - inner),
                x(measures.upper_arm),
                x(measures.lower_arm),
            ];
            let roles = [Role::Shoulder(side), Role::UpperArm(side), Role::LowerArm(side), Role::Hand(side)];
            tree.limb(chest, names.sided(names.arm, side), offsets, roles, x(measures.hand))
        });
        let foot = measures.foot;
        let hip_height = foot.ankle_height + measures.shank + measures.thigh;
        let legs = SIDES.map(|side| {
            let offsets = [
                Vec3::new(sign(side) * measures.hip, hip_height - measures.hips, 0.0),
                Vec3::new(0.0, -measures.thigh, 0.0),
                Vec3::new(0.0, -measures.shank, 0.0),
                Vec3::new(0.0, foot.ball_height - foot.ankle_height, foot.ball_forward),
            ];
            let roles = [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side), Role::Toes(side)];
            let tip = Vec3::new(0.0, -0.25 * foot.ball_height, foot.toes);
            tree.limb(hips, names.sided(names.leg, side), offsets, roles, tip)
        });
        Ok(Self {
            skeleton: Skeleton::new(tree.joints)?,
            spine,
            neck,
            head,
            arms,
            legs,
            leg: TwoBones { upper: measures.thigh, lower: measures.shank },
            arm: TwoBones { upper: measures.upper_arm, lower: measures.lower_arm },
            foot,
            height: measures.height,
        })
    }
}

#[derive(Default)]
struct Tree {
    joints: Vec<Joint>,
}

impl Tree {
    fn add(&mut self, name: String, parent: Option<usize>, offset: Vec3, role: Role) -> usize {
        let mut joint = Joint::new(name, parent, offset);
        joint.role = Some(role);
        self.joints.push(joint);
        self.joints.len() - 1
    }

    /// Four joints one after the other.
    fn limb(&mut self, parent: usize, names: [String; 4], offsets: [Vec3; 4], roles: [Role; 4], tip: Vec3) -> Limb {
        let mut parent = parent;
        let mut limb = [0; 4];
        for (k, name) in names.into_iter().enumerate() {
            parent = self.add(name, Some(parent), offsets[k], roles[k]);
            limb[k] = parent;
        }
        self.joints[limb[3]].tip = Some(tip);
        limb
    }
}

//! A dog of 0.6 m at the shoulder, standing at rest, every joint unturned.

use super::body::{SIDES, sign};
use sinew::motion::{Joint, Role, Side, Skeleton, SkeletonError};
use sinew::{Real, Vec3};

/// Height of a paw joint above the sole, metres.
pub const PAW_HEIGHT: Real = 0.028;
/// From the paw joint forward to the tip of the toes, metres.
pub const PAW_LENGTH: Real = 0.055;

pub struct Dog {
    pub skeleton: Skeleton,
    pub spine: Vec<usize>,
    /// Neck and head.
    pub neck: Vec<usize>,
    pub tail: Vec<usize>,
    /// Left, right.
    pub scapulae: [usize; 2],
    /// Thigh, shank, metatarsus, paw; left, right.
    pub hind: [[usize; 4]; 2],
    /// Upper arm, forearm, metacarpus, paw; left, right.
    pub fore: [[usize; 4]; 2],
}

/// Height and place along the body of a joint, metres.
type Place = (Real, Real);

impl Dog {
    pub fn new() -> Result<Self, SkeletonError> {
        let mut tree = Tree { joints: Vec::new(), places: Vec::new() };
        let hips = tree.add("Hips".into(), None, 0.0, (0.535, -0.25), Role::Hips);
        let back = [("Spine", (0.545, -0.13)), ("Spine1", (0.545, 0.0)), ("Chest", (0.535, 0.12))];
        let spine = tree.chain(hips, &back, Role::Spine);
        let mut neck = tree.chain(spine[2], &[("Neck", (0.575, 0.285)), ("Neck1", (0.665, 0.365))], Role::Neck);
        let head = tree.add("Head".into(), Some(neck[1]), 0.0, (0.745, 0.425), Role::Head);
        neck.push(head);
        let brush = [("Tail", (0.525, -0.34)), ("Tail1", (0.475, -0.42)), ("Tail2", (0.405, -0.475))];
        let tail = tree.chain(hips, &brush, Role::Tail);
        let hind = SIDES.map(|side| {
            tree.leg(
                side,
                hips,
                0.075,
                [
                    ("Thigh", (0.500, -0.280), Role::UpperLeg(side)),
                    ("Shank", (0.355, -0.200), Role::LowerLeg(side)),
                    ("HindFoot", (0.185, -0.325), Role::Foot(side)),
                    ("HindToes", (PAW_HEIGHT, -0.300), Role::Toes(side)),
                ],
            )
        });
        let scapulae = SIDES.map(|side| {
            let across = sign(side) * 0.055;
            tree.add(format!("{side:?}Scapula"), Some(spine[2]), across, (0.565, 0.185), Role::Shoulder(side))
        });
        let fore = SIDES.map(|side| {
            tree.leg(
                side,
                scapulae[side as usize],
                0.070,
                [
                    ("UpperArm", (0.420, 0.265), Role::UpperArm(side)),
                    ("Forearm", (0.290, 0.175), Role::LowerArm(side)),
                    ("ForeFoot", (0.105, 0.190), Role::Hand(side)),
                    ("ForeToes", (PAW_HEIGHT, 0.205), Role::Finger(side, 2, 0)),
                ],
            )
        });
        for paw in [hind[0][3], hind[1][3], fore[0][3], fore[1][3]] {
            tree.joints[paw].tip = Some(Vec3::new(0.0, -0.25 * PAW_HEIGHT, PAW_LENGTH));
        }
        tree.joints[head].tip = Some(Vec3::new(0.0, -0.045, 0.165));
        tree.joints[tail[2]].tip = Some(Vec3::new(0.0, -0.075, -0.03));
        Ok(Self { skeleton: Skeleton::new(tree.joints)?, spine, neck, tail, scapulae, hind, fore })
    }
}

struct Tree {
    joints: Vec<Joint>,
    /// World.
    places: Vec<Vec3>,
}

impl Tree {
    fn add(&mut self, name: String, parent: Option<usize>, across: Real, (y, z): Place, role: Role) -> usize {
        let place = Vec3::new(across, y, z);
        let mut joint = Joint::new(name, parent, place - parent.map_or_else(Vec3::zeros, |p| self.places[p]));
        joint.role = Some(role);
        self.joints.push(joint);
        self.places.push(place);
        self.joints.len() - 1
    }

    fn chain(&mut self, parent: usize, links: &[(&str, Place)], role: fn(u8) -> Role) -> Vec<usize> {
        let mut last = parent;
        let add = |(k, &(name, place)): (usize, &(&str, Place))| {
            last = self.add(name.into(), Some(last), 0.0, place, role(k as u8));
            last
        };
        links.iter().enumerate().map(add).collect()
    }

    fn leg(&mut self, side: Side, parent: usize, half: Real, links: [(&str, Place, Role); 4]) -> [usize; 4] {
        let mut last = parent;
        links.map(|(name, place, role)| {
            last = self.add(format!("{side:?}{name}"), Some(last), sign(side) * half, place, role);
            last
        })
    }
}

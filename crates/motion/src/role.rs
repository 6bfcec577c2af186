//! Anatomical roles of joints.

use std::fmt;

/// Side of the body, as the character itself would say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

impl Side {
    /// Returns the other side.
    pub fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// Anatomical meaning of a joint. A joint moves the bone that leaves it: `UpperArm` is the shoulder joint,
/// `LowerArm` the elbow, `Hand` the wrist, `UpperLeg` the hip, `LowerLeg` the knee, `Foot` the ankle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Pelvis: the joint that carries the whole body.
    Hips,
    /// Joint of the spine, counted upwards from 0.
    Spine(u8),
    /// Joint of the neck, counted upwards from 0.
    Neck(u8),
    /// Joint at the base of the skull.
    Head,
    /// Lower jaw.
    Jaw,
    /// Eyeball.
    Eye(Side),
    /// Clavicle.
    Shoulder(Side),
    /// Shoulder joint.
    UpperArm(Side),
    /// Elbow.
    LowerArm(Side),
    /// Wrist.
    Hand(Side),
    /// Joint of a finger. Finger 0 is the thumb, 4 the little finger; the second number counts joints outwards from the palm.
    Finger(Side, u8, u8),
    /// Hip joint.
    UpperLeg(Side),
    /// Knee.
    LowerLeg(Side),
    /// Ankle.
    Foot(Side),
    /// Ball of the foot.
    Toes(Side),
    /// Joint of a tail, counted outwards from 0.
    Tail(u8),
    /// Joint that only serves the rig: twist bones, inserted zero-length joints, weapon slots, IK targets.
    Helper,
}

impl Role {
    /// Returns true for roles that must be known for certain before a motion is moved to another body.
    pub fn is_main(self) -> bool {
        use Role::*;
        matches!(
            self,
            Hips | Head | UpperArm(_) | LowerArm(_) | Hand(_) | UpperLeg(_) | LowerLeg(_) | Foot(_) | Spine(_)
        )
    }

    /// Iterates over every role, to parse them from words.
    pub fn all() -> impl Iterator<Item = Role> {
        use Role::*;
        let middle = [Hips, Head, Jaw, Helper].into_iter();
        let chains = (0..=u8::MAX).flat_map(|k| [Spine(k), Neck(k), Tail(k)]);
        let sided = [Side::Left, Side::Right].into_iter().flat_map(|s| {
            let parts =
                [Eye(s), Shoulder(s), UpperArm(s), LowerArm(s), Hand(s), UpperLeg(s), LowerLeg(s), Foot(s), Toes(s)];
            parts.into_iter().chain((0..5).flat_map(move |f| (0..8).map(move |k| Finger(s, f, k))))
        });
        middle.chain(chains).chain(sided)
    }

    /// Returns the side of a paired role.
    pub fn side(self) -> Option<Side> {
        use Role::*;
        match self {
            Eye(s)
            | Shoulder(s)
            | UpperArm(s)
            | LowerArm(s)
            | Hand(s)
            | Finger(s, ..)
            | UpperLeg(s)
            | LowerLeg(s)
            | Foot(s)
            | Toes(s) => Some(s),
            Hips | Spine(_) | Neck(_) | Head | Jaw | Tail(_) | Helper => None,
        }
    }

    /// Returns the same role on the other side; unpaired roles stay.
    pub fn mirrored(self) -> Role {
        use Role::*;
        match self {
            Eye(s) => Eye(s.other()),
            Shoulder(s) => Shoulder(s.other()),
            UpperArm(s) => UpperArm(s.other()),
            LowerArm(s) => LowerArm(s.other()),
            Hand(s) => Hand(s.other()),
            Finger(s, f, k) => Finger(s.other(), f, k),
            UpperLeg(s) => UpperLeg(s.other()),
            LowerLeg(s) => LowerLeg(s.other()),
            Foot(s) => Foot(s.other()),
            Toes(s) => Toes(s.other()),
            Hips | Spine(_) | Neck(_) | Head | Jaw | Tail(_) | Helper => self,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Role::*;
        if let Some(side) = self.side() {
            f.write_str(match side {
                Side::Left => "left ",
                Side::Right => "right ",
            })?;
        }
        match self {
            Hips => f.write_str("hips"),
            Spine(k) => write!(f, "spine {k}"),
            Neck(k) => write!(f, "neck {k}"),
            Head => f.write_str("head"),
            Jaw => f.write_str("jaw"),
            Eye(_) => f.write_str("eye"),
            Shoulder(_) => f.write_str("shoulder"),
            UpperArm(_) => f.write_str("upper arm"),
            LowerArm(_) => f.write_str("lower arm"),
            Hand(_) => f.write_str("hand"),
            Finger(_, finger, k) => {
                let name = ["thumb", "index", "middle", "ring", "little"].get(*finger as usize).unwrap_or(&"finger");
                write!(f, "{name} {k}")
            }
            UpperLeg(_) => f.write_str("upper leg"),
            LowerLeg(_) => f.write_str("lower leg"),
            Foot(_) => f.write_str("foot"),
            Toes(_) => f.write_str("toes"),
            Tail(k) => write!(f, "tail {k}"),
            Helper => f.write_str("helper"),
        }
    }
}

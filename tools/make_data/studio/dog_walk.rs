//! The walk of the dog.
//!
//! The footfalls are those of Hildebrand, *The quadrupedal gaits of vertebrates*, BioScience 39 (1989): a lateral
//! sequence (left hind, left fore, right hind, right fore), each foot on the ground for 64 % of the stride, a forefoot
//! following the hind foot of its side by 20 % of the stride.
//!
//! The paw stands on its print or swings to the next one, the foot bone above it leans by a curve over the cycle, and the
//! two bones above that reach for it. The shoulder blades glide with their legs.

use super::body::{HIPS, SIDES, sign};
use super::curve::{End, Fourier, bump, ease};
use super::dog::{Dog, PAW_HEIGHT, PAW_LENGTH};
use super::gait::{fading, trunk};
use super::ik::TwoBones;
use super::posture::{about_x, deg, frame, share};
use sinew::motion::{Frame, Pose, Side};
use sinew::{Quat, Real, Vec3};
use std::f64::consts::TAU;

/// Metres and seconds of a stride, and the share of it that a foot stands.
pub const STRIDE: Real = 0.70;
pub const PERIOD: Real = 48.0 / 60.0;
pub const DUTY: Real = 0.64;
/// How much of a stride a forefoot follows the hind foot of its side.
const FORE_LAG: Real = 0.20;

/// How far the foot bone leans forward of vertical (its top against its paw) over the leg's own cycle: (phase, degrees).
const HIND_LEAN: [(Real, Real); 8] =
    [(0.00, -18.0), (0.15, -10.0), (0.35, 4.0), (0.52, 24.0), (0.64, 44.0), (0.74, 52.0), (0.86, 14.0), (0.95, -14.0)];
const FORE_LEAN: [(Real, Real); 8] =
    [(0.00, -22.0), (0.15, -14.0), (0.35, -2.0), (0.52, 20.0), (0.64, 48.0), (0.73, 66.0), (0.83, 20.0), (0.92, -20.0)];

#[derive(Clone, Copy, PartialEq)]
enum Pair {
    Hind,
    Fore,
}

pub struct DogWalk<'a> {
    dog: &'a Dog,
    hind_lean: Fourier,
    fore_lean: Fourier,
}

/// Where a paw is and how it is pitched (toes up is positive).
struct Paw {
    joint: Vec3,
    pitch: Real,
}

impl<'a> DogWalk<'a> {
    pub fn new(dog: &'a Dog) -> Self {
        let radians = |keys: &[(Real, Real)]| {
            let degrees = Fourier::fit(keys, 5);
            Fourier::of(|phase| deg(degrees.at(phase)), 5)
        };
        Self { dog, hind_lean: radians(&HIND_LEAN), fore_lean: radians(&FORE_LEAN) }
    }

    /// The pose at `phase` strides after the left hind foot came down.
    pub fn pose(&self, phase: Real) -> Pose {
        let dog = self.dog;
        let wave = |harmonic: Real, peak: Real| (TAU * harmonic * (phase - peak)).cos();
        let mut pose = dog.skeleton.rest_pose();
        let start = dog.skeleton.joint(HIPS).offset;
        let travel = Vec3::new(0.010 * wave(1.0, 0.30), -0.032 + 0.007 * wave(2.0, 0.32), STRIDE * phase);
        pose.translations[HIPS] = start + travel;
        let hips = trunk(deg(-4.0 * wave(1.0, 0.0)), deg(3.0 * wave(1.0, 0.22)), deg(0.8 * wave(2.0, 0.2)));
        let chest = trunk(deg(3.5 * wave(1.0, 0.02)), deg(2.0 * wave(1.0, 0.45)), deg(1.0 * wave(2.0, 0.45)));
        let head = trunk(deg(1.5 * wave(1.0, 0.05)), 0.0, deg(3.0 + 2.5 * wave(2.0, 0.50)));
        pose.rotations[HIPS] = hips;
        share(hips.inverse() * chest, &dog.spine, &mut pose);
        share(chest.inverse() * head, &dog.neck, &mut pose);
        for (k, &joint) in dog.tail.iter().enumerate() {
            let late = 0.12 * k as Real;
            pose.rotations[joint] =
                trunk(deg(7.0 * wave(1.0, 0.25 + late)), 0.0, deg(9.0 + 2.0 * wave(2.0, 0.3 + late)));
        }
        for side in SIDES {
            // A blade's lower end goes forward with the leg: it is farthest back at lift-off.
            let own = self.own_phase(side, Pair::Fore, phase);
            let glide = deg(3.0 - 13.0 * (TAU * (own + 0.06)).cos());
            pose.rotations[dog.scapulae[side as usize]] = about_x(glide);
        }
        let frames = pose.world(&dog.skeleton);
        for side in SIDES {
            let blade = dog.scapulae[side as usize];
            self.leg(side, Pair::Hind, phase, frames[HIPS], &mut pose);
            self.leg(side, Pair::Fore, phase, frames[blade], &mut pose);
        }
        pose
    }

    fn own_phase(&self, side: Side, pair: Pair, phase: Real) -> Real {
        let side = if side == Side::Left { 0.0 } else { 0.5 };
        phase - side - if pair == Pair::Fore { FORE_LAG } else { 0.0 }
    }

    /// Rotates the four joints of a leg whose parent has this world frame.
    fn leg(&self, side: Side, pair: Pair, phase: Real, Frame { position, rotation }: Frame, pose: &mut Pose) {
        let skeleton = &self.dog.skeleton;
        let own = self.own_phase(side, pair, phase);
        let (joints, lean) = match pair {
            Pair::Hind => (self.dog.hind[side as usize], &self.hind_lean),
            Pair::Fore => (self.dog.fore[side as usize], &self.fore_lean),
        };
        let offset = |k: usize| skeleton.joint(joints[k]).offset;
        let paw = self.paw(side, pair, own, phase);
        let foot = about_x(lean.at(own)) * upright(offset(3));
        let ankle = paw.joint - foot * offset(3);
        let top = position + rotation * offset(0);
        let bones = TwoBones { upper: offset(1).norm(), lower: offset(2).norm() };
        let toward = if pair == Pair::Hind { Vec3::z() } else { -Vec3::z() };
        let reach = bones.reach(top, ankle, toward);
        let hinge = if pair == Pair::Hind { reach.side } else { -reach.side };
        let upper = turned(hinge, reach.upper, offset(1));
        let lower = turned(hinge, reach.lower, offset(2));
        let world = [rotation, upper, lower, foot, about_x(-paw.pitch)];
        for k in 0..4 {
            pose.rotations[joints[k]] = world[k].inverse() * world[k + 1];
        }
    }

    /// On the ground for the first part of the cycle, then through the air to the next print.
    fn paw(&self, side: Side, pair: Pair, own: Real, phase: Real) -> Paw {
        let cycle = own.floor();
        let own = own - cycle;
        let joints = if pair == Pair::Hind { &self.dog.hind } else { &self.dog.fore };
        let rest = self.dog.skeleton.rest_pose().world(&self.dog.skeleton)[joints[side as usize][3]].position;
        let contact = phase - own;
        // In the middle of the stance the paw is where it is at rest under the body. The toes roll over their tip at the
        // end; defined a little beyond the stance, so that its rates at the end can be asked for.
        let ahead = if pair == Pair::Hind { 0.020 } else { 0.014 };
        let print = |contact: Real| rest.z + ahead + STRIDE * (contact + 0.5 * DUTY);
        let standing = |own: Real| {
            let pitch = deg(-38.0) * ((own - 0.50) / (DUTY - 0.50)).max(0.0).powf(2.5);
            let from_tip = about_x(-pitch) * Vec3::new(0.0, PAW_HEIGHT, -PAW_LENGTH);
            [from_tip.y, print(contact) + PAW_LENGTH + from_tip.z, pitch]
        };
        let [height, along, pitch] = if own < DUTY {
            standing(own)
        } else {
            let x = (own - DUTY) / (1.0 - DUTY);
            let next = [PAW_HEIGHT, print(contact + 1.0), 0.0];
            let up = bump(x.powf(0.75)).powf(0.67);
            let extra = [0.050 * up, 0.0, deg(-40.0) * up + deg(12.0) * bump(1.5 * x - 0.5)];
            std::array::from_fn(|k| {
                let off = End::of(|own| standing(own)[k], DUTY);
                off.value + (next[k] - off.value) * ease(x) + off.rate * fading(own - DUTY) + extra[k]
            })
        };
        Paw { joint: Vec3::new(sign(side) * 0.055, height, along), pitch }
    }
}

/// The turn about X that stands a bone upright.
fn upright(bone: Vec3) -> Quat {
    about_x(bone.z.atan2(-bone.y))
}

/// World rotation of a bone that lay along `rest` in the plane across X and now points to `direction` in the plane across
/// `hinge`.
fn turned(hinge: Vec3, direction: Vec3, rest: Vec3) -> Quat {
    let flat = Vec3::new(0.0, rest.y, rest.z).normalize();
    frame(hinge, -direction) * frame(Vec3::x(), -flat).inverse()
}

//! Losing the legs: the knees give way, the body topples forward over them, the hands catch it, and it lies face down.
//!
//! Three contacts lead the motion one after the other: the balls of the feet, the knees (the thighs then turn about them),
//! and the hands. Each stays where it came down.

use super::body::{Body, SIDES, sign};
use super::curve::{Bridge, End, Track, ease};
use super::foot::{FootTarget, Print};
use super::gait::trunk;
use super::posture::{Arm, ArmPose, LegPose, Posture, about_y, deg};
use super::standing::{Bearing, between, foot_distance, side_by_side, standing_height};
use sinew::motion::Side;
use sinew::{Quat, Real, Vec3};

/// When the knees begin to give, when they are on the ground, when the hands are, when the chest is; seconds.
const GIVE: Real = 0.40;
const KNEES: Real = 0.98;
const HANDS: Real = 1.56;
const CHEST: Real = 1.72;
/// Height of a knee joint that rests on its shank, and how thick the thigh is that rolls over it, metres.
const KNEE_HEIGHT: Real = 0.032;
const THIGH_RADIUS: Real = 0.082;
/// Height of a wrist on the ground, metres.
const WRIST_HEIGHT: Real = 0.035;

pub struct Fall<'a> {
    body: &'a Body,
    prints: [Print; 2],
    /// Hips joint when standing.
    start: Vec3,
}

impl<'a> Fall<'a> {
    pub fn new(body: &'a Body) -> Self {
        let prints = side_by_side(Vec3::zeros(), 0.0, foot_distance(body));
        let feet = prints.map(|print| print.flat(&body.foot));
        let standing = Bearing::relaxed().balanced(body, standing_height(body), between(&prints, 0.0), feet);
        Self { body, prints, start: standing.position }
    }

    pub fn posture(&self, time: Real) -> Posture {
        let mut posture = self.with_loose_arms(time);
        if time > KNEES {
            posture.arms = SIDES.map(|side| self.catching(side, time));
        }
        posture
    }

    fn with_loose_arms(&self, time: Real) -> Posture {
        let hips = trunk(deg(3.0 * ease((time - 0.5) / 1.2)), 0.0, 0.0) * trunk(0.0, 0.0, deg(pelvis_pitch(time)));
        let flex = Track::new(0.07, &[(0.3, -2.5), (0.75, 4.0), (1.25, 14.0), (1.6, 2.0), (1.9, 1.0)]).at(time);
        let chest =
            trunk(deg(-5.0 * ease((time - 0.6) / 1.0)), 0.0, 0.0) * trunk(0.0, 0.0, deg(pelvis_pitch(time) + flex));
        // Looks where it falls, then turns the face aside.
        let aside = Track::new(0.08, &[(1.30, 0.0), (1.85, 62.0)]).at(time);
        let nod = Track::new(0.07, &[(0.3, 0.0), (0.8, 4.0), (1.35, -32.0), (1.85, -6.0)]).at(time);
        let head = chest * trunk(0.0, 0.0, deg(nod)) * about_y(deg(aside));
        let feet = SIDES.map(|side| self.foot(side, time));
        let toward = hips * Vec3::z();
        Posture {
            position: self.hips_joint(time, hips),
            hips,
            chest,
            head,
            arms: SIDES.map(|side| ArmPose::Angles(loose_arm(side, time))),
            legs: feet.map(|foot| LegPose { foot, toward }),
        }
    }

    /// Up on the ball and the toes while the knees go down.
    fn foot(&self, side: Side, time: Real) -> FootTarget {
        let over = ease((time - GIVE - 0.04) / (KNEES - GIVE));
        self.prints[side as usize].roll(&self.body.foot, deg(-84.0) * over, deg(-34.0) * over * over)
    }

    /// The middle between the knees when they are on the ground, with the thighs at an angle from upright: first they rest on the
    /// shanks, then the thighs roll over their ends.
    fn knees(&self, angle: Real) -> Vec3 {
        const SOFTNESS: Real = 0.006;
        let ankles = SIDES.map(|side| self.foot(side, KNEES + 1.0).ankle);
        let ankle = (ankles[0] + ankles[1]) * 0.5;
        let over = THIGH_RADIUS * (1.0 - angle.cos()) - KNEE_HEIGHT;
        let height = KNEE_HEIGHT + SOFTNESS * (over / SOFTNESS).exp().ln_1p();
        let down = ankle.y - height;
        Vec3::new(0.0, height, ankle.z + (self.body.leg.lower * self.body.leg.lower - down * down).sqrt())
    }

    /// The hips joint: quintic to the kneeling place, then on the thighs' circle about the knees.
    fn hips_joint(&self, time: Real, hips: Quat) -> Vec3 {
        let offsets = SIDES.map(|side| self.body.skeleton.joint(self.body.legs[side as usize][0]).offset);
        let to_joint = hips * ((offsets[0] + offsets[1]) * 0.5);
        let on_circle = |t: Real| {
            let angle = deg(thigh_pitch(t));
            self.knees(angle) + Vec3::new(0.0, angle.cos(), angle.sin()) * self.body.leg.upper
        };
        if time >= KNEES {
            return on_circle(time) - to_joint;
        }
        let start = self.start + trunk(0.0, 0.0, deg(4.0)) * ((offsets[0] + offsets[1]) * 0.5);
        let along = |k: usize| {
            let to = End::of(|t| on_circle(t)[k], KNEES);
            let begin = if k == 2 { GIVE - 0.15 } else { GIVE };
            if time < begin { start[k] } else { Bridge::new((begin, End::at_rest(start[k])), (KNEES, to)).at(time) }
        };
        Vec3::new(along(0), along(1), along(2)) - to_joint
    }

    /// The arm that goes from where it was when the knees hit to its place on the ground, and stays.
    fn catching(&self, side: Side, time: Real) -> ArmPose {
        let [_, shoulder, _, hand] = self.body.arms[side as usize];
        let frames = |t: Real| self.with_loose_arms(t).solve(self.body).world(&self.body.skeleton);
        let lying = frames(CHEST + 1.0)[shoulder].position;
        let ahead = if side == Side::Left { 0.14 } else { 0.09 };
        let place = Vec3::new(lying.x + sign(side) * 0.20, WRIST_HEIGHT, lying.z + ahead);
        // Relative to the shoulder, so that the arm can be kept from reaching beyond its length.
        let from = |k: usize| End::of(|t| (frames(t)[hand].position - frames(t)[shoulder].position)[k], KNEES);
        let to = |k: usize| End::of(|t| (place - frames(t)[shoulder].position)[k], HANDS);
        let now = frames(time)[shoulder].position;
        let along = Vec3::from_fn(|k, _| {
            if time >= HANDS { place[k] - now[k] } else { Bridge::new((KNEES, from(k)), (HANDS, to(k))).at(time) }
        });
        let wrist = now + along * (self.short_of_straight(along.norm()) / along.norm());
        let share = ease((time - KNEES) / (HANDS - KNEES));
        let flat = about_y(-sign(side) * deg(82.0));
        let loose = frames(KNEES)[hand].rotation;
        let [_, shoulder_then, elbow_then, wrist_then] =
            self.body.arms[side as usize].map(|joint| frames(KNEES)[joint].position);
        let behind = elbow_then - (shoulder_then + wrist_then) * 0.5;
        let outwards = Vec3::new(sign(side), 0.15, -0.5) * 0.1;
        ArmPose::Reach {
            wrist,
            toward: behind + (outwards - behind) * ease((time - KNEES) / (CHEST - KNEES)),
            hand: loose.slerp(&flat, share),
        }
    }

    /// The distance from shoulder to wrist that is as near to `wanted` as an elbow that never quite straightens allows.
    fn short_of_straight(&self, wanted: Real) -> Real {
        const SOFTNESS: Real = 0.02;
        let longest = self.body.arm.distance(deg(18.0));
        longest - SOFTNESS * ((longest - wanted) / SOFTNESS).exp().ln_1p()
    }
}

/// Forward turn of the thighs about the knees, degrees from upright: slow, ever faster, then the chest is on the ground.
fn thigh_pitch(time: Real) -> Real {
    let begin = (KNEES, End { value: -25.0, rate: 75.0, acceleration: 210.0 });
    let hit = (CHEST, End { value: 84.4, rate: 95.0, acceleration: -500.0 });
    let end = CHEST + 0.22;
    if time < CHEST {
        Bridge::new(begin, hit).at(time)
    } else if time < end {
        Bridge::new(hit, (end, End::at_rest(88.4))).at(time)
    } else {
        88.4
    }
}

/// Forward pitch of the pelvis, degrees: the thighs' turn, and what the hips bend.
fn pelvis_pitch(time: Real) -> Real {
    let bent = Track::new(0.06, &[(0.35, 4.0), (0.80, 11.0), (1.15, 12.0), (1.60, 0.5), (1.90, 0.6)]).at(time);
    // Before the knees are down the thighs' turn is not yet there: its value and rate at that moment are led up to.
    let lead = End { acceleration: 210.0, ..End::of(thigh_pitch, KNEES + 1e-4) };
    let turned = match time {
        t if t >= KNEES => thigh_pitch(t),
        t if t > GIVE => Bridge::new((GIVE, End::at_rest(0.0)), (KNEES, lead)).at(t),
        _ => 0.0,
    };
    bent + turned
}

/// Arms that are thrown up and forward.
fn loose_arm(side: Side, time: Real) -> Arm {
    let track = |keys: &[(Real, Real)]| deg(Track::new(0.06, keys).at(time - 0.02 * sign(side)));
    Arm {
        flexion: track(&[(0.35, 2.0), (0.80, 30.0), (1.20, 70.0)]),
        abduction: track(&[(0.35, 6.0), (0.80, 24.0), (1.20, 22.0)]),
        inward: track(&[(0.35, 10.0), (0.80, 4.0)]),
        elbow: track(&[(0.35, 16.0), (0.80, 48.0), (1.20, 40.0)]),
        pronation: track(&[(0.35, 12.0), (0.90, 0.0)]),
        wrist: track(&[(0.35, 6.0), (0.90, -25.0)]),
        ..Arm::default()
    }
}

//! Motions of a body that keeps its feet where they are: idle, wave, crouch; and what every standing motion shares.
//!
//! The centre of mass is kept over a chosen ground point, so that the body could stand like that.

use super::body::{Body, SIDES, sign};
use super::curve::{Track, ease};
use super::foot::{FootTarget, Print};
use super::gait::trunk;
use super::mass::centre_of_mass;
use super::posture::{Arm, ArmPose, LegPose, Posture, deg};
use sinew::motion::Side;
use sinew::{Quat, Real, Vec3};
use std::f64::consts::TAU;

/// Everything of a standing posture but the place of the hips.
#[derive(Clone, Copy)]
pub struct Bearing {
    pub hips: Quat,
    pub chest: Quat,
    pub head: Quat,
    pub arms: [Arm; 2],
}

impl Bearing {
    /// At ease, facing +Z.
    pub fn relaxed() -> Self {
        let arm = Arm {
            flexion: deg(2.0),
            abduction: deg(6.0),
            inward: deg(10.0),
            elbow: deg(16.0),
            pronation: deg(12.0),
            wrist: deg(6.0),
            ..Arm::default()
        };
        Self {
            hips: trunk(0.0, 0.0, deg(4.0)),
            chest: trunk(0.0, 0.0, deg(1.5)),
            head: trunk(0.0, 0.0, deg(1.0)),
            arms: [arm; 2],
        }
    }

    /// The posture with the hips at `position` and the feet at their targets.
    pub fn posture(&self, position: Vec3, feet: [FootTarget; 2]) -> Posture {
        let forward = self.hips * Vec3::z();
        let legs = feet.map(|foot| {
            let heading = (foot.foot * Vec3::x()).cross(&Vec3::y());
            let toward = Vec3::new(forward.x, 0.0, forward.z).normalize() * 0.5 + heading;
            LegPose { foot, toward }
        });
        let arms = self.arms.map(ArmPose::Angles);
        Posture { position, hips: self.hips, chest: self.chest, head: self.head, arms, legs }
    }

    /// The posture with the hips at `height` and the centre of mass over `over` (x and z count).
    pub fn balanced(&self, body: &Body, height: Real, over: Vec3, feet: [FootTarget; 2]) -> Posture {
        let mut position = Vec3::new(over.x, height, over.z);
        for _ in 0..20 {
            let centre = centre_of_mass(body, &self.posture(position, feet).solve(body));
            position += Vec3::new(over.x - centre.x, 0.0, over.z - centre.z);
        }
        self.posture(position, feet)
    }
}

/// Prints of two feet side by side, `apart` metres between the ankles, around `middle` with a heading.
pub fn side_by_side(middle: Vec3, heading: Real, apart: Real) -> [Print; 2] {
    SIDES.map(|side| print_of(side, middle, heading, apart))
}

/// One of the two.
pub fn print_of(side: Side, middle: Vec3, heading: Real, apart: Real) -> Print {
    let across = super::posture::about_y(heading) * Vec3::new(sign(side) * 0.5 * apart, 0.0, 0.0);
    Print { place: middle + across, yaw: heading + sign(side) * deg(7.0) }
}

/// Where the weight rests between two prints: a little before the ankles.
pub fn between(prints: &[Print; 2], heading: Real) -> Vec3 {
    (prints[0].place + prints[1].place) * 0.5 + super::posture::about_y(heading) * Vec3::new(0.0, 0.0, 0.045)
}

/// Height of the hips joint when standing at ease.
pub fn standing_height(body: &Body) -> Real {
    body.skeleton.joint(0).offset.y - 0.006 * body.height / 1.75
}

/// What breathing adds to a bearing; one breath is one cycle of `phase`.
fn breathe(bearing: &mut Bearing, phase: Real) {
    let breath = 0.5 - 0.5 * (TAU * phase).cos();
    bearing.chest *= trunk(0.0, 0.0, deg(-1.6 * breath));
    for arm in &mut bearing.arms {
        arm.shrug += deg(2.0 * breath);
        arm.abduction += deg(0.8 * breath);
    }
}

/// Breathing and shifting the weight from leg to leg; repeats after `period` seconds.
pub fn idle(body: &Body, period: Real, time: Real) -> Posture {
    let cycle = TAU * time / period;
    let shift = cycle.sin() + 0.12 * (3.0 * cycle).sin();
    let scale = body.height / 1.75;
    let mut bearing = Bearing::relaxed();
    bearing.hips = trunk(deg(2.5 * (cycle + 0.4).sin()), deg(1.6 * shift), deg(4.0));
    bearing.chest = trunk(deg(1.0 * (cycle - 0.5).sin()), deg(-1.6 * shift), deg(1.5 + 0.5 * (2.0 * cycle).sin()));
    bearing.head = trunk(deg(9.0 * (cycle - 1.1).sin()), deg(-shift), deg(1.0 + 2.0 * (2.0 * cycle + 0.7).cos()));
    for (side, arm) in SIDES.into_iter().zip(&mut bearing.arms) {
        arm.flexion += deg(1.5 * sign(side) * (cycle - 0.9).sin());
        arm.elbow += deg(2.0 * (cycle + 0.6 * sign(side)).sin());
    }
    breathe(&mut bearing, 2.0 * time / period);
    let prints = side_by_side(Vec3::zeros(), 0.0, foot_distance(body));
    let over = between(&prints, 0.0) + Vec3::new(0.030 * shift, 0.0, 0.006 * (2.0 * cycle).cos()) * scale;
    let height = standing_height(body) - 0.003 * scale * shift * shift;
    bearing.balanced(body, height, over, prints.map(|print| print.flat(&body.foot)))
}

/// Ankles a little wider than the hip joints.
pub fn foot_distance(body: &Body) -> Real {
    2.0 * body.skeleton.joint(body.legs[0][0]).offset.x + 0.02
}

/// Raises the right arm, waves and lowers it; 4 seconds.
pub fn wave(body: &Body, time: Real) -> Posture {
    const SOFT: Real = 0.07;
    let raised = Track::new(SOFT, &[(0.45, 0.0), (1.15, 1.0), (2.95, 1.0), (3.70, 0.0)]).at(time);
    let bent = Track::new(SOFT, &[(0.35, 0.0), (0.90, 1.0), (3.05, 1.0), (3.65, 0.0)]).at(time);
    let waving = Track::new(SOFT, &[(0.95, 0.0), (1.30, 1.0), (2.75, 1.0), (3.10, 0.0)]).at(time);
    let swing = (TAU * 1.9 * (time - 1.0)).sin() * waving;
    let mut bearing = Bearing::relaxed();
    breathe(&mut bearing, time / 4.0);
    let rest = bearing.arms[Side::Right as usize];
    let mix = |from: Real, to: Real, share: Real| from + (deg(to) - from) * share;
    bearing.arms[Side::Right as usize] = Arm {
        shrug: mix(rest.shrug, 12.0, raised),
        flexion: mix(rest.flexion, 18.0, raised),
        abduction: mix(rest.abduction, 82.0, raised),
        inward: mix(rest.inward, -78.0, raised) + deg(6.0 * swing),
        elbow: mix(rest.elbow, 78.0, bent) + deg(21.0 * swing),
        pronation: mix(rest.pronation, 5.0, bent),
        wrist: mix(rest.wrist, -6.0, bent),
        deviation: deg(-9.0 * (TAU * 1.9 * (time - 1.06)).sin() * waving),
    };
    bearing.chest = trunk(deg(-4.0 * raised), deg(2.5 * raised), deg(1.5)) * trunk(0.0, 0.0, deg(0.4 * swing));
    bearing.hips = trunk(deg(-1.5 * raised), deg(1.5 * raised), deg(4.0));
    bearing.head = trunk(deg(-7.0 * raised), deg(-3.0 * raised), deg(1.0 - 2.0 * raised));
    let prints = side_by_side(Vec3::zeros(), 0.0, foot_distance(body));
    let over = between(&prints, 0.0) + Vec3::new(0.012 * raised, 0.0, 0.0);
    bearing.balanced(body, standing_height(body), over, prints.map(|print| print.flat(&body.foot)))
}

/// Down on both flat feet, a while there, and up again; 4 seconds.
pub fn crouch(body: &Body, time: Real) -> Posture {
    let down = if time < 2.0 { ease((time - 0.4) / 1.0) } else { 1.0 - ease((time - 2.3) / 1.2) };
    let late = if time < 2.0 { ease((time - 0.5) / 1.0) } else { 1.0 - ease((time - 2.2) / 1.2) };
    let mut bearing = Bearing::relaxed();
    breathe(&mut bearing, time / 4.0);
    bearing.hips = trunk(0.0, 0.0, deg(4.0 + 24.0 * down));
    bearing.chest = trunk(0.0, 0.0, deg(1.5 + 36.0 * late));
    bearing.head = trunk(deg(4.0 * late), 0.0, deg(1.0 + 10.0 * late));
    for (side, arm) in SIDES.into_iter().zip(&mut bearing.arms) {
        arm.flexion += deg((66.0 + 3.0 * sign(side)) * late);
        arm.abduction += deg(3.0 * late);
        arm.elbow += deg(24.0 * late);
        arm.inward += deg(12.0 * late);
    }
    let prints = side_by_side(Vec3::zeros(), 0.0, foot_distance(body) + 0.10);
    let over = between(&prints, 0.0) + Vec3::new(0.0, 0.0, 0.02 * down);
    let height = standing_height(body) - 0.36 * down;
    bearing.balanced(body, height, over, prints.map(|print| print.flat(&body.foot)))
}

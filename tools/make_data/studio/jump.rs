//! A standing jump, forward and up: dip, push, flight, landing.
//!
//! The motion is written for the centre of mass. In the air it moves on g's parabola; on the ground it is led by quintics
//! that meet the flight in position, velocity and acceleration. The hips go where the centre of mass needs them.

use super::body::{Body, SIDES};
use super::curve::{Bridge, End, Track, bump, ease};
use super::foot::{FootTarget, Print};
use super::gait::trunk;
use super::mass::centre_of_mass;
use super::posture::{Posture, about_x, about_y, deg};
use super::run::GRAVITY;
use super::standing::{Bearing, between, foot_distance, side_by_side, standing_height};
use sinew::motion::Side;
use sinew::{Real, Vec3};

/// First and last moment in the air, seconds.
pub const FLIGHT: (Real, Real) = (1.35, 1.77);
/// Distance between the prints before and after, metres.
const LENGTH: Real = 0.43;
/// Forward speed in the air, metres per second.
const SPEED: Real = 0.60;

pub struct Jump<'a> {
    body: &'a Body,
    /// Centre of mass when standing.
    start: Vec3,
    takeoff: [Print; 2],
    landing: [Print; 2],
}

impl<'a> Jump<'a> {
    pub fn new(body: &'a Body) -> Self {
        let takeoff = side_by_side(Vec3::zeros(), 0.0, foot_distance(body) + 0.04);
        let landing = side_by_side(Vec3::new(0.0, 0.0, LENGTH), 0.0, foot_distance(body) + 0.08);
        let feet = takeoff.map(|print| print.flat(&body.foot));
        let standing = Bearing::relaxed().balanced(body, standing_height(body), between(&takeoff, 0.0), feet);
        let start = centre_of_mass(body, &standing.solve(body));
        Self { body, start, takeoff, landing }
    }

    /// Where the centre of mass is, metres.
    pub fn centre(&self, time: Real) -> Vec3 {
        let (up, down) = FLIGHT;
        let (off, before, after, landed) = (0.100, -0.25, -0.22, 0.030);
        let rise = 0.5 * GRAVITY * (down - up) + (landed - off) / (down - up);
        let sink = rise - GRAVITY * (down - up);
        let free = |value: Real, rate: Real| End { value, rate, acceleration: -GRAVITY };
        let steady = |value: Real| End { value, rate: SPEED, acceleration: 0.0 };
        let still = End::at_rest;
        // Height above standing.
        let height = match time {
            t if t < 0.35 => 0.0,
            t if t < 1.03 => Bridge::new((0.35, still(0.0)), (1.03, still(before))).at(t),
            t if t < up => Bridge::new((1.03, still(before)), (up, free(off, rise))).at(t),
            t if t < down => off + rise * (t - up) - 0.5 * GRAVITY * (t - up) * (t - up),
            t if t < 2.12 => Bridge::new((down, free(landed, sink)), (2.12, still(after))).at(t),
            t if t < 2.97 => Bridge::new((2.12, still(after)), (2.97, still(0.0))).at(t),
            _ => 0.0,
        };
        let push = 0.09;
        let air = SPEED * (down - up);
        let forward = match time {
            t if t < 0.85 => 0.0,
            t if t < up => Bridge::new((0.85, still(0.0)), (up, steady(push))).at(t),
            t if t < down => push + SPEED * (t - up),
            t if t < 2.22 => Bridge::new((down, steady(push + air)), (2.22, still(LENGTH))).at(t),
            _ => LENGTH,
        };
        self.start + Vec3::new(0.0, height, forward)
    }

    pub fn posture(&self, time: Real) -> Posture {
        let (up, down) = FLIGHT;
        if time < up || time > down {
            return self.on_ground(time, if time < up { &self.takeoff } else { &self.landing });
        }
        let share = ease((time - up) / (down - up));
        let courses = SIDES.map(|side| {
            let value: [Real; 6] = std::array::from_fn(|k| {
                let from = End::of(|t| self.course(side, t, &self.takeoff)[k], up);
                let to = End::of(|t| self.course(side, t, &self.landing)[k], down);
                let rates = from.rate * fading(time - up) - to.rate * fading(down - time);
                from.value + (to.value - from.value) * share + rates
            });
            value
        });
        let tuck = deg(24.0) * bump((time - up) / (down - up));
        let bearing = bearing(time);
        let at = |position: Vec3| {
            let feet = SIDES.map(|side| {
                let [across, along, knee, pitch, bend, yaw] = courses[side as usize];
                let leg = Vec3::new(across, -1.0, along).normalize() * self.body.leg.distance(knee + tuck);
                FootTarget {
                    ankle: self.hip(position, &bearing, side) + leg,
                    foot: about_y(yaw) * about_x(-pitch),
                    toes: about_x(-bend),
                }
            });
            bearing.posture(position, feet)
        };
        // Nothing is held by the ground, so the body moves with the hips as a whole.
        let centre = centre_of_mass(self.body, &at(Vec3::zeros()).solve(self.body));
        at(self.centre(time) - centre)
    }

    fn on_ground(&self, time: Real, prints: &[Print; 2]) -> Posture {
        let bearing = bearing(time);
        let goal = self.centre(time);
        let at = |position: Vec3| {
            let feet = SIDES.map(|side| {
                let hip = self.hip(position, &bearing, side);
                prints[side as usize].tiptoe(&self.body.foot, self.body.leg, hip, softness(time))
            });
            bearing.posture(position, feet)
        };
        let mut position = goal;
        for _ in 0..40 {
            position += goal - centre_of_mass(self.body, &at(position).solve(self.body));
        }
        at(position)
    }

    fn hip(&self, position: Vec3, bearing: &Bearing, side: Side) -> Vec3 {
        position + bearing.hips * self.body.skeleton.joint(self.body.legs[side as usize][0]).offset
    }

    /// Slopes of the leg across and along, knee bend, sole pitch, toe bend and heading of a foot on its print.
    fn course(&self, side: Side, time: Real, prints: &[Print; 2]) -> [Real; 6] {
        let posture = self.on_ground(time, prints);
        let hip = posture.position + posture.hips * self.body.skeleton.joint(self.body.legs[side as usize][0]).offset;
        let Print { yaw, .. } = prints[side as usize];
        let foot = prints[side as usize].tiptoe(&self.body.foot, self.body.leg, hip, softness(time));
        let leg = foot.ankle - hip;
        let pitch = -(about_y(-yaw) * foot.foot).scaled_axis().x;
        let bend = -foot.toes.scaled_axis().x;
        [-leg.x / leg.y, -leg.z / leg.y, self.body.leg.bend(leg.norm()), pitch, bend, yaw]
    }
}

/// How early the heels leave the ground: hardly before the legs are straight when standing, early in push and landing.
fn softness(time: Real) -> Real {
    0.001 + 0.034 * (ease((time - 0.85) / 0.35) - ease((time - 1.97) / 0.5))
}

/// Slope 1 at 0, gone after an eighth of a second.
fn fading(x: Real) -> Real {
    x * (1.0 - x / 0.125).max(0.0).powi(3)
}

fn bearing(time: Real) -> Bearing {
    let track = |keys: &[(Real, Real)]| deg(Track::new(0.05, keys).at(time));
    let mut bearing = Bearing::relaxed();
    let hips = [(0.35, 4.0), (1.00, 30.0), (1.36, 4.0), (1.52, 3.0), (1.77, 10.0), (2.04, 27.0), (2.92, 4.0)];
    let chest = [(0.35, 1.5), (1.02, 42.0), (1.36, 2.0), (1.52, 3.0), (1.77, 12.0), (2.14, 34.0), (2.97, 1.5)];
    let head = [(0.35, 1.0), (1.00, 12.0), (1.36, -6.0), (1.52, 4.0), (1.77, 14.0), (2.17, 14.0), (2.97, 1.0)];
    bearing.hips = trunk(0.0, 0.0, track(&hips));
    bearing.chest = trunk(0.0, 0.0, track(&chest));
    bearing.head = trunk(0.0, 0.0, track(&head));
    for (lag, arm) in [0.0, 0.012].into_iter().zip(&mut bearing.arms) {
        let track = |keys: &[(Real, Real)]| deg(Track::new(0.055, keys).at(time - lag));
        arm.flexion =
            track(&[(0.35, 2.0), (0.95, -52.0), (1.36, 118.0), (1.47, 112.0), (1.80, 58.0), (2.17, 28.0), (2.97, 2.0)]);
        arm.abduction = track(&[(0.35, 6.0), (0.95, 14.0), (1.40, 16.0), (1.77, 26.0), (2.17, 20.0), (3.02, 6.0)]);
        arm.elbow =
            track(&[(0.35, 16.0), (0.90, 12.0), (1.20, 48.0), (1.42, 34.0), (1.82, 40.0), (2.22, 46.0), (3.02, 16.0)]);
    }
    bearing
}

//! A foot on the ground that rolls: over the heel, flat, over the ball, over the toe tip, never sliding.

use super::body::FootShape;
use super::ik::TwoBones;
use super::posture::{about_x, about_y};
use sinew::{Quat, Real, Vec3};

/// Where a foot stands: the ground point under the ankle while the sole is flat, and the heading.
#[derive(Clone, Copy)]
pub struct Print {
    pub place: Vec3,
    pub yaw: Real,
}

/// What a leg must reach.
#[derive(Clone, Copy)]
pub struct FootTarget {
    /// Ankle joint, metres, world.
    pub ankle: Vec3,
    /// Foot, world rotation from the T-pose.
    pub foot: Quat,
    /// Toes relative to the foot.
    pub toes: Quat,
}

impl Print {
    /// The foot on this print with its sole pitched by `pitch` (toes up is positive: it stands on the heel; negative:
    /// on the ball, toes flat) and the toes by `toe_pitch` (never positive: below zero it stands on the toe tip).
    pub fn roll(&self, shape: &FootShape, pitch: Real, toe_pitch: Real) -> FootTarget {
        let heading = about_y(self.yaw);
        let foot = heading * about_x(-pitch);
        if pitch >= 0.0 {
            let heel = self.place + heading * Vec3::new(0.0, 0.0, -shape.heel_back);
            let ankle = heel + foot * Vec3::new(0.0, shape.ankle_height, shape.heel_back);
            return FootTarget { ankle, foot, toes: Quat::identity() };
        }
        let toes = heading * about_x(-toe_pitch);
        let tip = self.place + heading * Vec3::new(0.0, 0.0, shape.ball_forward + shape.toes);
        let ball = tip + toes * Vec3::new(0.0, shape.ball_height, -shape.toes);
        let ankle = ball + foot * Vec3::new(0.0, shape.ankle_height - shape.ball_height, -shape.ball_forward);
        FootTarget { ankle, foot, toes: foot.inverse() * toes }
    }

    /// Flat on the ground.
    pub fn flat(&self, shape: &FootShape) -> FootTarget {
        self.roll(shape, 0.0, 0.0)
    }
}

impl Print {
    /// The foot of a leg whose hip joint is at `hip`: flat as long as the leg is long enough, then up on the ball and the
    /// toe tip, so that the knee never quite straightens. `softness` (metres of leg) rounds the change between both.
    pub fn tiptoe(&self, shape: &FootShape, leg: TwoBones, hip: Vec3, softness: Real) -> FootTarget {
        const LEAST_KNEE: Real = 0.16;
        let pitched = |pitch: Real| {
            let p = -pitch;
            self.roll(shape, pitch, -p * p * p / (p * p + 1.1))
        };
        let length = |target: &FootTarget| (hip - target.ankle).norm();
        let longest = leg.distance(LEAST_KNEE);
        let spare = (longest - length(&self.flat(shape))) / softness;
        let wanted = longest - softness * if spare > 30.0 { spare } else { spare.exp().ln_1p() };
        let (mut low, mut high) = (-1.45, 0.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if length(&pitched(middle)) < wanted { low = middle } else { high = middle }
        }
        pitched(high)
    }
}

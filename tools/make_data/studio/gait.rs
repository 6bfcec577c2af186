//! Walking and running: joint-angle curves of published gait analysis, feet that stand where they stand.
//!
//! A stride is one cycle of one leg, phase 0 at its ground contact; the other leg follows half a cycle later.
//! Stance: the foot rolls on its print (`foot`), the leg reaches for it from the moving hips. Swing: thigh, knee and
//! foot follow the published curves, plus a quintic correction that makes position, rate and acceleration meet the
//! stance at both ends. So speed = stride length / stride time holds by construction and nothing slides.

use super::body::{Body, SIDES, sign};
use super::curve::{End, Fourier, bump, ease};
use super::foot::{FootTarget, Print};
use super::posture::{ArmPose, LegPose, Posture, about_x, about_y, about_z};
use sinew::motion::Side;
use sinew::{Quat, Real, Vec3};

/// The upper body and the pelvis over one cycle, in the frame that travels with the character.
#[derive(Clone, Copy)]
pub struct Carriage {
    /// Hips joint; z relative to the steady travel.
    pub position: Vec3,
    pub hips: Quat,
    pub chest: Quat,
    pub head: Quat,
    pub arms: [ArmPose; 2],
}

/// How the foot of a standing leg rolls, over the phase.
pub struct Roll {
    /// Sole pitch at contact, radians, toes up.
    pub strike: Real,
    /// Phase at which the sole is flat.
    pub flat: Real,
    /// Phase of heel-off, and the sole's pitch at toe-off, radians, negative.
    pub heel: (Real, Real),
    /// Phase at which the toes begin to roll over their tip, and their pitch at toe-off, radians, negative.
    pub toes: (Real, Real),
}

pub struct Gait<'a> {
    pub body: &'a Body,
    /// Metres per cycle.
    pub stride: Real,
    /// Share of the cycle a foot is on the ground.
    pub duty: Real,
    /// How far before the hips the flat foot's ankle is at contact, metres.
    pub reach: Real,
    /// Distance of a foot's line from the middle, metres.
    pub lane: Real,
    /// Toes outwards, radians.
    pub toe_out: Real,
    pub roll: Roll,
    /// Thigh forward of vertical, radians.
    pub thigh: Fourier,
    /// Knee bend, radians.
    pub knee: Fourier,
    /// Sole pitch, radians.
    pub pitch: Fourier,
    /// Extra lift of the swinging foot, metres.
    pub lift: Real,
    /// The body above the legs at a phase.
    pub carriage: Box<dyn Fn(Real) -> Carriage + 'a>,
}

/// What a leg does: ankle forward of and above the hip joint, pitch of the sole, bend of the toes, ankle's line.
type Course = [Real; 5];

impl Gait<'_> {
    /// The posture at `phase` cycles after the start; travel begins at z = 0.
    pub fn posture(&self, phase: Real) -> Posture {
        let mut carriage = (self.carriage)(phase);
        carriage.position.z += self.stride * phase;
        let legs = SIDES.map(|side| {
            let foot = self.foot(side, phase);
            let heading = carriage.hips * Vec3::z() + (foot.foot * Vec3::x()).cross(&Vec3::y());
            LegPose { foot, toward: Vec3::new(heading.x, 0.0, heading.z) }
        });
        Posture {
            position: carriage.position,
            hips: carriage.hips,
            chest: carriage.chest,
            head: carriage.head,
            arms: carriage.arms,
            legs,
        }
    }

    /// The foot of one side at a phase of the left leg's cycle.
    pub fn foot(&self, side: Side, phase: Real) -> FootTarget {
        let offset = match side {
            Side::Left => 0.0,
            Side::Right => 0.5,
        };
        let cycle = (phase - offset).floor();
        let own = phase - offset - cycle;
        if own < self.duty {
            return self.standing(side, cycle + offset, own);
        }
        // Swing: the published curve plus what joins it to this print and to the next one.
        let contact = cycle + offset;
        let gap = |of: Real, own: Real, k: usize| {
            let stance = self.course_standing(side, of, own + contact - of);
            stance[k] - self.course_published(own)[k]
        };
        let [forward, up, pitch, bend, line]: Course = std::array::from_fn(|k| {
            let from = End::of(|own| gap(contact, own, k), self.duty);
            let to = End::of(|own| gap(contact + 1.0, own, k), 1.0);
            let blend = ease((own - self.duty) / (1.0 - self.duty));
            self.course_published(own)[k]
                + from.value * (1.0 - blend)
                + to.value * blend
                + from.rate * fading(own - self.duty)
                - to.rate * fading(1.0 - own)
        });
        let hip = self.hip(side, phase);
        let lifted = self.lift * bump((own - self.duty) / (1.0 - self.duty));
        FootTarget {
            ankle: Vec3::new(line, hip.y + up + lifted, hip.z + forward),
            foot: about_y(sign(side) * self.toe_out) * about_x(-pitch),
            toes: about_x(-bend),
        }
    }

    /// A foot on the print it set down at `contact` (phase), `own` later. Also defined a little before and after
    /// the stance, so that its rates at the ends can be asked for.
    fn standing(&self, side: Side, contact: Real, own: Real) -> FootTarget {
        let place = Vec3::new(sign(side) * self.lane, 0.0, self.stride * contact + self.reach);
        let print = Print { place, yaw: sign(side) * self.toe_out };
        print.roll(&self.body.foot, self.roll.pitch(own, self.duty), self.roll.toe_pitch(own, self.duty))
    }

    fn course_standing(&self, side: Side, contact: Real, own: Real) -> Course {
        let foot = self.standing(side, contact, own);
        let hip = self.hip(side, contact + own);
        let along = foot.ankle - hip;
        let pitch = self.roll.pitch(own, self.duty);
        let bend = if pitch < 0.0 { self.roll.toe_pitch(own, self.duty) - pitch } else { 0.0 };
        [along.z, along.y, pitch, bend, foot.ankle.x]
    }

    fn course_published(&self, own: Real) -> Course {
        let (thigh, knee) = (self.thigh.at(own), self.knee.at(own));
        let (a, b) = (self.body.leg.upper, self.body.leg.lower);
        let z = a * thigh.sin() + b * (thigh - knee).sin();
        let y = -a * thigh.cos() - b * (thigh - knee).cos();
        [z, y, self.pitch.at(own), 0.0, 0.0]
    }

    /// A hip joint in the world.
    fn hip(&self, side: Side, phase: Real) -> Vec3 {
        let carriage = (self.carriage)(phase);
        let offset = self.body.skeleton.joint(self.body.legs[side as usize][0]).offset;
        carriage.position + carriage.hips * offset + Vec3::new(0.0, 0.0, self.stride * phase)
    }
}

impl Roll {
    fn pitch(&self, own: Real, duty: Real) -> Real {
        self.strike * (1.0 - own / self.flat).max(0.0).powf(2.5) + rise(self.heel, own, duty)
    }

    fn toe_pitch(&self, own: Real, duty: Real) -> Real {
        rise(self.toes, own, duty)
    }
}

/// From rest at the phase `begin` ever faster to `angle` at toe-off, and on: the foot leaves the ground turning.
fn rise((begin, angle): (Real, Real), own: Real, duty: Real) -> Real {
    angle * ((own - begin) / (duty - begin)).max(0.0).powf(2.5)
}

/// Slope 1 at 0, gone within a seventh of a cycle: hands a rate over to another curve.
pub fn fading(x: Real) -> Real {
    x * (1.0 - x / 0.15).max(0.0).powi(3)
}

/// Pelvis or chest: heading (left side backwards), list (right side down), forward lean.
pub fn trunk(yaw: Real, list: Real, lean: Real) -> Quat {
    about_y(yaw) * about_z(list) * about_x(lean)
}

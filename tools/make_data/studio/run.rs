//! A run at about 2.9 m/s, in the air twice a stride.
//!
//! Hip, knee and ankle follow the curves of Novacheck, *The biomechanics of running*, Gait and Posture 7 (1998): values
//! read every few per cent of the cycle. The centre of mass obeys the ground: in the air it falls freely, on the foot the
//! vertical force is a sin² pulse whose impulse carries the weight over the whole step.

use super::body::{Body, SIDES};
use super::curve::Fourier;
use super::gait::{Carriage, Gait, Roll, trunk};
use super::mass::centre_of_mass;
use super::posture::{Arm, ArmPose, deg};
use sinew::motion::Side;
use sinew::{Real, Vec3};
use std::f64::consts::{PI, TAU};
use std::rc::Rc;

pub const GRAVITY: Real = 9.81;

/// Hip flexion against the pelvis over the cycle: (phase, degrees).
pub const HIP: [(Real, Real); 13] = [
    (0.00, 38.0),
    (0.08, 35.0),
    (0.16, 26.0),
    (0.24, 13.0),
    (0.32, 0.0),
    (0.39, -7.0),
    (0.45, -4.0),
    (0.54, 10.0),
    (0.64, 32.0),
    (0.73, 48.0),
    (0.80, 52.0),
    (0.88, 47.0),
    (0.95, 40.0),
];

/// Knee bend over the cycle.
pub const KNEE: [(Real, Real); 15] = [
    (0.00, 15.0),
    (0.05, 25.0),
    (0.10, 36.0),
    (0.16, 42.0),
    (0.22, 40.0),
    (0.30, 28.0),
    (0.37, 20.0),
    (0.42, 25.0),
    (0.50, 53.0),
    (0.58, 83.0),
    (0.67, 98.0),
    (0.75, 87.0),
    (0.84, 50.0),
    (0.92, 20.0),
    (0.97, 13.0),
];

/// Ankle dorsiflexion over the cycle.
pub const ANKLE: [(Real, Real); 12] = [
    (0.00, 6.0),
    (0.04, 5.0),
    (0.12, 15.0),
    (0.20, 22.0),
    (0.27, 16.0),
    (0.34, -6.0),
    (0.41, -24.0),
    (0.48, -15.0),
    (0.58, -4.0),
    (0.70, 3.0),
    (0.82, 6.0),
    (0.92, 7.0),
];

/// The forward tilt of the pelvis that is part of the hip curve, degrees.
const PELVIS_TILT: Real = 13.0;

/// The choices of the run.
pub struct Style {
    /// Metres and seconds per cycle.
    pub stride: Real,
    pub period: Real,
    pub duty: Real,
    pub reach: Real,
    /// Height of the centre of mass at contact and toe-off, metres.
    pub height: Real,
    /// Change of speed by braking and pushing, metres per second.
    pub braking: Real,
    pub strike: Real,
    pub flat: Real,
    pub heel: (Real, Real),
    pub toes: (Real, Real),
    pub lift: Real,
}

impl Style {
    pub fn actor() -> Self {
        Self {
            stride: 2.03,
            period: 42.0 / 60.0,
            duty: 0.385,
            reach: 0.181,
            height: 1.010,
            braking: 0.094,
            strike: 12.0,
            flat: 0.081,
            heel: (0.115, -61.0),
            toes: (0.265, -21.0),
            lift: 0.012,
        }
    }

    /// Height of the centre of mass over a phase of the stride.
    pub fn height(&self, phase: Real) -> Real {
        let (stance, flight) = (self.duty * self.period, (0.5 - self.duty) * self.period);
        let time = phase.rem_euclid(0.5) * self.period;
        let rising = 0.5 * GRAVITY * flight;
        if time > stance {
            let t = time - stance;
            return self.height + rising * t - 0.5 * GRAVITY * t * t;
        }
        // ÿ = −g + a (1 − cos 2πs) with a · stance = g · (stance + flight).
        let a = GRAVITY * (stance + flight) / stance;
        let turn = TAU / stance;
        self.height - rising * time
            + 0.5 * (a - GRAVITY) * time * time
            + a / (turn * turn) * ((turn * time).cos() - 1.0)
    }

    /// The centre of mass relative to the steady travel: on the foot it is slowed and sped up, and pushed across.
    fn centre(&self, phase: Real) -> Vec3 {
        let step = phase.rem_euclid(0.5);
        let s = (step / self.duty).min(1.0);
        let stance = self.duty * self.period;
        // v = −b sin² πs on the foot, constant in the air; the mean is taken out.
        let lost = self.braking * stance * (0.5 * s - (TAU * s).sin() / (2.0 * TAU));
        let mean = self.braking * stance * 0.5 * (step / 0.5);
        // Left foot: pushed from moving left (+X) to moving right.
        let side = if phase.rem_euclid(1.0) < 0.5 { 1.0 } else { -1.0 };
        let drift = 0.07;
        let flight = (0.5 - self.duty) * self.period;
        let across = if step < self.duty {
            drift * (0.5 * flight + stance / PI * (PI * s).sin())
        } else {
            drift * (0.5 * flight - (step - self.duty) * self.period)
        };
        Vec3::new(side * across, self.height(phase), mean - lost)
    }
}

/// The run whose centre of mass moves as [`Style::height`] says: the hips' path is found by repeated correction.
pub fn run<'a>(body: &'a Body, style: &'a Style) -> Gait<'a> {
    const HARMONICS: usize = 24;
    let still = [0.0, 1.0, 0.0].map(|guess| Fourier::of(|_| style.height * guess * 0.02, 0));
    let mut offset = Rc::new(still);
    for _ in 0..8 {
        let gait = with_offset(body, style, offset.clone());
        let measured = |k: usize| {
            let gait = &gait;
            Fourier::of(
                move |phase| {
                    let posture = gait.posture(phase);
                    (centre_of_mass(body, &posture.solve(body)) - posture.position)[k]
                },
                HARMONICS,
            )
        };
        offset = Rc::new([measured(0), measured(1), measured(2)]);
    }
    with_offset(body, style, offset)
}

/// `offset` is the centre of mass relative to the hips joint.
fn with_offset<'a>(body: &'a Body, style: &'a Style, offset: Rc<[Fourier; 3]>) -> Gait<'a> {
    let hip = Fourier::fit(&HIP, 6);
    let knee = Fourier::fit(&KNEE, 7);
    let ankle = Fourier::fit(&ANKLE, 8);
    let radians = |curve: &dyn Fn(Real) -> Real| Fourier::of(|phase| deg(curve(phase)), 8);
    Gait {
        body,
        stride: style.stride,
        duty: style.duty,
        reach: style.reach,
        lane: 0.025,
        toe_out: deg(4.0),
        roll: Roll {
            strike: deg(style.strike),
            flat: style.flat,
            heel: (style.heel.0, deg(style.heel.1)),
            toes: (style.toes.0, deg(style.toes.1)),
        },
        thigh: radians(&|p| hip.at(p) - PELVIS_TILT),
        knee: radians(&|p| knee.at(p)),
        pitch: radians(&|p| hip.at(p) - PELVIS_TILT - knee.at(p) + ankle.at(p)),
        lift: style.lift,
        carriage: Box::new(move |phase| {
            let hips_to_centre = Vec3::new(offset[0].at(phase), offset[1].at(phase), offset[2].at(phase));
            Carriage { position: style.centre(phase) - hips_to_centre, ..upper_body(phase) }
        }),
    }
}

fn upper_body(phase: Real) -> Carriage {
    let wave = |harmonic: Real, peak: Real| (TAU * harmonic * (phase - peak)).cos();
    let hips = trunk(deg(-7.0 * wave(1.0, -0.04)), deg(4.5 * wave(1.0, 0.14)), deg(10.0 + 2.0 * wave(2.0, 0.38)));
    let chest = trunk(deg(9.0 * wave(1.0, 0.0)), deg(-1.5 * wave(1.0, 0.15)), deg(9.0 + 1.5 * wave(2.0, 0.15)));
    let head = trunk(deg(1.5 * wave(1.0, 0.0)), 0.0, deg(3.0 + 1.0 * wave(2.0, 0.15)));
    let arms = SIDES.map(|side| {
        let lag = if side == Side::Left { 0.50 } else { 0.0 };
        let forward = wave(1.0, lag);
        ArmPose::Angles(Arm {
            shrug: deg(2.0),
            flexion: deg(-16.0 + 30.0 * forward),
            abduction: deg(14.0 - 3.0 * forward),
            inward: deg(8.0 + 8.0 * forward),
            elbow: deg(88.0 + 12.0 * wave(1.0, lag + 0.03) + 4.0 * wave(2.0, lag)),
            pronation: deg(5.0),
            wrist: deg(8.0),
            deviation: 0.0,
        })
    });
    Carriage { position: Vec3::zeros(), hips, chest, head, arms }
}

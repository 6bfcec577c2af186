//! Walks at a natural pace.
//!
//! Hip, knee and ankle over the gait cycle follow the normal curves of Winter, *The Biomechanics and Motor Control of
//! Human Gait* (1991), and Perry and Burnfield, *Gait Analysis* (1992): values read every few per cent of the cycle.

use super::body::{Body, SIDES};
use super::curve::Fourier;
use super::gait::{Carriage, Gait, Roll, trunk};
use super::posture::{Arm, ArmPose, deg};
use sinew::motion::Side;
use sinew::{Real, Vec3};
use std::f64::consts::TAU;

/// Hip flexion against the pelvis over the cycle: (phase, degrees).
pub const HIP: [(Real, Real); 13] = [
    (0.00, 30.0),
    (0.07, 28.5),
    (0.15, 23.5),
    (0.25, 13.0),
    (0.35, 2.0),
    (0.45, -7.0),
    (0.52, -10.0),
    (0.57, -7.5),
    (0.62, -0.5),
    (0.70, 14.0),
    (0.78, 26.5),
    (0.86, 33.0),
    (0.94, 31.5),
];

/// Knee bend over the cycle.
pub const KNEE: [(Real, Real); 16] = [
    (0.00, 5.0),
    (0.05, 10.5),
    (0.10, 16.0),
    (0.15, 18.0),
    (0.20, 16.5),
    (0.30, 10.0),
    (0.40, 5.5),
    (0.45, 7.5),
    (0.50, 13.0),
    (0.56, 26.0),
    (0.62, 44.0),
    (0.68, 59.0),
    (0.73, 63.0),
    (0.80, 53.0),
    (0.90, 20.0),
    (0.96, 5.0),
];

/// Ankle dorsiflexion over the cycle.
pub const ANKLE: [(Real, Real); 14] = [
    (0.00, 0.0),
    (0.07, -6.0),
    (0.13, -3.0),
    (0.22, 4.0),
    (0.34, 8.0),
    (0.44, 10.0),
    (0.50, 6.5),
    (0.56, -7.0),
    (0.62, -19.0),
    (0.66, -17.0),
    (0.72, -8.0),
    (0.80, -1.0),
    (0.88, 1.5),
    (0.95, 0.5),
];

/// The forward tilt of the pelvis that is part of the hip curve, degrees.
pub const PELVIS_TILT: Real = 8.0;

/// What differs between walkers.
pub struct Style {
    /// Metres and seconds per cycle.
    pub stride: Real,
    pub period: Real,
    pub reach: Real,
    pub lane: Real,
    pub toe_out: Real,
    /// Mean height of the hips joint below standing, metres.
    pub sit: Real,
    /// Amplitudes of the hips' path: sideways, up and down, metres.
    pub sway: Real,
    pub bob: Real,
    /// Phase of the highest hips; amplitude (metres) and phase of their surge forward.
    pub high: Real,
    pub surge: (Real, Real),
    /// Amplitudes of pelvis turn and list, degrees.
    pub turn: Real,
    pub list: Real,
    /// Forward lean of the chest, degrees.
    pub lean: Real,
    /// Arm: mean abduction, swing amplitude, elbow bend and its swing, degrees.
    pub abduction: Real,
    pub swing: Real,
    pub elbow: (Real, Real),
    pub strike: Real,
    pub flat: Real,
    pub heel: (Real, Real),
    pub toes: (Real, Real),
    pub lift: Real,
}

impl Style {
    pub fn actor() -> Self {
        Self {
            stride: 1.42,
            period: 64.0 / 60.0,
            reach: 0.309,
            lane: 0.045,
            toe_out: 6.0,
            sit: 0.0290,
            sway: 0.020,
            bob: 0.0145,
            high: 0.28,
            surge: (0.0, 0.0),
            turn: 5.0,
            list: 4.6,
            lean: 3.0,
            abduction: 7.0,
            swing: 19.0,
            elbow: (24.0, 9.0),
            strike: 16.0,
            flat: 0.137,
            heel: (0.253, -67.5),
            toes: (0.475, -25.0),
            lift: 0.018,
        }
    }

    pub fn heavy() -> Self {
        Self {
            stride: 0.86,
            period: 1.0,
            reach: 0.195,
            lane: 0.110,
            toe_out: 14.0,
            sit: 0.020,
            sway: 0.040,
            bob: 0.007,
            high: 0.30,
            surge: (0.008, 0.05),
            turn: 6.0,
            list: 3.0,
            lean: 6.0,
            abduction: 17.0,
            swing: 16.0,
            elbow: (30.0, 6.0),
            strike: 15.0,
            flat: 0.12,
            heel: (0.27, -58.0),
            toes: (0.50, -20.0),
            lift: 0.008,
        }
    }
}

/// A walk as its style says, with the chest tilted further: to the right, forwards, radians.
pub fn walk<'a>(body: &'a Body, style: &'a Style, tilt: [Fourier; 2]) -> Gait<'a> {
    let hip = Fourier::fit(&HIP, 6);
    let knee = Fourier::fit(&KNEE, 7);
    let ankle = Fourier::fit(&ANKLE, 8);
    // The thigh leaves the vertical by the hip's angle less the pelvis' tilt; knee and ankle carry on from there.
    let radians = |curve: &dyn Fn(Real) -> Real| Fourier::of(|phase| deg(curve(phase)), 8);
    let standing = body.skeleton.joint(0).offset.y - style.sit;
    Gait {
        body,
        stride: style.stride,
        duty: 0.62,
        reach: style.reach,
        lane: style.lane,
        toe_out: deg(style.toe_out),
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
        carriage: Box::new(move |phase| carriage(style, standing, [tilt[0].at(phase), tilt[1].at(phase)], phase)),
    }
}

fn carriage(style: &Style, standing: Real, tilt: [Real; 2], phase: Real) -> Carriage {
    let wave = |harmonic: Real, peak: Real| (TAU * harmonic * (phase - peak)).cos();
    // Lowest in double support, highest in mid-stance; over the standing foot.
    let position = Vec3::new(
        style.sway * wave(1.0, 0.31),
        standing + style.bob * wave(2.0, style.high),
        style.surge.0 * wave(2.0, style.surge.1),
    );
    // The swinging leg's hip goes forward and, just after toe-off, down.
    let hips = trunk(
        deg(-style.turn * wave(1.0, 0.0)),
        deg(style.list * (wave(1.0, 0.15) + 0.18 * wave(3.0, 0.13))),
        deg(0.5 * PELVIS_TILT + 1.0 * wave(2.0, 0.05)),
    );
    let chest = trunk(
        deg(0.9 * style.turn * wave(1.0, 0.02)),
        deg(-0.35 * style.list * wave(1.0, 0.17)) + tilt[0],
        deg(style.lean + 1.0 * wave(2.0, 0.10)) + tilt[1],
    );
    let head = trunk(deg(0.8 * wave(1.0, 0.03)), 0.0, deg(1.5 + 0.8 * wave(2.0, 0.12)));
    let arms = SIDES.map(|side| {
        // An arm swings with the other side's leg.
        let lag = if side == Side::Left { 0.52 } else { 0.02 };
        let forward = wave(1.0, lag);
        ArmPose::Angles(Arm {
            shrug: deg(0.8 * wave(2.0, 0.3)),
            flexion: deg(-3.0 + style.swing * forward),
            abduction: deg(style.abduction - 1.5 * forward),
            inward: deg(8.0 + 4.0 * forward),
            elbow: deg(style.elbow.0 + style.elbow.1 * wave(1.0, lag + 0.05)),
            pronation: deg(15.0),
            wrist: deg(6.0),
            deviation: 0.0,
        })
    });
    Carriage { position, hips, chest, head, arms }
}

//! Figures that follow from forces.

use super::*;
use crate::contacts::low_pass::LowPass;
use crate::math::GRAVITY;
use crate::measure::kinetics::for_each_instant;
use std::f64::consts::TAU;

#[test]
fn a_standing_figure_needs_its_weight_and_no_more() {
    let (figure, pose) = person();
    let standing = clip(&figure, &pose, 100.0, 100, |_, _| {});
    for cutoff in [Cutoff::None, Cutoff::At(12.0)] {
        let report = measure(&figure, &standing, MeasureOptions { cutoff, ..exact() });
        is(&report, Key::ResidualForceMax, 0.0, 1e-6);
        is(&report, Key::ResidualTorqueMax, 0.0, 1e-6);
        is(&report, Key::ReactionMean, 1.0, 1e-9);
        is(&report, Key::BalanceMax, 0.0, 0.0);
        is(&report, Key::FloatShare, 0.0, 0.0);
        is(&report, Key::PowerMean, 0.0, 1e-6);
    }
}

#[test]
fn a_falling_figure_needs_nothing() {
    let (figure, pose) = person();
    let fall = clip(&figure, &pose, 100.0, 50, |t, pose| {
        let time = t as Real / 100.0;
        pose.translations[0] += Vec3::new(2.0 * time, 3.0 + 1.0 * time - 0.5 * GRAVITY * time * time, 0.0);
    });
    for cutoff in [Cutoff::None, Cutoff::At(12.0)] {
        let report = measure(&figure, &fall, MeasureOptions { cutoff, ..exact() });
        is(&report, Key::ResidualForceMax, 0.0, 1e-5);
        is(&report, Key::ResidualTorqueMax, 0.0, 1e-5);
        is(&report, Key::ReactionMean, 0.0, 1e-5);
        is(&report, Key::FloatShare, 0.0, 0.0);
        assert!(report.contacts.is_empty() && report.note(Key::BalanceMean).is_some());
    }
}

#[test]
fn a_figure_held_in_the_air_misses_its_whole_weight() {
    let (figure, pose) = person();
    let held = clip(&figure, &pose, 100.0, 50, |_, pose| pose.translations[0].y += 0.1);
    let report = measure(&figure, &held, exact());
    is(&report, Key::ResidualForceMean, 1.0, 1e-9);
    is(&report, Key::ResidualForceMax, 1.0, 1e-9);
    is(&report, Key::FloatShare, 100.0, 0.0);
    is(&report, Key::FloatMean, 100.0, 1e-9);
}

/// A push of 0.05 body weights forward, on ice of µ = 0.02: the nearest force inside the cone is
/// (0.05 − µ) / √(1 + µ²) away.
#[test]
fn what_friction_cannot_hold_is_left_over() {
    let (figure, pose) = person();
    let push = 0.05 * GRAVITY;
    let pushed = clip(&figure, &pose, 200.0, 60, |t, pose| {
        let time = t as Real / 200.0;
        pose.translations[0].z += 0.5 * push * time * time;
    });
    let report = measure(&figure, &pushed, MeasureOptions { friction: 0.02, ..exact() });
    is(&report, Key::ResidualForceMean, 0.03 / (1.0_f64 + 0.02 * 0.02).sqrt(), 3e-4);
    let grips = measure(&figure, &pushed, exact());
    is(&grips, Key::ResidualForceMax, 0.0, 1e-5);
}

/// y = A sin ωt: the ground gives 1 − A ω² sin ωt / g, on average 1.
#[test]
fn bobbing_loads_the_ground_by_its_acceleration() {
    let (figure, pose) = person();
    let (rate, amplitude, omega) = (400.0, 0.01, TAU * 2.0);
    let bobbing = clip(&figure, &pose, rate, 802, |t, pose| {
        pose.translations[0].y += amplitude * (omega * (t as Real - 0.5) / rate).sin()
    });
    let report = measure(&figure, &bobbing, exact());
    is(&report, Key::ReactionMean, 1.0, 1e-4);
    is(&report, Key::ReactionPeak, 1.0 + amplitude * omega * omega / GRAVITY, 2e-4);
    let period = TAU / omega;
    let phase = (report.peak_force_at.unwrap() / period).fract();
    assert!((phase - 0.75).abs() < 0.02, "most force at the lowest point, not at {phase} of the period");
}

/// Pushed beyond its toes: the zero-moment point runs ahead by a h / g.
#[test]
fn the_zero_moment_point_moves_with_the_acceleration() {
    let (figure, pose) = person();
    let lying_ahead = |share: Real| {
        let pushed = clip(&figure, &pose, 200.0, 40, |t, pose| {
            let time = t as Real / 200.0;
            pose.translations[0].z += 0.5 * share * GRAVITY * time * time;
        });
        measure(&figure, &pushed, exact()).get(Key::BalanceMean).unwrap() / 1e3
    };
    let height = figure.centre_of_mass(&figure.placements(&pose)).y;
    let difference = lying_ahead(-0.35) - lying_ahead(-0.25);
    assert!((difference - 0.1 * height).abs() < 1e-3, "{difference} instead of {}", 0.1 * height);
}

/// A limb on a fixed joint, θ = A sin ωt from hanging: τ = I θ̈ + m g l sin θ.
#[test]
fn a_swinging_limb_takes_the_torque_of_a_driven_pendulum() {
    let figure = chain(2);
    let limb = figure.segment(1).clone();
    let pose = figure.skeleton().rest_pose();
    let (rate, amplitude, omega) = (1000.0, 0.6, TAU * 1.5);
    let swing = |t: Real| amplitude * (omega * t).sin();
    let clip = clip(&figure, &pose, rate, 1000, |t, pose| {
        pose.rotations[1] = turn(&Vec3::z_axis(), swing(t as Real / rate) - TAU / 4.0);
    });
    // On a ground far below nothing touches.
    let report = measure(&figure, &clip, MeasureOptions { ground: Some(-5.0), ..exact() });
    let (mass, lever) = (limb.mass.mass, limb.centre.norm());
    let inertia = limb.mass.inertia[(2, 2)] + mass * lever * lever;
    let torque = |t: Real| -inertia * omega * omega * swing(t) + mass * GRAVITY * lever * swing(t).sin();
    let times = || (1..999).map(|k| k as Real / rate);
    let peak = times().map(|t| torque(t).abs()).fold(0.0, Real::max);
    let mean = times().map(|t| torque(t).abs()).sum::<Real>() / 998.0;
    let speed = |t: Real| amplitude * omega * (omega * t).cos();
    let power = times().map(|t| (torque(t) * speed(t)).abs()).sum::<Real>() / 998.0;
    assert!(limb.centre.y.abs() < 1e-9 && limb.centre.z.abs() < 1e-9, "the limb is straight");
    is(&report, Key::TorquePeak, peak, 2e-3 * peak);
    is(&report, Key::TorqueMean, mean, 2e-3 * mean);
    is(&report, Key::PowerMean, power, 2e-3 * power);
}

/// Accelerations of a long clip do not show where its windows meet.
#[test]
fn windows_leave_no_seams() {
    let figure = chain(2);
    let pose = figure.skeleton().rest_pose();
    let (rate, omega) = (120.0, TAU * 1.0);
    let long = clip(&figure, &pose, rate, 5000, |t, pose| {
        pose.translations[0].x += 0.2 * (omega * t as Real / rate).sin();
        pose.rotations[1] = turn(&Vec3::y_axis(), 0.5 * (omega * t as Real / rate).cos());
    });
    let low_pass = LowPass::new(12.0, rate).unwrap();
    let mut accelerations = Vec::new();
    for_each_instant(&figure, &long, Some(&low_pass), |frame, bodies| {
        assert_eq!(frame, accelerations.len() + 1);
        accelerations.push(bodies[0].acceleration.x);
    });
    assert_eq!(accelerations.len(), 4998);
    for (k, a) in accelerations.iter().enumerate().skip(60).take(4870) {
        let expected = -0.2 * omega * omega * (omega * (k + 1) as Real / rate).sin();
        assert!((a - expected).abs() < 2e-3 * omega * omega, "frame {}: {a} instead of {expected}", k + 1);
    }
    // The same place of the cycle, far apart.
    let (a, b) = (accelerations[1200], accelerations[1200 + 2400]);
    assert!((a - b).abs() < 1e-8, "{a} and {b}");
}

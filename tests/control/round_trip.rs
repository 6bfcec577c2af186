//! There and back: forces that a run recorded make the same run again, and a report of a recording tells what was felt.

use super::scenes::{Captured, clip, record, states};
use sinew::control::{Backend, Gains, RootAxis, Terrain, push_joint};
use sinew::dynamics::{Stepper, TimeStepping};
use sinew::measure::{Key, Measure, MeasureOptions};
use sinew::record::Recording;
use sinew::simulation::{Recorder, Run, RunSettings};
use sinew::{Real, Vec3};

/// Inverse, then forward: the torques of all joints and the wrench on the root that led a figure through a clip, played
/// into a figure without any muscle, lead it through the clip again. Forces are all there is to a motion. Nothing holds
/// that figure: collar bones under the weight of arms fall over within 30 ms, so whatever joints miss in a step grows by
/// e^(30 t). Hence the joints are kept to 1e-13 m, and half a second
/// is played; a dog's tail and paws fall faster.
#[test]
fn torques_recorded_from_a_clip_reproduce_it() {
    for (name, seconds) in [("walk", 0.5), ("jump", 0.5), ("dog_walk", 0.15)] {
        let captured = Captured::of(name);
        let mut settings = RunSettings { terrain: Terrain::Nothing, ..captured.settings() };
        let stepper = Stepper::TimeStepping(TimeStepping { tolerance: 1e-13, ..TimeStepping::default() });
        let mut led = captured.run(settings.clone());
        led.world.stepper = stepper.clone();
        let steps = (seconds / led.step_length()) as usize;
        let mut recorder = Recorder::new(name, 1.0 / led.step_length());
        let mut take = |led: &Run| {
            recorder.record(&led.world, std::iter::once((name, &led.followers[0].actor)), std::iter::empty());
        };
        take(&led);
        for _ in 0..steps {
            led.step().expect("a finite step");
            take(&led);
        }
        let recording = recorder.finish();
        let recorded = recording.figure(0).expect("a figure");
        // No rows but those of the joints themselves: this back-end adds none, and nobody asks it for a torque.
        settings.actor.backend = Backend::StablePd;
        settings.actor.root = [RootAxis { on: false, ..RootAxis::default() }; 6];
        let mut free = captured.run(settings);
        free.world.stepper = stepper;
        let (mut worst, mut turned): (Real, Real) = (0.0, 0.0);
        for step in 1..=steps {
            let instance = free.followers[0].actor.instance().clone();
            for (k, joint) in instance.joints.iter().enumerate() {
                if let (Some(joint), Some(parent)) = (joint, captured.figure.segment(k).parent) {
                    let frame = &captured.figure.segment(k).attachment.frame_a;
                    let axes = recorded.placement(step, parent).rotation * frame.rotation;
                    let torque = axes.inverse() * recorded.torque(step, k);
                    push_joint(&mut free.world, *joint, &torque).expect("a finite torque");
                }
            }
            let residual = recorded.residual(step);
            let force: Vec3 = residual.fixed_rows::<3>(0).into();
            let torque: Vec3 = residual.fixed_rows::<3>(3).into();
            free.world.apply(instance.bodies[0], force, torque).expect("a finite force");
            free.world.step(free.step_length()).expect("a finite step");
            for (body, was) in instance.bodies.iter().zip(states(&recording, step)) {
                let is = free.world.state(*body);
                worst = worst.max((is.placement.position - was.placement.position).norm());
                turned = turned.max(is.placement.rotation.angle_to(&was.placement.rotation));
            }
        }
        println!("{name}: {worst} m, {}° apart after {steps} steps", turned.to_degrees());
        assert!(worst < 1e-4 && turned.to_degrees() < 0.01, "{name}: {worst} m, {}° apart", turned.to_degrees());
    }
}

fn report(run: &Run, captured: &Captured, recording: &Recording) -> sinew::measure::Report {
    let clip = clip(recording, run);
    let options = MeasureOptions { made: true, ground: Some(captured.ground), ..MeasureOptions::default() };
    Measure { figure: &captured.figure, clip: &clip, options }
        .recording(&recording.figure(0).expect("a figure"))
        .expect("a report")
}

/// Held in the air, the root bears the weight and the ground nothing; on the ground without vertical help it is the other
/// way round. The largest torque is the largest that was recorded.
#[test]
fn a_report_of_a_recording_tells_the_forces_that_were_felt() {
    let captured = Captured::of("idle");
    let mut held = captured.run(RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
    let (recording, _) = record(&mut held, 1.0, |_| ());
    let hanging = report(&held, &captured, &recording);
    let get = |report: &sinew::measure::Report, key: Key| report.get(key).unwrap_or(Real::NAN);
    assert!((get(&hanging, Key::ResidualForceMean) - 1.0).abs() < 0.02, "{:?}", hanging.get(Key::ResidualForceMean));
    assert_eq!(hanging.get(Key::ReactionMean), Some(0.0));
    assert!(hanging.get(Key::BalanceMean).is_none() && hanging.note(Key::BalanceMean).is_some());
    let recorded = recording.figure(0).expect("a figure");
    let torques = (1..recorded.frames()).flat_map(|f| (0..recorded.segments()).map(move |k| (f, k)));
    let torque = torques.map(|(f, k)| recorded.torque(f, k).norm()).fold(0.0, Real::max);
    assert!((get(&hanging, Key::TorquePeak) / torque - 1.0).abs() < 1e-12);

    let mut settings = captured.settings();
    settings.actor.root[1] = RootAxis { on: false, ..RootAxis::default() };
    let mut standing = captured.run(settings);
    let (recording, _) = record(&mut standing, 1.5, |_| ());
    let stood = report(&standing, &captured, &recording);
    assert!((get(&stood, Key::ReactionMean) - 1.0).abs() < 0.02, "{:?}", stood.get(Key::ReactionMean));
    assert!(get(&stood, Key::ResidualForceMean) < 0.3, "{:?}", stood.get(Key::ResidualForceMean));
}

/// A figure that stands on its feet without any help at all: its pressure point is where the ground pushes, so it is in
/// balance by nature, and the ground bears it.
#[test]
fn without_help_the_pressure_point_lies_under_the_feet() {
    let captured = Captured::of("idle");
    let mut settings = captured.settings();
    settings.actor.root = [RootAxis { on: false, ..RootAxis::default() }; 6];
    settings.actor.gains = Gains::critical(30.0);
    let mut run = captured.run(settings);
    let (recording, _) = record(&mut run, 0.5, |_| ());
    let stood = report(&run, &captured, &recording);
    assert_eq!(stood.get(Key::ResidualForceMax), Some(0.0));
    let balance = stood.get(Key::BalanceMax).expect("it stands");
    assert!(balance < 1.0, "{balance} mm");
}

//! There and back: forces that a run recorded make the same run again, and a report of a recording tells what was felt.

use super::scenes::{Actor, run};
use sinew::control::{Backend, Gains, RootAxis, Stage, StageSettings, Terrain, push_joint};
use sinew::dynamics::{Stepper, TimeStepping};
use sinew::measure::{Key, Measure, MeasureOptions};
use sinew::record::Recording;
use sinew::{Real, Vec3};

/// Inverse, then forward: the torques of all joints and the wrench on the root that led a figure through a clip, played
/// into a figure without any muscle, lead it through the clip again. Forces are all there is to a motion. Nothing holds
/// that figure: collar bones under the weight of arms fall over within 30 ms, so whatever joints miss in a step grows by
/// e^(30 t). Hence the joints are kept to 1e-13 m, and half a second
/// is played; a dog's tail and paws fall faster.
#[test]
fn torques_recorded_from_a_clip_reproduce_it() {
    for (name, seconds) in [("walk", 0.5), ("jump", 0.5), ("dog_walk", 0.15)] {
        let actor = Actor::of(name);
        let mut settings = StageSettings { terrain: Terrain::Nothing, ..actor.settings() };
        let stepper = Stepper::TimeStepping(TimeStepping { tolerance: 1e-13, ..TimeStepping::default() });
        let mut led = actor.stage(settings.clone());
        led.world.stepper = stepper.clone();
        let steps = (seconds / led.step_length()) as usize;
        let mut recording = Recording::new(&led.puppet, 1.0 / led.step_length());
        recording.take(&led.world, &led.puppet);
        for _ in 0..steps {
            led.step().expect("a finite step");
            recording.take(&led.world, &led.puppet);
        }
        // No rows but those of the joints themselves: this back-end adds none, and nobody asks it for a torque.
        settings.puppet.backend = Backend::StablePd;
        settings.puppet.root = [RootAxis { on: false, ..RootAxis::default() }; 6];
        let mut free = actor.stage(settings);
        free.world.stepper = stepper;
        let (mut worst, mut turned): (Real, Real) = (0.0, 0.0);
        for step in 1..=steps {
            let instance = free.puppet.instance().clone();
            for (joint, torque) in instance.joints.iter().zip(recording.torques(step)) {
                if let Some(joint) = joint {
                    push_joint(&mut free.world, *joint, torque).expect("a finite torque");
                }
            }
            let residual = recording.residual(step);
            let force: Vec3 = residual.fixed_rows::<3>(0).into();
            let torque: Vec3 = residual.fixed_rows::<3>(3).into();
            free.world.apply(instance.bodies[0], force, torque).expect("a finite force");
            free.world.step(free.step_length()).expect("a finite step");
            for (body, was) in instance.bodies.iter().zip(recording.states(step)) {
                let is = free.world.state(*body);
                worst = worst.max((is.placement.position - was.placement.position).norm());
                turned = turned.max(is.placement.rotation.angle_to(&was.placement.rotation));
            }
        }
        println!("{name}: {worst} m, {}° apart after {steps} steps", turned.to_degrees());
        assert!(worst < 1e-4 && turned.to_degrees() < 0.01, "{name}: {worst} m, {}° apart", turned.to_degrees());
    }
}

fn report(stage: &Stage, actor: &Actor, recording: &Recording) -> sinew::measure::Report {
    let clip = recording.to_clip(&actor.figure, &stage.animation).expect("a clip");
    let options = MeasureOptions { made: true, ground: Some(actor.ground), ..MeasureOptions::default() };
    Measure { figure: &actor.figure, clip: &clip, options }.recording(recording).expect("a report")
}

/// Held in the air, the root bears the weight and the ground nothing; on the ground without vertical help it is the other
/// way round. The largest torque is the largest that was recorded.
#[test]
fn a_report_of_a_recording_tells_the_forces_that_were_felt() {
    let actor = Actor::of("idle");
    let mut held = actor.stage(StageSettings { terrain: Terrain::Nothing, ..actor.settings() });
    let (recording, _) = run(&mut held, 1.0, |_| ());
    let hanging = report(&held, &actor, &recording);
    let get = |report: &sinew::measure::Report, key: Key| report.get(key).unwrap_or(Real::NAN);
    assert!((get(&hanging, Key::ResidualForceMean) - 1.0).abs() < 0.02, "{:?}", hanging.get(Key::ResidualForceMean));
    assert_eq!(hanging.get(Key::ReactionMean), Some(0.0));
    assert!(hanging.get(Key::BalanceMean).is_none() && hanging.note(Key::BalanceMean).is_some());
    let torque = (1..recording.frames()).flat_map(|f| recording.torques(f)).map(|t| t.norm()).fold(0.0, Real::max);
    assert!((get(&hanging, Key::TorquePeak) / torque - 1.0).abs() < 1e-12);

    let mut settings = actor.settings();
    settings.puppet.root[1] = RootAxis { on: false, ..RootAxis::default() };
    let mut standing = actor.stage(settings);
    let (recording, _) = run(&mut standing, 1.5, |_| ());
    let stood = report(&standing, &actor, &recording);
    assert!((get(&stood, Key::ReactionMean) - 1.0).abs() < 0.02, "{:?}", stood.get(Key::ReactionMean));
    assert!(get(&stood, Key::ResidualForceMean) < 0.3, "{:?}", stood.get(Key::ResidualForceMean));
}

/// A figure that stands on its feet without any help at all: its pressure point is where the ground pushes, so it is in
/// balance by nature, and the ground bears it.
#[test]
fn without_help_the_pressure_point_lies_under_the_feet() {
    let actor = Actor::of("idle");
    let mut settings = actor.settings();
    settings.puppet.root = [RootAxis { on: false, ..RootAxis::default() }; 6];
    settings.puppet.gains = Gains::critical(30.0);
    let mut stage = actor.stage(settings);
    let (recording, _) = run(&mut stage, 0.5, |_| ());
    let stood = report(&stage, &actor, &recording);
    assert_eq!(stood.get(Key::ResidualForceMax), Some(0.0));
    let balance = stood.get(Key::BalanceMax).expect("it stands");
    assert!(balance < 1.0, "{balance} mm");
}

//! Clips replayed with a body.

use super::scenes::{Captured, record};
use sinew::control::{RootAxis, Terrain};
use sinew::motion::{Role, Side};
use sinew::simulation::RunSettings;

/// With the root held and nothing in the way, every clip is followed within half a degree, and joints stay closed.
#[test]
fn a_held_figure_follows_within_half_a_degree_where_nothing_is_in_the_way() {
    for name in ["walk", "run", "jump", "turn", "crouch", "dog_walk", "heavy_walk"] {
        let captured = Captured::of(name);
        let mut run = captured.run(RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
        let (_, verdict) = record(&mut run, captured.clip.duration().min(1.5), |_| ());
        assert!(verdict.tracking_rms.to_degrees() < 0.5, "{name}: {}°", verdict.tracking_rms.to_degrees());
        assert!(verdict.worst_gap < 1e-4, "{name}: {} m", verdict.worst_gap);
    }
}

#[test]
fn feet_stay_above_the_ground_even_where_the_capture_sinks_in() {
    for (name, sunk) in [("walk", 0.0), ("walk", 0.02), ("dog_walk", 0.0), ("jump", 0.01)] {
        let captured = Captured::of(name);
        let settings = RunSettings { ground: captured.ground + sunk, ..captured.settings() };
        let mut run = captured.run(settings);
        let (_, verdict) = record(&mut run, captured.clip.duration().min(1.2), |_| ());
        assert!(verdict.depth < 2e-3, "{name} sunk by {sunk}: {} m", verdict.depth);
        assert!(verdict.worst_gap < 1e-4, "{name} sunk by {sunk}: {} m", verdict.worst_gap);
    }
}

#[test]
fn without_vertical_assistance_the_ground_carries_the_weight() {
    let captured = Captured::of("idle");
    let mut settings = captured.settings();
    settings.actor.root[1] = RootAxis { on: false, ..RootAxis::default() };
    let mut run = captured.run(settings);
    let (recording, verdict) = record(&mut run, 2.0, |_| ());
    let weight = captured.figure.mass() * 9.81;
    let recording = recording.figure(0).expect("a figure");
    let settled = recording.frames() / 2..recording.frames();
    let mean = settled.clone().map(|f| recording.contact_force(f).y).sum::<f64>() / settled.len() as f64;
    assert!((mean / weight - 1.0).abs() < 0.005, "{mean} N of {weight} N");
    assert!(recording.residual(recording.frames() - 1)[1].abs() < 1e-6);
    assert!(verdict.depth < 2e-3 && verdict.tracking_rms.to_degrees() < 0.5);
}

/// The held root feels what the figure's motion takes: over a whole second, force = weight + change of momentum.
#[test]
fn the_root_residual_and_the_contacts_balance_weight_and_momentum() {
    let captured = Captured::of("walk");
    let mut run = captured.run(captured.settings());
    let weight = captured.figure.mass() * 9.81;
    let lift = |run: &sinew::simulation::Run| {
        let contacts: f64 =
            run.followers[0].actor.instance().bodies.iter().map(|&b| run.world.contact_load(b).0.y).sum();
        contacts + run.followers[0].actor.residual(&run.world)[1] - weight
    };
    let before = run.world.momentum().0.y;
    let (mut impulse, h) = (0.0, run.step_length());
    record(&mut run, 0.8, |run| impulse += lift(run) * h);
    let gained = run.world.momentum().0.y - before;
    assert!((impulse - gained).abs() < 0.005 * weight * 0.8, "{impulse} against {gained}");
}

/// Read back as a clip, a followed motion is the source, folded joints included.
#[test]
fn a_recording_becomes_the_clip_it_followed() {
    let captured = Captured::of("wave");
    let mut run = captured.run(RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
    let (recording, _) = record(&mut run, 1.0, |_| ());
    let clip = super::scenes::clip(&recording, &run);
    assert_eq!((clip.rate_hz(), clip.joints()), (captured.clip.rate_hz(), captured.clip.joints()));
    let skeleton = captured.figure.skeleton();
    let hand = skeleton.with_role(Role::Hand(Side::Left)).expect("a hand");
    for frame in [0, clip.frames() / 2, clip.frames() - 1] {
        let (is, was) =
            (clip.pose(skeleton, frame).world(skeleton), captured.clip.pose(skeleton, frame).world(skeleton));
        let miss = (is[hand].position - was[hand].position).norm();
        assert!(miss < 0.01, "frame {frame}: {miss} m");
    }
}

#[test]
fn the_same_run_gives_the_same_bits() {
    let captured = Captured::of("walk");
    let hash = || {
        let mut run = captured.run(captured.settings());
        record(&mut run, 0.4, |_| ());
        run.world.state_hash()
    };
    assert_eq!(hash(), hash());
}

/// Where a joint turns by 130° within a frame at 30 Hz, as no body does, it is followed in steps of a twentieth of a radian at most;
/// everywhere else a step is one.
#[test]
fn a_joint_that_jumps_is_followed_in_short_steps() {
    let captured = Captured::of("idle");
    let elbow = captured.figure.with_role(Role::LowerArm(Side::Left)).expect("an elbow");
    let (joint, frames) = (captured.figure.segment(elbow).joint, 12);
    let axes = &captured.figure.segment(elbow).attachment;
    let axis = axes.frame_b * sinew::Vec3::z();
    let mut rotations: Vec<sinew::Quat> = Vec::new();
    for frame in 0..frames {
        let first = rotations.len();
        rotations.extend_from_slice(captured.clip.rotations(0));
        let angle = if frame < frames / 2 { 0.0 } else { 2.27 };
        let turn = sinew::Quat::from_scaled_axis(axis * angle);
        rotations[first + joint] *= turn;
    }
    let none = sinew::motion::Tracks::default;
    let clip =
        sinew::motion::Clip::new("jump", 30.0, captured.clip.joints(), rotations, none(), none()).expect("a clip");
    let animation = sinew::control::Animation::new(captured.figure.skeleton(), &clip).expect("frames");
    let settings = RunSettings { terrain: Terrain::Nothing, ..RunSettings::default() };
    let mut run = sinew::simulation::Run::new(&captured.figure, animation, settings).expect("a run");
    let mut inner = Vec::new();
    for _ in 0..(clip.duration() / run.step_length()).round() as usize {
        inner.push(run.step().expect("a finite step").substeps);
    }
    // 2.27 rad in the eight steps of a frame.
    let most = inner.iter().copied().max().unwrap_or(0);
    assert!(inner[..8].iter().all(|count| *count == 1) && most >= 5, "{inner:?}");
}

/// Positions of a recording, differentiated, are its velocities; and a file from before velocities were recorded still opens.
#[test]
fn a_recording_holds_velocities_and_opens_without_them() {
    let captured = Captured::of("walk");
    let (recording, _) = record(&mut captured.run(captured.settings()), 0.5, |_| ());
    let body = recording.figures[0].bodies[0];
    let rate = recording.rate_hz;
    for frame in 1..recording.frames() - 1 {
        let told = recording.state(body, frame).linear();
        let [before, after] = [frame - 1, frame + 1].map(|f| recording.placement(body, f).position);
        assert!(((after - before) * 0.5 * rate - told).norm() < 0.05, "{frame}: {told}");
    }
    let bytes = recording.to_json().expect("text");
    let again = sinew::record::Recording::read(&bytes).expect("a recording");
    assert_eq!(again, recording);
    let mut older: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    for body in older["bodies"].as_array_mut().expect("bodies") {
        let keys = body.as_object_mut().expect("a body");
        assert!(keys.remove("velocity_m_s").is_some() && keys.remove("angular_velocity_rad_s").is_some());
    }
    let older = sinew::record::Recording::read(older.to_string().as_bytes()).expect("an older recording");
    assert_eq!(older.placement(body, 3), recording.placement(body, 3));
    assert_eq!(older.state(body, 3).velocity, sinew::math::Vec6::zeros());
}

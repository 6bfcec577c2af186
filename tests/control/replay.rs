//! Clips replayed with a body.

use super::scenes::{Actor, run};
use sinew::control::{RootAxis, StageSettings, Terrain};
use sinew::motion::{Role, Side};

/// With the root held and nothing in the way, every clip is followed within half a degree, and joints stay closed.
#[test]
fn a_held_figure_follows_within_half_a_degree_where_nothing_is_in_the_way() {
    for name in ["walk", "run", "jump", "turn", "crouch", "dog_walk", "heavy_walk"] {
        let actor = Actor::of(name);
        let mut stage = actor.stage(StageSettings { terrain: Terrain::Nothing, ..actor.settings() });
        let (_, verdict) = run(&mut stage, actor.clip.duration().min(1.5), |_| ());
        assert!(verdict.tracking_rms.to_degrees() < 0.5, "{name}: {}°", verdict.tracking_rms.to_degrees());
        assert!(verdict.worst_gap < 1e-4, "{name}: {} m", verdict.worst_gap);
    }
}

#[test]
fn feet_stay_above_the_ground_even_where_the_capture_sinks_in() {
    for (name, sunk) in [("walk", 0.0), ("walk", 0.02), ("dog_walk", 0.0), ("jump", 0.01)] {
        let actor = Actor::of(name);
        let settings = StageSettings { ground: actor.ground + sunk, ..actor.settings() };
        let mut stage = actor.stage(settings);
        let (_, verdict) = run(&mut stage, actor.clip.duration().min(1.2), |_| ());
        assert!(verdict.depth < 2e-3, "{name} sunk by {sunk}: {} m", verdict.depth);
        assert!(verdict.worst_gap < 1e-4, "{name} sunk by {sunk}: {} m", verdict.worst_gap);
    }
}

#[test]
fn without_vertical_assistance_the_ground_carries_the_weight() {
    let actor = Actor::of("idle");
    let mut settings = actor.settings();
    settings.puppet.root[1] = RootAxis { on: false, ..RootAxis::default() };
    let mut stage = actor.stage(settings);
    let (recording, verdict) = run(&mut stage, 2.0, |_| ());
    let weight = actor.figure.mass() * 9.81;
    let settled = recording.frames() / 2..recording.frames();
    let mean = settled.clone().map(|f| recording.contact_force(f).y).sum::<f64>() / settled.len() as f64;
    assert!((mean / weight - 1.0).abs() < 0.005, "{mean} N of {weight} N");
    assert!(recording.residual(recording.frames() - 1)[1].abs() < 1e-6);
    assert!(verdict.depth < 2e-3 && verdict.tracking_rms.to_degrees() < 0.5);
}

/// The held root feels what the figure's motion takes: over a whole second, force = weight + change of momentum.
#[test]
fn the_root_residual_and_the_contacts_balance_weight_and_momentum() {
    let actor = Actor::of("walk");
    let mut stage = actor.stage(actor.settings());
    let weight = actor.figure.mass() * 9.81;
    let lift = |stage: &sinew::control::Stage| {
        let contacts: f64 = stage.puppet.instance().bodies.iter().map(|&b| stage.world.contact_load(b).0.y).sum();
        contacts + stage.puppet.residual(&stage.world)[1] - weight
    };
    let before = stage.world.momentum().0.y;
    let (mut impulse, h) = (0.0, stage.step_length());
    run(&mut stage, 0.8, |stage| impulse += lift(stage) * h);
    let gained = stage.world.momentum().0.y - before;
    assert!((impulse - gained).abs() < 0.005 * weight * 0.8, "{impulse} against {gained}");
}

/// Read back as a clip, a followed motion is the source, folded joints included.
#[test]
fn a_recording_becomes_the_clip_it_followed() {
    let actor = Actor::of("wave");
    let mut stage = actor.stage(StageSettings { terrain: Terrain::Nothing, ..actor.settings() });
    let (recording, _) = run(&mut stage, 1.0, |_| ());
    let clip = recording.to_clip(&actor.figure, &stage.animation).expect("a sound clip");
    assert_eq!((clip.rate_hz(), clip.joints()), (actor.clip.rate_hz(), actor.clip.joints()));
    let skeleton = actor.figure.skeleton();
    let hand = skeleton.with_role(Role::Hand(Side::Left)).expect("a hand");
    for frame in [0, clip.frames() / 2, clip.frames() - 1] {
        let (is, was) = (clip.pose(skeleton, frame).world(skeleton), actor.clip.pose(skeleton, frame).world(skeleton));
        let miss = (is[hand].position - was[hand].position).norm();
        assert!(miss < 0.01, "frame {frame}: {miss} m");
    }
}

#[test]
fn the_same_run_gives_the_same_bits() {
    let actor = Actor::of("walk");
    let hash = || {
        let mut stage = actor.stage(actor.settings());
        run(&mut stage, 0.4, |_| ());
        stage.world.state_hash()
    };
    assert_eq!(hash(), hash());
}

/// Where a joint turns by 130° within a frame at 30 Hz, as no body does, it is followed in steps of a twentieth of a radian at most;
/// everywhere else a step is one.
#[test]
fn a_joint_that_jumps_is_followed_in_short_steps() {
    let actor = Actor::of("idle");
    let elbow = actor.figure.with_role(Role::LowerArm(Side::Left)).expect("an elbow");
    let (joint, frames) = (actor.figure.segment(elbow).joint, 12);
    let axes = &actor.figure.segment(elbow).attachment;
    let axis = axes.frame_b * sinew::Vec3::z();
    let mut rotations: Vec<sinew::Quat> = Vec::new();
    for frame in 0..frames {
        let first = rotations.len();
        rotations.extend_from_slice(actor.clip.rotations(0));
        let angle = if frame < frames / 2 { 0.0 } else { 2.27 };
        let turn = sinew::Quat::from_scaled_axis(axis * angle);
        rotations[first + joint] *= turn;
    }
    let none = sinew::motion::Tracks::default;
    let clip = sinew::motion::Clip::new("jump", 30.0, actor.clip.joints(), rotations, none(), none()).expect("a clip");
    let animation = sinew::control::Animation::new(actor.figure.skeleton(), &clip).expect("frames");
    let settings = StageSettings { terrain: Terrain::Nothing, ..StageSettings::default() };
    let mut stage = sinew::control::Stage::new(&actor.figure, animation, settings).expect("a stage");
    let mut inner = Vec::new();
    for _ in 0..(clip.duration() / stage.step_length()).round() as usize {
        inner.push(stage.step().expect("a finite step").substeps);
    }
    // 2.27 rad in the eight steps of a frame.
    let most = inner.iter().copied().max().unwrap_or(0);
    assert!(inner[..8].iter().all(|count| *count == 1) && most >= 5, "{inner:?}");
}

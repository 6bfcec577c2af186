//! Replays with the root held: what is followed, and what the ground has to do with it.

use super::scenes::*;
use sinew::control::{Gains, Terrain, depth_below, held_ground_height};
use sinew::motion::{Clip, Role, Tracks, edit};
use sinew::{Quat, Vec3};

/// A held root, joints within half a degree, and feet out of the ground: all three hold on every built-in clip, because the ground is
/// laid where the capture leaves room for it.
#[test]
fn held_replays_of_all_clips_follow_within_half_a_degree() {
    for name in
        ["crouch", "dog_walk", "fall", "heavy_idle", "heavy_walk", "idle", "jump", "run", "turn", "walk", "wave"]
    {
        let captured = Captured::of(name);
        let ground = held_ground_height(&captured.figure, &captured.clip).expect("frames");
        assert!(ground <= captured.ground);
        let mut settings = captured.settings();
        settings.ground = ground;
        let (_, verdict) = record(&mut captured.run(settings), captured.clip.duration().min(3.0), |_| ());
        assert!(verdict.tracking_rms.to_degrees() < 0.5, "{name}: {}°", verdict.tracking_rms.to_degrees());
        assert!(verdict.worst_gap < 1e-4, "{name}: joints {} m apart", verdict.worst_gap);
        assert!(verdict.depth < 2e-3, "{name}: {} m deep", verdict.depth);
    }
}

/// The captured dog, 0.72 m high, reaches 2.8 mm below where its paws stand most of the time: the ground goes there and 0.8 mm lower. A walk that
/// reaches a thirtieth of a millimetre below keeps its ground.
#[test]
fn ground_goes_to_the_lowest_captured_point_only_where_it_must() {
    let dog = Captured::of("dog_walk");
    let lower = dog.ground - held_ground_height(&dog.figure, &dog.clip).expect("frames");
    assert!((3.5e-3..3.7e-3).contains(&lower), "{lower}");
    let walk = Captured::of("walk");
    assert_eq!(held_ground_height(&walk.figure, &walk.clip), Some(walk.ground));
}

/// What a motion asks of the joints is worked out and told to the muscles, so that springs are left with next to nothing: at 3 Hz, a
/// hundredth of the usual stiffness, a run is followed within half a degree, where springs alone are 29° behind.
#[test]
fn soft_muscles_follow_as_the_torques_are_known_beforehand() {
    for name in ["walk", "run", "jump", "dog_walk"] {
        let captured = Captured::of(name);
        let mut settings = captured.settings();
        (settings.actor.gains, settings.terrain) = (Gains::critical(3.0), Terrain::Nothing);
        let (_, verdict) = record(&mut captured.run(settings), captured.clip.duration().min(2.0), |_| ());
        assert!(verdict.tracking_rms.to_degrees() < 0.5, "{name}: {}°", verdict.tracking_rms.to_degrees());
    }
}

/// A capture that turns the head by 170° from one frame to the next is followed all the same: what turns fast gets short steps.
#[test]
fn a_joint_that_flips_within_a_frame_is_followed() {
    let mut captured = Captured::of("idle");
    let head = captured.figure.with_role(Role::Head).map(|k| captured.figure.segment(k).joint).expect("a head");
    let turn = Quat::from_axis_angle(&Vec3::y_axis(), 170.0_f64.to_radians());
    let mut turns: Vec<Quat> = (0..captured.clip.frames()).flat_map(|f| captured.clip.rotations(f).to_vec()).collect();
    for frame in 20..40 {
        turns[frame * captured.clip.joints() + head] *= turn;
    }
    let places = captured.clip.translations().clone();
    captured.clip =
        Clip::new("flip", captured.clip.rate_hz(), captured.clip.joints(), turns, places, Tracks::default())
            .expect("a clip");
    let mut settings = captured.settings();
    settings.terrain = Terrain::Nothing;
    let (_, verdict) = record(&mut captured.run(settings), 1.0, |_| ());
    assert!(verdict.tracking_max.to_degrees() < 5.0, "{}°", verdict.tracking_max.to_degrees());
}

/// At 10 frames a second feet go on between frames, deeper than in any of them. The ground of a held root lies below that, too.
#[test]
fn held_ground_lies_below_the_motion_between_frames() {
    let mut captured = Captured::of("run");
    captured.clip = edit::resample(captured.figure.skeleton(), &captured.clip, 10.0).expect("a clip");
    let ground = Vec3::y() * held_ground_height(&captured.figure, &captured.clip).expect("frames");
    let animation = captured.animation();
    let mut deepest: f64 = 0.0;
    for step in 0..(animation.duration() * 240.0) as usize {
        let mut placements = captured.figure.placements(&animation.sample(step as f64 / 240.0).pose);
        captured.figure.close_joints(&mut placements);
        deepest = deepest.max(depth_below(&captured.figure, placements.into_iter(), &ground, &Vec3::y()));
    }
    assert!(deepest < 2e-3, "{deepest}");
}

//! Replays with the root held: what is followed, and what the ground has to do with it.

use super::scenes::*;
use sinew::control::held_ground_height;

/// A held root, joints within half a degree, and feet out of the ground: all three hold on every built-in clip, because the ground is
/// laid where the capture leaves room for it.
#[test]
fn held_replays_of_all_clips_follow_within_half_a_degree() {
    for name in
        ["crouch", "dog_walk", "fall", "heavy_idle", "heavy_walk", "idle", "jump", "run", "turn", "walk", "wave"]
    {
        let actor = Actor::of(name);
        let ground = held_ground_height(&actor.figure, &actor.clip).expect("frames");
        assert!(ground <= actor.ground);
        let mut settings = actor.settings();
        settings.ground = ground;
        let (_, verdict) = run(&mut actor.stage(settings), actor.clip.duration().min(3.0), |_| ());
        assert!(verdict.tracking_rms.to_degrees() < 0.5, "{name}: {}°", verdict.tracking_rms.to_degrees());
        assert!(verdict.worst_gap < 1e-4, "{name}: joints {} m apart", verdict.worst_gap);
        assert!(verdict.depth < 2e-3, "{name}: {} m deep", verdict.depth);
    }
}

/// The captured dog reaches 2.8 mm below where its paws stand most of the time: the ground goes there and 2 mm lower. A walk that
/// reaches a thirtieth of a millimetre below keeps its ground.
#[test]
fn ground_goes_to_the_lowest_captured_point_only_where_it_must() {
    let dog = Actor::of("dog_walk");
    let lower = dog.ground - held_ground_height(&dog.figure, &dog.clip).expect("frames");
    assert!((4.5e-3..5.1e-3).contains(&lower), "{lower}");
    let walk = Actor::of("walk");
    assert_eq!(held_ground_height(&walk.figure, &walk.clip), Some(walk.ground));
}

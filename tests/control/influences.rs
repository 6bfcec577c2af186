//! What a figure does when something acts on it.

use super::scenes::{Captured, record};
use sinew::control::{Animation, Gains, Phase, Terrain, Trip};
use sinew::dynamics::{Body, Collider, Placement, Response, Shape};
use sinew::motion::{Role, Side};
use sinew::simulation::{Event, EventKind, Grip, Prop, RunSettings};
use sinew::{Real, Vec3};

fn arm(role: Option<Role>) -> bool {
    matches!(role, Some(Role::UpperArm(_) | Role::LowerArm(_) | Role::Hand(_)))
}

#[test]
fn loose_arms_swing_while_the_rest_follows() {
    let captured = Captured::of("walk");
    let mut run = captured.run(RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
    let segments = captured.figure.segments();
    for k in (0..segments.len()).filter(|&k| arm(segments[k].role)) {
        run.followers[0].actor.set_strength(k, 0.0);
    }
    let (mut worst_limit, mut farthest): (Real, Real) = (0.0, 0.0);
    let (_, verdict) = record(&mut run, 2.0, |run| {
        for k in (0..segments.len()).filter(|&k| arm(segments[k].role)) {
            let joint = run.followers[0].actor.instance().joints[k].expect("a joint");
            let turn = sinew::control::read_joint(&run.world, joint).expect("a joint").rotation;
            worst_limit = worst_limit.max(segments[k].attachment.limits.excess(&turn));
            let wanted = run.followers[0].actor.wanted()[k].rotation;
            let is = run.world.state(run.followers[0].actor.instance().bodies[k]).placement.rotation;
            farthest = farthest.max(is.angle_to(&wanted));
        }
    });
    assert!(verdict.tracking_rms.to_degrees() < 0.5, "{}", verdict.tracking_rms.to_degrees());
    assert!(worst_limit.to_degrees() < 2.0, "{}", worst_limit.to_degrees());
    assert!(farthest.to_degrees() > 5.0, "arms that hang loose do not follow: {}", farthest.to_degrees());
}

/// A post stands where the waving hand wants to go: the arm stops, no muscle gives more than it has, nothing explodes.
#[test]
fn an_obstacle_stops_an_arm_of_limited_strength() {
    let captured = Captured::of("wave");
    let mut settings = RunSettings { terrain: Terrain::Nothing, ..captured.settings() };
    settings.actor.torque = 0.3;
    let animation = captured.animation();
    let skeleton = captured.figure.skeleton();
    let hands = [Side::Left, Side::Right].map(|side| skeleton.with_role(Role::Hand(side)).expect("a hand"));
    let place = |hand: usize, frame: usize| captured.clip.pose(skeleton, frame).world(skeleton)[hand].position;
    let travelled = |hand: usize| {
        (0..captured.clip.frames()).map(|f| (place(hand, f) - place(hand, 0)).norm()).fold(0.0, Real::max)
    };
    let hand = *hands.iter().max_by(|a, b| travelled(**a).total_cmp(&travelled(**b))).expect("two");
    let far = (0..captured.clip.frames())
        .max_by(|a, b| (place(hand, *a) - place(hand, 0)).norm().total_cmp(&(place(hand, *b) - place(hand, 0)).norm()))
        .expect("frames");
    let mut run = captured.run(settings);
    let half_way = place(hand, 0).lerp(&place(hand, far), 0.8);
    let post = run.world.add_body(Body::fixed("post", Placement::at(half_way))).expect("a post");
    run.world.add_collider(post, Collider::new(Shape::Sphere { radius: 0.12 })).expect("a ball");
    let mut touched = false;
    let time = captured.clip.duration().min(3.0);
    let (_, verdict) = record(&mut run, time, |run| {
        touched |= run.world.contacts().iter().any(|c| c.bodies.contains(&post));
        for k in 0..captured.figure.segments().len() {
            if let Some(muscle) = run.followers[0].actor.muscle(k) {
                let torque = muscle.torque(&run.world).amax();
                assert!(torque <= muscle.torque_limit * 1.001, "{k}: {torque} of {}", muscle.torque_limit);
            }
        }
        let deepest = run.world.contacts().iter().map(|c| -c.distance).fold(0.0, Real::max);
        assert!(deepest < 5e-3, "{deepest}");
    });
    assert!(touched, "the hand of {:?} never met the post", animation.clip().name);
    assert!(verdict.worst_gap < 1e-3);
}

/// A load in the hand lowers the arm by what it adds to the torque of each joint, over K. The arm's own weight is known to the muscles and
/// lowers nothing.
#[test]
fn a_load_lowers_the_shoulder_by_torque_over_stiffness() {
    let captured = Captured::of("idle");
    let mut settings = RunSettings { terrain: Terrain::Nothing, ..captured.settings() };
    settings.actor.gains = Gains::critical(8.0);
    let find = |role: Role| captured.figure.with_role(role).expect("that part");
    let (shoulder, hand) = (find(Role::UpperArm(Side::Left)), find(Role::Hand(Side::Left)));
    let end = |loaded: bool| {
        let mut run = captured.run(settings.clone());
        let prop = Prop::ball(3.0, 0.08, captured.figure.segment(hand).end, Grip::Firm);
        let prop = loaded.then(|| run.attach(&prop, 0, hand).expect("a load"));
        record(&mut run, 2.0, |_| ());
        let bodies = &run.followers[0].actor.instance().bodies;
        let pivot =
            captured.figure.segment(shoulder).joint_frame(&run.world.state(bodies[shoulder]).placement).position;
        let weight = |body: sinew::dynamics::BodyId| {
            let arm = run.world.state(body).placement.position - pivot;
            arm.cross(&(run.world.gravity * run.world.body(body).mass.mass))
        };
        let arm = [Role::UpperArm(Side::Left), Role::LowerArm(Side::Left), Role::Hand(Side::Left)].map(find);
        let own: Vec3 = arm.iter().map(|&k| weight(bodies[k])).sum();
        let moment = own + prop.map_or(Vec3::zeros(), |p| weight(p.body));
        let stiffness = run.followers[0].actor.muscle(shoulder).expect("a muscle").spring().0;
        (run.followers[0].actor.error(&run.world, shoulder), moment / stiffness)
    };
    let (light, heavy) = (end(false), end(true));
    assert!(light.0 < 0.02 * light.1.norm(), "{light:?}");
    let expected = (heavy.1 - light.1).norm();
    assert!((heavy.0 / expected - 1.0).abs() < 0.1, "{} against {expected}", heavy.0);
    assert!(heavy.0 > light.1.norm(), "{heavy:?} {light:?}");
}

#[test]
fn a_hand_points_where_it_should_and_the_legs_do_not_care() {
    let captured = Captured::of("walk");
    let mut settings = RunSettings { terrain: Terrain::Nothing, ..captured.settings() };
    settings.actor.gains = Gains::critical(30.0);
    let mut run = captured.run(settings);
    let segments = captured.figure.segments();
    for k in (0..segments.len())
        .filter(|&k| arm(segments[k].role) && segments[k].role.and_then(Role::side) == Some(Side::Right))
    {
        run.followers[0].actor.set_strength(k, 0.003);
    }
    let hand = captured.figure.with_role(Role::Hand(Side::Right)).expect("a hand");
    let pin =
        run.followers[0].actor.pin(&mut run.world, hand, &Vec3::zeros(), Gains::critical(3.0), 400.0).expect("a pin");
    let mut worst: Real = 0.0;
    let steps = (1.5 / run.step_length()) as usize;
    for step in 0..steps {
        // A place ahead of the right shoulder, within reach, that goes along.
        let shoulder = captured.figure.with_role(Role::UpperArm(Side::Right)).expect("a shoulder");
        let now = run.followers[0].actor.wanted()[shoulder];
        let goal = now.position + run.forward() * 0.35 - Vec3::y() * 0.1;
        let time = run.world.time() + run.step_length();
        let ahead = now.velocity * if step == 0 { 0.0 } else { run.step_length() };
        pin.aim(&mut run.world, time, goal + ahead, now.velocity);
        run.step().expect("a finite step");
        if step > steps / 2 {
            worst = worst.max((pin.position(&run.world) - goal - ahead).norm());
        }
    }
    assert!(worst < 0.02, "{worst} m");
    for role in [Role::UpperLeg(Side::Left), Role::LowerLeg(Side::Right)] {
        let error = run.followers[0].actor.error(&run.world, captured.figure.with_role(role).expect("a leg"));
        assert!(error.to_degrees() < 1.0, "{role}: {}", error.to_degrees());
    }
}

#[test]
fn a_blow_to_the_chest_makes_it_fall_within_a_fifth_of_a_second() {
    let captured = Captured::of("idle");
    let mut settings = captured.settings();
    settings.actor.torque = 1.0;
    settings.trip = Some(Trip::default());
    let mut run = captured.run(settings);
    let spine = |k: &usize| matches!(captured.figure.segment(*k).role, Some(Role::Spine(_)));
    let chest = (0..captured.figure.segments().len()).rfind(spine).expect("a spine");
    let impulse = -run.forward() * 60.0;
    run.schedule(Event { time: 0.3, follower: 0, what: EventKind::Push { segment: chest, impulse } }).expect("a time");
    record(&mut run, 0.5, |_| ());
    let Some(Phase::Fallen { since }) = run.followers[0].trip.map(|trip| trip.phase()) else { panic!("it stands") };
    assert!((0.3..0.5).contains(&since), "{since}");
    // Then no muscle acts, and nobody holds it.
    record(&mut run, 0.3, |_| ());
    assert_eq!(run.followers[0].actor.residual(&run.world).norm(), 0.0);
    assert!(
        (0..captured.figure.segments().len())
            .all(|k| run.followers[0].actor.muscle(k).is_none_or(|m| m.strength() == 0.0))
    );
}

#[test]
fn nobody_falls_in_a_minute_of_walking() {
    let captured = Captured::of("walk");
    let mut settings = captured.settings();
    settings.actor.torque = 1.0;
    settings.trip = Some(Trip::default());
    settings.rate = 60.0;
    let looped = Animation::looped(captured.figure.skeleton(), &captured.clip).expect("a clip");
    let mut run = sinew::simulation::Run::new(&captured.figure, looped, settings).expect("a run");
    for _ in 0..(60.0 / run.step_length()) as usize {
        run.step().expect("a finite step");
    }
    assert_eq!(run.followers[0].trip.map(|trip| trip.phase()), Some(Phase::Tracking));
}

#[test]
fn clips_in_a_row_join_without_a_jump_and_with_bounded_acceleration() {
    let (walk, run) = (Captured::of("walk"), Captured::of("run"));
    let skeleton = walk.figure.skeleton();
    let both = Animation::sequence(skeleton, &[&walk.clip, &run.clip], 0.5).expect("clips of one skeleton");
    assert!((both.duration() - (walk.clip.duration() + run.clip.duration() - 0.5)).abs() < 0.05);
    // Before the fade, the posture is the captured one.
    assert_eq!(both.sample(1.0).pose.rotations, walk.animation().sample(1.0).pose.rotations);
    let peak = |animation: &Animation| {
        let steps = (animation.duration() * 240.0) as usize;
        let inner = 24..steps.saturating_sub(24);
        inner
            .flat_map(|k| animation.sample(k as Real / 240.0).angular_accelerations)
            .map(|a| a.norm())
            .fold(0.0, Real::max)
    };
    let source = peak(&walk.animation()).max(peak(&run.animation()));
    assert!(peak(&both) < 1.5 * source, "{} against {source}", peak(&both));
    let mut last = both.sample(0.0);
    for k in 1..(both.duration() * 240.0) as usize {
        let now = both.sample(k as Real / 240.0);
        let jump = (now.pose.translations[0] - last.pose.translations[0]).norm();
        assert!(jump < 0.05, "{k}: {jump}");
        last = now;
    }
}

#[test]
fn twice_as_fast_is_twice_the_velocity_and_four_times_the_acceleration() {
    let captured = Captured::of("walk");
    let (slow, fast) = (captured.animation(), captured.animation().at_speed(2.0));
    let (a, b) = (slow.sample(1.0), fast.sample(0.5));
    assert_eq!(a.pose, b.pose);
    assert!((a.velocities[0] * 2.0 - b.velocities[0]).norm() < 1e-12);
    assert!((a.angular_accelerations[3] * 4.0 - b.angular_accelerations[3]).norm() < 1e-9);
}

/// An axis of the head is turned to one side of the room while the body walks on.
#[test]
fn a_gaze_is_held_while_the_body_walks() {
    let captured = Captured::of("walk");
    let mut run = captured.run(RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
    let head = captured.figure.with_role(Role::Head).expect("a head");
    for k in 0..captured.figure.segments().len() {
        if matches!(captured.figure.segment(k).role, Some(Role::Head | Role::Neck(_))) {
            run.followers[0].actor.set_strength(k, 0.002);
        }
    }
    let body = run.followers[0].actor.instance().bodies[head];
    let ahead = run.world.state(body).placement.rotation.inverse() * run.forward();
    let aside = sinew::Quat::from_axis_angle(&Vec3::y_axis(), 0.5) * run.forward();
    let response = Response::Decay { tau: 0.05 };
    run.followers[0].actor.face(&mut run.world, head, &ahead, &aside, response, Real::INFINITY).expect("a gaze");
    record(&mut run, 1.0, |_| ());
    let looks = run.world.state(body).placement.rotation * ahead;
    assert!(looks.angle(&aside).to_degrees() < 2.0, "{}", looks.angle(&aside).to_degrees());
}

/// Held by one point, a load swings: it hangs below the hand, which a firm one would not.
#[test]
fn a_swinging_load_hangs_below_the_hand() {
    let captured = Captured::of("idle");
    let mut run = captured.run(RunSettings { terrain: Terrain::Nothing, ..captured.settings() });
    let hand = captured.figure.with_role(Role::Hand(Side::Left)).expect("a hand");
    let end = captured.figure.segment(hand).end;
    let mut prop = Prop::ball(1.0, 0.05, end, Grip::Swinging);
    prop.at = Placement::at(end + Vec3::new(0.2, 0.1, 0.1));
    let load = run.attach(&prop, 0, hand).expect("a load");
    let grip = |run: &sinew::simulation::Run| {
        let body = run.world.state(run.followers[0].actor.instance().bodies[hand]).placement;
        captured.figure.segment(hand).joint_frame(&body).point(&end)
    };
    let distance = (run.world.state(load.body).placement.position - grip(&run)).norm();
    let mut lowest = Real::INFINITY;
    record(&mut run, 1.5, |run| {
        let way = run.world.state(load.body).placement.position - grip(run);
        assert!((way.norm() - distance).abs() < 1e-4, "{} against {distance}", way.norm());
        lowest = lowest.min(way.y);
    });
    assert!(lowest < -0.9 * distance, "{lowest} of {distance}");
}

/// Let go for a moment and taken again, a figure comes back to its motion without a jump of the root.
#[test]
fn a_figure_that_comes_back_follows_again() {
    let captured = Captured::of("idle");
    let mut settings = captured.settings();
    let mut trip = Trip::default();
    (trip.lies_for, trip.blend) = (0.1, 0.4);
    settings.trip = Some(trip);
    let mut run = captured.run(settings);
    run.schedule(Event { time: 0.2, follower: 0, what: EventKind::LetGo }).expect("a time");
    record(&mut run, 0.28, |_| ());
    assert!(run.followers[0].actor.activation() == 0.0);
    record(&mut run, 1.7, |_| ());
    assert_eq!(run.followers[0].trip.map(|trip| trip.phase()), Some(Phase::Tracking));
    assert!(run.followers[0].actor.control_error(&run.world).to_degrees() < 1.0);
}

/// A root that may push with a fifth of the weight at most does not push more.
#[test]
fn a_bounded_root_keeps_its_bound() {
    let captured = Captured::of("walk");
    let weight = captured.figure.mass() * 9.81;
    let mut settings = captured.settings();
    for axis in &mut settings.actor.root[..3] {
        axis.limit = 0.2 * weight;
    }
    let mut run = captured.run(settings);
    record(&mut run, 0.5, |run| {
        let force = run.followers[0].actor.residual(&run.world);
        assert!((0..3).all(|k| force[k].abs() < 0.2 * weight * 1.001), "{force}");
    });
}

/// A bounded root assistance is bounded as a vector: on a running figure that needs far more, neither the force nor the torque
/// about the root joint is ever longer than its bound, although each is held along three axes.
#[test]
fn a_bound_on_the_root_holds_for_the_whole_vector() {
    let captured = Captured::of("run");
    let weight = captured.figure.mass() * 9.81;
    let share = 0.3;
    let mut settings = captured.settings();
    settings.actor.assist = Some([share * weight, share * weight * captured.figure.height]);
    let (_, verdict) = record(&mut captured.run(settings), 1.0, |_| ());
    // Rows with limits are solved to a tolerance beside contacts. Limits of each axis alone would allow √3 times the bound.
    assert!(verdict.residual_max <= share * (1.0 + 1e-3), "{}", verdict.residual_max);
    // The torque is told about the joint where it is after the step, which moved a little since the force acted.
    assert!(verdict.residual_torque_max <= share * (1.0 + 1e-2), "{}", verdict.residual_torque_max);
    assert!(verdict.residual_max > 0.9 * share, "the bound is not used up: {}", verdict.residual_max);
}

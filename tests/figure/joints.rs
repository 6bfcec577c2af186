//! How segments hang together: hinges, limits, and who may touch whom.

use super::*;

#[test]
fn knees_and_elbows_are_hinges_that_bend_the_right_way() {
    let capture = read("clips/crouch.bvh");
    let figure = build(&capture);
    let clip = &capture.clips[0];
    let mut deepest: Real = 0.0;
    for frame in 0..clip.frames() {
        let placements = figure.placements(&clip.pose(&capture.skeleton, frame));
        for side in [Side::Left, Side::Right] {
            let knee = figure.segment(figure.with_role(Role::LowerLeg(side)).unwrap());
            assert_eq!(knee.attachment.kind, AttachmentKind::Hinge);
            let thigh = &placements[knee.parent.unwrap()];
            let shank = &placements[figure.with_role(Role::LowerLeg(side)).unwrap()];
            let relative = knee.attachment.relative(&(thigh.rotation.inverse() * shank.rotation));
            let bent = 2.0 * relative.k.atan2(relative.w);
            // The angle of the hinge is the angle between the bones.
            let (upper, lower) = (thigh.rotation * knee.attachment.frame_a.position, shank.rotation * knee.end);
            assert!((bent - upper.angle(&lower)).abs() < 0.05, "{bent}");
            deepest = deepest.max(bent);
        }
    }
    assert!(deepest > 1.0, "a crouch bends the knees by {deepest}");
}

/// A clip that is out of limits is inside of them afterwards, and widening again finds nothing to do.
#[test]
fn widened_limits_hold_the_whole_clip() {
    for name in ["clips/fall.bvh", "clips/jump.bvh", "clips/dog_walk.bvh", "clips/wave.bvh"] {
        let capture = read(name);
        let clip = &capture.clips[0];
        let mut figure = build(&capture);
        for segment in figure.segments_mut() {
            if let Limits::SwingTwist { swing, twist } = &mut segment.attachment.limits {
                (*swing, *twist) = ([0.05; 2], [-0.02, 0.02]);
            }
        }
        let widened = figure.widen_to_hold(clip);
        assert!(!widened.is_empty() && widened.iter().all(|w| w.by.is_finite()), "{name}: no limit is given up");
        for frame in 0..clip.frames() {
            let placements = figure.placements(&clip.pose(&capture.skeleton, frame));
            for (k, segment) in figure.segments().iter().enumerate() {
                let Some(parent) = segment.parent else { continue };
                let turn = placements[parent].rotation.inverse() * placements[k].rotation;
                let excess = segment.attachment.limits.excess(&segment.attachment.relative(&turn));
                assert!(excess < 1e-9, "{name}: {} is {excess} outside in frame {frame}", segment.name);
            }
        }
        assert_eq!(figure.widen_to_hold(clip), []);
    }
}

/// Figure limits and the world's rows speak of the same angles: a figure placed inside of its limits is not pushed.
#[test]
fn limits_of_the_figure_are_those_of_the_world() {
    let capture = read("clips/fall.bvh");
    let mut figure = build(&capture);
    figure.widen_to_hold(&capture.clips[0]);
    let sampler = Sampler::new(&capture.skeleton, &capture.clips[0]).unwrap();
    for time in [0.0, 0.4, 0.8] {
        let mut world = World::new();
        world.gravity = Vec3::zeros();
        let still = PoseMotion::at_rest(sampler.sample(time).pose);
        let instance = figure.place(&mut world, &still, &PlaceOptions::default()).unwrap();
        let report = world.step(1e-3).unwrap();
        assert!(report.worst_error < 1e-9, "joints start closed: {}", report.worst_error);
        for (k, &body) in instance.bodies.iter().enumerate() {
            let speed = world.state(body).velocity.norm();
            assert!(speed < 1e-6, "{} is pushed to {speed} at {time} s", figure.segment(k).name);
        }
    }
}

/// What is moved is moved so that joints close, and what closes already is left alone.
#[test]
fn closed_joints_stay_where_they_are() {
    let capture = read("clips/wave.bvh");
    let figure = build(&capture);
    let mut placements = figure.placements(&capture.clips[0].pose(&capture.skeleton, 40));
    figure.close_joints(&mut placements);
    let once = placements.clone();
    figure.close_joints(&mut placements);
    for (a, b) in once.iter().zip(&placements) {
        assert!((a.position - b.position).norm() < 1e-12 && a.rotation.angle_to(&b.rotation) < 1e-7);
    }
}

#[test]
fn stretched_bones_are_told() {
    let skeleton = chain(3);
    let figure = Figure::build(&skeleton, &FigureOptions::default()).unwrap();
    let tracks = Tracks { joints: vec![0, 2], values: vec![Vec3::zeros(), Vec3::new(0.05, 0.03, 0.01)] };
    let clip = Clip::new("pulled", 30.0, 3, vec![Quat::identity(); 3], tracks, Tracks::default()).unwrap();
    let losses = figure.losses(&clip);
    assert_eq!(losses.len(), 1);
    assert!(losses[0].segment == 2 && (losses[0].stretch - 0.03).abs() < 1e-12);
}

#[test]
fn neighbours_and_overlapping_segments_never_meet_and_far_ones_may() {
    let capture = read("clips/idle.bvh");
    let figure = build(&capture);
    let part = |role: Role| figure.with_role(role).unwrap();
    for (k, segment) in figure.segments().iter().enumerate() {
        assert!(segment.parent.is_none_or(|p| !figure.may_meet(p, k)) && !figure.may_meet(k, k));
    }
    assert!(figure.may_meet(part(Role::Hand(Side::Left)), part(Role::Head)));
    assert!(figure.may_meet(part(Role::LowerLeg(Side::Left)), part(Role::LowerLeg(Side::Right))));
    assert!(!figure.may_meet(part(Role::UpperArm(Side::Left)), part(Role::Spine(2))));
    assert!(!figure.may_meet(part(Role::UpperArm(Side::Left)), part(Role::Hand(Side::Left))));
}

//! From poses to bodies and back.

use super::*;

#[test]
fn a_placed_figure_has_the_momentum_of_its_motion() {
    let capture = read("clips/run.bvh");
    let figure = build(&capture);
    let sampler = Sampler::new(&capture.skeleton, &capture.clips[0]).unwrap();
    let motion = sampler.sample(0.3);
    let (mut frames, mut motions) = (Vec::new(), Vec::new());
    figure.motions_into(&motion, &mut frames, &mut motions);
    let captured = figure.momentum(&motions);
    figure.close_joints_moving(&mut motions);
    let expected = figure.momentum(&motions);
    // The capture bends knees about their axis, to the digits of its text.
    assert!((captured.linear - expected.linear).norm() < 1e-3 * captured.linear.norm());
    let mut world = World::new();
    let instance = figure.place(&mut world, &motion, &PlaceOptions::default()).unwrap();
    let (linear, about_origin) = world.momentum();
    assert!((linear - expected.linear).norm() < 1e-6 * expected.linear.norm());
    let angular = about_origin - expected.centre.cross(&linear);
    assert!((angular - expected.angular).norm() < 1e-6, "{angular} {}", expected.angular);
    assert!((instance.centre_of_mass(&figure, &world) - expected.centre).norm() < 1e-9);
}

/// Rotations about random axes by up to half a turn.
fn turns(count: usize) -> impl Strategy<Value = Vec<Quat>> {
    let turn = prop::array::uniform3(-1.8..1.8_f64).prop_map(|v| Quat::from_scaled_axis(Vec3::from(v)));
    prop::collection::vec(turn, count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Pose → bodies in a world → pose gives the same pose, folded joints included.
    #[test]
    fn any_pose_survives_the_way_through_a_world(rotations in turns(28), at in prop::array::uniform3(-3.0..3.0_f64), dog in any::<bool>()) {
        let capture = read(if dog { "clips/dog_walk.bvh" } else { "clips/idle.bvh" });
        let skeleton = &capture.skeleton;
        let figure = Figure::build(skeleton, &FigureOptions::default()).unwrap();
        let mut pose = skeleton.rest_pose();
        pose.translations[0] = Vec3::from(at);
        pose.rotations.iter_mut().zip(&rotations).for_each(|(q, r)| *q = *r);
        let mut world = World::new();
        let options = PlaceOptions { limits: false, ..PlaceOptions::default() };
        let (mut frames, mut motions) = (Vec::new(), Vec::new());
        figure.motions_into(&PoseMotion::at_rest(pose.clone()), &mut frames, &mut motions);
        let instance = figure.place_moving(&mut world, &motions, &options).unwrap();
        // Folded joints come from the pose that is written into; all else is overwritten.
        let mut back = pose.clone();
        for k in 0..figure.segments().len() {
            back.rotations[figure.segment(k).joint] = Quat::identity();
        }
        back.translations[0] = Vec3::zeros();
        instance.pose_into(&figure, &world, &mut back);
        assert_same(&pose, &back);
    }

    /// The same for placements alone, with scales and with joints that are moved against their parents.
    #[test]
    fn any_pose_survives_the_way_through_placements(rotations in turns(22), moves in prop::collection::vec(prop::array::uniform3(-0.2..0.2_f64), 22), scaled in any::<bool>()) {
        let capture = read("clips/idle.bvh");
        let figure = Figure::build(&capture.skeleton, &FigureOptions::default()).unwrap();
        let mut pose = capture.skeleton.rest_pose();
        pose.rotations = rotations;
        pose.translations.iter_mut().zip(&moves).for_each(|(t, m)| *t += Vec3::from(*m));
        if scaled {
            pose.scales = Some(moves.iter().map(|m| Vec3::repeat(1.0) + Vec3::from(*m)).collect());
        }
        let mut back = Pose { rotations: vec![Quat::identity(); 22], ..pose.clone() };
        figure.pose_into(&figure.placements(&pose), &mut back);
        assert_same(&pose, &back);
    }
}

fn assert_same(a: &Pose, b: &Pose) {
    for j in 0..a.rotations.len() {
        assert!(a.rotations[j].angle_to(&b.rotations[j]) < 1e-7, "joint {j}");
        assert!((a.rotations[j] * Vec3::new(1.0, 2.0, 3.0) - b.rotations[j] * Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-9);
        assert!((a.translations[j] - b.translations[j]).norm() < 1e-9, "joint {j}");
    }
}

/// Zero-length joints, twists and fingers ride on their segment and keep their own pose.
#[test]
fn joints_without_flesh_are_folded_and_restored() {
    let mut joints = read("clips/idle.bvh").skeleton.joints().to_vec();
    let hand = joints.iter().position(|j| j.role == Some(Role::Hand(Side::Left))).unwrap();
    let thumb = Joint::new("LeftHandThumb1", Some(hand), Vec3::new(0.03, 0.0, 0.02));
    joints.push(Joint { tip: Some(Vec3::new(0.04, 0.0, 0.01)), ..thumb });
    let roll = Joint::new("LeftForeArmRoll", Some(hand - 1), Vec3::new(0.1, 0.0, 0.0));
    joints.push(Joint { role: Some(Role::Helper), tip: Some(Vec3::new(0.05, 0.0, 0.0)), ..roll });
    let count = joints.len() - 2;
    let skeleton = Skeleton::new(joints).unwrap();
    let figure = Figure::build(&skeleton, &FigureOptions::default()).unwrap();
    assert_eq!(figure.segments().len(), count);
    let holder = figure.with_role(Role::Hand(Side::Left)).unwrap();
    assert_eq!(figure.folded(holder).collect::<Vec<_>>(), [count]);
    let mut pose = skeleton.rest_pose();
    pose.rotations[count] = Quat::from_euler_angles(0.3, 0.2, 0.1);
    pose.rotations[hand] = Quat::from_euler_angles(0.1, -0.2, 0.4);
    let mut back = Pose { rotations: skeleton.rest_pose().rotations, ..pose.clone() };
    back.rotations[count] = pose.rotations[count];
    figure.pose_into(&figure.placements(&pose), &mut back);
    assert_same(&pose, &back);
}

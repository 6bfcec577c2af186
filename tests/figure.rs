//! Laws that every figure obeys, whatever skeleton it is made from.

use proptest::prelude::*;
use sinew::dynamics::{Placement, World};
use sinew::figure::{AttachmentKind, Figure, FigureOptions, Limits, PlaceOptions, SegmentSource, SolePart, Table};
use sinew::formats::{self, Capture, ImportOptions, gltf};
use sinew::motion::{Clip, Joint, Pose, PoseMotion, Role, Sampler, Side, Skeleton, Tracks};
use sinew::{Quat, Real, Vec3};
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

fn read(name: &str) -> Capture {
    formats::read(&data(name), &ImportOptions::default()).unwrap()
}

fn build(capture: &Capture) -> Figure {
    let options = FigureOptions { clip: capture.clips.first(), ..FigureOptions::default() };
    Figure::build(&capture.skeleton, &options).unwrap()
}

/// Everything in `data/`: two-legged and four-legged, plain and heavy, with skin and without.
fn all() -> Vec<(String, Capture)> {
    ["clips", "characters", "damaged"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(data(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), formats::read(&path, &ImportOptions::default()).unwrap()))
        .collect()
}

fn chain(links: usize) -> Skeleton {
    let mut joints = vec![Joint::new("link 0", None, Vec3::new(0.0, 1.0, 0.0))];
    joints.extend((1..links).map(|k| Joint::new(format!("link {k}"), Some(k - 1), Vec3::new(0.05, 0.0, 0.01))));
    joints[links - 1].tip = Some(Vec3::new(0.05, 0.0, 0.0));
    Skeleton::new(joints).unwrap()
}

/// Positive moments, none larger than the other two together: what any mass in space obeys.
fn assert_sound(name: &str, figure: &Figure) {
    assert!(figure.mass().is_finite() && figure.mass() > 0.0, "{name}");
    for segment in figure.segments() {
        let moments = segment.mass.inertia.symmetric_eigenvalues();
        let (sum, most) = (moments.sum(), moments.max());
        assert!(segment.mass.mass > 0.0 && moments.min() > 0.0, "{name}: {} {moments}", segment.name);
        assert!(most <= (sum - most) * (1.0 + 1e-9), "{name}: {} {moments}", segment.name);
        assert!(!segment.shapes.is_empty(), "{name}: {} has no shape", segment.name);
    }
    for pair in figure.apart().windows(2) {
        assert!(pair[0] < pair[1], "{name}: pairs are ascending");
    }
}

#[test]
fn every_file_of_the_project_gets_a_sound_body() {
    for (name, capture) in all() {
        assert_sound(&name, &build(&capture));
        let skin = gltf::skin_vertices(&capture).unwrap();
        assert_eq!(skin.is_some(), name.ends_with(".glb"), "{name}");
        let options = FigureOptions { skin: skin.as_deref(), mass_by_volume: true, ..FigureOptions::default() };
        assert_sound(&name, &Figure::build(&capture.skeleton, &options).unwrap());
    }
}

#[test]
fn a_point_a_bone_a_star_and_long_chains_get_a_sound_body() {
    let point = Skeleton::new(vec![Joint::new("point", None, Vec3::zeros())]).unwrap();
    let mut star = vec![Joint::new("middle", None, Vec3::zeros())];
    star.extend((0..20).map(|k| {
        let mut ray = Joint::new("ray", Some(0), Quat::from_euler_angles(0.0, 0.3 * Real::from(k), 0.0) * Vec3::x());
        ray.tip = Some(Vec3::x());
        ray
    }));
    for (skeleton, segments) in
        [(point, 1), (chain(1), 1), (chain(2), 2), (chain(300), 300), (Skeleton::new(star).unwrap(), 21)]
    {
        let figure = Figure::build(&skeleton, &FigureOptions::default()).unwrap();
        assert_eq!(figure.segments().len(), segments);
        assert_eq!(figure.source, SegmentSource::Volume);
        assert_sound("generic", &figure);
    }
}

#[test]
fn masses_sum_to_the_total_asked_for() {
    let capture = read("clips/walk.bvh");
    for table in [Table::Male, Table::Female] {
        let options = FigureOptions { mass: Some(81.5), table, ..FigureOptions::default() };
        let figure = Figure::build(&capture.skeleton, &options).unwrap();
        let sum: Real = figure.segments().iter().map(|s| s.mass.mass).sum();
        assert!((sum - 81.5).abs() < 1e-9 && (figure.mass() - sum).abs() < 1e-12);
    }
}

/// People's centre of mass stands at 54 to 58 % of their height (de Leva's own subjects: 55 to 57 %).
#[test]
fn the_standing_actor_has_a_persons_centre_of_mass() {
    let capture = read("clips/idle.bvh");
    let figure = build(&capture);
    let placements = figure.placements(&capture.clips[0].pose(&capture.skeleton, 0));
    let centre = figure.centre_of_mass(&placements);
    let share = (centre.y - figure.lowest_point(&placements)) / figure.height;
    assert!((0.54..=0.58).contains(&share), "{share}");
    assert!((1.70..1.80).contains(&figure.height), "{}", figure.height);
}

#[test]
fn left_and_right_weigh_the_same() {
    for (name, capture) in all() {
        let figure = build(&capture);
        for segment in figure.segments() {
            let Some(role) = segment.role.filter(|role| role.side() == Some(Side::Left)) else { continue };
            let other = figure.with_role(role.mirrored()).map(|k| figure.segment(k).mass.mass);
            let other = other.unwrap_or_else(|| panic!("{name}: {role} has no partner"));
            assert!((segment.mass.mass / other - 1.0).abs() < 1e-6, "{name}: {role}");
        }
    }
}

/// What lacks a joint is flesh of the next part inwards; what lacks a limb weighs less.
#[test]
fn a_body_without_hands_weighs_the_same_and_one_without_arms_weighs_less() {
    let whole = read("clips/idle.bvh").skeleton;
    let without = |gone: &dyn Fn(Role) -> bool| {
        let mut place = vec![None; whole.len()];
        let mut joints: Vec<Joint> = Vec::new();
        for (j, joint) in whole.joints().iter().enumerate() {
            if !joint.role.is_some_and(gone) && joint.parent.is_none_or(|p| place[p].is_some()) {
                place[j] = Some(joints.len());
                joints.push(Joint { parent: joint.parent.and_then(|p| place[p]), ..joint.clone() });
            }
        }
        let options = FigureOptions { height: Some(1.75), ..FigureOptions::default() };
        Figure::build(&Skeleton::new(joints).unwrap(), &options).unwrap()
    };
    let full = without(&|_| false).mass();
    let handless = without(&|role| matches!(role, Role::Hand(_)));
    assert!((handless.mass() / full - 1.0).abs() < 1e-9);
    let forearm = handless.with_role(Role::LowerArm(Side::Left)).unwrap();
    assert!((handless.segment(forearm).mass.mass / full - 0.0162 - 0.0061).abs() < 1e-4);
    let armless = without(&|role| matches!(role, Role::Shoulder(_) | Role::UpperArm(_)));
    assert!((armless.mass() / full - (1.0 - 2.0 * (0.0271 + 0.0162 + 0.0061))).abs() < 2e-3);
}

#[test]
fn soles_lie_flat_below_the_standing_feet() {
    let capture = read("clips/idle.bvh");
    let figure = build(&capture);
    let placements = figure.placements(&capture.clips[0].pose(&capture.skeleton, 0));
    let feet: Vec<_> = figure.sole_points().iter().filter(|s| s.part != SolePart::Palm).collect();
    assert_eq!(feet.len(), 6);
    for sole in feet {
        let height = placements[sole.segment].point(&sole.point).y;
        assert!(height.abs() < 0.02, "{:?} {:?} at {height}", sole.side, sole.part);
        assert!(sole.across.norm() > 0.02);
    }
}

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
        assert!(!figure.widen_to_hold(clip).is_empty());
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

/// Roles are people's: forefeet of a dog are spare feet by name, and limbs all the same.
#[test]
fn a_dog_has_four_jointed_legs_and_stands_on_them() {
    let capture = read("clips/dog_walk.bvh");
    let figure = build(&capture);
    for name in ["LeftForeFoot", "RightForeFoot", "LeftHindFoot", "RightHindFoot"] {
        assert!(figure.find(name).is_some(), "{name}");
    }
    assert_eq!(figure.sole_points().len(), 4);
    assert_eq!(figure.source, SegmentSource::Volume);
}

/// Rigs of games carry the hips by a root on the ground, which is no part of the body.
#[test]
fn a_root_on_the_ground_is_not_flesh() {
    let whole = read("clips/idle.bvh").skeleton;
    let mut joints = vec![Joint::new("root", None, Vec3::zeros())];
    joints.extend(whole.joints().iter().map(|j| Joint { parent: Some(j.parent.map_or(0, |p| p + 1)), ..j.clone() }));
    let figure = Figure::build(&Skeleton::new(joints).unwrap(), &FigureOptions::default()).unwrap();
    assert_eq!(figure.segments().len(), whole.len());
    assert!(figure.segment_of(0).is_none() && figure.segment(0).role == Some(Role::Hips));
    assert_eq!(figure.segment(0).attachment.kind, AttachmentKind::Free);
}

/// Zero-length joints, twists and fingers ride on their segment and keep their own pose.
#[test]
fn joints_without_flesh_are_folded_and_restored() {
    let mut joints = read("clips/idle.bvh").skeleton.joints().to_vec();
    let hand = joints.iter().position(|j| j.role == Some(Role::Hand(Side::Left))).unwrap();
    joints.push(Joint::new("LeftHandThumb1", Some(hand), Vec3::new(0.03, 0.0, 0.02)));
    let twist =
        Joint { role: Some(Role::Helper), ..Joint::new("LeftForeArmRoll", Some(hand - 1), Vec3::new(0.1, 0.0, 0.0)) };
    joints.push(twist);
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
}

#[test]
fn a_figure_file_keeps_every_bit() {
    for (name, capture) in all() {
        let mut figure = build(&capture);
        figure.widen_to_hold(&capture.clips[0]);
        figure.notes.clear();
        let text = figure.to_toml();
        let back = Figure::from_toml(&text, &capture.skeleton).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(back == figure, "{name}");
        assert_eq!(back.to_toml(), text);
    }
}

#[test]
fn faults_in_a_figure_file_are_pointed_at() {
    let skeleton = chain(3);
    let text = Figure::build(&skeleton, &FigureOptions::default()).unwrap().to_toml();
    let fails = |from: &str, to: &str| Figure::from_toml(&text.replacen(from, to, 1), &skeleton).unwrap_err();
    let line = |needle: &str| text.lines().position(|l| l.contains(needle)).unwrap() + 1;

    let error = fails("mass = ", "mas = ");
    assert_eq!((error.line, error.column), (Some(line("mass = ")), Some(1)));
    assert!(error.help.as_ref().unwrap().contains("did you mean \"mass\"?"), "{error:?}");
    let error = fails("kind = \"ball\"", "kind = \"bal\"");
    assert!(error.line == Some(line("kind = \"ball\"")) && error.help.unwrap().contains("\"ball\""));
    let error = fails("joint = \"link 2\"", "joint = \"lnk 2\"");
    assert!(error.message.contains("no joint \"lnk 2\"") && error.help.unwrap().contains("\"link 2\""));
    let error = fails("height = ", "height = -");
    assert!(error.line == Some(line("height = ")) && error.message.contains("positive"), "{error:?}");
    let error = fails("joint = \"link 1\"", "joint = \"link 0\"");
    assert!(error.message.contains("two segments"), "{error:?}");
    let error = fails("[[segment]]", "[[segment");
    assert!(error.line.is_some(), "{error:?}");
}

/// The actor's skin is a body of known girth: shapes fitted to it stay within the flesh, and lie around the bones.
#[test]
fn shapes_fit_the_skin() {
    let capture = read("characters/heavy.glb");
    let skin = gltf::skin_vertices(&capture).unwrap().unwrap();
    let plain =
        Figure::build(&capture.skeleton, &FigureOptions { mass_by_volume: true, ..Default::default() }).unwrap();
    let options = FigureOptions { skin: Some(&skin), mass_by_volume: true, ..Default::default() };
    let fleshy = Figure::build(&capture.skeleton, &options).unwrap();
    assert!(fleshy.mass() > plain.mass(), "{} {}", fleshy.mass(), plain.mass());
    // Every vertex lies near the joint that moves it.
    let placements: Vec<Placement> = fleshy.placements(&capture.skeleton.rest_pose());
    assert!(placements.len() > 20);
    for (joint, vertices) in skin.iter().enumerate() {
        assert!(vertices.iter().all(|v| v.norm() < 0.7), "{}", capture.skeleton.joint(joint).name);
    }
}

#[test]
fn nonsense_is_refused() {
    let skeleton = chain(3);
    let build = |options: FigureOptions| Figure::build(&skeleton, &options);
    assert!(build(FigureOptions { mass: Some(-1.0), ..Default::default() }).is_err());
    assert!(build(FigureOptions { height: Some(Real::NAN), ..Default::default() }).is_err());
    let clip = &read("clips/idle.bvh").clips[0];
    assert!(build(FigureOptions { clip: Some(clip), ..Default::default() }).is_err());
    assert!(build(FigureOptions { skin: Some(&[]), ..Default::default() }).is_err());
}

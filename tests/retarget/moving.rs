//! What a motion is on another body.

use super::bodies::{apart, arms_lowered, body, clip, legs_spread, open, skew, without_inner_spine, without_spine};
use sinew::figure::{CaptureOptions, Figure, FigureOptions, SolePart, SolePoint, for_skeleton};
use sinew::formats::gltf;
use sinew::measure::{Jumps, Key, Measure, MeasureOptions, Report};
use sinew::motion::{Clip, DetectedRole, Joint, Role, Side, Skeleton, Tracks, edit};
use sinew::retarget::{Body, BodyOptions, Path, Retarget, RetargetOptions, Retargeted};
use sinew::{Quat, Vec3};

fn run(source: &Body, target: &Body, clip: &Clip, options: RetargetOptions) -> Retargeted {
    Retarget { source, target, clip, options }.run().expect("the clip can be moved")
}

fn moved(source: &Body, target: &Body, clip: &Clip) -> Retargeted {
    run(source, target, clip, RetargetOptions::default())
}

/// The heavy character with its skin, which says where its soles are.
fn heavy() -> (Skeleton, Vec<Vec<Vec3>>, Body) {
    let capture = open("characters/heavy.glb");
    let skin = gltf::skin_vertices(&capture).unwrap().unwrap();
    let body = Body::new(&capture.skeleton, &BodyOptions { skin: Some(&skin), ..BodyOptions::default() });
    (capture.skeleton, skin, body)
}

fn measured(skeleton: &Skeleton, clip: &Clip, ground: Option<f64>) -> Report {
    measured_with(skeleton, None, clip, ground)
}

fn measured_with(skeleton: &Skeleton, skin: Option<&[Vec<Vec3>]>, clip: &Clip, ground: Option<f64>) -> Report {
    let figure =
        Figure::build(skeleton, &FigureOptions { clip: Some(clip), skin, ..FigureOptions::default() }).unwrap();
    let options = MeasureOptions { ground, made: ground.is_some(), ..MeasureOptions::default() };
    Measure { figure: &figure, clip, options }.run().unwrap()
}

#[test]
fn a_clip_on_its_own_body_is_as_it_was() {
    for file in ["clips/walk.bvh", "clips/jump.bvh", "clips/dog_walk.bvh", "clips/heavy_walk.bvh"] {
        let (skeleton, clip) = clip(file);
        let result = moved(&body(&skeleton), &body(&skeleton), &clip);
        assert!(result.same && apart((&skeleton, &clip), (&skeleton, &result.clip), 0) <= 1e-4, "{file}");
    }
}

/// Same bones, another rest pose, other axes: the same places, whatever the rest pose. Nothing has to be held, so the transfer
/// alone answers for it.
#[test]
fn bones_go_where_they_went_whatever_pose_they_rest_in() {
    let (skeleton, clip) = clip("clips/walk.bvh");
    let source = body(&skeleton);
    for (pose, angle) in [("A", 0.8), ("N", 1.45), ("raised", -0.6)] {
        let other = arms_lowered(&skeleton, angle);
        let options = RetargetOptions { hold_contacts: false, limits: false, ..RetargetOptions::default() };
        let result = run(&source, &body(&other), &clip, options);
        let far = apart((&skeleton, &clip), (&other, &result.clip), 0);
        assert!(far < 2e-3, "{pose} pose: {:.1} mm", 1e3 * far);
    }
}

/// Zero angles of recorders spread the legs, feet with them; ankles hardly tilt. Feet come to lie as they did, not on their edges.
#[test]
fn feet_of_a_body_that_rests_with_spread_legs_stand_flat() {
    let (skeleton, clip) = clip("clips/walk.bvh");
    let other = legs_spread(&skeleton, 0.35);
    let options = RetargetOptions { hold_contacts: false, limits: false, ..RetargetOptions::default() };
    let result = run(&body(&skeleton), &body(&other), &clip, options).clip;
    let foot = skeleton.with_role(Role::Foot(Side::Left)).unwrap();
    for frame in (0..clip.frames()).step_by(10) {
        let turned = |skeleton: &Skeleton, clip: &Clip| clip.pose(skeleton, frame).world(skeleton)[foot].rotation;
        let off = turned(&skeleton, &clip).angle_to(&(turned(&other, &result) * skew(foot).inverse())).to_degrees();
        assert!(off < 3.0, "frame {frame}: {off:.1}°");
    }
}

/// A report on the written motion stands on the soles that it was made for, not on those that a capture would have: feet that hang
/// with spread legs are guessed elsewhere.
#[test]
fn a_figure_made_for_the_result_does_not_sink() {
    let (skeleton, _) = clip("clips/walk.bvh");
    let other = legs_spread(&skeleton, 0.35);
    let target = body(&other);
    let mut guessed: f64 = 0.0;
    for file in ["clips/walk.bvh", "clips/run.bvh", "clips/jump.bvh", "clips/heavy_walk.bvh"] {
        let (skeleton, clip) = clip(file);
        let result = moved(&body(&skeleton), &target, &clip);
        let options = FigureOptions { clip: Some(&result.clip), ..FigureOptions::default() };
        let deep = |figure: &Figure| {
            let options = MeasureOptions { ground: Some(result.ground), made: true, ..MeasureOptions::default() };
            let report = Measure { figure, clip: &result.clip, options }.run().unwrap();
            report.get(Key::PenetrationMax).unwrap()
        };
        let depth = deep(&for_skeleton(&other, Some(&result.clip), None, &CaptureOptions::default()).unwrap().0);
        assert!(depth <= 0.2, "{file}: {depth:.2} mm deep");
        guessed = guessed.max(deep(&Figure::build(&other, &options).unwrap()));
    }
    assert!(guessed > 1.0, "any soles would do: {guessed:.2} mm");
}

#[test]
fn there_and_back_gives_the_angles_within_two_degrees() {
    let (_, _, target) = heavy();
    for file in ["clips/walk.bvh", "clips/run.bvh", "clips/jump.bvh", "clips/wave.bvh"] {
        let (skeleton, clip) = clip(file);
        let source = body(&skeleton);
        let back = moved(&target, &source, &moved(&source, &target, &clip).clip).clip;
        let (mut sum, mut count) = (0.0, 0);
        for frame in 0..clip.frames() {
            for (a, b) in clip.rotations(frame).iter().zip(back.rotations(frame)) {
                sum += a.angle_to(b).to_degrees();
                count += 1;
            }
        }
        let mean = sum / count as f64;
        assert!(mean < 2.0, "{file}: {mean:.2}°");
        // Heels strike and leave the ground as they did, on feet that lie flat between.
        for side in [Side::Left, Side::Right] {
            let foot = skeleton.with_role(Role::Foot(side)).unwrap();
            let off = |frame: usize| clip.rotations(frame)[foot].angle_to(&back.rotations(frame)[foot]).to_degrees();
            let mean = (0..clip.frames()).map(off).sum::<f64>() / clip.frames() as f64;
            assert!(mean < 5.5, "{file}: feet are off by {mean:.2}°");
        }
    }
}

/// What a body with fewer joints in its spine cannot carry is held as a motion of the body's own has it, also beyond the limits of its figure.
#[test]
fn joints_that_the_other_lacks_are_held_as_in_a_motion_of_their_own() {
    let (skeleton, walk) = clip("clips/walk.bvh");
    let held = [(Role::Spine(0), 0.3), (Role::Spine(1), -0.3)];
    let held =
        held.map(|(role, angle)| (skeleton.with_role(role).unwrap(), Quat::from_axis_angle(&Vec3::x_axis(), angle)));
    let rotations = (0..walk.frames()).flat_map(|frame| {
        let mut rotations = walk.rotations(frame).to_vec();
        held.iter().for_each(|(joint, turn)| rotations[*joint] *= turn);
        rotations
    });
    let (rate, joints) = (walk.rate_hz(), skeleton.len());
    let clip =
        Clip::new("bowed", rate, joints, rotations.collect(), walk.translations().clone(), Tracks::default()).unwrap();
    let other = body(&without_spine(&skeleton, |k| k == 1));
    let off = |source: Body| {
        let back = moved(&other, &source, &moved(&source, &other, &clip).clip).clip;
        let off = |frame: usize, joint: usize| clip.rotations(frame)[joint].angle_to(&back.rotations(frame)[joint]);
        let spine = held.iter().map(|(joint, _)| *joint);
        let off = spine
            .flat_map(|joint| (0..clip.frames()).map(move |frame| off(frame, joint).to_degrees()).collect::<Vec<_>>());
        off.fold(0.0, f64::max)
    };
    let (alone, shown) =
        (body(&skeleton), Body::new(&skeleton, &BodyOptions { example: Some(&clip), ..BodyOptions::default() }));
    let (alone, shown) = (off(alone), off(shown));
    assert!(alone > 10.0 && shown < 3.0, "{alone} {shown}");
}

/// No frame may depend on those before it.
#[test]
fn a_clip_cut_later_gives_the_same_poses() {
    let (skeleton, clip) = clip("clips/walk.bvh");
    let heavy = open("characters/heavy.glb").skeleton;
    let (source, target) = (body(&skeleton), body(&heavy));
    let whole = moved(&source, &target, &clip).clip;
    for start in [1, 7, 28, 39, 40, 41, 60, 63, 97, 150, 190] {
        let cut = edit::slice(&clip, start..clip.frames()).unwrap();
        let far = apart((&heavy, &whole), (&heavy, &moved(&source, &target, &cut).clip), start);
        assert!(far <= 1e-4, "cut at {start}: {:.3} mm", 1e3 * far);
    }
}

/// A motion that was moved comes down to the very ground on the soles of its body; a capture that sinks and floats does not.
#[test]
fn a_motion_tells_the_body_it_was_made_for() {
    let (skeleton, clip) = clip("clips/walk.bvh");
    let other = legs_spread(&skeleton, 0.35);
    let target = body(&other);
    let soles = |figure: &Figure| figure.sole_points().iter().map(|sole| sole.point).collect::<Vec<Vec3>>();
    let apart = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let own = soles(target.figure().unwrap());
    let found = |clip: &Clip| {
        let options = FigureOptions { clip: Some(clip), ..FigureOptions::default() };
        let (figure, _) = for_skeleton(&other, Some(clip), None, &CaptureOptions::default()).unwrap();
        assert_eq!(figure.skeleton(), &other);
        (soles(&figure), soles(&Figure::build(&other, &options).unwrap()))
    };
    let result = moved(&body(&skeleton), &target, &clip).clip;
    assert!(apart(&found(&result).0, &own) < 1e-9, "{} m", apart(&found(&result).0, &own));
    // The same motion 7 mm higher was not made for them.
    let mut tracks = result.translations().clone();
    tracks.values.iter_mut().for_each(|place| place.y += 0.007);
    let rotations = (0..result.frames()).flat_map(|frame| result.rotations(frame).to_vec()).collect();
    let raised = Clip::new("raised", result.rate_hz(), result.joints(), rotations, tracks, Tracks::default());
    let (body, built) = found(&raised.unwrap());
    assert!(apart(&body, &built) < 1e-12);
}

/// Spines of one and of three joints bend alike and would lead elsewhere.
#[test]
fn shoulders_are_seen_from_the_hips_where_they_were() {
    let (skeleton, clip) = clip("clips/crouch.bvh");
    let source = body(&skeleton);
    // All of the spine in one joint: the others are gone from between it and what they carried.
    let first = skeleton.with_role(Role::Spine(0)).unwrap();
    let stiff = without_inner_spine(&skeleton);
    let target = body(&stiff);
    assert!(first < stiff.len());
    let result = moved(&source, &target, &clip).clip;
    let up = |(body, clip): (&Body, &Clip), frame: usize| {
        let world = clip.pose(body.skeleton(), frame).world(body.skeleton());
        let at = |role: fn(Side) -> Role| {
            let [l, r] = [Side::Left, Side::Right].map(|s| world[body.skeleton().with_role(role(s)).unwrap()].position);
            0.5 * (l + r)
        };
        (at(Role::UpperArm) - at(Role::UpperLeg)).normalize()
    };
    for frame in (0..clip.frames()).step_by(5) {
        let off = up((&source, &clip), frame).angle(&up((&target, &result), frame)).to_degrees();
        assert!(off < 0.05, "frame {frame}: {off:.2}°");
    }
}

/// Spines of two and of three joints: what is below the chest turns until the shoulders are where they were, and the chest is turned as it was,
/// so that arms and head find the same trunk there and back.
#[test]
fn the_chest_is_turned_as_it_was_where_there_is_a_spine_below_it() {
    let (skeleton, clip) = clip("clips/crouch.bvh");
    let source = body(&skeleton);
    let chest = |body: &Body| {
        let last = body.guesses().iter().filter(|guess| matches!(guess.role, Some(Role::Spine(_)))).count() as u8 - 1;
        body.skeleton().with_role(Role::Spine(last)).unwrap()
    };
    // All of the bend is low in the spine, and some of it is taken back above.
    let mut rotations = Vec::new();
    for frame in 0..clip.frames() {
        let mut pose = clip.rotations(frame).to_vec();
        for (k, angle) in [(0, 0.5), (1, -0.3)] {
            let joint = skeleton.with_role(Role::Spine(k)).unwrap();
            pose[joint] *= Quat::from_axis_angle(&Vec3::x_axis(), angle);
        }
        rotations.extend(pose);
    }
    let hips = (0..clip.frames()).map(|frame| clip.pose(&skeleton, frame).translations[0]).collect();
    let places = Tracks { joints: vec![0], values: hips };
    let clip = Clip::new("bent", clip.rate_hz(), skeleton.len(), rotations, places, Tracks::default()).unwrap();
    let off = |target: &Body, frame: usize| {
        let result = moved(&source, target, &clip).clip;
        let turned =
            |body: &Body, clip: &Clip| clip.pose(body.skeleton(), frame).world(body.skeleton())[chest(body)].rotation;
        turned(&source, &clip).angle_to(&turned(target, &result)).to_degrees()
    };
    let shorter = body(&without_spine(&skeleton, |k| k == 1));
    let stiff = body(&without_inner_spine(&skeleton));
    for frame in (0..clip.frames()).step_by(50) {
        assert!(off(&shorter, frame) < 0.05, "frame {frame}: {:.2}°", off(&shorter, frame));
        // A spine of one joint is all chest.
        assert!(off(&stiff, frame) > 1.0, "frame {frame}: {:.2}°", off(&stiff, frame));
    }
}

/// Mean angle between bones of both bodies, seen from the hips (across) and the trunk (up).
fn direction_error(a: (&Body, &Clip), b: (&Body, &Clip), roles: [fn(Side) -> Role; 2]) -> f64 {
    let seen = |(body, clip): (&Body, &Clip), frame: usize| {
        let world = clip.pose(body.skeleton(), frame).world(body.skeleton());
        let at = |role: Role| world[body.skeleton().with_role(role).unwrap()].position;
        let [l, r] = [Side::Left, Side::Right].map(|s| at(Role::UpperLeg(s)));
        let [p, q] = [Side::Left, Side::Right].map(|s| at(Role::UpperArm(s)));
        let up = (p + q - l - r).normalize();
        let left = (l - r - up * (l - r).dot(&up)).normalize();
        [Side::Left, Side::Right].map(|s| {
            let bone = (at(roles[1](s)) - at(roles[0](s))).normalize();
            Vec3::new(bone.dot(&left), bone.dot(&up), bone.dot(&left.cross(&up)))
        })
    };
    let frames = a.1.frames();
    let angle = |frame: usize| {
        let (one, other) = (seen(a, frame), seen(b, frame));
        one.iter().zip(&other).map(|(a, b)| a.angle(b).to_degrees()).sum::<f64>() / 2.0
    };
    (0..frames).map(angle).sum::<f64>() / frames as f64
}

#[test]
fn arms_and_thighs_point_where_they_did() {
    let (_, _, heavy) = heavy();
    for file in ["clips/walk.bvh", "clips/run.bvh", "clips/jump.bvh", "clips/wave.bvh"] {
        let (skeleton, clip) = clip(file);
        let source = body(&skeleton);
        let result = moved(&source, &heavy, &clip).clip;
        let arms = direction_error((&source, &clip), (&heavy, &result), [Role::UpperArm, Role::LowerArm]);
        let thighs = direction_error((&source, &clip), (&heavy, &result), [Role::UpperLeg, Role::LowerLeg]);
        assert!(arms < 3.0 && thighs < 3.0, "{file}: arms {arms:.2}°, thighs {thighs:.2}°");
    }
}

/// Feet slide by less than a centimetre a second and sink by less than 2 mm. In walks and runs the ball of a foot that is as stiff as a
/// board rolls under the joint of its toes, in the source as well; it does so no more than there.
#[test]
fn feet_stay_on_the_ground_and_out_of_it() {
    let (heavy, skin, target) = heavy();
    for (file, rolls) in [
        ("clips/walk.bvh", true),
        ("clips/run.bvh", true),
        ("clips/jump.bvh", false),
        ("clips/turn.bvh", false),
        ("clips/crouch.bvh", false),
    ] {
        let (skeleton, clip) = clip(file);
        let before = measured(&skeleton, &clip, None).get(Key::SkatePath).unwrap();
        let result = moved(&body(&skeleton), &target, &clip);
        let after = measured_with(&heavy, Some(&skin), &result.clip, Some(result.ground));
        let slide = after.get(Key::SkateFoot).unwrap();
        assert!(slide <= 10.0, "{file}: feet slide by {slide:.1} mm/s");
        let (skate, most) = (after.get(Key::SkatePath).unwrap(), if rolls { before } else { 10.0 });
        assert!(skate <= most, "{file}: points of feet move by {skate:.1} mm/s, not {most:.1}");
        let deep = after.get(Key::PenetrationMax).unwrap();
        assert!(deep <= 2.0, "{file}: {deep:.1} mm deep");
    }
}

/// Law of cosines: a straight leg that is 2 mm too short bends by 4° at hip and knee. Who stands straight goes on standing straight.
#[test]
fn straight_legs_stay_straight() {
    let (_, _, heavy) = heavy();
    let skeleton = open("characters/actor.glb").skeleton;
    let source = body(&skeleton);
    let rest = skeleton.rest_pose();
    let frames = 60;
    let rotations = (0..frames).flat_map(|_| rest.rotations.clone()).collect();
    let hips = Tracks { joints: vec![0], values: vec![rest.translations[0]; frames] };
    let clip = Clip::new("stands", 60.0, skeleton.len(), rotations, hips, Tracks::default()).unwrap();
    let result = moved(&source, &heavy, &clip).clip;
    for roles in [[Role::UpperLeg as fn(Side) -> Role, Role::LowerLeg], [Role::LowerLeg, Role::Foot]] {
        let off = direction_error((&source, &clip), (&heavy, &result), roles);
        assert!(off < 0.5, "{off:.2}°");
    }
}

/// A foot turns about its toes: from the moment they lie on the ground until they leave it their tip stays where it is.
#[test]
fn toes_that_stand_do_not_slide() {
    let (heavy, skin, target) = heavy();
    let (skeleton, clip) = clip("clips/walk.bvh");
    let result = moved(&body(&skeleton), &target, &clip);
    let report = measured_with(&heavy, Some(&skin), &result.clip, Some(result.ground));
    let figure = Figure::build(&heavy, &FigureOptions { skin: Some(&skin), ..FigureOptions::default() }).unwrap();
    let (mut way, mut steps) = (0.0, 0);
    for contact in report.contacts.iter().filter(|contact| contact.part == Some(SolePart::Tip)) {
        let is_it = |sole: &&SolePoint| sole.part == SolePart::Tip && sole.side == contact.side;
        let sole = *figure.sole_points().iter().find(is_it).unwrap();
        let at = |frame: usize| {
            let world = result.clip.pose(&heavy, frame).world(&heavy)[figure.segment(sole.segment).joint];
            world.position + world.rotation * sole.point
        };
        for frame in contact.frames.clone().skip(1) {
            let step = at(frame) - at(frame - 1);
            way += 1e3 * step.x.hypot(step.z);
            steps += 1;
        }
    }
    let skate = way * result.clip.rate_hz() / f64::from(steps);
    assert!(steps > 100 && skate < 10.0, "{skate:.1} mm/s over {steps} frames");
}

/// Without being held, feet of other proportions slide; that is what holding is for.
/// Frames in which a joint of the target spikes, by the law of a report, and no joint of the same role in the source does within 50 ms.
fn new_spikes(source: (&Body, &Clip), target: (&Body, &Clip)) -> Vec<(String, usize)> {
    let near = (0.05 * source.1.rate_hz()).ceil() as usize;
    let mut found = Vec::new();
    for (j, guess) in target.0.guesses().iter().enumerate() {
        let with_role =
            |(k, other): (usize, &DetectedRole)| (guess.role.is_some() && other.role == guess.role).then_some(k);
        let known = source.0.guesses().iter().enumerate().find_map(with_role).map(|k| Jumps::of_joint(source.1, k));
        for frame in Jumps::of_joint(target.1, j).spikes() {
            let spikes = |jumps: &Jumps| (frame.saturating_sub(near)..=frame + near).any(|frame| jumps.is_spike(frame));
            if !known.as_ref().is_some_and(spikes) {
                found.push((target.0.skeleton().joint(j).name.clone(), frame));
            }
        }
    }
    found
}

/// Knees that are nearly straight when a foot touches or leaves, toes that bend out of the ground: the speed of no joint jumps that did not jump in
/// the source, although feet stay where they stand and out of the ground.
#[test]
fn no_joint_spikes_that_did_not_in_the_source() {
    let (skeleton, skin, target) = heavy();
    for file in ["clips/walk.bvh", "clips/run.bvh", "clips/jump.bvh", "clips/turn.bvh"] {
        let (own, clip) = clip(file);
        let source = body(&own);
        let result = moved(&source, &target, &clip).clip;
        let spikes = new_spikes((&source, &clip), (&target, &result));
        assert!(spikes.is_empty(), "{file}: {spikes:?}");
        let report = measured_with(&skeleton, Some(&skin), &result, Some(0.0));
        let get = |key| report.get(key).unwrap_or(0.0);
        assert!(get(Key::SkateFoot) <= 10.0 && get(Key::PenetrationMax) <= 2.0, "{file}");
    }
}

#[test]
fn holding_contacts_is_what_keeps_feet_from_sliding() {
    let heavy = open("characters/heavy.glb").skeleton;
    let (skeleton, clip) = clip("clips/crouch.bvh");
    let (source, target) = (body(&skeleton), body(&heavy));
    let slide = |hold_contacts: bool| {
        let result = run(&source, &target, &clip, RetargetOptions { hold_contacts, ..RetargetOptions::default() });
        measured(&heavy, &result.clip, Some(result.ground)).get(Key::SkatePath).unwrap()
    };
    assert!(slide(true) < 0.5 * slide(false), "{} {}", slide(true), slide(false));
}

#[test]
fn the_path_is_scaled_by_the_legs_or_kept() {
    let heavy = open("characters/heavy.glb").skeleton;
    let (skeleton, clip) = clip("clips/walk.bvh");
    let (source, target) = (body(&skeleton), body(&heavy));
    let way = |skeleton: &Skeleton, clip: &Clip| {
        let hips = skeleton.with_role(Role::Hips).unwrap();
        let at = |frame: usize| clip.pose(skeleton, frame).world(skeleton)[hips].position;
        (at(clip.frames() - 1) - at(0)).norm()
    };
    for (path, factor) in [(Path::Scaled, None), (Path::Kept, Some(1.0))] {
        let result = run(&source, &target, &clip, RetargetOptions { path, ..RetargetOptions::default() });
        let share = way(target.skeleton(), &result.clip) / way(source.skeleton(), &clip);
        assert!((share - factor.unwrap_or(result.scale)).abs() < 0.03, "{path:?}: {share} {}", result.scale);
    }
}

/// Feet that stand on a treadmill stand on it on another body: what is moved there is the walk over ground, less the way of the treadmill.
#[test]
fn a_walk_in_place_is_moved_as_the_walk_over_ground() {
    let (heavy, skin, target) = heavy();
    let (skeleton, over_ground) = clip("clips/walk.bvh");
    let source = body(&skeleton);
    let hips = skeleton.with_role(Role::Hips).unwrap();
    let frames = over_ground.frames();
    let root = |frame: usize| over_ground.pose(&skeleton, frame).translations[hips];
    let step = (root(frames - 1) - root(0)) / (frames - 1) as f64;
    let mut translations = over_ground.translations().clone();
    assert_eq!(translations.joints, [hips]);
    for (frame, at) in translations.values.iter_mut().enumerate() {
        *at -= Vec3::new(step.x, 0.0, step.z) * frame as f64;
    }
    let rotations = (0..frames).flat_map(|frame| over_ground.rotations(frame).to_vec()).collect();
    let in_place =
        Clip::new("in place", over_ground.rate_hz(), skeleton.len(), rotations, translations, Tracks::default())
            .unwrap();
    let (there, here) = (moved(&source, &target, &over_ground), moved(&source, &target, &in_place));
    let turned = |frame: usize| {
        let both = there.clip.rotations(frame).iter().zip(here.clip.rotations(frame));
        both.map(|(a, b)| a.angle_to(b)).fold(0.0, f64::max)
    };
    let most = (0..frames).map(turned).fold(0.0, f64::max);
    assert!(most.to_degrees() < 1.5, "{}", most.to_degrees());
    let root = |result: &Retargeted, frame: usize| result.clip.translations().values[frame];
    let stays = (root(&here, frames - 1) - root(&here, 0)).norm();
    assert!(stays < 0.05 * (root(&there, frames - 1) - root(&there, 0)).norm(), "{stays}");
    let report = measured_with(&heavy, Some(&skin), &here.clip, Some(here.ground));
    let skate = report.get(Key::SkateFoot).unwrap();
    assert!(report.basis.treadmill.norm() > 0.5 && skate < 5.0, "{:?} {skate}", report.basis);
}

/// Hands that reach the ground carry the body while its feet are up. The foot that leaves, or comes, goes up with the body then, and does not tear
/// the pelvis down within a frame.
#[test]
fn a_body_that_is_carried_by_its_hands_does_not_leap_when_a_foot_leaves() {
    let (skeleton, clip) = clip("clips/run.bvh");
    let long = |joint: &Joint| match joint.role {
        Some(Role::LowerArm(_) | Role::Hand(_)) => Joint { offset: joint.offset * 3.0, ..joint.clone() },
        _ => joint.clone(),
    };
    let ape = Skeleton::new(skeleton.joints().iter().map(long).collect()).unwrap();
    let result = moved(&body(&skeleton), &body(&ape), &clip);
    let fastest = |skeleton: &Skeleton, clip: &Clip| {
        let hips = skeleton.with_role(Role::Hips).unwrap();
        let at = |frame: usize| clip.pose(skeleton, frame).world(skeleton)[hips].position;
        (1..clip.frames()).map(|frame| (at(frame) - at(frame - 1)).norm()).fold(0.0, f64::max)
    };
    let (before, after) = (fastest(&skeleton, &clip), fastest(&ape, &result.clip));
    assert!(after < 1.3 * before, "{after} m from one frame to the next, {before} in the source");
}

/// A body whose arms are a third longer still brings its hands together as the source does.
#[test]
fn hands_keep_their_distance_where_that_is_asked_for() {
    let (skeleton, clip) = clip("clips/idle.bvh");
    let mut joints = skeleton.joints().to_vec();
    for joint in &mut joints {
        if matches!(joint.role, Some(Role::LowerArm(_) | Role::Hand(_))) {
            joint.offset *= 1.3;
        }
    }
    let long = Skeleton::new(joints).unwrap();
    let (source, target) = (body(&skeleton), body(&long));
    let gap = |body: &Body, clip: &Clip| {
        let world = clip.pose(body.skeleton(), 60).world(body.skeleton());
        let at = |role: Role| world[body.skeleton().with_role(role).unwrap()].position;
        // The hands hang beside the thighs.
        (at(Role::Hand(Side::Left)) - at(Role::UpperLeg(Side::Left))).norm()
    };
    let keep = |keep_hands: bool| {
        let options = RetargetOptions { keep_hands, ..RetargetOptions::default() };
        gap(&target, &run(&source, &target, &clip, options).clip)
    };
    let wanted = gap(&source, &clip);
    assert!((keep(true) - wanted).abs() < (keep(false) - wanted).abs(), "{} {} {wanted}", keep(true), keep(false));
}

#[test]
fn a_dog_moves_another_dog_by_shape_alone() {
    let (skeleton, clip) = clip("clips/dog_walk.bvh");
    let other = super::bodies::nameless(&skeleton).scaled(1.4);
    let (source, target) = (body(&skeleton), body(&other));
    let map = sinew::retarget::JointMap::between(&source, &target).unwrap();
    assert!(map.joints.len() > 15, "{map:?}");
    let result = moved(&source, &target, &clip);
    assert!((result.scale - 1.4).abs() < 0.05, "{}", result.scale);
    // Paws are set down on the ground, if not as exactly as feet whose soles are known.
    let deep = measured(target.skeleton(), &result.clip, Some(0.0)).get(Key::PenetrationMax).unwrap();
    assert!(deep < 15.0, "{deep}");
}

/// Legs of three bones stand as firmly as those of two, and bend at the hock as well.
#[test]
fn legs_of_three_bones_stand_on_the_ground() {
    let (skeleton, clip) = clip("clips/crouch.bvh");
    let other = super::bodies::with_hocks(&skeleton);
    let (source, target) = (body(&skeleton), body(&other));
    let result = moved(&source, &target, &clip);
    let report = measured(target.skeleton(), &result.clip, Some(result.ground));
    let (skate, deep) = (report.get(Key::SkatePath).unwrap(), report.get(Key::PenetrationMax).unwrap());
    assert!(skate < 10.0 && deep <= 2.0, "{skate:.1} mm/s, {deep:.1} mm deep");
    // Longer steps than the posture has bend all joints of a leg.
    let (skeleton, clip) = super::bodies::clip("clips/walk.bvh");
    let small = other.scaled(0.8);
    let options = RetargetOptions { path: Path::Kept, ..RetargetOptions::default() };
    let result = run(&body(&skeleton), &body(&small), &clip, options);
    let hock = small.joints().iter().position(|joint| joint.name.ends_with("Hock")).unwrap();
    let rest = small.joint(hock).rest;
    let most = (0..clip.frames()).map(|frame| result.clip.rotations(frame)[hock].angle_to(&rest)).fold(0.0, f64::max);
    assert!(most > 0.05, "{most}");
}

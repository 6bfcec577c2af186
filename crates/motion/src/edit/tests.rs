//! The laws of editing.

use super::*;
use crate::{Clip, ClipError, GroundMove, Joint, Looping, Pose, Sampler, Skeleton, Tracks, root_motion};
use crate::{Quat, Real, Vec3};
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};

/// Hips that travel, a spine, two arms whose rest frames have nothing to do with each other, a leaf that slides.
fn figure() -> Skeleton {
    let turned = |name: &str, parent, world: Vec3, offset: Vec3| {
        let mut joint = Joint::new(name, Some(parent), offset);
        joint.rest = Quat::new(world);
        joint
    };
    Skeleton::new(vec![
        Joint::new("Hips", None, Vec3::new(0.0, 1.0, 0.0)),
        turned("Spine", 0, Vec3::new(0.3, 0.0, 0.0), Vec3::y() * 0.3),
        turned("LeftArm", 1, Vec3::new(0.1, 0.7, -1.1), Vec3::new(0.2, 0.2, 0.0)),
        turned("RightArm", 1, Vec3::new(-1.4, 0.2, 0.5), Vec3::new(-0.2, 0.2, 0.0)),
        Joint::new("hat", Some(1), Vec3::y() * 0.4),
    ])
    .unwrap()
}

/// A clip from few numbers: everything moves, nothing repeats.
fn motion(frames: usize, seed: Real) -> Clip {
    let mut rotations = vec![];
    let mut places = vec![];
    for f in 0..frames {
        let t = f as Real / 30.0;
        for j in 0..5 {
            let w = 1.0 + j as Real + seed;
            rotations.push(Quat::new(Vec3::new((w * t).sin(), (0.7 * w * t + seed).cos(), 0.4 * (3.0 * t + w).sin())));
        }
        places.push(Vec3::new(t + seed, 1.0 + 0.1 * (5.0 * t).sin(), 0.3 * t * t - seed));
        places.push(Vec3::new(0.05 * (4.0 * t).sin(), 0.4, 0.02 * seed));
    }
    let translations = Tracks { joints: vec![0, 4], values: places };
    Clip::new("test", 30.0, 5, rotations, translations, Tracks::default()).unwrap()
}

fn distance(skeleton: &Skeleton, a: &Clip, b: &Clip) -> Real {
    assert_eq!(a.frames(), b.frames());
    (0..a.frames()).map(|f| apart(&a.pose(skeleton, f), &b.pose(skeleton, f))).fold(0.0, Real::max)
}

fn apart(a: &Pose, b: &Pose) -> Real {
    let places = a.translations.iter().zip(&b.translations).map(|(a, b)| (a - b).norm());
    let turns = a.rotations.iter().zip(&b.rotations).map(|(a, b)| a.angle_to(b));
    // The angle of nearly equal quaternions is an arc cosine: 1e-8 is its rounding error.
    places.chain(turns.map(|angle| if angle < 5e-8 { 0.0 } else { angle })).fold(0.0, Real::max)
}

fn any_move() -> impl Strategy<Value = GroundMove> {
    (-3.0..3.0, -5.0..5.0, -5.0..5.0).prop_map(|(yaw, x, z)| GroundMove { yaw, translation: Vec3::new(x, 0.0, z) })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn mirroring_twice_is_the_identity(frames in 1usize..12, seed in -1.0..1.0) {
        let (skeleton, clip) = (figure(), motion(frames, seed));
        let mirror = Mirror::of(&skeleton);
        let twice = mirror.clip(&skeleton, &mirror.clip(&skeleton, &clip).unwrap()).unwrap();
        prop_assert!(distance(&skeleton, &clip, &twice) < 1e-9);
    }

    #[test]
    fn mirrored_joints_are_where_the_reflected_partners_are(frames in 1usize..5, seed in -1.0..1.0) {
        let (skeleton, clip) = (figure(), motion(frames, seed));
        let mirror = Mirror::of(&skeleton);
        prop_assert!(mirror.asymmetry(&skeleton) < 1e-12);
        let mirrored = mirror.clip(&skeleton, &clip).unwrap();
        for f in 0..frames {
            let world = clip.pose(&skeleton, f).world(&skeleton);
            for (j, frame) in mirrored.pose(&skeleton, f).world(&skeleton).iter().enumerate() {
                let p = world[[0, 1, 3, 2, 4][j]].position;
                prop_assert!((frame.position - Vec3::new(-p.x, p.y, p.z)).norm() < 1e-9);
            }
        }
    }

    #[test]
    fn slices_of_a_joined_clip_are_its_parts(a in 1usize..20, b in 1usize..20, seed in -1.0..1.0) {
        let (skeleton, first, second) = (figure(), motion(a, seed), motion(b, seed + 0.3));
        let whole = concatenate(&skeleton, &first, &second, Join::AsIs).unwrap();
        prop_assert_eq!(&slice(&whole, 0..a).unwrap(), &first);
        prop_assert_eq!(&slice(&whole, a..a + b).unwrap(), &second);

        let whole = concatenate(&skeleton, &first, &second, Join::Continue).unwrap();
        prop_assert_eq!(&slice(&whole, 0..a).unwrap(), &first);
        // The second part is the second clip, moved on the ground.
        let part = slice(&whole, a..a + b).unwrap();
        let back = cut::placement(&skeleton, &part, 0, &second.pose(&skeleton, 0), 0);
        let part = moved(&skeleton, &part, &back).unwrap();
        prop_assert!(distance(&skeleton, &part, &second) < 1e-9);
    }

    #[test]
    fn a_clip_cut_in_two_and_faded_over_its_overlap_is_whole_again(cut in 3usize..20, fade in 0usize..3, seed in -1.0..1.0) {
        let (skeleton, clip) = (figure(), motion(24, seed));
        let (first, second) = (slice(&clip, 0..cut + fade).unwrap(), slice(&clip, cut..24).unwrap());
        prop_assert!(distance(&skeleton, &cross_fade(&skeleton, &first, &second, fade, Join::AsIs).unwrap(), &clip) < 1e-9);
        if fade > 0 {
            let elsewhere = moved(&skeleton, &second, &GroundMove { yaw: 1.0, translation: Vec3::new(3.0, 0.0, 1.0) }).unwrap();
            let joined = cross_fade(&skeleton, &first, &elsewhere, fade, Join::Continue).unwrap();
            prop_assert!(distance(&skeleton, &joined, &clip) < 1e-9);
        }
    }

    #[test]
    fn a_fade_starts_with_the_first_and_ends_with_the_second(fade in 2usize..10, seed in -1.0..1.0) {
        let (skeleton, first, second) = (figure(), motion(12, seed), motion(14, -seed));
        let faded = cross_fade(&skeleton, &first, &second, fade, Join::AsIs).unwrap();
        prop_assert_eq!(faded.frames(), 26 - fade);
        for f in 0..=12 - fade {
            prop_assert_eq!(faded.pose(&skeleton, f), first.pose(&skeleton, f));
        }
        for f in 11..faded.frames() {
            prop_assert_eq!(faded.pose(&skeleton, f), second.pose(&skeleton, f + fade - 12));
        }
    }

    #[test]
    fn resampling_keeps_coinciding_samples(frames in 1usize..20, factor in 1usize..5, seed in -1.0..1.0) {
        let (skeleton, clip) = (figure(), motion(frames, seed));
        prop_assert_eq!(&resample(&skeleton, &clip, 30.0).unwrap(), &clip);
        let fine = resample(&skeleton, &clip, 30.0 * factor as Real).unwrap();
        prop_assert_eq!(fine.frames(), (frames - 1) * factor + 1);
        for f in 0..frames {
            prop_assert_eq!(fine.pose(&skeleton, f * factor), clip.pose(&skeleton, f));
        }
        let back = resample(&skeleton, &fine, 30.0).unwrap();
        prop_assert_eq!(&back, &clip);
    }

    #[test]
    fn reversing_twice_and_scaling_back_give_the_clip(frames in 1usize..9, speed in 0.1..9.0) {
        let clip = motion(frames, 0.2);
        let back = reversed(&clip).unwrap();
        prop_assert_eq!(&reversed(&back).unwrap(), &clip);
        prop_assert_eq!(back.rotations(0), clip.rotations(frames - 1));
        let fast = time_scaled(&clip, speed).unwrap();
        prop_assert!((fast.duration() * speed - clip.duration()).abs() < 1e-12);
        prop_assert_eq!(fast.rotations(frames - 1), clip.rotations(frames - 1));
    }

    #[test]
    fn ground_moves_form_a_group_with_fractions(a in any_move(), b in any_move(), p in -9.0..9.0, share in 0.0..1.0) {
        let point = Vec3::new(p, 1.0, -p);
        prop_assert!((a.then(&b).point(&point) - b.point(&a.point(&point))).norm() < 1e-9);
        prop_assert!((a.then(&a.inverse()).point(&point) - point).norm() < 1e-9);
        let parts = a.fraction(share).then(&a.fraction(1.0 - share));
        prop_assert!((parts.point(&point) - a.point(&point)).norm() < 1e-9);
    }

    #[test]
    fn moving_a_clip_moves_every_joint(by in any_move(), seed in -1.0..1.0) {
        let (skeleton, clip) = (figure(), motion(3, seed));
        let there = moved(&skeleton, &clip, &by).unwrap();
        let (a, b) = (clip.pose(&skeleton, 2).world(&skeleton), there.pose(&skeleton, 2).world(&skeleton));
        for (a, b) in a.iter().zip(&b) {
            prop_assert!((by.point(&a.position) - b.position).norm() < 1e-9);
            prop_assert!((by.rotation() * a.rotation).angle_to(&b.rotation) < 1e-6);
        }
    }

    #[test]
    fn a_blend_starts_and_ends_exactly_and_goes_the_short_way(seed in -1.0..1.0, weight in 0.0..1.0) {
        let skeleton = figure();
        let (a, b) = (motion(1, seed).pose(&skeleton, 0), motion(5, seed + 0.5).pose(&skeleton, 4));
        prop_assert_eq!(&a.blend(&b, 0.0), &a);
        prop_assert_eq!(&a.blend(&b, 1.0), &b);
        let between = a.blend(&b, weight);
        for j in 0..5 {
            let whole = a.rotations[j].angle_to(&b.rotations[j]);
            prop_assert!((a.rotations[j].angle_to(&between.rotations[j]) - weight * whole).abs() < 1e-6);
        }
    }
}

/// A walk of 1 m/s on an arc, cut a little off its period, so that neither posture nor velocity meets.
fn walk() -> Clip {
    let (mut rotations, mut values) = (vec![], vec![]);
    for f in 0..=40 {
        let t = f as Real / 30.0;
        let swing = (TAU * t / 1.3).sin();
        rotations.push(Quat::new(Vec3::y() * 0.4 * t) * Quat::new(Vec3::new(0.1 * swing, 0.0, 0.05)));
        rotations.extend([0.5, -0.6, 0.6, 0.1].map(|a| Quat::new(Vec3::new(a * swing, 0.1 * a * t, 0.0))));
        values.push(Vec3::new((0.4 * t).sin() / 0.4, 1.0 + 0.03 * swing * swing, (0.4 * t).cos() / 0.4));
    }
    let translations = Tracks { joints: vec![0], values };
    Clip::new("walk", 30.0, 5, rotations, translations, Tracks::default()).unwrap()
}

#[test]
fn a_closed_loop_meets_its_start_in_place_and_velocity() {
    let (skeleton, clip) = (figure(), walk());
    for travel in [CycleTravel::Keep, CycleTravel::Remove] {
        let cycle = close_loop(&skeleton, &clip, 12, travel).unwrap();
        let once = Sampler::new(&skeleton, &cycle).unwrap();
        let (start, end) = (once.sample(0.0), once.sample(once.duration()));
        let seam = match travel {
            CycleTravel::Keep => Sampler::looping(&skeleton, &cycle, Looping::Travel).unwrap().travel(),
            CycleTravel::Remove => GroundMove::NONE,
        };
        let mut expected = start.pose.clone();
        root_motion::move_pose(&skeleton, &mut expected, &[0], &seam);
        assert!(apart(&end.pose, &expected) < 1e-9);
        // The ends of an open spline know their velocity to a part in a hundred here.
        let turn = |j: usize| if j == 0 { seam.rotation() } else { Quat::identity() };
        for j in 0..5 {
            let gap = (end.angular_velocities[j] - turn(j) * start.angular_velocities[j]).norm();
            assert!(gap < 0.05, "{travel:?} joint {j}: {gap}");
        }
        assert!((end.velocities[0] - turn(0) * start.velocities[0]).norm() < 0.02);
        if travel == CycleTravel::Keep {
            assert_eq!(slice(&cycle, 0..29).unwrap(), slice(&clip, 0..29).unwrap());
            let covered = clip.pose(&skeleton, 40).translations[0] - clip.pose(&skeleton, 0).translations[0];
            let gap = cycle.pose(&skeleton, 40).translations[0] - clip.pose(&skeleton, 0).translations[0] - covered;
            assert!(Vec3::new(gap.x, 0.0, gap.z).norm() < 1e-9, "the ground covered is kept");
        } else {
            let path = cycle.translations().values.iter().map(|p| (p - start.pose.translations[0]).xz().norm());
            assert!(path.fold(0.0, Real::max) < 0.1, "the figure stays on the spot");
        }
    }
}

#[test]
fn a_loop_that_is_closed_already_stays() {
    let skeleton = figure();
    let phase = |f: usize| TAU * f as Real / 48.0;
    let rotations =
        (0..=48).flat_map(|f| (0..5).map(move |j| Quat::new(Vec3::x() * (phase(f) + j as Real).sin()))).collect();
    let values = (0..=48).map(|f| Vec3::new(0.0, 1.0 + 0.05 * phase(f).cos(), 0.02 * f as Real)).collect();
    let translations = Tracks { joints: vec![0], values };
    let clip = Clip::new("", 30.0, 5, rotations, translations, Tracks::default()).unwrap();
    let closed = close_loop(&skeleton, &clip, 10, CycleTravel::Keep).unwrap();
    // A swing of 1 rad changes by what the open ends mistake in velocity.
    let change = distance(&skeleton, &clip, &closed);
    assert!(change < 5e-4, "{change}");
    let again = close_loop(&skeleton, &closed, 10, CycleTravel::Keep).unwrap();
    assert!(distance(&skeleton, &closed, &again) < 1e-5);
}

#[test]
fn a_walk_goes_on_with_its_heading_and_pace_across_a_joint() {
    let skeleton = figure();
    let straight = |frames: usize, heading: Real, from: Vec3| {
        let turn = Quat::new(Vec3::y() * heading);
        let values = (0..frames).map(|f| from + turn * Vec3::z() * (0.05 * f as Real)).collect();
        let rotations =
            (0..frames).flat_map(|_| [turn, Quat::identity(), Quat::identity(), Quat::identity(), Quat::identity()]);
        let translations = Tracks { joints: vec![0], values };
        Clip::new("", 30.0, 5, rotations.collect(), translations, Tracks::default()).unwrap()
    };
    let whole = straight(30, 0.4, Vec3::y());
    let (first, second) = (straight(10, 0.4, Vec3::y()), straight(20, -2.5, Vec3::new(7.0, 1.0, -3.0)));
    let joined = concatenate(&skeleton, &first, &second, Join::Continue).unwrap();
    assert!(distance(&skeleton, &whole, &joined) < 1e-9);
}

#[test]
fn time_ranges_include_both_ends() {
    let clip = motion(31, 0.0);
    assert_eq!(slice_time(&clip, 0.0, 1.0).unwrap().frames(), 31);
    assert_eq!(slice_time(&clip, 0.1, 0.2).unwrap().frames(), 4);
    assert_eq!(slice_time(&clip, -5.0, 99.0).unwrap().frames(), 31);
    for (start, end) in [(0.5, 0.4), (1.1, 2.0), (-2.0, -1.0), (Real::NAN, 1.0), (0.0, Real::NAN)] {
        assert!(slice_time(&clip, start, end).is_err(), "{start} {end}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (skeleton, clip) = (figure(), motion(5, 0.0));
    let other = Skeleton::new(vec![Joint::new("one", None, Vec3::zeros())]).unwrap();
    let wrong = Err(ClipError::Joints { found: 5, expected: 1 });
    assert_eq!(resample(&other, &clip, 10.0), wrong);
    assert_eq!(Mirror::of(&other).clip(&other, &clip), wrong);
    assert_eq!(resample(&skeleton, &clip, 0.0), Err(ClipError::Rate(0.0)));
    assert_eq!(slice(&clip, 2..2), Err(ClipError::Range { start: 2, end: 2, frames: 5 }));
    assert!(matches!(time_scaled(&clip, -1.0), Err(ClipError::Rate(_))));
    let fast = time_scaled(&clip, 2.0).unwrap();
    assert_eq!(concatenate(&skeleton, &clip, &fast, Join::AsIs), Err(ClipError::RateMismatch(30.0, 60.0)));
    assert_eq!(
        cross_fade(&skeleton, &clip, &clip, 6, Join::AsIs),
        Err(ClipError::Fade { fade: 6, first: 5, second: 5 })
    );
    for window in [0, 5] {
        let refused = Err(ClipError::Window { window, frames: 5 });
        assert_eq!(close_loop(&skeleton, &clip, window, CycleTravel::Keep), refused);
    }
}

/// A heading is the same whichever of its two quaternions is given, and at most half a turn.
#[test]
fn a_change_of_heading_is_the_shorter_one() {
    for degrees in [-170.0, -100.0, -1.0, 0.0, 50.0, 179.0] {
        let yaw = Real::to_radians(degrees);
        let to = Quat::new(Vec3::y() * yaw);
        let flipped = Quat::new_unchecked(-to.into_inner());
        for to in [to, flipped] {
            let by = GroundMove::between((&Vec3::x(), &Quat::identity()), (&Vec3::z(), &to));
            assert!((by.yaw - yaw).abs() < 1e-9, "{degrees}: {by:?}");
            assert!((by.point(&Vec3::x()) - Vec3::z()).norm() < 1e-9);
        }
    }
}

/// Hands that slide in the frames of arms whose axes have nothing to do with each other.
#[test]
fn sliding_joints_are_mirrored_in_place() {
    let arms = figure();
    let rest = arms.rest_pose().world(&arms);
    let mut joints = arms.joints()[..4].to_vec();
    for (name, arm, x) in [("LeftHand", 2, 0.5), ("RightHand", 3, -0.5)] {
        let offset = rest[arm].rotation.inverse() * Vec3::new(x, 0.1, 0.2);
        joints.push(Joint::new(name, Some(arm), offset));
    }
    let skeleton = Skeleton::new(joints).unwrap();
    let rotations = (0..6).map(|j| Quat::new(Vec3::new(0.3 * j as Real, 0.5, -0.2 * j as Real))).collect();
    let values = vec![Vec3::new(0.3, 1.1, -2.0), Vec3::new(0.4, 0.2, 0.1), Vec3::new(-0.3, 0.5, 0.7)];
    let translations = Tracks { joints: vec![0, 4, 5], values };
    let clip = Clip::new("", 30.0, 6, rotations, translations, Tracks::default()).unwrap();
    let mirrored = Mirror::of(&skeleton).clip(&skeleton, &clip).unwrap();
    let (a, b) = (clip.pose(&skeleton, 0).world(&skeleton), mirrored.pose(&skeleton, 0).world(&skeleton));
    for (j, partner) in [0, 1, 3, 2, 5, 4].into_iter().enumerate() {
        let p = a[partner].position;
        assert!((b[j].position - Vec3::new(-p.x, p.y, p.z)).norm() < 1e-9, "joint {j}");
    }
}

/// Pairs are found by role, by name, and by place alone.
#[test]
fn partners_are_found_by_role_name_and_place() {
    let build = |names: [&str; 3]| {
        let joints = vec![
            Joint::new(names[0], None, Vec3::y()),
            Joint::new(names[1], Some(0), Vec3::new(0.3, 0.1, 0.0)),
            Joint::new(names[2], Some(0), Vec3::new(-0.3, 0.1, 0.0)),
        ];
        Skeleton::new(joints).unwrap()
    };
    for names in [["hips", "lfemur", "rfemur"], ["x", "wing.L.002", "wing.R.002"], ["a", "b", "c"]] {
        let mirror = Mirror::of(&build(names));
        assert_eq!(mirror.partners, [0, 2, 1], "{names:?}");
        assert_eq!(mirror.normal, Vec3::x());
    }
}

/// A figure that lies on its side at rest, left up: the motion is mirrored across an upright plane all the same.
#[test]
fn a_rest_pose_on_its_side_mirrors_across_an_upright_plane() {
    let skeleton = Skeleton::new(vec![
        Joint::new("Hips", None, Vec3::zeros()),
        Joint::new("LeftArm", Some(0), Vec3::new(0.4, 0.3, 0.0)),
        Joint::new("RightArm", Some(0), Vec3::new(0.4, -0.3, 0.0)),
    ])
    .unwrap();
    let mirror = Mirror::of(&skeleton);
    assert!((mirror.reference_normal.y.abs() - 1.0).abs() < 1e-12 && mirror.normal == Vec3::x());
    // Stood up, facing Z, left at +X, leaning a little.
    let mut pose = skeleton.rest_pose();
    pose.rotations[0] = Quat::new(Vec3::z() * -0.2) * Quat::new(Vec3::y() * PI) * Quat::new(Vec3::z() * (PI / 2.0));
    let (world, mirrored) = (pose.world(&skeleton), mirror.pose(&skeleton, &pose).world(&skeleton));
    for (j, partner) in [(1, 2), (2, 1)] {
        let p = world[partner].position;
        assert!((mirrored[j].position - Vec3::new(-p.x, p.y, p.z)).norm() < 1e-9);
    }
    assert!(apart(&mirror.pose(&skeleton, &mirror.pose(&skeleton, &pose)), &pose) < 1e-9);
}

//! Clips at the edge: a sensible result or a clear refusal, never a panic.

use crate::{Take, remade, standing};
use sinew::filter::{FilterError, FilterOptions, PrepareError, PrepareOptions, SolveError};
use sinew::measure::Key;
use sinew::motion::{Clip, Joint, Skeleton, Tracks};
use sinew::{Quat, Real, Vec3};

#[test]
fn poses_are_refused() {
    for frames in [0, 1, 4] {
        let take = standing(8);
        let clip = remade(&take.clip, frames, |t| t, |_| Vec3::zeros());
        let error = take.with(clip).prepare(PrepareOptions::default()).err().expect("is refused");
        assert_eq!(error, PrepareError::FewFrames(frames));
        let said = if frames == 1 { "1 frame;".to_owned() } else { format!("{frames} frames;") };
        assert!(error.to_string().contains(&said), "{error}");
    }
}

#[test]
fn the_clip_of_another_skeleton_is_refused() {
    let (actor, dog) = (Take::read("clips/idle.bvh"), Take::read("clips/dog_walk.bvh"));
    let error = actor.with(dog.clip).prepare(PrepareOptions::default()).err().expect("is refused");
    assert!(matches!(error, PrepareError::Joints { .. }), "{error}");
}

#[test]
fn a_body_that_never_touches_the_given_ground_is_refused() {
    let take = Take::read("clips/walk.bvh");
    let options = PrepareOptions { ground: Some(-3.0), ..PrepareOptions::default() };
    let error = take.prepare(options).err().expect("is refused");
    assert!(error.to_string().contains("above y = -3.00 m"), "{error}");
    assert!(matches!(error, PrepareError::NeverTouches { lowest, .. } if (lowest - 3.0).abs() < 0.01), "{error}");
    assert!(error.to_string().contains("ever stands on the ground"), "{error}");
}

/// Whoever only falls needs no ground: the result is the fall.
#[test]
fn a_free_fall_stays_a_free_fall() {
    let still = standing(40);
    let fall = |t: usize| Vec3::y() * (5.0 - 0.5 * 9.81 * (t as Real / 60.0).powi(2));
    let take = still.with(remade(&still.clip, 40, |t| t, fall));
    let options = PrepareOptions { ground: Some(0.0), looped: Some(false), ..PrepareOptions::default() };
    let filtered = take.filter(FilterOptions { prepare: options, ..Default::default() }).expect("filters");
    assert!(filtered.plan.targets.iter().all(Vec::is_empty));
    assert!(take.apart(&filtered.clip) < 1e-3);
}

/// A handstand: the ground is under the hands, and the hands carry.
#[test]
fn a_body_upside_down_stands_on_its_hands() {
    let still = standing(60);
    let over = Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI);
    let raise = |skeleton: &Skeleton, name: &str| skeleton.find(name).expect("an arm");
    let skeleton = still.figure.skeleton();
    let arms = ["LeftUpperArm", "RightUpperArm"].map(|name| raise(skeleton, name));
    let tracks = still.clip.translations();
    let mut rotations = Vec::new();
    for t in 0..60 {
        let mut row = still.clip.rotations(t).to_vec();
        for (arm, way) in arms.into_iter().zip([1.0, -1.0]) {
            row[arm] = Quat::from_axis_angle(&Vec3::z_axis(), way * 1.4);
        }
        row[0] = over * row[0];
        rotations.extend(row);
    }
    let clip = Clip::new("handstand", 60.0, still.clip.joints(), rotations, tracks.clone(), Tracks::default());
    let take = Take::new(skeleton, clip.expect("a clip"));
    match take.prepare(PrepareOptions::default()) {
        Ok(prepared) => {
            let stands: Vec<&str> = (prepared.preparation.contacts.features.iter())
                .filter(|(_, runs)| !runs.is_empty())
                .map(|(name, _)| name.as_str())
                .collect();
            assert!(!stands.is_empty() && stands.iter().all(|name| !name.contains("Foot")), "{stands:?}");
        }
        Err(error) => panic!("{error}"),
    }
}

/// Nothing of a seated body that floats half a metre up touches the ground given; the refusal says what carries it is missing.
#[test]
fn a_seated_body_without_a_seat_is_refused_or_told() {
    let still = standing(60);
    let skeleton = still.figure.skeleton();
    let find = |name: &str| skeleton.find(name).expect("a leg");
    let mut rotations = Vec::new();
    for t in 0..60 {
        let mut row = still.clip.rotations(t).to_vec();
        for side in ["Left", "Right"] {
            row[find(&format!("{side}UpperLeg"))] = Quat::from_axis_angle(&Vec3::x_axis(), -1.5);
            row[find(&format!("{side}LowerLeg"))] = Quat::from_axis_angle(&Vec3::x_axis(), 0.1);
        }
        rotations.extend(row);
    }
    let tracks = still.clip.translations().clone();
    let clip = Clip::new("seated", 60.0, still.clip.joints(), rotations, tracks, Tracks::default()).expect("a clip");
    let take = Take::new(skeleton, clip);
    let options = PrepareOptions { ground: Some(0.0), ..PrepareOptions::default() };
    match take.filter(FilterOptions { prepare: options, ..Default::default() }) {
        Err(FilterError::Prepare(PrepareError::NeverTouches { .. } | PrepareError::CarriedElsewhere { .. })) => {}
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("a body in the air is not carried by the ground"),
    }
}

/// A chain of 300 joints that lies on the ground and waves its end: it is known who stands, and told that solving it would take too long.
#[test]
fn three_hundred_joints_are_told_to_be_too_many() {
    let mut joints = vec![Joint::new("0", None, Vec3::new(0.0, 0.05, 0.0))];
    joints.extend((1..300).map(|k| Joint::new(k.to_string(), Some(k - 1), Vec3::new(0.02, 0.0, 0.0))));
    let skeleton = Skeleton::new(joints).expect("a chain");
    let frames = 12;
    let mut rotations = vec![Quat::identity(); 300 * frames];
    for t in 0..frames {
        rotations[t * 300 + 290] = Quat::from_axis_angle(&Vec3::z_axis(), 0.3 * (t as Real * 0.3).sin().abs());
    }
    let root = Tracks { joints: vec![0], values: vec![Vec3::new(0.0, 0.05, 0.0); frames] };
    let clip = Clip::new("chain", 30.0, 300, rotations, root, Tracks::default()).expect("a clip");
    let take = Take::new(&skeleton, clip);
    let prepared = take.prepare(PrepareOptions::default());
    assert!(prepared.is_ok(), "{:?}", prepared.err());
    // Equations of 900 unknowns a frame are refused at once.
    let error = take.filter(FilterOptions::default()).err().expect("is refused");
    assert!(matches!(error, FilterError::Solve(SolveError::TooLarge { segments: 299.., .. })), "{error}");
}

/// Walking in place is walking on a belt: filtered as if it got on, and given back in place.
#[test]
fn a_walk_in_place_stays_in_place() {
    let walk = Take::read("clips/walk.bvh");
    let speed = 3.0 * 1.42 / 3.2;
    let clip = remade(&walk.clip, walk.clip.frames(), |t| t, |t| Vec3::z() * (-speed * t as Real / 60.0));
    let take = walk.with(clip);
    let filtered = take.filter(FilterOptions::default()).expect("filters");
    let belt = filtered.preparation.repairs.treadmill;
    assert!((belt.z + speed).abs() < 0.1 && belt.x.abs() < 0.05, "{belt}");
    assert!(take.apart(&filtered.clip) < 0.03, "{}", take.apart(&filtered.clip));
    let once = filtered.clip.clone();
    let on_ground = filtered.preparation.without_treadmill(&take.figure, filtered.clip).expect("a clip");
    let report = take.judge(&on_ground);
    assert!(report.get(Key::ResidualForceMean).expect("a number") < 0.002);
    // On its belt it is physical now.
    let twice = take.with(once.clone()).filter(FilterOptions::default()).expect("filters again");
    assert!(
        twice.preparation.physical && twice.preparation.repairs.treadmill.z < -1.0,
        "{:?}",
        twice.preparation.repairs
    );
    let moved = take.with(once).apart(&twice.clip);
    assert!(moved <= 1e-3, "joints moved by {:.2} mm the second time", 1e3 * moved);
}

/// A root nailed to its place has left its travel to the feet: it goes as it went, here for half of the time with 1.33 m/s, then not at
/// all. A belt of one speed would be half a metre off.
#[test]
fn a_nailed_root_gets_its_way_back() {
    let walk = Take::read("clips/walk.bvh");
    let take = walk.with(nailed(&walk));
    let (frames, stop) = (walk.clip.frames(), walk.clip.frames() / 2);
    let way = |clip: &Clip, t: usize| level(root(&walk, clip, t) - root(&walk, clip, 0));
    let prepared = take.prepare(PrepareOptions::default()).expect("prepares");
    for t in 0..frames {
        let off = way(&prepared.clip, t) - way(&walk.clip, t.min(stop));
        assert!(off.norm() < 0.12, "frame {t}: the root is {off} off");
    }
    assert!(prepared.preparation.repairs.restored.z > 0.5 && prepared.preparation.treadmill_path.is_empty());
}

/// Ground that goes faster and slower is no place to see forces from: what got its way back is given out as it gets on, and is physical
/// there for whoever looks.
#[test]
fn a_root_that_got_its_way_back_stays_as_it_is() {
    let walk = Take::read("clips/walk.bvh");
    let once = walk.with(nailed(&walk)).filter(FilterOptions::default()).expect("filters").clip;
    let residual = walk.judge(&once).get(Key::ResidualForceMean).expect("a number");
    assert!(residual < 0.002, "{residual} of the weight is missing");
    let twice = walk.with(once.clone()).filter(FilterOptions::default()).expect("filters again");
    let moved = walk.with(once).apart(&twice.clip);
    assert!(twice.preparation.physical && moved <= 1e-3, "moved by {:.2} mm", 1e3 * moved);
}

fn level(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}

fn root(take: &Take, clip: &Clip, t: usize) -> Vec3 {
    clip.pose(take.figure.skeleton(), t).translations[0]
}

/// Walks for half of the time, then stands, with the root above one place.
fn nailed(walk: &Take) -> Clip {
    let (frames, stop) = (walk.clip.frames(), walk.clip.frames() / 2);
    let back = |t: usize| level(root(walk, &walk.clip, 0) - root(walk, &walk.clip, t.min(stop)));
    remade(&walk.clip, frames, |t| t.min(stop), back)
}

/// Two frames of a loop that show another moment of it are drawn between those around them.
#[test]
fn frames_lost_in_a_loop_are_drawn_again() {
    let walk = Take::read("clips/walk.bvh");
    let lost = |t: usize| if t == 40 || t == 41 { t + 24 } else { t };
    let take = walk.with(remade(&walk.clip, walk.clip.frames(), lost, |_| Vec3::zeros()));
    let prepared = take.prepare(PrepareOptions::default()).expect("prepares");
    assert!(prepared.preparation.looped);
    assert_eq!(prepared.preparation.outlier_frames, [40, 41]);
    assert!(walk.apart(&prepared.clip) < 1e-3, "{}", walk.apart(&prepared.clip));
}

/// A minute that ends where it began is long, not a loop: loops are solved in one piece, and memory must not grow with a clip.
#[test]
fn long_clips_are_not_taken_for_loops() {
    let turn = Take::read("clips/turn.bvh");
    let last = turn.clip.frames() - 1;
    // To and fro.
    let swing = |t: usize| last - (t % (2 * last)).abs_diff(last);
    let prepare = |cycles: usize| {
        let clip = remade(&turn.clip, 2 * last * cycles + 1, swing, |_| Vec3::zeros());
        turn.with(clip).prepare(PrepareOptions::default()).expect("prepares").preparation
    };
    assert!(prepare(1).looped && !prepare(8).looped);
}

/// In many drawn characters the feet hang on the root, as targets of the legs. The same body on such a skeleton is filtered to the same
/// motion.
#[test]
fn feet_that_hang_on_the_root_belong_to_the_legs() {
    let usual = Take::read("clips/turn.bvh");
    let skeleton = usual.figure.skeleton();
    let feet = ["LeftFoot", "RightFoot"].map(|name| skeleton.find(name).expect("a foot"));
    // A new root at the origin holds the old one and both feet.
    let rest = skeleton.rest_pose().world(skeleton);
    let mut joints = vec![Joint::new("Armature", None, Vec3::zeros())];
    for (j, joint) in skeleton.joints().iter().enumerate() {
        let parent = joint.parent.map_or(0, |parent| parent + 1);
        let mut joint = Joint { parent: Some(parent), ..joint.clone() };
        if feet.contains(&j) {
            (joint.parent, joint.offset, joint.rest) = (Some(0), rest[j].position, rest[j].rotation);
        }
        joints.push(joint);
    }
    let free = Skeleton::new(joints).expect("a skeleton");
    let (mut rotations, mut values) = (Vec::new(), Vec::new());
    for t in 0..usual.clip.frames() {
        let pose = usual.clip.pose(skeleton, t);
        let world = pose.world(skeleton);
        rotations.push(Quat::identity());
        let turn = |j: usize| if feet.contains(&j) { world[j].rotation } else { pose.rotations[j] };
        rotations.extend((0..skeleton.len()).map(turn));
        values.push(pose.translations[0]);
        values.extend(feet.map(|foot| world[foot].position));
    }
    let moved = Tracks { joints: vec![1, feet[0] + 1, feet[1] + 1], values };
    let clip = Clip::new("free", usual.clip.rate_hz(), free.len(), rotations, moved, Tracks::default());
    let take = Take::new(&free, clip.expect("a clip"));
    assert_eq!(take.figure.segments().len(), usual.figure.segments().len(), "the new root has no flesh");
    for (k, segment) in take.figure.segments().iter().enumerate().filter(|(_, s)| s.name.ends_with("Foot")) {
        let above = take.figure.segment(segment.parent.expect("something holds it")).name.as_str();
        assert!(above.ends_with("LowerLeg") && take.figure.is_placed(k), "{} hangs on {above}", segment.name);
    }
    let [one, other] = [&usual, &take].map(|take| take.filter(FilterOptions::default()).expect("filters").clip);
    for t in 0..one.frames() {
        let (a, b) = (one.pose(skeleton, t).world(skeleton), other.pose(&free, t).world(&free));
        for j in 0..skeleton.len() {
            let off = (a[j].position - b[j + 1].position).norm();
            assert!(off < 2e-3, "{} is {off} m off in frame {t}", skeleton.joint(j).name);
        }
    }
}

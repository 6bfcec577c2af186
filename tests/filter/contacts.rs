//! Who stands when: clips whose contacts are known by the way they are made.

use crate::{Take, remade, standing};
use sinew::filter::{ContactList, PrepareOptions};
use sinew::motion::{Clip, Tracks};
use sinew::{Quat, Real, Vec3};
use std::ops::Range;

fn feet(contacts: &ContactList) -> Vec<(&str, &[Range<usize>])> {
    let of_feet = |name: &str| name.ends_with("heel") || name.ends_with("ball") || name.ends_with("tip");
    contacts.features.iter().filter(|(name, _)| of_feet(name)).map(|(name, runs)| (name.as_str(), &runs[..])).collect()
}

/// A body in free flight for 0.4 s is 19.6 cm up in the middle; before and after that it stands on all of its feet.
#[test]
fn a_hop_is_found_to_the_frame() {
    let (rate, up, down) = (60.0, 30, 54);
    let hop = |t: usize| {
        let (since, until) = ((t as Real - up as Real) / rate, (down as Real - t as Real) / rate);
        Vec3::y() * if since > 0.0 && until > 0.0 { 0.5 * 9.81 * since * until } else { 0.0 }
    };
    let still = standing(90);
    let take = still.with(remade(&still.clip, 90, |t| t, hop));
    let found = take.prepare(PrepareOptions::default()).expect("prepares").preparation;
    let feet = feet(&found.contacts);
    assert_eq!(feet.len(), 6);
    for (name, runs) in feet {
        let [before, after] = runs else { panic!("{name} stands {runs:?}") };
        assert!(before.start == 0 && after.end == 90);
        assert!(before.end.abs_diff(up + 1) <= 1 && after.start.abs_diff(down) <= 1, "{name} stands {runs:?}");
    }
    let fall = found.flight_acceleration.expect("it flies");
    assert!((fall - 1.0).abs() < 0.02, "what flies falls with 1 g, not {fall}");
    assert!(found.repairs.bob == 0.0 && found.repairs.travel == 1.0, "nothing to mend: {:?}", found.repairs);
}

/// The built-in walk: three strides of 64 frames, each foot down for about 0.6 of one, never both in the air.
#[test]
fn a_walk_stands_on_one_foot_or_two() {
    let take = Take::read("clips/walk.bvh");
    let prepared = take.prepare(PrepareOptions::default()).expect("prepares");
    assert!(prepared.plan.targets.iter().all(|pins| !pins.is_empty()));
    for side in ["Left", "Right"] {
        let mut down = vec![false; take.clip.frames()];
        for (_, runs) in feet(&prepared.preparation.contacts).iter().filter(|(name, _)| name.starts_with(side)) {
            runs.iter().for_each(|run| down[run.clone()].fill(true));
        }
        let share = down.iter().filter(|d| **d).count() as Real / down.len() as Real;
        assert!((0.55..0.70).contains(&share), "{side} foot is down for {share:.2} of the time");
    }
    assert!(prepared.preparation.moving_contacts.is_empty() && prepared.preparation.lowered.is_empty());
    assert_eq!(prepared.preparation.cutoff_hz, None, "computed clips are not smoothed");
}

/// A pin stays where it is for as long as its contact lasts, and lies on the ground.
#[test]
fn pins_stay_and_lie_on_the_ground() {
    let take = Take::read("clips/walk.bvh");
    let prepared = take.prepare(PrepareOptions::default()).expect("prepares");
    let plan = &prepared.plan;
    for pair in plan.targets.windows(2) {
        for pin in &pair[1] {
            assert!(plan.ground.under(&pin.place).height.abs() < 1e-9);
            if let Some(before) = pair[0].iter().find(|before| before.corner == pin.corner) {
                assert!((before.place - pin.place).norm() < 1e-9, "{} → {}", before.place, pin.place);
            }
        }
    }
    // Corners of one foot are as far apart as they are on the foot.
    let pins = plan.targets.iter().max_by_key(|pins| pins.len()).expect("frames");
    for a in pins {
        for b in pins.iter().filter(|b| plan.corners[b.corner].segment == plan.corners[a.corner].segment) {
            let (at, on) = (a.place - b.place, plan.corners[a.corner].local - plan.corners[b.corner].local);
            assert!((at.norm() - on.norm()).abs() < 1e-3, "{} apart instead of {}", at.norm(), on.norm());
        }
    }
}

/// A floor off level by 1.2° is found and taken out; what remains is the walk on level ground.
#[test]
fn a_slope_of_the_floor_is_taken_out() {
    let walk = Take::read("clips/walk.bvh");
    let slope = 1.2_f64.to_radians();
    let root = |t: usize| walk.clip.translations().values[t * walk.clip.translations().joints.len()];
    let tilted = walk.with(remade(&walk.clip, walk.clip.frames(), |t| t, |t| Vec3::y() * (slope.tan() * root(t).z)));
    let prepared = tilted.prepare(PrepareOptions::default()).expect("prepares");
    let found = prepared.preparation.repairs.slope.to_degrees();
    assert!((found - 1.2).abs() < 0.1, "a slope of {found}°");
    let height = |clip: &Clip, t: usize| clip.translations().values[t * clip.translations().joints.len()].y;
    let off: Vec<Real> = (0..walk.clip.frames()).map(|t| height(&prepared.clip, t) - height(&walk.clip, t)).collect();
    let (low, high) = off.iter().fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    assert!(high - low < 0.012, "the root still strays by {} m", high - low);
}

/// The whole body turned about a plumb line, frame by frame.
fn turning(still: &Take, centre: &Vec3, turn: impl Fn(usize) -> Quat) -> Take {
    let tracks = still.clip.translations();
    let width = tracks.joints.len();
    let level = Vec3::new(centre.x, 0.0, centre.z);
    let (mut rotations, mut values) = (Vec::new(), tracks.values.clone());
    for t in 0..still.clip.frames() {
        let mut row = still.clip.rotations(t).to_vec();
        row[0] = turn(t) * row[0];
        rotations.extend(row);
        let at = &mut values[t * width];
        *at = level + turn(t) * (*at - level);
    }
    let moved = Tracks { joints: tracks.joints.clone(), values };
    let clip = Clip::new("turning", 60.0, still.clip.joints(), rotations, moved, Tracks::default());
    still.with(clip.expect("a clip"))
}

/// A body that turns on one foot by 90° turns about a point that stays; the slack of 12° to both sides is not turned.
#[test]
fn a_pivot_turns_about_a_point_that_stays() {
    let still = standing(120);
    let rest = standing(1);
    let placements = rest.figure.placements(&rest.clip.pose(rest.figure.skeleton(), 0));
    let ball = rest.figure.sole_points().iter().find(|s| s.part == sinew::figure::SolePart::Ball).expect("a ball");
    let centre = placements[ball.segment].point(&ball.point);
    let turn = |t: usize| {
        let share = ((t as Real - 30.0) / 60.0).clamp(0.0, 1.0);
        let smooth = share * share * (3.0 - 2.0 * share);
        Quat::from_axis_angle(&Vec3::y_axis(), smooth * std::f64::consts::FRAC_PI_2)
    };
    let take = turning(&still, &centre, turn);
    // Standing, a turn, and standing again: up to its heading that would be a loop.
    let prepared = take.prepare(PrepareOptions { looped: Some(false), ..Default::default() }).expect("prepares");
    let name = &rest.figure.segment(ball.segment).name;
    let pivots: Vec<_> =
        prepared.preparation.moving_contacts.iter().filter(|r| r.feature == format!("{name} ball")).collect();
    let [pivot] = pivots[..] else { panic!("{:?}", prepared.preparation.moving_contacts) };
    let turned = pivot.rotation.to_degrees();
    assert!((60.0..75.0).contains(&turned) && pivot.slide < 1e-3, "{pivot:?}");
    let f = prepared.preparation.contacts.features.iter().position(|(n, _)| *n == pivot.feature).expect("the feature");
    let corners = prepared.preparation.corners[f].clone();
    let middle = |t: usize| {
        let of: Vec<Vec3> =
            prepared.plan.targets[t].iter().filter(|p| corners.contains(&p.corner)).map(|p| p.place).collect();
        (of.len() == 2).then(|| 0.5 * (of[0] + of[1]))
    };
    let places: Vec<Vec3> = (0..120).filter_map(middle).collect();
    assert!(places.len() > 100);
    assert!(places.iter().all(|p| (p - places[0]).norm() < 1e-3), "the ball of the foot turns on the spot");
    assert!((places[0] - Vec3::new(centre.x, places[0].y, centre.z)).norm() < 0.01);
}

/// A body turns by 90°, first on the ball of a foot, then on its heel: whatever stands alone stays where it is.
#[test]
fn a_foot_turns_about_what_stands() {
    let still = standing(120);
    let turn = |t: usize| Quat::from_axis_angle(&Vec3::y_axis(), t as Real / 119.0 * std::f64::consts::FRAC_PI_2);
    let take = turning(&still, &Vec3::zeros(), turn);
    let (ball, heel) = ("LeftFoot ball".to_owned(), "LeftFoot heel".to_owned());
    // One run from 0 to 69, the other from 50 on.
    let list = ContactList {
        features: vec![(ball, std::iter::once(0..70).collect()), (heel, std::iter::once(50..120).collect())],
    };
    let options = PrepareOptions { contacts: Some(&list), looped: Some(false), ..Default::default() };
    let prepared = take.prepare(options).expect("prepares");
    let middle = |t: usize| {
        let places: Vec<Vec3> = prepared.plan.targets[t].iter().map(|pin| pin.place).collect();
        places.iter().sum::<Vec3>() / places.len() as Real
    };
    let way = |frames: Range<usize>| frames.map(|t| (middle(t + 1) - middle(t)).norm()).sum::<Real>();
    assert!(
        way(0..49) < 1e-3 && way(70..118) < 1e-3,
        "goes {} m on the ball, {} m on the heel",
        way(0..49),
        way(70..118)
    );
    let turned = prepared.preparation.moving_contacts.iter().map(|r| r.rotation.to_degrees()).fold(0.0, Real::max);
    assert!(turned > 60.0, "turns by {turned}°");
}

/// A foot that slides on at 0.7 m/s without coming up drags; it is held for 60 ms more than its speed says.
#[test]
fn what_drags_is_held_a_little_longer() {
    let still = standing(120);
    let joint = |name: &str| still.figure.skeleton().find(name).expect("a leg");
    let (leg, foot) = (joint("LeftUpperLeg"), joint("LeftFoot"));
    let mut rotations = Vec::new();
    for t in 0..120 {
        let mut row = still.clip.rotations(t).to_vec();
        let way = 0.7 * (t as Real - 60.0).clamp(0.0, 20.0) / 60.0;
        // The leg swings, the foot stays level.
        let swing = Quat::from_axis_angle(&Vec3::x_axis(), -way / 0.88);
        (row[leg], row[foot]) = (swing * row[leg], swing.inverse() * row[foot]);
        rotations.extend(row);
    }
    let moved = still.clip.translations().clone();
    let clip = Clip::new("drags", 60.0, still.clip.joints(), rotations, moved, Tracks::default()).expect("a clip");
    let options = PrepareOptions { repair: false, looped: Some(false), ..Default::default() };
    let found = still.with(clip).prepare(options).expect("prepares").preparation;
    let feet = feet(&found.contacts);
    let (_, runs) = feet.iter().find(|(name, _)| *name == "LeftFoot ball").expect("a ball");
    // Frame 60 is the last one from which there is a step of no length.
    assert!(runs[0].start == 0 && runs[0].end.abs_diff(61 + 4) <= 1, "stands {runs:?}");
}

/// Contacts that were saved, written as text and read again make the same plan.
#[test]
fn contacts_come_back_from_their_file() {
    let take = Take::read("clips/jump.bvh");
    let first = take.prepare(PrepareOptions::default()).expect("prepares");
    let names: Vec<&str> = first.preparation.contacts.features.iter().map(|(name, _)| name.as_str()).collect();
    let text = first.preparation.contacts.to_toml(take.clip.rate_hz());
    let list = ContactList::from_toml(&text, &names, take.clip.rate_hz(), take.clip.frames()).expect("reads");
    assert_eq!(list, first.preparation.contacts);
    let again = take.prepare(PrepareOptions { contacts: Some(&list), ..Default::default() }).expect("prepares");
    assert_eq!(again.plan.targets, first.plan.targets);
    assert_eq!(again.plan.clearance, first.plan.clearance);
}

/// In the air from 1.35 s to 1.77 s (data/README.md): nothing stands in between, something does at all other times.
#[test]
fn the_flight_of_a_jump_is_free_of_contacts() {
    let take = Take::read("clips/jump.bvh");
    let prepared = take.prepare(PrepareOptions::default()).expect("prepares");
    for (t, pins) in prepared.plan.targets.iter().enumerate() {
        let second = t as Real / 60.0;
        if (1.40..1.72).contains(&second) {
            assert!(pins.is_empty(), "{second} s");
        } else if !(1.33..1.79).contains(&second) {
            assert!(!pins.is_empty(), "{second} s");
        }
    }
}

/// Legs of a dog: four paws, each with contacts of its own, two or more of them down at any time.
#[test]
fn a_dog_stands_on_its_paws() {
    let take = Take::read("clips/dog_walk.bvh");
    let prepared = take.prepare(PrepareOptions::default()).expect("prepares");
    let paws = feet(&prepared.preparation.contacts).iter().filter(|(_, runs)| !runs.is_empty()).count();
    assert_eq!(paws, 4);
    assert!(prepared.plan.targets.iter().all(|pins| pins.len() >= 2));
}

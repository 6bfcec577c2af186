//! Interpretation of the numbers of a file: unit, axes, offsets, order of rotations, an inserted T-pose.

use super::{BODY, assert_near, guess, positions, read, standing};
use sinew_motion::formats::bvh;
use sinew_motion::formats::{ImportOptions, PositionChannels, Unit, UpAxis};
use sinew_motion::{Quat, Vec3};

/// The body with all lengths multiplied and axes renamed by a function of each OFFSET and position.
fn body(map: impl Fn([f64; 3]) -> [f64; 3], frames: &[[f64; 3]]) -> String {
    let mut text = String::new();
    for line in BODY.lines() {
        if let Some(numbers) = line.trim().strip_prefix("OFFSET ") {
            let values: Vec<f64> = numbers.split(' ').map(|n| n.parse().unwrap()).collect();
            let [x, y, z] = map([values[0], values[1], values[2]]);
            text += &format!("OFFSET {x} {y} {z}\n");
        } else {
            text += &format!("{line}\n");
        }
    }
    text += &format!("Frames: {}\nFrame Time: 0.04\n", frames.len());
    for &frame in frames {
        let [x, y, z] = map(frame);
        text += &format!("{x} {y} {z} 0 0 0 0 0 0 0 0 0 0 0 0\n");
    }
    text
}

const WALK: [[f64; 3]; 4] = [[0.0, 91.0, 0.0], [5.0, 92.0, 20.0], [7.0, 91.0, 40.0], [9.0, 92.0, 60.0]];

#[test]
fn the_same_body_comes_out_of_every_unit() {
    let expected = positions(&read(&body(|v| v, &WALK)).unwrap(), 2);
    for (unit, factor) in [
        (Unit::METRE, 0.01),
        (Unit::DECIMETRE, 0.1),
        (Unit::CENTIMETRE, 1.0),
        (Unit::MILLIMETRE, 10.0),
        (Unit::INCH, 1.0 / 2.54),
        (Unit::CMU, 0.01 / Unit::CMU.metres),
    ] {
        let capture = read(&body(|v| v.map(|x| x * factor), &WALK)).unwrap();
        assert_eq!(capture.report.unit, unit);
        assert_eq!(guess(&capture, "unit"), Some(unit.to_string()));
        for (found, &expected) in positions(&capture, 2).iter().zip(&expected) {
            assert_near(*found, expected);
        }
    }
}

#[test]
fn the_same_body_comes_out_of_every_up_axis() {
    let expected = positions(&read(&body(|v| v, &WALK)).unwrap(), 2);
    let turned = |up: UpAxis| {
        let back = up.to_y_up().inverse();
        body(move |v| (back * Vec3::from(v)).into(), &WALK)
    };
    for up in [UpAxis::PlusY, UpAxis::PlusZ, UpAxis::MinusY, UpAxis::MinusZ] {
        let capture = read(&turned(up)).unwrap();
        assert_eq!(capture.report.up, up);
        for (found, &expected) in positions(&capture, 2).iter().zip(&expected) {
            assert_near(*found, expected);
        }
    }
    // The turn belongs to the whole world: rest pose and tracks alike; only roots carry it.
    let capture = read(&turned(UpAxis::PlusZ)).unwrap();
    let rest = capture.skeleton.rest_pose().world(&capture.skeleton);
    assert_near(rest[1].position, Vec3::new(0.0, 0.6, 0.0));
    assert_eq!(capture.skeleton.joint(0).rest, UpAxis::PlusZ.to_y_up());
    assert_eq!(capture.skeleton.joint(1).rest, Quat::identity());
}

/// A rig that rests Y up and is turned to Z up by its motion alone.
#[test]
fn the_up_axis_is_that_of_the_motion_where_the_rest_pose_has_another() {
    let mut text = standing(0).replace("Frames: 0", "Frames: 4");
    for frame in 0..4 {
        text += &format!("{frame} {} 91 0 90 0 0 0 0 0 0 0 0 0 0\n", 7 * frame);
    }
    let capture = read(&text).unwrap();
    assert_eq!(capture.report.up, UpAxis::PlusZ);
    assert_near(positions(&capture, 0)[1], Vec3::new(0.0, 1.51, 0.0));
    let why = &capture.report.guesses.iter().find(|guess| guess.what == "up").unwrap().why;
    assert!(why.contains("rest pose"), "{why}");
}

#[test]
fn what_the_user_says_is_not_guessed() {
    let options = ImportOptions {
        unit: Some(Unit::INCH),
        up: Some(UpAxis::PlusZ),
        root_offset: Some(PositionChannels::Add),
        ..Default::default()
    };
    let text = standing(2).replacen("OFFSET 0 0 0", "OFFSET 0 10 0", 1);
    let capture = bvh::read(text.as_bytes(), &options).unwrap();
    assert!(capture.report.guesses.is_empty());
    assert_near(positions(&capture, 0)[0], Vec3::new(0.0, 0.0, -101.0 * 0.0254));
}

#[test]
fn root_channels_replace_or_add_whichever_puts_the_feet_on_the_ground() {
    let with_offset = |offset: &str, height: f64| {
        standing(4).replacen("OFFSET 0 0 0", offset, 1).replace(" 91 0 ", &format!(" {height} 0 "))
    };
    // (OFFSET, channel, chosen, height of the hips in metres, part of the reason)
    for (offset, channel, chosen, height, why) in [
        ("OFFSET 0 90 0", 91.0, Some("replace"), 0.91, "% above height 0"),
        ("OFFSET 0 90 0", 1.0, Some("add"), 0.91, "else 50 % below height 0"),
        ("OFFSET 0 -2 0", 91.0, Some("replace"), 0.91, "1 % above height 0, else 1 % below height 0"),
        ("OFFSET 0 0 0", 91.0, None, 0.91, ""),
    ] {
        let capture = read(&with_offset(offset, channel)).unwrap();
        assert_eq!(guess(&capture, "root offset").as_deref(), chosen);
        if let Some(guess) = capture.report.guesses.iter().find(|guess| guess.what == "root offset") {
            assert!(!guess.why.contains('-') && guess.why.contains(why), "{}", guess.why);
        }
        assert_near(positions(&capture, 0)[0], Vec3::new(0.0, height, 0.0));
    }
}

#[test]
fn positions_of_other_joints_replace_their_offset_or_add_to_it_when_near_zero() {
    let with_head = |position: &str| {
        standing(2)
            .replacen("CHANNELS 3 Zrotation", "CHANNELS 6 Xposition Yposition Zposition Zrotation", 1)
            .replace(" 1 2 3 ", &format!(" {position} 0 0 0 "))
    };
    let replaced = read(&with_head("0 61 1")).unwrap();
    assert_eq!(guess(&replaced, "joint offset").as_deref(), Some("replace"));
    let why = &replaced.report.guesses.iter().find(|guess| guess.what == "joint offset").unwrap().why;
    assert!(why.starts_with("the positions of 1 joint below the root"), "{why}");
    assert_near(positions(&replaced, 0)[1], Vec3::new(0.0, 1.52, 0.01));
    let added = read(&with_head("0 1 1")).unwrap();
    assert_eq!(guess(&added, "joint offset").as_deref(), Some("add"));
    assert_near(positions(&added, 0)[1], Vec3::new(0.0, 1.52, 0.01));
}

#[test]
fn axes_without_a_position_channel_keep_their_offset() {
    let text = standing(1)
        .replacen("CHANNELS 6 Xposition Yposition Zposition", "CHANNELS 4 Yposition", 1)
        .replacen("OFFSET 0 0 0", "OFFSET 5 0 7", 1)
        .replace("0 91 0 ", "91 ");
    assert_near(positions(&read(&text).unwrap(), 0)[0], Vec3::new(0.05, 0.91, 0.07));
}

#[test]
fn a_root_without_channels_stays_at_its_offset() {
    let text = standing(1)
        .replacen("CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation", "CHANNELS 0", 1)
        .replacen("OFFSET 0 0 0", "OFFSET 0 91 0", 1)
        .replace("0 91 0 0 0 0 ", "");
    let capture = read(&text).unwrap();
    assert_eq!(capture.clips[0].translations().joints, [0]);
    assert_near(positions(&capture, 0)[0], Vec3::new(0.0, 0.91, 0.0));
}

/// First channel outermost: with Z then X, the X turn happens in the frame that Z has turned.
#[test]
fn rotations_compose_in_channel_order_and_positions_come_first_wherever_they_stand() {
    let about = |axis: Vec3, degrees: f64| Quat::from_scaled_axis(axis * degrees.to_radians());
    let text = standing(1).replace("0 91 0 0 0 0 1 2 3", "0 91 0 30 40 50 0 0 0");
    let expected = about(Vec3::z(), 30.0) * about(Vec3::x(), 40.0) * about(Vec3::y(), 50.0);
    let capture = read(&text).unwrap();
    assert!(capture.clips[0].rotations(0)[0].angle_to(&expected) < 1e-14);
    assert_near(positions(&capture, 0)[1], Vec3::new(0.0, 0.91, 0.0) + expected * Vec3::new(0.0, 0.6, 0.0));

    let first = text
        .replace(
            "Xposition Yposition Zposition Zrotation Xrotation Yrotation",
            "Yrotation Zrotation Xrotation Zposition Xposition Yposition",
        )
        .replace("0 91 0 30 40 50", "50 30 40 3 1 91");
    let expected = about(Vec3::y(), 50.0) * about(Vec3::z(), 30.0) * about(Vec3::x(), 40.0);
    let capture = read(&first).unwrap();
    assert!(capture.clips[0].rotations(0)[0].angle_to(&expected) < 1e-14);
    assert_near(positions(&capture, 0)[0], Vec3::new(0.01, 0.91, 0.03));
}

#[test]
fn rounded_frame_times_give_whole_rates_and_broadcast_rates_stay() {
    for (written, rate) in [
        (".0083333", 120.0),
        ("0.033333", 30.0),
        (".03333", 30.0),
        ("0.041667", 24.0),
        ("0.013888888888888888", 72.0),
        ("0.0417083750417", 1.0 / 0.0417083750417),
        ("0.03336667", 1.0 / 0.03336667),
        ("2.5", 0.4),
    ] {
        let capture = read(&standing(2).replace("Frame Time: 0.04", &format!("Frame Time: {written}"))).unwrap();
        assert_eq!(capture.clips[0].rate_hz(), rate);
    }
}

#[test]
fn an_inserted_first_posture_is_reported_and_dropped_on_request() {
    let mut text = standing(0).replace("Frames: 0", "Frames: 6") + "0 91 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
    for frame in 1..6 {
        text += &format!("{frame} 91 0 10 20 30 {} 30 20 15 5 4 -12 5 {frame}\n", 40 + frame);
    }
    let capture = read(&text).unwrap();
    assert_eq!((capture.report.inserted_tpose, capture.clips[0].frames()), (Some(0), 6));
    let options = ImportOptions { drop_tpose: true, ..Default::default() };
    let dropped = bvh::read(text.as_bytes(), &options).unwrap();
    assert_eq!((dropped.report.inserted_tpose, dropped.clips[0].frames()), (Some(0), 5));
    assert_eq!(dropped.clips[0].rotations(0), capture.clips[0].rotations(1));
    // A motion without a jump has none, and nothing is dropped from it.
    let plain = bvh::read(standing(6).as_bytes(), &options).unwrap();
    assert_eq!((plain.report.inserted_tpose, plain.clips[0].frames()), (None, 6));
}

#[test]
fn zero_length_bones_and_tips_are_kept() {
    let text = standing(1).replace("OFFSET 10 -90 0", "OFFSET 0 0 0").replace("OFFSET 0 20 0", "OFFSET 0 0 0");
    let capture = read(&text).unwrap();
    assert_eq!(capture.skeleton.bone_length(2), 0.0);
    assert_eq!(capture.skeleton.joint(1).tip, Some(Vec3::zeros()));
    assert_eq!(capture.skeleton.joint(0).tip, None);
}

#[test]
fn repeated_names_are_reported() {
    let capture = read(&standing(1).replace("RightFoot", "LeftFoot")).unwrap();
    assert_eq!(capture.report.warnings[0].message, "several joints are called \"LeftFoot\"");
}

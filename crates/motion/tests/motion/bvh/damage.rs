//! Files that are wrong: what is certain is kept with a warning that names the line, the rest is refused with
//! an error that says where and what to do.

use super::{BODY, parse, read, standing};
use sinew_motion::formats::bvh;
use sinew_motion::formats::{FormatError, ImportOptions};

/// The line of `Frames:`; row k stands k + 1 lines below it.
const HEADER_LINE: usize = 35;

fn keep_complete(text: &str) -> Result<sinew_motion::formats::Capture, FormatError> {
    bvh::read(text.as_bytes(), &ImportOptions { keep_complete: true, ..Default::default() })
}

/// The error of a file that must not be read, checked to be one a person can use.
fn refused(text: &str) -> FormatError {
    let error = match read(text) {
        Ok(_) => panic!("was read: {text}"),
        Err(error) => error,
    };
    assert!(!error.message.ends_with('.') && error.message.len() > 10, "{}", error.message);
    error
}

/// Row `k` (from 1) of ten standing frames, replaced.
fn with_row(k: usize, row: &str) -> String {
    let mut lines: Vec<String> = standing(10).lines().map(str::to_owned).collect();
    lines[HEADER_LINE + k] = row.to_owned();
    lines.join("\n") + "\n"
}

#[test]
fn a_wrong_frame_count_is_a_warning_and_every_row_is_read() {
    for wrong in ["Frames: 12", "Frames: 3", "Frames: 1000000000", "Frames: 99999999999999999999999"] {
        let text = standing(10).replace("Frames: 10", wrong);
        let (document, warnings) = parse(&text);
        assert_eq!(document.frames(), 10);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert_eq!(warnings[0].line, Some(HEADER_LINE));
    }
    let (_, warnings) = parse(&standing(10).replace("Frames: 10", "Frames: 12"));
    assert_eq!(warnings[0].message, "the header promises 12 frames, the file holds 10; all 10 are read");
    let (document, warnings) = parse(&standing(10).replace("Frames: 10\n", ""));
    assert_eq!((document.frames(), warnings.len()), (10, 1));
}

#[test]
fn a_short_row_is_refused_by_number_and_the_frames_before_it_can_be_kept() {
    let text = with_row(8, "3.5 91 0 0 0 0 1 2 3 0 0 0 0 0");
    let error = refused(&text);
    assert_eq!(error.message, "row 8 of the motion block has 14 values, the skeleton has 15 channels");
    assert_eq!(error.line, Some(HEADER_LINE + 9));
    assert_eq!(error.excerpt.as_deref(), Some("3.5 91 0 0 0 0 1 2 3 0 0 0 0 0"));
    assert_eq!(
        error.help.as_deref(),
        Some(
            "the last channel of RightFoot (Yrotation) is missing; \
             the 7 complete frames before it can be kept with --keep-complete"
        )
    );
    let capture = keep_complete(&text).unwrap();
    assert_eq!(capture.clips[0].frames(), 7);
    assert!(capture.report.warnings[0].message.ends_with("only frames 1 to 7 were kept"));
    assert_eq!(capture.report.warnings[0].line, Some(HEADER_LINE + 9));
}

#[test]
fn after_damage_near_the_start_the_longer_run_behind_it_is_kept() {
    let text = with_row(3, "1 2 3");
    assert_eq!(
        refused(&text).help.as_deref(),
        Some("the longest unbroken run, frames 4 to 10, can be kept with --keep-complete")
    );
    let capture = keep_complete(&text).unwrap();
    assert_eq!(capture.clips[0].frames(), 7);
    assert_eq!(capture.clips[0].translations().values[0].x, 0.015);
}

#[test]
fn values_that_are_no_finite_numbers_refuse_their_frame() {
    for word in ["nan", "NaN", "-nan(ind)", "inf", "-Infinity", "1.#IND", "-1.#QNAN00", "1.#INF", "1e999"] {
        let text = with_row(5, &format!("0 91 0 0 {word} 0 1 2 3 0 0 0 0 0 0"));
        let error = refused(&text);
        assert!(error.message.starts_with("frame 5 holds "), "{}", error.message);
        assert_eq!((error.line, error.column), (Some(HEADER_LINE + 6), Some(10)));
        assert_eq!(keep_complete(&text).unwrap().clips[0].frames(), 5);
    }
}

#[test]
fn words_and_decimal_commas_in_the_motion_are_pointed_at() {
    let error = refused(&with_row(2, "0 91 0 0 oops 0 1 2 3 0 0 0 0 0 0"));
    assert_eq!(error.message, "row 2 of the motion block holds \"oops\", which is no number");
    let error = refused(&with_row(2, "0,5 91 0 0 0 0 1 2 3 0 0 0 0 0 0"));
    assert!(error.help.unwrap().contains("decimal commas"));
    let error = refused(&standing(3).replace("OFFSET 0 60 0", "OFFSET 0 60,5 0"));
    assert_eq!((error.line, error.column), (Some(8), Some(12)));
    let error = refused(&standing(3).replace("Frame Time: 0.04", "Frame Time: 0,04"));
    assert!(error.help.unwrap().contains("decimal commas"));
}

#[test]
fn a_frame_a_kilometre_away_is_refused_by_number() {
    for far in ["100000", "-100000.5", "1e300"] {
        let text = with_row(4, &format!("{far} 91 0 0 0 0 1 2 3 0 0 0 0 0 0"));
        let error = refused(&text);
        assert!(error.message.starts_with("frame 4 puts \"Hips\" "), "{}", error.message);
        assert_eq!(error.line, Some(HEADER_LINE + 5));
        let capture = keep_complete(&text).unwrap();
        assert_eq!(capture.clips[0].frames(), 6);
        assert_eq!(capture.clips[0].translations().values[0].x, 0.02);
    }
    let error = refused(&with_row(4, "0 91 0 0 1e12 0 1 2 3 0 0 0 0 0 0"));
    assert_eq!(error.message, "frame 4 holds an angle of more than a million turns");
}

#[test]
fn a_bone_as_long_as_a_street_is_refused() {
    let error = refused(&standing(3).replace("OFFSET 10 -90 0", "OFFSET 1e200 -90 0"));
    assert!(error.message.contains("LeftFoot"), "{}", error.message);
    assert_eq!(error.line, Some(15));
}

#[test]
fn angles_wound_beyond_a_turn_are_normal() {
    let capture = read(&with_row(4, "0 91 0 0 1080 -3600 721 2 3 0 0 0 0 0 0")).unwrap();
    let head = super::positions(&capture, 3)[1];
    super::assert_near(head, sinew_motion::Vec3::new(0.0, 1.51, 0.0));
}

#[test]
fn frames_over_several_lines_are_joined_when_the_count_agrees() {
    let (expected, _) = parse(&standing(4));
    let wrapped = standing(4).replace(" 1 2 3 ", "\n1 2 3\n");
    let (document, warnings) = parse(&wrapped);
    assert_eq!(document, expected);
    assert_eq!(warnings.len(), 1);
    let rows = |text: &str| text.lines().skip(HEADER_LINE + 1).map(str::to_owned).collect::<Vec<_>>();
    let joined = standing(4).lines().take(HEADER_LINE + 1).map(|line| format!("{line}\n")).collect::<String>()
        + &rows(&standing(4)).join(" ");
    assert_eq!(parse(&joined).0, expected);
    // A value too few here and one too many there is damage, not another layout.
    let mut lines: Vec<String> = standing(4).lines().map(str::to_owned).collect();
    lines[HEADER_LINE + 2] = "0 91 0 0 0 0 1 2 3 0 0 0 0 0".to_owned();
    lines[HEADER_LINE + 3] = "0 91 0 0 0 0 1 2 3 0 0 0 0 0 0 0".to_owned();
    refused(&lines.join("\n"));
}

#[test]
fn no_frames_and_no_motion_leave_a_skeleton_with_a_warning() {
    let without = standing(0).replace("Frames: 0\nFrame Time: 0.04\n", "").replace("MOTION\n", "");
    for text in [standing(0), without.clone(), standing(0).replace("Frame Time: 0.04\n", "")] {
        let capture = read(&text).unwrap();
        assert_eq!((capture.skeleton.len(), capture.clips.len()), (4, 0));
        assert!(!capture.report.warnings.is_empty());
    }
    let (document, warnings) = parse(&without);
    assert_eq!((document.motion, warnings[0].line), (None, Some(34)));
}

#[test]
fn a_frame_time_of_zero_is_never_replaced_by_an_invented_one() {
    for bad in ["Frame Time: 0", "Frame Time: -0.04", "Frame Time: 1e-300"] {
        let error = refused(&standing(2).replace("Frame Time: 0.04", bad));
        assert!(error.message.contains("the speed of the motion is unknown"), "{}", error.message);
        assert_eq!(error.line, Some(HEADER_LINE + 1));
        let capture = read(&standing(1).replace("Frame Time: 0.04", bad)).unwrap();
        assert_eq!(capture.report.warnings[0].line, Some(HEADER_LINE + 1));
    }
    let missing = standing(2).replace("Frame Time: 0.04\n", "");
    refused(&missing);
    let told = ImportOptions { rate: Some(50.0), ..Default::default() };
    let capture = bvh::read(missing.as_bytes(), &told).unwrap();
    assert_eq!(capture.clips[0].rate_hz(), 50.0);
    let written = bvh::write(&capture, &Default::default()).unwrap();
    assert!(String::from_utf8(written).unwrap().contains("Frame Time: 0.02\n"));
    refused(&standing(2).replace("Frame Time: 0.04\n", "Frame Time: fast\n"));
}

#[test]
fn a_frame_time_that_looks_like_a_rate_is_read_as_it_stands_with_a_warning() {
    for rate in ["60", "29.97", "120"] {
        let text = standing(2).replace("Frame Time: 0.04", &format!("Frame Time: {rate}"));
        let capture = read(&text).unwrap();
        let seconds: sinew_motion::Real = rate.parse().unwrap();
        assert!((capture.clips[0].rate_hz() * seconds - 1.0).abs() < 1e-12);
        let [warning] = &capture.report.warnings[..] else { panic!("{:?}", capture.report.warnings) };
        assert_eq!(warning.line, Some(HEADER_LINE + 1));
        assert!(warning.message.ends_with(&format!("--source-rate {rate} reads it so")), "{}", warning.message);
        let told = ImportOptions { rate: Some(seconds), ..Default::default() };
        let capture = bvh::read(text.as_bytes(), &told).unwrap();
        assert!((capture.clips[0].rate_hz() / seconds - 1.0).abs() < 1e-12);
        assert!(capture.report.warnings.is_empty());
    }
    // Slow, but a frame time; and a posture has no speed.
    assert!(read(&standing(2).replace("Frame Time: 0.04", "Frame Time: 1")).unwrap().report.warnings.is_empty());
    assert!(read(&standing(1).replace("Frame Time: 0.04", "Frame Time: 60")).unwrap().report.warnings.is_empty());
}

#[test]
fn what_follows_a_complete_motion_is_ignored_with_a_warning() {
    for tail in ["MOTION again\n", "1 2 3\n", "\0\0\0\0", "end"] {
        let capture = read(&(standing(3) + tail)).unwrap();
        assert_eq!(capture.clips[0].frames(), 3);
        assert_eq!(capture.report.warnings[0].line, Some(HEADER_LINE + 5));
    }
}

#[test]
fn a_channel_count_that_disagrees_with_the_names_is_a_warning() {
    for count in ["2", "1000000000", "x"] {
        let text = standing(2).replacen("CHANNELS 3", &format!("CHANNELS {count}"), 1);
        if count == "x" {
            assert_eq!(refused(&text).message, "\"x\" is not a channel");
            continue;
        }
        let (document, warnings) = parse(&text);
        assert_eq!((document.nodes[1].channels.len(), warnings[0].line), (3, Some(9)));
    }
}

#[test]
fn a_misspelt_keyword_is_answered_with_the_right_one() {
    for (right, wrong) in [("ROOT", "RUUT"), ("JOINT", "JIONT"), ("OFFSET", "OFSET"), ("Xrotation", "Xrotaton")] {
        let error = refused(&standing(1).replacen(right, wrong, 1));
        let help = error.help.unwrap_or_default();
        assert!(help.contains(&format!("did you mean {right}?")), "{wrong}: {help}");
    }
}

#[test]
fn a_broken_hierarchy_is_refused_where_it_breaks() {
    let body = standing(1);
    let cases = [
        (body.replacen("OFFSET 0 60 0\n", "", 1), "joint \"Head\" has no OFFSET", 6),
        (body.replacen("OFFSET 0 60 0", "OFFSET 0 60", 1), "OFFSET needs three numbers; \"CHANNELS\" is not one", 9),
        (
            body.replacen("\tJOINT Head\n\t{", "\tJOINT Head", 1),
            "joint \"Head\" needs an opening brace; \"OFFSET\" stands there",
            7,
        ),
        (body.replacen("}\nMOTION", "MOTION", 1), "MOTION begins while joint \"Hips\" is still open", 33),
        (body.replacen("Xrotation", "Xrot", 1), "\"Xrot\" is not a channel", 5),
        (
            body.replacen("JOINT LeftFoot", "ROOT LeftFoot", 1),
            "ROOT stands inside joint \"Hips\", which is not closed",
            15,
        ),
        (body.replacen("\tJOINT LeftFoot", "}\n\tJOINT LeftFoot", 1), "JOINT stands outside of every ROOT", 16),
        (body.replacen("OFFSET 0 60 0", "OFFSET 0 60 0 OFFSET 1 2 3", 1), "joint \"Head\" has a second OFFSET", 8),
        (body.replacen("Yposition", "Xposition", 1), "joint \"Hips\" has the channel Xposition twice", 5),
        (body.replacen("OFFSET 0 60 0", "OFFSET 0 60 nan", 1), "OFFSET needs three numbers; \"nan\" is not one", 8),
    ];
    for (text, message, line) in cases {
        let error = refused(&text);
        assert_eq!((error.message.as_str(), error.line), (message, Some(line)));
    }
}

#[test]
fn a_missing_first_word_and_a_brace_too_many_are_warnings() {
    let (expected, _) = parse(&standing(1));
    for text in [standing(1).replace("HIERARCHY\n", ""), standing(1).replace("MOTION", "}\nMOTION")] {
        let (document, warnings) = parse(&text);
        assert_eq!((document, warnings.len()), (expected.clone(), 1));
    }
}

#[test]
fn what_is_no_bvh_is_called_so() {
    for bytes in
        [&b"glTF\x02\0\0\0"[..], b"{\"asset\":{}}", &[0u8; 64], b"\xff\xfe\0\0H\0\0\0", b"MOTION", &[0x80; 300]]
    {
        let error = bvh::read(bytes, &ImportOptions::default()).unwrap_err();
        assert!(error.help.is_some(), "{error:?}");
    }
    assert_eq!(refused("").message, "the file is empty");
    assert_eq!(refused(" \r\n").message, "the file is empty");
    assert_eq!(refused("PK\u{3}\u{4} zip").message, "this is not a BVH file: it starts with \"PK\\u{3}\\u{4}\"");
}

#[test]
fn a_file_cut_off_anywhere_is_read_or_refused_but_never_a_panic() {
    let text = standing(3);
    for end in 0..text.len() {
        match read(&text[..end]) {
            Ok(capture) => assert!(capture.clips.first().is_none_or(|clip| clip.frames() <= 3)),
            Err(error) => assert!(end == 0 || error.line.is_some() || error.help.is_some(), "{end}: {error:?}"),
        }
    }
    let cut = &text[..text.find("JOINT Left").unwrap()];
    let error = refused(cut);
    assert_eq!(error.message, "the file ends while joint \"Hips\" is still open");
    assert!(error.help.unwrap().contains("cut off"));
}

#[test]
fn a_small_file_cannot_ask_for_all_memory() {
    // 9 000 joints without channels and 20 000 frames of one number would be 6 GB of rotations.
    let mut text = String::from("HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n");
    text += &"JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n".repeat(9_000);
    text += "}\nMOTION\nFrames: 20000\nFrame Time: 0.01\n";
    text += &"0\n".repeat(20_000);
    assert!(refused(&text).message.contains("need 5493 MB of memory"));
    refused(&format!("{BODY}Frames: 1000000000\nFrame Time: 0.01\n1 2"));
}

//! Spellings and layouts that mean the same.

use super::{BODY, parse, read, standing};
use sinew_motion::files::limits::{DEEPEST_JOINT, MOST_JOINTS};
use sinew_motion::formats::bvh::{Channel, Damage, Document, LineEnd};

/// The document as it would be with plain line ends.
fn with_lf(mut document: Document) -> Document {
    document.line_end = LineEnd::Lf;
    document
}

#[test]
fn line_ends_blanks_and_blank_lines_change_nothing() {
    let plain = standing(3);
    let (expected, _) = parse(&plain);
    for text in [
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        plain.replace('\n', " \t \n"),
        plain.replace('\n', "\n\n"),
        plain.replace('\t', ""),
        plain.replace(' ', "\t"),
        plain.trim_end().to_owned(),
        format!("\n\n  {plain}\n \n\t\n"),
        format!("\u{feff}{plain}"),
    ] {
        let (document, warnings) = parse(&text);
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!(with_lf(document), expected, "{text:?}");
    }
}

#[test]
fn a_crlf_file_is_written_with_crlf() {
    let (document, _) = parse(&standing(2).replace('\n', "\r\n"));
    assert_eq!(document.line_end, LineEnd::CrLf);
    let bytes = document.to_bytes();
    let count = |end: &[u8]| bytes.windows(end.len()).filter(|window| *window == end).count();
    assert_eq!(count(b"\r\n"), count(b"\n"));
    assert_eq!(Document::parse(&bytes, Damage::Refuse).unwrap().0, document);
}

#[test]
fn utf16_reads_like_utf8() {
    let text = standing(2).replace("Head", "Kopf-é-頭 head");
    let (expected, _) = parse(&text);
    for mark in ["\u{feff}", ""] {
        let marked = format!("{mark}{text}");
        let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [little, big] {
            assert_eq!(Document::parse(&bytes, Damage::Refuse).unwrap().0, expected);
        }
    }
}

#[test]
fn keywords_may_be_in_any_case() {
    let (expected, _) = parse(&standing(2));
    let shuffled = standing(2)
        .replace("HIERARCHY", "Hierarchy")
        .replace("ROOT", "Root")
        .replace("JOINT", "joint")
        .replace("End Site", "End site")
        .replace("OFFSET", "Offset")
        .replace("CHANNELS", "channels")
        .replace("Xposition", "XPOSITION")
        .replace("Zrotation", "ZRotation")
        .replace("MOTION", "motion")
        .replace("Frames:", "FRAMES :")
        .replace("Frame Time:", "frame time:\t");
    assert_eq!(parse(&shuffled), (expected, vec![]));
}

#[test]
fn a_file_on_one_line_up_to_the_motion_is_read() {
    let (expected, _) = parse(&standing(2));
    // Names end at a brace as well as at the end of a line.
    let one_line = BODY.replace('\n', " ");
    let text = standing(2).replace(BODY, &format!("{one_line}\n"));
    assert_eq!(parse(&text), (expected, vec![]));
}

#[test]
fn names_may_hold_colons_blanks_and_letters_of_any_language() {
    let text = standing(1)
        .replace("JOINT Head", "JOINT mixamorig:Head ")
        .replace("LeftFoot", "Bip01 L Foot")
        .replace("RightFoot", "пра́вая.R|foot");
    let (document, warnings) = parse(&text);
    let names: Vec<&str> = document.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["Hips", "mixamorig:Head", "Bip01 L Foot", "пра́вая.R|foot"]);
    assert!(warnings.is_empty());
    assert_eq!(Document::parse(&document.to_bytes(), Damage::Refuse).unwrap().0, document);
}

#[test]
fn a_name_in_an_unknown_encoding_is_kept_readable_with_a_warning() {
    let text = standing(1).replace("Head", "Head_X");
    let at = text.find("Head_X").unwrap() + 5;
    let mut bytes = text.into_bytes();
    bytes[at] = 0xE9;
    let (document, warnings) = Document::parse(&bytes, Damage::Refuse).unwrap();
    assert_eq!(document.nodes[1].name, "Head_é");
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].line, Some(6));
}

#[test]
fn numbers_may_have_exponents_plus_signs_and_bare_points() {
    let text = format!(
        "{BODY}Frames: 1\nFrame Time: .0083333\n-.5 9.1e1 +1E-3 -0 7. 1e0 0 0 0 0 0 0 0 0 -9.03919179143e-24\n"
    );
    let (document, warnings) = parse(&text);
    let motion = document.motion.unwrap();
    assert!(warnings.is_empty());
    assert_eq!(motion.frame_time, 0.0083333);
    assert_eq!(motion.values[..6], [-0.5, 91.0, 0.001, 0.0, 7.0, 1.0]);
    assert!(motion.values[3].is_sign_negative());
    assert_eq!(motion.values[14], -9.03919179143e-24);
    assert_eq!(read(&text).unwrap().clips[0].rate_hz(), 120.0);
}

#[test]
fn joints_may_have_any_channels_in_any_order() {
    let text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT b\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n\
        JOINT c\n{\nOFFSET 0 1 0\nCHANNELS 2 Zrotation Xrotation\nJOINT d\n{\nOFFSET 0 1 0\n\
        CHANNELS 6 Yrotation Xrotation Zrotation Zposition Xposition Yposition\n}\n}\n}\n}\n\
        MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 4 5 6 7 8 9\n";
    let (document, warnings) = parse(text);
    assert!(warnings.is_empty());
    assert_eq!(document.nodes.iter().map(|node| node.channels.len()).collect::<Vec<_>>(), [0, 1, 2, 6]);
    assert_eq!(document.nodes[3].channels[3..], [Channel::Zposition, Channel::Xposition, Channel::Yposition]);
    assert_eq!(document.nodes[3].parent, Some(2));
    assert!(document.nodes.iter().all(|node| node.end_sites.is_empty()));
    assert_eq!(read(text).unwrap().clips[0].frames(), 1);
}

#[test]
fn several_roots_are_several_trees() {
    let one = "ROOT a\n{\nOFFSET 1 2 3\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\nOFFSET 0 0 0\n}\n}\n";
    let text = format!("HIERARCHY\n{one}{}MOTION\nFrames: 1\nFrame Time: 1\n1 2 3 4 5 6\n", one.replace('a', "b"));
    let capture = read(&text).unwrap();
    assert_eq!(capture.skeleton.roots().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(capture.clips[0].translations().joints, [0, 1]);
    let (document, _) = parse(&text);
    assert_eq!(Document::parse(&document.to_bytes(), Damage::Refuse).unwrap().0, document);
}

#[test]
fn a_joint_may_have_several_end_sites_beside_children() {
    let site = "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 20 0\n\t\t}\n";
    let text = standing(1).replace(site, &format!("{site}{site}"));
    let (document, _) = parse(&text);
    assert_eq!(document.nodes[1].end_sites, [[0.0, 20.0, 0.0]; 2]);
    let text = standing(1).replacen("\tJOINT Head", &format!("{site}\tJOINT Head"), 1);
    let (document, _) = parse(&text);
    assert_eq!(document.nodes[0].end_sites.len(), 1);
    assert_eq!(Document::parse(&document.to_bytes(), Damage::Refuse).unwrap().0, document);
}

/// A file whose joints are nested one in the other.
fn chain(depth: usize) -> String {
    let mut text = String::from("HIERARCHY\nROOT j\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n");
    for joint in 1..depth {
        text += &format!("JOINT j{joint}\n{{\nOFFSET 0 .001 0\nCHANNELS 0\n");
    }
    text += &"}\n".repeat(depth);
    text + "MOTION\nFrames: 2\nFrame Time: 0.1\n1\n2\n"
}

#[test]
fn the_longest_chain_of_joints_is_read_and_written() {
    let depth = DEEPEST_JOINT;
    let capture = read(&chain(depth)).unwrap();
    assert_eq!(capture.skeleton.len(), depth);
    let written = sinew_motion::formats::bvh::write(&capture, &Default::default()).unwrap();
    assert!(written.len() < 400 * depth);
    assert_eq!(Document::parse(&written, Damage::Refuse).unwrap().0.nodes.len(), depth);
}

/// Work on a chain grows with the square of its length: 65 000 joints took minutes.
#[test]
fn a_chain_deeper_than_any_rig_is_refused_at_the_first_joint_too_many() {
    let error = read(&chain(65_000)).unwrap_err();
    assert_eq!(error.message, "more than 1000 joints stand within each other");
    assert_eq!(error.line, Some(2 + 4 * DEEPEST_JOINT));
}

#[test]
fn more_joints_than_any_rig_has_are_refused_at_the_first_one_too_many() {
    let mut text = String::from("HIERARCHY\nROOT j\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n");
    for joint in 0..MOST_JOINTS {
        text += &format!("JOINT j{joint}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n}}\n");
    }
    let error = read(&(text + "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n1\n")).unwrap_err();
    assert_eq!(error.message, "the file has more than 10000 joints");
    assert_eq!(error.line, Some(6 + 5 * (MOST_JOINTS - 1)));
}

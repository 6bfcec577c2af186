//! Damaged BVH files by the thousand: each is read or refused, never a panic, and what is read is sound.
//!
//! `SINEW_MUTATIONS` sets how many are tried (12 000 otherwise); the sequence is always the same.

use sinew_motion::formats::bvh::{self, Damage, Document};
use sinew_motion::formats::{Capture, ExportOptions, ImportOptions, Source};

/// A small generator of even quality (xorshift64*), so that a failure can be repeated from its number.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit.max(1)
    }
}

/// Words that mean something in a BVH, or nearly.
const WORDS: [&str; 32] = [
    "{",
    "}",
    "{ {",
    "} }",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    ":",
    "-",
    ".",
    "e",
    "1e999",
    "-1e308",
    "nan",
    "inf",
    "1.#QNAN",
    "1000000000",
    "99999999999999999999",
    "0",
    "-0",
    "ROOT x",
    "JOINT",
    "JOINT y\n{\nOFFSET 1 2 3\n}\n",
    "End Site",
    "OFFSET",
    "CHANNELS 1000000000",
    "CHANNELS 0",
    "MOTION\n",
    "Frames: 1000000000\n",
    "Frame Time: 0\n",
];

fn originals() -> Vec<Vec<u8>> {
    let hierarchy = "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0.00 94.5 0.00\n\
        \tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
        \tJOINT mixamorig:Head\n\t{\n\t\tOFFSET 0 60 1e-3\n\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n\
        \t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 20 0\n\t\t}\n\t}\n\
        \tJOINT LeftFoot\n\t{\n\t\tOFFSET 10 -90 0\n\t\tCHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation\n\t}\n}\n\
        ROOT Prop\n{\n\tOFFSET 1 2 3\n\tCHANNELS 1 Yrotation\n}\n";
    let mut text = format!("{hierarchy}MOTION\nFrames: 7\nFrame Time: .0083333\n");
    for frame in 0..7 {
        let turn = if frame == 0 { 0.0 } else { 30.0 + f64::from(frame) * 0.5 };
        text +=
            &format!("0.5 {} 3e-2 {turn} -370.25 {turn} 1 2 {turn} 10 -89.5 0.25 -.5 {turn} 0 {frame}\n", 91 + frame);
    }
    let utf16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let skeleton_only = hierarchy.as_bytes().to_vec();
    vec![text.clone().into_bytes(), text.replace('\n', " \r\n").into_bytes(), utf16, skeleton_only]
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let length = random.below(40).min(bytes.len() - at);
    match random.below(8) {
        0 => bytes.truncate(at),
        1 => {
            bytes.drain(at..at + length);
        }
        2 => {
            let copy = bytes[at..at + length].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        3 => bytes[at..at + length].reverse(),
        4 | 5 => {
            let word = WORDS[random.below(WORDS.len())];
            let end = at + if random.below(2) == 0 { 0 } else { length.min(4) };
            bytes.splice(at..end, word.bytes());
        }
        6 if at < bytes.len() => bytes[at] = random.next() as u8,
        7 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        _ => {}
    }
}

/// Asserts the invariants of any capture that was read.
fn check(capture: &Capture) {
    let Some(Source::Bvh(document)) = &capture.source else { panic!("the source is kept") };
    assert_eq!(capture.skeleton.len(), document.nodes.len());
    assert_eq!(capture.clips.first().map_or(0, |clip| clip.frames()), document.frames());
    for clip in &capture.clips {
        for frame in 0..clip.frames() {
            for joint in clip.pose(&capture.skeleton, frame).world(&capture.skeleton) {
                assert!(joint.position.iter().all(|x| x.is_finite()));
                assert!((joint.rotation.norm() - 1.0).abs() < 1e-9);
            }
        }
        assert!(clip.translations().values.iter().all(|v| v.amax() < 2000.0));
    }
    let written = bvh::write(capture, &ExportOptions::default()).expect("what was read can be written");
    let (again, _) = Document::parse(&written, Damage::Refuse).expect("what was written can be read");
    assert_eq!(again, *document);
}

#[test]
fn damaged_files_are_read_soundly_or_refused_with_a_reason() {
    let count = std::env::var("SINEW_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(12_000);
    let originals = originals();
    for bytes in &originals {
        check(&bvh::read(bytes, &ImportOptions::default()).expect("the originals are sound"));
    }
    let (mut accepted, mut refused) = (0, 0);
    for number in 0..count {
        let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (number as u64 + 1).wrapping_mul(0xD134_2543_DE82_EF95));
        let mut bytes = originals[random.below(originals.len())].clone();
        for _ in 0..1 + random.below(4) {
            mutate(&mut bytes, &mut random);
        }
        let keep = random.below(2) == 0;
        let options = ImportOptions { keep_complete: keep, drop_tpose: keep, ..Default::default() };
        let outcome = std::panic::catch_unwind(|| match bvh::read(&bytes, &options) {
            Ok(capture) => {
                check(&capture);
                true
            }
            Err(error) => {
                assert!(!error.message.is_empty() && (error.line.is_some() || error.help.is_some()), "{error:?}");
                false
            }
        });
        match outcome {
            Ok(true) => accepted += 1,
            Ok(false) => refused += 1,
            Err(_) => panic!("mutation {number} broke the reader:\n{}", String::from_utf8_lossy(&bytes)),
        }
    }
    // Neither all nor nothing: the mutations reach past the first check.
    assert!(accepted > count / 20 && refused > count / 20, "{accepted} accepted, {refused} refused");
}

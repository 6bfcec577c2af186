//! The real binary, run on files made here: what it prints, what it writes, how it refuses.

#![allow(clippy::disallowed_methods)] // Expectations are computed with the functions of the system.

mod agreement;
mod batches;
mod convert;
mod info;
mod leads;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod outputs;
#[cfg(unix)]
mod pipes;
mod reading;
mod refusals;
mod report;
mod retarget;
mod run;
mod simulate;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that goes away with the test.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Desk(TempDir::new().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("the temporary folder can be written");
        path
    }

    /// Names of all files in the folder.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("the temporary folder can be listed");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs `sinew` in this folder.
    fn sinew(&self, arguments: &[&str]) -> Assert {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
        command.current_dir(self.0.path()).args(arguments).assert()
    }

    /// The objects that `sinew info --json` prints for a file.
    fn facts(&self, file: &str) -> serde_json::Value {
        let assert = self.sinew(&["info", "--json", file]).success();
        serde_json::from_str(&out(&assert)).expect("one JSON object")
    }
}

fn out(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("UTF-8 on stdout")
}

fn err(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).expect("UTF-8 on stderr")
}

const FRAME_TIME: f64 = 1.0 / 30.0;

/// A small person in centimetres, Y up, who walks along +Z and lifts the left arm: name, parent, offset.
const PERSON: [(&str, Option<usize>, [f64; 3]); 17] = [
    ("Hips", None, [0.0, 0.0, 0.0]),
    ("Spine", Some(0), [0.0, 12.0, 0.0]),
    ("Neck", Some(1), [0.0, 40.0, 0.0]),
    ("Head", Some(2), [0.0, 10.0, 0.0]),
    ("LeftArm", Some(1), [17.0, 34.0, 0.0]),
    ("LeftForeArm", Some(4), [28.0, 0.0, 0.0]),
    ("LeftHand", Some(5), [25.0, 0.0, 0.0]),
    ("RightArm", Some(1), [-17.0, 34.0, 0.0]),
    ("RightForeArm", Some(7), [-28.0, 0.0, 0.0]),
    ("RightHand", Some(8), [-25.0, 0.0, 0.0]),
    ("LeftUpLeg", Some(0), [10.0, -4.0, 0.0]),
    ("LeftLeg", Some(10), [0.0, -42.0, 0.0]),
    ("LeftFoot", Some(11), [0.0, -42.0, 0.0]),
    ("RightUpLeg", Some(0), [-10.0, -4.0, 0.0]),
    ("RightLeg", Some(13), [0.0, -42.0, 0.0]),
    ("RightFoot", Some(14), [0.0, -42.0, 0.0]),
    ("RightToeBase", Some(15), [0.0, -5.0, 13.0]),
];

/// The person as a BVH file of `frames` frames at 30 Hz.
fn person_bvh(frames: usize) -> String {
    Person { frames, ..Person::default() }.bvh()
}

/// Variants of the person.
#[derive(Clone, Copy)]
struct Person {
    frames: usize,
    /// Centimetres over the unit of the file.
    units: f64,
    /// True for a file whose Z axis is up.
    z_up: bool,
    /// True for one who lies on the back.
    lies: bool,
}

impl Default for Person {
    fn default() -> Self {
        Person { frames: 31, units: 1.0, z_up: false, lies: false }
    }
}

impl Person {
    fn bvh(self) -> String {
        let mut text = String::from("HIERARCHY\n");
        joint(&mut text, 0, 0, self.units);
        let _ = write!(text, "MOTION\nFrames: {}\nFrame Time: {FRAME_TIME:.8}\n", self.frames);
        for frame in 0..self.frames {
            let t = frame as f64 * FRAME_TIME;
            let swing = if self.lies { 0.0 } else { 25.0 * (t * 6.0).sin() };
            // Height, and the way ahead.
            let [up, ahead] = if self.lies { [10.0, 0.0] } else { [93.0, 120.0 * t] }.map(|cm| cm / self.units);
            let [x, y, z] = if self.z_up { [0.0, -ahead, up] } else { [0.0, up, ahead] };
            let _ = write!(text, "{x:.4} {y:.4} {z:.4}");
            for (name, ..) in PERSON {
                // Channels are Z, X, Y rotations.
                let [z, x, y] = match name {
                    "Hips" => [0.0, f64::from(self.z_up) * 90.0 - f64::from(self.lies) * 90.0, 0.0],
                    "LeftArm" => [60.0 * (t * 2.0).sin() - 75.0, 0.0, 0.0],
                    "RightArm" => [75.0, 0.0, 0.0],
                    "LeftUpLeg" => [0.0, swing, 0.0],
                    "RightUpLeg" => [0.0, -swing, 0.0],
                    "Spine" => [0.0, 2.0, 3.0],
                    _ => [0.0; 3],
                };
                let _ = write!(text, " {z:.4} {x:.4} {y:.4}");
            }
            text.push('\n');
        }
        text
    }
}

fn joint(text: &mut String, index: usize, depth: usize, units: f64) {
    let (name, parent, offset) = PERSON[index];
    let [x, y, z] = offset.map(|cm| cm / units);
    let pad = "  ".repeat(depth);
    let (word, positions) = if parent.is_none() { ("ROOT", 6) } else { ("JOINT", 3) };
    let channels = if positions == 6 { "Xposition Yposition Zposition " } else { "" };
    let _ = writeln!(text, "{pad}{word} {name}\n{pad}{{\n{pad}  OFFSET {x} {y} {z}");
    let _ = writeln!(text, "{pad}  CHANNELS {positions} {channels}Zrotation Xrotation Yrotation");
    let children: Vec<usize> = (0..PERSON.len()).filter(|&child| PERSON[child].1 == Some(index)).collect();
    for &child in &children {
        joint(text, child, depth + 1, units);
    }
    if children.is_empty() {
        let _ = writeln!(text, "{pad}  End Site\n{pad}  {{\n{pad}    OFFSET 0 {} 0\n{pad}  }}", 8.0 / units);
    }
    let _ = writeln!(text, "{pad}}}");
}

/// World positions of a joint in every frame of a file's first clip, metres.
fn path_of(file: &Path, joint: &str) -> Vec<sinew::Vec3> {
    let capture = sinew::formats::read(file, &Default::default()).expect("a readable file");
    let joint = capture.skeleton.find(joint).expect("a joint of that name");
    let clip = capture.clips.first().expect("a clip");
    (0..clip.frames())
        .map(|frame| clip.pose(&capture.skeleton, frame).world(&capture.skeleton)[joint].position)
        .collect()
}

//! BVH files as they come: every oddity that real ones have, on small texts.

mod agreement;
mod damage;
mod kinds;
mod meaning;
mod mutation;
mod oracle;
mod syntax;
mod writing;

use sinew_motion::formats::bvh::{self, Damage, Document};
use sinew_motion::formats::{Capture, FormatError, ImportOptions, Warning};
use sinew_motion::{Real, Vec3};

/// A small body in centimetres: hips, head and two feet.
pub const BODY: &str = "\
HIERARCHY
ROOT Hips
{
\tOFFSET 0 0 0
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Head
\t{
\t\tOFFSET 0 60 0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 20 0
\t\t}
\t}
\tJOINT LeftFoot
\t{
\t\tOFFSET 10 -90 0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 0 15
\t\t}
\t}
\tJOINT RightFoot
\t{
\t\tOFFSET -10 -90 0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 0 15
\t\t}
\t}
}
MOTION
";

/// The body standing still for some frames.
pub fn standing(frames: usize) -> String {
    let mut text = format!("{BODY}Frames: {frames}\nFrame Time: 0.04\n");
    for frame in 0..frames {
        text += &format!("{} 91 0 0 0 0 1 2 3 0 0 0 0 0 0\n", frame as Real * 0.5);
    }
    text
}

pub fn read(text: &str) -> Result<Capture, FormatError> {
    bvh::read(text.as_bytes(), &ImportOptions::default())
}

pub fn parse(text: &str) -> (Document, Vec<Warning>) {
    match Document::parse(text.as_bytes(), Damage::Refuse) {
        Ok(parsed) => parsed,
        Err(error) => panic!("{error:?}\n{text}"),
    }
}

/// World positions of all joints in one frame, metres.
pub fn positions(capture: &Capture, frame: usize) -> Vec<Vec3> {
    let pose = capture.clips[0].pose(&capture.skeleton, frame);
    pose.world(&capture.skeleton).iter().map(|joint| joint.position).collect()
}

pub fn assert_near(found: Vec3, expected: Vec3) {
    assert!((found - expected).norm() < 1e-12, "{found:?} instead of {expected:?}");
}

/// The value chosen for a guess of the import, if there was such a guess.
pub fn guess(capture: &Capture, what: &str) -> Option<String> {
    capture.report.guesses.iter().find(|guess| guess.what == what).map(|guess| guess.chosen.clone())
}

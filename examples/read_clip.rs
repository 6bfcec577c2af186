//! Reads a capture and follows one joint through it.
//!
//!     cargo run --example read_clip [FILE [JOINT]]

use sinew::formats::{self, ImportOptions};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().map_or_else(built_in, PathBuf::from);
    let capture = formats::read(&file, &ImportOptions::default())?;
    let skeleton = &capture.skeleton;
    let clip = capture.clips.first().ok_or("the file holds a skeleton alone")?;

    println!("{}: {} joints, {} frames at {:.3} Hz", file.display(), skeleton.len(), clip.frames(), clip.rate_hz());
    for guess in &capture.report.guesses {
        println!("guessed {} {}: {}", guess.what, guess.chosen, guess.why);
    }

    let joint = match arguments.next() {
        Some(name) => skeleton.find(&name).ok_or_else(|| format!("there is no joint {name:?}"))?,
        None => skeleton.len() - 1,
    };
    println!("{} every half second, metres:", skeleton.joint(joint).name);
    let step = ((clip.rate_hz() / 2.0).round() as usize).max(1);
    for frame in (0..clip.frames()).step_by(step) {
        // One posture, then forward kinematics from the root outwards.
        let place = clip.pose(skeleton, frame).world(skeleton)[joint].position;
        println!("{:6.2} s  {:7.3} {:7.3} {:7.3}", frame as f64 * clip.frame_time(), place.x, place.y, place.z);
    }
    Ok(())
}

fn built_in() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data/clips/walk.bvh"))
}

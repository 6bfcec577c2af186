//! Turns a BVH capture into a mirrored GLB at 60 frames per second.
//!
//!     cargo run --example convert [IN [OUT.glb]]

use sinew::formats::{self, ExportOptions, ImportOptions};
use sinew::motion::edit::{self, Mirror};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let built_in = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data/clips/walk.bvh"));
    let input = arguments.next().unwrap_or_else(built_in);
    let output = arguments.next().unwrap_or_else(|| std::env::temp_dir().join("sinew-example-mirrored.glb"));

    let mut capture = formats::read(&input, &ImportOptions::default())?;
    let skeleton = &capture.skeleton;
    let mirror = Mirror::of(skeleton);
    for clip in &mut capture.clips {
        *clip = mirror.clip(skeleton, &edit::resample(skeleton, clip, 60.0)?)?;
        clip.name += " mirrored";
    }
    // Keys are dropped as long as no joint moves by more than half a millimetre.
    formats::write(&output, &capture, &ExportOptions { reduce: Some(0.0005), ..Default::default() })?;

    let size = std::fs::metadata(&output)?.len();
    println!("{}: {} clips, {size} bytes", output.display(), capture.clips.len());
    Ok(())
}

//! Moves a mirrored walk to a heavier character and writes it into the character's file.
//!
//!     cargo run --release --example retarget

use sinew::formats::{self, ExportOptions, ImportOptions};
use sinew::motion::edit::Mirror;
use sinew::retarget::{Body, BodyOptions, JointMap, Retarget, RetargetOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
    let source = formats::read(format!("{data}/clips/walk.bvh").as_ref(), &ImportOptions::default())?;
    let mut target = formats::read(format!("{data}/characters/heavy.glb").as_ref(), &ImportOptions::default())?;
    let clip = Mirror::of(&source.skeleton).clip(&source.skeleton, &source.clips[0])?;

    // Joints are recognised by name and by shape. An example motion helps where the rest pose is no posture.
    let from = Body::new(&source.skeleton, &BodyOptions { example: Some(&clip), ..BodyOptions::default() });
    let to = Body::new(&target.skeleton, &BodyOptions { example: target.clips.first(), ..BodyOptions::default() });
    let map = JointMap::between(&from, &to)?;
    let least = map.joints.iter().map(|mapping| mapping.confidence).fold(1.0, f64::min);
    println!("{} joints mapped, each with a confidence of {:.0} % or more", map.joints.len(), 100.0 * least);
    map.notes.iter().for_each(|note| println!("{note}"));

    let moved = Retarget { source: &from, target: &to, clip: &clip, options: RetargetOptions::default() }.run()?;
    println!("{} frames, legs {:.2} times as long", moved.clip.frames(), moved.scale);

    // Keys are dropped as long as no joint moves by more than half a millimetre.
    let output = std::env::temp_dir().join("sinew-example-retargeted.glb");
    target.clips = vec![moved.clip];
    formats::write(&output, &target, &ExportOptions { reduce: Some(0.0005), ..ExportOptions::default() })?;
    println!("wrote {}, {} bytes", output.display(), std::fs::metadata(&output)?.len());
    Ok(())
}

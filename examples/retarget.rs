//! Moves a clip to another character and writes it there.
//!
//!     cargo run --example retarget [CLIP [CHARACTER [OUT]]]

use sinew::formats::{self, ExportOptions, ImportOptions};
use sinew::retarget::{Body, BodyOptions, JointMap, Retarget, RetargetOptions};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let built_in = |file: &str| format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let input = arguments.first().cloned().unwrap_or_else(|| built_in("clips/walk.bvh"));
    let character = arguments.get(1).cloned().unwrap_or_else(|| built_in("characters/heavy.glb"));

    let source = formats::read(input.as_ref(), &ImportOptions { drop_tpose: true, ..ImportOptions::default() })?;
    let mut target = formats::read(character.as_ref(), &ImportOptions::default())?;
    let clip = source.clips.first().ok_or("the file holds no clip")?;

    // What joints are, by name and by shape; a motion helps only where the rest pose is no posture.
    let from = Body::new(&source.skeleton, &BodyOptions { example: Some(clip), ..BodyOptions::default() });
    let to = Body::new(&target.skeleton, &BodyOptions { example: target.clips.first(), ..BodyOptions::default() });
    let map = JointMap::between(&from, &to)?;
    for mapping in &map.joints {
        let name = |body: &Body, j: usize| body.skeleton().joint(j).name.clone();
        let sure = 100.0 * mapping.confidence;
        println!("{:<20} ← {:<20} {sure:.0} %", name(&to, mapping.target), name(&from, mapping.source));
    }
    map.notes.iter().for_each(|note| println!("{note}"));

    let moved = Retarget { source: &from, target: &to, clip, options: RetargetOptions::default() }.run()?;
    println!("{} frames, legs {:.2} times as long", moved.clip.frames(), moved.scale);
    if let Some(output) = arguments.get(2) {
        target.clips = vec![moved.clip];
        formats::write(output.as_ref(), &target, &ExportOptions::default())?;
    }
    Ok(())
}

//! Motion files of results: the result takes the place of its clip, and everything else of a character stays.

use super::failure::Failure;
use super::output::count;
use super::outputs::has_extension;
use sinew::formats::{self, Capture, ExportOptions, Source};
use sinew::motion::Clip;
use std::path::Path;

/// A motion file that is to be written.
pub struct MotionFile {
    pub bytes: Vec<u8>,
    /// Remarks about other clips, and about what the result does not move.
    pub notes: Vec<String>,
}

/// Makes a file like that of a capture, in which `clip` stands for the clip of its name. Other clips of a character are kept after it; a BVH
/// file holds `clip` alone.
pub fn motion_file(output: &Path, capture: &Capture, clip: &Clip) -> Result<MotionFile, Failure> {
    let mut capture = capture.clone();
    let mut notes = Vec::new();
    if let Some(replaced) = capture.clips.iter().position(|other| other.name == clip.name) {
        capture.clips.remove(replaced);
    }
    match &mut capture.source {
        Some(Source::Gltf(document)) if !has_extension(output, &["bvh"]) => {
            if !document.keep_only(&capture.clips).is_empty() {
                notes
                    .push(format!("clip {:?} also moved morphs or props; the result moves the joints only", clip.name));
            }
            if !capture.clips.is_empty() {
                notes.push(format!("the other {} of the character are kept", count(capture.clips.len(), "clip")));
            }
        }
        _ => capture.clips.clear(),
    }
    capture.clips.insert(0, clip.clone());
    Ok(MotionFile { bytes: formats::to_bytes(output, &capture, &ExportOptions::default())?, notes })
}

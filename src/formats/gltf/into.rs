//! Writes a capture's clips into a glTF document, leaving everything else of it as it was.

use super::animate::Animate;
use super::assemble::{Assembly, Kind};
use super::{Document, fingerprint, scratch};
use crate::Real;
use crate::formats::{Capture, ExportOptions, FormatError, ImportOptions, Source, Unit};
use crate::motion::{Clip, Skeleton};
use std::collections::{HashMap, HashSet};

/// The bytes of the file that [`ExportOptions`] ask for.
pub(super) fn write(capture: &Capture, options: &ExportOptions, kind: Kind) -> Result<Vec<u8>, FormatError> {
    for clip in &capture.clips {
        if clip.joints() != capture.skeleton.len() {
            let (found, expected) = (clip.joints(), capture.skeleton.len());
            let error = crate::motion::ClipError::Joints { found, expected };
            return Err(FormatError::new(format!("clip {:?} cannot be written: {error}", clip.name)));
        }
    }
    let opened;
    let (document, skeleton) = match (&options.into, &capture.source) {
        (Some(path), _) => {
            let mut target = super::read_file(path, &ImportOptions::default())?;
            if let Some(unit) = unit_of(&capture.skeleton, &target.skeleton, target.report.unit) {
                target = super::read_file(path, &ImportOptions { unit: Some(unit), ..ImportOptions::default() })?;
            }
            opened = match target.source {
                Some(Source::Gltf(document)) => document,
                _ => return Err(FormatError::new("is not a glTF file").in_file(path)),
            };
            (&opened, target.skeleton)
        }
        (None, Some(Source::Gltf(document))) => (document, document.skeleton()?),
        (None, _) => {
            opened = Document::open(&scratch::figure(&capture.skeleton)?, &|_| Err("is not there".to_owned()))?;
            let skeleton = opened.skeleton()?;
            (&opened, skeleton)
        }
    };
    let sources = sources(&capture.skeleton, &skeleton)?;
    let mut file = Assembly::new(&document.container, kind);
    if let Some(folder) = &document.folder {
        file.embed_images(folder);
    }
    let mut taken: HashSet<String> = file
        .array("animations")
        .iter()
        .filter_map(|animation| animation.get("name")?.as_str().map(str::to_owned))
        .collect();
    let untouched = |clip: &Clip| document.originals.contains(&fingerprint(clip));
    for clip in capture.clips.iter().filter(|clip| !untouched(clip)) {
        let name = unique(&clip.name, &taken);
        taken.insert(name.clone());
        let job = Animate {
            rig: &document.rig,
            tree: &document.tree,
            skeleton: &capture.skeleton,
            clip,
            sources: &sources,
            name,
            reduce: options.reduce,
        };
        job.run(&mut file)?;
    }
    if file.array("animations").is_empty() {
        file.json.shift_remove("animations");
    }
    file.finish()
}

fn unique(name: &str, taken: &HashSet<String>) -> String {
    let name = if name.is_empty() { "clip" } else { name };
    if !taken.contains(name) {
        return name.to_owned();
    }
    let mut number = 2;
    loop {
        let candidate = format!("{name} {number}");
        if !taken.contains(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

fn bones(skeleton: &Skeleton) -> Real {
    (0..skeleton.len()).map(|j| skeleton.bone_length(j)).sum()
}

/// The unit that makes the file's bones as long as the capture's, where the guessed one does not.
fn unit_of(capture: &Skeleton, file: &Skeleton, unit: Unit) -> Option<Unit> {
    let ratio = bones(capture) / bones(file);
    let differs = ratio.is_finite() && ratio > 0.0 && (ratio - 1.0).abs() > 1e-3 && capture.len() == file.len();
    differs.then_some(Unit { metres: unit.metres * ratio })
}

/// For every joint of the file the joint of the capture that moves it. They are matched by name and must be the
/// same bones: a clip means nothing on another skeleton until it is retargeted.
fn sources(capture: &Skeleton, file: &Skeleton) -> Result<Vec<Option<usize>>, FormatError> {
    let retarget = |message: String| {
        FormatError::new(message).help("retarget the clip to the file's skeleton first, then write it into the file")
    };
    let mut sources = vec![None; file.len()];
    let in_order = capture.len() == file.len()
        && capture.joints().iter().zip(file.joints()).all(|(a, b)| a.name == b.name && a.parent == b.parent);
    let mut names: HashMap<&str, usize> = HashMap::new();
    for (index, joint) in file.joints().iter().enumerate() {
        names.entry(&joint.name).or_insert(index);
    }
    let size = bones(file).max(1e-6);
    let mut places = Vec::with_capacity(capture.len());
    for (index, joint) in capture.joints().iter().enumerate() {
        let place = if in_order { Some(index) } else { names.get(joint.name.as_str()).copied() };
        let Some(place) = place else {
            return Err(retarget(format!("the file has no joint {:?}, which the clip moves", joint.name)));
        };
        if sources[place].replace(index).is_some() {
            return Err(retarget(format!("the capture has two joints {:?}, the file one", joint.name)));
        }
        let other = file.joint(place);
        let same_parent = joint.parent.map(|p| places[p]) == other.parent;
        if !same_parent {
            return Err(retarget(format!("joint {:?} hangs on another joint in the file", joint.name)));
        }
        if (joint.offset - other.offset).norm() > 1e-3 * size || joint.rest.angle_to(&other.rest) > 1e-3 {
            return Err(retarget(format!("joint {:?} has another rest pose in the file", joint.name)));
        }
        places.push(place);
    }
    Ok(sources)
}

//! Writing of clips into a glTF document, before the animations that it has; everything else in it is kept.

use super::assembly::{Assembly, Kind};
use super::write_clip::Animate;
use super::{Document, fingerprint, new_file};
use crate::Real;
use crate::formats::{Capture, ExportOptions, FormatError, ImportOptions, Source, Unit};
use crate::{Clip, Skeleton};
use std::collections::{HashMap, HashSet};

/// Writes the file that [`ExportOptions`] ask for.
pub(super) fn write(capture: &Capture, options: &ExportOptions, kind: Kind) -> Result<Vec<u8>, FormatError> {
    for clip in &capture.clips {
        if clip.joints() != capture.skeleton.len() {
            let (found, expected) = (clip.joints(), capture.skeleton.len());
            let error = crate::ClipError::Joints { found, expected };
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
            let moving = capture.clips.iter().find(|clip| clip.frames() > 0);
            let seen = moving.map_or_else(|| capture.skeleton.rest_pose(), |clip| clip.pose(&capture.skeleton, 0));
            let figure = new_file::figure(&capture.skeleton, &seen)?;
            opened = Document::open(&figure, &|_| Err("is not there".to_owned()))?;
            let skeleton = opened.skeleton()?;
            (&opened, skeleton)
        }
    };
    let sources = sources(&capture.skeleton, &skeleton).map_err(|error| match &options.into {
        Some(path) => error.in_file(path),
        None => error,
    })?;
    let mut file = Assembly::new(&document.container, kind);
    if let Some(folder) = &document.folder {
        file.embed_images(folder);
    }
    let mut taken: HashSet<String> = file
        .array("animations")
        .iter()
        .filter_map(|animation| animation.get("name")?.as_str().map(str::to_owned))
        .collect();
    let kept = file.array("animations").len();
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
    // Viewers and engines play the first animation of a file: what was just made comes before what was there.
    file.array("animations").rotate_left(kept);
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

/// Returns the unit that makes the file's bones as long as the capture's, if the detected one does not. A factor that is
/// no usual unit means another body, not another unit.
fn unit_of(capture: &Skeleton, file: &Skeleton, unit: Unit) -> Option<Unit> {
    let metres = unit.metres * bones(capture) / bones(file);
    let named = [Unit::METRE, Unit::DECIMETRE, Unit::CENTIMETRE, Unit::MILLIMETRE, Unit::INCH, Unit::FOOT, Unit::CMU];
    let fits = |named: &Unit| capture.len() == file.len() && (metres / named.metres - 1.0).abs() < 1e-3;
    named.into_iter().find(fits).filter(|named| *named != unit)
}

/// Returns for every joint of the file the joint of the capture that moves it. Joints are matched by name and must be the
/// same bones: a clip means nothing on another skeleton.
fn sources(capture: &Skeleton, file: &Skeleton) -> Result<Vec<Option<usize>>, FormatError> {
    let other_bones = |message: String| {
        let error = FormatError::new(message);
        error.help("clips go only into a file whose joints have the names, parents and rest pose of the capture's")
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
            return Err(other_bones(format!("the file has no joint {:?}, which the clip moves", joint.name)));
        };
        if sources[place].replace(index).is_some() {
            return Err(other_bones(format!("the capture has two joints {:?}, the file one", joint.name)));
        }
        let other = file.joint(place);
        let same_parent = joint.parent.map(|p| places[p]) == other.parent;
        if !same_parent {
            return Err(other_bones(format!("joint {:?} hangs on another joint in the file", joint.name)));
        }
        // Where a root rests does not matter: a clip always says where it is.
        let moved = joint.parent.is_some() && (joint.offset - other.offset).norm() > 1e-3 * size;
        if moved || joint.rest.angle_to(&other.rest) > 1e-3 {
            return Err(other_bones(format!("joint {:?} has another rest pose in the file", joint.name)));
        }
        places.push(place);
    }
    Ok(sources)
}

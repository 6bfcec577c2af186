//! A motion to be measured, with its body.

use super::MeasuringArgs;
use crate::cli::clip_choice::find_clip;
use crate::cli::failure::Failure;
use sinew::figure::{CaptureOptions, Figure, for_skeleton};
use sinew::formats::{self, Capture, ImportOptions, gltf};
use sinew::motion::{Clip, Skeleton};
use std::path::{Path, PathBuf};

pub struct Subject {
    pub file: PathBuf,
    pub clip: Clip,
    pub figure: Figure,
    /// What is worth knowing before the numbers are read.
    pub remarks: Vec<String>,
}

impl Subject {
    /// Reads a file and gives it a body; a result on the skeleton of its source gets the very same body.
    pub fn open(
        file: &Path,
        options: &ImportOptions,
        measuring: &MeasuringArgs,
        source: Option<&Subject>,
    ) -> Result<Self, Failure> {
        let mut capture = formats::read(file, options)?;
        let mut remarks = Vec::new();
        let index = choose(file, &capture, measuring.clip.as_deref(), source, &mut remarks)?;
        if let Some(frame) = capture.report.inserted_tpose.filter(|_| options.drop_tpose) {
            remarks.push(format!("the inserted T-pose, frame {}, is left out", frame + 1));
        }
        let skin = gltf::skin_vertices(&capture).ok().flatten();
        let clip = capture.clips.swap_remove(index);
        let figure = match source.filter(|source| same_bones(source.figure.skeleton(), &capture.skeleton)) {
            Some(source) => source.figure.clone(),
            None => {
                // The same person on other bones weighs the same.
                let of_source = |own: Option<f64>, known: fn(&Figure) -> f64| own.or(source.map(|s| known(&s.figure)));
                let taller = source.is_some_and(|source| {
                    let ratio = capture.skeleton.height() / source.figure.skeleton().height();
                    !(0.9..=1.1).contains(&ratio)
                });
                if source.is_some() {
                    remarks.push("its skeleton is not that of the source, so it has a body of its own".to_owned());
                }
                let (mass, height) = match taller {
                    true => (measuring.mass, measuring.height),
                    false => (of_source(measuring.mass, Figure::mass), of_source(measuring.height, |f| f.height)),
                };
                let options = CaptureOptions { mass, height, ..CaptureOptions::default() };
                for_skeleton(&capture.skeleton, Some(&clip), skin.as_deref(), &options)
                    .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?
                    .0
            }
        };
        Ok(Self { file: file.to_owned(), clip, figure, remarks })
    }
}

/// The clip that was named, else that of the same name as the source's, else the first.
fn choose(
    file: &Path,
    capture: &Capture,
    name: Option<&str>,
    source: Option<&Subject>,
    remarks: &mut Vec<String>,
) -> Result<usize, Failure> {
    let clips = &capture.clips;
    if clips.is_empty() {
        let message = format!("{}: holds a skeleton alone, no motion to measure", file.display());
        return Err(Failure::content(message).help("sinew info shows what is in a file"));
    }
    if clips.len() == 1 && (name.is_none() || source.is_some()) {
        return Ok(0);
    }
    if let Some(name) = name {
        return find_clip(file, clips, name);
    }
    let same = source.and_then(|source| clips.iter().position(|clip| clip.name == source.clip.name));
    let index = same.unwrap_or(0);
    remarks.push(format!("{:?} is one of {} clips in it; --clip chooses another", clips[index].name, clips.len()));
    Ok(index)
}

/// Whether two skeletons have the same joints in the same places, to a millimetre and a tenth of a degree.
fn same_bones(a: &Skeleton, b: &Skeleton) -> bool {
    a.len() == b.len()
        && a.joints().iter().zip(b.joints()).all(|(a, b)| {
            a.name == b.name
                && a.parent == b.parent
                && (a.parent.is_none() || (a.offset - b.offset).norm() < 1e-3)
                && a.rest.angle_to(&b.rest) < 2e-3
        })
}

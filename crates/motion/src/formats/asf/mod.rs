//! Acclaim skeletons (ASF) and motions (AMC).
//!
//! An ASF bone becomes the joint at its start: the joint's frame lies along the world's axes in the rest pose, its
//! children sit at the bone's end, and a bone without children has its end as tip. A bone's own axes C (`axis`) say
//! about what its degrees of freedom rotate: with the rotation M of a frame the joint's rotation is C M C⁻¹.
//! Angles are applied in the order they are listed, about fixed axes: `XYZ` is Rz · Ry · Rx.
//!
//! Lengths of the file times 1/`length` are inches; CMU's 0.45 makes the unit [`Unit::CMU`]. Y is up. An AMC says
//! nothing of its rate; 120 Hz, CMU's, is assumed and said so.

mod build;
mod motion;
mod skeleton;
mod text;

use super::{Capture, Format, FormatError, Guess, ImportOptions, ImportReport, Unit, UpAxis, load, within_limits};
use crate::Real;
use std::path::{Path, PathBuf};

/// The rate of the CMU database, the only large source of AMC files.
const USUAL_RATE: Real = 120.0;

/// Reads an .asf, or an .amc with its skeleton: the .asf in the same folder that has the same name, the name up to
/// the last `_` (CMU's `01_02.amc` moves `01.asf`), or is the only one there.
pub fn read_files(path: &Path, options: &ImportOptions) -> Result<Capture, FormatError> {
    let is_motion = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("amc"));
    if !is_motion {
        return read(&load(path)?, None, options).map_err(|e| e.in_file(path));
    }
    let (skeleton_path, why) = find_skeleton(path)?;
    let (skeleton, motion) = (load(&skeleton_path)?, load(path)?);
    let document = skeleton::parse(&skeleton).map_err(|e| e.in_file(&skeleton_path))?;
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let mut capture = assemble(document, Some((&name, &motion)), options).map_err(|e| e.in_file(path))?;
    let name = skeleton_path.file_name().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    capture.report.guesses.push(Guess::new("skeleton", name, why, ""));
    Ok(capture)
}

/// Reads the bytes of an .asf and, with a name for the clip, those of an .amc.
pub fn read(asf: &[u8], amc: Option<(&str, &[u8])>, options: &ImportOptions) -> Result<Capture, FormatError> {
    assemble(skeleton::parse(asf)?, amc, options)
}

fn assemble(
    document: skeleton::Document,
    amc: Option<(&str, &[u8])>,
    options: &ImportOptions,
) -> Result<Capture, FormatError> {
    let mut report = ImportReport::new(Format::AsfAmc, Unit::INCH, options.up.unwrap_or(UpAxis::PlusY));
    report.warnings = document.warnings.clone();
    if options.up.is_none() {
        report.guesses.push(Guess::new("up", UpAxis::PlusY, "Acclaim files are Y up", "--up"));
    }
    report.unit = options.unit.unwrap_or_else(|| build::detect_unit(&document, &mut report.guesses));
    let motion = match amc {
        None => None,
        Some((name, bytes)) => Some((name, motion::parse(bytes, &document, options.keep_complete)?)),
    };
    let builder = build::Builder { document: &document, metres: report.unit.metres, up: report.up };
    let skeleton = builder.skeleton()?;
    let mut clips = Vec::new();
    if let Some((name, motion)) = motion {
        let rate = options.rate.or(motion.rate).unwrap_or_else(|| {
            let why = "an AMC file does not say its rate; most are recorded at 120 Hz";
            report.guesses.push(Guess::new("frame rate", format!("{USUAL_RATE} Hz"), why, "--source-rate"));
            USUAL_RATE
        });
        report.warnings.extend(motion.warnings.iter().cloned());
        clips.push(builder.clip(name, rate, &motion)?);
    }
    within_limits(Capture { skeleton, clips, report, source: None })
}

/// Finds the skeleton file of a motion file, with the reason.
pub(super) fn find_skeleton(motion: &Path) -> Result<(PathBuf, String), FormatError> {
    let folder = match motion.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let entries = std::fs::read_dir(folder)
        .map_err(|error| FormatError::new(format!("its folder cannot be read: {error}")).in_file(motion))?;
    let mut skeletons: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("asf")))
        .collect();
    skeletons.sort();
    let stem = |p: &Path| p.file_stem().map(|s| s.to_string_lossy().to_lowercase()).unwrap_or_default();
    let own = stem(motion);
    if let Some(found) = skeletons.iter().find(|p| stem(p) == own) {
        return Ok((found.clone(), "it has the same name as the motion file".into()));
    }
    let mut subject = own.as_str();
    while let Some((shorter, _)) = subject.rsplit_once('_') {
        subject = shorter;
        if let Some(found) = skeletons.iter().find(|p| stem(p) == subject) {
            return Ok((found.clone(), "its name is the first part of the motion file's name".into()));
        }
    }
    match skeletons.as_slice() {
        [only] => Ok((only.clone(), "it is the only .asf in the folder".into())),
        [] => Err(FormatError::new("has no skeleton: there is no .asf in its folder")
            .in_file(motion)
            .help("put the .asf that the motion was made for beside it")),
        many => {
            let names: Vec<_> = many.iter().filter_map(|p| p.file_name()).map(|n| n.to_string_lossy()).collect();
            Err(FormatError::new(format!("has no skeleton of its name among {}", names.join(", ")))
                .in_file(motion)
                .help(format!("name the right one {own}.asf")))
        }
    }
}

//! Reads the motions to be measured.

use super::MeasuringArgs;
use crate::cli::clip_choice::find_clip;
use crate::cli::failure::Failure;
use crate::cli::import::Reader;
use sinew::formats::{self, Capture, ImportOptions, ImportReport};
use sinew::measure::{MeasureError, Report, Subject, SubjectOptions};
use sinew::motion::Clip;
use std::path::Path;

/// Reads a file and gives the clip that was asked for a body.
pub fn open(
    file: &Path,
    reader: &Reader,
    measuring: &MeasuringArgs,
    source: Option<&Subject>,
) -> Result<(Subject, ImportReport), Failure> {
    let mut capture = reader.read(file)?;
    let mut remarks = Vec::new();
    let index = choose(file, &capture, measuring.clip.as_deref(), source, &mut remarks)?;
    if let Some(frame) = capture.report.inserted_tpose.filter(|_| !measuring.keep_tpose) {
        remarks.push(format!("the inserted T-pose, frame {}, is left out", frame + 1));
    }
    let mut clip = capture.clips.swap_remove(index);
    // A result that was made from a part of the source has only that part.
    if source.is_none_or(|source| source.clip.frames() != clip.frames()) {
        remarks.extend(measuring.cut.cut(file, &mut clip)?);
    }
    let mut subject = Subject::new(file, &capture, clip, &measuring.options(), source)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    remarks.append(&mut subject.remarks);
    Ok((Subject { remarks, ..subject }, capture.report))
}

/// A source and its result with their figures, measured as `sinew report` measures their files.
pub struct Comparison {
    pub before: (Subject, Report),
    pub after: (Subject, Report),
}

/// A result as it is written.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    pub path: &'a Path,
    pub bytes: &'a [u8],
    /// Index of the clip in the file, which begins with its results.
    pub position: usize,
}

/// Measures a clip of a source, and its result: as it is written, or the clip itself where nothing is.
pub fn compare(
    (input, capture, clip): (&Path, &Capture, Clip),
    result: (&Capture, &Clip),
    output: Option<Written>,
    options: &SubjectOptions,
) -> Result<Comparison, Failure> {
    let named = |error: &dyn std::fmt::Display| Failure::content(format!("{}: {error}", input.display()));
    let refuse = |error: MeasureError| named(&error);
    let source = Subject::new(input, capture, clip, options, None).map_err(|error| named(&error))?;
    let before = source.measure(options, None).map_err(refuse)?;
    let result = match output {
        Some(Written { path, bytes, position }) => {
            let import = ImportOptions { drop_tpose: true, ..ImportOptions::default() };
            let written = formats::read_bytes(bytes, &path.to_string_lossy(), &import);
            let mut written = written.map_err(|error| error.in_file(path))?;
            // By place, not by name: a clip whose name the character has already is written under another.
            let clip = match position < written.clips.len() {
                true => written.clips.swap_remove(position),
                false => result.1.clone(),
            };
            Subject::new(path, &written, clip, options, Some(&source))
        }
        None => Subject::new(Path::new(""), result.0, result.1.clone(), options, Some(&source)),
    };
    let result = result.map_err(|error| named(&error))?;
    let after = result.measure(options, Some(&source)).map_err(refuse)?;
    Ok(Comparison { before: (source, before), after: (result, after) })
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

//! Opening of a file as an item of the workspace.

use super::character::Character;
use super::item::Item;
use super::meshes::Meshes;
use super::recorded::Recorded;
use super::skin::SkinMeshes;
use crate::figure::{CaptureError, CaptureOptions, for_capture};
use crate::files::nearest;
use crate::formats::gltf::appearance;
use crate::formats::{self, Capture, FormatError, ImportOptions};
use crate::math::Real;
use crate::record::Recording;
use crate::scene::{Files, SceneError, SceneRun, gallery};
use std::path::Path;
use std::sync::Arc;

/// Error of opening: the file, the fault, and a remedy.
pub type OpenError = FormatError;

/// Options of opening.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenOptions {
    /// Properties that the files do not state themselves.
    pub import: ImportOptions,
    /// Name of the clip to play, which at least one of the files must have. Otherwise a file plays the clip that bears the name
    /// of one before it, as the result of a retargeting does, else its first.
    pub clip: Option<String>,
    /// Total mass of figures, kg.
    pub mass: Option<Real>,
    /// Standing height of figures, metres.
    pub height: Option<Real>,
    /// Takes files in pairs, source and result: the result is drawn with its source as a ghost at the same place.
    pub compare: bool,
    /// Maximum real time that one call of [`super::Workspace::advance`] simulates, seconds, so that a window stays
    /// responsive where physics is slower than the clock. It decides how soon a state is reached, never which one.
    pub step_budget: Real,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            import: ImportOptions { drop_tpose: true, ..ImportOptions::default() },
            clip: None,
            mass: None,
            height: None,
            compare: false,
            step_budget: 1.0 / 30.0,
        }
    }
}

/// Opens one file. `played` are the names of the clips of files that were opened before.
pub(crate) fn open(
    path: &Path,
    options: &OpenOptions,
    played: &[String],
    meshes: &mut Meshes,
) -> Result<Item, OpenError> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    if is_recording(path) {
        return Ok(Item::recorded(name, Recorded::new(Recording::load(path)?, meshes)));
    }
    if is_scene(path) {
        let told = |error: SceneError| match error {
            SceneError::Text(error) => error,
            SceneError::Run(error) => FormatError::new(error.to_string()).in_file(path),
        };
        let run =
            Files::open(path).map_err(SceneError::Text).and_then(|files| SceneRun::new(files, None)).map_err(told)?;
        let figures = run.objects.figures.iter().zip(&run.run.followers);
        let skins =
            figures.map(|(figure, follower)| skin(&figure.capture, &follower.animation.clip().name, meshes)).collect();
        return Ok(Item::scene(name, run, skins));
    }
    let capture = match formats::read(path, &options.import) {
        Ok(capture) => capture,
        // A file without a skeleton may still have meshes.
        Err(error) => match appearance::of_file(path).ok().and_then(|appearance| SkinMeshes::new(appearance, meshes)) {
            Some(skin) => return Ok(Item::meshes(name, skin)),
            None => return Err(error),
        },
    };
    let character = character(path, capture, options, played, meshes)?;
    let skin = skin(&character.capture, &character.animation.clip().name, meshes);
    Ok(Item::character(name, character, skin))
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

fn is_recording(path: &Path) -> bool {
    has_extension(path, "json")
}

/// Returns true if a file holds a figure, not a scene.
pub(crate) fn is_figure(path: &Path) -> bool {
    has_extension(path, "toml")
        && crate::files::load_text(path).is_ok_and(|text| {
            let format =
                |line: &str| line.trim_start().strip_prefix("format").is_some_and(|rest| rest.contains("sinew figure"));
            text.lines().any(format)
        })
}

/// Returns true for a scene file, or for the name of a built-in scene if there is no such file.
fn is_scene(path: &Path) -> bool {
    has_extension(path, "toml") || (!path.exists() && path.to_str().is_some_and(|name| gallery::find(name).is_some()))
}

fn character(
    path: &Path,
    capture: Capture,
    options: &OpenOptions,
    played: &[String],
    meshes: &mut Meshes,
) -> Result<Character, OpenError> {
    // The requested clip may be in only one of several files.
    let has = |name: &&str| capture.clips.iter().any(|clip| clip.name == *name);
    let named = options.clip.as_deref().filter(has).or_else(|| played.iter().map(String::as_str).find(has));
    let (mass, height) = (options.mass, options.height);
    let options = CaptureOptions { clip: named, mass, height, allow_rest: true, ..CaptureOptions::default() };
    let body = for_capture(&capture, &options).map_err(|error| refused(path, &error))?;
    Character::new(path, Arc::new(capture), body, meshes)
}

/// Loads the skin of a capture. An unreadable skin is no error: the collision shapes are drawn instead.
fn skin(capture: &Capture, clip: &str, meshes: &mut Meshes) -> Option<SkinMeshes> {
    appearance::of_capture(capture, clip).ok().flatten().and_then(|appearance| SkinMeshes::new(appearance, meshes))
}

fn refused(path: &Path, error: &CaptureError) -> OpenError {
    FormatError::new(error.to_string()).in_file(path)
}

/// Error for a requested clip that none of the files has.
pub(crate) fn unknown_clip(path: &Path, name: &str, names: &[&str]) -> OpenError {
    let told = refused(path, &CaptureError::UnknownClip(name.to_owned()));
    match nearest(name, names.iter().copied()) {
        Some(near) => told.help(format!("did you mean {near:?}?")),
        None => told.help(format!("it has {}", names.join(", "))),
    }
}

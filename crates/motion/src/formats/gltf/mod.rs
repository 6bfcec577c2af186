//! glTF, GLB and VRM reading and writing.
//!
//! A file's skins become one scale-free [`Skeleton`] in metres, Y up; its animations become uniformly sampled
//! [`Clip`]s whose joint positions are those that a viewer shows. The file itself stays in the [`Document`], and
//! writing back adds animations and changes nothing else. A capture from another format gets a new file with a
//! capsule body, so that any viewer shows something.
//!
//! Materials and images are kept as they are; [`skin_vertices`] reads vertices, and [`appearance`] what a viewer draws.
//! [`solids`] writes rigid meshes in motion. Malformed files give errors that name the place in the JSON; nothing recurses over the file's nodes, and no count is believed before the bytes are there.

mod accessor;
pub mod appearance;
mod assembly;
mod capsule_body;
mod container;
mod curve;
mod drop_animations;
mod images;
mod key_reduction;
mod new_file;
mod polar;
mod read;
mod read_clips;
mod rig;
mod sampling_rate;
mod schema;
mod skin_vertices;
pub mod solids;
mod tree;
mod vrm;
mod write;
mod write_clip;

use super::{Capture, ExportOptions, FormatError, ImportOptions};
use crate::{Clip, Skeleton};
use container::Container;
use rig::Rig;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tree::Tree;

pub use skin_vertices::skin_vertices;

/// Content of a glTF file: JSON, buffers, and the map between its nodes and the skeleton.
#[derive(Clone, Debug)]
pub struct Document {
    container: Container,
    tree: Arc<Tree>,
    rig: Arc<Rig>,
    /// Folder of linked files.
    folder: Option<PathBuf>,
    /// Fingerprints of the clips that were read from it, to tell new ones from them.
    originals: Vec<u64>,
    /// Index of the animation that each of them was.
    animations: Vec<usize>,
}

impl Document {
    fn open(bytes: &[u8], resolve: container::Resolver) -> Result<Document, FormatError> {
        let container = Container::open(bytes, resolve)?;
        let tree = Arc::new(Tree::read(&container.json)?);
        let rig = Arc::new(Rig::read(&container.json, &tree)?);
        Ok(Document { container, tree, rig, folder: None, originals: Vec::new(), animations: Vec::new() })
    }

    fn skeleton(&self) -> Result<Skeleton, FormatError> {
        self.rig.skeleton(&self.tree)
    }
}

/// Reads a .glb, .gltf or .vrm file with the buffers it names.
pub fn read_file(path: &Path, options: &ImportOptions) -> Result<Capture, FormatError> {
    let bytes = super::load(path)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut capture =
        read(&bytes, &|name| container::read_beside(&folder, name), options).map_err(|error| error.in_file(path))?;
    if let Some(super::Source::Gltf(document)) = &mut capture.source {
        let lost = assembly::lost_images(&document.container.json, &folder);
        capture.report.warnings.extend(lost.into_iter().map(|message| super::Warning { line: None, message }));
        document.folder = Some(folder);
    }
    Ok(capture)
}

/// Lists the names of buffers and images beside a glTF file, relative to its folder.
pub(super) fn linked_files(bytes: &[u8]) -> Vec<String> {
    let names = std::cell::RefCell::new(Vec::new());
    let note = |name: &str| {
        names.borrow_mut().push(name.to_owned());
        Err(String::new())
    };
    let images = container::Container::open(bytes, &note).map(|opened| assembly::linked_images(&opened.json));
    names.into_inner().into_iter().chain(images.unwrap_or_default()).collect()
}

/// Returns true if writing `capture` as glTF goes into a copy of the file that it was read from. Unit and axes of that
/// file then stay, whatever [`ImportOptions::unit`] and [`ImportOptions::up`] said on reading.
pub fn keeps_unit_and_axes(capture: &Capture, options: &ExportOptions) -> bool {
    options.into.is_none() && matches!(capture.source, Some(super::Source::Gltf(_)))
}

/// Reads the bytes of a .glb, .gltf or .vrm file. `resolve` returns the bytes of a file beside it, or a reason why not
/// ("cannot be read: …"); a self-contained file never asks.
///
/// ```no_run
/// use sinew_motion::formats::{ImportOptions, gltf};
/// let bytes = std::fs::read("dance.glb")?;
/// let capture = gltf::read(&bytes, &|_| Err("is not there".into()), &ImportOptions::default())?;
/// println!("{} joints, {} clips", capture.skeleton.len(), capture.clips.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(
    bytes: &[u8],
    resolve: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    options: &ImportOptions,
) -> Result<Capture, FormatError> {
    read::read(bytes, resolve, options)
}

/// Writes a GLB file.
///
/// A capture that came from glTF (or [`ExportOptions::into`]) is written into a copy of that file; clips that were
/// in it already are not added again. Any other capture gets a new file with a simple skinned body.
pub fn write_glb(capture: &Capture, options: &ExportOptions) -> Result<Vec<u8>, FormatError> {
    write::write(capture, options, assembly::Kind::Glb)
}

/// Writes a self-contained .gltf file; otherwise as [`write_glb`].
pub fn write_gltf(capture: &Capture, options: &ExportOptions) -> Result<Vec<u8>, FormatError> {
    write::write(capture, options, assembly::Kind::Json)
}

/// Hash of everything in a clip.
fn fingerprint(clip: &Clip) -> u64 {
    let mut hasher = DefaultHasher::new();
    clip.name.hash(&mut hasher);
    clip.rate_hz().to_bits().hash(&mut hasher);
    for frame in 0..clip.frames() {
        for rotation in clip.rotations(frame) {
            rotation.coords.iter().for_each(|x| x.to_bits().hash(&mut hasher));
        }
    }
    for tracks in [clip.translations(), clip.scales()] {
        tracks.joints.hash(&mut hasher);
        tracks.values.iter().flatten().for_each(|x| x.to_bits().hash(&mut hasher));
    }
    hasher.finish()
}

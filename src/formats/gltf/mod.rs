//! glTF, GLB and VRM in and out.
//!
//! A file's skins become one scale-free [`Skeleton`] in metres, Y up; its animations become uniformly sampled
//! [`Clip`]s whose joint positions are those that a viewer shows. The file itself stays in the [`Document`], and
//! writing back adds animations and changes nothing else. A capture from another format gets a file of its own, with
//! a simple body, so that any viewer shows something.
//!
//! Meshes, materials and images are never interpreted, only kept. Malformed files give errors that name the place
//! in the JSON; nothing recurses over the file's nodes, and no count is believed before the bytes are there.

mod animate;
mod assemble;
mod body;
mod container;
mod into;
mod polar;
mod reduce;
mod rig;
mod schema;
mod scratch;
mod tree;

use super::{Capture, ExportOptions, FormatError, ImportOptions};
use crate::motion::{Clip, Skeleton};
use container::Container;
use rig::Rig;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tree::Tree;

/// A glTF file as it was: JSON and buffers, and the way between its nodes and our skeleton.
#[derive(Clone, Debug)]
pub struct Document {
    container: Container,
    tree: Arc<Tree>,
    rig: Arc<Rig>,
    /// Where files that it links lie.
    folder: Option<PathBuf>,
    /// Fingerprints of the clips that were read from it, to tell new ones from them.
    originals: Vec<u64>,
}

impl Document {
    fn open(bytes: &[u8], resolve: container::Resolver) -> Result<Document, FormatError> {
        let container = Container::open(bytes, resolve)?;
        let tree = Arc::new(Tree::read(&container.json)?);
        let rig = Arc::new(Rig::read(&container.json, &tree)?);
        Ok(Document { container, tree, rig, folder: None, originals: Vec::new() })
    }

    fn skeleton(&self) -> Result<Skeleton, FormatError> {
        self.rig.skeleton(&self.tree)
    }
}

/// Reads a .glb, .gltf or .vrm file with the buffers it names.
pub fn read_file(_path: &Path, _options: &ImportOptions) -> Result<Capture, FormatError> {
    todo!()
}

/// The bytes of a GLB file.
///
/// A capture that came from glTF (or [`ExportOptions::into`]) is written into a copy of that file; clips that were
/// in it already are not added again. Any other capture gets a new file with a simple skinned body.
pub fn write_glb(capture: &Capture, options: &ExportOptions) -> Result<Vec<u8>, FormatError> {
    into::write(capture, options, assemble::Kind::Glb)
}

/// The bytes of a self-contained .gltf file; otherwise as [`write_glb`].
pub fn write_gltf(capture: &Capture, options: &ExportOptions) -> Result<Vec<u8>, FormatError> {
    into::write(capture, options, assemble::Kind::Json)
}

/// A number that changes with anything in a clip.
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

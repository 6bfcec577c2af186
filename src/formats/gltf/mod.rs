//! glTF, GLB and VRM in and out.

use super::{Capture, ExportOptions, FormatError, ImportOptions};
use std::path::Path;

/// A glTF file as it was: JSON and buffers.
#[derive(Clone, Debug)]
pub struct Document {}

/// Reads a .glb, .gltf or .vrm file with the buffers it names.
pub fn read_file(_path: &Path, _options: &ImportOptions) -> Result<Capture, FormatError> {
    todo!()
}

/// The bytes of a GLB file.
pub fn write_glb(_capture: &Capture, _options: &ExportOptions) -> Result<Vec<u8>, FormatError> {
    todo!()
}

/// The bytes of a self-contained .gltf file.
pub fn write_gltf(_capture: &Capture, _options: &ExportOptions) -> Result<Vec<u8>, FormatError> {
    todo!()
}

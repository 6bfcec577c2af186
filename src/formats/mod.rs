//! The border: files become [`Capture`]s, captures become files.
//!
//! Inside, everything is metres, radians, right-handed, Y up. Readers convert, and say in the [`ImportReport`]
//! what they found, what they guessed and why, and what was wrong with the file.
//! [`read`] opens any known file, [`write`] writes by extension.

pub mod asf;
pub mod bvh;
mod capture;
mod error;
pub mod gltf;
mod guess;
mod save;

pub use capture::{Capture, Format, Guess, ImportOptions, ImportReport, RootOffset, Source, Unit, UpAxis, Warning};
pub use error::{FaultKind, FormatError};
pub use save::write_atomically;

use std::path::{Path, PathBuf};

/// How to write a file.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// Writes into this glTF file instead of the one the capture came from (or a new one): everything in it is
    /// kept, the clips are added as named animations.
    pub into: Option<PathBuf>,
    /// Drops keys (glTF) as long as no joint's world position moves by more than this, metres.
    pub reduce: Option<crate::Real>,
}

/// Opens a file of any known format. The content decides, not the extension, where the two disagree.
pub fn read(path: &Path, options: &ImportOptions) -> Result<Capture, FormatError> {
    let extension = extension(path);
    let result = match extension.as_str() {
        "asf" | "amc" => return asf::read_files(path, options),
        "glb" | "gltf" | "vrm" => gltf::read_file(path, options),
        "bvh" => load(path).and_then(|bytes| bvh::read(&bytes, options)),
        _ => Err(FormatError::new(format!("the extension {extension:?} is not one that sinew reads"))
            .help("sinew reads .bvh, .glb, .gltf, .vrm and .asf + .amc")),
    };
    result.map_err(|error| if error.path.as_os_str().is_empty() { error.in_file(path) } else { error })
}

/// Writes a capture; the extension names the format. The file appears whole or not at all.
pub fn write(path: &Path, capture: &Capture, options: &ExportOptions) -> Result<(), FormatError> {
    let bytes = match extension(path).as_str() {
        "bvh" => bvh::write(capture, options),
        "glb" => gltf::write_glb(capture, options),
        "gltf" => gltf::write_gltf(capture, options),
        other => Err(FormatError::new(format!("the extension {other:?} is not one that sinew writes"))
            .help("sinew writes .bvh, .glb and .gltf")),
    };
    write_atomically(path, &bytes.map_err(|error| error.in_file(path))?)
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// The bytes of a file, or a [`FormatError`] that says why not.
pub(crate) fn load(path: &Path) -> Result<Vec<u8>, FormatError> {
    std::fs::read(path).map_err(|error| FormatError::new(format!("cannot be read: {error}")).in_file(path))
}

//! The border: files become [`Capture`]s, captures become files.
//!
//! Inside, everything is metres, radians, right-handed, Y up. Readers convert, and say in the [`ImportReport`]
//! what they found, what they guessed and why, and what was wrong with the file.
//! [`read`] opens any known file, [`write()`] writes by extension.

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

use std::io::Read;
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

/// The extensions that [`read`] knows.
pub const READABLE: [&str; 6] = ["bvh", "glb", "gltf", "vrm", "asf", "amc"];
/// The extensions that [`write()`] knows.
pub const WRITABLE: [&str; 3] = ["bvh", "glb", "gltf"];

/// Opens a file of any known format. The content decides, not the extension, where the two disagree.
pub fn read(path: &Path, options: &ImportOptions) -> Result<Capture, FormatError> {
    // A missing file or a folder is that first, whatever it is called.
    match std::fs::metadata(path) {
        Err(error) => return Err(unreachable_file(path, &error)),
        Ok(found) if found.is_dir() => {
            let error = FormatError::new("is a folder, not a file").of_kind(FaultKind::Access);
            return Err(error.in_file(path));
        }
        Ok(_) => {}
    }
    let extension = extension(path);
    let result = match content_of(path).unwrap_or(extension.as_str()) {
        "asf" | "amc" => asf::read_files(path, options),
        "glb" | "gltf" | "vrm" => gltf::read_file(path, options),
        "bvh" => load(path).and_then(|bytes| bvh::read(&bytes, options)).map(|capture| named_after(path, capture)),
        _ => Err(unsupported(&extension, "reads", &READABLE)),
    };
    let result = result.map(with_roles);
    result.map_err(|error| if error.path.as_os_str().is_empty() { error.in_file(path) } else { error })
}

/// The format that the first bytes of a file give away, as an extension.
fn content_of(path: &Path) -> Option<&'static str> {
    let mut head = Vec::new();
    std::fs::File::open(path).ok()?.take(64).read_to_end(&mut head).ok()?;
    let text = String::from_utf8_lossy(head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&head)).to_ascii_uppercase();
    match head.as_slice() {
        [b'g', b'l', b'T', b'F', ..] => Some("glb"),
        _ if text.trim_start().starts_with("HIERARCHY") => Some("bvh"),
        _ => None,
    }
}

/// Says of every joint what it is on a body, as far as its name tells; what the file says itself is kept.
fn with_roles(mut capture: Capture) -> Capture {
    /// Guesses less certain than this are left open.
    const SURE: crate::Real = 0.5;
    for (joint, guess) in crate::motion::guess_roles(&capture.skeleton).into_iter().enumerate() {
        if guess.confidence >= SURE {
            capture.skeleton.set_role(joint, guess.role);
        }
    }
    capture
}

/// A BVH does not name its motion; the file's name does.
fn named_after(path: &Path, mut capture: Capture) -> Capture {
    if let (Some(name), Some(clip)) = (path.file_stem(), capture.clips.first_mut()) {
        clip.name = name.to_string_lossy().into_owned();
    }
    capture
}

/// Whether [`write()`] knows the format that the extension of `path` names.
pub fn check_writable(path: &Path) -> Result<(), FormatError> {
    let extension = extension(path);
    if WRITABLE.contains(&extension.as_str()) {
        return Ok(());
    }
    Err(unsupported(&extension, "writes", &WRITABLE).in_file(path))
}

/// Writes a capture; the extension names the format. The file appears whole or not at all.
pub fn write(path: &Path, capture: &Capture, options: &ExportOptions) -> Result<(), FormatError> {
    let bytes = match extension(path).as_str() {
        "bvh" => bvh::write(capture, options),
        "glb" => gltf::write_glb(capture, options),
        "gltf" => gltf::write_gltf(capture, options),
        other => Err(unsupported(other, "writes", &WRITABLE)),
    };
    // A fault of another file, one to write into, already names that file.
    let named = |error: FormatError| if error.path.as_os_str().is_empty() { error.in_file(path) } else { error };
    write_atomically(path, &bytes.map_err(named)?)
}

fn unsupported(extension: &str, verb: &str, known: &[&str]) -> FormatError {
    let message = match extension {
        "" => format!("has no extension, so it is not a file that sinew {verb}"),
        _ => format!(".{extension} is not a kind of file that sinew {verb}"),
    };
    let (last, others) = known.split_last().unwrap_or((&"", &[]));
    FormatError::new(message)
        .of_kind(FaultKind::Unsupported)
        .help(format!("sinew {verb} .{} and .{last}", others.join(", .")))
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// The bytes of a file, or a [`FormatError`] that says why not.
pub(crate) fn load(path: &Path) -> Result<Vec<u8>, FormatError> {
    std::fs::read(path).map_err(|error| unreachable_file(path, &error))
}

fn unreachable_file(path: &Path, error: &std::io::Error) -> FormatError {
    let message = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "may not be read (permission denied)".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    FormatError::new(message).of_kind(FaultKind::Access).in_file(path)
}

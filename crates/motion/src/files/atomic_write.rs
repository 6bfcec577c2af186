//! Atomic writing: a file appears whole or not at all.

use super::{FaultKind, FormatError};
use std::fs;
use std::io::Write;
use std::path::Path;

/// Writes a file beside the target, then renames it, so that an interrupted run leaves the old file or none.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FormatError> {
    let fault = |message: String| FormatError::new(message).of_kind(FaultKind::Access).in_file(path);
    let name = path.file_name().ok_or_else(|| fault("is not a file name".into()))?;
    let mut beside = name.to_os_string();
    beside.push(format!(".part-{}", std::process::id()));
    let beside = path.with_file_name(beside);
    let result = fs::File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    if result.is_err() {
        // The half-written neighbour is ours to remove; the first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    result.map_err(|error| fault(format!("cannot be written: {error}")))
}

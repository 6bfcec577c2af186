//! Files that appear whole or not at all.

use super::FormatError;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Writes beside the target, then renames, so that an interrupted run leaves the old file or none.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FormatError> {
    let fail = |error: std::io::Error| FormatError::new(format!("cannot be written: {error}")).in_file(path);
    let name = path.file_name().ok_or_else(|| FormatError::new("is not a file name").in_file(path))?;
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
    result.map_err(fail)
}

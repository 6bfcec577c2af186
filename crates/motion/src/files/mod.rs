//! Bytes of files: reading, atomic writing, and the error type of all files, with line and column.
//!
//! Modules that read text files of their own (figures, contact lists, scenes) and [`crate::formats`] share this one. The
//! meaning of the bytes is theirs.

mod atomic_write;
mod error;
mod nearest;
pub mod text_error;

pub use atomic_write::{Destination, FileSet, destination, write_atomically};
pub use error::{FaultKind, FormatError};
pub use nearest::nearest;

use std::path::Path;

/// Reads the bytes of a file.
pub fn load(path: &Path) -> Result<Vec<u8>, FormatError> {
    std::fs::read(path).map_err(|error| access_error(path, &error))
}

/// Makes the error of a file that cannot be opened or read.
pub(crate) fn access_error(path: &Path, error: &std::io::Error) -> FormatError {
    let message = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "may not be read (permission denied)".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    FormatError::new(message).of_kind(FaultKind::Access).in_file(path)
}

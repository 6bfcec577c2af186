//! Files as bytes: read, written whole or not at all, and what is wrong with them, to the line.
//!
//! Rooms that keep text of their own (figures, contacts, scenes) and the border ([`crate::formats`]) meet here, so that neither has to know
//! the other. What the bytes mean is theirs.

mod atomic_write;
mod error;
mod nearest;
pub mod text_error;

pub use atomic_write::write_atomically;
pub use error::{FaultKind, FormatError};
pub use nearest::nearest;

use std::path::Path;

/// The bytes of a file, or a [`FormatError`] that says why not.
pub fn load(path: &Path) -> Result<Vec<u8>, FormatError> {
    std::fs::read(path).map_err(|error| unreachable_file(path, &error))
}

/// Why a file cannot be reached.
pub fn unreachable_file(path: &Path, error: &std::io::Error) -> FormatError {
    let message = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "may not be read (permission denied)".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    FormatError::new(message).of_kind(FaultKind::Access).in_file(path)
}

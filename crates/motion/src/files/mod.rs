//! Bytes of files: reading, atomic writing, and the error type of all files, with line and column.
//!
//! Modules that read text files of their own (figures, contact lists, scenes) and [`crate::formats`] share this one. The
//! meaning of the bytes is theirs.

mod atomic_write;
mod error;
pub mod limits;
mod nearest;
pub mod text_error;

pub use atomic_write::{Destination, FileSet, destination, write_atomically};
pub use error::{FaultKind, FormatError};
pub use nearest::nearest;

use std::path::{Path, PathBuf};

/// Reads the bytes of a file, at most [`limits::LARGEST_FILE`].
pub fn load(path: &Path) -> Result<Vec<u8>, FormatError> {
    let file = std::fs::File::open(path).map_err(|error| access_error(path, &error))?;
    limits::read_bounded(&file, path, limits::LARGEST_FILE)
}

/// Reads a text of settings, at most [`limits::LARGEST_TEXT`].
pub fn load_text(path: &Path) -> Result<String, FormatError> {
    let file = std::fs::File::open(path).map_err(|error| access_error(path, &error))?;
    let bytes = limits::read_bounded(&file, path, limits::LARGEST_TEXT)?;
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        FormatError::new(format!("is no text (byte {place} is not UTF-8)")).in_file(path)
    })
}

/// Makes the error of a file that cannot be opened or read.
pub(crate) fn access_error(path: &Path, error: &std::io::Error) -> FormatError {
    let message = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "may not be read (permission denied)".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    let failure = FormatError::new(message).of_kind(FaultKind::Access).in_file(path);
    match neighbour(path).filter(|_| error.kind() == std::io::ErrorKind::NotFound) {
        Some(near) => failure.help(format!("did you mean {}?", near.display())),
        None => failure,
    }
}

/// Returns true for two words that begin or end with the same half.
fn is_close(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let half = a.chars().count().min(b.chars().count()).div_ceil(2);
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(a, b)| a == b).count() >= half
    };
    same(&mut a.chars(), &mut b.chars()) || same(&mut a.chars().rev(), &mut b.chars().rev())
}

/// Returns the file in the same folder whose name is nearest to that of a missing one.
fn neighbour(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let near = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    // Names of files share their endings, so that many are alike by half.
    let stem = |name: &Path| name.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    if !is_close(&stem(path)?, &stem(Path::new(near))?) {
        return None;
    }
    Some(folder.map_or(PathBuf::from(near), |folder| folder.join(near)))
}

//! Limits of all readers: sizes, counts, depths and magnitudes beyond which a file is refused.
//!
//! A file says how much work it makes, so every number in it that is multiplied by another, or allocated for, is bounded
//! here. The limits are far above any real file, and each refusal tells its own.

use super::{FaultKind, FormatError};
use crate::Real;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest file, bytes: two days of a body at 60 Hz.
pub const LARGEST_FILE: u64 = 1 << 30;
/// Largest text of settings (scene, figure, joint map, contact list), bytes. Parsed, a text takes some ten times its size.
pub const LARGEST_TEXT: u64 = 16 << 20;
/// Largest number of joints; bodies with fingers and faces have some hundred, crowds some thousand.
pub const MOST_JOINTS: usize = 10_000;
/// Longest chain of joints from a root; ropes, tails and hair have some ten.
pub const DEEPEST_JOINT: usize = 1_000;
/// Largest distance of a joint from its parent or of a root from the origin, metres: beyond the largest level of a game, and
/// near enough that millimetres are exact.
pub const FARTHEST: Real = 1e5;
/// Largest scale of a joint.
pub const LARGEST_SCALE: Real = 1e6;
/// Scale below which a node is scaled to nothing: 32-bit numbers that are divided by it say nothing.
pub const SMALLEST_SCALE: Real = 1e-9;
/// Largest length of a quaternion, and the inverse of the smallest, that is still taken as a rotation; files write 1 to
/// rounding.
pub const LONGEST_QUATERNION: Real = 1e6;
/// Largest angle that is a measurement, degrees: a million revolutions.
pub const LARGEST_ANGLE: Real = 3.6e8;
/// Largest number of rotations in a clip, frames × joints: 1 GiB, or five hours of a body of 22 joints at 60 Hz.
pub const MOST_SAMPLES: usize = 1 << 25;

/// Reads at most `most` bytes; a longer file is refused before it takes more memory than that.
pub(crate) fn read_bounded(file: &File, path: &Path, most: u64) -> Result<Vec<u8>, FormatError> {
    let unreadable = |error: std::io::Error| super::access_error(path, &error);
    let found = file.metadata().map_err(unreadable)?;
    refuse_device(&found, path)?;
    if found.is_file() && found.len() > most {
        return Err(too_large(path, most));
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most { Err(too_large(path, most)) } else { Ok(bytes) }
}

/// Makes the error of a file beyond a limit.
pub(crate) fn too_large(path: &Path, most: u64) -> FormatError {
    FormatError::new(format!("is larger than {} MiB, the most that is read", most >> 20))
        .of_kind(FaultKind::Access)
        .in_file(path)
        .help("is this the right file? A longer motion can be cut into several files")
}

/// Refuses devices: most of them never end. Pipes do.
pub(crate) fn refuse_device(found: &std::fs::Metadata, path: &Path) -> Result<(), FormatError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.file_type().is_char_device() || found.file_type().is_block_device() {
            return Err(FormatError::new("is a device, not a file").of_kind(FaultKind::Access).in_file(path));
        }
    }
    let _ = (found, path);
    Ok(())
}

/// Path of a file that another file names, if it lies in the folder of that file or below. Links are followed first: a
/// stranger's archive can hold a link to any file of the machine.
pub fn within_folder(folder: &Path, name: &Path) -> std::io::Result<Option<std::path::PathBuf>> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = folder.join(name);
    Ok(path.canonicalize()?.starts_with(folder.canonicalize()?).then_some(path))
}

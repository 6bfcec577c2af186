//! BVH in and out.

use super::{Capture, ExportOptions, FormatError, ImportOptions};

/// A BVH file as written: hierarchy and channel values, nothing interpreted.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {}

/// Reads the bytes of a BVH file.
pub fn read(_bytes: &[u8], _options: &ImportOptions) -> Result<Capture, FormatError> {
    todo!()
}

/// The bytes of a BVH file with the capture's first clip.
pub fn write(_capture: &Capture, _options: &ExportOptions) -> Result<Vec<u8>, FormatError> {
    todo!()
}

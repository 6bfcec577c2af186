//! Acclaim skeletons (ASF) and motions (AMC).

use super::{Capture, FormatError, ImportOptions};
use std::path::Path;

/// Reads an .asf, with the .amc beside it when `path` names one; an .amc finds its .asf in the same folder.
pub fn read_files(_path: &Path, _options: &ImportOptions) -> Result<Capture, FormatError> {
    todo!()
}

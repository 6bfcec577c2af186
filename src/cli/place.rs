//! Where results may be written: refusals that are known before any work is done.

use super::failure::Failure;
use std::path::Path;

/// Refuses a file in a folder that does not exist.
pub fn refuse_nowhere(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => Err(Failure::usage(format!("{}: there is no folder {}", file.display(), folder.display()))),
        None => Ok(()),
    }
}

/// Refuses a file that would replace what it is made from; `help` says what to do instead.
pub fn refuse_to_replace(input: &Path, output: &Path, help: &str) -> Result<(), Failure> {
    let is_same = matches!((input.canonicalize(), output.canonicalize()), (Ok(a), Ok(b)) if a == b);
    match is_same {
        true => Err(Failure::usage(format!("{}: would replace its own input", output.display())).help(help)),
        false => Ok(()),
    }
}

//! Checks of output paths, made before any file is read.

use super::failure::Failure;
use sinew::formats;
use std::path::Path;

/// Returns true if the extension of a path is one of `known`, in upper or lower case.
pub fn has_extension(path: &Path, known: &[&str]) -> bool {
    path.extension().is_some_and(|found| known.iter().any(|known| found.eq_ignore_ascii_case(known)))
}

/// Refuses a file in a folder that does not exist.
pub fn check_folder(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => Err(Failure::usage(format!("{}: there is no folder {}", file.display(), folder.display()))),
        None => Ok(()),
    }
}

/// Refuses a file that would replace what it is made from; `help` names the alternative.
pub fn check_not_input(input: &Path, output: &Path, help: &str) -> Result<(), Failure> {
    let is_same = matches!((input.canonicalize(), output.canonicalize()), (Ok(a), Ok(b)) if a == b);
    match is_same {
        true => Err(Failure::usage(format!("{}: would replace its own input", output.display())).help(help)),
        false => Ok(()),
    }
}

/// Refuses the file of an option whose extension is another, or whose folder does not exist.
pub fn check_option_file(option: &str, file: &Path, extension: &str) -> Result<(), Failure> {
    if !has_extension(file, &[extension]) {
        let message = format!("{}: {option} writes .{extension} files", file.display());
        return Err(Failure::usage(message).help(format!("call it something.{extension}")));
    }
    check_folder(file)
}

/// Refuses a motion file of a format that is not written, or in a folder that does not exist.
pub fn check_motion_file(output: &Path) -> Result<(), Failure> {
    formats::check_writable(output)?;
    check_folder(output)
}

/// Refuses a motion file that cannot be written, or that would replace its input.
pub fn check_result(input: &Path, output: &Path) -> Result<(), Failure> {
    check_motion_file(output)?;
    check_not_input(input, output, "give another name")
}

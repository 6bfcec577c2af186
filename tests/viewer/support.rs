//! What the tests share: a folder, the binary, and whether this machine can draw.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(TempDir::new().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Names of all files in the folder.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("the folder can be listed");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// `sinew view` in this folder, with no display.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
        command.arg("view").args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        for display in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
            command.env_remove(display);
        }
        command
    }

    pub fn view(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// A picture that was drawn.
    pub fn picture(&self, name: &str) -> image::RgbImage {
        image::open(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}")).to_rgb8()
    }
}

/// A file of the built-in data.
pub fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name).display().to_string()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether something here can draw. Where nothing can, tests have nothing to say, except in the checks of a change.
pub fn can_draw() -> bool {
    match sinew::viewer::probe() {
        Ok(_) => true,
        Err(error) => {
            excuse(&error.to_string());
            false
        }
    }
}

/// Whether all of these programs are there.
pub fn has_programs(programs: &[&str]) -> bool {
    let is_there = |program: &&str| {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
    };
    match programs.iter().find(|program| !is_there(program)) {
        None => true,
        Some(missing) => {
            excuse(&format!("{missing} is not installed"));
            false
        }
    }
}

fn excuse(why: &str) {
    assert!(std::env::var_os("CI").is_none_or(|value| value != "true"), "{why}");
    println!("skipped: {why}");
}

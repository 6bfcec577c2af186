//! Figures as text: saved, edited by hand, loaded again.
//!
//! The format is TOML and described in `docs/figures.md`. A file names the joints that carry segments; which joints are
//! folded into which segment and what hangs on what follows from the skeleton it is loaded for, so that one file serves all
//! captures of an actor. A file may name a capture with
//! such a skeleton, so that it can be opened alone. Numbers survive to the last bit. What building a figure had to say is not kept.

mod read;
mod schema;
mod write;

use super::Figure;
use crate::files::text_error::from_toml_error;
use crate::files::{FormatError, load_text, write_atomically};
use crate::motion::Skeleton;
use std::path::{Component, Path, PathBuf};

impl Figure {
    /// The figure as text.
    ///
    /// ```
    /// # use sinew::figure::{Figure, FigureOptions};
    /// # use sinew::motion::{Joint, Skeleton};
    /// # use sinew::Vec3;
    /// # let skeleton = Skeleton::new(vec![Joint::new("a", None, Vec3::y()), Joint::new("b", Some(0), Vec3::x())])?;
    /// let figure = Figure::build(&skeleton, &FigureOptions::default())?;
    /// let text = figure.to_toml();
    /// assert_eq!(Figure::from_toml(&text, &skeleton)?, figure);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_toml(&self) -> String {
        write::write(self, None)
    }

    /// The figure as text that names a capture with its skeleton, as a path from the folder of the text.
    pub fn to_toml_of(&self, capture: &str) -> String {
        write::write(self, Some(capture))
    }

    /// Reads a figure for a skeleton; errors point at the line and say what was expected.
    pub fn from_toml(text: &str, skeleton: &Skeleton) -> Result<Figure, FormatError> {
        read::read(text, skeleton)
    }

    /// Writes [`Figure::to_toml`] to a file, which appears whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), FormatError> {
        write_atomically(path, self.to_toml().as_bytes())
    }

    /// The figure as text for a file at `path`, with the way from there to the capture whose body it is, so that the file can be opened
    /// alone.
    pub fn text_beside(&self, path: &Path, capture: &Path) -> String {
        self.to_toml_of(&way(path.parent().unwrap_or(Path::new("")), capture))
    }

    /// Writes the figure like [`Figure::save`], with the name of the capture whose body it is, so that the file can be opened alone.
    pub fn save_of(&self, path: &Path, capture: &Path) -> Result<(), FormatError> {
        write_atomically(path, self.text_beside(path, capture).as_bytes())
    }

    /// Reads a figure file.
    pub fn load(path: &Path, skeleton: &Skeleton) -> Result<Figure, FormatError> {
        load_text(path).and_then(|text| Figure::from_toml(&text, skeleton)).map_err(|error| error.in_file(path))
    }

    /// The capture that a figure file names as one with its skeleton, if it does.
    pub fn capture_of(path: &Path) -> Result<Option<PathBuf>, FormatError> {
        let named = load_text(path).and_then(|text| {
            toml::from_str::<schema::CaptureText>(&text).map_err(|error| from_toml_error(&text, &error, "figure"))
        });
        let named = named.map_err(|error| error.in_file(path))?.capture;
        Ok(named.map(|named| path.parent().unwrap_or(Path::new("")).join(named)))
    }
}

/// The way to a file from a folder, with slashes; whole where the two have nothing in common.
fn way(folder: &Path, file: &Path) -> String {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let parts = |path: &Path| -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        for part in whole(path).components() {
            match part {
                Component::ParentDir => drop(parts.pop()),
                Component::CurDir => {}
                other => parts.push(other.as_os_str().to_string_lossy().into_owned()),
            }
        }
        parts
    };
    let (from, to) = (parts(folder), parts(file));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    // The first part is the root or the drive.
    if shared < 2 {
        return file.display().to_string();
    }
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to[shared..].iter().map(String::as_str)).collect::<Vec<_>>().join("/")
}

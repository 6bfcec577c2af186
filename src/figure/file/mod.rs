//! Figures as text: saved, edited by hand, loaded again.
//!
//! The format is TOML and described in `docs/figures.md`. A file names the joints that carry segments; which joints are
//! folded into which segment and what hangs on what follows from the skeleton it is loaded for, so that one file serves all
//! captures of an actor. Numbers survive to the last bit. What building a figure had to say is not kept.

mod read;
mod schema;
mod write;

use super::Figure;
use crate::files::{FormatError, load, write_atomically};
use crate::motion::Skeleton;
use std::path::Path;

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
        write::write(self)
    }

    /// Reads a figure for a skeleton; errors point at the line and say what was expected.
    pub fn from_toml(text: &str, skeleton: &Skeleton) -> Result<Figure, FormatError> {
        read::read(text, skeleton)
    }

    /// Writes [`Figure::to_toml`] to a file, which appears whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), FormatError> {
        write_atomically(path, self.to_toml().as_bytes())
    }

    /// Reads a figure file.
    pub fn load(path: &Path, skeleton: &Skeleton) -> Result<Figure, FormatError> {
        let bytes = load(path)?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| FormatError::new(format!("is no text (byte {} is not UTF-8)", error.valid_up_to())));
        text.and_then(|text| Figure::from_toml(text, skeleton)).map_err(|error| error.in_file(path))
    }
}

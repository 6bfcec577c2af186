//! The border: files become [`Capture`]s, captures become files.
//!
//! Inside, everything is metres, radians, right-handed, Y up. Readers convert, and say in the [`ImportReport`]
//! what they found, what they guessed and why, and what was wrong with the file.
//! [`read`] opens any known file, [`write`] writes by extension.

mod capture;
mod error;

pub use capture::{Capture, Format, Guess, ImportOptions, ImportReport, RootOffset, Unit, UpAxis, Warning};
pub use error::FormatError;

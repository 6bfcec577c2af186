//! BVH reading and writing.
//!
//! A file is read in two stages. A [`Document`] holds what is written in it, number for number; reading and writing a
//! document loses nothing. A [`Capture`] holds its meaning: metres, Y up, quaternions. Properties that a BVH does not say
//! (unit, up axis, whether a root's channels replace its OFFSET) are detected from the body in it, reported as a
//! [`Guess`](super::Guess), and can be overruled by [`ImportOptions`].
//!
//! Joints of a BVH have no rest rotation, so `rest` is the identity everywhere but on roots, which carry the rotation
//! to Y up.

mod channels;
mod cursor;
mod detect;
mod document;
mod from_capture;
mod interpret;
mod motion_block;
mod motion_header;
mod number;
mod parse;
mod positions;
mod read;
mod rotation;
mod text;

pub use document::{Channel, Document, LineEnd, Motion, Node};

use super::{Capture, ExportOptions, FormatError, ImportOptions};

/// Treatment of a motion block with rows that are no frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Damage {
    /// Refuses the file, with the place.
    #[default]
    Refuse,
    /// Keeps the longest unbroken run of complete rows. Rows on both sides of a gap are never joined: that would make a
    /// motion that was not captured.
    KeepComplete,
}

/// Reads the bytes of a BVH file.
///
/// ```
/// use sinew_motion::formats::{ImportOptions, bvh};
/// let text = "HIERARCHY ROOT hips { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition \n\
///     JOINT head { OFFSET 0 60 0 CHANNELS 0 } JOINT foot { OFFSET 0 -100 0 CHANNELS 0 } }\n\
///     MOTION\nFrames: 1\nFrame Time: 0.04\n0 100 0\n";
/// let capture = bvh::read(text.as_bytes(), &ImportOptions::default())?;
/// assert_eq!(capture.report.unit.to_string(), "cm");
/// assert_eq!(capture.clips[0].translations().values[0].y, 1.0);
/// # Ok::<(), sinew_motion::formats::FormatError>(())
/// ```
pub fn read(bytes: &[u8], options: &ImportOptions) -> Result<Capture, FormatError> {
    read::read(bytes, options)
}

/// Writes a BVH file with the capture's first clip.
///
/// A capture that was read from a BVH and not changed since is written back number for number; a changed one
/// keeps the file's unit, axes and channel orders. Everything else is written in centimetres, Y up, ZXY.
pub fn write(capture: &Capture, _options: &ExportOptions) -> Result<Vec<u8>, FormatError> {
    from_capture::document(capture).map(|document| document.to_bytes())
}

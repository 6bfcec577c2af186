//! Output of frames: one picture, numbered pictures, or a video by the program `ffmpeg`. Every file is written completely
//! or not at all.

use super::ViewError;
use crate::files::{FaultKind, FormatError, write_atomically};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Picture in RGB, eight bits per channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// Red, green and blue of each pixel, row by row from the top.
    pub rgb: Vec<u8>,
}

impl Frame {
    /// Encodes the picture as PNG.
    pub fn to_png(&self) -> Result<Vec<u8>, FormatError> {
        let mut bytes = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, FilterType::Adaptive);
        encoder
            .write_image(&self.rgb, self.width, self.height, ExtendedColorType::Rgb8)
            .map_err(|error| FormatError::new(format!("the picture cannot be put as PNG: {error}")))?;
        Ok(bytes)
    }
}

/// Destination of frames.
pub enum FrameWriter {
    /// One PNG file.
    Single(PathBuf),
    /// Numbered PNG files: name_0001.png and on.
    Series {
        /// Path without the number.
        base: PathBuf,
        /// Number of frames written.
        written: usize,
    },
    /// Video file.
    Video(Video),
}

impl FrameWriter {
    /// Opens the destination for a path, by its extension and the number of frames. `rate` is in frames per second.
    pub fn create(path: &Path, frames: usize, rate: f64, size: (u32, u32)) -> Result<FrameWriter, ViewError> {
        let refuse = |message: &str| FormatError::new(message).of_kind(FaultKind::Unsupported).in_file(path);
        match ending(path).as_str() {
            "png" if frames == 1 => Ok(FrameWriter::Single(path.to_owned())),
            "png" => Ok(FrameWriter::Series { base: path.to_owned(), written: 0 }),
            "mp4" | "mkv" | "webm" | "gif" => Video::start(path, rate, size).map(FrameWriter::Video),
            _ => Err(refuse("is neither a picture nor a video")
                .help("call it something.png, .mp4, .mkv, .webm or .gif")
                .into()),
        }
    }

    /// Files that so many frames are written to.
    pub fn paths(path: &Path, frames: usize) -> Vec<PathBuf> {
        match ending(path).as_str() {
            "png" if frames > 1 => (1..=frames).map(|k| numbered(path, k)).collect(),
            _ => vec![path.to_owned()],
        }
    }

    /// Writes one frame.
    pub fn add(&mut self, frame: &Frame) -> Result<(), ViewError> {
        match self {
            FrameWriter::Single(path) => Ok(write_atomically(path, &frame.to_png()?)?),
            FrameWriter::Series { base, written } => {
                *written += 1;
                Ok(write_atomically(&numbered(base, *written), &frame.to_png()?)?)
            }
            FrameWriter::Video(video) => video.add(frame),
        }
    }

    /// Ends the output; returns the files written.
    pub fn finish(self) -> Result<Vec<PathBuf>, ViewError> {
        match self {
            FrameWriter::Single(path) => Ok(vec![path]),
            FrameWriter::Series { base, written } => Ok((1..=written).map(|k| numbered(&base, k)).collect()),
            FrameWriter::Video(video) => video.finish().map(|path| vec![path]),
        }
    }
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Path of a numbered frame: name.png → name_0007.png.
fn numbered(base: &Path, number: usize) -> PathBuf {
    let stem = base.file_stem().unwrap_or_default().to_string_lossy();
    base.with_file_name(format!("{stem}_{number:04}.png"))
}

/// Returns true if `ffmpeg` is installed, so that videos can be written.
pub fn has_ffmpeg() -> bool {
    let mut asked = Command::new("ffmpeg");
    asked.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}

/// Running `ffmpeg` process that writes beside the target.
pub struct Video {
    child: Child,
    target: PathBuf,
    beside: PathBuf,
}

impl Video {
    fn start(target: &Path, rate: f64, (width, height): (u32, u32)) -> Result<Self, ViewError> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let beside = target.with_file_name(format!(".part-{}-{name}", std::process::id()));
        let mut command = Command::new("ffmpeg");
        command.args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
        command.args(["-s", &format!("{width}x{height}"), "-r", &rate.to_string(), "-i", "-", "-an"]);
        if ending(target) == "gif" {
            command.args(["-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"]);
        } else {
            // Players expect even sizes and this pixel format.
            command.args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]);
        }
        command.arg(&beside).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| ViewError::Video(format!("it cannot be started: {error}")))?;
        Ok(Video { child, target: target.to_owned(), beside })
    }

    fn add(&mut self, frame: &Frame) -> Result<(), ViewError> {
        let written = self.child.stdin.as_mut().map(|pipe| pipe.write_all(&frame.rgb));
        match written {
            Some(Ok(())) => Ok(()),
            _ => Err(ViewError::Video(self.last_words())),
        }
    }

    fn finish(mut self) -> Result<PathBuf, ViewError> {
        let words = self.last_words();
        let ended = self.child.wait();
        if !ended.is_ok_and(|status| status.success()) {
            return Err(ViewError::Video(words));
        }
        std::fs::rename(&self.beside, &self.target).map_err(|error| ViewError::Video(error.to_string()))?;
        Ok(self.target.clone())
    }

    /// Closes the pipe, so that the process ends, and reads its error messages.
    fn last_words(&mut self) -> String {
        drop(self.child.stdin.take());
        let mut words = String::new();
        if let Some(errors) = self.child.stderr.as_mut() {
            // Unreadable messages are left out.
            let _ = errors.read_to_string(&mut words);
        }
        words.trim().to_owned()
    }
}

impl Drop for Video {
    /// Removes the unfinished file of an abandoned video.
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.beside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_numbered_before_the_ending() {
        assert_eq!(numbered(Path::new("out/walk.v2.png"), 12), Path::new("out/walk.v2_0012.png"));
    }

    #[test]
    fn a_png_holds_the_pixels_it_was_given() {
        let frame = Frame { width: 2, height: 2, rgb: (0..12).collect() };
        let png = frame.to_png().expect("encodes");
        let read = image::load_from_memory(&png).expect("decodes").to_rgb8();
        assert_eq!(read.into_raw(), frame.rgb);
    }

    #[test]
    fn an_unknown_ending_is_refused() {
        let refused = FrameWriter::create(Path::new("walk.bmp"), 1, 30.0, (4, 4));
        assert!(matches!(refused, Err(ViewError::File(_))));
    }
}

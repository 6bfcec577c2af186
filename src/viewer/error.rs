//! Errors of the viewer, and their remedies.

use crate::files::FormatError;
use thiserror::Error;

/// Error of the viewer.
#[derive(Debug, Error)]
pub enum ViewError {
    /// Neither a graphics card nor a software renderer was found.
    #[error("nothing here can draw: no graphics card and no software renderer was found ({0})")]
    NoGraphics(String),
    /// No display, or it does not answer.
    #[error("no window can be opened here ({0})")]
    NoDisplay(String),
    /// Picture larger than the graphics card allows.
    #[error("a picture of {width} × {height} is too large: this graphics card draws at most {largest} × {largest}")]
    TooLarge {
        /// Requested width, pixels.
        width: u32,
        /// Requested height, pixels.
        height: u32,
        /// Maximum width and height, pixels.
        largest: u32,
    },
    /// File that cannot be read or written.
    #[error(transparent)]
    File(#[from] FormatError),
    /// Failure of `ffmpeg`, with its message.
    #[error("ffmpeg did not write the video: {0}")]
    Video(String),
}

impl ViewError {
    /// Remedy for the error.
    pub fn help(&self) -> Option<String> {
        match self {
            ViewError::NoGraphics(_) => Some(
                "install a Vulkan driver; without a graphics card the one of Mesa draws on the processor (Debian and \
                 Ubuntu: apt install libvulkan1 mesa-vulkan-drivers)"
                    .to_owned(),
            ),
            ViewError::NoDisplay(_) => {
                Some("with -o picture.png it draws without a window and without a display".to_owned())
            }
            ViewError::TooLarge { .. } => Some("--size takes a smaller one".to_owned()),
            ViewError::Video(_) => Some("-o name.png writes the frames as pictures".to_owned()),
            ViewError::File(error) => error.help.clone(),
        }
    }
}

//! Why nothing can be shown, and what to do about it.

use crate::files::FormatError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ViewError {
    /// No graphics card, and no program that acts as one.
    #[error("nothing here can draw: no graphics card and no software renderer was found ({0})")]
    NoGraphics(String),
    #[error("no window can be opened here ({0})")]
    NoDisplay(String),
    #[error("a picture of {width} × {height} is too large: this graphics card draws at most {largest} × {largest}")]
    TooLarge { width: u32, height: u32, largest: u32 },
    #[error(transparent)]
    File(#[from] FormatError),
    #[error("ffmpeg did not write the video: {0}")]
    Video(String),
}

impl ViewError {
    /// What a person can do about it.
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

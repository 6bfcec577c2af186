//! The window, and pictures without one (feature `viewer`): draws what [`crate::show`] says and turns keys and mouse into
//! its actions. It holds nothing that a run depends on.

mod camera;
mod convert;
mod draw;
mod environment;
mod error;
mod frames;
mod graphics;
mod keys;
mod layers;
mod log;
mod mouse;
mod offscreen;
mod panels;
mod render;
mod scale;
mod window;

pub use camera::View;
pub use error::ViewError;
pub use frames::{Frame, FrameWriter, has_ffmpeg};
pub use graphics::{Graphics, probe};
pub use layers::{NamedLayer, named_layers};
pub use render::{RenderOptions, render};
pub use window::{WindowOptions, open_window};

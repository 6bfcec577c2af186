//! Window and offscreen rendering (feature `viewer`): draws the pictures of [`crate::show`] and turns keys and mouse into
//! its actions. No simulation depends on its state.

// Nothing that is drawn goes into a result.
#![allow(clippy::disallowed_methods)]

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
mod sheet;
mod shot;
mod window;

pub use camera::View;
pub use error::ViewError;
pub use frames::{Frame, FrameWriter, has_ffmpeg};
pub use graphics::{Graphics, probe};
pub use layers::{NamedLayer, named_layers};
pub use render::{RenderOptions, render};
pub use sheet::{SheetOptions, render_sheet};
pub use window::{WindowOptions, open_window};

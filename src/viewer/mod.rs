//! The window, and pictures without one (feature `viewer`): draws what [`crate::show`] says and turns keys and mouse into
//! its actions. It holds nothing that a run depends on.

mod camera;
mod convert;
mod draw;
mod error;
mod film;
mod graphics;
mod keys;
mod layers;
mod log;
mod look;
mod mouse;
mod panels;
mod photograph;
mod scale;
mod studio;
mod window;

pub use camera::View;
pub use error::ViewError;
pub use film::{Film, Frame, has_ffmpeg};
pub use graphics::{Graphics, probe};
pub use layers::{NamedLayer, named_layers};
pub use photograph::{Photograph, photograph};
pub use window::{WindowOptions, open_window};

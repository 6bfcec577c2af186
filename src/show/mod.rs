//! Opened files as things to look at and to touch, with neither window nor graphics card.
//!
//! A [`Show`] holds what was opened; time passes by [`Show::advance`], a person's wishes arrive as [`Action`]s, and
//! [`Show::paint`] fills a [`Picture`]: plain lists of what is to be drawn now. The window only draws pictures and turns keys
//! and mouse into actions, so everything that can be done in it can be done, and tested, without it.

mod action;
mod actor;
mod brush;
mod embody;
mod exhibit;
mod hall;
mod live;
mod meshes;
mod open;
mod overlay;
mod pick;
mod timeline;
mod picture;
mod status;

pub use action::{Action, Grip};
pub use embody::{Embodied, EmbodyError, Wish, embody};
pub use hall::Show;
pub use pick::Pick;
pub use timeline::{ContactTrack, Curve, Timeline};
pub use open::{OpenError, OpenOptions};
pub use picture::{Arc, Arrow, Color, Dot, Layers, Line, Mesh, MeshId, Picture, Skin, Solid};
pub use status::{ForceSource, Status};

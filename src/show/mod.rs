//! Opened files as things to look at and to touch, with neither window nor graphics card.
//!
//! A [`Workspace`] holds what was opened; time passes by [`Workspace::advance`], a person's wishes arrive as [`Action`]s, and
//! [`Workspace::paint`] fills a [`Picture`]: plain lists of what is to be drawn now. The window only draws pictures and turns keys
//! and mouse into actions, so everything that can be done in it can be done, and tested, without it.
//!
//! Watching changes nothing: untouched, a live figure is bit for bit the run of `sinew simulate`, a scene that of `sinew run`
//! ([`Workspace::state_hash`]). What is done is written down, and going back gives the earlier state exactly.
//!
//! | opened | what it is | physics |
//! |---|---|---|
//! | BVH, ASF/AMC, glTF, VRM | a captured figure, with its skin where it has one | on and off |
//! | glTF without a skeleton | things that move as the file says | none |
//! | scene file, name of a built-in scene | a running scene | always |
//! | recording (`docs/recordings.md`) | what was, with the forces that were applied | none |
//! | figure file | a body for the captures beside it, or for the one that it names | |
//!
//! ```
//! use sinew::show::{Action, Layers, OpenOptions, Picture, Workspace};
//!
//! let mut workspace = Workspace::open(&["data/clips/wave.bvh".into()], &OpenOptions::default())?;
//! workspace.act(Action::Live(true))?;
//! workspace.act(Action::Play)?;
//! let mut picture = Picture::default();
//! for _ in 0..3 {
//!     workspace.advance(1.0 / 60.0);
//!     workspace.paint(&Layers::default(), &mut picture);
//! }
//! assert!(workspace.status().time > 0.0 && !picture.solids.is_empty());
//! let hash = workspace.state_hash(0);
//! workspace.act(Action::StepForward)?;
//! workspace.act(Action::StepBack)?;
//! assert_eq!(workspace.state_hash(0), hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod analysis;
mod character;
mod embody;
mod item;
mod links;
mod live;
mod meshes;
mod open;
mod out;
mod overlay;
mod painter;
mod pick;
mod picture;
mod recorded;
mod skin;
mod status;
mod timeline;
mod trace;
mod workspace;

pub use action::{Action, Grip};
pub use embody::{Embodied, EmbodyError, Wish, embody};
pub use open::{OpenError, OpenOptions};
pub use pick::Pick;
pub use picture::{Arc, Arrow, Color, Dot, Layers, Line, Mesh, MeshId, Picture, Skin, Solid};
pub use status::{ForceSource, Status};
pub use timeline::{ContactTrack, Curve, Timeline};
pub use workspace::Workspace;

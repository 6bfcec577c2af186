//! Workspace of opened files: playback, live physics and drawing lists, without a window or a graphics card.
//!
//! A [`Workspace`] holds the opened files. [`Workspace::advance`] lets time pass, user input arrives as [`Action`]s, and
//! [`Workspace::paint`] fills a [`Picture`]: plain lists of primitives to draw. The window draws pictures and turns keys
//! and mouse into actions, so every function of the viewer can be tested without it.
//!
//! Playback does not change a simulation: untouched, a live figure equals the run of `sinew simulate` bit for bit, and a
//! scene that of `sinew run` ([`Workspace::state_hash`]). Actions are logged, so that going back restores the earlier state
//! exactly.
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
mod framing;
mod item;
mod links;
mod live;
mod mannequin;
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
pub use open::{OpenError, OpenOptions};
pub use pick::Pick;
pub use picture::{Arc, Arrow, Color, Dot, Layers, Line, Mesh, MeshId, Picture, Skin, Solid};
pub use status::{ForceSource, Status};
pub use timeline::{ContactTrack, Curve, Timeline};
pub use workspace::Workspace;

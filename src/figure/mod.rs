//! A skeleton becomes a physical figure.
//!
//! A [`Figure`] is plain data: rigid [`Segment`]s with mass, shape and a joint to the segment above, made from any
//! skeleton by [`Figure::build`] and independent of any world. One joint and all bones that leave it are one segment;
//! joints that move no flesh of their own (helpers, twists, zero-length joints, fingers, ends) are folded into the segment
//! they ride on and keep their own pose. [`Figure::place`] puts the figure into a [`World`](crate::dynamics::World);
//! [`FigureInstance::pose`] reads it back as a pose of the same skeleton. Figures are saved and edited as text
//! ([`Figure::to_toml`], [`Figure::from_toml`]).
//!
//! ```
//! use sinew::dynamics::World;
//! use sinew::figure::{Figure, FigureOptions, PlaceOptions};
//! use sinew::motion::{Joint, PoseMotion, Skeleton};
//! use sinew::Vec3;
//!
//! let mut tail = Joint::new("tail", Some(0), Vec3::new(0.4, 0.0, 0.0));
//! tail.tip = Some(Vec3::new(0.3, 0.0, 0.0));
//! let skeleton = Skeleton::new(vec![Joint::new("trunk", None, Vec3::y()), tail])?;
//! let figure = Figure::build(&skeleton, &FigureOptions { mass: Some(12.0), ..FigureOptions::default() })?;
//! assert!((figure.mass() - 12.0).abs() < 1e-9);
//!
//! let mut world = World::new();
//! let start = PoseMotion::at_rest(skeleton.rest_pose());
//! let instance = figure.place(&mut world, &start, &PlaceOptions::default())?;
//! world.step(0.01)?;
//! assert!(instance.pose(&figure, &world).translations[0].y < 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anthropometry;
mod attach;
pub(crate) mod body;
mod build;
mod capture;
mod clip_fit;
mod detached_limbs;
mod feet;
mod file;
mod fold;
mod generic;
mod hinge;
mod humanoid;
mod kinematics;
mod model;
mod options;
mod overlap;
mod place;
mod posture;
mod quadruped;
mod ranges;
mod segment_shapes;
mod skin_volume;
mod trunk;

pub use anthropometry::Table;
pub use body::{Body, BodyOptions};
pub(crate) use capture::rest_clip;
pub use capture::{CaptureError, CaptureFigure, CaptureOptions, FigureFile, for_capture, for_clips, for_skeleton};
pub use clip_fit::{Loss, Widened};
pub use kinematics::Momentum;
pub use model::{
    Attachment, AttachmentKind, Figure, Limits, Note, Segment, SegmentShape, SegmentSource, SolePart, SolePoint,
};
pub use options::{FigureError, FigureOptions};
pub use place::{FigureInstance, PlaceOptions};

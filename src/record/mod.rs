//! Recordings: what a run produced, frame by frame, and the files it becomes.
//!
//! A [`Recording`] is data: placements and velocities of all bodies, root assistance of figures, loads of joints, contacts.
//! [`Recorder`](crate::simulation::Recorder) fills it while a run goes on. Its writers are [`Recording::save`] (JSON, see
//! `docs/recordings.md`) and [`FigureRecording::to_clip`] (a clip on the figure's skeleton); [`add_shape`] meshes its solids for a GLB.

mod figure;
mod recording;
mod shape_mesh;

pub use figure::FigureRecording;
pub use recording::{Form, RecordedBody, RecordedContact, RecordedFigure, RecordedJoint, RecordedShape, Recording};
pub(crate) use recording::{shapes_of, wxyz};
pub use shape_mesh::add_shape;

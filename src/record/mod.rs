//! What one run produced: states, torques, reactions, contacts and the root residual, frame by frame, and the way back to a
//! clip.
//!
//! A [`Recording`] holds what happened at the frames of the source; a [`Tally`] the figures of merit over all steps; a
//! [`Take`] is a run as a file that can be looked at.

mod recording;
mod shape_mesh;
pub(crate) mod take;
mod tally;

pub use recording::Recording;
pub use shape_mesh::add_shape;
pub use take::{Form, Take, TakeBody, TakeContact, TakeFigure, TakeJoint, TakeShape};
pub use tally::{Tally, Verdict};

//! What one run produced: states, torques, reactions, contacts and the root residual, frame by frame, and the way back to a
//! clip.
//!
//! A [`Recording`] holds what happened at the frames of the source; a [`Tally`] the figures of merit over all steps.

mod recording;
mod tally;

pub use recording::Recording;
pub use tally::{Tally, Verdict};

//! Banded least-squares problems over time.
//!
//! A smooth cost over the frames of a motion couples each frame with the next two, so that its normal equations form a band of
//! dense blocks. [`band`] holds that matrix and its Cholesky factorisation. [`kernel`] is the dense product that the
//! factorisation spends its time in. Neither knows what the unknowns mean: callers assemble the blocks and the right side.

pub(crate) mod band;
pub(crate) mod kernel;

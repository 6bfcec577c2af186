//! Scene files: every built-in scene keeps its expectations, broken ones say what is wrong with them, and what is written is
//! read again to the last bit.

mod broken;
mod events;
mod files;
mod gallery;

//! Makes the built-in data: bodies, their motions, the files.
//!
//! Everything is computed from the numbers in these modules; nothing is read, nothing depends on the time, the machine's
//! hashing or the order of threads. Motions are made for a body in its T-pose with unturned joints ([`body`], [`posture`])
//! and turned into files at the very end ([`files`]).

mod balance;
pub mod body;
pub mod cast;
mod clip;
pub mod curve;
mod damage;
mod dog;
mod dog_walk;
mod fall;
pub mod files;
mod flesh;
mod foot;
mod gait;
mod ik;
pub mod jump;
pub mod mass;
mod posture;
mod random;
mod rig;
pub mod run;
mod sound;
mod standing;
mod turn;
pub mod walk;

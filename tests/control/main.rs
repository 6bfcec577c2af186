//! Controllers, recordings and stages, held to their laws on the built-in clips and characters.

mod backends;
mod influences;
mod odd;
mod ragdolls;
mod replay;
mod scenes;

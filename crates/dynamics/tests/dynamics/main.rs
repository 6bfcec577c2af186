//! Laws of the rigid-body core through its public interface: one binary, so that it links once.

#![allow(clippy::disallowed_methods)] // Expectations are computed with the functions of the system.

mod acceptance;
mod collision;
mod constraints;
mod contact;

//! Laws of the rigid-body core through its public interface: one binary, so that it links once.

mod acceptance;
mod collision;
mod constraints;
mod contact;

//! glTF in and out, on files built here byte by byte.

mod builder;
mod file_forms;
mod interpolation;
mod keeping;
mod malformed;
mod reduction;
mod rigs;
mod round_trip;
mod scratch;
mod writing;

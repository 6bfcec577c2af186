//! glTF in and out, on files built here byte by byte.

mod builder;
mod file_forms;
mod interpolation;
mod keeping;
mod malformed;
mod mutation;
mod new_file;
mod reduction;
mod rigs;
mod round_trip;
mod writing;

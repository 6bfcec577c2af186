//! Motion moved between the built-in bodies and bodies made from them.

mod bodies;
mod mapping;
mod moving;
mod odd;

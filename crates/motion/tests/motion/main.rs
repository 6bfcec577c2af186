//! File formats through the public interface: BVH, glTF and Acclaim, on small files that are made here.

#![allow(clippy::disallowed_methods)] // Expectations are computed with the functions of the system.

mod asf;
mod bvh;
mod gltf;

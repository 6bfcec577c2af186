//! File formats through the public interface: BVH, glTF and Acclaim, on small files that are made here.

mod asf;
mod bvh;
mod gltf;

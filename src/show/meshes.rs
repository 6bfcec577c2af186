//! Meshes and images of a workspace. Equal meshes are stored once, so that a hundred equal bricks are one mesh for the
//! graphics card.

use super::{Mesh, MeshId};
use crate::dynamics::{Placement, Shape};
use crate::formats::gltf::solids;
use crate::record::add_shape;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// List of meshes that only grows: the number of a mesh never changes.
#[derive(Debug, Default)]
pub(crate) struct Meshes {
    all: Vec<Mesh>,
    /// Images, encoded as in their files.
    pub images: Vec<Arc<[u8]>>,
    /// Mesh numbers by fingerprint.
    known: BTreeMap<u64, Vec<MeshId>>,
}

impl Meshes {
    pub fn all(&self) -> &[Mesh] {
        &self.all
    }

    /// Adds a mesh, or finds an equal one; returns its number.
    pub fn add(&mut self, mesh: Mesh) -> MeshId {
        let alike = self.known.entry(fingerprint(&mesh)).or_default();
        let same = alike.iter().find(|id| self.all[id.0] == mesh);
        if let Some(id) = same {
            return *id;
        }
        let id = MeshId(self.all.len());
        alike.push(id);
        self.all.push(mesh);
        id
    }

    /// Adds one mesh of several shapes; none if there is nothing to draw.
    pub fn of_shapes<'a>(&mut self, shapes: impl Iterator<Item = (&'a Shape, Placement)>) -> Option<MeshId> {
        let mut drawn = solids::Mesh::new([1.0; 3]);
        shapes.for_each(|(shape, placement)| add_shape(&mut drawn, &placement, shape));
        self.add_drawn(drawn)
    }

    /// Adds a mesh of an exported solid; none if it has no triangle.
    pub fn add_drawn(&mut self, drawn: solids::Mesh) -> Option<MeshId> {
        let (positions, normals, corners) = drawn.into_parts();
        let triangles: Vec<[u32; 3]> = corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
        (!triangles.is_empty()).then(|| self.add(Mesh { positions, normals, triangles, uvs: Vec::new() }))
    }
}

fn fingerprint(mesh: &Mesh) -> u64 {
    let mut hasher = DefaultHasher::new();
    mesh.triangles.hash(&mut hasher);
    mesh.positions.iter().flatten().for_each(|x| x.to_bits().hash(&mut hasher));
    hasher.finish()
}

//! Rigid things: each mesh is uploaded once and has as many nodes as a picture ever showed of it at a time.

use super::super::convert::{linear, pose};
use crate::show::{Mesh, Solid};
use kiss3d::glamx::{Vec2, Vec3};
use kiss3d::resource::GpuMesh3d;
use kiss3d::scene::SceneNode3d;
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Default)]
pub(super) struct Solids {
    /// By number of the mesh.
    kinds: Vec<Kind>,
}

#[derive(Default)]
struct Kind {
    mesh: Option<Rc<RefCell<GpuMesh3d>>>,
    nodes: Vec<SceneNode3d>,
    /// How many nodes this picture shows.
    shown: usize,
}

impl Solids {
    pub fn show(&mut self, scene: &mut SceneNode3d, meshes: &[Mesh], solids: &[Solid]) {
        self.kinds.resize_with(meshes.len(), Kind::default);
        let before: Vec<usize> = self.kinds.iter_mut().map(|kind| std::mem::take(&mut kind.shown)).collect();
        for solid in solids {
            let Some(mesh) = meshes.get(solid.mesh.0) else { continue };
            let kind = &mut self.kinds[solid.mesh.0];
            let shared = kind.mesh.get_or_insert_with(|| Rc::new(RefCell::new(upload(mesh, false)))).clone();
            if kind.nodes.len() == kind.shown {
                let mut node = scene.add_mesh(shared, Vec3::ONE);
                finish(&mut node);
                kind.nodes.push(node);
            }
            let node = &mut kind.nodes[kind.shown];
            kind.shown += 1;
            node.set_pose(pose(&solid.placement));
            node.set_color(linear(solid.color));
            let solid_enough = solid.color[3] > 0.99;
            node.set_casts_shadows(solid_enough);
            // A ghost that is where its body is hides inside it instead of flickering through.
            let size = if solid_enough { 1.0 } else { 0.985 };
            node.set_local_scale(size, size, size);
            node.set_visible(true);
        }
        for (kind, before) in self.kinds.iter_mut().zip(before) {
            for node in kind.nodes.iter_mut().take(before).skip(kind.shown) {
                node.set_visible(false);
            }
        }
    }
}

/// The surface everything that is drawn has: dull, seen from both sides.
pub(super) fn finish(node: &mut SceneNode3d) {
    node.set_roughness(0.62);
    node.set_reflectance(0.4);
    node.enable_backface_culling(false);
}

/// A mesh on the graphics card; `changing` when its vertices will be written again.
pub(super) fn upload(mesh: &Mesh, changing: bool) -> GpuMesh3d {
    let vector = |v: &[f32; 3]| Vec3::from_array(*v);
    let positions: Vec<Vec3> = mesh.positions.iter().map(vector).collect();
    let normals = (mesh.normals.len() == positions.len()).then(|| mesh.normals.iter().map(vector).collect());
    let uvs = (mesh.uvs.len() == positions.len()).then(|| mesh.uvs.iter().map(|uv| Vec2::from_array(*uv)).collect());
    GpuMesh3d::new(positions, mesh.triangles.clone(), normals, uvs, changing)
}

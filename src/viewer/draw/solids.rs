//! Rigid meshes. Those of one colour are merged into one mesh, so that a heap of bodies costs as many draw calls as it has
//! colours. Vertices are uploaded again when a body moves, which is cheaper than a draw call each.

use super::super::convert::{linear, pose};
use crate::dynamics::Placement;
use crate::show::{Color, Mesh, Solid};
use kiss3d::glamx::{Pose3, Vec2, Vec3};
use kiss3d::resource::GpuMesh3d;
use kiss3d::scene::SceneNode3d;
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Default)]
pub(super) struct Solids {
    groups: Vec<Group>,
}

/// Merged meshes of one colour.
struct Group {
    color: Color,
    /// Mesh and placement of each drawn solid.
    drawn: Vec<(usize, Placement)>,
    /// Mesh and placement of each solid of the next picture.
    wanted: Vec<(usize, Placement)>,
    node: Option<SceneNode3d>,
}

impl Solids {
    pub fn show(&mut self, scene: &mut SceneNode3d, meshes: &[Mesh], solids: &[Solid]) {
        for solid in solids.iter().filter(|solid| solid.mesh.0 < meshes.len()) {
            let known = self.groups.iter().position(|group| group.color == solid.color);
            let at = known.unwrap_or_else(|| {
                let (drawn, wanted) = (Vec::new(), Vec::new());
                self.groups.push(Group { color: solid.color, drawn, wanted, node: None });
                self.groups.len() - 1
            });
            self.groups[at].wanted.push((solid.mesh.0, solid.placement));
        }
        self.groups.iter_mut().for_each(|group| group.show(scene, meshes));
    }
}

impl Group {
    fn show(&mut self, scene: &mut SceneNode3d, meshes: &[Mesh]) {
        let same_things =
            self.drawn.len() == self.wanted.len() && self.drawn.iter().zip(&self.wanted).all(|(a, b)| a.0 == b.0);
        let moved = self.drawn != self.wanted;
        std::mem::swap(&mut self.drawn, &mut self.wanted);
        self.wanted.clear();
        let (drawn, size) = (&self.drawn, self.size());
        match &mut self.node {
            Some(node) if same_things && moved => {
                node.modify_vertices(&mut |to| write(drawn, meshes, to, |mesh, pose, to| place(mesh, pose, size, to)));
                node.modify_normals(&mut |to| write(drawn, meshes, to, turn));
            }
            Some(_) if same_things => {}
            _ => self.renew(scene, meshes),
        }
    }

    /// Scale of the meshes. A ghost at the place of its body is drawn inside it, which avoids flicker.
    fn size(&self) -> f32 {
        if self.is_ghost() { 0.985 } else { 1.0 }
    }

    fn is_ghost(&self) -> bool {
        self.color[3] < 0.99
    }

    /// Rebuilds the node for another set of meshes.
    fn renew(&mut self, scene: &mut SceneNode3d, meshes: &[Mesh]) {
        if let Some(mut node) = self.node.take() {
            node.detach();
        }
        if self.drawn.is_empty() {
            return;
        }
        let (mut positions, mut normals, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for (mesh, _) in &self.drawn {
            let before = positions.len() as u32;
            triangles.extend(meshes[*mesh].triangles.iter().map(|corners| corners.map(|corner| corner + before)));
            positions.resize(positions.len() + meshes[*mesh].positions.len(), Vec3::ZERO);
        }
        let size = self.size();
        write(&self.drawn, meshes, &mut positions, |mesh, pose, to| place(mesh, pose, size, to));
        write(&self.drawn, meshes, &mut normals, turn);
        let mesh = GpuMesh3d::new(positions, triangles, Some(normals), None, true);
        let mut node = scene.add_mesh(Rc::new(RefCell::new(mesh)), Vec3::ONE);
        finish(&mut node);
        node.set_color(linear(self.color));
        node.set_casts_shadows(!self.is_ghost());
        self.node = Some(node);
    }
}

/// Writes one attribute of all vertices, mesh by mesh.
fn write(
    things: &[(usize, Placement)],
    meshes: &[Mesh],
    to: &mut Vec<Vec3>,
    one: impl Fn(&Mesh, &Pose3, &mut Vec<Vec3>),
) {
    to.clear();
    for (mesh, placement) in things {
        one(&meshes[*mesh], &pose(placement), to);
    }
}

fn place(mesh: &Mesh, pose: &Pose3, size: f32, to: &mut Vec<Vec3>) {
    to.extend(mesh.positions.iter().map(|p| *pose * (Vec3::from_array(*p) * size)));
}

fn turn(mesh: &Mesh, pose: &Pose3, to: &mut Vec<Vec3>) {
    to.extend(mesh.normals.iter().map(|n| pose.rotation * Vec3::from_array(*n)));
}

/// Sets the common surface: dull, visible from both sides.
pub(super) fn finish(node: &mut SceneNode3d) {
    node.set_roughness(0.62);
    node.set_reflectance(0.4);
    node.enable_backface_culling(false);
}

/// Uploads a mesh whose vertices will change.
pub(super) fn upload(mesh: &Mesh) -> GpuMesh3d {
    let vector = |v: &[f32; 3]| Vec3::from_array(*v);
    let positions: Vec<Vec3> = mesh.positions.iter().map(vector).collect();
    let normals = (mesh.normals.len() == positions.len()).then(|| mesh.normals.iter().map(vector).collect());
    let uvs = (mesh.uvs.len() == positions.len()).then(|| mesh.uvs.iter().map(|uv| Vec2::from_array(*uv)).collect());
    GpuMesh3d::new(positions, mesh.triangles.clone(), normals, uvs, true)
}

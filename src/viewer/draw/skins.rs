//! Skinned meshes: the triangles stay, positions and normals are uploaded for each picture.

use super::super::convert::linear;
use super::Texture;
use super::solids::{finish, upload};
use crate::show::{Mesh, Skin};
use image::DynamicImage;
use kiss3d::glamx::Vec3;
use kiss3d::resource::TextureManager;
use kiss3d::scene::SceneNode3d;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Skins {
    /// Node slots: the n-th skin of a mesh in a picture uses the n-th slot of that mesh.
    slots: Vec<Slot>,
    textures: Vec<Option<Arc<kiss3d::resource::Texture>>>,
}

struct Slot {
    mesh: usize,
    texture: Option<usize>,
    node: SceneNode3d,
    in_use: bool,
}

impl Skins {
    pub fn show(&mut self, scene: &mut SceneNode3d, meshes: &[Mesh], textures: &[Texture], skins: &[Skin]) {
        self.load(textures);
        let before: Vec<bool> = self.slots.iter_mut().map(|slot| std::mem::take(&mut slot.in_use)).collect();
        for skin in skins {
            let Some(mesh) = meshes.get(skin.mesh.0) else { continue };
            let free = |slot: &&mut Slot| !slot.in_use && slot.mesh == skin.mesh.0 && slot.texture == skin.texture;
            let number = match self.slots.iter_mut().find(free) {
                Some(slot) => {
                    slot.in_use = true;
                    bend(&mut slot.node, skin);
                    slot.node.set_color(linear(skin.color));
                    slot.node.set_casts_shadows(skin.color[3] > 0.99);
                    slot.node.set_visible(true);
                    continue;
                }
                None => self.slots.len(),
            };
            let mut bent = mesh.clone();
            bent.positions.clone_from(&skin.positions);
            bent.normals.clone_from(&skin.normals);
            let mut node = scene.add_mesh(Rc::new(RefCell::new(upload(&bent))), Vec3::ONE);
            finish(&mut node);
            if let Some(texture) = skin.texture.and_then(|k| self.textures.get(k)?.clone()) {
                node.set_texture(texture);
            }
            node.set_color(linear(skin.color));
            node.set_casts_shadows(skin.color[3] > 0.99);
            self.slots.insert(number, Slot { mesh: skin.mesh.0, texture: skin.texture, node, in_use: true });
        }
        for (slot, before) in self.slots.iter_mut().zip(before) {
            if before && !slot.in_use {
                slot.node.set_visible(false);
            }
        }
    }

    /// Decodes new textures; an unreadable one leaves the plain colour.
    fn load(&mut self, textures: &[Texture]) {
        for (number, texture) in textures.iter().enumerate().skip(self.textures.len()) {
            let name = format!("sinew texture {number}");
            let decoded: Option<DynamicImage> = image::load_from_memory(texture).ok();
            self.textures.push(decoded.map(|picture| {
                TextureManager::get_global_manager(|manager| {
                    manager.add_image_with_color_space(picture.clone(), &name, true)
                })
            }));
        }
    }
}

/// Depth of a ghost under its skin, metres.
const GHOST_DEPTH: f32 = 0.004;

fn bend(node: &mut SceneNode3d, skin: &Skin) {
    let write = |to: &mut Vec<Vec3>, from: &[[f32; 3]]| {
        to.clear();
        to.extend(from.iter().map(|v| Vec3::from_array(*v)));
    };
    node.modify_vertices(&mut |to| write(to, &skin.positions));
    if skin.color[3] < 0.99 {
        // A ghost at the place of its body is drawn inside it, which avoids flicker.
        let inward = |to: &mut Vec<Vec3>| {
            to.iter_mut().zip(&skin.normals).for_each(|(p, normal)| *p -= Vec3::from_array(*normal) * GHOST_DEPTH);
        };
        node.modify_vertices(&mut |to| inward(to));
    }
    if skin.normals.len() == skin.positions.len() {
        node.modify_normals(&mut |to| write(to, &skin.normals));
    }
}

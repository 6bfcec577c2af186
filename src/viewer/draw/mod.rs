//! Drawing of a picture on the graphics card. Only vertices that moved are uploaded. Nodes of the scene graph are created
//! on first use and then reused.

mod marks;
mod skins;
mod solids;

use super::convert::{linear, point};
use super::environment::{Environment, Quality};
use crate::show::{Mesh, Picture};
use kiss3d::scene::SceneNode3d;
use kiss3d::window::Window;
use marks::Marks;
use skins::Skins;
use solids::Solids;

pub(super) struct Drawing {
    pub scene: SceneNode3d,
    pub environment: Environment,
    solids: Solids,
    skins: Skins,
    marks: Marks,
}

impl Drawing {
    pub fn new(window: &mut Window, quality: Quality) -> Self {
        let mut scene = SceneNode3d::empty();
        let environment = Environment::new(window, &mut scene, quality);
        let marks = Marks::new(&mut scene);
        Drawing { scene, environment, solids: Solids::default(), skins: Skins::default(), marks }
    }

    /// Updates the scene graph to a picture. Lines last for one frame of the window.
    pub fn show(&mut self, window: &mut Window, meshes: &[Mesh], textures: &[Texture], picture: &Picture) {
        self.solids.show(&mut self.scene, meshes, &picture.solids);
        self.skins.show(&mut self.scene, meshes, textures, &picture.skins);
        self.marks.show(picture);
        for line in &picture.lines {
            window.draw_line(point(&line.from), point(&line.to), linear(line.color), line.width, false);
        }
    }
}

/// Texture of a skin, encoded as in its file.
pub(super) type Texture = std::sync::Arc<[u8]>;

//! Offscreen rendering without a display.

use super::ViewError;
use super::camera::{Bounds, Camera};
use super::draw::{Drawing, Texture};
use super::environment::Quality;
use super::frames::Frame;
use super::graphics::{self, Graphics};
use super::scale;
use crate::math::Real;
use crate::show::{Mesh, Picture};
use kiss3d::pollster::block_on;
use kiss3d::window::OffscreenSurface;

pub(super) struct Offscreen {
    pub camera: Camera,
    pub drawing: Drawing,
    surface: OffscreenSurface,
}

impl Offscreen {
    pub fn new(graphics: &Graphics, (width, height): (u32, u32)) -> Result<Self, ViewError> {
        let mut surface = graphics::offscreen(graphics, width, height)?;
        let drawing = Drawing::new(surface.window_mut(), Quality { rich: true, sharp: !graphics.software });
        Ok(Offscreen { camera: Camera::new(width, height), drawing, surface })
    }

    /// Fits ground, haze and shadows to the scene.
    pub fn fit(&mut self, bounds: Bounds, ground: Real) {
        self.drawing.environment.fit(self.surface.window_mut(), bounds, ground, self.camera.distance());
    }

    /// Renders one picture, with the words of a caption and a scale bar.
    pub fn render(
        &mut self,
        meshes: &[Mesh],
        textures: &[Texture],
        picture: &Picture,
        words: &str,
        bar: bool,
    ) -> Frame {
        let window = self.surface.window_mut();
        self.drawing.show(window, meshes, textures, picture);
        let (camera, spacing) = (&self.camera, self.drawing.environment.spacing());
        window.draw_ui(|context| {
            if bar {
                scale::draw(context, camera, spacing);
            }
            if !words.is_empty() {
                scale::caption(context, camera, words);
            }
        });
        block_on(self.surface.render_3d(&mut self.drawing.scene, &mut self.camera));
        let image = self.surface.snap_image();
        Frame { width: image.width(), height: image.height(), rgb: image.into_raw() }
    }
}

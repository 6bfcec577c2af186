//! Environment of the scene: sky, lights, soft shadows, and a ground with lines a metre apart.

use super::camera::Bounds;
use super::convert::{light, point};
use crate::math::Real;
use image::{DynamicImage, Rgb, Rgb32FImage, Rgba, RgbaImage};
use kiss3d::color::Color as LinearColor;
use kiss3d::glamx::{Vec2, Vec3};
use kiss3d::light::{Fog, Light};
use kiss3d::post_processing::Tonemap;
use kiss3d::resource::{GpuMesh3d, TextureManager};
use kiss3d::scene::SceneNode3d;
use kiss3d::window::Window;
use std::cell::RefCell;
use std::rc::Rc;

/// Colours in display values (sRGB).
const HORIZON: [f32; 3] = [0.93, 0.945, 0.96];
const ZENITH: [f32; 3] = [0.62, 0.74, 0.90];
const NADIR: [f32; 3] = [0.62, 0.61, 0.60];
const GROUND: [f32; 3] = [0.86, 0.865, 0.87];
const LINE: [f32; 3] = [0.60, 0.63, 0.67];
const FINE_LINE: [f32; 3] = [0.80, 0.81, 0.825];

/// Half the width of the ground, in line spacings.
const REACH: f32 = 2000.0;

/// Rendering quality.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quality {
    /// Sky, shadows and ambient occlusion, which cost time at every pixel.
    pub rich: bool,
    /// Anisotropic filtering of the ground's lines up to the horizon. A software renderer takes minutes for it.
    pub sharp: bool,
}

/// Ground and lights of a scene graph.
pub(super) struct Environment {
    ground: SceneNode3d,
    /// Spacing of the ground's lines, metres.
    spacing: f32,
}

impl Environment {
    /// Sets sky and lights of the window and adds the ground to the scene.
    pub fn new(window: &mut Window, scene: &mut SceneNode3d, quality: Quality) -> Self {
        let Quality { rich, sharp } = quality;
        let [r, g, b] = HORIZON.map(light);
        window.set_background_color(LinearColor::new(r, g, b, 1.0));
        if rich {
            window.set_skybox_image(&DynamicImage::ImageRgb32F(sky()));
            window.set_skybox_orientation(0.0, 1.0);
        }
        window.set_shadows_enabled(rich);
        window.set_ambient(0.55);
        window.set_tonemap(Tonemap::Neutral);
        window.set_exposure(0.98);
        window.set_shadow_resolution(2048);
        window.set_shadow_softness(2.2);
        window.set_ssao_enabled(rich);
        // A key light from over the left shoulder, and a weak rim light that separates a figure from the ground.
        let key = Light::directional(Vec3::new(-0.45, -1.0, -0.62).normalize());
        scene.add_light(key.with_intensity(2.3).with_color(LinearColor::new(1.0, 0.965, 0.91, 1.0)));
        let rim = Light::directional(Vec3::new(0.6, -0.5, 0.8).normalize());
        scene.add_light(
            rim.with_intensity(0.55).with_color(LinearColor::new(0.80, 0.88, 1.0, 1.0)).with_casts_shadows(false),
        );
        let mut environment = Environment { ground: ground(scene, sharp), spacing: 1.0 };
        environment.fit(window, (crate::math::Vec3::zeros(), crate::math::Vec3::new(1.0, 2.0, 1.0)), 0.0, 0.0);
        environment
    }

    /// Fits ground, haze and shadows to the size and height of the scene and to the camera's distance.
    pub fn fit(&mut self, window: &mut Window, (low, high): Bounds, height: Real, distance: Real) {
        let (low, high) = (point(&low), point(&high));
        // The surroundings of a small object seen from far away are shown.
        let size = (high - low).length().max(distance as f32 / 4.0).max(0.1);
        self.spacing = if size < 0.6 {
            0.1
        } else if size < 60.0 {
            1.0
        } else {
            10.0
        };
        let height = height as f32;
        let centre = (low + high) * (0.5 / self.spacing);
        let at = Vec3::new(centre.x.round() * self.spacing, height + 0.002, centre.z.round() * self.spacing);
        self.ground.set_position(at);
        self.ground.set_local_scale(self.spacing, 1.0, self.spacing);
        let [r, g, b] = HORIZON.map(light);
        let near = (6.0 * size).max(14.0 * self.spacing);
        window.set_fog(Fog::linear(LinearColor::new(r, g, b, 1.0), near, near * 4.0));
        window.set_shadow_distance(near * 3.0);
        // The depth buffer of ambient occlusion gets coarser with the distance; a floor seen at a low angle must not shade
        // itself.
        let shade = window.ssao_settings_mut();
        shade.radius = 0.12 * size.min(6.0);
        shade.bias = 0.01 * distance.max(2.0) as f32;
        window.set_first_cascade_far_bound(near);
    }

    /// Spacing of the ground's lines, metres.
    pub fn spacing(&self) -> Real {
        self.spacing.into()
    }
}

/// Adds the ground with lines of unit spacing.
fn ground(scene: &mut SceneNode3d, sharp: bool) -> SceneNode3d {
    let corner = |x: f32, z: f32| (Vec3::new(x * REACH, 0.0, z * REACH), Vec2::new(x * REACH, z * REACH));
    let (coords, uvs) =
        [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)].into_iter().unzip();
    let faces = vec![[0, 1, 2], [0, 2, 3]];
    let mesh = GpuMesh3d::new(coords, faces, Some(vec![Vec3::Y; 4]), Some(uvs), false);
    let mut node = scene.add_mesh(Rc::new(RefCell::new(mesh)), Vec3::ONE);
    let texture = TextureManager::get_global_manager(|manager| {
        manager.set_generate_mipmaps(true);
        manager.set_anisotropy(if sharp { 16 } else { 1 });
        manager.add_image_with_color_space(DynamicImage::ImageRgba8(squares()), "sinew ground", true)
    });
    node.set_texture(texture);
    node.set_color(LinearColor::new(1.0, 1.0, 1.0, 1.0));
    node.set_roughness(0.95);
    node.set_reflectance(0.15);
    node.set_casts_shadows(false);
    node
}

/// Texture of one ground square: strong lines at its border, fine lines at the quarters.
fn squares() -> RgbaImage {
    const SIDE: u32 = 512;
    let near_line = |pixel: u32, step: u32, half: u32| {
        let past = pixel % step;
        past < half || past >= step - half
    };
    RgbaImage::from_fn(SIDE, SIDE, |x, y| {
        let color = if near_line(x, SIDE, 4) || near_line(y, SIDE, 4) {
            LINE
        } else if near_line(x, SIDE / 4, 2) || near_line(y, SIDE / 4, 2) {
            FINE_LINE
        } else {
            GROUND
        };
        let [r, g, b] = color.map(|channel| (channel * 255.0).round() as u8);
        Rgba([r, g, b, 255])
    })
}

/// Sky: bright haze at the horizon, blue above, warm grey below. It is the ambient light as well.
fn sky() -> Rgb32FImage {
    const HEIGHT: u32 = 64;
    Rgb32FImage::from_fn(2 * HEIGHT, HEIGHT, |_, row| {
        let up = 1.0 - 2.0 * (row as f32 + 0.5) / HEIGHT as f32;
        let (far, share) = if up > 0.0 { (ZENITH, up.powf(0.7)) } else { (NADIR, (-4.0 * up).min(1.0)) };
        let mix = |k: usize| light(HORIZON[k]) * (1.0 - share) + light(far[k]) * share;
        Rgb([mix(0), mix(1), mix(2)])
    })
}

//! Orbit camera about a target point, which can follow a moving character.

use super::convert::{back, point};
use crate::math::Vec3;
use kiss3d::camera::Camera3d;
use kiss3d::event::WindowEvent;
use kiss3d::glamx::glam::camera::rh::proj::{directx, opengl};
use kiss3d::glamx::{self, Mat4, Pose3};
use kiss3d::window::Canvas;
use std::f32::consts::{FRAC_PI_2, PI};

/// Named camera positions. A character faces +Z with its left at +X.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// View from the front, left and above.
    Oblique,
    /// View from the front of the character.
    Front,
    /// View from the left of the character.
    Side,
    /// View from behind the character.
    Back,
    /// Above, without perspective.
    Top,
}

impl View {
    /// All views with their names on the command line.
    pub const ALL: [(&'static str, View); 5] = [
        ("oblique", View::Oblique),
        ("front", View::Front),
        ("side", View::Side),
        ("back", View::Back),
        ("top", View::Top),
    ];

    /// Yaw from +Z towards +X and pitch above the horizon, radians.
    fn angles(self) -> (f32, f32) {
        match self {
            View::Oblique => (0.62, 0.24),
            View::Front => (0.0, 0.12),
            View::Side => (FRAC_PI_2, 0.12),
            View::Back => (PI, 0.12),
            View::Top => (0.0, FRAC_PI_2 - 1e-3),
        }
    }
}

/// Corners of the box to be seen, metres.
pub(super) type Bounds = (Vec3, Vec3);

/// Vertical field of view, radians: a long lens keeps the proportions of limbs.
const OPENING: f32 = 0.55;

pub(super) struct Camera {
    at: glamx::Vec3,
    yaw: f32,
    pitch: f32,
    distance: f32,
    parallel: bool,
    /// Width and height, pixels.
    size: (f32, f32),
    /// Free part of the picture: left, top, right, bottom, pixels.
    free: Option<[f32; 4]>,
}

impl Camera {
    pub fn new(width: u32, height: u32) -> Self {
        let (yaw, pitch) = View::Oblique.angles();
        let size = (width.max(1) as f32, height.max(1) as f32);
        Camera { at: glamx::Vec3::Y, yaw, pitch, distance: 5.0, parallel: false, size, free: None }
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        self.size = (width.max(1) as f32, height.max(1) as f32);
    }

    /// Sets the part of the picture that no panel covers; the target is in its centre.
    pub fn keep_free(&mut self, left: f32, top: f32, right: f32, bottom: f32) {
        let sensible = right - left > 50.0 && bottom - top > 50.0;
        self.free = sensible.then_some([left, top, right, bottom]);
    }

    pub fn look_from(&mut self, view: View) {
        (self.yaw, self.pitch) = view.angles();
        self.parallel = view == View::Top;
    }

    /// Sets the eye, the target and the vertical field of view, radians.
    pub fn set_pose(&mut self, eye: &Vec3, at: &Vec3, angle: f64) {
        let way = point(eye) - point(at);
        self.parallel = false;
        self.at = point(at);
        self.yaw = way.x.atan2(way.z);
        self.pitch = (way.y / way.length().max(1e-6)).asin().clamp(-1.5, FRAC_PI_2 - 1e-3);
        // This camera's lens is longer: at a greater distance it shows as much.
        self.distance = (way.length() * (angle as f32 * 0.5).tan() / (OPENING * 0.5).tan()).clamp(0.15, 2000.0);
    }

    pub fn target(&self) -> Vec3 {
        back(self.at)
    }

    /// Distance from the eye to the target, metres.
    pub fn distance(&self) -> f64 {
        self.distance.into()
    }

    /// Sets target and distance so that the whole box is in the free part of the picture.
    pub fn frame(&mut self, (low, high): Bounds) {
        let (low, high) = (point(&low), point(&high));
        self.at = (low + high) * 0.5;
        let (right, up, backward) = self.axes();
        let (width, height) = self.free_size();
        let tall = (OPENING * 0.5).tan() * height / self.size.1;
        let wide = (OPENING * 0.5).tan() * width / self.size.1;
        let mut distance = 0.3f32;
        for corner in 0..8 {
            let pick = |bit: u32, low: f32, high: f32| if corner >> bit & 1 == 0 { low } else { high };
            let corner = glamx::Vec3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z));
            let offset = corner - self.at;
            let (x, y, z) = (offset.dot(right).abs(), offset.dot(up).abs(), offset.dot(backward));
            let nearer = if self.parallel { 0.0 } else { z };
            distance = distance.max(nearer + (x / wide).max(y / tall));
        }
        self.distance = distance * 1.1;
    }

    /// Moves the target by a share of the way to `target`, 0 to 1.
    pub fn follow(&mut self, target: &Vec3, share: f32) {
        self.at += (point(target) - self.at) * share.clamp(0.0, 1.0);
    }

    /// Orbits by a mouse movement in pixels.
    pub fn orbit(&mut self, dx: f32, dy: f32) {
        self.parallel = false;
        self.yaw -= dx * 0.006;
        self.pitch = (self.pitch + dy * 0.006).clamp(-0.3, FRAC_PI_2 - 1e-3);
    }

    /// Pans by a mouse movement in pixels: the point under the pointer stays there.
    pub fn pan(&mut self, dx: f32, dy: f32) {
        let (right, up, _) = self.axes();
        let metres = 2.0 * self.distance * (OPENING * 0.5).tan() / self.size.1;
        self.at += (up * dy - right * dx) * metres;
    }

    /// Zooms in (above 1) or out.
    pub fn zoom(&mut self, factor: f32) {
        self.distance = (self.distance / factor).clamp(0.15, 2000.0);
    }

    /// Start and direction of the ray through a pixel.
    pub fn ray(&self, x: f64, y: f64) -> (Vec3, Vec3) {
        let (right, up, backward) = self.axes();
        let shift = self.shift();
        let tall = (OPENING * 0.5).tan();
        let wide = tall * self.size.0 / self.size.1;
        let across = (2.0 * x as f32 / self.size.0 - 1.0 - shift.0) * wide;
        let upward = (1.0 - 2.0 * y as f32 / self.size.1 - shift.1) * tall;
        if self.parallel {
            let start = self.eye() + (right * across + up * upward) * self.distance;
            (back(start), back(-backward))
        } else {
            (back(self.eye()), back((right * across + up * upward - backward).normalize()))
        }
    }

    /// Pixel of a point; none behind the camera.
    pub fn pixel(&self, at: &Vec3) -> Option<(f32, f32)> {
        let clip = self.transformation() * point(at).extend(1.0);
        let (x, y) = (clip.x / clip.w, clip.y / clip.w);
        (clip.w > 0.0).then_some(((x + 1.0) * 0.5 * self.size.0, (1.0 - y) * 0.5 * self.size.1))
    }

    /// Intersection of a pixel's ray with the plane through `through` that faces the camera.
    pub fn on_facing_plane(&self, x: f64, y: f64, through: &Vec3) -> Vec3 {
        let (start, direction) = self.ray(x, y);
        let normal = back(self.axes().2);
        let along = direction.dot(&normal);
        if along.abs() < 1e-9 {
            return *through;
        }
        start + direction * ((through - start).dot(&normal) / along)
    }

    /// Right, up and backward directions of the camera, world axes.
    pub fn axes(&self) -> (glamx::Vec3, glamx::Vec3, glamx::Vec3) {
        let (sy, cy) = self.yaw.sin_cos();
        let (sp, cp) = self.pitch.sin_cos();
        let backward = glamx::Vec3::new(sy * cp, sp, cy * cp);
        let right = glamx::Vec3::new(cy, 0.0, -sy);
        (right, backward.cross(right), backward)
    }

    /// Left, top, right and bottom of the free part, pixels.
    pub fn free_rect(&self) -> (f32, f32, f32, f32) {
        let [left, top, right, bottom] = self.free.unwrap_or([0.0, 0.0, self.size.0, self.size.1]);
        (left, top, right, bottom)
    }

    fn free_size(&self) -> (f32, f32) {
        self.free.map_or(self.size, |[left, top, right, bottom]| (right - left, bottom - top))
    }

    /// Centre of the free part, in units from −1 to 1.
    fn shift(&self) -> (f32, f32) {
        let Some([left, top, right, bottom]) = self.free else { return (0.0, 0.0) };
        ((left + right) / self.size.0 - 1.0, 1.0 - (top + bottom) / self.size.1)
    }

    fn near_and_far(&self) -> (f32, f32) {
        (self.distance * 0.01, self.distance * 20.0 + 300.0)
    }

    fn projection(&self) -> Mat4 {
        let aspect = self.size.0 / self.size.1;
        let (near, far) = self.near_and_far();
        let lens = if self.parallel {
            let tall = self.distance * (OPENING * 0.5).tan();
            directx::orthographic(-tall * aspect, tall * aspect, -tall, tall, -far, far)
        } else {
            opengl::perspective(OPENING, aspect, near, far)
        };
        let (x, y) = self.shift();
        Mat4::from_translation(glamx::Vec3::new(x, y, 0.0)) * lens
    }
}

impl Camera3d for Camera {
    /// The window handles keys and mouse, which have other meanings too.
    fn handle_event(&mut self, _: &Canvas, event: &WindowEvent) {
        if let WindowEvent::FramebufferSize(width, height) = *event {
            self.resize(width, height);
        }
    }

    fn eye(&self) -> glamx::Vec3 {
        self.at + self.axes().2 * self.distance
    }

    fn view_transform(&self) -> Pose3 {
        Pose3::look_at_rh(self.eye(), self.at, self.axes().1)
    }

    fn transformation(&self) -> Mat4 {
        self.projection() * self.view_transform().to_mat4()
    }

    fn inverse_transformation(&self) -> Mat4 {
        self.transformation().inverse()
    }

    fn clip_planes(&self) -> (f32, f32) {
        self.near_and_far()
    }

    fn update(&mut self, _: &Canvas) {}

    fn view_transform_pair(&self, _pass: usize) -> (Pose3, Mat4) {
        (self.view_transform(), self.projection())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point is seen at the pixel whose ray passes through it, from every side and with panels in the way.
    #[test]
    fn rays_and_pixels_are_inverse() {
        for (_, view) in View::ALL {
            let mut camera = Camera::new(800, 600);
            camera.keep_free(210.0, 30.0, 790.0, 440.0);
            camera.look_from(view);
            camera.frame((Vec3::new(-0.4, 0.0, -0.3), Vec3::new(0.5, 1.8, 0.3)));
            for at in [Vec3::new(0.1, 0.2, 0.0), Vec3::new(-0.3, 1.6, 0.2)] {
                let (x, y) = camera.pixel(&at).expect("it is in front");
                assert!((210.0..790.0).contains(&x) && (30.0..440.0).contains(&y), "{view:?}: {x} {y}");
                let (start, direction) = camera.ray(x.into(), y.into());
                let miss = (at - start).cross(&direction).norm();
                assert!(miss < 1e-4, "{view:?}: the ray passes {miss} m beside the point");
                let there = camera.on_facing_plane(x.into(), y.into(), &at);
                assert!((there - at).norm() < 1e-3, "{view:?}");
            }
        }
    }

    /// The point under the mouse stays there during a pan.
    #[test]
    fn a_pan_by_pixels_moves_the_point_looked_at_by_those_pixels() {
        let mut camera = Camera::new(640, 480);
        let seen = camera.target();
        let before = camera.pixel(&seen).expect("seen");
        camera.pan(40.0, -25.0);
        let after = camera.pixel(&seen).expect("seen");
        assert!((after.0 - before.0 - 40.0).abs() < 0.01 && (after.1 - before.1 + 25.0).abs() < 0.01, "{after:?}");
    }
}

//! Arrows, arcs and dots as instances of one sphere, one cylinder and one cone.

use super::super::convert::{linear, point};
use crate::math::Vec3;
use crate::show::{Arc, Arrow, Color, Dot, Picture};
use kiss3d::glamx::{self, Mat3};
use kiss3d::procedural;
use kiss3d::scene::{InstanceData3d, SceneNode3d};

pub(super) struct Marks {
    balls: Instances,
    rods: Instances,
    tips: Instances,
}

/// Instances of one shape.
struct Instances {
    node: SceneNode3d,
    places: Vec<InstanceData3d>,
}

/// Length and radius of an arrow's head, in radii of its shaft.
const HEAD_LENGTH: f64 = 6.0;
const HEAD_RADIUS: f64 = 2.6;
/// Number of straight pieces of a full circle.
const PIECES: f64 = 40.0;

impl Marks {
    pub fn new(scene: &mut SceneNode3d) -> Self {
        let mut instances = |mesh| Instances::new(scene.add_render_mesh(mesh, glamx::Vec3::ONE));
        Marks {
            balls: instances(procedural::sphere(1.0, 20, 12, true)),
            rods: instances(procedural::unit_cylinder(14)),
            tips: instances(procedural::unit_cone(18)),
        }
    }

    pub fn show(&mut self, picture: &Picture) {
        for instances in [&mut self.balls, &mut self.rods, &mut self.tips] {
            instances.places.clear();
        }
        for dot in &picture.dots {
            self.dot(dot);
        }
        for arrow in &picture.arrows {
            self.arrow(arrow);
        }
        for arc in &picture.arcs {
            self.arc(arc);
        }
        for instances in [&mut self.balls, &mut self.rods, &mut self.tips] {
            instances.finish();
        }
    }

    fn dot(&mut self, dot: &Dot) {
        // The library's sphere has diameter 1.
        self.balls.add(&dot.at, Mat3::from_diagonal(glamx::Vec3::splat(2.0 * dot.radius as f32)), dot.color);
    }

    fn arrow(&mut self, arrow: &Arrow) {
        let way = arrow.to - arrow.from;
        let length = way.norm();
        if length < 1e-6 {
            return;
        }
        // A short arrow is scaled down as a whole.
        let radius = arrow.radius.min(length / (2.0 * HEAD_LENGTH));
        let neck = arrow.to - way * (radius * HEAD_LENGTH / length);
        self.rods.span(&arrow.from, &neck, radius, arrow.color);
        self.tips.span(&neck, &arrow.to, radius * HEAD_RADIUS, arrow.color);
    }

    fn arc(&mut self, arc: &Arc) {
        let size = arc.start.norm();
        if size < 1e-6 || arc.angle.abs() < 1e-4 {
            return;
        }
        let axis = nalgebra::Unit::new_normalize(arc.axis);
        let at = |angle: f64| arc.centre + nalgebra::UnitQuaternion::from_axis_angle(&axis, angle) * arc.start;
        let radius = size * 0.07;
        let head = (radius * HEAD_LENGTH / size).min(arc.angle.abs() * 0.5) * arc.angle.signum();
        let bend = arc.angle - head;
        let pieces = (bend.abs() / std::f64::consts::TAU * PIECES).ceil().clamp(1.0, 4.0 * PIECES);
        let mut from = at(0.0);
        for piece in 1..=pieces as usize {
            let to = at(bend * piece as f64 / pieces);
            self.rods.span(&from, &to, radius, arc.color);
            self.balls.add(&to, Mat3::from_diagonal(glamx::Vec3::splat(2.0 * radius as f32)), arc.color);
            from = to;
        }
        self.tips.span(&from, &at(arc.angle), radius * HEAD_RADIUS, arc.color);
    }
}

impl Instances {
    fn new(mut node: SceneNode3d) -> Self {
        node.set_roughness(0.5);
        node.set_casts_shadows(false);
        node.set_visible(false);
        Instances { node, places: Vec::new() }
    }

    fn add(&mut self, at: &Vec3, deformation: Mat3, color: Color) {
        self.places.push(InstanceData3d {
            position: point(at),
            deformation,
            color: linear(color),
            ..Default::default()
        });
    }

    /// Adds an instance stretched between two points; the shape has height 1 along y and diameter 1.
    fn span(&mut self, from: &Vec3, to: &Vec3, radius: f64, color: Color) {
        let along = point(to) - point(from);
        let Some(direction) = along.try_normalize() else { return };
        let (side, other) = direction.any_orthonormal_pair();
        let wide = 2.0 * radius as f32;
        self.add(&((from + to) * 0.5), Mat3::from_cols(other * wide, along, side * wide), color);
    }

    fn finish(&mut self) {
        self.node.set_visible(!self.places.is_empty());
        if !self.places.is_empty() {
            self.node.set_instances(&self.places);
        }
    }
}

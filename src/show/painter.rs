//! Painter: adds the primitives of an item to a picture, shifted by the item's offset.

use super::picture::Color;
use super::{Arc, Arrow, Dot, Line, MeshId, Picture, Skin, Solid};
use crate::dynamics::Placement;
use crate::figure::Figure;
use crate::math::{Real, Vec3};
use crate::motion::{Frame, Skeleton};

pub(crate) mod color {
    use crate::show::picture::Color;

    pub const FIGURE: Color = [0.56, 0.66, 0.76, 1.0];
    pub const GHOST: Color = [0.95, 0.75, 0.30, 0.30];
    pub const ONION: Color = [0.45, 0.62, 0.85, 0.35];
    pub const GROUND: Color = [0.45, 0.45, 0.43, 1.0];
    pub const BONE: Color = [0.95, 0.95, 0.90, 1.0];
    pub const CONTACT: Color = [0.98, 0.80, 0.18, 1.0];
    pub const FORCE: Color = [0.92, 0.30, 0.22, 1.0];
    pub const ESTIMATE: Color = [0.92, 0.55, 0.45, 0.8];
    pub const TORQUE: Color = [0.30, 0.75, 0.40, 1.0];
    pub const REACTION: Color = [0.62, 0.42, 0.85, 1.0];
    pub const RESIDUAL: Color = [0.95, 0.35, 0.75, 1.0];
    pub const CENTRE: Color = [0.98, 0.98, 0.98, 1.0];
    pub const SUPPORT: Color = [0.25, 0.80, 0.85, 1.0];
    pub const MOMENT: Color = [0.95, 0.45, 0.15, 1.0];
    pub const LIMIT: Color = [0.55, 0.80, 0.55, 0.9];
    pub const BROKEN_LIMIT: Color = [0.95, 0.25, 0.20, 1.0];
    pub const LINK: Color = [0.80, 0.78, 0.70, 1.0];
    pub const SPRING: Color = [0.85, 0.62, 0.35, 1.0];
    /// Colour of an object without one of its own, by number.
    pub fn thing(which: usize) -> Color {
        let [r, g, b] = crate::scene::PALETTE[which % crate::scene::PALETTE.len()];
        [r as f32, g as f32, b as f32, 1.0]
    }

    pub const HAND: Color = [1.0, 0.55, 0.10, 1.0];
}

/// Picture and the offset of the current item.
pub(crate) struct Painter<'a> {
    pub picture: &'a mut Picture,
    pub offset: Vec3,
    /// Number of skins painted so far.
    pub skins: usize,
}

impl<'a> Painter<'a> {
    pub fn new(picture: &'a mut Picture) -> Self {
        picture.begin();
        Self { picture, offset: Vec3::zeros(), skins: 0 }
    }

    /// Drops skins of the last picture that were not painted again.
    pub fn finish(self) {
        self.picture.skins.truncate(self.skins);
    }

    pub fn solid(&mut self, mesh: MeshId, placement: &Placement, color: Color) {
        let placement = Placement { position: placement.position + self.offset, ..*placement };
        self.picture.solids.push(Solid { mesh, placement, color });
    }

    pub fn line(&mut self, from: Vec3, to: Vec3, color: Color, width: f32) {
        self.picture.lines.push(Line { from: from + self.offset, to: to + self.offset, color, width });
    }

    pub fn dot(&mut self, at: Vec3, radius: Real, color: Color) {
        self.picture.dots.push(Dot { at: at + self.offset, radius, color });
    }

    /// Adds an arrow from a point; a very short one is left out, since it would be a head without a shaft.
    pub fn arrow(&mut self, from: Vec3, way: Vec3, color: Color, radius: Real) {
        if way.norm() > 1e-3 {
            let from = from + self.offset;
            self.picture.arrows.push(Arrow { from, to: from + way, color, radius });
        }
    }

    /// Adds an arc about an axis.
    pub fn arc(&mut self, centre: Vec3, axis: Vec3, start: Vec3, angle: Real, color: Color) {
        self.picture.arcs.push(Arc { centre: centre + self.offset, axis, start, angle, color });
    }

    /// Returns the buffers of the next skin to be written. The caller adds the offset.
    pub fn skin(&mut self, mesh: MeshId, color: Color, texture: Option<usize>) -> &mut Skin {
        if self.skins == self.picture.skins.len() {
            let empty = Skin { mesh, positions: Vec::new(), normals: Vec::new(), color, texture };
            self.picture.skins.push(empty);
        }
        let skin = &mut self.picture.skins[self.skins];
        self.skins += 1;
        (skin.mesh, skin.color, skin.texture) = (mesh, color, texture);
        skin
    }

    /// Adds the shapes of a figure whose joints have these placements.
    pub fn figure(&mut self, figure: &Figure, meshes: &[Option<MeshId>], placements: &[Placement], color: Color) {
        for ((segment, mesh), placement) in figure.segments().iter().zip(meshes).zip(placements) {
            if let Some(mesh) = mesh {
                self.solid(*mesh, &segment.body(placement), color);
            }
        }
    }

    /// Adds the bones from joint to joint and to the tips.
    pub fn skeleton(&mut self, skeleton: &Skeleton, frames: &[Frame], color: Color, width: f32) {
        for (joint, frame) in skeleton.joints().iter().zip(frames) {
            if let Some(parent) = joint.parent {
                self.line(frames[parent].position, frame.position, color, width);
            }
            if let Some(tip) = joint.tip {
                self.line(frame.position, frame.position + frame.rotation * tip, color, width);
            }
        }
    }
}

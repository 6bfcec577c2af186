//! What is to be drawn at one moment, as plain lists in metres and world axes.

use crate::dynamics::Placement;
use crate::math::{Real, Vec3};

/// Red, green, blue, opacity, each 0 to 1.
pub type Color = [f32; 4];

/// A mesh that keeps its form, by number in the list of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeshId(pub usize);

/// Triangles of a thing, in its own axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates as glTF has them, (0, 0) at the upper left; empty where nothing is painted on.
    pub uvs: Vec<[f32; 2]>,
}

/// A rigid thing at its place.
#[derive(Clone, Debug)]
pub struct Solid {
    pub mesh: MeshId,
    pub placement: Placement,
    pub color: Color,
}

/// A mesh bent by its skeleton: the triangles are those of the mesh, positions and normals are those of this moment, in the world.
#[derive(Clone, Debug)]
pub struct Skin {
    pub mesh: MeshId,
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub color: Color,
    /// Number of its texture in the workspace, if it has one.
    pub texture: Option<usize>,
}

/// A straight line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub from: Vec3,
    pub to: Vec3,
    pub color: Color,
    /// In pixels.
    pub width: f32,
}

/// A vector with a head, such as a force.
#[derive(Clone, Copy, Debug)]
pub struct Arrow {
    pub from: Vec3,
    pub to: Vec3,
    pub color: Color,
    /// Radius of the shaft in metres.
    pub radius: Real,
}

/// Part of a circle with a head, such as a torque: it turns about `axis` (unit length) by `angle`.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    pub centre: Vec3,
    pub axis: Vec3,
    /// From the centre to where the arc begins.
    pub start: Vec3,
    pub angle: Real,
    pub color: Color,
}

/// A small ball, such as a contact point.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    pub at: Vec3,
    pub radius: Real,
    pub color: Color,
}

/// Everything to be drawn at one moment. Kept from frame to frame so that its lists are not allocated anew.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    pub solids: Vec<Solid>,
    pub skins: Vec<Skin>,
    pub lines: Vec<Line>,
    pub arrows: Vec<Arrow>,
    pub arcs: Vec<Arc>,
    pub dots: Vec<Dot>,
    /// Kept for its memory only.
    pub(super) palette: super::skin::Palette,
    pub(super) feet: Vec<[Real; 2]>,
    pub(super) hull: Vec<[Real; 2]>,
}

/// Which parts of the picture are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers {
    /// The skinned mesh of a character; what has none is drawn by its shapes.
    pub mesh: bool,
    /// The shapes that collide, also of what has a mesh.
    pub shapes: bool,
    pub skeleton: bool,
    /// The captured pose where physics moved away from it.
    pub ghost: bool,
    /// Poses before and after, fading.
    pub onion: bool,
    pub contacts: bool,
    pub contact_forces: bool,
    /// Joint torques as arcs.
    pub torques: bool,
    pub reactions: bool,
    /// The wrench by which the world holds the root.
    pub residual: bool,
    pub centre_of_mass: bool,
    pub support: bool,
    pub zero_moment_point: bool,
    pub limits: bool,
}

impl Default for Layers {
    /// What there is, where it touches, and the ghost.
    fn default() -> Self {
        Self { mesh: true, ghost: true, contacts: true, contact_forces: true, ..Self::NONE }
    }
}

impl Layers {
    /// Nothing at all.
    pub const NONE: Layers = Layers {
        mesh: false,
        shapes: false,
        skeleton: false,
        ghost: false,
        onion: false,
        contacts: false,
        contact_forces: false,
        torques: false,
        reactions: false,
        residual: false,
        centre_of_mass: false,
        support: false,
        zero_moment_point: false,
        limits: false,
    };

    /// Everything there is to see.
    pub const ALL: Layers = Layers {
        mesh: true,
        shapes: true,
        skeleton: true,
        ghost: true,
        onion: true,
        contacts: true,
        contact_forces: true,
        torques: true,
        reactions: true,
        residual: true,
        centre_of_mass: true,
        support: true,
        zero_moment_point: true,
        limits: true,
    };
}

impl Picture {
    /// Makes room for the next moment. Skins keep their buffers; they are written over one by one.
    pub(super) fn begin(&mut self) {
        self.solids.clear();
        self.lines.clear();
        self.arrows.clear();
        self.arcs.clear();
        self.dots.clear();
    }
}

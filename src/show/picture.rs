//! Picture: drawing primitives of one moment as plain lists, metres, world axes.

use crate::dynamics::Placement;
use crate::math::{Real, Vec3};

/// Red, green, blue, opacity, each 0 to 1.
pub type Color = [f32; 4];

/// Number of a rigid mesh in [`super::Workspace::meshes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeshId(pub usize);

/// Triangle mesh in its own axes, metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, one per vertex.
    pub normals: Vec<[f32; 3]>,
    /// Vertex numbers of each triangle, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates as in glTF, (0, 0) at the upper left; empty without a texture.
    pub uvs: Vec<[f32; 2]>,
}

/// Rigid mesh at a placement.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Mesh to draw.
    pub mesh: MeshId,
    /// Position and rotation in the picture.
    pub placement: Placement,
    /// Colour of the whole mesh.
    pub color: Color,
}

/// Skinned mesh: the triangles are those of the mesh, vertices are deformed to world space.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Mesh that gives triangles and texture coordinates.
    pub mesh: MeshId,
    /// Deformed vertex positions, world space.
    pub positions: Vec<[f32; 3]>,
    /// Deformed unit normals, world space.
    pub normals: Vec<[f32; 3]>,
    /// Colour, multiplied with the texture.
    pub color: Color,
    /// Number of the texture in [`super::Workspace::textures`].
    pub texture: Option<usize>,
}

/// Straight line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Start point.
    pub from: Vec3,
    /// End point.
    pub to: Vec3,
    /// Colour.
    pub color: Color,
    /// Width, pixels.
    pub width: f32,
}

/// Arrow, such as a force.
#[derive(Clone, Copy, Debug)]
pub struct Arrow {
    /// Start of the shaft.
    pub from: Vec3,
    /// Tip of the head.
    pub to: Vec3,
    /// Colour.
    pub color: Color,
    /// Radius of the shaft, metres.
    pub radius: Real,
}

/// Arc with a head, such as a torque.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    /// Centre of the circle.
    pub centre: Vec3,
    /// Axis of rotation, unit length.
    pub axis: Vec3,
    /// Vector from the centre to the start of the arc, metres.
    pub start: Vec3,
    /// Angle of rotation about the axis, radians.
    pub angle: Real,
    /// Colour.
    pub color: Color,
}

/// Small ball, such as a contact point.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    /// Centre.
    pub at: Vec3,
    /// Radius, metres.
    pub radius: Real,
    /// Colour.
    pub color: Color,
}

/// Primitives to draw at one moment. The lists keep their memory from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Rigid meshes.
    pub solids: Vec<Solid>,
    /// Skinned meshes.
    pub skins: Vec<Skin>,
    /// Lines.
    pub lines: Vec<Line>,
    /// Arrows.
    pub arrows: Vec<Arrow>,
    /// Arcs.
    pub arcs: Vec<Arc>,
    /// Dots.
    pub dots: Vec<Dot>,
    /// Buffers reused from frame to frame.
    pub(super) palette: super::skin::Palette,
    pub(super) feet: Vec<[Real; 2]>,
    pub(super) hull: Vec<[Real; 2]>,
}

/// Selection of layers to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers {
    /// Skinned meshes of characters; figures without one are drawn as mannequins.
    pub mesh: bool,
    /// Mannequins of all figures, also of those with a skin: light in front, dark behind, left blue, right orange.
    pub mannequin: bool,
    /// Collision shapes, also of figures with a skin.
    pub shapes: bool,
    /// Bones of the skeleton.
    pub skeleton: bool,
    /// Captured pose of a simulated figure, or the source of a result.
    pub ghost: bool,
    /// Poses before and after the current time, fading.
    pub onion: bool,
    /// Contact points.
    pub contacts: bool,
    /// Contact forces as arrows.
    pub contact_forces: bool,
    /// Joint torques as arcs.
    pub torques: bool,
    /// Joint reaction forces as arrows.
    pub reactions: bool,
    /// Root residual: the wrench by which the world assists the root.
    pub residual: bool,
    /// Centre of mass and its plumb line.
    pub centre_of_mass: bool,
    /// Support polygon.
    pub support: bool,
    /// Zero-moment point.
    pub zero_moment_point: bool,
    /// Joint limits.
    pub limits: bool,
}

impl Default for Layers {
    /// Default layers: meshes, ghost, contacts and their forces.
    fn default() -> Self {
        Self { mesh: true, ghost: true, contacts: true, contact_forces: true, ..Self::NONE }
    }
}

impl Layers {
    /// No layer.
    pub const NONE: Layers = Layers {
        mesh: false,
        mannequin: false,
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

    /// All layers.
    pub const ALL: Layers = Layers {
        mesh: true,
        mannequin: true,
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
    /// Clears the lists. Skins keep their buffers and are overwritten one by one.
    pub(super) fn begin(&mut self) {
        self.solids.clear();
        self.lines.clear();
        self.arrows.clear();
        self.arcs.clear();
        self.dots.clear();
    }
}

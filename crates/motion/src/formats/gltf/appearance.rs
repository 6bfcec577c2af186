//! Appearance of a glTF file: skinned meshes, colours and images, for drawing.
//!
//! Every vertex v is drawn at Σ weight · (M_b · B_b) · v over the bones b that move it. A bone's parent is a joint of the
//! skeleton (see [`super::skin_vertices`] for B) or a node below no joint, whose motion in the file's animation is sampled
//! beforehand. A rigid mesh on a joint, such as a sword, is a skin of one bone.
//!
//! Morph targets, vertex colours and compressed meshes are not drawn.

use super::Document;
use super::accessor::{Accessors, Numbers};
use super::container::read_beside;
use super::curve::{Curve, Path as Track};
use super::images::images;
use super::schema::{self, Animation, Bound, Holder, Mesh, Primitive, array, fault};
use super::tree::{Affine, Local};
use crate::formats::{Capture, FormatError, Source};
use crate::math::{Mat3, Real, Vec3};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Rate at which the motion of nodes is sampled, Hz.
const RATE: Real = 60.0;
/// Largest number of samples of a node's motion: ten minutes.
const MOST_SAMPLES: Real = 36_000.0;

/// Everything in a file that can be drawn.
#[derive(Clone, Debug, Default)]
pub struct Appearance {
    /// Meshes, one per primitive.
    pub pieces: Vec<MeshPiece>,
    /// Images in the order of the file, encoded as PNG or JPEG; empty where an image cannot be read.
    pub images: Vec<Arc<[u8]>>,
    /// Motions of nodes below no joint, metres, Y up.
    pub node_tracks: Vec<NodeTrack>,
    /// Length of the node tracks, seconds.
    pub duration: Real,
    /// Notes on what is not drawn, and why.
    pub notes: Vec<String>,
}

/// Triangles of one material with the bones that move them.
#[derive(Clone, Debug)]
pub struct MeshPiece {
    /// Vertices, in the units of the mesh.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, one per vertex.
    pub normals: Vec<[f32; 3]>,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates, one per vertex; empty if the file has none.
    pub uvs: Vec<[f32; 2]>,
    /// Base colour: red, green, blue, opacity, 0 … 1.
    pub color: [f32; 4],
    /// Index of the base colour image in [`Appearance::images`].
    pub image: Option<usize>,
    /// Bones that influences refer to.
    pub bones: Vec<Bone>,
    /// Bone and weight of every influence, vertex by vertex; the weights of a vertex sum to 1.
    pub influences: Vec<(u16, f32)>,
    /// End of each vertex's influences in `influences`.
    pub ends: Vec<u32>,
}

/// Frame that moves vertices: an affine map from the mesh to the frame of its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// Frame that the bone is fixed to.
    pub parent: BoneParent,
    /// Linear part of the map.
    pub linear: Mat3,
    /// Translation of the map, metres.
    pub shift: Vec3,
}

/// Frame that a bone is fixed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoneParent {
    /// Joint of the skeleton.
    Joint(usize),
    /// Node track, an index into [`Appearance::node_tracks`].
    Node(usize),
}

/// World transform of a node over time: samples at a constant rate, or one for all times.
#[derive(Clone, Debug)]
pub struct NodeTrack(Vec<Affine>);

impl NodeTrack {
    /// Returns linear part and translation (metres) at a time in seconds. Transforms between samples are interpolated; a
    /// node that is scaled to nothing at one of them is not.
    pub fn at(&self, time: Real) -> (Mat3, Vec3) {
        let place = (time * RATE).clamp(0.0, (self.0.len() - 1) as Real);
        let (first, share) = (place.floor() as usize, place.fract());
        let a = &self.0[first];
        let b = self.0.get(first + 1).unwrap_or(a);
        let gone = |m: &Affine| m.linear.determinant().abs() < 1e-12;
        if share == 0.0 || gone(a) || gone(b) {
            return (a.linear, a.shift);
        }
        (a.linear * (1.0 - share) + b.linear * share, a.shift.lerp(&b.shift, share))
    }
}

/// Returns the appearance of a capture from glTF while one of its clips is played; `None` for other files.
pub fn of_capture(capture: &Capture, clip: &str) -> Result<Option<Appearance>, FormatError> {
    match &capture.source {
        Some(Source::Gltf(document)) => {
            let which = capture.clips.iter().position(|known| known.name == clip);
            read(document, which.and_then(|which| document.animations.get(which).copied())).map(Some)
        }
        _ => Ok(None),
    }
}

/// Reads the appearance of a glTF file, with or without a skeleton; nodes follow its first animation.
pub fn of_file(path: &Path) -> Result<Appearance, FormatError> {
    let bytes = crate::formats::load(path)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut document =
        Document::open(&bytes, &|name| read_beside(&folder, name)).map_err(|error| error.in_file(path))?;
    document.folder = Some(folder);
    read(&document, Some(0)).map_err(|error| error.in_file(path))
}

/// Reads the appearance; `animation` moves the nodes, without it they stay.
fn read(document: &Document, animation: Option<usize>) -> Result<Appearance, FormatError> {
    let json = &document.container.json;
    let mut accessors = Accessors::new(&document.container);
    let mut appearance = Appearance { images: images(document), ..Appearance::default() };
    let skins: Vec<Bound> = schema::list(json, "skins")?;
    let nodes = Nodes::new(document, animation, &mut accessors)?;
    appearance.duration = nodes.duration;
    let mut compressed = 0;
    for (node, value) in array(json, "nodes")?.iter().enumerate() {
        let holder: Holder = schema::element(&format!("/nodes/{node}"), value)?;
        let Some(mesh) = holder.mesh else { continue };
        let mesh: Mesh = schema::at(json, "meshes", mesh)?;
        let skin = match holder.skin {
            None => None,
            Some(index) => {
                let skin = skins.get(index).ok_or_else(|| fault(&format!("/skins/{index}"), "does not exist"))?;
                Some(nodes.bones(index, skin, &mut accessors)?)
            }
        };
        let mut rigid = None;
        for primitive in &mesh.primitives {
            if primitive.extensions.keys().any(|name| name.contains("draco")) {
                compressed += 1;
                continue;
            }
            let pointer = format!("/nodes/{node}/mesh");
            let Some(mut piece) = piece(primitive, json, &mut accessors, &pointer)? else { continue };
            match &skin {
                Some(bones) => set_influences(&mut piece, primitive, bones, &mut accessors, &pointer)?,
                None => {
                    let bone = *rigid.get_or_insert_with(|| nodes.rigid_bone(node, &mut appearance.node_tracks));
                    piece.bones = vec![bone];
                    let count = piece.positions.len();
                    piece.influences = vec![(0, 1.0); count];
                    piece.ends = (1..=count as u32).collect();
                }
            }
            appearance.pieces.push(piece);
        }
    }
    if compressed > 0 {
        appearance
            .notes
            .push("the mesh is compressed, which sinew does not unpack; its shapes are drawn instead".to_owned());
    }
    Ok(appearance)
}

/// Nodes of a file and their animation curves.
struct Nodes<'a> {
    document: &'a Document,
    residuals: Vec<Mat3>,
    /// Joint of every node that is one.
    joints: Vec<Option<usize>>,
    curves: BTreeMap<usize, Vec<(Track, Curve)>>,
    duration: Real,
}

impl<'a> Nodes<'a> {
    fn new(document: &'a Document, animation: Option<usize>, accessors: &mut Accessors) -> Result<Self, FormatError> {
        let mut joints = vec![None; document.tree.nodes.len()];
        for (index, joint) in document.rig.joints.iter().enumerate() {
            joints[joint.node] = Some(index);
        }
        let (mut curves, mut duration) = (BTreeMap::<usize, Vec<(Track, Curve)>>::new(), 0.0);
        let list = array(&document.container.json, "animations")?;
        if let Some(index) = animation.filter(|index| *index < list.len()) {
            let animation: Animation = schema::at(&document.container.json, "animations", index)?;
            for channel in &animation.channels {
                let Some(path) = Track::parse(&channel.target.path) else { continue };
                let (Some(node), Some(sampler)) = (channel.target.node, animation.samplers.get(channel.sampler)) else {
                    continue;
                };
                let pointer = format!("/animations/{index}/samplers/{}", channel.sampler);
                let curve = Curve::read(sampler, path, &pointer, accessors)?;
                duration = curve.times().last().map_or(duration, |&end| Real::from(end).max(duration));
                curves.entry(node).or_default().push((path, curve));
            }
        }
        let residuals = document.rig.residuals(&document.tree);
        Ok(Self { document, residuals, joints, curves, duration: duration.min(MOST_SAMPLES / RATE) })
    }

    /// Bones of a skin; none for nodes that are no joints.
    fn bones(&self, index: usize, skin: &Bound, accessors: &mut Accessors) -> Result<Vec<Option<Bone>>, FormatError> {
        let pointer = format!("/skins/{index}");
        let binds: Option<Rc<Numbers>> = skin.inverse_bind_matrices.map(|at| accessors.get(at)).transpose()?;
        if binds.as_ref().is_some_and(|m| m.width != 16 || m.values.len() < 16 * skin.joints.len()) {
            return Err(fault(&pointer, "has fewer inverse bind matrices than joints"));
        }
        let bone = |(k, node): (usize, &usize)| {
            let joint = self.joints.get(*node).copied().flatten()?;
            let bind = match &binds {
                None => Affine::IDENTITY,
                Some(numbers) => {
                    let m: Vec<Real> = numbers.values[16 * k..16 * k + 16].iter().map(|&x| Real::from(x)).collect();
                    let linear = Mat3::new(m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]);
                    Affine { linear, shift: Vec3::new(m[12], m[13], m[14]) }
                }
            };
            let residual = self.residuals[joint];
            Some(Bone {
                parent: BoneParent::Joint(joint),
                linear: residual * bind.linear,
                shift: residual * bind.shift,
            })
        };
        Ok(skin.joints.iter().enumerate().map(bone).collect())
    }

    /// Bone of a rigid mesh: its parent is the nearest joint above the node, or the sampled motion of the node itself.
    fn rigid_bone(&self, node: usize, tracks: &mut Vec<NodeTrack>) -> Bone {
        let tree = &self.document.tree;
        let mut chain = Vec::new();
        let mut next = Some(node);
        while let Some(at) = next {
            if let Some(joint) = self.joints[at] {
                let residual = Affine { linear: self.residuals[joint], shift: Vec3::zeros() };
                let below =
                    chain.iter().rev().fold(residual, |whole, &n: &usize| whole.after(&tree.locals[n].affine()));
                return Bone { parent: BoneParent::Joint(joint), linear: below.linear, shift: below.shift };
            }
            chain.push(at);
            next = tree.parents[at];
        }
        let border = self.document.rig.border();
        let moves = chain.iter().any(|node| self.curves.contains_key(node));
        let samples = if moves { (self.duration * RATE).ceil() as usize + 1 } else { 1 };
        let place = |sample: usize| {
            let time = (sample as Real / RATE).min(self.duration);
            chain.iter().rev().fold(border, |whole, &node| whole.after(&self.local(node, time).affine()))
        };
        tracks.push(NodeTrack((0..samples).map(place).collect()));
        Bone { parent: BoneParent::Node(tracks.len() - 1), linear: Mat3::identity(), shift: Vec3::zeros() }
    }

    fn local(&self, node: usize, time: Real) -> Local {
        let mut local = self.document.tree.locals[node];
        for (path, curve) in self.curves.get(&node).into_iter().flatten() {
            match path {
                Track::Translation => local.translation = curve.vector(time),
                Track::Rotation => local.rotation = curve.rotation(time),
                Track::Scale => local.scale = curve.vector(time),
            }
        }
        local
    }
}

/// Reads the triangles of a primitive; `None` if it has none.
fn piece(
    primitive: &Primitive,
    json: &Value,
    accessors: &mut Accessors,
    pointer: &str,
) -> Result<Option<MeshPiece>, FormatError> {
    let attribute = |name: &str| primitive.attributes.get(name).copied();
    let Some(positions) = attribute("POSITION").map(|at| accessors.get(at)).transpose()? else { return Ok(None) };
    if positions.width != 3 {
        return Err(fault(pointer, "has positions that are no vectors"));
    }
    let positions: Vec<[f32; 3]> = positions.values.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
    let corners: Vec<u32> = match primitive.indices {
        Some(at) => accessors.get(at)?.values.iter().map(|&x| x as u32).collect(),
        None => (0..positions.len() as u32).collect(),
    };
    if let Some(bad) = corners.iter().find(|&&k| k as usize >= positions.len()) {
        return Err(fault(pointer, format!("names vertex {bad}, but has {}", positions.len())));
    }
    let triangles: Vec<[u32; 3]> = match primitive.mode.unwrap_or(4) {
        4 => corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(),
        5 => {
            let strip = corners.windows(3).enumerate();
            strip.map(|(k, c)| if k % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] }).collect()
        }
        6 => corners.windows(2).skip(1).map(|c| [corners[0], c[0], c[1]]).collect(),
        _ => return Ok(None),
    };
    if triangles.is_empty() {
        return Ok(None);
    }
    let normals = attribute("NORMAL").map(|at| accessors.get(at)).transpose()?;
    let normals = match normals.filter(|n| n.width == 3 && n.values.len() == 3 * positions.len()) {
        Some(normals) => normals.values.chunks_exact(3).map(|n| [n[0], n[1], n[2]]).collect(),
        None => smooth_normals(&positions, &triangles),
    };
    let uvs = attribute("TEXCOORD_0").map(|at| accessors.get(at)).transpose()?;
    let uvs = uvs.filter(|uv| uv.width == 2 && uv.values.len() == 2 * positions.len());
    let uvs = uvs.map_or_else(Vec::new, |uv| uv.values.chunks_exact(2).map(|uv| [uv[0], uv[1]]).collect());
    let (color, image) = material(primitive.material, json);
    let image = image.filter(|_| !uvs.is_empty());
    let (bones, influences, ends) = (Vec::new(), Vec::new(), Vec::new());
    Ok(Some(MeshPiece { positions, normals, triangles, uvs, color, image, bones, influences, ends }))
}

/// Normals as means over the triangles around each vertex, weighted by area.
fn smooth_normals(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    use nalgebra::Vector3;
    let mut sums = vec![Vector3::<f32>::zeros(); positions.len()];
    let place = |k: u32| Vector3::from(positions[k as usize]);
    for triangle in triangles {
        let [a, b, c] = triangle.map(place);
        let across = (b - a).cross(&(c - a));
        triangle.iter().for_each(|&k| sums[k as usize] += across);
    }
    sums.into_iter().map(|n| n.try_normalize(1e-20).unwrap_or_else(Vector3::y).into()).collect()
}

/// Sets bones and influences of a piece, with weights that sum to 1.
fn set_influences(
    piece: &mut MeshPiece,
    primitive: &Primitive,
    bones: &[Option<Bone>],
    accessors: &mut Accessors,
    pointer: &str,
) -> Result<(), FormatError> {
    let count = piece.positions.len();
    let mut sets = Vec::new();
    for set in 0.. {
        let attribute = |name: &str| primitive.attributes.get(&format!("{name}_{set}")).copied();
        let (Some(joints), Some(weights)) = (attribute("JOINTS"), attribute("WEIGHTS")) else { break };
        let (joints, weights) = (accessors.get(joints)?, accessors.get(weights)?);
        if (joints.width, weights.width) != (4, 4) || joints.values.len().min(weights.values.len()) < 4 * count {
            return Err(fault(pointer, "has joints or weights that do not fit its positions"));
        }
        sets.push((joints, weights));
    }
    piece.bones = bones.iter().map(|bone| bone.unwrap_or(UNUSED)).collect();
    for vertex in 0..count {
        let first = piece.influences.len();
        for (joints, weights) in &sets {
            for k in 4 * vertex..4 * vertex + 4 {
                let (bone, weight) = (joints.values[k] as usize, weights.values[k]);
                if weight > 0.0 && bones.get(bone).is_some_and(Option::is_some) {
                    piece.influences.push((bone as u16, weight));
                }
            }
        }
        if piece.influences.len() == first {
            piece.influences.push((0, 1.0));
        }
        let sum: f32 = piece.influences[first..].iter().map(|(_, weight)| weight).sum();
        piece.influences[first..].iter_mut().for_each(|(_, weight)| *weight /= sum);
        piece.ends.push(piece.influences.len() as u32);
    }
    Ok(())
}

/// Bone that no vertex uses.
const UNUSED: Bone =
    Bone { parent: BoneParent::Joint(0), linear: Affine::IDENTITY.linear, shift: Affine::IDENTITY.shift };

/// Base colour of a material and the index of its image.
fn material(index: Option<usize>, json: &Value) -> ([f32; 4], Option<usize>) {
    let material = index.and_then(|index| json.get("materials")?.get(index));
    let look = material.and_then(|material| material.get("pbrMetallicRoughness"));
    let factor = look.and_then(|look| look.get("baseColorFactor")).and_then(Value::as_array);
    let part = |k: usize| factor.and_then(|f| f.get(k)?.as_f64()).unwrap_or(1.0).clamp(0.0, 1.0) as f32;
    let texture = look.and_then(|look| look.get("baseColorTexture")?.get("index")?.as_u64());
    let image = texture.and_then(|index| json.get("textures")?.get(index as usize)?.get("source")?.as_u64());
    let color = if material.is_some() { [part(0), part(1), part(2), part(3)] } else { [0.8, 0.8, 0.8, 1.0] };
    (color, image.map(|image| image as usize))
}

//! Skin vertices: those that a joint moves most, in its frame.
//!
//! A vertex v of a skinned mesh is drawn at Σ weight · W_j · B_j · v, with the joint's world matrix W_j and its inverse
//! bind matrix B_j. In the frames of our skeleton (W_j = F_j · C_j, see [`super::rig`]) the place of v beside joint j is
//!
//!   C_j · B_j · v
//!
//! whatever the pose of the file's nodes is.

use super::Document;
use super::accessor::Accessors;
use super::new_file;
use super::schema::{self, Bound, Holder, Mesh, array, fault};
use crate::Vec3;
use crate::formats::{Capture, FormatError, Source};
use nalgebra::{Matrix4, Point3};

/// Returns for every joint of the capture's skeleton the vertices of the file's skins that it moves more than any other
/// joint does, metres, in the joint's frame. `None` if the file has no skin that can be read: not a glTF file, no mesh, a
/// compressed one, or the capsule body of a file that this crate wrote.
///
/// ```
/// use sinew_motion::formats::{self, ImportOptions, gltf};
/// let capture = formats::read("../../data/characters/actor.glb".as_ref(), &ImportOptions::default())?;
/// let vertices = gltf::skin_vertices(&capture)?.ok_or("no skin")?;
/// assert_eq!(vertices.len(), capture.skeleton.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn skin_vertices(capture: &Capture) -> Result<Option<Vec<Vec<Vec3>>>, FormatError> {
    match &capture.source {
        Some(Source::Gltf(document)) => read(document),
        _ => Ok(None),
    }
}

fn read(document: &Document) -> Result<Option<Vec<Vec<Vec3>>>, FormatError> {
    let json = &document.container.json;
    let residuals = document.rig.residuals(&document.tree);
    let mut place = vec![None; document.tree.nodes.len()];
    for (index, joint) in document.rig.joints.iter().enumerate() {
        place[joint.node] = Some(index);
    }
    let skins: Vec<Bound> = schema::list(json, "skins")?;
    let mut accessors = Accessors::new(&document.container);
    let mut vertices = vec![Vec::new(); residuals.len()];
    for (node, value) in array(json, "nodes")?.iter().enumerate() {
        let holder: Holder = schema::element(&format!("/nodes/{node}"), value)?;
        let (Some(mesh), Some(skin_index)) = (holder.mesh, holder.skin) else { continue };
        let mesh: Mesh = schema::at(json, "meshes", mesh)?;
        if mesh.extras.as_ref().is_some_and(|extras| extras.get(new_file::SIMPLE).is_some()) {
            continue;
        }
        let pointer = format!("/skins/{skin_index}");
        let skin = skins.get(skin_index).ok_or_else(|| fault(&pointer, "does not exist"))?;
        let binds = match skin.inverse_bind_matrices {
            None => vec![Matrix4::identity(); skin.joints.len()],
            Some(index) => {
                let numbers = accessors.get(index)?;
                let matrix = |m: &[f32]| Matrix4::from_iterator(m.iter().map(|&x| f64::from(x)));
                if numbers.width != 16 || numbers.values.len() < 16 * skin.joints.len() {
                    return Err(fault(&pointer, "has fewer inverse bind matrices than joints"));
                }
                numbers.values.chunks_exact(16).map(matrix).collect()
            }
        };
        for primitive in &mesh.primitives {
            // A compressed mesh has nothing behind its accessors.
            if primitive.extensions.keys().any(|name| name.contains("draco")) {
                return Ok(None);
            }
            let attribute = |name: &str| primitive.attributes.get(name).copied();
            let (Some(positions), Some(joints), Some(weights)) =
                (attribute("POSITION"), attribute("JOINTS_0"), attribute("WEIGHTS_0"))
            else {
                continue;
            };
            let (positions, joints, weights) =
                (accessors.get(positions)?, accessors.get(joints)?, accessors.get(weights)?);
            if (positions.width, joints.width, weights.width) != (3, 4, 4) {
                return Err(fault(&pointer, "moves a mesh whose positions, joints or weights have the wrong type"));
            }
            let each = positions.values.chunks_exact(3).zip(joints.values.chunks_exact(4));
            for ((position, joints), weights) in each.zip(weights.values.chunks_exact(4)) {
                let strongest = (0..4).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap_or(0);
                let listed = joints[strongest] as usize;
                let joint = skin.joints.get(listed).and_then(|&node| place.get(node).copied().flatten());
                let (Some(joint), Some(bind)) = (joint, binds.get(listed)) else { continue };
                let [x, y, z] = [0, 1, 2].map(|k| f64::from(position[k]));
                let beside = bind.transform_point(&Point3::new(x, y, z)).coords;
                let vertex = residuals[joint] * beside;
                if vertex.iter().all(|x| x.is_finite()) {
                    vertices[joint].push(vertex);
                }
            }
        }
    }
    Ok(vertices.iter().any(|v| !v.is_empty()).then_some(vertices))
}

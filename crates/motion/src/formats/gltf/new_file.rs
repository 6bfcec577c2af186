//! New glTF file for a skeleton from another format: nodes, a skin, and a capsule body.

use super::assembly::{Assembly, Kind, Use};
use super::capsule_body::{self, Mesh};
use super::container::Container;
use crate::formats::FormatError;
use crate::{Pose, Skeleton};
use nalgebra as na;
use serde_json::{Value, json};
use std::sync::Arc;

/// Key of a mesh's `extras` that marks capsules about bones, which tell nothing of the captured body.
pub(super) const SIMPLE: &str = "simpleBody";

/// Returns an empty file.
pub(super) fn empty() -> Container {
    let generator = concat!("sinew ", env!("CARGO_PKG_VERSION"));
    let json = json!({"asset": {"version": "2.0", "generator": generator}});
    Container { json: Arc::new(json), buffers: Vec::new(), chunks: Vec::new(), binary: true, size: 0 }
}

/// Writes a GLB with the skeleton, a skin over all its joints and a body: node `j` is joint `j`. `seen` is a pose of the
/// motion.
pub(super) fn figure(skeleton: &Skeleton, seen: &Pose) -> Result<Vec<u8>, FormatError> {
    let mut file = Assembly::new(&empty(), Kind::Glb);
    let mut nodes = joint_nodes(skeleton);
    let roots: Vec<usize> = skeleton.roots().collect();
    let mut top = roots.clone();
    if roots.len() > 1 {
        // A skin's joints need a common ancestor.
        top = vec![nodes.len()];
        nodes.push(json!({"name": "Armature", "children": roots}));
    }
    let skeleton_root = top[0];
    top.push(nodes.len());
    nodes.push(json!({"name": "Body", "mesh": 0, "skin": 0}));
    file.json.insert("scene".into(), json!(0));
    file.json.insert("scenes".into(), json!([{"nodes": top}]));
    file.json.insert("nodes".into(), Value::Array(nodes));
    file.json.insert(
        "materials".into(),
        json!([{
            "name": "Body",
            "pbrMetallicRoughness": {"baseColorFactor": [0.56, 0.66, 0.76, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.75}
        }]),
    );
    let primitive = mesh(&mut file, &capsule_body::build(skeleton, seen));
    file.push("meshes", json!({"name": "Body", "primitives": [primitive], "extras": {SIMPLE: true}}));
    let binds = inverse_binds(&mut file, skeleton);
    let joints: Vec<usize> = (0..skeleton.len()).collect();
    file.push("skins", json!({"joints": joints, "inverseBindMatrices": binds, "skeleton": skeleton_root}));
    file.finish()
}

fn joint_nodes(skeleton: &Skeleton) -> Vec<Value> {
    let mut children = vec![Vec::new(); skeleton.len()];
    for (index, joint) in skeleton.joints().iter().enumerate() {
        if let Some(parent) = joint.parent {
            children[parent].push(index);
        }
    }
    let mut nodes = Vec::with_capacity(skeleton.len());
    let mut ends = Vec::new();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let q = joint.rest.coords.map(|x| x as f32);
        let mut node = json!({"name": joint.name, "translation": floats(&joint.offset)});
        if *joint.rest != *na::UnitQuaternion::identity() {
            node["rotation"] = json!([q.x, q.y, q.z, q.w]);
        }
        let mut below = std::mem::take(&mut children[index]);
        if let Some(tip) = joint.tip.filter(|tip| below.is_empty() && tip.norm() > 0.0) {
            below.push(skeleton.len() + ends.len());
            ends.push(json!({"name": format!("{}_end", joint.name), "translation": floats(&tip)}));
        }
        if !below.is_empty() {
            node["children"] = json!(below);
        }
        nodes.push(node);
    }
    nodes.append(&mut ends);
    nodes
}

fn floats(v: &crate::Vec3) -> Value {
    json!([v.x as f32, v.y as f32, v.z as f32])
}

fn mesh(file: &mut Assembly, mesh: &Mesh) -> Value {
    let positions = file.vectors(&mesh.positions, true);
    let normals = file.vectors(&mesh.normals, false);
    let count = mesh.positions.len();
    // One joint moves each vertex: the other three places are empty.
    let joint_bytes: Vec<u8> =
        mesh.joints.iter().flat_map(|&j| [j, 0, 0, 0]).flat_map(|j: u16| j.to_le_bytes()).collect();
    let view = file.view(&joint_bytes, Use::Vertices);
    let joints =
        file.push("accessors", json!({"bufferView": view, "componentType": 5123, "count": count, "type": "VEC4"}));
    let weight_bytes: Vec<u8> = mesh.joints.iter().flat_map(|_| [255u8, 0, 0, 0]).collect();
    let view = file.view(&weight_bytes, Use::Vertices);
    let weights = file.push(
        "accessors",
        json!({"bufferView": view, "componentType": 5121, "normalized": true, "count": count, "type": "VEC4"}),
    );
    let indices = file.triangles(&mesh.indices);
    json!({
        "attributes": {"POSITION": positions, "NORMAL": normals, "JOINTS_0": joints, "WEIGHTS_0": weights},
        "indices": indices,
        "material": 0
    })
}

fn inverse_binds(file: &mut Assembly, skeleton: &Skeleton) -> usize {
    let frames = skeleton.rest_pose().world(skeleton);
    let mut bytes = Vec::with_capacity(frames.len() * 64);
    for frame in &frames {
        let inverse = frame.rotation.inverse();
        let linear = inverse.to_rotation_matrix().into_inner();
        let shift = -(inverse * frame.position);
        for column in 0..4 {
            for row in 0..4 {
                let value = match (row, column) {
                    (3, 3) => 1.0,
                    (3, _) => 0.0,
                    (_, 3) => shift[row],
                    _ => linear[(row, column)],
                };
                bytes.extend_from_slice(&(value as f32).to_le_bytes());
            }
        }
    }
    let view = file.view(&bytes, Use::Other);
    file.floats(view, 0, frames.len(), "MAT4")
}

//! Makes the plain body of a GLB thicker: every vertex goes outwards along its normal, by an amount that its joint chooses.

use serde_json::{Value, json};
use sinew::Real;
use sinew::motion::{Role, Skeleton};
use std::error::Error;

/// How much a heavy character has on its bones beyond the plain body, metres.
pub fn heavy(role: Option<Role>) -> Real {
    match role {
        Some(Role::Hips) => 0.045,
        Some(Role::Spine(k)) => 0.110 - 0.006 * Real::from(k),
        Some(Role::Neck(_)) => 0.018,
        Some(Role::Head) => 0.022,
        Some(Role::Shoulder(_)) => 0.035,
        Some(Role::UpperArm(_)) => 0.026,
        Some(Role::LowerArm(_)) => 0.018,
        Some(Role::Hand(_)) => 0.012,
        Some(Role::UpperLeg(_)) => 0.040,
        Some(Role::LowerLeg(_)) => 0.022,
        _ => 0.0,
    }
}

/// `extra` gives the added thickness of a joint's flesh by the joint's role. The file is one that sinew made: its first mesh
/// is the body, and each vertex follows the first of its joints.
pub fn thicken(glb: &[u8], skeleton: &Skeleton, extra: fn(Option<Role>) -> Real) -> Result<Vec<u8>, Box<dyn Error>> {
    let (mut document, mut buffer) = unpack(glb)?;
    let attributes = document["meshes"][0]["primitives"][0]["attributes"].clone();
    let accessor =
        |name: &str| attributes[name].as_u64().map(|index| index as usize).ok_or("the body lacks an attribute");
    let (positions, normals, joints) = (accessor("POSITION")?, accessor("NORMAL")?, accessor("JOINTS_0")?);
    let start = |index: usize| {
        let accessor = &document["accessors"][index];
        let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap_or(0) as usize];
        (view["byteOffset"].as_u64().unwrap_or(0) + accessor["byteOffset"].as_u64().unwrap_or(0)) as usize
    };
    let (at_positions, at_normals, at_joints) = (start(positions), start(normals), start(joints));
    let count = document["accessors"][positions]["count"].as_u64().unwrap_or(0) as usize;
    let float =
        |buffer: &[u8], at: usize| f32::from_le_bytes([buffer[at], buffer[at + 1], buffer[at + 2], buffer[at + 3]]);
    let (mut low, mut high) = ([f32::MAX; 3], [f32::MIN; 3]);
    for vertex in 0..count {
        let joint = u16::from_le_bytes([buffer[at_joints + 8 * vertex], buffer[at_joints + 8 * vertex + 1]]);
        let thickness = extra(skeleton.joint(usize::from(joint)).role) as f32;
        for axis in 0..3 {
            let at = at_positions + 12 * vertex + 4 * axis;
            let place = float(&buffer, at) + thickness * float(&buffer, at_normals + 12 * vertex + 4 * axis);
            buffer[at..at + 4].copy_from_slice(&place.to_le_bytes());
            low[axis] = low[axis].min(place);
            high[axis] = high[axis].max(place);
        }
    }
    document["accessors"][positions]["min"] = json!(low);
    document["accessors"][positions]["max"] = json!(high);
    pack(&document, &buffer)
}

/// A character's plain body is its own: files of motions without a body say that theirs tells nothing of whom they captured.
pub fn own(glb: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let (mut document, buffer) = unpack(glb)?;
    document["meshes"][0].as_object_mut().ok_or("there is no body")?.remove("extras");
    pack(&document, &buffer)
}

/// The JSON and the binary chunk.
fn unpack(glb: &[u8]) -> Result<(Value, Vec<u8>), Box<dyn Error>> {
    let word = |at: usize| -> Result<usize, Box<dyn Error>> {
        let bytes: [u8; 4] = glb.get(at..at + 4).ok_or("the GLB is cut short")?.try_into()?;
        Ok(u32::from_le_bytes(bytes) as usize)
    };
    let text_end = 20 + word(12)?;
    let document = serde_json::from_slice(&glb[20..text_end])?;
    Ok((document, glb[text_end + 8..text_end + 8 + word(text_end)?].to_vec()))
}

/// Header, JSON chunk padded with blanks, binary chunk.
fn pack(document: &Value, buffer: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut text = serde_json::to_vec(document)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + buffer.len();
    let mut glb = Vec::with_capacity(total);
    glb.extend(b"glTF");
    for word in [2, u32::try_from(total)?, u32::try_from(text.len())?] {
        glb.extend(word.to_le_bytes());
    }
    glb.extend(b"JSON");
    glb.extend(text);
    glb.extend(u32::try_from(buffer.len())?.to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend(buffer);
    Ok(glb)
}

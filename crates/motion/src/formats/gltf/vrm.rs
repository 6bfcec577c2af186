//! Humanoid bone maps of VRM 0.x and 1.0: roles of nodes.

use super::rig::Rig;
use crate::{Role, Side, Skeleton};
use serde_json::Value;

/// Returns true if the file is a VRM.
pub(super) fn is_vrm(json: &Value) -> bool {
    ["VRM", "VRMC_vrm"].iter().any(|name| json.pointer(&format!("/extensions/{name}")).is_some())
}

/// Sets the roles that the file's bone map gives.
pub(super) fn set_roles(json: &Value, rig: &Rig, skeleton: &mut Skeleton) {
    let mut joints = std::collections::HashMap::new();
    for (index, joint) in rig.joints.iter().enumerate() {
        joints.insert(joint.node, index);
    }
    let mut spine = Vec::new();
    let modern = json.pointer("/extensions/VRMC_vrm").is_some();
    for (bone, node) in bones(json) {
        let Some(&joint) = joints.get(&node) else { continue };
        match bone.as_str() {
            "spine" => spine.push((0, joint)),
            "chest" => spine.push((1, joint)),
            "upperChest" => spine.push((2, joint)),
            other => {
                if let Some(role) = role(other, modern) {
                    skeleton.set_role(joint, Some(role));
                }
            }
        }
    }
    // Chest and upper chest may be absent; the spine is counted without gaps.
    spine.sort_unstable();
    for (k, (_, joint)) in spine.into_iter().enumerate() {
        skeleton.set_role(joint, Some(Role::Spine(k as u8)));
    }
}

fn bones(json: &Value) -> Vec<(String, usize)> {
    let index = |value: &Value| value.get("node").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    match json.pointer("/extensions/VRMC_vrm/humanoid/humanBones") {
        Some(Value::Object(bones)) => {
            bones.iter().filter_map(|(name, bone)| Some((name.clone(), index(bone)?))).collect()
        }
        _ => match json.pointer("/extensions/VRM/humanoid/humanBones") {
            Some(Value::Array(bones)) => {
                bones.iter().filter_map(|bone| Some((bone.get("bone")?.as_str()?.to_owned(), index(bone)?))).collect()
            }
            _ => Vec::new(),
        },
    }
}

/// Returns the role of a VRM bone. `modern` means VRM 1.0, which counts the thumb's joints from the metacarpal; 0.x begins with the proximal one.
fn role(bone: &str, modern: bool) -> Option<Role> {
    match bone {
        "hips" => return Some(Role::Hips),
        "neck" => return Some(Role::Neck(0)),
        "head" => return Some(Role::Head),
        "jaw" => return Some(Role::Jaw),
        _ => {}
    }
    let (side, part) = if let Some(part) = bone.strip_prefix("left") {
        (Side::Left, part)
    } else {
        (Side::Right, bone.strip_prefix("right")?)
    };
    Some(match part {
        "Eye" => Role::Eye(side),
        "Shoulder" => Role::Shoulder(side),
        "UpperArm" => Role::UpperArm(side),
        "LowerArm" => Role::LowerArm(side),
        "Hand" => Role::Hand(side),
        "UpperLeg" => Role::UpperLeg(side),
        "LowerLeg" => Role::LowerLeg(side),
        "Foot" => Role::Foot(side),
        "Toes" => Role::Toes(side),
        finger => {
            let names = ["Thumb", "Index", "Middle", "Ring", "Little"];
            let (number, joint) =
                names.iter().enumerate().find_map(|(k, name)| Some((k, finger.strip_prefix(name)?)))?;
            let place = match joint {
                "Metacarpal" => 0,
                "Proximal" => u8::from(modern && number == 0),
                "Intermediate" => 1,
                "Distal" => 2,
                _ => return None,
            };
            Role::Finger(side, number as u8, place)
        }
    })
}

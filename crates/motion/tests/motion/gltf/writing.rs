//! Writing into a file puts animations before those it has and changes nothing else.

use super::builder::{Glb, open, unpack};
use serde_json::{Value, json};
use sinew_motion::formats::{Capture, ExportOptions, gltf, write};

/// A character with everything that must survive.
fn character() -> Glb {
    let nodes = json!([
        {"name": "hips", "translation": [0, 0.95, 0], "children": [1], "extras": {"keep": [1, 2.5e-7, null]}},
        {"name": "head", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0.7, 0, 1]},
        {"name": "skin", "mesh": 0, "skin": 0}
    ]);
    let mut glb = Glb::new(nodes, &[0, 1]);
    glb.json["extensionsUsed"] = json!(["ACME_sparkle"]);
    glb.json["extensions"] = json!({"ACME_sparkle": {"shine": 0.1, "big": 12345678901234567890u64}});
    glb.json["meshes"] = json!([{"primitives": [], "weights": [0.25]}]);
    glb.json["materials"] =
        json!([{"name": "cloth", "pbrMetallicRoughness": {"roughnessFactor": 0.30000000000000004}}]);
    let clip = glb.animation("walk");
    glb.channel(
        clip,
        0,
        "rotation",
        "LINEAR",
        &[0.0, 0.5, 1.0],
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0],
    );
    glb.channel(clip, 0, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.95, 0.0, 1.0, 0.95, 0.0]);
    glb
}

fn turned(capture: &Capture, name: &str) -> Capture {
    let mut changed = capture.clone();
    changed.clips[0].name = name.into();
    changed
}

/// Asserts that a written file keeps its source, except for entries appended to lists and a longer binary chunk.
fn assert_kept(source: &Value, written: &Value) {
    for (key, value) in source.as_object().unwrap() {
        match (value, &written[key]) {
            (Value::Array(old), Value::Array(new)) if key == "animations" => {
                assert_eq!(old[..], new[new.len() - old.len()..], "{key}");
            }
            (Value::Array(old), Value::Array(new)) if key != "buffers" && key != "nodes" => {
                assert_eq!(old[..], new[..old.len()], "{key}");
            }
            (Value::Array(_), Value::Array(_)) => {}
            (old, new) => assert_eq!(old, new, "{key}"),
        }
    }
}

#[test]
fn everything_of_the_source_is_kept_and_the_clip_is_added() {
    let bytes = character().bytes();
    let written =
        gltf::write_glb(&turned(&open(&bytes).unwrap(), "walk, filtered"), &ExportOptions::default()).unwrap();
    let ((old, old_bin), (new, new_bin)) = (unpack(&bytes), unpack(&written));
    assert_kept(&old, &new);
    assert_eq!(old["nodes"], new["nodes"], "the head does not move, so it keeps its matrix");
    assert_eq!(old_bin, new_bin[..old_bin.len()], "old bytes keep their places");
    assert_eq!(new["buffers"][0]["byteLength"], new_bin.len());
    let names: Vec<_> = new["animations"].as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["walk, filtered", "walk"], "viewers play the first animation");
    let back = open(&written).unwrap();
    assert_eq!(back.clips.len(), 2);
    for frame in 0..back.clips[0].frames() {
        for joint in 0..2 {
            assert!(back.clips[0].rotations(frame)[joint].angle_to(&back.clips[1].rotations(frame)[joint]) < 1e-6);
        }
    }
}

#[test]
fn clips_that_were_in_the_file_are_not_written_twice() {
    let bytes = character().bytes();
    let mut capture = open(&bytes).unwrap();
    let written = gltf::write_glb(&capture, &ExportOptions::default()).unwrap();
    assert_eq!(unpack(&written), unpack(&bytes));
    // A clip that only shares the name is new and gets one of its own.
    let clip = &capture.clips[0];
    let rotations = (0..clip.frames()).flat_map(|f| clip.rotations(f).iter().map(|q| q.inverse())).collect();
    capture.clips[0] = sinew_motion::Clip::new(
        "walk",
        clip.rate_hz(),
        2,
        rotations,
        clip.translations().clone(),
        clip.scales().clone(),
    )
    .unwrap();
    let written = gltf::write_glb(&capture, &ExportOptions::default()).unwrap();
    let back = open(&written).unwrap();
    assert_eq!(back.clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["walk 2", "walk"]);
}

#[test]
fn a_joint_that_holds_a_matrix_is_split_when_it_moves() {
    let capture = open(&character().bytes()).unwrap();
    let mut changed = turned(&capture, "nod");
    let clip = &changed.clips[0];
    let mut rotations: Vec<_> = (0..clip.frames()).flat_map(|f| clip.rotations(f).to_vec()).collect();
    for (k, q) in rotations.iter_mut().enumerate().filter(|(k, _)| k % 2 == 1) {
        *q = sinew_motion::Quat::from_euler_angles(0.01 * k as f64, 0.0, 0.0);
    }
    changed.clips[0] = sinew_motion::Clip::new(
        "nod",
        clip.rate_hz(),
        2,
        rotations,
        clip.translations().clone(),
        clip.scales().clone(),
    )
    .unwrap();
    let (json, _) = unpack(&gltf::write_glb(&changed, &ExportOptions::default()).unwrap());
    assert!(json["nodes"][1].get("matrix").is_none());
    assert_eq!(json["nodes"][1]["translation"], json!([0.0, 0.7, 0.0]));
}

#[test]
fn accessors_are_aligned_and_times_have_bounds() {
    let capture = turned(&open(&character().bytes()).unwrap(), "new");
    let (json, bin) = unpack(&gltf::write_glb(&capture, &ExportOptions::default()).unwrap());
    for sampler in json["animations"][0]["samplers"].as_array().unwrap() {
        for (key, bounded) in [("input", true), ("output", false)] {
            let accessor = &json["accessors"][sampler[key].as_u64().unwrap() as usize];
            let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
            let offset = accessor["byteOffset"].as_u64().unwrap_or(0) + view["byteOffset"].as_u64().unwrap();
            assert_eq!(offset % 4, 0);
            assert!(view.get("target").is_none());
            assert_eq!(accessor.get("min").is_some() && accessor.get("max").is_some(), bounded);
            if bounded {
                let last = offset as usize + 4 * (accessor["count"].as_u64().unwrap() as usize - 1);
                let end = f32::from_le_bytes(bin[last..last + 4].try_into().unwrap());
                assert_eq!(accessor["max"][0].as_f64().unwrap() as f32, end);
            }
        }
    }
}

#[test]
fn a_self_contained_gltf_says_the_same_as_the_glb() {
    let capture = turned(&open(&character().bytes()).unwrap(), "new");
    let json = gltf::write_gltf(&capture, &ExportOptions::default()).unwrap();
    let back = open(&json).unwrap();
    let binary = open(&gltf::write_glb(&capture, &ExportOptions::default()).unwrap()).unwrap();
    assert_eq!((back.skeleton, back.clips), (binary.skeleton, binary.clips));
}

#[test]
fn a_capture_can_be_written_into_another_file_of_the_same_skeleton() {
    let folder = tempfile::tempdir().unwrap();
    let (other, out) = (folder.path().join("other.glb"), folder.path().join("out.glb"));
    let mut file = character();
    file.json["animations"] = json!([]);
    // The other file has the same bones in centimetres under a scaled node, in another order.
    file.json["nodes"] = json!([
        {"name": "head", "translation": [0, 70, 0]},
        {"name": "hips", "translation": [0, 95, 0], "children": [0]},
        {"name": "armature", "children": [1]}
    ]);
    std::fs::write(&other, file.bytes()).unwrap();
    let capture = open(&character().bytes()).unwrap();
    let options = ExportOptions { into: Some(other.clone()), reduce: None };
    write(&out, &capture, &options).unwrap();
    let back = sinew_motion::formats::read(&out, &Default::default()).unwrap();
    assert_eq!(back.report.unit, sinew_motion::formats::Unit::CENTIMETRE);
    assert_eq!(back.clips[0].name, "walk");
    let last = capture.clips[0].frames() - 1;
    let place = |c: &Capture| c.clips[0].pose(&c.skeleton, last).world(&c.skeleton)[1].position;
    assert!((place(&back) - place(&capture)).norm() < 1e-6);

    let mut stranger = capture.clone();
    let mut joints = stranger.skeleton.joints().to_vec();
    joints[1].offset.y = 0.4;
    stranger.skeleton = sinew_motion::Skeleton::new(joints).unwrap();
    let error = write(&out, &stranger, &options).unwrap_err();
    assert_eq!(error.path, other, "the file that does not fit is at fault, not the one to be written");
    assert!(error.help.unwrap().contains("rest pose"), "{}", error.message);
}

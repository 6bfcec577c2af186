//! Broken files give an error that says where, never a panic, a hang or a swollen memory.

use super::builder::{Glb, open, pack};
use serde_json::{Value, json};
use sinew_motion::formats::{ImportOptions, Unit, bvh, gltf};

fn waving() -> Glb {
    let nodes = json!([{"name": "root", "children": [1]}, {"name": "tip", "translation": [0, 1, 0]}]);
    let mut glb = Glb::new(nodes, &[0, 1]);
    let clip = glb.animation("wave");
    glb.channel(clip, 1, "rotation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8]);
    glb
}

/// The message for the file with one value of its JSON replaced.
fn refused(pointer: &str, value: Value) -> String {
    let mut glb = waving();
    *glb.json.pointer_mut(pointer).unwrap() = value;
    open(&glb.bytes()).unwrap_err().message
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = waving().bytes();
    for end in 0..bytes.len() {
        assert!(open(&bytes[..end]).is_err(), "cut after {end} bytes");
    }
}

#[test]
fn broken_json_is_pointed_at_by_line_and_column() {
    let error = open(b"{\n  \"asset\": {\"version\": \"2.0\"},\n  \"nodes\": [{}, ]\n}").unwrap_err();
    assert_eq!((error.line, error.column), (Some(3), Some(17)));
    assert!(open(&pack(b"{\"asset\": nonsense}", &[])).unwrap_err().message.contains("JSON chunk"));
    assert!(open(b"HIERARCHY\nROOT Hips").is_err());
    assert!(open(b"").is_err());
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(open(nested.as_bytes()).is_err());
}

#[test]
fn errors_name_the_place_in_the_json() {
    for (pointer, value, place) in [
        ("/nodes/0/children", json!([7]), "/nodes/0/children names node 7, which does not exist; the file has 2"),
        ("/nodes/1/translation", json!([0, "x", 0]), "/nodes/1 cannot be understood"),
        ("/nodes/1/translation", json!([0, 1e300, 0]), "/nodes/1 has a transform"),
        ("/skins/0/joints", json!([0, 9]), "/skins/0/joints names node 9, which does not exist; the file has 2"),
        ("/animations/0/channels/0/sampler", json!(3), "/animations/0/channels/0 names sampler 3"),
        ("/animations/0/samplers/0/input", json!(33), "/accessors/33 does not exist"),
        ("/animations/0/samplers/0/interpolation", json!("WAVY"), "/animations/0/samplers/0 has interpolation"),
        ("/accessors/1/bufferView", json!(12), "/bufferViews/12 does not exist"),
        ("/accessors/1/componentType", json!(5), "/accessors/1 has component type 5"),
        ("/accessors/1/type", json!("VEC3"), "/animations/0/samplers/0 has 2 output elements of 3 numbers"),
        ("/bufferViews/1/byteLength", json!(4000), "/bufferViews/1 reaches beyond its buffer"),
        ("/bufferViews/1/byteOffset", json!(u64::MAX), "/bufferViews/1 reaches beyond its buffer"),
        ("/bufferViews/1/buffer", json!(4), "/bufferViews/1 names buffer 4"),
        ("/nodes", json!({}), "/nodes is not an array"),
    ] {
        let message = refused(pointer, value);
        assert!(message.starts_with(place), "{message:?} should start with {place:?}");
    }
}

#[test]
fn errors_speak_of_json_not_of_our_types() {
    for (pointer, value, words) in [
        ("/skins/0/joints", json!([-1]), "number -1 stands where a whole number from 0 on belongs"),
        ("/skins/0", json!({}), "it has no \"joints\""),
        ("/skins/0", json!(5), "number 5 stands where an object belongs"),
        ("/nodes/1/translation", json!([0, "x", 0]), "string \"x\" stands where a number belongs"),
        ("/nodes/1/translation", json!([0, 1]), "a list of 2 stands where a list of 3 numbers belongs"),
        ("/nodes/0/children", json!({"a": 1}), "an object stands where a list belongs"),
    ] {
        let message = refused(pointer, value);
        assert!(message.ends_with(words), "{message:?} should end with {words:?}");
    }
}

#[test]
fn a_file_that_is_no_gltf_at_all_is_told_by_its_beginning() {
    assert_eq!(open(b"").unwrap_err().message, "the file is empty");
    assert_eq!(open(b" \n").unwrap_err().message, "the file is empty");
    let error = open(b"\x00\xFFgarbage").unwrap_err();
    assert_eq!(error.message, "is neither a GLB nor glTF JSON: it begins with \"\\x00\\xffgarbag\"");
    assert_eq!(error.line, None);
}

#[test]
fn a_buffer_that_is_no_object_is_refused() {
    let mut glb = waving();
    glb.json["buffers"] = json!([5]);
    assert_eq!(open(&glb.bytes()).unwrap_err().message, "/buffers/0 is not an object");
}

#[test]
fn counts_are_not_believed_before_the_bytes_are_there() {
    for count in [u64::from(u32::MAX), 1 << 40, u64::MAX] {
        assert!(refused("/accessors/1/count", json!(count)).contains("more than a file of this size"));
        let mut glb = waving();
        glb.json["accessors"][1] = json!({"componentType": 5126, "type": "VEC4", "count": count});
        assert!(open(&glb.bytes()).is_err(), "zeros out of nothing");
    }
}

#[test]
fn a_clip_of_absurd_length_is_left_out() {
    let mut glb = waving();
    glb.bin[4..8].copy_from_slice(&1e30f32.to_le_bytes());
    let capture = open(&glb.bytes()).unwrap();
    assert!(capture.clips.is_empty());
    assert!(capture.report.warnings[0].message.contains("too long to sample"));
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    for (at, value) in [(4, f32::NAN), (4, f32::INFINITY), (12, f32::NAN)] {
        let mut glb = waving();
        glb.bin[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let message = open(&glb.bytes()).unwrap_err().message;
        assert!(message.starts_with("/accessors/") && message.contains("not finite"), "{message}");
    }
}

#[test]
fn times_that_run_backwards_and_empty_rotations_are_refused() {
    let mut glb = waving();
    glb.bin[..4].copy_from_slice(&2f32.to_le_bytes());
    assert!(open(&glb.bytes()).unwrap_err().message.contains("run backwards after key 0"));
    let mut glb = waving();
    glb.bin[8..24].fill(0);
    assert!(open(&glb.bytes()).unwrap_err().message.contains("length zero at key 0"));
}

#[test]
fn cycles_and_shared_children_are_refused() {
    let mut glb = waving();
    glb.json["nodes"][1]["children"] = json!([0]);
    assert!(open(&glb.bytes()).unwrap_err().message.contains("is its own ancestor"));
    let mut glb = waving();
    glb.json["nodes"].as_array_mut().unwrap().push(json!({"children": [1]}));
    assert!(open(&glb.bytes()).unwrap_err().message.contains("is a child of node 0 and of node 2"));
    let mut glb = waving();
    glb.json["nodes"][0]["children"] = json!([0]);
    assert!(open(&glb.bytes()).is_err());
}

#[test]
fn a_chain_of_thirty_thousand_nodes_is_an_ordinary_file() {
    // Recursion with frames of 70 bytes would overflow the 2 MiB stack of a test.
    let depth = 30_000;
    let mut nodes: Vec<Value> = (0..depth).map(|k| json!({"children": [k + 1], "translation": [0, 1e-5, 0]})).collect();
    nodes.push(json!({"name": "end"}));
    // Only the end is a joint, then as many as a chain may have, then one more, then all are.
    let glb = Glb::new(json!(nodes), &[depth]);
    let capture = glb.read();
    assert!((capture.skeleton.joint(0).offset.y - 0.3).abs() < 1e-6);
    let chain = |joints: usize| Glb::new(glb.json["nodes"].clone(), &(0..joints).rev().collect::<Vec<_>>());
    assert_eq!(chain(1000).read().skeleton.len(), 1000);
    let told = |joints: usize| open(&chain(joints).bytes()).unwrap_err().message;
    assert_eq!(told(1001), "joint \"node_1000\" is more than 1000 joints away from its root");
    assert_eq!(told(depth), "the file has more than 10000 joints");
}

/// The square of 1e160 is infinite: such a quaternion became no rotation at all, in silence.
#[test]
fn quaternions_of_any_length_near_one_are_rotations_and_others_are_refused() {
    let rest = |length: f64| {
        let mut glb = waving();
        glb.json["nodes"][1]["rotation"] = json!([0.6 * length, 0.0, 0.0, 0.8 * length]);
        open(&glb.bytes())
    };
    let usual = rest(1.0).unwrap().skeleton.joint(1).rest;
    for length in [1e-3, 0.5, 1.001, 1e3] {
        assert!(rest(length).unwrap().skeleton.joint(1).rest.angle_to(&usual) < 1e-12, "{length}");
    }
    for length in [0.0, 1e-160, 1e-8, 1e8, 1e160, 1e308] {
        let message = rest(length).unwrap_err().message;
        assert!(message.starts_with("/nodes/1/rotation is not a rotation: its length is"), "{message}");
    }
}

/// Captures that were read can be written, and files that were written can be read: writers know the limits of readers.
#[test]
fn magnitudes_that_no_body_has_are_refused_by_the_reader_or_by_the_writer() {
    let sized = |metres: f64| {
        let mut glb = waving();
        glb.json["nodes"][1]["translation"] = json!([0.0, metres, 0.0]);
        let options = ImportOptions { unit: Some(Unit::METRE), ..ImportOptions::default() };
        gltf::read(&glb.bytes(), &|_| Err(String::new()), &options)
    };
    for metres in [1e6, 1e20, 1e29] {
        let message = sized(metres).unwrap_err().message;
        assert!(message.contains("has a bone of"), "{message}");
    }
    let capture = sized(700.0).unwrap();
    let refused = bvh::write(&capture, &Default::default()).unwrap_err();
    assert!(refused.message.contains("has a bone of 700 m"), "{refused}");
    assert!(gltf::write_glb(&capture, &Default::default()).is_ok());
    let written = bvh::write(&sized(400.0).unwrap(), &Default::default()).unwrap();
    let options = ImportOptions { unit: Some(Unit::CENTIMETRE), ..ImportOptions::default() };
    assert!(bvh::read(&written, &options).is_ok());
}

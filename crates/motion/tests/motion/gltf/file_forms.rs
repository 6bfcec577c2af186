//! GLB, JSON, data URIs and files beside it are the same file; compression that hides motion is refused.

use super::builder::{Glb, open};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sinew_motion::formats::{ExportOptions, Format, ImportOptions, gltf};

fn waving() -> Glb {
    let nodes = json!([{"name": "root", "children": [1]}, {"name": "tip", "translation": [0, 1, 0]}]);
    let mut glb = Glb::new(nodes, &[0, 1]);
    let clip = glb.animation("wave");
    glb.channel(clip, 1, "rotation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8]);
    glb
}

#[test]
fn every_form_of_a_file_reads_the_same() {
    let glb = waving();
    let expected = glb.read();
    assert_eq!(expected.report.format, Format::Glb);
    let mut json = glb.json.clone();
    let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&glb.bin));
    json["buffers"] = json!([{"byteLength": glb.bin.len(), "uri": uri.trim_end_matches('=')}]);
    let embedded = open(json.to_string().as_bytes()).unwrap();
    json["buffers"] = json!([{"byteLength": glb.bin.len(), "uri": "data%20of%20it.bin"}]);
    let beside = |name: &str| {
        assert_eq!(name, "data of it.bin");
        Ok(glb.bin.clone())
    };
    let separate = gltf::read(json.to_string().as_bytes(), &beside, &ImportOptions::default()).unwrap();
    for other in [embedded, separate] {
        assert_eq!(other.report.format, Format::Gltf);
        assert_eq!((&other.skeleton, &other.clips), (&expected.skeleton, &expected.clips));
    }
}

#[test]
fn a_buffer_that_is_missing_is_named() {
    let glb = waving();
    let mut json = glb.json.clone();
    json["buffers"] = json!([{"byteLength": glb.bin.len(), "uri": "lost.bin"}]);
    let error = open(json.to_string().as_bytes()).unwrap_err();
    assert!(error.message.contains("/buffers/0") && error.message.contains("lost.bin"), "{error}");
    json["buffers"][0]["uri"] = json!("https://example.com/far.bin");
    assert!(open(json.to_string().as_bytes()).unwrap_err().message.contains("only files beside the glTF"));
    json["animations"] = json!([]);
    let skeleton_only = open(json.to_string().as_bytes()).unwrap();
    assert!(skeleton_only.report.warnings[0].message.contains("/buffers/0"), "not needed, so only a warning");
}

#[test]
fn no_file_outside_the_folder_is_asked_for() {
    let glb = waving();
    for uri in [
        "../secret.bin",
        "/etc/passwd",
        "a/../../secret.bin",
        "%2e%2e/secret.bin",
        "..%2Fsecret.bin",
        "..\\secret.bin",
        "%2Fetc/passwd",
        "file:///etc/passwd",
        "C:/secret.bin",
        "./../secret.bin",
    ] {
        let mut json = glb.json.clone();
        json["buffers"] = json!([{"byteLength": glb.bin.len(), "uri": uri}]);
        let tempting = |name: &str| -> Result<Vec<u8>, String> { panic!("{uri} asked for {name}") };
        let error = gltf::read(json.to_string().as_bytes(), &tempting, &ImportOptions::default()).unwrap_err();
        assert!(error.message.contains("only files beside the glTF are read"), "{uri}: {error}");
    }
    let mut json = glb.json.clone();
    json["buffers"] = json!([{"byteLength": glb.bin.len(), "uri": "a/../b/./data.bin"}]);
    let inside = |_: &str| Ok(glb.bin.clone());
    assert!(gltf::read(json.to_string().as_bytes(), &inside, &ImportOptions::default()).is_ok());
}

#[test]
fn compressed_meshes_do_not_stand_in_the_way() {
    let mut glb = waving();
    glb.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression", "ACME_shiny"]);
    glb.json["extensionsUsed"] = glb.json["extensionsRequired"].clone();
    let capture = glb.read();
    assert_eq!(capture.clips.len(), 1);
    let said = |text: &str| capture.report.warnings.iter().any(|w| w.message.contains(text));
    assert!(said("compressed with KHR_draco_mesh_compression") && said("ACME_shiny"));
}

#[test]
fn compressed_motion_is_refused_by_its_name() {
    let mut glb = waving();
    glb.json["buffers"] = json!([
        {"byteLength": glb.bin.len()},
        {"byteLength": 64, "extensions": {"EXT_meshopt_compression": {"fallback": true}}}
    ]);
    let output = glb.json["animations"][0]["samplers"][0]["output"].as_u64().unwrap();
    let view = glb.json["accessors"][output as usize]["bufferView"].as_u64().unwrap() as usize;
    glb.json["bufferViews"][view] = json!({
        "buffer": 1, "byteLength": 32,
        "extensions": {"EXT_meshopt_compression": {"buffer": 0, "byteOffset": 0, "byteLength": 8, "count": 2}}
    });
    let error = open(&glb.bytes()).unwrap_err();
    assert!(error.message.contains("compressed with EXT_meshopt_compression"), "{error}");
    assert!(error.help.unwrap().contains("unpack"));
}

#[test]
fn other_versions_are_refused_by_number() {
    let mut glb = waving();
    glb.json["asset"]["version"] = json!("1.0");
    assert!(open(&glb.bytes()).unwrap_err().message.contains("glTF 1.0"));
    let mut bytes = waving().bytes();
    bytes[4] = 1;
    assert!(open(&bytes).unwrap_err().message.contains("version 1"));
}

#[test]
fn images_that_cannot_be_taken_in_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut glb = waving();
    glb.json["images"] = json!([{"uri": "lost.png"}, {"uri": "../out.png"}, {"uri": "there.png"}, {"uri": "odd.webp"}]);
    std::fs::write(folder.path().join("there.png"), b"\x89PNG\r\n").unwrap();
    std::fs::write(folder.path().join("odd.webp"), b"RIFF").unwrap();
    let path = folder.path().join("a.glb");
    std::fs::write(&path, glb.bytes()).unwrap();
    let warnings = gltf::read_file(&path, &ImportOptions::default()).unwrap().report.warnings;
    let told: Vec<&str> = warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].starts_with("the image \"lost.png\" is not beside the file"), "{told:?}");
    assert!(told[1].starts_with("the image \"../out.png\" lies at"), "{told:?}");
    assert!(told[2].starts_with("the image \"odd.webp\" is neither PNG nor JPEG"), "{told:?}");
}

#[test]
fn a_wished_rate_that_is_not_met_is_told() {
    let read = |times: &[f32], rate: f64| {
        let mut glb = waving();
        glb.json["animations"] = json!([]);
        let clip = glb.animation("wave");
        let values: Vec<f32> = times.iter().flat_map(|_| [0.0, 0.0, 0.0, 1.0]).collect();
        glb.channel(clip, 1, "rotation", "LINEAR", times, &values);
        let capture = glb.read_with(&ImportOptions { rate: Some(rate), ..ImportOptions::default() });
        let told = capture.report.warnings.iter().map(|w| w.message.clone()).collect::<Vec<_>>().join("; ");
        (capture.clips[0].rate_hz(), told)
    };
    assert_eq!(read(&[0.0, 2.0], 24.0), (24.0, String::new()));
    let (rate, told) = read(&[0.0, 0.3, 1.1583], 24.0);
    assert!((rate - 28.0 / f64::from(1.1583f32)).abs() < 1e-9);
    assert!(told.contains("cannot be sampled at 24 Hz") && told.contains("24.173 Hz"), "{told}");
    let dense: Vec<f32> = (0..61).map(|k| k as f32 / 30.0).collect();
    let (rate, told) = read(&dense, 24.0);
    assert!(rate == 30.0 && told.contains("--source-rate 24 has no effect on \"wave\""), "{told}");
}

#[test]
fn only_a_file_written_back_keeps_its_unit_and_axes() {
    let mut capture = waving().read();
    let into = ExportOptions { into: Some("other.glb".into()), reduce: None };
    assert!(gltf::keeps_unit_and_axes(&capture, &ExportOptions::default()));
    assert!(!gltf::keeps_unit_and_axes(&capture, &into));
    capture.source = None;
    assert!(!gltf::keeps_unit_and_axes(&capture, &ExportOptions::default()));
}

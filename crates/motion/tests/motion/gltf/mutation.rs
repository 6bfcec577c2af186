//! Damaged GLB files: whatever is done to a file, reading it ends with a capture or an error, and a capture that was
//! read can be written and read again.
//!
//! Runs 12 000 damaged files from a fixed seed; the environment variable `SINEW_MUTATIONS` asks for more.

use serde_json::{Value, json};
use sinew_motion::formats::{Capture, ExportOptions, FormatError, ImportOptions, gltf};

/// SplitMix64: small, seeded, the same everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn pack(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, body, fill) in [(b"JSON", json, b' '), (b"BIN\0", bin, 0)] {
        out.extend((body.len().next_multiple_of(4) as u32).to_le_bytes());
        out.extend(kind);
        out.extend(body);
        out.resize(out.len().next_multiple_of(4), fill);
    }
    let length = out.len() as u32;
    out[8..12].copy_from_slice(&length.to_le_bytes());
    out
}

/// A file with a bit of everything: two skins, a matrix node, a node between joints, all three interpolations,
/// animated scale, a sparse accessor, short integers, a data URI and a bone map.
fn seed_file() -> (Value, Vec<u8>) {
    let mut bin: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut accessors = Vec::new();
    let mut add = |values: &[f32], shape: &str, width: usize| {
        let offset = bin.len();
        bin.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": values.len() * 4}));
        accessors.push(json!({
            "bufferView": views.len() - 1, "componentType": 5126, "count": values.len() / width, "type": shape
        }));
    };
    add(&[0.0, 0.1, 0.2, 0.3], "SCALAR", 1);
    add(
        &[[0.0f32, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8], [0.6, 0.0, 0.0, 0.8], [0.0, 0.0, 1.0, 0.0]].concat(),
        "VEC4",
        4,
    );
    add(&[0.0, 1.0, 0.0, 0.1, 1.0, 0.0, 0.2, 1.0, 0.0, 0.3, 1.0, 0.0], "VEC3", 3);
    add(&[1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 0.5], "VEC3", 3);
    add(&[0.1; 36], "VEC3", 3);
    add(&[0.0, 0.5], "SCALAR", 1);
    accessors.push(json!({
        "componentType": 5126, "count": 2, "type": "VEC3",
        "sparse": {"count": 1, "indices": {"bufferView": 6, "componentType": 5121}, "values": {"bufferView": 2}}
    }));
    views.push(json!({"buffer": 1, "byteLength": 4}));
    accessors.push(json!({"bufferView": 7, "componentType": 5122, "normalized": true, "count": 2, "type": "VEC4"}));
    views.push(json!({"buffer": 1, "byteOffset": 4, "byteLength": 16}));
    let json = json!({
        "asset": {"version": "2.0"},
        "scene": 0, "scenes": [{"nodes": [0, 6]}],
        "nodes": [
            {"name": "Z_UP", "matrix": [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1], "children": [1]},
            {"name": "hips", "translation": [0, 1, 0], "children": [2, 5]},
            {"name": "between", "rotation": [0, 0.6, 0, 0.8], "scale": [1, 2, 1], "children": [3]},
            {"name": "chest", "translation": [0, 0.4, 0], "scale": [2, 2, 2], "children": [4]},
            {"name": "head", "translation": [0, 0.2, 0.1]},
            {"name": "leg", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.5, 0, 1]},
            {"name": "body", "mesh": 0, "skin": 0}
        ],
        "meshes": [{"primitives": []}],
        "skins": [{"joints": [4, 3, 1]}, {"joints": [5, 1], "skeleton": 0}],
        "buffers": [{"byteLength": bin.len()}, {"byteLength": 20, "uri": "data:application/octet-stream;base64,AQAAAAAAAAAAAP9/AAD/fwAAAAA="}],
        "bufferViews": views,
        "accessors": accessors,
        "animations": [
            {"name": "all", "channels": [
                {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 1, "path": "translation"}},
                {"sampler": 2, "target": {"node": 3, "path": "scale"}},
                {"sampler": 3, "target": {"node": 3, "path": "translation"}},
                {"sampler": 0, "target": {"node": 2, "path": "rotation"}}
            ], "samplers": [
                {"input": 0, "output": 1, "interpolation": "LINEAR"},
                {"input": 0, "output": 2, "interpolation": "STEP"},
                {"input": 0, "output": 3},
                {"input": 0, "output": 4, "interpolation": "CUBICSPLINE"}
            ]},
            {"name": "odd", "channels": [
                {"sampler": 0, "target": {"node": 4, "path": "translation"}},
                {"sampler": 1, "target": {"node": 4, "path": "rotation"}}
            ], "samplers": [{"input": 5, "output": 6}, {"input": 5, "output": 7}]}
        ],
        "extensions": {"VRMC_vrm": {"humanoid": {"humanBones": {"hips": {"node": 1}, "head": {"node": 4}}}}}
    });
    (json, bin)
}

/// Values that have broken readers before.
fn edge(dice: &mut Dice) -> Value {
    let values = [
        json!(0),
        json!(-1),
        json!(1),
        json!(7),
        json!(255),
        json!(65536),
        json!(u32::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e30),
        json!(-1e-30),
        json!(1e308),
        json!(0.5),
        json!(null),
        json!(true),
        json!(""),
        json!("VEC4"),
        json!("CUBICSPLINE"),
        json!([]),
        json!({}),
        json!([0, 0, 0]),
        json!([0, 0, 0, 0]),
        json!([3, 1]),
    ];
    values[dice.below(values.len())].clone()
}

fn pointers(value: &Value, here: String, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(k, v)| pointers(v, format!("{here}/{k}"), found)),
        Value::Array(list) => list.iter().enumerate().for_each(|(k, v)| pointers(v, format!("{here}/{k}"), found)),
        _ => {}
    }
    found.push(here);
}

/// One damaged file.
fn damaged(dice: &mut Dice, json: &Value, places: &[String], bin: &[u8]) -> Vec<u8> {
    let (mut json, mut bin) = (json.clone(), bin.to_vec());
    for _ in 0..=dice.below(3) {
        match dice.below(6) {
            0 | 1 => {
                if let Some(value) = json.pointer_mut(&places[dice.below(places.len())]) {
                    *value = edge(dice);
                }
            }
            2 => {
                // Another number of the file's own where one stands: a valid index in the wrong place.
                let other = json.pointer(&places[dice.below(places.len())]).cloned();
                if let (Some(value), Some(other)) = (json.pointer_mut(&places[dice.below(places.len())]), other) {
                    *value = other;
                }
            }
            3 => {
                if let Some(Value::Object(map)) = json.pointer_mut(&places[dice.below(places.len())]) {
                    let key = map.keys().nth(dice.below(map.len())).cloned();
                    key.and_then(|key| map.shift_remove(&key));
                }
            }
            4 => {
                let at = dice.below(bin.len() / 4) * 4;
                let floats = [f32::NAN, f32::INFINITY, -0.0, f32::MAX, 1e-40, -1.0, 1e9, 0.0];
                bin[at..at + 4].copy_from_slice(&floats[dice.below(floats.len())].to_le_bytes());
            }
            _ => {
                let at = dice.below(bin.len());
                bin[at] ^= 1 << dice.below(8);
            }
        }
    }
    let mut bytes = pack(json.to_string().as_bytes(), &bin);
    match dice.below(8) {
        0 => bytes.truncate(dice.below(bytes.len() + 1)),
        1 | 2 => {
            for _ in 0..=dice.below(4) {
                let at = dice.below(bytes.len());
                bytes[at] = dice.next() as u8;
            }
        }
        3 => {
            let (from, to) = (dice.below(bytes.len()), dice.below(bytes.len()));
            let slice: Vec<u8> = bytes[from..bytes.len().min(from + 16)].to_vec();
            bytes.splice(to..to, slice);
        }
        _ => {}
    }
    bytes
}

fn read(bytes: &[u8]) -> Result<Capture, FormatError> {
    gltf::read(bytes, &|_| Err("is not there".into()), &ImportOptions::default())
}

/// Reads, and where that succeeds looks at every pose and writes the clips back. Says whether it was readable.
fn try_file(bytes: &[u8]) -> bool {
    let Ok(mut capture) = read(bytes) else { return false };
    for clip in &mut capture.clips {
        for frame in [0, clip.frames() / 2, clip.frames() - 1] {
            let world = clip.pose(&capture.skeleton, frame).world(&capture.skeleton);
            assert!(world.iter().all(|f| f.position.iter().all(|x| x.is_finite())), "a position is not finite");
        }
        clip.name.push_str(" again");
    }
    let options = ExportOptions { into: None, reduce: Some(0.01) };
    if let Ok(written) = gltf::write_glb(&capture, &options) {
        let again = read(&written).map(|_| ());
        assert_eq!(again, Ok(()), "what was written cannot be read");
    }
    true
}

#[test]
fn damaged_files_are_read_or_refused() {
    let (json, bin) = seed_file();
    let mut places = Vec::new();
    pointers(&json, String::new(), &mut places);
    assert!(try_file(&pack(json.to_string().as_bytes(), &bin)), "the undamaged file is good");
    let runs = std::env::var("SINEW_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(12_000);
    let mut readable = 0;
    for seed in 0..runs {
        let bytes = damaged(&mut Dice(seed), &json, &places, &bin);
        match std::panic::catch_unwind(|| try_file(&bytes)) {
            Ok(good) => readable += u64::from(good),
            Err(cause) => {
                eprintln!("damaged file {seed} of {runs}");
                std::panic::resume_unwind(cause);
            }
        }
    }
    // Both sides must be met, or the test looks at nothing.
    assert!(readable * 10 > runs && readable * 10 < 9 * runs, "{readable} of {runs} were readable");
}

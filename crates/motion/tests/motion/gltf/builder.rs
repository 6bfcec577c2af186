//! A tiny GLB builder, and joint positions by plain 4×4 matrix products to judge with.

use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use serde_json::{Value, json};
use sinew_motion::formats::{Capture, FormatError, ImportOptions, gltf};

/// A file in the making.
#[derive(Clone)]
pub struct Glb {
    pub json: Value,
    pub bin: Vec<u8>,
}

impl Glb {
    /// Nodes as given, one skin over these joints.
    pub fn new(nodes: Value, joints: &[usize]) -> Glb {
        let json = json!({
            "asset": {"version": "2.0"}, "nodes": nodes, "skins": [{"joints": joints}],
            "bufferViews": [], "accessors": [], "animations": []
        });
        Glb { json, bin: Vec::new() }
    }

    fn push(&mut self, key: &str, value: Value) -> usize {
        let list = self.json[key].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    /// Adds a buffer view.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.push("bufferViews", json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}))
    }

    /// Adds an accessor of floats.
    pub fn floats(&mut self, shape: &str, values: &[f32]) -> usize {
        let width = match shape {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let accessor = json!({"bufferView": view, "componentType": 5126, "count": values.len() / width, "type": shape});
        self.accessor(accessor)
    }

    pub fn accessor(&mut self, accessor: Value) -> usize {
        self.push("accessors", accessor)
    }

    /// Adds an empty animation.
    pub fn animation(&mut self, name: &str) -> usize {
        self.push("animations", json!({"name": name, "channels": [], "samplers": []}))
    }

    /// Adds a channel with its own keys to an animation.
    pub fn channel(&mut self, animation: usize, node: usize, path: &str, mode: &str, times: &[f32], values: &[f32]) {
        let input = self.floats("SCALAR", times);
        let output = self.floats(if path == "rotation" { "VEC4" } else { "VEC3" }, values);
        self.link(animation, node, path, mode, input, output);
    }

    /// Adds a channel over accessors that exist.
    pub fn link(&mut self, animation: usize, node: usize, path: &str, mode: &str, input: usize, output: usize) {
        let animation = &mut self.json["animations"][animation];
        let sampler = animation["samplers"].as_array().unwrap().len();
        let entry = json!({"input": input, "output": output, "interpolation": mode});
        animation["samplers"].as_array_mut().unwrap().push(entry);
        let target = json!({"sampler": sampler, "target": {"node": node, "path": path}});
        animation["channels"].as_array_mut().unwrap().push(target);
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if !self.bin.is_empty() && json.get("buffers").is_none() {
            json["buffers"] = json!([{"byteLength": self.bin.len()}]);
        }
        pack(json.to_string().as_bytes(), &self.bin)
    }

    pub fn read(&self) -> Capture {
        self.read_with(&ImportOptions::default())
    }

    pub fn read_with(&self, options: &ImportOptions) -> Capture {
        open_with(&self.bytes(), options).unwrap()
    }
}

/// A GLB of these two chunks.
pub fn pack(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, body, fill) in [(b"JSON", json, b' '), (b"BIN\0", bin, 0)] {
        if body.is_empty() {
            continue;
        }
        let padded = body.len().next_multiple_of(4);
        out.extend((padded as u32).to_le_bytes());
        out.extend(kind);
        out.extend(body);
        out.resize(out.len().next_multiple_of(4), fill);
    }
    let length = out.len() as u32;
    out[8..12].copy_from_slice(&length.to_le_bytes());
    out
}

/// The JSON and the binary chunk of a GLB.
pub fn unpack(bytes: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!(word(8), bytes.len());
    let json_end = 20 + word(12);
    let json = serde_json::from_slice(&bytes[20..json_end]).unwrap();
    let bin = if json_end < bytes.len() { bytes[json_end + 8..json_end + 8 + word(json_end)].to_vec() } else { vec![] };
    (json, bin)
}

pub fn open(bytes: &[u8]) -> Result<Capture, FormatError> {
    open_with(bytes, &ImportOptions::default())
}

pub fn open_with(bytes: &[u8], options: &ImportOptions) -> Result<Capture, FormatError> {
    gltf::read(bytes, &|name| Err(format!("is not there ({name})")), options)
}

/// A node's local matrix straight from its JSON, with animated values in place of static ones.
pub fn matrix(node: &Value, moved: &[(&str, Vec<f64>)]) -> Matrix4<f64> {
    let numbers = |key: &str| -> Option<Vec<f64>> {
        let animated = moved.iter().find(|(path, _)| *path == key).map(|(_, value)| value.clone());
        animated.or_else(|| Some(node.get(key)?.as_array()?.iter().map(|x| x.as_f64().unwrap()).collect()))
    };
    if let Some(m) = numbers("matrix") {
        return Matrix4::from_column_slice(&m);
    }
    let t = numbers("translation").unwrap_or(vec![0.0; 3]);
    let q = numbers("rotation").unwrap_or(vec![0.0, 0.0, 0.0, 1.0]);
    let s = numbers("scale").unwrap_or(vec![1.0; 3]);
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[0], q[1], q[2]));
    Matrix4::new_translation(&Vector3::new(t[0], t[1], t[2]))
        * rotation.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&Vector3::new(s[0], s[1], s[2]))
}

/// World positions of all nodes, by name, given each node's local matrix.
pub fn world(nodes: &Value, local: impl Fn(usize) -> Matrix4<f64>) -> Vec<(String, Vector3<f64>)> {
    let nodes = nodes.as_array().unwrap();
    let mut parents = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for child in node.get("children").and_then(Value::as_array).into_iter().flatten() {
            parents[child.as_u64().unwrap() as usize] = Some(index);
        }
    }
    let place = |index: usize| {
        let mut m = local(index);
        let mut up = parents[index];
        while let Some(parent) = up {
            m = local(parent) * m;
            up = parents[parent];
        }
        Vector3::new(m[(0, 3)], m[(1, 3)], m[(2, 3)])
    };
    let name = |index: usize| nodes[index]["name"].as_str().unwrap_or_default().to_owned();
    (0..nodes.len()).map(|index| (name(index), place(index))).collect()
}

/// Positions of a capture's joints at a frame of a clip, by name.
pub fn positions(capture: &Capture, clip: usize, frame: usize) -> Vec<(String, Vector3<f64>)> {
    let pose = capture.clips[clip].pose(&capture.skeleton, frame);
    let frames = pose.world(&capture.skeleton);
    capture.skeleton.joints().iter().zip(frames).map(|(j, f)| (j.name.clone(), f.position)).collect()
}

/// The largest distance between joints of the same name.
pub fn distance(joints: &[(String, Vector3<f64>)], nodes: &[(String, Vector3<f64>)]) -> f64 {
    let of = |name: &str| nodes.iter().find(|(n, _)| n == name).unwrap().1;
    joints.iter().map(|(name, p)| (p - of(name)).norm()).fold(0.0, f64::max)
}

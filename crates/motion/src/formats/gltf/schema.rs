//! Parts of glTF's JSON that hold skeletons, meshes and motion. Everything else stays untouched in the JSON value.

use crate::formats::FormatError;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Makes an error at a place in the JSON.
pub(super) fn fault(pointer: &str, message: impl std::fmt::Display) -> FormatError {
    FormatError::new(format!("{pointer} {message}"))
}

/// The error of a list that names a node beyond the last of the file's `count`.
pub(super) fn no_node(pointer: &str, node: usize, count: usize) -> FormatError {
    fault(pointer, format!("names node {node}, which does not exist; the file has {count}"))
}

/// The elements of a top-level array; an absent array is empty.
pub(super) fn array<'a>(json: &'a Value, key: &str) -> Result<&'a [Value], FormatError> {
    match json.get(key) {
        None => Ok(&[]),
        Some(Value::Array(elements)) => Ok(elements),
        Some(_) => Err(fault(&format!("/{key}"), "is not an array")),
    }
}

/// A top-level array read into its type.
pub(super) fn list<'a, T: Deserialize<'a>>(json: &'a Value, key: &str) -> Result<Vec<T>, FormatError> {
    let read = |(index, value)| element(&format!("/{key}/{index}"), value);
    array(json, key)?.iter().enumerate().map(read).collect()
}

/// One JSON value read into its type.
pub(super) fn element<'a, T: Deserialize<'a>>(pointer: &str, value: &'a Value) -> Result<T, FormatError> {
    T::deserialize(value)
        .map_err(|error| fault(pointer, format!("cannot be understood: {}", plain(&error.to_string()))))
}

/// Rewords the error of a deserializer without the names of Rust types.
fn plain(reason: &str) -> String {
    let kind = |expected: &str| match expected {
        "usize" | "u64" | "u32" => "a whole number from 0 on".to_owned(),
        "f64" | "f32" => "a number".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "an object".to_owned(),
        other if other.starts_with("struct ") => "an object".to_owned(),
        other => {
            other.strip_prefix("an array of length ").map_or(other.to_owned(), |n| format!("a list of {n} numbers"))
        }
    };
    let thing = |found: &str| {
        let found = found.replace('`', "").replace("floating point ", "number ").replace("integer ", "number ");
        found.replace("sequence", "a list").replace("map", "an object")
    };
    if let Some(field) = reason.strip_prefix("missing field ") {
        return format!("it has no {}", field.replace('`', "\""));
    }
    let Some((found, expected)) = reason.split_once(", expected ") else { return reason.to_owned() };
    match found.split_once(": ").or_else(|| found.split_once("invalid length ")) {
        Some(("", length)) => format!("a list of {length} stands where {} belongs", kind(expected)),
        Some((_, found)) => format!("{} stands where {} belongs", thing(found), kind(expected)),
        None => reason.to_owned(),
    }
}

/// The element of a top-level array that an index names.
pub(super) fn at<'a, T: Deserialize<'a>>(json: &'a Value, key: &str, index: usize) -> Result<T, FormatError> {
    let elements = array(json, key)?;
    let value = elements
        .get(index)
        .ok_or_else(|| fault(&format!("/{key}/{index}"), format!("does not exist; the file has {}", elements.len())))?;
    element(&format!("/{key}/{index}"), value)
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Node {
    pub name: Option<String>,
    #[serde(default)]
    pub children: Vec<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    pub mesh: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Skin {
    pub joints: Vec<usize>,
}

/// A skin as meshes see it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Bound {
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
}

/// A node as meshes see it.
#[derive(Deserialize)]
pub(super) struct Holder {
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub primitives: Vec<Primitive>,
    /// Anything at all, by the standard.
    pub extras: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    #[serde(default)]
    pub attributes: BTreeMap<String, usize>,
    pub indices: Option<usize>,
    pub material: Option<usize>,
    pub mode: Option<u32>,
    #[serde(default)]
    pub extensions: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
pub(super) struct Animation {
    pub name: Option<String>,
    #[serde(default)]
    pub channels: Vec<Channel>,
    #[serde(default)]
    pub samplers: Vec<Sampler>,
    /// Anything at all, by the standard.
    pub extras: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub node: Option<usize>,
    #[serde(default)]
    pub path: String,
}

#[derive(Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    #[serde(default)]
    pub interpolation: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub shape: String,
    pub sparse: Option<Sparse>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub count: usize,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
    #[serde(default)]
    pub extensions: serde_json::Map<String, Value>,
}

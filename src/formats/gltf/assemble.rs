//! Puts a glTF file together: the JSON and buffers of a document, with new data appended and nothing moved.
//!
//! Old bytes keep their places. In a GLB new data follows the old binary chunk, in JSON it becomes a buffer of its
//! own. Buffers and images that lay in files beside the source are taken in, so that the result stands alone.

use super::container::{BASE64, BIN_CHUNK, Buffer, Container, JSON_CHUNK, MAGIC, relative_path};
use crate::formats::FormatError;
use base64::Engine;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The two ways to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Glb,
    Json,
}

/// What a buffer view holds, as the GPU sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Vertices,
    Indices,
    Other,
}

/// A file in the making.
pub(super) struct Assembly {
    pub json: Map<String, Value>,
    buffers: Vec<Buffer>,
    chunks: Vec<(u32, std::sync::Arc<[u8]>)>,
    kind: Kind,
    /// The buffer that new data goes to, and how many bytes it had before, padding included.
    target: usize,
    base: usize,
    data: Vec<u8>,
}

impl Assembly {
    pub fn new(source: &Container, kind: Kind) -> Assembly {
        let json = source.json.as_object().cloned().unwrap_or_default();
        let buffers = source.buffers.clone();
        let (target, base) = match (kind, buffers.first()) {
            (Kind::Glb, Some(Ok(first))) => (0, first.len().next_multiple_of(4)),
            _ => (buffers.len(), 0),
        };
        Assembly { json, buffers, chunks: source.chunks.clone(), kind, target, base, data: Vec::new() }
    }

    /// The elements of a top-level array, made when absent.
    pub fn array(&mut self, key: &str) -> &mut Vec<Value> {
        let value = self.json.entry(key).or_insert_with(|| Value::Array(Vec::new()));
        if !value.is_array() {
            *value = Value::Array(Vec::new());
        }
        match value {
            Value::Array(elements) => elements,
            _ => unreachable!("made an array above"),
        }
    }

    /// Adds an element to a top-level array and gives its index.
    pub fn push(&mut self, key: &str, element: Value) -> usize {
        let elements = self.array(key);
        elements.push(element);
        elements.len() - 1
    }

    /// Adds a buffer view of these bytes.
    pub fn view(&mut self, bytes: &[u8], usage: Use) -> usize {
        self.data.resize(self.data.len().next_multiple_of(4), 0);
        let offset = self.base + self.data.len();
        self.data.extend_from_slice(bytes);
        let mut view = json!({"buffer": self.target, "byteOffset": offset, "byteLength": bytes.len()});
        match usage {
            Use::Vertices => view["target"] = json!(34962),
            Use::Indices => view["target"] = json!(34963),
            Use::Other => {}
        }
        self.push("bufferViews", view)
    }

    /// Adds an accessor of 32-bit floats that starts `offset` bytes into a view.
    pub fn floats(&mut self, view: usize, offset: usize, count: usize, shape: &str) -> usize {
        let mut accessor = json!({"bufferView": view, "componentType": 5126, "count": count, "type": shape});
        if offset > 0 {
            accessor["byteOffset"] = json!(offset);
        }
        self.push("accessors", accessor)
    }

    /// Takes in the images that lie beside the source; those that cannot be read stay links.
    pub fn embed_images(&mut self, folder: &Path) {
        for index in 0..self.array_len("images") {
            let uri = self.json["images"][index].get("uri").and_then(Value::as_str).map(str::to_owned);
            let Some(path) = uri.filter(|u| !u.starts_with("data:")).and_then(|u| relative_path(&u).ok()) else {
                continue;
            };
            let Ok(bytes) = std::fs::read(folder.join(path)) else { continue };
            let Some(kind) = image_kind(&bytes) else { continue };
            if self.kind == Kind::Glb {
                let view = self.view(&bytes, Use::Other);
                let image = &mut self.json["images"][index];
                image["bufferView"] = json!(view);
                image["mimeType"] = json!(kind);
                if let Some(object) = image.as_object_mut() {
                    object.shift_remove("uri");
                }
            } else {
                self.json["images"][index]["uri"] = json!(data_uri(kind, &bytes));
            }
        }
    }

    fn array_len(&self, key: &str) -> usize {
        self.json.get(key).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// The bytes of the whole file.
    pub fn finish(mut self) -> Result<Vec<u8>, FormatError> {
        for index in 0..self.buffers.len() {
            let Ok(bytes) = &self.buffers[index] else { continue };
            let buffer = &self.json["buffers"][index];
            let embedded = buffer.get("uri").and_then(Value::as_str).is_some_and(|uri| uri.starts_with("data:"));
            if self.kind == Kind::Glb && index == 0 {
                if let Some(object) = self.json["buffers"][0].as_object_mut() {
                    object.shift_remove("uri");
                }
            } else if !embedded {
                let uri = data_uri("application/octet-stream", bytes);
                self.json["buffers"][index]["uri"] = json!(uri);
            }
        }
        match self.kind {
            Kind::Json => {
                if !self.data.is_empty() {
                    let uri = data_uri("application/octet-stream", &self.data);
                    let length = self.data.len();
                    self.push("buffers", json!({"byteLength": length, "uri": uri}));
                }
                serde_json::to_vec(&self.json).map_err(unwritable)
            }
            Kind::Glb => self.finish_glb(),
        }
    }

    fn finish_glb(mut self) -> Result<Vec<u8>, FormatError> {
        let old = match (self.target, self.buffers.first()) {
            (0, Some(Ok(bytes))) => Some(bytes.clone()),
            (_, Some(Ok(bytes))) => Some(bytes.clone()),
            _ => None,
        };
        if !self.data.is_empty() {
            if self.target < self.buffers.len() {
                self.json["buffers"][self.target]["byteLength"] = json!(self.base + self.data.len());
            } else if self.target == 0 {
                let length = self.data.len();
                self.push("buffers", json!({"byteLength": length}));
            } else {
                // The first buffer has no bytes of its own, so that none can follow them.
                let buffer =
                    json!({"byteLength": self.data.len(), "uri": data_uri("application/octet-stream", &self.data)});
                self.push("buffers", buffer);
                self.data.clear();
            }
        }
        let old = old.as_deref().unwrap_or_default();
        let binary = if self.data.is_empty() { old.len() } else { self.base + self.data.len() };
        let mut text = serde_json::to_vec(&self.json).map_err(unwritable)?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut out = Vec::with_capacity(28 + text.len() + binary + 4);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&2u32.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        chunk(&mut out, JSON_CHUNK, &[&text])?;
        if binary > 0 {
            let gap = if self.data.is_empty() { 0 } else { self.base - old.len() };
            chunk(&mut out, BIN_CHUNK, &[old, &[0; 4][..gap], &self.data])?;
        }
        for (kind, body) in &self.chunks {
            chunk(&mut out, *kind, &[body])?;
        }
        let length = u32::try_from(out.len()).map_err(|_| too_large())?;
        out[8..12].copy_from_slice(&length.to_le_bytes());
        Ok(out)
    }
}

fn chunk(out: &mut Vec<u8>, kind: u32, parts: &[&[u8]]) -> Result<(), FormatError> {
    let length = parts.iter().map(|p| p.len()).sum::<usize>().next_multiple_of(4);
    out.extend_from_slice(&u32::try_from(length).map_err(|_| too_large())?.to_le_bytes());
    out.extend_from_slice(&kind.to_le_bytes());
    for part in parts {
        out.extend_from_slice(part);
    }
    out.resize(out.len().next_multiple_of(4), 0);
    Ok(())
}

fn too_large() -> FormatError {
    FormatError::new("would be larger than the 4 GiB a GLB can hold").help("write fewer clips per file, or drop keys")
}

fn unwritable(error: serde_json::Error) -> FormatError {
    FormatError::new(format!("cannot be written as JSON: {error}"))
}

fn data_uri(kind: &str, bytes: &[u8]) -> String {
    let mut uri = format!("data:{kind};base64,");
    BASE64.encode_string(bytes, &mut uri);
    uri
}

fn image_kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        _ => None,
    }
}

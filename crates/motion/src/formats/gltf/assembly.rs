//! Assembly of a glTF file: the JSON and buffers of a document, with new data appended and nothing moved.
//!
//! New data follows the old binary chunk of a GLB, and becomes a buffer of its own in JSON; old data keeps its
//! bytes. Buffers and images in files beside the source are embedded, so that the result is self-contained.

use super::container::{BASE64, BIN_CHUNK, Container, JSON_CHUNK, MAGIC, read_beside, relative_path};
use crate::formats::FormatError;
use base64::Engine;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// Kind of output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Glb,
    Json,
}

/// Content of a buffer view, as the GPU sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Vertices,
    Indices,
    Other,
}

/// File under construction.
pub(super) struct Assembly {
    pub json: Map<String, Value>,
    /// The old bytes of each buffer that has any.
    buffers: Vec<Option<Arc<[u8]>>>,
    chunks: Vec<(u32, Arc<[u8]>)>,
    kind: Kind,
    /// The buffer that new data goes to, and how many bytes it had before, padding included.
    target: usize,
    base: usize,
    data: Vec<u8>,
}

impl Assembly {
    pub fn new(source: &Container, kind: Kind) -> Assembly {
        let json = source.json.as_object().cloned().unwrap_or_default();
        let buffers: Vec<_> = source.buffers.iter().map(|b| b.as_ref().ok().cloned()).collect();
        let mut file =
            Assembly { json, buffers, chunks: source.chunks.clone(), kind, target: 0, base: 0, data: Vec::new() };
        match kind {
            Kind::Json => file.target = file.buffers.len(),
            Kind::Glb => {
                file.join_buffers();
                file.base = file.buffers.first().and_then(|b| b.as_ref()).map_or(0, |b| b.len().next_multiple_of(4));
            }
        }
        file
    }

    /// A GLB holds one buffer, the first. Where the source has its bytes elsewhere, they are put behind each other
    /// there, and the buffer views follow; a source that is a plain GLB stays byte for byte.
    fn join_buffers(&mut self) {
        let plain =
            self.buffers.iter().skip(1).all(Option::is_none) && self.buffers.first().is_none_or(Option::is_some);
        if plain {
            return;
        }
        let mut joined = Vec::new();
        let mut entries = vec![json!({})];
        let mut places = Vec::with_capacity(self.buffers.len());
        for (bytes, entry) in self.buffers.iter().zip(self.array_ref("buffers")) {
            match bytes {
                Some(bytes) => {
                    joined.resize(joined.len().next_multiple_of(4), 0);
                    places.push((0, joined.len()));
                    joined.extend_from_slice(bytes);
                }
                None => {
                    places.push((entries.len(), 0));
                    entries.push(entry.clone());
                }
            }
        }
        let follow = |holder: &mut Value| {
            let buffer = holder.get("buffer").and_then(Value::as_u64).and_then(|b| usize::try_from(b).ok());
            if let Some(&(place, shift)) = buffer.and_then(|b| places.get(b)) {
                let offset = holder.get("byteOffset").and_then(Value::as_u64).unwrap_or(0);
                holder["buffer"] = json!(place);
                holder["byteOffset"] = json!(offset + shift as u64);
            }
        };
        for view in self.array("bufferViews") {
            follow(view);
            // Compressed views name their buffer once more in their extension.
            if let Some(extensions) = view.get_mut("extensions").and_then(Value::as_object_mut) {
                extensions.values_mut().for_each(follow);
            }
        }
        entries[0]["byteLength"] = json!(joined.len());
        self.buffers = entries.iter().map(|_| None).collect();
        self.buffers[0] = Some(Arc::from(joined));
        self.json.insert("buffers".into(), Value::Array(entries));
    }

    fn array_ref(&self, key: &str) -> &[Value] {
        self.json.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the elements of a top-level array, made if absent.
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

    /// Adds an element to a top-level array and returns its index.
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

    /// Adds vectors of vertices, with their bounds where the standard asks for them.
    pub fn vectors(&mut self, vectors: &[[f32; 3]], bounded: bool) -> usize {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, Use::Vertices);
        let accessor = self.floats(view, 0, vectors.len(), "VEC3");
        if bounded {
            let bound = |pick: fn(f32, f32) -> f32| {
                let fold = |axis: usize| vectors.iter().map(|v| v[axis]).reduce(pick).unwrap_or_default();
                json!([fold(0), fold(1), fold(2)])
            };
            let told = &mut self.array("accessors")[accessor];
            (told["min"], told["max"]) = (bound(f32::min), bound(f32::max));
        }
        accessor
    }

    /// Adds the corners of triangles.
    pub fn triangles(&mut self, indices: &[u32]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        let view = self.view(&bytes, Use::Indices);
        self.push(
            "accessors",
            json!({"bufferView": view, "componentType": 5125, "count": indices.len(), "type": "SCALAR"}),
        )
    }

    /// Embeds the images that lie beside the source; those that cannot be read stay links.
    pub fn embed_images(&mut self, folder: &Path) {
        for index in 0..self.array_ref("images").len() {
            let Some(uri) = linked(&self.json["images"][index]) else { continue };
            let Ok((bytes, kind)) = load_image(uri, folder) else { continue };
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

    /// Returns the bytes of the whole file.
    pub fn finish(mut self) -> Result<Vec<u8>, FormatError> {
        match self.kind {
            Kind::Glb => self.finish_glb(),
            Kind::Json => {
                for index in 0..self.buffers.len() {
                    let Some(bytes) = &self.buffers[index] else { continue };
                    let uri = self.json["buffers"][index].get("uri").and_then(Value::as_str);
                    if !uri.is_some_and(|uri| uri.starts_with("data:")) {
                        let uri = data_uri("application/octet-stream", bytes);
                        self.json["buffers"][index]["uri"] = json!(uri);
                    }
                }
                if !self.data.is_empty() {
                    let uri = data_uri("application/octet-stream", &self.data);
                    let length = self.data.len();
                    self.push("buffers", json!({"byteLength": length, "uri": uri}));
                }
                serde_json::to_vec(&self.json).map_err(unwritable)
            }
        }
    }

    fn finish_glb(mut self) -> Result<Vec<u8>, FormatError> {
        let old = self.buffers.first().cloned().flatten();
        if self.buffers.is_empty() && !self.data.is_empty() {
            self.push("buffers", json!({}));
        }
        if !self.data.is_empty() {
            self.json["buffers"][0]["byteLength"] = json!(self.base + self.data.len());
        }
        if let (Some(_), Some(first)) = (&old, self.json.get_mut("buffers").and_then(|b| b.get_mut(0))) {
            first.as_object_mut().and_then(|first| first.shift_remove("uri"));
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

/// Returns the URI of an image in another file.
fn linked(image: &Value) -> Option<&str> {
    image.get("uri").and_then(Value::as_str).filter(|uri| !uri.starts_with("data:"))
}

/// Lists the paths of images beside the file.
pub(super) fn linked_images(json: &Value) -> Vec<String> {
    let images = json.get("images").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    images.iter().filter_map(linked).filter_map(|uri| relative_path(uri).ok()).collect()
}

/// Reads bytes and kind of an image beside the file, or returns why it cannot be embedded.
fn load_image(uri: &str, folder: &Path) -> Result<(Vec<u8>, &'static str), String> {
    let path = relative_path(uri)?;
    if !folder.join(&path).exists() {
        return Err("is not beside the file".to_owned());
    }
    let bytes = read_beside(folder, &path)?;
    let kind = image_kind(&bytes).ok_or("is neither PNG nor JPEG")?;
    Ok((bytes, kind))
}

/// Returns warnings for images that writing cannot embed.
pub(super) fn lost_images(json: &Value, folder: &Path) -> Vec<String> {
    let images = json.get("images").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let told = images.iter().filter_map(linked).filter_map(|uri| {
        let why = load_image(uri, folder).err()?;
        Some(format!("the image {uri:?} {why}: a file that is written elsewhere names it but does not hold it"))
    });
    told.collect()
}

fn image_kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        _ => None,
    }
}

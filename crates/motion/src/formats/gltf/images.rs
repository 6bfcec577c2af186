//! Images of a file, still encoded.

use super::Document;
use super::container::{self, Buffer, Container};
use super::schema::{self, array};
use serde_json::Value;
use std::sync::Arc;

/// Returns the bytes of all images, in the order of the file; empty where one cannot be read.
pub(super) fn images(document: &Document) -> Vec<Arc<[u8]>> {
    let list = array(&document.container.json, "images").unwrap_or_default();
    list.iter().map(|image| image_bytes(image, document).unwrap_or_else(|_| Arc::from([]))).collect()
}

fn image_bytes(image: &Value, document: &Document) -> Buffer {
    if let Some(uri) = image.get("uri").and_then(Value::as_str) {
        let beside = |name: &str| match &document.folder {
            Some(folder) => container::read_beside(folder, name),
            None => Err("has no folder".to_owned()),
        };
        return container::fetch(uri, &beside);
    }
    let view = image.get("bufferView").and_then(Value::as_u64).ok_or("names no bytes")?;
    view_bytes(&document.container, view as usize)
}

fn view_bytes(container: &Container, index: usize) -> Buffer {
    let view: schema::BufferView =
        schema::at(&container.json, "bufferViews", index).map_err(|error| error.to_string())?;
    let buffer = container.buffers.get(view.buffer).ok_or("names a buffer that does not exist")?.as_ref();
    let bytes = buffer.map_err(Clone::clone)?;
    let end = view.byte_offset.checked_add(view.byte_length).filter(|end| *end <= bytes.len());
    let end = end.ok_or("reaches beyond its buffer")?;
    Ok(Arc::from(&bytes[view.byte_offset..end]))
}

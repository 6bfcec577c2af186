//! Accessors: numbers out of buffers, with every bound checked before a byte is read or allocated.

use super::container::Container;
use super::schema::{self, Accessor, BufferView, fault};
use crate::formats::{FaultKind, FormatError};
use std::collections::HashMap;
use std::rc::Rc;

/// Numbers of an accessor, and how many make an element.
#[derive(Debug)]
pub(super) struct Numbers {
    pub values: Vec<f32>,
    pub width: usize,
}

/// Decodes accessors, each once.
pub(super) struct Accessors<'a> {
    container: &'a Container,
    known: HashMap<usize, Rc<Numbers>>,
    /// Count of numbers that may still be decoded: overlapping accessors must not make a small file large.
    budget: usize,
}

impl<'a> Accessors<'a> {
    pub fn new(container: &'a Container) -> Self {
        Self { container, known: HashMap::new(), budget: 2 * container.size + 4096 }
    }

    /// Returns the numbers of an accessor; normalized integers become fractions.
    pub fn get(&mut self, index: usize) -> Result<Rc<Numbers>, FormatError> {
        if let Some(numbers) = self.known.get(&index) {
            return Ok(numbers.clone());
        }
        let numbers = Rc::new(self.decode(index)?);
        self.known.insert(index, numbers.clone());
        Ok(numbers)
    }

    fn decode(&mut self, index: usize) -> Result<Numbers, FormatError> {
        let pointer = format!("/accessors/{index}");
        let accessor: Accessor = schema::at(&self.container.json, "accessors", index)?;
        let width = match accessor.shape.as_str() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => return Err(fault(&pointer, format!("has type {other:?}, which no animation uses"))),
        };
        let total = accessor.count.checked_mul(width).filter(|&n| n <= self.budget).ok_or_else(|| {
            fault(&pointer, format!("claims {} elements, more than a file of this size can hold", accessor.count))
        })?;
        let kind = Component::new(accessor.component_type, accessor.normalized, &pointer)?;
        let mut values = match accessor.buffer_view {
            Some(view) => {
                let view = self.view(view, &pointer)?;
                view.read(accessor.byte_offset, accessor.count, width, kind, &pointer)?
            }
            None => vec![0.0; total],
        };
        self.budget -= total;
        if let Some(sparse) = &accessor.sparse {
            if sparse.count > accessor.count {
                return Err(fault(&pointer, "replaces more elements than it has"));
            }
            let index_kind = Component::new(sparse.indices.component_type, false, &pointer)?;
            let places = self.view(sparse.indices.buffer_view, &pointer)?;
            let places = places.read(sparse.indices.byte_offset, sparse.count, 1, index_kind, &pointer)?;
            let replacements = self.view(sparse.values.buffer_view, &pointer)?;
            let replacements = replacements.read(sparse.values.byte_offset, sparse.count, width, kind, &pointer)?;
            for (place, value) in places.iter().zip(replacements.chunks_exact(width)) {
                let start = *place as usize * width;
                let slot = values
                    .get_mut(start..start + width)
                    .ok_or_else(|| fault(&pointer, format!("replaces element {place}, which it does not have")))?;
                slot.copy_from_slice(value);
            }
        }
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            let message = format!("has a number in element {} that is not finite ({})", at / width, values[at]);
            return Err(fault(&pointer, message));
        }
        Ok(Numbers { values, width })
    }

    fn view(&self, index: usize, user: &str) -> Result<View<'a>, FormatError> {
        let pointer = format!("/bufferViews/{index}");
        let view: BufferView = schema::at(&self.container.json, "bufferViews", index)?;
        let buffer = self.container.buffers.get(view.buffer);
        let bytes = match buffer {
            None => return Err(fault(&pointer, format!("names buffer {}, which does not exist", view.buffer))),
            Some(Ok(bytes)) => bytes,
            Some(Err(why)) => {
                let packed = view.extensions.keys().find(|name| name.ends_with("meshopt_compression"));
                return Err(match packed {
                    Some(name) => fault(user, format!("is compressed with {name}, which sinew does not decode"))
                        .of_kind(FaultKind::Unsupported)
                        .help("unpack the file first, for example with `gltf-transform copy in.glb out.glb`"),
                    None => fault(&format!("/buffers/{}", view.buffer), why),
                });
            }
        };
        let end = view.byte_offset.checked_add(view.byte_length).filter(|&end| end <= bytes.len());
        let end = end.ok_or_else(|| fault(&pointer, format!("reaches beyond its buffer of {} bytes", bytes.len())))?;
        Ok(View { bytes: &bytes[view.byte_offset..end], stride: view.byte_stride })
    }
}

struct View<'a> {
    bytes: &'a [u8],
    stride: Option<usize>,
}

impl View<'_> {
    fn read(
        &self,
        offset: usize,
        count: usize,
        width: usize,
        kind: Component,
        user: &str,
    ) -> Result<Vec<f32>, FormatError> {
        let size = kind.size() * width;
        let stride = self.stride.filter(|&s| s > 0).unwrap_or(size);
        let needed = count
            .checked_sub(1)
            .map_or(Some(0), |gaps| gaps.checked_mul(stride)?.checked_add(size)?.checked_add(offset));
        if stride < size || needed.is_none_or(|needed| needed > self.bytes.len()) {
            let message =
                format!("needs {count} elements of {size} bytes, its buffer view has {} bytes", self.bytes.len());
            return Err(fault(user, message));
        }
        let mut values = Vec::with_capacity(count * width);
        for element in 0..count {
            let start = offset + element * stride;
            let bytes = &self.bytes[start..start + size];
            values.extend(bytes.chunks_exact(kind.size()).map(|b| kind.number(b)));
        }
        Ok(values)
    }
}

/// Storage of a number.
#[derive(Clone, Copy)]
enum Component {
    I8 { normalized: bool },
    U8 { normalized: bool },
    I16 { normalized: bool },
    U16 { normalized: bool },
    U32,
    F32,
}

impl Component {
    fn new(code: u32, normalized: bool, pointer: &str) -> Result<Component, FormatError> {
        Ok(match code {
            5120 => Component::I8 { normalized },
            5121 => Component::U8 { normalized },
            5122 => Component::I16 { normalized },
            5123 => Component::U16 { normalized },
            5125 => Component::U32,
            5126 => Component::F32,
            _ => return Err(fault(pointer, format!("has component type {code}, which glTF does not know"))),
        })
    }

    fn size(self) -> usize {
        match self {
            Component::I8 { .. } | Component::U8 { .. } => 1,
            Component::I16 { .. } | Component::U16 { .. } => 2,
            Component::U32 | Component::F32 => 4,
        }
    }

    fn number(self, b: &[u8]) -> f32 {
        let signed = |x: f32, largest: f32, normalized| if normalized { (x / largest).max(-1.0) } else { x };
        let unsigned = |x: f32, largest: f32, normalized| if normalized { x / largest } else { x };
        match self {
            Component::I8 { normalized } => signed(f32::from(b[0] as i8), 127.0, normalized),
            Component::U8 { normalized } => unsigned(f32::from(b[0]), 255.0, normalized),
            Component::I16 { normalized } => signed(f32::from(i16::from_le_bytes([b[0], b[1]])), 32767.0, normalized),
            Component::U16 { normalized } => unsigned(f32::from(u16::from_le_bytes([b[0], b[1]])), 65535.0, normalized),
            Component::U32 => u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f32,
            Component::F32 => f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        }
    }
}

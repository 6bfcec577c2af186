//! Container of a glTF file: GLB chunks or bare JSON, and the buffers in it or beside it.

use super::schema::{array, fault};
use crate::files::limits::within_folder;
use crate::formats::{FaultKind, FormatError};
use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

pub(super) const MAGIC: [u8; 4] = *b"glTF";
pub(super) const JSON_CHUNK: u32 = 0x4E4F_534A;
pub(super) const BIN_CHUNK: u32 = 0x004E_4942;

/// Some exporters leave the padding away.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes of a buffer, or why they are not at hand.
pub(super) type Buffer = Result<Arc<[u8]>, String>;

/// File taken apart, with nothing left out.
#[derive(Clone, Debug)]
pub(super) struct Container {
    pub json: Arc<Value>,
    pub buffers: Vec<Buffer>,
    /// GLB chunks of kinds we do not know, kept for writing.
    pub chunks: Vec<(u32, Arc<[u8]>)>,
    pub binary: bool,
    /// Bytes of the whole file with its buffers: the measure for what reading it may cost.
    pub size: usize,
}

/// Finds the bytes of an external file by its (decoded) relative path.
pub(super) type Resolver<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

impl Container {
    pub fn open(bytes: &[u8], resolve: Resolver) -> Result<Container, FormatError> {
        let binary = bytes.starts_with(&MAGIC);
        if !binary {
            check_beginning(bytes)?;
        }
        let (json, mut bin, chunks) = if binary { chunks_of(bytes)? } else { (bytes, None, Vec::new()) };
        let json = parse(json, binary)?;
        check_version(&json)?;
        let mut buffers = Vec::new();
        for (index, buffer) in array(&json, "buffers")?.iter().enumerate() {
            if !buffer.is_object() {
                return Err(fault(&format!("/buffers/{index}"), "is not an object"));
            }
            buffers.push(match buffer.get("uri").and_then(Value::as_str) {
                Some(uri) => fetch(uri, resolve),
                None if index == 0 && bin.is_some() => bin.take().map(Arc::from).ok_or_else(String::new),
                None => Err("has no data of its own in the file".to_owned()),
            });
        }
        let size = bytes.len() + buffers.iter().flatten().map(|b| b.len()).sum::<usize>();
        Ok(Container { json: Arc::new(json), buffers, chunks, binary, size })
    }
}

/// Refuses a file that does not begin like glTF.
fn check_beginning(bytes: &[u8]) -> Result<(), FormatError> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    match text.first() {
        None => Err(FormatError::new("the file is empty").help("fetch or export the file again")),
        Some(b'{') => Ok(()),
        Some(_) => {
            let head = text[..text.len().min(8)].escape_ascii();
            Err(FormatError::new(format!("is neither a GLB nor glTF JSON: it begins with \"{head}\""))
                .help("a GLB begins with \"glTF\", a .gltf file with \"{\""))
        }
    }
}

type Chunks<'a> = (&'a [u8], Option<&'a [u8]>, Vec<(u32, Arc<[u8]>)>);

fn chunks_of(bytes: &[u8]) -> Result<Chunks<'_>, FormatError> {
    let word = |at: usize| {
        let bytes = at.checked_add(4).and_then(|end| bytes.get(at..end))?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let cut = |what: &str| {
        FormatError::new(format!("the GLB is cut short: {what}"))
            .help("fetch or export the file again; its end is missing")
    };
    let version = word(4).ok_or_else(|| cut("it ends within its header"))?;
    if version != 2 {
        return Err(FormatError::new(format!("is a binary glTF of version {version}; sinew reads version 2"))
            .of_kind(FaultKind::Unsupported)
            .help("convert it to glTF 2.0 first"));
    }
    let length = word(8).ok_or_else(|| cut("it ends within its header"))? as usize;
    if length > bytes.len() {
        return Err(cut(&format!("it has {} of {length} bytes", bytes.len())));
    }
    let (mut json, mut bin, mut others, mut at) = (None, None, Vec::new(), 12);
    while at + 8 <= length {
        let size = word(at).ok_or_else(|| cut("a chunk header is missing"))? as usize;
        let kind = word(at + 4).ok_or_else(|| cut("a chunk header is missing"))?;
        let start = at + 8;
        let body = start
            .checked_add(size)
            .filter(|&end| end <= length)
            .and_then(|end| bytes.get(start..end))
            .ok_or_else(|| cut(&format!("a chunk of {size} bytes at byte {at} reaches beyond its end")))?;
        match kind {
            JSON_CHUNK if json.is_none() => json = Some(body),
            BIN_CHUNK if bin.is_none() => bin = Some(body),
            _ => others.push((kind, Arc::from(body))),
        }
        at = start + size;
    }
    let json = json.ok_or_else(|| FormatError::new("the GLB has no JSON chunk"))?;
    Ok((json, bin, others))
}

fn parse(text: &[u8], binary: bool) -> Result<Value, FormatError> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let json: Value = serde_json::from_slice(text).map_err(|error| {
        let place = if binary { "the JSON chunk of the GLB" } else { "the JSON" };
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        let failure = FormatError::new(format!("{place} is broken: {reason}"))
            .help("the file is damaged or cut off; fetch or export it again");
        if error.line() == 0 { failure } else { failure.at_line(error.line()).at_column(error.column()) }
    })?;
    if json.is_object() { Ok(json) } else { Err(FormatError::new("the JSON is not an object, so this is no glTF")) }
}

fn check_version(json: &Value) -> Result<(), FormatError> {
    let text = |key| json.get("asset").and_then(|asset| asset.get(key)).and_then(Value::as_str);
    let major = |version: &str| version.split('.').next().and_then(|n| n.parse::<u32>().ok());
    match text("minVersion").or(text("version")) {
        Some(version) if major(version) == Some(2) => Ok(()),
        Some(version) => Err(fault("/asset", format!("asks for glTF {version}; sinew reads 2.x"))
            .of_kind(FaultKind::Unsupported)
            .help("convert it to glTF 2.0 first")),
        None => Err(fault("/asset/version", "is missing, so this is no glTF 2.0")),
    }
}

/// Reads a file in the folder of a glTF file; one that a link leads to must lie there as well.
pub(super) fn read_beside(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "is missing: copy it beside the glTF file".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    match within_folder(folder, Path::new(name)).map_err(unreadable)? {
        Some(path) => crate::files::load(&path).map_err(|error| error.message),
        None => Err("is a link to a file outside of its folder".to_owned()),
    }
}

/// Returns the bytes of a data URI or of a file beside the glTF.
pub(super) fn fetch(uri: &str, resolve: Resolver) -> Buffer {
    if let Some(data) = uri.strip_prefix("data:") {
        let (head, body) = data.split_once(',').ok_or("is a data URI without data")?;
        if !head.ends_with(";base64") {
            return Err("is a data URI that is not base64".to_owned());
        }
        return BASE64.decode(body.trim_end()).map(Arc::from).map_err(|e| format!("is broken base64: {e}"));
    }
    let path = relative_path(uri)?;
    resolve(&path).map(Arc::from).map_err(|why| format!("lies in {path:?}, which {why}"))
}

/// Returns the path that a relative URI names. Only files in the folder of the glTF are read: a converted file must not
/// contain other files of the machine that a stranger's glTF names.
pub(super) fn relative_path(uri: &str) -> Result<String, String> {
    let hex = |at: usize| uri.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let mut bytes = Vec::with_capacity(uri.len());
    let mut at = 0;
    while let Some(&byte) = uri.as_bytes().get(at) {
        let decoded = if byte == b'%' { hex(at + 1) } else { None };
        bytes.push(decoded.unwrap_or(byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    let path = String::from_utf8(bytes).map_err(|_| "has a URI that is not UTF-8".to_owned())?;
    if path.starts_with(['/', '\\']) || path.contains(':') || leaves_folder(&path) {
        return Err(format!("lies at {path:?}; only files beside the glTF are read"));
    }
    Ok(path)
}

/// Returns true if a relative path is at any point above the folder that it starts from.
fn leaves_folder(path: &str) -> bool {
    let mut depth = 0usize;
    path.split(['/', '\\']).any(|part| match part {
        "" | "." => false,
        ".." if depth == 0 => true,
        ".." => {
            depth -= 1;
            false
        }
        _ => {
            depth += 1;
            false
        }
    })
}

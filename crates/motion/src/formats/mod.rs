//! File formats: files become [`Capture`]s, captures become files.
//!
//! [`read`] opens any known file, [`write()`] writes by extension. Readers convert to metres, radians, right-handed, Y up;
//! the [`ImportReport`] lists what they found, what they detected and why, and what was wrong with the file.

pub mod asf;
pub mod bvh;
mod capture;
mod companions;
mod detect;
pub mod gltf;
mod size;

pub use crate::files::{FaultKind, FormatError, write_atomically};
pub use capture::{
    Capture, Format, Guess, ImportOptions, ImportReport, PositionChannels, Source, Unit, UpAxis, Warning,
};
pub use companions::files_read;
pub use detect::pooled_up;
pub use size::check_size;

pub(crate) use crate::files::load;
use crate::files::{access_error, limits};
use crate::{Real, Skeleton, Tracks};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Options of writing a file.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// Writes into this glTF file instead of the one the capture came from (or a new one): everything in it is
    /// kept, the clips are added as named animations.
    pub into: Option<PathBuf>,
    /// Drops keys (glTF) as long as no joint's world position moves by more than this, metres.
    pub reduce: Option<crate::Real>,
}

/// Extensions that [`read`] knows.
pub const READABLE: [&str; 6] = ["bvh", "glb", "gltf", "vrm", "asf", "amc"];
/// Extensions that [`write()`] knows.
pub const WRITABLE: [&str; 3] = ["bvh", "glb", "gltf"];

/// Reads a file of any known format. If content and extension disagree, the content decides. A pipe can be read as well;
/// it has no files beside it, so glTF must hold its own buffers and AMC cannot find its skeleton.
pub fn read(path: &Path, options: &ImportOptions) -> Result<Capture, FormatError> {
    let result = read_any(path, options).map(with_roles);
    result.map_err(|error| if error.path.as_os_str().is_empty() { error.in_file(path) } else { error })
}

fn read_any(path: &Path, options: &ImportOptions) -> Result<Capture, FormatError> {
    let unreachable = |error: std::io::Error| access_error(path, &error);
    // A missing file or a folder is that first, whatever it is called.
    let found = std::fs::metadata(path).map_err(unreachable)?;
    if found.is_dir() {
        return Err(FormatError::new("is a folder, not a file")
            .of_kind(FaultKind::Access)
            .help(format!("name the files in it, such as {}", path.join("*.bvh").display())));
    }
    // One handle for the beginning and the rest: what was taken from a pipe does not come again. The rest is read
    // only when it is wanted, because a device may never end.
    limits::refuse_device(&found, path)?;
    let mut file = std::fs::File::open(path).map_err(unreachable)?;
    let mut bytes = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut bytes).map_err(unreachable)?;
    let extension = extension(path);
    let format = format_of(&bytes, &extension);
    let is_stream = !found.is_file();
    if format == "bvh" || (is_stream && READABLE.contains(&format)) {
        bytes.extend(limits::read_bounded(&file, path, limits::LARGEST_FILE - HEAD)?);
    }
    match format {
        "bvh" if is_stream => bvh::read(&bytes, options),
        "bvh" => bvh::read(&bytes, options).map(|capture| named_after(path, capture)),
        "amc" if is_stream => Err(FormatError::new("holds the motion of an AMC file without its skeleton")
            .help("give the .amc file by its name; the .asf file is looked for beside it")),
        "asf" if is_stream => asf::read(&bytes, None, options),
        "asf" | "amc" => asf::read_files(path, options),
        "glb" | "gltf" | "vrm" if is_stream => {
            let beside = |_: &str| Err("cannot be found: a pipe has no folder".to_owned());
            gltf::read(&bytes, &beside, options)
        }
        "glb" | "gltf" | "vrm" => gltf::read_file(path, options),
        _ if is_stream => Err(FormatError::new("does not begin like any file that sinew reads")
            .of_kind(FaultKind::Unsupported)
            .help(format!("sinew reads {}", listed(&READABLE)))),
        _ => Err(unsupported(&extension, "reads", &READABLE)),
    }
}

/// Reads the bytes of a self-contained BVH, GLB, glTF or VRM file; a clip without a name gets `name`.
pub fn read_bytes(bytes: &[u8], name: &str, options: &ImportOptions) -> Result<Capture, FormatError> {
    let beside = |_: &str| Err("cannot be found: these bytes have no folder".to_owned());
    let capture = match format_of(&bytes[..bytes.len().min(HEAD as usize)], "") {
        "bvh" => bvh::read(bytes, options).map(|capture| named_after(Path::new(name), capture)),
        "glb" | "gltf" => gltf::read(bytes, &beside, options),
        _ => Err(FormatError::new("does not begin like any file that sinew reads").of_kind(FaultKind::Unsupported)),
    };
    capture.map(with_roles)
}

/// Bytes from which the format is told.
const HEAD: u64 = 4096;

/// Detects the format of a file, as an extension: by certain first bytes, else by its extension, else by likely first
/// bytes.
fn format_of<'a>(head: &[u8], extension: &'a str) -> &'a str {
    // Without byte order marks and the zeros of UTF-16.
    let head: Vec<u8> =
        head.iter().copied().filter(|byte| !matches!(byte, 0 | 0xEF | 0xBB | 0xBF | 0xFE | 0xFF)).collect();
    let text = String::from_utf8_lossy(&head).to_ascii_uppercase();
    let text = text.trim_start();
    match extension {
        _ if head.starts_with(b"glTF") => "glb",
        _ if text.starts_with("HIERARCHY") => "bvh",
        known if READABLE.contains(&known) => known,
        _ if text.starts_with('{') => "gltf",
        _ if text.contains(":FULLY-SPECIFIED") => "amc",
        _ if text.starts_with([':', '#']) && text.contains(":UNITS") => "asf",
        other => other,
    }
}

/// Refuses a capture beyond the limits of all formats. Readers that can name the line have done so before.
fn within_limits(capture: Capture) -> Result<Capture, FormatError> {
    check_joints(&capture.skeleton)?;
    for clip in &capture.clips {
        let beyond = |tracks: &Tracks, most: Real| {
            let at = tracks.values.iter().position(|value| value.amax() > most)?;
            let (frame, joint) = (at / tracks.joints.len() + 1, tracks.joints[at % tracks.joints.len()]);
            Some((tracks.values[at].amax(), frame, &capture.skeleton.joint(joint).name))
        };
        if let Some((metres, frame, name)) = beyond(clip.translations(), limits::FARTHEST) {
            let message = format!("clip {:?}, frame {frame} puts {name:?} {metres:.1e} m away", clip.name);
            return Err(FormatError::new(message).help("if the unit is wrong, name it with --unit"));
        }
        if let Some((scale, frame, name)) = beyond(clip.scales(), limits::LARGEST_SCALE) {
            let message = format!("clip {:?}, frame {frame} scales {name:?} by {scale:.1e}", clip.name);
            return Err(FormatError::new(message).help("export the file again without that scale"));
        }
    }
    Ok(capture)
}

/// Refuses skeletons with more joints, longer chains or longer bones than any rig has.
fn check_joints(skeleton: &Skeleton) -> Result<(), FormatError> {
    let (most, deepest) = (limits::MOST_JOINTS, limits::DEEPEST_JOINT);
    if skeleton.len() > most {
        return Err(FormatError::new(format!("the file has more than {most} joints"))
            .help("no rig has so many; is this file what it should be?"));
    }
    let mut depths: Vec<usize> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let depth = joint.parent.map_or(1, |parent| depths[parent] + 1);
        if depth > deepest {
            let message = format!("joint {:?} is more than {deepest} joints away from its root", joint.name);
            return Err(FormatError::new(message).help("no rig is so deep; is this file what it should be?"));
        }
        depths.push(depth);
        let bone = joint.tip.map_or(0.0, |tip| tip.amax()).max(joint.offset.amax());
        if bone > limits::FARTHEST {
            return Err(FormatError::new(format!("joint {:?} has a bone of {bone:.1e} m", joint.name))
                .help("if the unit is wrong, name it with --unit"));
        }
    }
    Ok(())
}

/// Sets the roles that are detected; roles that the file gives are kept.
fn with_roles(mut capture: Capture) -> Capture {
    let body = crate::detect_body(&capture.skeleton, capture.clips.first());
    for (joint, role) in body.sure_roles().into_iter().enumerate() {
        capture.skeleton.set_role(joint, role);
    }
    capture
}

/// Names the clip after its file, as a BVH does not name its motion.
fn named_after(path: &Path, mut capture: Capture) -> Capture {
    if let (Some(name), Some(clip)) = (path.file_stem(), capture.clips.first_mut()) {
        clip.name = name.to_string_lossy().into_owned();
    }
    capture
}

/// Refuses a path whose extension [`write()`] does not know.
pub fn check_writable(path: &Path) -> Result<(), FormatError> {
    let extension = extension(path);
    if WRITABLE.contains(&extension.as_str()) {
        return Ok(());
    }
    Err(unsupported(&extension, "writes", &WRITABLE).in_file(path))
}

/// Writes a capture; the extension names the format. The file appears whole or not at all.
pub fn write(path: &Path, capture: &Capture, options: &ExportOptions) -> Result<(), FormatError> {
    write_atomically(path, &to_bytes(path, capture, options)?)
}

/// Returns the bytes that [`write()`] would write to a path.
pub fn to_bytes(path: &Path, capture: &Capture, options: &ExportOptions) -> Result<Vec<u8>, FormatError> {
    let bytes = match extension(path).as_str() {
        "bvh" => bvh::write(capture, options),
        "glb" => gltf::write_glb(capture, options),
        "gltf" => gltf::write_gltf(capture, options),
        other => Err(unsupported(other, "writes", &WRITABLE)),
    };
    // A fault of another file, one to write into, already names that file.
    let named = |error: FormatError| if error.path.as_os_str().is_empty() { error.in_file(path) } else { error };
    bytes.map_err(named)
}

fn unsupported(extension: &str, verb: &str, known: &[&str]) -> FormatError {
    let message = match extension {
        "" => format!("has no extension, such as .bvh, so it is not a file that sinew {verb}"),
        _ => format!(".{extension} is not a kind of file that sinew {verb}"),
    };
    let known = format!("sinew {verb} {}", listed(known));
    let help = match way_out(extension) {
        Some((what, how)) => format!("{what}; {how} ({known})"),
        None => known,
    };
    FormatError::new(message).of_kind(FaultKind::Unsupported).help(help)
}

/// Names a kind of file that people have, and the way from it to one that is read.
fn way_out(extension: &str) -> Option<(&'static str, &'static str)> {
    const BLENDER: &str = "import it into Blender and export glTF 2.0 (.glb) with its animation";
    const OWN: &str = "open it in the program that made it and export glTF 2.0 (.glb) or BVH";
    const SOLVE: &str = "markers need a skeleton first: solve them in the recorder's program and export BVH";
    Some(match extension {
        "fbx" => ("this is an FBX file", BLENDER),
        "usd" | "usda" | "usdc" | "usdz" => ("this is a USD file", BLENDER),
        "dae" => ("this is a COLLADA file", BLENDER),
        "abc" => ("this is an Alembic file, which has no skeleton", OWN),
        "blend" => ("this is a Blender file", "open it in Blender and export glTF 2.0 (.glb) with its animation"),
        "ma" | "mb" => ("this is a Maya scene", OWN),
        "max" => ("this is a 3ds Max scene", OWN),
        "vmd" | "pmx" | "pmd" => ("this is a MikuMikuDance file", OWN),
        "c3d" | "trc" => ("these are marker positions", SOLVE),
        "npz" | "npy" | "pkl" => ("these are arrays of Python", "export BVH with the tools of the data set"),
        "bip" => ("this is a Biped file of 3ds Max", OWN),
        _ => return None,
    })
}

/// Lists extensions for a sentence.
fn listed(known: &[&str]) -> String {
    let (last, others) = known.split_last().unwrap_or((&"", &[]));
    format!(".{} and .{last}", others.join(", ."))
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::format_of;

    #[test]
    fn certain_content_comes_before_the_extension_and_likely_content_after_it() {
        for (head, extension, expected) in [
            (&b"glTF\x02\0\0\0"[..], "bvh", "glb"),
            (b"\xEF\xBB\xBF\r\n hierarchy", "glb", "bvh"),
            (b"\xFF\xFEH\0I\0E\0R\0A\0R\0C\0H\0Y\0", "", "bvh"),
            (b"ROOT hips", "bvh", "bvh"),
            (b" {\"asset\": {}}", "", "gltf"),
            (b" {\"asset\": {}}", "vrm", "vrm"),
            (b"# made by hand\n:version 1.10\n:name a\n:units\n", "", "asf"),
            (b"#!OML:ASF\n:FULLY-SPECIFIED\n:DEGREES\n1\n", "txt", "amc"),
            (b"# notes", "txt", "txt"),
            (b"", "", ""),
        ] {
            assert_eq!(format_of(head, extension), expected, "{}", String::from_utf8_lossy(head));
        }
    }
}

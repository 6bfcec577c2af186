//! Reading of a file: skeleton, clips, and the report of what was found and detected.

use super::accessor::Accessors;
use super::container::Resolver;
use super::read_clips::Reader;
use super::schema::array;
use super::{Document, fingerprint, vrm};
use crate::Skeleton;
use crate::formats::{Capture, Format, FormatError, Guess, ImportOptions, ImportReport, Source, Unit, UpAxis, Warning};
use crate::formats::{check_joints, within_limits};
use crate::{Real, Vec3};
use serde_json::Value;
use std::sync::Arc;

/// Largest height of a captured creature or prop, metres; a taller skeleton has another unit.
const TALLEST: Real = 12.0;
/// Largest size in centimetres; a larger one is in millimetres.
const TALLEST_CENTIMETRES: Real = 600.0;
/// Size below which a skeleton is worth a warning, metres.
const SMALLEST: Real = 0.1;
/// Number of joint samples that any file may ask for; larger files may ask for more.
const SAMPLES: Real = 4e6;

pub(super) fn read(bytes: &[u8], resolve: Resolver, options: &ImportOptions) -> Result<Capture, FormatError> {
    let mut document = Document::open(bytes, resolve)?;
    let json = document.container.json.clone();
    if document.rig.joints.is_empty() {
        return Err(without_skeleton(&json));
    }
    let mut report = ImportReport::new(format(&document), Unit::METRE, options.up.unwrap_or(UpAxis::PlusY));
    let mut rig = (*document.rig).clone();
    rig.set_border(1.0, report.up);
    report.unit = unit(&rig.skeleton(&document.tree)?, options, &mut report.guesses, &mut report.warnings);
    rig.set_border(report.unit.metres, report.up);
    document.rig = Arc::new(rig);
    let mut skeleton = document.skeleton()?;
    check_joints(&skeleton)?;
    vrm::set_roles(&json, &document.rig, &mut skeleton);
    warn_of_limits(&document, &skeleton, &mut report.warnings)?;
    let mut reader = Reader {
        json: &json,
        tree: &document.tree,
        rig: &document.rig,
        skeleton: &skeleton,
        accessors: Accessors::new(&document.container),
        wished_rate: options.rate.filter(|rate| rate.is_finite() && *rate > 0.0),
        budget: SAMPLES + document.container.size as Real / 8.0,
        warnings: Vec::new(),
        resampled: Vec::new(),
        unlike_wish: Vec::new(),
        animations: Vec::new(),
    };
    let clips = reader.run()?;
    report.warnings.append(&mut reader.warnings);
    report.guesses.extend(rate_guess(&reader.resampled, clips.len()));
    let wish = reader.wished_rate.unwrap_or_default();
    report.warnings.extend(unlike_wish(&reader.unlike_wish, wish).map(|message| Warning { line: None, message }));
    document.animations = reader.animations;
    document.originals = clips.iter().map(fingerprint).collect();
    within_limits(Capture { skeleton, clips, report, source: Some(Source::Gltf(document)) })
}

fn format(document: &Document) -> Format {
    match (vrm::is_vrm(&document.container.json), document.container.binary) {
        (true, _) => Format::Vrm,
        (false, true) => Format::Glb,
        (false, false) => Format::Gltf,
    }
}

/// Makes the error of a file without a skin.
fn without_skeleton(json: &Value) -> FormatError {
    let count = |key: &str| array(json, key).map_or(0, <[Value]>::len);
    let say = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let holds = [
        say(count("nodes"), "node", "nodes"),
        say(count("meshes"), "mesh", "meshes"),
        say(count("animations"), "node animation", "node animations"),
    ];
    FormatError::new(format!("has no skin, so there is no skeleton in it; it holds {}", holds.join(", ")))
        .help("export the character with its armature and skinning; sinew moves skeletons, not single objects")
}

/// Detects the unit. glTF is in metres by its standard, but not every exporter keeps to it.
fn unit(skeleton: &Skeleton, options: &ImportOptions, guesses: &mut Vec<Guess>, warnings: &mut Vec<Warning>) -> Unit {
    if let Some(unit) = options.unit {
        return unit;
    }
    let size = extent(skeleton);
    if size <= TALLEST {
        if size > 0.0 && size < SMALLEST {
            let message =
                format!("the skeleton measures only {size:.3} m; --unit tells its true unit if that is wrong");
            warnings.push(Warning { line: None, message });
        }
        return Unit::METRE;
    }
    let unit = if size <= TALLEST_CENTIMETRES { Unit::CENTIMETRE } else { Unit::MILLIMETRE };
    let why = format!("glTF means metres, but the skeleton would measure {size:.1} m");
    guesses.push(Guess::new("unit", unit, why, "--unit"));
    unit
}

/// Returns the longest side of the box around a tree of joints at rest, the largest of all trees.
fn extent(skeleton: &Skeleton) -> Real {
    let world = skeleton.rest_pose().world(skeleton);
    let mut boxes: Vec<(Vec3, Vec3)> = Vec::with_capacity(world.len());
    let mut roots: Vec<usize> = Vec::with_capacity(world.len());
    for (index, (joint, frame)) in skeleton.joints().iter().zip(&world).enumerate() {
        let root = joint.parent.map_or(index, |p| roots[p]);
        roots.push(root);
        boxes.push((frame.position, frame.position));
        boxes[root] = (boxes[root].0.inf(&frame.position), boxes[root].1.sup(&frame.position));
    }
    boxes.iter().map(|(low, high)| (high - low).amax()).fold(0.0, Real::max)
}

/// Warns of what is not read, or only kept.
fn warn_of_limits(document: &Document, skeleton: &Skeleton, warnings: &mut Vec<Warning>) -> Result<(), FormatError> {
    let json = &document.container.json;
    let mut say = |message: String| warnings.push(Warning { line: None, message });
    for name in array(json, "extensionsRequired")?.iter().filter_map(Value::as_str) {
        if name.contains("draco") || name.contains("meshopt") {
            say(format!("the mesh is compressed with {name}; it is kept as it is, skeleton and clips are read"));
        } else {
            say(format!("the file requires {name}, which sinew keeps but does not interpret"));
        }
    }
    for (index, buffer) in document.container.buffers.iter().enumerate() {
        if let Err(why) = buffer {
            let fallback = array(json, "buffers")?[index].get("extensions").is_some();
            if !fallback {
                say(format!("/buffers/{index} {why}"));
            }
        }
    }
    let uneven = document.rig.unevenly_scaled(&document.tree);
    if let Some(&first) = uneven.first() {
        say(format!(
            "{} joints from {:?} on lie below a scale that differs by axis or a shear: positions are exact, \
             bone lengths may change as they turn",
            uneven.len(),
            skeleton.joint(first).name
        ));
    }
    let collapsed = |j: &&super::rig::RigJoint| document.tree.locals[j.node].scale.iter().any(|s| s.abs() < 1e-9);
    if let Some(joint) = document.rig.joints.iter().find(collapsed) {
        let name = document.tree.name(joint.node);
        say(format!("joint {name:?} is scaled to nothing at rest; its rest pose is taken at full size"));
    }
    Ok(())
}

fn rate_guess(resampled: &[(String, Real)], clips: usize) -> Option<Guess> {
    let (name, rate) = resampled.first()?;
    let others = if resampled.len() > 1 { format!(" and {} more", resampled.len() - 1) } else { String::new() };
    let of = if clips == 1 { String::new() } else { format!(" ({name:?}{others})") };
    let why = format!("the keys{of} do not give one sample per frame");
    Some(Guess::new("sampling rate", format!("{} Hz", (rate * 1000.0).round() / 1000.0), why, "--source-rate"))
}

/// Explains why clips have another rate than the one the user gave.
fn unlike_wish(clips: &[(String, Real, bool)], wish: Real) -> impl Iterator<Item = String> {
    let tell = |by_file: bool| {
        let mut concerned = clips.iter().filter(|(.., said)| *said == by_file);
        let (name, rate, _) = concerned.next()?;
        let (rate, more) = ((rate * 1000.0).round() / 1000.0, concerned.count());
        let others = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(if by_file {
            format!("--source-rate {wish} has no effect on {name:?}{others}: the file says {rate} Hz; --rate resamples")
        } else {
            format!(
                "{name:?}{others} cannot be sampled at {wish} Hz, where no sample meets its end: {rate} Hz is the \
                 nearest rate that does; --rate resamples"
            )
        })
    };
    [tell(true), tell(false)].into_iter().flatten()
}

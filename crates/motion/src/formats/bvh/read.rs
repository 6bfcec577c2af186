//! Conventions of bytes into a [`Capture`]: parse, detect conventions, refuse the implausible, interpret.

use super::Damage;
use super::detect::{self, Detected};
use super::document::Document;
use super::interpret::{self, Conventions, FARTHEST, PLAUSIBLE_FRAME_TIMES, Plan};
use super::parse::{self, Parsed};
use crate::formats::{Capture, Format, FormatError, ImportOptions, ImportReport, Source, Warning, within_limits};
use crate::{Real, Vec3};
use std::collections::HashSet;

/// Memory that any file may ask for, bytes: joints without channels cost nothing in a file and a rotation per frame in
/// a clip.
const SMALLEST_MEMORY_LIMIT: usize = 256 << 20;

/// Frame time from which a value is likely a frame rate, seconds.
const LIKELY_A_RATE: Real = 10.0;

pub(super) fn read(bytes: &[u8], options: &ImportOptions) -> Result<Capture, FormatError> {
    let damage = if options.keep_complete { Damage::KeepComplete } else { Damage::Refuse };
    let mut parsed = parse::parse(bytes, damage)?;
    check_size(&parsed, bytes.len())?;
    check_frame_time(&mut parsed, options)?;
    let plan = Plan::new(&parsed.document);
    let Detected { conventions, guesses, up_likelihoods } = detect::detect(&parsed.document, &plan, options);
    check_bones(&parsed, &conventions)?;
    drop_implausible_frames(&mut parsed, &plan, &conventions, damage)?;
    let mut inserted_tpose = None;
    if detect::has_inserted_tpose(&parsed.document, &plan) {
        inserted_tpose = Some(0);
        if options.drop_tpose {
            drop_first_frame(&mut parsed.document);
        }
    }
    let skeleton = interpret::skeleton(&parsed.document, &conventions)?;
    let clip = interpret::clip(&parsed.document, &plan, &conventions)?;
    let mut warnings = parsed.warnings;
    warn_of_repeated_names(&parsed.document, &mut warnings);
    if clip.is_none() && parsed.document.motion.is_some() {
        warnings.push(Warning { line: None, message: "the motion block has no frames".to_owned() });
    }
    let report = ImportReport {
        guesses,
        warnings,
        inserted_tpose,
        position_channels: conventions.positions,
        up_likelihoods,
        ..ImportReport::new(Format::Bvh, conventions.unit, conventions.up)
    };
    let clips = clip.into_iter().collect();
    within_limits(Capture { skeleton, clips, report, source: Some(Source::Bvh(parsed.document)) })
}

fn check_size(parsed: &Parsed, file_size: usize) -> Result<(), FormatError> {
    let (frames, joints) = (parsed.document.frames(), parsed.document.nodes.len());
    let needed = frames.saturating_mul(joints).saturating_mul(size_of::<crate::Quat>());
    let limit = SMALLEST_MEMORY_LIMIT.max(file_size.saturating_mul(8));
    if needed <= limit {
        return Ok(());
    }
    let message =
        format!("{frames} frames of {joints} joints need {} MB of memory, far more than the file holds", needed >> 20);
    Err(FormatError::new(message).help("remove joints that never move, or cut the file into shorter ones"))
}

/// Checks the frame time. Two frames need one; it is never invented.
fn check_frame_time(parsed: &mut Parsed, options: &ImportOptions) -> Result<(), FormatError> {
    let frames = parsed.document.frames();
    let Some(motion) = &mut parsed.document.motion else { return Ok(()) };
    if let Some(rate) = options.rate {
        motion.frame_time = 1.0 / rate;
    }
    let seconds = motion.frame_time;
    if PLAUSIBLE_FRAME_TIMES.contains(&seconds) {
        if let Some(at) =
            parsed.rows.frame_time.filter(|_| seconds >= LIKELY_A_RATE && frames > 1 && options.rate.is_none())
        {
            let warning = format!(
                "a frame time of {seconds} means {seconds} s from frame to frame and looks like frames per second; \
                 --source-rate {seconds} reads it so"
            );
            parsed.warnings.push(parsed.text.warning(at, warning));
        }
        return Ok(());
    }
    let (message, at) = match parsed.rows.frame_time {
        Some(at) => (format!("the frame time is {seconds:?} s"), at),
        None => ("the motion block has no \"Frame Time:\" line".to_owned(), parsed.rows.start),
    };
    if frames > 1 {
        return Err(parsed
            .text
            .error(at, format!("{message}, so the speed of the motion is unknown"))
            .help("give the frames per second with --source-rate, or write \"Frame Time: 0.0333333\" there for 30"));
    }
    let warning = format!("{message}; that does not matter for fewer than two frames");
    parsed.warnings.push(parsed.text.warning(at, warning));
    Ok(())
}

/// Refuses bones longer than any captured motion is wide.
fn check_bones(parsed: &Parsed, conventions: &Conventions) -> Result<(), FormatError> {
    let unit = conventions.unit;
    let Some((joint, length)) = interpret::overlong_bone(&parsed.document, unit) else { return Ok(()) };
    let name = &parsed.document.nodes[joint].name;
    let message = format!("joint {name:?} has a bone of {} m ({unit})", metres(length));
    Err(parsed.text.error(parsed.joint_places[joint], message).help("check its OFFSET, or name the unit with --unit"))
}

/// A length for a message: plain as far as that can be read.
pub(super) fn metres(length: Real) -> String {
    if length < 1e6 { format!("{length:.0}") } else { format!("{length:.1e}") }
}

/// Refuses frames farther away than any captured motion, or cuts them off if damage is allowed.
fn drop_implausible_frames(
    parsed: &mut Parsed,
    plan: &Plan,
    conventions: &Conventions,
    damage: Damage,
) -> Result<(), FormatError> {
    let next_bad =
        |document: &Document, from| interpret::first_implausible_frame(document, plan, conventions.unit, from);
    let Some(first) = next_bad(&parsed.document, 0) else { return Ok(()) };
    let frames = parsed.document.frames();
    let mut best = 0..0;
    let mut start = 0;
    while start < frames {
        let end = next_bad(&parsed.document, start).unwrap_or(frames);
        if end - start > best.len() {
            best = start..end;
        }
        start = end + 1;
    }
    let number = |frame: usize| frame + parsed.rows.skipped + 1;
    let place = parsed.rows.place(&parsed.text.bytes, first);
    let mut error = parsed.text.error(place, implausible(&parsed.document, plan, conventions, first, number(first)));
    let keep =
        format!("frames {} to {} can be kept with --keep-complete", number(best.start), number(best.end.max(1) - 1));
    let unit = "if the unit is wrong, name it with --unit";
    error = error.help(if best.is_empty() { unit.to_owned() } else { format!("{keep}; {unit}") });
    if damage == Damage::Refuse || best.is_empty() {
        return Err(error);
    }
    let (from, to) = (number(best.start), number(best.end - 1));
    let message = format!("{}; only frames {from} to {to} were kept", error.message);
    parsed.warnings.push(Warning { line: error.line, message });
    let channels = parsed.document.channel_count();
    if let Some(motion) = &mut parsed.document.motion {
        motion.values.truncate(best.end * channels);
        motion.values.drain(..best.start * channels);
    }
    Ok(())
}

/// Describes the fault of an implausible frame.
fn implausible(document: &Document, plan: &Plan, conventions: &Conventions, frame: usize, number: usize) -> String {
    let channels = document.channel_count();
    let values = document.motion.as_ref().map_or(&[][..], |motion| &motion.values[..]);
    let row = &values[frame * channels..(frame + 1) * channels];
    let far = |(k, joint): (usize, &interpret::JointPlan)| {
        let position: Vec3 = joint.channel_position(row) * conventions.unit.metres;
        (position.amax() > FARTHEST).then(|| (k, position.amax()))
    };
    match plan.joints().iter().enumerate().find_map(far) {
        Some((joint, distance)) => {
            let (name, unit) = (&document.nodes[joint].name, conventions.unit);
            format!("frame {number} puts {name:?} {} m away (unit {unit}), where nothing is captured", metres(distance))
        }
        None => format!("frame {number} holds an angle of more than a million turns"),
    }
}

fn drop_first_frame(document: &mut Document) {
    let channels = document.channel_count();
    if let Some(motion) = &mut document.motion {
        motion.values.drain(..channels);
    }
}

fn warn_of_repeated_names(document: &Document, warnings: &mut Vec<Warning>) {
    let mut seen = HashSet::new();
    let mut repeated: Vec<&str> = Vec::new();
    let mut told = HashSet::new();
    for name in document.nodes.iter().map(|node| node.name.as_str()) {
        if !seen.insert(name) && told.insert(name) {
            repeated.push(name);
        }
    }
    let Some(first) = repeated.first() else { return };
    let more = match repeated.len() - 1 {
        0 => String::new(),
        n => format!(", and {n} other names stand more than once"),
    };
    warnings.push(Warning { line: None, message: format!("several joints are called {first:?}{more}") });
}

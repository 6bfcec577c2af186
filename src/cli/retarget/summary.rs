//! Summary of retargeted clips as text and as JSON.

use super::{Batch, MovedClip};
use crate::cli::lead::{Lead, add_doubts};
use crate::cli::output::{Facts, Paint, count, number};
use crate::cli::report::Comparison;
use crate::cli::report::summary::table;
use serde_json::{Map, Value, json};
use sinew::formats::ImportReport;
use sinew::measure::{Acceptance, Grade, Judgement, Key, Report};
use sinew::motion::Role;
use sinew::retarget::{Body, JointMap};
use std::path::Path;

/// The map as lines, fingers and eyes only counted.
pub fn map_text(map: &JointMap, source: &Body, target: &Body) -> String {
    let mut rows = Vec::new();
    let mut small = 0;
    for mapping in &map.joints {
        if matches!(mapping.role, Role::Finger(..) | Role::Eye(_) | Role::Jaw) {
            small += 1;
            continue;
        }
        let name = |body: &Body, j: usize| body.skeleton().joint(j).name.clone();
        rows.push([
            name(target, mapping.target),
            name(source, mapping.source),
            mapping.role.to_string(),
            format!("{} %", number(100.0 * mapping.confidence, 0)),
        ]);
    }
    let wide = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths = [wide(0), wide(1), wide(2)];
    let mut text = String::new();
    for [to, from, role, sure] in &rows {
        text.push_str(&format!("  {to:<0$} ← {from:<1$}  {role:<2$}  {sure:>5}\n", widths[0], widths[1], widths[2]));
    }
    if small > 0 {
        text.push_str(&format!("  … and {} of fingers and face\n", count(small, "joint")));
    }
    text
}

pub fn map_json(map: &JointMap, source: &Body, target: &Body) -> Value {
    let joints = map.joints.iter().map(|mapping| {
        json!({
            "target": target.skeleton().joint(mapping.target).name,
            "source": source.skeleton().joint(mapping.source).name,
            "role": mapping.role.to_string(),
            "main": mapping.role.is_main(),
            "confidence": mapping.confidence,
        })
    });
    joints.collect()
}

/// The first lines about a file: good or not, and why not. A reason of one of several clips names its clip.
fn lead<'a>(target: (&Path, &ImportReport), batch: &'a Batch, measured: &[Comparison]) -> Lead<'a> {
    let judged: Vec<Judgement> = measured
        .iter()
        .map(|measured| Acceptance::of_transfer(&measured.before.1, &measured.after.1).judgement())
        .collect();
    let worst = judged.iter().max_by_key(|judgement| judgement.grade()).cloned();
    let mut judgement = worst.unwrap_or_else(|| Judgement::good("nothing was to be moved"));
    if judged.len() > 1 {
        let good = judged.iter().filter(|judgement| judgement.grade() == Grade::Good).count();
        judgement = Judgement::good(format!("{good} of {} clips came over well", judged.len()));
        for (clip, judged) in measured.iter().map(|measured| &measured.after.0.clip).zip(&judged) {
            let named = |(grade, reason): &(Grade, String)| (*grade, format!("in {:?} {reason}", clip.name));
            judgement.reasons.extend(judged.reasons.iter().map(named));
        }
    }
    add_doubts(&mut judgement, target.1, Some(target.0));
    let subject = format!("{} → {}", batch.input.display(), target.0.display());
    Lead { subject, judgement, import: Some(&batch.capture.report) }
}

pub fn batch_text(
    target: (&Path, &ImportReport),
    batch: &Batch,
    measured: &[Comparison],
    verbose: bool,
    paint: Paint,
) -> String {
    let mut facts = Facts::default();
    let (n, least) = &batch.mapped;
    let least = least.as_ref().map_or(String::new(), |(name, confidence)| {
        format!(", the least certain is {name} with {} %", number(100.0 * confidence, 0))
    });
    facts.add("map", format!("{}{least}", count(*n, "joint")));
    batch.notes.iter().for_each(|note| facts.add("note", note.clone()));
    let mut text = lead(target, batch, measured).to_text(facts, verbose, paint);
    if verbose {
        text.push_str(&paint.faint(&batch.map_text));
    }
    for (clip, measured) in batch.clips.iter().zip(measured) {
        text.push_str(&clip_text(clip, &measured.after.0.clip.name));
        text.push_str(&table(&measured.before.1, Some(&measured.after.1), verbose, paint));
    }
    text
}

/// Describes a clip, by the name under which it was written, and how it was moved.
fn clip_text(clip: &MovedClip, written: &str) -> String {
    let moved = &clip.moved;
    let how = match moved.same {
        true => "the same skeleton: as it was".to_owned(),
        false => {
            let scale = number(moved.scale, 3);
            let size =
                if moved.by_legs { format!("legs {scale} times as long") } else { format!("{scale} times as large") };
            let treadmill = match moved.treadmill.norm() {
                0.0 => String::new(),
                speed => format!(", in place as on a treadmill of {} m/s", number(speed, 2)),
            };
            format!("{size}, ground at {} m{treadmill}", number(moved.ground, 3))
        }
    };
    format!("  clip {written:?}, {}, {how}\n", count(clip.source.frames(), "frame"))
}

pub fn batch_json(target: (&Path, &ImportReport), batch: &Batch, measured: &[Comparison]) -> Value {
    let clips: Vec<Value> = batch
        .clips
        .iter()
        .zip(measured)
        .map(|(clip, measured)| {
            let moved = &clip.moved;
            json!({
                "clip": measured.after.0.clip.name,
                "frames": clip.source.frames(),
                "rate_hz": moved.clip.rate_hz(),
                "scale": moved.scale,
                "ground_m": moved.ground,
                "treadmill_m_s": moved.treadmill.norm(),
                "same_skeleton": moved.same,
                "before": figures(&measured.before.1),
                "after": figures(&measured.after.1),
            })
        })
        .collect();
    let mut object =
        json!({ "input": batch.input.display().to_string(), "map": batch.map, "notes": batch.notes, "clips": clips });
    lead(target, batch, measured).put_into(&mut object);
    object
}

fn figures(report: &Report) -> Value {
    let mut map = Map::new();
    for &key in Key::ALL {
        map.insert(
            key.name().to_owned(),
            report.get(key).map_or(Value::Null, |v| if key == Key::Spikes { json!(v as u64) } else { json!(v) }),
        );
    }
    Value::Object(map)
}

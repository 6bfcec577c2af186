//! Summary of retargeted clips as text and as JSON.

use super::{Batch, MovedClip};
use crate::cli::output::{Paint, count, number};
use crate::cli::report::Comparison;
use serde_json::{Map, Value, json};
use sinew::measure::{Key, Report};
use sinew::motion::Role;
use sinew::retarget::{Body, JointMap};
use std::path::Path;

/// The rows of the table.
const ROWS: [(&str, Key); 10] = [
    ("foot skate, by points", Key::SkatePath),
    ("foot skate, whole feet", Key::SkateFoot),
    ("deepest in the ground", Key::PenetrationMax),
    ("in the ground, mean", Key::PenetrationMean),
    ("frames that float", Key::FloatShare),
    ("residual force, mean", Key::ResidualForceMean),
    ("residual force, most", Key::ResidualForceMax),
    ("velocity spikes", Key::Spikes),
    ("outside joint limits", Key::LimitsShare),
    ("worst excess", Key::LimitsWorst),
];

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

pub fn batch_text(target: &Path, batch: &Batch, measured: &[Comparison], paint: Paint) -> String {
    let mut text = format!("{} → {}\n", paint.title(&batch.input.display().to_string()), target.display());
    text.push_str(&paint.faint(&batch.map_text));
    for note in &batch.notes {
        text.push_str(&format!("  {}  {note}\n", paint.faint("note")));
    }
    for (clip, measured) in batch.clips.iter().zip(measured) {
        text.push_str(&table(clip, measured, paint));
    }
    text
}

fn table(clip: &MovedClip, measured: &Comparison, paint: Paint) -> String {
    let moved = &clip.moved;
    let (before, after) = (&measured.before.1, &measured.after.1);
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
    let mut text = format!("  clip {:?}, {}, {how}\n", moved.clip.name, count(clip.source.frames(), "frame"));
    text.push_str(&paint.faint(&format!("    {:<26}{:>10}{:>10}\n", "", "before", "after")));
    for (label, key) in ROWS {
        let show = |report: &Report| report.get(key).map_or_else(|| "–".to_owned(), |value| number(value, 2));
        // What is not seen in the numbers is not worth a word.
        let seen = show(after) != show(before);
        let worse = seen && after.worse_than(before, key) == Some(true);
        let verdict = if worse { paint.warning("  worse") } else { String::new() };
        text.push_str(&format!(
            "    {}{:>10}{:>10} {}{verdict}\n",
            paint.faint(&format!("{label:<26}")),
            show(before),
            show(after),
            paint.faint(key.unit())
        ));
    }
    text
}

pub fn batch_json(batch: &Batch, measured: &[Comparison]) -> Value {
    let clips: Vec<Value> = batch
        .clips
        .iter()
        .zip(measured)
        .map(|(clip, measured)| {
            let moved = &clip.moved;
            json!({
                "clip": moved.clip.name,
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
    json!({ "input": batch.input.display().to_string(), "map": batch.map, "notes": batch.notes, "clips": clips })
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

//! Comparison with force plates as text and as JSON.

use crate::cli::failure::Failure;
use crate::cli::output::{Facts, Paint, count, number};
use serde_json::{Value, json};
use sinew::Vec3;
use sinew::measure::plates::{Alignment, FootComparison};
use sinew::measure::{FootForces, PlateComparison, PlateOptions, Plates};
use std::path::Path;

/// Plates, and the clips that were compared with them.
pub struct Compared {
    plates: Plates,
    /// Clip and result.
    clips: Vec<PlateComparison>,
}

impl Compared {
    /// Compares clips with the plates of a file. The alignment of the first holds for all.
    pub fn new(path: &Path, told: &[FootForces], options: PlateOptions) -> Result<Self, Failure> {
        let plates = Plates::read(path)?;
        let mut options = options;
        let mut clips: Vec<PlateComparison> = Vec::new();
        for told in told {
            let compared = PlateComparison::between(told, &plates, &options).map_err(|error| {
                Failure::content(format!("{}: {error}", path.display()))
                    .help("--plates-start SECONDS states the time of the first frame on the clock of the plates")
            })?;
            options = PlateOptions { start: Some(compared.alignment.start), mass: Some(compared.alignment.mass) };
            clips.push(compared);
        }
        Ok(Self { plates, clips })
    }

    /// Formats alignment and numbers as text.
    pub fn to_text(&self, path: &Path, paint: Paint) -> String {
        let mut text = format!("\n{}\n", paint.title(&path.display().to_string()));
        let Some(first) = self.clips.first() else { return text };
        text.push_str(&facts(&self.plates, &first.alignment).print(paint));
        let mut rows: Vec<[String; 5]> = vec![["", "", "clip", "plates", ""].map(str::to_owned)];
        for (index, compared) in self.clips.iter().enumerate() {
            let word = if self.clips.len() < 2 { "" } else { ["before ", "after "][index.min(1)] };
            for (foot, side) in compared.feet.iter().zip(["left", "right"]) {
                match foot {
                    Some(foot) => rows.extend(foot_rows(&format!("{word}{side}"), foot)),
                    None => rows.push([
                        format!("{word}{side}"),
                        "no footfall measured".to_owned(),
                        String::new(),
                        String::new(),
                        String::new(),
                    ]),
                }
            }
            if let Some([told, measured]) = compared.double_support {
                rows.push([
                    word.to_owned(),
                    "double support".to_owned(),
                    number(told, 1),
                    number(measured, 1),
                    "%".to_owned(),
                ]);
            }
        }
        let widths: Vec<usize> =
            (0..5).map(|c| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0)).collect();
        for row in &rows {
            let line = format!(
                "  {:<a$}  {:<b$}  {:>c$}  {:>d$} {}",
                row[0],
                row[1],
                row[2],
                row[3],
                paint.faint(&row[4]),
                a = widths[0],
                b = widths[1],
                c = widths[2],
                d = widths[3],
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// Formats numbers and curves as JSON: one object, with a result a list of two.
    pub fn to_json(&self, path: &Path) -> Value {
        let one = |compared: &PlateComparison| {
            let Alignment { start, start_found, mass, mass_found, yaw, shift, axes_found } = compared.alignment;
            let feet = compared.feet.iter().map(|foot| foot.as_ref().map_or(Value::Null, foot_json));
            let [left, right]: [Value; 2] = feet.collect::<Vec<_>>().try_into().unwrap_or_default();
            json!({
                "file": path.display().to_string(),
                "remarks": self.plates.remarks,
                "alignment": {
                    "start_s": start, "start_found": start_found,
                    "mass_kg": mass, "mass_found": mass_found,
                    "yaw_deg": yaw.to_degrees(), "shift_m": xyz(&shift), "axes_found": axes_found,
                },
                "forward": xyz(&compared.forward),
                "double_support_pct": compared.double_support.map(|[told, measured]| json!({ "clip": told, "plates": measured })),
                "left": left,
                "right": right,
            })
        };
        match &self.clips[..] {
            [only] => one(only),
            all => all.iter().map(one).collect(),
        }
    }
}

fn facts(plates: &Plates, alignment: &Alignment) -> Facts {
    let mut facts = Facts::default();
    let (first, last) = (plates.times.first().copied().unwrap_or(0.0), plates.times.last().copied().unwrap_or(0.0));
    let names: Vec<&str> = plates.plates.iter().map(|plate| plate.name.as_str()).collect();
    facts.add(
        "plates",
        format!("{}, {} to {} s: {}", count(names.len(), "plate"), number(first, 3), number(last, 3), names.join(", ")),
    );
    let how = |found: bool| if found { "found from the curves" } else { "as stated" };
    let start = match (alignment.start_found, alignment.start) {
        (false, 0.0) => "both have one clock".to_owned(),
        (found, start) => format!("the first frame is at {} s of the plates, {}", number(start, 4), how(found)),
    };
    facts.add("time", start);
    facts.add("mass", format!("{} kg by the plates, {}", number(alignment.mass, 1), how(alignment.mass_found)));
    let axes = match alignment.axes_found {
        false => "the same as those of the clip".to_owned(),
        true => format!(
            "turned by {}° and moved by {} m, found from the centres of pressure",
            number(alignment.yaw.to_degrees(), 1),
            number(alignment.shift.norm(), 3)
        ),
    };
    facts.add("axes", axes);
    plates.remarks.iter().for_each(|remark| facts.add("note", remark.clone()));
    facts
}

fn foot_rows(name: &str, foot: &FootComparison) -> Vec<[String; 5]> {
    let axes = ["vertical", "forward", "sideways"];
    let mut rows = Vec::new();
    let mut row = |what: String, told: String, measured: String, unit: String| {
        let first = if rows.is_empty() { name.to_owned() } else { String::new() };
        rows.push([first, what, told, measured, unit]);
    };
    for (k, axis) in axes.iter().enumerate() {
        let r = foot.correlation[k].map_or_else(String::new, |r| format!(", r {}", number(r, 3)));
        row(format!("{axis} difference"), number(100.0 * foot.rms[k], 1), String::new(), format!("% BW rms{r}"));
    }
    row("peak".to_owned(), number(foot.peak[0], 2), number(foot.peak[1], 2), "BW".to_owned());
    for event in &foot.events {
        let what = if event.touch_down { "touch-down" } else { "take-off" };
        let told = event.told.map_or_else(|| "–".to_owned(), |told| format!("{told:.3}"));
        let off = event.told.map_or_else(String::new, |told| format!("s, {:+.0} ms", 1e3 * (told - event.measured)));
        row(what.to_owned(), told, format!("{:.3}", event.measured), off);
    }
    if let Some(pressure) = foot.pressure {
        row("centre of pressure".to_owned(), number(1e3 * pressure, 1), String::new(), "mm rms".to_owned());
    }
    rows
}

fn foot_json(foot: &FootComparison) -> Value {
    let axes = |values: [Value; 3]| {
        let [vertical, forward, sideways] = values;
        json!({ "vertical": vertical, "forward": forward, "sideways": sideways })
    };
    let place = |place: &Option<Vec3>| place.as_ref().map_or(Value::Null, xyz);
    json!({
        "footfalls": foot.footfalls,
        "rms_pct_bw": axes(foot.rms.map(|rms| json!(100.0 * rms))),
        "correlation": axes(foot.correlation.map(|r| json!(r))),
        "peak_bw": { "clip": foot.peak[0], "plates": foot.peak[1] },
        "pressure_rms_mm": foot.pressure.map(|metres| 1e3 * metres),
        "events": foot.events.iter().map(|event| json!({
            "kind": if event.touch_down { "touch-down" } else { "take-off" },
            "clip_s": event.told,
            "plates_s": event.measured,
            "difference_ms": event.told.map(|told| 1e3 * (told - event.measured)),
        })).collect::<Value>(),
        "curves": {
            "frame": foot.curve.iter().map(|at| at.frame + 1).collect::<Vec<_>>(),
            "clip_bw": foot.curve.iter().map(|at| at.told).collect::<Vec<_>>(),
            "plates_bw": foot.curve.iter().map(|at| at.measured).collect::<Vec<_>>(),
            "clip_pressure_m": foot.curve.iter().map(|at| place(&at.told_pressure)).collect::<Vec<_>>(),
            "plates_pressure_m": foot.curve.iter().map(|at| place(&at.measured_pressure)).collect::<Vec<_>>(),
        },
    })
}

fn xyz(v: &Vec3) -> Value {
    json!([v.x, v.y, v.z])
}

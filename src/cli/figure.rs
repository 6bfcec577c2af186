//! The physical figure of a file, for `sinew info --figure`.

use super::failure::Failure;
use super::output::{Facts, Paint, count, kilograms, metres, number, some_of};
use super::outputs::{Outputs, OverwriteArgs};
use super::values::{quantity, stature};
use clap::Args;
use serde_json::{Value, json};
use sinew::dynamics::Placement;
use sinew::figure::{AttachmentKind, CaptureOptions, Figure, Limits, Loss, SegmentSource, Widened, for_skeleton};
use sinew::formats::{Capture, gltf};
use std::path::{Path, PathBuf};

/// Options of the physical figure.
#[derive(Args, Debug)]
#[command(next_help_heading = "Figure")]
pub struct FigureArgs {
    /// Show the physical figure: segments, masses, joints and their limits, what was folded
    #[arg(long)]
    figure: bool,
    /// Total mass of the figure in kg [default: by height, or by volume]
    #[arg(long, value_name = "KG", value_parser = quantity, allow_negative_numbers = true)]
    mass: Option<f64>,
    /// Standing height in metres, for masses and thickness of segments; the skeleton stays as it is [default: measured]
    #[arg(long, value_name = "M", value_parser = stature, allow_negative_numbers = true)]
    height: Option<f64>,
    /// Write the figure to a file that can be edited (see docs/figures.md)
    #[arg(long, value_name = "OUT.toml")]
    pub save_figure: Option<PathBuf>,
    #[command(flatten)]
    pub overwrite: OverwriteArgs,
}

/// A figure with what its clip did to it.
pub struct FigureSummary {
    pub figure: Figure,
    widened: Vec<Widened>,
    losses: Vec<Loss>,
    /// Share of the height at which the centre of mass of the standing body is.
    centre: f64,
}

impl FigureArgs {
    pub fn wanted(&self) -> bool {
        self.figure || self.mass.is_some() || self.height.is_some() || self.save_figure.is_some()
    }

    /// Body that the options ask for.
    pub fn body(&self) -> CaptureOptions<'static> {
        CaptureOptions { mass: self.mass, height: self.height, ..CaptureOptions::default() }
    }

    /// Builds the figure of a capture that was read from a file, and puts it to the outputs, if asked.
    pub fn summarise(&self, file: &Path, capture: &Capture, outputs: &mut Outputs) -> Result<FigureSummary, Failure> {
        // A skin that cannot be read is no reason to refuse the skeleton.
        let skin = gltf::skin_vertices(capture).ok().flatten();
        let clip = capture.clips.first().filter(|clip| clip.frames() > 0);
        let (figure, widened) = for_skeleton(&capture.skeleton, clip, skin.as_deref(), &self.body())
            .map_err(|error| Failure::usage(error.to_string()))?;
        let losses = clip.map(|clip| figure.losses(clip)).unwrap_or_default();
        let share = |placements: &[Placement]| {
            (figure.centre_of_mass(placements).y - figure.lowest_point(placements)) / figure.height
        };
        let rest = share(&figure.placements(&capture.skeleton.rest_pose()));
        let stands = capture.skeleton.rests_upright();
        let centre = match clip.filter(|_| !stands) {
            None => rest,
            Some(clip) => (0..clip.frames())
                .step_by(clip.frames().div_ceil(200).max(1))
                .map(|frame| share(&figure.placements(&clip.pose(&capture.skeleton, frame))))
                .fold(f64::NEG_INFINITY, f64::max),
        };
        if let Some(path) = &self.save_figure {
            outputs.put(path, figure.text_beside(path, file));
        }
        Ok(FigureSummary { figure, widened, losses, centre })
    }
}

impl FigureSummary {
    /// Describes whether the figure is a plausible living body, with the reasons against it.
    fn plausible(&self) -> String {
        let figure = &self.figure;
        if figure.source == SegmentSource::Volume {
            // Mass over the cube of the height to the crown: 7 kg/m³ for an ostrich, 8 for a giraffe, 33 for a greyhound, 48 for
            // a fox, 54 for a horse, 71 for a large dog, 111 for an elephant, 125 for a cat, 207 for a cow. It does not
            // depend on the unit of the file.
            let range = [5.0, 250.0].map(|share| share * figure.height.powi(3));
            let usual = format!("animals as high weigh {} to {}", kilograms(range[0]), kilograms(range[1]));
            let verdict = match (range[0]..=range[1]).contains(&figure.mass()) {
                true => format!("plausible: {usual}"),
                false if figure.mass() < range[0] => format!("thinner than any animal: {usual}"),
                false => format!("stouter than any animal: {usual}"),
            };
            let centre = number(self.centre, 2);
            return format!(
                "{verdict}; centre of mass at {centre} of the height; by volume, fur and clothes counted as flesh; --mass sets the mass"
            );
        }
        let index = figure.mass() / (figure.height * figure.height);
        let mut doubts = Vec::new();
        if !(0.5..=2.3).contains(&figure.height) {
            doubts.push(format!("a height of {} is no person's; is the unit right?", metres(figure.height)));
        }
        if !(12.0..=40.0).contains(&index) {
            doubts.push(format!("a body-mass index of {} is no person's", number(index, 1)));
        }
        if !(0.5..=0.64).contains(&self.centre) {
            doubts.push(format!(
                "the centre of mass lies at {} of the height, people's at 0.54 to 0.6",
                number(self.centre, 2)
            ));
        }
        if doubts.is_empty() {
            return format!(
                "plausible: body-mass index {}, centre of mass at {} of the height as it rests",
                number(index, 1),
                number(self.centre, 3)
            );
        }
        if (0.5..=0.64).contains(&self.centre) {
            doubts.push(format!("centre of mass at {} of the height", number(self.centre, 2)));
        }
        doubts.join("; ")
    }

    pub fn describe(&self, paint: Paint) -> String {
        let figure = &self.figure;
        let mut facts = Facts::default();
        let source = match figure.source {
            SegmentSource::Anthropometric => "masses after de Leva 1996",
            SegmentSource::Volume => "masses by volume",
        };
        facts.add(
            "figure",
            format!(
                "{}, {}, {} high{}",
                count(figure.segments().len(), "segment"),
                kilograms(figure.mass()),
                metres(figure.height),
                paint.faint(&format!(", {source}"))
            ),
        );
        facts.add("body", self.plausible());
        for note in &figure.notes {
            facts.add("note", note.message.clone());
        }
        let name = |segment: usize| figure.segment(segment).name.clone();
        if !self.widened.is_empty() {
            let limits: Vec<String> =
                self.widened.iter().map(|w| format!("{} {}", name(w.segment), degrees(w.by))).collect();
            facts.add("widened", format!("limits, to hold the clip: {}", some_of(&limits)));
        }
        for loss in self.losses.iter().filter(|loss| loss.stretch > 1e-3) {
            let (name, far) = (name(loss.segment), metres(loss.stretch));
            facts.add(
                "loss",
                format!("the clip moves {name} by up to {far} against its parent; a rigid figure does not"),
            );
        }
        for loss in self.losses.iter().filter(|loss| loss.off_axis > 0.035) {
            let (name, off) = (name(loss.segment), degrees(loss.off_axis));
            facts.add("loss", format!("the clip turns {name} by up to {off} off its hinge"));
        }
        format!("{}\n{}", facts.print(paint), self.table(paint))
    }

    fn table(&self, paint: Paint) -> String {
        let figure = &self.figure;
        let mut rows = vec![["segment", "role", "kg", "length", "joint", "limits", "with"].map(str::to_owned)];
        for (k, segment) in figure.segments().iter().enumerate() {
            let folded: Vec<String> = figure.folded(k).map(|j| figure.skeleton().joint(j).name.clone()).collect();
            rows.push([
                segment.name.clone(),
                segment.role.map(|role| role.to_string()).unwrap_or_default(),
                number(segment.mass.mass, 3),
                metres(segment.length()),
                segment.attachment.kind.word().to_owned(),
                limits(&segment.attachment.limits),
                some_of(&folded),
            ]);
        }
        let widths: Vec<usize> =
            (0..7).map(|c| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0)).collect();
        let mut text = String::new();
        for (index, row) in rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
            let line = format!("  {}", cells.join("  "));
            let line = line.trim_end();
            text.push_str(&if index == 0 { paint.faint(line) } else { line.to_owned() });
            text.push('\n');
        }
        text
    }

    pub fn to_json(&self) -> Value {
        let figure = &self.figure;
        let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
        let segments: Vec<Value> = figure
            .segments()
            .iter()
            .enumerate()
            .map(|(k, segment)| {
                let folded: Vec<&str> = figure.folded(k).map(|j| figure.skeleton().joint(j).name.as_str()).collect();
                let limits = match segment.attachment.limits {
                    Limits::None => Value::Null,
                    Limits::SwingTwist { swing, twist } => {
                        json!({ "swing_rad": swing, "twist_rad": twist.map(finite) })
                    }
                    Limits::Hinge { range } => json!({ "range_rad": range.map(finite) }),
                };
                json!({
                    "name": segment.name,
                    "parent": segment.parent,
                    "role": segment.role.map(|role| role.to_string()),
                    "mass_kg": segment.mass.mass,
                    "length_m": segment.length(),
                    "centre_m": segment.centre.as_slice(),
                    "joint": segment.attachment.kind.word(),
                    "limits": limits,
                    "folded": folded,
                })
            })
            .collect();
        let widened: Vec<Value> =
            self.widened.iter().map(|w| json!({ "segment": w.segment, "by_rad": finite(w.by) })).collect();
        let losses: Vec<Value> = self
            .losses
            .iter()
            .map(|l| json!({ "segment": l.segment, "stretch_m": l.stretch, "off_axis_rad": l.off_axis }))
            .collect();
        json!({
            "mass_kg": figure.mass(),
            "height_m": figure.height,
            "masses": match figure.source { SegmentSource::Anthropometric => "anthropometric", SegmentSource::Volume => "volume" },
            "centre_of_mass_share": self.centre,
            "plausible": self.plausible(),
            "free": figure.segments().iter().filter(|s| s.attachment.kind == AttachmentKind::Free).count(),
            "segments": segments,
            "widened": widened,
            "losses": losses,
            "notes": figure.notes.iter().map(|n| n.message.as_str()).collect::<Vec<_>>(),
        })
    }
}

fn degrees(radians: f64) -> String {
    if radians.is_finite() { format!("{}°", number(radians.to_degrees(), 0)) } else { "without end".to_owned() }
}

fn limits(limits: &Limits) -> String {
    let range = |[low, high]: [f64; 2]| match low.is_finite() {
        true => format!("{} to {}", degrees(low), degrees(high)),
        false => "free".to_owned(),
    };
    match *limits {
        Limits::None => "none".to_owned(),
        Limits::SwingTwist { swing, twist } => {
            format!("swing {} × {}, twist {}", degrees(swing[0]), degrees(swing[1]), range(twist))
        }
        Limits::Hinge { range: ends } => range(ends),
    }
}

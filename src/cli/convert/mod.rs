//! `sinew convert`: one file in, one file out, with the cuts and changes asked for on the way.
//!
//! The order is always: read, choose clips, cut, resample, mirror, write. Everything that can be refused before
//! reading is refused before reading.

mod character;
mod summary;

use super::clip_choice::find_clip;
use super::cut::CutArgs;
use super::failure::Failure;
use super::import::{ImportArgs, rate};
use super::output::{Paint, count, json_line, number, print, some_of};
use super::outputs::{Outputs, OverwriteArgs, Plan, has_extension};
use super::progress::Spinner;
use super::summary::{ClipSummary, GuessSummary, WarningSummary};
use character::Character;
use clap::Args;
use sinew::formats::{self, Capture, ExportOptions, Format, Source, Unit, UpAxis, Warning};
use sinew::motion::ClipError;
use sinew::motion::edit::{self, Mirror};
use std::path::{Path, PathBuf};
use summary::ConvertSummary;

const EXAMPLES: &str = "Examples:
  sinew convert walk.bvh -o walk.glb
  sinew convert take.bvh -o cut.bvh --start 1.5 --end 600f --rate 60
  sinew convert hero.glb -o run.bvh --clip Run --mirror
  sinew convert walk.bvh -o hero.glb --into hero.glb --in-place --reduce 0.5

Frames are counted from 1, here and in every message. A cut holds both its ends. Nothing is written unless all steps succeed.";

/// A skeleton whose sides differ by more than this part of its size is mirrored with a remark.
const LOPSIDED: f64 = 0.05;

/// Convert a file to BVH, GLB or glTF, cutting, resampling or mirroring it on the way
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", super::EXIT_CODES))]
pub struct ConvertArgs {
    /// File to read: .bvh, .glb, .gltf, .vrm, .asf or .amc (an .amc finds its .asf beside it)
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// File to write; the extension names the format: .bvh, .glb, .gltf
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Tell the reasons of guesses
    #[arg(short, long)]
    verbose: bool,
    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
    /// Let OUT replace IN, or the character of --into, when both are the same file
    #[arg(long)]
    in_place: bool,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    import: ImportArgs,
}

#[derive(Args)]
#[command(next_help_heading = "Changing")]
struct Changes {
    /// Use only this clip; may be given several times [default: all; BVH holds one]
    #[arg(long, value_name = "NAME")]
    clip: Vec<String>,
    #[command(flatten)]
    cut: CutArgs,
    /// Resample to this many frames per second; what is left at the end and fills no frame is cut off
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Drop a T-pose that was inserted before the motion
    #[arg(long)]
    drop_tpose: bool,
    /// Swap left and right
    #[arg(long)]
    mirror: bool,
    /// Drop glTF keys as long as no joint moves by more than this many millimetres
    #[arg(long, value_name = "MM", value_parser = millimetres, allow_negative_numbers = true)]
    reduce: Option<f64>,
    /// Put the clips into this character file, which must have joints of the same names in the same rest pose;
    /// everything in it is kept
    #[arg(long, value_name = "FILE.glb")]
    into: Option<PathBuf>,
}

fn millimetres(text: &str) -> Result<f64, String> {
    let length = text.trim_end_matches("mm").trim().parse().ok().filter(|mm: &f64| mm.is_finite() && *mm > 0.0);
    length.ok_or_else(|| "expected millimetres above 0, such as 0.5".to_owned())
}

impl ConvertArgs {
    /// Runs the verb. With `--json` a failure is printed as an object, too, beside the diagnostic on stderr.
    pub fn run(self) -> Result<(), Failure> {
        let result = self.convert();
        if let (true, Err(failure)) = (self.json, &result) {
            let (input, output) = (self.input.display().to_string(), self.output.display().to_string());
            let object = serde_json::json!({ "input": input, "output": output, "error": failure.to_json() });
            print(&json_line(&object)?)?;
        }
        result
    }

    fn convert(&self) -> Result<(), Failure> {
        let mut outputs = self.refuse_early()?;
        let spinner = Spinner::start(format!("converting {}", self.input.display()));
        let reader = self.import.reader(std::slice::from_ref(&self.input), self.changes.drop_tpose)?;
        let mut capture = reader.read(&self.input)?;
        let left_out = self.choose_clips(&mut capture)?;
        self.refuse_without_clips(&capture)?;
        let mut changes = self.change(&mut capture)?;
        self.replace_originals(&mut capture);
        let into = self.changes.into.as_deref();
        let character = into.map(|file| Character::before(file, &capture.clips)).transpose()?;
        let options =
            ExportOptions { into: self.changes.into.clone(), reduce: self.changes.reduce.map(|mm| mm / 1000.0) };
        let bytes = formats::to_bytes(&self.output, &capture, &options)?;
        self.warn_of_readers(&mut capture, &options);
        let mut already_there = Vec::new();
        if let Some(character) = character {
            character.take_written_names(&self.output, &bytes, &mut capture.clips)?;
            already_there = character.already_there(&capture.clips);
            changes.push(character.to_text());
        }
        let size = bytes.len() as u64;
        outputs.put(&self.output, bytes);
        outputs.write()?;
        drop(spinner);

        let summary = ConvertSummary {
            input: self.input.display().to_string(),
            output: self.output.display().to_string(),
            format: capture.report.format.to_string(),
            joints: capture.skeleton.len(),
            clips: capture.clips.iter().map(ClipSummary::from).collect(),
            left_out,
            already_there,
            unit: capture.report.unit.to_string(),
            up: capture.report.up.to_string(),
            changes,
            bytes: size,
            guesses: capture.report.guesses.iter().map(GuessSummary::from).collect(),
            warnings: capture.report.warnings.iter().map(WarningSummary::from).collect(),
        };
        let lead = summary.lead(&capture.report);
        if self.json {
            let mut object = serde_json::to_value(&summary)
                .map_err(|error| Failure::usage(format!("the result cannot be put as JSON: {error}")))?;
            lead.put_into(&mut object);
            return print(&json_line(&object)?);
        }
        let paint = Paint::for_stdout();
        print(&lead.to_text(summary.facts(), self.verbose, paint))
    }

    /// Adds warnings for content that the output format lacks or that other programs do not read.
    fn warn_of_readers(&self, capture: &mut Capture, options: &ExportOptions) {
        let mut messages = Vec::new();
        if has_extension(&self.output, &["bvh"]) {
            let roots = capture.skeleton.roots().count();
            if roots > 1 {
                messages.push(format!(
                    "the BVH has {roots} roots; many programs read the first one only, or refuse the file"
                ));
            }
            if self.import.names_unit_or_axes() && capture.report.format == Format::Bvh {
                messages.push(
                    "--unit and --up have no effect on the output: a BVH file written as BVH keeps its own".to_owned(),
                );
            }
        } else if self.import.names_unit_or_axes() && formats::gltf::keeps_unit_and_axes(capture, options) {
            messages.push(
                "--unit and --up have no effect on the output: a glTF file written back keeps its own".to_owned(),
            );
        }
        capture.report.warnings.extend(messages.into_iter().map(|message| Warning { line: None, message }));
    }

    /// Checks the options before any file is read.
    fn refuse_early(&self) -> Result<Outputs, Failure> {
        let inputs: Vec<&Path> = std::iter::once(self.input.as_path()).chain(self.changes.into.as_deref()).collect();
        let outputs = Plan::new(inputs.iter().copied().chain(self.import.like()), self.overwrite)
            .update(&self.output, &inputs, self.in_place)?
            .decide()?;
        let to_gltf = !has_extension(&self.output, &["bvh"]);
        if let Some(into) =
            self.changes.into.as_ref().filter(|into| !to_gltf || !has_extension(into, &["glb", "gltf", "vrm"]))
        {
            return Err(Failure::usage(format!("--into {}: clips can be put only into glTF files", into.display()))
                .help("name a .glb, .gltf or .vrm file with --into, and a .glb or .gltf file with -o"));
        }
        if self.changes.reduce.is_some() && !to_gltf {
            return Err(Failure::usage("--reduce: a BVH file has a value for every frame, no keys to drop")
                .help("lower the rate with --rate, or write .glb"));
        }
        Ok(outputs)
    }

    /// Refuses edits of clips for a file without clips. The skeleton alone can be converted.
    fn refuse_without_clips(&self, capture: &Capture) -> Result<(), Failure> {
        if !capture.clips.is_empty() {
            return Ok(());
        }
        let Changes { cut, rate, mirror, reduce, into, .. } = &self.changes;
        let asked = [
            (cut.start.is_some(), "--start"),
            (cut.end.is_some(), "--end"),
            (rate.is_some(), "--rate"),
            (*mirror, "--mirror"),
            (reduce.is_some(), "--reduce"),
            (into.is_some(), "--into"),
        ];
        let options: Vec<&str> = asked.into_iter().filter(|(given, _)| *given).map(|(_, option)| option).collect();
        if options.is_empty() {
            return Ok(());
        }
        let message = format!("{}: has no clip, so there is nothing for {}", self.input.display(), options.join(", "));
        Err(Failure::usage(message).help("the file holds a skeleton alone"))
    }

    /// Keeps the clips asked for; gives back the names of those that do not fit into the output.
    fn choose_clips(&self, capture: &mut Capture) -> Result<Vec<String>, Failure> {
        if !self.changes.clip.is_empty() {
            let found: Result<Vec<usize>, Failure> =
                self.changes.clip.iter().map(|name| find_clip(&self.input, &capture.clips, name)).collect();
            let mut found = found?;
            found.sort_unstable();
            found.dedup();
            let mut index = 0;
            capture.clips.retain(|_| {
                index += 1;
                found.contains(&(index - 1))
            });
        }
        if has_extension(&self.output, &["bvh"]) && capture.clips.len() > 1 {
            return Ok(capture.clips.drain(1..).map(|clip| clip.name).collect());
        }
        Ok(Vec::new())
    }

    /// Cuts, resamples and mirrors the clips. Returns a description of each change.
    fn change(&self, capture: &mut Capture) -> Result<Vec<String>, Failure> {
        let mut notes = self.conversions(capture);
        let Changes { cut, rate, drop_tpose, mirror, .. } = &self.changes;
        if *drop_tpose {
            notes.push(match capture.report.inserted_tpose {
                Some(frame) => format!("T-pose at frame {} dropped", frame + 1),
                None => "no inserted T-pose found".to_owned(),
            });
        }
        if cut.start.is_some() || cut.end.is_some() {
            let [clip] = capture.clips.as_mut_slice() else {
                let clips = count(capture.clips.len(), "clip");
                return Err(Failure::usage(format!(
                    "--start and --end cut one clip, {} has {clips}",
                    self.input.display()
                ))
                .help("choose one with --clip"));
            };
            notes.extend(cut.cut(&self.input, clip)?);
        }
        if let Some(rate) = *rate {
            let mut rates: Vec<String> = capture.clips.iter().map(|clip| number(clip.rate_hz(), 3)).collect();
            rates.dedup();
            let mut lost = Vec::new();
            for clip in &mut capture.clips {
                let before = clip.duration();
                *clip = edit::resample(&capture.skeleton, clip, rate).map_err(|error| self.clip_failure(error))?;
                lost.push(before - clip.duration());
            }
            notes.push(match rates.as_slice() {
                [one] => format!("resampled from {one} Hz"),
                _ => format!("resampled to {} Hz", number(rate, 3)),
            });
            notes.extend(lost_end_note(&lost));
        }
        if *mirror {
            let mirror = Mirror::of(&capture.skeleton);
            for clip in &mut capture.clips {
                *clip = mirror.clip(&capture.skeleton, clip).map_err(|error| self.clip_failure(error))?;
            }
            let asymmetry = mirror.asymmetry(&capture.skeleton);
            notes.push("mirrored".to_owned());
            if asymmetry > LOPSIDED {
                let percent = number(asymmetry * 100.0, 0);
                let message = format!(
                    "left and right of this skeleton differ by {percent} % of its size, the mirrored places with them"
                );
                capture.report.warnings.push(Warning { line: None, message });
            }
        }
        if let Some(mm) = self.changes.reduce {
            notes.push(format!("keys reduced within {} mm", number(mm, 3)));
        }
        Ok(notes)
    }

    /// Unit and up axis, where the output has others than the input. Files that are written back into their own
    /// kind, or into a character, keep those of that file.
    fn conversions(&self, capture: &Capture) -> Vec<String> {
        let to_bvh = has_extension(&self.output, &["bvh"]);
        let unit = match (&capture.source, &self.changes.into) {
            (_, Some(_)) => return Vec::new(),
            (Some(Source::Bvh(_)), _) if to_bvh => return Vec::new(),
            (Some(Source::Gltf(_)), _) if !to_bvh => return Vec::new(),
            _ if to_bvh => Unit::CENTIMETRE,
            _ => Unit::METRE,
        };
        let (from, up) = (capture.report.unit, capture.report.up);
        let mut notes = Vec::new();
        if from != unit {
            notes.push(format!("{from} → {unit}"));
        }
        if up != UpAxis::PlusY {
            notes.push(format!("{up} up → {} up", UpAxis::PlusY));
        }
        notes
    }

    /// Removes the original clips of a glTF document. They would otherwise be written beside the changed ones.
    fn replace_originals(&self, capture: &mut Capture) {
        let Some(Source::Gltf(document)) = &mut capture.source else { return };
        // Keys are reduced while a clip is written, so those that stay as they are would keep theirs.
        let kept = if self.changes.reduce.is_some() { &[] } else { capture.clips.as_slice() };
        let lost = document.keep_only(kept);
        let lost: Vec<String> = lost
            .iter()
            .filter(|lost| capture.clips.iter().any(|clip| clip.name == **lost))
            .map(|name| format!("{name:?}"))
            .collect();
        let message = match lost.as_slice() {
            [] => return,
            [name] => format!("clip {name} also moved morphs or props; the changed clip moves the joints only"),
            names => {
                let (n, names) = (names.len(), some_of(names));
                format!("{n} clips also moved morphs or props; the changed clips move the joints only: {names}")
            }
        };
        capture.report.warnings.push(Warning { line: None, message });
    }

    fn clip_failure(&self, error: ClipError) -> Failure {
        Failure::usage(format!("{}: {error}", self.input.display()))
    }
}

/// Describes the time that resampling cut off the ends of clips, seconds each, if printed durations show it.
fn lost_end_note(lost: &[f64]) -> Option<String> {
    const SHOWS: f64 = 0.0005;
    let longest = lost.iter().copied().fold(0.0, f64::max);
    let milliseconds = number(longest * 1000.0, 0);
    match lost.iter().filter(|&&lost| lost >= SHOWS).count() {
        0 => None,
        1 if lost.len() == 1 => Some(format!("the last {milliseconds} ms fill no frame and are cut off")),
        n => Some(format!("of {} the last {milliseconds} ms or less fill no frame and are cut off", count(n, "clip"))),
    }
}

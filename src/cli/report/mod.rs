//! `sinew report`: how good a motion is, or what became of it.

mod plates;
mod subject;
pub mod summary;

pub use summary::{all_keys, notes};

use super::batch;
use super::cut::CutArgs;
use super::failure::{Exit, Failure};
use super::import::{ImportArgs, Reader};
use super::lead::{Lead, add_doubts};
use super::output::{Paint, json_line, print};
use super::progress::Spinner;
use super::values::{friction, height, quantity, seconds, stature};
use clap::Args;
use serde_json::json;
use sinew::formats::ImportReport;
use sinew::measure::{
    Acceptance, Cutoff, Family, FootForces, Grade, MeasureError, PlateOptions, Report, Subject, SubjectOptions,
};
use std::path::{Path, PathBuf};
pub use subject::{Comparison, Written, compare};

const EXAMPLES: &str = "Examples:
  sinew report walk.bvh
  sinew report walk.bvh filtered.glb
  sinew report takes/*.bvh --each
  sinew report take.bvh --ground 0 --cutoff 6 -v
  sinew report take.bvh --start 1.5 --end 600f
  sinew report hero.glb --clip Run --json
  sinew report walk.bvh filtered.glb --plates walk_grf.mot --mass 71
  sinew report --explain

Two files are a source and its result: every figure is shown before and after, also those that became worse. Three files or
more are measured one by one, two with --each. H is the standing height, BW the body weight. An inserted T-pose before the
motion is not measured.";

/// Measure motions: foot sliding, sinking, floating, forces, effort; or compare a result with its source
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", super::EXIT_CODES))]
pub struct ReportArgs {
    /// Motions to measure: .bvh, .glb, .gltf, .vrm, .asf or .amc; of two files the second is a result made from the first
    #[arg(value_name = "CLIP [RESULT]", required_unless_present = "explain")]
    files: Vec<PathBuf>,
    /// Measure every file by itself, also if there are two
    #[arg(long)]
    each: bool,
    /// Print one JSON object per motion, each on its own line
    #[arg(long)]
    json: bool,
    /// Explain the meaning of every figure
    #[arg(long)]
    explain: bool,
    /// Show all figures, the reasons of guesses, and the contact intervals of each limb
    #[arg(short, long)]
    verbose: bool,
    /// Measured ground forces to compare with those of the motion: .mot or .sto of OpenSim, or .csv
    #[arg(long, value_name = "FILE")]
    plates: Option<PathBuf>,
    /// Time of the first frame on the clock of the plates, seconds [default: found from the curves]
    #[arg(long, value_name = "S", requires = "plates", value_parser = seconds, allow_negative_numbers = true)]
    plates_start: Option<f64>,
    #[command(flatten)]
    measuring: MeasuringArgs,
    #[command(flatten)]
    import: ImportArgs,
}

/// Options of measuring.
#[derive(Args)]
#[command(next_help_heading = "Measuring")]
pub struct MeasuringArgs {
    /// Name of the clip to measure [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    #[command(flatten)]
    cut: CutArgs,
    /// Height of the ground in metres [default: 5th percentile of the lowest foot point]
    #[arg(long, value_name = "Y", value_parser = height, allow_negative_numbers = true)]
    ground: Option<f64>,
    /// Total mass in kg [default: by height, or by volume]
    #[arg(long, value_name = "KG", value_parser = quantity, allow_negative_numbers = true)]
    mass: Option<f64>,
    /// Standing height in metres, for masses and thickness of segments; the skeleton stays as it is [default: measured]
    #[arg(long, value_name = "M", value_parser = stature, allow_negative_numbers = true)]
    height: Option<f64>,
    /// Smooth poses below this frequency before accelerations are taken: Hz, or none
    /// [default: 12 above 50 frames per second, else none]
    #[arg(long, value_name = "HZ", value_parser = cutoff, allow_negative_numbers = true)]
    cutoff: Option<Cutoff>,
    /// Coulomb friction of the ground
    #[arg(long, value_name = "MU", default_value = "0.8", value_parser = friction, allow_negative_numbers = true)]
    friction: f64,
    /// The motion was simulated or optimised, not captured: contacts shorter than 50 ms count; always so for RESULT
    #[arg(long)]
    simulated: bool,
    /// Measure an inserted T-pose, too
    #[arg(long)]
    keep_tpose: bool,
}

impl MeasuringArgs {
    fn options(&self) -> SubjectOptions {
        SubjectOptions {
            ground: self.ground,
            mass: self.mass,
            height: self.height,
            cutoff: self.cutoff.unwrap_or_default(),
            friction: self.friction,
            made: self.simulated,
        }
    }
}

fn cutoff(text: &str) -> Result<Cutoff, String> {
    if text.eq_ignore_ascii_case("none") {
        return Ok(Cutoff::None);
    }
    let hz = text.trim_end_matches("Hz").trim().parse().ok().filter(|hz: &f64| hz.is_finite() && *hz > 0.0);
    hz.map(Cutoff::At).ok_or_else(|| "expected a frequency above 0 Hz, or none".to_owned())
}

impl ReportArgs {
    /// Runs the verb. With `--json` a failure is printed as an object, too, beside the diagnostic on stderr.
    pub fn run(self) -> Result<Exit, Failure> {
        let paint = Paint::for_stdout();
        if !self.files.is_empty() {
            let reader = self.import.reader(&self.files, !self.measuring.keep_tpose)?;
            let name = |file: &Path| file.display().to_string();
            if let ([source, result], false) = (self.files.as_slice(), self.each) {
                let failed = |file: &Path, failure: &Failure| json!({ "clip": name(file), "result": name(result), "error": failure.to_json() });
                let work = |source: &Path| self.report(&reader, source, Some(result));
                batch::each(std::slice::from_ref(source), self.json, failed, work)?;
            } else {
                let failed = |file: &Path, failure: &Failure| json!({ "clip": name(file), "result": null, "error": failure.to_json() });
                let exit = batch::each(&self.files, self.json, failed, |file| self.report(&reader, file, None))?;
                if exit != Exit::Success {
                    return Ok(batch::partly(exit));
                }
            }
        }
        if self.explain && !self.json {
            let gap = if self.files.is_empty() { "" } else { "\n" };
            print(&format!("{gap}{}", definitions(paint)))?;
        }
        Ok(Exit::Success)
    }

    /// Measures one motion, or a source and its result.
    fn report(&self, reader: &Reader, file: &Path, result: Option<&PathBuf>) -> Result<Grade, Failure> {
        let (source, import) = self.open(reader, file, None)?;
        let result = result.map(|file| self.open(reader, file, Some(&source))).transpose()?;
        let before = self.measure(&source, None)?;
        let after = result.as_ref().map(|(result, _)| self.measure(result, Some(&source))).transpose()?;
        let after = result.as_ref().map(|(result, _)| result).zip(after.as_ref());
        let (subject, judged) = match after {
            Some((result, after)) => {
                (format!("{} → {}", file.display(), result.file.display()), Acceptance::of_transfer(&before, after))
            }
            None => (file.display().to_string(), Acceptance::of_motion(&before)),
        };
        let mut judgement = judged.judgement();
        if let Some((result, import)) = &result {
            add_doubts(&mut judgement, import, Some(&result.file));
        }
        let lead = Lead { subject, judgement, import: Some(&import) };
        let grade = lead.whole().grade();
        let plates = match &self.plates {
            Some(path) => Some((path, self.compare_with_plates(path, &source, after.map(|(result, _)| result))?)),
            None => None,
        };
        if self.json {
            let mut object = summary::to_json((&source, &before), after);
            lead.put_into(&mut object);
            if let (Some((path, compared)), Some(object)) = (&plates, object.as_object_mut()) {
                object.insert("plates".to_owned(), compared.to_json(path));
            }
            print(&json_line(&object)?)?;
            return Ok(grade);
        }
        let paint = Paint::for_stdout();
        print(&summary::to_text(&lead, (&source, &before), after, self.verbose, paint))?;
        if let Some((path, compared)) = &plates {
            print(&compared.to_text(path, paint))?;
        }
        Ok(grade)
    }

    fn open(&self, reader: &Reader, file: &Path, source: Option<&Subject>) -> Result<(Subject, ImportReport), Failure> {
        let _spinner = Spinner::start(format!("reading {}", file.display()));
        subject::open(file, reader, &self.measuring, source)
    }

    fn compare_with_plates(
        &self,
        path: &std::path::Path,
        source: &Subject,
        result: Option<&Subject>,
    ) -> Result<plates::Compared, Failure> {
        let _spinner = Spinner::start(format!("comparing with {}", path.display()));
        let subjects = std::iter::once((source, false)).chain(result.map(|result| (result, true)));
        let told: Result<Vec<FootForces>, Failure> = subjects
            .map(|(subject, made)| {
                let forces = subject.foot_forces(&self.measuring.options(), made);
                forces.map_err(|error| Failure::usage(format!("{}: {error}", subject.file.display())))
            })
            .collect();
        let options = PlateOptions { start: self.plates_start, mass: self.measuring.mass };
        plates::Compared::new(path, &told?, options)
    }

    fn measure(&self, subject: &Subject, source: Option<&Subject>) -> Result<Report, Failure> {
        let _spinner = Spinner::start(format!("measuring {}", subject.file.display()));
        subject
            .measure(&self.measuring.options(), source)
            .map_err(|error: MeasureError| Failure::usage(format!("{}: {error}", subject.file.display())))
    }
}

/// Every family with its keys and what they mean.
fn definitions(paint: Paint) -> String {
    let mut text = String::new();
    for family in Family::ALL {
        text.push_str(&format!("{}\n", paint.title(family.word())));
        text.push_str(&summary::wrap(family.definition(), 96));
        for key in family.keys() {
            text.push_str(&paint.faint(&format!("    {:<44} {}\n", key.label(), key.name())));
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

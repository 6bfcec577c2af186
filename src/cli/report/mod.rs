//! `sinew report`: how good a motion is, or what became of it.

mod subject;
pub mod summary;

pub use summary::{all_keys, notes};

use super::failure::Failure;
use super::import::ImportArgs;
use super::output::{Paint, json_line, print};
use super::progress::Spinner;
use clap::Args;
use serde_json::json;
use sinew::measure::{Cutoff, Family, MeasureError, Report, Subject, SubjectOptions};
use std::path::PathBuf;
pub use subject::{Comparison, Written, compare};

const EXAMPLES: &str = "Examples:
  sinew report walk.bvh
  sinew report walk.bvh filtered.glb
  sinew report take.bvh --ground 0 --cutoff 6 -v
  sinew report hero.glb --clip Run --json
  sinew report --explain

With two files every figure is shown before and after, also those that became worse. H is the standing height, BW the body
weight. An inserted T-pose before the motion is not measured.";

/// Measure a motion: foot skate, penetration, residual forces, effort; or compare a result with its source
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", super::EXIT_CODES))]
pub struct ReportArgs {
    /// The motion to measure: .bvh, .glb, .gltf, .vrm, .asf or .amc
    #[arg(value_name = "CLIP", required_unless_present = "explain")]
    clip_file: Option<PathBuf>,
    /// Result made from CLIP; shown beside it and compared with it
    #[arg(value_name = "RESULT")]
    result: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Explain the meaning of every figure
    #[arg(long)]
    explain: bool,
    /// List the contact intervals of each limb
    #[arg(short, long)]
    verbose: bool,
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
    /// Height of the ground in metres [default: 5th percentile of the lowest foot point]
    #[arg(long, value_name = "Y", value_parser = height, allow_negative_numbers = true)]
    ground: Option<f64>,
    /// Total mass in kg [default: by height, or by volume]
    #[arg(long, value_name = "KG", value_parser = crate::cli::figure::quantity, allow_negative_numbers = true)]
    mass: Option<f64>,
    /// Standing height in metres, for masses and thickness of segments; the skeleton stays as it is [default: measured]
    #[arg(long, value_name = "M", value_parser = crate::cli::figure::quantity, allow_negative_numbers = true)]
    height: Option<f64>,
    /// Smooth poses below this frequency before accelerations are taken: Hz, or none
    /// [default: 12 above 50 frames per second, else none]
    #[arg(long, value_name = "HZ", value_parser = cutoff, allow_negative_numbers = true)]
    cutoff: Option<Cutoff>,
    /// Coulomb friction of the ground
    #[arg(long, value_name = "MU", default_value = "0.8", value_parser = friction, allow_negative_numbers = true)]
    friction: f64,
    /// CLIP was simulated or optimised, not captured: contacts shorter than 50 ms count; always so for RESULT
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

fn height(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('m').trim().parse().ok().filter(|v: &f64| v.is_finite());
    value.ok_or_else(|| "expected a height in metres".to_owned())
}

fn friction(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|v: &f64| v.is_finite() && *v >= 0.0);
    value.ok_or_else(|| "expected a number of 0 or more".to_owned())
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
    pub fn run(self) -> Result<(), Failure> {
        let result = self.report();
        if let (true, Err(failure)) = (self.json, &result) {
            let name = |file: &Option<PathBuf>| file.as_ref().map(|file| file.display().to_string());
            let object =
                json!({ "clip": name(&self.clip_file), "result": name(&self.result), "error": failure.to_json() });
            print(&json_line(&object)?)?;
        }
        result
    }

    fn report(&self) -> Result<(), Failure> {
        let Some(file) = &self.clip_file else { return print(&definitions(Paint::for_stdout())) };
        let source = self.open(file, None)?;
        let result = self.result.as_ref().map(|file| self.open(file, Some(&source))).transpose()?;
        let before = self.measure(&source, None)?;
        let after = result.as_ref().map(|result| self.measure(result, Some(&source))).transpose()?;
        let after = result.as_ref().zip(after.as_ref());
        if self.json {
            return print(&json_line(&summary::to_json((&source, &before), after))?);
        }
        let paint = Paint::for_stdout();
        print(&summary::to_text((&source, &before), after, self.verbose, paint))?;
        if self.explain { print(&format!("\n{}", definitions(paint))) } else { Ok(()) }
    }

    fn open(&self, file: &std::path::Path, source: Option<&Subject>) -> Result<Subject, Failure> {
        let _spinner = Spinner::start(format!("reading {}", file.display()));
        let options = self.import.options(!self.measuring.keep_tpose);
        subject::open(file, &options, &self.measuring, source)
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
        let keys: Vec<&str> = family.keys().map(|key| key.name()).collect();
        text.push_str(&format!("{} {}\n", paint.title(family.word()), paint.faint(&keys.join(", "))));
        text.push_str(&summary::wrap(family.definition(), 96));
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

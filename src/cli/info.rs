//! `sinew info`: what is in a file, and what had to be guessed about it.

use super::failure::{Exit, Failure};
use super::figure::{FigureArgs, FigureSummary};
use super::import::ImportArgs;
use super::output::{Facts, Paint, count, json_line, metres, number, print};
use super::outputs::Plan;
use super::progress::Spinner;
use super::summary::{Summary, warning_lines};
use super::tree;
use clap::Args;
use sinew::formats::{self, Capture};
use std::path::{Path, PathBuf};

const WORDS: &str = "Height is how far the skeleton reaches up at rest, from its lowest to its highest joint or bone end, arms left
out; flesh, hair and soles are not in it. A skeleton that does not rest on its feet is measured along its bones from the
ankle to the crown. \"From parent\" is the distance of a joint from the one it hangs on: the length of an upper arm stands
beside the lower arm. Frames are counted from 1.";

/// Clips listed before the rest is only counted.
const CLIPS_SHOWN: usize = 8;

/// Show what is in a file: joints, clips, unit, up axis, height, and what had to be guessed
#[derive(Args)]
#[command(after_help = format!("{WORDS}\n\n{}", super::EXIT_CODES))]
pub struct InfoArgs {
    /// Files to look at: .bvh, .glb, .gltf, .vrm, .asf, .amc
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print one JSON object per file, each on its own line; lengths in metres, times in seconds
    #[arg(long)]
    json: bool,
    /// Show every joint and clip, also of big rigs
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    figure: FigureArgs,
    #[command(flatten)]
    import: ImportArgs,
}

impl InfoArgs {
    /// Looks at every file, also after one failed; the exit is that of the worst.
    pub fn run(self) -> Result<Exit, Failure> {
        let options = self.import.options(false);
        if self.figure.save_figure.is_some() && self.files.len() > 1 {
            return Err(Failure::usage("--save-figure writes one figure, but several files were given"));
        }
        let plan = Plan::new(&self.files, self.figure.overwrite);
        let mut outputs = plan.option("--save-figure", self.figure.save_figure.as_deref(), "toml")?.decide()?;
        let paint = Paint::for_stdout();
        let mut worst = Exit::Success;
        for (index, path) in self.files.iter().enumerate() {
            let read = {
                let _spinner = Spinner::start(format!("reading {}", path.display()));
                formats::read(path, &options)
            };
            match read {
                Ok(capture) => {
                    let summary = self
                        .figure
                        .wanted()
                        .then(|| self.figure.summarise(path, &capture, &mut outputs))
                        .transpose()?;
                    if self.json {
                        print(&self.as_json(path, &capture, summary.as_ref())?)?;
                    } else {
                        let gap = if index > 0 { "\n" } else { "" };
                        print(&format!("{gap}{}", self.describe(path, &capture, summary.as_ref(), paint)))?;
                    }
                }
                Err(error) => {
                    let failure = Failure::from(error);
                    if self.json {
                        let error = failure.to_json();
                        print(&json_line(&serde_json::json!({ "file": path.display().to_string(), "error": error }))?)?;
                    }
                    failure.print();
                    worst = worst.max(failure.exit());
                }
            }
        }
        outputs.write()?;
        Ok(worst)
    }

    fn as_json(&self, path: &Path, capture: &Capture, figure: Option<&FigureSummary>) -> Result<String, Failure> {
        let summary = Summary::of(path, capture);
        let Some(figure) = figure else { return json_line(&summary) };
        let mut value = serde_json::to_value(&summary)
            .map_err(|error| Failure::usage(format!("the result cannot be put as JSON: {error}")))?;
        value["figure"] = figure.to_json();
        json_line(&value)
    }

    fn describe(&self, path: &Path, capture: &Capture, figure: Option<&FigureSummary>, paint: Paint) -> String {
        let summary = Summary::of(path, capture);
        let mut facts = Facts::default();
        facts.add("format", format!("{}, {}", summary.format, count(summary.joints, "joint")));
        let measured = match capture.skeleton.person_height() {
            Some(_) => "sole to crown, added up along the bones",
            None => "lowest to highest bone end at rest",
        };
        facts.add("height", format!("{}{}", metres(summary.height_m), paint.faint(&format!(", {measured}"))));
        self.add_clips(&summary, &mut facts);
        if let Some(frame) = summary.inserted_tpose {
            facts
                .add("T-pose", format!("frame {frame} was put before the motion; sinew convert --drop-tpose drops it"));
        }
        // Guessed values are printed with the reason.
        let reason = |what: &str| {
            let guess = summary.guesses.iter().find(|guess| guess.what == what);
            guess.map(|guess| paint.faint(&format!(", {}", guess.to_text()))).unwrap_or_default()
        };
        facts.add("unit", format!("{}{}", unit(&summary), reason("unit")));
        facts.add("up", format!("{}{}", summary.up, reason("up")));
        for guess in summary.guesses.iter().filter(|guess| !["unit", "up"].contains(&guess.what)) {
            facts.add(guess.what, format!("{}{}", guess.chosen, reason(guess.what)));
        }
        for warning in warning_lines(&summary.warnings) {
            facts.add("warning", warning);
        }
        // The segments of a figure replace the tree of joints.
        let tree = match figure {
            Some(figure) => figure.describe(paint),
            None => tree::draw(&capture.skeleton, self.all, paint),
        };
        format!("{}\n{}\n{tree}", paint.title(&summary.file), facts.print(paint))
    }

    fn add_clips(&self, summary: &Summary, facts: &mut Facts) {
        let clips = &summary.clips;
        let shown = if self.all { clips.len() } else { clips.len().min(CLIPS_SHOWN) };
        let names = clips[..shown].iter().map(|clip| clip.name.chars().count()).max().unwrap_or(0);
        for (index, clip) in clips[..shown].iter().enumerate() {
            let label = match (index, clips.len()) {
                (0, 1) => "clip",
                (0, _) => "clips",
                _ => "",
            };
            facts.add(label, format!("{:<names$}  {}", clip.name, clip.to_text()).trim_start());
        }
        if clips.is_empty() {
            facts.add("clips", "none, a skeleton alone");
        }
        if clips.len() > shown {
            facts.add("", format!("… and {} more (--all lists them)", clips.len() - shown));
        }
    }
}

/// The unit's name with its length, unless one says the other.
fn unit(summary: &Summary) -> String {
    let named_after_its_length = summary.unit.contains(' ');
    if summary.unit_m == 1.0 || named_after_its_length {
        return summary.unit.clone();
    }
    format!("{} ({} m)", summary.unit, number(summary.unit_m, 5))
}

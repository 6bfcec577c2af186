//! `sinew info`: what is in a file, and what had to be guessed about it.

use super::failure::{Exit, Failure};
use super::import::ImportArgs;
use super::output::{Paint, count, json_line, metres, number, print};
use super::progress::Spinner;
use super::summary::Summary;
use super::tree;
use clap::Args;
use sinew::formats::{self, Capture};
use std::path::{Path, PathBuf};

/// Clips listed before the rest is only counted.
const CLIPS_SHOWN: usize = 12;

/// Show what is in a file: joints, clips, unit, up axis, height, and what had to be guessed
#[derive(Args)]
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
    import: ImportArgs,
}

impl InfoArgs {
    /// Looks at every file, also after one failed; the exit is that of the worst.
    pub fn run(self) -> Result<Exit, Failure> {
        let options = self.import.options(false);
        let paint = Paint::for_stdout();
        let mut worst = Exit::Done;
        for (index, path) in self.files.iter().enumerate() {
            let read = {
                let _spinner = Spinner::start(format!("reading {}", path.display()));
                formats::read(path, &options)
            };
            match read {
                Ok(capture) if self.json => print(&json_line(&Summary::of(path, &capture))?)?,
                Ok(capture) => {
                    let gap = if index > 0 { "\n" } else { "" };
                    print(&format!("{gap}{}", self.describe(path, &capture, paint)))?;
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
        Ok(worst)
    }

    fn describe(&self, path: &Path, capture: &Capture, paint: Paint) -> String {
        let summary = Summary::of(path, capture);
        let mut rows = vec![
            ("format", format!("{}, {}", summary.format, count(summary.joints, "joint"))),
            ("height", metres(summary.height_m)),
            ("unit", unit(&summary)),
            ("up", summary.up.clone()),
        ];
        rows.extend(self.clip_rows(&summary));
        if let Some(frame) = summary.inserted_tpose {
            let told = format!("frame {frame} was put before the motion; sinew convert --drop-tpose drops it");
            rows.push(("T-pose", told));
        }
        rows.extend(summary.guesses.iter().map(|guess| ("guessed", guess.tell(paint))));

        let mut text = format!("{}\n", paint.title(&summary.file));
        for (label, value) in rows {
            text.push_str(&format!("  {}  {value}\n", paint.label(label)));
        }
        for warning in &summary.warnings {
            text.push_str(&format!("  {}  {}\n", paint.warning("warning"), warning.tell()));
        }
        text.push('\n');
        text.push_str(&tree::draw(&capture.skeleton, self.all, paint));
        text
    }

    fn clip_rows(&self, summary: &Summary) -> Vec<(&'static str, String)> {
        let clips = &summary.clips;
        let shown = if self.all { clips.len() } else { clips.len().min(CLIPS_SHOWN) };
        let names = clips[..shown].iter().map(|clip| clip.name.chars().count()).max().unwrap_or(0);
        let lines = clips[..shown].iter().map(|clip| match names {
            0 => clip.tell(),
            _ => format!("{:<names$}  {}", clip.name, clip.tell()),
        });
        let first = if clips.len() == 1 { "clip" } else { "clips" };
        let labels = std::iter::once(first).chain(std::iter::repeat(""));
        let mut rows: Vec<_> = labels.zip(lines).collect();
        if clips.is_empty() {
            rows.push(("clips", "none, a skeleton alone".to_owned()));
        }
        if clips.len() > shown {
            rows.push(("", format!("… and {} more (--all lists them)", clips.len() - shown)));
        }
        rows
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

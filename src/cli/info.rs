//! `sinew info`: what is in a file, and what had to be guessed about it.

use super::batch;
use super::failure::{Exit, Failure};
use super::figure::{FigureArgs, FigureSummary};
use super::import::{ImportArgs, Reader};
use super::lead::Lead;
use super::output::{Facts, Paint, count, json_line, metres, number, print};
use super::outputs::{Outputs, Plan};
use super::progress::Spinner;
use super::summary::Summary;
use super::tree;
use clap::Args;
use sinew::formats::Capture;
use sinew::measure::{Grade, Judgement};
use sinew::motion::{BodyPlan, DetectedBody, HUMAN, detect_body};
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
    #[arg(short = 'v', long, visible_alias = "verbose")]
    all: bool,
    #[command(flatten)]
    figure: FigureArgs,
    #[command(flatten)]
    import: ImportArgs,
}

impl InfoArgs {
    /// Looks at every file, also after one failed.
    pub fn run(self) -> Result<Exit, Failure> {
        if self.figure.save_figure.is_some() && self.files.len() > 1 {
            return Err(Failure::usage("--save-figure writes one figure, but several files were given")
                .help("call sinew info once per file"));
        }
        let plan = Plan::new(self.files.iter().map(PathBuf::as_path).chain(self.import.like()), self.figure.overwrite);
        let mut outputs = plan.option("--save-figure", self.figure.save_figure.as_deref(), "toml")?.decide()?;
        let reader = self.import.reader(&self.files, false)?;
        let failed = |file: &Path, failure: &Failure| serde_json::json!({ "file": file.display().to_string(), "error": failure.to_json() });
        let mut misfits = 0;
        let exit = batch::each(&self.files, self.json, failed, |file| {
            let grade = self.look(file, &reader, &mut outputs)?;
            misfits += usize::from(grade == Grade::Bad);
            Ok(grade)
        })?;
        outputs.write()?;
        Ok(if misfits > 0 { exit.max(Exit::BadInput) } else { exit })
    }

    /// Shows what is in one file.
    fn look(&self, path: &Path, reader: &Reader, outputs: &mut Outputs) -> Result<Grade, Failure> {
        let capture = {
            let _spinner = Spinner::start(format!("reading {}", path.display()));
            reader.read_any_size(path)?
        };
        let figure = self.figure.wanted().then(|| self.figure.summarise(path, &capture, outputs)).transpose()?;
        let summary = Summary::of(path, &capture, &self.figure.body());
        let mut judgement = Judgement::good(content(&capture, &summary));
        if let Err(misfit) = reader.check_size(&capture) {
            judgement.add(Grade::Bad, format!("{} ({})", misfit.message, misfit.help.unwrap_or_default()));
        }
        let lead = Lead { subject: path.display().to_string(), judgement, import: Some(&capture.report) };
        match self.json {
            true => print(&self.as_json(&summary, figure.as_ref(), &lead)?)?,
            false => print(&self.describe(&summary, &capture, figure.as_ref(), &lead))?,
        }
        Ok(lead.whole().grade())
    }

    fn as_json(&self, summary: &Summary, figure: Option<&FigureSummary>, lead: &Lead) -> Result<String, Failure> {
        let mut value = serde_json::to_value(summary)
            .map_err(|error| Failure::usage(format!("the result cannot be put as JSON: {error}")))?;
        lead.put_into(&mut value);
        if let Some(figure) = figure {
            value["figure"] = figure.to_json();
        }
        json_line(&value)
    }

    fn describe(&self, summary: &Summary, capture: &Capture, figure: Option<&FigureSummary>, lead: &Lead) -> String {
        let paint = Paint::for_stdout();
        let mut facts = Facts::default();
        facts.add("format", format!("{}, {}", summary.format, count(summary.joints, "joint")));
        let measured = match detect_body(&capture.skeleton, capture.clips.first()).stature {
            _ if self.figure.body().height.is_some() => "as --height says",
            Some(bones) if (bones.height - summary.height_m).abs() < 1e-6 => "sole to crown, added up along the bones",
            Some(_) => "sole to crown of the skin",
            None => "lowest to highest point of the standing body",
        };
        facts.add("height", format!("{}{}", metres(summary.height_m), paint.faint(&format!(", {measured}"))));
        self.add_clips(summary, &mut facts);
        if let Some(frame) = summary.inserted_tpose {
            facts
                .add("T-pose", format!("frame {frame} was put before the motion; sinew convert --drop-tpose drops it"));
        }
        // Guessed values are printed with the reason.
        let reason = |what: &str| {
            let guess = summary.guesses.iter().find(|guess| guess.what == what);
            guess.map(|guess| paint.faint(&format!(", {}", guess.to_text()))).unwrap_or_default()
        };
        facts.add("unit", format!("{}{}", unit(summary), reason("unit")));
        facts.add("up", format!("{}{}", summary.up, reason("up")));
        for guess in summary.guesses.iter().filter(|guess| !["unit", "up"].contains(&guess.what)) {
            facts.add(guess.what, format!("{}{}", guess.chosen, reason(guess.what)));
        }
        // The segments of a figure replace the tree of joints.
        let tree = match figure {
            Some(figure) => figure.describe(paint),
            None => tree::draw(&capture.skeleton, self.all, paint),
        };
        format!("{}\n{}\n{tree}", lead.sentence(paint), lead.untold().then(facts).print(paint))
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

/// Describes the content of a file in a clause.
fn content(capture: &Capture, summary: &Summary) -> String {
    let height = metres(summary.height_m);
    let mass = summary.mass_kg.map_or(String::new(), |mass| format!(" and {} kg", number(mass, 0)));
    let body = match detect_body(&capture.skeleton, capture.clips.first()) {
        DetectedBody { stature: Some(_), human, .. } if human < HUMAN => {
            format!("a character on two legs of {height}{mass}")
        }
        DetectedBody { stature: Some(_), .. } => format!("a person of {height}{mass}"),
        DetectedBody { plan: BodyPlan::Quadruped, .. } => format!("an animal on four legs of {height}{mass}"),
        _ => format!("{} that are no person, {height} high", count(capture.skeleton.len(), "joint")),
    };
    let seconds: f64 = capture.clips.iter().map(|clip| clip.duration()).sum();
    match capture.clips.as_slice() {
        [] => format!("{body}, without motion"),
        clips => format!("{body} in {} of {} s", count(clips.len(), "clip"), number(seconds, 2)),
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

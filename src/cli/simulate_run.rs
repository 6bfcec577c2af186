//! Shared parts of `simulate` and `ragdoll`: options, loading, the run with its progress, the table and the written files.

use super::failure::Failure;
use super::figure::quantity;
use super::filter::motion_file;
use super::import::{ImportArgs, rate};
use super::output::{Paint, count, fine, json_line, number, print};
use super::outputs::{Outputs, OverwriteArgs, Plan};
use super::progress::Bar;
use super::report::{Comparison, Written, all_keys, compare, notes};
use clap::Args;
use serde_json::{Value, json};
use sinew::control::{Animation, Phase, depth_below, ground_height};
use sinew::figure::{CaptureError, CaptureFigure, CaptureOptions, Figure, for_capture};
use sinew::files::nearest;
use sinew::formats::{self, Capture};
use sinew::measure::{Measure, MeasureError, MeasureOptions, Moved, SubjectOptions};
use sinew::motion::Clip;
use sinew::record::{FigureRecording, Recording};
use sinew::simulation::{Run, RunError, Tally, Verdict, clip_of};
use sinew::{Real, Vec3};
use std::path::{Path, PathBuf};

/// Options of both verbs.
#[derive(Args, Debug)]
pub struct CommonArgs {
    /// File to write: .glb, .gltf or .bvh; without it only the table is printed
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Name of the clip to use [default: the first]
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Height of the ground in metres [default: found from the feet]
    #[arg(long, value_name = "Y", allow_negative_numbers = true)]
    pub ground: Option<f64>,
    /// Let the ground rise by this angle in the direction the figure faces; negative falls
    #[arg(long, value_name = "DEG", allow_negative_numbers = true, conflicts_with = "stairs")]
    pub slope: Option<f64>,
    /// Let stairs lead down, or up (--stairs=up), ahead of the figure
    #[arg(long, value_name = "WAY", num_args = 0..=1, require_equals = true, default_missing_value = "down")]
    pub stairs: Option<Stairs>,
    /// Coulomb's friction coefficient of feet and ground
    #[arg(long, value_name = "MU", default_value_t = 0.8, allow_negative_numbers = true)]
    pub friction: f64,
    /// Use this figure file, as sinew info --save-figure writes it [default: built from the skeleton]
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["mass", "height"])]
    pub figure: Option<PathBuf>,
    /// Total mass in kg [default: by height, or by volume]
    #[arg(long, value_name = "KG", value_parser = quantity, allow_negative_numbers = true)]
    pub mass: Option<f64>,
    /// Standing height in metres, for masses and thickness of segments [default: measured]
    #[arg(long, value_name = "M", value_parser = quantity, allow_negative_numbers = true)]
    pub height: Option<f64>,
    /// Steps per second; a whole number of them makes a frame
    #[arg(long, value_name = "HZ", value_parser = rate, default_value = "240", allow_negative_numbers = true)]
    pub rate: f64,
    /// Inner steps per step
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub substeps: i64,
    /// Write all figures and curves (forces, residual, torques) to this file
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Write motion and forces of all bodies to this file, for sinew view
    #[arg(long, value_name = "FILE.json")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub overwrite: OverwriteArgs,
    /// Print the figures as one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub import: ImportArgs,
}

/// Direction of stairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Stairs {
    Up,
    Down,
}

/// A file with a figure and a motion to follow.
pub struct Loaded {
    pub capture: Capture,
    pub figure: Figure,
    pub clip: Clip,
    pub ground: Real,
}

/// Result of a run.
pub struct Outcome {
    pub recording: Recording,
    pub verdict: Verdict,
    /// Duration of the simulated motion, seconds.
    pub simulated: Real,
    /// Computing time, seconds.
    pub spent: Real,
    /// Time at which the figure was let go, seconds.
    pub fell: Option<Real>,
    /// Time from which all bodies were at rest, seconds.
    pub rested: Option<Real>,
    /// Hash of the state of the world at the end.
    pub state_hash: u64,
}

impl CommonArgs {
    /// Checks the options before any file is read.
    pub fn refuse_early(&self, input: &Path) -> Result<Outputs, Failure> {
        let mut plan = Plan::new(std::iter::once(input).chain(self.figure.as_deref()), self.overwrite);
        if let Some(output) = &self.output {
            plan = plan.motion(output)?;
        }
        let outputs = plan
            .option("--report", self.report.as_deref(), "json")?
            .option("--record", self.record.as_deref(), "json")?
            .decide()?;
        let numbers = [("--ground", self.ground), ("--slope", self.slope), ("--friction", Some(self.friction))];
        if let Some((option, _)) = numbers.iter().find(|(_, value)| value.is_some_and(|v| !v.is_finite())) {
            return Err(Failure::usage(format!("{option}: expected a number")));
        }
        if self.slope.is_some_and(|degrees| degrees.abs() > 80.0) {
            return Err(Failure::usage("--slope: expected an angle between -80 and 80 degrees"));
        }
        if self.friction < 0.0 {
            return Err(Failure::usage("--friction: expected a number from 0 on"));
        }
        if !(1..=64).contains(&self.substeps) {
            return Err(Failure::usage("--substeps: expected 1 to 64"));
        }
        Ok(outputs)
    }

    /// Reads the file and builds the figure. A file without clips is its rest pose, if `at_rest` allows that.
    pub fn load(&self, input: &Path, at_rest: bool) -> Result<Loaded, Failure> {
        let options = CaptureOptions {
            clip: self.clip.as_deref(),
            mass: self.mass,
            height: self.height,
            allow_rest: at_rest,
            file: self.figure.as_deref(),
        };
        let (capture, figure, clip) = open_figure(input, &self.import, &options)?;
        let ground = self.ground.or_else(|| ground_height(&figure, &clip)).unwrap_or(0.0);
        Ok(Loaded { capture, figure, clip, ground })
    }
}

/// Reads a file and builds the figure of one of its clips.
pub fn open_figure(
    input: &Path,
    import: &ImportArgs,
    options: &CaptureOptions,
) -> Result<(Capture, Figure, Clip), Failure> {
    let capture = formats::read(input, &import.options(true))?;
    match for_capture(&capture, options) {
        Ok(CaptureFigure { figure, clip, .. }) => Ok((capture, figure, clip)),
        Err(error) => Err(no_figure(input, &capture, options, error)),
    }
}

fn no_figure(input: &Path, capture: &Capture, options: &CaptureOptions, error: CaptureError) -> Failure {
    let message = format!("{}: {error}", input.display());
    match error {
        CaptureError::NoClip => Failure::content(message)
            .help("sinew info shows what is in a file; sinew ragdoll lets a figure fall that has no clip"),
        CaptureError::UnknownClip(name) => match nearest(&name, capture.clips.iter().map(|clip| clip.name.as_str())) {
            Some(near) => Failure::usage(message).help(format!("did you mean {near:?}?")),
            None => {
                Failure::usage(message).help(format!("sinew info lists its {}", count(capture.clips.len(), "clip")))
            }
        },
        CaptureError::File(error) => error.into(),
        CaptureError::NoBody if options.file.is_some() => {
            let file = options.file.unwrap_or(input);
            Failure::content(format!("{}: has no segments", file.display()))
        }
        _ => Failure::content(message),
    }
}

/// Runs for `frames` frames. With `until_rest` the run ends as soon as all bodies rest.
pub fn drive(run: &mut Run, input: &Path, what: String, frames: usize, until_rest: bool) -> Result<Outcome, Failure> {
    let title = input.file_stem().unwrap_or(input.as_os_str()).to_string_lossy().into_owned();
    let mut tally = Tally::default();
    let mut bar = Bar::start(what, frames as u64);
    run.start_recording(title);
    let (mut fell, mut rested) = (None, None);
    for frame in 1..frames {
        for _ in 0..run.steps_per_frame() {
            run.step().map_err(|error| run_failure(&error))?;
            tally.add(run);
        }
        bar.at(frame as u64, run.world.time());
        if let (None, Some(Phase::Fallen { since })) = (fell, run.trip.map(|trip| trip.phase())) {
            fell = Some(since);
        }
        if run.is_at_rest() {
            rested = rested.or(Some(run.world.time()));
            if until_rest {
                break;
            }
        } else {
            rested = None;
        }
    }
    let (simulated, spent) = (run.world.time(), bar.spent());
    let (verdict, state_hash) = (tally.verdict(run), run.world.state_hash());
    Ok(Outcome { recording: run.finish_recording(), verdict, simulated, spent, fell, rested, state_hash })
}

pub fn run_failure(error: &RunError) -> Failure {
    let failure = Failure::content(format!("the simulation cannot go on: {error}"));
    failure.help("a higher --rate or more --substeps may help")
}

/// Returns the largest depth of a clip below the ground, metres; none unless the ground is a plane.
pub fn clip_depth(figure: &Figure, clip: &Clip, run: &Run) -> Option<Real> {
    let settings = run.settings();
    if !settings.terrain.is_plane() {
        return None;
    }
    let normal = settings.terrain.normal(&run.forward());
    let (mut pose, mut frames, mut placements) = (figure.skeleton().rest_pose(), Vec::new(), Vec::new());
    clip.pose_into(0, &mut pose);
    figure.placements_into(&pose, &mut frames, &mut placements);
    let start = placements.first().map_or(Vec3::zeros(), |p| p.position);
    let origin = Vec3::new(start.x, settings.ground, start.z);
    let depth = |frame: usize| {
        clip.pose_into(frame, &mut pose);
        figure.placements_into(&pose, &mut frames, &mut placements);
        depth_below(figure, placements.iter().copied(), &origin, &normal)
    };
    (0..clip.frames()).map(depth).reduce(Real::max)
}

impl Outcome {
    /// The figures as an object.
    pub fn figures(&self, before: Option<Real>) -> Value {
        let v = &self.verdict;
        let finite = |value: Real| if value.is_finite() { json!(value) } else { Value::Null };
        json!({
            "before": { "penetration_max_mm": before.map(|d| d * 1e3) },
            "after": {
                "angle_deg": finite(v.tracking_rms.to_degrees()),
                "angle_max_deg": finite(v.tracking_max.to_degrees()),
                "gap_max_mm": finite(v.worst_gap * 1e3),
                "penetration_max_mm": finite(v.depth * 1e3),
                "residual_force_mean_bw": finite(v.residual_mean),
                "residual_force_max_bw": finite(v.residual_max),
                "residual_torque_mean_bwh": finite(v.residual_torque_mean),
                "residual_torque_max_bwh": finite(v.residual_torque_max),
                "grf_mean_bw": finite(v.contact_mean),
                "grf_peak_bw": finite(v.contact_max),
                "torque_peak_nm": finite(v.torque_max),
            },
            "fell_at_s": self.fell,
            "at_rest_at_s": self.rested,
            "simulated_s": self.simulated,
            "state_hash": format!("{:016x}", self.state_hash),
            "time_factor": finite(self.simulated / self.spent.max(1e-9)),
        })
    }

    /// The recorded figure.
    fn figure(&self) -> Result<FigureRecording<'_>, Failure> {
        self.recording.figure(0).ok_or_else(|| Failure::content("no figure was recorded"))
    }

    /// The curves, frame by frame.
    pub fn curves(&self, figure: &Figure) -> Result<Value, Failure> {
        let recorded = self.figure()?;
        let frames = 0..recorded.frames();
        let three = |v: &Vec3| json!([v.x, v.y, v.z]);
        let contact: Vec<Value> = frames.clone().map(|f| three(&recorded.contact_force(f))).collect();
        let residual: Vec<Value> = frames.clone().map(|f| json!(recorded.residual(f).as_slice())).collect();
        let torques: Vec<Vec<Real>> =
            frames.map(|f| (0..recorded.segments()).map(|k| recorded.torque(f, k).norm()).collect()).collect();
        let names: Vec<&str> = figure.segments().iter().map(|s| s.name.as_str()).collect();
        Ok(json!({
            "rate_hz": recorded.rate_hz(),
            "segments": names,
            "contact_force_n": contact,
            "root_residual_n_nm": residual,
            "joint_torque_nm": torques,
        }))
    }

    /// The table for people.
    pub fn table(&self, before: Option<Real>, paint: Paint) -> String {
        let v = &self.verdict;
        let millimetres = |metres: Real| format!("{} mm", number(metres * 1e3, 2));
        let weights = |mean: Real, max: Real| format!("{} mean, {} max", number(mean, 3), number(max, 2));
        let factor = fine(self.simulated / self.spent.max(1e-9), 1);
        let rows = [
            ("tracking error", "–".to_owned(), angle(v.tracking_rms, v.tracking_max)),
            ("worst joint gap", "–".to_owned(), format!("{} mm", number(v.worst_gap * 1e3, 4))),
            ("deepest in the ground", before.map_or("–".to_owned(), millimetres), millimetres(v.depth)),
            ("root residual, body weights", "–".to_owned(), weights(v.residual_mean, v.residual_max)),
            ("root torque, weight × height", "–".to_owned(), weights(v.residual_torque_mean, v.residual_torque_max)),
            ("contact force, body weights", "–".to_owned(), weights(v.contact_mean, v.contact_max)),
            ("largest joint torque", "–".to_owned(), format!("{} N·m", fine(v.torque_max, 1))),
            ("time factor", "–".to_owned(), format!("{factor} × real time")),
        ];
        let (wide, column) = (28, 10);
        let title = format!("  {:<wide$} {:>column$}   {}", "", "before", "after");
        let mut text = format!("{}\n", paint.faint(&title));
        for (label, was, is) in rows {
            text.push_str(&format!("  {} {was:>column$}   {is}\n", paint.faint(&format!("{label:<wide$}"))));
        }
        let when = |seconds: Real| format!("{} s", number(seconds, 2));
        if let Some(fell) = self.fell {
            text.push_str(&format!(
                "  {} {:>column$}   at {}\n",
                paint.faint(&format!("{:<wide$}", "let go")),
                "",
                when(fell)
            ));
        }
        if let Some(rested) = self.rested {
            text.push_str(&format!(
                "  {} {:>column$}   at {}\n",
                paint.faint(&format!("{:<wide$}", "at rest")),
                "",
                when(rested)
            ));
        }
        text
    }
}

fn angle(rms: Real, max: Real) -> String {
    format!("{}° RMS, {}° max", number(rms.to_degrees(), 3), number(max.to_degrees(), 2))
}

/// Figures of `sinew report` for the input and the result, and those of the forces that were recorded.
fn measure(
    args: &CommonArgs,
    input: &Path,
    loaded: &Loaded,
    (clip, written): (&Clip, Option<Written>),
    outcome: &Outcome,
) -> Result<Value, Failure> {
    let refuse = |error: MeasureError| Failure::content(format!("{}: {error}", input.display()));
    let (figure, source, friction) = (&loaded.figure, &loaded.clip, args.friction);
    let options = SubjectOptions {
        ground: args.ground,
        mass: args.mass,
        height: args.height,
        friction,
        ..SubjectOptions::default()
    };
    let Comparison { before, after } =
        compare((input, &loaded.capture, source.clone()), (&loaded.capture, clip), written, &options)?;
    // The ground of a world is at rest.
    let moved = Moved { skeleton: figure.skeleton(), clip: source };
    let ground = Some(loaded.ground);
    let options = MeasureOptions {
        ground,
        friction,
        treadmill: false,
        made: true,
        source: Some(moved),
        ..MeasureOptions::default()
    };
    let recorded = Measure { figure, clip, options }.recording(&outcome.figure()?).map_err(refuse)?;
    Ok(json!({
        "before": all_keys(&before.0.figure, &before.1),
        "after": all_keys(&after.0.figure, &after.1),
        "recorded": all_keys(figure, &recorded),
        "notes": { "before": notes(&before.1), "after": notes(&after.1), "recorded": notes(&recorded) },
    }))
}

/// Writes the result, the report and the recording, and prints the summary.
pub fn finish(
    args: &CommonArgs,
    input: &Path,
    loaded: Loaded,
    mut outputs: Outputs,
    (animation, outcome): (&Animation, &Outcome),
    before: Option<Real>,
    notes: &[String],
) -> Result<(), Failure> {
    let refuse = |error: sinew::motion::ClipError| Failure::content(format!("{}: {error}", input.display()));
    let clip = clip_of(&outcome.recording, &loaded.figure, animation).map_err(refuse)?;
    let frames = clip.frames();
    let mut summary = outcome.figures(before);
    summary["input"] = json!(input.display().to_string());
    summary["clip"] = json!(clip.name);
    summary["frames"] = json!(frames);
    summary["mass_kg"] = json!(loaded.figure.mass());
    summary["ground_m"] = json!(loaded.ground);
    summary["done"] = json!(notes);
    let output = args.output.as_deref();
    let bytes = output.map(|output| motion_file(output, &loaded.capture, &clip)).transpose()?;
    let written = output.zip(bytes.as_deref()).map(|(path, bytes)| Written { path, bytes, position: 0, of: 1 });
    if let Some(output) = output {
        summary["output"] = json!(output.display().to_string());
    }
    if let Some(report) = &args.report {
        let mut all = summary.clone();
        all["curves"] = outcome.curves(&loaded.figure)?;
        all["measured"] = measure(args, input, &loaded, (&clip, written), outcome)?;
        outputs.put(report, json_line(&all)?);
    }
    if let Some((output, bytes)) = output.zip(bytes) {
        outputs.put(output, bytes);
    }
    if let Some(record) = &args.record {
        outputs.put(record, outcome.recording.to_json().map_err(|error| error.in_file(record))?);
    }
    outputs.write()?;
    if args.json {
        return print(&json_line(&summary)?);
    }
    let paint = Paint::for_stdout();
    let target =
        args.output.as_ref().map_or(String::new(), |o| format!(" → {}", paint.title(&o.display().to_string())));
    let mut facts = vec![
        format!("{}, {} s", count(frames, "frame"), number(outcome.simulated, 2)),
        format!("{}, {} kg", count(loaded.figure.segments().len(), "segment"), fine(loaded.figure.mass(), 1)),
    ];
    facts.extend(notes.iter().cloned());
    print(&format!("{}{target}: {}\n{}", input.display(), facts.join(", "), outcome.table(before, paint)))
}

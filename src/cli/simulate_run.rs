//! Shared parts of `simulate` and `ragdoll`: options, loading, the run with its progress, the table and the written files.

use super::clip_choice::find_clip;
use super::cut::CutArgs;
use super::failure::Failure;
use super::import::{ImportArgs, Reader, rate};
use super::lead::Lead;
use super::motion_file::motion_file;
use super::output::{Facts, Paint, count, fine, json_line, number, print};
use super::outputs::{Outputs, OverwriteArgs, Plan, is_folder, kind_of_result, place, refuse_one_for_many};
use super::progress::Bar;
use super::report::{Comparison, Written, all_keys, compare, notes as notes_of, summary as report};
use super::values::{friction, height, quantity, slope, stature, substeps};
use clap::Args;
use serde_json::{Value, json};
use sinew::control::{Animation, Phase, Terrain, depth_below, ground_height};
use sinew::figure::{CaptureError, CaptureFigure, CaptureOptions, Figure, FigureFile, for_capture};
use sinew::formats::Capture;
use sinew::measure::{
    Grade, Judgement, Measure, MeasureError, MeasureOptions, Moved, Report, RunFigures, SubjectOptions,
};
use sinew::motion::Clip;
use sinew::record::{FigureRecording, Recording};
use sinew::simulation::{FallMonitor, Run, RunError, Tally, Verdict, clip_of};
use sinew::{Real, Vec3};
use std::path::{Path, PathBuf};

/// Options of both verbs.
#[derive(Args, Debug)]
pub struct CommonArgs {
    /// File to write: .glb, .gltf or .bvh; or a folder, with a / at its end, for one file per input; without it only the table is
    /// printed
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Name of the clip to use [default: the first]
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Height of the ground in metres [default: found from the feet]
    #[arg(long, value_name = "Y", value_parser = height, allow_negative_numbers = true)]
    pub ground: Option<f64>,
    /// Let the ground rise by this angle in the direction the figure faces; negative falls
    #[arg(long, value_name = "DEG", value_parser = slope, allow_negative_numbers = true, conflicts_with = "stairs")]
    pub slope: Option<f64>,
    /// Let stairs lead down, or up (--stairs=up), ahead of the figure
    #[arg(long, value_name = "WAY", num_args = 0..=1, require_equals = true, default_missing_value = "down")]
    pub stairs: Option<Stairs>,
    /// Coulomb's friction coefficient of feet and ground
    #[arg(long, value_name = "MU", value_parser = friction, default_value = "0.8", allow_negative_numbers = true)]
    pub friction: f64,
    /// Use this figure file, as sinew info --save-figure writes it [default: built from the skeleton]
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["mass", "height"])]
    pub figure: Option<PathBuf>,
    /// Total mass in kg [default: by height, or by volume]
    #[arg(long, value_name = "KG", value_parser = quantity, allow_negative_numbers = true)]
    pub mass: Option<f64>,
    /// Standing height in metres, for masses and thickness of segments [default: measured]
    #[arg(long, value_name = "M", value_parser = stature, allow_negative_numbers = true)]
    pub height: Option<f64>,
    /// Steps per second; a whole number of them makes a frame
    #[arg(long, value_name = "HZ", value_parser = rate, default_value = "240", allow_negative_numbers = true)]
    pub rate: f64,
    /// Inner steps per step
    #[arg(long, value_name = "N", value_parser = substeps, default_value = "1", allow_negative_numbers = true)]
    pub substeps: usize,
    /// Write all figures and curves (forces, residual, torques) to this file
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Write motion and forces of all bodies to this file, for sinew view
    #[arg(long, value_name = "FILE.json")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub overwrite: OverwriteArgs,
    /// Show all figures, and the reasons of guesses
    #[arg(short, long)]
    pub verbose: bool,
    /// Print the figures as one JSON object per motion, each on its own line
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
    /// Remarks about the part of the clip that is used.
    pub notes: Vec<String>,
}

/// A file with the figure of one of its clips.
pub struct Opened {
    pub capture: Capture,
    pub figure: Figure,
    pub clip: Clip,
    /// Remarks about the part of the clip that is used.
    pub notes: Vec<String>,
}

/// Files that the results of one input go to.
pub struct Places {
    pub output: Option<PathBuf>,
    pub report: Option<PathBuf>,
    pub record: Option<PathBuf>,
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
    pub let_go: Option<Real>,
    /// Time from which on the figure lies while its clip stands, seconds.
    pub fallen: Option<Real>,
    /// Time from which all bodies were at rest, seconds.
    pub rested: Option<Real>,
    /// Hash of the state of the world at the end.
    pub state_hash: u64,
}

impl CommonArgs {
    /// Files that the results of one input go to.
    pub fn places(&self, input: &Path) -> Places {
        let of = |path: &Option<PathBuf>, extension: &str| path.as_ref().map(|path| place(path, input, extension));
        Places {
            output: of(&self.output, kind_of_result(input)),
            report: of(&self.report, "json"),
            record: of(&self.record, "json"),
        }
    }

    /// Checks the options before any file is read.
    pub fn refuse_early(&self, inputs: &[PathBuf]) -> Result<Outputs, Failure> {
        let beside = self.figure.as_deref().into_iter().chain(self.import.like());
        let mut plan = Plan::new(inputs.iter().map(PathBuf::as_path).chain(beside), self.overwrite);
        for folder in [&self.output, &self.report, &self.record].into_iter().flatten().filter(|path| is_folder(path)) {
            plan = plan.folder(folder);
        }
        let options = [
            ("-o", self.output.as_deref()),
            ("--report", self.report.as_deref()),
            ("--record", self.record.as_deref()),
        ];
        refuse_one_for_many(inputs, &options)?;
        for input in inputs {
            let places = self.places(input);
            if let Some(output) = &places.output {
                plan = plan.motion(output)?.made_from(input);
            }
            plan = plan.option("--report", places.report.as_deref(), "json")?.option(
                "--record",
                places.record.as_deref(),
                "json",
            )?;
        }
        let outputs = plan.decide()?;
        Ok(outputs)
    }

    /// Reads the file and builds the figure. A file without clips is its rest pose, if `at_rest` allows that.
    pub fn load(&self, input: &Path, reader: &Reader, cut: &CutArgs, at_rest: bool) -> Result<Loaded, Failure> {
        let options = CaptureOptions {
            clip: self.clip.as_deref(),
            mass: self.mass,
            height: self.height,
            allow_rest: at_rest,
            file: self.figure.as_deref().map(FigureFile::Path),
            ..CaptureOptions::default()
        };
        let Opened { capture, figure, clip, notes } = open_figure(input, reader, cut, &options)?;
        let ground = self.ground.or_else(|| ground_height(&figure, &clip)).unwrap_or(0.0);
        Ok(Loaded { capture, figure, clip, ground, notes })
    }
}

/// Reads a file, cuts one of its clips and builds the figure of that.
pub fn open_figure(input: &Path, reader: &Reader, cut: &CutArgs, options: &CaptureOptions) -> Result<Opened, Failure> {
    let mut capture = reader.read(input)?;
    let mut notes = Vec::new();
    let chosen = options.clip.map_or(Ok(0), |name| find_clip(input, &capture.clips, name))?;
    if options.clip.is_none() && capture.clips.len() > 1 {
        let (name, n) = (&capture.clips[0].name, capture.clips.len());
        notes.push(format!("{name:?} is one of {n} clips in it; --clip chooses another"));
    }
    if let Some(clip) = capture.clips.get_mut(chosen) {
        notes.extend(cut.cut(input, clip)?);
    }
    match for_capture(&capture, options) {
        Ok(CaptureFigure { figure, clip, .. }) => Ok(Opened { capture, figure, clip, notes }),
        Err(error) => Err(no_figure(input, options, error)),
    }
}

fn no_figure(input: &Path, options: &CaptureOptions, error: CaptureError) -> Failure {
    let message = format!("{}: {error}", input.display());
    match error {
        CaptureError::NoClip => Failure::content(message)
            .help("sinew info shows what is in a file; sinew ragdoll lets a figure fall that has no clip"),
        CaptureError::File(error) => error.into(),
        CaptureError::NoBody if let Some(FigureFile::Path(file)) = options.file => {
            Failure::content(format!("{}: has no segments", file.display()))
                .help("sinew info --save-figure writes a figure to start from")
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
    let (mut let_go, mut rested, mut fall) = (None, None, FallMonitor::default());
    for frame in 1..frames {
        run.step_frame(|run| tally.add(run, 0)).map_err(|error| run_failure(&error))?;
        bar.at(frame as u64, run.world.time());
        if let (None, Some(Phase::Fallen { since })) = (let_go, run.followers[0].trip.map(|trip| trip.phase())) {
            let_go = Some(since);
        }
        fall.observe(run, 0);
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
    let (verdict, state_hash) = (tally.verdict(run, 0), run.world.state_hash());
    let fallen = fall.fallen_since();
    Ok(Outcome { recording: run.finish_recording(), verdict, simulated, spent, let_go, fallen, rested, state_hash })
}

pub fn run_failure(error: &RunError) -> Failure {
    let failure = Failure::content(format!("the simulation cannot go on: {error}"));
    failure.help(match error {
        RunError::Buried { .. } => "a lower --ground, or none, brings the figure above it",
        _ => "a higher --rate or more --substeps may help",
    })
}

/// Returns the largest depth of a clip below the ground, metres; none unless the ground is a plane.
pub fn clip_depth(loaded: &Loaded, terrain: Terrain, run: &Run) -> Option<Real> {
    if !terrain.is_plane() {
        return None;
    }
    let (figure, clip, normal) = (&loaded.figure, &loaded.clip, terrain.normal(&run.forward()));
    let (mut pose, mut frames, mut placements) = (figure.skeleton().rest_pose(), Vec::new(), Vec::new());
    clip.pose_into(0, &mut pose);
    figure.placements_into(&pose, &mut frames, &mut placements);
    let start = placements.first().map_or(Vec3::zeros(), |p| p.position);
    let origin = Vec3::new(start.x, loaded.ground, start.z);
    let depth = |frame: usize| {
        clip.pose_into(frame, &mut pose);
        figure.placements_into(&pose, &mut frames, &mut placements);
        depth_below(figure, placements.iter().copied(), &origin, &normal)
    };
    (0..clip.frames()).map(depth).reduce(Real::max)
}

impl Outcome {
    /// Puts what only the simulation knows into an object: forces, gaps and errors of every step.
    pub fn put_into(&self, before: Option<Real>, object: &mut Value) {
        let v = &self.verdict;
        let finite = |value: Real| if value.is_finite() { json!(value) } else { Value::Null };
        object["simulated"] = json!({
            "target_error_rms_deg": finite(v.tracking_rms.to_degrees()),
            "target_error_max_deg": finite(v.tracking_max.to_degrees()),
            "joint_gap_max_mm": finite(v.worst_gap * 1e3),
            "depth_max_mm": finite(v.depth * 1e3),
            "clip_depth_max_mm": before.map(|d| d * 1e3),
            "assist_force_mean_bw": finite(v.residual_mean),
            "assist_force_max_bw": finite(v.residual_max),
            "assist_torque_mean_bwh": finite(v.residual_torque_mean),
            "assist_torque_max_bwh": finite(v.residual_torque_max),
            "contact_force_mean_bw": finite(v.contact_mean),
            "contact_force_max_bw": finite(v.contact_max),
            "muscle_torque_max_nm": finite(v.torque_max),
        });
        object["fell_at_s"] = json!(self.let_go.or(self.fallen));
        object["at_rest_at_s"] = json!(self.rested);
        object["simulated_s"] = json!(self.simulated);
        object["state_hash"] = json!(format!("{:016x}", self.state_hash));
        object["time_factor"] = finite(self.simulated / self.spent.max(1e-9));
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

    /// Figures that only the simulation knows, for people: the few that matter first, or all of them.
    pub fn facts(&self, before: Option<Real>, verbose: bool) -> Facts {
        let v = &self.verdict;
        let millimetres = |metres: Real| format!("{} mm", number(metres * 1e3, 2));
        let weights = |mean: Real, max: Real, unit: &str| {
            format!("{} {unit} on average, {} at most", number(mean, 3), number(max, 2))
        };
        let help = weights(v.residual_mean, v.residual_max, "body weights");
        let twist = weights(v.residual_torque_mean, v.residual_torque_max, "weight × height");
        let ground = weights(v.contact_mean, v.contact_max, "body weights");
        let was = before.map_or(String::new(), |depth| format!(", the clip {}", millimetres(depth)));
        // A figure without muscles follows nothing.
        let (follows, is_held) = (v.tracking_max > 0.0, v.residual_max > 0.0);
        let rows = [
            ("off the targets", angle(v.tracking_rms, v.tracking_max), follows),
            ("deepest in the ground", format!("{}{was}", millimetres(v.depth)), true),
            ("help at the root", help, is_held),
            ("torque at the root", twist, false),
            ("contact force", ground, true),
            ("joints apart, worst", format!("{} mm", number(v.worst_gap * 1e3, 4)), false),
            ("muscle torque, largest", format!("{} N·m", fine(v.torque_max, 1)), false),
        ];
        let mut facts = Facts::default();
        for (label, value, is_main) in rows {
            if verbose || is_main {
                facts.add(label, value);
            }
        }
        let when = |seconds: Real| format!("at {} s", number(seconds, 2));
        self.let_go.into_iter().for_each(|let_go| facts.add("let go", when(let_go)));
        self.rested.into_iter().for_each(|rested| facts.add("at rest", when(rested)));
        facts.add("speed", format!("{} × real time", fine(self.simulated / self.spent.max(1e-9), 1)));
        facts
    }

    /// Says whether a replay is good, and why not.
    pub fn replay_judgement(&self, figure: &Figure) -> Judgement {
        let rms = self.verdict.tracking_rms.to_degrees();
        let loose = if self.verdict.followed < 0.995 { ", loose joints not counted" } else { "" };
        let mut judgement = Judgement::good(match self.let_go {
            Some(let_go) => format!("the figure follows the clip until it is let go at {} s", number(let_go, 2)),
            None if self.verdict.followed == 0.0 => "the figure moves with all its joints loose".to_owned(),
            None if self.fallen.is_some() => "the figure follows the clip at first".to_owned(),
            None => format!("the figure follows the clip to its end, {}° off it on average{loose}", number(rms, 2)),
        });
        if let (Some(fallen), None) = (self.fallen, self.let_go) {
            judgement.add(Grade::Usable, format!("it falls and lies from {} s on", number(fallen, 2)));
        }
        self.figures_judged(figure).add_to(&mut judgement);
        judgement
    }

    /// Says whether a fall is good, and why not.
    pub fn fall_judgement(&self, figure: &Figure) -> Judgement {
        let mut judgement = Judgement::good(match self.rested {
            Some(rested) => format!("the figure falls and is at rest after {} s", number(rested, 2)),
            None => "the figure falls".to_owned(),
        });
        if self.rested.is_none() {
            let message = format!("it still moves after {} s (--for gives it longer)", number(self.simulated, 1));
            judgement.add(Grade::Usable, message);
        }
        self.figures_judged(figure).add_to(&mut judgement);
        judgement
    }

    fn figures_judged(&self, figure: &Figure) -> RunFigures {
        let v = &self.verdict;
        RunFigures { height: figure.height, assistance: v.residual_mean, depth: v.depth, gap: v.worst_gap }
    }
}

fn angle(rms: Real, max: Real) -> String {
    format!("{}° RMS, {}° max", number(rms.to_degrees(), 3), number(max.to_degrees(), 2))
}

/// Figures of the input and the result, as `sinew report` measures the two files.
fn measure(
    args: &CommonArgs,
    input: &Path,
    loaded: &Loaded,
    (clip, written): (&Clip, Option<Written>),
) -> Result<Comparison, Failure> {
    let CommonArgs { ground, mass, height, friction, .. } = *args;
    let options = SubjectOptions { ground, mass, height, friction, ..SubjectOptions::default() };
    compare((input, &loaded.capture, loaded.clip.clone()), (&loaded.capture, clip), written, &options)
}

/// Figures of the result with the forces that were recorded.
fn measure_recorded(
    args: &CommonArgs,
    input: &Path,
    loaded: &Loaded,
    clip: &Clip,
    outcome: &Outcome,
) -> Result<Report, Failure> {
    let refuse = |error: MeasureError| Failure::content(format!("{}: {error}", input.display()));
    let (figure, source, friction) = (&loaded.figure, &loaded.clip, args.friction);
    // The ground of a world is at rest.
    let moved = Moved { skeleton: figure.skeleton(), clip: source };
    let options = MeasureOptions {
        ground: Some(loaded.ground),
        friction,
        treadmill: false,
        made: true,
        source: Some(moved),
        ..MeasureOptions::default()
    };
    Measure { figure, clip, options }.recording(&outcome.figure()?).map_err(refuse)
}

/// Result of a verb that simulates, ready to be written.
pub struct Finished<'a> {
    pub input: &'a Path,
    pub places: Places,
    pub loaded: Loaded,
    pub animation: &'a Animation,
    pub outcome: &'a Outcome,
    /// Depth of the input below the floor, metres.
    pub before: Option<Real>,
    pub judgement: Judgement,
    pub notes: Vec<String>,
}

/// Writes the result, the report and the recording, and prints the summary. Gives the grade.
pub fn finish(args: &CommonArgs, outputs: &mut Outputs, finished: Finished) -> Result<Grade, Failure> {
    let Finished { input, places, loaded, animation, outcome, before, judgement, mut notes } = finished;
    let refuse = |error: sinew::motion::ClipError| Failure::content(format!("{}: {error}", input.display()));
    let clip = clip_of(&outcome.recording, &loaded.figure, animation).map_err(refuse)?;
    let frames = clip.frames();
    let output = places.output.as_deref();
    let file = output.map(|output| motion_file(output, &loaded.capture, &clip)).transpose()?;
    notes.splice(0..0, loaded.notes.iter().cloned());
    notes.extend(file.iter().flat_map(|file| file.notes.iter().cloned()));
    let target = output.map_or(String::new(), |output| format!(" → {}", output.display()));
    let lead =
        Lead { subject: format!("{}{target}", input.display()), judgement, import: Some(&loaded.capture.report) };
    let written = output.zip(file.as_ref());
    let written = written.map(|(path, file)| Written { path, bytes: &file.bytes, position: 0 });
    let measured = measure(args, input, &loaded, (&clip, written))?;
    let (source, result) = (&measured.before, &measured.after);
    let mut summary = report::to_json((&source.0, &source.1), Some((&result.0, &result.1)));
    outcome.put_into(before, &mut summary);
    summary["input"] = json!(input.display().to_string());
    summary["clip"] = json!(clip.name);
    summary["frames"] = json!(frames);
    summary["mass_kg"] = json!(loaded.figure.mass());
    summary["ground_m"] = json!(loaded.ground);
    summary["done"] = json!(notes);
    lead.put_into(&mut summary);
    if let Some(output) = output {
        summary["output"] = json!(output.display().to_string());
    }
    if let Some(report) = &places.report {
        let recorded = measure_recorded(args, input, &loaded, &clip, outcome)?;
        let mut all = summary.clone();
        all["curves"] = outcome.curves(&loaded.figure)?;
        all["recorded"] = all_keys(&loaded.figure, &recorded);
        all["notes"]["recorded"] = notes_of(&recorded);
        outputs.put(report, json_line(&all)?);
    }
    if let Some((output, file)) = output.zip(file) {
        outputs.put(output, file.bytes);
    }
    if let Some(record) = &places.record {
        outputs.put(record, outcome.recording.to_json().map_err(|error| error.in_file(record))?);
    }
    outputs.write()?;
    let grade = lead.whole().grade();
    if args.json {
        print(&json_line(&summary)?)?;
        return Ok(grade);
    }
    let paint = Paint::for_stdout();
    let mut facts = Facts::default();
    facts.add("clip", format!("{}, {} s", count(frames, "frame"), number(outcome.simulated, 2)));
    let (segments, mass) = (count(loaded.figure.segments().len(), "segment"), fine(loaded.figure.mass(), 1));
    facts.add("figure", format!("{segments}, {mass} kg"));
    notes.iter().for_each(|note| facts.add("note", note.clone()));
    if outcome.figures_judged(&loaded.figure).is_held() {
        facts.add(
            "help",
            "--root-assist y=0 lets the ground carry the figure; sinew filter gives a motion the forces of its ground",
        );
    }
    let text = lead.to_text(facts.then(outcome.facts(before, args.verbose)), args.verbose, paint);
    print(&(text + &report::table(&source.1, Some(&result.1), args.verbose, paint)))?;
    Ok(grade)
}

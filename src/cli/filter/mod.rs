//! `sinew filter`: a captured clip comes back physical: planted feet, nothing in the ground, forces that the ground can give.

mod curves;
mod summary;

use super::batch;
use super::cut::CutArgs;
use super::failure::{Exit, Failure};
use super::import::{ImportArgs, Reader};
use super::motion_file::motion_file;
use super::output::{json_line, print};
use super::outputs::{Outputs, OverwriteArgs, Plan, is_folder, kind_of_result, place, refuse_one_for_many};
use super::progress::Bar;
use super::report::{Comparison, Written, compare};
use super::run::failed;
use super::simulate_run::{Opened, open_figure};
use super::values::{friction, height, quantity, slope, stature};
use clap::Args;
use curves::Curves;
use serde_json::json;
use sinew::control::Terrain;
use sinew::figure::{CaptureOptions, Figure};
use sinew::filter::{
    ContactList, Filter, FilterError, FilterOptions, Filtered, Forward, ForwardOptions, Prepare, PrepareError,
    PrepareOptions, Scenery, SolveError, SolveOptions,
};
use sinew::formats::{FormatError, ImportReport};
use sinew::measure::{
    Acceptance, Cutoff, Grade, Measure, MeasureError, MeasureOptions, Moved, SubjectOptions, Tracking,
};
use sinew::motion::Clip;
use sinew::motion::edit::resample;
use sinew::record::Recording;
use sinew::scene::{Files, SceneRun};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  sinew filter walk.bvh -o walk.glb
  sinew filter take.bvh -o take_filtered.bvh --mass 82 --ground 0 --start 1.5 --end 600f
  sinew filter takes/*.bvh -o filtered/
  sinew filter hero.glb -o hero_run.glb --clip Run --loop
  sinew filter dance.bvh -o dance.glb --save-contacts dance.toml
  sinew filter dance.bvh -o dance.glb --contacts dance.toml --curves forces.csv
  sinew filter walk.bvh -o downhill.glb --slope -8
  sinew filter climb.bvh -o climb.glb --scene boulders.toml

The first line says whether the result is good. Figures are shown before and after, also those that became worse (-v: all of
them); sinew report --explain describes them. A result that is not good is not written. Other clips of a character are kept.";

/// Lowest frame rate of a simulated result, Hz.
const SIMULATED_RATE: f64 = 48.0;

/// Make a captured motion physical: planted feet, no sinking, ground forces that carry the weight
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", super::EXIT_CODES))]
pub struct FilterArgs {
    /// Files with the motion: .bvh, .glb, .gltf, .vrm or .amc
    #[arg(value_name = "CLIP", required = true)]
    inputs: Vec<PathBuf>,
    /// File to write: .glb, .gltf or .bvh; or a folder, with a / at its end, for one file per CLIP; without it only the table is printed
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Name of the clip to use [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    #[command(flatten)]
    cut: CutArgs,
    #[command(flatten)]
    body: BodyArgs,
    #[command(flatten)]
    ground: GroundArgs,
    #[command(flatten)]
    how: FilteringArgs,
    /// Simulate the result forward with its torques and tracking muscles, and write the simulated motion
    #[arg(long)]
    simulate: bool,
    /// Limit of the root assistance with --simulate, body weights
    #[arg(long, value_name = "X", default_value_t = 0.05, requires = "simulate", allow_negative_numbers = true)]
    root_assist: f64,
    /// Write forces, torques and the residual of every frame to this file
    #[arg(long, value_name = "FILE.csv")]
    curves: Option<PathBuf>,
    /// Write everything that was found and measured, with all curves, to this file
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
    /// Write the result even if it is not good
    #[arg(long)]
    write_anyway: bool,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    /// Show all figures, everything that was found, and the reasons of guesses
    #[arg(short, long)]
    verbose: bool,
    /// Print the figures as one JSON object per motion, each on its own line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    import: ImportArgs,
}

#[derive(Args)]
#[command(next_help_heading = "Body")]
struct BodyArgs {
    /// Total mass in kg [default: by height, or by volume]
    #[arg(long, value_name = "KG", value_parser = quantity, allow_negative_numbers = true)]
    mass: Option<f64>,
    /// Standing height in metres, for masses and thickness of segments; the skeleton stays as it is [default: measured]
    #[arg(long, value_name = "M", value_parser = stature, allow_negative_numbers = true)]
    height: Option<f64>,
}

#[derive(Args)]
#[command(next_help_heading = "Ground")]
struct GroundArgs {
    /// Height of the ground in metres; the motion is brought to it [default: found from the feet; the motion stays, unless its
    /// feet are 3.5 to 6 cm off y = 0]
    #[arg(long, value_name = "Y", value_parser = height, allow_negative_numbers = true)]
    ground: Option<f64>,
    /// Let the ground rise by this angle in the direction the figure faces; negative falls
    #[arg(long, value_name = "DEG", value_parser = slope, allow_negative_numbers = true, conflicts_with = "stairs")]
    slope: Option<f64>,
    /// Let stairs lead down ahead of the figure
    #[arg(long)]
    stairs: bool,
    /// Use all fixed objects of this scene as ground: floors, ramps, steps, boxes, height fields
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["ground", "slope", "stairs", "simulate"])]
    scene: Option<PathBuf>,
    /// Coulomb's friction coefficient of body and ground
    #[arg(long, value_name = "MU", value_parser = friction, default_value = "0.8", allow_negative_numbers = true)]
    friction: f64,
}

#[derive(Args)]
#[command(next_help_heading = "Filtering")]
struct FilteringArgs {
    /// Allowed deviation from the capture: 1 is usual, less keeps closer and corrects less
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
    strength: f64,
    /// Keep the captured path of the root; only joints rotate
    #[arg(long)]
    keep_root: bool,
    /// Treat the motion as a loop and keep it closed [default: detected]
    #[arg(long = "loop", overrides_with = "no_loop")]
    looped: bool,
    /// Do not treat the motion as a loop, even if its end is its start
    #[arg(long)]
    no_loop: bool,
    /// Smooth poses below this frequency first: Hz, or none [default: by the noise of the capture]
    #[arg(long, value_name = "HZ", value_parser = cutoff, allow_negative_numbers = true)]
    cutoff: Option<Cutoff>,
    /// Keep travel and height of the root as captured, even if feet in contact slide or float
    #[arg(long)]
    no_repair: bool,
    /// Let joints leave their limits
    #[arg(long)]
    no_limits: bool,
    /// Let segments of the body go through each other
    #[arg(long)]
    no_self_contact: bool,
    /// Read the contact intervals from this file instead of detecting them
    #[arg(long, value_name = "FILE.toml")]
    contacts: Option<PathBuf>,
    /// Write the contact intervals to this file, to be edited and given to --contacts
    #[arg(long, value_name = "FILE.toml")]
    save_contacts: Option<PathBuf>,
}

fn cutoff(text: &str) -> Result<Cutoff, String> {
    if text.eq_ignore_ascii_case("none") {
        return Ok(Cutoff::None);
    }
    let hz = text.trim_end_matches("Hz").trim().parse().ok().filter(|hz: &f64| hz.is_finite() && *hz > 0.0);
    hz.map(Cutoff::At).ok_or_else(|| "expected a frequency above 0 Hz, or none".to_owned())
}

/// Result of the verb: the library's result with the measures and the computing time.
struct Outcome<'a> {
    input: &'a Path,
    output: Option<&'a Path>,
    /// Report of reading the input.
    import: ImportReport,
    /// Remarks about the part of the clip that is used and about other clips.
    notes: Vec<String>,
    acceptance: Acceptance,
    /// True if the ground is level.
    flat: bool,
    figure: Figure,
    filtered: Filtered,
    /// Figures of the source and of the result, as `sinew report` measures them.
    measured: Comparison,
    /// Mean distance of joints to the smoothed, levelled and mended capture, metres.
    moved: f64,
    /// Seconds it took.
    spent: f64,
    warnings: Vec<String>,
    simulated: Option<Forwarded>,
    /// Reason for which the result is not written.
    refused: Option<Failure>,
}

/// Result of the forward simulation.
struct Forwarded {
    /// Allowed root assistance, and its mean and maximum, body weights.
    allowed: f64,
    mean: f64,
    most: f64,
    /// Time at which balance was lost, seconds.
    lost: Option<f64>,
    recording: Recording,
}

/// One input with the files that its results go to.
struct Job<'a> {
    args: &'a FilterArgs,
    input: &'a Path,
    output: Option<PathBuf>,
    curves: Option<PathBuf>,
    report: Option<PathBuf>,
    save_contacts: Option<PathBuf>,
}

impl FilterArgs {
    /// Runs the verb. With `--json` a failure is printed as an object, too, beside the diagnostic on stderr.
    pub fn run(self) -> Result<Exit, Failure> {
        let mut outputs = self.refuse_early()?;
        let reader = self.import.reader(&self.inputs, true)?;
        let failed =
            |file: &Path, failure: &Failure| json!({ "input": file.display().to_string(), "error": failure.to_json() });
        batch::each(&self.inputs, self.json, failed, |input| self.job(input).filter(&reader, &mut outputs))
            .map(batch::partly)
    }

    fn job<'a>(&'a self, input: &'a Path) -> Job<'a> {
        let of = |path: &Option<PathBuf>, extension: &str| path.as_ref().map(|path| place(path, input, extension));
        Job {
            args: self,
            input,
            output: of(&self.output, kind_of_result(input)),
            curves: of(&self.curves, "csv"),
            report: of(&self.report, "json"),
            save_contacts: of(&self.how.save_contacts, "toml"),
        }
    }

    /// Checks the options before any file is read.
    fn refuse_early(&self) -> Result<Outputs, Failure> {
        let scene =
            self.ground.scene.iter().filter_map(|scene| Files::open(scene).ok()).flat_map(|files| files.all_paths());
        let beside = [self.how.contacts.as_deref(), self.ground.scene.as_deref(), self.import.like()];
        let read = self.inputs.iter().map(PathBuf::as_path).chain(beside.into_iter().flatten()).map(Path::to_owned);
        let mut plan = Plan::new(read.chain(scene), self.overwrite);
        let folders = [&self.output, &self.curves, &self.report, &self.how.save_contacts];
        for folder in folders.into_iter().flatten().filter(|path| is_folder(path)) {
            plan = plan.folder(folder);
        }
        let options = [
            ("-o", self.output.as_deref()),
            ("--curves", self.curves.as_deref()),
            ("--report", self.report.as_deref()),
            ("--save-contacts", self.how.save_contacts.as_deref()),
        ];
        refuse_one_for_many(&self.inputs, &options)?;
        if self.how.contacts.is_some() && self.inputs.len() > 1 {
            return Err(Failure::usage("--contacts: the contact intervals of one motion were given for several")
                .help("filter the motions one by one"));
        }
        for input in &self.inputs {
            let job = self.job(input);
            if let Some(output) = &job.output {
                plan = plan.motion(output)?.made_from(input);
            }
            plan = plan
                .option("--curves", job.curves.as_deref(), "csv")?
                .option("--report", job.report.as_deref(), "json")?
                .option("--save-contacts", job.save_contacts.as_deref(), "toml")?;
        }
        let outputs = plan.decide()?;
        let ground = &self.ground;
        let numbers = [("--ground", ground.ground), ("--slope", ground.slope), ("--friction", Some(ground.friction))];
        if let Some((option, _)) = numbers.iter().find(|(_, value)| value.is_some_and(|v| !v.is_finite())) {
            return Err(Failure::usage(format!("{option}: expected a number")));
        }
        if ground.slope.is_some_and(|degrees| degrees.abs() > 45.0) {
            return Err(Failure::usage("--slope: expected an angle between -45 and 45 degrees"));
        }
        if ground.friction <= 0.0 {
            return Err(Failure::usage("--friction: expected a number above 0"));
        }
        if !(self.root_assist.is_finite() && self.root_assist >= 0.0) {
            return Err(Failure::usage("--root-assist: expected a number from 0 on"));
        }
        let strength = self.how.strength;
        if !(strength.is_finite() && strength > 0.0) {
            return Err(Failure::usage("--strength: expected a number above 0"));
        }
        Ok(outputs)
    }
}

impl Job<'_> {
    /// Filters the motion, prints and writes. A result that is shown and not written is a failure.
    fn filter(&self, reader: &Reader, outputs: &mut Outputs) -> Result<Grade, Failure> {
        let args = self.args;
        let (clip, mass, height) = (args.clip.as_deref(), args.body.mass, args.body.height);
        let options = CaptureOptions { clip, mass, height, ..CaptureOptions::default() };
        let Opened { capture, figure, clip, notes } = open_figure(self.input, reader, &args.cut, &options)?;
        let mut notes = notes;
        let contacts = args.how.contacts.as_deref().map(|file| read_contacts(file, &figure, &clip)).transpose()?;
        let scenery = args.ground.scene.as_deref().map(read_scenery).transpose()?;
        let source = clip.clone();
        // Lists of contacts may count frames, and those are the file's.
        let clip = if args.simulate && contacts.is_none() { self.with_frames_between(&figure, clip)? } else { clip };
        let (filtered, spent) = self.solve(&figure, &clip, contacts.as_ref(), scenery.as_ref())?;
        let (filtered, simulated) = self.forward(&figure, filtered)?;
        let (acceptance, moved) = self.judge(&figure, clip, &filtered, simulated.as_ref())?;
        let refused = self.refusal(&acceptance);
        let warnings = summary::warnings(&filtered, &acceptance, self.is_flat());
        let recording = simulated.as_ref().map(|simulated| &simulated.recording);
        let curves = Curves::new(&figure, &filtered, recording, source.rate_hz());
        if let Some(file) = &self.curves {
            outputs.put(file, curves::to_csv(&figure, &filtered, &curves));
        }
        if let Some(file) = &self.save_contacts {
            outputs.put(file, filtered.preparation.contacts.to_toml(filtered.solved.clip.rate_hz()));
        }
        let clip = self.at_source_rate(&figure, &source, &filtered)?;
        let output = self.output.as_deref().filter(|_| refused.is_none());
        let written = output.map(|output| motion_file(output, &capture, &clip)).transpose()?;
        let file = output.zip(written.as_ref());
        let file = file.map(|(path, written)| Written { path, bytes: &written.bytes, position: 0 });
        let measured = compare((self.input, &capture, source), (&capture, &clip), file, &self.measuring())?;
        if let Some((output, written)) = output.zip(written) {
            notes.extend(written.notes);
            outputs.put(output, written.bytes);
        }
        let outcome = Outcome {
            input: self.input,
            output: self.output.as_deref(),
            import: capture.report,
            notes,
            acceptance,
            flat: self.is_flat(),
            figure,
            filtered,
            measured,
            moved,
            spent,
            warnings,
            simulated,
            refused,
        };
        if let Some(file) = &self.report {
            let mut summary = outcome.to_json();
            summary["curves"] = curves::to_json(&outcome.figure, &curves);
            outputs.put(file, json_line(&summary)?);
        }
        outputs.write()?;
        match args.json {
            true => print(&json_line(&outcome.to_json())?)?,
            false => print(&outcome.to_text(args.verbose, super::output::Paint::for_stdout()))?,
        }
        let grade = outcome.lead().whole().grade();
        outcome.refused.map_or(Ok(grade), |refused| Err(refused.told()))
    }

    /// A clip with so many frames a second that forces between two of them are near to those in them: a simulated body needs forces all
    /// the time, and a walk of 24 frames a second has them leap from heel to tip within one.
    fn with_frames_between(&self, figure: &Figure, clip: Clip) -> Result<Clip, Failure> {
        let times = (SIMULATED_RATE / clip.rate_hz()).ceil();
        if times <= 1.0 || clip.frames() < 2 {
            return Ok(clip);
        }
        resample(figure.skeleton(), &clip, times * clip.rate_hz()).map_err(|error| self.content(&error))
    }

    fn content(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::content(format!("{}: {error}", self.input.display()))
    }

    fn terrain(&self) -> Terrain {
        match self.args.ground.slope {
            _ if self.args.ground.stairs => Terrain::STAIRS,
            Some(degrees) => Terrain::Slope { angle: degrees.to_radians() },
            None => Terrain::Flat,
        }
    }

    fn solve(
        &self,
        figure: &Figure,
        clip: &Clip,
        contacts: Option<&ContactList>,
        scenery: Option<&Scenery>,
    ) -> Result<(Filtered, f64), Failure> {
        let how = &self.args.how;
        let options = FilterOptions {
            prepare: PrepareOptions {
                ground: self.args.ground.ground,
                terrain: self.terrain(),
                scenery,
                looped: if how.looped { Some(true) } else { how.no_loop.then_some(false) },
                cutoff: how.cutoff.unwrap_or_default(),
                repair: !how.no_repair,
                contacts,
            },
            solve: SolveOptions {
                friction: self.args.ground.friction,
                strength: how.strength,
                keep_root: how.keep_root,
                limits: !how.no_limits,
                self_contact: !how.no_self_contact,
                ..SolveOptions::default()
            },
        };
        let mut bar = Bar::start(format!("filtering {}", self.input.display()), clip.frames() as u64);
        let seconds = clip.duration();
        let mut progress = |share: f64| {
            bar.at_share(share, seconds);
            true
        };
        let filtered = Filter { figure, clip, options }.run(&mut progress).map_err(|error| self.refused(&error))?;
        Ok((filtered, bar.spent()))
    }

    /// Simulates the result forward if `--simulate` asks for it; the simulated motion becomes the result.
    fn forward(&self, figure: &Figure, mut filtered: Filtered) -> Result<(Filtered, Option<Forwarded>), Failure> {
        if !self.args.simulate {
            return Ok((filtered, None));
        }
        let options = ForwardOptions {
            assistance: self.args.root_assist,
            friction: self.args.ground.friction,
            ground: filtered.preparation.ground,
            terrain: self.terrain(),
            ..ForwardOptions::default()
        };
        let solved = &filtered.solved;
        let mut bar = Bar::start(format!("simulating {}", self.input.display()), solved.clip.frames() as u64);
        let seconds = solved.clip.duration();
        let mut progress = |share: f64| {
            bar.at_share(share, seconds);
            true
        };
        let refuse = |error: &dyn std::fmt::Display| Failure::content(format!("{}: {error}", self.input.display()));
        let forward = Forward { figure, clip: &solved.clip, torques: &solved.torques, options };
        let simulated = forward.run(&mut progress).map_err(|error| refuse(&error))?;
        let forwarded = Forwarded {
            allowed: self.args.root_assist,
            mean: simulated.assistance_mean[0],
            most: simulated.assistance_max[0],
            lost: simulated.lost,
            recording: simulated.recording,
        };
        filtered.clip =
            filtered.preparation.with_treadmill(figure, simulated.clip.clone()).map_err(|error| refuse(&error))?;
        filtered.solved.clip = simulated.clip;
        Ok((filtered, Some(forwarded)))
    }

    fn refused(&self, error: &FilterError) -> Failure {
        let failure = Failure::content(format!("{}: {error}", self.input.display()));
        match error {
            FilterError::Prepare(PrepareError::NeverTouches { .. }) => {
                failure.help("without --ground the ground is found from the motion")
            }
            FilterError::Prepare(PrepareError::CarriedElsewhere { .. }) => failure
                .help("bodies that sit, hang or swim need more than a ground; --contacts can say what carries them"),
            FilterError::Prepare(PrepareError::FewFrames(_)) => failure.help("there is nothing to filter in a pose"),
            FilterError::Solve(SolveError::Singular { .. }) => {
                failure.help("look at that frame, or give the contact intervals with --contacts")
            }
            _ => failure,
        }
    }

    /// Options of the table: those of `sinew report` with the same ground, friction and body.
    fn measuring(&self) -> SubjectOptions {
        SubjectOptions {
            ground: self.args.ground.ground,
            mass: self.args.body.mass,
            height: self.args.body.height,
            friction: self.args.ground.friction,
            ..SubjectOptions::default()
        }
    }

    fn is_flat(&self) -> bool {
        matches!(self.terrain(), Terrain::Flat) && self.args.ground.scene.is_none()
    }

    /// Judges the result on its own ground, at its own rate and not smoothed; and gives the mean distance of joints from the prepared
    /// capture, metres.
    fn judge(
        &self,
        figure: &Figure,
        clip: Clip,
        filtered: &Filtered,
        simulated: Option<&Forwarded>,
    ) -> Result<(Acceptance, f64), Failure> {
        let refuse = |error: MeasureError| self.content(&error);
        let friction = self.args.ground.friction;
        // In-place motion is judged as if the ground were at rest.
        let clip = filtered.preparation.without_treadmill(figure, clip).map_err(|error| self.content(&error))?;
        let given = MeasureOptions { ground: self.args.ground.ground, friction, ..MeasureOptions::default() };
        let before = Measure { figure, clip: &clip, options: given }.run().map_err(refuse)?;
        let ground = self.is_flat().then_some(filtered.preparation.ground);
        let exact = MeasureOptions { ground, friction, made: true, cutoff: Cutoff::None, ..MeasureOptions::default() };
        let after = Measure { figure, clip: &filtered.solved.clip, options: exact };
        // A simulated result is measured with the forces of the simulation, not with the planned ones.
        let after = match simulated.and_then(|simulated| simulated.recording.figure(0)) {
            Some(recorded) => after.recording(&recorded),
            None => after.run(),
        };
        let after = after.map_err(refuse)?;
        let moved = |clip| Moved { skeleton: figure.skeleton(), clip };
        let moved = Tracking::between(&moved(&filtered.source), &moved(&filtered.solved.clip)).map_err(refuse)?;
        Ok((Acceptance::of_result(figure, &before, &after, moved.position), moved.position))
    }

    /// Gives the reason why a result is not written. Simulated results and ground that is not level are not judged.
    fn refusal(&self, acceptance: &Acceptance) -> Option<Failure> {
        let judged = self.is_flat() && !self.args.simulate && !self.args.write_anyway;
        acceptance.fault().filter(|_| judged).map(|fault| {
            Failure::content(format!("{}: the result is not physical: {fault}", self.input.display())).help(
                "the motion may rest on something that is not the ground, or contacts are wrong: --save-contacts shows them, \
                 --contacts takes them back edited; --write-anyway writes the result as it is",
            )
        })
    }

    /// The result at the rate of the source.
    fn at_source_rate(&self, figure: &Figure, source: &Clip, filtered: &Filtered) -> Result<Clip, Failure> {
        let rate = source.rate_hz();
        if filtered.clip.rate_hz() == rate {
            return Ok(filtered.clip.clone());
        }
        resample(figure.skeleton(), &filtered.clip, rate).map_err(|error| self.content(&error))
    }
}

/// Reads the fixed colliders of a scene.
fn read_scenery(file: &Path) -> Result<Scenery, Failure> {
    let run = SceneRun::new(Files::open(file)?, None).map_err(|error| failed(file, error))?;
    let found = Scenery::of(run.world()).map_err(|error| Failure::content(format!("{}: {error}", file.display())))?;
    found.ok_or_else(|| {
        Failure::content(format!("{}: nothing in this scene is fixed", file.display()))
            .help("give it a [ground], or bodies of kind = \"fixed\" with a shape")
    })
}

fn read_contacts(file: &Path, figure: &Figure, clip: &Clip) -> Result<ContactList, Failure> {
    let text = sinew::files::load_text(file)?;
    let names = Prepare::feature_names(figure);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let in_file = |error: FormatError| Failure::from(error.in_file(file));
    ContactList::from_toml(&text, &names, clip.rate_hz(), clip.frames()).map_err(in_file)
}

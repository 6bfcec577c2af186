//! `sinew retarget`: motion of one skeleton on another.

mod summary;

use super::clip_choice::find_clip;
use super::failure::Failure;
use super::import::{ImportArgs, Reader};
use super::output::{Paint, json_line, print};
use super::outputs::{Outputs, OverwriteArgs, Plan, has_extension, is_folder};
use super::progress::{Bar, Spinner};
use super::report::{Comparison, Written, compare};
use super::values::height;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use sinew::figure::{CaptureOptions, for_skeleton};
use sinew::filter::{Filter, FilterOptions, PrepareOptions};
use sinew::formats::{self, Capture, ExportOptions, FormatError, ImportOptions, gltf};
use sinew::measure::{Acceptance, Cutoff, Measure, MeasureOptions, Moved, SubjectOptions, Tracking};
use sinew::motion::{Clip, Role, Skeleton, edit};
use sinew::retarget::{
    Body, BodyOptions, JointMap, MapError, MapFile, Path as RootPath, Retarget, RetargetOptions, Retargeted, map_line,
};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  sinew retarget walk.bvh --to hero.glb -o hero_walk.glb
  sinew retarget walk.bvh run.bvh jump.bvh --to hero.glb -o hero_moves.glb
  sinew retarget walk.bvh --to hero.glb -o hero.glb --in-place
  sinew retarget takes/*.bvh --to hero.glb -o results/
  sinew retarget hero.glb --clip Run --to other.bvh -o run.bvh --report run.json
  sinew retarget walk.bvh --to odd.glb -o odd.glb --map odd.toml
  sinew retarget walk.bvh --to heavy.glb -o heavy_walk.glb --physics

Joints are recognised by name and by shape; -v prints the map. If a joint is uncertain the command refuses and says which
lines a map file needs. Everything in the file of --to is kept; the clips are added to it.";

/// Move a motion to another skeleton: feet on the floor, no map file, no T-pose
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", super::EXIT_CODES))]
pub struct RetargetArgs {
    /// Files with the motion: .bvh, .glb, .gltf, .vrm or .amc
    #[arg(value_name = "CLIP", required = true)]
    inputs: Vec<PathBuf>,
    /// File with the target character: .glb, .gltf, .vrm, .bvh or .asf
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// File to write, .glb, .gltf or .bvh; or a folder, with a / at its end, for one file per CLIP
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Use only this clip; may be given several times [default: all; BVH holds one]
    #[arg(long, value_name = "NAME")]
    clip: Vec<String>,
    /// Path of the root: scaled by the length of the legs, or kept as in the source
    #[arg(long, value_name = "PATH", default_value = "scaled")]
    path: PathWord,
    /// Travel along the ground: kept in the hips, left out, or carried by the bone above them, as game engines want it
    #[arg(long, value_name = "MOTION", default_value = "keep")]
    root_motion: RootMotionWord,
    /// Keep the distance of the hands from each other and from the body where they come near
    #[arg(long)]
    keep_hands: bool,
    /// Do not hold feet and hands on the ground
    #[arg(long)]
    no_contacts: bool,
    /// Do not keep joints within the limits of the target
    #[arg(long)]
    no_limits: bool,
    /// Let the result pass the physical filter on the body of the target: its masses, its proportions (see sinew filter)
    #[arg(long)]
    physics: bool,
    /// Height of the ground in metres [default: 0, or where the feet are]
    #[arg(long, value_name = "Y", value_parser = height, allow_negative_numbers = true)]
    ground: Option<f64>,
    /// Names of joints that are not recognised: a file with [source] and [target]
    #[arg(long, value_name = "FILE.toml")]
    map: Option<PathBuf>,
    /// Write the recognised joints to this file, to be edited and given with --map
    #[arg(long, value_name = "FILE.toml")]
    save_map: Option<PathBuf>,
    /// Write the map and all figures before and after to this file
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
    /// Let OUT replace the character of --to, when both are the same file
    #[arg(long)]
    in_place: bool,
    /// Write the result even if its joints bend as no body can
    #[arg(long)]
    write_anyway: bool,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    /// Show the map, all figures, and the reasons of guesses
    #[arg(short, long)]
    verbose: bool,
    /// Print the map and the figures as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    import: ImportArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PathWord {
    /// Path of the source, scaled by the length of the legs
    Scaled,
    /// Path of the source, unchanged
    Kept,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RootMotionWord {
    /// Hips travel, as in the source
    Keep,
    /// Hips stay above the place where they rest
    InPlace,
    /// The root above the hips travels along the ground, and the hips stay above it
    Extract,
}

impl RootMotionWord {
    /// Rewrites the travel of a clip of the target, which the skeleton is of.
    fn apply(self, target: &Body, skeleton: &Skeleton, clip: Clip) -> Result<Clip, Box<dyn std::error::Error>> {
        let hips = target.guesses().iter().position(|guess| guess.role == Some(Role::Hips));
        let hips = hips.ok_or("no joint of the target is known as its hips")?;
        Ok(match self {
            Self::Keep => clip,
            Self::InPlace => edit::without_travel(skeleton, &clip, hips)?,
            Self::Extract => edit::with_travel_on_root(skeleton, &clip, hips)?.ok_or_else(|| {
                format!("the target has no bone above its hips, {:?}, to carry the travel", skeleton.joint(hips).name)
            })?,
        })
    }
}

/// A character that motion is moved to.
struct Target {
    capture: Capture,
    skin: Option<Vec<Vec<sinew::Vec3>>>,
}

/// One clip that was moved.
struct MovedClip {
    /// Clip of the source.
    source: Clip,
    moved: Retargeted,
}

/// Clips of one input, moved to the target.
struct Batch {
    input: PathBuf,
    capture: Capture,
    map: Value,
    map_text: String,
    /// Number of mapped joints, and the least certain of them with its confidence.
    mapped: (usize, Option<(String, f64)>),
    notes: Vec<String>,
    clips: Vec<MovedClip>,
}

impl RetargetArgs {
    /// Runs the verb. With `--json` a failure is printed as an object, too, beside the diagnostic on stderr.
    pub fn run(self) -> Result<(), Failure> {
        let result = self.retarget();
        if let (true, Err(failure)) = (self.json, &result) {
            let inputs: Vec<String> = self.inputs.iter().map(|input| input.display().to_string()).collect();
            let object =
                json!({ "inputs": inputs, "target": self.to.display().to_string(), "error": failure.to_json() });
            print(&json_line(&object)?)?;
        }
        result
    }

    fn retarget(&self) -> Result<(), Failure> {
        let mut outputs = self.refuse_early()?;
        let reader = self.import.reader(&self.inputs, true)?;
        let spinner = Spinner::start(format!("reading {}", self.to.display()));
        let capture = formats::read(&self.to, &ImportOptions { drop_tpose: true, ..ImportOptions::default() })?;
        reader.check_size(&capture).map_err(|error| self.misfit(error))?;
        let skin = gltf::skin_vertices(&capture).ok().flatten();
        let target = Target { capture, skin };
        drop(spinner);
        let paint = Paint::for_stdout();
        let mut batches = Vec::new();
        for input in &self.inputs {
            let _spinner = Spinner::start(format!("retargeting {}", input.display()));
            match self.one(input, &reader, &target, &mut outputs) {
                Ok(batch) => batches.push(batch),
                Err(failure) => {
                    // The map alone, which helps to say what was not recognised.
                    outputs.write()?;
                    return Err(failure);
                }
            }
        }
        let files = self.files(&target, &batches)?;
        let (mut inputs, mut text) = (Vec::new(), String::new());
        for (k, batch) in batches.iter().enumerate() {
            let _spinner = Spinner::start(format!("measuring {}", batch.input.display()));
            let measured = self.measure(&target, &batches, k, &files)?;
            if let Some(failure) = self.refusal(batch, &measured) {
                outputs.write()?;
                return Err(failure);
            }
            let to = (self.to.as_path(), &target.capture.report);
            inputs.push(summary::batch_json(to, batch, &measured));
            let gap = if k > 0 { "\n" } else { "" };
            text.push_str(&format!("{gap}{}", summary::batch_text(to, batch, &measured, self.verbose, paint)));
        }
        let names: Vec<String> = files.iter().map(|(output, _)| output.display().to_string()).collect();
        let all = json!({ "target": self.to.display().to_string(), "outputs": names, "inputs": inputs });
        if let Some(report) = &self.report {
            outputs.put(report, json_line(&all)?);
        }
        files.into_iter().for_each(|(path, bytes)| outputs.put(&path, bytes));
        outputs.write()?;
        if self.json {
            return print(&json_line(&all)?);
        }
        text.push_str(&format!("  {}  {}\n", paint.faint("written"), paint.title(&names.join(", "))));
        print(&text)
    }

    /// Gives the reason why a result is not written: joints beyond the anatomy that are within it in the source.
    fn refusal(&self, batch: &Batch, measured: &[Comparison]) -> Option<Failure> {
        let judged = batch.clips.iter().zip(measured).filter(|_| !self.write_anyway);
        let mut faults = judged.filter_map(|(clip, measured)| {
            let judged = Acceptance::of_transfer(&measured.before.1, &measured.after.1);
            Some((clip.source.name.clone(), judged.beyond_anatomy?))
        });
        faults.next().map(|(clip, fault)| {
            let what = format!("{} → {}: clip {clip:?}: {fault}", batch.input.display(), self.to.display());
            Failure::content(what).help(
                "joints may be taken for others: --save-map writes what they are taken for, --map takes it back edited; \
                 --write-anyway writes the result as it is",
            )
        })
    }

    /// Refuses a character of a size that none has. Its unit is no option of this verb.
    fn misfit(&self, error: FormatError) -> Failure {
        let to = self.to.display();
        let help = error.help.clone().unwrap_or_default();
        let help = format!("sinew convert {to} --unit … -o … writes it in another unit ({help})");
        Failure::from(error.in_file(&self.to)).help(help)
    }

    /// Checks the options before any file is read.
    fn refuse_early(&self) -> Result<Outputs, Failure> {
        if !self.wants_folder() && self.output.extension().is_none() {
            let what = format!("{}: has no extension, so it is not a file that sinew writes", self.output.display());
            return Err(Failure::usage(what)
                .help("sinew writes .bvh, .glb and .gltf; a folder, for a file each, has a / at its end"));
        }
        if !self.wants_folder() && is_bvh(&self.output) && self.inputs.len() > 1 {
            return Err(Failure::usage("a BVH file holds one clip, several were given")
                .help("name a folder with -o, or write .glb"));
        }
        let read = self.inputs.iter().chain([&self.to]).chain(&self.map).map(PathBuf::as_path);
        let mut plan = Plan::new(read.chain(self.import.like()), self.overwrite);
        if self.wants_folder() {
            plan = plan.folder(&self.output);
        }
        let mut outputs: Vec<PathBuf> = self.inputs.iter().map(|input| self.output_of(input)).collect();
        if !self.wants_folder() {
            outputs.truncate(1);
        }
        for (output, input) in outputs.iter().zip(&self.inputs) {
            // Clips are added to a character; a BVH file holds one, which would be lost.
            let updates: &[&Path] = if is_bvh(output) { &[] } else { &[&self.to] };
            plan = plan.update(output, updates, self.in_place)?.made_from(input);
        }
        let plan = plan.option("--report", self.report.as_deref(), "json")?;
        plan.option("--save-map", self.save_map.as_deref(), "toml")?.decide()
    }

    /// The file that the motions of an input go to.
    fn output_of(&self, input: &Path) -> PathBuf {
        if !self.wants_folder() {
            return self.output.clone();
        }
        let stem = input.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        self.output.join(format!("{stem}.{}", if is_gltf(&self.to) { "glb" } else { "bvh" }))
    }

    fn wants_folder(&self) -> bool {
        is_folder(&self.output)
    }

    /// Moves the clips of one file.
    fn one(&self, input: &Path, reader: &Reader, target: &Target, outputs: &mut Outputs) -> Result<Batch, Failure> {
        let capture = reader.read(input)?;
        let skin = gltf::skin_vertices(&capture).ok().flatten();
        let clips = self.chosen(input, &capture)?;
        let named = self.read_map(&capture.skeleton, &target.capture.skeleton)?;
        let source = BodyOptions { example: clips.first(), skin: skin.as_deref(), told: &named.source };
        let source = Body::new(&capture.skeleton, &source);
        let goal = BodyOptions {
            example: target.capture.clips.iter().find(|clip| clip.frames() > 0),
            skin: target.skin.as_deref(),
            told: &named.target,
        };
        let goal = Body::new(&target.capture.skeleton, &goal);
        if let Some(file) = &self.save_map {
            outputs.put(file, MapFile::write(&source, &goal));
        }
        let map = JointMap::between(&source, &goal).map_err(|error| self.refuse(input, &error))?;
        let options = RetargetOptions {
            path: match self.path {
                PathWord::Scaled => RootPath::Scaled,
                PathWord::Kept => RootPath::Kept,
            },
            ground: self.ground,
            hold_contacts: !self.no_contacts,
            keep_hands: self.keep_hands,
            limits: !self.no_limits,
        };
        let mut moved_clips = Vec::new();
        for clip in &clips {
            let refuse = |error: &dyn std::fmt::Display| {
                Failure::content(format!("{}: clip {:?}: {error}", input.display(), clip.name))
            };
            let mut moved =
                Retarget { source: &source, target: &goal, clip, options }.run().map_err(|error| refuse(&error))?;
            let ground = (!moved.same).then_some(moved.ground);
            if self.physics {
                let what = format!("filtering {} on {}", clip.name, self.to.display());
                moved.clip = filtered(target, &moved.clip, ground, what).map_err(|error| {
                    refuse(&error).help("without --physics the motion is moved as far as shape and ground ask for it")
                })?;
            }
            moved.clip = self.root_motion.apply(&goal, &target.capture.skeleton, moved.clip).map_err(|error| {
                refuse(&error).help("--root-motion in-place leaves the travel out, keep has it in the hips")
            })?;
            moved_clips.push(MovedClip { source: clip.clone(), moved });
        }
        let mut notes = map.notes.clone();
        if let Some(frame) = capture.report.inserted_tpose {
            notes.push(format!("frame {} of the source is an inserted T-pose and is left out", frame + 1));
        }
        let asked = if self.clip.is_empty() { capture.clips.len() } else { self.clip.len() };
        let left = asked - clips.len();
        if left > 0 {
            notes.push(format!("{left} more clips of the source are left out: a BVH file holds one (--clip chooses)"));
        }
        let least = map.joints.iter().min_by(|a, b| a.confidence.total_cmp(&b.confidence));
        let least = least.map(|least| (target.capture.skeleton.joint(least.target).name.clone(), least.confidence));
        let mapped = (map.joints.len(), least);
        let (map_text, map) = (summary::map_text(&map, &source, &goal), summary::map_json(&map, &source, &goal));
        Ok(Batch { input: input.to_owned(), capture, map, map_text, mapped, notes, clips: moved_clips })
    }

    fn chosen(&self, input: &Path, capture: &Capture) -> Result<Vec<Clip>, Failure> {
        if capture.clips.is_empty() {
            return Err(Failure::content(format!("{}: has no clip to move", input.display()))
                .help("the file holds a skeleton alone; --to is for the character"));
        }
        let mut clips: Vec<Clip> = match self.clip.as_slice() {
            [] => capture.clips.clone(),
            names => names
                .iter()
                .map(|name| find_clip(input, &capture.clips, name).map(|at| capture.clips[at].clone()))
                .collect::<Result<_, _>>()?,
        };
        let one_only = if self.wants_folder() { !is_gltf(&self.to) } else { is_bvh(&self.output) };
        if one_only {
            clips.truncate(1);
        }
        Ok(clips)
    }

    fn read_map(&self, source: &Skeleton, target: &Skeleton) -> Result<MapFile, Failure> {
        let Some(file) = &self.map else { return Ok(MapFile::default()) };
        let text = sinew::files::load_text(file)?;
        MapFile::read(&text, source, target).map_err(|error| error.in_file(file).into())
    }

    fn refuse(&self, input: &Path, error: &MapError) -> Failure {
        let failure = Failure::content(format!("{} → {}: {error}", input.display(), self.to.display()));
        match error {
            MapError::Doubtful(doubts) => {
                let mut lines = vec!["say what they are in a file and give it with --map; for example:".to_owned()];
                for (k, doubt) in doubts.iter().enumerate() {
                    if k == 0 || doubts[k - 1].whose != doubt.whose {
                        lines.push(format!("[{}]", doubt.whose));
                    }
                    lines.push(map_line(&doubt.joint, doubt.role));
                }
                failure.help(lines.join("\n"))
            }
            MapError::NoBody { whose, .. } => failure.help(format!(
                "motion goes to bodies; if this is one, name its joints in a file and give it with --map: [{whose}], then a line \
                 per joint such as \"bone_1\" = \"hips\" (--save-map writes what is known)"
            )),
            MapError::Detached { .. } if self.map.is_some() => {
                failure.help("limbs are chains of joints: look at the lines of the map file that name this one and those above it")
            }
            MapError::Detached { .. } => failure.help("export the character with its limbs in one chain, without control bones"),
            MapError::Kinds { .. } => failure.help("name a character that stands on as many legs; sinew info shows what joints are taken for"),
            MapError::Nothing(_) => failure.help("sinew info shows what joints are taken for"),
        }
    }

    /// Measures the clips of a batch as `sinew report SOURCE RESULT` measures the files.
    fn measure(
        &self,
        target: &Target,
        batches: &[Batch],
        which: usize,
        files: &[(PathBuf, Vec<u8>)],
    ) -> Result<Vec<Comparison>, Failure> {
        let batch = &batches[which];
        let Some((path, bytes)) = files.get(if self.wants_folder() { which } else { 0 }) else { return Ok(Vec::new()) };
        let count = |batches: &[Batch]| batches.iter().map(|batch| batch.clips.len()).sum::<usize>();
        let first = if self.wants_folder() { 0 } else { count(&batches[..which]) };
        let options = SubjectOptions { ground: self.ground, ..SubjectOptions::default() };
        let compared = batch.clips.iter().enumerate().map(|(k, clip)| {
            let source = (batch.input.as_path(), &batch.capture, clip.source.clone());
            let written = Written { path, bytes, position: first + k };
            compare(source, (&target.capture, &clip.moved.clip), Some(written), &options)
        });
        compared.collect()
    }

    /// The motion files with their bytes.
    fn files(&self, target: &Target, batches: &[Batch]) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
        let mut capture = target.capture.clone();
        let mut file = |output: PathBuf, batches: &[Batch]| -> Result<_, Failure> {
            let clips = batches.iter().flat_map(|batch| &batch.clips).map(|clip| clip.moved.clip.clone());
            capture.clips = clips.collect();
            let bytes = formats::to_bytes(&output, &capture, &ExportOptions::default())?;
            Ok((output, bytes))
        };
        match self.wants_folder() {
            true => {
                batches.iter().map(|batch| file(self.output_of(&batch.input), std::slice::from_ref(batch))).collect()
            }
            false => Ok(vec![file(self.output.clone(), batches)?]),
        }
    }
}

fn is_bvh(path: &Path) -> bool {
    has_extension(path, &["bvh"])
}

fn is_gltf(path: &Path) -> bool {
    has_extension(path, &["glb", "gltf", "vrm"])
}

/// A clip made physical on the body of the target.
fn filtered(
    target: &Target,
    clip: &Clip,
    ground: Option<f64>,
    what: String,
) -> Result<Clip, Box<dyn std::error::Error>> {
    let body = CaptureOptions::default();
    let (figure, _) = for_skeleton(&target.capture.skeleton, Some(clip), target.skin.as_deref(), &body)?;
    let prepare = PrepareOptions { ground, ..PrepareOptions::default() };
    let options = FilterOptions { prepare, ..FilterOptions::default() };
    let mut bar = Bar::start(what, clip.frames() as u64);
    let mut progress = |share: f64| {
        bar.at_share(share, clip.duration());
        true
    };
    let filtered = Filter { figure: &figure, clip, options }.run(&mut progress)?;
    // What the filter would not write is not written here either.
    let judge = |clip: &Clip| {
        let options = MeasureOptions { ground, made: true, cutoff: Cutoff::None, ..MeasureOptions::default() };
        Measure { figure: &figure, clip, options }.run()
    };
    let moved = |clip| Moved { skeleton: figure.skeleton(), clip };
    let tracking = Tracking::between(&moved(&filtered.source), &moved(&filtered.solved.clip))?;
    let judged = Acceptance::of_result(&figure, &judge(clip)?, &judge(&filtered.solved.clip)?, tracking.position);
    match judged.fault() {
        Some(fault) => Err(format!("what the filter makes of it is not physical: {fault}").into()),
        None => Ok(filtered.clip),
    }
}

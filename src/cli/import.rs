//! Reading of inputs: options about what a file does not state, and what files of one recorder tell about each other.

use super::failure::Failure;
use super::outputs::has_extension;
use super::progress::Spinner;
use clap::{Args, ValueEnum};
use sinew::formats::{
    self, Capture, Format, FormatError, Guess, ImportOptions, PositionChannels, Unit, UpAxis, Warning, check_size,
    pooled_up,
};
use std::path::{Path, PathBuf};

/// Options of reading the input.
#[derive(Args, Debug)]
#[command(next_help_heading = "Reading")]
pub struct ImportArgs {
    /// Length unit of the file: m, dm, cm, mm, inch, foot (also written out), cmu, or its length in metres
    /// such as 0.0254
    /// [default: guessed]
    #[arg(long, value_name = "UNIT", value_parser = unit, allow_negative_numbers = true)]
    unit: Option<Unit>,
    /// Direction that is up in the file: x, y, z, or with a sign, -y [default: guessed]
    #[arg(long, value_name = "AXIS", value_parser = up, allow_hyphen_values = true)]
    up: Option<UpAxis>,
    /// Meaning of the position channels of a BVH root relative to its OFFSET [default: guessed]
    #[arg(long, value_name = "MEANING")]
    root_offset: Option<RootOffsetWord>,
    /// Take unit, up axis and meaning of position channels from this file, one of the same actor or recorder; --unit, --up and
    /// --root-offset come first
    #[arg(long, value_name = "FILE")]
    like: Option<PathBuf>,
    /// Accept people of a size that none has (below 45 cm, above 3 m): dolls, giants
    #[arg(long)]
    any_size: bool,
    /// Frames per second of a file that does not say it: AMC, a BVH without frame time, sparse glTF keys
    /// [default: guessed]
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    source_rate: Option<f64>,
    /// Keep the complete frames of a file whose motion block is damaged, instead of refusing it
    #[arg(long)]
    keep_complete: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RootOffsetWord {
    /// The channels are the position
    Replace,
    /// The channels add to the OFFSET
    Add,
}

impl ImportArgs {
    /// Returns true if the options name the unit or the up axis.
    pub fn names_unit_or_axes(&self) -> bool {
        self.unit.is_some() || self.up.is_some()
    }

    /// The file of `--like`, an input of the call.
    pub fn like(&self) -> Option<&Path> {
        self.like.as_deref()
    }

    /// The library's options; only verbs that write may drop an inserted T-pose.
    pub fn options(&self, drop_tpose: bool) -> ImportOptions {
        ImportOptions {
            unit: self.unit,
            up: self.up,
            root_offset: self.root_offset.map(|word| match word {
                RootOffsetWord::Replace => PositionChannels::Replace,
                RootOffsetWord::Add => PositionChannels::Add,
            }),
            rate: self.source_rate,
            drop_tpose,
            keep_complete: self.keep_complete,
        }
    }

    /// The library's options, with what is taken from the file of `--like`.
    #[cfg(feature = "viewer")]
    pub fn options_with_like(&self, drop_tpose: bool) -> Result<ImportOptions, Failure> {
        Ok(self.reader(&[], drop_tpose)?.options)
    }

    /// Returns the reader of all inputs of a call.
    pub fn reader(&self, inputs: &[PathBuf], drop_tpose: bool) -> Result<Reader, Failure> {
        let options = self.options(drop_tpose);
        let mut reader = Reader {
            own: options.clone(),
            options,
            like: None,
            shared: Vec::new(),
            pooled: Vec::new(),
            any_size: self.any_size,
        };
        match &self.like {
            Some(file) => reader.take_from(file)?,
            None if inputs.len() > 1 && self.up.is_none() => reader.pool(inputs),
            None => {}
        }
        Ok(reader)
    }
}

/// Reads the inputs of a call, with what they have in common.
pub struct Reader {
    /// Options as they were typed.
    own: ImportOptions,
    /// Options with what was taken from the file of `--like`.
    options: ImportOptions,
    /// File of `--like` with the names of its joints.
    like: Option<(PathBuf, Vec<String>)>,
    /// Guesses that were taken from the file of `--like`.
    shared: Vec<Guess>,
    /// Up axes that files of one folder and one skeleton show together.
    pooled: Vec<(PathBuf, UpAxis, Guess)>,
    any_size: bool,
}

impl Reader {
    /// Reads a file, and refuses a person of a size that no person has.
    pub fn read(&self, file: &Path) -> Result<Capture, Failure> {
        let capture = self.read_any_size(file)?;
        self.check_size(&capture).map_err(|error| error.in_file(file))?;
        Ok(capture)
    }

    /// Reads a file, whatever the size of the body in it.
    pub fn read_any_size(&self, file: &Path) -> Result<Capture, FormatError> {
        if states_itself(file) {
            return formats::read(file, &self.own);
        }
        let pooled = self.pooled.iter().find(|(of, ..)| of == file);
        let up = self.options.up.or(pooled.map(|pooled| pooled.1));
        let mut capture = formats::read(file, &ImportOptions { up, ..self.options.clone() })?;
        let told = self.shared.iter().chain(pooled.map(|pooled| &pooled.2));
        capture.report.guesses.splice(0..0, told.cloned());
        let messages = [self.other_skeleton(&capture), self.other_up(&capture)];
        let warnings = messages.into_iter().flatten().map(|message| Warning { line: None, message });
        capture.report.warnings.extend(warnings);
        Ok(capture)
    }

    /// Describes a file of `--like` that holds another skeleton.
    fn other_skeleton(&self, capture: &Capture) -> Option<String> {
        let (like, names) = self.like.as_ref()?;
        let joints = capture.skeleton.joints().iter().map(|joint| &joint.name);
        (!joints.eq(names)).then(|| {
            format!("--like {}: its skeleton is another one, and its unit and axes may be, too", like.display())
        })
    }

    /// Describes an up axis that was told and that the motion speaks against with certainty.
    fn other_up(&self, capture: &Capture) -> Option<String> {
        let told = self.options.up?;
        let (shown, None) = pooled_up(&[capture.report.up_likelihoods?]) else { return None };
        let option = if self.own.up.is_some() { "--up" } else { "--like" };
        (shown != told).then(|| format!("{option} makes {told} up, and the motion shows {shown}"))
    }

    /// Refuses a person of a size that no person has, unless the options accept any.
    pub fn check_size(&self, capture: &Capture) -> Result<(), FormatError> {
        if self.any_size {
            return Ok(());
        }
        check_size(capture).map_err(|error| {
            let help = error.help.clone().unwrap_or_default();
            error.help(format!("{help}; --any-size accepts dolls and giants"))
        })
    }

    /// Takes what was guessed of another file.
    fn take_from(&mut self, file: &Path) -> Result<(), Failure> {
        let _spinner = Spinner::start(format!("reading {}", file.display()));
        let Capture { report, skeleton, .. } = formats::read(file, &self.own)?;
        self.like = Some((file.to_owned(), skeleton.joints().iter().map(|joint| joint.name.clone()).collect()));
        if matches!(report.format, Format::Gltf | Format::Glb | Format::Vrm) {
            let message = format!(
                "--like {}: a glTF file states its unit and axes, so there is nothing to take from it",
                file.display()
            );
            return Err(Failure::usage(message).help("name a .bvh or .amc file of the same actor or recorder"));
        }
        let rival = |what: &str| {
            report.guesses.iter().find(|guess| guess.what == what).and_then(|guess| guess.runner_up.clone())
        };
        let as_there = format!("as in {}", file.display());
        if self.own.unit.is_none() {
            self.options.unit = Some(report.unit);
            self.shared.push(Guess::new("unit", report.unit, as_there.as_str(), "--unit").rivalled_by(rival("unit")));
        }
        if self.own.up.is_none() {
            self.options.up = Some(report.up);
            self.shared.push(Guess::new("up", report.up, as_there.as_str(), "--up").rivalled_by(rival("up")));
        }
        let meant = |what: &str| report.guesses.iter().find(|guess| guess.what == what).cloned();
        if let (None, Some(guess)) = (self.own.root_offset, meant("root offset").or_else(|| meant("joint offset"))) {
            let add = guess.chosen == PositionChannels::Add.to_string();
            self.options.root_offset = Some(if add { PositionChannels::Add } else { PositionChannels::Replace });
            self.shared.push(Guess { why: as_there, ..guess });
        }
        Ok(())
    }

    /// Adds up the evidence for the up axis over files of one folder and one skeleton. Files that cannot be read are told of when
    /// their turn comes.
    fn pool(&mut self, inputs: &[PathBuf]) {
        let _spinner = Spinner::start("comparing the files".to_owned());
        let mut pools: Vec<(Recorder, Vec<Evidence>)> = Vec::new();
        for file in inputs.iter().filter(|file| file.is_file() && !states_itself(file)) {
            let Ok(Capture { skeleton, report, .. }) = formats::read(file, &self.own) else { continue };
            let guess = report.guesses.iter().find(|guess| guess.what == "up").cloned();
            let (Some(nats), Some(guess)) = (report.up_likelihoods, guess) else { continue };
            let names = skeleton.joints().iter().map(|joint| (joint.name.clone(), joint.parent)).collect();
            let recorder = (file.parent().map(Path::to_owned), names);
            let evidence = Evidence { file: file.clone(), nats, up: report.up, guess };
            match pools.iter_mut().find(|(of, _)| *of == recorder) {
                Some((_, files)) => files.push(evidence),
                None => pools.push((recorder, vec![evidence])),
            }
        }
        for (_, files) in pools.into_iter().filter(|(_, files)| files.len() > 1) {
            let nats: Vec<[f64; 6]> = files.iter().map(|evidence| evidence.nats).collect();
            let (up, runner_up) = pooled_up(&nats);
            let n = files.len();
            for Evidence { file, up: alone, guess, .. } in files {
                let why = match alone == up {
                    true => format!("{}; the {n} files of this skeleton in its folder agree", guess.why),
                    false => format!(
                        "the {n} files of this skeleton in its folder show it together; this one alone looks like {alone}"
                    ),
                };
                self.pooled.push((file, up, Guess::new("up", up, why, "--up").rivalled_by(runner_up)));
            }
        }
    }
}

/// Folder and joints, by which files of one recorder are known.
type Recorder = (Option<PathBuf>, Vec<(String, Option<usize>)>);

/// Evidence of one file for its up axis.
struct Evidence {
    file: PathBuf,
    nats: [f64; 6],
    up: UpAxis,
    guess: Guess,
}

/// Returns true for a file whose format states unit and axes.
fn states_itself(file: &Path) -> bool {
    has_extension(file, &["glb", "gltf", "vrm"])
}

fn unit(text: &str) -> Result<Unit, String> {
    Unit::parse(text).ok_or_else(|| "expected m, dm, cm, mm, inch, foot, cmu or a length in metres".to_owned())
}

fn up(text: &str) -> Result<UpAxis, String> {
    UpAxis::parse(text).ok_or_else(|| "expected x, y, z, -x, -y or -z".to_owned())
}

/// Frames per second.
pub fn rate(text: &str) -> Result<f64, String> {
    let rate = text.trim_end_matches("Hz").trim().parse().ok().filter(|hz| (0.01..=10_000.0).contains(hz));
    rate.ok_or_else(|| "expected frames per second between 0.01 and 10000".to_owned())
}

//! `sinew ragdoll`: a figure is let go and falls.

use super::batch;
use super::cut::CutArgs;
use super::failure::{Exit, Failure};
use super::output::number;
use super::simulate::terrain;
use super::simulate_run::{self, CommonArgs, Finished, clip_depth, run_failure};
use clap::Args;
use sinew::control::Animation;
use sinew::figure::Figure;
use sinew::measure::Grade;
use sinew::motion::edit;
use sinew::simulation::{LimitedVelocity, RagDoll, Run, RunSettings};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  sinew ragdoll hero.glb -o fall.glb
  sinew ragdoll run.bvh -o tumble.glb --at 0.8
  sinew ragdoll hero.glb -o stairs.glb --stairs --drop 0";

/// Let a figure go and watch it fall until it is at rest
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", super::EXIT_CODES))]
pub struct RagdollArgs {
    /// Character or clip: .bvh, .glb, .gltf, .vrm, .asf or .amc
    #[arg(value_name = "CHARACTER|CLIP")]
    input: PathBuf,
    #[command(flatten)]
    common: CommonArgs,
    /// Begin this many metres above the ground [default: 0.5 for a character, 0 for a clip]
    #[arg(long, value_name = "M", value_parser = height, allow_negative_numbers = true)]
    drop: Option<f64>,
    /// Begin with the posture and the velocities of the clip at this time [default: the first frame]
    #[arg(long, value_name = "T", value_parser = super::simulate::moment, allow_negative_numbers = true)]
    at: Option<f64>,
    /// Damping of the joints, in Hz: 0.1 swings freely, 3 moves as in honey
    #[arg(long, value_name = "HZ", default_value = "0.5", value_parser = height, allow_negative_numbers = true)]
    damping: f64,
    /// Stop after this many seconds, at rest or not
    #[arg(long = "for", value_name = "S", default_value = "10", value_parser = height, allow_negative_numbers = true)]
    duration: f64,
}

fn height(text: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|v: &f64| (0.0..=1000.0).contains(v));
    value.ok_or_else(|| "expected a number from 0 to 1000".to_owned())
}

/// Describes the largest captured start velocity that was limited.
pub(super) fn limited_start_note(figure: &Figure, limited: &[LimitedVelocity]) -> Option<String> {
    let worst = limited.iter().max_by(|a, b| a.captured.total_cmp(&b.captured))?;
    let unit = if worst.angular { "rad/s" } else { "m/s" };
    let name = &figure.skeleton().joints()[worst.joint].name;
    let others = if limited.len() > 1 { format!(", and {} more", limited.len() - 1) } else { String::new() };
    Some(format!(
        "the capture jumps where the fall begins: {name} at {} {unit} was taken as {}, as in the frames behind it{others}",
        number(worst.captured, 0),
        number(worst.limited, 1)
    ))
}

impl RagdollArgs {
    /// Runs the verb. With `--json` a failure is printed as an object, too, beside the diagnostic on stderr.
    pub fn run(self) -> Result<Exit, Failure> {
        let input = std::slice::from_ref(&self.input);
        let failed = |file: &Path, failure: &Failure| serde_json::json!({ "input": file.display().to_string(), "error": failure.to_json() });
        batch::each(input, self.common.json, failed, |_| self.fall())
    }

    fn fall(&self) -> Result<Grade, Failure> {
        let input = std::slice::from_ref(&self.input);
        let mut outputs = self.common.refuse_early(input)?;
        let reader = self.common.import.reader(input, true)?;
        let mut loaded = self.common.load(&self.input, &reader, &CutArgs::default(), true)?;
        let refuse = |error: sinew::motion::ClipError| Failure::content(format!("{}: {error}", self.input.display()));
        let from_rest = loaded.capture.clips.is_empty();
        if let Some(time) = self.at {
            if time > loaded.clip.duration() {
                let end = number(loaded.clip.duration(), 3);
                return Err(Failure::usage(format!("{}: --at {time} lies behind the end", self.input.display()))
                    .help(format!("it ends at {end} s")));
            }
            let first = (time * loaded.clip.rate_hz()).round() as usize;
            let first = first.min(loaded.clip.frames() - 1);
            loaded.clip = edit::slice(&loaded.clip, first..loaded.clip.frames()).map_err(refuse)?;
        }
        let animation = Animation::new(&loaded.capture.skeleton, &loaded.clip).map_err(refuse)?;
        let drop = self.drop.unwrap_or(if from_rest { 0.5 } else { 0.0 });
        // The figure stays where the file has it; the ground is that much lower.
        let mut settings = RunSettings {
            terrain: terrain(&self.common),
            ground: loaded.ground - drop,
            rate: self.common.rate,
            moving: !from_rest,
            ..RunSettings::limp()
        };
        settings.substeps = settings.substeps.max(self.common.substeps);
        settings.material.friction = self.common.friction;
        loaded.ground -= drop;
        let run = Run::new(&loaded.figure, animation.clone(), settings);
        let mut run = run.map_err(|error| run_failure(&error).about(&self.input))?;
        run.let_go(0);
        run.followers[0].actor.relax(&mut run.world, RagDoll::Stiffness(self.damping));
        let before = clip_depth(&loaded, terrain(&self.common), &run);
        let frames = (self.duration * loaded.clip.rate_hz()).round() as usize + 1;
        let what = format!("dropping {}", self.input.display());
        let outcome = simulate_run::drive(&mut run, &self.input, what, frames, true);
        let outcome = outcome.map_err(|failure| failure.about(&self.input))?;
        let notes: Vec<String> =
            limited_start_note(&loaded.figure, run.followers[0].limited_velocities()).into_iter().collect();
        let finished = Finished {
            input: &self.input,
            places: self.common.places(&self.input),
            judgement: outcome.fall_judgement(&loaded.figure),
            loaded,
            animation: &animation,
            outcome: &outcome,
            before,
            notes,
        };
        simulate_run::finish(&self.common, &mut outputs, finished)
    }
}

//! `sinew run`: runs a scene file to its end and checks its expectations.

use super::failure::{Exit, Failure};
use super::lead::Lead;
use super::output::{Facts, Paint, json_line, number, print};
use super::outputs::{OverwriteArgs, Plan, has_extension};
use super::progress::Bar;
use clap::Args;
use serde_json::json;
use sinew::dynamics::BodyKind;
use sinew::formats::READABLE;
use sinew::measure::{Grade, Judgement};
use sinew::scene::{Files, Outcome, SceneError, SceneRun, Verdict as SceneVerdict, gallery, json_schema, verdict_json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  sinew run --list
  sinew run chain_release
  sinew run mobile -o mobile.glb
  sinew run my_scene.toml --for 2 --record run.json
  sinew run --schema > scene.schema.json

docs/scenes.md describes scene files. The exit code is 1 if an expectation fails.";

/// Run a scene file and check its expectations
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", super::EXIT_CODES))]
pub struct RunArgs {
    /// A scene file, or the name of a built-in scene
    #[arg(value_name = "SCENE", required_unless_present_any = ["list", "schema"])]
    scene: Option<PathBuf>,
    /// Run for so many seconds instead of the scene's own duration
    #[arg(long = "for", value_name = "S", value_parser = seconds)]
    duration: Option<f64>,
    /// Write everything that moves to this .glb file
    #[arg(short, long, value_name = "OUT.glb")]
    output: Option<PathBuf>,
    /// Write all placements, joint forces and verdicts to this JSON file
    #[arg(long, value_name = "FILE.json")]
    record: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    /// Show the expectations that held, too
    #[arg(short, long)]
    verbose: bool,
    /// Print the verdicts as one JSON object
    #[arg(long)]
    json: bool,
    /// Show the built-in scenes with a line each
    #[arg(long, conflicts_with_all = ["scene", "output", "record", "duration"])]
    list: bool,
    /// Print the JSON Schema of scene files, for editors
    #[arg(long, conflicts_with_all = ["scene", "output", "record", "duration", "list"])]
    schema: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|v: &f64| v.is_finite() && *v > 0.0 && *v <= 1e6);
    value.ok_or_else(|| "expected a positive number of seconds".to_owned())
}

impl RunArgs {
    /// Runs the verb. With `--json` a failure is printed as an object, too, beside the diagnostic on stderr.
    pub fn run(self) -> Result<Exit, Failure> {
        if self.list {
            return self.print_list().map(|()| Exit::Success);
        }
        if self.schema {
            let schema = serde_json::to_string_pretty(&json_schema());
            let schema = schema.map_err(|error| Failure::usage(format!("the schema cannot be written: {error}")))?;
            return print(&(schema + "\n")).map(|()| Exit::Success);
        }
        let scene = self.scene.clone().unwrap_or_default();
        let result = self.run_scene(&scene);
        if let (true, Err(failure)) = (self.json, &result) {
            print(&json_line(&json!({ "scene": scene.display().to_string(), "error": failure.to_json() }))?)?;
        }
        result
    }

    fn print_list(&self) -> Result<(), Failure> {
        let mut all = Vec::new();
        for entry in gallery::ALL {
            let files = Files::open(Path::new(entry.name))?;
            all.push((entry.name, files.scene.title.clone()));
        }
        if self.json {
            let list: Vec<_> = all.iter().map(|(name, title)| json!({ "name": name, "title": title })).collect();
            return print(&json_line(&list)?);
        }
        let paint = Paint::for_stdout();
        let wide = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (name, title) in &all {
            text.push_str(&format!("{}  {title}\n", paint.title(&format!("{name:<wide$}"))));
        }
        print(&text)
    }

    fn run_scene(&self, scene: &Path) -> Result<Exit, Failure> {
        if has_extension(scene, &READABLE) {
            let message = format!("{}: is a motion or a character, not a scene", scene.display());
            return Err(Failure::usage(message).help(
                "sinew simulate gives a motion a body; sinew run takes .toml files and built-in scenes (--list)",
            ));
        }
        let files = Files::open(scene)?;
        let mut outputs = Plan::new(files.all_paths(), self.overwrite)
            .option("-o", self.output.as_deref(), "glb")?
            .option("--record", self.record.as_deref(), "json")?
            .decide()?;
        let mut run = SceneRun::new(files, self.duration).map_err(|error| failed(scene, error))?;
        let steps = (run.duration() / run.step_length()).round().max(1.0) as u64;
        let mut bar = Bar::start(format!("running {}", scene.display()), steps);
        let mut steps_done = 0;
        run.finish(|time| {
            steps_done += 1;
            bar.at(steps_done, time);
        })
        .map_err(|error| failed(scene, error))?;
        let (simulated, spent) = (run.world().time(), bar.spent());
        if let Some(output) = &self.output {
            outputs.put(output, run.to_glb().map_err(|error| error.in_file(output))?);
        }
        if let Some(record) = &self.record {
            outputs.put(record, json_line(&run.to_json().map_err(|error| error.in_file(record))?)?);
        }
        outputs.write()?;
        self.print_summary(scene, &run, simulated, spent)?;
        Ok(if run.holds() { Exit::Success } else { Exit::BadInput })
    }

    /// Says whether the scene went as it expects.
    fn lead(&self, scene: &Path, run: &SceneRun, verdicts: &[SceneVerdict]) -> Lead<'static> {
        let of = |outcome: Outcome| verdicts.iter().filter(move |verdict| verdict.outcome == outcome);
        let mut judgement = Judgement::good(match (of(Outcome::Held).count(), verdicts.len()) {
            (_, 0) => "it runs to its end, and expects nothing".to_owned(),
            (1, 1) => "its expectation held".to_owned(),
            (held, all) if held == all => format!("all {all} expectations held"),
            (held, all) => format!("{held} of {all} expectations held"),
        });
        if run.world().bodies().all(|(_, body)| matches!(body.kind, BodyKind::Fixed)) {
            judgement.add(
                Grade::Usable,
                "the scene has nothing that moves (docs/scenes.md shows how a [[body]] is written)",
            );
        }
        let open = of(Outcome::NotReached).count();
        if open > 0 {
            let times = if open == 1 { "the time of one" } else { "the times of the others" };
            judgement.add(Grade::Usable, format!("{times} did not come (--for runs it longer)"));
        }
        for verdict in of(Outcome::Failed) {
            judgement.add(Grade::Bad, format!("the expectation {:?} failed", verdict.name.replace('_', " ")));
        }
        let target = self.output.as_ref().map_or(String::new(), |output| format!(" → {}", output.display()));
        Lead { subject: format!("{}{target}", scene.display()), judgement, import: None }
    }

    fn print_summary(&self, scene: &Path, run: &SceneRun, simulated: f64, spent: f64) -> Result<(), Failure> {
        let verdicts = run.verdicts();
        let lead = self.lead(scene, run, &verdicts);
        if self.json {
            let mut object = json!({
                "scene": scene.display().to_string(),
                "title": run.scene().title,
                "simulated_s": simulated,
                "time_factor": simulated / spent.max(1e-9),
                "frames": run.frames(),
                "state_hash": format!("{:016x}", run.world().state_hash()),
                "output": self.output.as_ref().map(|path| path.display().to_string()),
                "holds": run.holds(),
                "expect": verdicts.iter().map(verdict_json).collect::<Vec<_>>(),
            });
            lead.put_into(&mut object);
            return print(&json_line(&object)?);
        }
        let paint = Paint::for_stdout();
        let mut facts = Facts::default();
        if !run.scene().title.is_empty() {
            facts.add("scene", run.scene().title.clone());
        }
        let (seconds, factor) = (number(simulated, 3), number(simulated / spent.max(1e-9), 1));
        facts.add("run", format!("{seconds} s, {factor} × real time"));
        let mut text = lead.to_text(facts, self.verbose, paint);
        let held = verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Held).count();
        // A handful is shown whole.
        let all = self.verbose || verdicts.len() <= HANDFUL;
        for verdict in verdicts.iter().filter(|verdict| all || verdict.outcome != Outcome::Held) {
            text.push_str(&format!("  {}\n", verdict_line(verdict, paint)));
        }
        if !all && held > 0 {
            text.push_str(&paint.faint(&format!("  -v shows the {held} that held\n")));
        }
        print(&text)
    }
}

/// Expectations that are shown without being asked for.
const HANDFUL: usize = 8;

/// One expectation in a line.
fn verdict_line(verdict: &SceneVerdict, paint: Paint) -> String {
    let name = verdict.name.replace('_', " ");
    let found = verdict.found.map_or("nothing".to_owned(), shown);
    let line = match verdict.outcome {
        Outcome::Held if verdict.wanted == "at every step" => format!("held    {name}: {}", verdict.what),
        Outcome::Held => format!("held    {name}: {found}, expected {}", verdict.wanted),
        Outcome::NotReached => paint.faint(&format!("open    {name}: its time did not come")),
        Outcome::Failed if verdict.wanted == "at every step" => {
            format!("{}  {name}: {} did not hold at {found} s", paint.warning("FAILED"), verdict.what)
        }
        Outcome::Failed => {
            let (wanted, what) = (&verdict.wanted, &verdict.what);
            format!("{}  {name}: found {found}, expected {wanted}: {what}", paint.warning("FAILED"))
        }
    };
    line.replace('\n', " ")
}

fn shown(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e5).contains(&size) { number(value, 6) } else { format!("{value:.3e}") }
}

pub(super) fn failed(scene: &Path, error: SceneError) -> Failure {
    match error {
        SceneError::Text(error) => error.into(),
        SceneError::Run(error) => {
            let failure = Failure::content(format!("{}: the scene cannot go on: {error}", scene.display()));
            failure.help("a shorter \"step\" or more \"substeps\" in [world] may help")
        }
    }
}

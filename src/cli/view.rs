//! `sinew view`: files in a window, or as pictures without one.
//!
//! The window is a feature of the build, because two thirds of all dependencies are needed for it alone. The verb is always there,
//! so that a build without it can say how to get it.

use super::failure::Failure;
use super::import::ImportArgs;
use super::outputs::OverwriteArgs;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  sinew view walk.bvh
  sinew view hero.glb --clip run
  sinew view walk.bvh walk_filtered.glb --compare
  sinew view towers
  sinew view walk.bvh -o walk.png --at 0.5 --layers mesh,contact_forces
  sinew view walk.bvh hero_walk.glb -o sheet.png --times 6
  sinew view fall.bvh -o fall.mp4 --frames 90 --simulate

In the window ? shows what keys and mouse do. docs/view.md describes more.";

const EXIT_CODES: &str = "Exit codes:
  0  success
  2  the command line is wrong, nothing can be drawn here, or a file cannot be shown";

/// Show files in an interactive window, or render images without one
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
// Builds without the viewer parse the options and refuse to run.
#[cfg_attr(not(feature = "viewer"), allow(dead_code))]
pub struct ViewArgs {
    /// Clips, characters, figures, scenes (also built-in ones, by name) and recordings, shown side by side
    #[arg(value_name = "FILE|SCENE")]
    inputs: Vec<PathBuf>,
    /// Draw to this .png, or with ffmpeg to this .mp4, .mkv, .webm or .gif, instead of opening a window
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    /// Number of frames to draw; several .png files are numbered: out_0001.png
    #[arg(long, value_name = "N", default_value = "1", requires = "output", value_parser = frames)]
    frames: usize,
    /// Draw a contact sheet instead: one row for each file, one column for each of this many moments
    #[arg(long, value_name = "N", requires = "output", conflicts_with_all = ["frames", "fps"], value_parser = times)]
    times: Option<usize>,
    /// Move the camera with the body; without it a film holds the whole motion
    #[arg(long)]
    follow: bool,
    /// Frames per second of the drawn frames
    #[arg(long, value_name = "HZ", default_value = "30", requires = "output", value_parser = super::import::rate)]
    fps: f64,
    /// Size in pixels [default: 1280x800 for a window, 960x600 for a picture, 300x360 for each one of a contact sheet]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Begin at this time, in seconds
    #[arg(long, value_name = "S", value_parser = super::simulate::moment)]
    at: Option<f64>,
    /// Layers to show, separated by commas: mesh, mannequin, shapes, skeleton, ghost, onion, contacts, contact_forces, torques, reactions,
    /// residual, centre_of_mass, support, zero_moment_point, limits; all; none
    #[arg(long, value_name = "LIST")]
    layers: Option<String>,
    /// Camera view: oblique, front, side, back or top [default: that of the scene, else oblique]
    #[arg(long, value_name = "VIEW")]
    camera: Option<String>,
    /// Start with physics switched on
    #[arg(long)]
    simulate: bool,
    /// Show the inputs as pairs of source and result at the same position, the source as a ghost
    #[arg(long)]
    compare: bool,
    /// Name of the clip to play [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Total mass of figures, kg [default: by height]
    #[arg(long, value_name = "KG", value_parser = super::values::quantity)]
    mass: Option<f64>,
    /// Draw images without text and scale
    #[arg(long, requires = "output")]
    plain: bool,
    /// Write every frame and action of the window as a line of JSON, for reports of faults
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "output")]
    log: Option<PathBuf>,
    #[command(flatten)]
    import: ImportArgs,
}

fn frames(text: &str) -> Result<usize, String> {
    let frames = text.trim().parse().ok().filter(|n| (1..=1_000_000).contains(n));
    frames.ok_or_else(|| "expected a number of frames from 1 to 1000000".to_owned())
}

fn times(text: &str) -> Result<usize, String> {
    let times = text.trim().parse().ok().filter(|n| (1..=50).contains(n));
    times.ok_or_else(|| "expected a number of moments from 1 to 50".to_owned())
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| text.trim().parse().ok().filter(|side| (16..=16_384).contains(side));
    let sides = text.split_once(['x', '×']).and_then(|(width, height)| Some((side(width)?, side(height)?)));
    sides.ok_or_else(|| "expected a width and a height in pixels, such as 1280x800".to_owned())
}

#[cfg(not(feature = "viewer"))]
impl ViewArgs {
    pub fn run(self) -> Result<(), Failure> {
        Err(Failure::usage("this sinew was built without the viewer")
            .help("build it with: cargo build --release --features viewer (cargo install --path . --features viewer)"))
    }
}

#[cfg(feature = "viewer")]
mod with_viewer {
    use super::*;
    use crate::cli::failure::Exit;
    use crate::cli::output::{count, print};
    use crate::cli::outputs::Plan;
    use crate::cli::progress::Bar;
    use sinew::files::nearest;
    use sinew::show::{Action, Layers, OpenOptions, Workspace};
    use sinew::viewer::{self, RenderOptions, SheetOptions, View, ViewError, WindowOptions};
    use std::path::Path;

    impl From<ViewError> for Failure {
        fn from(error: ViewError) -> Self {
            let help = error.help();
            match error {
                ViewError::File(error) => error.into(),
                other => {
                    let failure = Failure::usage(other.to_string());
                    help.into_iter().fold(failure, Failure::help)
                }
            }
        }
    }

    impl ViewArgs {
        pub fn run(self) -> Result<(), Failure> {
            silence_display_search();
            let usual = match self.times {
                // Arrows would cover the small pictures of a contact sheet.
                Some(_) => Layers { contact_forces: false, ..Layers::default() },
                None => Layers::default(),
            };
            let layers = self.layers.as_deref().map_or(Ok(usual), layers)?;
            let view = self.camera.as_deref().map(view).transpose()?;
            if self.output.is_some() && self.inputs.is_empty() {
                return Err(Failure::usage("there is nothing to draw").help("name a file or a built-in scene"));
            }
            self.refuse_early()?;
            // All failures of showing files end with the same exit code.
            let opened = Workspace::open(&self.inputs, &self.options()?);
            let mut workspace = opened.map_err(|error| Failure::from(error).ending(Exit::Usage))?;
            if let Some(time) = self.at {
                let end = workspace.duration();
                if time > end && !self.simulate {
                    return Err(Failure::usage(format!("--at {time} lies behind the end"))
                        .help(format!("it ends at {end:.3} s")));
                }
                act(&mut workspace, Action::Seek(time))?;
            }
            if self.simulate {
                act(&mut workspace, Action::Live(true))?;
            }
            match &self.output {
                None => {
                    act(&mut workspace, Action::Play)?;
                    let size = self.size.unwrap_or((1280, 800));
                    let folder = PathBuf::from(".");
                    let options = WindowOptions { size, layers, view, folder, log: self.log.clone() };
                    Ok(viewer::open_window(workspace, &options)?)
                }
                Some(path) => match self.times {
                    Some(times) => self.draw_sheet(workspace, layers, view, times, path),
                    None => self.draw(workspace, layers, view),
                },
            }
        }

        fn options(&self) -> Result<OpenOptions, Failure> {
            Ok(OpenOptions {
                import: self.import.options_with_like(true)?,
                clip: self.clip.clone(),
                mass: self.mass,
                compare: self.compare,
                // A window must stay alive; a picture can wait.
                step_budget: if self.output.is_some() { f64::INFINITY } else { OpenOptions::default().step_budget },
                ..OpenOptions::default()
            })
        }

        /// Checks the options before any file is read.
        fn refuse_early(&self) -> Result<(), Failure> {
            let Some(path) = &self.output else { return Ok(()) };
            let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            let files = viewer::FrameWriter::paths(path, self.frames);
            files.iter().fold(Plan::new(&self.inputs, self.overwrite), |plan, file| plan.file(file)).decide()?;
            match ending.as_str() {
                "png" => Ok(()),
                _ if self.times.is_some() => {
                    Err(Failure::usage(format!("{}: a contact sheet is a picture", path.display()))
                        .help("call it something.png"))
                }
                "mp4" | "mkv" | "webm" | "gif" if viewer::has_ffmpeg() => Ok(()),
                "mp4" | "mkv" | "webm" | "gif" => Err(Failure::usage(format!(
                    "{}: videos are written by ffmpeg, which is not installed",
                    path.display()
                ))
                .help("install ffmpeg, or draw numbered pictures with -o name.png")),
                _ => Err(Failure::usage(format!("{}: is neither a picture nor a video", path.display()))
                    .help("call it something.png, .mp4, .mkv, .webm or .gif")),
            }
        }

        fn draw(&self, mut workspace: Workspace, layers: Layers, view: Option<View>) -> Result<(), Failure> {
            let Some(path) = &self.output else { return Ok(()) };
            let options = RenderOptions {
                size: self.size.unwrap_or((960, 600)),
                layers,
                view,
                frames: self.frames,
                rate: self.fps,
                follow: self.follow,
                plain: self.plain,
            };
            let mut bar = Bar::start(format!("drawing {}", path.display()), self.frames as u64);
            let files = viewer::render(&mut workspace, &options, path, |frame, time| bar.at(frame as u64, time))?;
            drop(bar);
            let what = count(self.frames, "frame");
            let last = files.last().map_or(String::new(), |path| path.display().to_string());
            let notes = match files.len() {
                1 => format!("{last}: {what}\n"),
                _ => format!("{} … {last}: {what}\n", files[0].display()),
            };
            print(&notes)
        }
    }

    impl ViewArgs {
        fn draw_sheet(
            &self,
            mut workspace: Workspace,
            layers: Layers,
            view: Option<View>,
            times: usize,
            path: &Path,
        ) -> Result<(), Failure> {
            let size = self.size.unwrap_or((300, 360));
            let options = SheetOptions { size, layers, view, times, plain: self.plain };
            let rows = workspace.len();
            let mut bar = Bar::start(format!("drawing {}", path.display()), (rows * times) as u64);
            viewer::render_sheet(&mut workspace, &options, path, |done| bar.at(done as u64, 0.0))?;
            drop(bar);
            print(&format!("{}: {}, {} each\n", path.display(), count(rows, "row"), count(times, "moment")))
        }
    }

    /// Sets XDG_RUNTIME_DIR to a folder that is not there if it is missing. Without it the Wayland client library, which graphics
    /// drivers ask for displays, prints errors to the terminal.
    fn silence_display_search() {
        const NAME: &str = "XDG_RUNTIME_DIR";
        let is_set = std::env::var_os(NAME).is_some_and(|folder| Path::new(&folder).is_absolute());
        if cfg!(target_os = "linux") && !is_set {
            // SAFETY: no other thread may use the environment meanwhile. This is the first thing that the verb does, and no
            // thread has been started before.
            #[allow(unsafe_code)]
            unsafe {
                std::env::set_var(NAME, "/nonexistent");
            }
        }
    }

    fn act(workspace: &mut Workspace, action: Action) -> Result<(), Failure> {
        workspace.act(action).map_err(Failure::usage)
    }

    fn view(name: &str) -> Result<View, Failure> {
        let found = View::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, view)| *view).ok_or_else(|| {
            let names = View::ALL.iter().map(|(known, _)| *known);
            unknown("view", name, names.collect())
        })
    }

    /// The layers of a list, by the names of the fields.
    fn layers(list: &str) -> Result<Layers, Failure> {
        let mut layers = Layers::NONE;
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name {
                "all" => layers = Layers::ALL,
                "none" => layers = Layers::NONE,
                name => {
                    let known = viewer::named_layers(&mut layers);
                    let Some(index) = known.iter().position(|layer| layer.name == name) else {
                        return Err(unknown("layer", name, known.iter().map(|layer| layer.name).collect()));
                    };
                    *known[index].on = true;
                }
            }
        }
        Ok(layers)
    }

    fn unknown(what: &str, name: &str, names: Vec<&str>) -> Failure {
        let near = nearest(name, names.iter().copied()).map(|near| format!("did you mean {near}? "));
        Failure::usage(format!("there is no {what} {name:?}")).help(format!(
            "{}there are {}",
            near.unwrap_or_default(),
            names.join(", ")
        ))
    }
}

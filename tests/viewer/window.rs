//! A real window on a virtual display, with a hand on the mouse.

use super::support::{Folder, can_draw, data, has_programs};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Windows are opened one after the other: drawn on the processor, several at once starve each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A virtual display that goes away with the test.
struct Screen {
    server: Child,
    name: String,
    _turn: MutexGuard<'static, ()>,
}

impl Screen {
    fn open() -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut server = Command::new("Xvfb");
        // A server that starts anew when its last client leaves refuses the next one for a moment.
        server.args(["-displayfd", "1", "-screen", "0", "1000x720x24", "-nolisten", "tcp", "-noreset"]);
        let mut server = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("Xvfb starts");
        // It finds a free number itself and tells it.
        let mut number = String::new();
        BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut number).expect("Xvfb tells its number");
        Screen { server, name: format!(":{}", number.trim()), _turn: turn }
    }

    fn hand(&self, words: &[&str]) {
        let status = Command::new("xdotool").args(words).env("DISPLAY", &self.name).status().expect("xdotool runs");
        assert!(status.success(), "xdotool {words:?}");
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A running viewer and what it tells.
struct Viewer<'a> {
    child: Child,
    screen: &'a Screen,
    folder: &'a Folder,
    /// Lines of the log that were read.
    lines: Vec<Value>,
}

/// Even a loaded machine that draws on its processor does a thing within this.
const PATIENCE: Duration = Duration::from_secs(120);

impl<'a> Viewer<'a> {
    fn open(screen: &'a Screen, folder: &'a Folder, arguments: &[&str]) -> Self {
        let mut command = folder.command(arguments);
        command.args(["--log", "log.jsonl", "--size", "560x400"]).env("DISPLAY", &screen.name);
        let child = command.stdout(Stdio::null()).spawn().expect("the binary runs");
        let mut viewer = Viewer { child, screen, folder, lines: Vec::new() };
        viewer.wait("a second frame", |line| line["frame"].as_u64() > Some(1));
        // There is no window manager that would give it the keyboard.
        screen.hand(&["search", "--name", "sinew", "windowfocus"]);
        viewer
    }

    fn read(&mut self) {
        let text = std::fs::read_to_string(self.folder.path("log.jsonl")).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let new: Vec<&str> = whole.lines().skip(self.lines.len()).collect();
        self.lines.extend(new.iter().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON")));
    }

    /// Waits until a new line fulfils a wish, and gives it back.
    fn wait(&mut self, what: &str, wish: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        let mut seen = self.lines.len();
        loop {
            self.read();
            if let Some(line) = self.lines[seen..].iter().find(|line| wish(line)) {
                return line.clone();
            }
            seen = self.lines.len();
            if let Some(ended) = self.child.try_wait().expect("it can be asked") {
                panic!("the window ended with {ended} before {what}");
            }
            assert!(begun.elapsed() < PATIENCE, "no {what}; the last line is {:?}", self.lines.last());
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// The next frame that is drawn.
    fn frame(&mut self) -> Value {
        self.wait("a frame", |line| line["time"].is_number())
    }

    fn key(&mut self, key: &str) {
        self.screen.hand(&["key", key]);
    }

    /// Presses a key and waits for the frame after the action it makes.
    fn act(&mut self, key: &str, action: &str) -> Value {
        self.key(key);
        let done = self.wait(action, |line| line["action"].as_str().is_some_and(|told| told.starts_with(action)));
        let frame = done["frame"].as_u64();
        self.wait("the frame after it", |line| line["time"].is_number() && line["frame"].as_u64() >= frame)
    }

    /// Moves the mouse onto a body.
    fn point_at(&mut self, body: &str) -> (i64, i64) {
        for _ in 0..10 {
            let frame = self.frame();
            let place = &frame["places"][body];
            let (x, y) = (place[0].as_f64().expect("its pixel"), place[1].as_f64().expect("its pixel"));
            let at = (x.round() as i64, y.round() as i64);
            self.screen.hand(&["mousemove", &at.0.to_string(), &at.1.to_string()]);
            let frame = self.wait("the mouse there", |line| {
                line["mouse"][0].as_f64().is_some_and(|there| (there - at.0 as f64).abs() < 1.0)
            });
            if frame["under"] == body {
                return at;
            }
        }
        panic!("{body} never is under the mouse: {}", self.frame());
    }

    /// Takes a picture of the window and keeps it for people to look at.
    fn keep_picture(&mut self, name: &str) {
        self.key("F2");
        let wrote = self.wait("a picture", |line| line["wrote"].is_string());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("viewer");
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        let from = self.folder.path(wrote["wrote"].as_str().expect("a path"));
        std::fs::rename(&from, folder.join(name))
            .or_else(|_| std::fs::copy(&from, folder.join(name)).map(|_| ()))
            .expect("kept");
    }
}

impl Drop for Viewer<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn vector(value: &Value) -> [f64; 3] {
    [0, 1, 2].map(|k| value[k].as_f64().expect("a number"))
}

fn distance(a: &Value, b: &Value) -> f64 {
    let (a, b) = (vector(a), vector(b));
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

fn ready() -> bool {
    can_draw() && has_programs(&["Xvfb", "xdotool"])
}

/// A hand that is dragged follows the mouse; let go, it does no more.
#[test]
fn a_dragged_hand_moves_toward_the_cursor() {
    if !ready() {
        return;
    }
    let (screen, folder) = (Screen::open(), Folder::new());
    let mut viewer = Viewer::open(&screen, &folder, &[&data("clips/idle.bvh"), "--simulate", "--camera", "front"]);
    let (x, y) = viewer.point_at("LeftHand");
    screen.hand(&["mousedown", "1"]);
    let grabbed = viewer.wait("a hold", |line| line["held"].is_object());
    viewer.keep_picture("drag_1_held.png");
    let (to_x, to_y) = (x + 60, y - 90);
    screen.hand(&["mousemove", &(x + 20).to_string(), &(y - 40).to_string()]);
    screen.hand(&["mousemove", &to_x.to_string(), &to_y.to_string()]);
    let pulled =
        viewer.wait("a pull", |line| line["mouse"][0].as_f64() == Some(to_x as f64) && line["held"].is_object());
    let goal = pulled["held"]["to"].clone();
    let way = distance(&grabbed["held"]["at"], &goal);
    assert!(way > 0.1, "the mouse went {way} m");
    let near = |line: &Value| line["held"].is_object() && distance(&line["held"]["at"], &goal) < 0.4 * way;
    viewer.wait("the hand near the mouse", near);
    viewer.keep_picture("drag_2_pulled.png");
    screen.hand(&["mouseup", "1"]);
    viewer.wait("a release", |line| line["action"] == "Release");
    let after = viewer.frame();
    assert!(after["held"].is_null());
}

/// What is thrown flies where the mouse points, and touches it.
#[test]
fn a_thrown_ball_hits_what_is_under_the_mouse() {
    if !ready() {
        return;
    }
    let (screen, folder) = (Screen::open(), Folder::new());
    let mut viewer = Viewer::open(&screen, &folder, &[&data("clips/idle.bvh"), "--simulate"]);
    viewer.act("space", "Pause");
    viewer.point_at("UpperChest");
    let thrown = viewer.act("t", "Throw")["time"].as_f64().expect("a time");
    // It flies 4 m at 9 m/s: slowly for most of the way, then step by step, so that no touch is shorter than a look.
    viewer.act("Down", "Speed");
    viewer.act("Down", "Speed");
    viewer.act("space", "Play");
    viewer.wait("most of the flight", |line| line["time"].as_f64() > Some(thrown + 0.32));
    viewer.act("space", "Pause");
    let hit = (0..80).any(|_| {
        let line = viewer.act("Right", "StepForward");
        let pairs = line["touching"].as_array().cloned().unwrap_or_default();
        let has = |pair: &Value, name: &str| pair[0] == name || pair[1] == name;
        pairs.iter().any(|pair| has(pair, "ball") && has(pair, "UpperChest"))
    });
    assert!(hit, "the ball never touches the chest");
    viewer.keep_picture("throw_hit.png");
}

/// Paused, stepping back gives the state of that step bit for bit, also through a push.
#[test]
fn pause_and_step_back_restore_the_earlier_state_exactly() {
    if !ready() {
        return;
    }
    let (screen, folder) = (Screen::open(), Folder::new());
    let mut viewer = Viewer::open(&screen, &folder, &[&data("clips/walk.bvh"), "--simulate"]);
    viewer.wait("half a second of physics", |line| line["time"].as_f64() > Some(0.2));
    viewer.act("space", "Pause");
    let state = |line: &Value| (line["time"].clone(), line["hash"].clone());
    // The clock stops between two steps; the first step puts it onto one.
    let mut states = vec![state(&viewer.act("Right", "StepForward"))];
    viewer.point_at("UpperChest");
    for step in 0..4 {
        if step == 2 {
            viewer.act("p", "Push");
        }
        states.push(state(&viewer.act("Right", "StepForward")));
    }
    assert!(states.windows(2).all(|pair| pair[0] != pair[1]), "{states:?}");
    viewer.keep_picture("step_1_on.png");
    while let Some(last) = states.pop() {
        assert_eq!(state(&viewer.frame()), last);
        if !states.is_empty() {
            viewer.act("Left", "StepBack");
        }
    }
    viewer.keep_picture("step_2_back.png");
}

/// The help opens and closes by its key, and Escape ends the window with success.
#[test]
fn help_opens_by_its_key_and_escape_closes_help_and_window() {
    if !ready() {
        return;
    }
    let (screen, folder) = (Screen::open(), Folder::new());
    let mut viewer = Viewer::open(&screen, &folder, &[&data("characters/actor.glb")]);
    viewer.key("question");
    viewer.wait("the help", |line| line["help"] == true);
    viewer.keep_picture("help.png");
    viewer.key("Escape");
    viewer.wait("no help", |line| line["help"] == false);
    viewer.key("Escape");
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = viewer.child.try_wait().expect("it can be asked") {
            break status;
        }
        assert!(begun.elapsed() < PATIENCE, "the window stays open");
        std::thread::sleep(Duration::from_millis(30));
    };
    assert!(status.success(), "{status}");
}

/// F3, F4 and F5 leave a video, a recording that opens again, and a GLB; a rag-doll falls meanwhile.
#[test]
fn a_fall_is_filmed_recorded_and_exported() {
    if !ready() {
        return;
    }
    let (screen, folder) = (Screen::open(), Folder::new());
    let mut viewer = Viewer::open(&screen, &folder, &[&data("clips/idle.bvh"), "--simulate"]);
    viewer.act("g", "RagDoll");
    viewer.key("F3");
    let begun = viewer.frame()["time"].as_f64().expect("a time");
    viewer.wait("a little of the fall", |line| line["time"].as_f64() > Some(begun + 0.2));
    viewer.key("F3");
    viewer.act("space", "Pause");
    for (key, ending) in [("F4", ".json"), ("F5", ".glb")] {
        viewer.key(key);
        let wrote = viewer.wait(ending, |line| line["wrote"].as_str().is_some_and(|path| path.ends_with(ending)));
        assert!(folder.path(wrote["wrote"].as_str().expect("a path")).exists());
    }
    drop(viewer);
    let files = folder.files();
    assert!(files.iter().any(|name| name.ends_with(".mp4") || name.ends_with(".png")), "{files:?}");
    let take = sinew::record::Recording::load(&folder.path("sinew-001.json")).expect("it opens again");
    assert!(take.frames() > 5 && take.figures.len() == 1, "{} frames", take.frames());
    let figure = sinew::formats::read(&folder.path("sinew-001.glb"), &Default::default()).expect("it opens again");
    assert!(figure.clips[0].frames() > 5);
}

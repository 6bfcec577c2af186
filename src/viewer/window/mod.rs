//! Interactive window: each frame handles keys and mouse, advances the time, and draws.

mod commands;
mod files;

use super::camera::{Bounds, Camera, View};
use super::draw::Drawing;
use super::environment::Quality;
use super::frames::FrameWriter;
use super::graphics;
use super::keys;
use super::log::{Log, vector};
use super::mouse::Mouse;
use super::panels::{PanelData, Panels, Requests, WindowStats, apply_style};
use super::render::{apply_scene_camera, view_bounds};
use super::{ViewError, scale};
use crate::show::{Action, Layers, Pick, Picture, Timeline, Workspace};
use kiss3d::egui::{Pos2, Rect, vec2};
use kiss3d::event::{Action as Press, Key, Modifiers, WindowEvent};
use kiss3d::pollster::block_on;
use kiss3d::window::Window;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Options of the window.
#[derive(Clone, Debug)]
pub struct WindowOptions {
    /// Initial width and height, pixels.
    pub size: (u32, u32),
    /// Layers drawn at first.
    pub layers: Layers,
    /// Camera position; without it that of the scene, else oblique.
    pub view: Option<View>,
    /// Folder for pictures, videos and recordings.
    pub folder: PathBuf,
    /// File that gets every frame and action as a line of JSON.
    pub log: Option<PathBuf>,
}

/// Frame rate of a video, Hz.
const VIDEO_RATE: f64 = 30.0;

/// Opens the window and returns when it is closed.
pub fn open_window(workspace: Workspace, options: &WindowOptions) -> Result<(), ViewError> {
    let log = Log::create(options.log.as_deref())?;
    let graphics = graphics::probe()?;
    let names: Vec<&str> = (0..workspace.len()).map(|item| workspace.name(item)).collect();
    let title = format!("{} – sinew", names.join(", "));
    let window = graphics::window(&graphics, &title, options.size)?;
    Viewer::new(window, workspace, options, log, graphics.software).run();
    Ok(())
}

struct Viewer {
    window: Window,
    drawing: Drawing,
    camera: Camera,
    workspace: Workspace,
    picture: Picture,
    panels: Panels,
    mouse: Mouse,
    video: Option<FrameWriter>,
    video_size: Option<(u32, u32)>,
    log: Log,
    folder: PathBuf,
    opened: Instant,
    /// Time of the last frame, seconds since `opened`.
    last: f64,
    frames: u64,
    frames_per_second: f64,
    /// Number of the measure whose worst moment was visited last.
    worst: usize,
    /// Body under the pointer.
    under: Option<Pick>,
    /// Contents of the timeline, and the time of the last update.
    timeline: Timeline,
    measured: f64,
    leaving: bool,
    /// True once the user or the scene chose the camera.
    camera_chosen: bool,
    /// Free rectangle when everything was last brought into view, pixels.
    room: [f32; 4],
}

impl Viewer {
    fn new(mut window: Window, workspace: Workspace, options: &WindowOptions, log: Log, software: bool) -> Self {
        apply_style(window.egui_context());
        let drawing = Drawing::new(&mut window, Quality { rich: !software, sharp: !software });
        let mut camera = Camera::new(window.width(), window.height());
        camera.look_from(options.view.unwrap_or(View::Oblique));
        let mut viewer = Viewer {
            drawing,
            camera,
            workspace,
            picture: Picture::default(),
            panels: Panels::new(options.layers),
            mouse: Mouse::default(),
            video: None,
            video_size: None,
            log,
            folder: options.folder.clone(),
            opened: Instant::now(),
            last: 0.0,
            frames: 0,
            frames_per_second: 0.0,
            worst: 0,
            under: None,
            timeline: Timeline::default(),
            measured: f64::NEG_INFINITY,
            leaving: false,
            camera_chosen: false,
            room: [0.0; 4],
            window,
        };
        viewer.workspace.analyse();
        // The panels settle within two frames; then their free rectangle is known.
        viewer.frame();
        viewer.frame();
        viewer.frame_all();
        // A scene with its own camera is not followed.
        viewer.camera_chosen = options.view.is_none() && apply_scene_camera(&viewer.workspace, &mut viewer.camera);
        viewer.panels.follow = !viewer.camera_chosen;
        viewer.fit_environment(view_bounds(&viewer.workspace, &viewer.picture));
        viewer
    }

    fn run(mut self) {
        while !self.leaving && self.frame() {}
        if let Some(video) = self.video.take() {
            // The window is closed, so that an error can no longer be shown.
            let _ = video.finish();
        }
    }

    fn now(&self) -> f64 {
        self.opened.elapsed().as_secs_f64()
    }

    /// Draws one frame; returns false once the window is closed.
    fn frame(&mut self) -> bool {
        self.take_files();
        self.take_events();
        self.draw_panels();
        let now = self.now();
        let passed = now - self.last;
        self.last = now;
        self.frames_per_second += (1.0 / passed.max(1e-4) - self.frames_per_second) * 0.1;
        // A video advances at its own rate, however long its frames take to draw.
        self.workspace.advance(if self.video.is_some() { 1.0 / VIDEO_RATE } else { passed });
        self.follow(passed);
        self.workspace.paint(&self.panels.layers, &mut self.picture);
        self.drawing.show(&mut self.window, self.workspace.meshes(), self.workspace.textures(), &self.picture);
        self.log_frame();
        let open = block_on(self.window.render_3d(&mut self.drawing.scene, &mut self.camera));
        self.write_video_frame();
        self.frames += 1;
        open
    }

    /// Opens files dropped onto the window.
    fn take_files(&mut self) {
        for path in self.window.dropped_files() {
            match self.workspace.add(&path) {
                Ok(()) => {
                    self.workspace.analyse();
                    self.notify(format!("opened {}", path.display()));
                    self.frame_all();
                }
                Err(error) => self.notify(format!("{}: {error}", path.display())),
            }
        }
    }

    fn take_events(&mut self) {
        let events: Vec<WindowEvent> = self.window.events().iter().map(|event| event.value).collect();
        for event in events {
            match event {
                WindowEvent::Key(key, Press::Press, _) if !self.window.is_egui_capturing_keyboard() => {
                    if let Some(command) = keys::command(key) {
                        self.execute(command);
                    }
                }
                WindowEvent::CursorPos(x, y, modifiers) => self.mouse_to(x, y, modifiers),
                WindowEvent::MouseButton(button, Press::Press, _) if self.over_picture() => {
                    let under = self.pick();
                    let touchable = under.is_some_and(|pick| self.workspace.state_hash(pick.grip.item).is_some());
                    let action = self.mouse.press(button, under, touchable);
                    action.into_iter().for_each(|action| self.act(action));
                }
                WindowEvent::MouseButton(button, Press::Release, _) => {
                    let (action, clicked) = self.mouse.release(button);
                    action.into_iter().for_each(|action| self.act(action));
                    if let Some(pick) = clicked {
                        self.panels.chosen = pick;
                    }
                }
                WindowEvent::Scroll(_, by, _) if self.over_picture() => {
                    self.camera_chosen = true;
                    self.camera.zoom(1.0 + 0.012 * by as f32);
                }
                _ => {}
            }
        }
    }

    fn mouse_to(&mut self, x: f64, y: f64, modifiers: Modifiers) {
        let turning = modifiers.contains(Modifiers::Shift) || self.is_down(Key::LShift) || self.is_down(Key::RShift);
        self.camera_chosen |= self.mouse.is_dragging();
        let action = self.mouse.move_to(x, y, &mut self.camera, turning);
        action.into_iter().for_each(|action| self.act(action));
        if !self.mouse.is_dragging() {
            self.under = if self.over_picture() { self.pick() } else { None };
        }
    }

    fn is_down(&self, key: Key) -> bool {
        self.window.get_key(key) == Press::Press
    }

    /// Returns true if the pointer is over the picture and not over a panel.
    fn over_picture(&self) -> bool {
        let (left, top, right, bottom) = self.camera.free_rect();
        let (x, y) = (self.mouse.at.0 as f32, self.mouse.at.1 as f32);
        (left..right).contains(&x) && (top..bottom).contains(&y) && !self.window.is_egui_capturing_mouse()
    }

    fn pick(&mut self) -> Option<Pick> {
        let (from, direction) = self.camera.ray(self.mouse.at.0, self.mouse.at.1);
        self.workspace.pick(from, direction)
    }

    fn draw_panels(&mut self) {
        let now = self.now();
        let status = self.workspace.status();
        // Curves grow while physics runs; they need not be updated in every frame.
        if now - self.measured > 0.3 {
            self.timeline = self.workspace.timeline();
            self.measured = now;
        }
        let facts = self.panels.chosen.map(|pick| self.workspace.describe(&pick)).unwrap_or_default();
        let tag = self.under.filter(|_| !self.mouse.is_dragging()).map(|pick| (pick.point, self.title(&pick)));
        let stats = WindowStats { frames_per_second: self.frames_per_second, capturing: self.video.is_some(), now };
        let data =
            PanelData { workspace: &self.workspace, status: &status, timeline: &self.timeline, facts: &facts, stats };
        let mut requests = Requests::default();
        let (panels, camera, spacing) = (&mut self.panels, &self.camera, self.drawing.environment.spacing());
        let points = self.window.scale_factor() as f32;
        let size = vec2(self.window.width() as f32, self.window.height() as f32) / points;
        let screen = Rect::from_min_size(Pos2::ZERO, size);
        let mut free = screen;
        self.window.draw_ui(|context| {
            free = panels.show(context, screen, &data, &mut requests);
            scale::draw(context, camera, spacing);
            if let Some((at, title)) = &tag {
                scale::tag(context, camera, at, title);
            }
        });
        let [left, top, right, bottom] =
            [free.left(), free.top(), free.right(), free.bottom()].map(|side| side * points);
        self.camera.keep_free(left, top, right, bottom);
        // Panels that open or close change the free rectangle; until the user chose a view, everything stays visible.
        if !self.camera_chosen && self.room != [left, top, right, bottom] {
            self.room = [left, top, right, bottom];
            self.frame_all();
        }
        requests.actions.into_iter().for_each(|action| self.act(action));
        requests.commands.into_iter().for_each(|command| self.execute(command));
    }

    /// Name of a body.
    fn title(&mut self, pick: &Pick) -> String {
        let facts = self.workspace.describe(pick);
        facts.into_iter().find(|(what, _)| what == "body").map_or_else(String::new, |(_, name)| name)
    }

    fn act(&mut self, action: Action) {
        if self.log.is_kept() {
            self.log.add(&json!({ "action": format!("{action:?}"), "frame": self.frames }));
        }
        if let Err(why) = self.workspace.act(action) {
            self.notify(why);
        }
    }

    fn notify(&mut self, text: impl Into<String>) {
        let now = self.now();
        self.panels.notify(text, now);
    }

    fn frame_all(&mut self) {
        let bounds = view_bounds(&self.workspace, &self.picture);
        self.camera.frame(bounds);
        self.fit_environment(bounds);
    }

    fn fit_environment(&mut self, bounds: Bounds) {
        self.drawing.environment.fit(&mut self.window, bounds, self.workspace.lowest_ground(), self.camera.distance());
    }

    /// Moves the camera's target smoothly towards what moves.
    fn follow(&mut self, passed: f64) {
        if self.panels.follow && !self.mouse.is_dragging() {
            let (low, high) = self.workspace.bounds();
            let share = 1.0 - (-4.0 * passed).exp();
            self.camera.follow(&((low + high) * 0.5), share as f32);
        }
    }

    fn log_frame(&mut self) {
        if !self.log.is_kept() {
            return;
        }
        let status = self.workspace.status();
        let held = self.workspace.held().map(|(at, to)| json!({ "at": vector(&at), "to": vector(&to) }));
        let under = self.under.map(|pick| self.title(&pick));
        let chosen = self.panels.chosen.map(|pick| self.title(&pick));
        let hash =
            (0..self.workspace.len()).map(|item| self.workspace.state_hash(item).map(|hash| format!("{hash:016x}")));
        let hash: Vec<_> = hash.collect();
        let touching: Vec<_> = (0..self.workspace.len()).flat_map(|item| self.workspace.touching(item)).collect();
        let mut places = serde_json::Map::new();
        for (name, at) in (0..self.workspace.len()).flat_map(|item| self.workspace.places(item)) {
            places.insert(name, json!(self.camera.pixel(&at)));
        }
        self.log.add(&json!({
            "frame": self.frames,
            "time": status.time,
            "hash": hash,
            "playing": status.playing,
            "live": status.live,
            "held": held,
            "under": under,
            "chosen": chosen,
            "mouse": [self.mouse.at.0, self.mouse.at.1],
            "help": self.panels.help,
            "touching": touching,
            "places": places,
            "trouble": status.failure,
        }));
    }
}

//! The window: each frame takes keys and mouse, lets time pass, and draws.

mod commands;
mod files;

use super::camera::{Bounds, Camera, View};
use super::draw::Drawing;
use super::film::Film;
use super::graphics;
use super::keys;
use super::log::{Log, vector};
use super::look::Effort;
use super::mouse::Mouse;
use super::panels::{Desk, News, Pulse, Wishes, dress};
use super::photograph::{direct, framed};
use super::{ViewError, scale};
use crate::show::{Action, Layers, Pick, Picture, Show, Timeline};
use kiss3d::egui::{Pos2, Rect, vec2};
use kiss3d::event::{Action as Press, Key, Modifiers, WindowEvent};
use kiss3d::pollster::block_on;
use kiss3d::window::Window;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// How the window opens.
#[derive(Clone, Debug)]
pub struct WindowOptions {
    pub size: (u32, u32),
    pub layers: Layers,
    /// From where; without it as a scene wants to be seen, else from before and above.
    pub view: Option<View>,
    /// Where pictures, films and recordings go.
    pub folder: PathBuf,
    /// Every frame and action as a line of JSON.
    pub log: Option<PathBuf>,
}

/// Frames per second of a film.
const FILM_RATE: f64 = 30.0;

/// Shows until a person closes the window.
pub fn open_window(show: Show, options: &WindowOptions) -> Result<(), ViewError> {
    let log = Log::create(options.log.as_deref())?;
    let graphics = graphics::probe()?;
    let names: Vec<&str> = (0..show.len()).map(|exhibit| show.name(exhibit)).collect();
    let title = format!("{} – sinew", names.join(", "));
    let window = graphics::window(&graphics, &title, options.size)?;
    Viewer::new(window, show, options, log, graphics.software).run();
    Ok(())
}

struct Viewer {
    window: Window,
    drawing: Drawing,
    camera: Camera,
    show: Show,
    picture: Picture,
    desk: Desk,
    mouse: Mouse,
    film: Option<Film>,
    film_size: Option<(u32, u32)>,
    log: Log,
    folder: PathBuf,
    opened: Instant,
    /// Seconds since `opened` at the last frame.
    last: f64,
    frames: u64,
    frames_per_second: f64,
    /// The measure whose worst moment was visited last.
    worst: usize,
    /// The body under the mouse.
    under: Option<Pick>,
    /// What stands under the time slider, and when it was asked for.
    timeline: Timeline,
    measured: f64,
    leaving: bool,
    /// A person, or the scene, chose where to look from.
    steered: bool,
    /// What the panels left free when everything was put into view.
    room: [f32; 4],
}

impl Viewer {
    fn new(mut window: Window, show: Show, options: &WindowOptions, log: Log, software: bool) -> Self {
        dress(window.egui_context());
        let drawing = Drawing::new(&mut window, Effort { rich: !software, sharp: !software });
        let mut camera = Camera::new(window.width(), window.height());
        camera.look_from(options.view.unwrap_or(View::Oblique));
        let mut viewer = Viewer {
            drawing,
            camera,
            show,
            picture: Picture::default(),
            desk: Desk::new(options.layers),
            mouse: Mouse::default(),
            film: None,
            film_size: None,
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
            steered: false,
            room: [0.0; 4],
            window,
        };
        viewer.show.analyse();
        // The panels find their sizes within two frames; then it is known how much they leave free.
        viewer.frame();
        viewer.frame();
        viewer.frame_all();
        // A scene that says where it is seen from is not followed as well.
        viewer.steered = options.view.is_none() && direct(&viewer.show, &mut viewer.camera);
        viewer.desk.follow = !viewer.steered;
        viewer.fit_look(framed(&viewer.show, &viewer.picture));
        viewer
    }

    fn run(mut self) {
        while !self.leaving && self.frame() {}
        if let Some(film) = self.film.take() {
            // Nobody is left to tell.
            let _ = film.finish();
        }
    }

    fn now(&self) -> f64 {
        self.opened.elapsed().as_secs_f64()
    }

    /// One frame; false once the window is closed.
    fn frame(&mut self) -> bool {
        self.take_files();
        self.take_events();
        self.draw_panels();
        let now = self.now();
        let passed = now - self.last;
        self.last = now;
        self.frames_per_second += (1.0 / passed.max(1e-4) - self.frames_per_second) * 0.1;
        // A film runs at its own rate, however long its frames take to draw.
        self.show.advance(if self.film.is_some() { 1.0 / FILM_RATE } else { passed });
        self.follow(passed);
        self.show.paint(&self.desk.layers, &mut self.picture);
        self.drawing.show(&mut self.window, self.show.meshes(), self.show.textures(), &self.picture);
        self.log_frame();
        let open = block_on(self.window.render_3d(&mut self.drawing.scene, &mut self.camera));
        self.add_to_film();
        self.frames += 1;
        open
    }

    /// Opens what was dropped onto the window.
    fn take_files(&mut self) {
        for path in self.window.dropped_files() {
            match self.show.add(&path) {
                Ok(()) => {
                    self.show.analyse();
                    self.tell(format!("opened {}", path.display()));
                    self.frame_all();
                }
                Err(error) => self.tell(format!("{}: {error}", path.display())),
            }
        }
    }

    fn take_events(&mut self) {
        let events: Vec<WindowEvent> = self.window.events().iter().map(|event| event.value).collect();
        for event in events {
            match event {
                WindowEvent::Key(key, Press::Press, _) if !self.window.is_egui_capturing_keyboard() => {
                    if let Some(command) = keys::command(key) {
                        self.obey(command);
                    }
                }
                WindowEvent::CursorPos(x, y, modifiers) => self.mouse_to(x, y, modifiers),
                WindowEvent::MouseButton(button, Press::Press, _) if self.over_picture() => {
                    let under = self.pick();
                    let touchable = under.is_some_and(|pick| self.show.state_hash(pick.grip.exhibit).is_some());
                    let action = self.mouse.press(button, under, touchable);
                    action.into_iter().for_each(|action| self.act(action));
                }
                WindowEvent::MouseButton(button, Press::Release, _) => {
                    let (action, clicked) = self.mouse.release(button);
                    action.into_iter().for_each(|action| self.act(action));
                    if let Some(pick) = clicked {
                        self.desk.chosen = pick;
                    }
                }
                WindowEvent::Scroll(_, by, _) if self.over_picture() => {
                    self.steered = true;
                    self.camera.zoom(1.0 + 0.012 * by as f32);
                }
                _ => {}
            }
        }
    }

    fn mouse_to(&mut self, x: f64, y: f64, modifiers: Modifiers) {
        let turning = modifiers.contains(Modifiers::Shift) || self.is_down(Key::LShift) || self.is_down(Key::RShift);
        self.steered |= self.mouse.is_dragging();
        let action = self.mouse.move_to(x, y, &mut self.camera, turning);
        action.into_iter().for_each(|action| self.act(action));
        if !self.mouse.is_dragging() {
            self.under = if self.over_picture() { self.pick() } else { None };
        }
    }

    fn is_down(&self, key: Key) -> bool {
        self.window.get_key(key) == Press::Press
    }

    /// Whether the mouse is over the picture and no panel.
    fn over_picture(&self) -> bool {
        let (left, top, right, bottom) = self.camera.free_rect();
        let (x, y) = (self.mouse.at.0 as f32, self.mouse.at.1 as f32);
        (left..right).contains(&x) && (top..bottom).contains(&y) && !self.window.is_egui_capturing_mouse()
    }

    fn pick(&mut self) -> Option<Pick> {
        let (from, direction) = self.camera.ray(self.mouse.at.0, self.mouse.at.1);
        self.show.pick(from, direction)
    }

    fn draw_panels(&mut self) {
        let now = self.now();
        let status = self.show.status();
        // Curves grow while physics runs; they need not do so in every frame.
        if now - self.measured > 0.3 {
            self.timeline = self.show.timeline();
            self.measured = now;
        }
        let facts = self.desk.chosen.map(|pick| self.show.describe(&pick)).unwrap_or_default();
        let tag = self.under.filter(|_| !self.mouse.is_dragging()).map(|pick| (pick.point, self.title(&pick)));
        let pulse = Pulse { frames_per_second: self.frames_per_second, filming: self.film.is_some(), now };
        let news = News { show: &self.show, status: &status, timeline: &self.timeline, facts: &facts, pulse };
        let mut wishes = Wishes::default();
        let (desk, camera, spacing) = (&mut self.desk, &self.camera, self.drawing.look.spacing());
        let points = self.window.scale_factor() as f32;
        let size = vec2(self.window.width() as f32, self.window.height() as f32) / points;
        let screen = Rect::from_min_size(Pos2::ZERO, size);
        let mut free = screen;
        self.window.draw_ui(|context| {
            free = desk.show(context, screen, &news, &mut wishes);
            scale::draw(context, camera, spacing);
            if let Some((at, title)) = &tag {
                scale::tag(context, camera, at, title);
            }
        });
        let [left, top, right, bottom] =
            [free.left(), free.top(), free.right(), free.bottom()].map(|side| side * points);
        self.camera.keep_free(left, top, right, bottom);
        // Panels that come and go leave more or less room; as long as nobody chose a view, everything stays in it.
        if !self.steered && self.room != [left, top, right, bottom] {
            self.room = [left, top, right, bottom];
            self.frame_all();
        }
        wishes.actions.into_iter().for_each(|action| self.act(action));
        wishes.commands.into_iter().for_each(|command| self.obey(command));
    }

    /// What a body is called.
    fn title(&mut self, pick: &Pick) -> String {
        let facts = self.show.describe(pick);
        facts.into_iter().find(|(what, _)| what == "body").map_or_else(String::new, |(_, name)| name)
    }

    fn act(&mut self, action: Action) {
        if self.log.is_kept() {
            self.log.add(&json!({ "action": format!("{action:?}"), "frame": self.frames }));
        }
        if let Err(why) = self.show.act(action) {
            self.tell(why);
        }
    }

    fn tell(&mut self, news: impl Into<String>) {
        let now = self.now();
        self.desk.tell(news, now);
    }

    fn frame_all(&mut self) {
        let bounds = framed(&self.show, &self.picture);
        self.camera.frame(bounds);
        self.fit_look(bounds);
    }

    fn fit_look(&mut self, bounds: Bounds) {
        self.drawing.look.fit(&mut self.window, bounds, self.show.lowest_ground(), self.camera.distance());
    }

    /// Keeps what moves in the middle, without jerks.
    fn follow(&mut self, passed: f64) {
        if self.desk.follow && !self.mouse.is_dragging() {
            let (low, high) = self.show.bounds();
            let share = 1.0 - (-4.0 * passed).exp();
            self.camera.follow(&((low + high) * 0.5), share as f32);
        }
    }

    fn log_frame(&mut self) {
        if !self.log.is_kept() {
            return;
        }
        let status = self.show.status();
        let held = self.show.held().map(|(at, to)| json!({ "at": vector(&at), "to": vector(&to) }));
        let under = self.under.map(|pick| self.title(&pick));
        let chosen = self.desk.chosen.map(|pick| self.title(&pick));
        let hash = (0..self.show.len()).map(|exhibit| self.show.state_hash(exhibit).map(|hash| format!("{hash:016x}")));
        let hash: Vec<_> = hash.collect();
        let touching: Vec<_> = (0..self.show.len()).flat_map(|exhibit| self.show.touching(exhibit)).collect();
        let mut places = serde_json::Map::new();
        for (name, at) in (0..self.show.len()).flat_map(|exhibit| self.show.places(exhibit)) {
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
            "help": self.desk.help,
            "touching": touching,
            "places": places,
            "trouble": status.trouble,
        }));
    }
}

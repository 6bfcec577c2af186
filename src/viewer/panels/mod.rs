//! The panels around the picture. They read the workspace and give back what a person asked for; they change nothing themselves.

mod help;
mod layers;
mod physics;
mod segment;
mod status;
mod style;
mod timeline;

use super::keys::Command;
use crate::math::Real;
use crate::show::{Action, Layers, Pick, Status, Timeline, Workspace};
use kiss3d::egui::{self, Context, Id, LayerId, Panel, Rect, Ui, UiBuilder};
pub(super) use style::apply_style;

/// What a person chose in the window and a run does not depend on.
pub(super) struct Panels {
    pub layers: Layers,
    pub panels: bool,
    pub help: bool,
    pub follow: bool,
    /// The body that was clicked, if any.
    pub chosen: Option<Pick>,
    pub ball: Ball,
    /// Impulse of a push, N·s.
    pub push: Real,
    /// Share of the full muscle strength of all segments of an item, as set last.
    pub strength: Vec<Real>,
    pub limp: Vec<bool>,
    /// A line of news and the time of the window at which it fades.
    pub news: Option<(String, f64)>,
    /// Which curves stand under the timeline.
    pub curves: bool,
}

/// What is thrown.
#[derive(Clone, Copy)]
pub(super) struct Ball {
    /// kg.
    pub mass: Real,
    /// Metres.
    pub radius: Real,
    /// m/s.
    pub speed: Real,
}

/// What the panels were asked for in one frame.
#[derive(Default)]
pub(super) struct Requests {
    pub actions: Vec<Action>,
    pub commands: Vec<Command>,
}

/// What the panels tell about.
pub(super) struct PanelData<'a> {
    pub workspace: &'a Workspace,
    pub status: &'a Status,
    pub timeline: &'a Timeline,
    /// About the chosen body.
    pub facts: &'a [(String, String)],
    pub stats: WindowStats,
}

/// Numbers of the window itself.
#[derive(Clone, Copy)]
pub(super) struct WindowStats {
    pub frames_per_second: Real,
    pub capturing: bool,
    /// Seconds since the window opened.
    pub now: f64,
}

impl Panels {
    pub fn new(layers: Layers) -> Self {
        Panels {
            layers,
            panels: true,
            help: false,
            follow: true,
            chosen: None,
            ball: Ball { mass: 3.0, radius: 0.12, speed: 9.0 },
            push: 30.0,
            strength: Vec::new(),
            limp: Vec::new(),
            news: None,
            curves: true,
        }
    }

    /// Draws all panels into the window and tells which part of it they leave free, in points.
    pub fn show(&mut self, context: &Context, screen: Rect, news: &PanelData, requests: &mut Requests) -> Rect {
        let builder = UiBuilder::new().layer_id(LayerId::background()).max_rect(screen);
        let mut root = Ui::new(context.clone(), Id::new("sinew root"), builder);
        Panel::top("status").show(&mut root, |ui| status::show(ui, news));
        if self.panels {
            Panel::bottom("timeline").show(&mut root, |ui| timeline::show(ui, self, news, requests));
            Panel::left("layers").resizable(false).exact_size(206.0).show(&mut root, |ui| {
                egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                    layers::show(ui, self);
                    physics::show(ui, self, news, requests);
                });
            });
            if self.chosen.is_some() {
                Panel::right("segment").resizable(false).exact_size(230.0).show(&mut root, |ui| {
                    segment::show(ui, self, news, requests);
                });
            }
        }
        let free = root.available_rect_before_wrap();
        self.tell_news(context, news.stats.now, free);
        if self.help {
            help::show(context, &mut self.help);
        }
        free
    }

    pub fn tell(&mut self, news: impl Into<String>, now: f64) {
        self.news = Some((news.into(), now + 5.0));
    }

    fn tell_news(&mut self, context: &Context, now: f64, free: Rect) {
        let Some((words, until)) = &self.news else { return };
        if now > *until {
            self.news = None;
            return;
        }
        let at = egui::pos2(free.center().x, free.top() + 14.0);
        egui::Area::new(Id::new("news")).fixed_pos(at).pivot(egui::Align2::CENTER_TOP).interactable(false).show(
            context,
            |ui| {
                egui::Frame::popup(ui.style()).show(ui, |ui| ui.label(words));
            },
        );
    }
}

/// A number in as few digits as tell it.
pub(super) fn short(value: Real) -> String {
    let size = value.abs();
    if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

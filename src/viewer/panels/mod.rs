//! Panels around the picture. They read the workspace and return requests; they change nothing themselves.

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

/// State of the panels, which no simulation depends on.
pub(super) struct Panels {
    pub layers: Layers,
    pub panels: bool,
    pub help: bool,
    pub follow: bool,
    /// Selected body.
    pub chosen: Option<Pick>,
    pub ball: Ball,
    /// Impulse of a push, N·s.
    pub push: Real,
    /// Share of the full muscle strength of each item, as set last.
    pub strength: Vec<Real>,
    pub limp: Vec<bool>,
    /// Notice, and the time of the window at which it disappears, seconds.
    pub notice: Option<(String, f64)>,
    /// True if the curves are shown under the timeline.
    pub curves: bool,
}

/// Ball to throw.
#[derive(Clone, Copy)]
pub(super) struct Ball {
    /// Mass, kg.
    pub mass: Real,
    /// Radius, metres.
    pub radius: Real,
    /// Speed, m/s.
    pub speed: Real,
}

/// Requests made in the panels during one frame.
#[derive(Default)]
pub(super) struct Requests {
    pub actions: Vec<Action>,
    pub commands: Vec<Command>,
}

/// Data that the panels show.
pub(super) struct PanelData<'a> {
    pub workspace: &'a Workspace,
    pub status: &'a Status,
    pub timeline: &'a Timeline,
    /// Facts about the selected body.
    pub facts: &'a [(String, String)],
    pub stats: WindowStats,
}

/// Statistics of the window.
#[derive(Clone, Copy)]
pub(super) struct WindowStats {
    pub frames_per_second: Real,
    pub capturing: bool,
    /// Time since the window opened, seconds.
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
            notice: None,
            curves: true,
        }
    }

    /// Draws all panels; returns the rectangle that they leave free, in points.
    pub fn show(&mut self, context: &Context, screen: Rect, data: &PanelData, requests: &mut Requests) -> Rect {
        let builder = UiBuilder::new().layer_id(LayerId::background()).max_rect(screen);
        let mut root = Ui::new(context.clone(), Id::new("sinew root"), builder);
        Panel::top("status").show(&mut root, |ui| status::show(ui, data));
        if self.panels {
            Panel::bottom("timeline").show(&mut root, |ui| timeline::show(ui, self, data, requests));
            Panel::left("layers").resizable(false).exact_size(206.0).show(&mut root, |ui| {
                egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                    layers::show(ui, self);
                    physics::show(ui, self, data, requests);
                });
            });
            if self.chosen.is_some() {
                Panel::right("segment").resizable(false).exact_size(230.0).show(&mut root, |ui| {
                    segment::show(ui, self, data, requests);
                });
            }
        }
        let free = root.available_rect_before_wrap();
        self.show_notice(context, data.stats.now, free);
        if self.help {
            help::show(context, &mut self.help);
        }
        free
    }

    pub fn notify(&mut self, text: impl Into<String>, now: f64) {
        self.notice = Some((text.into(), now + 5.0));
    }

    fn show_notice(&mut self, context: &Context, now: f64, free: Rect) {
        let Some((words, until)) = &self.notice else { return };
        if now > *until {
            self.notice = None;
            return;
        }
        let at = egui::pos2(free.center().x, free.top() + 14.0);
        egui::Area::new(Id::new("notice")).fixed_pos(at).pivot(egui::Align2::CENTER_TOP).interactable(false).show(
            context,
            |ui| {
                egui::Frame::popup(ui.style()).show(ui, |ui| ui.label(words));
            },
        );
    }
}

/// Formats a number with about three digits.
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

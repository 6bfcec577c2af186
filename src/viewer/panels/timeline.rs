//! Timeline panel: play, step and seek, contact intervals, and curves of measures.

use super::super::keys::Command;
use super::style::{ACCENT, CURVES, FAINT};
use super::{PanelData, Panels, Requests};
use crate::show::{Action, Curve, Timeline};
use egui_plot::{Legend, Line, Plot, PlotPoints, VLine};
use kiss3d::egui::{
    Align2, Color32, CornerRadius, FontId, Pos2, Rect, RichText, Sense, Stroke, StrokeKind, Ui, pos2, vec2,
};

/// Width of the labels left of the tracks, points.
const MARGIN: f32 = 92.0;

pub(super) fn show(ui: &mut Ui, panels: &mut Panels, data: &PanelData, requests: &mut Requests) {
    ui.add_space(3.0);
    buttons(ui, panels, data, requests);
    scrub(ui, data, requests);
    contacts(ui, data);
    if panels.curves && !data.timeline.curves.is_empty() {
        curves(ui, data, requests);
    }
    ui.add_space(3.0);
}

fn buttons(ui: &mut Ui, panels: &mut Panels, data: &PanelData, requests: &mut Requests) {
    let status = data.status;
    ui.horizontal(|ui| {
        let play = if status.playing { "⏸ pause" } else { "▶ play" };
        let buttons = [
            ("⏮", "to the start (Home)", Command::ToStart),
            ("◀", "one back (←)", Command::StepBack),
            (play, "Space", Command::PlayOrPause),
            ("▶|", "one on (→)", Command::StepForward),
            ("⏭", "to the end (End)", Command::ToEnd),
        ];
        for (word, tip, command) in buttons {
            if ui.button(word).on_hover_text(tip).clicked() {
                requests.commands.push(command);
            }
        }
        ui.separator();
        ui.label(RichText::new("speed").color(FAINT));
        for (word, speed) in [("⅛", 0.125), ("¼", 0.25), ("½", 0.5), ("1", 1.0), ("2", 2.0)] {
            if ui.selectable_label((status.speed - speed).abs() < 1e-9, word).clicked() {
                requests.actions.push(Action::Speed(speed));
            }
        }
        ui.separator();
        let mut looping = status.looping;
        if ui.checkbox(&mut looping, "over and over").changed() {
            requests.actions.push(Action::Loop(looping));
        }
        ui.checkbox(&mut panels.curves, "measures");
        if data.timeline.pending {
            ui.label(RichText::new("measuring …").color(FAINT));
        }
        ui.separator();
        worst(ui, data.timeline, requests);
    });
}

/// Adds a button for the worst moment of each measure.
fn worst(ui: &mut Ui, timeline: &Timeline, requests: &mut Requests) {
    if timeline.curves.is_empty() {
        return;
    }
    ui.menu_button("worst moment …", |ui| {
        for curve in &timeline.curves {
            let Some((time, value)) = curve.worst else { continue };
            let word = format!("{}: {value:.3} {} at {time:.2} s", curve.name, curve.unit);
            if ui.button(word).clicked() {
                requests.actions.push(Action::Pause);
                requests.actions.push(Action::Seek(time));
                ui.close();
            }
        }
    });
}

/// Mapping from times to screen positions.
struct Ruler {
    left: f32,
    right: f32,
    duration: f64,
}

impl Ruler {
    fn of(ui: &Ui, duration: f64) -> Self {
        let room = ui.available_rect_before_wrap();
        Ruler { left: room.left() + MARGIN, right: room.right() - 8.0, duration: duration.max(1e-6) }
    }

    fn x(&self, time: f64) -> f32 {
        self.left + (self.right - self.left) * (time / self.duration).clamp(0.0, 1.0) as f32
    }

    fn time(&self, x: f32) -> f64 {
        f64::from(((x - self.left) / (self.right - self.left)).clamp(0.0, 1.0)) * self.duration
    }
}

fn scrub(ui: &mut Ui, data: &PanelData, requests: &mut Requests) {
    let ruler = Ruler::of(ui, data.status.duration);
    let width = ui.available_width();
    let (place, response) = ui.allocate_exact_size(vec2(width, 22.0), Sense::click_and_drag());
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked()) {
        if response.drag_started() || response.clicked() {
            requests.actions.push(Action::Pause);
        }
        requests.actions.push(Action::Seek(ruler.time(at.x)));
    }
    let painter = ui.painter();
    let bar = Rect::from_min_max(pos2(ruler.left, place.center().y - 4.0), pos2(ruler.right, place.center().y + 4.0));
    painter.rect_filled(bar, CornerRadius::same(4), Color32::from_rgb(18, 20, 24));
    let now = ruler.x(data.status.time);
    painter.rect_filled(
        Rect::from_min_max(bar.min, pos2(now, bar.bottom())),
        CornerRadius::same(4),
        Color32::from_rgb(150, 92, 24),
    );
    ticks(ui, &ruler, place);
    let painter = ui.painter();
    painter.circle(pos2(now, place.center().y), 7.0, ACCENT, Stroke::new(1.0, Color32::BLACK));
    let words = format!("{:.2} / {:.2} s", data.status.time, data.status.duration);
    let at = pos2(place.left() + 2.0, place.center().y);
    painter.text(at, Align2::LEFT_CENTER, words, FontId::proportional(12.0), FAINT);
}

/// Draws marks at round seconds with enough space between them.
fn ticks(ui: &Ui, ruler: &Ruler, place: Rect) {
    let room = f64::from(ruler.right - ruler.left);
    let least = ruler.duration * 70.0 / room.max(1.0);
    let power = 10f64.powf(least.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= least).unwrap_or(power);
    let digits = (-step.log10().floor()).max(0.0) as usize;
    for k in 0..=(ruler.duration / step) as usize {
        let time = k as f64 * step;
        let x = ruler.x(time);
        let ends = [pos2(x, place.center().y + 4.0), pos2(x, place.bottom())];
        ui.painter().line_segment(ends, Stroke::new(1.0, FAINT));
        let at = pos2(x + 3.0, place.bottom() + 1.0);
        ui.painter().text(at, Align2::LEFT_BOTTOM, format!("{time:.digits$}"), FontId::proportional(9.0), FAINT);
    }
}

/// Draws a bar for each contact interval.
fn contacts(ui: &mut Ui, data: &PanelData) {
    let ruler = Ruler::of(ui, data.status.duration);
    let height = 11.0;
    // Surplus tracks are left out, so that there is room for the curves.
    for (number, track) in data.timeline.contacts.iter().take(8).enumerate() {
        let (place, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        let painter = ui.painter();
        let at = pos2(place.left() + 2.0, place.center().y);
        painter.text(at, Align2::LEFT_CENTER, &track.label, FontId::proportional(10.5), FAINT);
        let color = CURVES[number % CURVES.len()];
        for [from, to] in &track.intervals {
            let bar = Rect::from_min_max(
                pos2(ruler.x(*from), place.top() + 2.0),
                pos2(ruler.x(*to).max(ruler.x(*from) + 2.0), place.bottom() - 2.0),
            );
            painter.rect(bar, CornerRadius::same(2), color.gamma_multiply(0.75), Stroke::NONE, StrokeKind::Inside);
        }
        let now = ruler.x(data.status.time);
        let line: [Pos2; 2] = [pos2(now, place.top() - 2.0), pos2(now, place.bottom() + 2.0)];
        painter.line_segment(line, Stroke::new(1.0, ACCENT));
    }
}

/// Draws all measures over time, each as a share of its worst value, so that they fit one diagram.
fn curves(ui: &mut Ui, data: &PanelData, requests: &mut Requests) {
    let duration = data.status.duration.max(1e-3);
    let now = data.status.time;
    let width = ui.available_width();
    let room = ui.available_rect_before_wrap();
    let plot = Plot::new("measures")
        .height(92.0)
        .width(width - MARGIN - 8.0)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_axes([false, false])
        .show_grid([true, false])
        .legend(Legend::default().background_alpha(0.5))
        .label_formatter(|_| None)
        .set_margin_fraction(vec2(0.0, 0.06));
    let place = Rect::from_min_size(pos2(room.left() + MARGIN, room.top()), vec2(width - MARGIN - 8.0, 92.0));
    let mut inner = ui.new_child(kiss3d::egui::UiBuilder::new().max_rect(place));
    let shown = plot.show(&mut inner, |plot| {
        plot.set_plot_bounds_x(0.0..=duration);
        plot.set_plot_bounds_y(-0.05..=1.08);
        for (number, curve) in data.timeline.curves.iter().enumerate() {
            plot.line(line(curve).color(CURVES[number % CURVES.len()]).width(1.4));
        }
        plot.vline(VLine::new("now", now).color(ACCENT).width(1.0));
        let clicked = plot.response().clicked() || plot.response().dragged();
        clicked.then(|| plot.pointer_coordinate()).flatten()
    });
    if let Some(at) = shown.inner {
        requests.actions.push(Action::Pause);
        requests.actions.push(Action::Seek(at.x.clamp(0.0, duration)));
    }
    ui.allocate_rect(place, Sense::hover());
}

/// Points of a curve as a share of its worst value, at most one per pixel.
fn line(curve: &Curve) -> Line<'static> {
    let largest = curve.worst.map_or(1.0, |(_, value)| value.abs().max(1e-9));
    let stride = curve.values.len().div_ceil(1500).max(1);
    let points: PlotPoints<'static> = curve
        .values
        .chunks(stride)
        .enumerate()
        .filter_map(|(k, chunk)| {
            let top = chunk.iter().copied().filter(|v| v.is_finite()).max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
            Some([curve.start + (k * stride) as f64 / curve.rate, f64::from(top.abs() / largest)])
        })
        .collect();
    let (time, value) = curve.worst.unwrap_or_default();
    Line::new(format!("{} ≤ {value:.3} {} at {time:.2} s", curve.name, curve.unit), points)
}

//! Status line of the simulation.

use super::style::{ACCENT, BAD, FAINT, GOOD};
use super::{PanelData, short};
use crate::show::ForceSource;
use kiss3d::egui::{Color32, RichText, Ui};

pub(super) fn show(ui: &mut Ui, data: &PanelData) {
    let PanelData { workspace, status, stats, .. } = data;
    ui.horizontal(|ui| {
        let (word, color) = match (status.live, status.playing) {
            (true, true) => ("PHYSICS", GOOD),
            (true, false) => ("PHYSICS, PAUSED", ACCENT),
            (false, true) => ("PLAYING", GOOD),
            (false, false) => ("PAUSED", FAINT),
        };
        ui.label(RichText::new(word).strong().color(color));
        let frame = (status.time * status.frame_rate).round() as i64 + 1;
        number(ui, "time", format!("{:.3} s", status.time), None);
        number(ui, "frame", frame.to_string(), None);
        if status.live {
            let slow = status.time_factor < 1.0;
            number(ui, "time factor", format!("{} ×", short(status.time_factor)), slow.then_some(BAD));
            number(ui, "step", format!("{:.0} µs", status.step_cost), None);
            let gap = status.worst_gap * 1000.0;
            number(ui, "worst joint gap", format!("{gap:.2} mm"), (gap > 5.0).then_some(BAD));
            number(ui, "depth", format!("{:.1} mm", status.depth * 1000.0), None);
            number(ui, "root helped by", format!("{} weights", short(status.assistance)), None);
        }
        match status.forces {
            ForceSource::None => {}
            ForceSource::Estimated => number(ui, "forces", "estimated".to_owned(), None),
            ForceSource::Measured => number(ui, "forces", "measured".to_owned(), None),
        }
        number(ui, "drawn", format!("{:.0} per s", stats.frames_per_second), None);
        if stats.capturing {
            ui.label(RichText::new("● FILM").strong().color(BAD));
        }
        if let Some(failure) = &status.failure {
            ui.label(RichText::new(failure).color(BAD));
        }
        let names: Vec<&str> = (0..workspace.len()).map(|item| workspace.name(item)).collect();
        ui.with_layout(kiss3d::egui::Layout::right_to_left(kiss3d::egui::Align::Center), |ui| {
            ui.label(RichText::new("? helps").color(FAINT).small());
            ui.add(kiss3d::egui::Label::new(RichText::new(names.join("  ·  ")).color(FAINT)).truncate());
        });
    });
}

fn number(ui: &mut Ui, label: &str, value: String, color: Option<Color32>) {
    ui.label(RichText::new(label).color(FAINT).small());
    let value = RichText::new(value).monospace();
    ui.label(match color {
        Some(color) => value.color(color),
        None => value,
    });
}

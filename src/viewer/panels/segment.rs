//! Panel of the selected body.

use super::style::FAINT;
use super::{PanelData, Panels, Requests};
use crate::show::Action;
use kiss3d::egui::{Grid, RichText, ScrollArea, Slider, Ui};

pub(super) fn show(ui: &mut Ui, panels: &mut Panels, data: &PanelData, requests: &mut Requests) {
    let Some(pick) = panels.chosen else { return };
    ui.add_space(4.0);
    let value = |what: &str| data.facts.iter().find(|(name, _)| name == what).map(|(_, value)| value.as_str());
    ui.horizontal(|ui| {
        ui.label(RichText::new(value("body").unwrap_or("body")).heading());
        if ui.small_button("×").clicked() {
            panels.chosen = None;
        }
    });
    ScrollArea::vertical().show(ui, |ui| {
        Grid::new("facts").num_columns(2).spacing([10.0, 4.0]).show(ui, |ui| {
            for (name, value) in data.facts.iter().filter(|(name, _)| name != "body") {
                ui.label(RichText::new(name).color(FAINT));
                ui.label(value);
                ui.end_row();
            }
        });
        if !data.status.live {
            return;
        }
        let item = pick.grip.item;
        let Some((figure, segment)) = pick.segment else { return };
        // Strengths are numbered through all figures of an item; only those of the first figure equal its segment numbers.
        let segments = data.workspace.segments(item);
        if let (0, Some((_, strength))) = (figure, segments.get(segment)) {
            ui.separator();
            ui.label("strength of its joint");
            let mut share = *strength;
            if ui.add(Slider::new(&mut share, 0.0..=1.0).suffix(" ×")).changed() {
                requests.actions.push(Action::Strength { item, segment: Some(segment), share });
            }
        }
    });
}

//! Panel of layers.

use super::super::layers::named_layers;
use super::Panels;
use kiss3d::egui::{RichText, Ui};

pub(super) fn show(ui: &mut Ui, panels: &mut Panels) {
    ui.add_space(4.0);
    ui.label(RichText::new("Seen").heading());
    for layer in named_layers(&mut panels.layers) {
        ui.checkbox(layer.on, layer.words);
    }
    ui.checkbox(&mut panels.follow, "camera follows");
    ui.separator();
}

//! What is to be seen.

use super::super::layers::named_layers;
use super::Desk;
use kiss3d::egui::{RichText, Ui};

pub(super) fn show(ui: &mut Ui, desk: &mut Desk) {
    ui.add_space(4.0);
    ui.label(RichText::new("Seen").heading());
    for layer in named_layers(&mut desk.layers) {
        ui.checkbox(layer.on, layer.words);
    }
    ui.checkbox(&mut desk.follow, "camera follows");
    ui.separator();
}

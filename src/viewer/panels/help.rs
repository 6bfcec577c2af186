//! Help panel: keys and mouse, from the table that the window itself uses.

use super::super::keys::{MOUSE, SECTIONS};
use super::style::ACCENT;
use kiss3d::egui::{Align2, Context, Grid, Label, RichText, ScrollArea, Ui, Window};

pub(super) fn show(context: &Context, open: &mut bool) {
    let window = Window::new("Keys and mouse").open(open).collapsible(false).resizable(false);
    // A small window scrolls.
    let most = context.content_rect().size() * 0.85;
    window.anchor(Align2::CENTER_CENTER, [0.0, 0.0]).show(context, |ui| {
        ScrollArea::both().max_width(most.x).max_height(most.y).show(ui, chapters);
    });
}

fn chapters(ui: &mut Ui) {
    ui.horizontal_top(|ui| {
        let (first, second) = SECTIONS.split_at(2);
        let (second, third) = second.split_at(2);
        for chapters in [first, second, third] {
            ui.vertical(|ui| {
                for section in chapters {
                    let rows = section.bindings.iter().map(|binding| (binding.name, binding.does));
                    table(ui, section.title, rows);
                }
                if std::ptr::eq(chapters, third) {
                    table(ui, "Mouse", MOUSE.iter().copied());
                }
            });
            ui.add_space(14.0);
        }
    });
}

fn table<'a>(ui: &mut Ui, title: &str, rows: impl Iterator<Item = (&'a str, &'a str)>) {
    ui.add(Label::new(RichText::new(title).heading()).extend());
    Grid::new(title).num_columns(2).spacing([12.0, 3.0]).show(ui, |ui| {
        for (key, does) in rows {
            ui.add(Label::new(RichText::new(key).strong().color(ACCENT)).extend());
            ui.add(Label::new(does).extend());
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}

//! Physics: on and off, what the world is like, what is thrown, how strong the muscles are. Everything acts at once.

use super::super::keys::Command;
use super::{Desk, News, Wishes};
use crate::math::{Real, Vec3};
use crate::show::{Action, Show, Status};
use kiss3d::egui::{RichText, Slider, SliderClamping, Ui};

pub(super) fn show(ui: &mut Ui, desk: &mut Desk, news: &News, wishes: &mut Wishes) {
    let News { show, status, .. } = news;
    ui.label(RichText::new("Physics").heading());
    ui.horizontal(|ui| {
        let word = if status.live { "stop" } else { "start" };
        if ui.button(word).on_hover_text("L").clicked() {
            wishes.commands.push(Command::Live);
        }
        if ui.button("reset").on_hover_text("R").clicked() {
            wishes.commands.push(Command::Reset);
        }
    });
    // Scenes run by themselves.
    let runs = (0..show.len()).any(|exhibit| show.state_hash(exhibit).is_some());
    ui.add_enabled_ui(runs, |ui| {
        world(ui, status, wishes);
        ui.separator();
        thrown(ui, desk, wishes);
        ui.separator();
        muscles(ui, desk, show, wishes);
    });
}

/// A slider that says when it was moved.
fn slider(ui: &mut Ui, value: &mut Real, range: std::ops::RangeInclusive<Real>, name: &str, unit: &str) -> bool {
    ui.label(RichText::new(name).small());
    let slider = Slider::new(value, range).suffix(unit).clamping(SliderClamping::Never).max_decimals(2);
    ui.add(slider).changed()
}

fn world(ui: &mut Ui, status: &Status, wishes: &mut Wishes) {
    let mut gravity = -status.gravity.y;
    if slider(ui, &mut gravity, 0.0..=20.0, "gravity", " m/s²") {
        wishes.actions.push(Action::Gravity(Vec3::new(0.0, -gravity, 0.0)));
    }
    let mut friction = status.friction;
    if slider(ui, &mut friction, 0.0..=1.5, "friction", "") {
        wishes.actions.push(Action::Friction(friction.max(0.0)));
    }
    let mut wind = status.wind;
    let moved = [
        slider(ui, &mut wind.x, -20.0..=20.0, "wind to the left (+X)", " m/s"),
        slider(ui, &mut wind.z, -20.0..=20.0, "wind forward (+Z)", " m/s"),
    ];
    if moved.contains(&true) {
        wishes.actions.push(Action::Wind(wind));
    }
    let mut substeps = status.substeps.max(1);
    ui.label(RichText::new("substeps").small());
    if ui.add(Slider::new(&mut substeps, 1..=16)).changed() {
        wishes.actions.push(Action::Substeps(substeps));
    }
}

fn thrown(ui: &mut Ui, desk: &mut Desk, wishes: &mut Wishes) {
    ui.horizontal(|ui| {
        for (word, key, command) in
            [("throw", "T", Command::Throw), ("drop", "D", Command::Drop), ("push", "P", Command::Push)]
        {
            if ui.button(word).on_hover_text(format!("{key}, at what is under the mouse")).clicked() {
                wishes.commands.push(command);
            }
        }
    });
    slider(ui, &mut desk.ball.mass, 0.1..=20.0, "mass", " kg");
    slider(ui, &mut desk.ball.radius, 0.03..=0.4, "size", " m");
    slider(ui, &mut desk.ball.speed, 1.0..=30.0, "speed", " m/s");
    slider(ui, &mut desk.push, 1.0..=200.0, "push", " N·s");
}

fn muscles(ui: &mut Ui, desk: &mut Desk, show: &Show, wishes: &mut Wishes) {
    for exhibit in 0..show.len() {
        let segments = show.segments(exhibit);
        if segments.is_empty() {
            continue;
        }
        if show.len() > 1 {
            ui.label(RichText::new(show.name(exhibit)).small().strong());
        }
        let mut limp = desk.limp.get(exhibit).copied().unwrap_or(false);
        if ui.checkbox(&mut limp, "limp (rag-doll)").changed() {
            wishes.actions.push(Action::RagDoll { exhibit, limp });
            desk.limp.resize(show.len(), false);
            desk.limp[exhibit] = limp;
        }
        desk.strength.resize(show.len(), 1.0);
        if slider(ui, &mut desk.strength[exhibit], 0.0..=1.0, "strength of all", " ×") {
            wishes.actions.push(Action::Strength {
                exhibit,
                segment: None,
                share: desk.strength[exhibit].clamp(0.0, 1.0),
            });
        }
        ui.collapsing("strength of each", |ui| {
            for (number, (name, strength)) in segments.iter().enumerate() {
                let mut share = *strength;
                if slider(ui, &mut share, 0.0..=1.0, name, " ×") {
                    wishes.actions.push(Action::Strength {
                        exhibit,
                        segment: Some(number),
                        share: share.clamp(0.0, 1.0),
                    });
                }
            }
        });
    }
}

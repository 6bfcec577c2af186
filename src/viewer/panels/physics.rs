//! Physics panel: switch, gravity, friction, wind, thrown balls, muscle strength. Changes act immediately.

use super::super::keys::Command;
use super::{PanelData, Panels, Requests};
use crate::math::{Real, Vec3};
use crate::show::{Action, Status, Workspace};
use kiss3d::egui::{RichText, Slider, SliderClamping, Ui};

pub(super) fn show(ui: &mut Ui, panels: &mut Panels, data: &PanelData, requests: &mut Requests) {
    let PanelData { workspace, status, .. } = data;
    ui.label(RichText::new("Physics").heading());
    ui.horizontal(|ui| {
        let word = if status.live { "stop" } else { "start" };
        if ui.button(word).on_hover_text("L").clicked() {
            requests.commands.push(Command::Live);
        }
        if ui.button("reset").on_hover_text("R").clicked() {
            requests.commands.push(Command::Reset);
        }
    });
    // Scenes are always simulated.
    let runs = (0..workspace.len()).any(|item| workspace.state_hash(item).is_some());
    ui.add_enabled_ui(runs, |ui| {
        world(ui, status, requests);
        ui.separator();
        thrown(ui, panels, requests);
        ui.separator();
        muscles(ui, panels, workspace, requests);
    });
}

/// Adds a slider; returns true if it was moved.
fn slider(ui: &mut Ui, value: &mut Real, range: std::ops::RangeInclusive<Real>, name: &str, unit: &str) -> bool {
    ui.label(RichText::new(name).small());
    let slider = Slider::new(value, range).suffix(unit).clamping(SliderClamping::Never).max_decimals(2);
    ui.add(slider).changed()
}

fn world(ui: &mut Ui, status: &Status, requests: &mut Requests) {
    let mut gravity = -status.gravity.y;
    if slider(ui, &mut gravity, 0.0..=20.0, "gravity", " m/s²") {
        requests.actions.push(Action::Gravity(Vec3::new(0.0, -gravity, 0.0)));
    }
    let mut friction = status.friction;
    if slider(ui, &mut friction, 0.0..=1.5, "friction", "") {
        requests.actions.push(Action::Friction(friction.max(0.0)));
    }
    let mut wind = status.wind;
    let moved = [
        slider(ui, &mut wind.x, -20.0..=20.0, "wind to the left (+X)", " m/s"),
        slider(ui, &mut wind.z, -20.0..=20.0, "wind forward (+Z)", " m/s"),
    ];
    if moved.contains(&true) {
        requests.actions.push(Action::Wind(wind));
    }
    let mut substeps = status.substeps.max(1);
    ui.label(RichText::new("substeps").small());
    if ui.add(Slider::new(&mut substeps, 1..=16)).changed() {
        requests.actions.push(Action::Substeps(substeps));
    }
}

fn thrown(ui: &mut Ui, panels: &mut Panels, requests: &mut Requests) {
    ui.horizontal(|ui| {
        for (word, key, command) in
            [("throw", "T", Command::Throw), ("drop", "D", Command::Drop), ("push", "P", Command::Push)]
        {
            if ui.button(word).on_hover_text(format!("{key}, at what is under the mouse")).clicked() {
                requests.commands.push(command);
            }
        }
    });
    slider(ui, &mut panels.ball.mass, 0.1..=20.0, "mass", " kg");
    slider(ui, &mut panels.ball.radius, 0.03..=0.4, "size", " m");
    slider(ui, &mut panels.ball.speed, 1.0..=30.0, "speed", " m/s");
    slider(ui, &mut panels.push, 1.0..=200.0, "push", " N·s");
}

fn muscles(ui: &mut Ui, panels: &mut Panels, workspace: &Workspace, requests: &mut Requests) {
    for item in 0..workspace.len() {
        let segments = workspace.segments(item);
        if segments.is_empty() {
            continue;
        }
        if workspace.len() > 1 {
            ui.label(RichText::new(workspace.name(item)).small().strong());
        }
        let mut limp = panels.limp.get(item).copied().unwrap_or(false);
        if ui.checkbox(&mut limp, "limp (rag-doll)").changed() {
            requests.actions.push(Action::RagDoll { item, limp });
            panels.limp.resize(workspace.len(), false);
            panels.limp[item] = limp;
        }
        panels.strength.resize(workspace.len(), 1.0);
        if slider(ui, &mut panels.strength[item], 0.0..=1.0, "strength of all", " ×") {
            requests.actions.push(Action::Strength {
                item,
                segment: None,
                share: panels.strength[item].clamp(0.0, 1.0),
            });
        }
        ui.collapsing("strength of each", |ui| {
            for (number, (name, strength)) in segments.iter().enumerate() {
                let mut share = *strength;
                if slider(ui, &mut share, 0.0..=1.0, name, " ×") {
                    requests.actions.push(Action::Strength {
                        item,
                        segment: Some(number),
                        share: share.clamp(0.0, 1.0),
                    });
                }
            }
        });
    }
}

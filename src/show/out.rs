//! Out: what a live session was, as a recording or as a GLB.
//!
//! A session is its inputs, so nothing is written down while it runs: for a file it is run once more from the start, with
//! everything that was done, up to now.

use super::Workspace;
use super::item::{Content, Item};
use super::live::Live;
use crate::dynamics::Placement;
use crate::formats::gltf::solids::{self, Part, write_solids};
use crate::formats::{FormatError, Source, gltf, write_atomically};
use crate::math::{Real, Vec3};
use crate::record::{Recording, add_shape};
use crate::simulation::Recorder;
use std::path::Path;

impl Workspace {
    /// Writes everything that was simulated so far as a recording (see `docs/recordings.md`). A single item is written as
    /// its world has it, to the last bit; several stand side by side as in the picture.
    pub fn save_recording(&self, path: &Path) -> Result<(), FormatError> {
        let refuse = |message: String| FormatError::new(message).in_file(path);
        let mut all: Option<Recording> = None;
        for item in self.items() {
            let Some(live) = &item.live else { continue };
            let mut recording = record(item, live, rate(item, live)).map_err(refuse)?;
            match &mut all {
                None if item.offset == Vec3::zeros() => all = Some(recording),
                None => {
                    shift(&mut recording, &item.offset);
                    all = Some(recording);
                }
                Some(all) => {
                    shift(&mut recording, &item.offset);
                    join(all, recording, &item.name);
                }
            }
        }
        match all {
            Some(recording) => recording.save(path),
            None => Err(refuse("nothing was simulated yet".to_owned()).help("switch physics on first")),
        }
    }

    /// Writes a GLB: of a live session everything that moved, of a clip the file with it. One captured figure keeps its
    /// skin; others are written as their shapes, side by side.
    pub fn export_glb(&self, path: &Path) -> Result<(), FormatError> {
        let told = |error: FormatError| if error.path.as_os_str().is_empty() { error.in_file(path) } else { error };
        write_atomically(path, &self.glb().map_err(told)?)
    }

    fn glb(&self) -> Result<Vec<u8>, FormatError> {
        if let [only] = self.items() {
            match (&only.content, &only.live) {
                (Content::Character(character), None) => {
                    return gltf::write_glb(&character.capture, &Default::default());
                }
                (Content::Scene { .. }, Some(live)) => return live.play().scene.to_glb(),
                _ => {}
            }
        }
        let mut skinned: Option<Vec<u8>> = None;
        let mut parts = Vec::new();
        let mut times: Vec<f32> = Vec::new();
        let alone = self.items().len() == 1;
        for item in self.items() {
            let Some(live) = &item.live else { continue };
            let recording = record(item, live, rate(item, live)).map_err(FormatError::new)?;
            let keeps_skin = alone && matches!(item.content, Content::Character(_));
            if let (true, Content::Character(character)) = (keeps_skin, &item.content) {
                let recorded = record(item, live, character.rate_hz()).map_err(FormatError::new)?;
                let recorded = recorded.figure(0).ok_or_else(|| FormatError::new("there is no captured figure"))?;
                let animation = &character.animation;
                let clip = recorded.to_clip(&character.figure, animation.clip(), |time| animation.sample(time).pose);
                let mut clip = clip.map_err(|error| FormatError::new(error.to_string()))?;
                clip.name = format!("{} live", character.animation.clip().name);
                let mut capture = (*character.capture).clone();
                if let Some(Source::Gltf(document)) = &mut capture.source {
                    document.keep_only(&[]);
                }
                capture.clips = vec![clip];
                skinned = Some(gltf::write_glb(&capture, &Default::default())?);
            }
            for (k, body) in recording.bodies.iter().enumerate() {
                let segment = recording.figures.iter().any(|figure| figure.bodies.contains(&k));
                let ground = body.mass_kg == 0.0 && item.is_character();
                if (segment && keeps_skin) || ground {
                    continue;
                }
                parts.push(part(&recording, k, item, segment));
            }
            if recording.times_s.len() > times.len() {
                times = recording.times_s.iter().map(|t| *t as f32).collect();
            }
        }
        if parts.is_empty() && skinned.is_none() {
            let message = "there is nothing to export: no clip alone, and nothing was simulated yet";
            return Err(FormatError::new(message).help("switch physics on first, or export one file at a time"));
        }
        // Items of other rates have other frame counts; the shorter ones stay at their end.
        for part in &mut parts {
            if let Some(last) = part.frames.last().copied() {
                part.frames.resize(times.len(), last);
            }
            if let Some(seen) = &mut part.visible {
                seen.resize(times.len(), true);
            }
        }
        write_solids(skinned.as_deref(), "live", &times, &parts, None)
    }
}

/// Frames per second of recordings, as far as steps allow.
const RATE: Real = 60.0;

/// Runs a whole session once more and records it at a rate, Hz.
fn record(item: &Item, live: &Live, rate: Real) -> Result<Recording, String> {
    let mut recorder = Recorder::new(item.name.clone(), rate);
    live.replay(|play| play.scene.run.observe_with(&mut recorder))?;
    let mut recording = recorder.finish();
    live.play().scene.dress(&mut recording);
    Ok(recording)
}

/// Frames per second of an item's recording.
fn rate(item: &Item, live: &Live) -> Real {
    item.rate_hz().clamp(1.0, 240.0).max(RATE.min(1.0 / live.step_length()))
}

/// A body as a part of an export.
fn part(recording: &Recording, number: usize, item: &Item, segment: bool) -> Part {
    let body = &recording.bodies[number];
    let color = match body.color {
        Some(color) => color.map(|c| c as f32),
        None if segment => [0.56, 0.66, 0.76],
        None => crate::scene::PALETTE[number % crate::scene::PALETTE.len()].map(|c| c as f32),
    };
    let mut mesh = solids::Mesh::new(color);
    for (solid, placement) in body.shapes.iter().filter_map(|shape| shape.solid()) {
        add_shape(&mut mesh, &placement, &solid);
    }
    let place = |frame: usize| {
        let at = recording.placement(number, frame);
        Placement { position: at.position + item.offset, ..at }
    };
    let seen = body.from_s.map(|from| recording.times_s.iter().map(|time| *time >= from - 1e-9).collect());
    Part { name: body.name.clone(), mesh, frames: (0..recording.frames()).map(place).collect(), visible: seen }
}

fn shift(recording: &mut Recording, by: &Vec3) {
    let moved = |place: &mut [Real; 3]| *place = (Vec3::from(*place) + by).into();
    recording.bodies.iter_mut().flat_map(|body| &mut body.position_m).for_each(moved);
    recording.contacts.iter_mut().flatten().map(|contact| &mut contact.point_m).for_each(moved);
}

/// Adds what another item did to a recording: its frames at the times of the first one.
fn join(all: &mut Recording, other: Recording, name: &str) {
    let first = all.bodies.len();
    let times = all.times_s.clone();
    let at: Vec<usize> = times.iter().map(|time| other.place_of(*time).0).collect();
    fn pick<T: Copy>(values: &[T], at: &[usize]) -> Vec<T> {
        at.iter().filter_map(|frame| values.get(*frame).copied()).collect()
    }
    for mut body in other.bodies {
        body.name = format!("{name}: {}", body.name);
        body.position_m = pick(&body.position_m, &at);
        body.rotation_wxyz = pick(&body.rotation_wxyz, &at);
        body.velocity_m_s = pick(&body.velocity_m_s, &at);
        body.angular_velocity_rad_s = pick(&body.angular_velocity_rad_s, &at);
        all.bodies.push(body);
    }
    for mut figure in other.figures {
        figure.bodies.iter_mut().for_each(|body| *body += first);
        figure.root_force_torque = pick(&figure.root_force_torque, &at);
        all.figures.push(figure);
    }
    for mut joint in other.joints {
        joint.body = joint.body.map(|body| body + first);
        joint.force_torque_on_b = pick(&joint.force_torque_on_b, &at);
        joint.muscle_nm = pick(&joint.muscle_nm, &at);
        all.joints.push(joint);
    }
    for (own, frame) in all.contacts.iter_mut().zip(&at) {
        let added = other.contacts.get(*frame).into_iter().flatten().map(|contact| crate::record::RecordedContact {
            bodies: contact.bodies.map(|body| body + first),
            ..*contact
        });
        own.extend(added);
    }
}

//! The optimiser against the laws it stands for.

mod behaviour;
mod contact_targets;
mod forward;
mod load;
mod parts;
mod rests;

use super::*;
use crate::figure::{Figure, FigureOptions};
use crate::formats::{self, ImportOptions};
use crate::math::{Real, Vec3};
use crate::measure::{Measure, MeasureOptions};
use crate::motion::Clip;
use std::path::Path;

/// The plane y = height.
pub(super) struct Level(pub Real);

impl Surface for Level {
    fn under(&self, point: &Vec3) -> Under {
        Under { height: point.y - self.0, normal: Vec3::y() }
    }
}

pub(super) fn read(path: &Path) -> (Figure, Clip) {
    let file = formats::read(path, &ImportOptions::default()).unwrap();
    let clip = file.clips.into_iter().next().unwrap();
    let figure = Figure::build(&file.skeleton, &FigureOptions { clip: Some(&clip), ..FigureOptions::default() });
    (figure.unwrap(), clip)
}

pub(super) fn walk() -> (Figure, Clip) {
    read(Path::new("data/clips/walk.bvh"))
}

/// A walk that its feet alone do not carry yet.
pub(super) fn heavy_walk() -> (Figure, Clip) {
    read(Path::new("data/clips/heavy_walk.bvh"))
}

/// A plan from the contacts that a report finds: every sole point stands where it is on average.
pub(super) fn measured_plan(figure: &Figure, clip: &Clip) -> ContactPlan {
    let report = Measure { figure, clip, options: MeasureOptions::default() }.run().unwrap();
    let ground = report.get(crate::measure::Key::Ground).unwrap();
    let (mut corners, mut owner) = (Vec::new(), Vec::new());
    for (index, sole) in figure.sole_points().iter().enumerate() {
        for point in sole.corners() {
            let local = point - figure.segment(sole.segment).centre;
            corners.push(Corner { segment: sole.segment, local, radius: 0.0 });
            owner.push(index);
        }
    }
    let places: Vec<_> = (0..clip.frames())
        .map(|frame| {
            let placements = figure.placements(&clip.pose(figure.skeleton(), frame));
            let at = |c: &Corner| figure.segment(c.segment).body(&placements[c.segment]).point(&c.local);
            corners.iter().map(at).collect::<Vec<Vec3>>()
        })
        .collect();
    let mut targets = vec![Vec::new(); clip.frames()];
    for contact in &report.contacts {
        let of = |index: &usize| {
            let sole = &figure.sole_points()[owner[*index]];
            (sole.segment, Some(sole.part), sole.side) == (contact.segment, contact.part, contact.side)
        };
        for corner in (0..corners.len()).filter(of) {
            let sum: Vec3 = contact.frames.clone().map(|frame| places[frame][corner]).sum();
            let mut place = sum / contact.frames.len() as Real;
            place.y = ground;
            for frame in contact.frames.clone() {
                targets[frame].push(ContactTarget { corner, place, normal: Vec3::y(), load: 1.0, interval: None });
            }
        }
    }
    targets.iter_mut().for_each(|targets| targets.sort_by_key(|target| target.corner));
    let clearance = vec![vec![0.5e-3; corners.len()]; clip.frames()];
    ContactPlan {
        corners,
        targets,
        unloaded: Vec::new(),
        clearance,
        acceleration_limited: Vec::new(),
        ground: Box::new(Level(ground)),
    }
}

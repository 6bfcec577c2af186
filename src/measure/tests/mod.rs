//! Each figure on a clip whose answer is known by hand.

mod dynamics;
mod geometry;
mod whole;

use super::ground::Ground;
use super::points::lowest_of_shapes;
use super::{Cutoff, Key, Measure, MeasureOptions, Report};
use crate::figure::{Figure, FigureOptions};
use crate::formats::{self, ImportOptions};
use crate::math::{Quat, Real, Vec3};
use crate::motion::{Clip, Joint, Pose, Skeleton, Tracks};
use std::path::Path;

/// The built-in actor, standing still on y = 0.
fn person() -> (Figure, Pose) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/clips/idle.bvh");
    let capture = formats::read(&path, &ImportOptions::default()).unwrap();
    let clip = &capture.clips[0];
    let options = FigureOptions { clip: Some(clip), ..FigureOptions::default() };
    let figure = Figure::build(&capture.skeleton, &options).unwrap();
    let mut pose = clip.pose(&capture.skeleton, 0);
    pose.translations[0].y -= lowest_of_shapes(&figure, &figure.placements(&pose), &Ground::level(0.0));
    (figure, pose)
}

/// Links of 20 cm in a row, 1 m above the ground.
fn chain(links: usize) -> Figure {
    let mut joints = vec![Joint::new("link 0", None, Vec3::y())];
    joints.extend((1..links).map(|k| Joint::new(format!("link {k}"), Some(k - 1), Vec3::new(0.2, 0.0, 0.0))));
    joints[links - 1].tip = Some(Vec3::new(0.2, 0.0, 0.0));
    Figure::build(&Skeleton::new(joints).unwrap(), &FigureOptions::default()).unwrap()
}

/// A clip of poses made from one by a function of the frame; any joint may be moved.
fn clip(figure: &Figure, pose: &Pose, rate: Real, frames: usize, change: impl Fn(usize, &mut Pose)) -> Clip {
    let joints = figure.skeleton().len();
    let (mut rotations, mut places) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        let mut pose = pose.clone();
        change(frame, &mut pose);
        rotations.extend(pose.rotations);
        places.extend(pose.translations);
    }
    let translations = Tracks { joints: (0..joints).collect(), values: places };
    Clip::new("made", rate, joints, rotations, translations, Tracks::default()).unwrap()
}

/// Options for ground at y = 0, without smoothing.
fn exact() -> MeasureOptions<'static> {
    MeasureOptions { ground: Some(0.0), cutoff: Cutoff::None, ..MeasureOptions::default() }
}

fn measure(figure: &Figure, clip: &Clip, options: MeasureOptions) -> Report {
    Measure { figure, clip, options }.run().unwrap()
}

#[track_caller]
fn is(report: &Report, key: Key, expected: Real, tolerance: Real) {
    let value = report.get(key).unwrap_or_else(|| panic!("{key}: {:?}", report.note(key)));
    assert!((value - expected).abs() <= tolerance, "{key} is {value}, not {expected}");
}

fn turn(axis: &nalgebra::Unit<Vec3>, angle: Real) -> Quat {
    Quat::from_axis_angle(axis, angle)
}

//! Laws that every figure obeys, whatever skeleton it is made from.

#![allow(clippy::disallowed_methods)] // Expectations are computed with the functions of the system.

mod bodies;
mod files;
mod joints;
mod moving;
mod rest_poses;

use proptest::prelude::*;
use sinew::dynamics::{Shape, World};
use sinew::figure::{AttachmentKind, Figure, FigureOptions, Limits, PlaceOptions, SegmentSource, SolePart, Table};
use sinew::formats::{self, Capture, ImportOptions, gltf};
use sinew::motion::{Clip, Joint, Pose, PoseMotion, Role, Sampler, Side, Skeleton, Tracks};
use sinew::{Quat, Real, Vec3};
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

fn read(name: &str) -> Capture {
    formats::read(&data(name), &ImportOptions::default()).unwrap()
}

fn build(capture: &Capture) -> Figure {
    let options = FigureOptions { clip: capture.clips.first(), ..FigureOptions::default() };
    Figure::build(&capture.skeleton, &options).unwrap()
}

/// Everything in `data/`: two-legged and four-legged, plain and heavy, with skin and without.
fn all() -> Vec<(String, Capture)> {
    ["clips", "characters", "damaged"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(data(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), formats::read(&path, &ImportOptions::default()).unwrap()))
        .collect()
}

fn chain(links: usize) -> Skeleton {
    let mut joints = vec![Joint::new("link 0", None, Vec3::new(0.0, 1.0, 0.0))];
    joints.extend((1..links).map(|k| Joint::new(format!("link {k}"), Some(k - 1), Vec3::new(0.05, 0.0, 0.01))));
    joints[links - 1].tip = Some(Vec3::new(0.05, 0.0, 0.0));
    Skeleton::new(joints).unwrap()
}

/// Positive moments, none larger than the other two together: what any mass in space obeys.
fn assert_sound(name: &str, figure: &Figure) {
    assert!(figure.mass().is_finite() && figure.mass() > 0.0, "{name}");
    for segment in figure.segments() {
        let moments = segment.mass.inertia.symmetric_eigenvalues();
        let (sum, most) = (moments.sum(), moments.max());
        assert!(segment.mass.mass > 0.0 && moments.min() > 0.0, "{name}: {} {moments}", segment.name);
        assert!(most <= (sum - most) * (1.0 + 1e-9), "{name}: {} {moments}", segment.name);
        assert!(!segment.shapes.is_empty(), "{name}: {} has no shape", segment.name);
        for shape in &segment.shapes {
            let thick = match &shape.shape {
                Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
                Shape::Box { half_extents } => half_extents.min(),
                Shape::Hull { points } => points.len() as Real - 3.0,
                other => panic!("{name}: {} is a {other:?}", segment.name),
            };
            assert!(thick > 0.0, "{name}: {}", segment.name);
        }
    }
    for pair in figure.apart().windows(2) {
        assert!(pair[0] < pair[1], "{name}: pairs are ascending");
    }
}

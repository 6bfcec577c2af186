//! What glTF costs: writing a long capture (5 500 frames of 31 joints, 46 s at 120 Hz) and opening it again.

#![allow(clippy::disallowed_methods)]

use criterion::{Criterion, criterion_group, criterion_main};
use sinew::formats::{Capture, ExportOptions, Format, ImportOptions, ImportReport, Unit, UpAxis, gltf};
use sinew::motion::{Clip, Joint, Skeleton, Tracks};
use sinew::{Quat, Vec3};
use std::hint::black_box;

const JOINTS: usize = 31;
const FRAMES: usize = 5_500;

/// Five chains of bones on one root, all of them moving.
fn capture() -> Capture {
    let mut joints = vec![Joint::new("root", None, Vec3::new(0.0, 1.0, 0.0))];
    for j in 1..JOINTS {
        let parent = if (j - 1) % 6 == 0 { 0 } else { j - 1 };
        joints.push(Joint::new(format!("joint {j}"), Some(parent), Vec3::new(0.05, 0.15, 0.0)));
    }
    let skeleton = Skeleton::new(joints).expect("parents come first");
    let angle = |f: usize, j: usize| (f as f64 * 0.01 * (1.0 + 0.1 * j as f64)).sin();
    let rotations = (0..FRAMES * JOINTS)
        .map(|i| Quat::from_euler_angles(angle(i / JOINTS, i % JOINTS), 0.3 * angle(i / JOINTS, 7), 0.1))
        .collect();
    let values = (0..FRAMES).map(|f| Vec3::new(0.01 * f as f64, 1.0, 0.0)).collect();
    let tracks = Tracks { joints: vec![0], values };
    let clip = Clip::new("long", 120.0, JOINTS, rotations, tracks, Tracks::default()).expect("lengths agree");
    let report = ImportReport::new(Format::Bvh, Unit::METRE, UpAxis::PlusY);
    Capture { skeleton, clips: vec![clip], report, source: None }
}

fn glb(c: &mut Criterion) {
    let capture = capture();
    let mut group = c.benchmark_group("gltf");
    group.sample_size(20);
    let plain = ExportOptions::default();
    group.bench_function("write 5500 frames x 31 joints", |b| b.iter(|| gltf::write_glb(black_box(&capture), &plain)));
    let thin = ExportOptions { into: None, reduce: Some(0.001) };
    group.bench_function("write, keys reduced to 1 mm", |b| b.iter(|| gltf::write_glb(black_box(&capture), &thin)));
    let bytes = gltf::write_glb(&capture, &plain).expect("it was just written");
    let open = |bytes: &[u8]| gltf::read(bytes, &|_| Err("is not there".into()), &ImportOptions::default());
    group.bench_function("open 5500 frames x 31 joints", |b| b.iter(|| open(black_box(&bytes))));
    group.finish();
}

criterion_group!(benches, glb);
criterion_main!(benches);

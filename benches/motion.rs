//! What playing a clip costs: a figure of 31 joints, the size of a CMU capture.

#![allow(clippy::disallowed_methods)]

use criterion::{Criterion, criterion_group, criterion_main};
use sinew::motion::{Clip, Joint, Looping, Sampler, Skeleton, Tracks, detect_roles, edit};
use sinew::{Quat, Real, Vec3};
use std::hint::black_box;

const JOINTS: usize = 31;
const FRAMES: usize = 1200;

/// A root with five chains.
fn figure() -> Skeleton {
    let joint = |k: usize| {
        let parent = if k == 0 { None } else { Some(if k % 6 == 1 { 0 } else { k - 1 }) };
        Joint::new(format!("joint{k}"), parent, Vec3::new(0.1, 0.2, 0.03 * k as Real))
    };
    Skeleton::new((0..JOINTS).map(joint).collect()).expect("parents come first")
}

fn capture() -> Clip {
    let turn = |f: usize, k: usize| {
        let t = f as Real / 120.0;
        Quat::new(Vec3::new((2.0 * t + k as Real).sin(), (3.1 * t).cos(), 0.3 * (t * k as Real).sin()))
    };
    let rotations = (0..FRAMES).flat_map(|f| (0..JOINTS).map(move |k| turn(f, k))).collect();
    let values = (0..FRAMES).map(|f| Vec3::new(0.0, 1.0, 0.01 * f as Real)).collect();
    let translations = Tracks { joints: vec![0], values };
    Clip::new("capture", 120.0, JOINTS, rotations, translations, Tracks::default()).expect("a well-formed clip")
}

fn motion(c: &mut Criterion) {
    let (skeleton, clip) = (figure(), capture());
    let sampler = Sampler::new(&skeleton, &clip).expect("made for the skeleton");
    let walk_on = Sampler::looping(&skeleton, &clip, Looping::Travel).expect("made for the skeleton");
    let mut buffer = sampler.buffer();
    let (mut world, mut frames) = (Vec::new(), Vec::new());
    let mut t = 0.0;
    let mut step = move || {
        t = (t + 0.00137) % 9.9;
        t
    };

    c.bench_function("sample 31 joints with velocity and acceleration", |b| {
        b.iter(|| sampler.sample_into(black_box(step()), &mut buffer));
    });
    c.bench_function("sample 31 joints in the thousandth cycle of a walk", |b| {
        b.iter(|| walk_on.sample_into(black_box(9990.0 + step()), &mut buffer));
    });
    c.bench_function("world kinematics of 31 joints with acceleration", |b| {
        b.iter(|| buffer.world_into(&skeleton, black_box(&mut world)));
    });
    c.bench_function("forward kinematics of 31 joints", |b| {
        b.iter(|| buffer.pose.world_into(&skeleton, black_box(&mut frames)));
    });
    c.bench_function("make a sampler of 1200 frames", |b| {
        b.iter(|| Sampler::new(&skeleton, black_box(&clip)));
    });
    c.bench_function("resample 1200 frames to 30 Hz", |b| {
        b.iter(|| edit::resample(&skeleton, black_box(&clip), 30.0));
    });
    c.bench_function("guess 31 roles", |b| b.iter(|| detect_roles(black_box(&skeleton))));
}

criterion_group!(benches, motion);
criterion_main!(benches);

//! How fast BVH files are read and written: 10 000 frames × 100 channels, with all checks on.

#![allow(clippy::disallowed_methods)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sinew::formats::bvh::{self, Damage, Document};
use sinew::formats::{ExportOptions, ImportOptions};
use std::fmt::Write;
use std::hint::black_box;

const FRAMES: usize = 10_000;

/// A body of 32 joints with a root of 7 channels and 31 joints of 3: 100 channels, values as captures have them.
fn generated_file() -> String {
    let mut text = String::from("HIERARCHY\nROOT Hips\n{\n\tOFFSET 0.0 0.0 0.0\n");
    text += "\tCHANNELS 7 Xposition Yposition Zposition Zrotation Xrotation Yrotation Zrotation\n";
    for joint in 1..32 {
        let name = ["Head", "LeftFoot", "RightFoot"].get(joint - 1).copied().unwrap_or("Other");
        let height = if joint == 1 { 70.0 } else { -90.0 };
        let _ = write!(text, "\tJOINT {name}{joint}\n\t{{\n\t\tOFFSET 0.5 {height:.6} 1.25\n");
        text += "\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n";
        text += "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0.0 4.0 0.0\n\t\t}\n\t}\n";
    }
    let _ = write!(text, "}}\nMOTION\nFrames: {FRAMES}\nFrame Time: 0.0083333\n");
    for frame in 0..FRAMES {
        let time = frame as f64 / 120.0;
        for channel in 0..100 {
            let phase = channel as f64;
            let value = match channel {
                1 => 92.0 + (2.0 * time).sin(),
                _ => (10.0 + 70.0 * (phase * 0.7).cos()) * (time * (1.0 + 0.01 * phase) + phase).sin(),
            };
            let _ = write!(text, "{value:.6} ");
        }
        text.push('\n');
    }
    text
}

fn bench(criterion: &mut Criterion) {
    let file = generated_file();
    let bytes = file.as_bytes();
    let mut group = criterion.benchmark_group("bvh");
    group.throughput(Throughput::Bytes(bytes.len() as u64)).sample_size(20);
    group.bench_function("parse", |b| b.iter(|| Document::parse(black_box(bytes), Damage::Refuse)));
    let options = ImportOptions::default();
    group.bench_function("read", |b| b.iter(|| bvh::read(black_box(bytes), &options)));
    let capture = bvh::read(bytes, &options).expect("the generated file is sound");
    group.bench_function("write", |b| b.iter(|| bvh::write(black_box(&capture), &ExportOptions::default())));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);

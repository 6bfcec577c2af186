//! How fast motion is moved to another skeleton: frames per second on one core, for a pair of about 22 joints each.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sinew::formats::{self, ImportOptions};
use sinew::retarget::{Body, BodyOptions, Retarget, RetargetOptions};
use std::hint::black_box;
use std::path::Path;

fn retarget(criterion: &mut Criterion) {
    let open = |file: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
        formats::read(&path, &ImportOptions::default()).expect("built-in data can be read")
    };
    let (walk, heavy) = (open("clips/walk.bvh"), open("characters/heavy.glb"));
    let clip = &walk.clips[0];
    let options = BodyOptions::default();
    let (source, target) = (Body::new(&walk.skeleton, &options), Body::new(&heavy.skeleton, &options));
    let mut group = criterion.benchmark_group("retarget");
    group.throughput(Throughput::Elements(clip.frames() as u64));
    for (name, options) in [
        ("walk to the heavy character", RetargetOptions::default()),
        ("with hands kept", RetargetOptions { keep_hands: true, ..RetargetOptions::default() }),
        ("posture alone", RetargetOptions { hold_contacts: false, limits: false, ..RetargetOptions::default() }),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(Retarget { source: &source, target: &target, clip, options }.run()));
        });
    }
    group.finish();
    criterion.bench_function("recognise a body of 22 joints", |bencher| {
        bencher.iter(|| black_box(Body::new(&walk.skeleton, &options)));
    });
}

criterion_group!(benches, retarget);
criterion_main!(benches);

//! Built-in scenes: what a second of each takes.

use criterion::{Criterion, criterion_group, criterion_main};
use sinew::scene::{Files, Run};
use std::hint::black_box;
use std::path::Path;

fn scenes(c: &mut Criterion) {
    let mut group = c.benchmark_group("scene, one second of");
    group.sample_size(10);
    for name in
        ["chain", "structure", "falling_objects", "vehicle", "bicycle_bent", "mobile", "tensegrity", "animation"]
    {
        let files = Files::open(Path::new(name)).expect("a built-in scene");
        group.bench_function(name, |b| {
            b.iter_batched(
                || Run::new(files.clone(), Some(1.0)).expect("it can be set up"),
                |mut run| {
                    run.finish(|_| ()).expect("it goes on");
                    black_box(run.world().state_hash())
                },
                criterion::BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, scenes);
criterion_main!(benches);

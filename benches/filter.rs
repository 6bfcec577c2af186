//! The optimiser of the filter: seconds of motion per second on one core, at the rates that captures have.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sinew::figure::{Figure, FigureOptions};
use sinew::filter::{Prepare, PrepareOptions, Solve, SolveOptions};
use sinew::formats;
use sinew::motion::edit;

fn filter(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("filter");
    group.sample_size(10);
    for (clip, rate) in
        [("turn", 30.0), ("turn", 120.0), ("jump", 30.0), ("jump", 120.0), ("heavy_walk", 60.0), ("dog_walk", 60.0)]
    {
        let file = format!("{}/data/clips/{clip}.bvh", env!("CARGO_MANIFEST_DIR"));
        let capture = formats::read(file.as_ref(), &Default::default()).expect("a clip");
        let motion = edit::resample(&capture.skeleton, &capture.clips[0], rate).expect("a rate");
        let mut figure = Figure::build(&capture.skeleton, &FigureOptions { clip: Some(&motion), ..Default::default() })
            .expect("a figure");
        figure.widen_to_hold(&motion);
        let prepare = Prepare { figure: &figure, clip: &motion, options: PrepareOptions::default() };
        let prepared = prepare.run().expect("a plan");
        let options = SolveOptions { looped: prepared.preparation.looped, ..Default::default() };
        let solve = Solve { figure: &figure, clip: &prepared.clip, plan: &prepared.plan, options };
        // Elements are milliseconds of motion: 1 Kelem/s is real time.
        group.throughput(Throughput::Elements((1e3 * motion.duration()) as u64));
        group.bench_function(format!("{clip}, {rate} Hz, {} segments", figure.segments().len()), |bencher| {
            bencher.iter(|| solve.run(&mut |_| true).expect("a solution"));
        });
    }
    group.finish();
}

criterion_group!(benches, filter);
criterion_main!(benches);

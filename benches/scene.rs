//! All built-in scenes: what a second of each takes.

use criterion::{BatchSize, Bencher, Criterion, Throughput, criterion_group, criterion_main};
use sinew::scene::{Files, SceneRun, gallery};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

/// Runs it from the start, which is not timed.
fn one_second(b: &mut Bencher, files: &Files) {
    b.iter_batched(
        || SceneRun::new(files.clone(), Some(1.0)).expect("it can be set up"),
        |mut run| {
            run.finish(|_| ()).expect("it goes on");
            black_box(run.world().state_hash())
        },
        BatchSize::PerIteration,
    );
}

fn scenes(c: &mut Criterion) {
    let mut group = c.benchmark_group("scene, one second of");
    // There are many of them, and some are slow.
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for entry in gallery::ALL {
        let files = Files::open(Path::new(entry.name)).expect("a built-in scene");
        group.bench_function(entry.name, |b| one_second(b, &files));
    }
    group.finish();
}

/// Trains of ever more carts leave the station: every cart has 11 rows and hangs on the next (Barenbrug 2000, 5.5).
fn carts(c: &mut Criterion) {
    let mut group = c.benchmark_group("roller coaster, one second with carts");
    group.sample_size(10);
    let text = gallery::find("roller_coaster").expect("a built-in scene").text;
    for count in [3, 6, 12, 24] {
        // It starts farther ahead, so that all of it is in the station.
        let train = text
            .replace("repeat = 6\n", &format!("repeat = {}\n", 2 * count))
            .replace("repeat = 2\n", &format!("repeat = {}\n", count - 1))
            .replace("repeat = 3\n", &format!("repeat = {count}\n"))
            .replace("30 - apart*i", "120 - apart*i");
        let files = Files::read(&train, Path::new("train.toml"), None).expect("a longer train");
        group.throughput(Throughput::Elements(count));
        group.bench_function(format!("{count}"), |b| one_second(b, &files));
    }
    group.finish();
}

criterion_group!(benches, scenes, carts);
criterion_main!(benches);

//! What a window costs the processor: simulation and everything that is to be drawn, for ten figures, per frame of 1/60 s.

use criterion::{Criterion, criterion_group, criterion_main};
use sinew::show::{Action, Layers, OpenOptions, Picture, Workspace};
use std::hint::black_box;
use std::path::PathBuf;

fn opened(file: &str, count: usize, live: bool) -> Workspace {
    let options = OpenOptions { step_budget: f64::INFINITY, ..OpenOptions::default() };
    let paths = vec![PathBuf::from(file); count];
    let mut workspace = Workspace::open(&paths, &options).expect("the files open");
    workspace.act(Action::Live(live)).expect("physics");
    workspace.act(Action::Play).expect("it plays");
    workspace
}

fn frames(c: &mut Criterion) {
    let layers = Layers::ALL;
    for (name, file, count, live) in [
        ("ten clips, playback", "data/clips/walk.bvh", 10, false),
        ("ten skinned characters, playback", "data/characters/actor.glb", 10, false),
        ("one figure, live", "data/clips/walk.bvh", 1, true),
        ("ten figures, live", "data/clips/walk.bvh", 10, true),
        ("ten skinned characters, live", "data/characters/actor.glb", 10, true),
    ] {
        let mut workspace = opened(file, count, live);
        let mut picture = Picture::default();
        c.bench_function(name, |b| {
            b.iter(|| {
                workspace.advance(1.0 / 60.0);
                workspace.paint(&layers, &mut picture);
                if workspace.status().time > 1.5 {
                    workspace.act(Action::Reset).expect("the start");
                }
                black_box(picture.solids.len())
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = frames
}
criterion_main!(benches);

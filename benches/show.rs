//! What a window costs the processor: simulation and everything that is to be drawn, for ten figures, per frame of 1/60 s.

use criterion::{Criterion, criterion_group, criterion_main};
use sinew::show::{Action, Layers, OpenOptions, Picture, Show};
use std::hint::black_box;
use std::path::PathBuf;

fn opened(file: &str, count: usize, live: bool) -> Show {
    let options = OpenOptions { patience: f64::INFINITY, ..OpenOptions::default() };
    let paths = vec![PathBuf::from(file); count];
    let mut show = Show::open(&paths, &options).expect("the files open");
    show.act(Action::Live(live)).expect("physics");
    show.act(Action::Play).expect("it plays");
    show
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
        let mut show = opened(file, count, live);
        let mut picture = Picture::default();
        c.bench_function(name, |b| {
            b.iter(|| {
                show.advance(1.0 / 60.0);
                show.paint(&layers, &mut picture);
                if show.status().time > 1.5 {
                    show.act(Action::Reset).expect("the start");
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

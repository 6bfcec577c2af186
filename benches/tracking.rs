//! One step of a figure that follows a capture: in the air, walking, standing on both feet.

use criterion::{Criterion, criterion_group, criterion_main};
use sinew::control::{Animation, Stage, StageSettings, Terrain, ground_height};
use sinew::figure::{Figure, FigureOptions};
use sinew::formats;

fn stage(clip: &str, terrain: Terrain) -> Stage {
    let file = format!("{}/data/clips/{clip}.bvh", env!("CARGO_MANIFEST_DIR"));
    let capture = formats::read(file.as_ref(), &Default::default()).expect("a clip");
    let clip = &capture.clips[0];
    let figure =
        Figure::build(&capture.skeleton, &FigureOptions { clip: Some(clip), ..Default::default() }).expect("a figure");
    let ground = ground_height(&figure, clip).expect("frames");
    let animation = Animation::looped(&capture.skeleton, clip).expect("a clip");
    Stage::new(&figure, animation, StageSettings { ground, terrain, ..Default::default() }).expect("a stage")
}

fn tracking(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tracking");
    for (name, clip, terrain) in [
        ("22 segments in the air", "walk", Terrain::Nothing),
        ("22 segments walking", "walk", Terrain::Flat),
        ("22 segments standing", "idle", Terrain::Flat),
        ("28 segments of a dog walking", "dog_walk", Terrain::Flat),
    ] {
        let mut stage = stage(clip, terrain);
        stage.world.parallel = false;
        group.bench_function(name, |bencher| bencher.iter(|| stage.step().expect("a finite step")));
    }
    group.finish();
}

criterion_group!(benches, tracking);
criterion_main!(benches);

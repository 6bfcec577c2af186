//! Following a capture allocates nothing once the buffers have grown.

mod counting;

use counting::allocations;
use sinew::control::{Animation, Terrain, ground_height};
use sinew::figure::{Figure, FigureOptions};
use sinew::formats;
use sinew::simulation::{Run, RunSettings};

#[test]
fn a_step_of_a_figure_that_follows_allocates_nothing() {
    for (clip, terrain) in [("walk", Terrain::Nothing), ("idle", Terrain::Flat)] {
        let file = format!("{}/data/clips/{clip}.bvh", env!("CARGO_MANIFEST_DIR"));
        let capture = formats::read(file.as_ref(), &Default::default()).expect("a clip");
        let source = &capture.clips[0];
        let figure = Figure::build(&capture.skeleton, &FigureOptions { clip: Some(source), ..Default::default() })
            .expect("a figure");
        let ground = ground_height(&figure, source).expect("frames");
        let animation = Animation::looped(&capture.skeleton, source).expect("a clip");
        let settings = RunSettings { ground, terrain, ..RunSettings::default() };
        let mut run = Run::new(&figure, animation, settings).expect("a run");
        for _ in 0..480 {
            run.step().expect("a finite step");
        }
        let before = allocations().0;
        for _ in 0..120 {
            run.step().expect("a finite step");
        }
        assert_eq!(allocations().0 - before, 0, "{clip}");
    }
}

//! Following a capture allocates nothing once the buffers have grown.

use sinew::control::{Animation, Stage, StageSettings, Terrain, ground_height};
use sinew::figure::{Figure, FigureOptions};
use sinew::formats;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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
        let settings = StageSettings { ground, terrain, ..StageSettings::default() };
        let mut stage = Stage::new(&figure, animation, settings).expect("a stage");
        for _ in 0..480 {
            stage.step().expect("a finite step");
        }
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for _ in 0..120 {
            stage.step().expect("a finite step");
        }
        assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0, "{clip}");
    }
}

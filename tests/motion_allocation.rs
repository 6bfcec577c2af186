//! Playing a clip allocates nothing once its buffers exist.

use sinew::motion::{Clip, Joint, Looping, Sampler, Skeleton, Tracks};
use sinew::{Quat, Real, Vec3};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting per thread, so that the test harness does not disturb the count.
struct Counting;

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn sampling_and_forward_kinematics_allocate_nothing() {
    let joints = (0..20).map(|k: usize| Joint::new(format!("j{k}"), k.checked_sub(1), Vec3::y()));
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let turn = |f: usize, k: usize| Quat::new(Vec3::new(0.1 * f as Real, 0.2 * k as Real, 0.3));
    let rotations = (0..50).flat_map(|f| (0..20).map(move |k| turn(f, k))).collect();
    let places = Tracks { joints: vec![0], values: (0..50).map(|f| Vec3::z() * (0.1 * f as Real)).collect() };
    let clip = Clip::new("", 30.0, 20, rotations, places, Tracks::default()).unwrap();
    for looping in [Looping::Once, Looping::Return, Looping::Travel] {
        let sampler = Sampler::looping(&skeleton, &clip, looping).unwrap();
        let (mut motion, mut world, mut frames) = (sampler.buffer(), Vec::new(), Vec::new());
        motion.world_into(&skeleton, &mut world);
        motion.pose.world_into(&skeleton, &mut frames);
        let before = ALLOCATIONS.with(Cell::get);
        for k in 0..1000 {
            sampler.sample_into(k as Real * 0.037 - 3.0, &mut motion);
            motion.world_into(&skeleton, &mut world);
            motion.pose.world_into(&skeleton, &mut frames);
        }
        assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0, "{looping:?}");
    }
}

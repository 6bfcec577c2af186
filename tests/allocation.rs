//! A steady step allocates nothing: the workspaces have grown, the topology stays.

use sinew::dynamics::{Axis, Body, Constraint, Element, Joint, MassProperties, Placement, Response, World};
use sinew::{Real, Vec3};
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

/// A chain of motorised links whose far end is tied back to the world, so that trees, saturating motors and a loop
/// closure all take part.
fn chain(links: usize) -> World {
    let mut world = World::new();
    let mut parent = None;
    for index in 0..links {
        let at = Placement::at(Vec3::new(0.3 * index as Real + 0.15, 0.0, 0.0));
        let link = Body::dynamic(format!("link {index}"), MassProperties::capsule(1.0, 0.03, 0.12), at);
        let link = world.add_body(link).expect("a sound body");
        let end = |x: Real| Placement::at(Vec3::new(x, 0.0, 0.0));
        let from = if parent.is_some() { end(0.15) } else { Placement::IDENTITY };
        let mut joint = Joint::ball(parent, from, Some(link), end(-0.15));
        for axis in Axis::ALL {
            let motor = Response::Spring { stiffness: 20.0, damping: 1.0 };
            joint = joint.driven(Element::Angular(axis), motor, if index % 3 == 0 { 2.0 } else { Real::INFINITY });
        }
        world.add_constraint(Constraint::new(joint)).expect("a sound joint");
        parent = Some(link);
    }
    let end = Placement::at(Vec3::new(0.3 * links as Real, 0.0, 0.0));
    let tie = Joint::ball(None, end, parent, Placement::at(Vec3::new(0.15, 0.0, 0.0)));
    world.add_constraint(Constraint::new(tie)).expect("a sound joint");
    world
}

#[test]
fn a_steady_step_allocates_nothing() {
    let mut world = chain(24);
    for _ in 0..240 {
        world.step(1.0 / 240.0).expect("a finite step");
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for _ in 0..240 {
        world.step(1.0 / 240.0).expect("a finite step");
    }
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
}
